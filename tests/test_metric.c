/* The metric room: golden numbers of one matrix, numbers that can be worked out by hand, and what
 * must be null. */
#include "support.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* A 6 × 4 matrix and its metrics, computed by numpy (RandomState(7).randn(6, 4)·diag(3, 1, .3, .01),
 * np.linalg.svd, float64), independently of this code. */
static double golden_matrix[] = {
    5.071577111401,  -0.465937370541, 0.009846049104,  0.00407516283,   /**/
    -2.366769085877, 0.002065572906,  -0.000267115757, -0.017547243063, /**/
    3.05297401699,   0.60049851592,   -0.18762869219,  -0.001715482612, /**/
    1.51589812259,   -0.261356415192, -0.072824723602, -0.014532414125, /**/
    1.663740935676,  0.123880905287,  0.082337977128,  -0.015265245319, /**/
    4.952099073559,  0.154335535456,  -0.116141982986, 0.020290722208,
};
static const double golden_sigma[] = {8.381464091904352, 0.8378725991272504, 0.16632133429719698,
                                      0.031680507575778345};
static const struct {
    as_metric metric;
    double value;
} golden[] = {
    {AS_METRIC_spectral_norm, 8.381464091904352},
    {AS_METRIC_frobenius_norm, 8.424941380036596},
    {AS_METRIC_nuclear_norm, 9.417338532904576},
    {AS_METRIC_stable_rank, 1.0104015367321137},
    {AS_METRIC_nuclear_rank, 1.1235911088613713},
    {AS_METRIC_effective_rank, 1.505939851800873},
    {AS_METRIC_spectral_entropy, 0.059115234173912665},
    {AS_METRIC_effective_rank_lambda, 1.0608974853419753},
    {AS_METRIC_participation_ratio, 1.0208091593430493},
    {AS_METRIC_matrix_rank, 4.0},
    {AS_METRIC_condition_number, 264.56217823708374},
    {AS_METRIC_condition_number_eff, 264.56217823708374},
    {AS_METRIC_spectral_gap, 7.543591492777102},
    {AS_METRIC_spectral_gap_ratio, 0.09996733147572043},
};

static as_logits logits_of(double *entries, size_t rows, size_t cols) {
    return (as_logits){.a = {.data = entries, .rows = rows, .cols = cols},
                       .kind = AS_KIND_LOGITS,
                       .mask = {.kind = AS_MASK_NONE}};
}

/* Metrics of a matrix; profile may be NULL. */
static as_metrics measure(const as_logits *logits, double epsilon, double *profile) {
    as_summary summary = {0};
    as_logits read = *logits;
    read.epsilon = epsilon;
    assert_ok(as_summarise(&summary, &read, &(as_summary_options){0}));
    ck_assert_uint_eq(summary.eigen_count, 0);
    ck_assert_uint_eq(summary.symmetric_count, 0);
    as_metrics metrics = summary.metrics;
    if (profile != NULL) {
        memcpy(profile, summary.profile, summary.profile_count * sizeof *profile);
    }
    as_summary_free(&summary);
    return metrics;
}

static as_metrics of(double *entries, size_t rows, size_t cols) {
    as_logits logits = logits_of(entries, rows, cols);
    return measure(&logits, 0, NULL);
}

static void assert_value(const as_metrics *m, as_metric metric, double expected) {
    ck_assert_msg(m->reason[metric] == AS_REASON_NONE, "%s is null: %s", as_metric_key(metric),
                  as_reason_name(m->reason[metric]));
    ck_assert_msg(fabs(m->value[metric] - expected) <= 1e-13 * (1 + fabs(expected)),
                  "%s = %.17g, expected %.17g", as_metric_key(metric), m->value[metric], expected);
}

static void assert_null(const as_metrics *m, as_metric metric, as_reason reason) {
    ck_assert_msg(isnan(m->value[metric]), "%s = %g, expected null", as_metric_key(metric),
                  m->value[metric]);
    ck_assert_msg(m->reason[metric] == reason, "%s is null for %s, expected %s",
                  as_metric_key(metric), as_reason_name(m->reason[metric]), as_reason_name(reason));
}

