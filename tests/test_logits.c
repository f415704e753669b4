/* The logits room, a matrix at a time: kinds, masks by every word at unround and oblong sizes,
 * sentinels, softmax, and what is refused. Files and axes are in test_source.c. */
#include "support.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

static void fill(as_logits *l, size_t rows, size_t cols, const double *values) {
    assert_ok(as_matrix_resize(&l->a, rows, cols));
    memcpy(l->a.data, values, rows * cols * sizeof *values);
}

static void prepare(as_logits *l, as_dtype dtype, as_masked_as masked_as) {
    assert_ok(as_logits_prepare(l, &(as_preparation){.dtype = dtype,
                                                     .kind = AS_KIND_AUTO,
                                                     .mask = (as_mask){0},
                                                     .masked_as = masked_as}));
}

static void assert_mask(const as_logits *l, const char *word) {
    char text[AS_MASK_TEXT];
    ck_assert_str_eq(as_mask_name(l->mask, text), word);
}

static void assert_values(const as_logits *l, const double *expected) {
    for (size_t i = 0; i < l->a.rows * l->a.cols; i++) {
        assert_near(l->a.data[i], expected[i], 1e-15);
    }
}

START_TEST(mask_words_are_read_and_written) {
    const char *words[] = {"auto",      "none",     "causal",  "window:1",
                           "window:37", "prefix:0", "prefix:5"};
    char text[AS_MASK_TEXT];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        as_mask mask;
        assert_ok(as_mask_parse(words[i], &mask));
        ck_assert_str_eq(as_mask_name(mask, text), words[i]);
    }
    const char *wrong[] = {
        "",         "other",     "window",     "window:",    "window:0",
        "causal:1", "prefix:-1", "prefix:1e3", "window:1.5", "prefix:99999999999"};
    /* Words with padding are in test_preparation.c. */
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_mask mask = {.kind = AS_MASK_OTHER};
        assert_fails(as_mask_parse(wrong[i], &mask), AS_EINVAL);
        ck_assert_int_eq(mask.kind, AS_MASK_OTHER);
        ck_assert_ptr_nonnull(strstr(as_message(), "none, causal, window:W"));
    }
}
END_TEST

/* Words by their definition, in the order in which they are tried. */
static bool kept_by(as_mask mask, long rows, long cols, long i, long k) {
    long delta = i + (cols - rows) - k;
    return mask.kind == AS_MASK_CAUSAL   ? delta >= 0
           : mask.kind == AS_MASK_WINDOW ? 0 <= delta && delta < (long)mask.width
           : mask.kind == AS_MASK_PREFIX ? k < (long)mask.width || delta >= 0
                                         : true;
}

static bool same_pattern(as_mask a, as_mask b, size_t rows, size_t cols) {
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            if (kept_by(a, (long)rows, (long)cols, (long)i, (long)k) !=
                kept_by(b, (long)rows, (long)cols, (long)i, (long)k)) {
                return false;
            }
        }
    }
    return true;
}

static as_mask first_word(as_mask mask, size_t rows, size_t cols) {
    as_mask word = {.kind = AS_MASK_NONE};
    for (; word.kind <= AS_MASK_PREFIX; word.kind++) {
        bool wide = word.kind >= AS_MASK_WINDOW;
        for (word.width = wide; word.width <= (wide ? cols : 0); word.width++) {
            if (same_pattern(word, mask, rows, cols)) {
                return word;
            }
        }
    }
    ck_abort_msg("no word");
}

/* Logits with −inf, or their softmax, where the mask leaves out. */
static void fill_masked(as_logits *l, as_mask mask, size_t rows, size_t cols, bool weights) {
    assert_ok(as_matrix_resize(&l->a, rows, cols));
    for (size_t i = 0; i < rows; i++) {
        double *row = l->a.data + i * cols, sum = 0;
        for (size_t k = 0; k < cols; k++) {
            bool keeps = kept_by(mask, (long)rows, (long)cols, (long)i, (long)k);
            double x = sin((double)(7 * i + 3 * k + 1));
            row[k] = weights ? (keeps ? exp(x) : 0) : keeps ? x : -INFINITY;
            sum += row[k];
        }
        for (size_t k = 0; weights && sum > 0 && k < cols; k++) {
            row[k] /= sum;
        }
    }
}

