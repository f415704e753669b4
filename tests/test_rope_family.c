/* RoPE's relatives against their papers: the reference's numbers, closed forms, and numpy
 * (rope_numbers.py). */
#include "support.h"

#include <float.h>
#include <string.h>

#include "rope_numbers.inc"
#include "scheme_numbers.inc"

enum { N = 7, D = 8, PAIRS = 64 };
#define GOLDEN 0.5001e-10 /* ten decimals */

static as_scheme scheme(const char *text) {
    as_scheme s = {.type = NULL};
    assert_ok(as_scheme_parse(text, &s));
    return s;
}

static as_head head_of(size_t n, size_t dim) {
    return (as_head){.head = 2, .heads = 8, .rows = n, .cols = n, .dim = dim, .seed = 5};
}

typedef struct turned {
    as_rotation rotation;
    size_t first[PAIRS], second[PAIRS];
    double theta[PAIRS], theta_y[PAIRS], growth[PAIRS];
} turned;

static void rotation_of(const char *text, const as_head *head, turned *out) {
    as_scheme s = scheme(text);
    out->rotation = (as_rotation){.first = out->first,
                                  .second = out->second,
                                  .theta = out->theta,
                                  .theta_y = out->theta_y,
                                  .growth = out->growth,
                                  .gain = 1};
    assert_ok(as_scheme_check(&s, head));
    assert_ok(s.type->rotation(&s, head, &out->rotation));
}

static void assert_all_near(const double *x, const double *expected, size_t count, double bound) {
    for (size_t i = 0; i < count; i++) {
        ck_assert_msg(fabs(x[i] - expected[i]) <= bound, "[%zu] = %.17g, expected %.17g", i, x[i],
                      expected[i]);
    }
}

/* l [n][n] = (R q)(R k)ᵀ, n = head->rows. */
static void logits(const char *text, const as_head *head, const double *q, const double *k,
                   double *l) {
    double a[N * 12], b[N * 12];
    turned t;
    size_t n = head->rows, dim = head->dim;
    rotation_of(text, head, &t);
    memcpy(a, q, n * dim * sizeof *a);
    memcpy(b, k, n * dim * sizeof *b);
    as_rotate(&t.rotation, head, AS_QUERIES, false, a);
    as_rotate(&t.rotation, head, AS_KEYS, false, b);
    for (size_t i = 0; i < n * n; i++) {
        l[i] = 0;
        for (size_t c = 0; c < dim; c++) {
            l[i] += a[i / n * dim + c] * b[i % n * dim + c];
        }
    }
}

