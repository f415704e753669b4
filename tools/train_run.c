/* One training in memory: steps, the history and the spectra along it.
 * It refuses to go on after a step whose loss is no number. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "interrupt.h"
#include "progress.h"
#include "tool.h"
#include "train.h"

/* Seconds between checkpoints where nobody says how many steps. */
#define CHECKPOINT_SECONDS 10

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

as_status train_begin(train_job *job) {
    size_t threads = job->o->common.threads;
    as_status status = as_trainer_new(&job->config, threads, &job->trainer);
    if (status != AS_OK)
        return status;
    job->desks = calloc(threads, sizeof *job->desks);
    job->scheme = *as_trainer_scheme(job->trainer);
    job->run.accuracy = job->run.loss = job->run.samples_per_second = NAN;
    job->run.plateau = as_trainer_facts(job->trainer)->plateau;
    job->run.plateau_of = as_trainer_facts(job->trainer)->plateau_of;
    job->run.answers = as_trainer_answers(job->trainer);
    job->run.spectra.layers = job->config.layers;
    job->run.spectra.heads = job->config.heads;
    job->saved = now();
    return job->desks == NULL ? AS_ENOMEM : AS_OK;
}

void train_job_free(train_job *job) {
    for (size_t i = 0; job->desks != NULL && i < job->o->common.threads; i++)
        desk_free(&job->desks[i]);
    free(job->desks);
    free(job->run.history);
    free(job->run.spectra.step);
    for (size_t m = 0; m < AS_RUN_SPECTRUM_COUNT; m++)
        free(job->run.spectra.value[m]);
    for (size_t i = 0; i < job->run.config_count; i++)
        free((void *)(uintptr_t)job->run.config[i][1]);
    free((void *)(uintptr_t)job->run.config);
    free((void *)(uintptr_t)job->run.provenance);
    free(job->part);
    as_trainer_free(job->trainer);
}

as_status train_note_step(train_job *job, const as_train_step *step, const as_score *test) {
    as_run *run = &job->run;
    if (run->point_count == job->history_room) {
        size_t room = 2 * job->history_room + 64;
        as_run_point *grown = realloc(run->history, room * sizeof *grown);
        if (grown == NULL)
            return AS_ENOMEM;
        run->history = grown;
        job->history_room = room;
    }
    run->history[run->point_count++] =
        (as_run_point){.step = step->step,
                       .loss = step->loss,
                       .accuracy = step->accuracy,
                       .rate = step->rate,
                       .gradient_norm = step->gradient_norm,
                       .test_loss = test != NULL ? test->loss : (double)NAN,
                       .test_accuracy = test != NULL ? test->accuracy : (double)NAN};
    return AS_OK;
}

/* ---- Spectra ---- */

/* One head of one sample of the probe, ready to be measured. */
static as_status load(train_job *job, size_t layer, size_t sample, size_t head, desk *d) {
    as_loaded *l = &d->loaded;
    const as_train_config *c = &job->config;
    const as_mask mask = {.kind = c->mask != 0 ? AS_MASK_CAUSAL : AS_MASK_NONE};
    const as_preparation how = {.dtype = AS_F32, .kind = AS_KIND_LOGITS, .mask = mask};
    as_status status =
        as_trainer_probed(job->trainer, (as_probed_place){layer, sample, head},
                          (as_probed){&l->pair.q, &l->pair.k, &l->logits.a, &l->baseline.a});
    if (status == AS_OK)
        status = as_logits_prepare(&l->logits, &how);
    if (status == AS_OK)
        status = as_logits_prepare(&l->baseline, &how);
    l->has_baseline = true;
    l->baseline_name = "content";
    l->has_pair = job->scheme.type->rotation != NULL;
    if (status == AS_OK && l->has_pair) {
        l->pair.scheme = job->scheme;
        l->pair.head = (as_head){.layer = layer,
                                 .head = head,
                                 .heads = c->heads,
                                 .causal = c->mask != 0,
                                 .seed = c->seed};
        l->pair.scale = as_trainer_scale(job->trainer);
        status = as_pair_describe(&l->pair);
    }
    return status;
}

/* Adds what a head of one sample has to its sums; what does not exist makes them NaN. */
static void add_up(const desk *d, double *sum) {
    const double *coupled = d->summary.metrics.value, *content = d->baseline.metrics.value;
    const as_contraction *c = &d->contraction;
    sum[AS_RUN_SPECTRUM_spectral_norm] += coupled[AS_METRIC_spectral_norm];
    sum[AS_RUN_SPECTRUM_spectral_ratio] += c->value[AS_RATIO_spectral_norm];
    sum[AS_RUN_SPECTRUM_frobenius_ratio] += c->value[AS_RATIO_frobenius_norm];
    sum[AS_RUN_SPECTRUM_nuclear_ratio] += c->value[AS_RATIO_nuclear_norm];
    sum[AS_RUN_SPECTRUM_stable_rank] += coupled[AS_METRIC_stable_rank];
    sum[AS_RUN_SPECTRUM_content_stable_rank] += content[AS_METRIC_stable_rank];
    sum[AS_RUN_SPECTRUM_effective_rank] += coupled[AS_METRIC_effective_rank];
    sum[AS_RUN_SPECTRUM_alignment] += c->alignment[AS_ALIGNMENT_coupled][AS_NORM_SPECTRAL];
    sum[AS_RUN_SPECTRUM_content_alignment] += c->alignment[AS_ALIGNMENT_content][AS_NORM_SPECTRAL];
}