static void check_found(as_logits *l, as_mask mask, size_t rows, size_t cols) {
    as_mask word = first_word(mask, rows, cols);
    char expected[AS_MASK_TEXT], found[AS_MASK_TEXT];
    as_mask_name(word, expected);
    as_mask_name(l->mask, found);
    size_t masked = 0, empty_rows = 0;
    for (size_t i = 0; i < rows; i++) {
        size_t kept = 0;
        for (size_t k = 0; k < cols; k++) {
            bool keeps = kept_by(mask, (long)rows, (long)cols, (long)i, (long)k);
            bool is_masked = l->masked != NULL && l->masked[i * cols + k] != 0;
            if (keeps == is_masked || as_mask_keeps(l->mask, rows, cols, i, k) != keeps ||
                (!keeps && l->a.data[i * cols + k] != 0)) {
                ck_abort_msg("%s, %zu × %zu: wrong at (%zu, %zu)", expected, rows, cols, i, k);
            }
            kept += keeps;
        }
        masked += cols - kept;
        empty_rows += kept == 0;
    }
    ck_assert_msg(strcmp(found, expected) == 0, "%zu × %zu: found %s, expected %s", rows, cols,
                  found, expected);
    ck_assert_uint_eq(l->masked_count, masked);
    ck_assert_uint_eq(l->masked_rows, empty_rows);
    ck_assert_int_eq(l->masked == NULL, masked == 0);
}

START_TEST(every_mask_is_found_at_every_size) {
    const size_t sizes[][2] = {{1, 1},   {2, 2}, {13, 13}, {37, 37}, {13, 37},
                               {37, 13}, {1, 9}, {9, 1},   {2, 3},   {3, 2}};
    const as_mask masks[] = {{.kind = AS_MASK_NONE},
                             {.kind = AS_MASK_CAUSAL},
                             {.kind = AS_MASK_WINDOW, .width = 1},
                             {.kind = AS_MASK_WINDOW, .width = 2},
                             {.kind = AS_MASK_WINDOW, .width = 5},
                             {.kind = AS_MASK_WINDOW, .width = 13},
                             {.kind = AS_MASK_PREFIX, .width = 1},
                             {.kind = AS_MASK_PREFIX, .width = 2},
                             {.kind = AS_MASK_PREFIX, .width = 7},
                             {.kind = AS_MASK_PREFIX, .width = 12},
                             {.kind = AS_MASK_PREFIX, .width = 37}};
    as_logits l = {0};
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++) {
        for (size_t m = 0; m < sizeof masks / sizeof *masks; m++) {
            size_t rows = sizes[s][0], cols = sizes[s][1];
            for (int weights = 0; weights < 2; weights++) {
                fill_masked(&l, masks[m], rows, cols, weights);
                prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
                /* A single weight a row is a matrix of ones and zeros; still weights. */
                ck_assert_int_eq(l.kind, weights ? AS_KIND_WEIGHTS : AS_KIND_LOGITS);
                check_found(&l, masks[m], rows, cols);
            }
            /* Named by the user, on logits that are not masked at all. */
            fill_masked(&l, (as_mask){.kind = AS_MASK_NONE}, rows, cols, false);
            assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                              .kind = AS_KIND_LOGITS,
                                                              .mask = masks[m],
                                                              .masked_as = AS_MASKED_AS_ZERO}));
            ck_assert_int_eq(l.mask.kind, masks[m].kind);
            l.mask = first_word(masks[m], rows, cols);
            check_found(&l, masks[m], rows, cols);
        }
    }
    as_logits_free(&l);
}
END_TEST

