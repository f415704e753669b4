/* What training changes of a scheme: the biases of its numbers, against those of build; their
 * gradients, against differences. */
#include "support.h"

#include <stdio.h>
#include <string.h>

enum { MOST = 17, NUMBERS = 64 };

/* Queries and keys; square, and more of either. */
static const size_t sizes[][2] = {{13, 13}, {11, 17}, {17, 11}, {1, 1}};
enum { SIZES = sizeof sizes / sizeof *sizes };

/* Beside every type at its defaults and with every choice of its parameters. */
static const char *const more[] = {"t5:num_buckets=7,max_distance=9",
                                   "t5:num_buckets=7,bidirectional=false", "kerple:p=1,a=0.5",
                                   "kerple:form=power,p=1.7"};
enum { MORE = sizeof more / sizeof *more };

static as_scheme scheme(const char *text) {
    as_scheme s = {.type = NULL};
    assert_ok(as_scheme_parse(text, &s));
    return s;
}

typedef void body(const as_scheme *s, const as_head *head);

static void at_every_size(const char *text, body *of) {
    as_scheme s = scheme(text);
    ck_assert_ptr_nonnull(s.type->learning);
    for (size_t i = 0; i < 2 * SIZES; i++) {
        as_head head = {.layer = 1,
                        .head = 2,
                        .heads = 5,
                        .rows = sizes[i / 2][0],
                        .cols = sizes[i / 2][1],
                        .dim = 6,
                        .causal = i % 2 == 1,
                        .seed = 5};
        of(&s, &head);
    }
}

/* "name", then "name:key=choice" for every choice of every parameter. */
static void at_every_choice(const as_scheme_type *type, body *of) {
    char text[256], words[128];
    at_every_size(type->name, of);
    for (const as_param *p = type->params; p->key != NULL; p++) {
        snprintf(words, sizeof words, "%s", p->type == AS_PARAM_CHOICE ? p->choices : "");
        for (char *word = strtok(words, "|"); word != NULL; word = strtok(NULL, "|")) {
            snprintf(text, sizeof text, "%s:%s=%s", type->name, p->key, word);
            at_every_size(text, of);
        }
    }
}

/* How many types learn. */
static size_t each(body *of) {
    const as_scheme_type *type;
    size_t count = 0;
    for (size_t i = 0; (type = as_scheme_list(i)) != NULL; i++) {
        if (type->learning != NULL) {
            at_every_choice(type, of);
            count++;
        }
    }
    for (size_t i = 0; i < MORE; i++) {
        at_every_size(more[i], of);
    }
    return count;
}

static size_t begin(const as_scheme *s, const as_head *head, double theta[NUMBERS]) {
    size_t count = s->type->learning->count(s, head);
    ck_assert(count > 0 && count <= NUMBERS);
    assert_ok(s->type->learning->start(s, head, theta));
    return count;
}

static void uniform(const char *purpose, double low, double high, size_t count, double *x) {
    as_stream *stream = NULL;
    assert_ok(as_stream_new(3, purpose, 0, 0, &stream));
    for (size_t i = 0; i < count; i++) {
        x[i] = low + (high - low) * as_stream_uniform(stream);
    }
    as_stream_free(stream);
}

typedef as_status backward(const as_scheme *scheme, const as_head *head, const double *theta,
                           const double *db, double *gradient);

/* Σ db ∘ b(θ), and θ_j for once moved by `by`. */
static double loss(const as_scheme *s, const as_head *head, const double *theta, size_t j,
                   double by, const double *db) {
    double moved[NUMBERS], b[MOST * MOST], sum = 0;
    memcpy(moved, theta, s->type->learning->count(s, head) * sizeof *moved);
    moved[j] += by;
    assert_ok(s->type->learning->bias(s, head, moved, b));
    for (size_t i = 0; i < head->rows * head->cols; i++) {
        sum += db[i] * b[i];
    }
    return sum;
}

/* How many numbers have another gradient than the central differences say, to 10⁻⁶ of it. Rounding of
 * the loss, some ε·100, is 10⁻⁹ after the division; the third derivatives of all biases here make less. */
static size_t wrong(const as_scheme *s, const as_head *head, const double *theta, backward *of) {
    double db[MOST * MOST], gradient[NUMBERS] = {0}, h = 1e-5;
    uniform("db", -1, 1, MOST * MOST, db);
    assert_ok(of(s, head, theta, db, gradient));
    size_t count = 0;
    for (size_t j = 0; j < s->type->learning->count(s, head); j++) {
        double slope = (loss(s, head, theta, j, h, db) - loss(s, head, theta, j, -h, db)) / (2 * h);
        count += !(fabs(gradient[j] - slope) <= 1e-6 * fabs(slope));
    }
    return count;
}