START_TEST(golden_numbers) {
    as_metrics m = of(golden_matrix, 6, 4);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        double expected = golden[i].value, actual = m.value[golden[i].metric];
        /* The condition number amplifies the 13 digits in which the matrix is given. */
        ck_assert_msg(fabs(actual - expected) <= 1e-10 * fabs(expected),
                      "%s = %.17g, expected %.17g", as_metric_key(golden[i].metric), actual,
                      expected);
    }
    ck_assert_uint_eq(m.ky_fan_count, 2);
    assert_near(m.ky_fan[0], golden_sigma[0], 1e-11);
    assert_near(m.ky_fan[1], 9.219336691031602, 1e-11);
}
END_TEST

/* The same from the golden singular values: nothing is amplified, so it must fit to rounding. */
START_TEST(golden_numbers_of_golden_sigma) {
    as_metrics m;
    as_metrics_clear(&m, AS_REASON_NOT_REQUESTED);
    as_metrics_singular(golden_sigma, 6, 4, (as_rank_tolerance){0}, &m);
    for (size_t i = 0; i < sizeof golden / sizeof *golden; i++) {
        assert_value(&m, golden[i].metric, golden[i].value);
    }
}
END_TEST

START_TEST(the_many_effective_ranks_of_diag_3_1) {
    double a[] = {3, 0, 0, 1};
    as_metrics m = of(a, 2, 2);
    assert_value(&m, AS_METRIC_effective_rank, 1.7547653506033232);
    assert_value(&m, AS_METRIC_effective_rank_lambda, 1.384145488461686);
    assert_value(&m, AS_METRIC_stable_rank, 1.1111111111111112);
    assert_value(&m, AS_METRIC_participation_ratio, 1.2195121951219512);
    assert_value(&m, AS_METRIC_nuclear_rank, 1.3333333333333333);
    assert_value(&m, AS_METRIC_energy_rank_90, 1);
    assert_value(&m, AS_METRIC_energy_rank_99, 2);
}
END_TEST

START_TEST(identity_and_rank_one) {
    static const as_metric ranks[] = {
        AS_METRIC_stable_rank, AS_METRIC_nuclear_rank,          AS_METRIC_effective_rank,
        AS_METRIC_matrix_rank, AS_METRIC_effective_rank_lambda, AS_METRIC_participation_ratio};
    double identity[16] = {0}, ones[9];
    for (size_t i = 0; i < 4; i++) {
        identity[5 * i] = 1;
    }
    for (size_t i = 0; i < 9; i++) {
        ones[i] = 1;
    }
    as_metrics i4 = of(identity, 4, 4), o3 = of(ones, 3, 3);
    for (size_t r = 0; r < sizeof ranks / sizeof *ranks; r++) {
        assert_value(&i4, ranks[r], 4);
        ck_assert(fabs(o3.value[ranks[r]] - 1) < 1e-13);
    }
    assert_value(&i4, AS_METRIC_energy_rank_90, 4);
    assert_value(&i4, AS_METRIC_spectral_radius, 1);
    assert_value(&i4, AS_METRIC_nonnormality, 0);
    assert_value(&i4, AS_METRIC_symmetric_fraction, 1);
    assert_null(&o3, AS_METRIC_condition_number, AS_REASON_SINGULAR);
    assert_value(&o3, AS_METRIC_condition_number_eff, 1);
    assert_null(&o3, AS_METRIC_toeplitz_fraction, AS_REASON_SINGLE_VALUE);
    assert_value(&o3, AS_METRIC_toeplitz_residual, 0);
    assert_null(&o3, AS_METRIC_spectral_radius, AS_REASON_NOT_REQUESTED);
}
END_TEST

