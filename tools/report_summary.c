/* report_summary: what is gathered row by row, for the last part of the report.
 * It refuses to rank what does not exist. */
#include "report_summary.h"

#include <math.h>
#include <string.h>

#include "door/json.h"
#include "number.h"
#include "text.h"

/* The grid among the options of the run; there is none where its words are not understood. */
static as_status take_grid(const as_result *result, as_grid *grid) {
    as_json_value *provenance = NULL;
    const char *text = as_result_provenance(result);
    as_status status = text == NULL ? AS_OK : as_json_parse(text, strlen(text), &provenance);
    text = as_json_text(as_json_member(as_json_member(provenance, "options"), "grid"));
    if (text != NULL && as_grid_parse(text, grid) != AS_OK)
        *grid = (as_grid){0};
    as_json_value_free(provenance);
    return status;
}

as_status summary_begin(summary *s, const report_rows *rows) {
    memset(s, 0, sizeof *s);
    s->row_sum_deviation = NAN;
    s->sums = row_sums_begin();
    s->sources.paths = true;
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        name_set_see(&s->sources, row.source);
    }
    if (!name_set_settle(&s->sources))
        return AS_ENOMEM;
    s->many_sources = s->sources.count > 1;
    return take_grid(rows->result, &s->grid);
}

void summary_free(summary *s) {
    name_set_free(&s->sources);
}

static void count_word(word_count *words, const char *word) {
    size_t at = 0;
    while (at < words->used && strcmp(words->word[at], word) != 0)
        at++;
    if (at == SUMMARY_WORDS) {
        words->others++;
        return;
    }
    if (at == words->used)
        snprintf(words->word[words->used++], sizeof words->word[0], "%s", word);
    words->count[at]++;
}

/* What was done to logits, in that order. */
static void count_operations(word_count *words, const as_row *row) {
    char text[48], number[NUMBER_TEXT];
    if (!isnan(row->softcap)) {
        snprintf(text, sizeof text, "soft-cap %s", number_short(row->softcap, 9, number));
        count_word(words, text);
    }
    if (row->bias != NULL)
        count_word(words, "bias added");
    if (row->center != NULL)
        count_word(words, "rows centred");
}

/* The same of a name with blanks in place of its underscores. */
static void count_spaced(word_count *words, const char *name) {
    char word[48];
    snprintf(word, sizeof word, "%s", name);
    for (char *c = word; *c != '\0'; c++)
        *c = *c == '_' ? ' ' : *c;
    count_word(words, word);
}

static void keep(record *best, bool better, double value, const record *here) {
    if (best->found && !better)
        return;
    *best = *here;
    best->value = value;
}

static bool metric(const as_row *row, as_metric which, double *value) {
    *value = row->metrics.value[which];
    return row->metrics.reason[which] == AS_REASON_NONE;
}

static void keep_records(summary *s, const as_row *row, const record *here) {
    double value, stable;
    if (metric(row, AS_METRIC_spectral_norm, &value)) {
        keep(&s->largest, value > s->largest.value, value, here);
        keep(&s->smallest, value < s->smallest.value, value, here);
    }
    uint64_t q = row->rows < row->cols ? row->rows : row->cols;
    if (metric(row, AS_METRIC_effective_rank, &value) &&
        metric(row, AS_METRIC_stable_rank, &stable) && q > 1) {
        double share = value / (double)q;
        if (!s->low_rank.found || share < s->low_rank.value) {
            s->low_rank_effective = value;
            s->low_rank_stable = stable;
            s->low_rank_of = q;
        }
        keep(&s->low_rank, share < s->low_rank.value, share, here);
    }
    /* A single row is Toeplitz whatever it holds. */
    /* Without position an offset counts by chance alone. */
    bool positioned = row->scheme == NULL || strcmp(row->scheme, "nope") != 0;
    if (positioned && metric(row, AS_METRIC_toeplitz_fraction, &value) && q > 1)
        keep(&s->toeplitz, value > s->toeplitz.value, value, here);
}

