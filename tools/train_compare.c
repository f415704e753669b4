/* attnspec train --compare: schemes × tasks × seeds, each trained once, and one report of them.
 * It refuses to go on with another comparison. */
#define _GNU_SOURCE /* asprintf */
#include <inttypes.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "report_comparison.h"
#include "tool.h"
#include "train_compare.h"

static as_status train_trial(const contest *c, size_t r, as_trial_row *row) {
    uint64_t seed;
    const as_train_config *config = contest_config(c, r, &seed);
    train_job job = {.self = c->self, .o = c->o, .config = *config};
    job.config.seed = seed;
    job.rhythm.history = job.config.steps;
    as_status status = train_begin(&job);
    if (status == AS_OK)
        status = train_loop(&job);
    *row = (as_trial_row){.task = config->task,
                          .scheme = config->scheme,
                          .seed = seed,
                          .steps = job.trainer == NULL ? 0 : as_trainer_done(job.trainer),
                          .accuracy = job.run.accuracy,
                          .loss = job.run.loss,
                          .plateau = job.run.plateau,
                          .samples_per_second = job.run.samples_per_second};
    /* One that diverges has no accuracy, and stops no other. */
    if (status == AS_ENONFINITE) {
        message_error("%s on %s, seed %" PRIu64 ": %s", row->scheme, row->task, seed, as_message());
        row->accuracy = row->loss = NAN;
        status = AS_OK;
    }
    train_job_free(&job);
    return status;
}

/* The first setting that is another one there; NULL where all are the same. */
static const char *const *difference(const as_comparison *a, const as_comparison *b,
                                     const char **there) {
    for (size_t i = 0; i < a->config_count; i++) {
        size_t k = 0;
        while (k < b->config_count && strcmp(a->config[i][0], b->config[k][0]) != 0)
            k++;
        *there = k < b->config_count ? b->config[k][1] : "not that of all";
        if (strcmp(a->config[i][1], *there) != 0)
            return a->config[i];
    }
    return NULL;
}

static bool same_trial(const as_trial_row *a, const as_trial_row *b) {
    return strcmp(a->task, b->task) == 0 && strcmp(a->scheme, b->scheme) == 0 && a->seed == b->seed;
}

