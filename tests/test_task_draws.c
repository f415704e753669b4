/* The tasks of training: what their samples hold, and how much of it is known without positions. */
#include "tasks.h"

#include <stdio.h>
#include <string.h>

/* The lengths of the three stretches of a clean sentence. */
typedef struct stretches {
    size_t left, between, right;
} stretches;
static stretches parts(const uint32_t *tokens, size_t n) {
    size_t first = 0, second = 0, end = n;
    while (end > 0 && tokens[end - 1] == 0) {
        end--;
    }
    for (size_t i = 0; i < end; i++) {
        ck_assert_uint_ne(tokens[i], 0);
        first = tokens[i] == 1 ? i : first;
        second = tokens[i] == 2 ? i : second;
    }
    ck_assert_uint_lt(first, second);
    return (stretches){first, second - first - 1, end - second - 1};
}

static void assert_different(const uint32_t *tokens, size_t count) {
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            ck_assert_uint_ne(tokens[i], tokens[k]);
        }
    }
}

START_TEST(distance_is_the_distance_in_the_tokens) {
    as_stream *s = stream();
    as_task *t = task("distance:between=18,side=6", 32, 21);
    size_t label_count[18] = {0}, left[6] = {0}, right[6] = {0}, filler[21] = {0};
    ck_assert_uint_eq(as_task_facts_of(t)->classes, 18);
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t tokens[32];
        int32_t label;
        as_task_sample(t, s, 1, AS_SPLIT_TRAIN, k, tokens, &label);
        stretches p = parts(tokens, 32);
        ck_assert_int_eq(label, (int32_t)p.between - 1);
        assert_different(tokens, p.left);
        assert_different(tokens + p.left + 1, p.between);
        assert_different(tokens + p.left + p.between + 2, p.right);
        for (size_t i = 0; i < p.left + p.between + p.right + 2; i++) {
            filler[tokens[i]]++;
        }
        ck_assert(p.left >= 1 && p.left <= 6 && p.right >= 1 && p.right <= 6);
        label_count[label]++;
        left[p.left - 1]++;
        right[p.right - 1]++;
    }
    ck_assert_uint_eq(filler[0], 0);
    ck_assert_uint_eq(filler[1], 5000);
    ck_assert_uint_eq(filler[2], 5000);
    assert_uniform(label_count, 18);
    assert_uniform(left, 6);
    assert_uniform(right, 6);
    assert_uniform(filler + 3, 18);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

