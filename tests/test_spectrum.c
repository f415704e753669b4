/* The spectrum room against spectra that are known in closed form, at unround sizes. */
#include "support.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

#include "door/lapack.h"
#include "spectrum/one_pass.h"

static const double pi = 3.14159265358979323846;
static const size_t sizes[] = {1, 2, 3, 13, 37, 128};
enum { SIZES = sizeof sizes / sizeof *sizes };

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

static void sort(double *x, size_t n) {
    qsort(x, n, sizeof *x, descending);
}

/* A family of n × n matrices with known singular values. */
typedef struct family {
    const char *name;
    double (*entry)(size_t n, size_t i, size_t k);
    void (*expected)(size_t n, double *sigma);
} family;

/* theory: σ_j = 1/(2 sin((2j−1)π/(4n+2))). */
static double causal_ones(size_t n, size_t i, size_t k) {
    (void)n;
    return k <= i;
}
static void causal_ones_sigma(size_t n, double *sigma) {
    for (size_t j = 1; j <= n; j++) {
        sigma[j - 1] = 1 / (2 * sin((double)(2 * j - 1) * pi / (double)(4 * n + 2)));
    }
}

/* Symmetric tridiagonal Toeplitz (b, a, b): λ_j = a + 2b cos(jπ/(n+1)); σ = |λ|. */
static double tridiagonal(size_t n, size_t i, size_t k) {
    (void)n;
    return i == k ? 0.75 : (i + 1 == k || k + 1 == i) ? -1.5 : 0;
}
static void tridiagonal_sigma(size_t n, double *sigma) {
    for (size_t j = 1; j <= n; j++) {
        sigma[j - 1] = fabs(0.75 - 3 * cos((double)j * pi / (double)(n + 1)));
    }
    sort(sigma, n);
}

/* Circulant with first column c: σ = |DFT(c)|. */
static double column(size_t n, size_t j) {
    return j == 0 ? 2 : j == 1 ? -0.5 : j == n - 1 ? 0.25 : 0;
}
static double circulant(size_t n, size_t i, size_t k) {
    return column(n, (i + n - k) % n);
}
static void circulant_sigma(size_t n, double *sigma) {
    for (size_t f = 0; f < n; f++) {
        double re = 0, im = 0;
        for (size_t j = 0; j < n; j++) {
            double angle = 2 * pi * (double)((f * j) % n) / (double)n;
            re += column(n, j) * cos(angle);
            im -= column(n, j) * sin(angle);
        }
        sigma[f] = hypot(re, im);
    }
    sort(sigma, n);
}

static double permutation(size_t n, size_t i, size_t k) {
    return k == (i + n / 2) % n;
}
static void permutation_sigma(size_t n, double *sigma) {
    for (size_t j = 0; j < n; j++) {
        sigma[j] = 1;
    }
}

static double shift(size_t n, size_t i, size_t k) {
    (void)n;
    return i == k + 1;
}
static void shift_sigma(size_t n, double *sigma) {
    permutation_sigma(n, sigma);
    sigma[n - 1] = 0;
}

/* Each query sees the key before it, the first one itself: √2, 1 (n−2 times), 0. */
static double previous_token(size_t n, size_t i, size_t k) {
    (void)n;
    return i == k + 1 || (i == 0 && k == 0);
}
static void previous_token_sigma(size_t n, double *sigma) {
    permutation_sigma(n, sigma);
    if (n > 1) {
        sigma[0] = sqrt(2);
        sigma[n - 1] = 0;
    }
}

/* u vᵀ with u_i = i+1, v_k = 1/(k+1): σ₁ = ‖u‖‖v‖. */
static double rank_one(size_t n, size_t i, size_t k) {
    (void)n;
    return (double)(i + 1) / (double)(k + 1);
}
static void rank_one_sigma(size_t n, double *sigma) {
    double u = 0, v = 0;
    for (size_t i = 1; i <= n; i++) {
        u += (double)(i * i);
        v += 1 / (double)(i * i);
    }
    memset(sigma, 0, n * sizeof *sigma);
    sigma[0] = sqrt(u) * sqrt(v);
}

