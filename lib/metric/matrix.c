/* Metrics of the matrix itself, equations M16 and M18 to M21 of docs/maths.md: its symmetric part,
 * the entropy of its rows, and what its eigenvalues say.
 * It runs no eigensolver: where the matrix is not triangular and the caller has no eigenvalues those
 * are null, not_requested. */
#include "attnspec/spectrum.h"
#include "metric/account.h"
#include "metric/attention.h"
#include "metric/toeplitz.h"

/* The power of two that brings the largest entry near 1: squares of the scaled entries neither
 * overflow nor underflow, and powers of two round nothing. 0 for a zero matrix. Of the rows and
 * columns from `first` on. */
static double scale_of(const as_matrix *a, size_t first) {
    double largest = 0;
    for (size_t i = first; i < a->rows; i++) {
        for (size_t k = first; k < a->cols; k++) {
            double x = fabs(a->data[i * a->cols + k]);
            largest = x > largest ? x : largest;
        }
    }
    if (largest == 0) {
        return 0;
    }
    int exponent;
    frexp(largest, &exponent);
    return ldexp(1.0, exponent < -1000 ? 1000 : -exponent);
}

static double sum_of_squares(const as_matrix *a, double scale) {
    double sum = 0;
    for (size_t i = 0; i < a->rows; i++) {
        double row = 0;
        for (size_t k = 0; k < a->cols; k++) {
            double x = a->data[i * a->cols + k] * scale;
            row += x * x;
        }
        sum += row;
    }
    return sum;
}

/* M19: ‖(A+Aᵀ)/2‖²_F / ‖A‖²_F. */
static void symmetric_fraction(const as_matrix *a, double scale, double energy,
                               as_metrics *account) {
    double sum = 0;
    for (size_t i = 0; i < a->rows; i++) {
        double d = a->data[i * a->cols + i] * scale, row = 0;
        for (size_t k = 0; k < i; k++) {
            double x = (a->data[i * a->cols + k] * scale + a->data[k * a->cols + i] * scale) / 2;
            row += x * x;
        }
        sum += d * d + 2 * row;
    }
    put(account, AS_METRIC_symmetric_fraction, fmin(1, sum / energy));
}

/* M21: fully masked rows, which are all zero, are left out. A negative entry has no entropy, so the
 * matrix is then not one of weights, whatever it was called. */
static void attention_entropy(const as_logits *logits, as_metrics *account) {
    const as_matrix *a = &logits->a;
    double total = 0;
    size_t counted = 0;
    for (size_t i = 0; i < a->rows; i++) {
        double entropy = 0, sum = 0;
        for (size_t k = 0; k < a->cols; k++) {
            double p = a->data[i * a->cols + k];
            if (p < 0) {
                return;
            }
            sum += p;
            entropy -= p > 0 ? p * log(p) : 0;
        }
        if (sum > 0) {
            total += entropy;
            counted++;
        }
    }
    if (counted == 0) {
        put_null(account, AS_METRIC_attention_entropy, AS_REASON_ZERO_MATRIX);
    } else {
        /* + 0.0: one-hot rows give 0, never −0. */
        put(account, AS_METRIC_attention_entropy, total / (double)counted + 0.0);
    }
}

/* M18, M20 and M16. Value i is re[i·step] + i·im[i·step]; im NULL: real. */
static void eigen(const as_logits *logits, const double *re, const double *im, size_t step,
                  as_metrics *account) {
    const as_matrix *a = &logits->a;
    double scale = scale_of(a, 0), energy = sum_of_squares(a, scale);
    double first = 0, second = 0, squares = 0;
    for (size_t i = 0; i < a->rows; i++) {
        double imaginary = im != NULL ? im[i * step] : 0;
        double value = hypot(re[i * step], imaginary);
        double scaled = hypot(re[i * step] * scale, imaginary * scale);
        squares += scaled * scaled;
        if (value > first) {
            second = first;
            first = value;
        } else if (value > second) {
            second = value;
        }
    }
    put(account, AS_METRIC_spectral_radius, first);
    if (energy > 0) {
        put(account, AS_METRIC_nonnormality, sqrt(fmax(0, energy - squares) / energy));
    }
    if (is_weights(logits) && a->rows > 1) {
        put(account, AS_METRIC_markov_gap, 1 - second);
    }
}

void as_metrics_eigen(const as_logits *logits, const double *re, const double *im,
                      as_metrics *account) {
    eigen(logits, re, im, 1, account);
}

/* What is null whatever the numbers are. */
static void nulls(const as_matrix *a, double energy, bool weights, as_metrics *account) {
    static const as_metric square_only[] = {AS_METRIC_spectral_radius, AS_METRIC_nonnormality,
                                            AS_METRIC_markov_gap, AS_METRIC_symmetric_fraction};
    for (size_t i = 0; i < sizeof square_only / sizeof *square_only; i++) {
        put_null(account, square_only[i],
                 a->rows != a->cols ? AS_REASON_NOT_SQUARE : AS_REASON_NOT_REQUESTED);
    }
    if (a->rows == a->cols && energy == 0) {
        put_null(account, AS_METRIC_nonnormality, AS_REASON_ZERO_MATRIX);
        put_null(account, AS_METRIC_symmetric_fraction, AS_REASON_ZERO_MATRIX);
    }
    if (!weights) {
        put_null(account, AS_METRIC_markov_gap, AS_REASON_NOT_WEIGHTS);
    } else if (a->rows == 1 && a->cols == 1) {
        put_null(account, AS_METRIC_markov_gap, AS_REASON_SINGLE_VALUE);
    }
    put_null(account, AS_METRIC_attention_entropy, AS_REASON_NOT_WEIGHTS);
}

void as_metrics_matrix(const as_logits *logits, as_metrics *account, double *profile) {
    const as_matrix *a = &logits->a;
    if (a->rows == 0 || a->cols == 0) {
        return;
    }
    bool weights = is_weights(logits);
    double scale = scale_of(a, 0), energy = sum_of_squares(a, scale);
    nulls(a, energy, weights, account);
    if (a->rows == a->cols && energy > 0) {
        symmetric_fraction(a, scale, energy, account);
    }
    if (as_is_triangular(a)) {
        eigen(logits, a->data, NULL, a->rows + 1, account); /* those on the diagonal */
    }
    if (weights) {
        attention_entropy(logits, account);
    }
    as_attention_masses(logits, account);
    as_toeplitz_split(logits, scale, account, profile);
}

void as_metrics_grid(const as_logits *logits, as_grid grid, as_metrics *account, double *offsets) {
    const as_matrix *a = &logits->a;
    if (as_grid_fits(grid, a->rows, a->cols)) {
        as_toeplitz_grid(logits, grid, scale_of(a, grid.leading), account, offsets);
    } else {
        put_null(account, AS_METRIC_toeplitz_fraction, AS_REASON_NOT_THE_GRID);
        put_null(account, AS_METRIC_toeplitz_residual, AS_REASON_NOT_THE_GRID);
    }
}
