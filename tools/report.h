/* report: a result written out for people (text), for tables (CSV) and for programs (JSON).
 * It computes no metric: what the result does not hold is null. */
#ifndef TOOLS_REPORT_H
#define TOOLS_REPORT_H

#include <stdio.h>

#include "attnspec/result.h"
#include "options.h"

typedef struct report_style {
    bool values; /* whole spectra too */
    bool utf8;   /* block characters; else ASCII */
    bool color;
} report_style;

/* The style for text on `out`: blocks where the locale is UTF-8, colours by --color and only on a
 * terminal where that is auto. */
report_style report_style_for(const common_options *options, FILE *out);

/* Each writes all rows; AS_EREAD or AS_ENOMEM with as_message(). Errors of `out` are left in its
 * error flag. */
as_status report_text(as_result *result, FILE *out, report_style style);
as_status report_csv(as_result *result, FILE *out, bool values);
as_status report_json(as_result *result, FILE *out, bool values);

#endif
