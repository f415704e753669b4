#define _POSIX_C_SOURCE 200809L
/* options_text: what is made of the table of options for people and shells: help, man page, bash
 * completion. It refuses nothing. */
#include <stdlib.h>
#include <string.h>

#include "options.h"
#include "text.h"
#include "tool.h"

#define HELP_COLUMN 26
#define PHRASE      512

/* "a phrase (1 to 256; default: 8)" */
static const char *phrase(const option *row, char *text) {
    char note[256] = "";
    size_t used = 0;
    const char *sign = " (";
    if (row->type == OPTION_CHOICE && row->value != NULL) {
        used += (size_t)snprintf(note + used, sizeof note - used, "%s%s", sign, row->choices);
        sign = "; ";
    }
    if (row->high > row->low) {
        /* Never 1e+06 of what is counted. */
        used += (size_t)snprintf(note + used, sizeof note - used,
                                 row->type == OPTION_SIZE ? "%s%.0f to %.0f" : "%s%g to %g", sign,
                                 row->low, row->high);
        sign = "; ";
    }
    if (row->type == OPTION_LIST) {
        used += (size_t)snprintf(note + used, sizeof note - used, "%smay be repeated", sign);
        sign = "; ";
    }
    if (row->preset != NULL) {
        used +=
            (size_t)snprintf(note + used, sizeof note - used, "%sdefault: %s", sign, row->preset);
        sign = "; ";
    }
    snprintf(text, PHRASE, "%s%s%s", row->help, note, used > 0 ? ")" : "");
    return text;
}

/* "-o, --output FILE" */
static const char *spelling(const option *row, char *text, size_t size) {
    const char *value = row->value != NULL ? row->value : row->choices;
    if (row->type == OPTION_SWITCH)
        value = NULL;
    char letter[8] = "    ";
    if (row->letter != '\0')
        snprintf(letter, sizeof letter, "-%c, ", row->letter);
    snprintf(text, size, "%s--%s%s%s", letter, row->name, value == NULL ? "" : " ",
             value == NULL ? "" : value);
    return text;
}

void options_print_help(const tool *self, FILE *out) {
    char text[PHRASE];
    fprintf(out, "Usage: attnspec %s [OPTION]...%s%s\n\n", self->name,
            *self->operands != '\0' ? " " : "", self->operands);
    text_wrap(out, self->description, 0, 0);
    const option *row;
    for (size_t i = 0; (row = options_row(self, i)) != NULL; i++) {
        if (row->type == OPTION_GROUP) {
            fprintf(out, "\n%s:\n", row->help);
            continue;
        }
        spelling(row, text, sizeof text);
        size_t column = 2 + text_width(text);
        fprintf(out, "  %s", text);
        if (column + 2 > HELP_COLUMN) {
            fputc('\n', out);
            column = 0;
        }
        fprintf(out, "%*s", (int)(HELP_COLUMN - column), "");
        text_wrap(out, phrase(row, text), HELP_COLUMN, HELP_COLUMN);
    }
    fputs("\nExit status: ", out);
    text_wrap(out,
              "0 all done, 1 some failed, 2 usage, 3 nothing was readable, 4 the output exists or "
              "cannot be written, 5 every failure was one of convergence, 130 and 143 interrupted.",
              13, 13);
    if (self->examples != NULL) {
        fputs("\nExamples:\n", out);
        for (const char *line = self->examples; *line != '\0';) {
            size_t length = strcspn(line, "\n");
            fprintf(out, "  %.*s\n", (int)length, line);
            line += length + (line[length] == '\n' ? 1 : 0);
        }
    }
}

/* Text in roff: hyphens that can be copied, no line taken for a request. */
static void roff(FILE *out, const char *text) {
    bool start = true;
    for (; *text != '\0'; text++) {
        if (start && (*text == '.' || *text == '\''))
            fputs("\\&", out);
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
        start = *text == '\n';
    }
}

static void roff_options(const tool *self, FILE *out) {
    char text[PHRASE];
    const option *row;
    for (size_t i = 0; (row = options_row(self, i)) != NULL; i++) {
        if (row->type == OPTION_GROUP) {
            fputs(".SS ", out);
            roff(out, row->help);
            fputc('\n', out);
            continue;
        }
        fputs(".TP\n.B ", out);
        const char *words = spelling(row, text, sizeof text);
        roff(out, words + strspn(words, " "));
        fputc('\n', out);
        roff(out, phrase(row, text));
        fputc('\n', out);
    }
}

