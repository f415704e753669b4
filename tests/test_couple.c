/* Coupling, and the pairing of q and k: by hand, by identities, and by what must be refused. */
#define _GNU_SOURCE /* mkstemp */
#include "support.h"

#include "npy_file.h"

#include <float.h>
#include <stdio.h>
#include <string.h>

/* Fixed numbers without pattern, in (−1, 1). */
static void fill(double *x, size_t count, uint64_t state) {
    for (size_t i = 0; i < count; i++) {
        state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        x[i] = (double)(state >> 11) * 0x1p-52 - 1;
    }
}

static as_pair make_pair(const char *scheme, size_t rows, size_t cols, size_t dim, bool causal) {
    as_pair pair = {.head = {.head = 1, .heads = 4, .causal = causal}};
    assert_ok(as_scheme_parse(scheme, &pair.scheme));
    assert_ok(as_matrix_resize(&pair.q, rows, dim));
    assert_ok(as_matrix_resize(&pair.k, cols, dim));
    fill(pair.q.data, rows * dim, 1);
    fill(pair.k.data, cols * dim, 2);
    return pair;
}

/* Σ_c q[i][c] k[j][c]·scale */
static double product(const as_pair *pair, size_t i, size_t j) {
    double sum = 0;
    for (size_t c = 0; c < pair->q.cols; c++) {
        sum += pair->q.data[i * pair->q.cols + c] * pair->k.data[j * pair->q.cols + c];
    }
    return sum * pair->scale;
}

static const size_t sizes[] = {1, 13, 37};

/* The scheme's name, with a width where tokens must make an image. */
static const char *on_any_size(const as_scheme_type *type, char *text, size_t size) {
    const as_param *p = type->params;
    while (p->key != NULL && strcmp(p->key, "width") != 0) {
        p++;
    }
    snprintf(text, size, "%s%s", type->name, p->key != NULL ? ":width=3" : "");
    return text;
}

/* Whatever a scheme's means are, logits less content is what they say entry by entry, and content
 * is q·k·scale. */
START_TEST(every_scheme_does_what_its_means_say) {
    const as_scheme_type *type = as_scheme_list((size_t)_i);
    for (size_t s = 0; s < 6; s++) {
        size_t n = sizes[s % 3], dim = 12;
        char text[64];
        as_pair pair = make_pair(on_any_size(type, text, sizeof text), n, n, dim, s >= 3);
        as_matrix content = {0}, coupled = {0};
        as_head unmasked = {.heads = 4, .rows = n, .cols = n, .dim = dim};
        bool numbers = strcmp(type->name, "toeplitz") != 0 && strcmp(type->name, "relative") != 0;
        if (!numbers || (s < 3 && as_scheme_check(&pair.scheme, &unmasked) != AS_OK)) {
            assert_fails(as_couple(&pair, &content, &coupled),
                         AS_EINVAL); /* without numbers, or causal only */
            as_pair_free(&pair);
            continue;
        }
        double *mean = calloc(n * n, sizeof *mean);
        assert_ok(as_couple(&pair, &content, &coupled));
        const as_head *head = &pair.head;
        if (type->bias != NULL) {
            assert_ok(type->bias(&pair.scheme, head, mean));
        } else if (type->kernel != NULL) {
            assert_ok(type->kernel(&pair.scheme, head, mean));
        }
        for (size_t i = 0; i < n; i++) {
            for (size_t j = 0; j < n; j++) {
                double g = content.data[i * n + j], l = coupled.data[i * n + j];
                double m = mean[i * n + j], bound = 100 * DBL_EPSILON * (1 + fabs(g) + fabs(m));
                /* PoPE's content is of softplus(q) and softplus(k). */
                if (strcmp(type->name, "pope") != 0) {
                    assert_near(g, product(&pair, i, j), bound);
                }
                if (type->bias != NULL) {
                    assert_near(l - g, m, bound);
                } else if (type->kernel != NULL) {
                    assert_near(l, g * m, bound);
                } else if (type->kind == AS_CLASS_NONE) {
                    ck_assert(l == g);
                } else if (pair.rotation.count > 0 && i == j) {
                    assert_near(l, g, 1000 * bound); /* the same position: no rotation between */
                }
            }
        }
        free(mean);
        as_matrix_free(&content);
        as_matrix_free(&coupled);
        as_pair_free(&pair);
    }
}
END_TEST

