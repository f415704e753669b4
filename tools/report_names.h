/* report_names: the names that tell the rows of one table apart, where groups no longer do.
 * It refuses names that are the same in all rows: they say nothing. */
#ifndef TOOLS_REPORT_NAMES_H
#define TOOLS_REPORT_NAMES_H

#include "name_set.h"
#include "report_columns.h"

#define NAMES     4
#define NAME_TEXT GROUP_NAME

/* What differs among rows. Start from {0}; owned, row_names_free(). */
typedef struct row_names {
    name_set set[NAMES]; /* source, tensor, scheme, content */
    bool varies[NAMES];
} row_names;

extern const char *const row_name_heads[NAMES];
void row_names_see(row_names *names, const as_row *row);
/* Once all rows are seen; AS_ENOMEM. */
as_status row_names_settle(row_names *names);
void row_names_free(row_names *names);
/* One of a row's names without control characters, of a source as many folders as tell it apart. Returns
 * text[NAME_TEXT]. */
const char *row_name(const row_names *names, const as_row *row, size_t which, char *text);
/* The name that all rows have; "" where there are several, or none. */
const char *row_names_common(const row_names *names, size_t which, char *text);
size_t row_names_count(const row_names *names);

/* The heading of a table of such rows: what is the same in all goes into the group's names, "several
 * files" where there are several. */
void row_names_head(const row_names *names, row_group *g);

/* In `width` columns, each name with two blanks before it, `dash` where there is none; the heads of such
 * columns. */
void row_names_print(const row_names *names, const as_row *row, size_t width, const char *dash,
                     FILE *out);
void row_names_print_heads(const row_names *names, size_t width, FILE *out);
/* Below such a table: the names that were too long for it, by their numbers. */
void row_names_print_legend(const row_names *names, size_t width, FILE *out);

#endif
