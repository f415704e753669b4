/* The one way to LAPACK: row-major matrices, size_t sizes, no allocation.
 * It refuses sizes that LAPACK's integer does not count; callers ask as_lapack_limit() first. */
#include "door/lapack.h"

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
