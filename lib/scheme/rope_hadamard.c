/* RoPE's single-kernel model: the content logits times the mean of the cosines. Not RoPE, which has a
 * kernel of its own for every pair. Gu et al. 2025, arXiv 2505.13027. It refuses odd head sizes. */
#include "base/fail.h"
#include "scheme/type.h"

#include <math.h>

static const as_param params[] = {{.key = "base",
                                   .aliases = "rope_theta",
                                   .type = AS_PARAM_REAL,
                                   .preset = "10000",
                                   .low = 1,
                                   .high = 1e12,
                                   .meaning = "pair f turns by base^(-2f/d) a position"},
                                  {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    return AS_OK;
}

typedef struct cosines {
    double base;
    size_t dim;
} cosines;

/* (P11): T(Δ) = (2/d) Σ_f cos(θ_f Δ) */
static double mean_of_cosines(const void *context, double delta) {
    const cosines *c = context;
    double sum = 0;
    for (size_t f = 0; f < c->dim / 2; f++) {
        sum += cos(pow(c->base, -(double)(2 * f) / (double)c->dim) * delta);
    }
    return sum / (double)(c->dim / 2);
}

static as_status kernel(const as_scheme *scheme, const as_head *head, double *t) {
    as_status status = check(scheme, head);
    if (status != AS_OK) {
        return status;
    }
    cosines context = {as_scheme_value(scheme, "base"), head->dim};
    as_scheme_fill(head, mean_of_cosines, &context, t);
    return AS_OK;
}

const as_scheme_type as_scheme_rope_hadamard = {
    .name = "rope_hadamard",
    .summary = "a model of RoPE: content logits times one kernel, the mean of RoPE's cosines",
    .reference = "Gu et al. 2025, arXiv 2505.13027",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC | AS_TRAIT_CORRELATION,
    .check = check,
    .kernel = kernel,
};
