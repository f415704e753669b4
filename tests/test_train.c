/* What a step is of: the same bits whoever computes it and wherever it is resumed, its samples, what is
 * dropped, and what the model begins with. */
#include "trained.h"

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

/* Which numbers a part of the model was left without, in one pass of one sample: what it added is 0. */
static size_t dropped(const as_real *before, const as_real *after, bool *out) {
    size_t count = 0;
    for (size_t i = 0; i < T * D; i++) {
        out[i] = before == NULL ? after[i] == 0 : before[i] == after[i];
        count += out[i];
    }
    return count;
}

static void assert_share(size_t count, size_t of, double share) {
    assert_near((double)count, (double)of * share, 5 * sqrt((double)of * share * (1 - share)));
}

/* Embeddings, and of each layer what attention and the feed-forward part add: each has its own numbers
 * left out, the share that is asked for, and the others grow by as much. */
START_TEST(dropout_leaves_out_a_share_at_each_place_anew) {
    enum { PLACES = 1 + 2 * L };
    as_train_config c = small("nope");
    c.dropout = 0.25;
    as_trainer *t = trainer_of(&c, 1);
    as_scratch *w = &t->scratch[0];
    as_train_tensor e = tensor(t, "embedding");
    bool out[PLACES][T * D];
    uint32_t tokens[T];
    for (size_t i = 0; i < T; i++) {
        tokens[i] = (uint32_t)i;
    }
    assert_ok(as_trainer_gradient(t, 1, tokens, &(int32_t){1}, &(double){0}));
    assert_share(dropped(NULL, w->x0, out[0]), T * D, 0.25);
    for (size_t i = 0; i < T * D; i++) {
        assert_near((double)w->x0[i], out[0][i] ? 0 : (double)e.data[i] / 0.75, 1e-6);
    }
    for (size_t l = 0; l < L; l++) {
        const as_kept *kept = &w->layer[l];
        const as_real *next = l + 1 < L ? w->layer[l + 1].x : w->x;
        assert_share(dropped(kept->x, kept->middle, out[1 + 2 * l]), T * D, 0.25);
        assert_share(dropped(kept->middle, next, out[2 + 2 * l]), T * D, 0.25);
    }
    for (size_t a = 0; a < PLACES; a++) {
        for (size_t b = 0; b < a; b++) {
            size_t both = 0;
            for (size_t i = 0; i < T * D; i++) {
                both += out[a][i] && out[b][i];
            }
            assert_share(both, T * D, 0.0625);
        }
    }
    as_trainer_free(t);
}
END_TEST

/* The same sample in every group has another gradient in each. */
START_TEST(dropout_is_of_every_sample_anew) {
    as_train_config c = small("nope");
    c.dropout = 0.25, c.samples = 1;
    as_trainer *t = trainer_of(&c, 1);
    step(t);
    for (size_t a = 0; a < t->groups; a++) {
        for (size_t b = 0; b < a; b++) {
            ck_assert(memcmp(t->group[a].gradient, t->group[b].gradient,
                             t->model.count * sizeof(as_real)) != 0);
        }
    }
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

/* Mean and variance of uniform or normal numbers, to five standard errors, and no number beyond `most`. */
static void assert_drawn(const as_train_tensor *t, double variance, double kurtosis, double most) {
    double count = (double)numbers(t), mean = 0, square = 0, largest = 0;
    for (size_t j = 0; j < numbers(t); j++) {
        double x = (double)t->data[j];
        mean += x / count;
        square += x * x / count;
        largest = fmax(largest, fabs(x));
    }
    assert_near(mean, 0, 5 * sqrt(variance / count));
    assert_near(square, variance, 5 * variance * sqrt((kurtosis - 1) / count));
    ck_assert_msg(largest <= most, "%s: %g", t->name, largest);
}

static bool begins_like(const as_train_tensor *a, const as_train_tensor *b) {
    return a->data[0] / b->data[0] == a->data[1] / b->data[1];
}

/* torch's: embeddings N(0, 1), linear maps and their biases U(±1/√inputs), norms 1 and 0. (T15) */
START_TEST(tensors_begin_as_those_of_torch) {
    as_train_config c = small("learned");
    c.dim = 48, c.ff = 40;
    as_trainer *t = trainer_of(&c, 1);
    as_train_tensor w, other;
    for (size_t i = 0; as_trainer_tensor(t, i, &w); i++) {
        bool norm = strstr(w.name, "norm") != NULL, bias = strstr(w.name, ".bias") != NULL;
        double inputs = strstr(w.name, "ff_down") != NULL ? 40 : 48;
        if (norm) {
            for (size_t j = 0; j < numbers(&w); j++) {
                ck_assert(w.data[j] == (as_real)!bias);
            }
        } else if (strcmp(w.name, "embedding") == 0 || strcmp(w.name, "positions") == 0) {
            assert_drawn(&w, 1, 3, 6);
        } else {
            assert_drawn(&w, 1 / (3 * inputs), 1.8, 1 / sqrt(inputs));
        }
        for (size_t k = 0; k < i && !norm; k++) {
            ck_assert(as_trainer_tensor(t, k, &other));
            ck_assert(strstr(other.name, "norm") != NULL || !begins_like(&w, &other));
        }
    }
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
    static const struct {
        const char *name;
        size_t shape[2];
    } shapes[] = {{"layer_1.query_down.weight", {D / 2, D}},
                  {"layer_1.query_up.weight", {2 * D, D / 2}},
                  {"layer_1.key_up.weight", {D, D / 2}},
                  {"layer_1.key_rope.weight", {D / H, D}},
                  {"layer_1.ff_up.weight", {FF, D}},
                  {"layer_1.ff_up.bias", {FF, 0}},
                  {"head.weight", {6, D}}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        a = tensor(t, shapes[i].name);
        ck_assert_uint_eq(a.rank, shapes[i].shape[1] > 0 ? 2 : 1);
        ck_assert_mem_eq(a.shape, shapes[i].shape, sizeof shapes[i].shape);
    }
    as_trainer_free(t);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, the_same_seed_has_the_same_bits_on_any_number_of_threads);
    tcase_add_test(t, a_resumed_run_has_the_bits_of_one_that_went_on);
    tcase_add_test(t, dropout_is_of_the_whole_seed_and_of_the_step);
    tcase_add_test(t, dropout_leaves_out_a_share_at_each_place_anew);
    tcase_add_test(t, dropout_is_of_every_sample_anew);
    tcase_add_test(t, an_epoch_has_every_sample_once);
    tcase_add_test(t, a_step_is_of_the_next_samples);
    tcase_add_test(t, gradients_are_means_over_the_answers);
    tcase_add_test(t, tensors_begin_as_those_of_torch);
    tcase_add_test(t, tensors_have_names_of_their_own);
}

AS_TEST_MAIN("train")
