/* Contraction by a rotation: the counterexamples, what common means do, and the alignment of terms. */
#include "sides.h"

#include <string.h>

/* A head whose logits are written here from the definition: L_ij = Re Σ_f q_f conj(k_f) e^{iθ_f(i−j)}
 * over pairs (2f, 2f+1), plus the dimensions that are not rotated. */
typedef struct head {
    as_pair pair;
    size_t first[32], second[32];
    double theta[32];
    double *content, *coupled;
} head;

static void make_head(head *h, size_t rows, size_t cols, size_t dim, size_t pairs) {
    *h = (head){0};
    assert_ok(as_matrix_resize(&h->pair.q, rows, dim));
    assert_ok(as_matrix_resize(&h->pair.k, cols, dim));
    h->content = malloc(rows * cols * sizeof(double));
    h->coupled = malloc(rows * cols * sizeof(double));
    for (size_t f = 0; f < pairs; f++) {
        h->first[f] = 2 * f;
        h->second[f] = 2 * f + 1;
        h->theta[f] = pow(1e4, -2 * (double)f / (double)(2 * pairs));
    }
    h->pair.rotation = (as_rotation){
        .count = pairs, .first = h->first, .second = h->second, .theta = h->theta, .gain = 1};
    h->pair.scale = 1 / sqrt((double)dim);
}

static void free_head(head *h) {
    as_matrix_free(&h->pair.q);
    as_matrix_free(&h->pair.k);
    free(h->content);
    free(h->coupled);
}

static void couple(head *h) {
    size_t rows = h->pair.q.rows, cols = h->pair.k.rows, dim = h->pair.q.cols;
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            const double *q = h->pair.q.data + i * dim, *k = h->pair.k.data + j * dim;
            double content = 0, coupled = 0, delta = (double)i + (double)cols - (double)rows;
            for (size_t d = 0; d < dim; d += 2) {
                double re = q[d] * k[d] + q[d + 1] * k[d + 1];
                double im = q[d + 1] * k[d] - q[d] * k[d + 1];
                double angle =
                    d / 2 < h->pair.rotation.count ? h->theta[d / 2] * (delta - (double)j) : 0;
                content += re;
                coupled += re * cos(angle) - im * sin(angle);
            }
            h->content[i * cols + j] = content * h->pair.scale;
            h->coupled[i * cols + j] = coupled * h->pair.scale;
        }
    }
}

static as_contraction contract(head *h, const unsigned char *masked,
                               double sums[2][AS_NORM_COUNT]) {
    static side g, coupled;
    size_t rows = h->pair.q.rows, cols = h->pair.k.rows;
    as_contraction out;
    for (size_t i = 0; i < rows * cols && masked != NULL; i++) {
        h->content[i] = masked[i] ? 0 : h->content[i];
        h->coupled[i] = masked[i] ? 0 : h->coupled[i];
    }
    measure(h->content, rows, cols, &g);
    measure(h->coupled, rows, cols, &coupled);
    assert_ok(as_alignment_terms(&h->pair, masked, sums[0], sums[1]));
    as_contraction_input in = input_of(&coupled, &g, rows, cols);
    in.term_sum = sums[0];
    in.complex_sum = sums[1];
    in.masked = masked != NULL;
    as_contract(&in, &out);
    return out;
}

/* Content that cancels where the rotated sum does not: G = 0 (to the rounding), ‖L‖₂ as computed once
 * by numpy, and no ratio is a number. */
