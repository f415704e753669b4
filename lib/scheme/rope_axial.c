/* RoPE of images: half of the pairs turn with the column of a patch, half with its row. Heo et al. 2024,
 * arXiv 2403.13298; naver-ai/rope-vit models/vit_rope.py.
 * It refuses head sizes that are no multiple of 4, and tokens that make no grid. */
#include <math.h>

#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

static const as_param params[] = {{.key = "base",
                                   .aliases = "rope_theta",
                                   .type = AS_PARAM_REAL,
                                   .preset = "100",
                                   .low = 1,
                                   .high = 1e12,
                                   .meaning = "pair f turns by base^(-4f/d) a column, or a row"},
                                  AS_ROTARY_GRID_PARAMS,
                                  {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t width, leading;
    return as_rotary_grid(scheme, head, &width, &leading);
}

/* (P29) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_status status = as_rotary_grid(scheme, head, &out->width, &out->leading);
    if (status != AS_OK) {
        return status;
    }
    size_t quarter = head->dim / 4;
    as_rotary_pairs(AS_ROTARY_INTERLEAVED, 0, head->dim, out);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), head->dim / 2, out->theta);
    for (size_t f = 0; f < quarter; f++) {
        out->theta_y[quarter + f] = out->theta[f];
        out->theta_y[f] = out->theta[quarter + f] = 0;
    }
    return AS_OK;
}

const as_scheme_type as_scheme_rope_axial = {
    .name = "rope_axial",
    .summary = "RoPE of image patches: half of the pairs by the column, half by the row",
    .reference = "Heo et al. 2024, arXiv 2403.13298; naver-ai/rope-vit models/vit_rope.py",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .rotation = rotation,
};
