/* report_json: the stable, versioned JSON of a result, one row at a time.
 * Every row has every key; what does not exist is null, and NaN and infinity never appear. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report_heads.h"
#include "report_json.h"
#include "report_sweep.h"

#define SCHEMA_VERSION 1

as_status json_pour(as_json *json, FILE *out) {
    const char *text = as_json_take(json);
    if (text == NULL)
        return AS_ENOMEM;
    fprintf(out, "%s\n", text);
    return AS_OK;
}

static void count_or_null(as_json *json, const char *key, uint64_t count) {
    if (count > 0)
        as_json_integer(json, key, count);
    else
        as_json_null(json, key);
}

static void add_metrics(as_json *json, const as_metrics *metrics) {
    as_json_object(json, "metrics");
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        const char *key = as_metric_key((as_metric)m);
        if (metrics->reason[m] == AS_REASON_NONE)
            as_json_number(json, key, metrics->value[m]);
        else
            as_json_null(json, key);
    }
    /* An array that is empty for a single value (k < q), and null where there is no spectrum. */
    as_reason norm = (as_reason)metrics->reason[AS_METRIC_spectral_norm];
    if (norm == AS_REASON_NONE) {
        as_json_array(json, "ky_fan_norms");
        for (size_t i = 0; i < metrics->ky_fan_count; i++)
            as_json_number(json, NULL, metrics->ky_fan[i]);
        as_json_end(json);
    } else {
        as_json_null(json, "ky_fan_norms");
    }
    as_json_object(json, "reasons");
    for (size_t m = 0; m < AS_METRIC_COUNT; m++)
        if (metrics->reason[m] != AS_REASON_NONE)
            as_json_string(json, as_metric_key((as_metric)m),
                           as_reason_name((as_reason)metrics->reason[m]));
    if (norm != AS_REASON_NONE)
        as_json_string(json, "ky_fan_norms", as_reason_name(norm));
    as_json_end(json);
    as_json_end(json);
}

static void number_or_null(as_json *json, const char *key, double value, uint8_t reason) {
    if (reason == AS_REASON_NONE)
        as_json_number(json, key, value);
    else
        as_json_null(json, key);
}

static size_t ky_fan_missing(const as_contraction *contraction) {
    size_t missing = 0;
    for (size_t i = 0; i < contraction->ky_fan_count; i++)
        missing += isnan(contraction->ky_fan[i]) ? 1 : 0;
    return missing;
}

/* Why one of the Ky Fan ratios, at least, does not exist. */
static as_reason ky_fan_reason(const as_contraction *contraction) {
    if (contraction->ky_fan_count == 0)
        return (as_reason)contraction->reason[AS_RATIO_spectral_norm];
    return ky_fan_missing(contraction) > 0 ? AS_REASON_UNDEFINED_BASELINE : AS_REASON_NONE;
}

/* Empty for a single value (k < q), and null where not one of them exists. */
static void add_ky_fan(as_json *json, const as_contraction *contraction) {
    size_t count = contraction->ky_fan_count;
    if (ky_fan_reason(contraction) != AS_REASON_NONE && ky_fan_missing(contraction) == count) {
        as_json_null(json, "ky_fan");
        return;
    }
    as_json_array(json, "ky_fan");
    for (size_t i = 0; i < count; i++)
        as_json_number(json, NULL, contraction->ky_fan[i]);
    as_json_end(json);
}

/* The last three ratios: an object of their own. */
enum { PLAIN_RATIOS = AS_RATIO_factor_free_spectral_norm };

static void add_factor_free(as_json *json, const as_contraction *contraction) {
    if (contraction->reason[PLAIN_RATIOS] != AS_REASON_NONE) {
        as_json_null(json, "factor_free");
        return;
    }
    as_json_object(json, "factor_free");
    for (size_t r = PLAIN_RATIOS; r < AS_RATIO_COUNT; r++)
        number_or_null(json, as_ratio_key((as_ratio)r) + strlen("factor_free_"),
                       contraction->value[r], contraction->reason[r]);
    as_json_end(json);
}

static void add_ratios(as_json *json, const as_contraction *contraction) {
    for (size_t r = 0; r < PLAIN_RATIOS; r++) {
        const char *key = as_ratio_key((as_ratio)r);
        if (r == AS_RATIO_weakly_majorised && contraction->reason[r] == AS_REASON_NONE)
            as_json_bool(json, key, contraction->value[r] != 0);
        else
            number_or_null(json, key, contraction->value[r], contraction->reason[r]);
        if (r == AS_RATIO_nuclear_norm)
            add_ky_fan(json, contraction);
    }
    add_factor_free(json, contraction);
}

