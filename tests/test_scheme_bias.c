/* Additive schemes against numpy and the reference's numbers, and their tables from files. */
#define _GNU_SOURCE /* mkstemp */
#include "support.h"

#include "npy_file.h"

#include <float.h>
#include <string.h>

#include "bias_numbers.inc"

enum { ROWS = 5, COLS = 9, DIM = 6, HEADS = 3, MOST = 40 };
/* Ten decimals of the catalogue's reference. */
#define GOLDEN 0.5001e-10

static as_scheme scheme(const char *text) {
    as_scheme s = {.type = NULL};
    assert_ok(as_scheme_parse(text, &s));
    return s;
}

static void assert_all_near(const double *x, const double *expected, size_t count, double bound) {
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(x[i] - expected[i]) <= bound, "[%zu] = %.17g, expected %.17g", i, x[i],
                      expected[i]);
    }
}

/* The last head of three, in the second layer, of five queries and nine keys. */
static as_head small(bool placed, const as_parameters *tables, size_t count) {
    as_head head = {.layer = 1,
                    .head = 2,
                    .heads = HEADS,
                    .rows = ROWS,
                    .cols = COLS,
                    .dim = DIM,
                    .seed = 5,
                    .tables = tables,
                    .table_count = count};
    if (placed) {
        head.query_positions = bias_query_places;
        head.key_positions = bias_key_places;
    }
    return head;
}

/* The logits as as_couple() makes them of bias_q and bias_k; content is checked to be plain. */
static void couple(const char *text, const as_head *head, double *logits) {
    as_pair pair = {.head = *head, .scheme = scheme(text)};
    as_matrix content = {0}, coupled = {0};
    assert_ok(as_matrix_resize(&pair.q, ROWS, DIM));
    assert_ok(as_matrix_resize(&pair.k, COLS, DIM));
    memcpy(pair.q.data, bias_q, sizeof bias_q);
    memcpy(pair.k.data, bias_k, sizeof bias_k);
    assert_ok(as_couple(&pair, &content, &coupled));
    for (size_t i = 0; i < ROWS * COLS; i++) {
        double sum = 0;
        for (size_t c = 0; c < DIM; c++) {
            sum += bias_q[i / COLS * DIM + c] * bias_k[i % COLS * DIM + c];
        }
        assert_near(content.data[i], sum / sqrt(DIM), 1e-14);
    }
    memcpy(logits, coupled.data, ROWS * COLS * sizeof *logits);
    as_matrix_free(&content);
    as_matrix_free(&coupled);
    as_pair_free(&pair);
}

static const as_parameters of_shaw[] = {
    {.name = "", .rank = 3, .shape = {2, 5, DIM}, .data = shaw_table}};
static const as_parameters of_xl[] = {
    {.name = "v", .rank = 2, .shape = {HEADS, DIM}, .data = xl_v},
    {.name = "u", .rank = 2, .shape = {HEADS, DIM}, .data = xl_u},
    {.name = "w", .rank = 3, .shape = {2, HEADS *DIM, 10}, .data = xl_w}};
static const as_parameters of_fire[] = {
    {.name = "w1", .rank = 3, .shape = {2, 4, 1}, .data = fire_w1},
    {.name = "b1", .rank = 2, .shape = {2, 4}, .data = fire_b1},
    {.name = "w2", .rank = 3, .shape = {2, HEADS, 4}, .data = fire_w2},
    {.name = "b2", .rank = 2, .shape = {2, HEADS}, .data = fire_b2}};

START_TEST(shaw_and_transformer_xl_are_their_formulas) {
    double l[ROWS * COLS];
    for (int placed = 0; placed < 2; placed++) {
        as_head head = small(placed == 1, of_shaw, 1);
        couple("shaw:file=x", &head, l);
        assert_all_near(l, placed ? shaw_logits_placed : shaw_logits, ROWS * COLS, 1e-13);
        head = small(placed == 1, of_xl, 3);
        couple("transformer_xl:file=x", &head, l);
        assert_all_near(l, placed ? xl_logits_placed : xl_logits, ROWS * COLS, 1e-11);
    }
}
END_TEST