START_TEST(counterexamples_are_undefined) {
    static const double q[][4] = {{1, 0, 0, 0}, {1, 0, 1, 0}},
                        k[][4] = {{0, 1, 0, 0}, {1, 0, -1, 0}};
    static const double theta[][2] = {{0.1, 0}, {1, 0.1}}, norm[] = {59.9, 62.68};
    for (size_t example = 0; example < 2; example++) {
        /* The second time with content that is rounding, not 0. */
        for (int nudge = 0; nudge < 2; nudge++) {
            size_t dim = 2 * (example + 1), n = 120;
            double sums[2][AS_NORM_COUNT];
            head h;
            make_head(&h, n, n, dim, dim / 2);
            h.pair.scale = 1;
            memcpy(h.theta, theta[example], sizeof theta[example]);
            for (size_t i = 0; i < n * dim; i++) {
                h.pair.q.data[i] = q[example][i % dim];
                h.pair.k.data[i] = k[example][i % dim];
            }
            couple(&h);
            for (size_t i = 0; i < n * n && nudge; i++) {
                h.content[i] = 1e-16 * sin((double)i);
            }
            as_contraction c = contract(&h, NULL, sums);
            for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
                ck_assert_msg(isnan(c.value[r]), "%s = %g", as_ratio_key((as_ratio)r), c.value[r]);
                ck_assert_int_eq(c.reason[r], AS_REASON_UNDEFINED_BASELINE);
                ck_assert_int_eq(c.guarantee[r], AS_UNDEFINED);
            }
            for (size_t i = 0; i < c.ky_fan_count; i++) {
                ck_assert(isnan(c.ky_fan[i]));
            }
            ck_assert_uint_eq(c.ky_fan_count, 7);
            /* Σ_f ‖q_f‖‖k_f‖ = 120 a pair. */
            assert_near(sums[0][AS_NORM_SPECTRAL], 120 * (double)(dim / 2), 1e-10);
            assert_near(c.alignment[AS_ALIGNMENT_coupled][AS_NORM_SPECTRAL] * sums[0][0],
                        norm[example], norm[example] < 60 ? 0.05 : 0.005);
            assert_near(c.alignment[AS_ALIGNMENT_content][AS_NORM_SPECTRAL], 0, 1e-14);
            /* One pair is its own sum; two that are opposite cancel as complex numbers too. */
            assert_near(c.alignment[AS_ALIGNMENT_complex_sum][AS_NORM_NUCLEAR], example == 0,
                        1e-12);
            free_head(&h);
        }
    }
}
END_TEST

static double rope_ratio(int number, double strength) {
    static double mu[64];
    double sums[2][AS_NORM_COUNT];
    head h;
    seed(number);
    make_head(&h, 256, 256, 64, 32);
    fill(mu, 64);
    for (size_t i = 0; i < 256 * 64; i++) {
        h.pair.q.data[i] = gaussian() + strength * mu[i % 64];
        h.pair.k.data[i] = gaussian() + strength * mu[i % 64];
    }
    couple(&h);
    as_contraction c = contract(&h, NULL, sums);
    free_head(&h);
    ck_assert_int_eq(c.guarantee[AS_RATIO_spectral_norm], AS_OBSERVED);
    return c.value[AS_RATIO_spectral_norm];
}

/* Rows drawn alike: L and G have one law, so nothing contracts. A common mean: it contracts. */
START_TEST(rope_contracts_common_means_only) {
    enum { SEEDS = 4 };
    double mean = 0;
    for (int number = 0; number < SEEDS; number++) {
        assert_near(rope_ratio(number, 0), 1, 0.15);
        mean += rope_ratio(number, 2) / SEEDS;
    }
    ck_assert_msg(mean < 0.8 && mean > 0.2, "mean ratio %g", mean);
}
END_TEST

