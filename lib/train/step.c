/* One step: samples in groups on threads, their gradients added in order, then AdamW with warm-up, cosine
 * and clipping. (T9)
 * It refuses a step whose loss or gradient is no number. */
#include "base/fail.h"
#include "train/kernel.h"
#include "train/trainer.h"

#include <math.h>
#include <string.h>

/* Numbers of the arena that are added up, or updated, at a time. */
enum { PIECE = 16384 };

/* The order of the fixed training set in an epoch. Fisher and Yates, from the same beginning each time, so
 * that a resumed run has the same order. */
static void shuffle(as_trainer *t, uint64_t epoch) {
    size_t samples = t->model.config.samples;
    as_stream *stream = t->scratch[0].stream;
    if (t->epoch == epoch) {
        return;
    }
    as_stream_restart(stream, t->model.config.seed, "train.order", (size_t)epoch, 0);
    for (size_t i = 0; i < samples; i++) {
        t->order[i] = (uint32_t)i;
    }
    for (size_t i = samples - 1; i > 0; i--) {
        size_t j = (size_t)(as_stream_uniform(stream) * (double)(i + 1));
        uint32_t kept = t->order[i];
        t->order[i] = t->order[j];
        t->order[j] = kept;
    }
    t->epoch = epoch;
}

/* A batch may end in another epoch than it begins in: of each sample it is its own that counts, so that
 * an epoch has every sample once. */
static void choose(as_trainer *t, uint64_t first) {
    const as_train_config *c = &t->model.config;
    for (size_t i = 0; i < c->batch; i++) {
        shuffle(t, 1 + (first + i) / c->samples);
        t->chosen[i] = t->order[(first + i) % c->samples];
    }
}

/* What the groups of one step, or of one batch of samples that are given, have in common. */
typedef struct batch {
    as_trainer *trainer;
    size_t samples;
    const uint32_t *tokens; /* NULL: to be drawn */
    const int32_t *labels;
    uint64_t first; /* number of the batch's first sample */
    bool drops;
} batch;

/* Sample `number` of the batch, as the scratch's sample `at`. */
static void draw(const batch *b, as_scratch *w, size_t number, size_t at) {
    const as_trainer *t = b->trainer;
    const as_train_config *c = &t->model.config;
    uint64_t index = t->order != NULL ? t->chosen[number] : b->first + number;
    as_task_sample(t->task, w->stream, c->seed, AS_SPLIT_TRAIN, index, w->tokens + at * c->n,
                   w->labels + at * as_trainer_labels(t));
}

/* One block of a group's samples, from its sample `at` of the batch on. */
static void run_block(const batch *b, as_scratch *w, as_group *group, size_t at, size_t count) {
    as_trainer *t = b->trainer;
    as_pass pass = as_trainer_pass(t);
    pass.samples = count;
    pass.gradient = group->gradient;
    pass.dbias = group->dbias;
    pass.tokens = w->tokens;
    pass.labels = w->labels;
    pass.drops = b->drops;
    pass.drop_key = as_drop_key(t->model.config.seed, b->first + at);
    if (b->tokens != NULL) {
        pass.tokens = b->tokens + at * t->model.T;
        pass.labels = b->labels + at * as_trainer_labels(t);
    }
    for (size_t i = 0; i < count && b->tokens == NULL; i++) {
        draw(b, w, at + i, i);
    }
    as_pass_run(&pass, w);
    group->loss += pass.loss;
    group->answers += pass.answers;
    group->right += pass.right;
}

static void run_group(void *context, size_t index, size_t worker) {
    const batch *b = context;
    as_trainer *t = b->trainer;
    as_group *group = &t->group[index];
    size_t at = index * t->group_size, end = at + t->group_size;
    memset(group->gradient, 0, t->model.count * sizeof *group->gradient);
    if (group->dbias != NULL) {
        size_t square = t->model.L * t->model.H * t->model.T * t->model.stride;
        memset(group->dbias, 0, square * sizeof *group->dbias);
    }
    group->loss = 0;
    group->answers = group->right = 0;
    end = end < b->samples ? end : b->samples;
    for (; at < end; at += t->block) {
        size_t count = end - at < t->block ? end - at : t->block;
        run_block(b, &t->scratch[worker], group, at, count);
    }
}

typedef struct sum {
    as_trainer *trainer;
    as_real *to;
    size_t count;
    size_t offset_of; /* in as_group: which buffer */
    as_real factor;
} sum;

static void add_piece(void *context, size_t index, size_t worker) {
    const sum *s = context;
    size_t from = index * PIECE, count = s->count - from < PIECE ? s->count - from : PIECE;
    (void)worker;
    for (size_t g = 0; g < s->trainer->groups; g++) {
        as_real *const *buffer =
            (as_real *const *)(const void *)((const char *)&s->trainer->group[g] + s->offset_of);
        if (g == 0) {
            memcpy(s->to + from, *buffer + from, count * sizeof *s->to);
        } else {
            as_add(s->to + from, *buffer + from, count);
        }
    }
    for (size_t i = from; i < from + count; i++) {
        s->to[i] *= s->factor;
    }
}

static size_t pieces(size_t count) {
    return (count + PIECE - 1) / PIECE;
}

