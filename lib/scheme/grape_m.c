/* GRAPE-M: planes that turn as RoPE's do, the other way round and with learned frequencies. Zhang et
 * al. 2025, arXiv 2512.07805; model-architectures/GRAPE model/llama-mha-grape-m-nonctx.py.
 * It refuses odd head sizes. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

#include <math.h>

static const as_param params[] = {
    {.key = "base",
     .aliases = "rope_theta|grape_base",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "before training plane f turns by base^(-2f/d) a position"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "log_freq [head size/2], the logarithms of the frequencies, as trained"},
    {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but planes need an even one", head->dim);
    }
    return AS_OK;
}

static as_status frequencies(const as_scheme *scheme, const as_head *head, double *theta) {
    size_t half = head->dim / 2;
    const double *log_freq = NULL;
    if (as_scheme_file(scheme) == NULL) {
        as_rotary_frequencies(as_scheme_value(scheme, "base"), head->dim, theta);
        return AS_OK;
    }
    as_status status = as_scheme_shaped(scheme, head, "log_freq", 1, (size_t[]){half}, &log_freq);
    for (size_t f = 0; f < half && status == AS_OK; f++) {
        if (!isfinite(exp(log_freq[f]))) {
            return as_fail(AS_EINVAL, "%s: log_freq %zu is %g, whose exponential overflows",
                           as_scheme_file(scheme), f, log_freq[f]);
        }
    }
    for (size_t f = 0; f < half && status == AS_OK; f++) {
        theta[f] = exp(log_freq[f]);
    }
    return status;
}

/* (P64). The code turns (x1, x2) to (x1 cos + x2 sin, −x1 sin + x2 cos): by −θ. */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_status status = check(scheme, head);
    if (status == AS_OK) {
        status = frequencies(scheme, head, out->theta);
    }
    if (status != AS_OK) {
        return status;
    }
    as_rotary_pairs(AS_ROTARY_HALF, 0, head->dim, out);
    for (size_t f = 0; f < out->count; f++) {
        out->theta[f] = -out->theta[f];
    }
    return AS_OK;
}

const as_scheme_type as_scheme_grape_m = {
    .name = "grape_m",
    .summary = "planes of q and k that turn against RoPE's direction, with learned frequencies; "
               "untrained they are RoPE's",
    .reference = "Zhang et al. 2025, arXiv 2512.07805; model-architectures/GRAPE "
                 "llama-mha-grape-m-nonctx.py",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .rotation = rotation,
    .file = "file",
};
