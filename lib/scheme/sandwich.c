/* Sandwich: the products of sinusoidal encodings as a bias, over a slope a head. Chi, Fan, Rudnicky and
 * Ramadge 2023, arXiv 2212.10356; NVIDIA/NeMo sandwich_relative_position_embedding.py.
 * It refuses an odd number of dimensions. */
#include "base/fail.h"
#include "scheme/type.h"

#include <math.h>

static const as_param params[] = {
    {.key = "d_bar",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 2,
     .high = 65536,
     .meaning = "dimensions of the encoding, half as many cosines; auto: the head size; the paper "
                "has 128"},
    {.key = NULL}};

typedef struct cosines {
    size_t count;
    double compression; /* 8h/H, h from 1 */
} cosines;

static as_status plan(const as_scheme *scheme, const as_head *head, cosines *out) {
    double given = as_scheme_value(scheme, "d_bar");
    size_t dims = isnan(given) ? head->dim : (size_t)given;
    if (dims % 2 != 0) {
        return as_fail(AS_EINVAL, "%s is %zu, but must be even",
                       isnan(given) ? "the head size" : "d_bar", dims);
    }
    out->count = dims / 2;
    out->compression = 8 * (double)(head->head + 1) / (double)head->heads;
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    cosines unused;
    return plan(scheme, head, &unused);
}

/* (P22): k from 1, so the fastest cosine does not turn by a radian a position. */
static double of_distance(const void *context, double delta) {
    const cosines *c = context;
    double sum = 0, distance = fabs(delta);
    for (size_t k = 1; k <= c->count; k++) {
        sum += cos(distance / pow(1e4, (double)k / (double)c->count)) - 1;
    }
    return sum / c->compression;
}

static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    cosines found;
    as_status status = plan(scheme, head, &found);
    if (status == AS_OK) {
        as_scheme_fill(head, of_distance, &found, b);
    }
    return status;
}

const as_scheme_type as_scheme_sandwich = {
    .name = "sandwich",
    .summary = "the products of sinusoidal encodings as a bias, the weaker the later the head",
    .reference = "Chi, Fan, Rudnicky and Ramadge 2023, arXiv 2212.10356; NVIDIA/NeMo "
                 "sandwich_relative_position_embedding.py",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC,
    .check = check,
    .bias = bias,
};
