#define _POSIX_C_SOURCE 200809L
/* options: the words of a command line read into a tool's struct by its table.
 * It refuses unknown options, values out of range and too few or too many operands, in words. */
#include "options.h"

#include <errno.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "tool.h"

typedef struct parser {
    const tool *tool;
    unsigned char *values; /* the tool's struct */
    common_options *common;
    const char **given;         /* [rows] the text of each option, NULL where it was not given */
    const char *(*settings)[2]; /* common->settings while it is written */
} parser;

static bool refuse_choice(const parser *p, const option *row, const char *text) {
    char kept[16][OPTION_WORD], all[256] = "";
    const char *words[16];
    size_t count = 0;
    for (; count < 16 && option_choice(row->choices, count, kept[count]) != NULL; count++) {
        size_t used = strlen(all);
        snprintf(all + used, sizeof all - used, "%s%s", count == 0 ? "" : ", ", kept[count]);
        words[count] = kept[count];
    }
    const char *close = as_nearest(text, words, count);
    usage_error(p->tool, "--%s is '%s', but must be one of %s%s%s%s", row->name, text, all,
                close == NULL ? "" : "; did you mean '", close == NULL ? "" : close,
                close == NULL ? "" : "'?");
    return false;
}

static bool store_size(const parser *p, const option *row, const char *text, size_t *out) {
    char *end;
    errno = 0;
    unsigned long long number = strtoull(text, &end, 10);
    /* As whole numbers: 2^53 + 1 is 2^53 as a double. */
    unsigned long long low = (unsigned long long)row->low;
    unsigned long long high = row->high > 0 ? (unsigned long long)row->high : 1ULL << 53;
    if (text[0] < '0' || text[0] > '9' || *end != '\0' || errno != 0 || number < low ||
        number > high) {
        if (row->high > 0)
            usage_error(p->tool, "--%s is '%s', but must be a whole number from %.0f to %.0f",
                        row->name, text, row->low, row->high);
        else
            usage_error(p->tool, "--%s is '%s', but must be a whole number, at least %.0f",
                        row->name, text, row->low);
        return false;
    }
    *out = (size_t)number;
    return true;
}

static bool store_real(const parser *p, const option *row, const char *text, double *out) {
    char *end;
    double number = strtod(text, &end);
    bool bounded = row->low != row->high;
    if (*text == '\0' || *end != '\0' || !isfinite(number) ||
        (bounded && (number < row->low || number > row->high))) {
        if (bounded)
            usage_error(p->tool, "--%s is '%s', but must be a number from %g to %g", row->name,
                        text, row->low, row->high);
        else
            usage_error(p->tool, "--%s is '%s', but must be a finite number", row->name, text);
        return false;
    }
    *out = number;
    return true;
}

static bool store_choice(const parser *p, const option *row, const char *text, int *out) {
    char word[OPTION_WORD];
    for (int i = 0; option_choice(row->choices, (size_t)i, word) != NULL; i++)
        if (strcmp(word, text) == 0) {
            *out = i;
            return true;
        }
    return refuse_choice(p, row, text);
}

static bool store(const parser *p, const option *row, const char *text) {
    void *field = p->values + row->offset;
    switch (row->type) {
    case OPTION_SWITCH:
        *(bool *)field = true;
        return true;
    case OPTION_TEXT:
        *(const char **)field = text;
        return true;
    case OPTION_LIST: {
        text_list *list = field;
        list->item[list->count++] = text;
        return true;
    }
    case OPTION_CHOICE:
        return store_choice(p, row, text, field);
    case OPTION_SIZE:
        return store_size(p, row, text, field);
    case OPTION_REAL:
        return store_real(p, row, text, field);
    case OPTION_GROUP:
    case OPTION_END:
        break;
    }
    return false;
}

/* Adds --name=value to the words that matter. */
static bool remember(const parser *p, const option *row, const char *text) {
    if (row->incidental)
        return true;
    size_t size = strlen(row->name) + (text == NULL ? 0 : strlen(text)) + 4;
    char *word = malloc(size);
    if (word == NULL)
        return false;
    snprintf(word, size, "--%s%s%s", row->name, text == NULL ? "" : "=", text == NULL ? "" : text);
    p->common->words.item[p->common->words.count++] = word;
    return true;
}

