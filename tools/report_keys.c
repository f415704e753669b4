/* report_keys: the keys of a row in three kinds, each by a table.
 * It refuses words that are in none of them. */
#include "report_keys.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_steps.h"

#define CONTRACTION "contraction."

typedef enum text_key { SOURCE, TENSOR, SCHEME, CONTENT, KIND, MASK, DTYPE, STATUS } text_key;
static const char *const texts[] = {"source", "tensor", "scheme", "content",
                                    "kind",   "mask",   "dtype",  "status"};
typedef enum whole_key { LAYER, BATCH, HEAD, N, ROWS, COLS, SEED, STEP } whole_key;
static const char *const wholes[] = {"layer", "batch", "head", "n", "rows", "cols", "seed", "step"};
#define TEXTS  (sizeof texts / sizeof texts[0])
#define WHOLES (sizeof wholes / sizeof wholes[0])
#define KEYS   (TEXTS + WHOLES + AS_METRIC_COUNT + AS_RATIO_COUNT)

static const char *ratio_name(size_t ratio) {
    static const char *const names[] = {
#define X(key, equation, summary) CONTRACTION #key,
#include "attnspec/contraction.def"
#undef X
    };
    return names[ratio];
}

static report_key key_of(size_t i) {
    if (i < TEXTS)
        return (report_key){KEY_TEXT, i, texts[i]};
    i -= TEXTS;
    if (i < WHOLES)
        return (report_key){KEY_WHOLE, i, wholes[i]};
    i -= WHOLES;
    /* Ratios follow the metrics. */
    return (report_key){KEY_REAL, i,
                        i < AS_METRIC_COUNT ? as_metric_key((as_metric)i)
                                            : ratio_name(i - AS_METRIC_COUNT)};
}

bool report_key_find(const char *name, report_key *out, char *why) {
    const char *words[KEYS];
    for (size_t i = 0; i < KEYS; i++) {
        report_key key = key_of(i);
        words[i] = key.name;
        if (strcmp(name, key.name) == 0) {
            *out = key;
            return true;
        }
    }
    const char *close = as_nearest(name, words, KEYS);
    size_t used =
        (size_t)snprintf(why, KEY_WHY, "there is no key '%.60s'%s%s%s ", name,
                         close == NULL ? "; the keys are" : "; did you mean '",
                         close == NULL ? "" : close, close == NULL ? "" : "'? The keys are");
    for (size_t i = 0; i < KEYS && used < KEY_WHY; i++)
        used += (size_t)snprintf(why + used, KEY_WHY - used, "%s%s",
                                 i == 0          ? ""
                                 : i == KEYS - 1 ? " and "
                                                 : ", ",
                                 words[i]);
    return false;
}

const char *report_key_text(report_key key, const as_row *row) {
    const char *const fields[] = {[SOURCE] = row->source, [TENSOR] = row->tensor,
                                  [SCHEME] = row->scheme, [CONTENT] = row->content,
                                  [KIND] = row->kind,     [MASK] = row->mask,
                                  [DTYPE] = row->dtype,   [STATUS] = as_status_name(row->status)};
    return fields[key.at] == NULL ? "" : fields[key.at];
}

bool report_key_whole(report_key key, const as_row *row, uint64_t *out) {
    const uint64_t fields[] = {
        [LAYER] = row->layer, [BATCH] = row->batch, [HEAD] = row->head, [N] = row->cols,
        [ROWS] = row->rows,   [COLS] = row->cols,   [SEED] = row->seed};
    if (key.at == STEP)
        return report_step_of(row->source, out);
    bool size = key.at == N || key.at == ROWS || key.at == COLS;
    *out = fields[key.at];
    return size ? *out > 0 : key.at != SEED || row->has_seed;
}

double report_key_real(report_key key, const as_row *row) {
    if (key.at < AS_METRIC_COUNT)
        return row->metrics.reason[key.at] == AS_REASON_NONE ? row->metrics.value[key.at]
                                                             : (double)NAN;
    size_t ratio = key.at - AS_METRIC_COUNT;
    return row->contraction.none == AS_REASON_NONE &&
                   row->contraction.reason[ratio] == AS_REASON_NONE
               ? row->contraction.value[ratio]
               : (double)NAN;
}

const report_main report_mains[REPORT_MAIN] = {
    {"spectral_norm", "spectral", "norm", "Spectral norm"},
    {"frobenius_norm", "Frobenius", "norm", "Frobenius norm"},
    {"nuclear_norm", "nuclear", "norm", "Nuclear norm"},
    {"stable_rank", "stable", "rank", "Stable rank"},
    {"effective_rank", "effective", "rank", "Effective rank"},
    {"matrix_rank", "matrix", "rank", "Matrix rank"},
    {"spectral_entropy", "spectral", "entropy", "Spectral entropy"},
    {"spectral_gap_ratio", "gap", "ratio", "Spectral gap ratio"},
    {"spectral_radius", "spectral", "radius", "Spectral radius"},
    {"attention_entropy", "attention", "entropy", "Attention entropy"},
    {"toeplitz_fraction", "Toeplitz", "fraction", "Toeplitz fraction"},
    {CONTRACTION "spectral_norm", "spectral", "ratio", "Contraction, spectral norm"},
    {CONTRACTION "frobenius_norm", "Frobenius", "ratio", "Contraction, Frobenius norm"},
    {CONTRACTION "nuclear_norm", "nuclear", "ratio", "Contraction, nuclear norm"},
};

report_key report_main_key(size_t main) {
    size_t i = TEXTS + WHOLES;
    while (strcmp(key_of(i).name, report_mains[main].key) != 0)
        i++;
    return key_of(i);
}

void report_main_values(const as_row *row, double value[REPORT_MAIN]) {
    for (size_t m = 0; m < REPORT_MAIN; m++)
        value[m] = report_key_real(report_main_key(m), row);
}
