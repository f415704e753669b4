/* attnspec train --compare: schemes × tasks × seeds, each trained once, and one report of them.
 * It refuses a list in which one scheme cannot be trained, before anything is. */
#define _GNU_SOURCE /* asprintf, strdup */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "origin.h"
#include "output.h"
#include "progress.h"
#include "report_comparison.h"
#include "tool.h"
#include "train.h"
#include "words.h"

typedef struct contest {
    const tool *self;
    const train_options *o;
    word_set schemes;
    const char *tasks[2];
    size_t task_count, count; /* trials in all */
    as_train_config *configs; /* [tasks][schemes], resolved */
    as_comparison result;     /* its arrays are owned here; row r is trial r */
    char *part;
    bool failed;
} contest;

static int no_memory(void) {
    message_error("there is no memory for this comparison");
    return exit_code_of(AS_ENOMEM);
}

/* Every scheme that can be trained, where the word is `all`. */
static as_status add_all(contest *c, char *why) {
    as_status status = AS_OK;
    const as_scheme_type *type;
    as_train_config config;
    for (size_t i = 0; (type = as_scheme_list(i)) != NULL && status == AS_OK; i++) {
        bool trained = as_train_preset(c->o->preset, NULL, &config) == AS_OK &&
                       as_train_config_set(&config, "scheme", type->name) == AS_OK &&
                       as_train_config_resolve(&config) == AS_OK;
        if (trained)
            status = words_add(&c->schemes, type->name, strlen(type->name), why);
    }
    return status;
}

static int read_schemes(contest *c) {
    char why[AS_MESSAGE_MAX] = "";
    word_set files = {0};
    const text_list *lists[2] = {&c->o->compare, &c->o->common.operands};
    as_status status = AS_OK;
    for (size_t l = 0; l < 2; l++)
        for (size_t i = 0; i < lists[l]->count && status == AS_OK; i++) {
            const char *word = lists[l]->item[i];
            status = strcmp(word, "all") == 0 ? add_all(c, why)
                                              : words_expand(&c->schemes, &files, word, why);
        }
    words_free(&files);
    if (status == AS_EINVAL || status == AS_EREAD)
        return usage_error(c->self, "--compare: %s", why);
    return status == AS_OK ? EXIT_DONE : no_memory();
}

/* All configurations, so that none is found wrong when others are trained. */
static int configure(contest *c) {
    c->task_count = c->o->task != NULL ? 1 : 2;
    c->tasks[0] = c->o->task != NULL ? c->o->task : "distance";
    c->tasks[1] = "count";
    size_t cells = c->task_count * c->schemes.count;
    c->configs = calloc(cells, sizeof *c->configs);
    c->count = cells * c->o->seeds;
    c->result.row = calloc(c->count, sizeof *c->result.row);
    if (c->configs == NULL || c->result.row == NULL)
        return no_memory();
    int code = EXIT_DONE;
    for (size_t i = 0; i < cells && code == EXIT_DONE; i++)
        code = train_configure(c->self, c->o, c->tasks[i / c->schemes.count],
                               c->schemes.item[i % c->schemes.count], &c->configs[i]);
    return code;
}

/* The settings that all configurations have in common, but for what a row says. */
static as_status take_config(contest *c) {
    const char *name;
    char *value = malloc(2 * AS_TRAIN_TEXT), *other = value + AS_TRAIN_TEXT;
    size_t fields = 0, cells = c->task_count * c->schemes.count;
    if (value == NULL)
        return AS_ENOMEM;
    while (as_train_config_get(&c->configs[0], fields, &name, value))
        fields++;
    c->result.config = calloc(fields, sizeof *c->result.config);
    for (size_t f = 0; f < fields && c->result.config != NULL; f++) {
        as_train_config_get(&c->configs[0], f, &name, value);
        bool same =
            strcmp(name, "task") != 0 && strcmp(name, "scheme") != 0 && strcmp(name, "seed") != 0;
        for (size_t i = 1; i < cells && same; i++) {
            as_train_config_get(&c->configs[i], f, &name, other);
            same = strcmp(value, other) == 0;
        }
        if (same) {
            c->result.config[c->result.config_count][0] = name;
            c->result.config[c->result.config_count++][1] = strdup(value);
        }
    }
    free(value);
    return c->result.config != NULL ? AS_OK : AS_ENOMEM;
}

static as_status take_provenance(contest *c) {
    const common_options *common = &c->o->common;
    const as_provenance_input input = origin_of(c->self, common, common->deterministic);
    char *text = NULL;
    as_status status = as_provenance(&input, &text);
    c->result.provenance = text;
    return status;
}

static void contest_free(contest *c) {
    for (size_t i = 0; i < c->result.config_count; i++)
        free((void *)(uintptr_t)c->result.config[i][1]);
    free((void *)(uintptr_t)c->result.config);
    free((void *)(uintptr_t)c->result.provenance);
    free(c->result.row);
    free(c->configs);
    free(c->part);
    words_free(&c->schemes);
}

/* ---- The trials ---- */

/* Trial r: seeds outermost, so that a comparison that was stopped has every scheme. */
static const as_train_config *config_of(const contest *c, size_t r, size_t *seed) {
    size_t cells = c->task_count * c->schemes.count;
    *seed = r / cells;
    return &c->configs[r % cells];
}