/* As many layers as heads, and one head alone: w's rows are then still all heads'. */
START_TEST(transformer_xl_takes_w_of_all_heads_or_of_each) {
    double l[ROWS * COLS], again[ROWS * COLS];
    double three[3 * HEADS * DIM * 10] = {0};
    memcpy(three + HEADS * DIM * 10, xl_w + HEADS * DIM * 10, HEADS * DIM * 10 * sizeof *three);
    as_parameters tables[3];
    memcpy(tables, of_xl, sizeof tables);
    tables[2] =
        (as_parameters){.name = "w", .rank = 3, .shape = {3, HEADS * DIM, 10}, .data = three};
    as_head head = small(false, tables, 3);
    couple("transformer_xl:file=x", &head, l);
    assert_all_near(l, xl_logits, ROWS * COLS, 1e-11);
    /* The layer's own, split by head. */
    tables[2] = (as_parameters){
        .name = "w", .rank = 3, .shape = {HEADS, DIM, 10}, .data = xl_w + HEADS * DIM * 10};
    couple("transformer_xl:file=x", &head, again);
    ck_assert_mem_eq(again, l, sizeof l);
}
END_TEST

START_TEST(fire_is_its_network) {
    as_scheme s = scheme("fire:L=6,file=x");
    double b[ROWS * COLS];
    for (int placed = 0; placed < 2; placed++) {
        as_head head = small(placed == 1, of_fire, 4);
        assert_ok(as_scheme_check(&s, &head));
        assert_ok(s.type->bias(&s, &head, b));
        assert_all_near(b, placed ? fire_bias_placed : fire_bias, ROWS * COLS, 1e-14);
        ck_assert_uint_eq(as_scheme_traits(&s, &head), 0);
    }
}
END_TEST

/* A network that is the identity shows its argument: f(x) = max(0, x). */
START_TEST(fire_has_the_arguments_of_the_reference) {
    static const double one[] = {1}, zero[] = {0};
    const as_parameters tables[] = {{.name = "w1", .rank = 2, .shape = {1, 1}, .data = one},
                                    {.name = "b1", .rank = 1, .shape = {1}, .data = zero},
                                    {.name = "w2", .rank = 2, .shape = {1, 1}, .data = one},
                                    {.name = "b2", .rank = 1, .shape = {1}, .data = zero}};
    static const double golden[][3] = {{0, 0, 0.0},
                                       {5, 0, 0.102517458514},
                                       {5, 4, 0.024098146076},
                                       {511, 0, 0.999514916403},
                                       {1023, 0, 0.999999784373},
                                       {1023, 1000, 0.257441907204}};
    as_scheme s = scheme("fire:file=x");
    for (size_t g = 0; g < sizeof golden / sizeof *golden; g++) {
        double x = -1;
        as_head head = {.heads = 1,
                        .rows = 1,
                        .cols = 1,
                        .dim = 1,
                        .query_positions = &golden[g][0],
                        .key_positions = &golden[g][1],
                        .tables = tables,
                        .table_count = 4};
        assert_ok(s.type->bias(&s, &head, &x));
        assert_near(x, golden[g][2], 0.5001e-12);
    }
}
END_TEST

/* One query at the last of n keys: b[k] is at distance n − 1 − k. */
static void distances(const char *text, size_t head, size_t heads, size_t dim, size_t n,
                      double *out) {
    as_scheme s = scheme(text);
    as_head h = {.head = head, .heads = heads, .rows = 1, .cols = n, .dim = dim, .seed = 7};
    double b[MOST];
    assert_ok(as_scheme_check(&s, &h));
    assert_ok(s.type->bias(&s, &h, b));
    for (size_t k = 0; k < n; k++) {
        out[k] = b[n - 1 - k];
    }
}

