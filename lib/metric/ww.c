/* WeightWatcher's metrics of a spectrum, equations W1 to W9 of docs/maths.md.
 * It refuses spectra of fewer than 50 values: they have no tail to speak of. */
#include "metric/account.h"
#include "metric/ww.h"

/* Of the tail, of the bulk, and the others. */
static const as_metric keys[] = {
    AS_METRIC_alpha,          AS_METRIC_ks_distance,       AS_METRIC_alpha_weighted,
    AS_METRIC_log_alpha_norm, AS_METRIC_mp_softrank,       AS_METRIC_num_spikes,
    AS_METRIC_log_norm,       AS_METRIC_log_spectral_norm, AS_METRIC_ww_spectral_norm,
    AS_METRIC_rand_distance,
};
enum { TAIL = 4, TAIL_AND_BULK = 6, ALL = sizeof keys / sizeof *keys };

/* The first `count` of the keys. */
static void put_nulls(size_t count, as_reason reason, as_metrics *account) {
    for (size_t i = 0; i < count; i++) {
        put_null(account, keys[i], reason);
    }
}

/* W1 to W4, of the logarithms of all q values relative to the largest, whose own log₁₀ is given. */
static void tail(const double *ln, size_t q, size_t rank, double resolution, double log10_largest,
                 as_metrics *account) {
    as_power_law law;
    if (!as_power_law_fit(ln, rank, resolution, &law)) {
        put_nulls(TAIL, AS_REASON_SINGLE_VALUE, account);
        return;
    }
    put(account, AS_METRIC_alpha, law.alpha);
    put(account, AS_METRIC_ks_distance, law.ks_distance);
    put(account, AS_METRIC_alpha_weighted, law.alpha * log10_largest);
    put(account, AS_METRIC_log_alpha_norm,
        law.alpha * log10_largest + as_log10_power_sum(ln, q, law.alpha));
}

void as_metrics_ww(const double *sigma, const double *shuffled, size_t rows, size_t cols,
                   double *scratch, as_metrics *account) {
    size_t q = rows < cols ? rows : cols;
    if (q < AS_WW_MIN) {
        put_nulls(ALL, AS_REASON_TOO_FEW, account);
        return;
    }
    if (!(sigma[0] > 0)) {
        put_nulls(ALL, AS_REASON_ZERO_MATRIX, account);
        put(account, AS_METRIC_ww_spectral_norm, 0);
        return;
    }
    for (size_t i = 0; i < q; i++) {
        scratch[i] = 2 * log(sigma[i] / sigma[0]);
    }
    double log10_largest = 2 * log10(sigma[0]), larger = fmax((double)rows, (double)cols);
    double matrix_rank = account->value[AS_METRIC_matrix_rank];
    size_t rank = matrix_rank > 0 ? (size_t)matrix_rank : 0;
    while (rank > 0 && isinf(scratch[rank - 1])) {
        rank--; /* a tolerance of 0 counts what underflows beside σ₁ */
    }
    if (rank >= AS_WW_MIN) {
        /* Singular values are known to larger·ε·σ₁ (M12), so twice that of ln Λ near Λ₁. */
        tail(scratch, q, rank, 2 * larger * DBL_EPSILON, log10_largest, account);
        as_bulk bulk = as_bulk_fit(scratch, rank, (size_t)larger);
        put(account, AS_METRIC_mp_softrank, bulk.edge);
        put(account, AS_METRIC_num_spikes, (double)bulk.spikes);
    } else {
        put_nulls(TAIL_AND_BULK, AS_REASON_TOO_FEW, account);
    }
    put(account, AS_METRIC_log_norm, log10_largest + as_log10_power_sum(scratch, q, 1));
    put(account, AS_METRIC_log_spectral_norm, log10_largest);
    put(account, AS_METRIC_ww_spectral_norm, sigma[0] * sigma[0]);
    if (account->value[AS_METRIC_ww_spectral_norm] == 0) {
        put_null(account, AS_METRIC_ww_spectral_norm, AS_REASON_UNDERFLOW);
    }
    if (shuffled != NULL) {
        put(account, AS_METRIC_rand_distance, as_rank_distance(sigma, shuffled, q));
    }
}
