/* Which k goes with which q (grouped-query attention), and which baseline with which matrix.
 * It refuses heads that do not divide, head sizes that differ, and axes that can be read two ways. */
#include "logits/pairs.h"

#include "base/fail.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const as_planned_tensor *tensor_of(const as_plan *plan, size_t item) {
    return &plan->tensors[plan->items[item].tensor];
}

/* Positions × dim of q and k and the numbers of heads, in one reading of the axes. */
typedef struct reading {
    size_t q_rows, k_rows, q_dim, k_dim, heads, kv_heads;
} reading;

static bool fits(reading r) {
    return r.q_dim == r.k_dim && r.kv_heads > 0 && r.heads % r.kv_heads == 0;
}

/* "a.h5: layers/0/q", "a.npy" of a tensor without a name. */
static const char *place(const as_item *item, char text[512]) {
    bool named = item->tensor[0] != '\0';
    snprintf(text, 512, "%s%s%s", item->source, named ? ": " : "", item->tensor);
    return text;
}

/* Without --query-axes the axis before position is head. Where that gives unequal or rectangular
 * logits, and position before head does not, nobody can tell which was meant. */
static as_status check_guess(const as_item *q, const as_item *k, reading r) {
    reading other = r;
    other.q_rows = r.heads, other.k_rows = r.kv_heads;
    other.heads = r.q_rows, other.kv_heads = r.k_rows;
    bool odd = !fits(r) || r.q_rows != r.k_rows;
    if (!odd || !fits(other) || other.q_rows != other.k_rows || other.q_rows <= 1) {
        return AS_OK;
    }
    char a[512], b[512];
    return as_fail(AS_EINVAL,
                   "%s and %s can be read as %zu and %zu heads of %zu and %zu positions, or as %zu "
                   "and %zu heads of %zu positions: say --query-axes and --key-axes "
                   "(head,position,dim or position,head,dim)",
                   place(q, a), place(k, b), r.heads, r.kv_heads, r.q_rows, r.k_rows, other.heads,
                   other.kv_heads, other.q_rows);
}

static as_status check_reading(const as_item *q, const as_item *k, reading r) {
    char a[512], b[512];
    if (r.q_dim != r.k_dim) {
        return as_fail(AS_EINVAL, "%s has head size %zu, %s has %zu", place(q, a), r.q_dim,
                       place(k, b), r.k_dim);
    }
    return fits(r) ? AS_OK
                   : as_fail(AS_EINVAL,
                             "%s has %zu query heads, %s has %zu key heads; the first must be a "
                             "multiple of the second",
                             place(q, a), r.heads, place(k, b), r.kv_heads);
}

/* Any head will do. */
#define ANY_HEAD SIZE_MAX

/* The number in the file's name of a tensor without a name. */
static size_t file_number(const as_item *item, as_axis axis) {
    size_t number[AS_LOOP_COUNT];
    if (item->tensor[0] != '\0' && strcmp(item->tensor, AS_LONE_ARRAY) != 0) {
        return AS_NO_AXIS;
    }
    as_axes_file_numbers(item->source, NULL, number);
    return number[axis];
}

/* Whether an index is but the number in a file's name, and the other file says nothing: nobody who
 * gives one file for another means that they do not belong together. */
static bool yields(const as_item *named, size_t index, const as_item *other, size_t other_index,
                   as_axis axis) {
    return other_index == 0 && file_number(named, axis) == index &&
           file_number(other, axis) == AS_NO_AXIS;
}

/* Layer, batch and head of what is looked for, and of what may be it. */
static bool same_place(const as_plan *plan, const as_planned_item *planned, const as_item *like,
                       size_t head, bool strict) {
    const as_item *item = &planned->item;
    const size_t wanted[AS_LOOP_COUNT] = {like->layer, like->batch,
                                          head == ANY_HEAD ? item->head : head};
    const size_t found[AS_LOOP_COUNT] = {item->layer, item->batch, item->head};
    for (size_t a = 0; a < AS_LOOP_COUNT; a++) {
        bool axis = plan->tensors[planned->tensor].axes.at[a] != AS_NO_AXIS;
        if (wanted[a] != found[a] && (strict || axis ||
                                      (!yields(like, wanted[a], item, found[a], (as_axis)a) &&
                                       !yields(item, found[a], like, wanted[a], (as_axis)a)))) {
            return false;
        }
    }
    return true;
}

/* The first item from *cursor on, all around, of that layer, batch and head; else the first whose
 * difference is a number in a file's name that the other file does not have. */
static size_t find(const as_plan *plan, const as_item *like, size_t head, size_t *cursor) {
    for (int strict = 1; strict >= 0; strict--) {
        for (size_t n = 0; n < plan->item_count; n++) {
            size_t i = (*cursor + n) % plan->item_count;
            const as_item *item = &plan->items[i].item;
            if (item->status == AS_OK &&
                same_place(plan, &plan->items[i], like, head, strict == 1)) {
                *cursor = i;
                return i;
            }
        }
    }
    return SIZE_MAX;
}