static parse_outcome accept(const parser *p, size_t index, const char *text) {
    const option *row = options_row(p->tool, index);
    p->given[index] = text == NULL ? "true" : text;
    if (!store(p, row, text))
        return PARSE_REFUSED;
    return remember(p, row, text) ? PARSE_RUN : PARSE_FAILED;
}

static parse_outcome refuse_unknown(const parser *p, const char *name) {
    const char *words[64];
    size_t count = 0;
    const option *row;
    for (size_t i = 0; count < 64 && (row = options_row(p->tool, i)) != NULL; i++)
        if (row->name != NULL)
            words[count++] = row->name;
    const char *close = as_nearest(name, words, count);
    if (close != NULL)
        usage_error(p->tool, "there is no option '--%s'; did you mean '--%s'?", name, close);
    else
        usage_error(p->tool, "there is no option '--%s'", name);
    return PARSE_REFUSED;
}

/* `argv[*at]` is --name or --name=value; *at moves to the last word used. */
static parse_outcome take_long(const parser *p, int argc, char *const *argv, int *at) {
    const char *name = argv[*at] + 2, *value = strchr(name, '=');
    size_t length = value == NULL ? strlen(name) : (size_t)(value - name);
    const option *row;
    for (size_t i = 0; (row = options_row(p->tool, i)) != NULL; i++) {
        if (row->name == NULL || strlen(row->name) != length ||
            strncmp(row->name, name, length) != 0)
            continue;
        if (row->type == OPTION_SWITCH) {
            if (value == NULL)
                return accept(p, i, NULL);
            usage_error(p->tool, "--%s takes no value", row->name);
            return PARSE_REFUSED;
        }
        if (value == NULL && *at + 1 == argc) {
            usage_error(p->tool, "--%s needs a value", row->name);
            return PARSE_REFUSED;
        }
        return accept(p, i, value != NULL ? value + 1 : argv[++*at]);
    }
    char bare[OPTION_WORD];
    snprintf(bare, sizeof bare, "%.*s", (int)(length < sizeof bare ? length : sizeof bare), name);
    return refuse_unknown(p, bare);
}

/* `argv[*at]` is -x, -xVALUE, or a bundle such as -qv or -qo FILE. */
static parse_outcome take_letters(const parser *p, int argc, char *const *argv, int *at) {
    for (const char *letter = argv[*at] + 1; *letter != '\0'; letter++) {
        const option *row;
        size_t i = 0;
        while ((row = options_row(p->tool, i)) != NULL && row->letter != *letter)
            i++;
        if (row == NULL) {
            usage_error(p->tool, "there is no option '-%.*s'",
                        (unsigned char)*letter < 0x80 ? 1 : 4, letter);
            return PARSE_REFUSED;
        }
        if (row->type == OPTION_SWITCH) {
            parse_outcome outcome = accept(p, i, NULL);
            if (outcome != PARSE_RUN)
                return outcome;
            continue;
        }
        if (letter[1] != '\0')
            return accept(p, i, letter + 1);
        if (*at + 1 < argc)
            return accept(p, i, argv[++*at]);
        usage_error(p->tool, "-%c needs a value", row->letter);
        return PARSE_REFUSED;
    }
    return PARSE_RUN;
}

static parse_outcome take_words(const parser *p, int argc, char *const *argv) {
    common_options *common = p->common;
    bool only_operands = false;
    for (int at = 0; at < argc; at++) {
        const char *word = argv[at];
        parse_outcome outcome = PARSE_RUN;
        if (only_operands || word[0] != '-' || word[1] == '\0')
            common->operands.item[common->operands.count++] = word;
        else if (strcmp(word, "--") == 0)
            only_operands = true;
        else if (word[1] == '-')
            outcome = take_long(p, argc, argv, &at);
        else
            outcome = take_letters(p, argc, argv, &at);
        if (outcome != PARSE_RUN)
            return outcome;
        if (common->help) {
            options_print_help(p->tool, stdout);
            return PARSE_DONE;
        }
        if (common->version) {
            printf("attnspec %s\n", as_version());
            return PARSE_DONE;
        }
    }
    return PARSE_RUN;
}

static bool make_list(text_list *list, size_t capacity) {
    list->item = calloc(capacity, sizeof *list->item);
    return list->item != NULL;
}