static const family families[] = {
    {"causal ones", causal_ones, causal_ones_sigma},
    {"tridiagonal Toeplitz", tridiagonal, tridiagonal_sigma},
    {"circulant", circulant, circulant_sigma},
    {"permutation", permutation, permutation_sigma},
    {"nilpotent shift", shift, shift_sigma},
    {"previous token", previous_token, previous_token_sigma},
    {"rank one", rank_one, rank_one_sigma},
};
enum { FAMILIES = sizeof families / sizeof *families };

static as_matrix make(const family *f, size_t n, double scale) {
    as_matrix a = {0};
    assert_ok(as_matrix_resize(&a, n, n));
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k < n; k++) {
            a.data[i * n + k] = scale * f->entry(n, i, k);
        }
    }
    return a;
}

static void check_family(const family *f, size_t n, as_driver driver, double scale) {
    as_matrix a = make(f, n, scale);
    double *sigma = malloc(n * sizeof *sigma), *expected = malloc(n * sizeof *expected);
    double *before = malloc(n * n * sizeof *before);
    memcpy(before, a.data, n * n * sizeof *before);
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(n, n, &work));
    as_driver used = AS_DRIVER_AUTO;
    assert_ok(as_singular_values(&a, driver, work, sigma, &used));
    as_driver first = n < 8 || n > 1024 ? AS_DRIVER_GESDD : AS_DRIVER_ONEPASS;
    ck_assert_int_eq(used, driver == AS_DRIVER_AUTO ? first : driver);
    ck_assert_msg(memcmp(before, a.data, n * n * sizeof *before) == 0, "%s was modified", f->name);
    f->expected(n, expected);
    double bound = AS_TEST_C * (double)n * DBL_EPSILON * scale * expected[0];
    for (size_t j = 0; j < n; j++) {
        ck_assert_msg(fabs(sigma[j] - scale * expected[j]) <= bound,
                      "%s, n = %zu, scale %g: sigma[%zu] = %.17g, expected %.17g", f->name, n,
                      scale, j, sigma[j], scale * expected[j]);
        ck_assert(j == 0 || sigma[j] <= sigma[j - 1]);
    }
    as_spectrum_work_free(work);
    as_matrix_free(&a);
    free(sigma);
    free(expected);
    free(before);
}

START_TEST(closed_forms) {
    check_family(&families[_i / SIZES], sizes[_i % SIZES], AS_DRIVER_AUTO, 1);
    check_family(&families[_i / SIZES], sizes[_i % SIZES], AS_DRIVER_GESDD, 1);
    check_family(&families[_i / SIZES], sizes[_i % SIZES], AS_DRIVER_GESVD, 1);
}
END_TEST

START_TEST(closed_forms_at_the_ends_of_the_range) {
    for (size_t f = 0; f < FAMILIES; f++) {
        for (int driver = AS_DRIVER_AUTO; driver < AS_DRIVER_COUNT; driver++) {
            check_family(&families[f], 13, (as_driver)driver, 0x1p1000);
            check_family(&families[f], 13, (as_driver)driver, 0x1p-1000);
        }
    }
}
END_TEST

/* Entries over 300 orders of magnitude, columns that are nearly or wholly zero, at every order from
 * the first that onepass takes through whole and broken blocks: it agrees with LAPACK. */
START_TEST(onepass_agrees_with_lapack) {
    enum { MOST = 41 };
    uint64_t state = 7;
    for (size_t n = 8; n <= MOST; n++) {
        for (int kind = 0; kind < 4; kind++) {
            double entries[MOST * MOST], ours[MOST], theirs[MOST];
            for (size_t i = 0; i < n * n; i++) {
                state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
                double x = (double)(state >> 11) * 0x1p-53 - 0.5;
                size_t row = i / n, col = i % n;
                entries[i] = kind == 0   ? x
                             : kind == 1 ? ldexp(x, -(int)((state >> 3) % 1000))
                             : kind == 2 ? (row % 3 == 0 || col % 5 == 1 ? 0 : x)
                                         : ldexp(x, -(int)(row * 40));
            }
            as_matrix a = {.data = entries, .rows = n, .cols = n};
            as_spectrum_work *work;
            assert_ok(as_spectrum_work_new(n, n, &work));
            assert_ok(as_singular_values(&a, AS_DRIVER_ONEPASS, work, ours, NULL));
            assert_ok(as_singular_values(&a, AS_DRIVER_GESVD, work, theirs, NULL));
            for (size_t j = 0; j < n; j++) {
                assert_near(ours[j], theirs[j], AS_TEST_C * (double)n * DBL_EPSILON * theirs[0]);
            }
            as_spectrum_work_free(work);
        }
    }
}
END_TEST

