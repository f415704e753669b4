/* cells: a table of texts, in columns for people or as Markdown.
 * It refuses to print a number that does not exist: that is a dash. */
#ifndef TOOLS_CELLS_H
#define TOOLS_CELLS_H

#include "report.h"

#define CELLS_MAX 16
#define CELL_TEXT 512

/* A column; its head has two lines in the text, and one in Markdown. */
typedef struct cell_column {
    const char *above, *head;
    int width;         /* below 0: flush left */
    const char *whole; /* the head in Markdown; NULL: both lines */
} cell_column;

/* A row that is being filled; start from {0}. */
typedef struct cell_row {
    size_t count;
    char text[CELLS_MAX][CELL_TEXT];
} cell_row;

const char *cells_dash(report_style style);
void cells_add(cell_row *row, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* With `decimals` behind the point; a dash for NaN and infinity. */
void cells_add_number(cell_row *row, double value, int decimals, report_style style);
/* As number_short() has it in `width` columns, and as number_five(). */
void cells_add_short(cell_row *row, double value, int width, report_style style);
void cells_add_five(cell_row *row, double value, report_style style);

void cells_head(const cell_column *table, size_t count, FILE *out, report_style style);
/* Prints the row and empties it. A first text that is wider than its column has a line of its own. */
void cells_print(cell_row *row, const cell_column *table, FILE *out, report_style style);

/* The heading of a report: the file that it is of, NULL: none was written. */
void cells_name(const char *path, FILE *out, report_style style);
/* The heading of a part of it, set apart from what was before. */
void cells_title(const char *text, FILE *out, report_style style);
/* Before and after lines whose columns Markdown is to keep. */
void cells_fence(bool begins, FILE *out, report_style style);

#endif
