/* PoPE: the size of each dimension is content, its angle is position; d frequencies, no pairs.
 * Gopalakrishnan et al. 2025, arXiv 2509.10534. It refuses no head. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double two_pi = 6.283185307179586;

enum { ZERO }; /* of delta */

static const as_param params[] = {
    {.key = "base",
     .aliases = "rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "10000",
     .low = 1,
     .high = 1e12,
     .meaning = "dimension c turns by base^(-c/d) a position"},
    {.key = "delta",
     .type = AS_PARAM_CHOICE,
     .choices = "zero|uniform",
     .preset = "zero",
     .meaning = "phases a dimension before training: 0, or drawn from U(-2 pi, 0)"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "delta [head size], as trained; what is beyond -2 pi or 0 is taken as these"},
    {.key = NULL}};

static double softplus(double x) {
    return fmax(x, 0) + log1p(exp(-fabs(x)));
}

/* delta [dim] */
static as_status phases(const as_scheme *scheme, const as_head *head, double *delta) {
    const double *given = NULL;
    size_t dim = head->dim;
    as_status status = AS_OK;
    memset(delta, 0, dim * sizeof *delta);
    if (as_scheme_file(scheme) != NULL) {
        status = as_scheme_shaped(scheme, head, "delta", 1, (size_t[]){dim}, &given);
        for (size_t c = 0; c < dim && status == AS_OK; c++) {
            delta[c] = fmax(-two_pi, fmin(given[c], 0));
        }
    } else if ((int)as_scheme_value(scheme, "delta") != ZERO) {
        status =
            as_draw_uniform(head, "pope.delta", head->layer, head->head, -two_pi, 0, dim, delta);
    }
    return status;
}

/* Rows of x as sizes in a plane each, (µ cos δ, µ sin δ): out [count][2 dim], all cosines first. */
static void to_planes(const double *x, size_t count, size_t dim, const double *delta, double *out) {
    for (size_t i = 0; i < count; i++) {
        for (size_t c = 0; c < dim; c++) {
            double size = softplus(x[i * dim + c]), phase = delta != NULL ? delta[c] : 0;
            out[i * 2 * dim + c] = size * cos(phase);
            out[i * 2 * dim + dim + c] = size * sin(phase);
        }
    }
}

/* The room of a head. */
typedef struct planes {
    double *q, *k; /* [rows][2 dim], [cols][2 dim] */
    double *delta; /* [dim] */
    as_rotation rotation;
} planes;

static as_status make_room(const as_head *head, planes *out) {
    size_t dim = head->dim, width, numbers, bytes;
    double *room = NULL;
    if (as_mul(dim, 2, &width) && as_mul(head->rows + head->cols, width, &numbers) &&
        as_mul(numbers + 4 * dim, sizeof *room, &bytes)) {
        room = as_alloc(bytes);
    }
    if (room == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the planes of %zu queries and %zu keys",
                       head->rows, head->cols);
    }
    double *rest = room + numbers;
    *out = (planes){.q = room,
                    .k = room + head->rows * width,
                    .delta = rest,
                    .rotation = {.count = dim,
                                 .gain = 1,
                                 .theta = rest + dim,
                                 .first = (size_t *)(void *)(rest + 2 * dim),
                                 .second = (size_t *)(void *)(rest + 3 * dim)}};
    return AS_OK;
}

/* (P62): cos(θ(j − i) + δ) is the product of two points of the plane, q turned by iθ and k by jθ + δ. */
static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    size_t rows = head->rows, cols = head->cols, dim = head->dim;
    planes at = {.q = NULL};
    as_status status = make_room(head, &at);
    if (status != AS_OK || (status = phases(scheme, head, at.delta)) != AS_OK) {
        goto done;
    }
    double base = as_scheme_value(scheme, "base");
    for (size_t c = 0; c < dim; c++) {
        at.rotation.first[c] = c;
        at.rotation.second[c] = dim + c;
        at.rotation.theta[c] = pow(base, -(double)c / (double)dim);
    }
    as_head wide = *head;
    wide.dim = 2 * dim;
    to_planes(in->q, rows, dim, NULL, at.q);
    to_planes(in->k, cols, dim, NULL, at.k);
    status = as_blas_product(rows, cols, wide.dim, in->scale, at.q, at.k, 0, content);
    if (status != AS_OK) {
        goto done;
    }
    to_planes(in->k, cols, dim, at.delta, at.k);
    as_rotate(&at.rotation, &wide, AS_QUERIES, false, at.q);
    as_rotate(&at.rotation, &wide, AS_KEYS, false, at.k);
    status = as_blas_product(rows, cols, wide.dim, in->scale, at.q, at.k, 0, coupled);
done:
    free(at.q);
    return status;
}

const as_scheme_type as_scheme_pope = {
    .name = "pope",
    .summary = "softplus of q and of k as sizes, the position as angle of every dimension; its "
               "content is softplus(q) softplus(k)",
    .reference = "Gopalakrishnan et al. 2025, arXiv 2509.10534; lucidrains/PoPE-pytorch",
    .kind = AS_CLASS_MULTIPLICATIVE,
    .params = params,
    .logits = logits,
    .file = "file",
};
