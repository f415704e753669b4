/* report_csv: fields of RFC 4180. */
#ifndef TOOLS_REPORT_CSV_H
#define TOOLS_REPORT_CSV_H

#include "report.h"

/* In quotes where it must be; NULL is empty. */
void csv_field(FILE *out, const char *text);
/* With all its digits; empty where it is NaN or infinite. */
void csv_number(FILE *out, double value);

#endif
