/* report: a result written out for people (text, Markdown), for tables (CSV) and for programs (JSON).
 * It computes no metric: what the result does not hold is null. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdio.h>

#include "attnspec/result.h"
#include "options.h"

/* In the order of the choices of --format. */
typedef enum report_format { FORMAT_TEXT, FORMAT_MD, FORMAT_CSV, FORMAT_JSON } report_format;

typedef struct report_style {
    bool values; /* whole spectra too */
    bool utf8;   /* block characters; else ASCII */
    bool color;
    bool markdown; /* sentences are items of a Markdown list */
} report_style;

/* The style for text on `out`: blocks where the locale is UTF-8, colours by --color and only on a
 * terminal where that is auto. */
report_style report_style_for(const common_options *options, FILE *out);

/* The rows that are printed, in this order. */
typedef struct report_rows {
    as_result *result; /* borrowed */
    size_t *index;     /* [count], owned; NULL: all rows of the result in their own order */
    size_t count;
    const char *order; /* the key that they are sorted by; NULL: in the order of the result */
    bool descending;
} report_rows;
report_rows report_all(as_result *result);
/* Row `at` of them, as as_result_row(). */
as_status report_row(const report_rows *rows, size_t at, as_row *out);

/* Each writes all rows; AS_EREAD or AS_ENOMEM with as_message(). Errors of `out` are left in its
 * error flag. */
as_status report_text(const report_rows *rows, FILE *out, report_style style);
as_status report_md(const report_rows *rows, FILE *out, bool values);
as_status report_csv(const report_rows *rows, FILE *out, bool values);
as_status report_json(const report_rows *rows, FILE *out, bool values);

#endif