START_TEST(zero_matrix_has_norms_and_no_quotients) {
    static const as_metric zero[] = {AS_METRIC_spectral_norm,  AS_METRIC_frobenius_norm,
                                     AS_METRIC_nuclear_norm,   AS_METRIC_spectral_gap,
                                     AS_METRIC_matrix_rank,    AS_METRIC_matrix_rank_tolerance,
                                     AS_METRIC_spectral_radius};
    double a[9] = {0};
    as_metrics m = of(a, 3, 3);
    for (unsigned i = 0; i < AS_METRIC_COUNT; i++) {
        bool norm = false;
        for (size_t z = 0; z < sizeof zero / sizeof *zero; z++) {
            norm = norm || zero[z] == (as_metric)i;
        }
        if (norm) {
            assert_value(&m, (as_metric)i, 0);
        } else if (i == AS_METRIC_markov_gap || i == AS_METRIC_attention_entropy) {
            assert_null(&m, (as_metric)i, AS_REASON_NOT_WEIGHTS);
        } else if (i >= AS_METRIC_previous_token_mass && i <= AS_METRIC_first_token_mass) {
            assert_value(&m, (as_metric)i, 1.0 / 3); /* equal logits are uniform attention */
        } else if (i == AS_METRIC_uniformity) {
            assert_value(&m, (as_metric)i, 1);
        } else if (i >= AS_METRIC_alpha) { /* those of ww end the table; test_ww.c asks for them */
            assert_null(&m, (as_metric)i, AS_REASON_NOT_REQUESTED);
        } else {
            assert_null(&m, (as_metric)i, AS_REASON_ZERO_MATRIX);
        }
    }
    ck_assert_uint_eq(m.ky_fan_count, 2);
    ck_assert(m.ky_fan[0] == 0 && m.ky_fan[1] == 0);
}
END_TEST

START_TEST(one_entry) {
    double a[] = {-2};
    as_metrics m = of(a, 1, 1);
    assert_value(&m, AS_METRIC_spectral_norm, 2);
    assert_value(&m, AS_METRIC_condition_number, 1);
    assert_null(&m, AS_METRIC_spectral_gap, AS_REASON_SINGLE_VALUE);
    assert_null(&m, AS_METRIC_spectral_gap_ratio, AS_REASON_SINGLE_VALUE);
    assert_null(&m, AS_METRIC_toeplitz_fraction, AS_REASON_SINGLE_VALUE);
    assert_value(&m, AS_METRIC_spectral_radius, 2);
    ck_assert_uint_eq(m.ky_fan_count, 0);
    as_logits weights = logits_of((double[]){1}, 1, 1);
    weights.kind = AS_KIND_WEIGHTS;
    m = measure(&weights, 0, NULL);
    assert_null(&m, AS_METRIC_markov_gap, AS_REASON_SINGLE_VALUE);
}
END_TEST

/* The list of k is 1, 2, 4, … < q; k = q is the nuclear norm. */
START_TEST(ky_fan_norms) {
    size_t qs[] = {1, 2, 3, 4, 5, 8, 9, 37}, counts[] = {0, 1, 2, 2, 3, 3, 4, 6};
    for (size_t t = 0; t < 8; t++) {
        double sigma[37];
        for (size_t j = 0; j < qs[t]; j++) {
            sigma[j] = (double)(100 - j);
        }
        as_metrics m;
        as_metrics_clear(&m, AS_REASON_NOT_REQUESTED);
        as_metrics_singular(sigma, qs[t], qs[t] + 5, (as_rank_tolerance){0}, &m);
        ck_assert_uint_eq(m.ky_fan_count, counts[t]);
        for (size_t i = 0, k = 1; i < m.ky_fan_count; i++, k *= 2) {
            double kd = (double)k;
            assert_near(m.ky_fan[i], 100 * kd - kd * (kd - 1) / 2, 1e-10);
        }
    }
}
END_TEST

