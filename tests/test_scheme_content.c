/* Schemes whose position is content, PoPE and GRAPE-M: closed forms, and numpy written from the papers. */
#include "support.h"

#include <float.h>
#include <string.h>

#include "scheme_content_numbers.inc"

enum { N = 37, D = 8 };

static void wave(double size, double step, double start, size_t count, double *out) {
    for (size_t i = 0; i < count; i++) {
        out[i] = size * sin(step * (double)i + start);
    }
}

static as_pair make_pair(const char *scheme, size_t rows, size_t cols) {
    as_pair pair = {.head = {.layer = 3, .head = 2, .heads = 8, .causal = true, .seed = 5}};
    assert_ok(as_scheme_parse(scheme, &pair.scheme));
    assert_ok(as_matrix_resize(&pair.q, rows, D));
    assert_ok(as_matrix_resize(&pair.k, cols, D));
    wave(2, 1.7, 0.3, rows * D, pair.q.data);
    wave(2, 2.3, 0.5, cols * D, pair.k.data);
    return pair;
}

/* The logits of a pair, which is freed; what was content goes into *content where that is asked for. */
static double *logits_of(as_pair *pair, double *content) {
    as_matrix g = {0}, l = {0};
    assert_ok(as_couple(pair, &g, &l));
    if (content != NULL) {
        memcpy(content, g.data, g.rows * g.cols * sizeof *content);
    }
    double *out = calloc(l.rows * l.cols, sizeof *out);
    memcpy(out, l.data, l.rows * l.cols * sizeof *out);
    as_matrix_free(&g);
    as_matrix_free(&l);
    as_pair_free(pair);
    return out;
}

static double *logits_with(const char *scheme, const as_parameters *tables, size_t count) {
    as_pair pair = make_pair(scheme, N, N);
    pair.head.tables = tables;
    pair.head.table_count = count;
    return logits_of(&pair, NULL);
}

/* Rows 0, 12 and 36 of 37. */
static void assert_rows(const char *scheme, const as_parameters *tables, size_t count,
                        const double *expected) {
    static const size_t rows[] = {0, 12, 36};
    double *l = logits_with(scheme, tables, count);
    for (size_t r = 0; r < 3 * N; r++) {
        double x = l[rows[r / N] * N + r % N];
        ck_assert_msg(fabs(x - expected[r]) <= 1e-12 * (1 + fabs(x)),
                      "%s: (%zu, %zu) = %.17g, expected %.17g", scheme, rows[r / N], r % N, x,
                      expected[r]);
    }
    free(l);
}

static void assert_same(const double *a, const double *b, double bound) {
    for (size_t i = 0; i < N * N; i++) {
        ck_assert_msg(fabs(a[i] - b[i]) <= bound, "[%zu] = %.17g, expected %.17g", i, a[i], b[i]);
    }
}

START_TEST(numpy_says_the_same) {
    double e[D * 5], w[D], b = 0.25, delta[D], down[3 * D], up[D / 2 * 3], conv[D / 2 * 4];
    double bias[D / 2], gate[D + 1];
    wave(1, 0.9, 0.2, D * 5, e);
    wave(1, 1.1, 0.4, D, w);
    wave(3, 0.8, -2.0, D, delta); /* positive ones are clipped to 0 */
    wave(1, 0.7, 0.1, 3 * D, down);
    wave(1, 1.3, 0.6, D / 2 * 3, up);
    wave(1, 1.9, 0.8, D / 2 * 4, conv);
    wave(1, 0.5, 0.9, D / 2, bias);
    wave(1, 0.4, 0.7, D + 1, gate);
    const as_parameters cope = {"pos_emb", 2, {D, 5}, e}, pope = {"delta", 1, {D}, delta};
    const as_parameters fox[] = {{"b", 0, {0}, &b}, {"w", 1, {D}, w}};
    const as_parameters selective[] = {{"up", 2, {D / 2, 3}, up},
                                       {"down", 2, {3, D}, down},
                                       {"conv", 2, {D / 2, 4}, conv},
                                       {"phi_bias", 1, {D / 2}, bias},
                                       {"gate", 1, {D + 1}, gate}};
    assert_rows("cope:file=f", &cope, 1, cope_rows);
    assert_rows("cope:file=f,npos_max=5", &cope, 1, cope_rows);
    assert_rows("fox:file=f", fox, 2, fox_rows);
    assert_rows("fox:file=f,bias_init=0.25", fox + 1, 1, fox_rows);
    assert_rows("fox:file=f,rope=true", fox, 2, fox_rope_rows);
    assert_rows("selective_rope:file=f", selective, 5, selective_rows);
    assert_rows("selective_rope:file=f,base=100,use_bias=true,use_gate=true", selective, 5,
                selective_gated_rows);
    assert_rows("grape_a", NULL, 0, grape_key_rows);
    assert_rows("grape_a:tie=query,base=100", NULL, 0, grape_query_rows);
    assert_rows("pope:file=f", &pope, 1, pope_rows);
}
END_TEST