START_TEST(kerple_and_sandwich_are_the_references) {
    static const double log_kernel[6] = {
        0, -0.4054651081, -0.6931471806, -0.9162907319, -1.0986122887, -1.2527629685};
    static const double power[6] = {0, -0.5, -1.4142135624, -2.5980762114, -4, -5.5901699437};
    static const double sandwich[6] = {
        0, -0.0050463393, -0.0201354355, -0.0451180221, -0.0797469793, -0.1236798027};
    double b[MOST];
    distances("kerple:p=1,a=0.5", 0, 8, 8, 6, b);
    assert_all_near(b, log_kernel, 6, GOLDEN);
    distances("kerple:form=power,p=1.5,a=0.5", 7, 8, 8, 6, b);
    assert_all_near(b, power, 6, GOLDEN);
    distances("sandwich", 0, 8, 8, 6, b);
    assert_all_near(b, sandwich, 6, GOLDEN);
    distances("kerple:p=0.7,a=0.3", 0, 1, 7, 40, b);
    assert_all_near(b, kerple_log, 40, 1e-15);
    distances("kerple:form=power,p=0.7,a=0.3", 0, 1, 7, 40, b);
    assert_all_near(b, kerple_power, 40, 1e-14);
    distances("sandwich:d_bar=128", 2, 12, 7, 40, b);
    assert_all_near(b, sandwich_128_3_of_12, 40, 1e-13);
}
END_TEST

/* Of the file, given beside it, and kept above 0.01 and up to 2. */
START_TEST(kerple_takes_its_numbers_from_a_file) {
    static const double p[] = {1, 5, 0.7}, a[] = {1, 0.25, 0.001};
    const as_parameters tables[] = {{.name = "p", .rank = 1, .shape = {HEADS}, .data = p},
                                    {.name = "a", .rank = 1, .shape = {HEADS}, .data = a}};
    static const struct {
        const char *text;
        size_t head;
        double at3;
    } cases[] = {{"kerple:file=x", 1, -2.7980789396771133},     /* −5 ln 1.75 */
                 {"kerple:form=power,file=x", 1, -2.25},        /* −3²/4 */
                 {"kerple:file=x", 2, -0.020691161569081077},   /* −0.7 ln 1.03 */
                 {"kerple:p=2,file=x", 0, -2.772588722239781}}; /* −2 ln 4 */
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        as_scheme s = scheme(cases[c].text);
        as_head head = small(false, tables, 2);
        double b[ROWS * COLS];
        head.head = cases[c].head;
        assert_ok(as_scheme_check(&s, &head));
        assert_ok(s.type->bias(&s, &head, b));
        assert_near(b[1], cases[c].at3, 1e-15); /* query at 4, key at 1 */
    }
}
END_TEST

/* What is drawn is of the stream of its name, by layer where it is a layer's, and differs by head. */
START_TEST(parameters_are_drawn_from_the_heads_own_stream) {
    as_stream *p = NULL, *a = NULL, *hidden = NULL, *output = NULL;
    double b[ROWS * COLS];
    as_head head = small(false, NULL, 0);
    assert_ok(as_stream_new(5, "kerple.p", 1, 2, &p));
    assert_ok(as_stream_new(5, "kerple.a", 1, 2, &a));
    double factor = 2 * as_stream_uniform(p), inside = as_stream_uniform(a);
    as_scheme s = scheme("kerple");
    assert_ok(s.type->bias(&s, &head, b));
    assert_near(b[1], -factor * log(1 + 3 * inside), 1e-15);

    assert_ok(as_stream_new(5, "fire.hidden", 1, 0, &hidden));
    assert_ok(as_stream_new(5, "fire.output", 1, 2, &output));
    double w[2][32], x = log(1.3) / (log(52.2) + 1e-6), sum = 0;
    for (size_t i = 0; i < 64; i++) {
        w[i / 32][i % 32] = 2 * as_stream_uniform(hidden) - 1;
    }
    for (size_t i = 0; i < 33; i++) {
        double of_output = (2 * as_stream_uniform(output) - 1) / sqrt(32);
        sum += i == 32 ? of_output : of_output * fmax(0, w[0][i] * x + w[1][i]);
    }
    s = scheme("fire");
    assert_ok(s.type->bias(&s, &head, b));
    assert_near(b[1], sum, 1e-14);
    as_stream_free(p);
    as_stream_free(a);
    as_stream_free(hidden);
    as_stream_free(output);
}
END_TEST

/* Drawn tables are those of a file with the same numbers. */
static void assert_as_drawn(const char *drawn, const char *read, const as_parameters *tables,
                            size_t count) {
    double l[ROWS * COLS], again[ROWS * COLS];
    as_head head = small(false, NULL, 0);
    couple(drawn, &head, l);
    head = small(false, tables, count);
    couple(read, &head, again);
    ck_assert_mem_eq(again, l, sizeof l);
}

