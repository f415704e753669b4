/* The tasks of training: the table, keys of samples, texts, refusals; and lm. What the samples of the
 * others hold is in test_task_draws.c. */
#define _GNU_SOURCE /* mkstemp, truncate */
#include "tasks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "door/zlib.h"

enum { GUARD = 77 };

/* A text of `size` bytes: the first nine tenths have bytes 0 … 127, the last tenth 128 … 191 and at
 * every third place 200. */
enum { TEXT_MOST = 4001 };
static void write_text(size_t size, unsigned char *bytes, char *path) {
    uint32_t state = 1;
    for (size_t i = 0; i < size; i++) {
        state = state * 1664525 + 1013904223; /* Numerical Recipes, ranqd1 */
        bytes[i] = (unsigned char)(i < size - size / 10 ? state >> 25
                                   : i % 3 == 0         ? 200
                                                        : 128 + (state >> 26));
    }
    strcpy(path, "/tmp/attnspec-task-XXXXXX");
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq((int)write(fd, bytes, size), (int)size);
    close(fd);
}

/* Opens every task of the list at N and V; the file of lm is gone again after it was opened. */
static as_task *listed(size_t index, as_task_info *info) {
    unsigned char bytes[TEXT_MOST];
    char path[64], text[128];
    if (!as_task_list(index, info)) {
        return NULL;
    }
    if (strcmp(info->name, "lm") != 0) {
        return task(info->name, N, V);
    }
    write_text(TEXT_MOST, bytes, path);
    snprintf(text, sizeof text, "lm:file=%s", path);
    as_task *t = task(text, N, V);
    unlink(path);
    return t;
}

START_TEST(every_task_has_a_row_with_words) {
    as_task_info info;
    size_t i = 0;
    for (; as_task_list(i, &info); i++) {
        ck_assert(info.summary != NULL && info.summary[0] != '\0');
        for (size_t p = 0; info.params[p].key != NULL; p++) {
            ck_assert_ptr_nonnull(info.params[p].meaning);
        }
    }
    ck_assert_uint_eq(i, 5);
}
END_TEST

START_TEST(the_same_key_gives_the_same_sample_and_no_other_does) {
    static const struct {
        uint64_t seed, index;
        as_split split;
    } keys[] = {
        {7, 5, AS_SPLIT_TRAIN}, {8, 5, AS_SPLIT_TRAIN},
        {7, 6, AS_SPLIT_TRAIN}, {7, (UINT64_C(1) << 32) + 5, AS_SPLIT_TRAIN},
        {7, 5, AS_SPLIT_TEST},  {(UINT64_C(1) << 32) + 7, 5, AS_SPLIT_TRAIN},
    };
    as_stream *s = stream();
    as_task_info info;
    as_task *t;
    for (size_t i = 0; (t = listed(i, &info)) != NULL; i++) {
        uint32_t tokens[N], again[N];
        int32_t labels[N], labels_again[N];
        size_t answers = as_task_facts_of(t)->per_position ? N : 1;
        as_task_sample(t, s, keys[0].seed, keys[0].split, keys[0].index, tokens, labels);
        for (size_t k = 1; k < sizeof keys / sizeof *keys; k++) {
            as_task_sample(t, s, keys[k].seed, keys[k].split, keys[k].index, again, labels_again);
            ck_assert_msg(memcmp(tokens, again, sizeof tokens) != 0, "%s: key %zu", info.name, k);
        }
        as_task_sample(t, s, keys[0].seed, keys[0].split, keys[0].index, again, labels_again);
        ck_assert_mem_eq(tokens, again, sizeof tokens);
        ck_assert_mem_eq(labels, labels_again, answers * sizeof *labels);
        as_task_close(t);
    }
    as_stream_free(s);
}
END_TEST

