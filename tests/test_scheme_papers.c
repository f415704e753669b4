/* Each scheme against its paper: the reference's numbers, closed forms, and numpy. */
#include "support.h"

#include <float.h>
#include <string.h>

#include "scheme_numbers.inc"

static const size_t sizes[][2] = {{1, 1}, {13, 13}, {37, 37}, {5, 13}, {1, 37}, {13, 5}};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 37, DIM = 24 };

static as_scheme scheme(const char *text) {
    as_scheme s = {.type = NULL};
    assert_ok(as_scheme_parse(text, &s));
    return s;
}

static as_head head_of(size_t rows, size_t cols, size_t dim) {
    return (as_head){.head = 2, .heads = 8, .rows = rows, .cols = cols, .dim = dim, .seed = 5};
}

/* A head whose queries stand at first … first + count − 1. */
static as_head head_from(ptrdiff_t first, size_t count, size_t dim) {
    return head_of(count, (size_t)((ptrdiff_t)count + first), dim);
}

typedef struct turned {
    as_rotation rotation;
    size_t first[DIM / 2], second[DIM / 2];
    double theta[DIM / 2], theta_y[DIM / 2], growth[DIM / 2];
} turned;

static void rotation_of(const as_scheme *s, const as_head *head, turned *out) {
    out->rotation = (as_rotation){.first = out->first,
                                  .second = out->second,
                                  .theta = out->theta,
                                  .theta_y = out->theta_y,
                                  .growth = out->growth,
                                  .gain = 1};
    assert_ok(s->type->rotation(s, head, &out->rotation));
}

/* l [n][n] = q kᵀ of the rotated rows; q, k [n][dim]. */
static void rotated_logits(const char *text, size_t n, size_t dim, const double *q, const double *k,
                           double *l) {
    double a[MOST * DIM], b[MOST * DIM];
    turned t;
    as_scheme s = scheme(text);
    as_head head = head_of(n, n, dim);
    rotation_of(&s, &head, &t);
    memcpy(a, q, n * dim * sizeof *a);
    memcpy(b, k, n * dim * sizeof *b);
    as_rotate(&t.rotation, &head, AS_KEYS, false, a);
    as_rotate(&t.rotation, &head, AS_KEYS, false, b);
    for (size_t i = 0; i < n * n; i++) {
        l[i] = 0;
        for (size_t c = 0; c < dim; c++) {
            l[i] += a[i / n * dim + c] * b[i % n * dim + c];
        }
    }
}

static void assert_all_near(const double *x, const double *expected, size_t count, double bound) {
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(x[i] - expected[i]) <= bound, "[%zu] = %.17g, expected %.17g", i, x[i],
                      expected[i]);
    }
}

/* Ten decimals, from the reference of the catalogue of encodings (numpy, written from the papers). */
enum { G = 8 };
#define GOLDEN 0.5001e-10
static const double golden_paper[3 * G] = {
    0.0,          1.0,          0.0,          1.0,          0.0,          1.0,
    0.0,          1.0,          0.8414709848, 0.5403023059, 0.0998334166, 0.9950041653,
    0.0099998333, 0.9999500004, 0.0009999998, 0.9999995,    0.9092974268, -0.4161468365,
    0.1986693308, 0.9800665778, 0.0199986667, 0.9998000067, 0.0019999987, 0.999998};
static const double golden_t2t[3 * G] = {
    0.0,          0.0,         0.0,           0.0,          1.0,          1.0,
    1.0,          1.0,         0.8414709848,  0.0463992235, 0.002154433,  0.0001,
    0.5403023059, 0.998922976, 0.9999976792,  0.999999995,  0.9092974268, 0.0926985008,
    0.004308856,  0.0002,      -0.4161468365, 0.9956942241, 0.9999907168, 0.99999998};

