/* The names of metrics, of contraction ratios and of the reasons why one is null, from their tables.
 * It computes nothing. */
#include "attnspec/metric.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *key, *summary;
} metrics[] = {
#define X(key, equation, summary) {#key, summary},
#include "attnspec/metrics.def"
#undef X
};

static const struct {
    const char *key, *summary;
} ratios[] = {
#define X(key, equation, summary) {#key, summary},
#include "attnspec/contraction.def"
#undef X
};

static const char *const alignments[] = {
#define X(key) #key,
    AS_ALIGNMENT_LIST(X)
#undef X
};

static const char *const norms[] = {
    [AS_NORM_SPECTRAL] = "spectral",
    [AS_NORM_FROBENIUS] = "frobenius",
    [AS_NORM_NUCLEAR] = "nuclear",
};

static const char *const guarantees[] = {
    [AS_OBSERVED] = "observed",
    [AS_GUARANTEED] = "guaranteed",
    [AS_UNDEFINED] = "undefined",
};

static const char *const reasons[] = {
#define X(code, name) [code] = name,
    AS_REASON_LIST(X)
#undef X
};

const char *as_metric_key(as_metric metric) {
    return (unsigned)metric < AS_METRIC_COUNT ? metrics[metric].key : "unknown";
}

const char *as_metric_summary(as_metric metric) {
    return (unsigned)metric < AS_METRIC_COUNT ? metrics[metric].summary : "unknown";
}

as_metric as_metric_find(const char *key) {
    unsigned i = 0;
    while (i < AS_METRIC_COUNT && strcmp(key, metrics[i].key) != 0) {
        i++;
    }
    return (as_metric)i;
}

const char *as_reason_name(as_reason reason) {
    return (unsigned)reason < AS_REASON_COUNT ? reasons[reason] : "unknown";
}

const char *as_ratio_key(as_ratio ratio) {
    return (unsigned)ratio < AS_RATIO_COUNT ? ratios[ratio].key : "unknown";
}

const char *as_ratio_summary(as_ratio ratio) {
    return (unsigned)ratio < AS_RATIO_COUNT ? ratios[ratio].summary : "unknown";
}

const char *as_alignment_key(as_alignment alignment) {
    return (unsigned)alignment < AS_ALIGNMENT_COUNT ? alignments[alignment] : "unknown";
}

const char *as_norm_key(as_norm norm) {
    return (unsigned)norm < AS_NORM_COUNT ? norms[norm] : "unknown";
}

const char *as_guarantee_name(as_guarantee guarantee) {
    return (unsigned)guarantee <= AS_UNDEFINED ? guarantees[guarantee] : "unknown";
}

void as_metrics_clear(as_metrics *account, as_reason reason) {
    *account = (as_metrics){0};
    for (unsigned i = 0; i < AS_METRIC_COUNT; i++) {
        account->value[i] = (double)NAN;
        account->reason[i] = (uint8_t)reason;
    }
}
