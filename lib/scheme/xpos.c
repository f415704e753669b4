/* xPos: RoPE whose pairs also decay with the distance. Sun et al. 2022, arXiv 2212.10554; torchscale
 * component/xpos_relative_position.py. It refuses odd head sizes. */
#include <math.h>

#include "base/fail.h"
#include "scheme/rotary.h"
#include "scheme/type.h"

static const as_param params[] = {
    {.key = "layout",
     .type = AS_PARAM_CHOICE,
     .choices = "interleaved|half",
     .preset = "interleaved",
     .meaning = "interleaved: (2f, 2f+1) turn together; half: (f, f+d/2)"},
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "pair f turns by base^(-2f/d) a position"},
    {.key = "scale_base",
     .type = AS_PARAM_REAL,
     .preset = "512",
     .low = 1,
     .high = 1e9,
     .meaning = "pair f is multiplied by zeta_f over so many positions"},
    {.key = "gamma",
     .type = AS_PARAM_REAL,
     .preset = "0.4",
     .low = 1e-3,
     .high = 1e6,
     .meaning = "zeta_f = (2f/d + gamma)/(1 + gamma)"},
    {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    return AS_OK;
}

/* (P19) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_status status = check(scheme, head);
    if (status != AS_OK) {
        return status;
    }
    double gamma = as_scheme_value(scheme, "gamma"), over = as_scheme_value(scheme, "scale_base");
    as_rotary_pairs((as_rotary_layout)(int)as_scheme_value(scheme, "layout"), 0, head->dim, out);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), head->dim, out->theta);
    for (size_t f = 0; f < out->count; f++) {
        double share = (double)(2 * f) / (double)head->dim;
        out->growth[f] = log((share + gamma) / (1 + gamma)) / over;
    }
    out->grows = true;
    return AS_OK;
}

static const char *warning(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    return head->causal ? NULL
                        : "xpos is made for a causal mask: without one its logits grow with the "
                          "distance of keys after the query";
}

const as_scheme_type as_scheme_xpos = {
    .name = "xpos",
    .summary = "RoPE whose pairs decay with the distance, the fast ones soonest",
    .reference = "Sun et al. 2022, arXiv 2212.10554; torchscale xpos_relative_position.py",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .rotation = rotation,
    .warning = warning,
};
