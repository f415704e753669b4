/* account: how a metric is entered. Private to this room. */
#ifndef AS_METRIC_ACCOUNT_H
#define AS_METRIC_ACCOUNT_H

#include <float.h>
#include <math.h>

#include "attnspec/metric.h"

/* A number that a double cannot hold does not exist: it is null, reason overflow. */
static inline void put(as_metrics *account, as_metric metric, double value) {
    bool exists = isfinite(value);
    account->value[metric] = exists ? value : (double)NAN;
    account->reason[metric] = exists ? AS_REASON_NONE : AS_REASON_OVERFLOW;
}

static inline void put_null(as_metrics *account, as_metric metric, as_reason reason) {
    account->value[metric] = (double)NAN;
    account->reason[metric] = (uint8_t)reason;
}

static inline bool is_weights(const as_logits *logits) {
    return logits->kind == AS_KIND_WEIGHTS || logits->softmaxed;
}

#endif
