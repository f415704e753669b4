/* RoPE of images whose pairs turn with column and row at once, at learned frequencies. Heo et al. 2024,
 * arXiv 2403.13298; naver-ai/rope-vit models/vit_rope.py. Untrained, each head is drawn an angle.
 * It refuses head sizes that are no multiple of 4, and tokens that make no grid. */
#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "door/gsl.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

#define TWO_PI 6.283185307179586

static const as_param params[] = {
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10",
     .low = 1,
     .high = 1e12,
     .meaning = "drawn pairs turn by base^(-4f/d) along a direction of the head's own"},
    AS_ROTARY_GRID_PARAMS,
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "learned frequencies instead: an array freqs, [2][d/2] a head, of columns and of "
                "rows"},
    {.key = NULL}};

static as_status frequencies(const as_scheme *scheme, const as_head *head, as_parameters *out) {
    size_t pairs = head->dim / 2;
    as_status status = as_scheme_table(scheme, head, "freqs", 2, out);
    if (status == AS_OK && (out->shape[0] != 2 || out->shape[1] != pairs)) {
        status = as_fail(AS_EINVAL, "freqs of %s is %zu × %zu a head, but must be 2 × %zu",
                         as_scheme_file(scheme), out->shape[0], out->shape[1], pairs);
    }
    return status;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t width, leading;
    as_parameters table;
    as_status status = as_rotary_grid(scheme, head, &width, &leading);
    return status == AS_OK && as_scheme_file(scheme) != NULL ? frequencies(scheme, head, &table)
                                                             : status;
}

/* The first half of the pairs along the direction, the second across it. */
static as_status draw(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_rng rng;
    as_status status = as_rng_open(head->seed, "rope_mixed.angle", head->layer, head->head, &rng);
    if (status != AS_OK) {
        return status;
    }
    double angle = TWO_PI * as_rng_uniform(&rng);
    as_rng_close(&rng);
    size_t quarter = head->dim / 4;
    as_rotary_frequencies(as_scheme_value(scheme, "base"), head->dim / 2, out->theta);
    for (size_t f = 0; f < quarter; f++) {
        double x = out->theta[f] * cos(angle), y = out->theta[f] * sin(angle);
        out->theta[f] = x;
        out->theta_y[f] = y;
        out->theta[quarter + f] = -y;
        out->theta_y[quarter + f] = x;
    }
    return AS_OK;
}

/* (P30) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_parameters table;
    as_status status = as_rotary_grid(scheme, head, &out->width, &out->leading);
    if (status != AS_OK) {
        return status;
    }
    as_rotary_pairs(AS_ROTARY_INTERLEAVED, 0, head->dim, out);
    if (as_scheme_file(scheme) == NULL) {
        return draw(scheme, head, out);
    }
    status = frequencies(scheme, head, &table);
    if (status == AS_OK) {
        memcpy(out->theta, table.data, out->count * sizeof *out->theta);
        memcpy(out->theta_y, table.data + out->count, out->count * sizeof *out->theta_y);
    }
    return status;
}

const as_scheme_type as_scheme_rope_mixed = {
    .name = "rope_mixed",
    .summary = "RoPE of image patches: each pair turns with column and row, at learned frequencies",
    .reference = "Heo et al. 2024, arXiv 2403.13298; naver-ai/rope-vit models/vit_rope.py",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .rotation = rotation,
    .file = "file",
};