/* A head, over the samples of the probe; the room of this step is the last of the arrays. A head that
 * cannot be measured has no numbers, and stops no other. */
static void measure_head(void *context, size_t index, size_t worker) {
    train_job *job = context;
    const as_summary_options options = {.driver = AS_DRIVER_AUTO};
    size_t layer = index / job->config.heads, head = index % job->config.heads;
    double sum[AS_RUN_SPECTRUM_COUNT] = {0};
    for (size_t s = 0; s < job->rhythm.probe; s++) {
        desk *d = &job->desks[worker];
        bool good = load(job, layer, s, head, d) == AS_OK && measure(d, &options) == AS_OK;
        if (good)
            add_up(d, sum);
        for (size_t m = 0; m < AS_RUN_SPECTRUM_COUNT && !good; m++)
            sum[m] = NAN;
    }
    const as_run_spectra *spectra = &job->run.spectra;
    for (size_t m = 0; m < AS_RUN_SPECTRUM_COUNT; m++)
        spectra->value[m][spectra->steps * spectra->layers * spectra->heads + index] =
            sum[m] / (double)job->rhythm.probe;
}

as_status train_spectra_room(train_job *job) {
    as_run_spectra *s = &job->run.spectra;
    size_t room = 2 * job->spectra_room + 16, heads = s->layers * s->heads;
    if (s->steps < job->spectra_room)
        return AS_OK;
    uint64_t *step = realloc(s->step, room * sizeof *step);
    if (step == NULL)
        return AS_ENOMEM;
    s->step = step;
    for (size_t m = 0; m < AS_RUN_SPECTRUM_COUNT; m++) {
        double *grown = realloc(s->value[m], room * heads * sizeof *grown);
        if (grown == NULL)
            return AS_ENOMEM;
        s->value[m] = grown;
    }
    job->spectra_room = room;
    return AS_OK;
}

as_status train_note_spectra(train_job *job) {
    as_run_spectra *s = &job->run.spectra;
    as_status status = train_spectra_room(job);
    if (status == AS_OK)
        status = as_trainer_probe(job->trainer, job->rhythm.probe);
    if (status == AS_OK)
        status = as_parallel_for(s->layers * s->heads, job->o->common.threads, measure_head, job);
    if (status == AS_OK)
        s->step[s->steps++] = as_trainer_done(job->trainer);
    return status;
}

/* ---- The loop ---- */

static bool due(uint64_t step, uint64_t every, uint64_t steps) {
    return every > 0 && (step % every == 0 || step == steps);
}

/* All that is noted of a step that was taken. */
static as_status note(train_job *job, const as_train_step *step) {
    uint64_t steps = job->config.steps;
    as_score test;
    as_status status = AS_OK;
    bool tests = due(step->step, job->rhythm.tests, steps) || step->step == steps;
    if (tests)
        status = as_trainer_evaluate(job->trainer, NULL, &test, NULL);
    if (status == AS_OK && step->step == steps) {
        job->run.accuracy = test.accuracy;
        job->run.loss = test.loss;
    }
    if (status == AS_OK &&
        (tests || step->step == 1 || due(step->step, job->rhythm.history, steps)))
        status = train_note_step(job, step, tests ? &test : NULL);
    if (status == AS_OK && due(step->step, job->rhythm.spectra, steps))
        status = train_note_spectra(job);
    return status;
}

/* Whether there is one to write now. */
static bool checkpoint_due(const train_job *job, uint64_t step) {
    if (job->part == NULL || step == job->config.steps)
        return false;
    return job->rhythm.checkpoints > 0 ? step % job->rhythm.checkpoints == 0
                                       : now() - job->saved > CHECKPOINT_SECONDS;
}

static void say(const as_train_step *step) {
    char text[PROGRESS_SAY];
    snprintf(text, sizeof text,
             step->loss < 1e6 ? "loss %.4f, accuracy %.3f" : "loss %.3g, accuracy %.3f", step->loss,
             step->accuracy);
    progress_say(text);
    progress_step(false);
}

size_t train_end(const train_job *job) {
    size_t stop = job->o->stop_at;
    return stop > 0 && stop < job->config.steps ? stop : job->config.steps;
}

as_status train_loop(train_job *job) {
    uint64_t end = train_end(job);
    as_status status = AS_OK;
    as_train_step step;
    /* A checkpoint may be of step 0, and has them then. */
    if (as_trainer_done(job->trainer) == 0 && job->rhythm.spectra > 0 &&
        job->run.spectra.steps == 0)
        status = train_note_spectra(job);
    while (status == AS_OK && as_trainer_done(job->trainer) < end && interrupt_signal() == 0) {
        double begun = now();
        status = as_trainer_step(job->trainer, &step);
        job->seconds += now() - begun;
        job->timed++;
        if (status == AS_OK)
            status = note(job, &step);
        if (status == AS_OK && checkpoint_due(job, step.step)) {
            status = train_checkpoint(job);
            job->saved = now();
        }
        if (status == AS_OK)
            say(&step);
    }
    if (job->seconds > 0 && !job->o->common.deterministic)
        job->run.samples_per_second = (double)job->timed * (double)job->config.batch / job->seconds;
    return status;
}
