/* ww: the parts that WeightWatcher's metrics are made of. Private to this room.
 * Spectra come as logarithms relative to the largest value, l_i = ln(Λ_i/Λ₁) ≤ 0, largest first: scales
 * of the matrix then cancel, and squares neither overflow nor underflow. */
#ifndef AS_METRIC_WW_H
#define AS_METRIC_WW_H

#include "attnspec/metric.h"

/* W1 and W2: the power law p(Λ) ∝ Λ^−α, Λ ≥ x_min, of the tail whose Kolmogorov distance is least. */
typedef struct as_power_law {
    double alpha, ks_distance;
    size_t tail; /* values in it: x_min is the last of them, ln[tail − 1] */
} as_power_law;

/* Fits it to ln [count], finite. A tail whose logarithms differ by no more than `resolution` is no
 * candidate; false where there is none.  O(count²) at most. */
bool as_power_law_fit(const double *ln, size_t count, double resolution, as_power_law *out);

/* log₁₀ Σ exp(power·l_i); an l_i may be −∞.  O(count). */
double as_log10_power_sum(const double *ln, size_t count, double power);

/* W6 to W8: the bulk of Marchenko and Pastur. */
typedef struct as_bulk {
    double edge;   /* λ₊/Λ₁ */
    size_t spikes; /* values beyond it by more than its fluctuation */
} as_bulk;

/* Of ln [count], finite, of a matrix whose larger dimension is `larger` ≥ count.  O(count) and a few
 * 10⁵ steps for each pass, of which there is one more than spikes at most. */
as_bulk as_bulk_fit(const double *ln, size_t count, size_t larger);

/* W9: the distance between the eigenvalues of two matrices of equal Frobenius norm, from their
 * singular values, largest first, the largest positive.  O(q). */
double as_rank_distance(const double *sigma, const double *other, size_t q);

/* The entries of a in a random order, out [rows·cols]; the order depends on shape and seed alone.
 * Errors of as_stream_new(). */
as_status as_shuffle(const as_matrix *a, uint64_t seed, double *out);

#endif
