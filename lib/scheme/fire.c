/* FIRE: a small network of the distance, on a scale that grows with the query's position. Li et al. 2023,
 * arXiv 2310.04418, and the listing there.
 * It refuses arrays whose widths do not fit each other. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>

enum { WIDTH = 32 }; /* of the listing's hidden layer */

static const as_param params[] = {
    {.key = "c",
     .aliases = "init_c",
     .type = AS_PARAM_REAL,
     .preset = "0.1",
     .low = 1e-9,
     .high = 1e9,
     .meaning = "of ln(1+c*x), which distances and positions go through"},
    {.key = "L",
     .aliases = "init_L",
     .type = AS_PARAM_REAL,
     .preset = "512",
     .low = 1,
     .high = 1e9,
     .meaning = "up to this position all queries have one scale, later ones their own position"},
    {.key = "eps",
     .type = AS_PARAM_REAL,
     .preset = "1e-6",
     .low = 0,
     .high = 1,
     .meaning = "added to the scale"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "arrays w1 [width][1], b1 [width], w2 [heads][width], b2 [heads], each with "
                "[layers] before it or not; else drawn as PyTorch draws linear layers, width 32"},
    {.key = NULL}};

/* x → b2 + Σ_w w2[w]·max(0, w1[w]·x + b1[w]), of one head; w1, b1, w2 [width]. */
typedef struct network {
    size_t width;
    const double *w1, *b1, *w2;
    double b2;
} network;

/* Uniform in ±1/√(inputs): the hidden layer, which heads share, has one, the output WIDTH. */
static as_status draw(const as_head *head, double *room, network *out) {
    double bound = 1 / sqrt((double)WIDTH), *output = room + (size_t)(2 * WIDTH);
    as_status status = as_draw_uniform(head, "fire.hidden", head->layer, 0, -1, 1, 2 * WIDTH, room);
    if (status == AS_OK) {
        status = as_draw_uniform(head, "fire.output", head->layer, head->head, -bound, bound,
                                 WIDTH + 1, output);
    }
    *out = (network){WIDTH, room, room + WIDTH, output, output[WIDTH]};
    return status;
}

static as_status read(const as_scheme *scheme, const as_head *head, network *out) {
    as_parameters w1, b1, w2, b2;
    as_head layer = *head;
    layer.heads = 0; /* what stands before the axes named above is layers, however many */
    as_status status = as_array_named(scheme, &layer, "w1", 2, &w1);
    if (status == AS_OK) {
        status = as_array_named(scheme, &layer, "b1", 1, &b1);
    }
    if (status == AS_OK) {
        status = as_array_named(scheme, &layer, "w2", 2, &w2);
    }
    if (status == AS_OK) {
        status = as_array_named(scheme, &layer, "b2", 1, &b2);
    }
    if (status != AS_OK) {
        return status;
    }
    size_t width = w1.shape[0];
    if (width == 0 || w1.shape[1] != 1 || b1.shape[0] != width || w2.shape[1] != width ||
        w2.shape[0] != head->heads || b2.shape[0] != head->heads) {
        return as_fail(
            AS_EINVAL,
            "%s: w1 is %zu × %zu, b1 %zu, w2 %zu × %zu and b2 %zu long, but for %zu heads "
            "they must be width × 1, width, heads × width and heads",
            as_scheme_file(scheme), w1.shape[0], w1.shape[1], b1.shape[0], w2.shape[0], w2.shape[1],
            b2.shape[0], head->heads);
    }
    *out = (network){width, w1.data, b1.data, w2.data + head->head * width, b2.data[head->head]};
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    network unused;
    return as_scheme_file(scheme) != NULL ? read(scheme, head, &unused) : AS_OK;
}

/* Toeplitz while no query stands behind L: then they have one scale. */
static unsigned traits_of(const as_scheme *scheme, const as_head *head) {
    double threshold = as_scheme_value(scheme, "L");
    for (size_t i = 0; i < head->rows; i++) {
        if (as_head_query(head, i) > threshold) {
            return 0;
        }
    }
    return AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC;
}

/* (P23) */
static double output_of(const network *f, double x) {
    double sum = f->b2;
    for (size_t w = 0; w < f->width; w++) {
        sum += f->w2[w] * fmax(0, f->w1[w] * x + f->b1[w]);
    }
    return sum;
}

static as_status bias(const as_scheme *scheme, const as_head *head, double *b) {
    double room[3 * WIDTH + 1];
    network f;
    as_status status =
        as_scheme_file(scheme) != NULL ? read(scheme, head, &f) : draw(head, room, &f);
    if (status != AS_OK) {
        return status;
    }
    double c = as_scheme_value(scheme, "c"), threshold = as_scheme_value(scheme, "L");
    double eps = as_scheme_value(scheme, "eps");
    for (size_t i = 0; i < head->rows; i++) {
        double at = as_head_query(head, i);
        double scale = log1p(c * fmax(threshold, at)) + eps;
        for (size_t k = 0; k < head->cols; k++) {
            double distance = fabs(at - as_head_key(head, k));
            b[i * head->cols + k] = output_of(&f, log1p(c * distance) / scale);
        }
    }
    return AS_OK;
}

const as_scheme_type as_scheme_fire = {
    .name = "fire",
    .summary = "a bias by a small network of the distance, relative to the query's position",
    .reference = "Li et al. 2023, arXiv 2310.04418",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC,
    .check = check,
    .traits_of = traits_of,
    .bias = bias,
    .file = "file",
};