START_TEST(frequencies_are_the_references) {
    static const struct {
        const char *text;
        size_t dim, n, count;
        size_t index[7];
        double theta[7];
    } cases[] = {
        {"rope:scaling=linear,factor=4", 128, 4, 2, {0, 63}, {0.25, 2.88695e-05}},
        {"rope:scaling=yarn,factor=16,original_max_position_embeddings=4096",
         128,
         4,
         5,
         {0, 20, 32, 45, 63},
         {1.0, 0.0562341325, 0.0056730769, 0.0001517716, 7.2174e-06}},
        {"rope:base=500000,rope_type=llama3",
         128,
         4,
         7,
         {0, 28, 29, 32, 35, 36, 63},
         {1.0, 0.003211446, 0.0021665708, 0.0005248462, 9.55621e-05, 7.78466e-05, 3.069e-07}},
        {"rope:base=500000,scaling=llama3,factor=8,low_freq_factor=1,high_freq_factor=4,"
         "original_max_position_embeddings=8192",
         128,
         4,
         3,
         {29, 34, 35},
         {0.002166570763503359, 0.0001785078127679964, 9.556212353964683e-05}},
        {"rope:base=500000,scaling=llama3,factor=32",
         64,
         4,
         6,
         {14, 15, 16, 17, 18, 31},
         {0.003211445994752591, 0.001290547928209264, 0.00042955679655936815, 9.70828780262767e-05,
          1.9461638184831125e-05, 9.41830672543491e-08}},
        {"rope:scaling=proportional,rotary_fraction=0.5", 8, 4, 2, {0, 1}, {1.0, 0.1}},
        {"rope:rotary_fraction=0.5", 8, 4, 2, {0, 1}, {1.0, 0.01}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        turned t;
        as_head head = head_of(cases[c].n, cases[c].dim);
        rotation_of(cases[c].text, &head, &t);
        for (size_t i = 0; i < cases[c].count; i++) {
            assert_near(t.theta[cases[c].index[i]], cases[c].theta[i], GOLDEN);
        }
    }
    turned t;
    as_head head = head_of(4, 64);
    rotation_of("rope:base=500000,scaling=llama3,factor=32", &head, &t);
    assert_all_near(t.theta, llama32, 32, 4 * DBL_EPSILON);
    /* The proportional one keeps the other pairs where they are: (f, f + d/2) of all of d. */
    head = head_of(4, 8);
    rotation_of("rope:scaling=proportional,rotary_fraction=0.5,layout=half,factor=2", &head, &t);
    ck_assert_uint_eq(t.rotation.count, 2);
    ck_assert_uint_eq(t.second[1], 5);
    assert_near(t.theta[1], 0.05, 1e-16);
}
END_TEST

/* θ_1 = b'^(−2/r) gives b' back. */
START_TEST(rebased_frequencies_have_the_references_bases) {
    static const struct {
        const char *text;
        size_t n;
        double base;
    } cases[] = {
        {"rope:scaling=ntk,factor=4", 3, 40889.94243248622},
        {"rope:scaling=dynamic,factor=2,max_position_embeddings=4096", 8192, 30527.7367488067},
        {"rope:scaling=dynamic,factor=2,original_max_position_embeddings=4096,"
         "max_position_embeddings=9",
         8192, 30527.7367488067},
        {"rope:scaling=dynamic,factor=2,max_position_embeddings=4096", 4096, 10000},
        {"rope:scaling=dynamic,factor=2,max_position_embeddings=4096", 5, 10000},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        turned t;
        as_head head = head_of(cases[c].n, 128);
        rotation_of(cases[c].text, &head, &t);
        assert_near(pow(t.theta[1], -64), cases[c].base, 1e-12 * cases[c].base);
        assert_near(pow(t.theta[63], -64.0 / 63), cases[c].base, 1e-12 * cases[c].base);
        ck_assert_double_eq(t.rotation.gain, 1);
    }
}
END_TEST

START_TEST(gains_are_those_of_yarn_and_longrope) {
#define YARN "rope:scaling=yarn,factor=16,original_max_position_embeddings=4096"
    static const struct {
        const char *text;
        double gain;
    } cases[] = {
        {YARN, 1.2772588722239782},
        {YARN ",attention_factor=2", 2},
        {YARN ",mscale=0.707,mscale_all_dim=0.5", 1.1960220226623527 / 1.1386294361119891},
        {YARN ",mscale=2", 1.2772588722239782},
        {YARN ",mscale=2,mscale_all_dim=0", 1.2772588722239782},
        {"rope:scaling=yarn,factor=1,max_position_embeddings=4096", 1},
        {"rope:scaling=yarn,max_position_embeddings=65536,original_max_position_embeddings=4096",
         1.2772588722239782},
        {"rope:scaling=longrope,short_factor=1,1,1,1,long_factor=1,1,1,2,"
         "original_max_position_embeddings=4096,max_position_embeddings=131072",
         1.1902380714238083},
        {"rope:scaling=longrope,short_factor=1,1,1,1,long_factor=1,1,1,2,factor=1,"
         "max_position_embeddings=4096",
         1},
        {"rope:scaling=longrope,short_factor=1,1,1,1,long_factor=1,1,1,2,factor=32,"
         "max_position_embeddings=4096,attention_factor=1.5",
         1.5},
        {"rope:scaling=llama3", 1},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        turned t;
        as_head head = head_of(4, 8);
        rotation_of(cases[c].text, &head, &t);
        assert_near(t.rotation.gain, cases[c].gain, 4 * DBL_EPSILON);
    }
}
END_TEST

START_TEST(yarns_ramp_has_the_ends_of_the_paper) {
    turned t;
    as_head head = head_of(4, 128);
    rotation_of(YARN, &head, &t);
    /* low = 20, high = 46: whole at 20, a sixteenth at 46, in between at 21 and 45. */
    for (size_t f = 0; f < 64; f++) {
        double theta = pow(1e4, -(double)f / 64), ratio = t.theta[f] / theta;
        ck_assert(f <= 20 ? ratio == 1 : ratio < 1);
        ck_assert(f >= 46 ? fabs(ratio - 0.0625) < 1e-15 : ratio > 0.0626);
    }
    head = head_of(4, 16);
    rotation_of("rope:scaling=yarn,factor=8,max_position_embeddings=2048,truncate=false", &head,
                &t);
    assert_all_near(t.theta, yarn_fractional, 8, 4 * DBL_EPSILON);
    rotation_of("rope:scaling=yarn,factor=8,max_position_embeddings=2048,truncate=false,"
                "beta_fast=3,beta_slow=3",
                &head, &t);
    assert_all_near(t.theta, yarn_meeting, 8, 1e-12);
}
END_TEST

#define LONG "rope:scaling=longrope,factor=4,max_position_embeddings=6,"
START_TEST(longrope_divides_by_the_list_of_the_length) {
    static const char *const texts[] = {LONG "short_factor=1,1.05,1.3,2,long_factor=1,2.5,7,30",
                                        LONG "factors=lists.npz"};
    static const double lists[2][4] = {{1, 1.05, 1.3, 2}, {1, 2.5, 7, 30}};
    const as_parameters tables[] = {
        {.name = "short_factor", .rank = 1, .shape = {4}, .data = lists[0]},
        {.name = "long_factor", .rank = 1, .shape = {4}, .data = lists[1]}};
    for (size_t c = 0; c < 2; c++) {
        turned t;
        double l[N * N];
        as_head head = head_of(6, D);
        head.tables = tables;
        head.table_count = 2;
        rotation_of(texts[c], &head, &t);
        assert_all_near(t.theta, longrope_short, 4, 4 * DBL_EPSILON);
        head.rows = head.cols = 7;
        rotation_of(texts[c], &head, &t);
        assert_all_near(t.theta, longrope_long, 4, 4 * DBL_EPSILON);
        logits(texts[c], &head, grid_q, grid_k, l);
        assert_all_near(l, longrope_logits, N * N, 1e-13);
    }
}
END_TEST

START_TEST(only_the_first_heads_and_the_listed_layers_turn) {
    static const struct {
        const char *text;
        bool turns[6]; /* layers 0 … 5 of head 2 */
    } cases[] = {
        {"rope:rotary_heads=3", {true, true, true, true, true, true}},
        {"rope:rotary_heads=2", {false}},
        {"rope:rotary_layers=0,2-4", {true, false, true, true, true, false}},
        {"rope:rotary_layers=5,layout=half", {false, false, false, false, false, true}},
        {"rope:rotary_layers=1-1,rotary_heads=0", {false}},
    };
    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        for (size_t layer = 0; layer < 6; layer++) {
            turned t;
            as_head head = head_of(4, 8);
            head.layer = layer;
            rotation_of(cases[c].text, &head, &t);
            ck_assert_uint_eq(t.rotation.count, cases[c].turns[layer] ? 4 : 0);
        }
    }
}
END_TEST