/* The places behind tokens [n] and labels [1] or [n] stay as they are. */
START_TEST(samples_keep_within_their_facts) {
    as_stream *s = stream();
    as_task_info info;
    as_task *t;
    for (size_t i = 0; (t = listed(i, &info)) != NULL; i++) {
        as_task_facts facts = *as_task_facts_of(t);
        size_t vocab = facts.vocab != 0 ? facts.vocab : V, answers = facts.per_position ? N : 1;
        size_t asked = 0;
        ck_assert_int_eq(facts.causal, facts.per_position);
        ck_assert(facts.plateau > 0 && facts.plateau < 1);
        ck_assert_ptr_nonnull(facts.plateau_of);
        ck_assert_uint_ge(facts.classes, 2);
        for (uint64_t k = 0; k < 2000; k++) {
            uint32_t tokens[N + 1];
            int32_t labels[N + 1];
            tokens[N] = GUARD;
            labels[answers] = GUARD;
            as_task_sample(t, s, 3, k % 2 ? AS_SPLIT_TEST : AS_SPLIT_TRAIN, k, tokens, labels);
            ck_assert_uint_eq(tokens[N], GUARD);
            ck_assert_int_eq(labels[answers], GUARD);
            for (size_t p = 0; p < N; p++) {
                ck_assert_uint_lt(tokens[p], vocab);
            }
            for (size_t p = 0; p < answers; p++) {
                ck_assert(labels[p] >= -1 && labels[p] < (int32_t)facts.classes);
                asked += labels[p] >= 0;
            }
        }
        ck_assert_uint_ge(asked, 2000);
        as_task_close(t);
    }
    as_stream_free(s);
}
END_TEST

