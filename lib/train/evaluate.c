/* The test set: accuracy of the whole model, or without a head.
 * It refuses heads that are not there. */
#include "base/fail.h"
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

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

/* One block of samples is one step of the loop; what it gives is kept apart and added in order. */
typedef struct part {
    double loss;
    uint64_t right, answers;
    uint64_t first; /* answers before it */
} part;

typedef struct evaluation {
    as_trainer *trainer;
    const as_removal *removal;
    part *parts;
    bool *right;         /* [answers], or NULL */
    double *context_sum; /* [parts][L][d], or NULL */
} evaluation;

static void evaluate_block(void *context, size_t index, size_t worker) {
    const evaluation *e = context;
    as_trainer *t = e->trainer;
    size_t first = index * t->block, left = t->test.count - first;
    part *out = &e->parts[index];
    as_pass pass = as_trainer_pass(t);
    pass.samples = left < t->block ? left : t->block;
    pass.tokens = t->test.tokens + first * t->model.T;
    pass.labels = t->test.labels + first * as_trainer_labels(t);
    pass.removal = e->removal;
    pass.mean = t->mean;
    pass.each = e->right != NULL ? e->right + out->first : NULL;
    if (e->context_sum != NULL) {
        pass.context_sum = e->context_sum + index * t->model.L * t->model.d;
    }
    as_pass_run(&pass, &t->scratch[worker]);
    out->loss = pass.loss;
    out->right = pass.right;
    out->answers = pass.answers;
}

static size_t blocks_of(const as_trainer *t) {
    return (t->test.count + t->block - 1) / t->block;
}

/* Where each block's answers begin. */
static void number_answers(const as_trainer *t, part *parts) {
    size_t width = as_trainer_labels(t), per_block = t->block * width;
    uint64_t before = 0;
    for (size_t i = 0; i < t->test.count * width; i++) {
        if (i % per_block == 0) {
            parts[i / per_block].first = before;
        }
        before += t->test.labels[i] >= 0;
    }
}

static as_status run(as_trainer *t, evaluation *e, as_score *out) {
    size_t blocks = blocks_of(t);
    e->trainer = t;
    e->parts = calloc(blocks, sizeof *e->parts);
    if (e->parts == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu blocks of test samples", blocks);
    }
    number_answers(t, e->parts);
    as_status status = as_places_refresh(&t->model, t->theta, &t->places);
    if (status == AS_OK) {
        status = as_trainer_loop(blocks, t->threads, evaluate_block, e);
    }
    part all = {0};
    for (size_t i = 0; i < blocks; i++) {
        all.loss += e->parts[i].loss;
        all.right += e->parts[i].right;
        all.answers += e->parts[i].answers;
    }
    free(e->parts);
    if (status != AS_OK) {
        return status;
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
    size_t width = t->model.L * t->model.d, blocks = blocks_of(t), count;
    as_score unused;
    if (t->mean_known) {
        return AS_OK;
    }
    evaluation e = {
        .context_sum = as_mul(blocks, width, &count) ? calloc(count, sizeof *e.context_sum) : NULL};
    if (e.context_sum == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the means of %zu numbers", width);
    }
    as_status status = run(t, &e, &unused);
    for (size_t i = 0; i < width && status == AS_OK; i++) {
        double sum = 0;
        for (size_t b = 0; b < blocks; b++) {
            sum += e.context_sum[b * width + i];
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
