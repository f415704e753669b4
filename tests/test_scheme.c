/* The scheme room: what every row of the table promises, and what it refuses. */
#include "support.h"

#include <float.h>
#include <string.h>

static const size_t sizes[][2] = {{1, 1}, {13, 13}, {37, 37}, {5, 13}, {1, 37}, {13, 5}};
enum { SIZES = sizeof sizes / sizeof *sizes, MOST = 37, DIM = 24 };

/* Every scheme at its defaults, and every form that has a formula of its own. */
static const char *const variants[] = {"nope",
                                       "sinusoidal",
                                       "learned",
                                       "random",
                                       "alibi",
                                       "t5",
                                       "kerple",
                                       "sandwich",
                                       "fire",
                                       "shaw",
                                       "transformer_xl",
                                       "toeplitz",
                                       "rope",
                                       "rope_hadamard",
                                       "mla",
                                       "sinusoidal:layout=t2t",
                                       "learned:initializer_range=1",
                                       "alibi:form=causal",
                                       "alibi:form=symmetric",
                                       "alibi:form=row",
                                       "alibi:slopes=geometric",
                                       "alibi:slopes=gu2025",
                                       "t5:bidirectional=true",
                                       "t5:bidirectional=false,num_buckets=7",
                                       "kerple:form=power",
                                       "kerple:p=1,a=0.5",
                                       "sandwich:d_bar=128",
                                       "fire:L=8,eps=0",
                                       "random:initializer_range=0.02",
                                       "rope:layout=half",
                                       "rope:rotary_fraction=0.5",
                                       "rope:rotary_fraction=0",
                                       "rope:base=500000",
                                       "rope_hadamard:base=1",
                                       "rope_hadamard:base=100",
                                       "mla:qk_rope_head_dim=24",
                                       "mla:qk_nope_head_dim=20",
                                       "mla:mscale_all_dim=0,scaling=yarn",
                                       "rope:scaling=linear,factor=4",
                                       "rope:scaling=ntk,factor=4",
                                       "rope:scaling=dynamic,factor=2,max_position_embeddings=8",
                                       "rope:scaling=yarn,factor=4,max_position_embeddings=64",
                                       "rope:scaling=llama3",
                                       "rope:scaling=proportional,rotary_fraction=0.3",
                                       "rope:rotary_heads=2",
                                       "xpos",
                                       "xpos:layout=half,gamma=1",
                                       "rope_axial:width=3",
                                       "rope_axial:width=2,leading=1",
                                       "rope_mixed:width=3",
                                       "cope",
                                       "fox",
                                       "pope",
                                       "selective_rope",
                                       "grape_m",
                                       "grape_m:base=100",
                                       "grape_a",
                                       "grape_a:form=linear"};
enum { VARIANTS = sizeof variants / sizeof *variants };

static as_scheme scheme(const char *text) {
    as_scheme s = {.type = NULL};
    assert_ok(as_scheme_parse(text, &s));
    return s;
}

static as_head head_of(size_t rows, size_t cols, size_t dim) {
    return (as_head){.head = 2, .heads = 8, .rows = rows, .cols = cols, .dim = dim, .seed = 5};
}