/* (Q+P)(K+P)ᵀ = cc + cp + pc + pp. */
START_TEST(absolute_schemes_have_four_terms) {
    enum { N = 13, D = 8 };
    as_pair pair = make_pair("sinusoidal", N, N, D, false);
    as_matrix content = {0}, coupled = {0};
    double p[N * D];
    assert_ok(as_couple(&pair, &content, &coupled));
    assert_ok(pair.scheme.type->embed(&pair.scheme, &pair.head, AS_KEYS, p));
    for (size_t i = 0; i < N; i++) {
        for (size_t j = 0; j < N; j++) {
            double rest = 0;
            for (size_t c = 0; c < D; c++) {
                rest += pair.q.data[i * D + c] * p[j * D + c] +
                        p[i * D + c] * (pair.k.data[j * D + c] + p[j * D + c]);
            }
            assert_near(coupled.data[i * N + j], content.data[i * N + j] + rest * pair.scale,
                        1e-13);
        }
    }
    as_matrix_free(&content);
    as_matrix_free(&coupled);
    as_pair_free(&pair);
}
END_TEST

/* Half-split on x equals interleaved on x with its dimensions permuted (0, d/2, 1, d/2+1, …). */
START_TEST(layouts_are_a_permutation_apart) {
    enum { N = 37, D = 8 };
    as_pair half = make_pair("rope:layout=half", N, N, D, false);
    as_pair inter = make_pair("rope:layout=interleaved", N, N, D, false);
    for (size_t i = 0; i < N; i++) {
        for (size_t c = 0; c < D; c++) {
            size_t from = c % 2 * (D / 2) + c / 2;
            inter.q.data[i * D + c] = half.q.data[i * D + from];
            inter.k.data[i * D + c] = half.k.data[i * D + from];
        }
    }
    as_matrix g[2] = {{0}}, l[2] = {{0}};
    assert_ok(as_couple(&half, &g[0], &l[0]));
    assert_ok(as_couple(&inter, &g[1], &l[1]));
    double apart = 0;
    for (size_t i = 0; i < N * N; i++) {
        assert_near(l[0].data[i], l[1].data[i], 1e-12);
        apart = fmax(apart, fabs(l[0].data[i] - g[0].data[i]));
    }
    ck_assert(apart > 0.1);
    for (size_t i = 0; i < 2; i++) {
        as_matrix_free(&g[i]);
        as_matrix_free(&l[i]);
    }
    as_pair_free(&half);
    as_pair_free(&inter);
}
END_TEST

/* The last query stands at the last key: the last rows of a square are the rectangle. */
START_TEST(fewer_queries_stand_at_the_last_keys) {
    static const char *const schemes[] = {"rope", "alibi:form=symmetric", "sinusoidal", "t5"};
    enum { N = 13, ROWS = 5, D = 8 };
    for (size_t s = 0; s < 4; s++) {
        as_pair square = make_pair(schemes[s], N, N, D, false);
        as_pair part = make_pair(schemes[s], ROWS, N, D, false);
        memcpy(part.q.data, square.q.data + (N - ROWS) * D, ROWS * D * sizeof(double));
        as_matrix g = {0}, whole = {0}, some = {0};
        assert_ok(as_couple(&square, &g, &whole));
        assert_ok(as_couple(&part, &g, &some));
        for (size_t i = 0; i < ROWS * N; i++) {
            assert_near(some.data[i], whole.data[(N - ROWS) * N + i], 1e-12);
        }
        as_matrix_free(&g);
        as_matrix_free(&whole);
        as_matrix_free(&some);
        as_pair_free(&square);
        as_pair_free(&part);
    }
}
END_TEST

START_TEST(what_was_rotated_is_turned_back) {
    enum { N = 37, D = 8 };
    as_pair pair = make_pair("rope:base=100", N, N, D, false), saved = pair;
    saved.q = saved.k = (as_matrix){0};
    saved.room = NULL;
    saved.room_size = 0;
    assert_ok(as_matrix_resize(&saved.q, N, D));
    assert_ok(as_matrix_resize(&saved.k, N, D));
    memcpy(saved.q.data, pair.q.data, N * D * sizeof(double));
    memcpy(saved.k.data, pair.k.data, N * D * sizeof(double));
    assert_ok(as_pair_describe(&saved));
    as_rotate(&saved.rotation, &saved.head, AS_QUERIES, false, saved.q.data);
    as_rotate(&saved.rotation, &saved.head, AS_KEYS, false, saved.k.data);
    ck_assert(fabs(saved.q.data[N * D - 1] - pair.q.data[N * D - 1]) > 1e-3);
    assert_ok(as_pair_unrotate(&saved));
    for (size_t i = 0; i < N * D; i++) {
        assert_near(saved.q.data[i], pair.q.data[i], 1e-14);
        assert_near(saved.k.data[i], pair.k.data[i], 1e-14);
    }
    as_pair_free(&pair);
    as_pair_free(&saved);
}
END_TEST

