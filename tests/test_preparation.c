/* What is done to a matrix before its spectrum: padding, a user's sentinel, and the operations on
 * logits in their order. Expected values are closed forms. */
#include "support.h"

#include <float.h>
#include <stdbool.h>
#include <string.h>

static void fill(as_logits *l, size_t rows, size_t cols, const double *values) {
    assert_ok(as_matrix_resize(&l->a, rows, cols));
    memcpy(l->a.data, values, rows * cols * sizeof *values);
}

static void assert_mask(const as_logits *l, const char *word) {
    char text[AS_MASK_TEXT];
    ck_assert_str_eq(as_mask_name(l->mask, text), word);
}

static void assert_matrix(const as_logits *l, size_t rows, size_t cols, const double *expected) {
    ck_assert_uint_eq(l->a.rows, rows);
    ck_assert_uint_eq(l->a.cols, cols);
    for (size_t i = 0; i < rows * cols; i++) {
        assert_near(l->a.data[i], expected[i], 1e-15);
    }
}

START_TEST(words_with_padding) {
    static const struct {
        const char *text, *name;
        size_t left, right;
    } good[] = {{"padding:left=3", "padding", 3, 0},
                {"padding:right=12", "padding", 0, 12},
                {"padding:left=1,right=2", "padding", 1, 2},
                {"causal+padding:left=4", "causal+padding", 4, 0},
                {"window:5+padding:right=1", "window:5+padding", 0, 1},
                {"prefix:2+padding:right=1", "prefix:2+padding", 0, 1},
                {"none+padding:right=1", "padding", 0, 1},
                {"causal+padding:left=0", "causal", 0, 0}};
    char text[AS_MASK_TEXT];
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        as_mask mask;
        assert_ok(as_mask_parse(good[i].text, &mask));
        ck_assert_str_eq(as_mask_name(mask, text), good[i].name);
        ck_assert_uint_eq(mask.left, good[i].left);
        ck_assert_uint_eq(mask.right, good[i].right);
    }
    const char *wrong[] = {"padding",       "padding:",        "padding:3",
                           "padding:left=", "padding:left=-1", "padding:right=1,left=2",
                           "causal+",       "causal+padding",  "auto+padding:left=1",
                           "causal+window", "padding:left=1,", "padding:left=1,right"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_mask mask;
        assert_fails(as_mask_parse(wrong[i], &mask), AS_EINVAL);
        ck_assert_ptr_nonnull(strstr(as_message(), "padding:left=L"));
    }
}
END_TEST

/* Masked by definition: the word, or a key of the padding, or a query at its place. */
static bool is_masked(as_mask m, size_t rows, size_t cols, size_t i, size_t k) {
    long delta = (long)(i + cols) - (long)rows - (long)k;
    bool keys = k < m.left || k >= cols - m.right;
    bool padding = i < m.left || i >= rows - m.right;
    bool queries = m.queries == AS_PAD_QUERIES_BLIND && padding;
    if (m.queries == AS_PAD_QUERIES_UNIFORM && padding) {
        return false;
    }
    bool word = m.kind == AS_MASK_CAUSAL   ? delta < 0
                : m.kind == AS_MASK_WINDOW ? delta < 0 || delta >= (long)m.width
                                           : false;
    return keys || queries || word;
}

/* Every base, both ends, queries masked or not, square and oblong: found again from −∞ alone, and the
 * entries that are masked are those of the definition. */