static void gaussians(const char *purpose, size_t layer, size_t head, double sigma, size_t count,
                      double *x) {
    as_stream *stream = NULL;
    assert_ok(as_stream_new(5, purpose, layer, head, &stream));
    for (size_t i = 0; i < count; i++) {
        x[i] = sigma * as_stream_gaussian(stream);
    }
    as_stream_free(stream);
}

START_TEST(drawn_tables_are_what_a_file_with_their_numbers_is) {
    double x[33 * DIM], u[DIM], v[DIM], w[DIM * HEADS * DIM];
    gaussians("shaw.table", 1, 0, 0.02, 33 * DIM, x);
    assert_as_drawn("shaw", "shaw:file=x",
                    &(as_parameters){.name = "", .rank = 2, .shape = {33, DIM}, .data = x}, 1);
    gaussians("random.table", 0, 2, 1, COLS * DIM, x);
    assert_as_drawn("random", "random:file=x",
                    &(as_parameters){.name = "", .rank = 2, .shape = {COLS, DIM}, .data = x}, 1);
    gaussians("transformer_xl.u", 0, 2, 0.5, DIM, u);
    gaussians("transformer_xl.v", 0, 2, 0.5, DIM, v);
    gaussians("transformer_xl.w", 1, 2, 0.5, DIM * HEADS * DIM, w);
    const as_parameters xl[] = {{.name = "u", .rank = 1, .shape = {DIM}, .data = u},
                                {.name = "v", .rank = 1, .shape = {DIM}, .data = v},
                                {.name = "w", .rank = 2, .shape = {DIM, HEADS * DIM}, .data = w}};
    assert_as_drawn("transformer_xl:std=0.5", "transformer_xl:file=x", xl, 3);
}
END_TEST

/* Row p of a table is [100p, 100p + 1, …]: a head's columns, one table for all, one a head. */
START_TEST(learned_positions_come_from_a_file) {
    double wide[COLS * HEADS * DIM], p[COLS * DIM];
    for (size_t i = 0; i < COLS * HEADS * DIM; i++) {
        wide[i] = 100 * (double)(i / (HEADS * DIM)) + (double)(i % (HEADS * DIM));
    }
    const as_parameters tables[] = {
        {.name = "", .rank = 2, .shape = {COLS, HEADS * DIM}, .data = wide},
        {.name = "", .rank = 2, .shape = {COLS * HEADS, DIM}, .data = wide},
        {.name = "", .rank = 3, .shape = {HEADS, COLS, DIM}, .data = wide}};
    const double first[] = {2 * DIM, 0, 2 * COLS / HEADS * 100};
    const double second[] = {100 + 2 * DIM, DIM, 2 * COLS / HEADS * 100 + DIM};
    for (size_t t = 0; t < 3; t++) {
        as_scheme s = scheme(t == 0 ? "random:file=x" : "learned:file=x");
        as_head head = small(false, &tables[t], 1);
        assert_ok(as_scheme_check(&s, &head));
        assert_ok(s.type->embed(&s, &head, AS_KEYS, p));
        ck_assert_double_eq(p[0], first[t]);
        ck_assert_double_eq(p[DIM], second[t]);
        ck_assert_double_eq(p[1], first[t] + 1);
    }
}
END_TEST

/* num_buckets × heads, as Hugging Face has it, where both readings fit; else whichever fits. */
START_TEST(t5_buckets_come_from_a_file) {
    double x[32 * HEADS];
    for (size_t i = 0; i < 32 * HEADS; i++) {
        x[i] = (double)i;
    }
    static const struct {
        const char *text;
        size_t shape[2];
        double zero, before; /* at Δ = 0 and 1: buckets 0 and 1 */
    } cases[] = {{"t5:file=x", {32, HEADS}, 2, 5},
                 {"t5:file=x", {HEADS, 32}, 64, 65},
                 {"t5:file=x,num_buckets=3,bidirectional=false", {HEADS, HEADS}, 2, 5}};
    for (size_t c = 0; c < 3; c++) {
        const as_parameters table = {
            .name = "", .rank = 2, .shape = {cases[c].shape[0], cases[c].shape[1]}, .data = x};
        as_scheme s = scheme(cases[c].text);
        as_head head = small(false, &table, 1);
        double b[ROWS * COLS];
        assert_ok(as_scheme_check(&s, &head));
        assert_ok(s.type->bias(&s, &head, b));
        ck_assert_double_eq(b[4], cases[c].zero);
        ck_assert_double_eq(b[3], cases[c].before);
    }
}
END_TEST

