/* trained: what the tests of training share: a model of unround sizes, and its parameters by name. */
#ifndef AS_TESTS_TRAINED_H
#define AS_TESTS_TRAINED_H

#include <string.h>

#include "support.h"

/* Positions, tokens, width, heads, layers, hidden width, samples a step, test samples. Not one of the
 * sizes is whole registers, and a batch is no whole groups. */
enum { T = 13, V = 23, D = 12, H = 3, L = 2, FF = 10, BATCH = 37, TESTS = 29 };

static inline as_train_config small(const char *scheme) {
    as_train_config c;
    assert_ok(as_train_preset("tiny", "clean", &c));
    strcpy(c.task, "count:sentence=9,most=5,triggers=4");
    strcpy(c.scheme, scheme);
    c.n = T, c.vocab = V, c.dim = D, c.heads = H, c.layers = L, c.ff = FF;
    c.batch = BATCH, c.test_samples = TESTS, c.steps = 40;
    return c;
}

static inline as_trainer *trainer_of(const as_train_config *config, size_t threads) {
    as_train_config c = *config;
    as_trainer *t = NULL;
    assert_ok(as_train_config_resolve(&c));
    assert_ok(as_trainer_new(&c, threads, &t));
    return t;
}

static inline size_t numbers(const as_train_tensor *t) {
    return t->rank == 1 ? t->shape[0] : t->shape[0] * t->shape[1];
}

static inline bool has_tensor(as_trainer *trainer, const char *name, as_train_tensor *out) {
    for (size_t i = 0; as_trainer_tensor(trainer, i, out); i++) {
        if (strcmp(out->name, name) == 0) {
            return true;
        }
    }
    return false;
}

static inline as_train_tensor tensor(as_trainer *trainer, const char *name) {
    as_train_tensor t = {.name = NULL};
    ck_assert_msg(has_tensor(trainer, name, &t), "there is no %s", name);
    return t;
}

/* Everything that a step changes, from one trainer to another of the same configuration. */
static inline void copy_tensors(as_trainer *from, as_trainer *to) {
    as_train_tensor a, b;
    for (size_t i = 0; as_trainer_tensor(from, i, &a); i++) {
        ck_assert(as_trainer_tensor(to, i, &b));
        memcpy(b.data, a.data, numbers(&a) * sizeof *a.data);
        memcpy(b.moment1, a.moment1, numbers(&a) * sizeof *a.data);
        memcpy(b.moment2, a.moment2, numbers(&a) * sizeof *a.data);
    }
    as_trainer_restore(to, as_trainer_done(from));
}

static inline bool same_tensors(as_trainer *one, as_trainer *other) {
    as_train_tensor a, b;
    size_t i = 0;
    for (; as_trainer_tensor(one, i, &a); i++) {
        size_t bytes = numbers(&a) * sizeof *a.data;
        if (!as_trainer_tensor(other, i, &b) || strcmp(a.name, b.name) != 0 ||
            memcmp(a.data, b.data, bytes) != 0 || memcmp(a.moment1, b.moment1, bytes) != 0 ||
            memcmp(a.moment2, b.moment2, bytes) != 0) {
            return false;
        }
    }
    return !as_trainer_tensor(other, i, &b);
}

static inline as_train_step step(as_trainer *trainer) {
    as_train_step s = {0};
    assert_ok(as_trainer_step(trainer, &s));
    ck_assert(isfinite(s.loss) && isfinite(s.gradient_norm) && s.gradient_norm > 0);
    return s;
}

/* A model whose numbers are not those it began with; steps are few. */
static inline as_trainer *after_steps(const as_train_config *config, size_t steps) {
    as_trainer *t = trainer_of(config, 2);
    for (size_t s = 0; s < steps; s++) {
        step(t);
    }
    return t;
}

#endif