START_TEST(rank_tolerance_is_that_of_the_file) {
    double tiny[] = {1, 0, 0, 1e-17}, small[] = {1, 0, 0, 1e-4}, singular[] = {1, 0, 0, 0};
    as_logits logits = logits_of(tiny, 2, 2);
    as_metrics m = measure(&logits, 0, NULL);
    assert_value(&m, AS_METRIC_matrix_rank, 1);
    m = of(singular, 2, 2);
    assert_null(&m, AS_METRIC_condition_number, AS_REASON_SINGULAR);
    assert_value(&m, AS_METRIC_condition_number_eff, 1);
    logits = logits_of(small, 2, 2);
    m = measure(&logits, as_dtype_epsilon(AS_F16), NULL);
    assert_value(&m, AS_METRIC_matrix_rank, 1);
    assert_value(&m, AS_METRIC_matrix_rank_tolerance, 0x1p-11 * sqrt(1 + 1e-8));
    m = measure(&logits, 0, NULL);
    assert_value(&m, AS_METRIC_matrix_rank, 2);
    /* max(m, n)·ε·σ₁ with bf16's ε = 2⁻⁷ would be 2 for 256 × 256, and the rank 0. */
    double sigma[256];
    for (size_t j = 0; j < 256; j++) {
        sigma[j] = 1;
    }
    as_metrics_singular(sigma, 256, 256, (as_rank_tolerance){.epsilon = as_dtype_epsilon(AS_BF16)},
                        &m);
    assert_value(&m, AS_METRIC_matrix_rank, 256);
    as_metrics_singular(golden_sigma, 6, 4, (as_rank_tolerance){AS_RANK_ABSOLUTE, 0.5, 0}, &m);
    assert_value(&m, AS_METRIC_matrix_rank, 2);
    as_metrics_singular(golden_sigma, 6, 4, (as_rank_tolerance){AS_RANK_RELATIVE, 0.01, 0}, &m);
    assert_value(&m, AS_METRIC_matrix_rank, 3);
    as_metrics_singular(golden_sigma, 6, 4, (as_rank_tolerance){AS_RANK_ABSOLUTE, 10, 0}, &m);
    assert_value(&m, AS_METRIC_matrix_rank, 0);
    assert_null(&m, AS_METRIC_condition_number_eff, AS_REASON_SINGULAR);
}
END_TEST

/* 0 ln 0 = 0 exactly; one-hot rows have entropy 0, not −0; fully masked rows are left out. */
START_TEST(entropy) {
    double causal[] = {1, 0, 0, 0.5, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3};
    as_logits w = logits_of(causal, 3, 3);
    w.kind = AS_KIND_WEIGHTS;
    as_metrics m = measure(&w, 0, NULL);
    assert_value(&m, AS_METRIC_attention_entropy, 0.597253156409352);
    assert_value(&m, AS_METRIC_spectral_radius, 1);
    assert_value(&m, AS_METRIC_markov_gap, 0.5);
    double identity[] = {1, 0, 0, 1};
    w = logits_of(identity, 2, 2);
    w.kind = AS_KIND_WEIGHTS;
    m = measure(&w, 0, NULL);
    ck_assert(m.value[AS_METRIC_attention_entropy] == 0);
    ck_assert(!signbit(m.value[AS_METRIC_attention_entropy]));
    double padded[] = {1, 0, 0, 0.5, 0.5, 0, 0, 0, 0};
    w = logits_of(padded, 3, 3);
    w.kind = AS_KIND_WEIGHTS;
    m = measure(&w, 0, NULL);
    assert_value(&m, AS_METRIC_attention_entropy, log(2) / 2);
    double negative[] = {1 + 1e-9, -1e-9, 0.5, 0.5};
    w = logits_of(negative, 2, 2);
    w.kind = AS_KIND_WEIGHTS;
    m = measure(&w, 0, NULL);
    assert_null(&m, AS_METRIC_attention_entropy, AS_REASON_NOT_WEIGHTS);
    double logits[] = {1, 2, 3, 4};
    m = of(logits, 2, 2);
    assert_null(&m, AS_METRIC_attention_entropy, AS_REASON_NOT_WEIGHTS);
    assert_null(&m, AS_METRIC_markov_gap, AS_REASON_NOT_WEIGHTS);
}
END_TEST