START_TEST(parameters_are_drawn_from_streams_of_their_own) {
    assert_rows("cope", NULL, 0, drawn_cope_rows);
    assert_rows("cope:npos_max=1000000", NULL, 0,
                drawn_cope_rows); /* 37 keys need no more than 38 */
    assert_rows("fox", NULL, 0, drawn_fox_rows);
    assert_rows("pope:delta=uniform", NULL, 0, drawn_pope_rows);
    assert_rows("selective_rope:use_bias=true,use_gate=true", NULL, 0, drawn_selective_rows);
}
END_TEST

/* Sums over tokens do not look ahead: 13 tokens are the first of 37. Fewer queries are the last rows, and
 * queries before the first key have content alone. */
START_TEST(shorter_and_rectangular_heads_are_parts_of_the_square) {
    static const char *const schemes[] = {
        "cope:std=1",     "fox:std=1", "fox:rope=true", "pope:delta=uniform",
        "selective_rope", "grape_m",   "grape_a",       "grape_a:form=linear"};
    for (size_t s = 0; s < sizeof schemes / sizeof *schemes; s++) {
        as_pair whole = make_pair(schemes[s], N, N), first = make_pair(schemes[s], 13, 13);
        as_pair last = make_pair(schemes[s], 5, N), more = make_pair(schemes[s], N + 2, N);
        memcpy(last.q.data, whole.q.data + (N - 5) * D, 5 * D * sizeof(double));
        memcpy(more.q.data + 2 * D, whole.q.data, N * D * sizeof(double));
        double *l = logits_of(&whole, NULL), *f = logits_of(&first, NULL);
        double g[(N + 2) * N], *r = logits_of(&last, NULL), *m = logits_of(&more, g);
        for (size_t i = 0; i < N; i++) {
            for (size_t j = 0; j < N; j++) {
                double x = l[i * N + j], bound = 1e-12 * (1 + fabs(x));
                assert_near(m[(i + 2) * N + j], x, bound);
                if (i < 13 && j < 13) {
                    assert_near(f[i * 13 + j], x, bound);
                }
                if (i >= N - 5) {
                    assert_near(r[(i + 5 - N) * N + j], x, bound);
                }
            }
        }
        for (size_t j = 0; j < 2 * N; j++) {
            ck_assert(isfinite(m[j]));
            if (strncmp(schemes[s], "fox:std", 7) == 0 || strcmp(schemes[s], "grape_a") == 0) {
                ck_assert_double_eq(m[j], g[j]);
            }
        }
        free(l);
        free(f);
        free(r);
        free(m);
    }
}
END_TEST

