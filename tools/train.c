/* attnspec train: a small transformer on a task, with any positional encoding, as a run file: weights, the
 * curves, spectra along training, and a dump of real logits.
 * It refuses to replace a run without --force, and configurations that make no model. */
#define _GNU_SOURCE /* asprintf */
#include "train.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "report_run.h"
#include "tool.h"

#define AT(field) .offset = offsetof(train_options, field)
#define AS_TRAIN_SIZE(field, key, start, least, most, words)                                       \
    {.type = OPTION_SIZE,                                                                          \
     .name = key,                                                                                  \
     .value = "N",                                                                                 \
     .low = (least),                                                                               \
     .high = (most),                                                                               \
     .help = words,                                                                                \
     AT(given.field)},
#define AS_TRAIN_REAL(field, key, start, least, most, words)                                       \
    {.type = OPTION_REAL,                                                                          \
     .name = key,                                                                                  \
     .value = "X",                                                                                 \
     .low = (least),                                                                               \
     .high = (most),                                                                               \
     .help = words,                                                                                \
     AT(given.field)},
#define AS_TRAIN_CHOICE(field, key, start, all, words)                                             \
    {.type = OPTION_CHOICE,                                                                        \
     .name = key,                                                                                  \
     .value = "WORD",                                                                              \
     .choices = all,                                                                               \
     .help = words,                                                                                \
     AT(given.field)},
const option train_rows[] = {
    {.type = OPTION_GROUP, .help = "What is trained"},
    {.type = OPTION_TEXT,
     .name = "task",
     .value = "TASK",
     .help = "distance, count, copy, induction or lm:file=TEXT, with parameters, such as "
             "distance:between=18; distance where not given",
     AT(task)},
    {.type = OPTION_TEXT,
     .name = "scheme",
     .value = "SCHEME",
     .help = "the positional encoding, such as rope:rotary_heads=1; rope where not given",
     AT(scheme)},
    {.type = OPTION_TEXT,
     .name = "preset",
     .value = "NAME",
     .preset = "tiny",
     .help = "sizes and schedule: tiny (seconds), small (half a minute), deposit (minutes), paper "
             "(days); what follows is the preset's where it is not given",
     AT(preset)},
    {.type = OPTION_TEXT,
     .name = "profile",
     .value = "NAME",
     .help = "clean, or gu2025: the switches of the authors' code, see above; the preset's",
     AT(profile)},
    {.type = OPTION_GROUP, .help = "Sizes, schedule and switches"},
#include "attnspec/train_config.def"
    {.type = OPTION_GROUP, .help = "What is noted"},
    {.type = OPTION_SIZE,
     .name = "probe",
     .value = "K",
     .low = 1,
     .high = 4096,
     .help = "samples of the test set whose q, k and logits are kept and measured; 2 where not "
             "given",
     AT(probe)},
    {.type = OPTION_TEXT,
     .name = "spectra-every",
     .value = "N",
     .help = "take the spectra of the probe every N steps; 0: never; a tenth of the steps where "
             "not given",
     AT(spectra_every)},
    {.type = OPTION_TEXT,
     .name = "test-every",
     .value = "N",
     .help = "try the test set every N steps; 0: at the end; a quarter where not given",
     AT(test_every)},
    {.type = OPTION_GROUP, .help = "Work"},
    {.type = OPTION_SIZE,
     .name = "checkpoint-every",
     .value = "N",
     .low = 1,
     .incidental = true,
     .help = "write OUT.part every N steps; every ten seconds where not given",
     AT(checkpoint_every)},
    {.type = OPTION_SIZE,
     .name = "stop-at",
     .value = "N",
     .low = 1,
     .incidental = true,
     .help = "stop after step N and leave OUT.part, for --resume",
     AT(stop_at)},
    {.type = OPTION_SWITCH,
     .name = "resume",
     .incidental = true,
     .help = "go on with the OUT.part of a training that was stopped",
     AT(resume)},
    {.type = OPTION_GROUP, .help = "Many trainings"},
    {.type = OPTION_LIST,
     .name = "compare",
     .value = "SCHEME",
     .help = "train each of these schemes (a|b, or the option again, or more words behind it) on "
             "distance and count, or on --task, and compare",
     AT(compare)},
    {.type = OPTION_SIZE,
     .name = "seeds",
     .value = "K",
     .low = 1,
     .high = 1000,
     .help = "of --compare: so many seeds, from --seed on; 3 where not given",
     AT(seeds)},
    {OPTION_TEXT, 'o', "output", "FILE", .incidental = true,
     .help = "write the run or the comparison to FILE; the report is printed where not given",
     AT(common.output)},
    {.type = OPTION_END},
};