void options_print_man(const tool *self, FILE *out) {
    fprintf(out, ".TH ATTNSPEC\\-");
    for (const char *c = self->name; *c != '\0'; c++)
        fputc(*c >= 'a' && *c <= 'z' ? *c - 'a' + 'A' : *c, out);
    fprintf(out, " 1 \"\" \"attnspec %s\" \"attnspec\"\n", as_version());
    fprintf(out, ".SH NAME\nattnspec\\-%s \\- ", self->name);
    roff(out, tool_summary(self));
    fprintf(out, "\n.SH SYNOPSIS\n.B attnspec %s\n[OPTION]... ", self->name);
    roff(out, self->operands);
    fputs("\n.SH DESCRIPTION\n", out);
    for (const char *c = self->description; *c != '\0';) {
        size_t length = strcspn(c, "\n");
        char *line = strndup(c, length);
        if (line != NULL)
            roff(out, line);
        free(line);
        fputs(length == 0 ? ".PP\n" : "\n", out);
        c += length + (c[length] == '\n' ? 1 : 0);
    }
    fputs(".SH OPTIONS\n", out);
    roff_options(self, out);
    fputs(".SH EXIT STATUS\n"
          ".TP\n0\nall done\n"
          ".TP\n1\nsome matrices or some inputs failed (the rest is written), or a failure at run "
          "time\n"
          ".TP\n2\nusage, or a parameter out of range\n"
          ".TP\n3\nno input was readable, or it held only empty or skipped tensors\n"
          ".TP\n4\nthe output cannot be written, or exists and there was no \\-\\-force\n"
          ".TP\n5\nevery failure was one of convergence\n"
          ".TP\n130, 143\ninterrupted by SIGINT or SIGTERM; what was finished is kept\n",
          out);
    if (self->examples != NULL) {
        fputs(".SH EXAMPLES\n.nf\n", out);
        roff(out, self->examples);
        fputs(".fi\n", out);
    }
    fputs(".SH SEE ALSO\n.BR attnspec (1)\n", out);
}

void options_print_main_man(FILE *out) {
    fprintf(out, ".TH ATTNSPEC 1 \"\" \"attnspec %s\" \"attnspec\"\n", as_version());
    fputs(".SH NAME\nattnspec \\- spectra of attention matrices\n"
          ".SH SYNOPSIS\n.B attnspec\nTOOL [OPTION]... [WORD]...\n"
          ".SH DESCRIPTION\nEach tool is a program of its own too: attnspec\\-TOOL.\n"
          ".SH TOOLS\n",
          out);
    for (size_t i = 0; tool_list(i) != NULL; i++) {
        fprintf(out, ".TP\n.BR attnspec\\-%s (1)\n", tool_list(i)->name);
        roff(out, tool_summary(tool_list(i)));
        fputc('\n', out);
    }
    fputs(".TP\n.B help TOOL\nprint what a tool does and its options\n"
          ".TP\n.B completion\nprint what bash needs to complete the words of attnspec\n",
          out);
}

static void complete_tool(const tool *self, FILE *out) {
    const option *row;
    fprintf(out, "    %s)\n        case $previous in\n", self->name);
    for (size_t i = 0; (row = options_row(self, i)) != NULL; i++) {
        if (row->type != OPTION_CHOICE)
            continue;
        char word[OPTION_WORD];
        fprintf(out, "        --%s) COMPREPLY=($(compgen -W '", row->name);
        for (size_t k = 0; option_choice(row->choices, k, word) != NULL; k++)
            fprintf(out, "%s%s", k == 0 ? "" : " ", word);
        fputs("' -- \"$word\")); return ;;\n", out);
    }
    fputs("        esac\n        options='", out);
    bool first = true;
    for (size_t i = 0; (row = options_row(self, i)) != NULL; i++)
        if (row->name != NULL) {
            fprintf(out, "%s--%s", first ? "" : " ", row->name);
            first = false;
        }
    fputs("' ;;\n", out);
}

void options_print_completion(FILE *out) {
    fputs("# bash completion of attnspec: source it, or put it into bash-completion's folder.\n"
          "_attnspec() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
          "    local tool=${1##*/} options=\n"
          "    COMPREPLY=()\n"
          "    if [[ $tool == attnspec ]]; then\n"
          "        if ((COMP_CWORD == 1)); then\n"
          "            COMPREPLY=($(compgen -W '",
          out);
    for (size_t i = 0; tool_list(i) != NULL; i++)
        fprintf(out, "%s ", tool_list(i)->name);
    fputs("help --help --version' -- \"$word\")); return\n"
          "        fi\n"
          "        tool=${COMP_WORDS[1]}\n"
          "    else\n"
          "        tool=${tool#attnspec-}\n"
          "    fi\n"
          "    case $tool in\n",
          out);
    for (size_t i = 0; tool_list(i) != NULL; i++)
        complete_tool(tool_list(i), out);
    fputs("    esac\n"
          "    if [[ $word == -* ]]; then\n"
          "        COMPREPLY=($(compgen -W \"$options\" -- \"$word\"))\n"
          "    else\n"
          "        COMPREPLY=($(compgen -f -- \"$word\"))\n"
          "    fi\n"
          "}\n"
          "complete -o filenames -F _attnspec attnspec",
          out);
    for (size_t i = 0; tool_list(i) != NULL; i++)
        fprintf(out, " attnspec-%s", tool_list(i)->name);
    fputc('\n', out);
}