/* Reference: zeta to ten decimals, and the logits of the last query. */
START_TEST(xpos_is_the_references) {
    static const double zeta[4] = {0.2857142857, 0.4642857143, 0.6428571429, 0.8214285714};
    static const double golden[3] = {6.1809000744, 1.7335688748, 3.5349982404};
    turned t;
    double l[N * N];
    as_head head = head_of(6, 8);
    rotation_of("xpos", &head, &t);
    for (size_t f = 0; f < 4; f++) {
        assert_near(exp(512 * t.growth[f]), zeta[f], GOLDEN);
    }
    logits("xpos", &head, rope_q, rope_k, l);
    assert_all_near(l + 30, golden, 3, GOLDEN);
    head.rows = head.cols = 7;
    logits("xpos:layout=half,base=100,gamma=1,scale_base=4", &head, grid_q, grid_k, l);
    assert_all_near(l, xpos_logits, N * N, 1e-12);
    /* Far along nothing leaves the range, and only the difference counts. */
    double far[7], near[N * N];
    for (size_t i = 0; i < 7; i++) {
        far[i] = 1e9 + (double)i;
    }
    head.query_positions = head.key_positions = far;
    logits("xpos:scale_base=1,base=1", &head, grid_q, grid_k, l);
    head.query_positions = head.key_positions = NULL;
    logits("xpos:scale_base=1,base=1", &head, grid_q, grid_k, near);
    for (size_t i = 0; i < N * N; i++) {
        assert_near(l[i], near[i], 1e-6 * (1 + fabs(near[i]))); /* 1e9·ε of phase */
    }
    as_scheme s = scheme("xpos");
    /* ζ_0 = 0.4/1.4: 700 positions from the middle grow by e^876. */
    head.rows = head.cols = 1400;
    assert_ok(as_scheme_check(&s, &head));
    s = scheme("xpos:scale_base=1");
    ck_assert_int_eq(as_scheme_check(&s, &head), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "e^876"));
    s = scheme("xpos");
    head.rows = head.cols = 7;
    ck_assert_ptr_nonnull(strstr(as_scheme_warning(&s, &head), "causal mask"));
    head.causal = true;
    ck_assert_ptr_null(as_scheme_warning(&s, &head));
    s = scheme("rope");
    ck_assert_ptr_null(as_scheme_warning(&s, &head));
}
END_TEST