START_TEST(undefined_heads_are_refused) {
    as_pair odd = make_pair("rope", 3, 3, 5, false);
    as_matrix g = {0}, l = {0};
    assert_fails(as_couple(&odd, &g, &l), AS_EINVAL);
    as_pair unequal = make_pair("nope", 3, 3, 4, false);
    assert_ok(as_matrix_resize(&unequal.k, 2, 6));
    assert_fails(as_couple(&unequal, &g, &l), AS_EINVAL);
    as_pair_free(&odd);
    as_pair_free(&unequal);
}
END_TEST

/* ---- q and k from files ------------------------------------------------------------------------ */

typedef struct files {
    char q[64], k[64];
    const char *queries[1], *keys[1];
} files;

static void save(files *f, size_t rank, const size_t *q_shape, const size_t *k_shape,
                 const double *q, const double *k) {
    size_t counts[2] = {1, 1};
    for (size_t i = 0; i < rank; i++) {
        counts[0] *= q_shape[i];
        counts[1] *= k_shape[i];
    }
    temporary_file(f->q);
    temporary_file(f->k);
    write_npy(f->q, "<f8", 0, rank, q_shape, q, counts[0] * sizeof *q);
    write_npy(f->k, "<f8", 0, rank, k_shape, k, counts[1] * sizeof *k);
    f->queries[0] = f->q;
    f->keys[0] = f->k;
}

static as_source_options options_of(const files *f) {
    return (as_source_options){
        .queries = f->queries, .query_count = 1, .keys = f->keys, .key_count = 1, .scale = 1};
}

static void discard(const files *f) {
    unlink(f->q);
    unlink(f->k);
}

/* Four query heads, two key heads, one position, one dimension: 10, 10, 20, 20, not 10, 20, 10, 20. */
START_TEST(key_heads_are_repeated_by_group) {
    files f;
    save(&f, 3, (size_t[]){4, 1, 1}, (size_t[]){2, 1, 1}, (double[]){1, 1, 1, 1},
         (double[]){10, 20});
    as_source_options options = options_of(&f);
    as_source *source;
    assert_ok(as_source_open(NULL, 0, &options, &source));
    ck_assert_uint_eq(as_source_count(source), 4);
    as_loaded l = {0};
    for (size_t h = 0; h < 4; h++) {
        assert_ok(as_source_load(source, h, &l));
        ck_assert(l.logits.a.data[0] == (h < 2 ? 10 : 20));
        ck_assert(l.has_baseline && l.relation == AS_RELATION_IDENTICAL);
        ck_assert_str_eq(as_source_item(source, h)->scheme, "nope");
    }
    as_loaded_free(&l);
    as_source_close(source);
    discard(&f);
}
END_TEST

static void assert_refused(const files *f, const as_source_options *options, const char *first,
                           const char *second) {
    as_source *source = NULL;
    assert_fails(as_source_open(NULL, 0, options, &source), AS_EINVAL);
    ck_assert_msg(strstr(as_message(), first) != NULL, "%s", as_message());
    ck_assert_msg(strstr(as_message(), second) != NULL, "%s", as_message());
    discard(f);
}

START_TEST(heads_that_do_not_divide_are_refused_with_both_numbers) {
    double zeros[64] = {0};
    files f;
    save(&f, 3, (size_t[]){3, 2, 2}, (size_t[]){2, 2, 2}, zeros, zeros);
    as_source_options options = options_of(&f);
    assert_refused(&f, &options, "3 query heads", "2 key heads");
    save(&f, 2, (size_t[]){2, 3}, (size_t[]){2, 4}, zeros, zeros);
    options = options_of(&f);
    assert_refused(&f, &options, "head size 3", "has 4");
    save(&f, 4, (size_t[]){2, 1, 2, 2}, (size_t[]){3, 1, 2, 2}, zeros, zeros);
    options = options_of(&f);
    as_source *source;
    assert_ok(
        as_source_open(NULL, 0, &options, &source)); /* layer 2 of the keys is not asked for */
    ck_assert_uint_eq(as_source_count(source), 2);
    as_source_close(source);
    discard(&f);
    save(&f, 4, (size_t[]){3, 1, 2, 2}, (size_t[]){2, 1, 2, 2}, zeros, zeros);
    options = options_of(&f);
    assert_refused(&f, &options, "layer 2", "no key has");
}
END_TEST

