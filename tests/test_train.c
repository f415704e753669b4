/* Steps of training: the same bits whoever computes them and wherever they are resumed, the formulas of
 * the optimiser, what is no number. */
#include "trained.h"

#include <stdio.h>

#include "train/trainer.h"

enum { STEPS = 10 };

/* Losses of so many steps. */
static void run(as_trainer *trainer, size_t count, double *losses) {
    for (size_t i = 0; i < count; i++) {
        losses[i] = step(trainer).loss;
    }
}

typedef struct variant {
    const char *scheme;
    size_t batch, samples;
    double dropout;
} variant;

/* A bias that learns, a table, latents; batches of less than the groups, of no whole groups, of whole ones. */
static const variant variants[] = {
    {"nope", 37, 0, 0},  {"t5", 13, 0, 0.2},    {"learned", 48, 50, 0},  {"mla", 37, 20, 0.3},
    {"kerple", 1, 0, 0}, {"rope", 37, 37, 0.1}, {"relative", 37, 5, 0.1}};
enum { VARIANTS = sizeof variants / sizeof *variants };

static as_train_config config_of(const variant *v) {
    as_train_config c = small(v->scheme);
    c.batch = v->batch, c.samples = v->samples, c.dropout = v->dropout;
    return c;
}

START_TEST(the_same_seed_has_the_same_bits_on_any_number_of_threads) {
    for (size_t i = 0; i < VARIANTS; i++) {
        as_train_config c = config_of(&variants[i]);
        double one[2 * STEPS], again[2 * STEPS], three[2 * STEPS], other[2 * STEPS];
        as_trainer *a = trainer_of(&c, 1), *b = trainer_of(&c, 1), *t = trainer_of(&c, 3);
        c.seed = 1;
        as_trainer *o = trainer_of(&c, 1);
        run(a, 2 * STEPS, one);
        run(b, 2 * STEPS, again);
        run(t, 2 * STEPS, three);
        run(o, 2 * STEPS, other);
        ck_assert_mem_eq(one, again, sizeof one);
        ck_assert_mem_eq(one, three, sizeof one);
        ck_assert(same_tensors(a, b) && same_tensors(a, t) && !same_tensors(a, o));
        ck_assert_double_ne(one[0], other[0]);
        ck_assert_double_ne(one[2 * STEPS - 1], other[2 * STEPS - 1]);
        as_trainer_free(a);
        as_trainer_free(b);
        as_trainer_free(t);
        as_trainer_free(o);
    }
}
END_TEST

/* What else is asked of a trainer does not change what it learns. */
START_TEST(a_resumed_run_has_the_bits_of_one_that_went_on) {
    for (size_t i = 0; i < VARIANTS; i++) {
        as_train_config c = config_of(&variants[i]);
        double straight[2 * STEPS], parts[2 * STEPS];
        as_trainer *a = trainer_of(&c, 1), *first = trainer_of(&c, 2), *second = trainer_of(&c, 1);
        run(a, 2 * STEPS, straight);
        run(first, STEPS, parts);
        copy_tensors(first, second);
        ck_assert_uint_eq(as_trainer_done(second), STEPS);
        as_score score;
        assert_ok(as_trainer_evaluate(second, &(as_removal){AS_REMOVE_MEAN, 1, 2}, &score, NULL));
        assert_ok(as_trainer_probe(second, 2));
        run(second, STEPS, parts + STEPS);
        ck_assert_mem_eq(straight, parts, sizeof parts);
        ck_assert(same_tensors(a, second) && !same_tensors(a, first));
        as_trainer_free(a);
        as_trainer_free(first);
        as_trainer_free(second);
    }
}
END_TEST

