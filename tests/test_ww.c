/* WeightWatcher's metrics: power laws of known exponent, a golden fit, the bulk of Gaussian matrices,
 * and what must be null. */
#include "support.h"

#include <string.h>

#include "metric/ww.h"

static const as_metric all[] = {
    AS_METRIC_alpha,          AS_METRIC_ks_distance, AS_METRIC_alpha_weighted,
    AS_METRIC_log_alpha_norm, AS_METRIC_log_norm,    AS_METRIC_log_spectral_norm,
    AS_METRIC_mp_softrank,    AS_METRIC_num_spikes,  AS_METRIC_ww_spectral_norm,
    AS_METRIC_rand_distance,
};
enum { ALL = sizeof all / sizeof *all, MOST = 6000 };

static as_stream *stream_of(uint64_t seed) {
    as_stream *stream;
    assert_ok(as_stream_new(seed, "test", 0, 0, &stream));
    return stream;
}

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* A fit of values in any order, which are sorted and replaced by their logarithms. */
static as_power_law fit_of(double *x, size_t n) {
    qsort(x, n, sizeof *x, descending);
    for (size_t i = 0; i < n; i++) {
        x[i] = log(x[i]);
    }
    as_power_law law;
    ck_assert(as_power_law_fit(x, n, 0, &law));
    ck_assert_uint_ge(law.tail, 2);
    ck_assert_uint_le(law.tail, n);
    return law;
}

static const struct {
    double alpha;
    size_t n;
} laws[] = {{2, 500},    {2.5, 500}, {4, 500},    {2, 1777},
            {2.5, 2000}, {4, 2000},  {2.5, 5000}, {4, 5000}};
enum { LAWS = sizeof laws / sizeof *laws };

/* p(x) ∝ x^−α from 1 on has the quantile x(u) = (1 − u)^(−1/(α−1)). */
static double quantile(double u, double alpha) {
    return pow(1 - u, -1 / (alpha - 1));
}

START_TEST(quantiles_of_a_power_law) {
    static double x[MOST];
    double alpha = laws[_i].alpha;
    size_t n = laws[_i].n;
    for (size_t i = 0; i < n; i++) {
        x[i] = quantile(((double)i + 0.5) / (double)n, alpha);
    }
    as_power_law law = fit_of(x, n);
    assert_near(law.alpha, alpha, 3 * (alpha - 1) / sqrt((double)law.tail));
    /* Quantiles lie half a step from the law, and the fit may only come nearer. */
    ck_assert_double_le(law.ks_distance, 1.5 / (double)n);
    ck_assert_uint_ge(law.tail, n / 2);
}
END_TEST

/* Half the sample is uniform below 1/2, half a power law above 1: x_min is near 1. */
START_TEST(samples_of_a_power_law_above_a_body) {
    static double x[2 * MOST];
    double alpha = laws[_i].alpha;
    size_t n = laws[_i].n;
    as_stream *stream = stream_of(11);
    for (size_t i = 0; i < n; i++) {
        x[2 * i] = quantile(as_stream_uniform(stream), alpha);
        x[2 * i + 1] = as_stream_uniform(stream) / 2 + 1e-3;
    }
    as_stream_free(stream);
    as_power_law law = fit_of(x, 2 * n);
    assert_near(law.alpha, alpha, 3 * (alpha - 1) / sqrt((double)law.tail));
    double x_min = exp(x[law.tail - 1]);
    ck_assert_msg(x_min > 0.8 && x_min < 3, "x_min = %g, expected near 1", x_min);
    ck_assert_double_le(law.ks_distance, 1.5 / sqrt((double)law.tail));
}
END_TEST

/* The singular values of numpy's RandomState(7).randn(6, 4)·diag(3, 1, .3, .01), and the fit to
 * their squares by a few lines of numpy. */
static const double golden_sigma[] = {8.381464091904352, 0.8378725991272504, 0.16632133429719698,
                                      0.031680507575778345};

START_TEST(golden_fit) {
    double ln[4];
    for (size_t i = 0; i < 4; i++) {
        ln[i] = 2 * log(golden_sigma[i]);
    }
    as_power_law law;
    ck_assert(as_power_law_fit(ln, 4, 0, &law));
    assert_near(law.alpha, 1.1902685105894673, 1e-14);
    assert_near(law.ks_distance, 0.2179480418103289, 1e-14);
    ck_assert_uint_eq(law.tail, 4);
    assert_near(exp(ln[law.tail - 1]), 0.0010036545602589491, 1e-16);
    assert_near((law.alpha - 1) / sqrt((double)law.tail), 0.09513425529473363, 1e-14);
    assert_near(law.alpha * ln[0] / log(10), 2.1979971775297913, 1e-13);
    assert_near(as_log10_power_sum(ln, 4, law.alpha), 2.199839284682197, 1e-13);
    assert_near(as_log10_power_sum(ln, 4, 1), 1.8511337755460513, 1e-13);
}
END_TEST