/* [5, 4, 2] and [5, 2, 2]: five heads of 4 and 2 positions, or 4 and 2 heads of five positions. */
START_TEST(axes_that_can_be_read_two_ways_are_shown) {
    double numbers[64];
    fill(numbers, 64, 3);
    files f;
    save(&f, 3, (size_t[]){5, 4, 2}, (size_t[]){5, 2, 2}, numbers, numbers);
    as_source_options options = options_of(&f);
    assert_refused(&f, &options, "--query-axes", "position,head,dim");
    save(&f, 3, (size_t[]){5, 4, 2}, (size_t[]){5, 2, 2}, numbers, numbers);
    options = options_of(&f);
    options.query_axes = options.key_axes = "position,head,dim";
    as_source *source;
    assert_ok(as_source_open(NULL, 0, &options, &source));
    ck_assert_uint_eq(as_source_count(source), 4);
    as_loaded l = {0};
    assert_ok(as_source_load(source, 3, &l));
    ck_assert(l.logits.a.rows == 5 && l.logits.a.cols == 5);
    /* q of position 4, head 3; k of position 1, key head 1. */
    const double *q = numbers + (4 * 4 + 3) * 2, *k = numbers + (1 * 2 + 1) * 2;
    assert_near(l.logits.a.data[4 * 5 + 1], q[0] * k[0] + q[1] * k[1], 1e-15);
    as_source_close(source);
    discard(&f);
    save(&f, 3, (size_t[]){5, 4, 2}, (size_t[]){5, 2, 2}, numbers, numbers);
    options = options_of(&f);
    options.query_axes = options.key_axes = "head,position,dim"; /* said: rectangular, then */
    assert_ok(as_source_open(NULL, 0, &options, &source));
    ck_assert_uint_eq(as_source_count(source), 5);
    ck_assert_uint_eq(as_source_item(source, 0)->cols, 2);
    as_source_close(source);
    as_loaded_free(&l);
    discard(&f);
}
END_TEST

/* --mask causal masks both matrices of a pair; without it they are unmasked. */
START_TEST(pairs_are_masked_only_when_asked) {
    double numbers[12];
    fill(numbers, 12, 5);
    files f;
    save(&f, 2, (size_t[]){3, 4}, (size_t[]){3, 4}, numbers, numbers);
    as_source_options options = options_of(&f);
    as_scheme rope;
    assert_ok(as_scheme_parse("rope", &rope));
    options.schemes = &rope;
    options.scheme_count = 1;
    for (int causal = 0; causal < 2; causal++) {
        options.mask.kind = causal ? AS_MASK_CAUSAL : AS_MASK_AUTO;
        as_source *source;
        as_loaded l = {0};
        assert_ok(as_source_open(NULL, 0, &options, &source));
        assert_ok(as_source_load(source, 0, &l));
        ck_assert_int_eq(l.logits.mask.kind, causal ? AS_MASK_CAUSAL : AS_MASK_NONE);
        ck_assert_uint_eq(l.logits.masked_count, causal ? 3 : 0);
        ck_assert_uint_eq(l.baseline.masked_count, causal ? 3 : 0);
        ck_assert((l.logits.a.data[2] == 0) == causal);
        ck_assert(l.logits.epsilon == 0 && l.has_pair && l.pair.rotation.count == 2);
        as_loaded_free(&l);
        as_source_close(source);
    }
    discard(&f);
}
END_TEST

