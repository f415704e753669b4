/* toeplitz: the split of a matrix into what depends on the offset alone and the rest. Private to
 * this room. */
#ifndef AS_METRIC_TOEPLITZ_H
#define AS_METRIC_TOEPLITZ_H

#include "attnspec/metric.h"

/* Equations M22 and M23 over unmasked entries.
 *   scale    a power of two that brings the entries near 1; 0 for a zero matrix
 *   profile  as in as_metrics_matrix() */
void as_toeplitz_split(const as_logits *logits, double scale, as_metrics *account, double *profile);

/* The same on a grid that fits; scale is that of the entries behind the leading tokens.
 *   offsets  as in as_metrics_grid() */
void as_toeplitz_grid(const as_logits *logits, as_grid grid, double scale, as_metrics *account,
                      double *offsets);

#endif