static void slopes_are_differences(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS];
    size_t count = begin(s, head, theta);
    ck_assert_uint_eq(wrong(s, head, theta, s->type->learning->backward), 0);
    uniform("theta", 0.3, 1.6, count, theta); /* within the limits of all */
    ck_assert_uint_eq(wrong(s, head, theta, s->type->learning->backward), 0);
}

START_TEST(gradients_are_central_differences) {
    ck_assert_uint_eq(each(slopes_are_differences), 3);
}
END_TEST

static as_status negated(const as_scheme *s, const as_head *head, const double *theta,
                         const double *db, double *gradient) {
    double slope[NUMBERS] = {0};
    as_status status = s->type->learning->backward(s, head, theta, db, slope);
    for (size_t j = 0; j < s->type->learning->count(s, head); j++) {
        gradient[j] -= slope[j];
    }
    return status;
}

static as_status one_off(const as_scheme *s, const as_head *head, const double *theta,
                         const double *db, double *gradient) {
    as_status status = s->type->learning->backward(s, head, theta, db, gradient);
    double *last = &gradient[s->type->learning->count(s, head) - 1];
    *last += 1e-5 * (1 + fabs(*last));
    return status;
}

static void lies_are_seen(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS];
    begin(s, head, theta);
    if (head->rows > 1) { /* else p of kerple has no slope to lie about */
        ck_assert_uint_gt(wrong(s, head, theta, negated), 0);
    }
    ck_assert_uint_eq(wrong(s, head, theta, one_off), 1);
}

START_TEST(the_check_sees_a_wrong_sign_and_one_wrong_number) {
    ck_assert_uint_eq(each(lies_are_seen), 3);
}
END_TEST

static void starts_as_it_is_built(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS], b[MOST * MOST], built[MOST * MOST];
    begin(s, head, theta);
    if (s->type->bias != NULL) {
        assert_ok(s->type->learning->bias(s, head, theta, b));
        assert_ok(s->type->bias(s, head, built));
        ck_assert_mem_eq(b, built, head->rows * head->cols * sizeof *b);
    }
}

START_TEST(training_begins_with_the_bias_of_build) {
    each(starts_as_it_is_built);
}
END_TEST

/* Adding x and then g to 0 is what adding g to x is, here to the last bit or so. */
static void is_added(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS], db[MOST * MOST], from_zero[NUMBERS] = {0}, from_two[NUMBERS];
    size_t count = begin(s, head, theta);
    uniform("db", -1, 1, MOST * MOST, db);
    for (size_t j = 0; j < count; j++) {
        from_two[j] = 2;
    }
    assert_ok(s->type->learning->backward(s, head, theta, db, from_zero));
    assert_ok(s->type->learning->backward(s, head, theta, db, from_two));
    for (size_t j = 0; j < count; j++) {
        double bound = AS_TEST_C * MOST * 0x1p-52 * (2 + fabs(from_zero[j]));
        assert_near(from_two[j], 2 + from_zero[j], bound);
    }
}

START_TEST(gradients_are_added_to_what_is_there) {
    each(is_added);
}
END_TEST

static void is_toeplitz(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS], b[MOST * MOST];
    size_t count = begin(s, head, theta), cols = head->cols;
    ck_assert_uint_eq(count, head->rows + cols - 1);
    assert_ok(s->type->learning->bias(s, head, theta, b));
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            ck_assert_double_eq(b[i * cols + k], theta[i + cols - 1 - k]);
            ck_assert(i == 0 || k == 0 || b[i * cols + k] == b[(i - 1) * cols + k - 1]);
        }
    }
}

START_TEST(relative_is_a_number_a_diagonal_whatever_the_positions) {
    at_every_size("relative", is_toeplitz);
    as_scheme s = scheme("relative");
    const double places[3] = {40, 7, -100}, theta[5] = {1, 2, 3, 4, 5};
    const double expected[9] = {3, 2, 1, 4, 3, 2, 5, 4, 3};
    as_head head = {.heads = 1,
                    .rows = 3,
                    .cols = 3,
                    .dim = 2,
                    .query_positions = places,
                    .key_positions = places};
    double b[9];
    assert_ok(s.type->learning->bias(&s, &head, theta, b));
    ck_assert_mem_eq(b, expected, sizeof b);
    ck_assert(s.type->bias == NULL);
    assert_fails(as_scheme_check(&s, &head), AS_EINVAL);
}
END_TEST