static void add_ratio_reasons(as_json *json, const as_contraction *contraction) {
    as_json_object(json, "reasons");
    for (size_t r = 0; r < PLAIN_RATIOS; r++)
        if (contraction->reason[r] != AS_REASON_NONE)
            as_json_string(json, as_ratio_key((as_ratio)r),
                           as_reason_name((as_reason)contraction->reason[r]));
    as_reason ky_fan = ky_fan_reason(contraction);
    if (ky_fan != AS_REASON_NONE)
        as_json_string(json, "ky_fan", as_reason_name(ky_fan));
    if (contraction->reason[PLAIN_RATIOS] != AS_REASON_NONE)
        as_json_string(json, "factor_free",
                       as_reason_name((as_reason)contraction->reason[PLAIN_RATIOS]));
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++)
        for (size_t n = 0; n < AS_NORM_COUNT; n++)
            if (contraction->alignment_reason[i][n] != AS_REASON_NONE) {
                char key[64];
                snprintf(key, sizeof key, "alignment_%s_%s", as_alignment_key((as_alignment)i),
                         as_norm_key((as_norm)n));
                as_json_string(json, key,
                               as_reason_name((as_reason)contraction->alignment_reason[i][n]));
            }
    as_json_end(json);
}

static void add_alignments(as_json *json, const as_contraction *contraction) {
    as_json_object(json, "alignment");
    for (size_t i = 0; i < AS_ALIGNMENT_COUNT; i++) {
        as_json_object(json, as_alignment_key((as_alignment)i));
        for (size_t n = 0; n < AS_NORM_COUNT; n++)
            number_or_null(json, as_norm_key((as_norm)n), contraction->alignment[i][n],
                           contraction->alignment_reason[i][n]);
        as_json_end(json);
    }
    as_json_end(json);
}

static void add_guarantee(as_json *json, const char *key, uint8_t guarantee) {
    as_json_string(json, key, as_guarantee_name((as_guarantee)guarantee));
}

/* The single word is that of the spectral norm; the Ky Fan norms' is the nuclear norm's. */
static void add_guarantees(as_json *json, const as_contraction *contraction) {
    add_guarantee(json, "guarantee", contraction->guarantee[AS_RATIO_spectral_norm]);
    as_json_object(json, "guarantees");
    for (size_t r = 0; r < PLAIN_RATIOS; r++) {
        add_guarantee(json, as_ratio_key((as_ratio)r), contraction->guarantee[r]);
        if (r == AS_RATIO_nuclear_norm)
            add_guarantee(json, "ky_fan", contraction->guarantee[r]);
    }
    as_json_end(json);
}

static void add_contraction(as_json *json, const as_row *row) {
    if (row->contraction.none != AS_REASON_NONE) {
        as_json_null(json, "contraction");
        return;
    }
    as_json_object(json, "contraction");
    as_json_string(json, "baseline", row->baseline);
    add_ratios(json, &row->contraction);
    add_ratio_reasons(json, &row->contraction);
    add_alignments(json, &row->contraction);
    add_guarantees(json, &row->contraction);
    as_json_end(json);
}

/* Null where the spectrum was not taken. With `im` each number is a pair. */
static void add_spectrum(as_json *json, const char *key, const double *re, const double *im,
                         size_t count) {
    if (count == 0) {
        as_json_null(json, key);
        return;
    }
    as_json_array(json, key);
    for (size_t i = 0; i < count; i++) {
        if (im != NULL)
            as_json_array(json, NULL);
        as_json_number(json, NULL, re[i]);
        if (im != NULL) {
            as_json_number(json, NULL, im[i]);
            as_json_end(json);
        }
    }
    as_json_end(json);
}

static void add_spectra(as_json *json, const as_row *row) {
    add_spectrum(json, "singular_values", row->sigma, NULL, row->sigma_count);
    add_spectrum(json, "baseline_singular_values", row->baseline_sigma, NULL, row->baseline_count);
    add_spectrum(json, "symmetric_eigenvalues", row->symmetric, NULL, row->symmetric_count);
    add_spectrum(json, "eigenvalues", row->eig_re, row->eig_im, row->eigen_count);
}