START_TEST(sinusoidal_is_that_of_the_paper_and_of_its_code) {
    double p[6 * G];
    as_head head = head_of(6, 6, G);
    as_scheme s = scheme("sinusoidal:layout=t2t");
    assert_ok(s.type->embed(&s, &(as_head){.rows = 3, .cols = 3, .dim = G}, AS_QUERIES, p));
    assert_all_near(p, golden_t2t, 3 * G, GOLDEN);
    s = scheme("sinusoidal");
    assert_ok(s.type->embed(&s, &head, AS_KEYS, p));
    assert_all_near(p, golden_paper, 3 * G, GOLDEN);
    static const double row[6] = {4.0,          3.5352559716, 2.563717748,
                                  1.9648895263, 2.2666094798, 3.1599825078};
    for (size_t k = 0; k < 6; k++) {
        double sum = 0;
        for (size_t c = 0; c < G; c++) {
            sum += p[c] * p[k * G + c];
        }
        assert_near(sum, row[k], GOLDEN);
    }
    double later[2 * G];
    as_head from = head_from(1, 2, G);
    assert_ok(s.type->embed(&s, &from, AS_QUERIES, later));
    ck_assert_mem_eq(later, p + G, sizeof later);
    from = head_from(-1, 1, G);
    assert_ok(s.type->embed(&s, &from, AS_QUERIES, later));
    assert_near(later[0], -p[G], 0);
    assert_near(later[1], p[G + 1], 0);
    /* d/2 − 1 is 0 here; the code divides by 1 then. */
    s = scheme("sinusoidal:layout=t2t");
    as_head two = head_from(1, 1, 2);
    assert_ok(s.type->embed(&s, &two, AS_QUERIES, later));
    assert_near(later[0], sin(1), 1e-15);
    assert_near(later[1], cos(1), 1e-15);
}
END_TEST

START_TEST(learned_is_drawn_from_the_heads_own_stream) {
    double p[15], later[6];
    as_head head = {.layer = 4, .head = 1, .heads = 2, .rows = 5, .cols = 5, .dim = 3, .seed = 9};
    as_scheme s = scheme("learned");
    assert_ok(s.type->embed(&s, &head, AS_KEYS, p));
    assert_all_near(p, learned_5x3, 15, 0);
    head.rows = 2;
    assert_ok(s.type->embed(&s, &head, AS_QUERIES, later));
    ck_assert_mem_eq(later, p + 9, sizeof later);
}
END_TEST

/* −bias at distance 1: the slope. */
static double slope(const char *text, size_t head, size_t heads) {
    as_scheme s = scheme(text);
    as_head h = {.head = head, .heads = heads, .rows = 2, .cols = 2, .dim = 4};
    double b[4];
    assert_ok(as_scheme_check(&s, &h));
    assert_ok(s.type->bias(&s, &h, b));
    return -b[2];
}

START_TEST(alibi_slopes_are_the_authors_for_any_number_of_heads) {
    /* Authors' get_slopes() in numpy, as are those of 40. */
    static const struct {
        size_t heads;
        double slope[12];
    } cases[] = {
        {1, {0.00390625}},
        {3, {0.0625, 0.00390625, 0.25}},
        {6, {0.25, 0.0625, 0.015625, 0.00390625, 0.5, 0.125}},
        {8, {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625}},
        {12,
         {0.5, 0.25, 0.125, 0.0625, 0.03125, 0.015625, 0.0078125, 0.00390625, 0.7071067811865476,
          0.35355339059327384, 0.17677669529663692, 0.08838834764831849}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t h = 0; h < cases[c].heads && h < 12; h++) {
            double expected = cases[c].slope[h];
            assert_near(slope("alibi", h, cases[c].heads), expected, 4 * DBL_EPSILON * expected);
        }
    }
    /* 40 = 32 + 8: 2^(−h/4), h = 1 … 32; then 2^(−1/8), 2^(−3/8), … 2^(−15/8). */
    for (size_t h = 0; h < 40; h++) {
        double power = h < 32 ? -(double)(h + 1) / 4 : -(double)(2 * (h - 32) + 1) / 8;
        assert_near(slope("alibi", h, 40), pow(2, power), 4 * DBL_EPSILON);
    }
    assert_near(slope("alibi:slopes=geometric", 0, 12), 0.6299605249474366, 4 * DBL_EPSILON);
    assert_near(slope("alibi:slopes=geometric", 11, 12), 0.00390625, 4 * DBL_EPSILON);
    static const double gu[16] = {1.0,          0.9394130628, 0.8824969026, 0.8290291182,
                                  0.7788007831, 0.7316156289, 0.6872892788, 0.6456485264,
                                  0.6065306597, 0.5697828247, 0.5352614285, 0.502831578,
                                  0.4723665527, 0.4437473101, 0.4168620197, 0.3916056267};
    for (size_t h = 0; h < 16; h++) {
        assert_near(slope("alibi:slopes=gu2025", h, 16), gu[h], GOLDEN);
    }
}
END_TEST

