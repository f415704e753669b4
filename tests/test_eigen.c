/* Eigenvalues: spectra in closed form, the order, and what is refused. */
#include "support.h"

#include <float.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const size_t sizes[] = {1, 2, 3, 13, 37};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 37 };

typedef struct values {
    size_t n;
    double re[MOST], im[MOST], symmetric[MOST];
} values;

/* All spectra of a matrix; the matrix is not modified. */
static values solve(double *entries, size_t n) {
    static double before[MOST * MOST];
    values v = {.n = n};
    as_matrix a = {.data = entries, .rows = n, .cols = n};
    as_spectrum_work *work;
    memcpy(before, entries, n * n * sizeof *before);
    assert_ok(as_spectrum_work_new(n, n, &work));
    assert_ok(as_eigenvalues(&a, work, v.re, v.im));
    assert_ok(as_symmetric_eigenvalues(&a, work, v.symmetric));
    ck_assert(memcmp(before, entries, n * n * sizeof *before) == 0);
    as_spectrum_work_free(work);
    return v;
}

static double frobenius(const double *a, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * a[i];
    }
    return sqrt(sum);
}

/* The order of the header, restated by hand-over-hand comparison: no neighbours stand wrongly. */
static void assert_ordered(const values *v, double tolerance) {
    for (size_t i = 0; i + 1 < v->n; i++) {
        double first = hypot(v->re[i], v->im[i]), second = hypot(v->re[i + 1], v->im[i + 1]);
        ck_assert_msg(first >= second - (double)v->n * tolerance, "|λ| grows at %zu", i);
        ck_assert(v->symmetric[i] >= v->symmetric[i + 1]);
    }
}

/* Conjugate pairs to the bit. */
static void assert_pairs(const values *v) {
    for (size_t i = 0; i < v->n; i++) {
        size_t twins = 0;
        for (size_t k = 0; k < v->n; k++) {
            twins += v->re[k] == v->re[i] && v->im[k] == -v->im[i];
        }
        ck_assert_msg(twins > 0, "%g%+gi has no conjugate", v->re[i], v->im[i]);
    }
}

/* Tridiagonal Toeplitz (b, a, c) with bc > 0: λ_j = a + 2√(bc) cos(jπ/(n+1)), all real. */
START_TEST(tridiagonal_toeplitz) {
    size_t n = sizes[_i];
    double a[MOST * MOST] = {0}, want[MOST];
    for (size_t i = 0; i < n; i++) {
        a[i * n + i] = 5;
        if (i + 1 < n) {
            a[i * n + i + 1] = 0.5;
            a[(i + 1) * n + i] = 2;
        }
        want[i] = 5 + 2 * cos((double)(i + 1) * pi / (double)(n + 1));
    }
    values v = solve(a, n);
    for (size_t i = 0; i < n; i++) {
        /* Not normal: the condition of an eigenvalue is up to 2^(n/2)-fold before balancing, which
         * takes it out. */
        assert_near(v.re[i], want[i], 1e-12);
        assert_near(v.im[i], 0, 0);
        /* The symmetric part is the Toeplitz matrix (1.25, 5, 1.25). */
        assert_near(v.symmetric[i], 5 + 2.5 * cos((double)(i + 1) * pi / (double)(n + 1)),
                    AS_TEST_C * (double)n * DBL_EPSILON * 7.5);
    }
}
END_TEST

/* A circulant is normal: λ = DFT of its first column, conjugate pairs. */
START_TEST(circulant) {
    size_t n = sizes[_i];
    double a[MOST * MOST], column[MOST];
    for (size_t j = 0; j < n; j++) {
        column[j] = 1 / (double)(1 + j * j);
    }
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            a[i * n + k] = column[(i + n - k) % n];
        }
    }
    values v = solve(a, n);
    double tolerance = AS_TEST_C * (double)n * DBL_EPSILON * frobenius(a, n * n);
    for (size_t f = 0; f < n; f++) {
        double re = 0, im = 0, nearest = (double)INFINITY;
        for (size_t j = 0; j < n; j++) {
            double angle = 2 * pi * (double)((f * j) % n) / (double)n;
            re += column[j] * cos(angle);
            im -= column[j] * sin(angle);
        }
        for (size_t i = 0; i < n; i++) {
            nearest = fmin(nearest, hypot(v.re[i] - re, v.im[i] - im));
        }
        ck_assert_msg(nearest <= tolerance, "%g%+gi is missing by %g", re, im, nearest);
    }
    assert_pairs(&v);
    assert_ordered(&v, tolerance);
    for (size_t i = 0; i + 1 < n; i++) {
        if (v.im[i] > 0) {
            ck_assert_msg(v.im[i + 1] == -v.im[i] && v.re[i + 1] == v.re[i], "+ before − at %zu",
                          i);
        }
    }
}
END_TEST

