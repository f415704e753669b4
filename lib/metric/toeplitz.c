/* The Toeplitz split: each diagonal's mean over unmasked entries is the nearest Toeplitz matrix in
 * the Frobenius norm, P_T(A). Equations M22 and M23 of docs/maths.md. */
#include "metric/toeplitz.h"

#include <string.h>

#include "metric/account.h"

typedef struct split {
    const as_logits *logits;
    double scale;
    double *sum;   /* [rows+cols−1], then the mean, of scaled entries */
    double *count; /* [rows+cols−1] */
} split;

/* Entry (i, k) lies on diagonal i − k + cols − 1: Δ = that − (rows − 1). */
static void diagonal_sums(split *s) {
    const as_matrix *a = &s->logits->a;
    const unsigned char *masked = s->logits->masked;
    for (size_t i = 0; i < a->rows; i++) {
        const double *row = a->data + i * a->cols;
        double *sum = s->sum + i + a->cols - 1, *count = s->count + i + a->cols - 1;
        for (size_t k = 0; k < a->cols; k++) {
            double kept = masked != NULL && masked[i * a->cols + k] ? 0 : 1;
            sum[-(ptrdiff_t)k] += kept * (row[k] * s->scale);
            count[-(ptrdiff_t)k] += kept;
        }
    }
}

/* Energies over unmasked entries, scaled. */
typedef struct energies {
    double all;        /* Σ a² */
    double about_mean; /* Σ (a − ā)² */
    double residual;   /* Σ (a − t)² */
    double toeplitz;   /* Σ (t − ā)² */
} energies;

static energies energies_of(const split *s, double mean) {
    const as_matrix *a = &s->logits->a;
    const unsigned char *masked = s->logits->masked;
    energies e = {0};
    for (size_t i = 0; i < a->rows; i++) {
        const double *row = a->data + i * a->cols, *t = s->sum + i + a->cols - 1;
        energies r = {0};
        for (size_t k = 0; k < a->cols; k++) {
            if (masked != NULL && masked[i * a->cols + k]) {
                continue;
            }
            double x = row[k] * s->scale, d = x - mean, rest = x - t[-(ptrdiff_t)k];
            double part = t[-(ptrdiff_t)k] - mean;
            r.all += x * x;
            r.about_mean += d * d;
            r.residual += rest * rest;
            r.toeplitz += part * part;
        }
        e.all += r.all;
        e.about_mean += r.about_mean;
        e.residual += r.residual;
        e.toeplitz += r.toeplitz;
    }
    return e;
}

static void enter(const as_matrix *a, energies e, as_metrics *account) {
    if (!(e.all > 0)) {
        put_null(account, AS_METRIC_toeplitz_fraction, AS_REASON_ZERO_MATRIX);
        put_null(account, AS_METRIC_toeplitz_residual, AS_REASON_ZERO_MATRIX);
        return;
    }
    put(account, AS_METRIC_toeplitz_residual, sqrt(e.residual / e.all));
    /* Where all entries are one value, what is left about the mean is rounding. */
    double rounding = fmax((double)a->rows, (double)a->cols) * DBL_EPSILON;
    if (e.about_mean <= rounding * rounding * e.all) {
        put_null(account, AS_METRIC_toeplitz_fraction, AS_REASON_SINGLE_VALUE);
    } else {
        put(account, AS_METRIC_toeplitz_fraction, fmin(1, e.toeplitz / e.about_mean));
    }
}

void as_toeplitz_split(const as_logits *logits, double scale, as_metrics *account,
                       double *profile) {
    const as_matrix *a = &logits->a;
    size_t diagonals = a->rows + a->cols - 1;
    split s = {logits, scale, profile, profile + diagonals};
    memset(profile, 0, 2 * diagonals * sizeof *profile);
    diagonal_sums(&s);
    double total = 0, count = 0;
    for (size_t p = 0; p < diagonals; p++) {
        total += s.sum[p];
        count += s.count[p];
        s.sum[p] /= s.count[p]; /* NaN where the diagonal has no entry */
    }
    enter(a, count > 0 ? energies_of(&s, total / count) : (energies){0}, account);
    for (size_t p = 0; p < diagonals && scale > 0; p++) {
        s.sum[p] /= scale;
    }
}
