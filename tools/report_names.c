/* report_names: names as the last columns of a table.
 * It refuses nothing: where there is little room, a name loses its middle. */
#include "report_names.h"

#include <string.h>

#include "text.h"

const char *const row_name_heads[NAMES] = {"source", "tensor", "scheme", "content"};

const char *row_name(const as_row *row, size_t which, bool folders, char *text) {
    const char *const names[NAMES] = {row->source, row->tensor, row->scheme, row->content};
    const char *name = names[which], *slash = name == NULL ? NULL : strrchr(name, '/');
    return text_clean(text, NAME_TEXT, which == 0 && !folders && slash != NULL ? slash + 1 : name);
}

void row_names_see(row_names *names, const as_row *row) {
    char text[NAME_TEXT], path[NAME_TEXT];
    row_name(row, 0, true, path);
    for (size_t i = 0; i < NAMES; i++) {
        row_name(row, i, false, text);
        if (names->seen == 0)
            memcpy(names->first[i], text, sizeof text);
        else
            names->varies[i] = names->varies[i] || strcmp(names->first[i], text) != 0;
    }
    row_name(row, 0, false, text);
    for (size_t i = 0; i < 2 && names->seen > 0; i++) {
        const char *slash = strrchr(names->path[i], '/');
        bool same = strcmp(slash == NULL ? names->path[i] : slash + 1, text) == 0;
        names->folders = names->folders || (same && strcmp(names->path[i], path) != 0);
    }
    names->varies[0] = names->varies[0] || names->folders;
    memcpy(names->path[names->seen == 0 ? 0 : 1], path, sizeof path);
    if (names->seen++ == 0)
        memcpy(names->path[1], path, sizeof path);
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
            memcpy(fields[i], names->first[i], GROUP_NAME);
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

static void print(const row_names *names, const as_row *row, size_t width, const char *dash,
                  FILE *out) {
    size_t left = row_names_count(names);
    for (size_t i = 0; i < NAMES; i++) {
        char text[NAME_TEXT];
        if (!names->varies[i])
            continue;
        size_t share = width / left;
        const char *name = row == NULL ? row_name_heads[i] : row_name(row, i, names->folders, text);
        print_name(*name == '\0' ? dash : name, share > 2 ? share - 2 : 1, left == 1, out);
        width -= share;
        left--;
    }
}

void row_names_print(const row_names *names, const as_row *row, size_t width, const char *dash,
                     FILE *out) {
    print(names, row, width, dash, out);
}

void row_names_print_heads(const row_names *names, size_t width, FILE *out) {
    print(names, NULL, width, "", out);
}
