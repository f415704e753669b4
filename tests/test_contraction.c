/* Contraction: the three theorems on random matrices, what breaks them, and Weyl's bound for a bias. */
#include "sides.h"

enum { MOST = 40 };

/* The block at (0, rows) of a Gram matrix of rows + cols random unit vectors in `rank` dimensions; where
 * square is asked for, the whole one, which is symmetric. */
static void correlation(double *c, size_t rows, size_t cols, size_t rank, bool whole) {
    static double v[2 * MOST][MOST];
    size_t count = whole ? rows : rows + cols;
    for (size_t i = 0; i < count; i++) {
        double sum = 0;
        fill(v[i], rank);
        for (size_t d = 0; d < rank; d++) {
            sum += v[i][d] * v[i][d];
        }
        for (size_t d = 0; d < rank; d++) {
            v[i][d] /= sqrt(sum);
        }
    }
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            double sum = 0;
            for (size_t d = 0; d < rank; d++) {
                sum += v[i][d] * v[whole ? k : rows + k][d];
            }
            c[i * cols + k] = sum;
        }
    }
}

static void multiply(const double *a, const double *c, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = a[i] * c[i];
    }
}

/* The theorem's inequality itself, every k. */
static bool weakly_majorised(const double *x, const double *y, size_t count) {
    double a = 0, b = 0, total = 0;
    for (size_t i = 0; i < count; i++) {
        total += fabs(y[i]);
    }
    for (size_t i = 0; i < count; i++) {
        a += x[i];
        b += y[i];
        if (a > b + 1e-12 * total) {
            return false;
        }
    }
    return true;
}

static const as_ratio c1[] = {AS_RATIO_spectral_norm, AS_RATIO_frobenius_norm,
                              AS_RATIO_nuclear_norm};

static void assert_contracts(const as_contraction *c, bool square) {
    for (size_t i = 0; i < 3; i++) {
        ck_assert_int_eq(c->reason[c1[i]], AS_REASON_NONE);
        ck_assert_msg(c->value[c1[i]] <= 1 + 1e-9, "%s = %.17g", as_ratio_key(c1[i]),
                      c->value[c1[i]]);
        ck_assert_int_eq(c->guarantee[c1[i]], AS_GUARANTEED);
    }
    for (size_t i = 0; i < c->ky_fan_count; i++) {
        ck_assert(c->ky_fan[i] <= 1 + 1e-9);
    }
    ck_assert(c->value[AS_RATIO_weakly_majorised] == 1);
    ck_assert_int_eq(c->guarantee[AS_RATIO_weakly_majorised], AS_GUARANTEED);
    ck_assert_int_eq(c->guarantee[AS_RATIO_majorisation_slack], AS_GUARANTEED);
    if (square) {
        ck_assert(c->value[AS_RATIO_spread] <= 1 + 1e-9);
        ck_assert_int_eq(c->guarantee[AS_RATIO_spread], AS_GUARANTEED);
    } else {
        ck_assert_int_eq(c->reason[AS_RATIO_spread], AS_REASON_NOT_SQUARE);
        ck_assert_int_eq(c->guarantee[AS_RATIO_spread], AS_UNDEFINED);
    }
    ck_assert_int_eq(c->guarantee[AS_RATIO_condition], AS_OBSERVED);
}

/* Schur 1911: A positive definite ⇒ λ_min(A) ≤ λ(A∘C) ≤ λ_max(A), so κ contracts. */
START_TEST(schur) {
    size_t n = 37;
    double x[37 * 40], a[37 * 37], c[37 * 37], l[37 * 37];
    side g, coupled;
    as_contraction out;
    seed(_i);
    fill(x, n * 40);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            a[i * n + k] = 0;
            for (size_t d = 0; d < 40; d++) {
                a[i * n + k] += x[i * 40 + d] * x[k * 40 + d];
            }
        }
    }
    correlation(c, n, n, 3, true);
    multiply(a, c, n * n, l);
    measure(a, n, n, &g);
    measure(l, n, n, &coupled);
    double rounding = 1e-12 * g.lambda[0];
    ck_assert(g.lambda[n - 1] > 0);
    ck_assert(coupled.lambda[0] <= g.lambda[0] + rounding);
    ck_assert(coupled.lambda[n - 1] >= g.lambda[n - 1] - rounding);
    as_contraction_input in = input_of(&coupled, &g, n, n);
    in.correlation = in.content_psd = true;
    as_contract(&in, &out);
    ck_assert(out.value[AS_RATIO_condition] <= 1 + 1e-9);
    ck_assert_int_eq(out.guarantee[AS_RATIO_condition], AS_GUARANTEED);
    in.content_psd = false;
    as_contract(&in, &out);
    assert_contracts(&out, true);
}
END_TEST