/* t(Δ) = 1000 + Δ tells which number stands where. */
START_TEST(kernels_of_ones_own_stand_where_the_form_says) {
    double t[2 * COLS - 1], l[ROWS * COLS], nope[ROWS * COLS];
    for (size_t i = 0; i < 2 * COLS - 1; i++) {
        t[i] = 1000 + (double)i - (COLS - 1);
    }
    const as_parameters both = {.name = "t", .rank = 1, .shape = {2 * COLS - 1}, .data = t};
    const as_parameters one = {.name = "t", .rank = 1, .shape = {COLS}, .data = t + COLS - 1};
    static const struct {
        const char *text;
        bool both, causal;
        int form; /* 0: both, 1: symmetric, 2: causal */
        unsigned traits;
    } cases[] = {
        {"toeplitz:file=x", true, false, 0, AS_TRAIT_TOEPLITZ},
        {"toeplitz:file=x", true, true, 0, AS_TRAIT_TOEPLITZ},
        {"toeplitz:file=x", false, false, 1, AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC},
        {"toeplitz:file=x", false, true, 2, AS_TRAIT_TOEPLITZ},
        {"toeplitz:file=x,form=causal", true, false, 3, AS_TRAIT_TOEPLITZ},
        {"toeplitz:file=x,form=symmetric", false, true, 1, AS_TRAIT_TOEPLITZ | AS_TRAIT_SYMMETRIC},
        {"toeplitz:file=x,mode=hadamard", true, false, 0, AS_TRAIT_TOEPLITZ},
    };
    as_head plain = small(false, NULL, 0);
    couple("nope", &plain, nope);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        as_head head = small(false, cases[c].both ? &both : &one, 1);
        as_scheme s = scheme(cases[c].text);
        head.causal = cases[c].causal;
        couple(cases[c].text, &head, l);
        ck_assert_uint_eq(as_scheme_traits(&s, &head), cases[c].traits);
        ck_assert_int_eq(as_scheme_class_of(&s), strstr(cases[c].text, "hadamard") != NULL
                                                     ? AS_CLASS_MULTIPLICATIVE
                                                     : AS_CLASS_ADDITIVE);
        for (size_t i = 0; i < ROWS * COLS; i++) {
            double delta = (double)(i / COLS) + COLS - ROWS - (double)(i % COLS);
            double expected = cases[c].form == 1   ? 1000 + fabs(delta)
                              : cases[c].form == 2 ? (delta < 0 ? 0 : 1000 + delta)
                              : cases[c].form == 3 ? (delta < 0 ? 0 : 1000 + delta - (COLS - 1))
                                                   : 1000 + delta;
            bool hadamard = strstr(cases[c].text, "hadamard") != NULL;
            ck_assert_double_eq(l[i], hadamard ? nope[i] * expected : nope[i] + expected);
        }
    }
}
END_TEST

static void refuse(const char *text, const as_head *head, const char *message) {
    as_scheme s = scheme(text);
    assert_fails(as_scheme_check(&s, head), AS_EINVAL);
    ck_assert_msg(strstr(as_message(), message) != NULL, "%s", as_message());
}

