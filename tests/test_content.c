/* The content room: streams by key, and what is drawn from them. */
#include "support.h"

#include <string.h>

#include "scheme_numbers.inc"

static as_stream *stream(uint64_t seed, const char *purpose, size_t layer, size_t head) {
    as_stream *s = NULL;
    assert_ok(as_stream_new(seed, purpose, layer, head, &s));
    return s;
}

static as_content content(const char *text) {
    as_content c = {.type = NULL};
    assert_ok(as_content_parse(text, &c));
    return c;
}

START_TEST(streams_are_those_of_numpy_and_gsl_to_the_bit) {
    as_stream *s = stream(7, "test", 2, 3);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_double_eq(as_stream_uniform(s), stream_uniform[i]);
    }
    as_stream_free(s);
    s = stream(7, "test", 2, 3);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_double_eq(as_stream_gaussian(s), stream_gaussian[i]);
    }
    as_stream_free(s);
    s = stream((UINT64_C(1) << 40) + 1, "", (size_t)1 << 33, 0);
    ck_assert_double_eq(as_stream_gaussian(s), stream_wide[0]);
    ck_assert_double_eq(as_stream_gaussian(s), stream_wide[1]);
    as_stream_free(s);
    as_stream_free(NULL);
}
END_TEST

/* Drawn from to the middle of its state and past its end, then another key: a new stream's bits. */
START_TEST(a_restarted_stream_is_a_new_one) {
    as_stream *old = stream(1, "before", 4, 5);
    for (size_t drawn = 0; drawn < 4; drawn++) {
        size_t head = 3 + (drawn << 33);
        as_stream *new = stream(7, "test", 2, head);
        as_stream_restart(old, 7, "test", 2, head);
        for (size_t i = 0; i < 700 * drawn + 1; i++) {
            ck_assert_double_eq(as_stream_gaussian(old), as_stream_gaussian(new));
            ck_assert_double_eq(as_stream_uniform(old), as_stream_uniform(new));
        }
        as_stream_free(new);
    }
    as_stream_restart(old, 7, "test", 2, 3);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_double_eq(as_stream_uniform(old), stream_uniform[i]);
    }
    as_stream_free(old);
}
END_TEST

START_TEST(a_long_purpose_counts_to_its_last_byte) {
    char purpose[1001];
    memset(purpose, 'p', 1000);
    purpose[1000] = '\0';
    as_stream *a = stream(1, purpose, 0, 0);
    purpose[999] = 'q';
    as_stream *b = stream(1, purpose, 0, 0);
    ck_assert_double_ne(as_stream_gaussian(a), as_stream_gaussian(b));
    as_stream_free(a);
    as_stream_free(b);
}
END_TEST

/* Every pair of keys that differ in one place: the correlation of 4096 draws is below 5/√4096, which
 * chance exceeds once in 2·10⁶ pairs. */
START_TEST(streams_are_independent) {
    enum { KEYS = 8, DRAWS = 4096 };
    static double x[KEYS][DRAWS];
    as_stream *s[KEYS] = {stream(0, "a", 0, 0),  stream(1, "a", 0, 0),
                          stream(0, "b", 0, 0),  stream(0, "a", 1, 0),
                          stream(0, "a", 0, 1),  stream(UINT64_C(1) << 32, "a", 0, 0),
                          stream(0, "ab", 0, 0), stream(0, "", 0, 0)};
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t k = 0; k < DRAWS; k++) {
            x[i][k] = as_stream_gaussian(s[i]);
        }
        as_stream_free(s[i]);
    }
    for (size_t i = 0; i < KEYS; i++) {
        for (size_t k = 0; k < i; k++) {
            double sum = 0;
            for (size_t l = 0; l < DRAWS; l++) {
                sum += x[i][l] * x[k][l];
            }
            assert_near(sum / DRAWS, 0, 5 / sqrt(DRAWS));
        }
    }
}
END_TEST

static const as_content_shape of_query = {.layer = 1, .head = 3, .n = 5, .dim = 3, .seed = 11};
static const as_content_shape of_key = {.layer = 1, .head = 1, .n = 5, .dim = 3, .seed = 11};

START_TEST(contents_are_their_formulas) {
    static const struct {
        const char *text;
        const double *query, *key;
        double tolerance;
    } cases[] = {
        {"gaussian", gaussian_query, gaussian_key, 0},
        {"mean:strength=2", mean_query, mean_key, 1e-14},
        {"mean:strength=2,shared=false", mean_own_query, mean_own_key, 1e-14},
        {"mean:strength=0", gaussian_query, gaussian_key, 0},
        {"ar1:rho=0.75", ar1_query, ar1_key, 1e-14},
        {"ar1:rho=0", gaussian_query, gaussian_key, 0},
        {"zipf:vocab=5,exponent=1.5", zipf_query, zipf_key, 0},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        as_content drawn = content(cases[c].text);
        double q[15], k[15];
        assert_ok(as_content_query(&drawn, &of_query, of_key.head, q));
        assert_ok(as_content_key(&drawn, &of_key, k));
        for (size_t i = 0; i < 15; i++) {
            assert_near(q[i], cases[c].query[i], cases[c].tolerance);
            assert_near(k[i], cases[c].key[i], cases[c].tolerance);
        }
    }
}
END_TEST