int train_look(const train_options *o, const char *part, train_way *way) {
    const char *path = o->common.output;
    bool there = access(path, F_OK) == 0, begun = access(part, F_OK) == 0;
    *way = o->resume && begun ? TRAIN_RESUME : o->resume && there ? TRAIN_WHOLE : TRAIN_BEGIN;
    if (*way == TRAIN_WHOLE)
        return EXIT_DONE;
    as_status status = as_output_try(path, true);
    if (status == AS_OK)
        status = as_output_try(part, true);
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    if (*way == TRAIN_BEGIN && there && !o->common.force) {
        message_error("%s is there already; --force replaces it", path);
        return EXIT_OUTPUT;
    }
    if (*way == TRAIN_BEGIN && begun && !o->common.force) {
        message_error("%s is there already: an unfinished or running training; --resume goes on "
                      "with it, --force begins anew",
                      part);
        return EXIT_OUTPUT;
    }
    if (o->resume && *way == TRAIN_BEGIN)
        message_note("there is no %s: training begins", part);
    return EXIT_DONE;
}

static int fail(as_status status) {
    /* The library says how much; a list of the tool's own is none of its. */
    message_error("%s", status == AS_ENOMEM && *as_message() == '\0'
                            ? "there is no memory for this training"
                            : as_message());
    return exit_code_of(status);
}

/* Without an output: the report. */
static int print(train_job *job) {
    char why[OUTPUT_WHY];
    output_file out;
    as_status status = train_lend(job);
    if (status == AS_OK)
        status = output_open(NULL, false, &out, why);
    if (status == AS_OK)
        status = report_run(&job->run, NULL, FORMAT_TEXT, out.stream,
                            report_style_for(&job->o->common, out.stream));
    if (status == AS_OK)
        status = output_commit(&out, why);
    return status == AS_OK ? EXIT_DONE : fail(status);
}

/* A training that was stopped. */
static int stopped(train_job *job) {
    unsigned long long done = as_trainer_done(job->trainer);
    bool signalled = interrupt_signal() != 0;
    if (job->part == NULL) {
        message_error("stopped after %llu of %zu steps; without -o nothing is kept", done,
                      job->config.steps);
        return interrupt_exit_code();
    }
    as_status status = train_checkpoint(job);
    if (status != AS_OK)
        return fail(status);
    (signalled ? message_error : message_note)("stopped after %llu of %zu steps; %s holds them, "
                                               "and the same command with --resume goes on",
                                               done, job->config.steps, job->part);
    return interrupt_exit_code();
}

/* A training that cannot go on: what it was before is kept, to be looked at. */
static int broken(train_job *job, as_status status) {
    unsigned long long done = as_trainer_done(job->trainer);
    int code = fail(status);
    if (status != AS_ENONFINITE || job->part == NULL)
        return code;
    if (done == 0)
        (void)unlink(job->part);
    else if (train_checkpoint(job) == AS_OK)
        message_error("%s holds the %llu steps before, for attnspec report", job->part, done);
    else
        message_error("step %llu is not kept: %s; %s is of a step before it", done, as_message(),
                      job->part);
    return code;
}

/* The whole run into its file; where that fails, what was learned into OUT.part, so that only the file is to be
 * written again. */
static int finish(train_job *job) {
    const as_run *run = &job->run;
    const char *path = job->o->common.output;
    as_status status = train_finish(job);
    if (status != AS_OK) {
        int code = fail(status);
        if (train_checkpoint(job) == AS_OK)
            message_error("%s holds all steps, and the same command with --resume writes the run",
                          job->part);
        return code;
    }
    message_note("%s: %s on %s, test accuracy %.4f (plateau %.4f); next: attnspec ablate %s", path,
                 job->config.scheme, job->config.task, run->accuracy, run->plateau, path);
    return EXIT_DONE;
}

static int work(train_job *job) {
    uint64_t done = as_trainer_done(job->trainer);
    size_t end = train_end(job);
    interrupt_catch();
    /* From the beginning, so that another training with this output is told of this one, and a disk without
     * room for it is known now. */
    as_status status = job->part != NULL && done == 0 ? train_checkpoint(job) : AS_OK;
    if (status != AS_OK)
        return fail(status);
    progress_start(&job->o->common, "steps", end > done ? end - done : 0);
    status = train_loop(job);
    progress_stop();
    if (status != AS_OK)
        return broken(job, status);
    if (as_trainer_done(job->trainer) < job->config.steps)
        return stopped(job);
    return job->part == NULL ? print(job) : finish(job);
}

/* The name of OUT.part, what is to be done about the output, and whether it is no input. */
static int look(train_job *job, train_way *way) {
    const train_options *o = job->o;
    *way = TRAIN_BEGIN;
    if (o->common.output == NULL)
        return EXIT_DONE;
    int code = train_check_text(o, &job->config);
    if (code == EXIT_DONE && asprintf(&job->part, "%s.part", o->common.output) < 0) {
        job->part = NULL;
        code = fail(AS_ENOMEM);
    }
    return code == EXIT_DONE ? train_look(o, job->part, way) : code;
}