/* Kac, Murdock and Szegő: λ within ((1−ρ)/(1+ρ), (1+ρ)/(1−ρ)), det = (1−ρ²)^(n−1). */
START_TEST(kac_murdock_szego) {
    const double rho = 0.6;
    size_t n = sizes[_i];
    double a[MOST * MOST], log_det = 0;
    for (size_t i = 0; i < n * n; i++) {
        a[i] = pow(rho, fabs((double)(i / n) - (double)(i % n)));
    }
    values v = solve(a, n);
    for (size_t j = 0; j < n; j++) {
        log_det += log(v.symmetric[j]);
        ck_assert(v.symmetric[j] > (1 - rho) / (1 + rho));
        ck_assert(v.symmetric[j] < (1 + rho) / (1 - rho));
        assert_near(v.re[j], v.symmetric[j], AS_TEST_C * (double)n * DBL_EPSILON * 4);
        assert_near(v.im[j], 0, 0);
    }
    assert_near(log_det, (double)(n - 1) * log1p(-rho * rho), 1e-12);
}
END_TEST

/* Causal softmax attention: λ is its diagonal to the bit, in order, and the first is 1. */
START_TEST(causal_softmax_is_its_diagonal) {
    size_t n = sizes[_i];
    double a[MOST * MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        double sum = 0;
        for (size_t k = 0; k <= i; k++) {
            a[i * n + k] = exp(sin((double)(3 * i + 7 * k)));
            sum += a[i * n + k];
        }
        for (size_t k = 0; k <= i; k++) {
            a[i * n + k] /= sum;
        }
    }
    values v = solve(a, n);
    ck_assert(v.re[0] == 1);
    for (size_t i = 0; i < n; i++) {
        size_t found = 0;
        for (size_t k = 0; k < n; k++) {
            found += a[k * n + k] == v.re[i];
        }
        ck_assert(found > 0 && v.im[i] == 0 && (i == 0 || v.re[i] <= v.re[i - 1]));
    }
}
END_TEST

/* |λ| = 1 for a permutation; 0 for the nilpotent shift, and for a shift that a change of order hides
 * from the triangular route. */
START_TEST(permutation_and_shift) {
    size_t n = sizes[_i];
    double a[MOST * MOST] = {0}, b[MOST * MOST] = {0}, c[MOST * MOST] = {0};
    for (size_t i = 0; i < n; i++) {
        a[i * n + (i + 1) % n] = 1;
        if (i + 1 < n) {
            size_t from = (5 * i) % n, to = (5 * (i + 1)) % n;
            b[i * n + i + 1] = 1;
            c[from * n + to] = 1;
        }
    }
    values p = solve(a, n), s = solve(b, n), hidden = solve(c, n);
    for (size_t i = 0; i < n; i++) {
        assert_near(hypot(p.re[i], p.im[i]), 1, AS_TEST_C * (double)n * DBL_EPSILON * (double)n);
        assert_near(s.re[i], 0, 0);
        assert_near(s.im[i], 0, 0);
        assert_near(hypot(hidden.re[i], hidden.im[i]), 0, 0); /* balancing finds the order */
    }
    /* All magnitudes are one run: real parts fall, each pair stands + before −. */
    for (size_t i = 0; i < n; i++) {
        double k = (double)((i + 1) / 2);
        assert_near(p.re[i], cos(2 * pi * k / (double)n), 1e-13);
        assert_near(p.im[i], (i % 2 == 1 ? 1 : -1) * sin(2 * pi * k / (double)n), 1e-13);
    }
    assert_pairs(&p);
}
END_TEST