/* [[1, 2], [3, 4]]: diagonals 2, (1+4)/2, 3; mean 2.5. By hand. */
START_TEST(toeplitz_split_by_hand) {
    double a[] = {1, 2, 3, 4}, profile[3];
    as_logits logits = logits_of(a, 2, 2);
    as_metrics m = measure(&logits, 0, profile);
    assert_near(profile[0], 2, 0);
    assert_near(profile[1], 2.5, 0);
    assert_near(profile[2], 3, 0);
    assert_value(&m, AS_METRIC_toeplitz_fraction, 0.1);
    assert_value(&m, AS_METRIC_toeplitz_residual, sqrt(4.5 / 30));
    /* Symmetric part [[1, 2.5], [2.5, 4]]. */
    assert_value(&m, AS_METRIC_symmetric_fraction, 29.5 / 30);
    assert_null(&m, AS_METRIC_nonnormality, AS_REASON_NOT_REQUESTED);
}
END_TEST

/* Under a causal mask only kept entries count: an ALiBi bias is all Toeplitz. */
START_TEST(toeplitz_matrix_is_its_own_part) {
    size_t shapes[][2] = {{13, 13}, {37, 37}, {13, 37}, {37, 13}, {1, 13}};
    for (size_t s = 0; s < 5; s++) {
        size_t rows = shapes[s][0], cols = shapes[s][1];
        double a[37 * 37], profile[73];
        unsigned char masked[37 * 37];
        as_mask causal = {.kind = AS_MASK_CAUSAL};
        for (size_t i = 0; i < rows; i++) {
            for (size_t k = 0; k < cols; k++) {
                bool keep = as_mask_keeps(causal, rows, cols, i, k);
                double delta = (double)i + (double)cols - (double)rows - (double)k;
                masked[i * cols + k] = !keep;
                a[i * cols + k] = keep ? -0.25 * delta : 0;
            }
        }
        as_logits logits = logits_of(a, rows, cols);
        logits.masked = masked;
        as_metrics m = measure(&logits, 0, profile);
        assert_value(&m, AS_METRIC_toeplitz_fraction, 1);
        assert_value(&m, AS_METRIC_toeplitz_residual, 0);
        for (size_t p = 0; p < rows + cols - 1; p++) {
            double delta = (double)p - (double)(rows - 1);
            if (delta < 0) {
                ck_assert(isnan(profile[p]));
            } else {
                assert_near(profile[p], -0.25 * delta, 0);
            }
        }
    }
}
END_TEST

/* A triangular matrix: λ is the diagonal. [[1, 0], [1, 1]]: ‖A‖² = 3, Σλ² = 2. */
START_TEST(triangular_eigenvalues_cost_nothing) {
    double a[] = {1, 0, 1, 1};
    as_metrics m = of(a, 2, 2);
    assert_value(&m, AS_METRIC_spectral_radius, 1);
    assert_value(&m, AS_METRIC_nonnormality, sqrt(1.0 / 3));
    double shift[] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    m = of(shift, 3, 3);
    assert_value(&m, AS_METRIC_spectral_radius, 0);
    assert_value(&m, AS_METRIC_nonnormality, 1);
}
END_TEST

static const as_summary_options everything = {.eigen = true, .symmetric = true};

/* [[0, 1, 0], [0, 0, 1], [1, 0, 0]] is normal with λ = 1 and the other cube roots; [[4, 1], [2, 3]]
 * has λ = 5 and 2, ‖A‖² = 30, symmetric part [[4, 1.5], [1.5, 3]]: 3.5 ± √2.5. By hand. */