/* Of equal values x_min takes all or none, and one value many times has no exponent. Two values
 * 1 and e: α = 1 + 2/1, and D = |1 − e^−2 − 1/2|. */
START_TEST(equal_values) {
    as_power_law law;
    const double same[] = {0, 0, 0, 0}, nearly[] = {0, -1e-15, -2e-15, -3e-15}, two[] = {1, 0};
    ck_assert(!as_power_law_fit(same, 4, 0, &law));
    ck_assert(!as_power_law_fit(nearly, 4, 1e-14, &law));
    ck_assert(!as_power_law_fit(same, 1, 0, &law));
    ck_assert(!as_power_law_fit(same, 0, 0, &law));
    ck_assert(as_power_law_fit(two, 2, 0, &law));
    assert_near(law.alpha, 3, 1e-15);
    assert_near(law.ks_distance, 0.5 - exp(-2), 1e-15);
    const double tie[] = {1, 0, 0, 0};
    ck_assert(as_power_law_fit(tie, 4, 0, &law));
    ck_assert_uint_eq(law.tail, 4);
    assert_near(law.alpha, 5, 1e-15);
}
END_TEST

static as_metrics measure(double *entries, size_t rows, size_t cols, uint64_t seed) {
    as_summary summary = {0};
    as_logits logits = {.a = {.data = entries, .rows = rows, .cols = cols},
                        .kind = AS_KIND_LOGITS,
                        .mask = {.kind = AS_MASK_NONE}};
    assert_ok(as_summarise(&summary, &logits, &(as_summary_options){.ww = true, .seed = seed}));
    as_metrics metrics = summary.metrics;
    as_summary_free(&summary);
    return metrics;
}

static void assert_reason(const as_metrics *m, as_metric metric, as_reason reason) {
    ck_assert_msg(m->reason[metric] == reason, "%s: %s, expected %s", as_metric_key(metric),
                  as_reason_name(m->reason[metric]), as_reason_name(reason));
    ck_assert(isnan(m->value[metric]) == (reason != AS_REASON_NONE));
}

static void noise(double *entries, size_t count, uint64_t seed) {
    as_stream *stream = stream_of(seed);
    for (size_t i = 0; i < count; i++) {
        entries[i] = as_stream_gaussian(stream);
    }
    as_stream_free(stream);
}

static const struct {
    size_t rows, cols;
} shapes[] = {{128, 128}, {200, 100}, {60, 300}, {51, 50}, {257, 256}};
enum { SHAPES = sizeof shapes / sizeof *shapes };
static double entries[300 * 300];

/* Noise of variance 4: λ₊ = 4 (√m + √n)² as well as 50 values and triangles of 0.1 can tell, no
 * spikes, and shuffling changes nothing but chance. */
START_TEST(noise_is_all_bulk) {
    size_t rows = shapes[_i].rows, cols = shapes[_i].cols;
    noise(entries, rows * cols, 5);
    for (size_t i = 0; i < rows * cols; i++) {
        entries[i] *= 2;
    }
    as_metrics m = measure(entries, rows, cols, 0);
    double root = sqrt((double)rows) + sqrt((double)cols);
    double edge = m.value[AS_METRIC_mp_softrank] * m.value[AS_METRIC_ww_spectral_norm];
    assert_near(edge / (4 * root * root), 1, 0.08);
    ck_assert_double_eq(m.value[AS_METRIC_num_spikes], 0);
    ck_assert_double_lt(m.value[AS_METRIC_rand_distance], 0.1);
}
END_TEST

/* Three rank-one matrices of norms 2, 20 and 200 times the bulk's edge, on rows and columns of
 * their own so that they are orthogonal. */
START_TEST(three_planted_spikes) {
    size_t rows = shapes[_i].rows, cols = shapes[_i].cols;
    noise(entries, rows * cols, 6);
    double root = sqrt((double)rows) + sqrt((double)cols), strength = 2 * root;
    for (size_t s = 0; s < 3; s++) {
        size_t r = rows / 3, c = cols / 3;
        double height = strength / sqrt((double)r * (double)c);
        for (size_t i = s * r; i < (s + 1) * r; i++) {
            for (size_t k = s * c; k < (s + 1) * c; k++) {
                entries[i * cols + k] += height;
            }
        }
        strength *= 10;
    }
    as_metrics m = measure(entries, rows, cols, 0);
    ck_assert_double_eq(m.value[AS_METRIC_num_spikes], 3);
    double edge = m.value[AS_METRIC_mp_softrank] * m.value[AS_METRIC_ww_spectral_norm];
    assert_near(edge / (root * root), 1, 0.1);
    ck_assert_double_gt(m.value[AS_METRIC_rand_distance], 0.2);
}
END_TEST

