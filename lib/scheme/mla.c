/* MLA's decoupled RoPE: most dimensions carry content alone, the last ones rotate. DeepSeek-AI 2024,
 * arXiv 2405.04434 and 2412.19437; deepseek-ai/DeepSeek-V3 inference/model.py.
 * It refuses parts that do not add up to the head size. */
#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/scaling.h"
#include "scheme/type.h"

#include <math.h>

static const as_param params[] = {
    {.key = "qk_nope_head_dim",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 0,
     .high = 65536,
     .meaning = "dimensions that do not turn, the first ones; auto: the rest"},
    {.key = "qk_rope_head_dim",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 2,
     .high = 65536,
     .meaning = "dimensions that turn, the last ones; auto: the rest, or a third of the head size "
                "made even"},
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "pair f turns by base^(-2f/qk_rope_head_dim) a position"},
    {.key = "scaling",
     .aliases = "rope_type|type",
     .type = AS_PARAM_CHOICE,
     .choices = "none|yarn",
     .preset = "none",
     .meaning = "yarn: slower frequencies, and g(mscale_all_dim)^2 times the scale of all logits, "
                "g(x) = 0.1*x*ln(s) + 1"},
    {.key = "factor",
     .type = AS_PARAM_REAL,
     .preset = "40",
     .low = 1,
     .high = 1e9,
     .meaning = "s of yarn"},
    {.key = "original_max_position_embeddings",
     .type = AS_PARAM_COUNT,
     .preset = "4096",
     .low = 2,
     .high = 1e9,
     .meaning = "of yarn: L, the context that was trained"},
    AS_YARN_RAMP_PARAMS,
    {.key = "mscale",
     .type = AS_PARAM_REAL,
     .preset = "auto",
     .low = 0,
     .high = 1e6,
     .meaning =
         "of yarn: cos and sin times g(mscale)/g(mscale_all_dim); auto: as mscale_all_dim, so "
         "times 1"},
    {.key = "mscale_all_dim",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 0,
     .high = 1e6,
     .meaning = "of yarn: see scaling"},
    {.key = NULL}};

/* How many of the head's dimensions rotate. */
static as_status rotated_dims(const as_scheme *scheme, const as_head *head, size_t *out) {
    double dim = (double)head->dim;
    double nope = as_scheme_value(scheme, "qk_nope_head_dim");
    double rope = as_scheme_value(scheme, "qk_rope_head_dim");
    if (isnan(rope)) {
        rope = isnan(nope) ? (double)(head->dim / 3 / 2 * 2) : dim - nope;
    }
    if (isnan(nope)) {
        nope = dim - rope;
    }
    if (nope < 0 || nope + rope != dim || rope < 2) {
        return as_fail(AS_EINVAL,
                       "the head size is %zu, which leaves %.0f dimensions that do not turn and "
                       "%.0f that do; they must add up to it, and at least 2 must turn",
                       head->dim, nope, rope);
    }
    if (fmod(rope, 2) != 0) {
        return as_fail(AS_EINVAL, "qk_rope_head_dim is %.0f, but dimensions turn in pairs", rope);
    }
    *out = (size_t)rope;
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t dims = 0;
    return rotated_dims(scheme, head, &dims);
}

static bool is_yarn(const as_scheme *scheme) {
    return as_scheme_value(scheme, "scaling") != 0;
}

/* g(mscale_all_dim), 1 without YaRN. */
static double magnitude(const as_scheme *scheme) {
    return is_yarn(scheme) ? as_scaling_magnitude(as_scheme_value(scheme, "factor"),
                                                  as_scheme_value(scheme, "mscale_all_dim"))
                           : 1;
}

/* (P12). That the rotated part of k is one for all heads is of the model, so of q and k. */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    size_t dims = 0;
    as_status status = rotated_dims(scheme, head, &dims);
    if (status != AS_OK) {
        return status;
    }
    as_rotary_pairs(AS_ROTARY_INTERLEAVED, head->dim - dims, dims, out);
    status = as_scaling_apply(scheme, head, dims, out);
    double mscale = as_scheme_value(scheme, "mscale"), whole = magnitude(scheme);
    out->gain = isnan(mscale) || !is_yarn(scheme)
                    ? 1
                    : as_scaling_magnitude(as_scheme_value(scheme, "factor"), mscale) / whole;
    return status;
}

/* (P18): the factor of YaRN is on the whole product, not on cos and sin. */
static double scale(const as_scheme *scheme, const as_head *head) {
    double g = magnitude(scheme);
    return g * g / sqrt((double)head->dim);
}

const as_scheme_type as_scheme_mla = {
    .name = "mla",
    .summary = "decoupled RoPE: content in the first dimensions, rotation in the last ones",
    .reference = "DeepSeek-AI 2024, arXiv 2405.04434; deepseek-ai/DeepSeek-V3 inference/model.py",
    .kind = AS_CLASS_MIXED,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .agree = as_scaling_agree,
    .check = check,
    .scale = scale,
    .rotation = rotation,
};