/* What is not unmasked is causal to a scheme's `auto`, a prefix too. */
START_TEST(every_mask_but_none_is_causal_to_auto) {
    static const char *const words[] = {"none", "causal", "window:2", "prefix:1"};
    double numbers[12];
    fill(numbers, 12, 5);
    for (size_t w = 0; w < 4; w++) {
        files f;
        save(&f, 2, (size_t[]){3, 4}, (size_t[]){3, 4}, numbers, numbers);
        as_source_options options = options_of(&f);
        as_scheme alibi;
        assert_ok(as_scheme_parse("alibi", &alibi));
        assert_ok(as_mask_parse(words[w], &options.mask));
        options.schemes = &alibi;
        options.scheme_count = 1;
        as_source *source;
        as_loaded l = {0};
        assert_ok(as_source_open(NULL, 0, &options, &source));
        assert_ok(as_source_load(source, 0, &l));
        ck_assert_int_eq(l.pair.head.causal, w > 0);
        ck_assert_int_eq(as_mask_hides(options.mask), w > 0);
        as_loaded_free(&l);
        as_source_close(source);
        discard(&f);
    }
}
END_TEST

/* A baseline of one's own takes the matrix's mask. */
START_TEST(baselines_are_paired_and_masked_alike) {
    const double inf = INFINITY;
    char a[64], b[64];
    temporary_file(a);
    temporary_file(b);
    write_npy(a, "<f8", 0, 3, (size_t[]){2, 2, 2}, (double[]){1, -inf, 2, 3, 4, -inf, 5, 6}, 64);
    write_npy(b, "<f8", 0, 3, (size_t[]){2, 2, 2}, (double[]){1, 9, 1, 1, 2, 9, 2, 2}, 64);
    const char *inputs[] = {a}, *baselines[] = {b};
    as_source_options options = {.baselines = baselines, .baseline_count = 1};
    as_source *source;
    as_loaded l = {0};
    assert_ok(as_source_open(inputs, 1, &options, &source));
    ck_assert_uint_eq(as_source_count(source), 2);
    assert_ok(as_source_load(source, 1, &l));
    ck_assert(l.has_baseline && l.baseline.a.data[0] == 2 && l.baseline.a.data[1] == 0);
    ck_assert_str_eq(l.baseline_name, "file");
    as_source_close(source);
    /* The plain product of q and k of one's own: (1, 2)·(3, 4) = 11. */
    double q[8] = {0, 0, 0, 0, 1, 2, 1, 2}, k[8] = {0, 0, 0, 0, 3, 4, 5, 6};
    char qs[64], ks[64];
    temporary_file(qs);
    temporary_file(ks);
    write_npy(qs, "<f8", 0, 3, (size_t[]){2, 2, 2}, q, sizeof q);
    write_npy(ks, "<f8", 0, 3, (size_t[]){2, 2, 2}, k, sizeof k);
    const char *queries[] = {qs}, *keys[] = {ks};
    as_source_options product_options = {.scale = 1,
                                         .baseline_queries = queries,
                                         .baseline_query_count = 1,
                                         .baseline_keys = keys,
                                         .baseline_key_count = 1};
    assert_ok(as_source_open(inputs, 1, &product_options, &source));
    assert_ok(as_source_load(source, 1, &l));
    ck_assert(l.has_baseline && l.baseline.a.data[0] == 11 && l.baseline.a.data[1] == 0);
    ck_assert(l.baseline.a.data[3] == 17);
    as_source_close(source);
    unlink(qs);
    unlink(ks);
    write_npy(b, "<f8", 0, 2, (size_t[]){1, 2}, (double[]){1, 9}, 16);
    assert_fails(as_source_open(inputs, 1, &options, &source), AS_EINVAL);
    as_loaded_free(&l);
    unlink(a);
    unlink(b);
}
END_TEST

static void cases(TCase *t) {
    int schemes = 0;
    while (as_scheme_list((size_t)schemes) != NULL) {
        schemes++;
    }
    tcase_add_loop_test(t, every_scheme_does_what_its_means_say, 0, schemes);
    tcase_add_test(t, absolute_schemes_have_four_terms);
    tcase_add_test(t, layouts_are_a_permutation_apart);
    tcase_add_test(t, fewer_queries_stand_at_the_last_keys);
    tcase_add_test(t, what_was_rotated_is_turned_back);
    tcase_add_test(t, undefined_heads_are_refused);
    tcase_add_test(t, key_heads_are_repeated_by_group);
    tcase_add_test(t, heads_that_do_not_divide_are_refused_with_both_numbers);
    tcase_add_test(t, axes_that_can_be_read_two_ways_are_shown);
    tcase_add_test(t, pairs_are_masked_only_when_asked);
    tcase_add_test(t, every_mask_but_none_is_causal_to_auto);
    tcase_add_test(t, baselines_are_paired_and_masked_alike);
}

AS_TEST_MAIN("couple")
