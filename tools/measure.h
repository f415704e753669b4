/* measure: one matrix at a time into its numbers and its row, for every tool that has a loop over
 * matrices. It refuses what spectra refuse. */
#ifndef TOOLS_MEASURE_H
#define TOOLS_MEASURE_H

#include "attnspec/result.h"

/* A thread's own room, made at its first matrix. Start from {0}. */
typedef struct desk {
    as_loaded loaded; /* what is measured; the caller loads it */
    as_summary summary, baseline;
    as_contraction contraction;
    bool keeps;     /* content that is the last matrix's is not summed up again */
    as_matrix kept; /* the content that `baseline` sums up, where it keeps one */
} desk;
void desk_free(desk *d);

/* Sums up what is loaded, and what it is compared with. A status that a row can have. */
as_status measure(desk *d, const as_summary_options *options);
/* What was found, into the row; the desk and mask[AS_MASK_TEXT] are lent until the row is appended. */
void measure_fill(const desk *d, as_masked_as masked_as, char *mask, as_row *row);
/* A row has one of the statuses of a matrix: what is no argument of ours came out of a file. */
as_status measure_status(as_status status);

#endif