/* u vᵀ: λ₁ = vᵀu, the others 0; the symmetric part has (vᵀu ± ‖u‖‖v‖)/2 and zeros. */
START_TEST(rank_one) {
    size_t n = sizes[_i];
    double a[MOST * MOST], inner = 0, u = 0, v2 = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            a[i * n + k] = (double)(i + 1) * (1 - 0.25 * (double)k);
        }
        inner += (double)(i + 1) * (1 - 0.25 * (double)i);
        u += (double)((i + 1) * (i + 1));
        v2 += (1 - 0.25 * (double)i) * (1 - 0.25 * (double)i);
    }
    values v = solve(a, n);
    double norm = sqrt(u) * sqrt(v2), tolerance = AS_TEST_C * (double)n * DBL_EPSILON * norm;
    assert_near(v.re[0], inner, tolerance);
    assert_near(v.symmetric[0], n == 1 ? inner : (inner + norm) / 2, tolerance);
    assert_near(v.symmetric[n - 1], n == 1 ? inner : (inner - norm) / 2, tolerance);
    for (size_t i = 1; i < n; i++) {
        /* Zero is a defective eigenvalue where vᵀu is small, but here it is not. */
        assert_near(hypot(v.re[i], v.im[i]), 0, 10 * tolerance);
    }
}
END_TEST

/* The same matrix at both ends of the range: the order's tolerance neither overflows nor vanishes. */
START_TEST(the_range_of_a_double) {
    double scales[] = {0x1p-1000, 0x1p1000};
    for (size_t s = 0; s < 2; s++) {
        double a[9] = {0, scales[s], 0, 0, 0, scales[s], scales[s], 0, 0};
        values v = solve(a, 3);
        assert_near(v.re[0] / scales[s], 1, 1e-14);
        assert_near(v.re[1] / scales[s], -0.5, 1e-14);
        assert_near(v.im[1] / scales[s], sqrt(0.75), 1e-14);
        assert_near(v.im[2] / scales[s], -sqrt(0.75), 1e-14);
        assert_near(v.symmetric[0] / scales[s], 1, 1e-14);
        assert_near(v.symmetric[2] / scales[s], -0.5, 1e-14);
    }
}
END_TEST

/* Causal uniform: 1, 1/2, 1/3, which the solver lists upwards. A cyclic shift, either way round: 1
 * stands first, although an ulp makes it the smallest in magnitude; then + before −. */
START_TEST(order_does_not_hang_on_the_last_digit) {
    double uniform[] = {1, 0, 0, 0.5, 0.5, 0, 1.0 / 3, 1.0 / 3, 1.0 / 3};
    values v = solve(uniform, 3);
    ck_assert(v.re[0] == 1 && v.re[1] == 0.5 && v.re[2] == 1.0 / 3);
    double cycles[][9] = {{0, 1, 0, 0, 0, 1, 1, 0, 0}, {0, 0, 1, 1, 0, 0, 0, 1, 0}};
    for (size_t c = 0; c < 2; c++) {
        v = solve(cycles[c], 3);
        double re[] = {1, -0.5, -0.5}, im[] = {0, sqrt(0.75), -sqrt(0.75)};
        for (size_t i = 0; i < 3; i++) {
            assert_near(v.re[i], re[i], 4 * DBL_EPSILON);
            assert_near(v.im[i], im[i], 4 * DBL_EPSILON);
        }
    }
}
END_TEST

/* Runs by hand: a diagonal is its own spectrum, n·ε·‖A‖_F ≈ 5·2.2e−16·2.2 = 2.5e−15. Neighbours that
 * differ by less are one run, and a chain of such neighbours is one run too, whatever its length. */
START_TEST(runs_are_chains_of_neighbours) {
    const double step = 2e-15;
    double diagonal[] = {-1 - 2 * step, 1, -1 - step, 1 + 3 * step, -1}, a[25] = {0};
    for (size_t i = 0; i < 5; i++) {
        a[6 * i] = diagonal[i];
    }
    values v = solve(a, 5);
    /* Magnitudes 1+3s, 1+2s, 1+s, 1, 1 are one run; then real parts fall. Real parts of a run are all
     * within the tolerance of a neighbour, and the imaginary parts are all 0: what decides last is
     * the real part. */
    double want[] = {1 + 3 * step, 1, -1, -1 - step, -1 - 2 * step};
    for (size_t i = 0; i < 5; i++) {
        assert_near(v.re[i], want[i], 0);
    }
    a[0] = -1 - 3e-14; /* beyond the tolerance: now a run of its own, and the largest */
    v = solve(a, 5);
    assert_near(v.re[0], -1 - 3e-14, 0);
    assert_near(v.re[1], 1 + 3 * step, 0);
}
END_TEST

