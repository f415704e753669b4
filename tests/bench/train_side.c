/* Our side of the training: a long-lived child that times steps, and SGEMM on the same shapes.
 * It refuses a preset that cannot be made. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "bench.h"

#include <cblas.h>
#include <stdlib.h>
#include <string.h>

#include "attnspec/attnspec.h"

/* Rows of a product, as a pass has them at most. */
enum { ROWS = 256, SQUARE = 1024 };

typedef struct side {
    as_train_config config;
    as_trainer *trainer;
    as_task *task;
    uint32_t *tokens; /* [batch][n] the test set, which is as large as a batch */
    int32_t *labels;  /* [batch] */
} side;

static bool make(side *s, const char *preset, const char *samples, size_t threads) {
    as_train_config *c = &s->config;
    if (as_train_preset(preset, NULL, c) != AS_OK ||
        as_train_config_set(c, "batch", samples) != AS_OK ||
        as_train_config_set(c, "test-samples", samples) != AS_OK ||
        as_train_config_resolve(c) != AS_OK || as_trainer_new(c, threads, &s->trainer) != AS_OK ||
        as_task_open(c->task, c->n, c->vocab, &s->task) != AS_OK) {
        fprintf(stderr, "bench: %s\n", as_message());
        return false;
    }
    s->tokens = calloc(c->batch * c->n, sizeof *s->tokens);
    s->labels = calloc(c->batch, sizeof *s->labels);
    as_stream *stream;
    bool ok = s->tokens && s->labels && as_stream_new(0, "", 0, 0, &stream) == AS_OK;
    for (size_t i = 0; ok && i < c->batch; i++) {
        as_task_sample(s->task, stream, c->seed, AS_SPLIT_TEST, i, s->tokens + i * c->n,
                       s->labels + i);
    }
    if (ok) {
        as_stream_free(stream);
    }
    return ok;
}

static size_t count_of(const as_train_tensor *t) {
    return t->rank == 1 ? t->shape[0] : t->shape[0] * t->shape[1];
}

/* The settings as lines "name value", an empty line; then the tensors in their order, tokens and labels,
 * in the machine's own numbers. */
static bool write_start(const side *s, const char *path) {
    const as_train_config *c = &s->config;
    FILE *f = fopen(path, "wb");
    const char *name;
    char value[AS_TRAIN_TEXT];
    as_train_tensor t;
    if (f == NULL) {
        return false;
    }
    for (size_t i = 0; as_train_config_get(c, i, &name, value); i++) {
        fprintf(f, "%s %s\n", name, value);
    }
    fprintf(f, "classes %zu\n\n", as_trainer_facts(s->trainer)->classes);
    for (size_t i = 0; as_trainer_tensor(s->trainer, i, &t); i++) {
        fwrite(t.data, sizeof *t.data, count_of(&t), f);
    }
    fwrite(s->tokens, sizeof *s->tokens, c->batch * c->n, f);
    fwrite(s->labels, sizeof *s->labels, c->batch, f);
    return fclose(f) == 0;
}

static bool say_start(const side *s) {
    size_t parameters = 0;
    as_score score;
    as_train_tensor t;
    for (size_t i = 0; as_trainer_tensor(s->trainer, i, &t); i++) {
        parameters += count_of(&t);
    }
    if (as_trainer_evaluate(s->trainer, NULL, &score, NULL) != AS_OK) {
        return false;
    }
    printf("%zu %.9g %zu\n", parameters, score.loss, as_trainer_facts(s->trainer)->classes);
    return true;
}

typedef struct shape {
    size_t m, n, k;
    CBLAS_TRANSPOSE a, b;
} shape;

/* Operations of one product; numbers are what they are. */
static double multiply(const shape *s, const float *a, const float *b, float *c) {
    cblas_sgemm(CblasRowMajor, s->a, s->b, (int)s->m, (int)s->n, (int)s->k, 1, a,
                (int)(s->a == CblasTrans ? s->m : s->k), b, (int)(s->b == CblasTrans ? s->k : s->n),
                0, c, (int)s->n);
    return 2 * (double)s->m * (double)s->n * (double)s->k;
}

/* A map forward, and back to its weights and to its input. */
static double map(size_t in, size_t out, const float *a, const float *b, float *c) {
    const shape shapes[] = {{ROWS, out, in, CblasNoTrans, CblasTrans},
                            {out, in, ROWS, CblasTrans, CblasNoTrans},
                            {ROWS, in, out, CblasNoTrans, CblasNoTrans}};
    double flop = 0;
    for (size_t i = 0; i < 3; i++) {
        flop += multiply(&shapes[i], a, b, c);
    }
    return flop;
}

/* GFLOP/s in a tenth of a second or more. */
static double gemm_rate(const as_train_config *config, float *room, size_t size) {
    const shape square = {SQUARE, SQUARE, SQUARE, CblasNoTrans, CblasNoTrans};
    float *a = room, *b = room + size, *c = room + 2 * size;
    double flop = 0, begin = seconds_now(), seconds = 0;
    for (; seconds < 0.1; seconds = seconds_now() - begin) {
        for (size_t i = 0; i < 4 && config != NULL; i++) {
            flop += map(config->dim, config->dim, a, b, c);
        }
        flop += config == NULL
                    ? multiply(&square, a, b, c)
                    : map(config->dim, config->ff, a, b, c) + map(config->ff, config->dim, a, b, c);
    }
    return 1e-9 * flop / seconds;
}

static bool say_gemm(const as_train_config *c) {
    size_t size = SQUARE * SQUARE; /* no map of a preset is larger */
    float *room = malloc(3 * size * sizeof *room);
    for (size_t i = 0; room != NULL && i < 3 * size; i++) {
        room[i] = 1e-3f * (float)(i % 7);
    }
    if (room != NULL) {
        printf("%.3f %.3f\n", gemm_rate(c, room, size), gemm_rate(NULL, room, size));
    }
    free(room);
    return room != NULL;
}

static bool answer(side *s, const char *line) {
    if (strcmp(line, "gemm\n") == 0) {
        return say_gemm(&s->config);
    }
    as_train_step step;
    double begin = seconds_now();
    bool ok = true;
    for (size_t left = strtoul(line + strlen("steps "), NULL, 10); ok && left > 0; left--) {
        ok = as_trainer_step(s->trainer, &step) == AS_OK;
    }
    printf("%.9f\n", seconds_now() - begin);
    return ok;
}

int train_serve(const char *preset, const char *samples, size_t threads, const char *path) {
    side s = {0};
    char *line = NULL;
    size_t room = 0;
    bool ok = make(&s, preset, samples, threads) && write_start(&s, path) && say_start(&s);
    while (ok && fflush(stdout) == 0 && getline(&line, &room, stdin) > 0) {
        ok = answer(&s, line);
    }
    free(line);
    free(s.tokens);
    free(s.labels);
    as_task_close(s.task);
    as_trainer_free(s.trainer);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
