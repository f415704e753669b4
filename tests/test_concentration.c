/* Concentration over the heads of a layer, against closed forms. */
#include "support.h"

static void assert_shares(const double *values, size_t count, double share, double gini,
                          double hhi) {
    as_concentration c;
    as_concentrate(values, count, &c);
    ck_assert_int_eq(c.reason, AS_REASON_NONE);
    assert_near(c.value[AS_CONCENTRATION_head_max_share], share, 1e-15);
    assert_near(c.value[AS_CONCENTRATION_head_gini], gini, 1e-15);
    assert_near(c.value[AS_CONCENTRATION_head_hhi], hhi, 1e-15);
}

static void assert_no_shares(const double *values, size_t count, as_reason reason) {
    as_concentration c;
    as_concentrate(values, count, &c);
    ck_assert_str_eq(as_reason_name(c.reason), as_reason_name(reason));
    for (unsigned k = 0; k < AS_CONCENTRATION_COUNT; k++) {
        ck_assert(isnan(c.value[k]));
    }
}

START_TEST(known_shares) {
    static const double four[] = {1, 2, 3, 4}, mixed[] = {3, 1, 4, 2}, one_of[] = {0, 0, 7, 0, 0},
                        equal[] = {0.3, 0.3, 0.3}, clipped[] = {-5, 1, -0.5, 3}, two[] = {1, 3};
    assert_shares(four, 4, 0.4, 0.25, 0.3);
    assert_shares(mixed, 4, 0.4, 0.25, 0.3);
    assert_shares(one_of, 5, 1, 0.8, 1);
    assert_shares(equal, 3, 1.0 / 3, 0, 1.0 / 3);
    assert_shares(two, 2, 0.75, 0.25, 0.625);
    /* 0, 1, 0, 3: pairs differ by 1, 0, 3, 1, 2, 3. */
    assert_shares(clipped, 4, 0.75, 10.0 / 16, 0.625);
}
END_TEST

/* Scale changes nothing, and neither sums nor squares overflow or vanish. */
START_TEST(any_scale) {
    static const double scales[] = {1e307, 1e-307, 0x1p-1070};
    for (size_t s = 0; s < 3; s++) {
        double values[4];
        for (size_t i = 0; i < 4; i++) {
            values[i] = ((double)i + 1) * scales[s];
        }
        assert_shares(values, 4, 0.4, 0.25, 0.3);
    }
}
END_TEST

START_TEST(null_shares) {
    static const double zero[] = {0, 0, -1}, one[] = {5};
    assert_no_shares(zero, 3, AS_REASON_ZERO_MATRIX);
    assert_no_shares(one, 1, AS_REASON_SINGLE_VALUE);
    assert_no_shares(one, 0, AS_REASON_NOT_ANALYSED);
    ck_assert_str_eq(as_concentration_name(AS_CONCENTRATION_head_gini), "head_gini");
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, known_shares);
    tcase_add_test(t, any_scale);
    tcase_add_test(t, null_shares);
}

AS_TEST_MAIN("concentration")
