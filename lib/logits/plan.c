/* From opened files to a list of matrices: axes, selection, and a reason for all that is left out.
 * It refuses --axes that fit nothing and indices that no input has. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "logits/plan.h"
#include "base/fail.h"
#include "logits/index_set.h"
#include "logits/siblings.h"

#include <math.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>

/* More matrices than this in one tensor are no attention that somebody saved; the plan of so many
 * takes 1.5 GB with the list that is made of it. */
static const size_t max_matrices = (size_t)1 << 22;

/* What planning one input after the other has at hand. */
typedef struct planner {
    as_plan *plan;
    const as_plan_request *request;
    const as_input *input;
    size_t input_index;
    as_siblings siblings;
    size_t misfits; /* tensors that the axes do not fit */
    size_t misfit_rank;
    bool any; /* a matrix is chosen */
} planner;

/* Room for one more of `size` bytes in *array. */
static as_status grow(void **array, size_t count, size_t *capacity, size_t size) {
    if (count < *capacity) {
        return AS_OK;
    }
    size_t wanted = *capacity > 0 ? 2 * *capacity : 64, bytes;
    void *grown = as_mul(wanted, size, &bytes) ? realloc(*array, bytes) : NULL;
    if (grown == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a plan of %zu matrices", wanted);
    }
    *array = grown;
    *capacity = wanted;
    return AS_OK;
}

static as_status add_item(planner *p, as_item item, size_t tensor) {
    as_plan *plan = p->plan;
    void *items = plan->items;
    as_status status = grow(&items, plan->item_count, &plan->item_capacity, sizeof *plan->items);
    plan->items = items;
    if (status != AS_OK) {
        return status;
    }
    item.source = p->input->path;
    if (item.reason != NULL && (item.reason = strdup(item.reason)) == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a plan");
    }
    plan->items[plan->item_count++] = (as_planned_item){.item = item, .tensor = tensor};
    return AS_OK;
}

/* An item for the input as a whole. */
static as_status add_file(planner *p, as_status status, const char *reason) {
    return add_item(p, (as_item){.tensor = "", .status = status, .reason = reason}, 0);
}

/* An item for a tensor that gives no matrix; the reason is the message of as_fail(). */
static as_status add_refused(planner *p, const as_tensor *t, as_status status) {
    as_item item = {.tensor = t->name,
                    .dtype = t->dtype < AS_DTYPE_COUNT ? as_dtype_name(t->dtype) : NULL,
                    .status = status,
                    .reason = as_message()};
    return add_item(p, item, 0);
}

/* AS_SKIPPED with the reason for a tensor that says by its name that it is something else. */
static as_status check_name(const planner *p, const char *name) {
    as_role role = p->request->role;
    char says = as_axes_projection(name);
    bool key = role == AS_ROLE_KEY || role == AS_ROLE_BASELINE_KEY;
    const char *other = as_axes_other(name), *wanted = key ? "key" : "query";
    if (other == NULL && says == 0 && as_siblings_output(&p->siblings, name)) {
        other = "is the model's output beside its attentions by its name";
    }
    if (as_role_is_projection(role) && says != 0) {
        return says == *wanted ? AS_OK
               : says == *(key ? "q" : "k")
                   ? as_fail(AS_SKIPPED, "is a %s by its name, not a %s", key ? "query" : "key",
                             wanted)
                   : as_fail(AS_SKIPPED, "is a value by its name, not a %s", wanted);
    }
    if (other != NULL) {
        return as_fail(AS_SKIPPED, "%s", other);
    }
    if (as_role_is_projection(role) && as_axes_is_attention(name)) {
        return as_fail(AS_SKIPPED, "is attention by its name, not a %s", wanted);
    }
    return says == 0
               ? AS_OK
               : as_fail(AS_SKIPPED, "is a query, key or value by its name; use --query and --key");
}

