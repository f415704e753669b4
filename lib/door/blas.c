/* The one way to CBLAS: row-major matrices, size_t sizes.
 * It refuses sizes that BLAS's integer does not count. */
#include "door/blas.h"

#include "base/fail.h"

#include <cblas.h>
#include <limits.h>

as_status as_blas_product(size_t m, size_t n, size_t d, double scale, const double *a,
                          const double *b, double kept, double *c) {
    if (m > INT_MAX || n > INT_MAX || d > INT_MAX) {
        return as_fail(AS_ETOOLARGE, "a product of %zu × %zu and %zu × %zu is beyond BLAS", m, d, d,
                       n);
    }
    if (as_blas_ready() != AS_OK) {
        return AS_ENOMEM;
    }
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)d, scale, a, (int)d,
                b, (int)d, kept, c, (int)n);
    return AS_OK;
}

bool as_blas_counts(size_t size) {
    return size <= INT_MAX;
}

static CBLAS_TRANSPOSE transposed(bool is) {
    return is ? CblasTrans : CblasNoTrans;
}

void as_blas_gemm_f32(const as_gemm *g, const float *a, const float *b, float *c) {
    cblas_sgemm(CblasRowMajor, transposed(g->a_transposed), transposed(g->b_transposed), (int)g->m,
                (int)g->n, (int)g->k, 1, a, (int)g->lda, b, (int)g->ldb, (float)g->kept, c,
                (int)g->ldc);
}

void as_blas_gemm_f64(const as_gemm *g, const double *a, const double *b, double *c) {
    cblas_dgemm(CblasRowMajor, transposed(g->a_transposed), transposed(g->b_transposed), (int)g->m,
                (int)g->n, (int)g->k, 1, a, (int)g->lda, b, (int)g->ldb, g->kept, c, (int)g->ldc);
}