/* Bapat and Sunder 1985: A symmetric ⇒ λ(A∘C) ≺ λ(A), the trace kept. */
START_TEST(bapat_sunder) {
    size_t n = 13;
    double a[169], c[169], l[169], trace = 0, sum = 0;
    side g, coupled;
    as_contraction out;
    seed(_i);
    fill(a, n * n);
    for (size_t i = 0; i < n; i++) {
        trace += a[i * n + i];
        for (size_t k = 0; k < i; k++) {
            a[i * n + k] = a[k * n + i];
        }
    }
    correlation(c, n, n, 2, true);
    multiply(a, c, n * n, l);
    measure(a, n, n, &g);
    measure(l, n, n, &coupled);
    ck_assert(weakly_majorised(coupled.lambda, g.lambda, n));
    for (size_t i = 0; i < n; i++) {
        sum += coupled.lambda[i];
    }
    assert_near(sum, trace, 1e-12 * g.sigma[0]);
    as_contraction_input in = input_of(&coupled, &g, n, n);
    in.correlation = true;
    as_contract(&in, &out);
    assert_contracts(&out, true);
}
END_TEST

/* Ando, Horn and Johnson 1987: any A, C a block of a correlation matrix ⇒ σ(A∘C) ≺_w σ(A); masking
 * both sides keeps it. The numbers that as_contract gives are those summed here. */
START_TEST(ando_horn_johnson) {
    size_t shapes[][2] = {{13, 13}, {37, 13}, {13, 37}, {1, 13}, {37, 37}};
    size_t rows = shapes[_i % 5][0], cols = shapes[_i % 5][1], q = rows < cols ? rows : cols;
    double a[37 * 37], c[37 * 37], l[37 * 37];
    side g, coupled;
    as_contraction out;
    seed(_i);
    fill(a, rows * cols);
    correlation(c, rows, cols, 1 + (size_t)_i % 4, rows == cols);
    for (size_t i = 0; i < rows * cols && _i % 2 == 1; i++) {
        a[i] = i % cols <= i / cols ? a[i] : 0;
    }
    multiply(a, c, rows * cols, l);
    measure(a, rows, cols, &g);
    measure(l, rows, cols, &coupled);
    ck_assert(weakly_majorised(coupled.sigma, g.sigma, q));
    as_contraction_input in = input_of(&coupled, &g, rows, cols);
    in.correlation = true;
    in.masked = _i % 2 == 1;
    as_contract(&in, &out);
    assert_contracts(&out, rows == cols);
    double sum_l = 0, sum_g = 0, slack = -1e300, total = 0;
    for (size_t i = 0; i < q; i++) {
        total += g.sigma[i];
    }
    for (size_t i = 0, next = 1, entry = 0; i < q; i++) {
        sum_l += coupled.sigma[i];
        sum_g += g.sigma[i];
        slack = fmax(slack, (sum_l - sum_g) / total);
        if (i + 1 == next && i + 1 < q) {
            ck_assert_uint_lt(entry, out.ky_fan_count);
            assert_near(out.ky_fan[entry++], sum_l / sum_g, 1e-13);
            next *= 2;
        }
    }
    assert_near(out.value[AS_RATIO_majorisation_slack], slack, 1e-13);
    assert_near(out.value[AS_RATIO_nuclear_norm], sum_l / sum_g, 1e-13);
    assert_near(out.value[AS_RATIO_spectral_norm], coupled.sigma[0] / g.sigma[0], 1e-13);
}
END_TEST