/* Seeds that differ in high bits alone are other seeds, of dropout too. */
START_TEST(dropout_is_of_the_whole_seed_and_of_the_step) {
    as_train_config c = small("nope");
    c.dropout = 0.5;
    c.samples = BATCH;
    double loss[3] = {0};
    uint32_t tokens[BATCH * T] = {0};
    int32_t labels[BATCH] = {0};
    for (size_t i = 0; i < 3; i++) {
        c.seed = i == 1 ? 1u << 30 : 0;
        as_trainer *t = trainer_of(&c, 1);
        as_train_tensor w;
        for (size_t k = 0; as_trainer_tensor(t, k, &w); k++) {
            for (size_t j = 0; j < numbers(&w); j++) {
                w.data[j] = (as_real)sin((double)(31 * k + j));
            }
        }
        assert_ok(as_trainer_gradient(t, BATCH, tokens, labels, &loss[i]));
        as_trainer_free(t);
    }
    ck_assert_double_ne(loss[0], loss[1]);
    ck_assert_double_eq(loss[0], loss[2]);
    as_train_config one = small("nope");
    one.dropout = 0.5, one.lr = 1e-30, one.batch = one.samples = 1;
    as_trainer *t = trainer_of(&one, 1);
    ck_assert_double_ne(step(t).loss, step(t).loss); /* the same sample and model */
    as_trainer_free(t);
}
END_TEST

/* Every sample once an epoch, in another order each time, also where an epoch ends within a batch. */
START_TEST(an_epoch_has_every_sample_once) {
    static const size_t sizes[][2] = {{37, 13}, {13, 37}, {29, 29}, {1, 13}};
    for (size_t s = 0; s < 4; s++) {
        enum { EPOCHS = 13 };
        size_t samples = sizes[s][0], batch = sizes[s][1], total = EPOCHS * samples, at = 0;
        as_train_config c = small("nope");
        c.samples = samples, c.batch = batch;
        as_trainer *t = trainer_of(&c, 1);
        uint32_t seen[EPOCHS * 37 + 37];
        while (at < total) {
            step(t);
            memcpy(seen + at, t->chosen, batch * sizeof *seen);
            at += batch;
        }
        for (size_t e = 0; e < EPOCHS; e++) {
            size_t times[37] = {0}, moved = 0;
            for (size_t i = 0; i < samples; i++) {
                times[seen[e * samples + i]]++;
                moved += e > 0 && seen[e * samples + i] != seen[i];
            }
            for (size_t i = 0; i < samples; i++) {
                ck_assert_uint_eq(times[i], 1);
            }
            ck_assert(e == 0 || samples == 1 || moved > samples / 2);
        }
        as_trainer_free(t);
    }
}
END_TEST

/* The samples of the training, by their numbers. */
static void draw(const as_train_config *config, size_t first, size_t count, uint32_t *tokens,
                 int32_t *labels) {
    as_task *task = NULL;
    as_stream *stream = NULL;
    assert_ok(as_task_open(config->task, config->n, config->vocab, &task));
    assert_ok(as_stream_new(0, "", 0, 0, &stream));
    for (size_t i = 0; i < count; i++) {
        as_task_sample(task, stream, config->seed, AS_SPLIT_TRAIN, first + i, tokens + i * T,
                       labels + i);
    }
    as_stream_free(stream);
    as_task_close(task);
}

START_TEST(a_step_is_of_the_next_samples) {
    as_train_config c = small("rope"), fixed = c;
    uint32_t tokens[BATCH * T];
    int32_t labels[BATCH];
    as_trainer *t = trainer_of(&c, 2);
    for (size_t s = 0; s < 3; s++) {
        double loss = 0;
        draw(&c, s * BATCH, BATCH, tokens, labels);
        assert_ok(as_trainer_gradient(t, BATCH, tokens, labels, &loss));
        ck_assert_double_eq(step(t).loss, loss);
    }
    as_trainer_free(t);
    fixed.samples = BATCH;
    t = trainer_of(&fixed, 1);
    draw(&c, 0, BATCH, tokens, labels);
    for (size_t s = 0; s < 3; s++) {
        double loss = 0;
        assert_ok(as_trainer_gradient(t, BATCH, tokens, labels, &loss));
        assert_near(step(t).loss, loss, 1e-6); /* in another order */
    }
    assert_fails(as_trainer_gradient(t, BATCH + 1, tokens, labels, &(double){0}), AS_EINVAL);
    as_trainer_free(t);
}
END_TEST