START_TEST(eigenvalues_when_asked_for) {
    double cycle[] = {0, 1, 0, 0, 0, 1, 1, 0, 0}, a[] = {4, 1, 2, 3}, one[] = {0.8, 0.2, 0.4, 0.6};
    as_summary s = {0};
    as_logits logits = logits_of(cycle, 3, 3);
    assert_ok(as_summarise(&s, &logits, &everything));
    ck_assert_uint_eq(s.eigen_count, 3);
    assert_value(&s.metrics, AS_METRIC_spectral_radius, 1);
    assert_near(s.metrics.value[AS_METRIC_nonnormality], 0, sqrt(3 * DBL_EPSILON));
    assert_null(&s.metrics, AS_METRIC_markov_gap, AS_REASON_NOT_WEIGHTS);
    logits = logits_of(a, 2, 2);
    assert_ok(as_summarise(&s, &logits, &everything));
    ck_assert_uint_eq(s.eigen_count, 2);
    ck_assert_uint_eq(s.symmetric_count, 2);
    assert_near(s.eig_re[0], 5, 1e-14);
    assert_near(s.eig_re[1], 2, 1e-14);
    assert_near(s.symmetric[0], 3.5 + sqrt(2.5), 1e-14);
    assert_near(s.symmetric[1], 3.5 - sqrt(2.5), 1e-14);
    assert_value(&s.metrics, AS_METRIC_spectral_radius, 5);
    assert_value(&s.metrics, AS_METRIC_nonnormality, sqrt(1.0 / 30));
    /* Rows sum to 1: λ = 1 and 0.8 + 0.6 − 1. */
    logits = logits_of(one, 2, 2);
    logits.kind = AS_KIND_WEIGHTS;
    assert_ok(as_summarise(&s, &logits, &everything));
    assert_value(&s.metrics, AS_METRIC_markov_gap, 0.6);
    as_summary_free(&s);
}
END_TEST

/* A rectangular matrix after a square one in the same room, asked for eigenvalues. */
START_TEST(eigenvalues_of_rectangles_are_none) {
    double a[] = {4, 1, 2, 3, 5, 6};
    as_summary s = {0};
    as_logits logits = logits_of(a, 2, 2);
    assert_ok(as_summarise(&s, &logits, &everything));
    logits = logits_of(a, 2, 3);
    assert_ok(as_summarise(&s, &logits, &everything));
    ck_assert_uint_eq(s.eigen_count, 0);
    ck_assert_uint_eq(s.symmetric_count, 0);
    assert_null(&s.metrics, AS_METRIC_spectral_radius, AS_REASON_NOT_SQUARE);
    as_summary_free(&s);
}
END_TEST

/* The diagonal of a triangular matrix says the same whether or not eigenvalues are asked for. */
START_TEST(triangular_is_the_same_either_way) {
    double a[] = {0.5, 0, 0, 2, -3, 0, 1, 4, 1.5};
    as_logits logits = logits_of(a, 3, 3);
    logits.kind = AS_KIND_WEIGHTS;
    as_metrics free_of_charge = measure(&logits, 0, NULL);
    as_summary s = {0};
    assert_ok(as_summarise(&s, &logits, &everything));
    assert_near(s.eig_re[0], -3, 0);
    assert_near(s.eig_re[1], 1.5, 0);
    assert_near(s.eig_re[2], 0.5, 0);
    static const as_metric metrics[] = {AS_METRIC_spectral_radius, AS_METRIC_nonnormality,
                                        AS_METRIC_markov_gap};
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(free_of_charge.reason[metrics[i]], AS_REASON_NONE);
        assert_value(&s.metrics, metrics[i], free_of_charge.value[metrics[i]]);
    }
    as_summary_free(&s);
}
END_TEST

START_TEST(rectangular_has_no_eigenvalues) {
    double a[] = {1, 2, 3, 4, 5, 6};
    as_metrics m = of(a, 2, 3);
    assert_null(&m, AS_METRIC_spectral_radius, AS_REASON_NOT_SQUARE);
    assert_null(&m, AS_METRIC_nonnormality, AS_REASON_NOT_SQUARE);
    assert_null(&m, AS_METRIC_symmetric_fraction, AS_REASON_NOT_SQUARE);
    ck_assert(m.reason[AS_METRIC_toeplitz_fraction] == AS_REASON_NONE);
}
END_TEST

