/* The Toeplitz split on a grid: matrices that are their own part, numpy, what is always true, and what
 * must be null. */
#include "support.h"

#include <float.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "grid_numbers.inc"

enum { MOST = 64, GRIDS = 7 };
static const as_grid grids[GRIDS] = {{0, 1, 13}, {0, 13, 1}, {0, 3, 4}, {0, 4, 3},
                                     {1, 5, 7},  {4, 2, 9},  {0, 8, 8}};

static size_t tokens(as_grid g) {
    return g.leading + g.height * g.width;
}

/* Uniform in −1 … 1: Knuth's 64-bit generator, its top bits. */
static double draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (double)(*state >> 11) * 0x1p-52 - 1;
}

static as_logits logits_of(double *entries, size_t rows, size_t cols) {
    return (as_logits){.a = {.data = entries, .rows = rows, .cols = cols},
                       .kind = AS_KIND_LOGITS,
                       .mask = {.kind = AS_MASK_NONE}};
}

/* A random function of the two-dimensional offset, and of leading tokens anything at all. */
static void fill_blocks(as_grid g, uint64_t seed, double *a) {
    static double table[(2 * MOST - 1) * (2 * MOST - 1)];
    size_t n = tokens(g), span = 2 * g.width - 1;
    for (size_t i = 0; i < (2 * g.height - 1) * span; i++) {
        table[i] = draw(&seed);
    }
    for (size_t i = 0; i < n * n; i++) {
        size_t query = i / n, key = i % n;
        if (query < g.leading || key < g.leading) {
            a[i] = 100 * draw(&seed);
            continue;
        }
        query -= g.leading;
        key -= g.leading;
        size_t down = query / g.width + g.height - 1 - key / g.width;
        size_t along = query % g.width + g.width - 1 - key % g.width;
        a[i] = table[down * span + along];
    }
}

static as_metrics measure(const as_logits *logits, as_grid grid) {
    as_summary summary = {0};
    as_summary_options options = {.grid = grid};
    assert_ok(as_summarise(&summary, logits, &options));
    as_metrics metrics = summary.metrics;
    as_summary_free(&summary);
    return metrics;
}

static double fraction(const as_metrics *m) {
    ck_assert_str_eq(as_reason_name(m->reason[AS_METRIC_toeplitz_fraction]), "none");
    return m->value[AS_METRIC_toeplitz_fraction];
}

static double residual(const as_metrics *m) {
    ck_assert_str_eq(as_reason_name(m->reason[AS_METRIC_toeplitz_residual]), "none");
    return m->value[AS_METRIC_toeplitz_residual];
}

static void assert_null(const as_metrics *m, as_reason reason) {
    static const as_metric both[] = {AS_METRIC_toeplitz_fraction, AS_METRIC_toeplitz_residual};
    for (size_t i = 0; i < 2; i++) {
        ck_assert(isnan(m->value[both[i]]));
        ck_assert_str_eq(as_reason_name(m->reason[both[i]]), as_reason_name(reason));
    }
}

static void assert_same(const as_metrics *a, const as_metrics *b) {
    ck_assert_mem_eq(a->reason, b->reason, sizeof a->reason);
    for (size_t i = 0; i < AS_METRIC_COUNT; i++) {
        ck_assert(a->reason[i] != AS_REASON_NONE || a->value[i] == b->value[i]);
    }
}

/* Leading tokens, however large, take no part. Where the grid has two dimensions, one offset in a line
 * is several on the grid: the line explains less. */
START_TEST(toeplitz_blocks_are_their_own_part) {
    double a[MOST * MOST];
    for (size_t g = 0; g < GRIDS; g++) {
        size_t n = tokens(grids[g]);
        fill_blocks(grids[g], 7 + g, a);
        as_logits logits = logits_of(a, n, n);
        as_metrics m = measure(&logits, grids[g]);
        double bound = AS_TEST_C * (double)n * DBL_EPSILON;
        assert_near(fraction(&m), 1, bound);
        assert_near(residual(&m), 0, bound);
        if (grids[g].height > 1 && grids[g].width > 1) {
            m = measure(&logits, (as_grid){0});
            ck_assert_double_lt(fraction(&m), 0.9);
            ck_assert_double_gt(residual(&m), 0.1);
        }
    }
}
END_TEST

static size_t fill_random(double *a, unsigned char *masked, size_t n, uint64_t seed) {
    size_t kept = 0;
    for (size_t i = 0; i < n * n; i++) {
        masked[i] = draw(&seed) < -0.5;
        a[i] = masked[i] ? 0 : draw(&seed) - 0.25;
        kept += !masked[i];
    }
    return kept;
}

