/* Sinusoidal positions added to q and k. Vaswani et al. 2017, arXiv 1706.03762, and their code, which
 * lays them out otherwise and has other frequencies. It refuses odd head sizes. */
#include "base/fail.h"
#include "scheme/type.h"

#include <math.h>

enum { PAPER }; /* of layout */

static const as_param params[] = {
    {.key = "layout",
     .type = AS_PARAM_CHOICE,
     .choices = "paper|t2t",
     .preset = "paper",
     .meaning = "paper: sin and cos in turn; t2t: all sin, then all cos, base^(-f/(d/2-1))"},
    {.key = "base",
     .aliases = "max_timescale",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "the frequencies fall from 1 to about 1/base"},
    {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but sin and cos need an even one",
                       head->dim);
    }
    return AS_OK;
}

/* (P2): p_{i,2f} = sin(i θ_f), p_{i,2f+1} = cos(i θ_f).
 * (P3): p_{i,f} = sin(i w_f), p_{i,f+d/2} = cos(i w_f), w_f = base^(−f/(d/2 − 1)); tensor2tensor,
 * common_attention.py, get_timing_signal_1d(), which has max(d/2 − 1, 1) there. */
static as_status embed(const as_scheme *scheme, const as_head *head, as_side side, double *p) {
    as_status status = check(scheme, head);
    if (status != AS_OK) {
        return status;
    }
    double base = as_scheme_value(scheme, "base");
    bool paper = (int)as_scheme_value(scheme, "layout") == PAPER;
    size_t d = head->dim, half = d / 2, count = side == AS_QUERIES ? head->rows : head->cols;
    double step = paper ? 2 / (double)d : 1 / (half > 1 ? (double)half - 1 : 1);
    for (size_t f = 0; f < half; f++) {
        double w = pow(base, -(double)f * step);
        double *sine = p + (paper ? 2 * f : f), *cosine = p + (paper ? 2 * f + 1 : f + half);
        for (size_t i = 0; i < count; i++) {
            double phase = w * (side == AS_QUERIES ? as_head_query(head, i) : as_head_key(head, i));
            sine[i * d] = sin(phase);
            cosine[i * d] = cos(phase);
        }
    }
    return AS_OK;
}

const as_scheme_type as_scheme_sinusoidal = {
    .name = "sinusoidal",
    .summary = "sines and cosines of the position, added to q and to k",
    .reference = "Vaswani et al. 2017, arXiv 1706.03762; t2t: tensor2tensor common_attention.py",
    .kind = AS_CLASS_ABSOLUTE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .embed = embed,
};
