/* report_group: one row a layer, head, scheme, source or step of training: how many matrices, and mean, smallest and
 * largest of the main numbers. It refuses rows that were not analysed: they have no numbers. */
#ifndef TOOLS_REPORT_GROUP_H
#define TOOLS_REPORT_GROUP_H

#include "report.h"
#include "report_keys.h"
#include "report_table.h"

typedef enum group_by {
    GROUP_NONE,
    GROUP_LAYER,
    GROUP_HEAD,
    GROUP_SCHEME,
    GROUP_SOURCE,
    GROUP_STEP
} group_by;
const char *group_by_key(group_by by); /* "layer" */

/* Over the matrices that have the number; NaN where none has. */
typedef struct statistic {
    size_t count;
    double mean, min, max;
} statistic;

typedef struct group_line {
    char *name;      /* of a scheme or source, owned; NULL where there is none */
    uint64_t number; /* of a layer, head or step */
    size_t count;    /* matrices */
    statistic of[REPORT_MAIN];
    /* While they are sorted. */
    size_t at;
    bool there, descending;
    double sorted_by; /* NaN: the name */
} group_line;

typedef struct report_groups {
    group_by by;
    size_t count, room;
    group_line *line;      /* [room] */
    bool has[REPORT_MAIN]; /* whether any line has the number */
    size_t left_out;       /* rows that were not analysed */
    size_t stepless;       /* by step: those that were, but have no step in their name */
} report_groups;

/* Whether groups have what `order` asks for; false with the sentence in why[KEY_WHY]. */
bool report_group_order(group_by by, const report_order *order, char *why);
/* Layers and heads in their order, names in that of their first row. AS_EREAD, AS_ENOMEM. Groups are
 * owned by the caller, report_groups_free(). */
as_status report_group(const report_rows *rows, group_by by, report_groups *out);
/* Sorts by a name, a number or a mean (NULL: not), and keeps the first `top` (0: all). */
void report_groups_sort(report_groups *groups, const report_order *order, size_t top);
void report_groups_free(report_groups *groups);

void report_groups_text(const report_groups *groups, FILE *out, report_style style);
void report_groups_md(const report_groups *groups, FILE *out);
void report_groups_csv(const report_groups *groups, FILE *out);
/* AS_EREAD, AS_ENOMEM. */
as_status report_groups_json(const report_groups *groups, const report_rows *rows, FILE *out);

#endif
