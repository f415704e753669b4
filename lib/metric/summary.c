/* One matrix summed up: spectrum, then every metric, in the order in which they need each other.
 * It refuses what the spectrum room refuses. */
#include "attnspec/metric.h"

#include "base/fail.h"
#include "metric/ww.h"

#include <stdlib.h>

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

uint64_t as_summary_bytes(size_t rows, size_t cols) {
    uint64_t work = as_spectrum_work_bytes(rows, cols);
    return work == UINT64_MAX ? work
                              : work + (smaller(rows, cols) + 2 * (rows + cols)) * sizeof(double);
}

void as_summary_free(as_summary *summary) {
    if (summary != NULL) {
        as_spectrum_work_free(summary->work);
        free(summary->sigma);
        free(summary->profile);
        free(summary->eig_re);
        free(summary->eig_im);
        free(summary->symmetric);
        free(summary->offsets);
        free(summary->shuffled);
        free(summary->shuffled_sigma);
        free(summary->log_lambda);
        *summary = (as_summary){0};
    }
}

/* Room for a shape that the present one does not hold. It is made for this shape alone: the box
 * around a tall and a wide matrix can be far larger than both. */
static as_status grow(as_summary *summary, size_t rows, size_t cols) {
    if (summary->work != NULL && rows <= summary->rows && cols <= summary->cols) {
        return AS_OK;
    }
    as_summary_free(summary);
    as_status status = as_spectrum_work_new(rows, cols, &summary->work);
    if (status != AS_OK) {
        return status;
    }
    summary->sigma = as_alloc(smaller(rows, cols) * sizeof(double));
    summary->profile = as_alloc(2 * (rows + cols - 1) * sizeof(double));
    if (summary->sigma == NULL || summary->profile == NULL) {
        as_summary_free(summary);
        return as_fail(AS_ENOMEM, "no memory for the summary of a %zu × %zu matrix", rows, cols);
    }
    summary->rows = rows;
    summary->cols = cols;
    return AS_OK;
}

/* Room for the offsets of a grid, where the matrix is one of its tokens. */
static as_status make_offsets(as_summary *summary, const as_matrix *a, as_grid grid) {
    if (!as_grid_fits(grid, a->rows, a->cols)) {
        return AS_OK;
    }
    size_t count = 2 * (2 * grid.height - 1) * (2 * grid.width - 1);
    if (count <= summary->offset_room) {
        return AS_OK;
    }
    free(summary->offsets);
    summary->offsets = as_alloc(count * sizeof(double));
    summary->offset_room = summary->offsets != NULL ? count : 0;
    return summary->offsets != NULL
               ? AS_OK
               : as_fail(AS_ENOMEM, "no memory for the offsets of a grid of %zu × %zu tokens",
                         grid.height, grid.width);
}

static as_status make(double **values, size_t count) {
    if (*values == NULL) {
        *values = as_alloc(count * sizeof **values);
    }
    return *values != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory for %zu numbers", count);
}

/* The eigenvalues that are asked for, where the matrix has any. */
static as_status take_eigenvalues(as_summary *summary, const as_matrix *a,
                                  const as_summary_options *options) {
    size_t room = smaller(summary->rows, summary->cols);
    as_status status = AS_OK;
    summary->eigen_count = summary->symmetric_count = 0;
    if (a->rows != a->cols) {
        return AS_OK;
    }
    if (options->eigen) {
        status = make(&summary->eig_re, room);
        status = status == AS_OK ? make(&summary->eig_im, room) : status;
        status = status == AS_OK
                     ? as_eigenvalues(a, summary->work, summary->eig_re, summary->eig_im)
                     : status;
        summary->eigen_count = a->rows;
    }
    if (options->symmetric && status == AS_OK) {
        status = make(&summary->symmetric, room);
        status = status == AS_OK ? as_symmetric_eigenvalues(a, summary->work, summary->symmetric)
                                 : status;
        summary->symmetric_count = a->rows;
    }
    return status;
}

/* WeightWatcher's metrics. The shuffled matrix is not made where it would tell nothing. */
static as_status take_ww(as_summary *summary, const as_matrix *a,
                         const as_summary_options *options) {
    size_t room = smaller(summary->rows, summary->cols);
    bool shuffle = summary->sigma_count >= AS_WW_MIN && summary->sigma[0] > 0;
    as_status status = make(&summary->log_lambda, room);
    if (status == AS_OK && shuffle) {
        status = make(&summary->shuffled, summary->rows * summary->cols);
        status = status == AS_OK ? make(&summary->shuffled_sigma, room) : status;
        status = status == AS_OK ? as_shuffle(a, options->seed, summary->shuffled) : status;
        as_matrix shuffled = {.data = summary->shuffled, .rows = a->rows, .cols = a->cols};
        status = status == AS_OK ? as_singular_values(&shuffled, options->driver, summary->work,
                                                      summary->shuffled_sigma, NULL)
                                 : status;
    }
    if (status == AS_OK) {
        as_metrics_ww(summary->sigma, shuffle ? summary->shuffled_sigma : NULL, a->rows, a->cols,
                      summary->log_lambda, &summary->metrics);
    }
    return status;
}

as_status as_summarise(as_summary *summary, const as_logits *logits,
                       const as_summary_options *options) {
    const as_matrix *a = &logits->a;
    as_rank_tolerance tolerance = options->tolerance;
    tolerance.epsilon = logits->epsilon;
    as_status status = grow(summary, a->rows, a->cols);
    if (status == AS_OK) {
        status =
            as_singular_values(a, options->driver, summary->work, summary->sigma, &summary->driver);
    }
    if (status == AS_OK) {
        status = take_eigenvalues(summary, a, options);
    }
    if (status == AS_OK) {
        status = make_offsets(summary, a, options->grid);
    }
    if (status != AS_OK) {
        return status;
    }
    summary->route = "dense";
    summary->sigma_count = smaller(a->rows, a->cols);
    summary->profile_count = a->rows + a->cols - 1;
    as_metrics_clear(&summary->metrics, AS_REASON_NOT_REQUESTED);
    as_metrics_singular(summary->sigma, a->rows, a->cols, tolerance, &summary->metrics);
    as_metrics_matrix(logits, &summary->metrics, summary->profile);
    if (options->grid.height > 0) {
        as_metrics_grid(logits, options->grid, &summary->metrics, summary->offsets);
    }
    if (summary->eigen_count > 0) {
        as_metrics_eigen(logits, summary->eig_re, summary->eig_im, &summary->metrics);
    }
    return options->ww ? take_ww(summary, a, options) : AS_OK;
}
