/* Singular values by LAPACK: the reference that every other route is measured against.
 * It refuses matrices that are not finite, and believes no info = 0 without finite values: one Inf
 * makes gesdd loop for ever with vectors, and without them answer NaN with info = 0. */
#include "attnspec/spectrum.h"

#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "door/lapack.h"

struct as_spectrum_work {
    size_t rows, cols;
    double *copy;  /* [rows·cols]: drivers destroy what they are given */
    double *sigma; /* [min]: the caller's array is written only on success */
    as_lapack_work lapack;
};

static const char *const driver_names[] = {
#define X(code, name) [code] = name,
    AS_DRIVER_LIST(X)
#undef X
};

const char *as_driver_name(as_driver driver) {
    return (unsigned)driver < AS_DRIVER_COUNT ? driver_names[driver] : "unknown";
}

as_status as_driver_parse(const char *text, as_driver *out) {
    for (unsigned i = 0; i < AS_DRIVER_COUNT; i++) {
        if (strcmp(text, driver_names[i]) == 0) {
            *out = (as_driver)i;
            return AS_OK;
        }
    }
    return as_fail(AS_EINVAL, "there is no driver '%s'; there are auto, gesdd and gesvd", text);
}

as_status as_spectrum_check_size(size_t rows, size_t cols) {
    size_t entries;
    if (!as_mul(rows, cols, &entries) || entries > as_lapack_limit()) {
        return as_fail(AS_ETOOLARGE,
                       "a matrix of %zu × %zu has more entries than the %llu that LAPACK counts",
                       rows, cols, (unsigned long long)as_lapack_limit());
    }
    return AS_OK;
}

uint64_t as_spectrum_work_bytes(size_t rows, size_t cols) {
    if (as_spectrum_check_size(rows, cols) != AS_OK) {
        return UINT64_MAX;
    }
    size_t q = rows < cols ? rows : cols;
    return (rows * cols + q + as_lapack_lwork(rows, cols)) * sizeof(double) +
           as_lapack_iwork_bytes(rows, cols);
}

as_status as_spectrum_work_new(size_t rows, size_t cols, as_spectrum_work **out) {
    as_status status = as_spectrum_check_size(rows, cols);
    if (status != AS_OK) {
        return status;
    }
    if (rows == 0 || cols == 0) {
        return as_fail(AS_EINVAL, "a matrix of %zu × %zu has no spectrum", rows, cols);
    }
    size_t lwork = as_lapack_lwork(rows, cols);
    if (lwork == 0) {
        return as_fail(AS_ETOOLARGE, "LAPACK has no workspace for a matrix of %zu × %zu", rows,
                       cols);
    }
    as_spectrum_work *work = calloc(1, sizeof *work);
    if (work == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a workspace");
    }
    work->rows = rows;
    work->cols = cols;
    work->copy = as_alloc(rows * cols * sizeof(double));
    work->sigma = as_alloc((rows < cols ? rows : cols) * sizeof(double));
    work->lapack.lwork = lwork;
    work->lapack.work = as_alloc(lwork * sizeof(double));
    work->lapack.iwork = as_alloc(as_lapack_iwork_bytes(rows, cols));
    if (work->copy == NULL || work->sigma == NULL || work->lapack.work == NULL ||
        work->lapack.iwork == NULL) {
        as_spectrum_work_free(work);
        return as_fail(AS_ENOMEM, "no memory for the workspace of a %zu × %zu matrix (%llu bytes)",
                       rows, cols, (unsigned long long)as_spectrum_work_bytes(rows, cols));
    }
    *out = work;
    return AS_OK;
}

void as_spectrum_work_free(as_spectrum_work *work) {
    if (work != NULL) {
        free(work->copy);
        free(work->sigma);
        free(work->lapack.work);
        free(work->lapack.iwork);
        free(work);
    }
}

/* One driver on a fresh copy: a driver that failed has destroyed the one before. */
static as_status attempt(const as_matrix *a, as_driver driver, as_spectrum_work *work) {
    as_lapack_values *values = driver == AS_DRIVER_GESVD ? as_lapack_gesvd : as_lapack_gesdd;
    size_t q = a->rows < a->cols ? a->rows : a->cols;
    memcpy(work->copy, a->data, a->rows * a->cols * sizeof(double));
    int info = values(a->rows, a->cols, work->copy, work->sigma, &work->lapack);
    if (info != 0) {
        return as_fail(AS_ENOCONV, "%s did not converge (info = %d)", driver_names[driver], info);
    }
    if (!as_all_finite(work->sigma, q)) {
        return as_fail(AS_ENOCONV, "%s reported success with values that are not finite",
                       driver_names[driver]);
    }
    return AS_OK;
}

as_status as_singular_values(const as_matrix *a, as_driver driver, as_spectrum_work *work,
                             double *sigma, as_driver *used) {
    if (a->rows == 0 || a->cols == 0 || (unsigned)driver >= AS_DRIVER_COUNT) {
        return as_fail(AS_EINVAL, "a matrix of %zu × %zu has no spectrum", a->rows, a->cols);
    }
    size_t q = a->rows < a->cols ? a->rows : a->cols;
    if (a->rows > work->rows || a->cols > work->cols) {
        return as_fail(AS_EINVAL, "a workspace for %zu × %zu is too small for %zu × %zu",
                       work->rows, work->cols, a->rows, a->cols);
    }
    if (!as_all_finite(a->data, a->rows * a->cols)) {
        return as_fail(AS_ENONFINITE, "the matrix holds NaN or infinity");
    }
    as_driver chosen = driver == AS_DRIVER_AUTO ? AS_DRIVER_GESDD : driver;
    as_status status = attempt(a, chosen, work);
    if (status == AS_ENOCONV && driver == AS_DRIVER_AUTO) {
        chosen = AS_DRIVER_GESVD;
        status = attempt(a, chosen, work);
    }
    if (status != AS_OK) {
        return status;
    }
    memcpy(sigma, work->sigma, q * sizeof *sigma);
    if (used != NULL) {
        *used = chosen;
    }
    return AS_OK;
}

bool as_is_triangular(const as_matrix *a) {
    if (a->rows != a->cols) {
        return false;
    }
    size_t n = a->rows;
    bool lower = true, upper = true;
    for (size_t i = 0; i < n && (lower || upper); i++) {
        const double *row = a->data + i * n;
        for (size_t k = 0; k < i && upper; k++) {
            upper = row[k] == 0;
        }
        for (size_t k = i + 1; k < n && lower; k++) {
            lower = row[k] == 0;
        }
    }
    return lower || upper;
}
