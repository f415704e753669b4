/* one_pass: bidiagonalisation that reads and writes the matrix once a step. Private to this room. */
#ifndef AS_SPECTRUM_ONE_PASS_H
#define AS_SPECTRUM_ONE_PASS_H

#include <stdbool.h>
#include <stddef.h>

/* Above it four columns and the vectors leave the first-level cache, and LAPACK's blocked reduction
 * gains on this one. */
enum { AS_ONE_PASS_LARGEST = 1024 };

/* Whether the route takes a matrix of this shape: square, of order 8 … LARGEST. */
bool as_one_pass_takes(size_t rows, size_t cols);

/* Doubles of scratch, 64-byte aligned, that order n needs. */
size_t as_one_pass_scratch(size_t n);

/* Reduces a square matrix to an upper bidiagonal one of the same singular values, times a power of
 * two.
 *   a        [n][n] row-major, finite, not modified
 *   d, e     [n], [n−1] written: diagonal and superdiagonal
 *   scratch  [as_one_pass_scratch(n)], destroyed
 * Returns the exponent p: σ(a) = 2^p · σ(bidiagonal). 8/3·n³ operations; backward stable, as every
 * product of Householder reflections. */
int as_one_pass_reduce(size_t n, const double *a, double *d, double *e, double *scratch);

/* The same by the kernel of that index, for tests of every one that this processor runs; as
 * as_one_pass_reduce() takes index 0. The name is "avx512f", "avx2" or "portable", NULL past the
 * last one. Digits differ between kernels within the rounding. */
int as_one_pass_reduce_by(size_t kernel, size_t n, const double *a, double *d, double *e,
                          double *scratch);
const char *as_one_pass_kernel(size_t index);

#endif