START_TEST(what_stands_for_masked) {
    static const struct {
        as_dtype dtype;
        double values[4];
        const char *word;
        size_t masked;
    } rows[] = {
        {AS_F32, {1, -INFINITY, 2, 3}, "causal", 1},
        {AS_F16, {1, -65504, 2, 3}, "causal", 1},
        {AS_F32, {1, -(double)FLT_MAX, 2, 3}, "causal", 1},
        {AS_BF16, {1, -0x1.FEp127, 2, 3}, "causal", 1},
        {AS_F64, {1, -DBL_MAX, 2, 3}, "causal", 1},
        {AS_F16, {1, -10000, 2, 3}, "causal", 1},
        {AS_F32, {1, -1e9, -30, 3}, "causal", 1},
        {AS_F32, {1, -4999, 2, 3}, "none", 0},     /* not low enough */
        {AS_F32, {-2000, -6000, 2, 3}, "none", 0}, /* too near the others */
        {AS_F32, {-6000, -9000, -7000, -8000}, "none", 0},
        {AS_F32, {-6000, -19000, -7000, -8000}, "causal", 1},
        {AS_F32, {-2000, -19000, -6000, -8000}, "causal", 1},
        {AS_F32, {-1e9, -1e9, -1e9, -1e9}, "none", 0}, /* below nothing */
        {AS_F32, {1, -20000, -10000, -INFINITY}, "padding", 3},
        {AS_F32, {-INFINITY, -INFINITY, 2, 3}, "other", 2},
    };
    as_logits l = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill(&l, 2, 2, rows[i].values);
        prepare(&l, rows[i].dtype, AS_MASKED_AS_ZERO);
        char text[AS_MASK_TEXT];
        as_mask_name(l.mask, text);
        ck_assert_msg(strcmp(text, rows[i].word) == 0 && l.masked_count == rows[i].masked,
                      "row %zu: %s with %zu masked", i, text, l.masked_count);
        ck_assert_int_eq(l.kind, AS_KIND_LOGITS);
    }
    as_logits_free(&l);
}
END_TEST

START_TEST(what_is_not_finite_is_counted_and_placed) {
    as_logits l = {0};
    double values[5 * 9];
    for (size_t i = 0; i < 45; i++) {
        values[i] = i >= 7 && i < 32 ? NAN : 1;
    }
    values[7] = INFINITY;
    values[3] = -INFINITY; /* a mask */
    fill(&l, 5, 9, values);
    assert_fails(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                         .kind = AS_KIND_AUTO,
                                                         .mask = (as_mask){0},
                                                         .masked_as = AS_MASKED_AS_ZERO}),
                 AS_ENONFINITE);
    ck_assert_str_eq(as_message(), "25 non-finite entries, first at (0, 7): +inf");
    ck_assert_mem_eq(l.a.data, values, sizeof values);
    assert_fails(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                         .kind = AS_KIND_WEIGHTS,
                                                         .mask = (as_mask){0},
                                                         .masked_as = AS_MASKED_AS_ZERO}),
                 AS_ENONFINITE);
    ck_assert_str_eq(as_message(), "26 non-finite entries, first at (0, 3): -inf");
    fill(&l, 2, 2, (double[]){1, 1, NAN, 1});
    assert_fails(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                         .kind = AS_KIND_AUTO,
                                                         .mask = (as_mask){0},
                                                         .masked_as = AS_MASKED_AS_SOFTMAX}),
                 AS_ENONFINITE);
    ck_assert_str_eq(as_message(), "1 non-finite entry, first at (1, 0): NaN");
    as_logits_free(&l);
    as_logits_free(NULL);
}
END_TEST

START_TEST(softmax_of_masked_logits) {
    const double inf = INFINITY;
    as_logits l = {0};
    fill(&l, 3, 3, (double[]){0, -inf, -inf, 0, 0, -inf, 0, 0, 0});
    prepare(&l, AS_F32, AS_MASKED_AS_SOFTMAX);
    assert_mask(&l, "causal");
    ck_assert(l.softmaxed && l.kind == AS_KIND_LOGITS);
    assert_values(&l, (double[]){1, 0, 0, 0.5, 0.5, 0, 1 / 3., 1 / 3., 1 / 3.});

    /* A row without a key is zero, and counted. */
    fill(&l, 2, 3, (double[]){-inf, -inf, -inf, 1e300, 1e300, -1e300});
    prepare(&l, AS_F64, AS_MASKED_AS_SOFTMAX);
    assert_mask(&l, "other");
    ck_assert_uint_eq(l.masked_rows, 1);
    assert_values(&l, (double[]){0, 0, 0, 0.5, 0.5, 0});

    /* One query after the others sees all keys: causal is aligned at the bottom right. */
    fill(&l, 1, 3, (double[]){0, 0, 0});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                      .kind = AS_KIND_AUTO,
                                                      .mask = (as_mask){.kind = AS_MASK_CAUSAL},
                                                      .masked_as = AS_MASKED_AS_SOFTMAX}));
    assert_values(&l, (double[]){1 / 3., 1 / 3., 1 / 3.});
    ck_assert_ptr_null(l.masked);

    /* Weights are weights already. */
    fill(&l, 2, 2, (double[]){1, 0, 0.25, 0.75});
    prepare(&l, AS_F32, AS_MASKED_AS_SOFTMAX);
    ck_assert(!l.softmaxed && l.kind == AS_KIND_WEIGHTS);
    assert_values(&l, (double[]){1, 0, 0.25, 0.75});
    as_logits_free(&l);
}
END_TEST

