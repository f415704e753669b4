/* xPos: RoPE whose pairs also decay with the distance. Sun et al. 2022, arXiv 2212.10554; torchscale
 * component/xpos_relative_position.py. It refuses odd head sizes, and lengths
 * whose powers no double can hold. */
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

/* q and k grow and decay apart; the product of e^300 each, times content, is far from the largest
 * double, 1.8e308 = e^709.8. */
#define EXPONENT_MAX 300.0

/* ln of (2f/d + γ)/(1 + γ) over scale_base, the least at f = 0. */
static double growth_of(const as_scheme *scheme, double share) {
    double gamma = as_scheme_value(scheme, "gamma");
    return log((share + gamma) / (1 + gamma)) / as_scheme_value(scheme, "scale_base");
}

static as_status check_range(const as_scheme *scheme, const as_head *head) {
    double middle = as_rotary_centre(head), far = 0;
    for (size_t i = 0; i < head->rows; i++) {
        far = fmax(far, fabs(as_head_query(head, i) - middle));
    }
    for (size_t k = 0; k < head->cols; k++) {
        far = fmax(far, fabs(as_head_key(head, k) - middle));
    }
    double exponent = fabs(growth_of(scheme, 0)) * far;
    return exponent <= EXPONENT_MAX
               ? AS_OK
               : as_fail(AS_EINVAL,
                         "at %g positions from the middle its first pair grows by e^%.0f, beyond "
                         "what a double can hold; a larger scale_base is needed",
                         far, exponent);
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    return check_range(scheme, head);
}

/* (P19) */
static as_status rotation(const as_scheme *scheme, const as_head *head, as_rotation *out) {
    as_status status = check(scheme, head);
    if (status != AS_OK) {
        return status;
    }
    as_rotary_pairs((as_rotary_layout)(int)as_scheme_value(scheme, "layout"), 0, head->dim, out);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), head->dim, out->theta);
    for (size_t f = 0; f < out->count; f++) {
        out->growth[f] = growth_of(scheme, (double)(2 * f) / (double)head->dim);
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
