/* ALiBi: a slope a head times the distance, taken off. Press, Smith and Lewis 2022, arXiv
 * 2108.12409, and their code. It refuses no head. */
#include "scheme/alibi.h"
#include "scheme/type.h"

#include <math.h>

enum { FORM_AUTO, FORM_CAUSAL, FORM_SYMMETRIC, FORM_ROW };
enum { SLOPES_AUTHORS, SLOPES_GEOMETRIC, SLOPES_GU2025 };

static const as_param params[] = {
    {.key = "form",
     .type = AS_PARAM_CHOICE,
     .choices = "auto|causal|symmetric|row",
     .preset = "auto",
     .meaning = "causal: -m*(i-k); symmetric: -m*|i-k|; row: m*k, equal to causal after a "
                "softmax; auto: symmetric where unmasked, else causal"},
    {.key = "slopes",
     .type = AS_PARAM_CHOICE,
     .choices = "authors|geometric|gu2025",
     .preset = "authors",
     .meaning = "authors: 2^(-8h/H), h = 1...H, where H is no power of two filled up from the "
                "next one's; geometric: 2^(-8h/H) for any H; gu2025: e^(-h/H), h = 0...H-1"},
    {.key = NULL}};

/* (P6), h from 0. */
double as_alibi_slope(size_t h, size_t heads) {
    size_t power = 1;
    while (power <= heads / 2) {
        power *= 2;
    }
    if (h < power) {
        return exp2(-8 * (double)(h + 1) / (double)power);
    }
    /* Every second slope of 2·power heads, from their first on: not in order. */
    return exp2(-4 * (double)(2 * (h - power) + 1) / (double)power);
}

static double slope_of(const as_scheme *scheme, const as_head *head) {
    double h = (double)head->head, heads = (double)head->heads;
    switch ((int)as_scheme_value(scheme, "slopes")) {
    case SLOPES_GEOMETRIC:
        return exp2(-8 * (h + 1) / heads);
    case SLOPES_GU2025:
        return exp(-h / heads);
    default:
        return as_alibi_slope(head->head, head->heads);
    }
}

static int form_of(const as_scheme *scheme, const as_head *head) {
    int form = (int)as_scheme_value(scheme, "form");
    return form != FORM_AUTO ? form : head->causal ? FORM_CAUSAL : FORM_SYMMETRIC;
}

static unsigned traits_of(const as_scheme *scheme, const as_head *head) {
    switch (form_of(scheme, head)) {
    case FORM_CAUSAL:
        return AS_TRAIT_TOEPLITZ;
    case FORM_SYMMETRIC:
        return AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC;
    default:
        return 0;
    }
}

/* The formula goes on above the diagonal, where a causal mask leaves nothing: there Δ < 0, and the
 * bias is +m|Δ|. So causal is Toeplitz, and row plus a constant a row. */
static double causal(const void *slope, double delta) {
    return -*(const double *)slope * delta;
}

static double symmetric(const void *slope, double delta) {
    return -*(const double *)slope * fabs(delta);
}

/* (P5) */
static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    double slope = slope_of(scheme, head);
    int form = form_of(scheme, head);
    if (form != FORM_ROW) {
        as_scheme_fill(head, form == FORM_CAUSAL ? causal : symmetric, &slope, b);
        return AS_OK;
    }
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < head->cols; k++) {
            b[i * head->cols + k] = slope * as_head_key(head, k);
        }
    }
    return AS_OK;
}

const as_scheme_type as_scheme_alibi = {
    .name = "alibi",
    .summary = "a bias that falls linearly with the distance, by a slope a head",
    .reference = "Press, Smith and Lewis 2022, arXiv 2108.12409; "
                 "ofirpress/attention_with_linear_biases",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC,
    .traits_of = traits_of,
    .bias = bias,
};
