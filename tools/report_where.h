/* report_where: conditions on rows, "layer=0-3,status=ok,stable_rank<2".
 * It refuses keys and operators that are none, and values that do not fit their key. */
#ifndef TOOLS_REPORT_WHERE_H
#define TOOLS_REPORT_WHERE_H

#include "options.h"
#include "report_keys.h"

typedef struct report_where report_where;

/* Conditions of all texts, which a row must fulfil together. AS_EINVAL with the sentence in
 * why[KEY_WHY], AS_ENOMEM. *out is owned by the caller, report_where_free(). */
as_status report_where_parse(const text_list *texts, report_where **out, char *why);
void report_where_free(report_where *where);
bool report_where_holds(const report_where *where, const as_row *row);

#endif