/* Hugging Face: cos·attention_scaling in float32, and that to bfloat16; not the other way round, which
 * is 0.671875 and 1.046875. Expected: float32 and bfloat16 arithmetic of another language. */
START_TEST(gains_are_multiplied_before_rounding) {
    const double position = 1;
    double theta = 1;
    size_t first = 0, second = 1;
    const as_rotation r = {
        .gain = 1.25, .theta = &theta, .first = &first, .second = &second, .count = 1};
    const as_head head = {.rows = 1,
                          .cols = 1,
                          .dim = 2,
                          .phase = AS_PHASE_BF16,
                          .query_positions = &position,
                          .key_positions = &position};
    double x[2] = {1, 0};
    as_rotate(&r, &head, AS_KEYS, false, x);
    ck_assert_double_eq(x[0], 0.67578125);
    ck_assert_double_eq(x[1], 1.0546875);
    as_rotate(&r, &head, AS_KEYS, true, x);
    assert_near(x[0], 1, 1e-2); /* bfloat16's half unit, twice */
    assert_near(x[1], 0, 1e-2);
}
END_TEST

START_TEST(images_turn_by_column_and_row) {
    double l[N * N];
    turned t;
    as_head head = head_of(7, 8);
    logits("rope_axial:width=3,leading=1", &head, grid_q, grid_k, l);
    assert_all_near(l, axial_logits, N * N, 1e-13);
    const as_parameters table = {.name = "freqs", .rank = 2, .shape = {2, 4}, .data = mixed_freqs};
    head.tables = &table;
    head.table_count = 1;
    logits("rope_mixed:width=3,leading=1,file=freqs.npy", &head, grid_q, grid_k, l);
    assert_all_near(l, mixed_logits, N * N, 1e-13);
    as_head square = head_of(17, 8);
    rotation_of("rope_axial:leading=1", &square, &t);
    ck_assert_uint_eq(t.rotation.width, 4);
    ck_assert_uint_eq(t.rotation.leading, 1);
}
END_TEST

/* Drawn: pair f has length base^(−4f/d), the second half a quarter turn further; each head and layer
 * another direction. */
