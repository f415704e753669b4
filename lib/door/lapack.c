/* The one way to LAPACK: row-major matrices, size_t sizes, no allocation.
 * It refuses sizes that LAPACK's integer does not count; callers ask as_lapack_limit() first. */
#include "door/lapack.h"

#include <complex.h>
#include <lapacke.h>
#include <math.h>

uint64_t as_lapack_limit(void) {
    return sizeof(lapack_int) == 4 ? INT32_MAX : INT64_MAX;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* A row-major m × n matrix is, to LAPACK, the column-major n × m transpose: the singular values are
 * the same, and nothing is copied. */
int as_lapack_gesdd(size_t rows, size_t cols, double *a, double *sigma,
                    const as_lapack_work *work) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows;
    double none;
    return (int)LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, a, m, sigma, &none, 1, &none, 1,
                                    work->work, (lapack_int)work->lwork, work->iwork);
}

int as_lapack_gesvd(size_t rows, size_t cols, double *a, double *sigma,
                    const as_lapack_work *work) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows;
    double none;
    return (int)LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', m, n, a, m, sigma, &none, 1, &none,
                                    1, work->work, (lapack_int)work->lwork);
}

int as_lapack_bdsqr(size_t n, double *d, double *e, const as_lapack_work *work) {
    double none;
    return (int)LAPACKE_dbdsqr_work(LAPACK_COL_MAJOR, 'U', (lapack_int)n, 0, 0, 0, d, e, &none, 1,
                                    &none, 1, &none, 1, work->work);
}

size_t as_lapack_lwork(size_t rows, size_t cols) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows;
    double gesdd = 0, gesvd = 0, none;
    lapack_int nothing;
    lapack_int info = LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, &none, m, &none, &none, 1,
                                          &none, 1, &gesdd, -1, &nothing);
    info |= LAPACKE_dgesvd_work(LAPACK_COL_MAJOR, 'N', 'N', m, n, &none, m, &none, &none, 1, &none,
                                1, &gesvd, -1);
    /* The documented minima of both (gesdd: 3q + max(p, 7q); gesvd: 3q + p) grow with the shape, so
     * this serves every smaller shape too; the queried optimum of a tall matrix alone does not. */
    double q = (double)smaller(rows, cols), p = (double)(rows + cols) - q;
    double most = fmax(fmax(gesdd, gesvd), 10 * q + p);
    return info == 0 && most >= 1 && most < (double)as_lapack_limit() ? (size_t)most : 0;
}

size_t as_lapack_iwork_bytes(size_t rows, size_t cols) {
    return 8 * smaller(rows, cols) * sizeof(lapack_int);
}

size_t as_lapack_eigen_lwork(size_t n) {
    lapack_int order = (lapack_int)n;
    double geev = 0, syevd = 0, none;
    lapack_int nothing;
    lapack_int info = LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', order, &none, order, &none,
                                         &none, &none, 1, &none, 1, &geev, -1);
    info |= LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'N', 'L', order, &none, order, &none, &syevd, -1,
                                &nothing, -1);
    /* The documented minima (geev: 3n; syevd: 2n + 1) serve every smaller order too. */
    double most = fmax(fmax(geev, syevd), 3 * (double)n + 1);
    return info == 0 && most < (double)as_lapack_limit() ? (size_t)most : 0;
}

/* Eigenvalues of the transpose, which is what LAPACK sees, are those of the matrix. */
int as_lapack_geev(size_t n, double *a, double *re, double *im, const as_lapack_work *work) {
    lapack_int order = (lapack_int)n;
    double none;
    return (int)LAPACKE_dgeev_work(LAPACK_COL_MAJOR, 'N', 'N', order, a, order, re, im, &none, 1,
                                   &none, 1, work->work, (lapack_int)work->lwork);
}

int as_lapack_syevd(size_t n, double *a, double *lambda, const as_lapack_work *work) {
    lapack_int order = (lapack_int)n, nothing;
    return (int)LAPACKE_dsyevd_work(LAPACK_COL_MAJOR, 'N', 'L', order, a, order, lambda, work->work,
                                    (lapack_int)work->lwork, &nothing, 1);
}

/* zgesdd's documented minima without vectors: 2q + p complex, 7q real, 8q integers. One block holds
 * all three: complex first, then real, then integers, so that each is aligned. */
static size_t complex_lwork(size_t rows, size_t cols) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows, nothing;
    lapack_complex_double gesdd = 0, gelqf = 0, none;
    double real;
    lapack_int info = LAPACKE_zgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, &none, m, &real, &none, 1,
                                          &none, 1, &gesdd, -1, &real, &nothing);
    info |= LAPACKE_zgelqf_work(LAPACK_COL_MAJOR, m, n, &none, m, &none, &gelqf, -1);
    double q = (double)smaller(rows, cols), p = (double)(rows + cols) - q;
    double most = fmax(fmax(creal(gesdd), creal(gelqf)), 2 * q + p);
    return info == 0 && most < (double)as_lapack_limit() ? (size_t)most : 0;
}

size_t as_lapack_complex_bytes(size_t rows, size_t cols) {
    size_t q = smaller(rows, cols), lwork = complex_lwork(rows, cols);
    return lwork == 0 ? 0
                      : lwork * sizeof(lapack_complex_double) + 7 * q * sizeof(double) +
                            8 * q * sizeof(lapack_int);
}

int as_lapack_zgesdd(size_t rows, size_t cols, double *a, double *sigma, void *room) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows;
    size_t lwork = complex_lwork(rows, cols);
    lapack_complex_double *work = room, none;
    double *real = (double *)(work + lwork);
    lapack_int *integers = (lapack_int *)(real + 7 * smaller(rows, cols));
    return (int)LAPACKE_zgesdd_work(LAPACK_COL_MAJOR, 'N', m, n, (void *)a, m, sigma, &none, 1,
                                    &none, 1, work, (lapack_int)lwork, real, integers);
}

/* Row-major Q = (column-major Qᵀ) = L W with orthonormal rows of W, so Q = Wᵀ Lᵀ. */
int as_lapack_zgeqrf(size_t rows, size_t cols, double *a, void *room) {
    lapack_int m = (lapack_int)cols, n = (lapack_int)rows;
    size_t lwork = complex_lwork(rows, cols), q = smaller(rows, cols);
    lapack_complex_double *work = room;
    /* tau takes the room of zgesdd's real and integer work: 2q doubles of 7q. */
    lapack_complex_double *tau = work + lwork;
    int info = (int)LAPACKE_zgelqf_work(LAPACK_COL_MAJOR, m, n, (void *)a, m, tau, work,
                                        (lapack_int)lwork);
    for (size_t l = 0; l < q; l++) {
        for (size_t j = 0; j < l; j++) {
            a[2 * (l * cols + j)] = 0;
            a[2 * (l * cols + j) + 1] = 0;
        }
    }
    return info;
}