static int refuse(const char *path, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int refuse(const char *path, const char *format, ...) {
    char why[AS_MESSAGE_MAX];
    va_list words;
    va_start(words, format);
    vsnprintf(why, sizeof why, format, words);
    va_end(words);
    message_error("%s is of another comparison: %s; --force without --resume replaces it", path,
                  why);
    return EXIT_OUTPUT;
}

/* The first trials of this comparison, from a file that has no others. An exit code, after the sentence. */
static int take_rows(contest *c, const char *path, const as_comparison *saved, bool whole) {
    const char *there, *const *setting = difference(&c->result, saved, &there);
    if (setting != NULL)
        return refuse(path, "its --%s is %s, not %s", setting[0], there, setting[1]);
    for (size_t r = 0; r < saved->count && r < c->count; r++) {
        uint64_t seed;
        const as_trial_row *row = &saved->row[r];
        const as_train_config *config = contest_config(c, r, &seed);
        as_trial_row mine = *row;
        mine.task = config->task;
        mine.scheme = config->scheme;
        mine.seed = seed;
        if (!same_trial(row, &mine))
            return refuse(path,
                          "training %zu is %s on %s, seed %" PRIu64 ", there, and here %s on "
                          "%s, seed %" PRIu64,
                          r + 1, row->scheme, row->task, row->seed, mine.scheme, mine.task, seed);
        c->result.row[r] = mine;
    }
    if (saved->count > c->count || (whole && saved->count < c->count))
        return refuse(path, "it has %zu trainings, not %zu", saved->count, c->count);
    c->result.count = saved->count;
    return EXIT_DONE;
}

/* The trials of OUT.part, or of an output that is whole. Likewise. */
static int adopt(contest *c, const char *path, bool whole) {
    as_comparison *saved = NULL;
    as_status status = as_comparison_load(path, &saved);
    int code = EXIT_OUTPUT;
    if (status == AS_OK)
        code = take_rows(c, path, saved, whole);
    else if (status == AS_ENOMEM)
        code = contest_no_memory();
    else
        message_error("%s; --force without --resume replaces it", as_message());
    as_comparison_free(saved);
    return code;
}

static as_status run_trials(contest *c) {
    as_status status = AS_OK;
    size_t left = c->count - c->result.count;
    progress_start(&c->o->common, "steps", left * c->configs[0].steps);
    /* From the beginning, so that another one with this output is told of this one. */
    if (c->part != NULL && c->result.count == 0)
        status = as_comparison_save(c->part, true, &c->result);
    while (status == AS_OK && c->result.count < c->count && interrupt_signal() == 0) {
        as_trial_row row;
        status = train_trial(c, c->result.count, &row);
        if (status != AS_OK || interrupt_signal() != 0)
            break;
        c->result.row[c->result.count++] = row;
        if (c->part != NULL)
            status = as_comparison_save(c->part, true, &c->result);
    }
    progress_stop();
    return status;
}

static int fail(as_status status) {
    if (status == AS_ENOMEM && *as_message() == '\0')
        return contest_no_memory();
    message_error("%s", as_message());
    return exit_code_of(status);
}

/* Whether one of them diverged, in this process or before. */
static int outcome(const contest *c) {
    int code = EXIT_DONE;
    for (size_t r = 0; r < c->result.count; r++)
        if (isnan(c->result.row[r].accuracy))
            code = EXIT_SOME_FAILED;
    return code;
}

static int print(const contest *c) {
    char why[OUTPUT_WHY];
    output_file out;
    as_status status = output_open(NULL, false, &out, why);
    if (status == AS_OK)
        status = report_comparison(&c->result, NULL, FORMAT_TEXT, out.stream,
                                   report_style_for(&c->o->common, out.stream));
    if (status == AS_OK)
        status = output_commit(&out, why);
    return status == AS_OK ? outcome(c) : fail(status);
}

static int deliver(contest *c) {
    const char *path = c->o->common.output;
    c->result.finished = c->result.count == c->count;
    if (!c->result.finished) {
        message_error("stopped after %zu of %zu trainings%s%s%s", c->result.count, c->count,
                      c->part != NULL ? "; " : "; without -o nothing is kept",
                      c->part != NULL ? c->part : "",
                      c->part != NULL ? " holds them, and --resume goes on" : "");
        return interrupt_exit_code();
    }
    if (c->part == NULL)
        return print(c);
    as_status status = as_comparison_save(path, c->o->common.force || c->o->resume, &c->result);
    if (status != AS_OK)
        return fail(status);
    (void)unlink(c->part);
    message_note("%s: %zu trainings; next: attnspec report %s", path, c->count, path);
    return outcome(c);
}

static int work(contest *c) {
    train_way way = TRAIN_BEGIN;
    const char *path = c->o->common.output;
    int code = EXIT_DONE;
    if (path != NULL) {
        if (asprintf(&c->part, "%s.part", path) < 0) {
            c->part = NULL;
            return contest_no_memory();
        }
        code = train_look(c->o, c->part, &way);
    }
    if (code == EXIT_DONE && way != TRAIN_BEGIN)
        code = adopt(c, way == TRAIN_WHOLE ? path : c->part, way == TRAIN_WHOLE);
    if (code == EXIT_DONE && way == TRAIN_WHOLE) {
        message_note("%s is whole already: there is nothing to go on with", path);
        return outcome(c);
    }
    if (code != EXIT_DONE)
        return code;
    interrupt_catch();
    as_status status = run_trials(c);
    if (status == AS_OK)
        return deliver(c);
    code = fail(status);
    /* Nothing was done that could be gone on with. */
    if (c->part != NULL && c->result.count == 0)
        (void)unlink(c->part);
    return code;
}

int train_compare(const tool *self, const train_options *o) {
    contest c = {.self = self, .o = o};
    int code = contest_plan(&c);
    if (code == EXIT_DONE)
        code = work(&c);
    contest_free(&c);
    return code;
}