START_TEST(mixed_frequencies_are_drawn_a_head_and_layer) {
    turned t, other;
    as_head head = head_of(16, 8);
    rotation_of("rope_mixed", &head, &t);
    for (size_t f = 0; f < 2; f++) {
        double length = f == 0 ? 1 : pow(10, -0.5);
        assert_near(hypot(t.theta[f], t.theta_y[f]), length, 4 * DBL_EPSILON);
        assert_near(t.theta[f + 2], -t.theta_y[f], 0);
        assert_near(t.theta_y[f + 2], t.theta[f], 0);
        assert_near(t.theta[f] / length, t.theta[0], 4 * DBL_EPSILON);
    }
    head.layer = 1;
    rotation_of("rope_mixed", &head, &other);
    ck_assert(other.theta[0] != t.theta[0]);
    head.layer = 0;
    head.head = 3;
    rotation_of("rope_mixed", &head, &other);
    ck_assert(other.theta[0] != t.theta[0]);
}
END_TEST

/* With the up-projection absorbed into q and numpy's YaRN: the product of q and k as they are built
 * explicitly, k = (W c, k_r), is the same. */
START_TEST(mla_explicit_is_mla_absorbed) {
    enum { NOPE = 6, ROPE = 4, RANK = 3, SIZE = NOPE + ROPE };
    static const char text[] = "mla:qk_rope_head_dim=4,scaling=yarn";
    double q[N * SIZE], k[N * SIZE], l[N * N];
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < NOPE; c++) {
            q[i * SIZE + c] = mla_q_nope[i * NOPE + c];
            k[i * SIZE + c] = 0;
            for (size_t r = 0; r < RANK; r++) {
                k[i * SIZE + c] += mla_up[c * RANK + r] * mla_latent[i * RANK + r];
            }
        }
        memcpy(q + i * SIZE + NOPE, mla_q_rope + i * ROPE, ROPE * sizeof *q);
        memcpy(k + i * SIZE + NOPE, mla_k_rope + i * ROPE, ROPE * sizeof *k);
    }
    as_scheme s = scheme(text);
    as_head head = head_of(N, SIZE);
    turned t;
    rotation_of(text, &head, &t);
    ck_assert_double_eq(t.rotation.gain, 1);
    assert_all_near(t.theta, mla_yarn_theta, 2, 4 * DBL_EPSILON);
    /* (0.1 ln 40 + 1)² = 1.8738…, of DeepSeek-V3. */
    assert_near(as_scheme_scale(&s, &head) * sqrt(SIZE), 1.3688879454113936 * 1.3688879454113936,
                4 * DBL_EPSILON);
    logits(text, &head, q, k, l);
    for (size_t i = 0; i < N * N; i++) {
        l[i] *= as_scheme_scale(&s, &head);
    }
    assert_all_near(l, mla_absorbed, N * N, 1e-12);
    rotation_of("mla:qk_rope_head_dim=4,scaling=yarn,mscale=0.5,mscale_all_dim=2", &head, &t);
    assert_near(t.rotation.gain, 1.1844439727056968 / 1.7377758908227872, 4 * DBL_EPSILON);
    s = scheme("mla");
    assert_near(as_scheme_scale(&s, &head), 1 / sqrt(SIZE), DBL_EPSILON);
}
END_TEST