/* With fillers=any the answer cannot be read off the first two triggers: there are more. */
START_TEST(any_fillers_are_triggers_too) {
    as_stream *s = stream();
    as_task *t = task("distance:between=18,side=6,fillers=any", 32, 64);
    size_t more = 0, filler[64] = {0};
    for (uint64_t k = 0; k < 20000; k++) {
        uint32_t tokens[32];
        int32_t label;
        as_task_sample(t, s, 1, AS_SPLIT_TRAIN, k, tokens, &label);
        size_t triggers = 0;
        bool there = false;
        for (size_t i = 0; i < 32; i++) {
            filler[tokens[i]]++;
            triggers += tokens[i] == 1 || tokens[i] == 2;
            there = there || (tokens[i] == 1 && i + 2 + (size_t)label < 32 &&
                              tokens[i + 2 + (size_t)label] == 2);
        }
        ck_assert(there);
        more += triggers > 2;
    }
    filler[1] -= 20000; /* the triggers themselves */
    filler[2] -= 20000;
    assert_uniform(filler + 1, 63);
    /* 16.5 fillers a sample on average, of which 2/63 are triggers: 0.52 a sample, so that two fifths
     * of the samples have one. */
    ck_assert(more > 6000 && more < 10000);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

/* The 4·3·2 sequences of three different fillers of four. */
START_TEST(every_order_of_fillers_is_as_likely) {
    as_stream *s = stream();
    as_task *t = task("induction:least=3,most=3", 5, 5);
    size_t seen[64] = {0}, count[24], orders = 0;
    for (uint64_t k = 0; k < 12000; k++) {
        uint32_t x[5];
        int32_t labels[5];
        as_task_sample(t, s, 2, AS_SPLIT_TRAIN, k, x, labels);
        seen[(x[0] - 1) * 16 + (x[1] - 1) * 4 + x[2] - 1]++;
    }
    for (size_t i = 0; i < 64; i++) {
        if (seen[i] > 0) {
            ck_assert_uint_lt(orders, 24);
            count[orders++] = seen[i];
        }
    }
    ck_assert_uint_eq(orders, 24);
    assert_uniform(count, 24);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

/* The best answer to each length, learned from `learn` samples of the training split: its accuracy on
 * the test split, whose standard error is 0.0025 at most. */
enum { ASK = 40000, LONGEST = 128, CLASSES_MOST = 70 };
static double accuracy_by_length(const as_task *t, as_stream *s, size_t n, uint64_t learn) {
    static size_t seen[LONGEST + 1][CLASSES_MOST];
    uint32_t tokens[LONGEST];
    int32_t label;
    size_t right = 0, classes = as_task_facts_of(t)->classes;
    memset(seen, 0, sizeof seen);
    for (uint64_t k = 0; k < learn + ASK; k++) {
        bool ask = k >= learn;
        as_task_sample(t, s, 4, ask ? AS_SPLIT_TEST : AS_SPLIT_TRAIN, k, tokens, &label);
        size_t length = 0, best = 0;
        for (size_t i = 0; i < n; i++) {
            length += tokens[i] != 0;
        }
        seen[length][label] += !ask;
        for (size_t c = 1; ask && c < classes; c++) {
            best = seen[length][c] > seen[length][best] ? c : best;
        }
        right += ask && best == (size_t)label;
    }
    return (double)right / ASK;
}

/* The share of the B·S² cases that are right where each length is answered by its commonest class. */
static double enumerated(size_t between, size_t side) {
    size_t seen[LONGEST + 1][CLASSES_MOST] = {{0}}, right = 0;
    for (size_t left = 1; left <= side; left++) {
        for (size_t right_side = 1; right_side <= side; right_side++) {
            for (size_t b = 1; b <= between; b++) {
                seen[left + b + right_side + 2][b - 1]++;
            }
        }
    }
    for (size_t length = 0; length <= LONGEST; length++) {
        size_t most = 0;
        for (size_t c = 0; c < between; c++) {
            most = seen[length][c] > most ? seen[length][c] : most;
        }
        right += most;
    }
    return (double)right / (double)(between * side * side);
}

START_TEST(the_plateau_of_distance_is_that_of_all_its_cases) {
    for (size_t between = 1; between <= CLASSES_MOST; between++) {
        for (size_t side = 1; side <= 25; side++) {
            char text[64];
            snprintf(text, sizeof text, "distance:between=%zu,side=%zu", between, side);
            as_task *t = task(text, 128, 128);
            assert_near(as_task_facts_of(t)->plateau, enumerated(between, side), 1e-15);
            as_task_close(t);
        }
    }
}
END_TEST

/* The three decimals are those of the sizes that models are trained at (n = 32, 24 and 128). */
START_TEST(the_plateau_is_what_the_length_tells) {
    static const struct {
        const char *text;
        size_t n, vocab;
        double plateau, digits;
        uint64_t learn;
    } cases[] = {
        {"distance:between=18,side=6", 32, 64, 23.0 / 108, 1e-15, 200000},
        {"distance:between=18,side=6,fillers=any", 32, 64, 0.213, 5e-4, 40000},
        {"distance:between=13,side=4", 24, 64, 0.3077, 5e-5, 40000},
        {"distance:between=70,side=25", 128, 100, 0.0537, 5e-5, 200000},
        {"distance:between=1,side=7", 32, 64, 1, 0, 2000},
        {"distance:between=7,side=1", 32, 64, 1, 0, 2000},
        {"distance:between=3,side=7", 32, 64, 9.0 / 21, 1e-15, 40000},
        {"count", 32, 64, 1.0 / 26, 1e-15, 2000},
    };
    as_stream *s = stream();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_task *t = task(cases[i].text, cases[i].n, cases[i].vocab);
        double plateau = as_task_facts_of(t)->plateau;
        assert_near(plateau, cases[i].plateau, cases[i].digits);
        assert_near(accuracy_by_length(t, s, cases[i].n, cases[i].learn), plateau, 0.01);
        as_task_close(t);
    }
    as_stream_free(s);
}
END_TEST

START_TEST(count_is_the_number_of_triggers) {
    as_stream *s = stream();
    as_task *t = task("count", 32, 11);
    size_t label_count[26] = {0}, token[11] = {0};
    ck_assert_uint_eq(as_task_facts_of(t)->classes, 26);
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t tokens[32];
        int32_t label, found = 0;
        as_task_sample(t, s, 1, AS_SPLIT_TEST, k, tokens, &label);
        for (size_t i = 0; i < 32; i++) {
            ck_assert_int_eq(tokens[i] == 0, i >= 30);
            found += tokens[i] >= 1 && tokens[i] <= 7;
            token[tokens[i]]++;
        }
        ck_assert_int_eq(label, found);
        label_count[label]++;
    }
    assert_uniform(label_count, 26);
    assert_uniform(token + 1, 7);
    assert_uniform(token + 8, 3);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

START_TEST(a_trigger_may_stand_anywhere) {
    as_stream *s = stream();
    as_task *t = task("count:most=1,sentence=13,triggers=1", 37, 64);
    size_t place[13] = {0};
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t tokens[37];
        int32_t label;
        as_task_sample(t, s, 1, AS_SPLIT_TRAIN, k, tokens, &label);
        for (size_t i = 0; i < 13; i++) {
            place[i] += tokens[i] == 1;
        }
    }
    assert_uniform(place, 13);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

START_TEST(copy_asks_for_the_copy) {
    as_stream *s = stream();
    as_task *t = task("copy:length=13", N, 7);
    size_t token[7] = {0};
    assert_near(as_task_facts_of(t)->plateau, 1.0 / 5, 0);
    ck_assert_str_eq(as_task_facts_of(t)->plateau_of, "by guessing a token of the alphabet");
    ck_assert_uint_eq(as_task_facts_of(t)->classes, 7);
    for (uint64_t k = 0; k < 1000; k++) {
        uint32_t x[N];
        int32_t labels[N];
        as_task_sample(t, s, 1, AS_SPLIT_TRAIN, k, x, labels);
        for (size_t i = 0; i < N; i++) {
            bool asked = i >= 13 && i < 26;
            ck_assert_int_eq(labels[i], asked ? (int32_t)x[i + 1] : -1);
            ck_assert(!asked || labels[i] == (int32_t)x[i - 13]);
            ck_assert_int_eq(x[i] == 1, i == 13);
            ck_assert_int_eq(x[i] == 0, i > 26);
            token[x[i]] += i < 13;
        }
    }
    assert_uniform(token + 2, 5);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

/* A label is what stood behind the token's occurrence before; it is asked for where there is one. */
START_TEST(induction_asks_for_what_came_before) {
    as_stream *s = stream();
    as_task *t = task("induction", N, V);
    size_t period[10] = {0};
    assert_near(as_task_facts_of(t)->plateau, 1.0 / 63, 0);
    for (uint64_t k = 0; k < 5000; k++) {
        uint32_t x[N];
        int32_t labels[N];
        as_task_sample(t, s, 1, AS_SPLIT_TEST, k, x, labels);
        size_t asked = N;
        for (size_t i = N; i-- > 0;) {
            size_t before = i;
            while (before > 0 && x[before - 1] != x[i]) {
                before--;
            }
            ck_assert_uint_ne(x[i], 0);
            ck_assert_int_eq(labels[i], before > 0 ? (int32_t)x[before] : -1);
            ck_assert(labels[i] < 0 || i + 1 == N || labels[i] == (int32_t)x[i + 1]);
            asked = labels[i] >= 0 ? i : asked;
        }
        ck_assert(asked >= 9 && asked <= 18);
        period[asked - 9]++;
    }
    assert_uniform(period, 10);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, distance_is_the_distance_in_the_tokens);
    tcase_add_test(t, any_fillers_are_triggers_too);
    tcase_add_test(t, every_order_of_fillers_is_as_likely);
    tcase_add_test(t, the_plateau_of_distance_is_that_of_all_its_cases);
    tcase_add_test(t, the_plateau_is_what_the_length_tells);
    tcase_add_test(t, count_is_the_number_of_triggers);
    tcase_add_test(t, a_trigger_may_stand_anywhere);
    tcase_add_test(t, copy_asks_for_the_copy);
    tcase_add_test(t, induction_asks_for_what_came_before);
}

AS_TEST_MAIN("task_draws")