/* Head 2 of 8 has slope 1/8; Δ = i + cols − rows − k. */
START_TEST(alibi_forms_are_their_formulas) {
    static const char *const forms[] = {"alibi:form=causal", "alibi:form=symmetric",
                                        "alibi:form=row"};
    for (size_t z = 0; z < SIZES; z++) {
        size_t rows = sizes[z][0], cols = sizes[z][1];
        double b[3][MOST * MOST], derived[MOST * MOST];
        as_head head = head_of(rows, cols, DIM);
        for (size_t f = 0; f < 3; f++) {
            as_scheme s = scheme(forms[f]);
            assert_ok(s.type->bias(&s, &head, b[f]));
        }
        for (size_t i = 0; i < rows * cols; i++) {
            double k = (double)(i % cols);
            double delta = (double)(i / cols) + (double)cols - (double)rows - k;
            ck_assert_double_eq(b[0][i], -delta / 8);
            ck_assert_double_eq(b[1][i], -fabs(delta) / 8);
            ck_assert_double_eq(b[2][i], k / 8);
        }
        as_scheme s = scheme("alibi");
        assert_ok(s.type->bias(&s, &head, derived));
        ck_assert_mem_eq(derived, b[1], rows * cols * sizeof *derived);
        head.causal = true;
        assert_ok(s.type->bias(&s, &head, derived));
        ck_assert_mem_eq(derived, b[0], rows * cols * sizeof *derived);
    }
}
END_TEST

/* The bucket of Δ = −rel, read off the bias: its table is t5_table. */
static int t5_bucket(const char *text, bool causal, int rel) {
    as_scheme s = scheme(text);
    as_head head = head_of(201, 201, DIM);
    head.causal = causal;
    static double b[201 * 201];
    static char last[64];
    static bool last_causal;
    if (strcmp(last, text) != 0 || causal != last_causal) {
        assert_ok(s.type->bias(&s, &head, b));
        strcpy(last, text);
        last_causal = causal;
    }
    double value = rel < 0 ? b[(size_t)-rel * 201] : b[rel];
    int bucket = 0;
    while (bucket < 32 && t5_table[bucket] != value) {
        bucket++;
    }
    return bucket;
}