START_TEST(tables_that_do_not_fit_are_refused_with_their_sizes) {
    static const double x[64];
    const as_parameters row = {.name = "t", .rank = 1, .shape = {16}, .data = x};
    const as_parameters table = {.name = "t", .rank = 2, .shape = {8, 8}, .data = x};
    as_head head = small(false, &row, 1), of_table = small(false, &table, 1);
    refuse("toeplitz:file=x", &head,
           "x has 16 numbers a head, neither 17, for both directions, nor 9, for one");
    refuse("toeplitz:file=x,form=both", &head, "form=both needs an odd number");
    as_head long_head = head;
    long_head.cols = 18;
    refuse("toeplitz:file=x,form=causal", &long_head, "i-k goes from -4 to 17");
    refuse("toeplitz", &head, "scheme toeplitz: file is missing");
    refuse("relative", &head, "it is for training only");
    refuse("t5:file=x", &head, "x: the array has rank 1, but 2 is needed");
    refuse("t5:file=x", &of_table, "8 × 8, but must be 32 buckets × 3 heads");
    refuse("shaw:file=x", &of_table, "the table is 8 × 8, but must be 2K+1 × 6");
    refuse("learned:file=x", &of_table, "3 heads of size 6 take rows of 6 or 18");
    refuse("kerple:file=x", &of_table, "x holds no array named p");
    refuse("kerple:form=power,p=3", &head, "p is 3, but must be from 0.01 to 2");
    refuse("sandwich:d_bar=7", &head, "d_bar is 7, but must be even");
    refuse("transformer_xl:d_model=7", &head, "d_model is 7");
    const as_parameters short_table = {.name = "t", .rank = 2, .shape = {8, DIM}, .data = x};
    as_head of_short = small(false, &short_table, 1);
    refuse("learned:file=x", &of_short, "position 8 is past the table");
    as_parameters fire[4], xl[3];
    memcpy(fire, of_fire, sizeof fire);
    fire[2].shape[2] = 3;
    as_head of = small(false, fire, 4);
    refuse("fire:file=x", &of, "w2 3 × 3");
    of.layer = 2;
    refuse("fire:file=x", &of, "has no layer 2");
    memcpy(xl, of_xl, sizeof xl);
    xl[0].shape[1] = 5;
    of = small(false, xl, 3);
    refuse("transformer_xl:file=x", &of, "u is 6, v 5 long and w 18 × 10");
    static const double half[] = {0, 1, 1.5, 3, 4};
    of = small(false, NULL, 0);
    of.query_positions = half;
    refuse("shaw", &of, "position 1.5, of query 2, is no whole number");
}
END_TEST

/* Whatever the sizes: 1, odd ones, more queries than keys, and places of one's own. */
START_TEST(every_additive_scheme_is_finite_at_odd_sizes) {
    static const char *const texts[] = {
        "kerple", "kerple:form=power", "sandwich", "fire:L=8", "shaw", "transformer_xl:d_model=10"};
    static const size_t sizes[][2] = {{1, 1}, {13, 13}, {37, 37}, {5, 13}, {13, 5}, {1, 37}};
    double far[37];
    for (size_t i = 0; i < 37; i++) {
        far[i] = 1e6 - 1000 * (double)i;
    }
    for (size_t c = 0; c < 12 * sizeof texts / sizeof *texts; c++) {
        size_t rows = sizes[c % 6][0], cols = sizes[c % 6][1];
        as_pair pair = {.head = {.head = 1, .heads = 3}, .scheme = scheme(texts[c / 12])};
        as_matrix content = {0}, coupled = {0};
        assert_ok(as_matrix_resize(&pair.q, rows, 4));
        assert_ok(as_matrix_resize(&pair.k, cols, 4));
        for (size_t i = 0; i < 4 * rows; i++) {
            pair.q.data[i] = sin((double)i);
        }
        for (size_t i = 0; i < 4 * cols; i++) {
            pair.k.data[i] = cos((double)i);
        }
        pair.head.key_positions = c / 6 % 2 == 1 ? far : NULL;
        assert_ok(as_couple(&pair, &content, &coupled));
        ck_assert(as_all_finite(coupled.data, rows * cols));
        /* At distance 0 alone some say nothing. */
        ck_assert(rows * cols == 1 ||
                  memcmp(coupled.data, content.data, rows * cols * sizeof(double)) != 0);
        as_matrix_free(&content);
        as_matrix_free(&coupled);
        as_pair_free(&pair);
    }
}
END_TEST

