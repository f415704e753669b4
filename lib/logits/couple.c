/* q and k of one head coupled by a scheme: content logits and coupled logits. Equations K5 to K8 of
 * docs/maths.md.
 * It refuses heads for which the scheme is not defined. */
#include "attnspec/logits.h"

#include "base/fail.h"
#include "door/blas.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void as_pair_free(as_pair *pair) {
    if (pair != NULL) {
        as_matrix_free(&pair->q);
        as_matrix_free(&pair->k);
        free(pair->room);
        *pair = (as_pair){0};
    }
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* The room of a pair, in this order. */
typedef struct parts {
    double *q, *k; /* [rows][dim], [cols][dim]: rotated, or with P added */
    double *p;     /* [max(rows, cols)][dim] */
} parts;

/* Makes the room, and the rotation's arrays at its head: dim/2 pairs at the most. */
static as_status make_room(as_pair *pair, parts *out) {
    size_t rows = pair->q.rows, cols = pair->k.rows, dim = pair->q.cols, half = dim / 2;
    size_t lines, copies, size, bytes;
    if (!as_mul(larger(rows, cols), 3, &lines) || !as_mul(lines, dim, &copies) ||
        !as_mul(copies + 5 * half + 1, sizeof(double), &bytes)) {
        return as_fail(AS_ENOMEM, "q and k of %zu and %zu × %zu do not fit into memory", rows, cols,
                       dim);
    }
    size = copies + 5 * half + 1;
    if (pair->room_size < size) {
        double *room = as_alloc(bytes);
        if (room == NULL) {
            return as_fail(AS_ENOMEM, "no memory to couple q and k (%zu bytes)", bytes);
        }
        free(pair->room);
        pair->room = room;
        pair->room_size = size;
    }
    *out = (parts){
        .q = pair->room, .k = pair->room + rows * dim, .p = pair->room + (rows + cols) * dim};
    double *arrays = pair->room + copies;
    pair->rotation = (as_rotation){.gain = 1,
                                   .theta = arrays,
                                   .theta_y = arrays + half,
                                   .growth = arrays + 2 * half,
                                   .first = (size_t *)(void *)(arrays + 3 * half),
                                   .second = (size_t *)(void *)(arrays + 4 * half)};
    return AS_OK;
}

/* Fills shapes, scale and rotation. */
static as_status describe(as_pair *pair, parts *out) {
    if (pair->q.cols != pair->k.cols) {
        return as_fail(AS_EINVAL, "q has head size %zu, k has %zu", pair->q.cols, pair->k.cols);
    }
    pair->head.rows = pair->q.rows;
    pair->head.cols = pair->k.rows;
    pair->head.dim = pair->q.cols;
    as_status status = as_scheme_check(&pair->scheme, &pair->head);
    if (status == AS_OK) {
        status = make_room(pair, out);
    }
    if (status == AS_OK && pair->softcap > 0 && pair->scheme.type->logits != NULL) {
        status =
            as_fail(AS_EINVAL, "scheme %s has no place for a soft-cap", pair->scheme.type->name);
    }
    if (status == AS_OK && pair->scale == 0) {
        pair->scale = as_scheme_scale(&pair->scheme, &pair->head);
    }
    if (status == AS_OK && pair->scheme.type->rotation != NULL) {
        status = pair->scheme.type->rotation(&pair->scheme, &pair->head, &pair->rotation);
    }
    return status;
}

as_status as_pair_describe(as_pair *pair) {
    parts unused = {0};
    return describe(pair, &unused);
}

as_status as_pair_unrotate(as_pair *pair) {
    parts unused = {0};
    as_status status = describe(pair, &unused);
    if (status != AS_OK) {
        return status;
    }
    as_rotate(&pair->rotation, &pair->head, AS_QUERIES, true, pair->q.data);
    as_rotate(&pair->rotation, &pair->head, AS_KEYS, true, pair->k.data);
    return AS_OK;
}

/* P added to a copy of x: K6. */
static as_status embed(const as_pair *pair, const as_matrix *x, as_side side, double *p,
                       double *out) {
    as_status status = pair->scheme.type->embed(&pair->scheme, &pair->head, side, p);
    for (size_t i = 0; i < x->rows * x->cols && status == AS_OK; i++) {
        out[i] = x->data[i] + p[i];
    }
    return status;
}

