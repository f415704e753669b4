/* spectrum: the numbers behind a matrix. One file a route; LAPACK is the reference. */
#ifndef ATTNSPEC_SPECTRUM_H
#define ATTNSPEC_SPECTRUM_H

#include "base.h"

AS_BEGIN_DECLS

/* How singular values are had. `onepass` is our own reduction to a bidiagonal matrix, which goes over
 * the matrix once a step, and LAPACK's dqds for that; square matrices of order 8 to 1024 only.
 * gesdd and gesvd are LAPACK's drivers: divide and conquer, and QR iteration. `auto` is onepass
 * where it applies, where that fails or does not apply gesdd, where that fails gesvd, each on a
 * fresh copy. */
#define AS_DRIVER_LIST(X)                                                                          \
    X(AS_DRIVER_AUTO, "auto")                                                                      \
    X(AS_DRIVER_ONEPASS, "onepass")                                                                \
    X(AS_DRIVER_GESDD, "gesdd")                                                                    \
    X(AS_DRIVER_GESVD, "gesvd")
typedef enum as_driver {
#define X(code, name) code,
    AS_DRIVER_LIST(X)
#undef X
        AS_DRIVER_COUNT
} as_driver;
const char *as_driver_name(as_driver driver);
as_status as_driver_parse(const char *text, as_driver *out);
/* What onepass runs on this processor: "avx512f", "avx2" or "portable". Digits differ between them
 * within the rounding, so results name it. Static. */
const char *as_onepass_kernel(void);
/* Whether the driver takes matrices of this shape; auto takes all. */
bool as_driver_takes(as_driver driver, size_t rows, size_t cols);

/* Room for the drivers; made once a thread, for the largest matrix of a loop. */
typedef struct as_spectrum_work as_spectrum_work;

/* AS_ETOOLARGE where a matrix of this shape is beyond LAPACK's 32-bit sizes, AS_ENOMEM. */
as_status as_spectrum_work_new(size_t rows, size_t cols, as_spectrum_work **out);
void as_spectrum_work_free(as_spectrum_work *work);
/* Bytes that as_spectrum_work_new() would take, for plans; UINT64_MAX where it overflows. */
uint64_t as_spectrum_work_bytes(size_t rows, size_t cols);
/* AS_OK, or AS_ETOOLARGE with the shape and the limit. Costs nothing. */
as_status as_spectrum_check_size(size_t rows, size_t cols);

/* Singular values of a, largest first.
 *   a      [m][n] row-major, borrowed, not modified
 *   sigma  [min(m,n)] written only on success
 *   used   the driver that gave them; written only on success; may be NULL
 *   work   made for at least m × n; one per thread
 * AS_ENONFINITE a holds NaN or infinity; AS_ENOCONV no driver converged, or one said so and gave
 * NaN; AS_EINVAL work is too small, or onepass was named for a shape that it does not take.
 * O(m n min(m,n)), no allocation. */
as_status as_singular_values(const as_matrix *a, as_driver driver, as_spectrum_work *work,
                             double *sigma, as_driver *used);

/* Whether every entry above the diagonal, or every one below it, is zero: then the diagonal holds
 * the eigenvalues and no solver is needed (theory: Schur form). False where not square. O(n²). */
bool as_is_triangular(const as_matrix *a);

/* Eigenvalues of a square matrix.
 *   a       [n][n] row-major, borrowed, not modified
 *   re, im  [n] written only on success, in the order of docs/maths.md: |λ| descending, then within
 *           runs of equal magnitude (to n·ε·‖A‖_F) real part descending, then imaginary part
 *           descending. Conjugate pairs are exact. A triangular matrix's are its diagonal.
 *   work    made for at least n × n; one per thread
 * AS_EINVAL not square or work too small; AS_ETOOLARGE; AS_ENONFINITE; AS_ENOCONV; AS_ENOMEM: the room for it, O(n),
 * is made at a workspace's first call.  O(n³) (25/3 n³), O(n²) where triangular. */
as_status as_eigenvalues(const as_matrix *a, as_spectrum_work *work, double *re, double *im);

/* Eigenvalues of the symmetric part (A + Aᵀ)/2 of a square matrix, largest first.
 *   lambda  [n] written only on success
 * Errors and room as above.  O(n³) (4/3 n³). */
as_status as_symmetric_eigenvalues(const as_matrix *a, as_spectrum_work *work, double *lambda);

/* Singular values of the complex product Q Kᴴ, for the norms of a sum over frequencies.
 *   q, k   [m][2r], [n][2r] row-major, re and im interleaved, any r
 *   mask   [m][n], 1 = masked to zero, or NULL
 *   sigma  [min(m,n)] written only on success, largest first
 * AS_EINVAL (factors of different size), AS_ETOOLARGE, AS_ENONFINITE, AS_ENOCONV; this one allocates its
 * own room: AS_ENOMEM.
 * O(m n min(m,n)); without a mask O((m + n) r²), r < min(m,n), by thin QR. */
as_status as_complex_singular_values(const as_matrix *q, const as_matrix *k,
                                     const unsigned char *mask, double *sigma);

AS_END_DECLS

#endif
