/* Where rows look, and the roles of heads: closed forms of attention that is one pattern, or a mixture
 * of them; alignment of rectangular matrices; padding; what must be null. */
#include "support.h"

#include <string.h>

enum { N = 12, MOST = 64 };

static unsigned char masked_room[MOST * MOST];
static double profile_room[4 * MOST];

/* As if it were read with that mask: nothing is looked for in the numbers. */
static as_logits matrix_of(double *a, size_t rows, size_t cols, as_mask mask, as_kind kind) {
    as_logits logits = {.a = {.data = a, .rows = rows, .cols = cols}, .kind = kind, .mask = mask};
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            bool kept = as_mask_keeps(mask, rows, cols, i, k);
            masked_room[i * cols + k] = !kept;
            logits.masked_count += !kept;
        }
    }
    logits.masked = logits.masked_count > 0 ? masked_room : NULL;
    return logits;
}

static as_metrics metrics_of(const as_logits *logits) {
    as_metrics m;
    as_metrics_clear(&m, AS_REASON_NOT_REQUESTED);
    as_metrics_matrix(logits, &m, profile_room);
    return m;
}

static as_metrics of(double *a, size_t rows, size_t cols, as_mask mask, as_kind kind) {
    as_logits logits = matrix_of(a, rows, cols, mask, kind);
    return metrics_of(&logits);
}

static const as_mask causal = {.kind = AS_MASK_CAUSAL}, none = {.kind = AS_MASK_NONE};

/* NaN: null, for `reason`. */
static void assert_masses(const as_metrics *m, const double *expected, as_reason reason) {
    for (unsigned i = 0; i < 4; i++) {
        as_metric metric = (as_metric)(AS_METRIC_previous_token_mass + i);
        if (isnan(expected[i])) {
            ck_assert_msg(m->reason[metric] == (uint8_t)reason, "%s: %s, expected %s",
                          as_metric_key(metric), as_reason_name((as_reason)m->reason[metric]),
                          as_reason_name(reason));
            ck_assert(isnan(m->value[metric]));
        } else {
            ck_assert_msg(
                m->reason[metric] == AS_REASON_NONE &&
                    fabs(m->value[metric] - expected[i]) < 1e-14 && !signbit(m->value[metric]),
                "%s is %.17g (%s), expected %.17g", as_metric_key(metric), m->value[metric],
                as_reason_name((as_reason)m->reason[metric]), expected[i]);
        }
    }
}
#define assert_are(m, reason, ...) assert_masses(m, (const double[]){__VA_ARGS__}, reason)

static double harmonic(size_t n) {
    double sum = 0;
    for (size_t i = n; i > 0; i--) {
        sum += 1 / (double)i;
    }
    return sum;
}

/* Adds share times causal attention of one pattern; the first query has only itself. */
enum pattern { PREVIOUS, OWN, FIRST, UNIFORM };
static void mix(double *a, size_t n, enum pattern pattern, double share) {
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            bool here = i == 0 || (pattern == PREVIOUS && k == i - 1) ||
                        (pattern == OWN && k == i) || (pattern == FIRST && k == 0);
            a[i * n + k] += pattern == UNIFORM ? share / ((double)i + 1) : here ? share : 0;
        }
    }
}

/* previous, diagonal, first of each pattern over n tokens. */
static void masses_of(enum pattern pattern, double *out) {
    double n = N, harmonic_n = harmonic(N);
    const double table[4][3] = {
        [PREVIOUS] = {1, 1 / n, 1 / (n - 1)},
        [OWN] = {0, 1, 0},
        [FIRST] = {1 / (n - 1), 1 / n, 1},
        [UNIFORM] = {(harmonic_n - 1) / (n - 1), harmonic_n / n, (harmonic_n - 1) / (n - 1)},
    };
    memcpy(out, table[pattern], sizeof table[pattern]);
}

START_TEST(one_pattern) {
    double a[N * N] = {0}, masses[3];
    enum pattern pattern = (enum pattern)_i;
    mix(a, N, pattern, 1);
    masses_of(pattern, masses);
    as_metrics m = of(a, N, N, causal, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_NONE, masses[0], masses[1], masses[2], pattern == UNIFORM);
    static const as_head_role role[] = {AS_HEAD_ROLE_previous_token, AS_HEAD_ROLE_diagonal,
                                        AS_HEAD_ROLE_sink, AS_HEAD_ROLE_near_uniform};
    uint32_t roles = as_head_roles(&m, N, N);
    for (size_t r = 0; r < 4; r++) {
        ck_assert_uint_eq(roles >> role[r] & 1, r == pattern);
    }
}
END_TEST