START_TEST(weights_are_told_from_logits) {
    static const struct {
        as_dtype dtype;
        double values[4];
        as_kind kind;
    } rows[] = {
        {AS_F32, {0.5, 0.5, 0.25, 0.75}, AS_KIND_WEIGHTS},
        {AS_F32, {0.5, 0.5 + 3 * 0x1p-23, 0.25, 0.75}, AS_KIND_WEIGHTS},
        {AS_F32, {0.5, 0.5 + 5 * 0x1p-23, 0.25, 0.75}, AS_KIND_LOGITS},
        {AS_F16, {0.5, 0.5 + 3 * 0x1p-10, 0.25, 0.75}, AS_KIND_WEIGHTS},
        {AS_F16, {0.5, 0.5 + 5 * 0x1p-10, 0.25, 0.75}, AS_KIND_LOGITS},
        {AS_BF16, {0.5, 0.5 + 3 * 0x1p-7, 0.25, 0.75}, AS_KIND_WEIGHTS},
        {AS_F64, {0.5, 0.5 + 3 * 0x1p-52, 0.25, 0.75}, AS_KIND_WEIGHTS},
        {AS_F64, {0.5, 0.5 + 5 * 0x1p-52, 0.25, 0.75}, AS_KIND_LOGITS},
        {AS_F32, {0, 0, 0.25, 0.75}, AS_KIND_WEIGHTS}, /* a masked row */
        {AS_F32, {0, 0, 0, 0}, AS_KIND_LOGITS},
        {AS_F32, {1.5, -0.5, 0.25, 0.75}, AS_KIND_LOGITS},
    };
    as_logits l = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        fill(&l, 2, 2, rows[i].values);
        prepare(&l, rows[i].dtype, AS_MASKED_AS_ZERO);
        ck_assert_msg(l.kind == rows[i].kind, "row %zu: %s", i, as_kind_name(l.kind));
    }
    /* The user's word counts, and the deviation is reported. */
    fill(&l, 2, 2, (double[]){0.5, 0.5, 0.3, 0.6});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    ck_assert_int_eq(l.kind, AS_KIND_WEIGHTS);
    assert_near(l.row_sum_deviation, 0.1, 1e-15);
    as_logits_free(&l);
    for (as_kind kind = 0; kind < AS_KIND_COUNT; kind++) {
        as_kind parsed;
        assert_ok(as_kind_parse(as_kind_name(kind), &parsed));
        ck_assert_int_eq(parsed, kind);
    }
    as_kind kind;
    assert_fails(as_kind_parse("weight", &kind), AS_EINVAL);
}
END_TEST

/* 2048 equal weights in double: the sum must not lose what the test allows. */
START_TEST(long_rows_of_double_are_weights) {
    as_logits l = {0};
    size_t n = 2048;
    assert_ok(as_matrix_resize(&l.a, 3, n));
    for (size_t i = 0; i < 3; i++) {
        double *row = l.a.data + i * n;
        long double sum = 0;
        for (size_t k = 0; k < n; k++) {
            sum += row[k] = exp(3 * sin((double)(k * (i + 2))));
        }
        for (size_t k = 0; k < n; k++) {
            row[k] = (double)(row[k] / sum);
        }
    }
    prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
    ck_assert_int_eq(l.kind, AS_KIND_WEIGHTS);
    as_logits_free(&l);
}
END_TEST

/* A softmax in single or half precision that was saved in a wider dtype keeps its own rounding; sums
 * that are off by more than that are no weights. */
