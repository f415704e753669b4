/* The queries, keys and logits of a trained model, against the scheme room and against models without
 * positions. */
#include "first_layer.h"

START_TEST(queries_and_keys_of_the_first_layer_are_maps_of_normalised_embeddings) {
    as_train_config c = small("rope");
    as_trainer *t = after_steps(&c, 5);
    uint32_t tokens[TESTS * T];
    as_matrix q = {0}, k = {0};
    first_layer f;
    draw_tests(&c, TESTS, tokens);
    assert_ok(as_trainer_probe(t, 3));
    normalise(t, tokens + 2 * T, &f);
    for (size_t i = 0; i < H * T * D / H; i++) {
        size_t head = i / (T * D / H), row = i / (D / H) % T, j = i % (D / H);
        assert_ok(
            as_trainer_probed(t, (as_probed_place){0, 2, head}, (as_probed){.q = &q, .k = &k}));
        ck_assert(q.rows == T && q.cols == D / H && k.rows == T && k.cols == D / H);
        assert_near(q.data[row * D / H + j], mapped(t, "query", &f, row, head * D / H + j), 1e-5);
        assert_near(k.data[row * D / H + j], mapped(t, "key", &f, row, head * D / H + j), 1e-5);
    }
    as_matrix_free(&q);
    as_matrix_free(&k);
    as_trainer_free(t);
}
END_TEST

START_TEST(samples_and_heads_that_were_not_probed_are_refused) {
    as_train_config c = small("nope");
    as_trainer *t = trainer_of(&c, 1);
    as_matrix q = {0};
    assert_fails(as_trainer_probed(t, (as_probed_place){0, 0, 0}, (as_probed){.q = &q}), AS_EINVAL);
    assert_fails(as_trainer_probe(t, 0), AS_EINVAL);
    assert_fails(as_trainer_probe(t, TESTS + 1), AS_EINVAL);
    assert_ok(as_trainer_probe(t, TESTS));
    assert_ok(as_trainer_probe(t, 2));
    assert_fails(as_trainer_probed(t, (as_probed_place){L, 0, 0}, (as_probed){.q = &q}), AS_EINVAL);
    assert_fails(as_trainer_probed(t, (as_probed_place){0, 2, 0}, (as_probed){.q = &q}), AS_EINVAL);
    assert_fails(as_trainer_probed(t, (as_probed_place){0, 0, H}, (as_probed){.q = &q}), AS_EINVAL);
    ck_assert(q.data == NULL);
    assert_ok(as_trainer_probed(t, (as_probed_place){1, 1, 2}, (as_probed){.q = NULL}));
    as_trainer_free(t);
}
END_TEST

typedef struct probed {
    as_matrix q, k, logits, content;
} probed;

static void take(const as_trainer *t, size_t at, probed *p) {
    assert_ok(as_trainer_probed(
        t, (as_probed_place){at / H % L, at / (H * L), at % H},
        (as_probed){.q = &p->q, .k = &p->k, .logits = &p->logits, .content = &p->content}));
}

static void drop(probed *p) {
    as_matrix_free(&p->q);
    as_matrix_free(&p->k);
    as_matrix_free(&p->logits);
    as_matrix_free(&p->content);
}

static double largest(const as_matrix *m) {
    double most = 0;
    for (size_t i = 0; i < m->rows * m->cols; i++) {
        most = fabs(m->data[i]) > most ? fabs(m->data[i]) : most;
    }
    return most;
}

/* To 10⁻⁵ of the largest; what the mask leaves out is −inf. */
static void assert_logits(const as_matrix *is, const as_matrix *expected, bool causal,
                          const char *scheme) {
    double bound = 1e-5 * largest(expected);
    ck_assert(is->rows == T && is->cols == T && bound > 0);
    for (size_t i = 0; i < T; i++) {
        for (size_t k = 0; k < T; k++) {
            double x = is->data[i * T + k], e = expected->data[i * T + k];
            if (causal && k > i) {
                ck_assert(isinf(x) && x < 0);
            } else {
                ck_assert_msg(fabs(x - e) <= bound, "%s: [%zu][%zu] is %g, expected %g", scheme, i,
                              k, x, e);
            }
        }
    }
}