START_TEST(no_value_is_minus_zero) {
    double a[] = {-0.0, 0, 1, -0.0};
    values v = solve(a, 2);
    ck_assert(!signbit(v.re[0]) && !signbit(v.re[1]) && !signbit(v.im[0]) && !signbit(v.im[1]));
}
END_TEST

START_TEST(what_has_no_eigenvalues_is_refused) {
    double a[] = {1, 2, 3, 4, 5, 6}, re[3] = {-7, -7, -7}, im[3] = {-7, -7, -7};
    as_matrix wide = {.data = a, .rows = 2, .cols = 3}, square = {.data = a, .rows = 2, .cols = 2};
    as_matrix empty = {.data = a};
    as_spectrum_work *work, *small;
    assert_ok(as_spectrum_work_new(2, 3, &work));
    assert_ok(as_spectrum_work_new(1, 9, &small));
    assert_fails(as_eigenvalues(&wide, work, re, im), AS_EINVAL);
    ck_assert(strstr(as_message(), "2 × 3") != NULL);
    assert_fails(as_symmetric_eigenvalues(&wide, work, re), AS_EINVAL);
    assert_fails(as_eigenvalues(&empty, work, re, im), AS_EINVAL);
    assert_fails(as_eigenvalues(&square, small, re, im), AS_EINVAL);
    assert_fails(as_symmetric_eigenvalues(&square, small, re), AS_EINVAL);
    double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    for (size_t b = 0; b < 3; b++) {
        for (size_t place = 0; place < 4; place++) {
            double entries[4] = {1, 1, 1, 1};
            entries[place] = bad[b];
            square.data = entries;
            assert_fails(as_eigenvalues(&square, work, re, im), AS_ENONFINITE);
            assert_fails(as_symmetric_eigenvalues(&square, work, re), AS_ENONFINITE);
        }
    }
    ck_assert(re[0] == -7 && im[0] == -7);
    as_spectrum_work_free(work);
    as_spectrum_work_free(small);
}
END_TEST

/* Q Kᴴ with q = (1+i, 2), k = (1, i, −1)ᵀ: rank one, σ₁ = √6·√3. */
START_TEST(complex_product_by_hand) {
    double q[] = {1, 1, 2, 0}, k[] = {1, 0, 0, 1, -1, 0}, sigma[2];
    as_matrix a = {.data = q, .rows = 2, .cols = 2}, b = {.data = k, .rows = 3, .cols = 2};
    assert_ok(as_complex_singular_values(&a, &b, NULL, sigma));
    assert_near(sigma[0], sqrt(18), 1e-14);
    assert_near(sigma[1], 0, 1e-14);
    /* [[1+i, 1−i, −1−i], [2, −2i, −2]] with two entries masked: rows (1+i, 0, 0) and (2, 0, −2);
     * AAᴴ = [[2, 2+2i], [2−2i, 8]]: λ = 5 ± √17. */
    unsigned char mask[] = {0, 1, 1, 0, 1, 0};
    assert_ok(as_complex_singular_values(&a, &b, mask, sigma));
    assert_near(sigma[0], sqrt(5 + sqrt(17)), 1e-14);
    assert_near(sigma[1], sqrt(5 - sqrt(17)), 1e-14);
    sigma[0] = -7;
    q[3] = (double)NAN;
    assert_fails(as_complex_singular_values(&a, &b, NULL, sigma), AS_ENONFINITE);
    q[3] = 0x1p1000;
    k[0] = 0x1p1000;
    assert_fails(as_complex_singular_values(&a, &b, NULL, sigma), AS_ENONFINITE);
    b.cols = 3;
    assert_fails(as_complex_singular_values(&a, &b, NULL, sigma), AS_EINVAL);
    ck_assert(sigma[0] == -7);
}
END_TEST