as_status as_trainer_reduce(as_trainer *t, uint64_t answers, double *squares) {
    const as_model *m = &t->model;
    as_real factor = answers > 0 ? (as_real)(1 / (double)answers) : 0;
    sum s = {t, t->gradient, m->count, offsetof(as_group, gradient), factor};
    as_status status = as_parallel_for(pieces(s.count), t->threads, add_piece, &s);
    if (status == AS_OK && t->dbias != NULL) {
        s = (sum){t, t->dbias, m->L * m->H * m->T * m->stride, offsetof(as_group, dbias), factor};
        status = as_parallel_for(pieces(s.count), t->threads, add_piece, &s);
        if (status == AS_OK) {
            status = as_places_backward(m, t->theta, t->dbias, &t->places, t->gradient);
        }
    }
    *squares = 0;
    for (size_t i = 0; i < m->count && status == AS_OK; i++) {
        *squares += (double)t->gradient[i] * (double)t->gradient[i];
    }
    return status;
}

/* Loss and gradient of a batch, in trainer->gradient. */
static as_status run_batch(as_trainer *t, batch *b, as_train_step *out) {
    double squares = 0, loss = 0;
    uint64_t answers = 0, right = 0;
    as_status status = as_places_refresh(&t->model, t->theta, &t->places);
    if (status == AS_OK) {
        status = as_trainer_loop(t->groups, t->threads, run_group, b);
    }
    for (size_t g = 0; g < t->groups && status == AS_OK; g++) {
        loss += t->group[g].loss;
        answers += t->group[g].answers;
        right += t->group[g].right;
    }
    if (status == AS_OK) {
        status = as_trainer_reduce(t, answers, &squares);
    }
    if (status == AS_OK) {
        out->loss = answers > 0 ? loss / (double)answers : 0;
        out->accuracy = answers > 0 ? (double)right / (double)answers : 0;
        out->gradient_norm = sqrt(squares);
    }
    return status;
}

as_status as_trainer_gradient(as_trainer *t, size_t samples, const uint32_t *tokens,
                              const int32_t *labels, double *loss) {
    batch b = {.trainer = t, .samples = samples, .tokens = tokens, .labels = labels, .drops = true};
    as_train_step step = {0};
    if (samples > t->model.config.batch) {
        return as_fail(AS_EINVAL, "%zu samples are more than a batch of %zu", samples,
                       t->model.config.batch);
    }
    as_status status = run_batch(t, &b, &step);
    if (status == AS_OK) {
        *loss = step.loss;
    }
    return status;
}

/* The learning rate of step 1 … N: it rises over the first w = warmup·N steps, and falls along half a
 * cosine to 0 at N. */
static double rate_of(const as_train_config *c, uint64_t step) {
    double N = (double)c->steps, w = c->warmup * N, s = (double)step;
    if (s <= w) {
        return c->lr * s / w;
    }
    return s >= N ? 0 : c->lr * (1 + cos(acos(-1) * (s - w) / (N - w))) / 2;
}

typedef struct update {
    as_trainer *trainer;
    as_adamw whole;
} update;

static void update_tensor(void *context, size_t index, size_t worker) {
    const update *u = context;
    as_trainer *t = u->trainer;
    const as_model_tensor *of = &t->model.tensor[index];
    as_adamw a = u->whole;
    size_t at = of->offset;
    (void)worker;
    if (of->is_bias) {
        a.rate *= (as_real)t->model.config.table_lr;
        a.decay *= (as_real)t->model.config.table_lr;
    }
    as_adamw_update(&a, t->theta + at, t->moment1 + at, t->moment2 + at, t->gradient + at,
                    of->count);
}

static as_status take_step(as_trainer *t, const as_train_step *step) {
    const as_train_config *c = &t->model.config;
    double clip = c->clip, norm = step->gradient_norm;
    update u = {.trainer = t,
                .whole = {.rate = (as_real)step->rate,
                          .decay = (as_real)(step->rate * c->weight_decay),
                          .beta1 = (as_real)c->beta1,
                          .beta2 = (as_real)c->beta2,
                          .correct1 = (as_real)(1 / (1 - pow(c->beta1, (double)step->step))),
                          .correct2 = (as_real)(1 / (1 - pow(c->beta2, (double)step->step))),
                          .scale = (as_real)(clip > 0 && norm > clip ? clip / norm : 1)}};
    as_status status = as_parallel_for(t->model.tensor_count, t->threads, update_tensor, &u);
    if (status == AS_OK) {
        as_places_project(&t->model, &t->places, t->theta);
    }
    return status;
}

as_status as_trainer_step(as_trainer *t, as_train_step *out) {
    const as_train_config *c = &t->model.config;
    batch b = {.trainer = t, .samples = c->batch, .first = t->done * c->batch, .drops = true};
    as_train_step step = {.step = t->done + 1, .rate = rate_of(c, t->done + 1)};
    if (t->order != NULL) {
        choose(t, b.first);
    }
    as_status status = run_batch(t, &b, &step);
    if (status == AS_OK && (!isfinite(step.loss) || !isfinite(step.gradient_norm))) {
        double x = isfinite(step.loss) ? step.gradient_norm : step.loss;
        status = as_fail(
            AS_ENONFINITE, "step %llu: the %s is %s; a smaller learning rate, or --clip, may help",
            (unsigned long long)step.step, isfinite(step.loss) ? "norm of the gradient" : "loss",
            isinf(x) ? "infinite" : "no number");
    }
    if (status == AS_OK) {
        status = take_step(t, &step);
    }
    if (status == AS_OK) {
        t->done++;
        t->mean_known = false;
        *out = step;
    }
    return status;
}
