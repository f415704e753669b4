/* report_table: which rows of a result are printed, and in which order.
 * It refuses to sort by a word that is no key. */
#ifndef TOOLS_REPORT_TABLE_H
#define TOOLS_REPORT_TABLE_H

#include "report.h"
#include "report_where.h"

typedef struct report_order {
    report_key key;
    bool descending;
} report_order;

/* "KEY", "-KEY", "KEY:asc" or "KEY:desc"; false with the sentence in why[KEY_WHY]. */
bool report_order_parse(const char *text, report_order *out, char *why);

/* The rows that fulfil `where` (NULL: all), sorted by `order` (NULL: not; rows without the number come
 * last, equal ones keep their order), the first `top` of them (0: all). AS_EREAD, AS_ENOMEM.
 * rows->index is owned by the caller (free()). */
as_status report_select(as_result *result, const report_where *where, const report_order *order,
                        size_t top, report_rows *out);

#endif
