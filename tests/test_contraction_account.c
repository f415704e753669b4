/* The account of contraction: every ratio by hand, and every number that is not there. */
#include "support.h"

#include <float.h>
#include <string.h>

/* σ(L) = (3, 1), σ(G) = (2, 2), and symmetric parts (3, −1) and (2, −2), all by hand. */
static const double sigma_l[] = {3, 1}, sigma_g[] = {2, 2}, lambda_l[] = {3, -1},
                    lambda_g[] = {2, -2};
static const as_contraction_input by_hand = {
    .gain = 2,
    .rows = 2,
    .cols = 2,
    .coupled = sigma_l,
    .content = sigma_g,
    .coupled_symmetric = lambda_l,
    .content_symmetric = lambda_g,
};

START_TEST(every_ratio_by_hand) {
    as_contraction c;
    as_contract(&by_hand, &c);
    double want[AS_RATIO_COUNT] = {[AS_RATIO_spectral_norm] = 1.5,
                                   [AS_RATIO_frobenius_norm] = sqrt(10.0 / 8),
                                   [AS_RATIO_nuclear_norm] = 1,
                                   [AS_RATIO_spread] = 1,
                                   [AS_RATIO_condition] = 3,
                                   [AS_RATIO_majorisation_slack] = 0.25,
                                   [AS_RATIO_weakly_majorised] = 0,
                                   [AS_RATIO_factor_free_spectral_norm] = 1.5 / 4,
                                   [AS_RATIO_factor_free_frobenius_norm] = sqrt(10.0 / 8) / 4,
                                   [AS_RATIO_factor_free_nuclear_norm] = 1.0 / 4};
    ck_assert_int_eq(c.none, AS_REASON_NONE);
    for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
        assert_near(c.value[r], want[r], 1e-15);
        ck_assert_int_eq(c.reason[r], AS_REASON_NONE);
    }
    ck_assert_uint_eq(c.ky_fan_count, 1);
    assert_near(c.ky_fan[0], 1.5, 1e-15);
}
END_TEST

START_TEST(what_is_null_and_why) {
    as_contraction c;
    as_contraction_input in = by_hand;
    in.gain = 0; /* not a factor of all of L, or not known */
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_factor_free_nuclear_norm], AS_REASON_NEEDS_DENSE);
    in = by_hand;
    in.coupled_symmetric = NULL;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_spread], AS_REASON_NOT_REQUESTED);
    ck_assert_int_eq(c.guarantee[AS_RATIO_spread], AS_UNDEFINED);
    in.cols = 3;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_spread], AS_REASON_NOT_SQUARE);
    /* G's symmetric part is a multiple of the identity: its spread is 0. */
    static const double level[] = {2, 2}, zero[] = {0, 0};
    in = by_hand;
    in.content_symmetric = level;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_spread], AS_REASON_UNDEFINED_BASELINE);
    ck_assert_int_eq(c.reason[AS_RATIO_spectral_norm], AS_REASON_NONE);
    in = by_hand;
    in.coupled = zero;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_condition], AS_REASON_ZERO_MATRIX);
    ck_assert(c.value[AS_RATIO_spectral_norm] == 0 && c.value[AS_RATIO_weakly_majorised] == 1);
    in.content = zero;
    in.identical = true;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_spectral_norm], AS_REASON_UNDEFINED_BASELINE);
    ck_assert_int_eq(c.guarantee[AS_RATIO_spectral_norm], AS_UNDEFINED);
    /* The terms say that G is rounding, though L is small too. */
    double terms[] = {1e17, 1e17, 1e17};
    in = by_hand;
    in.term_sum = terms;
    as_contract(&in, &c);
    ck_assert_int_eq(c.reason[AS_RATIO_frobenius_norm], AS_REASON_UNDEFINED_BASELINE);
    ck_assert_int_eq(c.reason[AS_RATIO_condition], AS_REASON_UNDEFINED_BASELINE);
    ck_assert_int_eq(c.alignment_reason[AS_ALIGNMENT_complex_sum][0], AS_REASON_NOT_REQUESTED);
    ck_assert_int_eq(c.alignment_reason[AS_ALIGNMENT_coupled][0], AS_REASON_NONE);
    memset(terms, 0, sizeof terms);
    as_contract(&in, &c);
    ck_assert_int_eq(c.alignment_reason[AS_ALIGNMENT_coupled][0], AS_REASON_ZERO_MATRIX);
    as_contraction_clear(&c, AS_REASON_NO_BASELINE);
    ck_assert_int_eq(c.none, AS_REASON_NO_BASELINE);
    ck_assert_int_eq(c.reason[AS_RATIO_condition], AS_REASON_NO_BASELINE);
    ck_assert(isnan(c.value[0]) && isnan(c.alignment[0][0]));
    ck_assert_int_eq(c.guarantee[0], AS_UNDEFINED);
}
END_TEST

