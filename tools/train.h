/* train: what the command, its plan, its loop and its files share. */
#ifndef TOOLS_TRAIN_H
#define TOOLS_TRAIN_H

#include "attnspec/result.h"
#include "attnspec/train.h"
#include "measure.h"
#include "options.h"

typedef struct train_options {
    common_options common;
    const char *task, *scheme, *preset, *profile;
    as_train_config given; /* what options wrote; only those count that were given */
    size_t probe, stop_at, checkpoint_every, seeds; /* 0: not given */
    const char *spectra_every, *test_every;         /* steps, or NULL: not given */
    text_list compare;
    bool resume;
} train_options;

/* Every row of the option table; it ends with OPTION_END. */
extern const option train_rows[];

/* How often something is done; 0: never. */
typedef struct train_rhythm {
    uint64_t spectra, tests, checkpoints; /* checkpoints 0: by the clock */
    uint64_t history;                     /* a point of the history each so many steps */
    size_t probe;                         /* samples whose spectra are taken */
} train_rhythm;

/* One training: the trainer, and what is written of it. */
typedef struct train_job {
    const struct tool *self;
    const train_options *o;
    as_train_config config; /* resolved */
    train_rhythm rhythm;
    as_trainer *trainer;
    as_run run; /* its arrays are owned here */
    char *part; /* OUT.part; NULL: nothing is written */
    size_t history_room, spectra_room;
    double seconds, saved; /* that training took; when the checkpoint was written */
    uint64_t timed;        /* steps that `seconds` are of */
    desk *desks;           /* [threads] */
    as_scheme scheme;
} train_job;

/* What is to be done about an output: it is begun, gone on with from OUT.part, or whole already. */
typedef enum train_way { TRAIN_BEGIN, TRAIN_RESUME, TRAIN_WHOLE } train_way;
/* Looks what is there, and whether both files can be written: not after hours. An exit code, after the
 * sentence. */
int train_look(const train_options *o, const char *part, train_way *way);

/* ---- train_plan.c ---- */

/* Preset, profile and options into a resolved configuration. */
as_status train_resolve(const train_options *o, const char *task, const char *scheme,
                        as_train_config *out);
/* The same: 0, or the exit code after the sentence. */
int train_configure(const struct tool *self, const train_options *o, const char *task,
                    const char *scheme, as_train_config *out);
/* The exit code of such a status, after as_message() was told: parameters are a matter of usage, all else
 * of the run. */
int train_refuse(const struct tool *self, as_status status);
/* Whether the output is the text that the task reads, and would destroy it. Likewise. */
int train_check_text(const train_options *o, const as_train_config *config);
/* The rhythm for so many steps. Likewise. */
int train_rhythm_of(const struct tool *self, const train_options *o, const as_train_config *config,
                    train_rhythm *out);

/* ---- train_run.c: a run in memory ---- */

/* Makes the trainer of job->config, from the beginning. AS_OK, or a status with as_message(). */
as_status train_begin(train_job *job);
void train_job_free(train_job *job);
/* A point of the history, and spectra, of the step that is done. */
as_status train_note_step(train_job *job, const as_train_step *step, const as_score *test);
as_status train_note_spectra(train_job *job);
/* Room for the spectra of one more step. */
as_status train_spectra_room(train_job *job);
/* The step behind which the loop ends: the last, or that of --stop-at. */
size_t train_end(const train_job *job);
/* Steps until the end, an interruption or --stop-at; what became of it is in as_trainer_done(). Draws a
 * progress line that was begun. */
as_status train_loop(train_job *job);

/* ---- train_file.c ---- */

/* Fills in what job->run has of words: configuration, provenance, steps. */
as_status train_lend(train_job *job);
/* OUT.part from what there is so far. */
as_status train_checkpoint(train_job *job);
/* The whole run, and OUT.part is gone. */
as_status train_finish(train_job *job);
/* Goes on with OUT.part. An exit code, after the sentence: EXIT_OUTPUT where it is of another training, or
 * no checkpoint. */
int train_resume(train_job *job);
/* Whether the output is this training at its end, so that nothing is to be done. Likewise. */
int train_whole(train_job *job);
/* The trainer of a run that was read, with its parameters, and a test set of so many samples (0: as many as
 * it was trained with). The sentence of a failure is told. Owned by the caller. */
as_status trainer_of_run(const as_run *run, const char *path, size_t tests, size_t threads,
                         as_trainer **out);

/* ---- train_compare.c ---- */

int train_compare(const struct tool *self, const train_options *o);

#endif