START_TEST(a_mixture_has_the_mean_of_the_masses) {
    static const double shares[4] = {0.45, 0.1, 0.25, 0.2};
    double a[N * N] = {0}, expected[4] = {0};
    for (unsigned p = 0; p < 4; p++) {
        double masses[3];
        mix(a, N, (enum pattern)p, shares[p]);
        masses_of((enum pattern)p, masses);
        for (size_t i = 0; i < 3; i++) {
            expected[i] += shares[p] * masses[i];
        }
    }
    /* Row i ≥ 2: own, previous, first, and i − 1 others; row 1: previous is first. */
    double entropy = 0, uniform = 0;
    for (size_t i = 1; i < N; i++) {
        double u = 0.2 / ((double)i + 1), own = 0.1 + u;
        double rest = i == 1 ? (0.7 + u) * log(0.7 + u)
                             : (0.45 + u) * log(0.45 + u) + (0.25 + u) * log(0.25 + u) +
                                   ((double)i - 2) * u * log(u);
        entropy -= own * log(own) + rest;
        uniform += log((double)i + 1);
    }
    expected[3] = entropy / uniform;
    as_metrics m = of(a, N, N, causal, AS_KIND_WEIGHTS);
    assert_masses(&m, expected, AS_REASON_NONE);
    ck_assert_uint_eq(as_head_roles(&m, N, N) & 7, 1u << AS_HEAD_ROLE_previous_token);
}
END_TEST

/* softmax(ln A) = A, whatever is added to a row. */
START_TEST(logits_have_the_numbers_of_their_softmax) {
    double a[N * N] = {0}, logits[N * N] = {0};
    mix(a, N, PREVIOUS, 0.3);
    mix(a, N, UNIFORM, 0.7);
    for (size_t i = 0; i < N; i++) {
        for (size_t k = 0; k <= i; k++) {
            logits[i * N + k] = log(a[i * N + k]) + 700 * (double)i - 3000;
        }
    }
    as_metrics weights = of(a, N, N, causal, AS_KIND_WEIGHTS);
    as_metrics m = of(logits, N, N, causal, AS_KIND_LOGITS);
    for (unsigned i = AS_METRIC_previous_token_mass; i <= AS_METRIC_uniformity; i++) {
        assert_near(m.value[i], weights.value[i], 1e-12);
    }
    ck_assert_uint_eq(m.reason[AS_METRIC_attention_entropy], AS_REASON_NOT_WEIGHTS);
    double huge[] = {-1.7e308, 1.7e308, 1.7e308, -1.7e308};
    m = of(huge, 2, 2, none, AS_KIND_LOGITS);
    assert_are(&m, AS_REASON_NONE, 1, 0, 0.5, 0);
}
END_TEST

/* The last query stands at the last key. */
START_TEST(rectangular_matrices) {
    double step[] = {0.1, 0.2, 0.7}, tall[15];
    as_metrics m = of(step, 1, 3, causal, AS_KIND_WEIGHTS);
    double entropy = -(0.1 * log(0.1) + 0.2 * log(0.2) + 0.7 * log(0.7));
    assert_are(&m, AS_REASON_NONE, 0.2, 0.7, 0.1, entropy / log(3));
    /* 2 × 3, causal: queries at keys 1 and 2. */
    double two[] = {0.25, 0.75, 0, 0.5, 0.125, 0.375};
    m = of(two, 2, 3, causal, AS_KIND_WEIGHTS);
    entropy = -(0.25 * log(0.25) + 0.75 * log(0.75) + 0.5 * log(0.5) + 0.125 * log(0.125) +
                0.375 * log(0.375));
    assert_are(&m, AS_REASON_NONE, (0.25 + 0.125) / 2, (0.75 + 0.375) / 2, 0.375,
               entropy / (log(2) + log(3)));
    /* 2 × 4 whose last key is padding, where the last query stands: it has no key of its own. */
    double padded[] = {0.125, 0.25, 0.625, 0, 0.5, 0.125, 0.375, 0};
    as_mask padding = {.kind = AS_MASK_NONE, .right = 1};
    m = of(padded, 2, 4, padding, AS_KIND_WEIGHTS);
    ck_assert(m.value[AS_METRIC_previous_token_mass] == (0.25 + 0.375) / 2);
    ck_assert(m.value[AS_METRIC_diagonal_mass] == 0.625);
    /* 5 × 3: query i stands at i − 2, so queries 2, 3, 4 have a key of their own, 3 and 4 one before. */
    for (size_t i = 0; i < 15; i++) {
        tall[i] = i % 3 == i / 3 - 2 ? 0.5 : i / 3 < 2 ? 1.0 / 3 : 0.25;
    }
    m = of(tall, 5, 3, none, AS_KIND_WEIGHTS);
    ck_assert(m.value[AS_METRIC_diagonal_mass] == 0.5);
    ck_assert(m.value[AS_METRIC_previous_token_mass] == 0.25);
}
END_TEST