/* Every head of two samples, as the scheme room and the room of logits make them of q and k. */
static void couples(const char *scheme, bool causal, size_t steps) {
    as_train_config c = small(scheme);
    c.mask = causal;
    as_trainer *t = after_steps(&c, steps);
    probed p = {.q = {0}};
    as_matrix content = {0}, coupled = {0};
    assert_ok(as_trainer_probe(t, 2));
    for (size_t at = 0; at < 2 * L * H; at++) {
        as_pair pair = {
            .scheme = *as_trainer_scheme(t),
            .head = {
                .layer = at / H % L, .head = at % H, .heads = H, .causal = causal, .seed = c.seed}};
        take(t, at, &p);
        assert_ok(as_matrix_resize(&pair.q, T, as_trainer_head_dim(t)));
        assert_ok(as_matrix_resize(&pair.k, T, as_trainer_head_dim(t)));
        memcpy(pair.q.data, p.q.data, T * p.q.cols * sizeof *p.q.data);
        memcpy(pair.k.data, p.k.data, T * p.k.cols * sizeof *p.k.data);
        assert_ok(as_couple(&pair, &content, &coupled));
        assert_near(pair.scale, as_trainer_scale(t), 1e-15);
        assert_logits(&p.logits, &coupled, causal, scheme);
        assert_logits(&p.content, &content, causal, scheme);
        as_pair_free(&pair);
    }
    as_matrix_free(&content);
    as_matrix_free(&coupled);
    drop(&p);
    as_trainer_free(t);
}

/* What is trained of t5 and kerple is the scheme's own table before the first step. */
START_TEST(logits_are_what_the_scheme_makes_of_queries_and_keys) {
    static const char *const trained[] = {
        "nope",
        "rope",
        "rope:layout=half,rotary_fraction=0.5",
        "rope:rotary_heads=1,rotary_layers=1",
        "rope:scaling=yarn,factor=4,original_max_position_embeddings=8",
        "xpos",
        "mla",
        "mla:qk_nope_head_dim=3,qk_rope_head_dim=2",
        "mla:scaling=yarn",
        "alibi",
        "alibi:form=row",
        "sandwich",
        "fire",
        "rope_axial",
        "rope_mixed",
        "grape_m"};
    static const char *const begun[] = {"t5", "t5:num_buckets=7,bidirectional=false", "kerple",
                                        "kerple:form=power"};
    for (size_t i = 0; i < 2 * sizeof trained / sizeof *trained; i++) {
        couples(trained[i / 2], i % 2 == 1, 3);
    }
    for (size_t i = 0; i < 2 * sizeof begun / sizeof *begun; i++) {
        couples(begun[i / 2], i % 2 == 1, 0);
    }
}
END_TEST

/* Logits less content of a bias that is trained are what its learning makes of the tensor. */
static void has_bias(const char *scheme, const char *const names[L]) {
    as_train_config c = small(scheme);
    as_trainer *t = after_steps(&c, 5);
    probed p = {.q = {0}};
    double theta[2 * T], bias[T * T];
    assert_ok(as_trainer_probe(t, 1));
    for (size_t at = 0; at < L * H; at++) {
        as_train_tensor table = tensor(t, names[at / H]);
        const as_learning *learning = as_trainer_scheme(t)->type->learning;
        as_head head = {
            .layer = at / H, .head = at % H, .heads = H, .rows = T, .cols = T, .dim = D / H};
        for (size_t j = 0; j < table.shape[1]; j++) {
            theta[j] = (double)table.data[at % H * table.shape[1] + j];
        }
        assert_ok(learning->bias(as_trainer_scheme(t), &head, theta, bias));
        take(t, at, &p);
        double bound = 1e-5 * largest(&p.logits);
        for (size_t i = 0; i < T * T; i++) {
            assert_near(p.logits.data[i] - p.content.data[i], bias[i], bound);
        }
    }
    drop(&p);
    as_trainer_free(t);
}

START_TEST(logits_of_trained_biases_are_content_and_the_bias) {
    has_bias("relative", (const char *[]){"layer_0.bias.table", "layer_1.bias.table"});
    has_bias("t5", (const char *[]){"bias.table", "bias.table"});
    has_bias("kerple", (const char *[]){"layer_0.bias.kernel", "layer_1.bias.kernel"});
}
END_TEST

START_TEST(without_positions_logits_are_content_to_the_bit) {
    for (int causal = 0; causal < 2; causal++) {
        as_train_config c = small("nope");
        c.mask = causal;
        as_trainer *t = after_steps(&c, 3);
        probed p = {.q = {0}};
        assert_ok(as_trainer_probe(t, 3));
        for (size_t at = 0; at < 3 * L * H; at++) {
            take(t, at, &p);
            ck_assert_mem_eq(p.logits.data, p.content.data, T * T * sizeof *p.logits.data);
        }
        drop(&p);
        as_trainer_free(t);
    }
}
END_TEST

/* Every tensor that both have, by name. */
static void copy_common(as_trainer *from, as_trainer *to) {
    as_train_tensor a, b;
    for (size_t i = 0; as_trainer_tensor(from, i, &a); i++) {
        if (has_tensor(to, a.name, &b)) {
            memcpy(b.data, a.data, numbers(&a) * sizeof *a.data);
        }
    }
}

