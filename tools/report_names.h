/* report_names: the names that tell the rows of one table apart, where groups no longer do.
 * It refuses names that are the same in all rows: they say nothing. */
#ifndef TOOLS_REPORT_NAMES_H
#define TOOLS_REPORT_NAMES_H

#include "report_columns.h"

#define NAMES     4
#define NAME_TEXT GROUP_NAME

/* What differs among rows. Start from {0}. */
typedef struct row_names {
    size_t seen;
    bool varies[NAMES]; /* source, tensor, scheme, content */
    char first[NAMES][NAME_TEXT];
    char path[2][NAME_TEXT]; /* sources of the first row and of the last one, with their folders */
    bool folders;            /* files of one name in several folders: these are shown too */
} row_names;

extern const char *const row_name_heads[NAMES];
/* One of a row's names without control characters, of a source the file without its folder unless
 * `folders`. Returns text[NAME_TEXT]. */
const char *row_name(const as_row *row, size_t which, bool folders, char *text);
void row_names_see(row_names *names, const as_row *row);
size_t row_names_count(const row_names *names);

/* The heading of a table of such rows: what is the same in all goes into the group's names, "several
 * files" where there are several. */
void row_names_head(const row_names *names, row_group *g);

/* In `width` columns, each name with two blanks before it, `dash` where there is none; the heads of such
 * columns. */
void row_names_print(const row_names *names, const as_row *row, size_t width, const char *dash,
                     FILE *out);
void row_names_print_heads(const row_names *names, size_t width, FILE *out);

#endif