START_TEST(what_contradicts_itself_is_refused) {
    static const char *const wrong[][2] = {
        {"rope:scaling=yarn", "scheme rope: scaling=yarn needs a factor"},
        {"rope:scaling=yarn,factor=4", "scaling=yarn needs original_max_position_embeddings"},
        {"rope:scaling=linear", "scaling=linear needs a factor"},
        {"rope:factor=4", "factor is read by scaling=linear or ntk or dynamic or yarn or llama3 or "
                          "longrope or proportional, but scaling is none"},
        {"rope:scaling=llama3,beta_fast=3",
         "beta_fast is read by scaling=yarn, but scaling is llama3"},
        {"rope:truncate=false", "truncate is read by scaling=yarn, but scaling is none"},
        {"rope:scaling=linear,factor=2,attention_factor=1",
         "attention_factor is read by scaling=yarn or longrope, but scaling is linear"},
        {"rope:long_factor=1,2", "long_factor is read by scaling=longrope"},
        {"rope:scaling=yarn,factor=4,max_position_embeddings=64,base=1", "must be more than 1"},
        {"rope:scaling=yarn,factor=4,max_position_embeddings=64,beta_fast=0.5",
         "beta_fast is 0.5, but must be at least beta_slow, 1"},
        {"rope:scaling=llama3,high_freq_factor=1", "must be more than low_freq_factor, 1"},
        {"rope:scaling=linear,factor=0.5", "factor is '0.5', but must be a number from 1 to 1e+09"},
        {LONG "short_factor=1,2", "needs short_factor and long_factor, or factors"},
        {LONG "short_factor=1,2,long_factor=1,x", "number 2 of long_factor is no positive number"},
        {LONG "short_factor=1,-2,long_factor=1,2", "number 2 of short_factor is no positive"},
        {"rope:rotary_layers=0,2-", "rotary_layers is '0,2-', but must be a list such as 0,2-4"},
        {"rope:rotary_layers=3-2", "rotary_layers is '3-2'"},
        {"rope:rotary_layers=a", "rotary_layers is 'a'"},
        {"mla:scaling=none,factor=4", "factor is read by scaling=yarn, but scaling is none"},
        {"mla:scaling=llama3", "scaling is 'llama3'; valid are none, yarn"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_scheme s = {.type = NULL};
        assert_fails(as_scheme_parse(wrong[i][0], &s), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i][1]) != NULL, "%s", as_message());
        ck_assert_ptr_null(s.type);
    }
    static const struct {
        const char *text;
        size_t dim;
        const char *message;
    } heads[] = {
        {LONG "short_factor=1,2,long_factor=1,2,3", 4,
         "long_factor has 3 numbers, but 2 pairs of dimensions turn"},
        {LONG "short_factor=1,2,long_factor=1,2", 6, "short_factor has 2 numbers, but 3 pairs"},
        {LONG "short_factor=1,1e-320,long_factor=1,2", 4,
         "number 2 of short_factor, 9.99989e-321, is too small to divide by"},
        {LONG "factors=nowhere.npz", 6, "nowhere.npz holds no array named short_factor"},
        {"rope:scaling=proportional,rotary_fraction=0.5", 7, "7 rotated dimensions"},
        {"xpos", 7, "the head size is 7"},
        {"rope_axial", 6, "need a multiple of 4"},
        {"rope_mixed:leading=5", 8, "leading is 5, but there are 5 tokens in all"},
        {"rope_mixed:width=5,file=no.npy", 8, "no.npy holds no array named freqs"},
    };
    for (size_t i = 0; i < sizeof heads / sizeof *heads; i++) {
        as_scheme s = scheme(heads[i].text);
        as_head head = head_of(5, heads[i].dim);
        assert_fails(as_scheme_check(&s, &head), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), heads[i].message) != NULL, "%s", as_message());
    }
    double flat[12] = {0};
    const as_parameters table = {.name = "freqs", .rank = 2, .shape = {2, 3}, .data = flat};
    as_scheme s = scheme("rope_mixed:width=5,file=no.npy");
    as_head head = head_of(5, 8);
    head.tables = &table;
    head.table_count = 1;
    assert_fails(as_scheme_check(&s, &head), AS_EINVAL);
    ck_assert_ptr_nonnull(strstr(as_message(), "is 2 × 3 a head, but must be 2 × 4"));
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, frequencies_are_the_references);
    tcase_add_test(t, rebased_frequencies_have_the_references_bases);
    tcase_add_test(t, gains_are_those_of_yarn_and_longrope);
    tcase_add_test(t, yarns_ramp_has_the_ends_of_the_paper);
    tcase_add_test(t, longrope_divides_by_the_list_of_the_length);
    tcase_add_test(t, only_the_first_heads_and_the_listed_layers_turn);
    tcase_add_test(t, gains_are_multiplied_before_rounding);
    tcase_add_test(t, xpos_is_the_references);
    tcase_add_test(t, images_turn_by_column_and_row);
    tcase_add_test(t, mixed_frequencies_are_drawn_a_head_and_layer);
    tcase_add_test(t, mla_explicit_is_mla_absorbed);
    tcase_add_test(t, what_contradicts_itself_is_refused);
}

AS_TEST_MAIN("rope_family")