/* q and k without a common dimension: all gates are 1/2, and every second position lies halfway. */
START_TEST(cope_counts_in_halves_where_all_gates_are_half_open) {
    as_pair pair = make_pair("cope:file=f", 13, 13);
    double e[D * 4];
    wave(1, 0.9, 0.2, D * 4, e);
    const as_parameters table = {"", 2, {D, 4}, e};
    pair.head.tables = &table;
    pair.head.table_count = 1;
    double z[4] = {0};
    for (size_t i = 0; i < 13; i++) {
        for (size_t c = 0; c < D; c++) {
            *(c < D / 2 ? &pair.k.data[i * D + c] : &pair.q.data[i * D + c]) = 0;
        }
    }
    double q[13 * D];
    memcpy(q, pair.q.data, sizeof q);
    double *l = logits_of(&pair, NULL);
    for (size_t i = 0; i < 13; i++) {
        for (size_t p = 0; p < 4; p++) {
            z[p] = 0;
            for (size_t c = 0; c < D; c++) {
                z[p] += q[i * D + c] * e[c * 4 + p];
            }
        }
        for (size_t j = 0; j < 13; j++) {
            size_t tokens = j <= i ? i - j + 1 : 0, p = tokens / 2;
            double expected = p >= 3 ? z[3] : tokens % 2 == 0 ? z[p] : (z[p] + z[p + 1]) / 2;
            assert_near(l[i * 13 + j], expected, 1e-13);
        }
    }
    free(l);
    as_pair one = make_pair("cope:npos_max=1,std=1", 13, 13);
    double g[13 * 13];
    l = logits_of(&one, g); /* one vector: a constant a row, which softmax does not see */
    for (size_t i = 0; i < 13 * 13; i++) {
        assert_near(l[i] - g[i], l[i / 13 * 13] - g[i / 13 * 13], 1e-13);
    }
    free(l);
}
END_TEST

/* L − G of a constant gate f = σ(b) is ln f times the distance, which ALiBi has of its slopes. */
START_TEST(constant_gates_and_the_linear_form_are_alibi) {
    double g[N * N], a[N * N];
    as_pair alibi = make_pair("alibi:form=causal", N, N);
    double *expected = logits_of(&alibi, a);
    as_pair linear = make_pair("grape_a:form=linear", N, N);
    as_pair twice = make_pair("grape_a:form=linear,omega=2", N, N);
    /* ln σ(b) = −1/8, the slope of head 2 of 8. */
    as_pair gates = make_pair("fox:std=0,bias_init=2.016290584763201", N, N);
    ck_assert_uint_eq(as_scheme_traits(&gates.scheme, &gates.head), AS_TRAIT_TOEPLITZ);
    ck_assert_uint_eq(as_scheme_traits(&linear.scheme, &linear.head), AS_TRAIT_TOEPLITZ);
    double *l = logits_of(&linear, NULL), *two = logits_of(&twice, NULL);
    double *f = logits_of(&gates, g);
    ck_assert_mem_eq(g, a, sizeof g);
    assert_same(l, expected, 1e-12);
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            size_t at = i * N + j;
            assert_near(two[at] - g[at], 2 * (l[at] - g[at]), 1e-12);
            assert_near(f[at], j <= i ? expected[at] : g[at], 1e-12);
        }
    }
    free(expected);
    free(l);
    free(two);
    free(f);
    as_scheme s;
    assert_ok(as_scheme_parse("fox", &s));
    ck_assert_uint_eq(as_scheme_traits(&s, &(as_head){.causal = true}), 0);
    assert_ok(as_scheme_parse("fox:std=0,rope=true", &s));
    ck_assert_uint_eq(as_scheme_traits(&s, &(as_head){.causal = true}), 0);
}
END_TEST

/* Gates that are shut or open beyond what a double holds. */
START_TEST(gates_do_not_overflow) {
    as_pair shut = make_pair("fox:std=0,bias_init=-700", N, N);
    double g[N * N], *l = logits_of(&shut, g);
    assert_near(l[N * (N - 1)] - g[N * (N - 1)], -700.0 * (N - 1), 1e-8);
    free(l);
    as_pair open = make_pair("fox:std=0,bias_init=700", N, N);
    l = logits_of(&open, g);
    assert_same(l, g, 1e-15);
    free(l);
    static const char *const schemes[] = {"cope", "fox", "grape_a", "pope", "selective_rope"};
    for (size_t s = 0; s < 5; s++) {
        as_pair large = make_pair(schemes[s], 13, 13);
        for (size_t i = 0; i < 13 * D; i++) {
            large.q.data[i] *= 1e100;
            large.k.data[i] *= 1e100;
        }
        l = logits_of(&large, NULL);
        ck_assert_msg(as_all_finite(l, 13 * 13), "%s", schemes[s]);
        free(l);
    }
    as_pair broken = make_pair("cope", 13, 13);
    broken.q.data[0] = NAN;
    l = logits_of(&broken, NULL);
    ck_assert(isnan(l[0]) && isfinite(l[13]));
    free(l);
}
END_TEST