/* Tokens in one row, or in one column, stand in a line: to the bit the same. */
START_TEST(grid_of_one_row_is_a_line) {
    double a[37 * 37];
    unsigned char masked[37 * 37];
    for (uint64_t seed = 0; seed < 4; seed++) {
        fill_random(a, masked, 37, seed);
        as_logits logits = logits_of(a, 37, 37);
        logits.masked = seed % 2 == 0 ? masked : NULL;
        as_metrics line = measure(&logits, (as_grid){0});
        as_metrics row = measure(&logits, (as_grid){0, 1, 37});
        as_metrics column = measure(&logits, (as_grid){0, 37, 1});
        assert_same(&line, &row);
        assert_near(fraction(&column), fraction(&line), 1e-13);
        assert_near(residual(&column), residual(&line), 1e-13);
    }
}
END_TEST

START_TEST(numbers_of_numpy) {
    double a[sizeof grid_matrix / sizeof *grid_matrix], inner[12 * 12];
    memcpy(a, grid_matrix, sizeof a);
    for (size_t i = 0; i < 12; i++) {
        memcpy(inner + i * 12, grid_matrix + (i + 2) * 14 + 2, 12 * sizeof *inner);
    }
    as_logits logits = logits_of(a, 14, 14), alone = logits_of(inner, 12, 12);
    as_metrics m = measure(&logits, (as_grid){2, 3, 4});
    assert_near(fraction(&m), grid_unmasked_split[0], 1e-13);
    assert_near(residual(&m), grid_unmasked_split[1], 1e-13);
    m = measure(&alone, (as_grid){0, 3, 4});
    assert_near(fraction(&m), grid_unmasked_split[0], 1e-13);
    assert_near(residual(&m), grid_unmasked_split[1], 1e-13);
    logits.masked = grid_masked;
    m = measure(&logits, (as_grid){2, 3, 4});
    assert_near(fraction(&m), grid_masked_split[0], 1e-13);
    assert_near(residual(&m), grid_masked_split[1], 1e-13);
}
END_TEST

/* [[1, 2], [3, 4]] behind a token: by hand as in test_metric.c, whatever stands in its row and column;
 * also where its entries are so large that squares of the others beside them would be 0. */
START_TEST(leading_tokens_are_left_out) {
    double a[] = {1e300, -1e300, 5, 0, 1, 2, 1e300, 3, 4};
    as_logits logits = logits_of(a, 3, 3);
    as_metrics m = measure(&logits, (as_grid){1, 1, 2});
    assert_near(fraction(&m), 0.1, 1e-15);
    assert_near(residual(&m), sqrt(4.5 / 30), 1e-15);
    m = measure(&logits, (as_grid){2, 1, 1});
    assert_near(residual(&m), 0, 0);
    ck_assert_int_eq(m.reason[AS_METRIC_toeplitz_fraction], AS_REASON_SINGLE_VALUE);
}
END_TEST

/* The offset in the line follows from that on the grid, so what the line explains the grid explains too:
 * its fraction is no less, its residual no more. Both obey Pythagoras, r²‖A‖² = (1 − f)‖A − Ā‖². */
START_TEST(grid_explains_no_less_than_the_line) {
    double a[MOST * MOST];
    unsigned char masked[MOST * MOST];
    for (uint64_t seed = 0; seed < 40; seed++) {
        as_grid g = grids[seed % GRIDS];
        g.leading = 0;
        size_t n = tokens(g), kept = fill_random(a, masked, n, seed);
        as_logits logits = logits_of(a, n, n);
        logits.masked = masked;
        double sum = 0, squares = 0;
        for (size_t i = 0; i < n * n; i++) {
            sum += a[i];
            squares += a[i] * a[i];
        }
        as_metrics on_grid = measure(&logits, g), line = measure(&logits, (as_grid){0});
        double f = fraction(&on_grid), r = residual(&on_grid);
        ck_assert(f >= 0 && f <= 1 && r >= 0 && r <= 1 + 1e-14);
        ck_assert_double_ge(f, fraction(&line) - 1e-13);
        ck_assert_double_le(r, residual(&line) + 1e-13);
        assert_near(r * r, (1 - f) * (1 - sum * sum / (double)kept / squares), 1e-13);
    }
}
END_TEST