START_TEST(t5_buckets_are_those_of_single_precision) {
    static const int rel[] = {-200, -128, -127, -100, -64, -32, -17, -16, -15, -9,  -8, -7,
                              -1,   0,    1,    7,    8,   9,   16,  64,  127, 128, 200};
    static const int both[] = {15, 15, 15, 15, 14, 12, 10, 10, 9,  8,  8, 7,
                               1,  0,  17, 23, 24, 24, 26, 30, 31, 31, 31};
    static const int one[] = {31, 31, 31, 30, 26, 21, 16, 16, 15, 9, 8, 7,
                              1,  0,  0,  0,  0,  0,  0,  0,  0,  0, 0};
    for (size_t i = 0; i < sizeof rel / sizeof *rel; i++) {
        ck_assert_int_eq(t5_bucket("t5", false, rel[i]), both[i]);
    }
    for (size_t i = 0; i < sizeof rel / sizeof *rel; i++) {
        ck_assert_int_eq(t5_bucket("t5", true, rel[i]), one[i]);
    }
    static const struct {
        const char *text;
        bool causal;
        const int *bucket;
    } cases[] = {{"t5", false, t5_bidirectional},
                 {"t5", true, t5_causal},
                 {"t5:bidirectional=true", true, t5_bidirectional},
                 {"t5:bidirectional=false", false, t5_causal},
                 {"t5:num_buckets=16,max_distance=64", false, t5_16_64},
                 {"t5:num_buckets=7,max_distance=100", false, t5_odd},
                 {"t5:num_buckets=6,max_distance=20", true, t5_6_20},
                 /* Distance 8 is in bucket 5; double precision would say 4. */
                 {"t5:num_buckets=9", true, t5_9_128}};
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (int r = -200; r <= 200; r++) {
            ck_assert_int_eq(t5_bucket(cases[c].text, cases[c].causal, r),
                             cases[c].bucket[r + 200]);
        }
    }
}
END_TEST

START_TEST(rope_frequencies_are_the_references) {
    static const struct {
        const char *text;
        size_t dim, pairs;
        size_t index[4];
        double theta[4];
    } cases[] = {
        {"rope", 128, 64, {0, 1, 31, 63}, {1.0, 0.8659643234, 0.0115478198, 0.0001154782}},
        {"rope:rotary_fraction=0.5", 8, 2, {0, 1, 0, 1}, {1.0, 0.01, 1.0, 0.01}},
        {"mla:qk_rope_head_dim=4", 12, 2, {0, 1, 0, 1}, {1.0, 0.01, 1.0, 0.01}},
    };
    for (size_t c = 0; c < 3; c++) {
        size_t first[64], second[64];
        double theta[64];
        as_rotation r = {.first = first, .second = second, .theta = theta, .gain = 1};
        as_scheme s = scheme(cases[c].text);
        as_head head = head_of(3, 3, cases[c].dim);
        assert_ok(s.type->rotation(&s, &head, &r));
        ck_assert_uint_eq(r.count, cases[c].pairs);
        for (size_t i = 0; i < 4; i++) {
            assert_near(theta[cases[c].index[i]], cases[c].theta[i], GOLDEN);
        }
    }
}
END_TEST

START_TEST(rope_logits_are_the_references) {
    static const double golden[2][3] = {{6.2348693351, 1.745998972, 3.5520303263},
                                        {4.9051390908, -0.6768856444, 3.094396594}};
    static const struct {
        const char *text;
        const double *expected;
    } cases[] = {{"rope", rope_interleaved},
                 {"rope:layout=half", rope_half},
                 {"rope:layout=half,rotary_fraction=0.5", rope_partial_half}};
    double l[36];
    for (size_t c = 0; c < 3; c++) {
        rotated_logits(cases[c].text, 6, 8, rope_q, rope_k, l);
        assert_all_near(l, cases[c].expected, 36, 1e-13);
        if (c < 2) {
            assert_all_near(l + 30, golden[c], 3, GOLDEN);
        }
    }
    rotated_logits("mla", 6, 12, mla_q, mla_k, l);
    as_scheme mla = scheme("mla");
    as_head head = head_of(6, 6, 12);
    for (size_t i = 0; i < 36; i++) {
        l[i] *= as_scheme_scale(&mla, &head);
    }
    assert_all_near(l, mla_logits, 36, 1e-13);
}
END_TEST

/* Unit vector 1 of four, at distance 1: interleaved it turns with pair 0, half-split with pair 1. */
START_TEST(rope_layouts_differ_on_the_same_vector) {
    const double e1[8] = {0, 1, 0, 0, 0, 1, 0, 0};
    double l[4];
    rotated_logits("rope", 2, 4, e1, e1, l);
    assert_near(l[2], 0.5403023058681398, 1e-15);
    rotated_logits("rope:layout=half", 2, 4, e1, e1, l);
    assert_near(l[2], 0.9999500004166653, 1e-15);
}
END_TEST