/* Without a mask the thin factors are enough, with a mask that masks nothing the whole matrix is
 * taken: two ways to the same values, tall, wide, and with more columns than rows. The Frobenius norm
 * is summed apart. */
START_TEST(complex_product_two_ways) {
    size_t shapes[][3] = {{13, 13, 3}, {37, 13, 4}, {13, 37, 4},
                          {5, 7, 9},   {1, 13, 2},  {13, 13, 13}};
    static const unsigned char nothing[37 * 37];
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; s++) {
        size_t m = shapes[s][0], n = shapes[s][1], r = shapes[s][2], count = m < n ? m : n;
        double q[37 * 26], k[37 * 26], thin[37], dense[37], energy = 0, sum = 0;
        for (size_t i = 0; i < 37 * 26; i++) {
            q[i] = sin((double)(i * i % 1009));
            k[i] = cos((double)(i * i % 997) + 0.3);
        }
        as_matrix a = {.data = q, .rows = m, .cols = 2 * r};
        as_matrix b = {.data = k, .rows = n, .cols = 2 * r};
        assert_ok(as_complex_singular_values(&a, &b, NULL, thin));
        assert_ok(as_complex_singular_values(&a, &b, nothing, dense));
        for (size_t i = 0; i < m; i++) {
            for (size_t j = 0; j < n; j++) {
                double re = 0, im = 0;
                for (size_t c = 0; c < r; c++) {
                    double *x = q + i * 2 * r + 2 * c, *y = k + j * 2 * r + 2 * c;
                    re += x[0] * y[0] + x[1] * y[1];
                    im += x[1] * y[0] - x[0] * y[1];
                }
                energy += re * re + im * im;
            }
        }
        for (size_t i = 0; i < count; i++) {
            assert_near(thin[i], dense[i], AS_TEST_C * 37 * DBL_EPSILON * dense[0]);
            sum += dense[i] * dense[i];
        }
        assert_near(sum, energy, 1e-12 * energy);
        ck_assert(r >= count || thin[r] == 0);
    }
}
END_TEST

/* Of sizes whose matrices end at the end of a page, or of the heap, over and over: a BLAS that reads
 * beyond a matrix dies here. */
START_TEST(complex_products_of_many_sizes) {
    static const size_t shapes[][2] = {{160, 4}, {128, 64}, {512, 32}, {1024, 4}, {2048, 32}};
    for (size_t round = 0; round < 8; round++) {
        for (size_t s = 0; s < 5; s++) {
            size_t n = shapes[s][0], r = shapes[s][1];
            as_matrix q = {0}, k = {0};
            assert_ok(as_matrix_resize(&q, n, 2 * r));
            assert_ok(as_matrix_resize(&k, n, 2 * r));
            for (size_t i = 0; i < 2 * n * r; i++) {
                q.data[i] = sin((double)i);
                k.data[i] = cos((double)(3 * i));
            }
            double *sigma = malloc(n * sizeof *sigma);
            assert_ok(as_complex_singular_values(&q, &k, NULL, sigma));
            ck_assert(sigma[0] > 0 && sigma[n - 1] == 0);
            free(sigma);
            as_matrix_free(&q);
            as_matrix_free(&k);
        }
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, tridiagonal_toeplitz, 0, SIZES);
    tcase_add_loop_test(t, circulant, 0, SIZES);
    tcase_add_loop_test(t, kac_murdock_szego, 0, SIZES);
    tcase_add_loop_test(t, causal_softmax_is_its_diagonal, 0, SIZES);
    tcase_add_loop_test(t, permutation_and_shift, 0, SIZES);
    tcase_add_loop_test(t, rank_one, 0, SIZES);
    tcase_add_test(t, the_range_of_a_double);
    tcase_add_test(t, order_does_not_hang_on_the_last_digit);
    tcase_add_test(t, runs_are_chains_of_neighbours);
    tcase_add_test(t, no_value_is_minus_zero);
    tcase_add_test(t, what_has_no_eigenvalues_is_refused);
    tcase_add_test(t, complex_product_by_hand);
    tcase_add_test(t, complex_product_two_ways);
    tcase_add_test(t, complex_products_of_many_sizes);
}

AS_TEST_MAIN("eigen")