START_TEST(padding_is_found) {
    static const size_t shapes[][2] = {{13, 13}, {37, 37}, {13, 37}, {37, 13}};
    const as_mask bases[] = {
        {.kind = AS_MASK_NONE}, {.kind = AS_MASK_CAUSAL}, {.kind = AS_MASK_WINDOW, .width = 4}};
    as_logits l = {0};
    size_t padded = 0;
    for (size_t s = 0; s < 4; s++) {
        size_t rows = shapes[s][0], cols = shapes[s][1];
        for (size_t c = 0; c < 3 * 3 * 3 * 2; c++) {
            as_mask mask = bases[c / 18];
            mask.left = c / 6 % 3 * 2;
            mask.right = c / 2 % 3;
            bool blind = c % 2 == 1 && rows == cols && mask.left + mask.right > 0;
            mask.queries = blind ? AS_PAD_QUERIES_BLIND : AS_PAD_QUERIES_SEE;
            assert_ok(as_matrix_resize(&l.a, rows, cols));
            size_t masked = 0;
            for (size_t i = 0; i < rows * cols; i++) {
                bool out = is_masked(mask, rows, cols, i / cols, i % cols);
                l.a.data[i] = out ? -INFINITY : 1 + sin((double)i);
                masked += out;
            }
            assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32}));
            ck_assert_uint_eq(l.masked_count, masked);
            for (size_t i = 0; i < rows * cols; i++) {
                bool out = is_masked(mask, rows, cols, i / cols, i % cols);
                ck_assert(as_mask_keeps(l.mask, rows, cols, i / cols, i % cols) == !out);
                ck_assert((masked > 0 && l.masked[i]) == out);
            }
            ck_assert_int_ne(l.mask.kind, AS_MASK_OTHER);
            padded += l.mask.left + l.mask.right > 0;
        }
    }
    ck_assert_uint_gt(padded, 100); /* few are a word without padding by chance */
    as_logits_free(&l);
}
END_TEST

/* A text of two of three tokens in a batch, with the queries of the padding masked and not. */
START_TEST(padding_is_dropped) {
    const double inf = INFINITY;
    const as_preparation drop = {.dtype = AS_F32, .drop_padding = true};
    as_preparation causal = drop;
    causal.mask.kind = AS_MASK_CAUSAL;
    as_logits l = {0};
    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, 0, 0, 0});
    assert_ok(as_logits_prepare(&l, &drop));
    assert_mask(&l, "causal+padding");
    assert_matrix(&l, 2, 2, (double[]){1, 0, .5, .5});
    ck_assert_uint_eq(l.masked_count, 1);
    ck_assert_uint_eq(l.masked_rows, 0);
    ck_assert(l.masked[1] == 1 && l.masked[0] == 0);

    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, 0, 0, 0});
    assert_ok(as_logits_prepare(&l, &causal)); /* the user's word does not hide the padding */
    assert_mask(&l, "causal+padding");
    assert_matrix(&l, 2, 2, (double[]){1, 0, .5, .5});

    fill(&l, 3, 3, (double[]){1, 2, -inf, 3, 4, -inf, 5, 6, -inf});
    assert_ok(as_logits_prepare(&l, &drop));
    assert_mask(&l, "padding");
    ck_assert_uint_eq(l.mask.right, 1);
    assert_matrix(&l, 2, 2, (double[]){1, 2, 3, 4});
    ck_assert_ptr_null(l.masked);

    /* On the left, softmaxed: the softmax is over what is kept anyway. */
    as_preparation soft = drop;
    soft.masked_as = AS_MASKED_AS_SOFTMAX;
    fill(&l, 3, 3, (double[]){-inf, -inf, -inf, -inf, 7, -inf, -inf, 7, 7});
    assert_ok(as_logits_prepare(&l, &soft));
    ck_assert_uint_eq(l.mask.left, 1);
    assert_matrix(&l, 2, 2, (double[]){1, 0, .5, .5});

    /* Of an oblong matrix the queries stay, but for those that see nothing. */
    fill(&l, 2, 3, (double[]){.25, .75, 0, .5, .5, 0});
    assert_ok(as_logits_prepare(&l, &drop));
    assert_mask(&l, "padding");
    assert_matrix(&l, 2, 2, (double[]){.25, .75, .5, .5});

    /* One query with padding on the left. */
    fill(&l, 1, 4, (double[]){0, 0, .25, .75});
    assert_ok(as_logits_prepare(&l, &drop));
    assert_matrix(&l, 1, 2, (double[]){.25, .75});

    /* Without padding nothing is dropped. */
    fill(&l, 2, 2, (double[]){1, 0, .5, .5});
    assert_ok(as_logits_prepare(&l, &drop));
    assert_matrix(&l, 2, 2, (double[]){1, 0, .5, .5});
    as_logits_free(&l);
}
END_TEST

