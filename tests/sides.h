/* Two spectra to compare, and random numbers for them: an LCG and Box–Muller, so that a test's numbers
 * are its own. */
#ifndef AS_TESTS_SIDES_H
#define AS_TESTS_SIDES_H

#include "support.h"

static uint64_t state;
static inline double uniform(void) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return ((double)(state >> 11) + 0.5) * 0x1p-53;
}
static inline double gaussian(void) {
    return sqrt(-2 * log(uniform())) * cos(2 * 3.14159265358979323846 * uniform());
}
static inline void seed(int number) {
    state = (uint64_t)number * UINT64_C(0x9E3779B97F4A7C15) + 1;
    for (int i = 0; i < 8; i++) {
        uniform();
    }
}
static inline void fill(double *x, size_t count) {
    for (size_t i = 0; i < count; i++) {
        x[i] = gaussian();
    }
}

/* One side of a comparison. */
typedef struct side {
    double sigma[256], lambda[256];
} side;

static inline void measure(const double *entries, size_t rows, size_t cols, side *out) {
    as_matrix a = {.data = (double *)(uintptr_t)entries, .rows = rows, .cols = cols};
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(rows, cols, &work));
    assert_ok(as_singular_values(&a, AS_DRIVER_AUTO, work, out->sigma, NULL));
    if (rows == cols) {
        assert_ok(as_symmetric_eigenvalues(&a, work, out->lambda));
    }
    as_spectrum_work_free(work);
}

static inline as_contraction_input input_of(const side *coupled, const side *content, size_t rows,
                                            size_t cols) {
    bool square = rows == cols;
    return (as_contraction_input){.gain = 1,
                                  .rows = rows,
                                  .cols = cols,
                                  .coupled = coupled->sigma,
                                  .content = content->sigma,
                                  .coupled_symmetric = square ? coupled->lambda : NULL,
                                  .content_symmetric = square ? content->lambda : NULL};
}

#endif