START_TEST(sizes_that_do_not_fit) {
    static const as_grid others[] = {{0, 3, 5},
                                     {1, 3, 4},
                                     {0, 1, 11},
                                     {13, 1, 1},
                                     {12, 3, 4},
                                     {SIZE_MAX, 1, 13},
                                     {SIZE_MAX, SIZE_MAX, SIZE_MAX},
                                     {0, SIZE_MAX / 2 + 1, 2}};
    double a[12 * 13] = {[1] = 2, [20] = 1, [41] = 3};
    as_logits logits = logits_of(a, 12, 12);
    as_metrics line = measure(&logits, (as_grid){0});
    ck_assert_double_lt(fraction(&line), 1);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        ck_assert(!as_grid_fits(others[i], 12, 12));
        as_metrics m = measure(&logits, others[i]);
        assert_null(&m, AS_REASON_NOT_THE_GRID);
        for (as_metric k = 0; k < AS_METRIC_COUNT; k++) {
            if (k != AS_METRIC_toeplitz_fraction && k != AS_METRIC_toeplitz_residual) {
                ck_assert_int_eq(m.reason[k], line.reason[k]);
                ck_assert(line.reason[k] != AS_REASON_NONE || m.value[k] == line.value[k]);
            }
        }
    }
    static const size_t shapes[][2] = {{12, 13}, {13, 12}, {1, 12}, {12, 1}};
    for (size_t i = 0; i < 4; i++) {
        logits = logits_of(a, shapes[i][0], shapes[i][1]);
        as_metrics m = measure(&logits, (as_grid){0, 3, 4});
        assert_null(&m, AS_REASON_NOT_THE_GRID);
    }
    ck_assert_str_eq(as_reason_name(AS_REASON_NOT_THE_GRID), "not_the_grid");
}
END_TEST

START_TEST(no_variance_and_no_entries) {
    double a[13 * 13] = {5, -3};
    as_logits logits = logits_of(a, 13, 13);
    as_metrics m = measure(&logits, (as_grid){1, 3, 4}); /* nothing but the leading token */
    assert_null(&m, AS_REASON_ZERO_MATRIX);
    for (size_t i = 0; i < 13 * 13; i++) {
        a[i] = 0.1;
    }
    m = measure(&logits, (as_grid){1, 3, 4});
    ck_assert_int_eq(m.reason[AS_METRIC_toeplitz_fraction], AS_REASON_SINGLE_VALUE);
    assert_near(residual(&m), 0, 1e-15);
    unsigned char masked[13 * 13];
    memset(masked, 1, sizeof masked);
    logits.masked = masked;
    m = measure(&logits, (as_grid){1, 3, 4});
    assert_null(&m, AS_REASON_ZERO_MATRIX);
}
END_TEST

/* One summary over matrices of many sizes and grids, the profile always that of the diagonals. */
START_TEST(one_room_for_many_sizes) {
    double a[MOST * MOST];
    as_summary summary = {0};
    for (size_t turn = 0; turn < 3 * GRIDS; turn++) {
        size_t g = turn * 4 % GRIDS, n = tokens(grids[g]);
        as_summary_options options = {.grid = grids[(g + turn / GRIDS) % GRIDS]}, none = {0};
        fill_blocks(grids[g], 7 + g, a);
        as_logits logits = logits_of(a, n, n);
        assert_ok(as_summarise(&summary, &logits, &options));
        as_metrics alone = measure(&logits, options.grid);
        assert_same(&alone, &summary.metrics);
        double profile[2 * MOST - 1];
        size_t bytes = summary.profile_count * sizeof *profile;
        ck_assert_uint_eq(summary.profile_count, 2 * n - 1);
        memcpy(profile, summary.profile, bytes);
        assert_ok(as_summarise(&summary, &logits, &none));
        ck_assert_mem_eq(profile, summary.profile, bytes);
    }
    as_summary_free(&summary);
}
END_TEST

/* 12 tokens have 23 offsets in a line and 35 on 3 × 4: the room grows though the matrix does not. */
START_TEST(one_size_on_two_grids) {
    double a[12 * 12];
    as_summary summary = {0};
    fill_blocks((as_grid){0, 3, 4}, 1, a);
    as_logits logits = logits_of(a, 12, 12);
    as_summary_options row = {.grid = {0, 1, 12}}, options = {.grid = {0, 3, 4}};
    assert_ok(as_summarise(&summary, &logits, &row));
    ck_assert_uint_eq(summary.offset_room, 2 * 23);
    ck_assert_double_lt(fraction(&summary.metrics), 0.9);
    assert_ok(as_summarise(&summary, &logits, &options));
    ck_assert_uint_eq(summary.offset_room, 2 * 35);
    assert_near(fraction(&summary.metrics), 1, 1e-13);
    double *room = summary.offsets;
    assert_ok(as_summarise(&summary, &logits, &row));
    ck_assert_ptr_eq(summary.offsets, room);
    as_summary_free(&summary);
    ck_assert_ptr_null(summary.offsets);
}
END_TEST

