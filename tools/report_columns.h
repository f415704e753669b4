/* report_columns: what the tables of a report are made of: groups of rows, columns of numbers.
 * It refuses to call a word the group's that differs within it: that is "". */
#ifndef TOOLS_REPORT_COLUMNS_H
#define TOOLS_REPORT_COLUMNS_H

#include "number.h"
#include "report.h"

#define GROUP_NAME 400
#define GROUP_TEXT (2 * GROUP_NAME + 64)
/* The least width of the column n. */
#define ORDER_LEAST 9

/* Rows that follow each other and are of one tensor, scheme and content. */
typedef struct row_group {
    size_t begin, end;
    char source[GROUP_NAME], tensor[GROUP_NAME], scheme[GROUP_NAME], content[GROUP_NAME];
    double scale; /* NaN where there is none, or not one for all */
    char shape[48], dtype[16], kind[24], mask[48], masked_as[16];
    bool batch, entropy, masked, contraction;
    size_t analysed;
    int order; /* width of the column n; begin with ORDER_LEAST */
} row_group;

/* The group that begins with row `begin`. Errors of report_row(). */
as_status row_group_find(const report_rows *rows, size_t begin, report_style style, row_group *g);

/* Takes what the row has into account for columns and description, not for the names. */
void row_group_widen(row_group *g, const as_row *row, report_style style);

/* The width of layer, batch, head and n together. */
int row_group_ids_width(const row_group *g);

/* "scheme rope:base=10000, content gaussian, scale 0.35355"; "" for what was only read. Returns
 * text[GROUP_TEXT]. */
const char *row_group_origin(const row_group *g, char *text);
/* "8 matrices of 64 × 64, f4 logits, mask causal; masked logits became 0"; "" where none was
 * analysed. Returns text[GROUP_TEXT]. */
const char *row_group_describe(const row_group *g, report_style style, char *text);

/* A column of numbers: a metric, or else a ratio of the contraction. */
typedef struct number_column {
    as_metric metric; /* AS_METRIC_COUNT: a ratio */
    as_ratio ratio;
    int width;
    const char *above, *head, *name;
} number_column;
/* Left to right. */
#define COLUMN_COUNT 8
extern const number_column columns[COLUMN_COUNT];

/* Whether the table of a group has column c. */
bool column_shown(const row_group *g, size_t c);
/* Whether that table shows the number or place that `key` names, or the names that it names. */
bool column_has_key(const row_group *g, const char *key);
/* Whether the row stands for a matrix, which has a place; not for a tensor or file that gave none. */
bool row_has_place(const as_row *row);
/* The column's number of a row, or why there is none. */
as_reason column_number(const as_row *row, const number_column *column, double *value);
/* Few digits, narrower than the column. Returns text[NUMBER_TEXT]. */
const char *column_text(const number_column *column, double value, char *text);

/* "64", "48×64", a dash. Returns text. */
const char *shape_text(const as_row *row, report_style style, char *text, size_t size);
/* How many singular values are drawn as bars. */
size_t bar_count(const row_group *g, const as_row *row);

/* The spectra of a row one after the other; false past the last. Those that were not taken have the
 * count 0. */
typedef struct row_spectrum {
    const char *title; /* "eigenvalues, real parts" */
    const double *values;
    size_t count;
} row_spectrum;
bool row_spectrum_at(const as_row *row, size_t index, row_spectrum *out);

/* Places for text on `out`. */
void print_right(FILE *out, const char *text, int width);

#endif