/* The condition counts values above max(m,n)·ε·σ₁ alone: what lies below is rank, not condition. */
START_TEST(condition_is_that_of_the_rank) {
    static const double full[] = {4, 2, 1}, low[] = {4, 2, 4 * 2.9 * DBL_EPSILON};
    as_contraction c;
    as_contraction_input in = {.rows = 3, .cols = 3, .coupled = full, .content = low};
    as_contract(&in, &c);
    assert_near(c.value[AS_RATIO_condition], 2, 0);
}
END_TEST

START_TEST(guarantees_follow_the_hypotheses) {
    as_contraction c;
    as_contraction_input in = by_hand;
    in.identical = true;
    as_contract(&in, &c); /* whatever the numbers are: L = G by construction */
    for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
        ck_assert(c.value[r] == (r == AS_RATIO_majorisation_slack ? 0 : 1));
        ck_assert_int_eq(c.guarantee[r], AS_GUARANTEED);
    }
    ck_assert(c.ky_fan[0] == 1);
    in.softmaxed = true;
    as_contract(&in, &c);
    ck_assert_int_eq(c.guarantee[AS_RATIO_spectral_norm], AS_OBSERVED);
    in = by_hand;
    in.correlation = in.content_psd = in.softmaxed = true;
    in.gain = 1; /* of another one softmax makes no multiple */
    double terms[] = {9, 9, 9};
    in.term_sum = in.complex_sum = terms;
    as_contract(&in, &c);
    for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
        ck_assert_int_eq(c.guarantee[r], AS_OBSERVED);
    }
    ck_assert_int_eq(c.alignment_reason[AS_ALIGNMENT_content][0], AS_REASON_NO_TERMS);
    ck_assert_str_eq(as_guarantee_name(AS_GUARANTEED), "guaranteed");
    ck_assert_str_eq(as_guarantee_name(AS_UNDEFINED), "undefined");
    ck_assert_str_eq(as_ratio_key(AS_RATIO_spread), "spread");
    ck_assert_str_eq(as_alignment_key(AS_ALIGNMENT_complex_sum), "complex_sum");
    ck_assert_str_eq(as_norm_key(AS_NORM_FROBENIUS), "frobenius");
}
END_TEST

/* A common power of two changes no ratio, at either end of the range, where sums would overflow. */
START_TEST(the_range_of_a_double) {
    as_contraction want, c;
    double terms[] = {8, 8, 8};
    as_contraction_input in = by_hand;
    in.term_sum = in.complex_sum = terms;
    as_contract(&in, &want);
    int exponents[] = {-1070, 1022};
    for (size_t e = 0; e < 2; e++) {
        double v[4][2], t[3];
        const double *from[] = {sigma_l, sigma_g, lambda_l, lambda_g};
        for (size_t i = 0; i < 8; i++) {
            v[i / 2][i % 2] = ldexp(from[i / 2][i % 2], exponents[e]) / (e == 1 ? 2 : 1);
        }
        for (size_t i = 0; i < 3; i++) {
            t[i] = ldexp(e == 1 ? 0.5 : 1, exponents[e]) * (e == 1 ? 3.9 : 8);
        }
        as_contraction_input far = {.gain = 2,
                                    .rows = 2,
                                    .cols = 2,
                                    .coupled = v[0],
                                    .content = v[1],
                                    .coupled_symmetric = v[2],
                                    .content_symmetric = v[3],
                                    .term_sum = t,
                                    .complex_sum = t};
        as_contract(&far, &c);
        for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
            assert_near(c.value[r], want.value[r], 1e-15);
        }
        assert_near(c.alignment[0][0], e == 1 ? 3 / 3.9 : 3.0 / 8, 1e-15);
        assert_near(c.alignment[2][1], 1, 1e-15);
    }
}
END_TEST