/* Text, positions, vocabulary, and what is written for it. */
START_TEST(canonical_texts_name_what_was_derived) {
    static const struct {
        const char *text;
        size_t n, vocab;
        const char *canonical;
    } cases[] = {
        {"distance", 32, 64, "distance:between=18,side=6"},
        {"distance", 24, 64, "distance:between=14,side=4"},
        {"distance:side=4,between=13", 24, 64, "distance:between=13,side=4"},
        {"distance", 5, 4, "distance:between=1,side=1"},
        {"distance:side=10", 37, 64, "distance:between=15,side=10"},
        {"distance:fillers=any", 32, 19, "distance:between=18,side=6,fillers=any"},
        {"distance:fillers=clean,between=auto", 32, 21, "distance:between=18,side=6"},
        {"count", 32, 64, "count:sentence=30,most=25"},
        {"count:triggers=3", 24, 5, "count:sentence=22,triggers=3,most=18"},
        {"count:sentence=13", 37, 64, "count:sentence=13,most=13"},
        {"count", 1, 9, "count:sentence=1,most=1"},
        {"copy", 24, 64, "copy:length=11"},
        {"copy", 3, 4, "copy:length=1"},
        {"copy:length=2", 37, 64, "copy:length=2"},
        {"induction", 24, 64, "induction:least=6,most=12"},
        {"induction", 37, 13, "induction:least=9,most=12"},
        {"induction", 3, 3, "induction:least=2,most=2"},
        {"induction:least=2", 37, 64, "induction:least=2,most=18"},
        {"induction:most=5", 37, 64, "induction:least=5,most=5"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_task *t = task(cases[i].text, cases[i].n, cases[i].vocab);
        for (int again = 0; again < 2; again++) {
            char *text = as_task_text(t);
            ck_assert_str_eq(text, cases[i].canonical);
            as_task_close(t);
            t = task(text, cases[i].n, cases[i].vocab);
            free(text);
        }
        as_task_close(t);
    }
}
END_TEST

/* The first of low … high − 1 where the bytes are the sample's, `high` where none is. */
static size_t window_of(const unsigned char *bytes, size_t low, size_t high, const uint32_t *tokens,
                        const int32_t *labels) {
    for (; low < high; low++) {
        size_t i = 0;
        while (i < N && bytes[low + i] == tokens[i] && bytes[low + i + 1] == labels[i]) {
            i++;
        }
        if (i == N) {
            break;
        }
    }
    return low;
}

/* A text of 380 bytes is the shortest for 37 positions: its test part, from 342 on, is one window. */
START_TEST(texts_are_split_at_their_last_tenth) {
    as_stream *s = stream();
    unsigned char bytes[TEXT_MOST];
    char path[64], text[128];
    enum { TEST = 342, WINDOWS = TEST - N };
    size_t begin[WINDOWS] = {0};
    write_text(380, bytes, path);
    snprintf(text, sizeof text, "lm:file=%s", path);
    as_task *t = task(text, N, V);
    unlink(path);
    ck_assert_str_eq(as_task_facts_of(t)->file, path);
    ck_assert_uint_eq(as_task_facts_of(t)->vocab, 256);
    ck_assert_uint_eq(as_task_facts_of(t)->classes, 256);
    assert_near(as_task_facts_of(t)->plateau, 13.0 / 38, 1e-15);
    for (uint64_t k = 0; k < 12000; k++) {
        uint32_t x[N];
        int32_t labels[N];
        as_task_sample(t, s, 1, AS_SPLIT_TEST, k, x, labels);
        ck_assert_uint_eq(window_of(bytes, TEST, TEST + 1, x, labels), TEST);
        as_task_sample(t, s, 1, AS_SPLIT_TRAIN, k, x, labels);
        size_t at = window_of(bytes, 0, WINDOWS, x, labels);
        ck_assert_uint_lt(at, WINDOWS);
        begin[at]++;
    }
    assert_uniform(begin, WINDOWS);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

/* Of a text of 400 bytes the test part has 40, and so three windows. */
START_TEST(tests_have_all_windows_of_their_part) {
    as_stream *s = stream();
    unsigned char bytes[TEXT_MOST];
    char path[64], text[128];
    size_t begin[3] = {0};
    write_text(400, bytes, path);
    snprintf(text, sizeof text, "lm:file=%s", path);
    as_task *t = task(text, N, V);
    unlink(path);
    for (uint64_t k = 0; k < 300; k++) {
        uint32_t x[N];
        int32_t labels[N];
        as_task_sample(t, s, 1, AS_SPLIT_TEST, k, x, labels);
        size_t at = window_of(bytes, 360, 363, x, labels);
        ck_assert_uint_lt(at, 363);
        begin[at - 360]++;
    }
    assert_uniform(begin, 3);
    as_task_close(t);
    as_stream_free(s);
}
END_TEST

static void assert_refused(const char *text, size_t n, size_t vocab, as_status status,
                           const char *sentence) {
    as_task *t = NULL;
    assert_fails(as_task_open(text, n, vocab, &t), status);
    ck_assert_msg(strstr(as_message(), sentence) != NULL, "%s: %s", text, as_message());
    ck_assert_ptr_null(t);
}

START_TEST(what_is_refused_says_why) {
    static const struct {
        const char *text;
        size_t n, vocab;
        const char *sentence;
    } wrong[] = {
        {"distanse", 32, 64,
         "there is no task 'distanse'; valid are distance, count, copy, induction, lm; did you "
         "mean 'distance'?"},
        {"distance:sides=3", 32, 64,
         "task distance has no parameter 'sides'; valid are between, side, fillers; did you mean "
         "'side'?"},
        {"distance:between=0", 32, 64, "a whole number from 1 to 1000000, or auto"},
        {"distance:fillers=clan", 32, 64, "valid are clean, any; did you mean 'clean'?"},
        {"distance:between=18,side=6", 31, 64,
         "task distance: two triggers, between=18 and twice side=6 take 32 positions, but n is 31"},
        {"distance", 4, 64, "two triggers, between=1 and twice side=1 take 5 positions"},
        {"distance:side=20", 37, 64, "between=1 and twice side=20 take 43 positions, but n is 37"},
        {"distance", 32, 20,
         "a stretch of 18 different fillers takes a vocabulary of 21, but it has 20; name a "
         "smaller "
         "between"},
        {"distance:between=1,fillers=any", 37, 7,
         "a stretch of 7 different fillers takes a vocabulary of 8, but it has 7; name a smaller "
         "side"},
        {"count:sentence=38", 37, 64, "sentence=38 is longer than a sample, whose n is 37"},
        {"count:sentence=7,most=8", 37, 64, "most=8 triggers do not fit into sentence=7 tokens"},
        {"count", 37, 8, "padding, triggers=7 and one filler take a vocabulary of 9, but it has 8"},
        {"copy:length=19", 37, 64,
         "twice length=19 and a separator take 39 positions, but n is 37"},
        {"copy", 2, 64, "twice length=1 and a separator take 3 positions, but n is 2"},
        {"copy", 37, 3,
         "padding, the separator and two tokens take a vocabulary of 4, but it has 3"},
        {"induction:least=19", 37, 64, "least=19 is more than most=18"},
        {"induction:most=37", 37, 64, "nothing is repeated where most=37 and n is 37"},
        {"induction", 2, 64, "nothing is repeated where most=2 and n is 2"},
        {"induction:most=14", 37, 14,
         "padding and most=14 different tokens take a vocabulary of 15, but it has 14"},
        {"lm", 37, 64, "task lm: the text is missing; write lm:file=PATH"},
        {"copy", 0, 64, "task copy: samples have 1 to 1000000 positions and tokens, not 0 of 64"},
        {"copy", 37, 0, "not 37 of 0"},
        {"copy", SIZE_MAX, SIZE_MAX, "samples have 1 to 1000000 positions"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_refused(wrong[i].text, wrong[i].n, wrong[i].vocab, AS_EINVAL, wrong[i].sentence);
    }
    as_task_close(NULL);
}
END_TEST

START_TEST(texts_that_cannot_be_read_are_refused) {
    unsigned char bytes[TEXT_MOST];
    char path[64], text[128], sentence[256];
    write_text(379, bytes, path);
    snprintf(text, sizeof text, "lm:file=%s", path);
    snprintf(sentence, sizeof sentence,
             "task lm: %s has 379 bytes, the last tenth of them for tests, but samples of n = 37 "
             "take 380 at least",
             path);
    assert_refused(text, N, V, AS_EINVAL, sentence);
    ck_assert_int_eq(truncate(path, 0), 0);
    snprintf(sentence, sizeof sentence, "task lm: %s is empty", path);
    assert_refused(text, N, V, AS_EREAD, sentence);
    ck_assert_int_eq(truncate(path, (1 << 30) + 1), 0); /* a hole, which takes no place */
    assert_refused(text, N, V, AS_EREAD,
                   "has 1073741825 bytes, but a text to train on has at most");
    unlink(path);
    snprintf(sentence, sizeof sentence, "%s: cannot be opened: No such file or directory", path);
    assert_refused(text, N, V, AS_EREAD, sentence);
    assert_refused("lm:file=/tmp", N, V, AS_EREAD, "task lm: /tmp is no regular file");
    assert_refused("lm:file=/dev/zero", N, V, AS_EREAD, "/dev/zero is no regular file");
}
END_TEST

/* What a run says that it was trained on is read again as it was, or not at all. */
START_TEST(a_text_that_has_changed_is_refused) {
    unsigned char bytes[TEXT_MOST];
    char path[64], text[128], sentence[256];
    write_text(400, bytes, path);
    snprintf(text, sizeof text, "lm:file=%s", path);
    as_task *t = task(text, N, V);
    char *canonical = as_task_text(t);
    as_task_close(t);
    snprintf(sentence, sizeof sentence, "%s,crc32=%" PRIu32, text, as_crc32(0, bytes, 400));
    ck_assert_str_eq(canonical, sentence);
    as_task_close(task(canonical, N, V));
    FILE *file = fopen(path, "r+b");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_eq(fputc(bytes[0] ^ 1, file), bytes[0] ^ 1);
    fclose(file);
    snprintf(sentence, sizeof sentence, "task lm: %s has changed: its CRC-32 is ", path);
    assert_refused(canonical, N, V, AS_EREAD, sentence);
    free(canonical);
    unlink(path);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_task_has_a_row_with_words);
    tcase_add_test(t, the_same_key_gives_the_same_sample_and_no_other_does);
    tcase_add_test(t, samples_keep_within_their_facts);
    tcase_add_test(t, canonical_texts_name_what_was_derived);
    tcase_add_test(t, texts_are_split_at_their_last_tenth);
    tcase_add_test(t, a_text_that_has_changed_is_refused);
    tcase_add_test(t, tests_have_all_windows_of_their_part);
    tcase_add_test(t, what_is_refused_says_why);
    tcase_add_test(t, texts_that_cannot_be_read_are_refused);
}

AS_TEST_MAIN("task")
