/* door/lapack: the one way to LAPACK. It alone knows column-major order and LAPACK's integer. */
#ifndef AS_DOOR_LAPACK_H
#define AS_DOOR_LAPACK_H

#include "attnspec/base.h"

/* The two drivers for singular values without vectors, one signature.
 *   a      [rows][cols] row-major, destroyed
 *   sigma  [min(rows,cols)], largest first, written
 *   work   [lwork] doubles; iwork [8·min(rows,cols)] integers (gesdd only)
 * Returns LAPACK's info: 0 says converged, which is to be checked, not believed. */
typedef struct as_lapack_work {
    double *work;
    size_t lwork;
    void *iwork;
} as_lapack_work;
typedef int as_lapack_values(size_t rows, size_t cols, double *a, double *sigma,
                             const as_lapack_work *work);
as_lapack_values as_lapack_gesdd, as_lapack_gesvd;

/* Singular values of an upper bidiagonal matrix by dqds.
 *   d     [n] diagonal; on return the values, largest first
 *   e     [n−1] superdiagonal, destroyed
 *   work  of at least 4n doubles
 * Returns LAPACK's info. */
int as_lapack_bdsqr(size_t n, double *d, double *e, const as_lapack_work *work);

/* Doubles, and bytes of integers, that all of the above are content with; 0 where the shape does not fit
 * (as_lapack_limit) or LAPACK refuses the query. */
size_t as_lapack_lwork(size_t rows, size_t cols);
size_t as_lapack_iwork_bytes(size_t rows, size_t cols);

/* Eigenvalues of a square matrix, and of a symmetric one (one triangle of it is read).
 *   a       [n][n] row-major, destroyed
 *   re, im  [n] in no order, conjugate pairs side by side, + before −;  lambda [n] smallest first
 *   work    of at least as_lapack_eigen_lwork(n) doubles, iwork is not used
 * Returns LAPACK's info. */
int as_lapack_geev(size_t n, double *a, double *re, double *im, const as_lapack_work *work);
int as_lapack_syevd(size_t n, double *a, double *lambda, const as_lapack_work *work);
/* Doubles that both are content with, for n and every smaller order; 0 as below. */
size_t as_lapack_eigen_lwork(size_t n);

/* Singular values of a complex matrix, and the triangle of its QR decomposition.
 *   a      [rows][cols] row-major, re and im interleaved, destroyed; zgeqrf leaves the upper
 *          triangle R [min][cols] in the first rows, zeros below its diagonal
 *   sigma  [min(rows,cols)], largest first, written
 *   room   [as_lapack_complex_bytes(rows, cols)] of this very shape, aligned for doubles
 * Return LAPACK's info. */
int as_lapack_zgesdd(size_t rows, size_t cols, double *a, double *sigma, void *room);
int as_lapack_zgeqrf(size_t rows, size_t cols, double *a, void *room);
/* 0 where the shape does not fit or LAPACK refuses the query. */
size_t as_lapack_complex_bytes(size_t rows, size_t cols);

/* The largest number of entries whose index, and the largest workspace whose size, LAPACK's integer
 * still counts. Beyond it LAPACK does not fail: it overflows in silence and answers info = 0. */
uint64_t as_lapack_limit(void);

#endif
