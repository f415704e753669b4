/* What happens when a LAPACK driver fails. This program's own LAPACKE_dgesdd_work and
 * LAPACKE_dgesvd_work stand before the library's: they fail on demand, after destroying the matrix
 * as the real ones do. LAPACKE's headers stay out: the two prototypes are its public interface. */
#include "support.h"

#include <string.h>

enum { BELIEVABLE, NOT_CONVERGED, NAN_WITH_SUCCESS };
static int bdsqr_does, gesdd_does, gesvd_does;
static int bdsqr_calls, gesdd_calls, gesvd_calls;
static double seen_by_gesvd;

/* Destroys a; the "right" answer of these mocks is |a[0]|, n times. */
static int mock(int outcome, double *a, double *sigma, int n) {
    double answer = outcome == NAN_WITH_SUCCESS ? (double)NAN : fabs(a[0]);
    a[0] = (double)NAN;
    for (int i = 0; i < n; i++) {
        sigma[i] = answer;
    }
    return outcome == NOT_CONVERGED ? 1 : 0;
}

int LAPACKE_dgesdd_work(int layout, char job, int m, int n, double *a, int lda, double *s,
                        double *u, int ldu, double *vt, int ldvt, double *work, int lwork,
                        int *iwork);
int LAPACKE_dgesdd_work(int layout, char job, int m, int n, double *a, int lda, double *s,
                        double *u, int ldu, double *vt, int ldvt, double *work, int lwork,
                        int *iwork) {
    (void)layout, (void)job, (void)m, (void)lda, (void)u, (void)ldu, (void)vt, (void)ldvt;
    (void)iwork;
    if (lwork == -1) {
        work[0] = 64;
        return 0;
    }
    gesdd_calls++;
    return mock(gesdd_does, a, s, n);
}

int LAPACKE_dgesvd_work(int layout, char jobu, char jobvt, int m, int n, double *a, int lda,
                        double *s, double *u, int ldu, double *vt, int ldvt, double *work,
                        int lwork);
int LAPACKE_dgesvd_work(int layout, char jobu, char jobvt, int m, int n, double *a, int lda,
                        double *s, double *u, int ldu, double *vt, int ldvt, double *work,
                        int lwork) {
    (void)layout, (void)jobu, (void)jobvt, (void)m, (void)lda, (void)u, (void)ldu;
    (void)vt, (void)ldvt;
    if (lwork == -1) {
        work[0] = 64;
        return 0;
    }
    gesvd_calls++;
    seen_by_gesvd = a[0];
    return mock(gesvd_does, a, s, n);
}

int LAPACKE_dbdsqr_work(int layout, char uplo, int n, int ncvt, int nru, int ncc, double *d,
                        double *e, double *vt, int ldvt, double *u, int ldu, double *c, int ldc,
                        double *work);
int LAPACKE_dbdsqr_work(int layout, char uplo, int n, int ncvt, int nru, int ncc, double *d,
                        double *e, double *vt, int ldvt, double *u, int ldu, double *c, int ldc,
                        double *work) {
    (void)layout, (void)uplo, (void)ncvt, (void)nru, (void)ncc, (void)e, (void)vt;
    (void)ldvt, (void)u, (void)ldu, (void)c, (void)ldc, (void)work;
    bdsqr_calls++;
    return mock(bdsqr_does, d, d, n);
}

static as_status solve(as_driver driver, double *sigma, as_driver *used) {
    double entry = -7;
    as_matrix a = {.data = &entry, .rows = 1, .cols = 1};
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(1, 1, &work));
    gesdd_calls = gesvd_calls = 0;
    as_status status = as_singular_values(&a, driver, work, sigma, used);
    ck_assert(entry == -7);
    as_spectrum_work_free(work);
    return status;
}

START_TEST(second_driver_gets_a_fresh_copy) {
    double sigma = -1;
    as_driver used = AS_DRIVER_AUTO;
    for (int failure = NOT_CONVERGED; failure <= NAN_WITH_SUCCESS; failure++) {
        gesdd_does = failure;
        gesvd_does = BELIEVABLE;
        seen_by_gesvd = 0;
        assert_ok(solve(AS_DRIVER_AUTO, &sigma, &used));
        ck_assert(sigma == 7);
        ck_assert_int_eq(used, AS_DRIVER_GESVD);
        ck_assert(seen_by_gesvd == -7);
        ck_assert_int_eq(gesdd_calls, 1);
    }
}
END_TEST

START_TEST(first_driver_is_enough_where_it_works) {
    double sigma = -1;
    as_driver used = AS_DRIVER_AUTO;
    gesdd_does = BELIEVABLE;
    assert_ok(solve(AS_DRIVER_AUTO, &sigma, &used));
    ck_assert_int_eq(used, AS_DRIVER_GESDD);
    ck_assert_int_eq(gesvd_calls, 0);
}
END_TEST

START_TEST(both_failing_is_not_converged) {
    double sigma = -1;
    as_driver used = AS_DRIVER_AUTO;
    gesdd_does = NOT_CONVERGED;
    gesvd_does = NAN_WITH_SUCCESS;
    assert_fails(solve(AS_DRIVER_AUTO, &sigma, &used), AS_ENOCONV);
    ck_assert(strstr(as_message(), "gesvd") != NULL);
    ck_assert(sigma == -1);
    ck_assert_int_eq(used, AS_DRIVER_AUTO);
}
END_TEST

START_TEST(forced_driver_is_not_replaced) {
    double sigma = -1;
    as_driver used = AS_DRIVER_AUTO;
    gesdd_does = NOT_CONVERGED;
    gesvd_does = BELIEVABLE;
    assert_fails(solve(AS_DRIVER_GESDD, &sigma, &used), AS_ENOCONV);
    ck_assert_int_eq(gesvd_calls, 0);
    assert_ok(solve(AS_DRIVER_GESVD, &sigma, &used));
    ck_assert_int_eq(gesdd_calls, 0);
}
END_TEST

/* Of an order that onepass takes, the way is onepass, gesdd, gesvd. */
START_TEST(onepass_that_fails_is_followed_by_gesdd) {
    double entries[64] = {-7}, sigma[8] = {-1};
    as_matrix a = {.data = entries, .rows = 8, .cols = 8};
    as_spectrum_work *work;
    as_driver used = AS_DRIVER_AUTO;
    assert_ok(as_spectrum_work_new(8, 8, &work));
    gesdd_does = BELIEVABLE;
    bdsqr_calls = gesdd_calls = gesvd_calls = 0;
    bdsqr_does = NOT_CONVERGED;
    assert_ok(as_singular_values(&a, AS_DRIVER_AUTO, work, sigma, &used));
    ck_assert_int_eq(used, AS_DRIVER_GESDD);
    ck_assert(sigma[0] == 7);
    ck_assert_int_eq(bdsqr_calls, 1);
    ck_assert_int_eq(gesvd_calls, 0);
    assert_fails(as_singular_values(&a, AS_DRIVER_ONEPASS, work, sigma, NULL), AS_ENOCONV);
    bdsqr_does = NAN_WITH_SUCCESS;
    assert_fails(as_singular_values(&a, AS_DRIVER_ONEPASS, work, sigma, NULL), AS_ENOCONV);
    as_spectrum_work_free(work);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, second_driver_gets_a_fresh_copy);
    tcase_add_test(t, first_driver_is_enough_where_it_works);
    tcase_add_test(t, both_failing_is_not_converged);
    tcase_add_test(t, forced_driver_is_not_replaced);
    tcase_add_test(t, onepass_that_fails_is_followed_by_gesdd);
}

AS_TEST_MAIN("driver")
