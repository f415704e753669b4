/* The terms of a rotation (C5 of docs/maths.md): a rotated pair of dimensions f gives the complex
 * content G_f = q_f k_fᴴ of rank one, all other dimensions together one real block.
 * It takes rotations alone: a scheme without one has no terms. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "metric/account.h"

/* Complex columns of q or k: one a rotated pair, which has the scheme's gain, then one a dimension that
 * is not rotated, with imaginary part 0. */
static as_status columns(const as_matrix *x, const as_rotation *rotation, double scale,
                         const unsigned char *rotated, as_matrix *out) {
    size_t count = x->cols - rotation->count;
    as_status status = as_matrix_resize(out, x->rows, 2 * count);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < x->rows; i++) {
        const double *row = x->data + i * x->cols;
        double *z = out->data + i * out->cols;
        for (size_t f = 0; f < rotation->count; f++) {
            *z++ = row[rotation->first[f]] * rotation->gain * scale;
            *z++ = row[rotation->second[f]] * rotation->gain * scale;
        }
        for (size_t d = 0; d < x->cols; d++) {
            if (!rotated[d]) {
                *z++ = row[d] * scale;
                *z++ = 0;
            }
        }
    }
    return AS_OK;
}

/* ‖z_f‖, scaled by a power of two so that no square leaves the range. */
static double column_norm(const as_matrix *z, size_t f) {
    double largest = 0, sum = 0;
    for (size_t i = 0; i < z->rows; i++) {
        const double *x = z->data + i * z->cols + 2 * f;
        largest = fmax(largest, fmax(fabs(x[0]), fabs(x[1])));
    }
    int exponent = 0;
    frexp(largest, &exponent);
    for (size_t i = 0; i < z->rows; i++) {
        const double *x = z->data + i * z->cols + 2 * f;
        double re = ldexp(x[0], -exponent), im = ldexp(x[1], -exponent);
        sum += re * re + im * im;
    }
    return ldexp(sqrt(sum), exponent);
}

/* Columns first … last of z, which are moved to the front. */
static void keep_from(as_matrix *z, size_t first) {
    size_t width = z->cols - 2 * first;
    for (size_t i = 0; i < z->rows; i++) {
        memmove(z->data + i * width, z->data + i * z->cols + 2 * first, width * sizeof *z->data);
    }
    z->cols = width;
}

/* The three norms of q kᴴ after the mask. */
static as_status norms_of(const as_matrix *q, const as_matrix *k, const unsigned char *masked,
                          double norms[AS_NORM_COUNT]) {
    size_t count = q->rows < k->rows ? q->rows : k->rows;
    double *sigma = as_alloc(count * sizeof *sigma);
    as_status status = sigma != NULL ? as_complex_singular_values(q, k, masked, sigma)
                                     : as_fail(AS_ENOMEM, "no memory for %zu values", count);
    if (status == AS_OK) {
        double squares = 0, sum = 0;
        for (size_t i = 0; i < count && sigma[0] > 0; i++) {
            double r = sigma[i] / sigma[0];
            squares += r * r;
            sum += r;
        }
        norms[AS_NORM_SPECTRAL] = sigma[0];
        norms[AS_NORM_FROBENIUS] = sigma[0] * sqrt(squares);
        norms[AS_NORM_NUCLEAR] = sigma[0] * sum;
    }
    free(sigma);
    return status;
}

/* Σ_f N_f: all norms of a rank-one term are ‖q_f‖‖k_f‖; then the block, for which q and k are cut. */
static as_status sum_terms(as_matrix *q, as_matrix *k, size_t pairs, const unsigned char *masked,
                           double sum[AS_NORM_COUNT]) {
    double block[AS_NORM_COUNT] = {0}, rank_one = 0;
    for (size_t f = 0; f < pairs; f++) {
        rank_one += column_norm(q, f) * column_norm(k, f);
    }
    as_status status = AS_OK;
    if (q->cols > 2 * pairs) {
        keep_from(q, pairs);
        keep_from(k, pairs);
        status = norms_of(q, k, masked, block);
    }
    for (size_t i = 0; i < AS_NORM_COUNT; i++) {
        sum[i] = rank_one + block[i];
    }
    return status;
}

as_status as_alignment_terms(const as_pair *pair, const unsigned char *masked, double *term_sum,
                             double *complex_sum) {
    const as_rotation *rotation = &pair->rotation;
    if (pair->q.cols == 0 || pair->q.cols != pair->k.cols) {
        return as_fail(AS_EINVAL, "queries of size %zu and keys of size %zu have no terms",
                       pair->q.cols, pair->k.cols);
    }
    as_matrix q = {0}, k = {0};
    double sum[AS_NORM_COUNT], whole[AS_NORM_COUNT];
    unsigned char *rotated = calloc(pair->q.cols, 1);
    as_status status =
        rotated != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory for %zu dimensions", pair->q.cols);
    for (size_t f = 0; f < rotation->count && status == AS_OK; f++) {
        rotated[rotation->first[f]] = rotated[rotation->second[f]] = 1;
    }
    if (status == AS_OK) {
        status = columns(&pair->q, rotation, pair->scale, rotated, &q);
    }
    if (status == AS_OK) {
        status = columns(&pair->k, rotation, 1, rotated, &k);
    }
    if (status == AS_OK) {
        status = norms_of(&q, &k, masked, whole);
    }
    if (status == AS_OK) {
        status = sum_terms(&q, &k, rotation->count, masked, sum);
    }
    if (status == AS_OK) {
        memcpy(term_sum, sum, sizeof sum);
        memcpy(complex_sum, whole, sizeof whole);
    }
    as_matrix_free(&q);
    as_matrix_free(&k);
    free(rotated);
    return status;
}