static as_contraction compare(double *l, double *g, as_relation relation, bool symmetric) {
    as_loaded loaded = {.relation = relation, .has_baseline = true};
    loaded.logits.a = (as_matrix){.data = l, .rows = 2, .cols = 2};
    loaded.baseline.a = (as_matrix){.data = g, .rows = 2, .cols = 2};
    as_summary coupled = {0}, content = {0};
    as_summary_options options = {.symmetric = symmetric};
    as_contraction c;
    assert_ok(as_summarise(&coupled, &loaded.logits, &options));
    assert_ok(as_summarise(&content, &loaded.baseline, &options));
    assert_ok(as_compare(&loaded, &coupled, &content, &c));
    as_summary_free(&coupled);
    as_summary_free(&content);
    return c;
}

/* The theorem on condition numbers is claimed where G was seen to be symmetric and positive definite,
 * and not one asymmetry of 1e−9, one zero or one negative eigenvalue later. C is [[1, ½], [½, 1]]. */
START_TEST(condition_is_guaranteed_where_g_is_positive_definite) {
    double definite[] = {2, 1, 1, 2}, asymmetric[] = {2, 1, 1 + 1e-9, 2}, singular[] = {1, 1, 1, 1};
    double indefinite[] = {1, 2, 2, 1}, *content[] = {definite, asymmetric, singular, indefinite};
    for (size_t i = 0; i < 4; i++) {
        double *g = content[i], l[] = {g[0], g[1] / 2, g[2] / 2, g[3]};
        as_contraction c = compare(l, g, AS_RELATION_CORRELATION, true);
        ck_assert_int_eq(c.guarantee[AS_RATIO_condition], i == 0 ? AS_GUARANTEED : AS_OBSERVED);
        ck_assert_int_eq(c.guarantee[AS_RATIO_spread], AS_GUARANTEED);
        ck_assert_int_eq(c.guarantee[AS_RATIO_spectral_norm], AS_GUARANTEED);
    }
    /* κ: (2.5/1.5)/(3/1). Without the symmetric spectra nothing was checked. */
    double l[] = {2, 0.5, 0.5, 2};
    as_contraction c = compare(l, definite, AS_RELATION_CORRELATION, true);
    assert_near(c.value[AS_RATIO_condition], 2.5 / 1.5 / 3, 1e-14);
    c = compare(l, definite, AS_RELATION_CORRELATION, false);
    ck_assert_int_eq(c.guarantee[AS_RATIO_condition], AS_OBSERVED);
    ck_assert_int_eq(c.reason[AS_RATIO_spread], AS_REASON_NOT_REQUESTED);
    c = compare(l, definite, AS_RELATION_NONE, true);
    ck_assert_int_eq(c.guarantee[AS_RATIO_spectral_norm], AS_OBSERVED);
    c = compare(definite, definite, AS_RELATION_IDENTICAL, true);
    ck_assert_int_eq(c.guarantee[AS_RATIO_condition], AS_GUARANTEED);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, condition_is_guaranteed_where_g_is_positive_definite);
    tcase_add_test(t, every_ratio_by_hand);
    tcase_add_test(t, what_is_null_and_why);
    tcase_add_test(t, condition_is_that_of_the_rank);
    tcase_add_test(t, guarantees_follow_the_hypotheses);
    tcase_add_test(t, the_range_of_a_double);
}

AS_TEST_MAIN("contraction_account")
