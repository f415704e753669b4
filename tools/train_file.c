/* The files of a training: checkpoint, run with its dump, and the way back.
 * It refuses to go on with a checkpoint of another configuration. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "origin.h"
#include "tool.h"
#include "train.h"

/* as_message() is the library's; a sentence of ours is told here. */
static as_status tell(as_status status, const char *sentence, const char *path) {
    message_error("%s: %s", path, sentence);
    return status;
}

/* Settings of the file beside those of the configuration: how the training was looked at. */
static const char *const noted[] = {"probe", "spectra-every", "test-every"};
enum { NOTED = sizeof noted / sizeof *noted };

static bool is_noted(const char *name) {
    size_t i = 0;
    while (i < NOTED && strcmp(name, noted[i]) != 0)
        i++;
    return i < NOTED;
}

static as_status add_setting(as_run *run, const char *name, const char *value) {
    const char *copy = strdup(value);
    if (copy == NULL)
        return AS_ENOMEM;
    run->config[run->config_count][0] = name;
    run->config[run->config_count++][1] = copy;
    return AS_OK;
}

static as_status take_config(train_job *job) {
    const uint64_t numbers[NOTED] = {job->rhythm.probe, job->rhythm.spectra, job->rhythm.tests};
    as_run *run = &job->run;
    const char *name;
    size_t count = 0;
    if (run->config != NULL)
        return AS_OK;
    char *value = malloc(AS_TRAIN_TEXT);
    as_status status = value == NULL ? AS_ENOMEM : AS_OK;
    while (status == AS_OK && as_train_config_get(&job->config, count, &name, value))
        count++;
    run->config = calloc(count + NOTED, sizeof *run->config);
    if (run->config == NULL)
        status = AS_ENOMEM;
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        as_train_config_get(&job->config, i, &name, value);
        status = add_setting(run, name, value);
    }
    for (size_t i = 0; i < NOTED && status == AS_OK; i++) {
        snprintf(value, AS_TRAIN_TEXT, "%" PRIu64, numbers[i]);
        status = add_setting(run, noted[i], value);
    }
    free(value);
    return status;
}

static as_status take_provenance(train_job *job) {
    const common_options *common = &job->o->common;
    const as_provenance_input input = origin_of(job->self, common, common->deterministic);
    char *text = NULL;
    as_status status = job->run.provenance == NULL ? as_provenance(&input, &text) : AS_OK;
    if (text != NULL)
        job->run.provenance = text;
    return status;
}

as_status train_lend(train_job *job) {
    as_status status = take_config(job);
    if (status == AS_OK)
        status = take_provenance(job);
    job->run.steps = as_trainer_done(job->trainer);
    job->run.finished = job->run.steps == job->config.steps;
    return status;
}

/* The run with tensors that are the trainer's; moments where it is to go on. */
static as_status save(train_job *job, const char *path, bool force, bool moments,
                      const as_run_dump *dump) {
    as_run run;
    as_train_tensor t;
    size_t count = 0;
    as_status status = train_lend(job);
    while (as_trainer_tensor(job->trainer, count, &t))
        count++;
    as_run_tensor *tensors = calloc(count, sizeof *tensors);
    if (tensors == NULL)
        status = AS_ENOMEM;
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        as_trainer_tensor(job->trainer, i, &t);
        tensors[i] = (as_run_tensor){.name = t.name,
                                     .rank = t.rank,
                                     .shape = {t.shape[0], t.shape[1], t.shape[2]},
                                     .data = t.data,
                                     .moment1 = moments ? t.moment1 : NULL,
                                     .moment2 = moments ? t.moment2 : NULL};
    }
    run = job->run;
    run.tensors = tensors;
    run.tensor_count = count;
    if (status == AS_OK)
        status = as_run_save(path, force, &run, dump);
    free(tensors);
    return status;
}

as_status train_checkpoint(train_job *job) {
    return save(job, job->part, true, true, NULL);
}

/* ---- The dump of a run ---- */

static as_status matrix(void *context, const char *tensor, size_t layer, size_t batch, size_t head,
                        as_matrix *out) {
    train_job *job = context;
    as_matrix *to[4] = {NULL};
    static const char *const names[4] = {"query", "key", "logits", "content"};
    for (size_t i = 0; i < 4; i++)
        to[i] = strcmp(tensor, names[i]) == 0 ? out : NULL;
    return as_trainer_probed(job->trainer, (as_probed_place){layer, batch, head},
                             (as_probed){to[0], to[1], to[2], to[3]});
}

as_status train_finish(train_job *job) {
    const as_train_config *c = &job->config;
    const char *path = job->o->common.output;
    const as_run_dump dump = {.shape = {.layers = c->layers,
                                        .batches = job->rhythm.probe,
                                        .heads = c->heads,
                                        .kv_heads = c->heads,
                                        .rows = c->n,
                                        .cols = c->n,
                                        .dim = as_trainer_head_dim(job->trainer)},
                              .scheme = c->scheme,
                              .content = "trained",
                              .mask = c->mask != 0 ? "causal" : "none",
                              .scale = as_trainer_scale(job->trainer),
                              .seed = c->seed,
                              .matrix = matrix,
                              .context = job};
    as_status status = as_trainer_probe(job->trainer, job->rhythm.probe);
    if (status == AS_OK)
        status = save(job, path, job->o->common.force || job->o->resume, false, &dump);
    if (status == AS_OK)
        (void)unlink(job->part);
    return status;
}

/* ---- The way back ---- */