START_TEST(weights_saved_in_a_wider_dtype) {
    enum { N = 37 };
    as_logits l = {0};
    for (int off = 0; off < 2; off++) {
        assert_ok(as_matrix_resize(&l.a, N, N));
        for (size_t i = 0; i < N; i++) {
            double *row = l.a.data + i * N, sum = 0;
            for (size_t k = 0; k < N; k++) {
                sum += row[k] = exp(3 * sin((double)(k * (i + 2))));
            }
            for (size_t k = 0; k < N; k++) {
                row[k] = (double)(float)(row[k] / sum * (off ? 1.0 + 1e-5 : 1.0));
            }
        }
        prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
        ck_assert_int_eq(l.kind, off ? AS_KIND_LOGITS : AS_KIND_WEIGHTS);
    }
    /* Thirds in half precision: 0.333251953125. */
    fill(&l, 1, 3, (double[]){0.333251953125, 0.333251953125, 0.333251953125});
    prepare(&l, AS_F32, AS_MASKED_AS_ZERO);
    ck_assert_int_eq(l.kind, AS_KIND_WEIGHTS);
    fill(&l, 1, 3, (double[]){0.333251953125, 0.333251953125, 0.33325196});
    prepare(&l, AS_F32, AS_MASKED_AS_ZERO);
    ck_assert_int_eq(l.kind, AS_KIND_LOGITS);
    as_logits_free(&l);
}
END_TEST

/* Zeros that a softmax in half precision rounds to are no mask; zeros that it cannot make are. */
START_TEST(zeros_in_weights) {
    enum { N = 37 };
    as_logits l = {0};
    fill_masked(&l, (as_mask){.kind = AS_MASK_NONE}, N, N, true);
    l.a.data[5 * N + 30] = 0;
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "none"); /* a stray zero */
    ck_assert_uint_eq(l.masked_count, 0);

    fill_masked(&l, (as_mask){.kind = AS_MASK_CAUSAL}, N, N, true);
    l.a.data[20 * N + 3] = l.a.data[30 * N + 30] = 0;
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "causal"); /* zeros below the diagonal are kept entries */
    ck_assert_uint_eq(l.masked_count, N * (N - 1) / 2);
    ck_assert_int_eq(l.masked[20 * N + 3], 0);

    fill_masked(&l, (as_mask){.kind = AS_MASK_NONE}, N, N, true);
    for (size_t i = 0; i < N; i++) {
        l.a.data[i * N + 36] = 0;
    }
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "padding"); /* the last key, that nobody sees */
    ck_assert_uint_eq(l.masked_count, N);

    for (size_t i = 0; i < N; i++) {
        l.a.data[i * N + 36] = 1e-3;
        l.a.data[i * N + 20] = 0;
    }
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16, .kind = AS_KIND_WEIGHTS}));
    assert_mask(&l, "other"); /* a key between others that nobody sees */
    ck_assert_uint_eq(l.masked_count, N);

    fill_masked(&l, (as_mask){.kind = AS_MASK_NONE}, N, N, true);
    for (size_t i = 0; i < N * N; i++) {
        l.a.data[i] = (i / N < 20) == (i % N < 20) ? l.a.data[i] : 0;
    }
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "other"); /* two blocks */
    ck_assert_uint_eq(l.masked_count, 2 * 20 * 17);

    /* Steep rows in half precision: many zeros, and weights just above them. */
    for (size_t i = 0; i < N * N; i++) {
        double w = exp(-1.3 * fabs((double)(i / N) - (double)(i % N)));
        l.a.data[i] = w < 0x1p-25 ? 0 : w;
    }
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = (as_mask){0},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "none");

    /* A padded query and key. */
    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, 0, 0, 0});
    prepare(&l, AS_F32, AS_MASKED_AS_ZERO);
    assert_mask(&l, "causal+padding");
    ck_assert_uint_eq(l.mask.right, 1);
    ck_assert_uint_eq(l.masked_rows, 1);
    ck_assert_uint_eq(l.masked_count, 6);
    as_logits_free(&l);
}
END_TEST