/* m = 2^(−8) of the only head times the place of the key, and t5's last bucket however far. */
START_TEST(biases_go_by_the_positions_given) {
    const double keys[] = {3, 7.5, 1e39}, queries[] = {1e39, 0};
    as_head head = {.heads = 1,
                    .rows = 2,
                    .cols = 3,
                    .dim = 4,
                    .query_positions = queries,
                    .key_positions = keys};
    double b[6], table[32];
    as_scheme row = scheme("alibi:form=row");
    assert_ok(row.type->bias(&row, &head, b));
    for (size_t i = 0; i < 6; i++) {
        ck_assert_double_eq(b[i], keys[i % 3] / 256);
    }
    for (size_t i = 0; i < 32; i++) {
        table[i] = (double)i;
    }
    const as_parameters numbers = {.name = "t", .rank = 2, .shape = {32, 1}, .data = table};
    head.tables = &numbers;
    head.table_count = 1;
    as_scheme t5 = scheme("t5:bidirectional=true,file=x");
    assert_ok(t5.type->bias(&t5, &head, b));
    ck_assert_double_eq(b[0], 15); /* beyond what a float holds */
    ck_assert_double_eq(b[5], 31);
}
END_TEST

START_TEST(files_are_read_whole_and_once) {
    char path[64], text[128];
    const double t[] = {1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12,
                        13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24};
    as_tables tables = {0};
    temporary_file(path);
    write_npy_text(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3, 2, 2), }\n", t,
                   sizeof t);
    snprintf(text, sizeof text, "toeplitz:file=%s", path);
    as_scheme s = scheme(text);
    assert_ok(as_tables_read(&s, &tables));
    ck_assert_uint_eq(tables.count, 1);
    ck_assert_uint_eq(tables.item[0].rank, 4);
    ck_assert_uint_eq(tables.item[0].shape[1], 3);
    ck_assert_str_eq(tables.item[0].name, "");
    ck_assert_mem_eq(tables.item[0].data, t, sizeof t);
    as_tables_free(&tables);
    as_tables_free(&tables);
    as_tables_free(NULL);
    as_scheme none = scheme("toeplitz");
    assert_ok(as_tables_read(&none, &tables));
    ck_assert_uint_eq(tables.count, 0);

    const double bad[] = {1, 2, (double)NAN, 4};
    write_npy_text(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (4,), }\n", bad,
                   sizeof bad);
    assert_fails(as_tables_read(&s, &tables), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), ": element 2 is nan"));
    write_npy_text(path, "{'descr': '<i8', 'fortran_order': False, 'shape': (4,), }\n", t, 32);
    assert_fails(as_tables_read(&s, &tables), AS_EINVAL);
    ck_assert_ptr_nonnull(
        strstr(as_message(), "holds i8 of rank 1; parameters are floating-point"));
    write_npy_text(path, "{'descr': '<f8', 'fortran_order': False, 'shape': (), }\n", t, 8);
    assert_fails(as_tables_read(&s, &tables), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "of rank 0; parameters are"));
    unlink(path);
    assert_fails(as_tables_read(&s, &tables), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "cannot be opened"));
    ck_assert_uint_eq(tables.count, 0);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, biases_go_by_the_positions_given);
    tcase_add_test(t, shaw_and_transformer_xl_are_their_formulas);
    tcase_add_test(t, transformer_xl_takes_w_of_all_heads_or_of_each);
    tcase_add_test(t, fire_is_its_network);
    tcase_add_test(t, fire_has_the_arguments_of_the_reference);
    tcase_add_test(t, kerple_and_sandwich_are_the_references);
    tcase_add_test(t, kerple_takes_its_numbers_from_a_file);
    tcase_add_test(t, parameters_are_drawn_from_the_heads_own_stream);
    tcase_add_test(t, drawn_tables_are_what_a_file_with_their_numbers_is);
    tcase_add_test(t, learned_positions_come_from_a_file);
    tcase_add_test(t, t5_buckets_come_from_a_file);
    tcase_add_test(t, kernels_of_ones_own_stand_where_the_form_says);
    tcase_add_test(t, tables_that_do_not_fit_are_refused_with_their_sizes);
    tcase_add_test(t, every_additive_scheme_is_finite_at_odd_sizes);
    tcase_add_test(t, files_are_read_whole_and_once);
}

AS_TEST_MAIN("scheme_bias")