/* 4095 of N(0, 0.02²): mean and variance within five standard errors. */
START_TEST(relative_begins_small_and_with_numbers_of_its_own) {
    enum { LONG = 2048, COUNT = 2 * LONG - 1 };
    static double theta[COUNT], other[COUNT];
    as_scheme s = scheme("relative");
    as_head head = {.heads = 4, .rows = LONG, .cols = LONG, .dim = 2},
            others[3] = {head, head, head};
    assert_ok(s.type->learning->start(&s, &head, theta));
    double mean = 0, square = 0;
    for (size_t j = 0; j < COUNT; j++) {
        mean += theta[j] / 0.02 / COUNT;
        square += theta[j] * theta[j] / 0.0004 / COUNT;
    }
    assert_near(mean, 0, 5 / sqrt(COUNT));
    assert_near(square, 1, 5 * sqrt(2.0 / COUNT));
    others[0].seed = 1;
    others[1].layer = 1;
    others[2].head = 1;
    for (size_t o = 0; o < 3; o++) {
        assert_ok(s.type->learning->start(&s, &others[o], other));
        ck_assert_double_ne(theta[0], other[0]);
        ck_assert_double_ne(theta[COUNT - 1], other[COUNT - 1]);
    }
}
END_TEST

/* Numbers that layers share are the same in every layer; others are not. */
static void layers_share_what_they_say(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS], other[NUMBERS];
    size_t count = begin(s, head, theta);
    char *text = as_scheme_text(s);
    bool given = strstr(text, ",a=") != NULL;
    free(text);
    as_head next = *head;
    next.layer++;
    begin(s, &next, other);
    bool same = memcmp(theta, other, count * sizeof *theta) == 0;
    ck_assert(given || same == s->type->learning->shared_layers);
}

START_TEST(shared_numbers_are_one_set_for_all_layers) {
    each(layers_share_what_they_say);
    ck_assert(scheme("t5").type->learning->shared_layers);
    ck_assert(!scheme("kerple").type->learning->shared_layers);
    ck_assert(!scheme("relative").type->learning->shared_layers);
}
END_TEST

/* Positions of their own, two at the same place: every entry counts by its distance. */
START_TEST(gradients_follow_the_positions) {
    static const char *const texts[] = {"t5", "t5:bidirectional=false", "kerple",
                                        "kerple:form=power"};
    const double queries[5] = {-3, 0, 4, 40, 700}, keys[4] = {1, 0, 40, 13};
    for (size_t t = 0; t < 4; t++) {
        as_scheme s = scheme(texts[t]);
        as_head head = {.heads = 1,
                        .rows = 5,
                        .cols = 4,
                        .dim = 2,
                        .seed = 1,
                        .query_positions = queries,
                        .key_positions = keys};
        double theta[NUMBERS];
        uniform("theta", 0.3, 0.9, begin(&s, &head, theta), theta);
        ck_assert_uint_eq(wrong(&s, &head, theta, s.type->learning->backward), 0);
    }
}
END_TEST

START_TEST(what_is_given_or_of_a_file_is_where_training_begins) {
    as_head head = {.layer = 1, .head = 1, .heads = 3, .rows = 5, .cols = 5, .dim = 2};
    double theta[NUMBERS];
    as_scheme s = scheme("kerple:p=1.5,a=0.25");
    begin(&s, &head, theta);
    ck_assert(theta[0] == 1.5 && theta[1] == 0.25);

    const double p[6] = {0, 1, 2, 3, 4, 5}, a[3] = {1, -1, 1};
    const as_parameters kernels[2] = {{.name = "p", .rank = 2, .shape = {2, 3}, .data = p},
                                      {.name = "a", .rank = 1, .shape = {3}, .data = a}};
    head.tables = kernels;
    head.table_count = 2;
    s = scheme("kerple:file=x");
    begin(&s, &head, theta);
    ck_assert(theta[0] == 4 && theta[1] == 0.01);
    s = scheme("kerple:form=power,file=x");
    begin(&s, &head, theta);
    ck_assert(theta[0] == 2 && theta[1] == 0.01);

    const double table[12] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    const as_parameters tables = {.name = "", .rank = 2, .shape = {4, 3}, .data = table};
    head.tables = &tables;
    head.table_count = 1;
    s = scheme("t5:num_buckets=4,file=x");
    ck_assert_uint_eq(begin(&s, &head, theta), 4);
    for (size_t j = 0; j < 4; j++) {
        ck_assert_double_eq(theta[j], table[3 * j + 1]);
    }
}
END_TEST

/* Beyond its limits a number of kerple is the limit, and does not move; at a limit it does, and the
 * float next to 0.01, which is below it, is at it. */
