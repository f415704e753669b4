/* door/blas: the one way to CBLAS. */
#ifndef AS_DOOR_BLAS_H
#define AS_DOOR_BLAS_H

#include "attnspec/base.h"

/* c = scale·a bᵀ + kept·c.
 *   a [m][d], b [n][d], c [m][n], all row-major; c is not read where kept is 0
 * AS_ETOOLARGE where a size is beyond BLAS's integer. */
as_status as_blas_product(size_t m, size_t n, size_t d, double scale, const double *a,
                          const double *b, double kept, double *c);

#endif