/* N(L), N(G) ≤ N(Σ G_f)… ≤ Σ N_f, full and partial rotation, square and not, also beyond rank. */
START_TEST(alignments_are_between_0_and_1) {
    size_t shapes[][4] = {
        {13, 13, 8, 4}, {37, 13, 8, 2}, {13, 37, 16, 8}, {5, 5, 16, 4}, {37, 37, 8, 0}};
    size_t *s = shapes[_i % 5];
    double sums[2][AS_NORM_COUNT];
    head h;
    seed(_i);
    make_head(&h, s[0], s[1], s[2], s[3]);
    fill(h.pair.q.data, s[0] * s[2]);
    fill(h.pair.k.data, s[1] * s[2]);
    couple(&h);
    as_contraction c = contract(&h, NULL, sums);
    for (unsigned norm = 0; norm < AS_NORM_COUNT; norm++) {
        for (unsigned i = 0; i < AS_ALIGNMENT_COUNT; i++) {
            ck_assert_int_eq(c.alignment_reason[i][norm], AS_REASON_NONE);
            ck_assert_msg(c.alignment[i][norm] > 0 && c.alignment[i][norm] <= 1 + 1e-12, "%s %s %g",
                          as_alignment_key((as_alignment)i), as_norm_key((as_norm)norm),
                          c.alignment[i][norm]);
        }
        /* ‖Re X‖ ≤ ‖X‖. */
        ck_assert(c.alignment[AS_ALIGNMENT_content][norm] <=
                  c.alignment[AS_ALIGNMENT_complex_sum][norm] * (1 + 1e-12));
        if (s[3] == 0) { /* one block alone: all three are the same matrix */
            assert_near(c.alignment[AS_ALIGNMENT_coupled][norm], 1, 1e-12);
            assert_near(c.alignment[AS_ALIGNMENT_complex_sum][norm], 1, 1e-12);
        }
    }
    free_head(&h);
}
END_TEST

/* q_f = 3 + 4i and 5, k_f = 2i and −1 of one pair; an unrotated pair (1, 1), (2, 0) against (1, 2),
 * (0, 1). ‖q_f‖ = √50, ‖k_f‖ = √5; the block is [[3, 1], [2, 0]]: σ₁² + σ₂² = 14, σ₁σ₂ = 2. With
 * entry (1, 0) masked it is [[3, 1], [0, 0]]: rank one, √10; the pair's term is as it was. */
START_TEST(terms_by_hand) {
    double q[] = {3, 4, 1, 1, 5, 0, 2, 0}, k[] = {0, 2, 1, 2, -1, 0, 0, 1};
    double sums[2][AS_NORM_COUNT];
    unsigned char masked[] = {0, 0, 1, 0};
    head h;
    make_head(&h, 2, 2, 4, 1);
    h.pair.scale = 0.5;
    memcpy(h.pair.q.data, q, sizeof q);
    memcpy(h.pair.k.data, k, sizeof k);
    couple(&h);
    as_contraction c = contract(&h, NULL, sums);
    assert_near(sums[0][AS_NORM_SPECTRAL], (sqrt(250) + sqrt(7 + sqrt(45))) / 2, 1e-14);
    assert_near(sums[0][AS_NORM_FROBENIUS], (sqrt(250) + sqrt(14)) / 2, 1e-14);
    assert_near(sums[0][AS_NORM_NUCLEAR], (sqrt(250) + sqrt(18)) / 2, 1e-14);
    /* Σ G_f: (3+4i)(−2i) + 3 = 11 − 6i; −(3+4i) + 1 = −2 − 4i; −10i + 2; −5. */
    assert_near(sums[1][AS_NORM_FROBENIUS], sqrt(157 + 20 + 104 + 25) / 2, 1e-14);
    ck_assert_int_eq(c.alignment_reason[0][AS_NORM_NUCLEAR], AS_REASON_NONE);
    couple(&h);
    c = contract(&h, masked, sums);
    assert_near(sums[0][AS_NORM_SPECTRAL], (sqrt(250) + sqrt(10)) / 2, 1e-14);
    assert_near(sums[1][AS_NORM_FROBENIUS], sqrt(157 + 20 + 25) / 2, 1e-14);
    for (unsigned i = 0; i < AS_ALIGNMENT_COUNT; i++) {
        ck_assert_int_eq(c.alignment_reason[i][AS_NORM_NUCLEAR], AS_REASON_NEEDS_DENSE);
        ck_assert(isnan(c.alignment[i][AS_NORM_NUCLEAR]));
        ck_assert_int_eq(c.alignment_reason[i][AS_NORM_SPECTRAL], AS_REASON_NONE);
    }
    h.pair.k.cols = 2;
    sums[0][0] = -7;
    assert_fails(as_alignment_terms(&h.pair, NULL, sums[0], sums[1]), AS_EINVAL);
    h.pair.k.cols = 4;
    h.pair.k.data[0] = (double)NAN;
    assert_fails(as_alignment_terms(&h.pair, NULL, sums[0], sums[1]), AS_ENONFINITE);
    ck_assert(sums[0][0] == -7);
    free_head(&h);
}
END_TEST