/* What the theorems need, they need: a kernel that is no correlation matrix, and a mask on one side
 * only, break the inequality, and then nothing is called guaranteed. */
START_TEST(without_its_hypotheses_it_breaks) {
    enum { N = 13 };
    int by_kernel = 0, by_mask = 0;
    for (int number = 0; number < 20; number++) {
        double a[N * N], c[N * N], l[N * N];
        side g, coupled;
        as_contraction out;
        seed(number);
        for (size_t i = 0; i < N * N; i++) {
            a[i] = 1 + 0.1 * gaussian();
        }
        for (size_t i = 0; i < N; i++) {
            for (size_t k = 0; k <= i; k++) { /* unit diagonal, symmetric, |c| ≤ 1: not PSD */
                c[i * N + k] = c[k * N + i] = i == k || uniform() < 0.5 ? 1 : -1;
            }
        }
        measure(a, N, N, &g);
        multiply(a, c, N * N, l);
        measure(l, N, N, &coupled);
        as_contraction_input in = input_of(&coupled, &g, N, N);
        as_contract(&in, &out);
        by_kernel += out.value[AS_RATIO_weakly_majorised] == 0;
        ck_assert_int_eq(out.value[AS_RATIO_weakly_majorised] == 1,
                         weakly_majorised(coupled.sigma, g.sigma, N));
        ck_assert_int_eq(out.guarantee[AS_RATIO_weakly_majorised], AS_OBSERVED);

        correlation(c, N, N, 30, true);
        for (size_t i = 0; i < N * N; i++) { /* nearly all ones, so that it hardly contracts */
            c[i] = i % (N + 1) == 0 ? 1 : 0.98 + 0.02 * c[i];
            l[i] = i % N <= i / N ? a[i] * c[i] : 0;
        }
        measure(l, N, N, &coupled);
        in.correlation = in.one_sided_mask = true;
        as_contract(&in, &out);
        by_mask += out.value[AS_RATIO_nuclear_norm] > 1;
        for (unsigned r = 0; r < AS_RATIO_COUNT; r++) {
            ck_assert_int_eq(out.guarantee[r], AS_OBSERVED);
        }
    }
    ck_assert_int_gt(by_kernel, 0);
    ck_assert_int_gt(by_mask, 0);
}
END_TEST

/* Weyl: |σ_i(G+B) − σ_i(G)| ≤ ‖B‖₂ for a bias. */
START_TEST(a_bias_moves_no_value_further_than_its_norm) {
    enum { N = 37 };
    double a[N * N], b[N * N], l[N * N];
    side g, bias, coupled;
    as_contraction out;
    seed(_i);
    fill(a, N * N);
    for (size_t i = 0; i < N * N; i++) {
        b[i] = -0.125 * fabs((double)(i / N) - (double)(i % N));
        l[i] = a[i] + b[i];
    }
    measure(a, N, N, &g);
    measure(b, N, N, &bias);
    measure(l, N, N, &coupled);
    for (size_t i = 0; i < N; i++) {
        ck_assert(fabs(coupled.sigma[i] - g.sigma[i]) <= bias.sigma[0] * (1 + 1e-12));
    }
    as_contraction_input in = input_of(&coupled, &g, N, N);
    as_contract(&in, &out);
    double most = 1 + bias.sigma[0] / g.sigma[0];
    ck_assert(out.value[AS_RATIO_spectral_norm] <= most);
    ck_assert(out.value[AS_RATIO_weakly_majorised] == 0);
    ck_assert_int_eq(out.guarantee[AS_RATIO_spectral_norm], AS_OBSERVED);
    for (unsigned norm = 0; norm < AS_NORM_COUNT; norm++) {
        ck_assert_int_eq(out.alignment_reason[AS_ALIGNMENT_coupled][norm], AS_REASON_NO_TERMS);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, schur, 0, 6);
    tcase_add_loop_test(t, bapat_sunder, 0, 20);
    tcase_add_loop_test(t, ando_horn_johnson, 0, 40);
    tcase_add_test(t, without_its_hypotheses_it_breaks);
    tcase_add_loop_test(t, a_bias_moves_no_value_further_than_its_norm, 0, 5);
}

AS_TEST_MAIN("contraction")