/* Numbers of the reference of the catalogue of encodings (numpy), unscaled. */
START_TEST(pope_is_the_reference) {
    static const double golden[3] = {5.9294488096, 4.8521521287, 5.0157825649};
    static const double q0[D] = {1.764052345967664,   0.40015720836722329, 0.9787379841057392,
                                 2.2408931992014578,  1.8675579901499675,  -0.97727787987641102,
                                 0.95008841752558937, -0.15135720829769789};
    static const double k[3 * D] = {
        -1.6138978475579515,  -0.21274028021396871, -0.89546656119367563,  0.38690249785926201,
        -0.51080513756887302, -1.1806321841224121,  -0.028182228338654868, 0.42833187053041766,
        0.066517222383167887, 0.30247189773978139,  -0.63432209368096359,  -0.36274116598713813,
        -0.67246044777595104, -0.35955316154054129, -0.81314628204445405,  -1.7262826023316769,
        0.17742614225375283,  -0.40178093620826189, -1.6301983469660446,   0.46278225552577418,
        -0.90729836438324218, 0.051945395796138952, 0.72909056217753687,   0.12898291075741067};
    as_pair pair = make_pair("pope", 3, 3);
    memcpy(pair.q.data, q0, sizeof q0);
    memcpy(pair.k.data, k, sizeof k);
    pair.scale = 1;
    double g[9], *l = logits_of(&pair, g);
    for (size_t j = 0; j < 3; j++) {
        assert_near(l[j], golden[j], 0.5001e-10);
        double content = 0;
        for (size_t c = 0; c < D; c++) {
            content += log1p(exp(q0[c])) * log1p(exp(k[j * D + c]));
        }
        assert_near(g[j], content, 1e-13);
    }
    assert_near(l[0], g[0], 1e-13); /* at the same position all cosines are 1 */
    free(l);
}
END_TEST

/* Untrained GRAPE-M is RoPE with positions that count down; trained it takes its frequencies. */
START_TEST(grape_m_is_rope_in_the_other_direction) {
    double down[N], log_freq[4], *rope, *l;
    for (size_t i = 0; i < N; i++) {
        down[i] = -(double)i;
    }
    as_pair pair = make_pair("rope:layout=half", N, N);
    pair.head.query_positions = pair.head.key_positions = down;
    rope = logits_of(&pair, NULL);
    l = logits_with("grape_m", NULL, 0);
    assert_same(l, rope, 1e-12);
    double *same = logits_with("rope:layout=half", NULL, 0), apart = 0;
    for (size_t i = 0; i < N * N; i++) {
        apart = fmax(apart, fabs(same[i] - l[i]));
    }
    ck_assert(apart > 0.1);
    free(same);
    for (size_t f = 0; f < 4; f++) {
        log_freq[f] = -(double)f / 4 * log(1e4);
    }
    const as_parameters table = {"log_freq", 1, {4}, log_freq};
    double *trained = logits_with("grape_m:base=2,file=f", &table, 1);
    assert_same(trained, rope, 1e-12);
    free(trained);
    free(rope);
    free(l);
}
END_TEST

/* Tokens that all add 1 to the phase. */
START_TEST(selective_rope_with_linear_phases_is_rope) {
    double zero[D * 4] = {0};
    const as_parameters tables[] = {{"down", 2, {1, D}, zero},
                                    {"up", 2, {D / 2, 1}, zero},
                                    {"conv", 2, {D / 2, 4}, zero},
                                    {"phi_bias", 1, {D / 2}, zero}};
    double *l = logits_with("selective_rope:use_bias=true,file=f", tables, 4);
    double *rope = logits_with("rope:layout=half,base=500000", NULL, 0);
    assert_same(l, rope, 1e-12);
    free(rope);
    free(l);
    as_pair none = make_pair("selective_rope:file=f", N, N);
    none.head.tables = tables;
    none.head.table_count = 4;
    double g[N * N];
    l = logits_of(&none, g);
    assert_same(l, g, 1e-13); /* nothing turns */
    free(l);
}
END_TEST

