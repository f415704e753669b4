/* The test set: accuracy of the whole model, or without a head.
 * It refuses heads that are not there. */
#include "base/fail.h"
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>

as_status as_trainer_make_test(as_trainer *t) {
    const as_train_config *c = &t->model.config;
    size_t width = as_trainer_labels(t);
    as_samples *test = &t->test;
    test->count = c->test_samples;
    test->tokens = calloc(test->count * c->n, sizeof *test->tokens);
    test->labels = calloc(test->count * width, sizeof *test->labels);
    if (test->tokens == NULL || test->labels == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu test samples", test->count);
    }
    for (size_t i = 0; i < test->count; i++) {
        as_task_sample(t->task, t->scratch[0].stream, c->seed, AS_SPLIT_TEST, i,
                       test->tokens + i * c->n, test->labels + i * width);
    }
    for (size_t i = 0; i < test->count * width; i++) {
        test->answers += test->labels[i] >= 0;
    }
    return AS_OK;
}

uint64_t as_trainer_answers(const as_trainer *t) {
    return t->test.answers;
}

/* A part of the test set, whole blocks of samples, is one step of the loop; what it gives is kept apart and
 * added in order. */
typedef struct part {
    double loss;
    uint64_t right, answers;
    uint64_t first; /* answers before it */
} part;

typedef struct evaluation {
    as_trainer *trainer;
    const as_removal *removal;
    bool *right;         /* [answers], or NULL */
    double *context_sum; /* [AS_TEST_PARTS][L][d], or NULL */
    size_t count, size;  /* parts, and samples of each but the last */
    part parts[AS_TEST_PARTS];
} evaluation;

static void evaluate_block(const evaluation *e, as_scratch *work, size_t first, size_t count,
                           size_t index, part *out) {
    const as_trainer *t = e->trainer;
    as_pass pass = as_trainer_pass(t);
    pass.samples = count;
    pass.tokens = t->test.tokens + first * t->model.T;
    pass.labels = t->test.labels + first * as_trainer_labels(t);
    pass.removal = e->removal;
    pass.mean = t->mean;
    pass.each = e->right != NULL ? e->right + out->first + out->answers : NULL;
    if (e->context_sum != NULL) {
        pass.context_sum = e->context_sum + index * t->model.L * t->model.d;
    }
    as_pass_run(&pass, work);
    out->loss += pass.loss;
    out->right += pass.right;
    out->answers += pass.answers;
}

static void evaluate_part(void *context, size_t index, size_t worker) {
    evaluation *e = context;
    as_trainer *t = e->trainer;
    size_t at = index * e->size, end = at + e->size;
    end = end < t->test.count ? end : t->test.count;
    for (; at < end; at += t->block) {
        size_t count = end - at < t->block ? end - at : t->block;
        evaluate_block(e, &t->scratch[worker], at, count, index, &e->parts[index]);
    }
}

/* How the test set is cut, and where each part's answers begin. */
static void cut(const as_trainer *t, evaluation *e) {
    size_t blocks = (t->test.count + t->block - 1) / t->block, width = as_trainer_labels(t);
    uint64_t before = 0;
    e->size = (blocks + AS_TEST_PARTS - 1) / AS_TEST_PARTS * t->block;
    e->count = (t->test.count + e->size - 1) / e->size;
    for (size_t i = 0; i < t->test.count * width; i++) {
        if (i % (e->size * width) == 0) {
            e->parts[i / (e->size * width)].first = before;
        }
        before += t->test.labels[i] >= 0;
    }
}

/* e is without its parts. */
static as_status run(as_trainer *t, evaluation *e, as_score *out) {
    part all = {0};
    e->trainer = t;
    cut(t, e);
    as_status status = as_places_refresh(&t->model, t->theta, &t->places);
    if (status == AS_OK) {
        status = as_trainer_loop(e->count, t->threads, evaluate_part, e);
    }
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < e->count; i++) {
        all.loss += e->parts[i].loss;
        all.right += e->parts[i].right;
        all.answers += e->parts[i].answers;
    }
    if (all.answers == 0) {
        return as_fail(AS_EINVAL, "the test set asks for no answer");
    }
    if (!isfinite(all.loss)) {
        return as_fail(AS_ENONFINITE, "the loss of the test set is %s",
                       isinf(all.loss) ? "infinite" : "no number");
    }
    *out = (as_score){.loss = all.loss / (double)all.answers,
                      .accuracy = (double)all.right / (double)all.answers,
                      .answers = all.answers};
    return AS_OK;
}

/* The mean of what each head gives, over the positions and samples of the test set. */
static as_status find_mean(as_trainer *t) {
    size_t width = t->model.L * t->model.d;
    as_score unused;
    if (t->mean_known) {
        return AS_OK;
    }
    evaluation e = {.context_sum = calloc(AS_TEST_PARTS * width, sizeof *e.context_sum)};
    if (e.context_sum == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the means of %zu numbers", width);
    }
    as_status status = run(t, &e, &unused);
    for (size_t i = 0; i < width && status == AS_OK; i++) {
        double sum = 0;
        for (size_t p = 0; p < e.count; p++) {
            sum += e.context_sum[p * width + i];
        }
        t->mean[i] = (as_real)(sum / ((double)t->test.count * (double)t->model.T));
    }
    t->mean_known = status == AS_OK;
    free(e.context_sum);
    return status;
}

as_status as_trainer_evaluate(as_trainer *t, const as_removal *removal, as_score *out,
                              bool *right) {
    bool removes = removal != NULL && removal->kind != AS_REMOVE_NONE;
    if (removes && (removal->layer >= t->model.L || removal->head >= t->model.H)) {
        return as_fail(AS_EINVAL, "there is no head %zu in layer %zu: %zu layers have %zu heads",
                       removal->head, removal->layer, t->model.L, t->model.H);
    }
    as_status status = removes && removal->kind == AS_REMOVE_MEAN ? find_mean(t) : AS_OK;
    evaluation e = {.removal = removes ? removal : NULL, .right = right};
    return status == AS_OK ? run(t, &e, out) : status;
}
