/* report_sweep: schemes side by side: for each content and length a scheme a row, with means over its
 * matrices (seeds, layers, heads). It refuses to take the mean of what does not exist. */
#ifndef TOOLS_REPORT_SWEEP_H
#define TOOLS_REPORT_SWEEP_H

#include "door/json.h"
#include "report.h"
#include "report_summary.h"

/* The columns of ratios, and behind them two metrics. */
enum { SWEEP_SPECTRAL, SWEEP_FROBENIUS, SWEEP_NUCLEAR, SWEEP_RATIOS };
enum { SWEEP_RANK = SWEEP_RATIOS, SWEEP_TOEPLITZ, SWEEP_NUMBERS };

/* Mean and sum of squared differences from it, as they grow (Welford 1962). */
typedef struct sweep_mean {
    size_t count;
    double mean, squares;
} sweep_mean;

/* The matrices of one scheme, content and length. */
typedef struct sweep_cell {
    char *scheme, *content, *reason; /* owned; reason: of the first that is not ok, or NULL */
    uint64_t n;
    as_status status; /* of that one */
    size_t ok, others;
    sweep_mean number[SWEEP_NUMBERS];
    size_t guaranteed[SWEEP_RATIOS];                /* of number[].count */
    size_t majorised, majorised_guaranteed, judged; /* no Ky Fan norm grew; of how many */
} sweep_cell;

/* Start from {0}. */
typedef struct sweep_tally {
    sweep_cell *cell;
    size_t count, room, last;
    size_t schemes;  /* different ones */
    bool read;       /* a row came out of a file: it was not drawn */
    size_t compared; /* matrices with a contraction */
} sweep_tally;
/* Adds every row of a result. AS_EREAD, AS_ENOMEM. */
as_status sweep_gather(sweep_tally *tally, const report_rows *rows);
void sweep_free(sweep_tally *tally);

/* Whether there are several schemes to compare, or rows that no file has. */
bool sweep_shown(const sweep_tally *tally);
/* Whether no row came out of a file: the tables stand for the heads. */
bool sweep_drawn(const sweep_tally *tally);

/* Prints the tables, as text or Markdown; nothing where they are not shown. *whole: they stand for the
 * heads, of which no more is to be said than the summary, to which all rows were added. AS_EREAD,
 * AS_ENOMEM. */
as_status sweep_report(const report_rows *rows, summary *s, FILE *out, report_style style,
                       bool *whole);
/* The member "schemes"; nothing where they are not shown. */
void sweep_add_json(const sweep_tally *tally, as_json *json);

/* For those who print. */
double sweep_deviation(const sweep_mean *mean); /* of a sample; NaN below two */
as_guarantee sweep_guarantee(const sweep_cell *cell, size_t ratio);
const char *sweep_class(const sweep_cell *cell); /* NULL where the scheme is no longer known */

#endif