/* Where position is in the embeddings: q, k and content are those of the model without it. */
static void content_is_of(const char *scheme, const char *sinusoids, const char *bare_scheme) {
    as_train_config c = small(scheme), b = small(bare_scheme);
    assert_ok(as_train_config_set(&c, "sinusoids", sinusoids));
    as_trainer *t = after_steps(&c, 3), *bare = trainer_of(&b, 1);
    as_train_tensor positions;
    probed p = {.q = {0}}, e = {.q = {0}};
    copy_common(t, bare);
    assert_ok(as_trainer_probe(t, 3));
    assert_ok(as_trainer_probe(bare, 3));
    for (size_t at = 0; at < 3 * L * H; at++) {
        take(t, at, &p);
        take(bare, at, &e);
        ck_assert_mem_eq(p.q.data, e.q.data, T * D / H * sizeof *p.q.data);
        ck_assert_mem_eq(p.k.data, e.k.data, T * D / H * sizeof *p.k.data);
        ck_assert_mem_eq(p.content.data, e.content.data, T * T * sizeof *p.content.data);
        ck_assert(memcmp(p.logits.data, e.logits.data, T * T * sizeof *p.logits.data) != 0);
    }
    if (c.sinusoids == 0 && has_tensor(t, "positions", &positions)) {
        memset(positions.data, 0, numbers(&positions) * sizeof *positions.data);
        assert_ok(as_trainer_probe(t, 3));
        take(t, 2 * L * H + H + 1, &p);
        take(bare, 2 * L * H + H + 1, &e);
        ck_assert_mem_eq(p.logits.data, e.content.data, T * T * sizeof *p.logits.data);
    }
    drop(&p);
    drop(&e);
    as_trainer_free(t);
    as_trainer_free(bare);
}

START_TEST(content_of_positions_in_the_embeddings_is_the_model_without_them) {
    content_is_of("sinusoidal", "no", "nope");
    content_is_of("learned", "no", "nope");
    content_is_of("learned", "yes", "nope");
    content_is_of("random", "no", "nope");
    content_is_of("nope", "yes", "nope");
    content_is_of("rope", "yes", "rope");
}
END_TEST

/* (T4), of the embeddings as they come into the first layer: with its norm the identity but for mean and
 * variance, and its query map the identity, q is the normalised row. */
START_TEST(sinusoids_are_sines_and_then_cosines) {
    as_train_config c = small("nope");
    c.sinusoids = 1;
    c.heads = 1;
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor e = tensor(t, "embedding"), q = tensor(t, "layer_0.query.weight"),
                    k = tensor(t, "layer_0.key.weight");
    memset(e.data, 0, numbers(&e) * sizeof *e.data);
    memset(q.data, 0, numbers(&q) * sizeof *q.data);
    memset(k.data, 0, numbers(&k) * sizeof *k.data);
    memset(tensor(t, "layer_0.query.bias").data, 0, D * sizeof(as_real));
    memset(tensor(t, "layer_0.key.bias").data, 0, D * sizeof(as_real));
    for (size_t j = 0; j < D; j++) {
        q.data[j * D + j] = k.data[j * D + j] = 1;
    }
    double x[T][D];
    for (size_t i = 0; i < T; i++) {
        double mean = 0, variance = 0;
        for (size_t j = 0; j < D; j++) {
            double phase = (double)i / pow(10000, 2.0 * (double)(j % (D / 2)) / D);
            x[i][j] = j < D / 2 ? sin(phase) : cos(phase);
            mean += x[i][j] / D;
        }
        for (size_t j = 0; j < D; j++) {
            variance += (x[i][j] - mean) * (x[i][j] - mean) / D;
        }
        for (size_t j = 0; j < D; j++) {
            x[i][j] = (x[i][j] - mean) / sqrt(variance + 1e-5);
        }
    }
    as_matrix logits = {0};
    assert_ok(as_trainer_probe(t, 1));
    assert_ok(as_trainer_probed(t, (as_probed_place){0, 0, 0}, (as_probed){.logits = &logits}));
    for (size_t i = 0; i < T * T; i++) {
        double expected = 0;
        for (size_t j = 0; j < D; j++) {
            expected += x[i / T][j] * x[i % T][j] / sqrt(D);
        }
        assert_near(logits.data[i], expected, 1e-5);
    }
    as_matrix_free(&logits);
    as_trainer_free(t);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, queries_and_keys_of_the_first_layer_are_maps_of_normalised_embeddings);
    tcase_add_test(t, samples_and_heads_that_were_not_probed_are_refused);
    tcase_add_test(t, logits_are_what_the_scheme_makes_of_queries_and_keys);
    tcase_add_test(t, logits_of_trained_biases_are_content_and_the_bias);
    tcase_add_test(t, without_positions_logits_are_content_to_the_bit);
    tcase_add_test(t, content_of_positions_in_the_embeddings_is_the_model_without_them);
    tcase_add_test(t, sinusoids_are_sines_and_then_cosines);
}

AS_TEST_MAIN("train_probe")