/* Bias or kernel, whichever the scheme has; false where it has none. */
static bool fill(const as_scheme *s, const as_head *head, double *out) {
    if (s->type->bias == NULL && s->type->kernel == NULL) {
        return false;
    }
    assert_ok((s->type->bias != NULL ? s->type->bias : s->type->kernel)(s, head, out));
    return true;
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

START_TEST(every_row_of_the_table_is_documented_and_reads_its_own_text) {
    const as_scheme_type *type;
    size_t count = 0;
    for (; (type = as_scheme_list(count)) != NULL; count++) {
        as_scheme s = scheme(type->name);
        ck_assert_ptr_eq(s.type, type);
        ck_assert_str_ne(type->summary, "");
        ck_assert_str_ne(type->reference, "");
        ck_assert_str_ne(as_scheme_class_name(type->kind), "unknown");
        char *text = as_scheme_text(&s);
        ck_assert_str_eq(text, type->name);
        free(text);
        if (type->aliases != NULL && strchr(type->aliases, '|') == NULL) {
            ck_assert_ptr_eq(scheme(type->aliases).type, type);
        }
        size_t p = 0;
        for (; type->params[p].key != NULL; p++) {
            const as_param *param = &type->params[p];
            ck_assert_str_ne(param->meaning, "");
            ck_assert(param->type == AS_PARAM_CHOICE
                          ? param->choices != NULL
                          : param->type == AS_PARAM_TEXT || param->low < param->high);
        }
        ck_assert_uint_le(p, AS_PARAMS_MAX);
        if (type->kind == AS_CLASS_NONE) {
            ck_assert(!type->bias && !type->embed && !type->rotation && !type->kernel &&
                      !type->logits);
        } else {
            ck_assert(type->bias || type->embed || type->rotation || type->kernel || type->logits ||
                      type->learning);
        }
    }
    ck_assert_uint_eq(count, 25);
    ck_assert_str_eq(as_scheme_class_name(AS_SCHEME_CLASS_COUNT), "unknown");
    ck_assert_str_eq(as_scheme_trait_name(AS_TRAIT_LOW_RANK), "low_rank");
    ck_assert_str_eq(as_scheme_trait_name(3), "unknown");
}
END_TEST

START_TEST(texts_go_round) {
    static const char *const texts[][2] = {
        {"rope:rope_theta=500000,layout=half", "rope:layout=half,base=500000"},
        {"rotary:partial_rotary_factor=0.25,scaling=none", "rope:rotary_fraction=0.25"},
        {"alibi:slopes=authors,form=row", "alibi:form=row"},
        {"mla:qk_rope_head_dim=64,qk_nope_head_dim=128",
         "mla:qk_nope_head_dim=128,qk_rope_head_dim=64"},
        {"t5:relative_attention_num_buckets=16", "t5:num_buckets=16"},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        as_scheme s = scheme(texts[i][0]);
        char *text = as_scheme_text(&s);
        ck_assert_str_eq(text, texts[i][1]);
        as_scheme again = scheme(text);
        for (size_t p = 0; s.type->params[p].key != NULL; p++) {
            ck_assert(s.value[p] == again.value[p] || (isnan(s.value[p]) && isnan(again.value[p])));
        }
        free(text);
    }
}
END_TEST

START_TEST(what_is_refused_says_what_is_valid) {
    static const char *const wrong[][2] = {
        {"rop",
         "there is no scheme 'rop'; valid are nope, sinusoidal, learned, random, alibi, t5, "
         "kerple, sandwich, fire, shaw, transformer_xl, toeplitz, relative, rope, rope_hadamard, "
         "mla, xpos, rope_axial, rope_mixed, cope, fox, pope, selective_rope, grape_m, grape_a; "
         "did you mean 'rope'?"},
        {"rope:base=-3", "scheme rope: base is '-3', but must be a number from 1 to 1e+12"},
        {"rope:layout=halff",
         "layout is 'halff'; valid are interleaved, half; did you mean 'half'"},
        {"rope:bsae=3", "scheme rope has no parameter 'bsae'; valid are layout, base, "
                        "rotary_fraction, rotary_heads, rotary_layers, scaling, factor, "},
        {"rope:scaling=yarm", "scaling is 'yarm'; valid are none, linear, ntk, dynamic, yarn, "
                              "llama3, longrope, proportional; did you mean 'yarn'?"},
        {"rope:rotary_fraction=1.5", "must be a number from 0 to 1"},
        {"nope:base=3", "scheme nope has no parameters"},
        {"t5:num_buckets=1", "a whole number from 2 to 1024"},
        {"cope:npos_max=0",
         "npos_max is '0', but must be a whole number from 1 to 1000000, or auto"},
        {"fox:bias_init=701", "must be a number from -700 to 700"},
        {"fox:std=-1", "must be a number from 0 to 1e+06"},
        {"selective_rope:rank=5000", "a whole number from 1 to 4096"},
        {"selective_rope:d_conv=65", "a whole number from 1 to 64"},
        {"pope:base=0", "a number from 1 to 1e+12"},
        {"grape_m:base=0", "a number from 1 to 1e+12"},
        {"grape_a:omega=-1", "a number from 0 to 1e+06"},
        {"kerple:p=0", "p is '0', but must be a number from 0.01 to 1e+06, or auto"},
        {"kerple:a=-1", "must be a number from 0.01 to 1e+06"},
        {"sandwich:d_bar=0", "a whole number from 2 to 65536"},
        {"fire:c=0", "must be a number from 1e-09 to 1e+09"},
        {"fire:L=0", "must be a number from 1 to 1e+09"},
        {"fire:eps=-1", "must be a number from 0 to 1"},
        {"shaw:k=0", "a whole number from 1 to 65536"},
        {"transformer_xl:d_model=1", "a whole number from 2 to 1000000"},
        {"toeplitz:mode=times", "mode is 'times'; valid are additive, hadamard"},
        {"toeplitz:form=odd", "form is 'odd'; valid are auto, both, symmetric, causal"},
        {"t5:file=", "scheme t5: file is empty"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_scheme s = {.type = NULL};
        assert_fails(as_scheme_parse(wrong[i][0], &s), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i][1]) != NULL, "%s", as_message());
        ck_assert_ptr_null(s.type);
    }
}
END_TEST

