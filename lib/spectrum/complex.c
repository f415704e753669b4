/* Singular values of a complex product Q Kᴴ of thin factors: of the sum over rotated pairs before its
 * real part is taken (equation C5 of docs/maths.md).
 * It refuses factors that are not finite, and believes no info = 0 without finite values. */
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "spectrum/work.h"

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* OpenBLAS's zgemv (0.3.21), under zgeqrf and zgesdd, reads past the end of the matrix, by less than a
 * row or a register: what is beyond is not used, but it must be there. */
static size_t spare(size_t cols) {
    return 2 * cols + 16;
}

static as_status check(const as_matrix *q, const as_matrix *k) {
    if (q->rows == 0 || k->rows == 0 || q->cols == 0 || q->cols != k->cols || q->cols % 2 != 0) {
        return as_fail(AS_EINVAL, "factors of %zu × %zu and %zu × %zu have no complex product",
                       q->rows, q->cols, k->rows, k->cols);
    }
    as_status status = as_spectrum_check_size(q->rows, k->rows);
    if (status == AS_OK) {
        status = as_spectrum_check_size(q->rows > k->rows ? q->rows : k->rows, q->cols);
    }
    if (status != AS_OK) {
        return status;
    }
    if (!as_all_finite(q->data, q->rows * q->cols) || !as_all_finite(k->data, k->rows * k->cols)) {
        return as_fail(AS_ENONFINITE, "a complex factor holds NaN or infinity");
    }
    return AS_OK;
}

/* out [q rows][k rows] = q kᴴ, re and im interleaved; 0 where masked. */
static void multiply(const as_matrix *q, const as_matrix *k, const unsigned char *mask,
                     double *out) {
    for (size_t i = 0; i < q->rows; i++) {
        const double *x = q->data + i * q->cols;
        for (size_t j = 0; j < k->rows; j++, out += 2) {
            const double *y = k->data + j * k->cols;
            double re = 0, im = 0;
            for (size_t c = 0; c < q->cols; c += 2) {
                re += x[c] * y[c] + x[c + 1] * y[c + 1];
                im += x[c + 1] * y[c] - x[c] * y[c + 1];
            }
            bool kept = mask == NULL || !mask[i * k->rows + j];
            out[0] = kept ? re : 0;
            out[1] = kept ? im : 0;
        }
    }
}

/* σ(q kᴴ) by the dense matrix, into sigma [min]. */
static as_status dense(const as_matrix *q, const as_matrix *k, const unsigned char *mask,
                       double *sigma) {
    size_t rows = q->rows, cols = k->rows;
    size_t bytes = as_lapack_complex_bytes(rows, cols);
    double *a = as_alloc((2 * rows * cols + spare(cols > rows ? cols : rows)) * sizeof *a);
    void *room = as_alloc(bytes);
    as_status status = AS_OK;
    if (bytes == 0) {
        status = as_fail(AS_ETOOLARGE, "LAPACK has no workspace for a complex matrix of %zu × %zu",
                         rows, cols);
    } else if (a == NULL || room == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for a complex matrix of %zu × %zu", rows, cols);
    } else {
        multiply(q, k, mask, a);
        status = as_all_finite(a, 2 * rows * cols)
                     ? AS_OK
                     : as_fail(AS_ENONFINITE, "a complex product is beyond the range of a double");
    }
    int info = status == AS_OK ? as_lapack_zgesdd(rows, cols, a, sigma, room) : 0;
    if (info != 0) {
        status = as_fail(AS_ENOCONV, "zgesdd did not converge (info = %d)", info);
    } else if (status == AS_OK && !as_all_finite(sigma, smaller(rows, cols))) {
        status = as_fail(AS_ENOCONV, "zgesdd reported success with values that are not finite");
    }
    free(a);
    free(room);
    return status;
}

/* The triangle R [r][2r] of a tall factor's QR decomposition. */
static as_status triangle(const as_matrix *factor, as_matrix *out) {
    size_t r = factor->cols / 2, bytes = as_lapack_complex_bytes(factor->rows, r);
    void *room = as_alloc(bytes);
    as_status status =
        as_matrix_resize(out, factor->rows + spare(factor->rows) / factor->cols + 1, factor->cols);
    if (bytes == 0) {
        status = as_fail(AS_ETOOLARGE, "LAPACK has no workspace for a complex matrix of %zu × %zu",
                         factor->rows, r);
    } else if (room == NULL) {
        status = as_fail(AS_ENOMEM, "no memory to factor a complex matrix of %zu × %zu",
                         factor->rows, r);
    }
    if (status == AS_OK) {
        memcpy(out->data, factor->data, factor->rows * factor->cols * sizeof(double));
        int info = as_lapack_zgeqrf(factor->rows, r, out->data, room);
        status = info == 0 ? AS_OK : as_fail(AS_ENOCONV, "zgeqrf failed (info = %d)", info);
        out->rows = r;
    }
    free(room);
    return status;
}

/* Q = O_q R_q and K = O_k R_k with orthonormal columns, so σ(Q Kᴴ) = σ(R_q R_kᴴ), r × r. */
static as_status thin(const as_matrix *q, const as_matrix *k, double *sigma) {
    as_matrix rq = {0}, rk = {0};
    as_status status = triangle(q, &rq);
    if (status == AS_OK) {
        status = triangle(k, &rk);
    }
    if (status == AS_OK) {
        status = dense(&rq, &rk, NULL, sigma);
    }
    as_matrix_free(&rq);
    as_matrix_free(&rk);
    return status;
}

as_status as_complex_singular_values(const as_matrix *q, const as_matrix *k,
                                     const unsigned char *mask, double *sigma) {
    as_status status = check(q, k);
    if (status != AS_OK) {
        return status;
    }
    size_t count = smaller(q->rows, k->rows), rank = q->cols / 2;
    double *values = as_alloc(count * sizeof *values);
    if (values == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu complex singular values", count);
    }
    memset(values, 0, count * sizeof *values);
    status = mask == NULL && rank < count ? thin(q, k, values) : dense(q, k, mask, values);
    if (status == AS_OK) {
        memcpy(sigma, values, count * sizeof *sigma);
    }
    free(values);
    return status;
}