/* A masked key has no weight: the window hides the first key from all queries but the second. */
START_TEST(a_window_hides_the_first_token) {
    double a[N * N] = {0};
    for (size_t i = 0; i < N; i++) {
        a[i * N + i] = i == 0 ? 1 : 0.5;
        a[i * N + (i == 0 ? 0 : i - 1)] = i == 0 ? 1 : 0.5;
    }
    as_mask window = {.kind = AS_MASK_WINDOW, .width = 2};
    as_metrics m = of(a, N, N, window, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_NONE, 0.5, 0.5 + 0.5 / N, 0.5 / (N - 1), 1);
    double identity[] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    window.width = 1;
    m = of(identity, 3, 3, window, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_SINGLE_VALUE, 0, 1, 0, NAN);
    /* One query of a generation: it sees two keys of five, and the first is none of them. */
    double step[] = {9, 9, 9, log(3), 0};
    window.width = 2;
    m = of(step, 1, 5, window, AS_KIND_LOGITS);
    double entropy = -(0.75 * log(0.75) + 0.25 * log(0.25));
    assert_are(&m, AS_REASON_NONE, 0.75, 0.25, 0, entropy / log(2));
    /* Keys 0 … 2 are padding: key 3 is the first token. */
    window.width = 3, window.left = 3;
    m = of(step, 1, 5, window, AS_KIND_LOGITS);
    assert_are(&m, AS_REASON_NONE, 0.75, 0.25, 0.75, entropy / log(2));
}
END_TEST

/* Text of N tokens between `left` and `right` others: the numbers are those of the text alone, also
 * where the queries at the places of the padding are there. */
START_TEST(padding_is_no_token) {
    static const as_mask masks[] = {
        {.kind = AS_MASK_CAUSAL, .left = 3, .queries = AS_PAD_QUERIES_BLIND},
        {.kind = AS_MASK_CAUSAL, .right = 4},
        {.kind = AS_MASK_CAUSAL, .left = 2, .right = 3, .queries = AS_PAD_QUERIES_BLIND},
        {.kind = AS_MASK_NONE, .left = 2, .right = 5},
    };
    as_mask mask = masks[_i], plain = {.kind = mask.kind};
    size_t n = N + mask.left + mask.right;
    double text[N * N] = {0}, a[MOST * MOST] = {0};
    mix(text, N, PREVIOUS, 0.4);
    mix(text, N, UNIFORM, 0.6);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < N; k++) {
            size_t q = i - mask.left; /* wraps before the text */
            bool kept = as_mask_keeps(mask, n, n, i, k + mask.left);
            a[i * n + k + mask.left] = q < N ? text[q * N + k] : kept ? 1.0 / N : 0;
        }
    }
    as_metrics small = of(text, N, N, plain, AS_KIND_WEIGHTS);
    as_logits logits = matrix_of(a, n, n, mask, AS_KIND_WEIGHTS);
    as_metrics m = metrics_of(&logits);
    assert_masses(&m, &small.value[AS_METRIC_previous_token_mass], AS_REASON_NONE);
    /* Under a word that the user named without numbers. */
    logits.mask = plain;
    m = metrics_of(&logits);
    assert_masses(&m, &small.value[AS_METRIC_previous_token_mass], AS_REASON_NONE);
}
END_TEST

/* The same from what was read: padding found and kept, or dropped. */
START_TEST(dropped_padding_changes_nothing) {
    double values[2][4];
    for (size_t drop = 0; drop < 2; drop++) {
        as_logits logits = {0};
        size_t n = N + 4;
        assert_ok(as_matrix_resize(&logits.a, n, n));
        for (size_t i = 0; i < n * n; i++) {
            bool kept = i % n >= 4 && i % n <= i / n;
            logits.a.data[i] = kept ? sin((double)i) * 3 : -INFINITY;
        }
        as_preparation how = {
            .dtype = AS_F64, .mask = {.kind = AS_MASK_AUTO}, .drop_padding = drop == 1};
        assert_ok(as_logits_prepare(&logits, &how));
        ck_assert_uint_eq(logits.a.rows, drop == 1 ? N : n);
        as_metrics m = metrics_of(&logits);
        memcpy(values[drop], &m.value[AS_METRIC_previous_token_mass], sizeof values[drop]);
        as_logits_free(&logits);
    }
    for (size_t i = 0; i < 4; i++) {
        ck_assert(values[0][i] > 0 && values[0][i] < 1);
        assert_near(values[1][i], values[0][i], 1e-15);
    }
}
END_TEST