/* AS_OK for a tensor that can be attention, AS_SKIPPED or AS_EREAD with the reason for others. */
static as_status check_tensor(const planner *p, const as_tensor *t) {
    if (t->status != AS_OK) {
        return as_fail(t->status, "%s", t->reason);
    }
    for (size_t axis = 0; axis < t->rank; axis++) {
        if (t->shape[axis] == 0) {
            return as_fail(AS_SKIPPED, "is empty (axis %zu has length 0); " AS_EAGER_HINT, axis);
        }
    }
    as_status status = as_input_names(p->input, t->name) ? AS_OK : check_name(p, t->name);
    if (status != AS_OK) {
        return status;
    }
    if (!as_dtype_is_float(t->dtype)) {
        return as_fail(AS_SKIPPED, "holds %s (%s), not attention",
                       t->dtype == AS_BOOL ? "booleans" : "integers", as_dtype_name(t->dtype));
    }
    if (t->rank < 2) {
        return as_fail(AS_SKIPPED, "has rank %zu, a matrix has 2", t->rank);
    }
    if (t->rank > AS_AXIS_COUNT) {
        return as_fail(AS_SKIPPED, "has rank %zu, more than layer, batch, head, query and key",
                       t->rank);
    }
    return AS_OK;
}

static size_t count_chosen(const as_index_set *set, size_t first, size_t count, size_t limit) {
    size_t chosen = 0;
    for (size_t i = as_index_set_next(set, first); i - first < count && chosen <= limit;
         i = as_index_set_next(set, i + 1)) {
        chosen++;
    }
    return chosen;
}

/* What a dump of ours says of itself. */
static void describe(const as_dump *dump, as_item *item) {
    const char *seed = as_dump_attribute(dump, "seed"), *scale = as_dump_attribute(dump, "scale");
    item->scheme = as_dump_attribute(dump, "scheme");
    item->content = as_dump_attribute(dump, "content");
    double number = seed != NULL ? strtod(seed, NULL) : -1;
    item->has_seed = number >= 0 && number <= 0x1p53 && number == floor(number);
    item->seed = item->has_seed ? (uint64_t)number : 0;
    double factor = scale != NULL ? strtod(scale, NULL) : 0;
    item->scale = isfinite(factor) && factor > 0 ? factor : 0;
}

static as_status add_matrices(planner *p, const as_tensor *t, size_t index) {
    const as_planned_tensor pt = p->plan->tensors[index];
    size_t total = 1;
    for (size_t a = 0; a < AS_LOOP_COUNT; a++) {
        size_t chosen = count_chosen(p->request->chosen[a], pt.first[a], pt.count[a], max_matrices);
        if (!as_mul(total, chosen, &total)) {
            total = SIZE_MAX;
        }
    }
    p->any = p->any || total > 0;
    if (total > max_matrices) {
        as_fail(AS_ETOOLARGE, "holds more than %zu matrices; choose layers, heads or batch",
                max_matrices);
        return add_refused(p, t, AS_ETOOLARGE);
    }
    as_item item = {.tensor = t->name,
                    .rows = t->shape[pt.axes.at[AS_AXIS_QUERY]],
                    .cols = t->shape[pt.axes.at[AS_AXIS_KEY]],
                    .dtype = as_dtype_name(t->dtype),
                    .status = AS_OK};
    describe(p->input->dump, &item);
    const as_index_set *const *set = p->request->chosen;
    const size_t *first = pt.first, *count = pt.count;
    for (size_t l = as_index_set_next(set[0], first[0]); l - first[0] < count[0];
         l = as_index_set_next(set[0], l + 1)) {
        for (size_t b = as_index_set_next(set[1], first[1]); b - first[1] < count[1];
             b = as_index_set_next(set[1], b + 1)) {
            for (size_t h = as_index_set_next(set[2], first[2]); h - first[2] < count[2];
                 h = as_index_set_next(set[2], h + 1)) {
                item.layer = l;
                item.batch = b;
                item.head = h;
                as_status status = add_item(p, item, index);
                if (status != AS_OK) {
                    return status;
                }
            }
        }
    }
    return AS_OK;
}

