/* One matrix into its numbers and its row.
 * It refuses what spectra refuse. */
#include "measure.h"

#include <math.h>
#include <string.h>

void desk_free(desk *d) {
    as_loaded_free(&d->loaded);
    as_summary_free(&d->summary);
    as_summary_free(&d->baseline);
    as_matrix_free(&d->kept);
}

as_status measure_status(as_status status) {
    return status < AS_MATRIX_STATUS_COUNT ? status : AS_EREAD;
}

/* Whether the content is bit for bit what was summed up last. */
static bool is_kept(const desk *d) {
    const as_matrix *a = &d->loaded.baseline.a, *kept = &d->kept;
    return d->keeps && a->rows == kept->rows && a->cols == kept->cols && kept->rows > 0 &&
           memcmp(a->data, kept->data, a->rows * a->cols * sizeof *a->data) == 0;
}

static as_status sum_up_baseline(desk *d, const as_summary_options *options) {
    as_summary_options plain = *options;
    const as_matrix *a = &d->loaded.baseline.a;
    if (is_kept(d)) {
        return AS_OK;
    }
    plain.eigen = plain.ww = false;
    d->kept.rows = 0; /* until the summary is whole */
    as_status status = as_summarise(&d->baseline, &d->loaded.baseline, &plain);
    if (status == AS_OK && d->keeps) {
        status = as_matrix_resize(&d->kept, a->rows, a->cols);
        if (status == AS_OK) {
            memcpy(d->kept.data, a->data, a->rows * a->cols * sizeof *a->data);
        }
    }
    return status;
}

as_status measure(desk *d, const as_summary_options *options) {
    as_status status = as_summarise(&d->summary, &d->loaded.logits, options);
    if (status == AS_OK && d->loaded.has_baseline) {
        status = sum_up_baseline(d, options);
        if (status == AS_OK) {
            status = as_compare(&d->loaded, &d->summary, &d->baseline, &d->contraction);
        }
    }
    return measure_status(status);
}

void measure_fill(const desk *d, as_masked_as masked_as, char *mask, as_row *row) {
    const as_logits *logits = &d->loaded.logits;
    const as_summary *summary = &d->summary;
    bool weights = logits->kind == AS_KIND_WEIGHTS;
    row->kind = as_kind_name(logits->kind);
    row->rows = logits->a.rows; /* without the padding that was dropped */
    row->cols = logits->a.cols;
    row->mask = as_mask_name(logits->mask, mask);
    row->padding_left = logits->mask.left;
    row->padding_right = logits->mask.right;
    row->padding_dropped = logits->dropped;
    row->masked_as = weights ? NULL : masked_as == AS_MASKED_AS_SOFTMAX ? "softmax" : "zero";
    row->route = summary->route;
    row->driver = as_driver_name(summary->driver);
    row->masked_count = logits->masked_count;
    row->masked_rows = logits->masked_rows;
    row->center = logits->centered ? "row" : NULL;
    row->softcap = logits->softcap != 0 ? logits->softcap : (double)NAN;
    row->bias = d->loaded.bias;
    if (weights) {
        row->row_sum_deviation = logits->row_sum_deviation;
    }
    row->row_sum_min = logits->row_sum_min;
    row->row_sum_max = logits->row_sum_max;
    row->scale = d->loaded.scale != 0 ? d->loaded.scale : (double)NAN;
    row->metrics = summary->metrics;
    row->sigma = summary->sigma;
    row->sigma_count = summary->sigma_count;
    row->profile = summary->profile;
    row->profile_count = summary->profile_count;
    row->eigen_count = summary->eigen_count;
    row->eig_re = summary->eig_re;
    row->eig_im = summary->eig_im;
    row->symmetric_count = summary->symmetric_count;
    row->symmetric = summary->symmetric;
    if (d->loaded.has_baseline) {
        row->baseline = d->loaded.baseline_name;
        row->baseline_sigma = d->baseline.sigma;
        row->baseline_count = d->baseline.sigma_count;
        row->contraction = d->contraction;
    }
}