/* Copies the parameters that the run has; all must be there, and of the shape of the model. */
static as_status copy_tensors(const as_run *run, const char *path, bool moments,
                              as_trainer *trainer) {
    as_train_tensor t;
    size_t i = 0;
    for (; as_trainer_tensor(trainer, i, &t); i++) {
        const as_run_tensor *from = i < run->tensor_count ? &run->tensors[i] : NULL;
        bool same = from != NULL && strcmp(from->name, t.name) == 0 && from->rank == t.rank;
        size_t count = 1;
        for (size_t a = 0; a < t.rank && same; a++) {
            same = from->shape[a] == t.shape[a];
            count *= t.shape[a];
        }
        if (!same || (moments && (from->moment1 == NULL || from->moment2 == NULL)))
            return tell(AS_EREAD, "its parameters are not those of its configuration", path);
        memcpy(t.data, from->data, count * sizeof *t.data);
        if (moments) {
            memcpy(t.moment1, from->moment1, count * sizeof *t.moment1);
            memcpy(t.moment2, from->moment2, count * sizeof *t.moment2);
        }
    }
    if (i != run->tensor_count)
        return tell(AS_EREAD, "it has more parameters than its configuration", path);
    as_trainer_restore(trainer, run->steps);
    return AS_OK;
}

as_status trainer_of_run(const as_run *run, const char *path, size_t tests, size_t threads,
                         as_trainer **out) {
    as_train_config config;
    as_trainer *trainer = NULL;
    as_status status = as_train_preset("tiny", NULL, &config);
    for (size_t i = 0; i < run->config_count && status == AS_OK; i++)
        if (!is_noted(run->config[i][0]))
            status = as_train_config_set(&config, run->config[i][0], run->config[i][1]);
    if (tests > 0)
        config.test_samples = tests;
    if (status == AS_OK)
        status = as_train_config_resolve(&config);
    if (status == AS_OK)
        status = as_trainer_new(&config, threads, &trainer);
    if (status != AS_OK) {
        message_error("%s: %s", path, as_message());
        return status == AS_EINVAL ? AS_EREAD : status;
    }
    status = copy_tensors(run, path, false, trainer);
    if (status != AS_OK) {
        as_trainer_free(trainer);
        return status;
    }
    *out = trainer;
    return AS_OK;
}

/* The first setting that is another one in the checkpoint; NULL where all are the same. */
static const char *difference(const as_run *a, const as_run *b) {
    for (size_t i = 0; i < a->config_count; i++) {
        const char *other = as_run_config(b, a->config[i][0]);
        bool words = strcmp(a->config[i][0], "preset") == 0;
        if (!words && (other == NULL || strcmp(other, a->config[i][1]) != 0))
            return a->config[i][0];
    }
    return NULL;
}

static as_status adopt(train_job *job, const as_run *saved) {
    as_run *run = &job->run;
    size_t heads = run->spectra.layers * run->spectra.heads;
    const as_run_spectra *s = &saved->spectra;
    if (s->steps > 0 && s->layers * s->heads != heads)
        return tell(AS_EREAD, "its spectra are not those of its configuration", job->part);
    if (saved->steps > job->config.steps)
        return tell(AS_EREAD, "it has more steps than its configuration", job->part);
    as_status status = copy_tensors(saved, job->part, true, job->trainer);
    /* Of a training whose last file could not be written; before, there are none. */
    run->accuracy = saved->accuracy;
    run->loss = saved->loss;
    for (size_t i = 0; i < saved->point_count && status == AS_OK; i++) {
        const as_run_point *p = &saved->history[i];
        const as_train_step step = {p->step, p->loss, p->accuracy, p->rate, p->gradient_norm};
        const as_score test = {.loss = p->test_loss, .accuracy = p->test_accuracy};
        status = train_note_step(job, &step, &test);
    }
    for (size_t i = 0; i < s->steps && status == AS_OK; i++) {
        status = train_spectra_room(job);
        for (size_t m = 0; m < AS_RUN_SPECTRUM_COUNT && status == AS_OK; m++)
            memcpy(run->spectra.value[m] + i * heads, s->value[m] + i * heads,
                   heads * sizeof *s->value[m]);
        if (status == AS_OK)
            run->spectra.step[run->spectra.steps++] = s->step[i];
    }
    return status;
}

/* A file that is in the way, or of this training. */
static int load(train_job *job, const char *path, as_run **out) {
    as_status status = take_config(job);
    if (status == AS_OK)
        status = as_run_load(path, out);
    if (status == AS_ENOMEM) {
        message_error("there is no memory for %s", path);
        return exit_code_of(status);
    }
    if (status != AS_OK) {
        message_error("%s; --force without --resume replaces it", as_message());
        return EXIT_OUTPUT;
    }
    const char *other = difference(&job->run, *out);
    if (other == NULL)
        return EXIT_DONE;
    const char *there = as_run_config(*out, other);
    message_error("%s is of another training: its --%s is %s, not %s; --force without --resume "
                  "replaces it",
                  path, other, there == NULL ? "not there" : there,
                  as_run_config(&job->run, other));
    return EXIT_OUTPUT;
}

int train_resume(train_job *job) {
    as_run *saved = NULL;
    int code = load(job, job->part, &saved);
    if (code == EXIT_DONE) {
        as_status status = adopt(job, saved);
        code = status == AS_EREAD ? EXIT_OUTPUT : exit_code_of(status);
    }
    as_run_free(saved);
    return code;
}

int train_whole(train_job *job) {
    const char *path = job->o->common.output;
    as_run *saved = NULL;
    int code = load(job, path, &saved);
    if (code == EXIT_DONE && !saved->finished) {
        message_error("%s is a training that is not at its end; --force without --resume replaces "
                      "it",
                      path);
        code = EXIT_OUTPUT;
    } else if (code == EXIT_DONE) {
        message_note("%s is whole already: there is nothing to go on with", path);
    }
    as_run_free(saved);
    return code;
}
