/* plan: which matrices the inputs hold, one item each. Private to lib/logits. */
#ifndef AS_LOGITS_PLAN_H
#define AS_LOGITS_PLAN_H

#include "logits/axes.h"
#include "logits/input.h"

#define AS_DUMP_LOGITS  "dump/logits"
#define AS_DUMP_CONTENT "dump/content"
#define AS_DUMP_QUERY   "dump/query"
#define AS_DUMP_KEY     "dump/key"

/* A tensor that is attention, or q, or k. Loop axis a takes the indices first[a] … first[a] + count[a] − 1; it
 * is a number from the tensor's name, count 1, where the tensor has no such axis. */
typedef struct as_planned_tensor {
    size_t input, tensor;
    as_axes axes;
    size_t first[AS_LOOP_COUNT], count[AS_LOOP_COUNT];
    bool
        one[AS_LOOP_COUNT]; /* neither its name nor an axis longer than 1 tells two of them apart */
    bool unplaced;          /* neither its name nor an axis says the layer */
} as_planned_tensor;

typedef struct as_planned_item {
    as_item item;  /* its reason is owned */
    size_t tensor; /* of the plan; no meaning unless the status is AS_OK */
} as_planned_item;

/* What one set of inputs is planned as. */
typedef struct as_plan_request {
    as_role role;
    as_input *inputs;                          /* of the whole source */
    size_t first, count;                       /* those of this plan */
    const as_axes *axes;                       /* NULL: by name and rank */
    const char *axes_option;                   /* "--axes", for messages */
    const as_index_set *chosen[AS_LOOP_COUNT]; /* NULL: all */
    const char *raw_dtype, *raw;
} as_plan_request;

typedef struct as_plan {
    as_planned_tensor *tensors;
    size_t tensor_count, tensor_capacity;
    as_planned_item *items;
    size_t item_count, item_capacity;
} as_plan;

/* Adds the items of every tensor that each input's glob takes. Inputs are opened here; one that
 * cannot be becomes an item. Of a dump of ours (a file with /dump) attention is `logits` alone. On
 * failure the plan holds what it had. AS_EINVAL: the axes fit no tensor, or an index is asked for
 * that no input has. AS_ENOMEM. */
as_status as_plan_make(as_plan *plan, const as_plan_request *request);
void as_plan_free(as_plan *plan);

/* Every index of an axis that the request names must be somewhere in the plan: else AS_EINVAL, with
 * those that are. */
as_status as_plan_check_named(const as_plan *plan, const as_plan_request *request, as_axis axis);

/* One sentence where tensors of a file without a layer in their names have matrices of the same
 * layer, batch and head, as "a.npz: 2 tensors have …"; *out is NULL where none do, else owned by the
 * caller. AS_ENOMEM. O(items log items). */
as_status as_plan_note(const as_plan *plan, char **out);

/* How many heads there are where an item's is: along the axis, or by the numbers in the names of the
 * tensors of that layer and batch, chosen or not. O(tensors) without an axis. */
size_t as_plan_heads(const as_plan *plan, const as_planned_item *planned);

/* Where an item lies in its tensor. */
as_slice as_plan_slice(const as_plan *plan, const as_planned_item *planned);

#endif
