/* RoPE: pairs of dimensions of q and k turn with their position. Su et al. 2021, arXiv 2104.09864.
 * It refuses an odd number of rotated dimensions. */
#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

static const as_param params[] = {
    {.key = "layout",
     .type = AS_PARAM_CHOICE,
     .choices = "interleaved|half",
     .preset = "interleaved",
     .meaning = "interleaved: (2f, 2f+1) turn together; half: (f, f+r/2), as in Hugging Face"},
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "pair f turns by base^(-2f/r) a position"},
    {.key = "rotary_fraction",
     .aliases = "partial_rotary_factor|rotary_pct",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 0,
     .high = 1,
     .meaning = "the first r = floor(fraction*d) dimensions turn, the others do not"},
    {.key = "scaling",
     .aliases = "rope_type",
     .type = AS_PARAM_CHOICE,
     .choices = "none",
     .preset = "none",
     .meaning = "none: the frequencies as they are"},
    {.key = NULL}};

/* As Hugging Face's int(head_dim * partial_rotary_factor), rounding of the product included. */
static as_status rotated_dims(const as_scheme *scheme, const as_head *head, size_t *out) {
    double fraction = as_scheme_value(scheme, "rotary_fraction");
    size_t dims = (size_t)((double)head->dim * fraction);
    if (dims % 2 != 0) {
        return as_fail(AS_EINVAL,
                       "%g of the head size %zu is %zu rotated dimensions, but they must be even "
                       "in number",
                       fraction, head->dim, dims);
    }
    *out = dims;
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t dims = 0;
    return rotated_dims(scheme, head, &dims);
}

/* (P9), (P10) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    size_t dims = 0;
    as_status status = rotated_dims(scheme, head, &dims);
    if (status != AS_OK) {
        return status;
    }
    as_rotary_pairs((as_rotary_layout)(int)as_scheme_value(scheme, "layout"), 0, dims, out);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), dims, out->theta);
    return AS_OK;
}

const as_scheme_type as_scheme_rope = {
    .name = "rope",
    .aliases = "rotary",
    .summary = "pairs of dimensions of q and k are rotated by angles that grow with the position",
    .reference = "Su et al. 2021, arXiv 2104.09864",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .rotation = rotation,
};
