/* report_comparison: schemes that were trained side by side, and what a published table says of them.
 * It refuses a verdict that the trials do not carry: schemes not trained, ranges that overlap. */
#ifndef TOOLS_REPORT_COMPARISON_H
#define TOOLS_REPORT_COMPARISON_H

#include "report.h"

/* That one seed or a small test set shows nothing is no evidence of failure: it takes so many seeds, each within
 * the margin of the plateau with the upper end of its 95 % interval. Both are conventions of this program. */
#define PLATEAU_MARGIN 0.05
enum { SEEDS_NEEDED = 2 };

/* The trials of one scheme on one task, over seeds. A trial without accuracy is none. */
typedef struct trial_cell {
    size_t seeds, at_plateau; /* of these, not above the plateau as far as the test set tells */
    size_t near, clear;       /* within the margin of it, or above that, with the whole interval */
    double mean, min, max;    /* of the accuracies; NaN without a seed */
    double low, high;         /* from min to max, with the 95 % intervals of the test set */
} trial_cell;

typedef struct trial_table {
    const as_comparison *of;     /* borrowed */
    size_t tasks, schemes;       /* different ones, in the order in which they come first */
    const char **task, **scheme; /* owned arrays of borrowed texts */
    double *plateau;             /* [tasks]; owned */
    uint64_t answers;            /* that the intervals count on; 0: unknown, and no intervals */
    trial_cell *cell;            /* [schemes][tasks]; owned */
} trial_table;
const trial_cell *trial_cell_of(const trial_table *table, size_t scheme, size_t task);
/* Whether every seed of a scheme stays at the plateau of a task that another scheme learns. */
bool trial_fails(const trial_table *table, size_t scheme, size_t task);
/* Whether a scheme is clear of the plateau with all its seeds, so that the task can be learned here. */
bool trial_task_is_learned(const trial_table *table, size_t task);
/* Whether `text`, "name" or "name:key=value,…", has that name; and that parameter ("key=value", or the
 * beginning of one that ends with = or _). */
bool trial_has_name(const char *text, const char *name);
bool trial_has_parameter(const char *text, const char *parameter);
/* A word of what all trials have in common, "?" where it has none of that name. */
const char *comparison_word(const as_comparison *comparison, const char *name);

/* ---- Gu et al. 2025, arXiv 2505.13027 ---- */

typedef enum published_task { ON_DISTANCE, ON_COUNT, PUBLISHED_TASKS } published_task;
typedef struct published_row {
    const char *label;                 /* "sinusoidal (absolute)" */
    const char *name;                  /* of our scheme */
    const char *with, *without;        /* a parameter that it must have, may not have; or NULL */
    const char *rather;                /* the parameter of the one to take of several; or NULL */
    double accuracy[PUBLISHED_TASKS];  /* NaN: the paper has no number */
    const char *said[PUBLISHED_TASKS]; /* in words then; or NULL */
} published_row;
#define PUBLISHED_ROWS 6
extern const published_row published[PUBLISHED_ROWS];
const char *published_task_name(published_task task);

/* The task of ours, the first of that name; tasks of the table where there is none. */
size_t published_find_task(const trial_table *table, published_task task);
/* The scheme of ours that stands for a row and was trained on a task of ours; schemes of the table where
 * there is none. */
size_t published_find_scheme(const trial_table *table, const published_row *row, size_t task);

typedef enum claim_verdict { CLAIM_REPRODUCES, CLAIM_DOES_NOT, CLAIM_UNSAID } claim_verdict;
#define CLAIM_TEXT 1400
typedef struct claim_result {
    const char *claim; /* "distance: rope is best" */
    claim_verdict verdict;
    char sentence[CLAIM_TEXT]; /* the numbers, and why */
} claim_result;
/* Claim `index` judged by the trials; false past the last. */
bool claim_judge(const trial_table *table, size_t index, report_style style, claim_result *out);
/* "does not reproduce" */
const char *claim_word(claim_verdict verdict);

/* ---- Printing ---- */

/* AS_EREAD, AS_ENOMEM. values: every trial in text and Markdown too. */
as_status report_comparison(const as_comparison *comparison, const char *path, report_format format,
                            FILE *out, report_style style);
/* Its parts: text, or Markdown where the style says so; programs' formats. */
void comparison_print(const trial_table *table, const char *path, FILE *out, report_style style);
as_status comparison_json(const trial_table *table, FILE *out);
void comparison_csv(const as_comparison *comparison, FILE *out);

#endif
