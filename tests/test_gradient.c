/* The trainer in double precision: losses and gradients against torch's, and every gradient of every
 * scheme against central differences. Built of the same source with double for as_real. */
#include <string.h>

#include "support.h"
#include "train/trainer.h"
#include "train_numbers.inc"

/* Of a gradient: ‖g − differences‖ over ‖g‖, the tensor as a whole. */
#define DIFFERENCES_AGREE 1e-6

static as_train_config base(const char *scheme, bool per_position) {
    as_train_config c;
    assert_ok(as_train_preset("tiny", "clean", &c));
    strcpy(c.scheme, scheme);
    strcpy(c.task, per_position ? "copy" : "count:sentence=5,most=4,triggers=2");
    c.n = TRAIN_N;
    c.vocab = TRAIN_VOCAB;
    c.dim = TRAIN_DIM;
    c.heads = TRAIN_HEADS;
    c.layers = TRAIN_LAYERS;
    c.ff = TRAIN_FF;
    c.batch = TRAIN_BATCH;
    c.test_samples = 4;
    return c;
}

/* The formula of train_numbers.py. */
static void fill(as_trainer *trainer) {
    as_train_tensor t;
    for (size_t i = 0; as_trainer_tensor(trainer, i, &t); i++) {
        size_t count = t.rank == 1 ? t.shape[0] : t.shape[0] * t.shape[1];
        bool norm = strstr(t.name, "norm") != NULL && strstr(t.name, "weight") != NULL;
        bool kernel = strstr(t.name, "bias.kernel") != NULL;
        for (size_t j = 0; j < count; j++) {
            double u = ((double)(((i * 131 + j) * 7919) % 1009) / 1009 - 0.5) * 0.6;
            t.data[j] = norm ? 1 + u : kernel ? 1 + u / 2 : u;
        }
    }
}

typedef struct data {
    uint32_t tokens[TRAIN_BATCH * TRAIN_N];
    int32_t labels[TRAIN_BATCH * TRAIN_N];
} data;

static data make_data(const as_trainer *trainer) {
    data d;
    bool each = as_trainer_facts(trainer)->per_position;
    size_t classes = as_trainer_facts(trainer)->classes;
    for (size_t s = 0; s < TRAIN_BATCH; s++) {
        for (size_t i = 0; i < TRAIN_N; i++) {
            bool padding = i >= TRAIN_N - s % 3;
            d.tokens[s * TRAIN_N + i] =
                padding ? 0 : (uint32_t)((s * 37 + i * 11 + 5) % (TRAIN_VOCAB - 1) + 1);
            d.labels[s * TRAIN_N + i] = i % 2 == 1 ? (int32_t)((s * 5 + i * 3) % classes) : -1;
        }
    }
    for (size_t s = 0; s < TRAIN_BATCH && !each; s++) {
        d.labels[s] = (int32_t)((s * 5 + 2) % classes);
    }
    return d;
}

static double loss_of(as_trainer *trainer, const data *d) {
    double loss = 0;
    assert_ok(as_trainer_gradient(trainer, TRAIN_BATCH, d->tokens, d->labels, &loss));
    return loss;
}

static as_trainer *make(const as_train_config *config) {
    as_train_config c = *config;
    as_trainer *trainer = NULL;
    assert_ok(as_train_config_resolve(&c));
    assert_ok(as_trainer_new(&c, 1, &trainer));
    fill(trainer);
    return trainer;
}

/* Which tensor it is that torch has under that name and number. */
static void compare(as_trainer *trainer, const train_case *expected) {
    as_train_tensor t;
    for (size_t i = 0; i < expected->count; i++) {
        const train_sums *e = &expected->sums[i];
        ck_assert_msg(as_trainer_tensor(trainer, i, &t), "%s: no tensor %zu", expected->scheme, i);
        ck_assert_str_eq(t.name, e->tensor);
        size_t count = t.rank == 1 ? t.shape[0] : t.shape[0] * t.shape[1];
        double sum = 0, weighted = 0;
        for (size_t j = 0; j < count; j++) {
            sum += t.gradient[j];
            weighted += t.gradient[j] * (double)(j % 7 + 1);
        }
        ck_assert_msg(fabs(sum - e->sum) <= 1e-11 && fabs(weighted - e->weighted) <= 1e-11,
                      "%s: %s: %.17g and %.17g, expected %.17g and %.17g", expected->scheme, t.name,
                      sum, weighted, e->sum, e->weighted);
    }
    ck_assert(!as_trainer_tensor(trainer, expected->count, &t));
}

START_TEST(losses_and_gradients_are_those_of_torch) {
    for (size_t i = 0; i < sizeof train_cases / sizeof *train_cases; i++) {
        const train_case *expected = &train_cases[i];
        as_train_config c = base(expected->scheme, expected->per_position);
        for (size_t s = 0; expected->switches[s][0] != NULL; s++) {
            assert_ok(as_train_config_set(&c, expected->switches[s][0], expected->switches[s][1]));
        }
        as_trainer *trainer = make(&c);
        data d = make_data(trainer);
        double loss = loss_of(trainer, &d);
        ck_assert_msg(fabs(loss - expected->loss) <= 1e-12, "%s: %.17g, expected %.17g",
                      expected->scheme, loss, expected->loss);
        compare(trainer, expected);
        as_trainer_free(trainer);
    }
}
END_TEST