START_TEST(heads_that_a_scheme_is_not_defined_for_are_refused) {
    static const struct {
        const char *text;
        size_t rows, cols, dim;
        const char *message;
    } wrong[] = {
        {"sinusoidal", 3, 3, 7, "scheme sinusoidal: the head size is 7"},
        {"rope", 3, 3, 7, "scheme rope: 1 of the head size 7 is 7 rotated dimensions"},
        {"rope:rotary_fraction=0.3", 3, 3, 10, "0.3 of the head size 10 is 3 rotated"},
        {"rope_hadamard", 3, 3, 7, "the head size is 7"},
        {"mla", 3, 3, 5, "5 dimensions that do not turn and 0 that do"},
        {"mla:qk_rope_head_dim=3", 3, 3, 8, "qk_rope_head_dim is 3"},
        {"mla:qk_rope_head_dim=10", 3, 3, 8, "leaves -2 dimensions"},
        {"mla:qk_rope_head_dim=4,qk_nope_head_dim=6", 3, 3, 8, "must add up to it"},
        {"t5:num_buckets=3", 3, 3, 8, "at least 4 where bidirectional"},
        {"t5:max_distance=8", 3, 3, 8, "more than the 8 distances"},
        {"learned:max_position_embeddings=4", 3, 5, 8,
         "position 4 is past the table: max_position_embeddings is 4"},
        {"learned", 5, 3, 8, "position -2, of query 0, has no row"},
        {"cope", 3, 3, 8, "scheme cope: it is defined under a causal mask only"},
        {"fox", 3, 3, 8, "scheme fox: it is defined under a causal mask only"},
        {"fox:rope=true", 3, 3, 7, "the head size is 7"},
        {"selective_rope", 3, 3, 7, "the head size is 7"},
        {"grape_m", 3, 3, 7, "the head size is 7, but planes"},
        {"grape_a", 3, 3, 8, "scheme grape_a: it is defined under a causal mask only"},
        {"grape_a:form=linear", 3, 3, 8, "under a causal mask only"},
        {"grape_a", 3, 3, 7, "the head size is 7"},
        {"grape_a:tie=query", 3, 5, 8, "but there are 3 queries for 5 keys"},
        {"random", 5, 3, 8, "scheme random: position -2, of query 0, has no row"},
        {"kerple:form=power,p=3", 3, 3, 8, "p is 3, but must be from 0.01 to 2 for form=power"},
        {"sandwich", 3, 3, 7, "scheme sandwich: the head size is 7, but must be even"},
        {"transformer_xl:d_model=5", 3, 3, 8, "d_model is 5, but sines and cosines"},
        {"toeplitz", 3, 3, 8, "scheme toeplitz: file is missing"},
        {"relative", 3, 3, 8, "scheme relative: it is for training only"},
        {"nope", 0, 3, 8, "0 queries, 3 keys and a head size of 8 make no logits"},
        {"nope", 3, 3, 0, "head size of 0"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        as_scheme s = scheme(wrong[i].text);
        as_head head = head_of(wrong[i].rows, wrong[i].cols, wrong[i].dim);
        assert_fails(as_scheme_check(&s, &head), AS_EINVAL);
        ck_assert_msg(strstr(as_message(), wrong[i].message) != NULL, "%s", as_message());
    }
    as_scheme alibi = scheme("alibi");
    as_head none = head_of(3, 3, 8);
    none.heads = none.head = 0;
    assert_fails(as_scheme_check(&alibi, &none), AS_EINVAL);
    ck_assert_str_eq(as_message(), "scheme alibi: there is no head 0 among 0");
    as_scheme learned = scheme("learned:max_position_embeddings=4");
    as_head four = head_of(4, 4, 8);
    assert_ok(as_scheme_check(&learned, &four));
    double p[40] = {7};
    four.cols = 5;
    assert_fails(learned.type->embed(&learned, &four, AS_KEYS, p), AS_EINVAL);
    ck_assert_double_eq(p[0], 7);
}
END_TEST

START_TEST(toeplitz_and_symmetric_are_kept_to_the_bit) {
    for (size_t v = 0; v < 2 * VARIANTS; v++) {
        as_scheme s = scheme(variants[v / 2]);
        bool toeplitz_seen = true, symmetric_seen = true, any = false;
        unsigned traits = ~0U; /* that every size has: some depend on how far positions go */
        for (size_t z = 0; z < SIZES; z++) {
            double b[MOST * MOST];
            size_t rows = sizes[z][0], cols = sizes[z][1];
            as_head head = head_of(rows, cols, DIM);
            head.causal = v % 2 == 1;
            unsigned promised = as_scheme_traits(&s, &head);
            bool toeplitz = true, symmetric = true;
            if (!fill(&s, &head, b)) {
                break;
            }
            any = true;
            traits &= promised;
            ck_assert(as_all_finite(b, rows * cols));
            for (size_t i = 1; i < rows; i++) {
                for (size_t k = 1; k < cols; k++) {
                    toeplitz &= b[i * cols + k] == b[(i - 1) * cols + k - 1];
                }
            }
            for (size_t i = 0; rows == cols && i < rows * cols; i++) {
                symmetric &= b[i] == b[i % cols * cols + i / cols];
            }
            ck_assert_msg(toeplitz || (promised & AS_TRAIT_TOEPLITZ) == 0, "%s", variants[v / 2]);
            ck_assert_msg(symmetric || (promised & AS_TRAIT_SYMMETRIC) == 0, "%s", variants[v / 2]);
            toeplitz_seen &= toeplitz;
            symmetric_seen &= symmetric;
        }
        /* Also the other way round: what has the property says so. */
        if (any) {
            ck_assert_msg(((traits & AS_TRAIT_TOEPLITZ) != 0) == toeplitz_seen, "%s",
                          variants[v / 2]);
            ck_assert_msg(((traits & AS_TRAIT_SYMMETRIC) != 0) == symmetric_seen, "%s",
                          variants[v / 2]);
        }
    }
}
END_TEST

/* Positive semidefinite: T + n·ε·c·I has a Cholesky factor. */
static bool positive(const double *t, size_t n) {
    double l[MOST * MOST];
    for (size_t i = 0; i < n; i++) {
        for (size_t k = 0; k <= i; k++) {
            double sum =
                t[i * n + k] + (i == k ? AS_TEST_C * (double)n * DBL_EPSILON * (double)n : 0);
            for (size_t c = 0; c < k; c++) {
                sum -= l[i * n + c] * l[k * n + c];
            }
            if (i == k && !(sum > 0)) {
                return false;
            }
            l[i * n + k] = i == k ? sqrt(sum) : sum / l[k * n + k];
        }
    }
    return true;
}

START_TEST(correlation_kernels_are_positive_with_ones_on_the_diagonal) {
    size_t seen = 0;
    for (size_t v = 0; v < VARIANTS; v++) {
        as_scheme s = scheme(variants[v]);
        for (size_t z = 0; z < SIZES; z++) {
            double t[MOST * MOST], whole[MOST * MOST];
            size_t rows = sizes[z][0], cols = sizes[z][1];
            as_head head = head_of(rows, cols, DIM);
            if ((as_scheme_traits(&s, &head) & AS_TRAIT_CORRELATION) == 0) {
                continue;
            }
            seen++;
            assert_ok(s.type->kernel(&s, &head, t));
            if (rows > cols) {
                continue;
            }
            /* A rectangular one is the last rows of the square one. */
            as_head square = head_of(cols, cols, DIM);
            assert_ok(s.type->kernel(&s, &square, whole));
            ck_assert_mem_eq(t, whole + (cols - rows) * cols, rows * cols * sizeof *t);
            for (size_t i = 0; i < cols; i++) {
                ck_assert_double_eq(whole[i * cols + i], 1);
            }
            ck_assert(positive(whole, cols));
        }
    }
    ck_assert_uint_eq(seen, 3 * SIZES);
}
END_TEST

START_TEST(rotations_keep_norms_and_turn_back) {
    size_t seen = 0;
    for (size_t v = 0; v < VARIANTS; v++) {
        as_scheme s = scheme(variants[v]);
        if (s.type->rotation == NULL) {
            continue;
        }
        seen++;
        turned t;
        as_head head = head_of(13, 9, DIM); /* from position −4 on */
        rotation_of(&s, &head, &t);
        bool used[DIM] = {false};
        for (size_t f = 0; f < t.rotation.count; f++) {
            ck_assert(t.first[f] < DIM && !used[t.first[f]]);
            used[t.first[f]] = true;
            ck_assert(t.second[f] < DIM && !used[t.second[f]]);
            used[t.second[f]] = true;
        }
        double x[13 * DIM], y[13 * DIM];
        for (size_t i = 0; i < 13 * DIM; i++) {
            x[i] = y[i] = sin(1.7 * (double)i + 0.3);
        }
        as_rotate(&t.rotation, &head, AS_QUERIES, false, y);
        for (size_t i = 0; i < 13; i++) {
            double before = 0, after = 0;
            for (size_t c = 0; c < DIM; c++) {
                double gain = used[c] ? t.rotation.gain : 1;
                before += gain * gain * x[i * DIM + c] * x[i * DIM + c];
                after += y[i * DIM + c] * y[i * DIM + c];
                ck_assert(used[c] || x[i * DIM + c] == y[i * DIM + c]);
            }
            if (!t.rotation.grows) {
                assert_near(after, before, AS_TEST_C * DIM * DBL_EPSILON * before);
            }
        }
        as_rotate(&t.rotation, &head, AS_QUERIES, true, y);
        for (size_t i = 0; i < 13 * DIM; i++) {
            assert_near(y[i], x[i], AS_TEST_C * DBL_EPSILON);
        }
    }
    ck_assert_uint_eq(seen, 23);
}
END_TEST

START_TEST(scales_are_those_of_the_papers) {
    as_head head = head_of(3, 3, DIM);
    for (size_t v = 0; v < VARIANTS; v++) {
        as_scheme s = scheme(variants[v]);
        bool t5 = strcmp(s.type->name, "t5") == 0;
        assert_near(as_scheme_scale(&s, &head), t5 ? 1 : 0.20412414523193151, 1e-16);
    }
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, every_row_of_the_table_is_documented_and_reads_its_own_text);
    tcase_add_test(t, texts_go_round);
    tcase_add_test(t, what_is_refused_says_what_is_valid);
    tcase_add_test(t, heads_that_a_scheme_is_not_defined_for_are_refused);
    tcase_add_test(t, toeplitz_and_symmetric_are_kept_to_the_bit);
    tcase_add_test(t, correlation_kernels_are_positive_with_ones_on_the_diagonal);
    tcase_add_test(t, rotations_keep_norms_and_turn_back);
    tcase_add_test(t, scales_are_those_of_the_papers);
}

AS_TEST_MAIN("scheme")