START_TEST(kerple_stays_within_its_limits) {
    static const struct {
        const char *text;
        double theta[2], taken[2];
        bool moves[2];
    } cases[] = {{"kerple", {-1, 0.5}, {0.01, 0.5}, {false, true}},
                 {"kerple", {7, 0}, {7, 0.01}, {true, false}},
                 {"kerple", {0.01, 0.01}, {0.01, 0.01}, {true, true}},
                 {"kerple", {0.01f, 0.5}, {0.01, 0.5}, {true, true}},
                 {"kerple:form=power", {3, 0.5}, {2, 0.5}, {false, true}},
                 {"kerple:form=power", {2, 1e6}, {2, 1e6}, {true, true}},
                 {"kerple:form=power", {-9, -9}, {0.01, 0.01}, {false, false}}};
    double db[49], b[49], taken[49];
    uniform("db", 0, 1, 49, db);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        as_scheme s = scheme(cases[c].text);
        const as_learning *learning = s.type->learning;
        as_head head = {.heads = 1, .rows = 7, .cols = 7, .dim = 2};
        assert_ok(learning->bias(&s, &head, cases[c].theta, b));
        assert_ok(learning->bias(&s, &head, cases[c].taken, taken));
        ck_assert_mem_eq(b, taken, sizeof b);
        double slope[2] = {0}, at_limit[2] = {0};
        assert_ok(learning->backward(&s, &head, cases[c].theta, db, slope));
        assert_ok(learning->backward(&s, &head, cases[c].taken, db, at_limit));
        for (size_t j = 0; j < 2; j++) {
            ck_assert_double_lt(at_limit[j], 0); /* of positive db, a bias that falls */
            ck_assert_double_eq(slope[j], cases[c].moves[j] ? at_limit[j] : 0);
        }
    }
}
END_TEST

/* What training begins with is within the range, if there is one, and stays to the bit. */
static void start_is_within(const as_scheme *s, const as_head *head) {
    double theta[NUMBERS], kept[NUMBERS];
    size_t count = begin(s, head, theta);
    memcpy(kept, theta, count * sizeof *theta);
    if (s->type->learning->project != NULL) {
        s->type->learning->project(s, head, theta);
    }
    ck_assert_mem_eq(kept, theta, count * sizeof *theta);
}

START_TEST(numbers_are_brought_back_into_their_range) {
    each(start_is_within);
    ck_assert(scheme("t5").type->learning->project == NULL);
    ck_assert(scheme("relative").type->learning->project == NULL);
    static const struct {
        const char *text;
        double theta[2], within[2];
    } cases[] = {{"kerple", {-1, 0.5}, {0.01, 0.5}},
                 {"kerple", {7, 0.009}, {7, 0.01}},
                 {"kerple:form=power", {3, 3}, {2, 3}},
                 {"kerple:form=power", {-9, -INFINITY}, {0.01, 0.01}}};
    as_head head = {.heads = 1, .rows = 7, .cols = 7, .dim = 2};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        as_scheme s = scheme(cases[c].text);
        double theta[2] = {cases[c].theta[0], cases[c].theta[1]};
        s.type->learning->project(&s, &head, theta);
        ck_assert_mem_eq(theta, cases[c].within, sizeof theta);
    }
    as_scheme s = scheme("kerple");
    double theta[2] = {(double)NAN, 1};
    s.type->learning->project(&s, &head, theta); /* a step is to see it */
    ck_assert(isnan(theta[0]) && theta[1] == 1);
}
END_TEST

START_TEST(what_build_refuses_training_refuses) {
    static const char *const texts[] = {"t5:num_buckets=2,bidirectional=true", "t5:max_distance=8",
                                        "kerple:form=power,p=3"};
    as_head head = {.heads = 1, .rows = 5, .cols = 5, .dim = 2};
    for (size_t t = 0; t < 3; t++) {
        as_scheme s = scheme(texts[t]);
        double theta[NUMBERS] = {[0] = 77};
        assert_fails(s.type->check(&s, &head), AS_EINVAL);
        assert_fails(s.type->learning->start(&s, &head, theta), AS_EINVAL);
        ck_assert_double_eq(theta[0], 77);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, gradients_are_central_differences);
    tcase_add_test(t, the_check_sees_a_wrong_sign_and_one_wrong_number);
    tcase_add_test(t, training_begins_with_the_bias_of_build);
    tcase_add_test(t, gradients_are_added_to_what_is_there);
    tcase_add_test(t, relative_is_a_number_a_diagonal_whatever_the_positions);
    tcase_add_test(t, relative_begins_small_and_with_numbers_of_its_own);
    tcase_add_test(t, shared_numbers_are_one_set_for_all_layers);
    tcase_add_test(t, gradients_follow_the_positions);
    tcase_add_test(t, what_is_given_or_of_a_file_is_where_training_begins);
    tcase_add_test(t, kerple_stays_within_its_limits);
    tcase_add_test(t, numbers_are_brought_back_into_their_range);
    tcase_add_test(t, what_build_refuses_training_refuses);
}

AS_TEST_MAIN("scheme_learning")