static void add_row(as_json *json, const as_row *row, bool values) {
    as_json_object(json, NULL);
    as_json_string(json, "source", row->source);
    as_json_string(json, "tensor", row->tensor);
    as_json_integer(json, "layer", row->layer);
    as_json_integer(json, "batch", row->batch);
    as_json_integer(json, "head", row->head);
    as_json_string(json, "scheme", row->scheme);
    as_json_string(json, "content", row->content);
    /* n is the length of the context: the keys. */
    count_or_null(json, "n", row->cols);
    if (row->has_seed)
        as_json_integer(json, "seed", row->seed);
    else
        as_json_null(json, "seed");
    as_json_string(json, "dtype", row->dtype);
    as_json_number(json, "scale", row->scale);
    as_json_number(json, "softcap", row->softcap);
    as_json_string(json, "bias", row->bias);
    as_json_string(json, "center", row->center);
    as_json_string(json, "kind", row->kind);
    count_or_null(json, "rows", row->rows);
    count_or_null(json, "cols", row->cols);
    as_json_string(json, "mask", row->mask);
    if (row->status == AS_OK) {
        as_json_integer(json, "padding_left", row->padding_left);
        as_json_integer(json, "padding_right", row->padding_right);
    } else {
        as_json_null(json, "padding_left");
        as_json_null(json, "padding_right");
    }
    as_json_string(json, "masked_as", row->masked_as);
    as_json_string(json, "status", as_status_name(row->status));
    as_json_string(json, "reason", row->reason);
    as_json_string(json, "route", row->route);
    as_json_string(json, "driver", row->driver);
    if (row->status == AS_OK) {
        as_json_integer(json, "masked_entries", row->masked_count);
        as_json_integer(json, "masked_rows", row->masked_rows);
    } else {
        as_json_null(json, "masked_entries");
        as_json_null(json, "masked_rows");
    }
    as_json_number(json, "row_sum_deviation", row->row_sum_deviation);
    as_json_number(json, "row_sum_min", row->row_sum_min);
    as_json_number(json, "row_sum_max", row->row_sum_max);
    as_json_string(json, "eigen_status",
                   row->status == AS_OK && row->rows != row->cols ? "not_square" : NULL);
    add_metrics(json, &row->metrics);
    add_contraction(json, row);
    heads_add_roles(row, json);
    if (values)
        add_spectra(json, row);
    as_json_end(json);
}

static as_status count_rows(const report_rows *rows, json_counts *out) {
    json_counts counts = {0};
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        *(row.status == AS_OK        ? &counts.ok
          : row.status == AS_SKIPPED ? &counts.skipped
                                     : &counts.failed) += 1;
    }
    *out = counts;
    return AS_OK;
}

static as_status add_provenance(as_json *json, const char *key, const char *text) {
    as_json_value *provenance = NULL;
    if (text != NULL && *text != '\0') {
        as_status status = as_json_parse(text, strlen(text), &provenance);
        if (status != AS_OK)
            return status;
    }
    as_json_copy(json, key, provenance);
    as_json_value_free(provenance);
    return AS_OK;
}

as_status json_provenance(as_json *json, const char *key, const as_result *result) {
    return add_provenance(json, key, as_result_provenance(result));
}

as_status json_open(as_json *json, const char *provenance, json_counts counts) {
    as_json_object(json, NULL);
    as_json_string(json, "schema", "attnspec-report");
    as_json_integer(json, "schema_version", SCHEMA_VERSION);
    as_status status = add_provenance(json, "provenance", provenance);
    as_json_object(json, "counts");
    as_json_integer(json, "ok", counts.ok);
    as_json_integer(json, "skipped", counts.skipped);
    as_json_integer(json, "failed", counts.failed);
    as_json_end(json);
    return status;
}

as_status json_head(as_json *json, const report_rows *rows) {
    json_counts counts = {0};
    as_status counted = count_rows(rows, &counts);
    as_status opened = json_open(json, as_result_provenance(rows->result), counts);
    return counted == AS_OK ? opened : counted;
}

as_status report_json(const report_rows *rows, FILE *out, bool values) {
    as_json *json = as_json_new();
    as_status status = json_head(json, rows);
    as_json_array(json, "matrices");
    for (size_t i = 0; status == AS_OK && i < rows->count; i++) {
        as_row row;
        status = report_row(rows, i, &row);
        if (status == AS_OK) {
            add_row(json, &row, values);
            status = json_pour(json, out);
        }
    }
    as_json_end(json);
    head_tally heads = {0};
    if (status == AS_OK)
        status = heads_gather(&heads, rows);
    heads_add_json(&heads, json);
    heads_free(&heads);
    sweep_tally sweep = {0};
    if (status == AS_OK)
        status = sweep_gather(&sweep, rows);
    sweep_add_json(&sweep, json);
    sweep_free(&sweep);
    as_json_end(json);
    if (status == AS_OK)
        status = json_pour(json, out);
    as_json_free(json);
    return status;
}