/* Every kernel that this processor runs, not only the one it takes: the values of the bidiagonal
 * matrix are those of the matrix. */
START_TEST(onepass_kernels_agree) {
    enum { N = 37 };
    size_t kernels = 0;
    for (; as_one_pass_kernel(kernels) != NULL; kernels++) {
        for (size_t f = 0; f < FAMILIES; f++) {
            as_matrix a = make(&families[f], N, 1);
            double d[N], e[N], work[4 * N], expected[N];
            double *scratch = aligned_alloc(64, as_one_pass_scratch(N) * sizeof(double));
            int exponent = as_one_pass_reduce_by(kernels, N, a.data, d, e, scratch);
            ck_assert_int_eq(as_lapack_bdsqr(N, d, e, &(as_lapack_work){.work = work}), 0);
            families[f].expected(N, expected);
            for (size_t j = 0; j < N; j++) {
                assert_near(ldexp(d[j], exponent), expected[j],
                            AS_TEST_C * N * DBL_EPSILON * expected[0]);
            }
            free(scratch);
            as_matrix_free(&a);
        }
    }
    ck_assert_str_eq(as_one_pass_kernel(kernels - 1), "portable");
    ck_assert_str_eq(as_onepass_kernel(), as_one_pass_kernel(0));
}
END_TEST

/* At the last orders that onepass takes, and at the first that it does not. */
START_TEST(onepass_at_its_far_end) {
    for (size_t n = 1022; n <= 1025; n++) {
        check_family(&families[0], n, AS_DRIVER_AUTO, 1);
        check_family(&families[1], n, AS_DRIVER_AUTO, 1);
    }
}
END_TEST

START_TEST(onepass_takes_squares_only) {
    double entries[9 * 8] = {1}, sigma[8] = {-1};
    as_matrix a = {.data = entries, .rows = 9, .cols = 8};
    as_spectrum_work *work;
    as_driver used = AS_DRIVER_AUTO;
    assert_ok(as_spectrum_work_new(9, 9, &work));
    assert_fails(as_singular_values(&a, AS_DRIVER_ONEPASS, work, sigma, NULL), AS_EINVAL);
    ck_assert(sigma[0] == -1);
    assert_ok(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, &used));
    ck_assert_int_eq(used, AS_DRIVER_GESDD);
    as_spectrum_work_free(work);
}
END_TEST

/* Kac, Murdock and Szegő: det ρ^|Δ| = (1−ρ²)^(n−1), and λ = σ within the symbol's range. */
START_TEST(kac_murdock_szego) {
    const double rho = 0.6;
    for (size_t s = 0; s < SIZES; s++) {
        size_t n = sizes[s];
        as_matrix a = {0};
        assert_ok(as_matrix_resize(&a, n, n));
        for (size_t i = 0; i < n; i++) {
            for (size_t k = 0; k < n; k++) {
                a.data[i * n + k] = pow(rho, fabs((double)i - (double)k));
            }
        }
        double sigma[128], log_det = 0;
        as_spectrum_work *work;
        assert_ok(as_spectrum_work_new(n, n, &work));
        assert_ok(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, NULL));
        for (size_t j = 0; j < n; j++) {
            log_det += log(sigma[j]);
            ck_assert(sigma[j] > (1 - rho) / (1 + rho) && sigma[j] < (1 + rho) / (1 - rho));
        }
        assert_near(log_det, (double)(n - 1) * log1p(-rho * rho), 1e-11);
        as_spectrum_work_free(work);
        as_matrix_free(&a);
    }
}
END_TEST