/* q near one end of the range and k near the other: the terms are those of the same numbers near 1. */
START_TEST(terms_do_not_leave_the_range) {
    enum { N = 13, D = 6 };
    head h;
    double near_one[2][AS_NORM_COUNT], far[2][AS_NORM_COUNT];
    make_head(&h, N, N, D, 2);
    assert_ok(as_alignment_terms(&h.pair, NULL, near_one[0], near_one[1]));
    for (int sign = -1; sign <= 1; sign += 2) {
        for (size_t i = 0; i < N * D; i++) {
            h.pair.q.data[i] = ldexp(h.pair.q.data[i], sign * 540);
            h.pair.k.data[i] = ldexp(h.pair.k.data[i], -sign * 540);
        }
        assert_ok(as_alignment_terms(&h.pair, NULL, far[0], far[1]));
        for (unsigned i = 0; i < AS_NORM_COUNT; i++) {
            assert_near(far[0][i], near_one[0][i], 1e-12 * near_one[0][i]);
            assert_near(far[1][i], near_one[1][i], 1e-12 * near_one[1][i]);
        }
        for (size_t i = 0; i < N * D; i++) {
            h.pair.q.data[i] = ldexp(h.pair.q.data[i], -sign * 540);
            h.pair.k.data[i] = ldexp(h.pair.k.data[i], sign * 540);
        }
    }
    free_head(&h);
}
END_TEST

/* A gain on the rotated part of q and of k: its terms grow by the square, the block does not. */
START_TEST(terms_have_the_gain) {
    head h;
    double plain[2][AS_NORM_COUNT], with[2][AS_NORM_COUNT];
    make_head(&h, 3, 3, 4, 2);
    for (size_t i = 0; i < 12; i++) {
        h.pair.q.data[i] = sin((double)i);
        h.pair.k.data[i] = cos((double)(i * i));
    }
    assert_ok(as_alignment_terms(&h.pair, NULL, plain[0], plain[1]));
    h.pair.rotation.gain = 3;
    assert_ok(as_alignment_terms(&h.pair, NULL, with[0], with[1]));
    for (unsigned i = 0; i < AS_NORM_COUNT; i++) {
        assert_near(with[0][i], 9 * plain[0][i], 1e-14 * with[0][i]);
        assert_near(with[1][i], 9 * plain[1][i], 1e-14 * with[1][i]);
    }
    h.pair.rotation.count = 1; /* dimensions 2 and 3 are the block */
    h.pair.rotation.gain = 1;
    assert_ok(as_alignment_terms(&h.pair, NULL, plain[0], plain[1]));
    h.pair.rotation.gain = 3;
    assert_ok(as_alignment_terms(&h.pair, NULL, with[0], with[1]));
    double q = 0, k = 0;
    for (size_t i = 0; i < 3; i++) {
        q += pow(h.pair.q.data[4 * i], 2) + pow(h.pair.q.data[4 * i + 1], 2);
        k += pow(h.pair.k.data[4 * i], 2) + pow(h.pair.k.data[4 * i + 1], 2);
    }
    assert_near(with[0][0] - plain[0][0], 8 * sqrt(q * k) * h.pair.scale, 1e-13);
    free_head(&h);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, terms_have_the_gain);
    tcase_add_test(t, counterexamples_are_undefined);
    tcase_add_test(t, rope_contracts_common_means_only);
    tcase_add_loop_test(t, alignments_are_between_0_and_1, 0, 10);
    tcase_add_test(t, terms_by_hand);
    tcase_add_test(t, terms_do_not_leave_the_range);
}

AS_TEST_MAIN("contraction_rope")
