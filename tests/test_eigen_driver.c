/* What happens when LAPACK's eigenvalue drivers, or its complex ones, fail. This program's own
 * LAPACKE functions stand before the library's: they fail on demand. LAPACKE's headers stay out: the
 * prototypes are its public interface. */
#include "support.h"

#include <complex.h>
#include <string.h>

enum { BELIEVABLE, NOT_CONVERGED, NAN_WITH_SUCCESS, INF_WITH_SUCCESS };
static int outcome;

static double answer(void) {
    return outcome == NAN_WITH_SUCCESS   ? (double)NAN
           : outcome == INF_WITH_SUCCESS ? (double)INFINITY
                                         : 7;
}

static int fill(double *values, int n) {
    for (int i = 0; i < n; i++) {
        values[i] = answer();
    }
    return outcome == NOT_CONVERGED ? 1 : 0;
}

int LAPACKE_dgeev_work(int layout, char left, char right, int n, double *a, int lda, double *wr,
                       double *wi, double *vl, int ldvl, double *vr, int ldvr, double *work,
                       int lwork);
int LAPACKE_dgeev_work(int layout, char left, char right, int n, double *a, int lda, double *wr,
                       double *wi, double *vl, int ldvl, double *vr, int ldvr, double *work,
                       int lwork) {
    (void)layout, (void)left, (void)right, (void)lda, (void)vl, (void)ldvl, (void)vr, (void)ldvr;
    if (lwork == -1) {
        work[0] = 64;
        return 0;
    }
    a[0] = (double)NAN;
    memset(wr, 0, (size_t)n * sizeof *wr);
    return fill(wi, n);
}

int LAPACKE_dsyevd_work(int layout, char job, char uplo, int n, double *a, int lda, double *w,
                        double *work, int lwork, int *iwork, int liwork);
int LAPACKE_dsyevd_work(int layout, char job, char uplo, int n, double *a, int lda, double *w,
                        double *work, int lwork, int *iwork, int liwork) {
    (void)layout, (void)job, (void)uplo, (void)lda, (void)iwork, (void)liwork;
    if (lwork == -1) {
        work[0] = 64;
        return 0;
    }
    a[0] = (double)NAN;
    return fill(w, n);
}

int LAPACKE_zgesdd_work(int layout, char job, int m, int n, double complex *a, int lda, double *s,
                        double complex *u, int ldu, double complex *vt, int ldvt,
                        double complex *work, int lwork, double *rwork, int *iwork);
int LAPACKE_zgesdd_work(int layout, char job, int m, int n, double complex *a, int lda, double *s,
                        double complex *u, int ldu, double complex *vt, int ldvt,
                        double complex *work, int lwork, double *rwork, int *iwork) {
    (void)layout, (void)job, (void)a, (void)lda, (void)u, (void)ldu, (void)vt, (void)ldvt;
    (void)rwork, (void)iwork;
    if (lwork == -1) {
        work[0] = 64;
        return 0;
    }
    return fill(s, m < n ? m : n);
}

static const int failures[] = {NOT_CONVERGED, NAN_WITH_SUCCESS, INF_WITH_SUCCESS};

START_TEST(failing_eigenvalues_are_not_converged) {
    double entries[] = {1, 2, 3, 4}, re[2] = {-1, -1}, im[2] = {-1, -1}, lambda[2] = {-1, -1};
    as_matrix a = {.data = entries, .rows = 2, .cols = 2};
    as_spectrum_work *work;
    assert_ok(as_spectrum_work_new(2, 2, &work));
    for (size_t f = 0; f < 3; f++) {
        outcome = failures[f];
        assert_fails(as_eigenvalues(&a, work, re, im), AS_ENOCONV);
        ck_assert(strstr(as_message(), "geev") != NULL);
        assert_fails(as_symmetric_eigenvalues(&a, work, lambda), AS_ENOCONV);
        ck_assert(strstr(as_message(), "syevd") != NULL);
        ck_assert(re[0] == -1 && im[0] == -1 && lambda[0] == -1);
        /* A triangular matrix asks no solver. */
        entries[1] = 0;
        assert_ok(as_eigenvalues(&a, work, (double[2]){0}, (double[2]){0}));
        entries[1] = 2;
        ck_assert(entries[0] == 1);
    }
    outcome = BELIEVABLE;
    assert_ok(as_eigenvalues(&a, work, re, im));
    ck_assert(im[0] == 7);
    as_spectrum_work_free(work);
}
END_TEST

/* The summary fails as a whole: its singular values alone would pass for what was asked for. */
START_TEST(summary_fails_with_its_eigenvalues) {
    double entries[] = {1, 2, 3, 4};
    as_logits logits = {.a = {.data = entries, .rows = 2, .cols = 2}, .kind = AS_KIND_LOGITS};
    as_summary summary = {0};
    outcome = NOT_CONVERGED;
    as_summary_options options = {.eigen = true};
    assert_fails(as_summarise(&summary, &logits, &options), AS_ENOCONV);
    options = (as_summary_options){.symmetric = true};
    assert_fails(as_summarise(&summary, &logits, &options), AS_ENOCONV);
    options = (as_summary_options){0};
    assert_ok(as_summarise(&summary, &logits, &options));
    as_summary_free(&summary);
}
END_TEST

START_TEST(failing_complex_values_are_not_converged) {
    double entries[] = {1, 2, 3, 4}, sigma[2] = {-1, -1};
    as_matrix q = {.data = entries, .rows = 2, .cols = 2};
    for (size_t f = 0; f < 3; f++) {
        outcome = failures[f];
        assert_fails(as_complex_singular_values(&q, &q, NULL, sigma), AS_ENOCONV);
        ck_assert(strstr(as_message(), "zgesdd") != NULL);
        ck_assert(sigma[0] == -1);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, failing_eigenvalues_are_not_converged);
    tcase_add_test(t, summary_fails_with_its_eigenvalues);
    tcase_add_test(t, failing_complex_values_are_not_converged);
}

AS_TEST_MAIN("eigen_driver")