START_TEST(weights_that_contradict_the_named_mask) {
    as_logits l = {0};
    double values[9];
    for (size_t i = 0; i < 9; i++) {
        values[i] = 1 / 3.;
    }
    const as_mask causal = {.kind = AS_MASK_CAUSAL};
    fill(&l, 3, 3, values);
    assert_fails(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                         .kind = AS_KIND_AUTO,
                                                         .mask = causal,
                                                         .masked_as = AS_MASKED_AS_ZERO}),
                 AS_EMASK);
    ck_assert_str_eq(as_message(), "the mask causal leaves out 3 entries that are not zero, the "
                                   "largest 0.333 at (0, 1)");
    ck_assert_mem_eq(l.a.data, values, sizeof values);
    fill(&l, 3, 3, (double[]){1, 0, 0, 0.5, 0.5, 0, 0, 0, 0});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                      .kind = AS_KIND_AUTO,
                                                      .mask = causal,
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "causal");
    ck_assert_uint_eq(l.masked_rows, 1);
    ck_assert_uint_eq(l.masked_count, 6);
    /* −inf is masked under every word. */
    fill(&l, 2, 2, (double[]){1, -INFINITY, 2, 3});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                      .kind = AS_KIND_AUTO,
                                                      .mask = (as_mask){.kind = AS_MASK_NONE},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "none");
    ck_assert_uint_eq(l.masked_count, 1);
    /* But large numbers are numbers where the user says that nothing is masked. */
    fill(&l, 2, 2, (double[]){1, -20000, 30000, -50000});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32,
                                                      .kind = AS_KIND_AUTO,
                                                      .mask = (as_mask){.kind = AS_MASK_NONE},
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "none");
    ck_assert_uint_eq(l.masked_count, 0);
    ck_assert_mem_eq(l.a.data, ((double[]){1, -20000, 30000, -50000}), 4 * sizeof(double));
    fill(&l, 2, 2, (double[]){1, -20000, 30000, -50000});
    prepare(&l, AS_F32, AS_MASKED_AS_ZERO);
    ck_assert_uint_eq(l.masked_count, 2);
    as_logits_free(&l);
}
END_TEST

/* A dump of ours masks by −∞ alone, and logits that were computed here are not masked at all before
 * the word is applied: a logit far below the others is one. */
START_TEST(large_logits_are_no_mask_where_none_is_written) {
    const as_mask causal = {.kind = AS_MASK_CAUSAL};
    const double values[] = {1, 2, 3, -90000, 4, 5, 6, 7, 8};
    as_logits l = {.sentinels = AS_SENTINELS_INFINITY};
    fill(&l, 3, 3, values);
    prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
    assert_mask(&l, "none");
    ck_assert(l.a.data[3] == -90000);
    fill(&l, 3, 3, values);
    l.a.data[5] = -INFINITY;
    prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
    ck_assert_uint_eq(l.masked_count, 1);
    ck_assert(l.a.data[3] == -90000 && l.a.data[5] == 0);

    l.sentinels = AS_SENTINELS_NONE;
    fill(&l, 3, 3, values);
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                      .kind = AS_KIND_LOGITS,
                                                      .mask = causal,
                                                      .masked_as = AS_MASKED_AS_ZERO}));
    assert_mask(&l, "causal");
    ck_assert_uint_eq(l.masked_count, 3);
    assert_values(&l, (double[]){1, 0, 0, -90000, 4, 0, 6, 7, 8});
    /* There −∞ is an overflow, kept or not. */
    fill(&l, 3, 3, values);
    l.a.data[1] = -INFINITY;
    assert_fails(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64,
                                                         .kind = AS_KIND_LOGITS,
                                                         .mask = causal,
                                                         .masked_as = AS_MASKED_AS_ZERO}),
                 AS_ENONFINITE);
    ck_assert_ptr_nonnull(strstr(as_message(), "1 non-finite entry, first at (0, 1): -inf"));

    l.sentinels = AS_SENTINELS_ANY;
    fill(&l, 3, 3, values);
    prepare(&l, AS_F64, AS_MASKED_AS_ZERO);
    assert_mask(&l, "other");
    ck_assert(l.a.data[3] == 0);
    as_logits_free(&l);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, mask_words_are_read_and_written);
    tcase_add_test(t, every_mask_is_found_at_every_size);
    tcase_add_test(t, what_stands_for_masked);
    tcase_add_test(t, what_is_not_finite_is_counted_and_placed);
    tcase_add_test(t, large_logits_are_no_mask_where_none_is_written);
    tcase_add_test(t, softmax_of_masked_logits);
    tcase_add_test(t, weights_are_told_from_logits);
    tcase_add_test(t, long_rows_of_double_are_weights);
    tcase_add_test(t, weights_saved_in_a_wider_dtype);
    tcase_add_test(t, zeros_in_weights);
    tcase_add_test(t, weights_that_contradict_the_named_mask);
}
AS_TEST_MAIN("logits")
