/* analyze: what the command and its loop share. */
#ifndef TOOLS_ANALYZE_H
#define TOOLS_ANALYZE_H

#include "attnspec/result.h"
#include "delivery.h"
#include "options.h"
#include "reading.h"
#include "taking.h"

typedef struct analyze_options {
    common_options common;
    reading reading; /* what the numbers are */
    const char *axes, *raw, *raw_dtype;
    text_list queries, keys, schemes, baselines, baseline_queries, baseline_keys;
    const char *query_axes, *key_axes, *hf_config;
    int position; /* 1: applied */
    const char *positions;
    int phase; /* as_phase */
    double scale;
    size_t seed;   /* of the tables that schemes draw, and of the shuffle */
    taking taking; /* which numbers */
    const char *layers, *heads, *batch;
    const char *rank_tolerance, *grid;
    int masked_as; /* as_masked_as */
    bool drop_padding;
    double softcap;
    int center; /* 1: row */
    text_list biases;
    bool resume, dry_run;
} analyze_options;

/* Every row of the option table; it ends with OPTION_END. */
extern const option analyze_rows[];

/* What the words of the options mean. */
typedef struct analyze_request {
    as_source_options source;
    as_index_set *layers, *heads, *batch;
    as_scheme *schemes;
    as_summary_options summary;
} analyze_request;
/* 0, or the exit code after the sentence; analyze_request_free() in any case. */
int analyze_request_parse(const struct tool *self, const analyze_options *o, analyze_request *r);
void analyze_request_free(analyze_request *r);

/* What one run works on. */
typedef struct analyze_job {
    const as_source *source;
    as_result_writer *writer;
    as_masked_as masked_as;
    as_summary_options summary;
    size_t threads;
    bool deterministic;
} analyze_job;

/* What became of it. */
typedef struct analyze_outcome {
    delivery_outcome run;
    size_t analysed;         /* matrices of this run; of them: */
    size_t weights, dropped; /* weights; those that padding was taken out of */
    size_t sentinels;        /* those that had the user's sentinel */
} analyze_outcome;

/* What the whole plan takes, whatever an earlier run has done of it. */
typedef struct analyze_need {
    size_t matrices; /* that will be computed */
    size_t order;    /* of the largest */
    uint64_t bytes;  /* the most that one of them takes, with what it is compared with */
    uint64_t memory; /* of the machine, 0 where unknown */
    size_t threads;
    bool serial; /* one matrix at a time, on all threads of BLAS */
} analyze_need;
void analyze_find_need(const analyze_job *job, analyze_need *out);
/* The same for a plan that is no source: `count` matrices of a shape more, of the job's summary, and at
 * the end the threads. Start from the memory. */
void analyze_add_need(const analyze_job *job, size_t rows, size_t cols, size_t count,
                      analyze_need *out);
void analyze_choose_threads(const analyze_job *job, analyze_need *out);

/* Whether the plan's item is worth loading: its shape fits the driver, LAPACK and a machine of so much
 * memory. The sentence goes to why[AS_MESSAGE_MAX]. */
as_status analyze_admit(const analyze_job *job, uint64_t memory, const as_item *item, char *why);

/* --dry-run: prints what analyze would do, and returns the exit code that the plan alone gives. */
int analyze_print_plan(const analyze_job *job, bool writes);

/* Analyses every item that the journal has not, on all threads; stops early on a signal or when the
 * journal cannot be written. One bad matrix never stops the others. */
void analyze_run(const analyze_job *job, analyze_outcome *outcome);

#endif