START_TEST(unmasked_heads_have_the_schemes_that_look_both_ways) {
    static const char *const schemes[] = {"pope", "selective_rope", "grape_m"};
    for (size_t s = 0; s < 3; s++) {
        as_pair masked = make_pair(schemes[s], 13, 13), unmasked = make_pair(schemes[s], 13, 13);
        unmasked.head.causal = false;
        double *a = logits_of(&masked, NULL), *b = logits_of(&unmasked, NULL);
        ck_assert_mem_eq(a, b, 13 * 13 * sizeof *a);
        free(a);
        free(b);
    }
}
END_TEST

START_TEST(files_that_do_not_fit_are_refused) {
    double x[D * 5] = {0}, bad[D] = {0, INFINITY}, high[D / 2] = {0, 1000};
    const as_parameters e = {"pos_emb", 2, {D, 5}, x}, odd = {"pos_emb", 2, {D - 1, 5}, x};
    const as_parameters infinite = {"", 1, {D}, bad}, large = {"", 1, {D / 2}, high};
    const as_parameters five = {"delta", 1, {5}, x};
    const as_parameters two[] = {{"w", 1, {D}, x}, {"v", 1, {D}, x}};
    const struct {
        const char *scheme;
        const as_parameters *tables;
        size_t count;
        const char *message;
    } wrong[] = {
        {"cope:file=f", NULL, 0, "f holds no array named pos_emb"},
        {"cope:file=f", &odd, 1, "f: pos_emb is 7 × 5, but 8 × * is needed"},
        {"cope:file=f,npos_max=6", &e, 1, "f: pos_emb is 8 × 5, but 8 × 6 is needed"},
        {"fox:file=f", &infinite, 1, "f: w holds a number that is not finite"},
        {"pope:file=f", &five, 1, "f: delta is 5, but 8 is needed"},
        {"grape_m:file=f", &large, 1, "f: log_freq 1 is 1000, whose exponential overflows"},
        {"selective_rope:file=f", two, 2, "f holds no array named down"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_pair pair = make_pair(wrong[i].scheme, N, N);
        pair.head.tables = wrong[i].tables;
        pair.head.table_count = wrong[i].count;
        as_matrix g = {0}, l = {0};
        assert_fails(as_couple(&pair, &g, &l), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i].message) != NULL, "%s", as_message());
        as_matrix_free(&g);
        as_matrix_free(&l);
        as_pair_free(&pair);
    }
}
END_TEST

/* Phases as models round them are those of the rotation: near, and not the same. */
START_TEST(phases_are_rounded_as_asked) {
    static const char *const schemes[] = {"pope", "selective_rope", "fox:rope=true", "grape_a"};
    for (size_t s = 0; s < 4; s++) {
        double *l[3];
        for (int phase = 0; phase < 3; phase++) {
            as_pair pair = make_pair(schemes[s], 13, 13);
            pair.head.phase = (as_phase)phase;
            l[phase] = logits_of(&pair, NULL);
        }
        for (size_t i = 0; i < 13 * 13; i++) {
            assert_near(l[1][i], l[0][i], 1e-4);
            assert_near(l[2][i], l[0][i], 0.5);
        }
        ck_assert_mem_ne(l[0], l[1], 13 * 13 * sizeof(double));
        ck_assert_mem_ne(l[1], l[2], 13 * 13 * sizeof(double));
        for (size_t phase = 0; phase < 3; phase++) {
            free(l[phase]);
        }
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, numpy_says_the_same);
    tcase_add_test(t, parameters_are_drawn_from_streams_of_their_own);
    tcase_add_test(t, shorter_and_rectangular_heads_are_parts_of_the_square);
    tcase_add_test(t, cope_counts_in_halves_where_all_gates_are_half_open);
    tcase_add_test(t, constant_gates_and_the_linear_form_are_alibi);
    tcase_add_test(t, gates_do_not_overflow);
    tcase_add_test(t, pope_is_the_reference);
    tcase_add_test(t, grape_m_is_rope_in_the_other_direction);
    tcase_add_test(t, selective_rope_with_linear_phases_is_rope);
    tcase_add_test(t, unmasked_heads_have_the_schemes_that_look_both_ways);
    tcase_add_test(t, files_that_do_not_fit_are_refused);
    tcase_add_test(t, phases_are_rounded_as_asked);
}

AS_TEST_MAIN("scheme_content")