/* What the name says, or the file's where there is none. */
static void find_numbers(const planner *p, const as_tensor *t, size_t number[AS_LOOP_COUNT]) {
    bool alone = as_dump_tensor_count(p->input->dump) == 1 && strcmp(t->name, AS_LONE_ARRAY) == 0;
    if (alone || t->name[0] == '\0') {
        as_axes_file_numbers(p->input->path, t, number);
    } else {
        as_axes_numbers(t, number);
        if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
            number[AS_AXIS_LAYER] = as_siblings_series(&p->siblings, t->name);
        }
    }
}

static as_status add_tensor(planner *p, size_t tensor) {
    const as_tensor *t = as_dump_tensor(p->input->dump, tensor);
    as_status status = check_tensor(p, t);
    if (status != AS_OK) {
        return add_refused(p, t, status);
    }
    const as_axes *axes = p->request->axes;
    if (axes != NULL && axes->rank != t->rank) {
        as_fail(AS_SKIPPED, "has rank %zu, but %s names %zu", t->rank, p->request->axes_option,
                axes->rank);
        p->misfits++;
        p->misfit_rank = t->rank;
        return add_refused(p, t, AS_SKIPPED);
    }
    as_plan *plan = p->plan;
    void *tensors = plan->tensors;
    status = grow(&tensors, plan->tensor_count, &plan->tensor_capacity, sizeof *plan->tensors);
    plan->tensors = tensors;
    if (status != AS_OK) {
        return status;
    }
    size_t number[AS_LOOP_COUNT];
    find_numbers(p, t, number);
    as_planned_tensor pt = {.input = p->input_index,
                            .tensor = tensor,
                            .axes = axes != NULL ? *axes : as_axes_guess(t, number)};
    pt.unplaced = number[AS_AXIS_LAYER] == AS_NO_AXIS && pt.axes.at[AS_AXIS_LAYER] == AS_NO_AXIS;
    for (size_t a = 0; a < AS_LOOP_COUNT; a++) {
        bool axis = pt.axes.at[a] != AS_NO_AXIS, named = number[a] != AS_NO_AXIS;
        pt.first[a] = axis || !named ? 0 : number[a];
        pt.count[a] = axis ? t->shape[pt.axes.at[a]] : 1;
        pt.one[a] = !named && pt.count[a] == 1;
    }
    plan->tensors[plan->tensor_count++] = pt;
    return add_matrices(p, t, plan->tensor_count - 1);
}

/* The item of a glob that takes no tensor, with the names there are; without a glob it is a dump of
 * ours that lacks its logits. */
static as_status add_unmatched(planner *p) {
    const as_dump *dump = p->input->dump;
    const char *pattern = p->input->glob != NULL ? p->input->glob : AS_DUMP_LOGITS;
    size_t count = as_dump_tensor_count(dump), used = 0;
    if (count == 0) {
        return add_file(p, AS_SKIPPED, "holds no tensors; " AS_EAGER_HINT);
    }
    char names[400] = "";
    for (size_t i = 0; i < count && used < sizeof names; i++) {
        used += (size_t)snprintf(names + used, sizeof names - used, "%s\"%s\"", i > 0 ? ", " : "",
                                 as_dump_tensor(dump, i)->name);
    }
    /* Nobody has said that every file of a folder has one. */
    as_status status = p->input->found ? AS_SKIPPED : AS_EREAD;
    if (count == 1 && as_dump_tensor(dump, 0)->name[0] == '\0') {
        return add_file(p, status, "holds one tensor, which has no name for a pattern to match");
    }
    as_fail(status, "has no tensor that matches \"%.200s\"; it has %s%s", pattern, names,
            used < sizeof names ? "" : " …");
    return add_file(p, status, as_message());
}

/* A dump of ours has its content beside its logits, which is what they are compared with. */
static bool takes(const planner *p, const char *tensor) {
    bool ours = p->input->dump != NULL && as_dump_attribute(p->input->dump, "scheme") != NULL;
    return ours && p->input->glob == NULL && !as_role_is_projection(p->request->role)
               ? strcmp(tensor, AS_DUMP_LOGITS) == 0
               : as_input_takes(p->input, tensor);
}

