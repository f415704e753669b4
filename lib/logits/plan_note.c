/* What nobody would see in the numbers: tensors that all became layer 0, since no name says a layer.
 * It refuses nothing; tensors whose place in a generation or a list is seen are not spoken of. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "logits/plan.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NAMES_MAX = 4, TEXT = 1200 };

static int by_place(const void *a, const void *b) {
    const as_item *x = &(*(const as_planned_item *const *)a)->item;
    const as_item *y = &(*(const as_planned_item *const *)b)->item;
    int file = strcmp(x->source, y->source);
    return file != 0              ? file
           : x->batch != y->batch ? (x->batch < y->batch ? -1 : 1)
           : x->head != y->head   ? (x->head < y->head ? -1 : 1)
                                  : 0;
}

/* shares[t]: tensor t has a matrix where another of its file has one. */
static void find_shared(const as_plan *plan, const as_planned_item **items, bool *shares) {
    size_t count = 0;
    for (size_t i = 0; i < plan->item_count; i++) {
        const as_planned_item *item = &plan->items[i];
        if (item->item.status == AS_OK && plan->tensors[item->tensor].unplaced &&
            !as_axes_counts_others(item->item.tensor)) {
            items[count++] = item;
        }
    }
    if (count > 0) {
        qsort(items, count, sizeof *items, by_place);
    }
    for (size_t i = 1; i < count; i++) {
        if (by_place(&items[i - 1], &items[i]) == 0 &&
            strcmp(items[i - 1]->item.tensor, items[i]->item.tensor) != 0) {
            shares[items[i - 1]->tensor] = shares[items[i]->tensor] = true;
        }
    }
}

/* The tensors of one file, then in how many others it is so. */
static void describe(const as_plan *plan, const bool *shares, char text[TEXT]) {
    const as_item *first = NULL, *last = NULL;
    size_t count = 0, files = 0, used = 0;
    bool heads = false;
    char names[TEXT / 2] = "";
    const char *source = "";
    for (size_t i = 0; i < plan->item_count; i++) {
        const as_item *item = &plan->items[i].item;
        size_t t = plan->items[i].tensor;
        if (item->status != AS_OK || !shares[t]) {
            continue;
        }
        files += strcmp(source, item->source) != 0;
        source = item->source;
        first = first != NULL ? first : item;
        if (strcmp(first->source, source) != 0) {
            continue;
        }
        heads = heads || item->head > 0 || plan->tensors[t].axes.at[AS_AXIS_HEAD] != AS_NO_AXIS;
        if (last == NULL || last->tensor != item->tensor) {
            if (count++ < NAMES_MAX) {
                used += (size_t)snprintf(names + used, sizeof names - used, "%s%.100s",
                                         count > 1 ? ", " : "", item->tensor);
            }
            last = item;
        }
    }
    char others[80] = "";
    if (files > 1) {
        snprintf(others, sizeof others, " (so it is in %zu other file%s)", files - 1,
                 files > 2 ? "s" : "");
    }
    snprintf(text, TEXT,
             "%.400s: %zu tensors have no layer%s in their names and are all layer 0%s: %s%s%s",
             first->source, count, heads ? "" : " or head", heads ? "" : ", head 0", names,
             count > NAMES_MAX ? ", …" : "", others);
}

as_status as_plan_note(const as_plan *plan, char **out) {
    const as_planned_item **items = calloc(plan->item_count + 1, sizeof *items);
    bool *shares = calloc(plan->tensor_count + 1, sizeof *shares), any = false;
    char text[TEXT], *note = NULL;
    as_status status = items != NULL && shares != NULL ? AS_OK : AS_ENOMEM;
    if (status == AS_OK) {
        find_shared(plan, items, shares);
        for (size_t t = 0; t < plan->tensor_count; t++) {
            any = any || shares[t];
        }
    }
    if (any) {
        describe(plan, shares, text);
        note = strdup(text);
        status = note != NULL ? AS_OK : AS_ENOMEM;
    }
    free(items);
    free(shares);
    if (status != AS_OK) {
        return as_fail(status, "no memory for a plan of %zu matrices", plan->item_count);
    }
    *out = note;
    return AS_OK;
}