START_TEST(what_does_not_exist_is_null) {
    double one[] = {1}, zero[9] = {0}, negative[] = {1.5, -0.5, 0.5, 0.5};
    as_metrics m = of(one, 1, 1, causal, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_SINGLE_VALUE, NAN, 1, NAN, NAN);
    m = of(one, 1, 1, none, AS_KIND_LOGITS);
    assert_are(&m, AS_REASON_SINGLE_VALUE, NAN, 1, NAN, NAN);
    m = of(zero, 3, 3, none, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_ZERO_MATRIX, NAN, NAN, NAN, NAN);
    m = of(negative, 2, 2, none, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_NOT_WEIGHTS, NAN, NAN, NAN, NAN);
    as_logits logits = matrix_of(zero, 3, 3, none, AS_KIND_LOGITS);
    memset(masked_room, 1, sizeof masked_room);
    logits.masked = masked_room;
    m = metrics_of(&logits);
    assert_are(&m, AS_REASON_ZERO_MATRIX, NAN, NAN, NAN, NAN);
    /* A query that is masked whole, between others. */
    double a[] = {1, 0, 0, 0, 0, 0, 0.25, 0.25, 0.5};
    m = of(a, 3, 3, causal, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_NONE, 0.25, 0.75, 0.25, 1.5 * log(2) / log(3));
}
END_TEST

/* Rows after dropout do not sum to 1: masses are as they stand, uniformity is of their shape. */
START_TEST(rows_that_do_not_sum_to_one) {
    double a[] = {0.2, 0.2, 0.9, 0.9};
    as_metrics m = of(a, 2, 2, none, AS_KIND_WEIGHTS);
    assert_are(&m, AS_REASON_NONE, 0.9, 0.55, 0.55, 1);
}
END_TEST

START_TEST(rules_of_roles) {
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++) {
        const as_head_rule *rule = as_head_rule_of((as_head_role)r);
        as_metrics m;
        as_metrics_clear(&m, AS_REASON_SINGLE_VALUE);
        ck_assert_uint_eq(as_head_roles(&m, 100, 50), 0);
        m.reason[rule->metric] = AS_REASON_NONE;
        double edge = rule->threshold * (rule->share ? 50 : 1), beyond = rule->low ? -0.01 : 0.01;
        m.value[rule->metric] = edge;
        ck_assert_uint_eq(as_head_roles(&m, 100, 50), 1u << r);
        ck_assert_uint_eq(as_head_roles(&m, 50, 100), 1u << r);
        m.value[rule->metric] = edge - beyond;
        ck_assert_uint_eq(as_head_roles(&m, 100, 50), 0);
        m.value[rule->metric] = edge + beyond;
        ck_assert_uint_eq(as_head_roles(&m, 100, 50), 1u << r);
        ck_assert_uint_eq(as_head_roles(&m, AS_HEAD_ROLE_MIN - 1, 50), 0);
        ck_assert_uint_eq(as_head_roles(&m, 1, 50), 0);
        ck_assert(isnan(as_head_role_number(&m, 50, AS_HEAD_ROLE_MIN - 1, (as_head_role)r)));
        ck_assert(!as_head_role_holds((as_head_role)r, NAN));
    }
    ck_assert_ptr_null(as_head_rule_of(AS_HEAD_ROLE_COUNT));
}
END_TEST

/* What AS_HEAD_ROLE_MIN stands on: uniform causal attention has no role but that, from there on. */
START_TEST(uniform_attention_is_only_uniform) {
    for (size_t n = 3; n <= N; n++) {
        double a[N * N] = {0};
        mix(a, n, UNIFORM, 1);
        as_metrics m = of(a, n, n, causal, AS_KIND_WEIGHTS);
        uint32_t roles = as_head_roles(&m, n, n);
        ck_assert_uint_eq(roles, n < AS_HEAD_ROLE_MIN ? 0 : 1u << AS_HEAD_ROLE_near_uniform);
        ck_assert_int_eq(
            as_head_role_holds(AS_HEAD_ROLE_previous_token, m.value[AS_METRIC_previous_token_mass]),
            n <= 3);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, one_pattern, 0, 4);
    tcase_add_test(t, a_mixture_has_the_mean_of_the_masses);
    tcase_add_test(t, logits_have_the_numbers_of_their_softmax);
    tcase_add_test(t, rectangular_matrices);
    tcase_add_test(t, a_window_hides_the_first_token);
    tcase_add_loop_test(t, padding_is_no_token, 0, 4);
    tcase_add_test(t, dropped_padding_changes_nothing);
    tcase_add_test(t, what_does_not_exist_is_null);
    tcase_add_test(t, rows_that_do_not_sum_to_one);
    tcase_add_test(t, rules_of_roles);
    tcase_add_test(t, uniform_attention_is_only_uniform);
}

AS_TEST_MAIN("attention")
