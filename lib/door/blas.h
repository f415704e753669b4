/* door/blas: the one way to CBLAS. */
#ifndef AS_DOOR_BLAS_H
#define AS_DOOR_BLAS_H

#include "attnspec/base.h"

/* c = scale·a bᵀ + kept·c.
 *   a [m][d], b [n][d], c [m][n], all row-major; c is not read where kept is 0
 * AS_ETOOLARGE where a size is beyond BLAS's integer, AS_ENOMEM of as_blas_ready(). */
as_status as_blas_product(size_t m, size_t n, size_t d, double scale, const double *a,
                          const double *b, double kept, double *c);

/* c = a b + kept·c, each of a and b as it is or transposed, row-major with rows apart by lda, ldb, ldc:
 *   a [m][k], or [k][m] where a_transposed; b [k][n], or [n][k] where b_transposed; c [m][n]
 * Sizes are the caller's to check against as_blas_counts(); no failure is left then. */
typedef struct as_gemm {
    bool a_transposed, b_transposed;
    size_t m, n, k, lda, ldb, ldc;
    double kept;
} as_gemm;
void as_blas_gemm_f32(const as_gemm *g, const float *a, const float *b, float *c);
void as_blas_gemm_f64(const as_gemm *g, const double *a, const double *b, double *c);
/* Whether a size, or a product of sizes, is within BLAS's integer. */
bool as_blas_counts(size_t size);

#endif