/* Models that mask with a finite number give the queries of padding on the left uniform weights. */
START_TEST(uniform_queries_of_padding) {
    const double t = 1 / 3., values[] = {t, t, t, 0, 1, 0, 0, .25, .75};
    const as_preparation drop = {.dtype = AS_F64, .drop_padding = true};
    as_logits l = {0};
    fill(&l, 3, 3, values);
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64}));
    assert_mask(&l, "causal+padding");
    ck_assert_uint_eq(l.mask.left, 1);
    ck_assert_uint_eq(l.masked_count, 3);
    assert_matrix(&l, 3, 3, values);
    fill(&l, 3, 3, values);
    assert_ok(as_logits_prepare(&l, &drop));
    assert_matrix(&l, 2, 2, (double[]){1, 0, .25, .75});
    as_preparation named = drop;
    assert_ok(as_mask_parse("causal+padding:left=1", &named.mask));
    fill(&l, 3, 3, values);
    assert_ok(as_logits_prepare(&l, &named));
    assert_matrix(&l, 2, 2, (double[]){1, 0, .25, .75});
    /* Kept, they contradict the word. */
    named.drop_padding = false;
    fill(&l, 3, 3, values);
    assert_fails(as_logits_prepare(&l, &named), AS_EMASK);
    as_logits_free(&l);
}
END_TEST

/* Padding that is wider than the matrix, or all of it, leaves nothing to analyse. */
START_TEST(nothing_is_left_without_padding) {
    static const struct {
        size_t rows, cols;
        const char *mask;
    } of[] = {{5, 5, "padding:right=6"},        {5, 5, "padding:left=5"},
              {5, 5, "padding:left=3,right=2"}, {1, 1, "padding:right=2"},
              {2, 6, "padding:left=6"},         {4, 6, "window:1+padding:right=5"}};
    as_logits l = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        for (int drop = 0; drop < 2; drop++) {
            as_preparation how = {
                .dtype = AS_F64, .kind = AS_KIND_LOGITS, .drop_padding = drop == 1};
            assert_ok(as_mask_parse(of[i].mask, &how.mask));
            assert_ok(as_matrix_resize(&l.a, of[i].rows, of[i].cols));
            for (size_t k = 0; k < of[i].rows * of[i].cols; k++) {
                l.a.data[k] = 1;
            }
            if (drop == 1) {
                assert_fails(as_logits_prepare(&l, &how), AS_EMASK);
                ck_assert_ptr_nonnull(strstr(as_message(), "nothing is left"));
            } else {
                assert_ok(as_logits_prepare(&l, &how));
            }
        }
    }
    as_logits_free(&l);
}
END_TEST

/* Zeros of dropout are no mask, above the diagonal of a causal one or in none. */
START_TEST(zeros_of_dropout) {
    as_logits l = {0};
    fill(&l, 3, 3, (double[]){0, 0, 0, 1.25, 0, 0, 0, .625, .625});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32, .kind = AS_KIND_WEIGHTS}));
    assert_mask(&l, "causal");
    fill(&l, 3, 3, (double[]){0, 1.25, 0, 0, 0, 0, 0, .625, .625});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32, .kind = AS_KIND_WEIGHTS}));
    ck_assert_int_ne(l.mask.kind, AS_MASK_OTHER);
    as_logits_free(&l);
}
END_TEST

/* One weight of the last key that half precision rounded to 0 is no padding; in single precision,
 * beside weights that are not small, it cannot be rounding. */
START_TEST(one_zero_at_the_end) {
    as_logits l = {0};
    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, 1 - 0x1p-20, 0x1p-20, 0});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16, .kind = AS_KIND_WEIGHTS}));
    assert_mask(&l, "causal");
    ck_assert_uint_eq(l.masked_count, 3);
    /* The user's word and --drop-padding do not make it padding either. */
    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, 1 - 0x1p-20, 0x1p-20, 0});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F16,
                                                      .kind = AS_KIND_WEIGHTS,
                                                      .mask = {.kind = AS_MASK_CAUSAL},
                                                      .drop_padding = true}));
    ck_assert_uint_eq(l.a.rows, 3);
    fill(&l, 3, 3, (double[]){1, 0, 0, .5, .5, 0, .5, .5, 0});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32}));
    assert_mask(&l, "causal+padding");
    ck_assert_uint_eq(l.masked_count, 4);
    as_logits_free(&l);
}
END_TEST