/* Every answer counts alike, whatever batch, group and block it is in. */
START_TEST(gradients_are_means_over_the_answers) {
    as_train_config c = small("kerple");
    uint32_t tokens[BATCH * T];
    int32_t labels[BATCH];
    as_trainer *t = trainer_of(&c, 2);
    as_train_tensor w = tensor(t, "layer_1.query.weight"), b = tensor(t, "layer_0.bias.kernel");
    double sum[D * D + H * 2] = {0}, loss = 0, losses = 0;
    draw(&c, 0, BATCH, tokens, labels);
    for (size_t s = 0; s < BATCH; s++) {
        assert_ok(as_trainer_gradient(t, 1, tokens + s * T, labels + s, &loss));
        losses += loss / BATCH;
        for (size_t j = 0; j < D * D + H * 2; j++) {
            sum[j] += (double)(j < D * D ? w.gradient[j] : b.gradient[j - D * D]) / BATCH;
        }
    }
    assert_ok(as_trainer_gradient(t, BATCH, tokens, labels, &loss));
    assert_near(loss, losses, 1e-6);
    for (size_t j = 0; j < D * D + H * 2; j++) {
        double g = (double)(j < D * D ? w.gradient[j] : b.gradient[j - D * D]);
        assert_near(g, sum[j], 1e-6 * (1 + fabs(sum[j])));
    }
    as_trainer_free(t);
}
END_TEST

/* (T9): up to w = warmup·N, then half a cosine to 0. Of 20 steps with a quarter of warm-up, the tenth is a
 * third of the way down, where the cosine is 1/2. */
