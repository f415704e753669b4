/* plan: which matrices the inputs hold, one item each. Private to lib/logits. */
#ifndef AS_LOGITS_PLAN_H
#define AS_LOGITS_PLAN_H

#include "logits/axes.h"
#include "logits/input.h"

/* A tensor that is attention. Loop axis a takes the indices first[a] … first[a] + count[a] − 1; it
 * is a number from the tensor's name, count 1, where the tensor has no such axis. */
typedef struct as_planned_tensor {
    size_t input, tensor;
    as_axes axes;
    size_t first[AS_LOOP_COUNT], count[AS_LOOP_COUNT];
} as_planned_tensor;

typedef struct as_planned_item {
    as_item item;  /* its reason is owned */
    size_t tensor; /* of the plan; no meaning unless the status is AS_OK */
} as_planned_item;

typedef struct as_plan {
    as_planned_tensor *tensors;
    size_t tensor_count, tensor_capacity;
    as_planned_item *items;
    size_t item_count, item_capacity;
} as_plan;

/* Adds the items of every tensor that each input's glob takes. Inputs are opened here; one that
 * cannot be becomes an item. axes is NULL without --axes. On failure the plan holds what it had.
 * AS_EINVAL: --axes fits no tensor, or an index is asked for that no input has. AS_ENOMEM. */
as_status as_plan_make(as_plan *plan, as_input *inputs, size_t count, const as_axes *axes,
                       const as_source_options *options);
void as_plan_free(as_plan *plan);

/* Where an item lies in its tensor. */
as_slice as_plan_slice(const as_plan *plan, const as_planned_item *planned);

#endif