START_TEST(every_row_of_the_table_reads_its_own_text) {
    const as_content_type *type;
    size_t i = 0;
    for (; (type = as_content_list(i)) != NULL; i++) {
        as_content c = content(type->name);
        ck_assert_ptr_eq(c.type, type);
        ck_assert(type->summary != NULL && type->summary[0] != '\0');
        char *text = as_content_text(&c);
        ck_assert_str_eq(text, type->name);
        free(text);
        size_t p = 0;
        for (; type->params[p].key != NULL; p++) {
            ck_assert_ptr_nonnull(type->params[p].meaning);
        }
        ck_assert_uint_lt(p, AS_PARAMS_MAX);
    }
    ck_assert_uint_eq(i, 4);
    as_content c = content("zipf:exponent=1.5,vocab=50");
    char *text = as_content_text(&c);
    ck_assert_str_eq(text, "zipf:vocab=50,exponent=1.5");
    free(text);
}
END_TEST

START_TEST(what_is_refused_says_what_is_valid) {
    static const char *const wrong[][2] = {
        {"gausian", "there is no content 'gausian'; valid are gaussian, mean, ar1, zipf; did you "
                    "mean 'gaussian'?"},
        {"ar1:rho=1.5", "content ar1: rho is '1.5', but must be a number from -1 to 1"},
        {"mean:shared=no", "content mean: shared is 'no'; valid are true, false"},
        {"zipf:vocab=0", "a whole number from 1 to 1000000"},
        {"gaussian:strength=1", "content gaussian has no parameters"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_content c = {.type = NULL};
        assert_fails(as_content_parse(wrong[i][0], &c), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i][1]) != NULL, "%s", as_message());
        ck_assert_ptr_null(c.type);
    }
}
END_TEST

/* Seed, layer, head and side give different rows; a longer content begins as a shorter one. */
START_TEST(every_head_and_side_has_rows_of_its_own) {
    const as_content_type *type;
    for (size_t t = 0; (type = as_content_list(t)) != NULL; t++) {
        as_content c = content(type->name);
        as_content_shape s = {.n = 13, .dim = 5}, other[4] = {s, s, s, s};
        other[0].seed = 1;
        other[1].layer = 1;
        other[2].head = 1;
        other[3].n = 37;
        double x[65], again[65], y[37 * 5];
        assert_ok(as_content_query(&c, &s, 0, x));
        assert_ok(as_content_query(&c, &s, 0, again));
        ck_assert_mem_eq(x, again, sizeof x);
        for (size_t o = 0; o < 3; o++) {
            assert_ok(as_content_query(&c, &other[o], 0, y));
            ck_assert_double_ne(x[0], y[0]);
            ck_assert_double_ne(x[64], y[64]);
        }
        assert_ok(as_content_query(&c, &other[3], 0, y));
        ck_assert_mem_eq(x, y, sizeof x);
        assert_ok(as_content_key(&c, &s, y));
        ck_assert_double_ne(x[0], y[0]);
    }
}
END_TEST

enum { MANY = 2000, DIM = 16 };

/* Mean, variance and correlation of neighbours over MANY·DIM entries; the bounds are five standard
 * errors of the estimate, widened by (1+ρ)/(1−ρ) where rows are correlated. */
START_TEST(rows_have_the_moments_they_should) {
    static const struct {
        const char *text;
        double rho;
    } cases[] = {{"gaussian", 0}, {"ar1:rho=0.9", 0.9}, {"ar1:rho=-0.5", -0.5}};
    static double x[MANY * DIM];
    for (size_t c = 0; c < 3; c++) {
        as_content drawn = content(cases[c].text);
        as_content_shape s = {.n = MANY, .dim = DIM, .seed = 3};
        assert_ok(as_content_key(&drawn, &s, x));
        double mean = 0, square = 0, next = 0, rho = cases[c].rho;
        for (size_t i = 0; i < MANY * DIM; i++) {
            mean += x[i] / (MANY * DIM);
            square += x[i] * x[i] / (MANY * DIM);
            next += i >= DIM ? x[i] * x[i - DIM] / ((MANY - 1) * DIM) : 0;
        }
        double error = sqrt(1.0 / (MANY * DIM)), wider = sqrt((1 + rho * rho) / (1 - rho * rho));
        assert_near(mean, 0, 5 * error * sqrt((1 + rho) / (1 - rho)));
        assert_near(square, 1, 5 * error * sqrt(2) * wider);
        assert_near(next, rho, 5 * error * sqrt(2) * wider);
    }
}
END_TEST