/* One workspace for the largest shape serves every smaller one, tall, wide and single rows. */
START_TEST(rectangular) {
    struct {
        size_t rows, cols, count;
        double entries[6], sigma[2];
    } known[] = {
        /* AAᵀ = [[14, 32], [32, 77]]: λ = (91 ± √(63² + 64²))/2. */
        {2, 3, 2, {1, 2, 3, 4, 5, 6}, {9.508032000695724, 0.7728696356734838}},
        {3, 2, 2, {1, 4, 2, 5, 3, 6}, {9.508032000695724, 0.7728696356734838}},
        {1, 2, 1, {3, 4}, {5}},
        {2, 1, 1, {-3, 4}, {5}},
        {1, 1, 1, {-7}, {7}},
    };
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(200, 3, &work));
    for (size_t t = 0; t < sizeof known / sizeof *known; t++) {
        as_matrix a = {.data = known[t].entries, .rows = known[t].rows, .cols = known[t].cols};
        double sigma[2] = {-1, -1};
        assert_ok(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, NULL));
        for (size_t j = 0; j < known[t].count; j++) {
            assert_near(sigma[j], known[t].sigma[j], 1e-14);
        }
    }
    as_spectrum_work_free(work);
}
END_TEST

START_TEST(small_workspaces_are_refused) {
    double entries[6] = {1, 2, 3, 4, 5, 6}, sigma[2] = {-1, -1};
    as_matrix a = {.data = entries, .rows = 2, .cols = 3};
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(3, 2, &work));
    assert_fails(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, NULL), AS_EINVAL);
    ck_assert(sigma[0] == -1);
    as_spectrum_work_free(work);
    assert_fails(as_spectrum_work_new(0, 5, &work), AS_EINVAL);
}
END_TEST

/* One Inf makes drivers hang or answer NaN with info = 0: it never gets there. */
START_TEST(nonfinite_never_reaches_lapack) {
    double bad[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(3, 3, &work));
    for (size_t b = 0; b < 3; b++) {
        for (size_t place = 0; place < 9; place++) {
            double entries[9] = {1, 1, 1, 1, 1, 1, 1, 1, 1}, sigma[3] = {-1, -1, -1};
            entries[place] = bad[b];
            as_matrix a = {.data = entries, .rows = 3, .cols = 3};
            assert_fails(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, NULL), AS_ENONFINITE);
            ck_assert(sigma[0] == -1 && sigma[2] == -1);
        }
    }
    as_spectrum_work_free(work);
}
END_TEST

/* 46340² is the last square that 32-bit integers count, 46341² overflows them. */
START_TEST(sizes_are_guarded_in_64_bits) {
    if (as_lapack_limit() != INT32_MAX) {
        printf("skipped: this LAPACK counts in 64 bits\n");
        return;
    }
    assert_ok(as_spectrum_check_size(46340, 46340));
    assert_fails(as_spectrum_check_size(46341, 46341), AS_ETOOLARGE);
    ck_assert(strstr(as_message(), "46341 × 46341") != NULL);
    ck_assert(strstr(as_message(), "2147483647") != NULL);
    assert_ok(as_spectrum_check_size(2147483647, 1));
    assert_fails(as_spectrum_check_size(2147483648, 1), AS_ETOOLARGE);
    assert_fails(as_spectrum_check_size(SIZE_MAX, SIZE_MAX), AS_ETOOLARGE);
    as_spectrum_work *work = NULL;
    assert_fails(as_spectrum_work_new(46341, 46341, &work), AS_ETOOLARGE);
    ck_assert_ptr_null(work);
    ck_assert_uint_eq(as_spectrum_work_bytes(46341, 46341), UINT64_MAX);
}
END_TEST

/* A batch on 1 and on 3 threads: the same bits, since BLAS has one thread in both. */
typedef struct batch {
    as_matrix a[30];
    double sigma[30][37];
    as_spectrum_work *work[3];
} batch;

