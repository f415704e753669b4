/* Metrics of singular values, equations M1 to M17 of docs/maths.md.
 * All sums run over r_i = σ_i/σ₁ ≤ 1, so that squares neither overflow nor underflow. */
#include <string.h>

#include "metric/account.h"

/* Sums over r = σ/σ₁ that the quotients share. */
typedef struct sums {
    double r, r2, r4; /* Σr, Σr², Σr⁴ */
    double entropy;   /* −Σ p ln p, p = r/Σr */
    double entropy2;  /* the same of r² */
} sums;

static double minus_p_ln_p(double p) {
    return p > 0 ? -p * log(p) : 0.0;
}

static sums sums_of(const double *sigma, size_t q) {
    sums s = {0};
    for (size_t i = 0; i < q; i++) {
        double r = sigma[i] / sigma[0];
        s.r += r;
        s.r2 += r * r;
        s.r4 += r * r * r * r;
    }
    for (size_t i = 0; i < q; i++) {
        double r = sigma[i] / sigma[0];
        s.entropy += minus_p_ln_p(r / s.r);
        s.entropy2 += minus_p_ln_p(r * r / s.r2);
    }
    return s;
}

/* M17: the smallest k whose Σ_{i≤k} r² reaches share·Σr². */
static double energy_rank(const double *sigma, size_t q, double total, double share) {
    double sum = 0;
    for (size_t k = 0; k < q; k++) {
        double r = sigma[k] / sigma[0];
        sum += r * r;
        if (sum >= share * total) {
            return (double)(k + 1);
        }
    }
    return (double)q;
}

/* M4: entries k = 1, 2, 4, … < q. An overflow cuts the list: what follows does not exist either. */
static void ky_fan(const double *sigma, size_t q, as_metrics *account) {
    double sum = 0;
    size_t next = 1;
    account->ky_fan_count = 0;
    for (size_t i = 0; i + 1 < q && account->ky_fan_count < AS_KY_FAN_MAX; i++) {
        sum += sigma[i];
        if (!isfinite(sum)) {
            return;
        }
        if (i + 1 == next) {
            account->ky_fan[account->ky_fan_count++] = sum;
            next *= 2;
        }
    }
}

static double rank_tolerance(as_rank_tolerance rule, double sigma1, double frobenius,
                             double floor) {
    switch (rule.rule) {
    case AS_RANK_ABSOLUTE:
        return rule.value;
    case AS_RANK_RELATIVE:
        return rule.value * sigma1;
    case AS_RANK_AUTO:
        break;
    }
    return fmax(floor, rule.epsilon / 2 * frobenius);
}

/* M11 to M13. */
static void rank_and_condition(const double *sigma, size_t q, double floor, double tolerance,
                               as_metrics *account) {
    size_t rank = 0;
    while (rank < q && sigma[rank] > tolerance) {
        rank++;
    }
    put(account, AS_METRIC_matrix_rank, (double)rank);
    put(account, AS_METRIC_matrix_rank_tolerance, tolerance);
    if (sigma[q - 1] > floor) {
        put(account, AS_METRIC_condition_number, sigma[0] / sigma[q - 1]);
    } else {
        put_null(account, AS_METRIC_condition_number, AS_REASON_SINGULAR);
    }
    if (rank > 0) {
        put(account, AS_METRIC_condition_number_eff, sigma[0] / sigma[rank - 1]);
    } else {
        put_null(account, AS_METRIC_condition_number_eff, AS_REASON_SINGULAR);
    }
}

/* M14 and M15; σ₂ of a single value does not exist. */
static void gap(const double *sigma, size_t q, as_metrics *account) {
    if (q < 2) {
        put_null(account, AS_METRIC_spectral_gap, AS_REASON_SINGLE_VALUE);
        put_null(account, AS_METRIC_spectral_gap_ratio, AS_REASON_SINGLE_VALUE);
        return;
    }
    put(account, AS_METRIC_spectral_gap, sigma[0] - sigma[1]);
    if (sigma[0] > 0) {
        put(account, AS_METRIC_spectral_gap_ratio, sigma[1] / sigma[0]);
    } else {
        put_null(account, AS_METRIC_spectral_gap_ratio, AS_REASON_ZERO_MATRIX);
    }
}

static void zero_matrix(as_rank_tolerance rule, as_metrics *account) {
    static const as_metric quotients[] = {
        AS_METRIC_stable_rank,      AS_METRIC_nuclear_rank,
        AS_METRIC_effective_rank,   AS_METRIC_effective_rank_lambda,
        AS_METRIC_spectral_entropy, AS_METRIC_participation_ratio,
        AS_METRIC_condition_number, AS_METRIC_condition_number_eff,
        AS_METRIC_energy_rank_90,   AS_METRIC_energy_rank_99,
    };
    for (size_t i = 0; i < sizeof quotients / sizeof *quotients; i++) {
        put_null(account, quotients[i], AS_REASON_ZERO_MATRIX);
    }
    put(account, AS_METRIC_frobenius_norm, 0);
    put(account, AS_METRIC_nuclear_norm, 0);
    put(account, AS_METRIC_matrix_rank, 0);
    put(account, AS_METRIC_matrix_rank_tolerance, rank_tolerance(rule, 0, 0, 0));
}

void as_metrics_singular(const double *sigma, size_t rows, size_t cols, as_rank_tolerance tolerance,
                         as_metrics *account) {
    size_t q = rows < cols ? rows : cols;
    if (q == 0) {
        return;
    }
    put(account, AS_METRIC_spectral_norm, sigma[0]);
    ky_fan(sigma, q, account);
    gap(sigma, q, account);
    if (!(sigma[0] > 0)) {
        zero_matrix(tolerance, account);
        return;
    }
    sums s = sums_of(sigma, q);
    double frobenius = sigma[0] * sqrt(s.r2);
    double floor = fmax((double)rows, (double)cols) * DBL_EPSILON * sigma[0];
    put(account, AS_METRIC_frobenius_norm, frobenius);
    put(account, AS_METRIC_nuclear_norm, sigma[0] * s.r);
    put(account, AS_METRIC_stable_rank, s.r2);
    put(account, AS_METRIC_nuclear_rank, s.r);
    put(account, AS_METRIC_effective_rank, exp(s.entropy));
    put(account, AS_METRIC_effective_rank_lambda, exp(s.entropy2));
    put(account, AS_METRIC_spectral_entropy, s.entropy2);
    put(account, AS_METRIC_participation_ratio, s.r2 * s.r2 / s.r4);
    put(account, AS_METRIC_energy_rank_90, energy_rank(sigma, q, s.r2, 0.90));
    put(account, AS_METRIC_energy_rank_99, energy_rank(sigma, q, s.r2, 0.99));
    rank_and_condition(sigma, q, floor, rank_tolerance(tolerance, sigma[0], frobenius, floor),
                       account);
}