static as_status add_input(planner *p, as_input *input, const as_dump_options *options) {
    p->input = input;
    if (input->refusal != NULL) {
        return add_file(p, input->refused, input->refusal);
    }
    as_status status = as_dump_open(input->path, options, &input->dump);
    if (status == AS_EREAD) {
        return add_file(p, AS_EREAD, as_input_reason(input));
    }
    if (status == AS_OK) {
        status = as_siblings_find(input->dump, &p->siblings);
    }
    size_t taken = 0;
    size_t count = status == AS_OK ? as_dump_tensor_count(input->dump) : 0;
    for (size_t t = 0; t < count && status == AS_OK; t++) {
        if (takes(p, as_dump_tensor(input->dump, t)->name)) {
            taken++;
            status = add_tensor(p, t);
        }
    }
    as_siblings_free(&p->siblings);
    return status == AS_OK && taken == 0 ? add_unmatched(p) : status;
}

static as_status check_selection(const planner *p) {
    if (p->plan->tensor_count == 0 && p->misfits > 0) {
        return as_fail(AS_EINVAL,
                       "%s names %zu axes, but the tensors have rank %zu; valid are layer, "
                       "batch, head, %s and %s, one for each axis of the tensor",
                       p->request->axes_option, p->request->axes->rank, p->misfit_rank,
                       as_axis_name(p->request->role, AS_AXIS_QUERY),
                       as_axis_name(p->request->role, AS_AXIS_KEY));
    }
    if (p->plan->tensor_count == 0) {
        return AS_OK;
    }
    for (size_t a = 0; a < AS_LOOP_COUNT; a++) {
        as_status status = as_plan_check_named(p->plan, p->request, (as_axis)a);
        if (status != AS_OK) {
            return status;
        }
    }
    return p->any ? AS_OK
                  : as_fail(AS_EINVAL, "no matrix has a layer, a batch index and a head "
                                       "that are asked for together");
}

as_status as_plan_make(as_plan *plan, const as_plan_request *request) {
    planner p = {.plan = plan, .request = request};
    const as_dump_options options = {.raw_dtype = request->raw_dtype, .raw = request->raw};
    as_status status = AS_OK;
    for (size_t i = 0; i < request->count && status == AS_OK; i++) {
        p.input_index = request->first + i;
        status = add_input(&p, &request->inputs[p.input_index], &options);
    }
    return status == AS_OK ? check_selection(&p) : status;
}

void as_plan_free(as_plan *plan) {
    for (size_t i = 0; i < plan->item_count; i++) {
        free((char *)plan->items[i].item.reason);
    }
    free(plan->items);
    free(plan->tensors);
    *plan = (as_plan){0};
}

static bool covers(const as_planned_tensor *t, as_axis axis, size_t index) {
    return t->first[axis] <= index && index - t->first[axis] < t->count[axis];
}

size_t as_plan_heads(const as_plan *plan, const as_planned_item *planned) {
    const as_planned_tensor *own = &plan->tensors[planned->tensor];
    if (own->axes.at[AS_AXIS_HEAD] != AS_NO_AXIS) {
        return own->count[AS_AXIS_HEAD];
    }
    size_t heads = 0;
    for (size_t i = 0; i < plan->tensor_count; i++) {
        const as_planned_tensor *t = &plan->tensors[i];
        size_t end = t->first[AS_AXIS_HEAD] + t->count[AS_AXIS_HEAD];
        bool beside = covers(t, AS_AXIS_LAYER, planned->item.layer) &&
                      covers(t, AS_AXIS_BATCH, planned->item.batch);
        heads = beside && end > heads ? end : heads;
    }
    return heads;
}

as_slice as_plan_slice(const as_plan *plan, const as_planned_item *planned) {
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_item *item = &planned->item;
    const size_t index[AS_LOOP_COUNT] = {item->layer, item->batch, item->head};
    as_slice slice = {.row_axis = pt->axes.at[AS_AXIS_QUERY], .col_axis = pt->axes.at[AS_AXIS_KEY]};
    for (size_t a = 0; a < AS_LOOP_COUNT; a++) {
        if (pt->axes.at[a] != AS_NO_AXIS) {
            slice.index[pt->axes.at[a]] = index[a];
        }
    }
    return slice;
}