/* The relative error of the gradient of one tensor against central differences of every element. g is
 * what the trainer said, and is not read again from it: losses overwrite it. */
static double error_of(as_trainer *trainer, const data *d, const as_train_tensor *t, size_t count,
                       const double *g) {
    double error = 0, norm = 0;
    for (size_t j = 0; j < count; j++) {
        double kept = t->data[j], h = 1e-5;
        t->data[j] = kept + h;
        double above = loss_of(trainer, d);
        t->data[j] = kept - h;
        double below = loss_of(trainer, d);
        t->data[j] = kept;
        double difference = (above - below) / (2 * h) - g[j];
        error += difference * difference;
        norm += g[j] * g[j];
    }
    /* A gradient that is 0 (of key.bias, which the softmax does not see) has the loss's rounding. */
    return sqrt(error) / (sqrt(norm) + 1e-4 * sqrt((double)count));
}

static void check(const as_train_config *config, const char *what) {
    as_trainer *trainer = make(config);
    data d = make_data(trainer);
    as_train_tensor t;
    double *g = malloc(sizeof *g << 16);
    for (size_t i = 0; as_trainer_tensor(trainer, i, &t); i++) {
        size_t count = t.rank == 1 ? t.shape[0] : t.shape[0] * t.shape[1];
        loss_of(trainer, &d);
        memcpy(g, t.gradient, count * sizeof *g);
        double error = error_of(trainer, &d, &t, count, g);
        ck_assert_msg(error <= DIFFERENCES_AGREE, "%s: %s: relative error %g", what, t.name, error);
    }
    free(g);
    as_trainer_free(trainer);
}

/* Every scheme of the table that can be trained, at its defaults: one that is listed tomorrow too. */
START_TEST(gradients_of_every_scheme_agree_with_differences) {
    size_t trained = 0;
    for (size_t i = 0; as_scheme_list(i) != NULL; i++) {
        as_train_config c = base(as_scheme_list(i)->name, false), probe = c;
        if (as_train_config_resolve(&probe) != AS_OK) {
            continue;
        }
        trained++;
        check(&c, as_scheme_list(i)->name);
    }
    ck_assert_uint_ge(trained, 11);
}
END_TEST

START_TEST(gradients_of_every_form_and_switch_agree_with_differences) {
    static const struct {
        const char *scheme;
        bool each;
        const char *switches[5][2];
    } variants[] = {
        {"rope:layout=half", false, {{NULL}}},
        {"rope:rotary_fraction=0.5", false, {{NULL}}},
        {"rope:rotary_heads=1,rotary_layers=1", false, {{NULL}}},
        {"rope:scaling=yarn,factor=4,original_max_position_embeddings=16", false, {{NULL}}},
        {"alibi:slopes=gu2025", false, {{NULL}}},
        {"kerple:form=power", false, {{NULL}}},
        {"mla:qk_nope_head_dim=3,qk_rope_head_dim=2", false, {{"kv-from", "embeddings"}}},
        {"random", false, {{"train-random", "yes"}}},
        {"learned", false, {{"kv-from", "embeddings"}, {"dropout", "0.3"}}},
        {"rope", false, {{"sinusoids", "yes"}, {"final-norm", "no"}, {"pool", "tokens"}}},
        {"xpos", true, {{"mask", "causal"}}},
        {"t5", true, {{"mask", "causal"}, {"activation", "gelu"}}},
        {"relative", true, {{"mask", "causal"}, {"dropout", "0.5"}}},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        as_train_config c = base(variants[i].scheme, variants[i].each);
        for (size_t s = 0; variants[i].switches[s][0] != NULL; s++) {
            assert_ok(
                as_train_config_set(&c, variants[i].switches[s][0], variants[i].switches[s][1]));
        }
        check(&c, variants[i].scheme);
    }
}
END_TEST

START_TEST(a_planted_sign_is_found) {
    as_train_config c = base("nope", false);
    as_trainer *trainer = make(&c);
    data d = make_data(trainer);
    as_train_tensor t;
    double g[TRAIN_DIM * TRAIN_VOCAB + TRAIN_DIM * TRAIN_DIM];
    size_t found = 0;
    for (size_t i = 0; as_trainer_tensor(trainer, i, &t); i++) {
        size_t count = t.rank == 1 ? t.shape[0] : t.shape[0] * t.shape[1];
        loss_of(trainer, &d);
        double norm = 0;
        for (size_t j = 0; j < count; j++) {
            g[j] = -t.gradient[j];
            norm += g[j] * g[j];
        }
        if (sqrt(norm) > 1e-12) { /* not of key.bias: it is 0 */
            ck_assert_double_gt(error_of(trainer, &d, &t, count, g), 1e3 * DIFFERENCES_AGREE);
            found++;
        }
    }
    ck_assert_uint_eq(found, 37 - TRAIN_LAYERS);
    as_trainer_free(trainer);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, losses_and_gradients_are_those_of_torch);
    tcase_add_test(t, gradients_of_every_scheme_agree_with_differences);
    tcase_add_test(t, gradients_of_every_form_and_switch_agree_with_differences);
    tcase_add_test(t, a_planted_sign_is_found);
}

AS_TEST_MAIN("gradient")