/* Neither end of the range spoils a quotient, and a norm beyond it is null, not infinite. */
START_TEST(the_range_of_a_double) {
    double scales[] = {0x1p-1060, 0x1p-520, 0x1p520, 0x1p1021};
    double base[] = {1, 2, 3, 4};
    as_metrics want = of(base, 2, 2);
    static const as_metric free_of_scale[] = {
        AS_METRIC_stable_rank,        AS_METRIC_effective_rank,    AS_METRIC_participation_ratio,
        AS_METRIC_toeplitz_fraction,  AS_METRIC_toeplitz_residual, AS_METRIC_symmetric_fraction,
        AS_METRIC_spectral_gap_ratio, AS_METRIC_nuclear_rank};
    for (size_t s = 0; s < 4; s++) {
        double a[4];
        for (size_t i = 0; i < 4; i++) {
            a[i] = base[i] * scales[s];
        }
        as_metrics m = of(a, 2, 2);
        for (size_t i = 0; i < sizeof free_of_scale / sizeof *free_of_scale; i++) {
            double tolerance = s == 0 ? 1e-3 : 1e-12; /* subnormals have few digits */
            as_metric metric = free_of_scale[i];
            ck_assert_msg(fabs(m.value[metric] - want.value[metric]) < tolerance,
                          "%s at scale %g = %.17g, expected %.17g", as_metric_key(metric),
                          scales[s], m.value[metric], want.value[metric]);
        }
    }
    double sigma[] = {1.5e308, 1.5e308};
    as_metrics m;
    as_metrics_clear(&m, AS_REASON_NOT_REQUESTED);
    as_metrics_singular(sigma, 2, 2, (as_rank_tolerance){0}, &m);
    assert_null(&m, AS_METRIC_nuclear_norm, AS_REASON_OVERFLOW);
    assert_null(&m, AS_METRIC_frobenius_norm, AS_REASON_OVERFLOW);
    assert_value(&m, AS_METRIC_nuclear_rank, 2);
}
END_TEST

START_TEST(names) {
    for (unsigned i = 0; i < AS_METRIC_COUNT; i++) {
        ck_assert_int_eq(as_metric_find(as_metric_key((as_metric)i)), (int)i);
        ck_assert_str_ne(as_metric_summary((as_metric)i), "");
    }
    ck_assert_int_eq(as_metric_find("spectral"), AS_METRIC_COUNT);
    ck_assert_str_eq(as_reason_name(AS_REASON_ZERO_MATRIX), "zero_matrix");
    ck_assert_str_eq(as_reason_name(AS_REASON_NO_TERMS), "no_terms");
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, golden_numbers);
    tcase_add_test(t, golden_numbers_of_golden_sigma);
    tcase_add_test(t, the_many_effective_ranks_of_diag_3_1);
    tcase_add_test(t, identity_and_rank_one);
    tcase_add_test(t, zero_matrix_has_norms_and_no_quotients);
    tcase_add_test(t, one_entry);
    tcase_add_test(t, ky_fan_norms);
    tcase_add_test(t, rank_tolerance_is_that_of_the_file);
    tcase_add_test(t, entropy);
    tcase_add_test(t, toeplitz_split_by_hand);
    tcase_add_test(t, toeplitz_matrix_is_its_own_part);
    tcase_add_test(t, triangular_eigenvalues_cost_nothing);
    tcase_add_test(t, eigenvalues_when_asked_for);
    tcase_add_test(t, eigenvalues_of_rectangles_are_none);
    tcase_add_test(t, triangular_is_the_same_either_way);
    tcase_add_test(t, rectangular_has_no_eigenvalues);
    tcase_add_test(t, the_range_of_a_double);
    tcase_add_test(t, names);
}

AS_TEST_MAIN("metric")