static void one(void *context, size_t index, size_t worker) {
    batch *b = context;
    assert_ok(
        as_singular_values(&b->a[index], AS_DRIVER_AUTO, b->work[worker], b->sigma[index], NULL));
}

START_TEST(one_and_three_threads_agree) {
    static batch b;
    static double first[30][37];
    uint64_t state = 1;
    for (size_t m = 0; m < 30; m++) {
        assert_ok(as_matrix_resize(&b.a[m], 37, 37));
        for (size_t i = 0; i < 37 * 37; i++) {
            state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            b.a[m].data[i] = (double)(state >> 11) * 0x1p-53 - 0.5;
        }
    }
    for (size_t w = 0; w < 3; w++) {
        assert_ok(as_spectrum_work_new(37, 37, &b.work[w]));
    }
    assert_ok(as_parallel_for(30, 1, one, &b));
    memcpy(first, b.sigma, sizeof first);
    assert_ok(as_parallel_for(30, 3, one, &b));
    ck_assert(memcmp(first, b.sigma, sizeof first) == 0);
    /* BLAS with threads of its own may round otherwise, but not beyond that. */
    assert_ok(as_serial_for(30, 3, one, &b));
    for (size_t m = 0; m < 30; m++) {
        for (size_t j = 0; j < 37; j++) {
            assert_near(b.sigma[m][j], first[m][j], 1e-12 * first[m][0]);
        }
        as_matrix_free(&b.a[m]);
    }
    for (size_t w = 0; w < 3; w++) {
        as_spectrum_work_free(b.work[w]);
    }
}
END_TEST

START_TEST(triangular_is_seen) {
    double lower[] = {1, 0, 0, 2, 3, 0, 4, 5, 6}, upper[] = {1, 2, 3, 0, 4, 5, 0, 0, 6};
    double full[] = {1, 2, 0, 3, 4, 5, 6, 7, 8}, late[] = {1, 0, 0, 1, 1, 1, 1, 1, 1};
    ck_assert(as_is_triangular(&(as_matrix){.data = lower, .rows = 3, .cols = 3}));
    ck_assert(as_is_triangular(&(as_matrix){.data = upper, .rows = 3, .cols = 3}));
    ck_assert(!as_is_triangular(&(as_matrix){.data = full, .rows = 3, .cols = 3}));
    ck_assert(!as_is_triangular(&(as_matrix){.data = late, .rows = 3, .cols = 3}));
    ck_assert(!as_is_triangular(&(as_matrix){.data = lower, .rows = 3, .cols = 2}));
    ck_assert(as_is_triangular(&(as_matrix){.data = lower, .rows = 1, .cols = 1}));
}
END_TEST

START_TEST(driver_names) {
    for (unsigned i = 0; i < AS_DRIVER_COUNT; i++) {
        as_driver d = AS_DRIVER_COUNT;
        assert_ok(as_driver_parse(as_driver_name((as_driver)i), &d));
        ck_assert_int_eq(d, (int)i);
    }
    as_driver d = AS_DRIVER_GESVD;
    assert_fails(as_driver_parse("gesddd", &d), AS_EINVAL);
    ck_assert_int_eq(d, AS_DRIVER_GESVD);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_loop_test(t, closed_forms, 0, FAMILIES * SIZES);
    tcase_add_test(t, closed_forms_at_the_ends_of_the_range);
    tcase_add_test(t, onepass_agrees_with_lapack);
    tcase_add_test(t, onepass_kernels_agree);
    tcase_add_test(t, onepass_at_its_far_end);
    tcase_add_test(t, onepass_takes_squares_only);
    tcase_add_test(t, kac_murdock_szego);
    tcase_add_test(t, rectangular);
    tcase_add_test(t, small_workspaces_are_refused);
    tcase_add_test(t, nonfinite_never_reaches_lapack);
    tcase_add_test(t, sizes_are_guarded_in_64_bits);
    tcase_add_test(t, one_and_three_threads_agree);
    tcase_add_test(t, triangular_is_seen);
    tcase_add_test(t, driver_names);
}

AS_TEST_MAIN("spectrum")