START_TEST(half_split_is_interleaved_after_the_permutation) {
    /* x0, x2, …, x1, x3, …: what conversions of Llama's weights do. */
    double q[48], k[48], interleaved[36], half[36];
    for (size_t i = 0; i < 6; i++) {
        for (size_t c = 0; c < 8; c++) {
            size_t to = c % 2 == 0 ? c / 2 : 4 + c / 2;
            q[i * 8 + to] = rope_q[i * 8 + c];
            k[i * 8 + to] = rope_k[i * 8 + c];
        }
    }
    rotated_logits("rope", 6, 8, rope_q, rope_k, interleaved);
    rotated_logits("rope:layout=half", 6, 8, q, k, half);
    assert_all_near(half, interleaved, 36, 1e-12);
    rotated_logits("rope:layout=half", 6, 8, rope_q, rope_k, half);
    double furthest = 0;
    for (size_t i = 0; i < 36; i++) {
        furthest = fmax(furthest, fabs(half[i] - interleaved[i]));
    }
    assert_near(furthest, 6.881159223133395, 1e-12); /* the reference's, too */
}
END_TEST

/* Only differences of positions count, whatever the first one is. */
START_TEST(rope_logits_depend_on_the_difference_of_positions) {
    double a[48], b[48];
    turned t;
    as_scheme s = scheme("rope");
    as_head head = head_of(6, 6, 8);
    rotation_of(&s, &head, &t);
    memcpy(a, rope_q, sizeof a);
    memcpy(b, rope_k, sizeof b);
    const double places[] = {1000, 1001, 1002, 1003, 1004, 1005};
    head.query_positions = head.key_positions = places;
    as_rotate(&t.rotation, &head, AS_QUERIES, false, a);
    as_rotate(&t.rotation, &head, AS_KEYS, false, b);
    for (size_t i = 0; i < 36; i++) {
        double sum = 0;
        for (size_t c = 0; c < 8; c++) {
            sum += a[i / 6 * 8 + c] * b[i % 6 * 8 + c];
        }
        assert_near(sum, rope_interleaved[i], 1e-11); /* 1000·ε of phase */
    }
}
END_TEST

/* T(Δ) = (2/d) Σ cos(θ_f Δ) is the mean of the cosines: for d = 2 it is cos Δ; the sum of
 * the sinusoidal encoding's products is d/2 times it. */
START_TEST(the_hadamard_kernel_is_the_mean_of_cosines) {
    as_scheme s = scheme("rope_hadamard");
    double t[36];
    as_head two = head_of(6, 6, 2), eight = head_of(6, 6, 8);
    assert_ok(s.type->kernel(&s, &two, t));
    for (size_t k = 0; k < 6; k++) {
        assert_near(t[k], cos((double)k), 1e-15);
    }
    static const double row[6] = {4.0,          3.5352559716, 2.563717748,
                                  1.9648895263, 2.2666094798, 3.1599825078};
    assert_ok(s.type->kernel(&s, &eight, t));
    for (size_t k = 0; k < 6; k++) {
        assert_near(4 * t[k], row[k], GOLDEN);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, sinusoidal_is_that_of_the_paper_and_of_its_code);
    tcase_add_test(t, learned_is_drawn_from_the_heads_own_stream);
    tcase_add_test(t, alibi_slopes_are_the_authors_for_any_number_of_heads);
    tcase_add_test(t, alibi_forms_are_their_formulas);
    tcase_add_test(t, t5_buckets_are_those_of_single_precision);
    tcase_add_test(t, rope_frequencies_are_the_references);
    tcase_add_test(t, rope_logits_are_the_references);
    tcase_add_test(t, rope_layouts_differ_on_the_same_vector);
    tcase_add_test(t, half_split_is_interleaved_after_the_permutation);
    tcase_add_test(t, rope_logits_depend_on_the_difference_of_positions);
    tcase_add_test(t, the_hadamard_kernel_is_the_mean_of_cosines);
}

AS_TEST_MAIN("scheme_papers")
