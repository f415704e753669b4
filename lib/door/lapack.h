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

/* Doubles, and bytes of integers, that all of these are content with; 0 where the shape does not fit
 * (as_lapack_limit) or LAPACK refuses the query. */
size_t as_lapack_lwork(size_t rows, size_t cols);
size_t as_lapack_iwork_bytes(size_t rows, size_t cols);

/* The largest number of entries whose index, and the largest workspace whose size, LAPACK's integer
 * still counts. Beyond it LAPACK does not fail: it overflows in silence and answers info = 0. */
uint64_t as_lapack_limit(void);

#endif