static void keep_eigenvalues(summary *s, const as_row *row, const record *here) {
    double value;
    if (row->eigen_count > 0) {
        double re = row->eig_re[0], im = row->eig_im[0], size = hypot(re, im);
        if (!s->eigen.found || size > s->eigen.value) {
            s->eigen_re = re;
            s->eigen_im = im;
        }
        keep(&s->eigen, size > s->eigen.value, size, here);
        for (size_t i = 0; i < row->eigen_count; i++) {
            bool first = s->eigen_rows == 0 && i == 0;
            s->real_low = first ? row->eig_re[i] : fmin(s->real_low, row->eig_re[i]);
            s->real_high = first ? row->eig_re[i] : fmax(s->real_high, row->eig_re[i]);
        }
        s->eigen_rows++;
        if (metric(row, AS_METRIC_nonnormality, &value) && value > SUMMARY_NONNORMAL) {
            s->nonnormal_rows++;
            keep(&s->nonnormal, value > s->nonnormal.value, value, here);
        }
    }
    if (row->symmetric_count > 0) {
        double high = row->symmetric[0], low = row->symmetric[row->symmetric_count - 1];
        keep(&s->symmetric_high, high > s->symmetric_high.value, high, here);
        keep(&s->symmetric_low, low < s->symmetric_low.value, low, here);
    }
}

static void keep_power_law(summary *s, const as_row *row, const record *here) {
    double value;
    as_reason reason = (as_reason)row->metrics.reason[AS_METRIC_alpha];
    if (metric(row, AS_METRIC_alpha, &value)) {
        keep(&s->alpha_low, value < s->alpha_low.value, value, here);
        keep(&s->alpha_high, value > s->alpha_high.value, value, here);
    } else if (reason != AS_REASON_NOT_REQUESTED) {
        count_spaced(&s->no_alpha, as_reason_name(reason));
    }
    if (metric(row, AS_METRIC_num_spikes, &value))
        keep(&s->spikes, value > s->spikes.value, value, here);
}

static void same_as_first(char first[SUMMARY_PLACE], const char *name, bool *many) {
    if (first[0] == '\0')
        snprintf(first, SUMMARY_PLACE, "%s", name);
    *many = *many || strcmp(name, first) != 0;
}

void summary_add(summary *s, const as_row *row) {
    if ((size_t)row->status < AS_MATRIX_STATUS_COUNT)
        s->status[row->status]++;
    if (row->status != AS_OK)
        return;
    record here = {.found = true, .layer = row->layer, .batch = row->batch, .head = row->head};
    text_clean(here.file, sizeof here.file, name_set_short(&s->sources, row->source));
    text_clean(here.tensor, sizeof here.tensor, row->tensor);
    s->many_layers = s->many_layers || row->layer > 0;
    s->many_batches = s->many_batches || row->batch > 0;
    text_clean(here.scheme, sizeof here.scheme, row->scheme);
    same_as_first(s->scheme, here.scheme, &s->many_schemes);
    if (s->off_cols == 0 &&
        row->metrics.reason[AS_METRIC_toeplitz_fraction] == AS_REASON_NOT_THE_GRID) {
        s->off_rows = row->rows;
        s->off_cols = row->cols;
    }
    keep_records(s, row, &here);
    keep_eigenvalues(s, row, &here);
    keep_power_law(s, row, &here);
    contraction_add(&s->contraction, row);
    if (row->mask != NULL)
        count_word(&s->masks, row->mask);
    if (row->masked_count > 0 && row->masked_as != NULL && row->kind != NULL &&
        (strcmp(row->kind, "logits") == 0 || strcmp(row->masked_as, "softmax") == 0))
        count_word(&s->masked_as, row->masked_as);
    if (row->driver != NULL)
        count_word(&s->drivers, row->driver);
    s->masked_rows += row->masked_rows;
    s->row_sum_deviation = fmax(s->row_sum_deviation, row->row_sum_deviation);
    bool weights = row->kind != NULL && strcmp(row->kind, "weights") == 0;
    row_sums_add(&s->sums, weights, row->row_sum_min, row->row_sum_max);
    s->padded += row->padding_left + row->padding_right > 0;
    if (row->padding_left > s->padding_left)
        s->padding_left = row->padding_left;
    if (row->padding_right > s->padding_right)
        s->padding_right = row->padding_right;
    count_operations(&s->operations, row);
}

void summary_add_dash(summary *s, const char *what, as_reason reason) {
    char word[48];
    snprintf(word, sizeof word, "%s: %s", what, as_reason_name(reason));
    count_spaced(&s->dashes, word);
}
