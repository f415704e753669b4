/* report_group: rows gathered by layer, head, scheme, source or step.
 * It refuses to sort by what a group has no mean of. */
#define _POSIX_C_SOURCE 200809L
#include "report_group.h"

#include "report_steps.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *group_by_key(group_by by) {
    static const char *const keys[] = {"none", "layer", "head", "scheme", "source", "step"};
    return keys[by];
}

static bool by_name(group_by by) {
    return by == GROUP_SCHEME || by == GROUP_SOURCE;
}

/* Rows of a group mostly follow each other: the last one is looked at first. */
static group_line *find_line(report_groups *groups, const as_row *row) {
    const char *name = groups->by == GROUP_SCHEME ? row->scheme : row->source;
    uint64_t number = groups->by == GROUP_LAYER ? row->layer : row->head;
    if (groups->by == GROUP_STEP)
        (void)report_step_of(row->source, &number);
    for (size_t i = groups->count; i-- > 0;) {
        group_line *line = &groups->line[i];
        if (!by_name(groups->by)                 ? line->number == number
            : line->name == NULL || name == NULL ? line->name == name
                                                 : strcmp(line->name, name) == 0)
            return line;
    }
    if (groups->count == groups->room) {
        size_t room = 2 * groups->room + 16;
        group_line *grown = realloc(groups->line, room * sizeof *grown);
        if (grown == NULL)
            return NULL;
        groups->line = grown;
        groups->room = room;
    }
    group_line made = {.number = by_name(groups->by) ? 0 : number};
    if (by_name(groups->by) && name != NULL && (made.name = strdup(name)) == NULL)
        return NULL;
    for (size_t m = 0; m < REPORT_MAIN; m++)
        made.of[m] = (statistic){.mean = NAN, .min = NAN, .max = NAN};
    groups->line[groups->count] = made;
    return &groups->line[groups->count++];
}

static void add(statistic *s, double value) {
    if (isnan(value))
        return;
    /* The running mean: a sum could overflow. */
    s->mean = s->count == 0 ? value : s->mean + (value - s->mean) / (double)(s->count + 1);
    s->min = fmin(s->min, value);
    s->max = fmax(s->max, value);
    s->count++;
}

static int by_number(const void *left, const void *right) {
    const group_line *a = left, *b = right;
    return (a->number > b->number) - (a->number < b->number);
}

as_status report_group(const report_rows *rows, group_by by, report_groups *out) {
    report_groups groups = {.by = by};
    as_status status = AS_OK;
    for (size_t i = 0; i < rows->count && status == AS_OK; i++) {
        as_row row;
        double value[REPORT_MAIN];
        status = report_row(rows, i, &row);
        uint64_t step;
        bool in = status == AS_OK && row.status == AS_OK;
        bool stepless = in && by == GROUP_STEP && !report_step_of(row.source, &step);
        groups.left_out += status == AS_OK && !in;
        groups.stepless += stepless;
        if (!in || stepless)
            continue;
        group_line *line = find_line(&groups, &row);
        if (line == NULL) {
            status = AS_ENOMEM;
            continue;
        }
        line->count++;
        report_main_values(&row, value);
        for (size_t m = 0; m < REPORT_MAIN; m++) {
            add(&line->of[m], value[m]);
            groups.has[m] = groups.has[m] || !isnan(value[m]);
        }
    }
    if (status != AS_OK) {
        report_groups_free(&groups);
        return status;
    }
    if (!by_name(by) && groups.count > 0)
        qsort(groups.line, groups.count, sizeof *groups.line, by_number);
    *out = groups;
    return AS_OK;
}

void report_groups_free(report_groups *groups) {
    for (size_t i = 0; i < groups->count; i++)
        free(groups->line[i].name);
    free(groups->line);
    *groups = (report_groups){.by = GROUP_NONE};
}

/* The main number of that key, REPORT_MAIN where it is none. */
static size_t main_of(const report_order *order) {
    size_t m = 0;
    while (m < REPORT_MAIN && strcmp(report_mains[m].key, order->key.name) != 0)
        m++;
    return m;
}

bool report_group_order(group_by by, const report_order *order, char *why) {
    if (main_of(order) < REPORT_MAIN || strcmp(order->key.name, group_by_key(by)) == 0)
        return true;
    size_t used = (size_t)snprintf(
        why, KEY_WHY, "--sort: a group has no %s; it is sorted by %s, or by the mean of ",
        order->key.name, group_by_key(by));
    for (size_t m = 0; m < REPORT_MAIN && used < KEY_WHY; m++)
        used += (size_t)snprintf(why + used, KEY_WHY - used, "%s%s",
                                 m == 0                 ? ""
                                 : m == REPORT_MAIN - 1 ? " or "
                                                        : ", ",
                                 report_mains[m].key);
    return false;
}

/* Lines without the number or name come last; equal ones keep their order. */
static int by_order(const void *left, const void *right) {
    const group_line *a = left, *b = right;
    if (a->there != b->there)
        return a->there ? -1 : 1;
    int order = (a->sorted_by > b->sorted_by) - (a->sorted_by < b->sorted_by);
    if (order == 0 && a->there && a->name != NULL && isnan(a->sorted_by))
        order = strcmp(a->name, b->name);
    if (order != 0)
        return a->descending ? -order : order;
    return a->at < b->at ? -1 : 1;
}

void report_groups_sort(report_groups *groups, const report_order *order, size_t top) {
    for (size_t i = 0; i < groups->count && order != NULL; i++) {
        group_line *line = &groups->line[i];
        size_t m = main_of(order);
        bool name = m == REPORT_MAIN && by_name(groups->by);
        line->at = i;
        line->descending = order->descending;
        line->sorted_by = m < REPORT_MAIN ? line->of[m].mean
                          : name          ? (double)NAN
                                          : (double)line->number;
        line->there = name ? line->name != NULL : !isnan(line->sorted_by);
    }
    if (order != NULL && groups->count > 0)
        qsort(groups->line, groups->count, sizeof *groups->line, by_order);
    while (top > 0 && groups->count > top)
        free(groups->line[--groups->count].name);
}
