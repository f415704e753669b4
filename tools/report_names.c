/* report_names: names as the last columns of a table.
 * It refuses nothing: where there is little room, names get numbers and a legend. */
#include "report_names.h"

#include <string.h>

#include "text.h"

const char *const row_name_heads[NAMES] = {"source", "tensor", "scheme", "content"};

static const char *field(const as_row *row, size_t which) {
    const char *const names[NAMES] = {row->source, row->tensor, row->scheme, row->content};
    return names[which];
}

void row_names_see(row_names *names, const as_row *row) {
    names->set[0].paths = true;
    for (size_t i = 0; i < NAMES; i++)
        name_set_see(&names->set[i], field(row, i));
}

as_status row_names_settle(row_names *names) {
    for (size_t i = 0; i < NAMES; i++) {
        if (!name_set_settle(&names->set[i]))
            return AS_ENOMEM;
        names->varies[i] = names->set[i].count > 1;
    }
    return AS_OK;
}

void row_names_free(row_names *names) {
    for (size_t i = 0; i < NAMES; i++)
        name_set_free(&names->set[i]);
}

const char *row_name(const row_names *names, const as_row *row, size_t which, char *text) {
    return text_clean(text, NAME_TEXT, name_set_short(&names->set[which], field(row, which)));
}

const char *row_names_common(const row_names *names, size_t which, char *text) {
    const name_set *set = &names->set[which];
    return text_clean(text, NAME_TEXT, set->count == 1 ? name_set_short(set, set->name[0]) : NULL);
}

size_t row_names_count(const row_names *names) {
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++)
        count += names->varies[i] ? 1 : 0;
    return count;
}

void row_names_head(const row_names *names, row_group *g) {
    char *const fields[NAMES] = {g->source, g->tensor, g->scheme, g->content};
    for (size_t i = 0; i < NAMES; i++)
        if (!names->varies[i])
            row_names_common(names, i, fields[i]);
    if (names->varies[0])
        snprintf(g->source, GROUP_NAME, "several files");
}

/* The last one ends the line: no blanks are put after it. */
static void print_name(const char *text, size_t width, bool last, FILE *out) {
    fputs("  ", out);
    if (last && text_width(text) <= width)
        fputs(text, out);
    else
        text_fit(out, text, width);
}

/* How many columns the next of `left` names has, its two blanks included; taken from *width. */
static size_t take_share(size_t *width, size_t left) {
    size_t share = *width / left;
    *width -= share;
    return share > 2 ? share - 2 : 1;
}

static void print(const row_names *names, const as_row *row, size_t width, const char *dash,
                  FILE *out) {
    size_t left = row_names_count(names);
    for (size_t i = 0; i < NAMES; i++) {
        char text[NAME_TEXT];
        if (!names->varies[i])
            continue;
        size_t share = take_share(&width, left);
        const char *name =
            row == NULL ? row_name_heads[i]
                        : name_set_fit(&names->set[i], field(row, i), share, text, sizeof text);
        print_name(*name == '\0' ? dash : name, share, left == 1, out);
        left--;
    }
}

void row_names_print_legend(const row_names *names, size_t width, FILE *out) {
    size_t left = row_names_count(names);
    for (size_t i = 0; i < NAMES; i++)
        if (names->varies[i])
            name_set_legend(&names->set[i], take_share(&width, left--), out);
}

void row_names_print(const row_names *names, const as_row *row, size_t width, const char *dash,
                     FILE *out) {
    print(names, row, width, dash, out);
}

void row_names_print_heads(const row_names *names, size_t width, FILE *out) {
    print(names, NULL, width, "", out);
}