START_TEST(a_sentinel_of_the_user) {
    static const struct {
        as_dtype dtype;
        double sentinel, stored;
    } of[] = {{AS_F64, -100, -100}, {AS_F32, -100.1, (double)-100.1f}, {AS_BF16, -1e9, -998244352},
              {AS_F32, NAN, NAN},   {AS_F32, INFINITY, INFINITY},      {AS_F32, 0, 0}};
    as_logits l = {0};
    for (size_t i = 0; i < sizeof of / sizeof *of; i++) {
        double m = of[i].stored;
        fill(&l, 3, 3, (double[]){1, m, m, -2, 3, m, 4, -5, 6});
        assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = of[i].dtype,
                                                          .has_sentinel = true,
                                                          .sentinel = of[i].sentinel}));
        assert_mask(&l, "causal");
        ck_assert_int_eq(l.kind, AS_KIND_LOGITS);
        assert_matrix(&l, 3, 3, (double[]){1, 0, 0, -2, 3, 0, 4, -5, 6});
    }
    /* Of weights it is looked for instead of zeros. */
    fill(&l, 2, 3, (double[]){0, 1, -1, .5, .5, -1});
    assert_ok(as_logits_prepare(
        &l, &(as_preparation){.dtype = AS_F32, .has_sentinel = true, .sentinel = -1}));
    ck_assert_int_eq(l.kind, AS_KIND_WEIGHTS);
    ck_assert_uint_eq(l.masked_count, 2);
    assert_matrix(&l, 2, 3, (double[]){0, 1, 0, .5, .5, 0});
    ck_assert_uint_eq(l.sentinels_found, 2);
    /* Where the matrix has none, zeros are looked at as ever. */
    fill(&l, 2, 2, (double[]){1, 0, .5, .5});
    assert_ok(as_logits_prepare(
        &l, &(as_preparation){.dtype = AS_F32, .has_sentinel = true, .sentinel = -1}));
    assert_mask(&l, "causal");
    ck_assert_uint_eq(l.sentinels_found, 0);
    as_logits_free(&l);
}
END_TEST

/* scale, cap, bias, mask, centring, softmax: each changes what the next one sees. */
START_TEST(operations_in_their_order) {
    const double inf = INFINITY, x[] = {1, -2, 3, 4};
    as_matrix bias = {.data = (double[]){.5, -inf, .25, -1}, .rows = 2, .cols = 2};
    as_preparation how = {
        .dtype = AS_F64, .factor = 2, .softcap = 3, .bias = &bias, .bias_dtype = AS_F32};
    double a = 3 * tanh(2. / 3) + .5, c = 3 * tanh(6. / 3) + .25, d = 3 * tanh(8. / 3) - 1;
    as_logits l = {0};
    fill(&l, 2, 2, x);
    assert_ok(as_logits_prepare(&l, &how));
    assert_mask(&l, "causal"); /* of the bias */
    assert_matrix(&l, 2, 2, (double[]){a, 0, c, d});
    ck_assert(l.softcap == 3 && !l.centered);

    how.center = true;
    fill(&l, 2, 2, x);
    assert_ok(as_logits_prepare(&l, &how));
    assert_matrix(&l, 2, 2, (double[]){0, 0, (c - d) / 2, (d - c) / 2});
    ck_assert(l.centered);

    /* Softmax does not see the centring. */
    how.masked_as = AS_MASKED_AS_SOFTMAX;
    fill(&l, 2, 2, x);
    assert_ok(as_logits_prepare(&l, &how));
    double p = 1 / (1 + exp(d - c));
    assert_matrix(&l, 2, 2, (double[]){1, 0, p, 1 - p});

    /* The lowest number of the bias's dtype masks, alone too. */
    bias.data[1] = -(double)FLT_MAX;
    how.center = false;
    how.masked_as = AS_MASKED_AS_ZERO;
    fill(&l, 2, 2, x);
    assert_ok(as_logits_prepare(&l, &how));
    assert_matrix(&l, 2, 2, (double[]){a, 0, c, d});

    how.bias_masks_only = true;
    how.masked_as = AS_MASKED_AS_ZERO;
    how.center = false;
    fill(&l, 2, 2, x);
    assert_ok(as_logits_prepare(&l, &how));
    assert_matrix(&l, 2, 2, (double[]){a - .5, 0, c - .25, d + 1});

    /* A mask is found before the cap could hide it. */
    how.bias = NULL;
    fill(&l, 2, 2, (double[]){1, -1e9, 3, 4});
    assert_ok(as_logits_prepare(&l, &how));
    assert_mask(&l, "causal");

    /* Weights are left as they are. */
    fill(&l, 2, 2, (double[]){1, 0, .5, .5});
    assert_ok(as_logits_prepare(&l, &how));
    assert_matrix(&l, 2, 2, (double[]){1, 0, .5, .5});
    ck_assert(l.softcap == 0);
    as_logits_free(&l);
}
END_TEST

