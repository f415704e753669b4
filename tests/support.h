/* What every test file needs: one main, and checks that print both numbers.
 * A test file defines `static void cases(TCase *t)` that adds its tests, then AS_TEST_MAIN("room"). */
#ifndef AS_TESTS_SUPPORT_H
#define AS_TESTS_SUPPORT_H

#include <check.h>
#include <math.h>
#include <stdlib.h>

#include "attnspec/attnspec.h"

/* The c of every residual bound c·n·ε·‖A‖ in these tests. */
#define AS_TEST_C 10.0

/* A refusal takes less than a second of the processor; under the address sanitizer everything takes
 * several times as long. */
#if defined(__SANITIZE_ADDRESS__)
#define AS_TEST_SECOND (5 * CLOCKS_PER_SEC)
#else
#define AS_TEST_SECOND CLOCKS_PER_SEC
#endif

#define AS_TEST_MAIN(name)                                                                         \
    int main(void) {                                                                               \
        Suite *suite = suite_create(name);                                                         \
        TCase *t = tcase_create(name);                                                             \
        tcase_set_timeout(t, 120);                                                                 \
        cases(t);                                                                                  \
        suite_add_tcase(suite, t);                                                                 \
        SRunner *runner = srunner_create(suite);                                                   \
        srunner_run_all(runner, CK_ENV);                                                           \
        int failed = srunner_ntests_failed(runner);                                                \
        srunner_free(runner);                                                                      \
        return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;                                          \
    }

#define assert_near(actual, expected, tolerance)                                                   \
    do {                                                                                           \
        double a_ = (actual), e_ = (expected), t_ = (tolerance);                                   \
        ck_assert_msg(fabs(a_ - e_) <= t_, "%s = %.17g, expected %.17g within %g", #actual, a_,    \
                      e_, t_);                                                                     \
    } while (0)

#define assert_ok(call)                                                                            \
    do {                                                                                           \
        as_status s_ = (call);                                                                     \
        ck_assert_msg(s_ == AS_OK, "%s: %s: %s", #call, as_status_name(s_), as_message());         \
    } while (0)

#define assert_fails(call, status)                                                                 \
    do {                                                                                           \
        as_status s_ = (call), w_ = (status);                                                      \
        ck_assert_msg(s_ == w_, "%s: %s, expected %s; message: %s", #call, as_status_name(s_),     \
                      as_status_name(w_), as_message());                                           \
    } while (0)

#endif
