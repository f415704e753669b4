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
    cblas_dgemm(CblasRowMajor, CblasNoTrans, CblasTrans, (int)m, (int)n, (int)d, scale, a, (int)d,
                b, (int)d, kept, c, (int)n);
    return AS_OK;
}