START_TEST(the_rate_rises_and_falls_along_half_a_cosine) {
    static const struct {
        double warmup;
        uint64_t step;
        double share;
    } cases[] = {{0.25, 1, 0.2}, {0.25, 4, 0.8}, {0.25, 5, 1}, {0.25, 10, 0.75},
                 {0.25, 20, 0},  {0.25, 21, 0},  {0, 10, 0.5}, {0, 20, 0},
                 {1, 1, 0.05},   {1, 20, 1},     {1, 21, 0},   {0.001, 20, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        as_train_config c = small("nope");
        c.steps = 20, c.warmup = cases[i].warmup, c.lr = 0.125;
        as_trainer *t = trainer_of(&c, 1);
        as_trainer_restore(t, cases[i].step - 1);
        as_train_step s = step(t);
        ck_assert_uint_eq(s.step, cases[i].step);
        ck_assert_uint_eq(as_trainer_done(t), cases[i].step);
        assert_near(s.rate, 0.125 * cases[i].share, 1e-15);
        as_trainer_free(t);
    }
}
END_TEST

/* (T9), of one tensor in double precision. Of 1 − 0.99 single precision has 10⁻⁶ less. */
typedef struct numbers_of {
    double theta[D * V], m[D * V], v[D * V];
} numbers_of;

static void expect_update(const as_train_config *c, const as_train_step *s, double factor,
                          const as_train_tensor *t, numbers_of *x) {
    double scale = c->clip > 0 && s->gradient_norm > c->clip ? c->clip / s->gradient_norm : 1;
    double rate = s->rate * factor, at = (double)s->step;
    for (size_t i = 0; i < numbers(t); i++) {
        double g = (double)t->gradient[i] * scale;
        x->m[i] = c->beta1 * x->m[i] + (1 - c->beta1) * g;
        x->v[i] = c->beta2 * x->v[i] + (1 - c->beta2) * g * g;
        double m = x->m[i] / (1 - pow(c->beta1, at)), v = x->v[i] / (1 - pow(c->beta2, at));
        x->theta[i] -= rate * c->weight_decay * x->theta[i] + rate * m / (sqrt(v) + 1e-8);
        assert_near((double)t->data[i], x->theta[i], 3e-6 * (rate + fabs(x->theta[i])));
        assert_near((double)t->moment1[i], x->m[i], 2e-6 * (fabs(x->m[i]) + fabs(g)));
        assert_near((double)t->moment2[i], x->v[i], 2e-6 * fabs(x->v[i]));
        x->theta[i] = (double)t->data[i];
    }
}

static double norm_of(as_trainer *trainer) {
    as_train_tensor t;
    double sum = 0;
    for (size_t i = 0; as_trainer_tensor(trainer, i, &t); i++) {
        for (size_t j = 0; j < numbers(&t); j++) {
            sum += (double)t.gradient[j] * (double)t.gradient[j];
        }
    }
    return sqrt(sum);
}

/* Three steps; the third is clipped by all of them that have a bound, and the norm that is told is that of
 * the gradient before. */
static void updates_are_those_of_adamw(const as_train_config *c, const char *name, double factor) {
    as_trainer *t = trainer_of(c, 1);
    as_train_tensor w = tensor(t, name);
    static numbers_of x;
    memset(&x, 0, sizeof x);
    for (size_t i = 0; i < numbers(&w); i++) {
        x.theta[i] = (double)w.data[i];
    }
    for (size_t s = 0; s < 3; s++) {
        as_train_step taken = step(t);
        assert_near(taken.gradient_norm, norm_of(t), 1e-12 * taken.gradient_norm);
        ck_assert(!(c->clip > 0) || taken.gradient_norm > 2 * c->clip || c->clip > 1);
        expect_update(c, &taken, factor, &w, &x);
    }
    as_trainer_free(t);
}

START_TEST(a_step_is_that_of_adamw) {
    as_train_config c = small("t5");
    c.weight_decay = 0.5;
    static const char *const names[] = {"embedding", "layer_0.value.weight", "layer_1.norm2.weight",
                                        "layer_0.ff_up.bias", "head.bias"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        updates_are_those_of_adamw(&c, names[i], 1);
    }
    updates_are_those_of_adamw(&c, "bias.table", 20);
    c.table_lr = 3;
    updates_are_those_of_adamw(&c, "bias.table", 3);
    c.beta1 = 0, c.beta2 = 0.5;
    updates_are_those_of_adamw(&c, "head.weight", 1);
}
END_TEST

START_TEST(clipping_scales_the_gradient_as_a_whole) {
    as_train_config c = small("t5");
    c.weight_decay = 0.1;
    c.clip = 1e-8; /* so small that what it makes of the gradient is seen beside ε */
    updates_are_those_of_adamw(&c, "layer_0.value.weight", 1);
    updates_are_those_of_adamw(&c, "bias.table", 20);
    c.clip = 1e6; /* nothing to do */
    updates_are_those_of_adamw(&c, "layer_0.value.weight", 1);
}
END_TEST

/* A mean of one seed and so of these bits; the loss of who knows nothing is ln 6 = 1.79. */
START_TEST(it_learns_to_count_without_positions) {
    as_train_config c = small("nope");
    c.steps = 60, c.batch = 128, c.lr = 1e-2;
    as_trainer *t = trainer_of(&c, 2);
    double losses[60];
    as_score before, after;
    assert_ok(as_trainer_evaluate(t, NULL, &before, NULL));
    run(t, 60, losses);
    assert_ok(as_trainer_evaluate(t, NULL, &after, NULL));
    ck_assert_double_gt(losses[0], 1.5);
    ck_assert_double_lt(losses[59], 0.7 * losses[0]);
    ck_assert_double_lt(after.loss, 0.7 * before.loss);
    ck_assert_double_gt(after.accuracy, before.accuracy);
    as_trainer_free(t);
}
END_TEST

/* Puts a number into the first place of a tensor: the step is refused and changes nothing; once that is
 * mended it goes on as if nothing had been. */
static void is_seen(as_trainer *trainer, as_trainer *other, size_t index, as_real number) {
    as_train_tensor t, o;
    as_train_step s = {.step = 77}, before = s;
    ck_assert(as_trainer_tensor(trainer, index, &t) && as_trainer_tensor(other, index, &o));
    as_real kept = t.data[0];
    uint64_t done = as_trainer_done(trainer);
    t.data[0] = o.data[0] = number;
    as_status status = as_trainer_step(trainer, &s);
    ck_assert_msg(status == AS_ENONFINITE, "%s: %g: %s", t.name, (double)number,
                  as_status_name(status));
    ck_assert_ptr_nonnull(strstr(as_message(), "the loss is"));
    ck_assert_mem_eq(&s, &before, sizeof s);
    ck_assert(as_trainer_done(trainer) == done && same_tensors(trainer, other));
    t.data[0] = o.data[0] = kept;
    ck_assert_double_eq(step(trainer).loss, step(other).loss);
    ck_assert(same_tensors(trainer, other));
}

START_TEST(a_step_with_what_is_no_number_is_refused_and_changes_nothing) {
    static const char *const schemes[] = {"nope", "t5", "kerple", "relative", "learned", "mla"};
    for (size_t i = 0; i < sizeof schemes / sizeof *schemes; i++) {
        as_train_config c = small(schemes[i]);
        as_train_tensor t;
        c.steps = 1000, c.layers = 1;
        as_trainer *trainer = trainer_of(&c, 1), *other = trainer_of(&c, 1);
        for (size_t k = 0; as_trainer_tensor(trainer, k, &t); k++) {
            is_seen(trainer, other, k, (as_real)NAN);
            is_seen(trainer, other, k, (as_real)INFINITY);
        }
        as_trainer_free(trainer);
        as_trainer_free(other);
    }
}
END_TEST

/* What is beyond the limits of a kernel would have no gradient: a step brings it back, and the next can
 * move it away from there. */
START_TEST(numbers_of_kerple_come_back_into_their_range) {
    as_train_config c = small("kerple:form=power");
    c.warmup = 0;
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor k = tensor(t, "layer_1.bias.kernel");
    const as_real least = (as_real)0.01, most = 2;
    k.data[0] = -3, k.data[1] = least / 2, k.data[2] = 5, k.data[5] = 0;
    as_real other = k.data[3];
    step(t);
    ck_assert(k.data[0] == least && k.data[1] == least && k.data[2] == most && k.data[5] == least);
    ck_assert(k.data[3] != other && k.data[3] > least && k.data[3] < most);
    for (size_t s = 0; s < 30; s++) {
        step(t);
        for (size_t j = 0; j < 2 * H; j++) {
            ck_assert(k.gradient[j] != 0 && k.data[j] >= least &&
                      (j % 2 == 1 || k.data[j] <= most));
        }
    }
    ck_assert(k.data[0] != least || k.data[1] != least || k.data[5] != least);
    as_trainer_free(t);
}
END_TEST

START_TEST(tensors_have_names_of_their_own) {
    as_train_config c = small("mla");
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor a, b;
    size_t count = 0;
    for (; as_trainer_tensor(t, count, &a); count++) {
        for (size_t i = 0; i < count; i++) {
            ck_assert(as_trainer_tensor(t, i, &b) && strcmp(a.name, b.name) != 0);
        }
    }
    /* Embedding, head, final norm, and of a layer two norms, seven maps without and two with a bias. */
    ck_assert_uint_eq(count, 1 + 2 + 2 + L * (4 + 7 + 4));
    ck_assert_double_eq(tensor(t, "final_norm.weight").data[D - 1], 1);
    as_trainer_free(t);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, the_same_seed_has_the_same_bits_on_any_number_of_threads);
    tcase_add_test(t, a_resumed_run_has_the_bits_of_one_that_went_on);
    tcase_add_test(t, dropout_is_of_the_whole_seed_and_of_the_step);
    tcase_add_test(t, an_epoch_has_every_sample_once);
    tcase_add_test(t, a_step_is_of_the_next_samples);
    tcase_add_test(t, gradients_are_means_over_the_answers);
    tcase_add_test(t, the_rate_rises_and_falls_along_half_a_cosine);
    tcase_add_test(t, a_step_is_that_of_adamw);
    tcase_add_test(t, clipping_scales_the_gradient_as_a_whole);
    tcase_add_test(t, it_learns_to_count_without_positions);
    tcase_add_test(t, a_step_with_what_is_no_number_is_refused_and_changes_nothing);
    tcase_add_test(t, numbers_of_kerple_come_back_into_their_range);
    tcase_add_test(t, tensors_have_names_of_their_own);
}

AS_TEST_MAIN("train")
