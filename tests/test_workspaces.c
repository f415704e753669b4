/* Workspaces at the sizes where LAPACK's own queries are known to wrap: dgesdd with vectors from 26754,
 * dsyevd with vectors from 32767. Only queries are made, no matrix of these sizes. */
#include "support.h"

#include "door/lapack.h"

static const size_t sizes[] = {26753, 26754, 32766, 32767, 46339, 46340};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* The documented minima: gesdd 10n, gesvd 5n; values only, so nothing is quadratic. */
START_TEST(queries_do_not_wrap) {
    size_t last = 0, last_eigen = 0;
    for (size_t i = 0; i < SIZES; i++) {
        size_t n = sizes[i], singular = as_lapack_lwork(n, n), eigen = as_lapack_eigen_lwork(n);
        ck_assert_uint_ge(singular, 10 * n);
        ck_assert_uint_ge(eigen, 3 * n);
        ck_assert_uint_lt(singular, n * n / 8);
        ck_assert_uint_lt(eigen, n * n / 8);
        ck_assert(singular > last && eigen > last_eigen);
        last = singular;
        last_eigen = eigen;
    }
}
END_TEST

/* At least the copy that LAPACK destroys, counted in 64 bits. */
START_TEST(bytes_are_those_of_the_copy_and_more) {
    uint64_t last = 0;
    for (size_t i = 0; i < SIZES; i++) {
        uint64_t n = sizes[i], bytes = as_spectrum_work_bytes(sizes[i], sizes[i]);
        ck_assert_uint_ge(bytes, 8 * n * n);
        ck_assert_uint_lt(bytes, 9 * n * n);
        ck_assert_uint_gt(bytes, last);
        last = bytes;
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, queries_do_not_wrap);
    tcase_add_test(t, bytes_are_those_of_the_copy_and_more);
}

AS_TEST_MAIN("workspaces")
