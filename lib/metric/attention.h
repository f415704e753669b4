/* attention: where the rows of attention look. Private to this room. */
#ifndef AS_METRIC_ATTENTION_H
#define AS_METRIC_ATTENTION_H

#include "attnspec/metric.h"

/* M24 to M27, of weights or of the softmax of logits over what their mask keeps. O(rows·cols). */
void as_attention_masses(const as_logits *logits, as_metrics *account);

#endif