static as_status train_trial(contest *c, size_t r, as_trial_row *row) {
    size_t seed;
    train_job job = {.self = c->self, .o = c->o, .config = *config_of(c, r, &seed)};
    job.config.seed += seed;
    job.rhythm.history = job.config.steps;
    as_status status = train_begin(&job);
    if (status == AS_OK)
        status = train_loop(&job);
    *row = (as_trial_row){.task = c->configs[r % (c->task_count * c->schemes.count)].task,
                          .scheme = c->configs[r % (c->task_count * c->schemes.count)].scheme,
                          .seed = job.config.seed,
                          .steps = job.trainer == NULL ? 0 : as_trainer_done(job.trainer),
                          .accuracy = job.run.accuracy,
                          .loss = job.run.loss,
                          .plateau = job.run.plateau,
                          .samples_per_second = job.run.samples_per_second};
    if (status == AS_ENONFINITE) {
        message_error("%s on %s, seed %" PRIu64 ": %s", row->scheme, row->task, row->seed,
                      as_message());
        row->accuracy = row->loss = NAN;
        c->failed = true;
        status = AS_OK;
    }
    train_job_free(&job);
    return status;
}

/* The trials that OUT.part has, in their order. */
static as_status adopt(contest *c) {
    as_comparison *saved = NULL;
    as_status status = as_comparison_load(c->part, &saved);
    bool same = status == AS_OK && saved->count <= c->count &&
                saved->config_count == c->result.config_count;
    for (size_t i = 0; same && i < saved->config_count; i++)
        same = strcmp(saved->config[i][0], c->result.config[i][0]) == 0 &&
               strcmp(saved->config[i][1], c->result.config[i][1]) == 0;
    for (size_t r = 0; same && r < saved->count; r++) {
        size_t seed;
        const as_train_config *config = config_of(c, r, &seed);
        const as_trial_row *row = &saved->row[r];
        same = strcmp(row->task, config->task) == 0 && strcmp(row->scheme, config->scheme) == 0 &&
               row->seed == config->seed + seed;
        c->result.row[r] = *row;
        c->result.row[r].task = config->task;
        c->result.row[r].scheme = config->scheme;
    }
    if (status != AS_OK) {
        message_error("%s", as_message());
    } else if (!same) {
        message_error("%s is of another comparison; --force begins anew", c->part);
        status = AS_EMISMATCH;
    } else {
        c->result.count = saved->count;
    }
    as_comparison_free(saved);
    return status;
}

static as_status run_trials(contest *c) {
    as_status status = AS_OK;
    size_t left = c->count - c->result.count;
    progress_start(&c->o->common, "steps", left * c->configs[0].steps);
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

static int print(const contest *c) {
    char why[OUTPUT_WHY];
    output_file out;
    as_status status = output_open(NULL, false, &out, why);
    if (status == AS_OK)
        status = report_comparison(&c->result, NULL, FORMAT_TEXT, out.stream,
                                   report_style_for(&c->o->common, out.stream));
    if (status == AS_OK)
        status = output_commit(&out, why);
    if (status != AS_OK)
        message_error("%s", status == AS_ENOMEM ? "there is no memory" : why);
    return exit_code_of(status);
}

static int deliver(contest *c) {
    const char *path = c->o->common.output;
    bool whole = c->result.count == c->count;
    c->result.finished = whole;
    if (!whole) {
        message_error("stopped after %zu of %zu trainings%s%s%s", c->result.count, c->count,
                      c->part != NULL ? "; " : "; without -o nothing is kept",
                      c->part != NULL ? c->part : "",
                      c->part != NULL ? " holds them, and --resume goes on" : "");
        return interrupt_exit_code();
    }
    if (c->part == NULL) {
        int code = print(c);
        return code == EXIT_DONE && c->failed ? EXIT_SOME_FAILED : code;
    }
    as_status status = as_comparison_save(path, c->o->common.force || c->o->resume, &c->result);
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    (void)unlink(c->part);
    message_note("%s: %zu trainings; next: attnspec report %s", path, c->count, path);
    return c->failed ? EXIT_SOME_FAILED : EXIT_DONE;
}

static int work(contest *c) {
    bool resumes = false;
    int code = EXIT_DONE;
    if (c->o->common.output != NULL) {
        if (asprintf(&c->part, "%s.part", c->o->common.output) < 0) {
            c->part = NULL;
            return no_memory();
        }
        code = train_look(c->o, c->part, &resumes);
    }
    if (code != EXIT_DONE)
        return code < 0 ? EXIT_DONE : code;
    if (take_config(c) != AS_OK || take_provenance(c) != AS_OK)
        return no_memory();
    as_status status = resumes ? adopt(c) : AS_OK;
    if (status != AS_OK)
        return exit_code_of(status);
    interrupt_catch();
    status = run_trials(c);
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    return deliver(c);
}

int train_compare(const tool *self, const train_options *o) {
    contest c = {.self = self, .o = o};
    int code = o->scheme != NULL
                   ? usage_error(self, "--scheme and --compare are two ways to name schemes")
                   : read_schemes(&c);
    if (code == EXIT_DONE)
        code = configure(&c);
    if (code == EXIT_DONE)
        code = work(&c);
    contest_free(&c);
    return code;
}
