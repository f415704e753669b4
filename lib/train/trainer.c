/* A run in memory: made, freed, restored, and asked for its tensors.
 * It refuses models that do not fit into memory. */
#include "train/trainer.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

static as_real *zeros(size_t count) {
    as_real *x = as_alloc(count * sizeof *x);
    if (x != NULL) {
        memset(x, 0, count * sizeof *x);
    }
    return x;
}

static as_status no_memory(const as_trainer *t) {
    return as_fail(AS_ENOMEM, "no memory for a model of %zu parameters with %zu gradients",
                   t->model.count, t->groups);
}

static as_status make_parameters(as_trainer *t) {
    const as_model *m = &t->model;
    size_t square = m->L * m->H * m->T * m->stride;
    bool bias = m->theta_size > 0;
    t->theta = zeros(m->count);
    t->moment1 = zeros(m->count);
    t->moment2 = zeros(m->count);
    t->gradient = zeros(m->count);
    t->mean = zeros(m->L * m->d);
    t->dbias = bias ? zeros(square) : NULL;
    bool there = t->theta && t->moment1 && t->moment2 && t->gradient && t->mean &&
                 (!bias || t->dbias != NULL);
    for (size_t g = 0; g < t->groups && there; g++) {
        t->group[g].gradient = zeros(m->count);
        t->group[g].dbias = bias ? zeros(square) : NULL;
        there = t->group[g].gradient != NULL && (!bias || t->group[g].dbias != NULL);
    }
    return there ? as_model_start(m, t->theta) : no_memory(t);
}

static as_status make_scratch(as_trainer *t, size_t threads) {
    t->scratch = calloc(threads, sizeof *t->scratch);
    as_status status = t->scratch == NULL ? no_memory(t) : AS_OK;
    for (; t->threads < threads && status == AS_OK; t->threads += status == AS_OK) {
        status = as_scratch_new(&t->model, t->block, &t->scratch[t->threads]);
    }
    return status;
}

static as_status make_order(as_trainer *t) {
    size_t samples = t->model.config.samples;
    if (samples == 0) {
        return AS_OK;
    }
    t->order = calloc(samples, sizeof *t->order);
    t->chosen = calloc(t->model.config.batch, sizeof *t->chosen);
    return t->order == NULL || t->chosen == NULL ? no_memory(t) : AS_OK;
}

as_status as_trainer_loop(size_t count, size_t threads, as_work *work, void *context) {
    as_status status = as_parallel_for(count, threads, work, context);
    return status == AS_OK ? as_blas_ready() : status;
}

static void do_nothing(void *context, size_t index, size_t worker) {
    (void)context, (void)index, (void)worker;
}

as_status as_trainer_new(const as_train_config *config, size_t threads, as_trainer **out) {
    if (threads == 0) {
        return as_fail(AS_EINVAL, "training needs at least one thread");
    }
    as_trainer *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a trainer");
    }
    as_status status = as_task_open(config->task, config->n, config->vocab, &t->task);
    if (status == AS_OK) {
        status = as_model_new(config, as_task_facts_of(t->task), &t->model);
    }
    if (status == AS_OK) {
        as_cut cut = as_cut_of(&t->model);
        t->groups = cut.groups;
        t->group_size = cut.group_size;
        t->block = cut.block;
        threads = threads < t->groups ? threads : t->groups;
        status = as_trainer_fits(&t->model, threads);
    }
    if (status == AS_OK) {
        /* BLAS takes its buffers before the model takes what is left of the address space. */
        status = as_trainer_loop(threads, threads, do_nothing, NULL);
    }
    if (status == AS_OK) {
        status = as_places_new(&t->model, &t->places);
    }
    if (status == AS_OK) {
        status = make_parameters(t);
    }
    if (status == AS_OK) {
        status = make_scratch(t, threads);
    }
    if (status == AS_OK) {
        status = make_order(t);
    }
    if (status == AS_OK) {
        status = as_trainer_make_test(t);
    }
    if (status != AS_OK) {
        as_trainer_free(t);
        return status;
    }
    *out = t;
    return AS_OK;
}

static void free_probe(as_probe *p) {
    free(p->q);
    free(p->k);
    free(p->logits);
    free(p->content);
    *p = (as_probe){0};
}

void as_trainer_free(as_trainer *t) {
    if (t == NULL) {
        return;
    }
    free_probe(&t->probe);
    free(t->test.tokens);
    free(t->test.labels);
    free(t->order);
    free(t->chosen);
    for (size_t i = 0; i < t->threads; i++) {
        as_scratch_free(&t->scratch[i]);
    }
    free(t->scratch);
    for (size_t g = 0; g < AS_GROUPS; g++) {
        free(t->group[g].gradient);
        free(t->group[g].dbias);
    }
    free(t->dbias);
    free(t->mean);
    free(t->gradient);
    free(t->moment2);
    free(t->moment1);
    free(t->theta);
    if (t->model.layer != NULL) {
        as_places_free(&t->model, &t->places);
    }
    as_model_free(&t->model);
    as_task_close(t->task);
    free(t);
}

const as_train_config *as_trainer_config(const as_trainer *t) {
    return &t->model.config;
}

const as_task_facts *as_trainer_facts(const as_trainer *t) {
    return &t->model.facts;
}

uint64_t as_trainer_done(const as_trainer *t) {
    return t->done;
}

const as_scheme *as_trainer_scheme(const as_trainer *t) {
    return &t->model.scheme;
}

double as_trainer_scale(const as_trainer *t) {
    return t->model.scale;
}

size_t as_trainer_head_dim(const as_trainer *t) {
    return t->model.query_dim;
}

bool as_trainer_tensor(as_trainer *t, size_t index, as_train_tensor *out) {
    if (index >= t->model.tensor_count) {
        return false;
    }
    const as_model_tensor *of = &t->model.tensor[index];
    *out = (as_train_tensor){.name = of->name,
                             .rank = of->rank,
                             .shape = {of->shape[0], of->shape[1], of->shape[2]},
                             .data = t->theta + of->offset,
                             .moment1 = t->moment1 + of->offset,
                             .moment2 = t->moment2 + of->offset,
                             .gradient = t->gradient + of->offset};
    return true;
}

void as_trainer_restore(as_trainer *t, uint64_t done) {
    t->done = done;
    t->mean_known = false;
}

size_t as_trainer_labels(const as_trainer *t) {
    return t->model.facts.per_position ? t->model.T : 1;
}

as_pass as_trainer_pass(const as_trainer *t) {
    return (as_pass){.model = &t->model, .places = &t->places, .theta = t->theta};
}
