/* The Toeplitz split: the mean over the unmasked entries of each offset is the nearest Toeplitz matrix
 * in the Frobenius norm, P_T(A); with offsets on a grid, the nearest one of Toeplitz blocks that are
 * block Toeplitz. Equations M22 and M23 of docs/maths.md. It refuses nothing. */
#include "metric/toeplitz.h"

#include <string.h>

#include "metric/account.h"

/* Queries and keys stand in `height` rows, `queries` and `keys` of them in each. All tokens in one
 * row: the offsets are those of the diagonals. */
typedef struct split {
    const as_logits *logits;
    double scale;
    size_t leading; /* tokens before the grid, left out */
    size_t height, queries, keys;
    double *sum;   /* [(2·height−1)·(queries+keys−1)], then the mean, of scaled entries */
    double *count; /* [the same] */
} split;

static size_t offset_count(const split *s) {
    return (2 * s->height - 1) * (s->queries + s->keys - 1);
}

/* The entries of one query and one row of keys. Key k of the row has offset place − k: in one row that
 * is diagonal i − k + keys − 1, so that Δ = offset − (queries − 1). */
typedef struct run {
    const double *a;             /* [keys] */
    const unsigned char *masked; /* [keys] or NULL */
    size_t place;
} run;

static run run_of(const split *s, size_t i, size_t key_row) {
    size_t at = (s->leading + i) * s->logits->a.cols + s->leading + key_row * s->keys;
    size_t rows_apart = i / s->queries + s->height - 1 - key_row;
    return (run){.a = s->logits->a.data + at,
                 .masked = s->logits->masked != NULL ? s->logits->masked + at : NULL,
                 .place = rows_apart * (s->queries + s->keys - 1) + i % s->queries + s->keys - 1};
}

static void add_run(const split *s, run r) {
    double *sum = s->sum + r.place, *count = s->count + r.place;
    for (size_t k = 0; k < s->keys; k++) {
        double kept = r.masked != NULL && r.masked[k] ? 0 : 1;
        sum[-(ptrdiff_t)k] += kept * (r.a[k] * s->scale);
        count[-(ptrdiff_t)k] += kept;
    }
}

/* Energies over unmasked entries, scaled. */
typedef struct energies {
    double all;        /* Σ a² */
    double about_mean; /* Σ (a − ā)² */
    double residual;   /* Σ (a − t)² */
    double toeplitz;   /* Σ (t − ā)² */
} energies;

static void add_energies(const split *s, run r, double mean, energies *e) {
    const double *t = s->sum + r.place;
    energies part = {0};
    for (size_t k = 0; k < s->keys; k++) {
        if (r.masked != NULL && r.masked[k]) {
            continue;
        }
        double x = r.a[k] * s->scale, d = x - mean, rest = x - t[-(ptrdiff_t)k];
        double of_offset = t[-(ptrdiff_t)k] - mean;
        part.all += x * x;
        part.about_mean += d * d;
        part.residual += rest * rest;
        part.toeplitz += of_offset * of_offset;
    }
    e->all += part.all;
    e->about_mean += part.about_mean;
    e->residual += part.residual;
    e->toeplitz += part.toeplitz;
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

static void measure(const split *s, as_metrics *account) {
    size_t rows = s->height * s->queries;
    memset(s->sum, 0, offset_count(s) * sizeof *s->sum);
    memset(s->count, 0, offset_count(s) * sizeof *s->count);
    for (size_t i = 0; i < rows; i++) {
        for (size_t key_row = 0; key_row < s->height; key_row++) {
            add_run(s, run_of(s, i, key_row));
        }
    }
    double total = 0, count = 0;
    for (size_t p = 0; p < offset_count(s); p++) {
        total += s->sum[p];
        count += s->count[p];
        s->sum[p] /= s->count[p]; /* NaN where the offset has no entry */
    }
    energies e = {0};
    for (size_t i = 0; i < rows && count > 0; i++) {
        for (size_t key_row = 0; key_row < s->height; key_row++) {
            add_energies(s, run_of(s, i, key_row), total / count, &e);
        }
    }
    enter(&s->logits->a, e, account);
}

void as_toeplitz_split(const as_logits *logits, double scale, as_metrics *account,
                       double *profile) {
    split s = {.logits = logits,
               .scale = scale,
               .height = 1,
               .queries = logits->a.rows,
               .keys = logits->a.cols,
               .sum = profile,
               .count = profile + logits->a.rows + logits->a.cols - 1};
    measure(&s, account);
    for (size_t p = 0; p < offset_count(&s) && scale > 0; p++) {
        s.sum[p] /= scale;
    }
}

void as_toeplitz_grid(const as_logits *logits, as_grid grid, double scale, as_metrics *account,
                      double *offsets) {
    split s = {.logits = logits,
               .scale = scale,
               .leading = grid.leading,
               .height = grid.height,
               .queries = grid.width,
               .keys = grid.width,
               .sum = offsets};
    s.count = offsets + offset_count(&s);
    measure(&s, account);
}