as_status as_pairs_key(const as_plan *queries, const as_plan *keys, size_t query, bool named,
                       size_t *cursor) {
    const as_item *q = &queries->items[query].item;
    char a[512];
    size_t any = find(keys, q, ANY_HEAD, cursor);
    if (any == SIZE_MAX) {
        return as_fail(AS_EINVAL, "%s has layer %zu, batch %zu; no key has", place(q, a), q->layer,
                       q->batch);
    }
    const as_item *k = &keys->items[any].item;
    size_t heads = as_plan_heads(queries, &queries->items[query]);
    size_t kv_heads = as_plan_heads(keys, &keys->items[any]);
    reading r = {q->rows, k->rows, q->cols, k->cols, heads, kv_heads};
    /* Heads that have their numbers in names are no axis to mistake. */
    bool axis = tensor_of(queries, query)->axes.at[AS_AXIS_HEAD] != AS_NO_AXIS;
    bool said = named || !axis || as_axes_is_position_first(q->tensor);
    as_status status = said ? AS_OK : check_guess(q, k, r);
    if (status == AS_OK) {
        status = check_reading(q, k, r);
    }
    if (status != AS_OK) {
        return status;
    }
    size_t wanted = q->head / (heads / kv_heads);
    return find(keys, q, wanted, cursor) != SIZE_MAX
               ? AS_OK
               : as_fail(AS_EINVAL, "%s, head %zu wants key head %zu, which is not there",
                         place(q, a), q->head, wanted);
}

size_t as_pairs_same(const as_plan *plan, const as_item *like, bool shape, size_t *cursor) {
    size_t found = find(plan, like, like->head, cursor);
    if (found == SIZE_MAX) {
        return SIZE_MAX;
    }
    const as_item *item = &plan->items[found].item;
    bool same = item->rows == like->rows && (!shape || item->cols == like->cols);
    return same ? found : SIZE_MAX;
}

size_t as_pairs_broadcast(const as_plan *plan, const as_item *like, size_t *cursor) {
    for (size_t n = 0; n < plan->item_count; n++) {
        size_t i = (*cursor + n) % plan->item_count;
        const as_item *item = &plan->items[i].item;
        if (item->status != AS_OK || item->rows != like->rows || item->cols != like->cols) {
            continue;
        }
        const bool *one = tensor_of(plan, i)->one;
        if ((one[AS_AXIS_LAYER] || item->layer == like->layer) &&
            (one[AS_AXIS_BATCH] || item->batch == like->batch) &&
            (one[AS_AXIS_HEAD] || item->head == like->head)) {
            *cursor = i;
            return i;
        }
    }
    return SIZE_MAX;
}

static int by_place(const void *a, const void *b) {
    const as_item *x = *(const as_item *const *)a, *y = *(const as_item *const *)b;
    return x->layer != y->layer   ? (x->layer < y->layer ? -1 : 1)
           : x->batch != y->batch ? (x->batch < y->batch ? -1 : 1)
           : x->head != y->head   ? (x->head < y->head ? -1 : 1)
                                  : 0;
}

/* An item is the first member of its planned item. */
static bool unplaced(const as_plan *plan, const as_item *item) {
    return plan->tensors[((const as_planned_item *)item)->tensor].unplaced;
}

static as_status same_place_twice(const as_plan *plan, const as_item *x, const as_item *y) {
    char a[512], b[512];
    bool neither = unplaced(plan, x) && unplaced(plan, y);
    return as_fail(AS_EINVAL,
                   "%s and %s are both layer %zu, batch %zu, head %zu%s: choose one of them "
                   "(FILE:PATTERN)",
                   place(x, a), place(y, b), x->layer, x->batch, x->head,
                   neither ? ", for no layer was found in their names" : "");
}

as_status as_pairs_check_unique(const as_plan *plan) {
    size_t count = 0, bytes;
    const as_item **items =
        as_mul(plan->item_count, sizeof *items, &bytes) ? as_alloc(bytes) : NULL;
    if (plan->item_count > 0 && items == NULL) {
        return as_fail(AS_ENOMEM, "no memory to pair %zu matrices", plan->item_count);
    }
    for (size_t i = 0; i < plan->item_count; i++) {
        if (plan->items[i].item.status == AS_OK) {
            items[count++] = &plan->items[i].item;
        }
    }
    if (count > 0) {
        qsort(items, count, sizeof *items, by_place);
    }
    as_status status = AS_OK;
    for (size_t i = 1; i < count && status == AS_OK; i++) {
        if (by_place(&items[i - 1], &items[i]) == 0) {
            status = same_place_twice(plan, items[i - 1], items[i]);
        }
    }
    free(items);
    return status;
}

/* Whether some layer (batch entry, head) is of both. */
static bool overlap(const as_planned_tensor *a, const as_planned_tensor *b, size_t axis) {
    return a->one[axis] || b->one[axis] ||
           (a->first[axis] < b->first[axis] + b->count[axis] &&
            b->first[axis] < a->first[axis] + a->count[axis]);
}

as_status as_pairs_check_biases(const as_plan *plan) {
    /* The first item of each tensor has its shape and its name. */
    for (size_t i = 0; i < plan->item_count; i++) {
        const as_planned_item *a = &plan->items[i];
        bool first = i == 0 || a->tensor != plan->items[i - 1].tensor;
        for (size_t k = i + 1; first && a->item.status == AS_OK && k < plan->item_count; k++) {
            const as_planned_item *b = &plan->items[k];
            const as_planned_tensor *s = &plan->tensors[a->tensor], *t = &plan->tensors[b->tensor];
            if (b->item.status == AS_OK && a->tensor != b->tensor && a->item.rows == b->item.rows &&
                a->item.cols == b->item.cols && overlap(s, t, AS_AXIS_LAYER) &&
                overlap(s, t, AS_AXIS_BATCH) && overlap(s, t, AS_AXIS_HEAD)) {
                char x[512], y[512];
                return as_fail(AS_EINVAL,
                               "%s and %s are both a bias of %zu × %zu for the same layer, batch "
                               "and head: choose one of them (FILE:PATTERN)",
                               place(&a->item, x), place(&b->item, y), a->item.rows, a->item.cols);
            }
        }
    }
    return AS_OK;
}
