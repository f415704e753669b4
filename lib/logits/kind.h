/* kind: what the numbers of a matrix are, and which of them stand for "masked". Private to
 * lib/logits. */
#ifndef AS_LOGITS_KIND_H
#define AS_LOGITS_KIND_H

#include "attnspec/logits.h"

/* Whether all entries are ≥ 0 and all row sums within 4 ε of 1, or what `rounding` of every entry can
 * do, all-zero rows excepted, of which there may not be all. */
bool as_is_weights(const as_matrix *a, as_dtype dtype, double rounding);
/* max |row sum − 1| over the rows that are not all zero. */
double as_row_sum_deviation(const as_matrix *a);

/* The least and the largest sum of a row that is not all zero; NaN where an entry is negative, or all
 * rows are zero. */
void as_row_sums(const as_matrix *a, double *least, double *largest);

/* Sets masked[rows][cols] to 1 at the sentinels of logits, 0 elsewhere, and counts them; an additive
 * mask only where `added` says to look for one. AS_ENOMEM. */
as_status as_find_sentinels(const as_matrix *a, as_dtype dtype, bool added, unsigned char *masked,
                            size_t *count);

/* The word with the padding that zeros show: whole keys of them at the ends, `zero` being 1 where an
 * entry is. Not the last key of a causal word alone, where its one weight may have been rounded to 0. */
as_mask as_padding_of_zeros(const as_logits *logits, as_dtype dtype, as_mask word,
                            const unsigned char *zero);

/* Finds the mask in the zeros of weights: sets masked and count, returns the word. */
as_mask as_find_zeros(const as_logits *logits, as_dtype dtype, unsigned char *masked,
                      size_t *count);

#endif
