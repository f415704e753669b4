/* analyze: what the command and its loop share. */
#ifndef TOOLS_ANALYZE_H
#define TOOLS_ANALYZE_H

#include "attnspec/result.h"
#include "options.h"

typedef struct analyze_options {
    common_options common;
    int kind; /* as_kind */
    const char *axes, *raw_dtype;
    const char *layers, *heads, *batch;
    const char *mask, *rank_tolerance;
    int masked_as; /* as_masked_as */
    int driver;    /* as_driver */
    bool resume;
} analyze_options;

/* What one run works on. */
typedef struct analyze_job {
    const as_source *source;
    as_result_writer *writer;
    as_masked_as masked_as;
    as_driver driver;
    as_rank_tolerance tolerance; /* its epsilon is set for each matrix */
    size_t threads;
    bool deterministic;
} analyze_job;

/* What became of it. */
typedef struct analyze_outcome {
    size_t done;                   /* rows in the journal, those of an earlier run included */
    as_status fatal;               /* AS_EWRITE or AS_ENOMEM: the run cannot go on */
    char sentence[AS_MESSAGE_MAX]; /* of fatal */
} analyze_outcome;

/* Analyses every item that the journal has not, on all threads; stops early on a signal or when the
 * journal cannot be written. One bad matrix never stops the others. */
void analyze_run(const analyze_job *job, analyze_outcome *outcome);

#endif