/* p = (1, 0), q = (½, ½): m = (¾, ¼), and the distance is √((ln 4/3 + ½ ln 2/3 + ½ ln 2)/2). */
START_TEST(rank_distance_of_two_values) {
    const double one[] = {3, 0}, half[] = {1, 1};
    double expected = sqrt((log(4.0 / 3) + log(2.0 / 3) / 2 + log(2) / 2) / 2);
    assert_near(as_rank_distance(one, half, 2), expected, 1e-15);
    assert_near(as_rank_distance(half, one, 2), expected, 1e-15);
    ck_assert_double_eq(as_rank_distance(one, one, 2), 0);
}
END_TEST

START_TEST(a_shuffle_keeps_every_entry) {
    double out[37 * 13], again[37 * 13];
    for (size_t i = 0; i < 37 * 13; i++) {
        entries[i] = (double)i;
    }
    as_matrix a = {.data = entries, .rows = 37, .cols = 13};
    assert_ok(as_shuffle(&a, 3, out));
    assert_ok(as_shuffle(&a, 3, again));
    ck_assert_mem_eq(out, again, sizeof out);
    assert_ok(as_shuffle(&a, 4, again));
    ck_assert(memcmp(out, again, sizeof out) != 0);
    size_t at_home = 0;
    for (size_t i = 0; i < 37 * 13; i++) {
        at_home += out[i] == (double)i;
    }
    ck_assert_uint_lt(at_home, 10); /* 1 on average */
    qsort(out, 37 * 13, sizeof *out, descending);
    for (size_t i = 0; i < 37 * 13; i++) {
        ck_assert_double_eq(out[i], (double)(37 * 13 - 1 - i));
    }
}
END_TEST

/* Λ ↦ s²Λ: shapes do not change, logarithms move. 1e160 squared is beyond a double. */
START_TEST(scaling) {
    static const double scales[] = {0.37, 1e-3, 1e90, 1e160, 1e-170};
    noise(entries, 90 * 70, 8);
    as_metrics m = measure(entries, 90, 70, 0);
    for (size_t s = 0; s < sizeof scales / sizeof *scales; s++) {
        static double scaled[90 * 70];
        for (size_t i = 0; i < 90 * 70; i++) {
            scaled[i] = entries[i] * scales[s];
        }
        as_metrics n = measure(scaled, 90, 70, 0);
        static const as_metric same[] = {AS_METRIC_alpha, AS_METRIC_ks_distance,
                                         AS_METRIC_mp_softrank, AS_METRIC_num_spikes,
                                         AS_METRIC_rand_distance};
        for (size_t i = 0; i < sizeof same / sizeof *same; i++) {
            assert_near(n.value[same[i]] / (m.value[same[i]] + 1),
                        m.value[same[i]] / (m.value[same[i]] + 1), 1e-11);
        }
        double moved = 2 * log10(scales[s]), alpha = m.value[AS_METRIC_alpha];
        assert_near(n.value[AS_METRIC_log_norm], m.value[AS_METRIC_log_norm] + moved, 1e-11);
        assert_near(n.value[AS_METRIC_log_spectral_norm],
                    m.value[AS_METRIC_log_spectral_norm] + moved, 1e-11);
        assert_near(n.value[AS_METRIC_alpha_weighted],
                    m.value[AS_METRIC_alpha_weighted] + alpha * moved, 1e-8);
        assert_near(n.value[AS_METRIC_log_alpha_norm],
                    m.value[AS_METRIC_log_alpha_norm] + alpha * moved, 1e-8);
        assert_reason(&n, AS_METRIC_ww_spectral_norm,
                      scales[s] > 1e150    ? AS_REASON_OVERFLOW
                      : scales[s] < 1e-165 ? AS_REASON_UNDERFLOW
                                           : AS_REASON_NONE);
    }
}
END_TEST

