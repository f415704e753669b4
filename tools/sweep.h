/* sweep: what the command, its plan and its loop share. */
#ifndef TOOLS_SWEEP_H
#define TOOLS_SWEEP_H

#include "analyze.h"
#include "delivery.h"
#include "taking.h"
#include "words.h"

typedef struct sweep_options {
    common_options common;
    text_list schemes, contents;
    const char *sizes, *mask;
    size_t dim, heads, kv_heads, layers, seed, seeds;
    int masked_as; /* as_masked_as */
    taking taking;
    bool resume;
} sweep_options;

/* Every row of the option table; it ends with OPTION_END. */
extern const option sweep_rows[];

/* A scheme at a length: whether there is something to do, and else why not. */
typedef struct sweep_case {
    as_status status;
    char *reason; /* owned; NULL with AS_OK */
} sweep_case;

/* All combinations. A matrix has its number by scheme, content, length, seed, layer and head, the last
 * fastest, which orders the rows; a case that is not done has one row for each content and seed, that
 * of the first head. */
typedef struct sweep_plan {
    const sweep_options *options;
    word_set scheme_words, content_words; /* canonical */
    word_set files;                       /* that lists came from and that schemes name */
    as_scheme *schemes;                   /* [scheme_words.count] */
    as_tables *tables;                    /* [scheme_words.count], of their files */
    as_content *contents;                 /* [content_words.count] */
    size_t *sizes, size_count;
    as_mask mask;
    as_summary_options summary;
    sweep_case *cases; /* [schemes][sizes] */
    size_t count;      /* rows */
    analyze_need need;
} sweep_plan;
/* 0, or the exit code after the sentence; sweep_plan_free() in any case. */
int sweep_plan_make(const struct tool *self, const sweep_options *o, sweep_plan *plan);
void sweep_plan_free(sweep_plan *plan);

/* Where a matrix stands. */
typedef struct sweep_place {
    size_t scheme, content, size, seed, layer, head; /* seed: from 0 */
} sweep_place;
uint64_t sweep_item(const sweep_plan *plan, const sweep_place *place);
const sweep_case *sweep_case_of(const sweep_plan *plan, const sweep_place *place);
as_head sweep_head(const sweep_plan *plan, const sweep_place *place);
/* The rows one after the other, schemes fastest so that they share their content, from {0}; false past
 * the last. */
bool sweep_next(const sweep_plan *plan, sweep_place *place);

/* Measures every matrix that the journal has not, on all threads. */
void sweep_run(const sweep_plan *plan, as_result_writer *writer, delivery_outcome *outcome);

#endif
