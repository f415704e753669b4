/* One matrix summed up: spectrum, then every metric, in the order in which they need each other.
 * It refuses what the spectrum room refuses. */
#include <stdlib.h>

#include "attnspec/metric.h"
#include "base/fail.h"

uint64_t as_summary_bytes(size_t rows, size_t cols) {
    uint64_t work = as_spectrum_work_bytes(rows, cols);
    size_t q = rows < cols ? rows : cols;
    return work == UINT64_MAX ? work : work + (q + 2 * (rows + cols)) * sizeof(double);
}

as_status as_summary_new(size_t rows, size_t cols, as_summary **out) {
    as_summary *summary = calloc(1, sizeof *summary);
    if (summary == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a summary");
    }
    as_status status = as_spectrum_work_new(rows, cols, &summary->work);
    if (status != AS_OK) {
        goto failed;
    }
    summary->sigma = as_alloc((rows < cols ? rows : cols) * sizeof(double));
    summary->profile = as_alloc(2 * (rows + cols - 1) * sizeof(double));
    if (summary->sigma == NULL || summary->profile == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for the summary of a %zu × %zu matrix", rows, cols);
        goto failed;
    }
    *out = summary;
    return AS_OK;
failed:
    as_summary_free(summary);
    return status;
}

void as_summary_free(as_summary *summary) {
    if (summary != NULL) {
        as_spectrum_work_free(summary->work);
        free(summary->sigma);
        free(summary->profile);
        free(summary);
    }
}

as_status as_summarise(as_summary *summary, const as_logits *logits, as_driver driver,
                       as_rank_tolerance tolerance) {
    const as_matrix *a = &logits->a;
    as_status status =
        as_singular_values(a, driver, summary->work, summary->sigma, &summary->driver);
    if (status != AS_OK) {
        return status;
    }
    summary->sigma_count = a->rows < a->cols ? a->rows : a->cols;
    summary->profile_count = a->rows + a->cols - 1;
    as_metrics_clear(&summary->metrics, AS_REASON_NOT_REQUESTED);
    as_metrics_singular(summary->sigma, a->rows, a->cols, tolerance, &summary->metrics);
    as_metrics_matrix(logits, &summary->metrics, summary->profile);
    return AS_OK;
}