static int train_one(const tool *self, const train_options *o) {
    train_job job = {.self = self, .o = o};
    train_way way;
    int code = train_configure(self, o, o->task, o->scheme, &job.config);
    if (code == EXIT_DONE)
        code = train_rhythm_of(self, o, &job.config, &job.rhythm);
    if (code == EXIT_DONE)
        code = look(&job, &way);
    if (code == EXIT_DONE && way == TRAIN_WHOLE) {
        code = train_whole(&job);
    } else if (code == EXIT_DONE) {
        as_status status = train_begin(&job);
        code = status == AS_OK ? EXIT_DONE : fail(status);
        if (code == EXIT_DONE && way == TRAIN_RESUME)
            code = train_resume(&job);
        if (code == EXIT_DONE)
            code = work(&job);
    }
    train_job_free(&job);
    return code;
}

/* Options that go together. */
static int check_words(const tool *self, const train_options *o) {
    const struct {
        const char *name;
        bool given, file, one;
    } rows[] = {{"resume", o->resume, true, false},
                {"stop-at", o->stop_at > 0, true, true},
                {"checkpoint-every", o->checkpoint_every > 0, true, true},
                {"probe", o->probe > 0, false, true},
                {"spectra-every", o->spectra_every != NULL, false, true},
                {"test-every", o->test_every != NULL, false, true}};
    bool many = o->compare.count > 0;
    if (o->common.output != NULL && strcmp(o->common.output, "-") == 0)
        return usage_error(self, "a run is a file, which -o must name");
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].given && rows[i].one && many)
            return usage_error(self, "--%s is of one training, and --compare has many",
                               rows[i].name);
        if (rows[i].given && rows[i].file && o->common.output == NULL)
            return usage_error(self, "--%s needs a file, -o FILE", rows[i].name);
    }
    if (many && o->scheme != NULL)
        return usage_error(self, "--scheme and --compare are two ways to name schemes");
    if (!many && o->seeds > 0)
        return usage_error(self, "--seeds is of --compare; one training has a --seed");
    if (!many && o->common.operands.count > 0)
        return usage_error(self,
                           "'%s' is one word too many; only --compare takes a list of schemes",
                           o->common.operands.item[0]);
    return EXIT_DONE;
}

static int run(const tool *self, void *values) {
    const train_options *o = values;
    int code = check_words(self, o);
    if (code != EXIT_DONE)
        return code;
    return o->compare.count > 0 ? train_compare(self, o) : train_one(self, o);
}

const tool tool_train = {
    .name = "train",
    .operands = "[SCHEME...]",
    .min_operands = 0,
    .max_operands = 1000,
    .description =
        "Trains a small transformer in seconds, so that real logits can be had for most "
        "positional encodings: all of attnspec schemes but those that see content, multiply by a "
        "kernel or need a file. The run file holds the weights, the curves, the spectra along "
        "training, and a "
        "dump of q, k, coupled and content logits that attnspec analyze takes as any other. "
        "Without -o it prints the report and writes nothing. The same words give the same numbers "
        "to the bit, on any number of threads.\n\n"
        "Tasks: distance (how far apart two tokens are: needs positions), count (how many of a set "
        "there are: does not), copy, induction, lm (the next byte of a text). Their parameters are "
        "distance:between=B,side=S,fillers=clean|any, count:sentence=M,triggers=K,most=C, "
        "copy:length=L, induction:least=A,most=B, lm:file=TEXT.\n\n"
        "Presets: tiny has 24 positions, 64 tokens, width 32, 2 layers of 4 heads and 350 steps; "
        "small 32, 128, 64, 2 of 8 and 400; deposit 32, 128, 128, 2 of 16 and 850, with the "
        "switches of gu2025; paper 128, 574, 256, 6 of 16 and 13700.\n\n"
        "The profile gu2025 is the code of Gu et al. 2025 as published: --kv-from embeddings, "
        "--sinusoids with-rope, --train-random yes, --final-norm no, --dropout 0.1, --beta1 0.98, "
        "--beta2 0.9, and ALiBi's slopes e^(-h/H). Each can be given by itself. Their MLA is "
        "another model and is not rebuilt: mla is the clean one.",
    .options = train_rows,
    .options_size = sizeof(train_options),
    .examples = "attnspec train --scheme rope -o rope.h5\n"
                "attnspec ablate rope.h5\n"
                "attnspec report rope.h5\n"
                "attnspec analyze rope.h5 -o spectra.h5\n"
                "# One rotated head a layer:\n"
                "attnspec train --preset small --steps 1000 --scheme rope:rotary_heads=1 \\\n"
                "    -o one.h5\n"
                "# Which encodings learn what, beside the published table:\n"
                "attnspec train --preset small --compare 'rope|mla|sinusoidal|nope|alibi' \\\n"
                "    -o c.h5\n"
                "attnspec report c.h5\n"
                "attnspec train --task lm:file=book.txt --n 64 --dim 64 --heads 8 \\\n"
                "    --steps 2000 -o lm.h5\n",
    .run = run,
};
