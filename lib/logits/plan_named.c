/* The indices that --layers, --heads and --batch name against those that the inputs have.
 * It refuses an index that no input has. */
#include "logits/plan.h"

#include "base/fail.h"
#include "logits/index_set.h"

#include <stdio.h>
#include <string.h>

enum { RANGES_MAX = 8, TEXT = 400 };

/* The least index from `from` on that a tensor has, SIZE_MAX where none has. */
static size_t next_index(const as_plan *plan, as_axis axis, size_t from) {
    size_t least = SIZE_MAX;
    for (size_t i = 0; i < plan->tensor_count; i++) {
        const as_planned_tensor *t = &plan->tensors[i];
        if (t->first[axis] + t->count[axis] > from) {
            size_t at = t->first[axis] > from ? t->first[axis] : from;
            least = at < least ? at : least;
        }
    }
    return least;
}

/* The last index of the range without a gap that `first` is in. */
static size_t end_of_range(const as_plan *plan, as_axis axis, size_t first) {
    size_t last = first;
    for (bool grown = true; grown;) {
        grown = false;
        for (size_t i = 0; i < plan->tensor_count; i++) {
            const as_planned_tensor *t = &plan->tensors[i];
            size_t end = t->first[axis] + t->count[axis];
            if (t->first[axis] <= last + 1 && end > last + 1) {
                last = end - 1;
                grown = true;
            }
        }
    }
    return last;
}

/* "0 to 3, 7": at most RANGES_MAX of the ranges that there are. */
static void describe(const as_plan *plan, as_axis axis, char text[TEXT]) {
    size_t used = 0, at = 0;
    for (int ranges = 0; (at = next_index(plan, axis, at)) != SIZE_MAX; ranges++) {
        size_t last = end_of_range(plan, axis, at);
        const char *comma = ranges > 0 ? ", " : "";
        if (ranges == RANGES_MAX) {
            snprintf(text + used, TEXT - used, ", …");
            return;
        }
        int added = last > at ? snprintf(text + used, TEXT - used, "%s%zu to %zu", comma, at, last)
                              : snprintf(text + used, TEXT - used, "%s%zu", comma, at);
        used += (size_t)added;
        at = last + 1;
    }
}

as_status as_plan_check_named(const as_plan *plan, const as_plan_request *request, as_axis axis) {
    size_t named;
    for (size_t n = 0; (named = as_index_set_named(request->chosen[axis], n)) != SIZE_MAX; n++) {
        if (next_index(plan, axis, named) != named) {
            char there[TEXT] = "";
            describe(plan, axis, there);
            bool one = there[strspn(there, "0123456789")] == '\0';
            return as_fail(AS_EINVAL, "no input has %s %zu; there %s %s",
                           as_axis_name(request->role, axis), named, one ? "is only" : "are",
                           there);
        }
    }
    return AS_OK;
}