/* The mean over positions of mean:strength=3 is 3·μ: the same for q and k where shared. */
START_TEST(the_mean_is_shared_where_it_should_be) {
    static double q[MANY * DIM], k[MANY * DIM];
    for (int shared = 0; shared < 2; shared++) {
        as_content c = content(shared ? "mean:strength=3" : "mean:strength=3,shared=false");
        as_content_shape of_q = {.head = 5, .n = MANY, .dim = DIM}, of_k = of_q;
        of_k.head = 1;
        assert_ok(as_content_query(&c, &of_q, 1, q));
        assert_ok(as_content_key(&c, &of_k, k));
        double furthest = 0;
        for (size_t d = 0; d < DIM; d++) {
            double mean_q = 0, mean_k = 0;
            for (size_t i = 0; i < MANY; i++) {
                mean_q += q[i * DIM + d] / MANY;
                mean_k += k[i * DIM + d] / MANY;
            }
            furthest = fmax(furthest, fabs(mean_q - mean_k));
        }
        /* √(2/MANY) is the standard error of the difference. */
        ck_assert_msg(shared ? furthest < 5 * sqrt(2.0 / MANY) : furthest > 1, "%g", furthest);
    }
}
END_TEST

/* With a vocabulary of 3 and exponent 1 the shares are 6/11, 3/11, 2/11; q and k change token at the
 * same positions. */
START_TEST(tokens_follow_zipf_and_are_those_of_q_and_k) {
    static double q[MANY * DIM], k[MANY * DIM];
    as_content c = content("zipf:vocab=3,exponent=1");
    as_content_shape s = {.n = MANY, .dim = DIM};
    assert_ok(as_content_query(&c, &s, 0, q));
    assert_ok(as_content_key(&c, &s, k));
    double row[3] = {0}, count[3] = {0};
    size_t rows = 0;
    for (size_t i = 0; i < MANY; i++) {
        size_t t = 0;
        while (t < rows && row[t] != q[i * DIM]) {
            t++;
        }
        ck_assert_uint_lt(t, 3);
        rows = t == rows ? rows + 1 : rows;
        row[t] = q[i * DIM];
        count[t] += 1;
        if (i > 0) {
            ck_assert_int_eq(memcmp(&q[i * DIM], &q[(i - 1) * DIM], DIM * sizeof *q) == 0,
                             memcmp(&k[i * DIM], &k[(i - 1) * DIM], DIM * sizeof *k) == 0);
        }
    }
    double most = fmax(count[0], fmax(count[1], count[2]));
    double least = fmin(count[0], fmin(count[1], count[2]));
    assert_near(most / MANY, 6.0 / 11, 5 * sqrt(6.0 / 11 * 5 / 11 / MANY));
    assert_near(least / MANY, 2.0 / 11, 5 * sqrt(2.0 / 11 * 9 / 11 / MANY));
}
END_TEST

START_TEST(extremes_of_parameters_stay_finite) {
    static const char *const texts[] = {"ar1:rho=1",
                                        "ar1:rho=-1",
                                        "mean:strength=1e6",
                                        "zipf:vocab=1",
                                        "zipf:vocab=1000000,exponent=10",
                                        "zipf:exponent=0"};
    for (size_t t = 0; t < sizeof texts / sizeof *texts; t++) {
        as_content c = content(texts[t]);
        as_content_shape s = {.n = 37, .dim = 1};
        double x[37];
        assert_ok(as_content_key(&c, &s, x));
        ck_assert(as_all_finite(x, 37));
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, streams_are_those_of_numpy_and_gsl_to_the_bit);
    tcase_add_test(t, a_restarted_stream_is_a_new_one);
    tcase_add_test(t, a_long_purpose_counts_to_its_last_byte);
    tcase_add_test(t, streams_are_independent);
    tcase_add_test(t, contents_are_their_formulas);
    tcase_add_test(t, every_row_of_the_table_reads_its_own_text);
    tcase_add_test(t, what_is_refused_says_what_is_valid);
    tcase_add_test(t, every_head_and_side_has_rows_of_its_own);
    tcase_add_test(t, rows_have_the_moments_they_should);
    tcase_add_test(t, the_mean_is_shared_where_it_should_be);
    tcase_add_test(t, tokens_follow_zipf_and_are_those_of_q_and_k);
    tcase_add_test(t, extremes_of_parameters_stay_finite);
}

AS_TEST_MAIN("content")