START_TEST(fewer_than_fifty_values) {
    noise(entries, 49 * 200, 9);
    as_metrics m = measure(entries, 49, 200, 0);
    for (size_t i = 0; i < ALL; i++) {
        assert_reason(&m, all[i], AS_REASON_TOO_FEW);
    }
    m = measure(entries, 50, 150, 0);
    for (size_t i = 0; i < ALL; i++) {
        assert_reason(&m, all[i], AS_REASON_NONE);
    }
}
END_TEST

/* 60 values of which 49 are not zero: too few for a tail and a bulk, enough for the rest. */
START_TEST(zeros_do_not_count) {
    memset(entries, 0, sizeof entries);
    for (size_t i = 0; i < 49; i++) {
        entries[i * 61] = 1 + (double)i;
    }
    as_metrics m = measure(entries, 60, 60, 0);
    for (size_t i = 0; i < ALL; i++) {
        bool few = all[i] == AS_METRIC_alpha || all[i] == AS_METRIC_ks_distance ||
                   all[i] == AS_METRIC_alpha_weighted || all[i] == AS_METRIC_log_alpha_norm ||
                   all[i] == AS_METRIC_mp_softrank || all[i] == AS_METRIC_num_spikes;
        assert_reason(&m, all[i], few ? AS_REASON_TOO_FEW : AS_REASON_NONE);
    }
    assert_near(m.value[AS_METRIC_log_norm], log10(49.0 * 50 * 99 / 6), 1e-13);
    assert_near(m.value[AS_METRIC_ww_spectral_norm], 2401, 1e-10);
}
END_TEST

START_TEST(zero_matrix) {
    memset(entries, 0, sizeof entries);
    as_metrics m = measure(entries, 64, 64, 0);
    for (size_t i = 0; i < ALL; i++) {
        if (all[i] != AS_METRIC_ww_spectral_norm) {
            assert_reason(&m, all[i], AS_REASON_ZERO_MATRIX);
        }
    }
    ck_assert_double_eq(m.value[AS_METRIC_ww_spectral_norm], 0);
}
END_TEST

/* Its square is what no double holds, its logarithm is not. */
START_TEST(tiny_matrix) {
    memset(entries, 0, sizeof entries);
    for (size_t i = 0; i < 64; i++) {
        entries[i * 65] = 1e-200 * (double)(i + 1) / 64;
    }
    as_metrics m = measure(entries, 64, 64, 0);
    assert_reason(&m, AS_METRIC_ww_spectral_norm, AS_REASON_UNDERFLOW);
    assert_near(m.value[AS_METRIC_log_spectral_norm], -400, 1e-12);
}
END_TEST

/* A cyclic shift has one singular value, 64 times: no exponent, and σ₁ is 1. */
START_TEST(one_value_many_times) {
    memset(entries, 0, sizeof entries);
    for (size_t i = 0; i < 64; i++) {
        entries[i * 64 + (i + 1) % 64] = 1;
    }
    as_metrics m = measure(entries, 64, 64, 0);
    for (size_t i = 0; i < 4; i++) {
        assert_reason(&m, all[i], AS_REASON_SINGLE_VALUE);
    }
    assert_near(m.value[AS_METRIC_log_norm], log10(64), 1e-13);
    assert_reason(&m, AS_METRIC_mp_softrank, AS_REASON_NONE);
}
END_TEST

START_TEST(not_requested) {
    noise(entries, 64 * 64, 1);
    as_summary summary = {0};
    as_logits logits = {.a = {.data = entries, .rows = 64, .cols = 64}, .kind = AS_KIND_LOGITS};
    assert_ok(as_summarise(&summary, &logits, &(as_summary_options){0}));
    for (size_t i = 0; i < ALL; i++) {
        assert_reason(&summary.metrics, all[i], AS_REASON_NOT_REQUESTED);
    }
    as_summary_free(&summary);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, quantiles_of_a_power_law, 0, LAWS);
    tcase_add_loop_test(t, samples_of_a_power_law_above_a_body, 0, LAWS);
    tcase_add_test(t, golden_fit);
    tcase_add_test(t, equal_values);
    tcase_add_loop_test(t, noise_is_all_bulk, 0, SHAPES);
    tcase_add_loop_test(t, three_planted_spikes, 0, SHAPES);
    tcase_add_test(t, rank_distance_of_two_values);
    tcase_add_test(t, a_shuffle_keeps_every_entry);
    tcase_add_test(t, scaling);
    tcase_add_test(t, fewer_than_fifty_values);
    tcase_add_test(t, zeros_do_not_count);
    tcase_add_test(t, zero_matrix);
    tcase_add_test(t, tiny_matrix);
    tcase_add_test(t, one_value_many_times);
    tcase_add_test(t, not_requested);
}

AS_TEST_MAIN("ww")
