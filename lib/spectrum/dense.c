/* Singular values by LAPACK: the reference that every other route is measured against.
 * It refuses matrices that are not finite, and believes no info = 0 without finite values: one Inf
 * makes gesdd loop for ever with vectors, and without them answer NaN with info = 0. */
#include "attnspec/spectrum.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "spectrum/one_pass.h"
#include "spectrum/work.h"

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
    return as_fail(AS_EINVAL, "there is no driver '%s'; there are auto, onepass, gesdd and gesvd",
                   text);
}

const char *as_onepass_kernel(void) {
    return as_one_pass_kernel(0);
}

bool as_driver_takes(as_driver driver, size_t rows, size_t cols) {
    return driver != AS_DRIVER_ONEPASS || as_one_pass_takes(rows, cols);
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

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* LAPACK's copy and the scratch of one_pass for every square within the shape are the same room. */
static size_t copy_size(size_t rows, size_t cols) {
    size_t n = smaller(smaller(rows, cols), AS_ONE_PASS_LARGEST);
    size_t scratch = as_one_pass_takes(n, n) ? as_one_pass_scratch(n) : 0;
    return rows * cols > scratch ? rows * cols : scratch;
}

uint64_t as_spectrum_work_bytes(size_t rows, size_t cols) {
    if (as_spectrum_check_size(rows, cols) != AS_OK) {
        return UINT64_MAX;
    }
    return (copy_size(rows, cols) + 2 * smaller(rows, cols) + as_lapack_lwork(rows, cols)) *
               sizeof(double) +
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
    work->copy = as_alloc(copy_size(rows, cols) * sizeof(double));
    work->sigma = as_alloc(smaller(rows, cols) * sizeof(double));
    work->e = as_alloc(smaller(rows, cols) * sizeof(double));
    work->lapack.lwork = lwork;
    work->lapack.work = as_alloc(lwork * sizeof(double));
    work->lapack.iwork = as_alloc(as_lapack_iwork_bytes(rows, cols));
    if (work->copy == NULL || work->sigma == NULL || work->e == NULL || work->lapack.work == NULL ||
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
        free(work->e);
        free(work->lapack.work);
        free(work->lapack.iwork);
        free(work->re);
        free(work->im);
        free(work->sorted);
        free(work->eigen.work);
        free(work);
    }
}

/* Each driver's step: from a to work->sigma, LAPACK's info back. */
static int by_one_pass(const as_matrix *a, as_spectrum_work *work) {
    size_t n = a->rows;
    int exponent = as_one_pass_reduce(n, a->data, work->sigma, work->e, work->copy);
    int info = as_lapack_bdsqr(n, work->sigma, work->e, &work->lapack);
    for (size_t j = 0; j < n; j++) {
        work->sigma[j] = ldexp(work->sigma[j], exponent);
    }
    return info;
}

static int by_lapack(as_lapack_values *values, const as_matrix *a, as_spectrum_work *work) {
    memcpy(work->copy, a->data, a->rows * a->cols * sizeof(double));
    return values(a->rows, a->cols, work->copy, work->sigma, &work->lapack);
}

/* Values that are not finite: of a matrix whose norm float64 cannot hold, or LAPACK's fault. */
static as_status fail_infinite(const as_matrix *a, as_driver driver) {
    double largest = 0;
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        largest = fmax(largest, fabs(a->data[i]));
    }
    return largest > DBL_MAX / sqrt((double)a->rows * (double)a->cols)
               ? as_fail(AS_ENONFINITE,
                         "its singular values are beyond float64: the largest entry "
                         "is %.3g",
                         largest)
               : as_fail(AS_ENOCONV, "%s reported success with values that are not finite",
                         driver_names[driver]);
}

static as_status attempt(const as_matrix *a, as_driver driver, as_spectrum_work *work) {
    if (driver != AS_DRIVER_ONEPASS && as_blas_ready() != AS_OK) {
        return AS_ENOMEM;
    }
    int info = driver == AS_DRIVER_ONEPASS ? by_one_pass(a, work)
               : driver == AS_DRIVER_GESDD ? by_lapack(as_lapack_gesdd, a, work)
                                           : by_lapack(as_lapack_gesvd, a, work);
    if (info != 0) {
        return as_fail(AS_ENOCONV, "%s did not converge (info = %d)", driver_names[driver], info);
    }
    if (!as_all_finite(work->sigma, smaller(a->rows, a->cols))) {
        return fail_infinite(a, driver);
    }
    return AS_OK;
}

static as_status check(const as_matrix *a, as_driver driver, const as_spectrum_work *work) {
    if (a->rows == 0 || a->cols == 0 || (unsigned)driver >= AS_DRIVER_COUNT) {
        return as_fail(AS_EINVAL, "a matrix of %zu × %zu has no spectrum", a->rows, a->cols);
    }
    if (!as_driver_takes(driver, a->rows, a->cols)) {
        return as_fail(AS_EINVAL, "onepass does not take a matrix of %zu × %zu", a->rows, a->cols);
    }
    if (a->rows > work->rows || a->cols > work->cols) {
        return as_fail(AS_EINVAL, "a workspace for %zu × %zu is too small for %zu × %zu",
                       work->rows, work->cols, a->rows, a->cols);
    }
    if (!as_all_finite(a->data, a->rows * a->cols)) {
        return as_fail(AS_ENONFINITE, "the matrix holds NaN or infinity");
    }
    return AS_OK;
}

as_status as_singular_values(const as_matrix *a, as_driver driver, as_spectrum_work *work,
                             double *sigma, as_driver *used) {
    static const as_driver order[] = {AS_DRIVER_ONEPASS, AS_DRIVER_GESDD, AS_DRIVER_GESVD};
    as_status status = check(a, driver, work);
    if (status != AS_OK) {
        return status;
    }
    status = AS_ENOCONV;
    for (size_t i = 0; i < sizeof order / sizeof *order && status == AS_ENOCONV; i++) {
        bool applies = as_driver_takes(order[i], a->rows, a->cols);
        if (applies && (driver == AS_DRIVER_AUTO || driver == order[i])) {
            status = attempt(a, order[i], work);
            if (status == AS_OK) {
                memcpy(sigma, work->sigma, smaller(a->rows, a->cols) * sizeof *sigma);
                if (used != NULL) {
                    *used = order[i];
                }
            }
        }
    }
    return status;
}
