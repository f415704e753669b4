/* The tables of run files and comparisons: which field stands in which dataset.
 * It refuses names of tensors that would be paths. */
#include "result/run.h"

#include <string.h>

#define ROW_HISTORY  as_run_point
#define ROW_HEADS    as_run_head
#define ROW_DEPOSITS as_run_deposit
#define ROW_TRIALS   as_trial_row

static const as_rows_column columns[] = {
#define X(table, kind, name, summary)                                                              \
    {AS_ROWS_##table, AS_COLUMN_##kind, #name, summary, offsetof(ROW_##table, name)},
#include "result/run.def"
#undef X
};

const as_rows_kind as_rows_kinds[AS_ROWS_TABLES] = {
    [AS_ROWS_HISTORY] = {.group = AS_RUN_GROUP "/history",
                         .title = "loss and accuracy by step",
                         .signal = "loss",
                         .auxiliary = {"accuracy", "test_loss", "test_accuracy"},
                         .axis = "step",
                         .stride = sizeof(as_run_point)},
    [AS_ROWS_HEADS] = {.group = AS_RUN_ABLATION,
                       .title = "drop of the accuracy without a head",
                       .signal = "drop",
                       .auxiliary = {"mean_drop"},
                       .stride = sizeof(as_run_head)},
    [AS_ROWS_DEPOSITS] = {.group = AS_RUN_ABLATION "/deposit",
                          .title = "how much of a layer hangs on one head",
                          .signal = "index",
                          .auxiliary = {"mean_index"},
                          .axis = "layer",
                          .stride = sizeof(as_run_deposit)},
    [AS_ROWS_TRIALS] = {.group = AS_TRIALS_GROUP "/trials",
                        .title = "accuracy of each run",
                        .signal = "accuracy",
                        .auxiliary = {"plateau"},
                        .stride = sizeof(as_trial_row)},
};

const as_rows_column *as_rows_column_at(as_rows_table table, size_t index) {
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        if (columns[c].table == table && index-- == 0) {
            return &columns[c];
        }
    }
    return NULL;
}

const char *const as_run_parts[AS_RUN_PARTS] = {AS_RUN_GROUP "/weights", AS_RUN_GROUP "/moment1",
                                                AS_RUN_GROUP "/moment2"};

const char *as_run_spectrum_name(size_t which) {
    static const char *const names[AS_RUN_SPECTRUM_COUNT] = {
#define X(name) #name,
        AS_RUN_SPECTRUM_LIST(X)
#undef X
    };
    return which < AS_RUN_SPECTRUM_COUNT ? names[which] : NULL;
}

const char *const as_run_spectrum_summaries[AS_RUN_SPECTRUM_COUNT] = {
    [AS_RUN_SPECTRUM_spectral_norm] = "spectral norm of the coupled logits",
    [AS_RUN_SPECTRUM_spectral_ratio] = "spectral norm, coupled over content",
    [AS_RUN_SPECTRUM_frobenius_ratio] = "Frobenius norm, coupled over content",
    [AS_RUN_SPECTRUM_nuclear_ratio] = "nuclear norm, coupled over content",
    [AS_RUN_SPECTRUM_stable_rank] = "stable rank of the coupled logits",
    [AS_RUN_SPECTRUM_content_stable_rank] = "stable rank of the content logits",
    [AS_RUN_SPECTRUM_effective_rank] = "effective rank of the coupled logits",
    [AS_RUN_SPECTRUM_alignment] = "alignment of the coupled sum, spectral norm",
    [AS_RUN_SPECTRUM_content_alignment] = "alignment of the content sum, spectral norm",
};

bool as_run_tensor_name(const char *name) {
    size_t length = strlen(name);
    return length > 0 && length <= AS_RUN_TENSOR_NAME && strchr(name, '/') == NULL &&
           strcmp(name, ".") != 0;
}
