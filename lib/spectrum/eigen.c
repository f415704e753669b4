/* Eigenvalues, general and symmetric: LAPACK's values in an order that does not depend on the last
 * digit, equations E1 and E2 of docs/maths.md. A triangular matrix needs no solver.
 * It refuses what is not square or not finite, and believes no info = 0 without finite values. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "spectrum/work.h"

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

/* n·ε·‖A‖_F: what a backward stable solver cannot tell from equal. Summed near 1, so that the squares
 * neither overflow nor underflow. */
static double tolerance_of(const as_matrix *a) {
    double largest = 0, sum = 0;
    size_t entries = a->rows * a->cols;
    for (size_t i = 0; i < entries; i++) {
        largest = fmax(largest, fabs(a->data[i]));
    }
    for (size_t i = 0; i < entries && largest > 0; i++) {
        double x = a->data[i] / largest;
        sum += x * x;
    }
    return (double)a->rows * DBL_EPSILON * sqrt(sum) * largest;
}

/* Each order is total: where the first key ties, the others decide, so nothing depends on how the
 * solver lists its values. */
static int falling(double x, double y) {
    return (x < y) - (x > y);
}
static int by_magnitude(const void *a, const void *b) {
    const as_eigenvalue *x = a, *y = b;
    int order = falling(x->magnitude, y->magnitude);
    order = order != 0 ? order : falling(x->re, y->re);
    return order != 0 ? order : falling(x->im, y->im);
}
static int by_real_part(const void *a, const void *b) {
    const as_eigenvalue *x = a, *y = b;
    int order = falling(x->re, y->re);
    return order != 0 ? order : falling(x->im, y->im);
}
static int by_imaginary_part(const void *a, const void *b) {
    const as_eigenvalue *x = a, *y = b;
    int order = falling(x->im, y->im);
    return order != 0 ? order : falling(x->re, y->re);
}

static double magnitude_of(const as_eigenvalue *value) {
    return value->magnitude;
}
static double real_part_of(const as_eigenvalue *value) {
    return value->re;
}

/* The end of the run that starts at `first`: neighbours in it differ by no more than the
 * tolerance. */
static size_t run_end(const as_eigenvalue *v, size_t first, size_t n, double tolerance,
                      double (*key)(const as_eigenvalue *)) {
    size_t end = first + 1;
    while (end < n && key(&v[end - 1]) - key(&v[end]) <= tolerance) {
        end++;
    }
    return end;
}

/* E1. A comparator with a tolerance would be no order: runs are split after each sort instead. */
static void sort(as_eigenvalue *v, size_t n, double tolerance) {
    qsort(v, n, sizeof *v, by_magnitude);
    for (size_t i = 0, end; i < n; i = end) {
        end = run_end(v, i, n, tolerance, magnitude_of);
        qsort(v + i, end - i, sizeof *v, by_real_part);
        for (size_t k = i, stop; k < end; k = stop) {
            stop = run_end(v, k, end, tolerance, real_part_of);
            qsort(v + k, stop - k, sizeof *v, by_imaginary_part);
        }
    }
}

static as_status make_room(as_spectrum_work *work) {
    if (work->eigen.work != NULL) {
        return AS_OK;
    }
    size_t n = work->rows < work->cols ? work->rows : work->cols;
    size_t lwork = as_lapack_eigen_lwork(n);
    if (lwork == 0) {
        return as_fail(AS_ETOOLARGE, "LAPACK has no workspace for eigenvalues of order %zu", n);
    }
    double *re = as_alloc(n * sizeof *re), *im = as_alloc(n * sizeof *im);
    as_eigenvalue *sorted = as_alloc(n * sizeof *sorted);
    double *room = as_alloc(lwork * sizeof *room);
    if (re == NULL || im == NULL || sorted == NULL || room == NULL) {
        free(re);
        free(im);
        free(sorted);
        free(room);
        return as_fail(AS_ENOMEM, "no memory for eigenvalues of order %zu", n);
    }
    work->re = re;
    work->im = im;
    work->sorted = sorted;
    work->eigen = (as_lapack_work){.work = room, .lwork = lwork};
    return AS_OK;
}

static as_status check(const as_matrix *a, as_spectrum_work *work) {
    if (a->rows != a->cols || a->rows == 0) {
        return as_fail(AS_EINVAL, "a matrix of %zu × %zu has no eigenvalues: it is not square",
                       a->rows, a->cols);
    }
    if (a->rows > work->rows || a->rows > work->cols) {
        return as_fail(AS_EINVAL, "a workspace for %zu × %zu is too small for %zu × %zu",
                       work->rows, work->cols, a->rows, a->cols);
    }
    if (!as_all_finite(a->data, a->rows * a->cols)) {
        return as_fail(AS_ENONFINITE, "the matrix holds NaN or infinity");
    }
    return make_room(work);
}

static as_status believe(const char *driver, int info, const double *re, const double *im,
                         size_t n) {
    if (info != 0) {
        return as_fail(AS_ENOCONV, "%s did not converge (info = %d)", driver, info);
    }
    if (!as_all_finite(re, n) || !as_all_finite(im, n)) {
        return as_fail(AS_ENOCONV, "%s reported success with values that are not finite", driver);
    }
    return AS_OK;
}

as_status as_eigenvalues(const as_matrix *a, as_spectrum_work *work, double *re, double *im) {
    as_status status = check(a, work);
    if (status != AS_OK) {
        return status;
    }
    size_t n = a->rows;
    if (as_is_triangular(a)) {
        for (size_t i = 0; i < n; i++) {
            work->re[i] = a->data[i * n + i];
            work->im[i] = 0;
        }
    } else {
        memcpy(work->copy, a->data, n * n * sizeof(double));
        int info = as_lapack_geev(n, work->copy, work->re, work->im, &work->eigen);
        status = believe("geev", info, work->re, work->im, n);
    }
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < n; i++) {
        work->sorted[i] =
            (as_eigenvalue){work->re[i], work->im[i], hypot(work->re[i], work->im[i])};
    }
    sort(work->sorted, n, tolerance_of(a));
    for (size_t i = 0; i < n; i++) {
        re[i] = work->sorted[i].re + 0.0; /* + 0.0: no value is −0 */
        im[i] = work->sorted[i].im + 0.0;
    }
    return AS_OK;
}

as_status as_symmetric_eigenvalues(const as_matrix *a, as_spectrum_work *work, double *lambda) {
    as_status status = check(a, work);
    if (status != AS_OK) {
        return status;
    }
    size_t n = a->rows;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            /* Halved before the sum, which could overflow. */
            double x = a->data[i * n + k] / 2 + a->data[k * n + i] / 2;
            work->copy[i * n + k] = x;
            work->copy[k * n + i] = x;
        }
    }
    int info = as_lapack_syevd(n, work->copy, work->re, &work->eigen);
    status = believe("syevd", info, work->re, work->re, n);
    for (size_t i = 0; i < n && status == AS_OK; i++) {
        lambda[i] = work->re[n - 1 - i] + 0.0;
    }
    return status;
}
