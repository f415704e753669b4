/* first_layer: the way into the first layer once more, in double precision, from a trainer's parameters and
 * the test set. */
#ifndef AS_TESTS_FIRST_LAYER_H
#define AS_TESTS_FIRST_LAYER_H

#include <stdio.h>

#include "trained.h"

typedef struct first_layer {
    double h[T][D]; /* normalised embeddings of one sample */
} first_layer;

static inline void normalise(as_trainer *trainer, const uint32_t *tokens, first_layer *out) {
    as_train_tensor e = tensor(trainer, "embedding"), w = tensor(trainer, "layer_0.norm1.weight"),
                    b = tensor(trainer, "layer_0.norm1.bias");
    for (size_t i = 0; i < T; i++) {
        const as_real *x = e.data + tokens[i] * D;
        double mean = 0, variance = 0;
        for (size_t j = 0; j < D; j++) {
            mean += (double)x[j] / D;
        }
        for (size_t j = 0; j < D; j++) {
            variance += ((double)x[j] - mean) * ((double)x[j] - mean) / D;
        }
        for (size_t j = 0; j < D; j++) {
            out->h[i][j] = ((double)x[j] - mean) / sqrt(variance + 1e-5) * (double)w.data[j] +
                           (double)b.data[j];
        }
    }
}

/* Row r of a map of the first layer, at position i. */
static inline double mapped(as_trainer *trainer, const char *map, const first_layer *f, size_t i,
                            size_t r) {
    char name[48];
    snprintf(name, sizeof name, "layer_0.%s.weight", map);
    as_train_tensor w = tensor(trainer, name);
    snprintf(name, sizeof name, "layer_0.%s.bias", map);
    double sum = (double)tensor(trainer, name).data[r];
    for (size_t j = 0; j < D; j++) {
        sum += (double)w.data[r * D + j] * f->h[i][j];
    }
    return sum;
}

static inline void draw_tests(const as_train_config *c, size_t count, uint32_t *tokens) {
    as_task *task = NULL;
    as_stream *stream = NULL;
    int32_t label[T];
    assert_ok(as_task_open(c->task, c->n, c->vocab, &task));
    assert_ok(as_stream_new(0, "", 0, 0, &stream));
    for (size_t s = 0; s < count; s++) {
        as_task_sample(task, stream, c->seed, AS_SPLIT_TEST, s, tokens + s * T, label);
    }
    as_stream_free(stream);
    as_task_close(task);
}

#endif