/* q and k as the product of the coupled logits takes them. */
static as_status positioned(const as_pair *pair, const parts *out) {
    const as_scheme_type *type = pair->scheme.type;
    size_t dim = pair->q.cols;
    if (type->embed != NULL) {
        as_status status = embed(pair, &pair->q, AS_QUERIES, out->p, out->q);
        return status == AS_OK ? embed(pair, &pair->k, AS_KEYS, out->p, out->k) : status;
    }
    memcpy(out->q, pair->q.data, pair->q.rows * dim * sizeof *out->q);
    memcpy(out->k, pair->k.data, pair->k.rows * dim * sizeof *out->k);
    if (pair->rotation.count > 0) {
        as_rotate(&pair->rotation, &pair->head, AS_QUERIES, false, out->q);
        as_rotate(&pair->rotation, &pair->head, AS_KEYS, false, out->k);
    }
    return AS_OK;
}

/* Equation K9's soft-cap. */
static void cap(const as_pair *pair, as_matrix *a) {
    double c = pair->softcap;
    for (size_t i = 0; c > 0 && i < a->rows * a->cols; i++) {
        a->data[i] = c * tanh(a->data[i] / c);
    }
}

static as_status multiply(const as_pair *pair, const double *q, const double *k, double beta,
                          as_matrix *out) {
    return as_blas_product(out->rows, out->cols, pair->q.cols, pair->scale, q, k, beta, out->data);
}

/* The coupled logits beside content, before any cap. */
static as_status couple(const as_pair *pair, const parts *of, as_matrix *content,
                        as_matrix *coupled) {
    const as_scheme_type *type = pair->scheme.type;
    size_t count = content->rows * content->cols;
    as_status status = AS_OK;
    if (type->logits != NULL) {
        const as_projections in = {pair->q.data, pair->k.data, pair->scale};
        return type->logits(&pair->scheme, &pair->head, &in, content->data, coupled->data);
    }
    if (type->kernel != NULL) { /* K8: G ∘ T */
        status = type->kernel(&pair->scheme, &pair->head, coupled->data);
        for (size_t i = 0; i < count && status == AS_OK; i++) {
            coupled->data[i] *= content->data[i];
        }
        return status;
    }
    bool biased = type->bias != NULL; /* K7: the bias is there first, the product is added */
    if (biased) {
        status = type->bias(&pair->scheme, &pair->head, coupled->data);
    }
    if (status == AS_OK && type->embed == NULL && pair->rotation.count == 0 && !biased) {
        /* No position: not merely equal, the same. */
        memcpy(coupled->data, content->data, count * sizeof *coupled->data);
        return AS_OK;
    }
    if (status == AS_OK) {
        status = positioned(pair, of);
    }
    return status == AS_OK ? multiply(pair, of->q, of->k, biased ? 1 : 0, coupled) : status;
}

/* K7 under a cap: the bias stands outside of it, and takes room first. */
static as_status couple_capped(const as_pair *pair, const parts *of, as_matrix *room,
                               as_matrix *coupled) {
    as_status status = positioned(pair, of);
    if (status == AS_OK) {
        status = multiply(pair, of->q, of->k, 0, coupled);
    }
    if (status == AS_OK) {
        cap(pair, coupled);
        status = pair->scheme.type->bias(&pair->scheme, &pair->head, room->data);
    }
    for (size_t i = 0; i < room->rows * room->cols && status == AS_OK; i++) {
        coupled->data[i] += room->data[i];
    }
    return status;
}

as_status as_couple(as_pair *pair, as_matrix *content, as_matrix *coupled) {
    bool outside = pair->softcap > 0 && pair->scheme.type->bias != NULL;
    parts of = {0};
    as_status status = describe(pair, &of);
    if (status != AS_OK ||
        (status = as_matrix_resize(content, pair->q.rows, pair->k.rows)) != AS_OK ||
        (status = as_matrix_resize(coupled, pair->q.rows, pair->k.rows)) != AS_OK ||
        (status = outside ? couple_capped(pair, &of, content, coupled) : AS_OK) != AS_OK ||
        (status = multiply(pair, pair->q.data, pair->k.data, 0, content)) != AS_OK) {
        return status;
    }
    if (!outside) {
        status = couple(pair, &of, content, coupled);
        cap(pair, coupled);
    }
    cap(pair, content);
    return status;
}
