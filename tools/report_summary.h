/* report_summary: what stands out in a result, gathered row by row and said in words.
 * It refuses to rank what does not exist: rows without the number are left out. */
#ifndef TOOLS_REPORT_SUMMARY_H
#define TOOLS_REPORT_SUMMARY_H

#include "name_set.h"
#include "report.h"
#include "report_contraction.h"
#include "row_sums.h"

#define SUMMARY_PLACE 160
#define SUMMARY_FILE  400
#define SUMMARY_WORDS 12
#define SUMMARY_WHERE (SUMMARY_FILE + 2 * SUMMARY_PLACE + 112)

/* A matrix whose nonnormality is above this has more than a quarter of its squared Frobenius norm
 * outside of its eigenvalues: they say little about it. */
#define SUMMARY_NONNORMAL 0.5

/* A number and where it was found. */
typedef struct record {
    bool found;
    double value;
    char tensor[SUMMARY_PLACE],
        file[SUMMARY_FILE]; /* file: with as many folders as tell it apart */
    char scheme[SUMMARY_PLACE];
    uint64_t layer, batch, head;
} record;

/* Words and how often they came. */
typedef struct word_count {
    size_t used, others; /* others: more kinds of words than there is room for */
    char word[SUMMARY_WORDS][48];
    size_t count[SUMMARY_WORDS];
} word_count;

typedef struct summary {
    size_t status[AS_MATRIX_STATUS_COUNT];
    as_grid grid;                /* of the Toeplitz metrics; height 0: none */
    uint64_t off_rows, off_cols; /* of the first matrix that is not the grid */
    name_set sources;            /* of all rows; owned */
    bool many_sources, many_schemes, many_layers, many_batches;
    char scheme[SUMMARY_PLACE]; /* the first one */
    record largest, smallest, low_rank, toeplitz;
    size_t eigen_rows, nonnormal_rows; /* with eigenvalues; of these, beyond SUMMARY_NONNORMAL */
    record eigen, nonnormal;           /* largest magnitude, largest nonnormality */
    double eigen_re, eigen_im, real_low, real_high;
    record symmetric_low, symmetric_high;
    record alpha_low, alpha_high, spikes; /* spikes: the most */
    double low_rank_stable, low_rank_effective;
    uint64_t low_rank_of;
    contraction_tally contraction;
    word_count masks, masked_as, drivers, dashes, no_alpha;
    uint64_t masked_rows;
    double row_sum_deviation; /* largest; NaN where there were no weights */
    row_sums sums;
    word_count operations; /* on logits, each with how many matrices it was done to */
    size_t padded;         /* matrices */
    uint64_t padding_left, padding_right; /* the most of one matrix */
} summary;

/* Empty, but for what the run's provenance says of all rows, and the sources of those that will be
 * added. AS_EREAD, AS_ENOMEM; owned by the caller either way, summary_free(). */
as_status summary_begin(summary *s, const report_rows *rows);
void summary_free(summary *s);
void summary_add(summary *s, const as_row *row);
/* Counts a number that is shown as a dash. */
void summary_add_dash(summary *s, const char *what, as_reason reason);
/* A sentence of level 1 or 2 (a detail of the one before), wrapped, or an item of a Markdown list. */
void summary_say(FILE *out, report_style style, size_t level, const char *text);
void summary_print(const summary *s, FILE *out, report_style style);

#endif