START_TEST(operations_refuse) {
    as_logits l = {0};
    const double x[] = {1, 2, 3, 4};
    as_matrix bias = {.data = (double[]){1, 2, 3, NAN}, .rows = 2, .cols = 2};
    as_preparation how = {.dtype = AS_F64, .bias = &bias};
    fill(&l, 2, 2, x);
    assert_fails(as_logits_prepare(&l, &how), AS_ENONFINITE);
    ck_assert_str_eq(as_message(), "the bias at (1, 1) is NaN");
    bias.cols = 1;
    fill(&l, 2, 2, x);
    assert_fails(as_logits_prepare(&l, &how), AS_EINVAL);
    ck_assert_str_eq(as_message(), "the bias is 2 × 1, the matrix 2 × 2");
    how = (as_preparation){.dtype = AS_F64, .factor = 1e308};
    fill(&l, 2, 2, x);
    assert_fails(as_logits_prepare(&l, &how), AS_ENONFINITE);
    ck_assert_ptr_nonnull(strstr(as_message(), "(0, 1)"));
    how = (as_preparation){.dtype = AS_F64, .mask = {.kind = AS_MASK_NONE}, .center = true};
    fill(&l, 2, 2, (double[]){1e308, -1e308, 1, 3});
    assert_ok(as_logits_prepare(&l, &how)); /* the mean is 0 */
    assert_matrix(&l, 2, 2, (double[]){1e308, -1e308, -1, 1});
    fill(&l, 1, 3, (double[]){1.7e308, 1.7e308, -1.7e308});
    assert_fails(as_logits_prepare(&l, &how), AS_ENONFINITE);
    ck_assert_ptr_nonnull(strstr(as_message(), "(0, 2)"));
    as_logits_free(&l);
}
END_TEST

/* Sums of rows, for a sink and for dropout, and for what is neither. */
START_TEST(row_sums) {
    as_logits l = {0};
    fill(&l, 2, 2, (double[]){.5, .25, .25, 1});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32}));
    ck_assert_int_eq(l.kind, AS_KIND_LOGITS);
    ck_assert(l.row_sum_min == .75 && l.row_sum_max == 1.25);
    fill(&l, 2, 2, (double[]){.5, .25, .25, 1});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32, .kind = AS_KIND_WEIGHTS}));
    ck_assert(l.row_sum_min == .75 && l.row_sum_max == 1.25 && l.row_sum_deviation == .25);
    fill(&l, 2, 2, (double[]){.5, -.25, .25, 1});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F32}));
    ck_assert(isnan(l.row_sum_min) && isnan(l.row_sum_max));
    /* A text of one decimal: thirds are 0.3, and 0.9 is rounding. */
    l.rounding = 0.05;
    fill(&l, 1, 3, (double[]){.3, .3, .3});
    assert_ok(as_logits_prepare(&l, &(as_preparation){.dtype = AS_F64}));
    ck_assert_int_eq(l.kind, AS_KIND_WEIGHTS);
    ck_assert(!l.sums_off && isnan(l.row_sum_min));
    as_logits_free(&l);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, words_with_padding);
    tcase_add_test(t, padding_is_found);
    tcase_add_test(t, padding_is_dropped);
    tcase_add_test(t, uniform_queries_of_padding);
    tcase_add_test(t, nothing_is_left_without_padding);
    tcase_add_test(t, zeros_of_dropout);
    tcase_add_test(t, one_zero_at_the_end);
    tcase_add_test(t, a_sentinel_of_the_user);
    tcase_add_test(t, operations_in_their_order);
    tcase_add_test(t, operations_refuse);
    tcase_add_test(t, row_sums);
}
AS_TEST_MAIN("preparation")
