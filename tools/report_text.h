/* report_text: what the tables for people share: colours, a row without numbers, whole spectra.
 * It refuses nothing. */
#ifndef TOOLS_REPORT_TEXT_H
#define TOOLS_REPORT_TEXT_H

#include "report_columns.h"

#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

/* The code, or nothing where there are no colours. */
const char *escape(report_style style, const char *code);

/* Source and tensor, where it came from, what it is. */
void print_group_head(const row_group *g, FILE *out, report_style style);
/* The status and its sentence, for a row that has no numbers; `column` is where the cursor stands. */
void print_failure(const as_row *row, FILE *out, report_style style, size_t column);
/* Every spectrum of a row, seven numbers a line. */
void print_values(const as_row *row, FILE *out);
/* What the bars mean. */
void print_legend(FILE *out, report_style style, bool ratios);

/* All rows in one table, in their order; report_text() calls it where they are sorted. */
as_status report_flat(const report_rows *rows, FILE *out, report_style style);

#endif