START_TEST(words) {
    static const struct {
        const char *text;
        as_grid grid;
    } good[] = {{"14x14", {0, 14, 14}}, {"1+14x14", {1, 14, 14}}, {"1x1", {0, 1, 1}},
                {"0+3x4", {0, 3, 4}},   {"5+16x9", {5, 16, 9}},   {"007x08", {0, 7, 8}}};
    static const char *const bad[] = {"",
                                      "14",
                                      "14x",
                                      "x14",
                                      "0x4",
                                      "4x0",
                                      "-1x4",
                                      "3 x4",
                                      "3x4 ",
                                      "+3x4",
                                      "1+",
                                      "1+2",
                                      "1+2+3x4",
                                      "3x4x5",
                                      "3X4",
                                      "1+0x3",
                                      "3.0x4",
                                      "0x10x2",
                                      "3x4+1",
                                      "65536x281474976710656",
                                      "18446744073709551615x1",
                                      "18446744073709551616x1",
                                      "99999999999999999999999x1",
                                      "99999999999999999999999+1x1",
                                      "18446744073709551615+1x1"};
    for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
        as_grid grid = {9, 9, 9};
        assert_ok(as_grid_parse(good[i].text, &grid));
        ck_assert_mem_eq(&grid, &good[i].grid, sizeof grid);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        as_grid grid = {9, 9, 9};
        assert_fails(as_grid_parse(bad[i], &grid), AS_EINVAL);
        ck_assert_ptr_nonnull(strstr(as_message(), bad[i]));
        ck_assert(grid.leading == 9 && grid.height == 9 && grid.width == 9);
    }
}
END_TEST

static as_source *open_real(const char *folder, const char *what) {
    char path[512];
    const char *paths[] = {path};
    as_source_options options = {0};
    as_source *source;
    snprintf(path, sizeof path, "%s/ngswin_x2_enc1b0_%s_8x6x64x64_f32.npy", folder, what);
    assert_ok(as_source_open(paths, 1, &options, &source));
    return source;
}

static double norm(const double *x, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

/* Windows of 8 × 8 with a learned bias a two-dimensional offset: logits − content is that bias, up to the
 * rounding of both to single precision, half an ulp an entry. */
START_TEST(bias_of_a_real_model) {
    const char *folder = getenv("ATTNSPEC_TEST_DATA");
    if (folder == NULL) {
        printf("skipped: relative bias of a real model (ATTNSPEC_TEST_DATA is not set)\n");
        return;
    }
    as_source *logits = open_real(folder, "logits"), *content = open_real(folder, "content");
    ck_assert_uint_eq(as_source_count(logits), 48);
    ck_assert_uint_eq(as_source_count(content), 48);
    as_loaded l = {0}, g = {0};
    for (size_t item = 0; item < 48; item++) {
        assert_ok(as_source_load(logits, item, &l));
        assert_ok(as_source_load(content, item, &g));
        size_t count = 64 * 64;
        double bias[64 * 64];
        for (size_t i = 0; i < count; i++) {
            bias[i] = l.logits.a.data[i] - g.logits.a.data[i];
        }
        double rounding = FLT_EPSILON / 2 *
                          (norm(l.logits.a.data, count) + norm(g.logits.a.data, count)) /
                          norm(bias, count);
        as_logits difference = logits_of(bias, 64, 64);
        as_metrics m = measure(&difference, (as_grid){0, 8, 8});
        ck_assert_double_lt(rounding, 1e-4);
        ck_assert_double_le(residual(&m), rounding);
        assert_near(fraction(&m), 1, 1e-6);
        as_metrics line = measure(&difference, (as_grid){0});
        ck_assert_double_lt(fraction(&line), 0.99);
        m = measure(&difference, (as_grid){0, 4, 16}); /* not how the tokens stand */
        ck_assert_double_lt(fraction(&m), 0.99);
    }
    as_loaded_free(&l);
    as_loaded_free(&g);
    as_source_close(logits);
    as_source_close(content);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, toeplitz_blocks_are_their_own_part);
    tcase_add_test(t, grid_of_one_row_is_a_line);
    tcase_add_test(t, numbers_of_numpy);
    tcase_add_test(t, leading_tokens_are_left_out);
    tcase_add_test(t, grid_explains_no_less_than_the_line);
    tcase_add_test(t, sizes_that_do_not_fit);
    tcase_add_test(t, no_variance_and_no_entries);
    tcase_add_test(t, one_room_for_many_sizes);
    tcase_add_test(t, one_size_on_two_grids);
    tcase_add_test(t, words);
    tcase_add_test(t, bias_of_a_real_model);
}

AS_TEST_MAIN("grid")
