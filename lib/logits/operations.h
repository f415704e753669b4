/* operations: what is done to the kept entries of logits before a spectrum. Private to lib/logits. */
#ifndef AS_LOGITS_OPERATIONS_H
#define AS_LOGITS_OPERATIONS_H

#include "attnspec/logits.h"

/* All of them work on logits whose mask is in room, 1 = masked, and leave masked entries alone. */

/* Adds to the mask what is masked in the bias: −inf, or an additive mask. marks is room of that many
 * entries. AS_EINVAL where the shapes differ, AS_ENONFINITE, AS_ENOMEM. */
as_status as_mask_of_bias(as_logits *logits, const as_preparation *how, unsigned char *marks);

/* Equation K9: scale, soft-cap, bias, of logits. AS_ENONFINITE where a number overflows. */
as_status as_apply_operations(as_logits *logits, const as_preparation *how);

/* Takes out the padding of logits->mask: rows and columns of a and of the mask. AS_EMASK where nothing
 * would be left. */
as_status as_drop_padding(as_logits *logits);

/* Takes the mean of each row's kept entries out of them. AS_ENONFINITE where a number overflows. */
as_status as_center_rows(as_logits *logits);

#endif