/* Every list gets room for all words, so that nothing can fail later. */
static bool make_room(parser *p, size_t words) {
    size_t rows = 0, lists = 0;
    const option *row;
    for (; (row = options_row(p->tool, rows)) != NULL; rows++)
        if (row->type == OPTION_LIST) {
            lists++;
            if (!make_list((void *)(p->values + row->offset), words + 1))
                return false;
        }
    p->given = calloc(rows, sizeof *p->given);
    p->settings = calloc(rows + lists * words, sizeof *p->settings);
    p->common->settings = (void *)p->settings;
    return p->given != NULL && p->settings != NULL && make_list(&p->common->operands, words + 1) &&
           make_list(&p->common->words, words + 1);
}

static void set(const parser *p, const char *name, const char *value) {
    size_t at = p->common->setting_count++;
    p->settings[at][0] = name;
    p->settings[at][1] = value;
}

static void list_settings(const parser *p) {
    const option *row;
    for (size_t i = 0; (row = options_row(p->tool, i)) != NULL; i++) {
        if (row->type == OPTION_GROUP || row->incidental)
            continue;
        const char *text = p->given[i] != NULL          ? p->given[i]
                           : row->type == OPTION_SWITCH ? "false"
                                                        : row->preset;
        if (row->type == OPTION_LIST) {
            const text_list *list = (const void *)(p->values + row->offset);
            for (size_t k = 0; k < list->count; k++)
                set(p, row->name, list->item[k]);
        } else if (text != NULL) {
            set(p, row->name, text);
        }
    }
}

static parse_outcome settle(const parser *p) {
    common_options *common = p->common;
    const text_list *operands = &common->operands;
    if (operands->count < p->tool->min_operands) {
        /* "FILE[:TENSOR]..." is called FILE; 0xE2 begins an ellipsis. */
        usage_error(p->tool, "%.*s is missing", (int)strcspn(p->tool->operands, " [.\xE2"),
                    p->tool->operands);
        return PARSE_REFUSED;
    }
    if (operands->count > p->tool->max_operands) {
        usage_error(p->tool, "'%s' is one word too many: attnspec %s [OPTION]... %s",
                    operands->item[p->tool->max_operands], p->tool->name, p->tool->operands);
        return PARSE_REFUSED;
    }
    for (size_t i = 0; i < operands->count; i++)
        common->words.item[common->words.count++] = strdup(operands->item[i]);
    for (size_t i = 0; i < common->words.count; i++)
        if (common->words.item[i] == NULL)
            return PARSE_FAILED;
    if (common->threads == 0) {
        size_t cores = as_threads_available();
        common->threads = cores < OPTION_MAX_THREADS ? cores : OPTION_MAX_THREADS;
    }
    const char *no_color = getenv("NO_COLOR");
    if (common->color == WHEN_AUTO && no_color != NULL && *no_color != '\0')
        common->color = WHEN_NEVER;
    list_settings(p);
    return PARSE_RUN;
}

parse_outcome options_parse(const tool *self, int argc, char *const *argv, void *values) {
    parser p = {.tool = self, .values = values, .common = values};
    p.common->argc = argc;
    p.common->argv = argv;
    parse_outcome outcome = make_room(&p, (size_t)argc) ? PARSE_RUN : PARSE_FAILED;
    const option *row;
    for (size_t i = 0; outcome == PARSE_RUN && (row = options_row(self, i)) != NULL; i++)
        if (row->preset != NULL && !store(&p, row, row->preset))
            outcome = PARSE_REFUSED;
    if (outcome == PARSE_RUN)
        outcome = take_words(&p, argc, argv);
    if (outcome == PARSE_RUN)
        outcome = settle(&p);
    if (outcome == PARSE_FAILED)
        message_error("there is no memory for the command line");
    free(p.given);
    return outcome;
}

void options_free(const tool *self, void *values) {
    common_options *common = values;
    const option *row;
    for (size_t i = 0; (row = options_row(self, i)) != NULL; i++)
        if (row->type == OPTION_LIST)
            free(((text_list *)(void *)((unsigned char *)values + row->offset))->item);
    for (size_t i = 0; i < common->words.count; i++)
        free((void *)(uintptr_t)common->words.item[i]);
    free(common->words.item);
    free(common->operands.item);
    free((void *)(uintptr_t)common->settings);
}
