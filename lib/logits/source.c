/* Any number of files as one list of matrices, each read and prepared on demand.
 * It refuses options that are out of range; whatever is wrong with a file is an item of the list. */
#include "base/fail.h"
#include "logits/plan.h"

#include <stdlib.h>

struct as_source {
    as_input *inputs;
    size_t input_count;
    as_plan plan;
    as_kind kind;
    as_mask mask;
    as_masked_as masked_as;
};

as_status as_source_open(const char *const *inputs, size_t count, const as_source_options *options,
                         as_source **out) {
    const as_source_options defaults = {0};
    options = options != NULL ? options : &defaults;
    if (count == 0) {
        return as_fail(AS_EINVAL, "there is no input to read");
    }
    as_axes axes;
    as_status status = options->axes != NULL ? as_axes_parse(options->axes, &axes) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    as_source *source = calloc(1, sizeof *source);
    if (source == NULL || (source->inputs = calloc(count, sizeof *source->inputs)) == NULL) {
        free(source);
        return as_fail(AS_ENOMEM, "no memory for %zu inputs", count);
    }
    source->kind = options->kind;
    source->mask = options->mask;
    source->masked_as = options->masked_as;
    for (; source->input_count < count && status == AS_OK; source->input_count++) {
        status = as_input_parse(inputs[source->input_count], &source->inputs[source->input_count]);
    }
    if (status == AS_OK) {
        status = as_plan_make(&source->plan, source->inputs, count,
                              options->axes != NULL ? &axes : NULL, options);
    }
    if (status != AS_OK) {
        as_source_close(source);
        return status;
    }
    *out = source;
    return AS_OK;
}

void as_source_close(as_source *source) {
    if (source == NULL) {
        return;
    }
    as_plan_free(&source->plan);
    for (size_t i = 0; i < source->input_count; i++) {
        as_input_free(&source->inputs[i]);
    }
    free(source->inputs);
    free(source);
}

size_t as_source_count(const as_source *source) {
    return source->plan.item_count;
}

const as_item *as_source_item(const as_source *source, size_t index) {
    return &source->plan.items[index].item;
}

size_t as_source_input_count(const as_source *source) {
    return source->input_count;
}

const as_dump *as_source_dump(const as_source *source, size_t input) {
    return source->inputs[input].dump;
}

as_status as_source_load(const as_source *source, size_t index, as_logits *out) {
    const as_plan *plan = &source->plan;
    if (index >= plan->item_count) {
        return as_fail(AS_EINVAL, "there is no item %zu, there are %zu", index, plan->item_count);
    }
    const as_planned_item *planned = &plan->items[index];
    if (planned->item.status != AS_OK) {
        return as_fail(planned->item.status, "%s", planned->item.reason);
    }
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_input *input = &source->inputs[pt->input];
    as_slice slice = as_plan_slice(plan, planned);
    as_status status = as_dump_read(input->dump, pt->tensor, &slice, &out->a);
    if (status != AS_OK) {
        return as_fail(status, "%s", as_input_reason(input));
    }
    as_dtype dtype = as_dump_tensor(input->dump, pt->tensor)->dtype;
    return as_logits_prepare(out, dtype, source->kind, source->mask, source->masked_as);
}
