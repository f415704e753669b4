/* Transformer-XL's relative positions: sinusoids of the distance, projected, which the query meets with a
 * vector of its own, as it meets the keys. Dai et al. 2019, arXiv 1901.02860;
 * kimiyoung/transformer-xl pytorch/mem_transformer.py.
 * It refuses an odd number of sinusoids, and arrays of another size. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>

static const as_param params[] = {
    {.key = "d_model",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 2,
     .high = 1e6,
     .meaning = "sinusoids of a distance; auto: the file's, or heads*d"},
    {.key = "initializer_range",
     .aliases = "init_std|std",
     .type = AS_PARAM_REAL,
     .preset = "0.02",
     .low = 0,
     .high = 1e6,
     .meaning = "standard deviation of what is drawn"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "arrays u and v of [heads][d], w of [heads*d][d_model] or [heads][d][d_model], "
                "each with [layers] before it or not; else drawn"},
    {.key = NULL}};

/* u, v [dim]; w [dim][width]; NULL: to be drawn. */
typedef struct weights {
    size_t width;
    const double *u, *v, *w;
} weights;

static as_status check_width(const weights *found) {
    return found->width % 2 == 0
               ? AS_OK
               : as_fail(AS_EINVAL, "d_model is %zu, but sines and cosines come in pairs",
                         found->width);
}

/* All heads' rows one below the other, where w is that (what stands before them is then layers, however
 * many), else the head's own. */
static as_status read_w(const as_scheme *scheme, const as_head *head, size_t whole,
                        as_parameters *w) {
    as_head layer = *head;
    layer.heads = 0;
    as_status status = as_array_named(scheme, &layer, "w", 2, w);
    return status == AS_OK && w->shape[0] == whole ? AS_OK
                                                   : as_array_named(scheme, head, "w", 2, w);
}

static as_status find(const as_scheme *scheme, const as_head *head, weights *out) {
    double given = as_scheme_value(scheme, "d_model");
    size_t dim = head->dim, whole;
    if (!as_mul(head->heads, dim, &whole)) {
        return as_fail(AS_EINVAL, "%zu heads of size %zu are too many", head->heads, dim);
    }
    *out = (weights){.width = isnan(given) ? whole : (size_t)given};
    if (as_scheme_file(scheme) == NULL) {
        return check_width(out);
    }
    as_parameters u, v, w;
    as_status status = as_array_named(scheme, head, "u", 1, &u);
    if (status == AS_OK) {
        status = as_array_named(scheme, head, "v", 1, &v);
    }
    if (status == AS_OK) {
        status = read_w(scheme, head, whole, &w);
    }
    if (status != AS_OK) {
        return status;
    }
    bool together = w.shape[0] == whole;
    out->width = isnan(given) ? w.shape[1] : out->width;
    if (u.shape[0] != dim || v.shape[0] != dim || w.shape[1] != out->width || out->width == 0 ||
        (!together && w.shape[0] != dim)) {
        return as_fail(AS_EINVAL,
                       "%s: u is %zu, v %zu long and w %zu × %zu, but for %zu heads of size %zu u "
                       "and v must be %zu long, and w %zu or %zu × d_model",
                       as_scheme_file(scheme), u.shape[0], v.shape[0], w.shape[0], w.shape[1],
                       head->heads, dim, dim, dim, whole);
    }
    out->u = u.data;
    out->v = v.data;
    out->w = w.data + (together ? head->head * dim * out->width : 0);
    return check_width(out);
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    weights unused;
    return find(scheme, head, &unused);
}

/* u and v are of the whole model, W of a layer. drawn [dim·(2 + width)] */
static as_status draw(const as_scheme *scheme, const as_head *head, double *drawn, weights *out) {
    double sigma = as_scheme_value(scheme, "initializer_range");
    double *v = drawn + head->dim, *w = v + head->dim;
    as_status status =
        as_draw_gaussian(head, "transformer_xl.u", 0, head->head, sigma, head->dim, drawn);
    if (status == AS_OK) {
        status = as_draw_gaussian(head, "transformer_xl.v", 0, head->head, sigma, head->dim, v);
    }
    if (status == AS_OK) {
        status = as_draw_gaussian(head, "transformer_xl.w", head->layer, head->head, sigma,
                                  head->dim * out->width, w);
    }
    out->u = drawn;
    out->v = v;
    out->w = w;
    return status;
}

/* x [width] = Wᵀ(q + v), of one query q [dim]. */
static void project(const weights *found, size_t dim, const double *q, double *x) {
    for (size_t f = 0; f < found->width; f++) {
        x[f] = 0;
    }
    for (size_t c = 0; c < dim; c++) {
        double factor = q[c] + found->v[c];
        for (size_t f = 0; f < found->width; f++) {
            x[f] += factor * found->w[c * found->width + f];
        }
    }
}

/* (P27): with x the projected query, Σ_f x_f sin ω_f(i − k) + x_{f+D/2} cos ω_f(i − k) = x'·y_k by the
 * addition theorems, so that the products of all distances are one, whatever the positions.
 *   x  [rows][width], y [cols][width] */
static void expand(const as_head *head, const as_projections *in, const weights *found, double *x,
                   double *y) {
    size_t half = found->width / 2;
    for (size_t i = 0; i < head->rows; i++, x += found->width) {
        project(found, head->dim, in->q + i * head->dim, x);
        for (size_t f = 0; f < half; f++) {
            double angle = as_head_query(head, i) * pow(1e4, -(double)f / (double)half);
            double s = sin(angle), c = cos(angle), a = x[f], b = x[f + half];
            x[f] = a * s + b * c;
            x[f + half] = b * s - a * c;
        }
    }
    for (size_t k = 0; k < head->cols; k++, y += found->width) {
        for (size_t f = 0; f < half; f++) {
            double angle = as_head_key(head, k) * pow(1e4, -(double)f / (double)half);
            y[f] = cos(angle);
            y[f + half] = sin(angle);
        }
    }
}

/* (P26) */
static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    weights found = {0};
    size_t dim = head->dim, lines, bytes;
    as_status status = find(scheme, head, &found);
    if (status != AS_OK) {
        return status;
    }
    bool fits = as_mul(head->rows + head->cols + dim, found.width, &lines) &&
                as_mul(lines + 2 * dim, sizeof *in->q, &bytes);
    double *x = fits ? as_alloc(bytes) : NULL;
    if (x == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu sinusoids a position", found.width);
    }
    double *y = x + head->rows * found.width;
    if (found.u == NULL) {
        status = draw(scheme, head, y + head->cols * found.width, &found);
    }
    if (status == AS_OK) {
        expand(head, in, &found, x, y);
        for (size_t k = 0; k < head->cols; k++) {
            double ahead = 0;
            for (size_t c = 0; c < dim; c++) {
                ahead += found.u[c] * in->k[k * dim + c];
            }
            for (size_t i = 0; i < head->rows; i++) {
                coupled[i * head->cols + k] = content[i * head->cols + k] + in->scale * ahead;
            }
        }
        status = as_blas_product(head->rows, head->cols, found.width, in->scale, x, y, 1, coupled);
    }
    free(x);
    return status;
}

const as_scheme_type as_scheme_transformer_xl = {
    .name = "transformer_xl",
    .summary = "projected sinusoids of the distance, beside the key; drawn from N(0, 0.02)",
    .reference = "Dai et al. 2019, arXiv 1901.02860; kimiyoung/transformer-xl mem_transformer.py",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .check = check,
    .logits = logits,
    .file = "file",
};
