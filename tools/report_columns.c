/* report_columns: what the tables of a report are made of: groups of rows, columns of numbers.
 * It refuses to call a word the group's that differs within it: that is "". */
#include "report_columns.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "text.h"

static void same_word(char *word, size_t size, bool first, const char *text) {
    const char *now = text == NULL ? "" : text;
    if (first)
        snprintf(word, size, "%s", now);
    else if (strcmp(word, now) != 0)
        word[0] = '\0';
}

const char *shape_text(const as_row *row, report_style style, char *text, size_t size) {
    if (row->rows == 0)
        snprintf(text, size, "%s", style.utf8 ? "–" : "-");
    else if (row->rows == row->cols)
        snprintf(text, size, "%" PRIu64, row->rows);
    else
        snprintf(text, size, "%" PRIu64 "%s%" PRIu64, row->rows, style.utf8 ? "×" : "x", row->cols);
    return text;
}

void row_group_widen(row_group *g, const as_row *row, report_style style) {
    char shape[48];
    g->batch = g->batch || row->batch > 0;
    int order = (int)text_width(shape_text(row, style, shape, sizeof shape)) + 2;
    g->order = order > g->order ? order : g->order;
    if (row->status != AS_OK)
        return;
    bool first = g->analysed++ == 0;
    same_word(g->shape, sizeof g->shape, first, shape_text(row, style, shape, sizeof shape));
    same_word(g->dtype, sizeof g->dtype, first, row->dtype);
    same_word(g->kind, sizeof g->kind, first, row->kind);
    same_word(g->mask, sizeof g->mask, first, row->mask);
    same_word(g->masked_as, sizeof g->masked_as, first, row->masked_as);
    g->scale = first || g->scale == row->scale ? row->scale : (double)NAN;
    g->contraction = g->contraction || row->baseline != NULL;
    g->masked = g->masked || row->masked_count > 0;
    g->entropy = g->entropy || row->metrics.reason[AS_METRIC_attention_entropy] == AS_REASON_NONE;
}

/* Takes a row up; false where it belongs to another group. */
static bool take_row(row_group *g, const as_row *row, report_style style) {
    const char *const of_row[] = {row->source, row->tensor, row->scheme, row->content};
    char *const of_group[] = {g->source, g->tensor, g->scheme, g->content};
    char name[GROUP_NAME];
    for (size_t i = 0; i < sizeof of_row / sizeof of_row[0]; i++) {
        text_clean(name, sizeof name, of_row[i]);
        if (g->end == g->begin)
            memcpy(of_group[i], name, sizeof name);
        else if (strcmp(name, of_group[i]) != 0)
            return false;
    }
    row_group_widen(g, row, style);
    return true;
}

as_status row_group_find(const report_rows *rows, size_t begin, report_style style, row_group *g) {
    *g = (row_group){.begin = begin, .end = begin, .scale = NAN, .order = ORDER_LEAST};
    for (; g->end < rows->count; g->end++) {
        as_row row;
        as_status status = report_row(rows, g->end, &row);
        if (status != AS_OK)
            return status;
        if (!take_row(g, &row, style))
            break;
    }
    return AS_OK;
}

int row_group_ids_width(const row_group *g) {
    return 5 + (g->batch ? 6 : 0) + 5 + g->order;
}

const char *row_group_origin(const row_group *g, char *text) {
    char number[NUMBER_TEXT];
    size_t used = 0;
    text[0] = '\0';
    if (g->scheme[0] != '\0')
        used += (size_t)snprintf(text, GROUP_TEXT, "scheme %s", g->scheme);
    if (g->content[0] != '\0')
        used += (size_t)snprintf(text + used, GROUP_TEXT - used, "%scontent %s",
                                 used > 0 ? ", " : "", g->content);
    if (used > 0 && !isnan(g->scale))
        snprintf(text + used, GROUP_TEXT - used, ", scale %s", number_short(g->scale, 9, number));
    return text;
}

const char *row_group_describe(const row_group *g, report_style style, char *text) {
    text[0] = '\0';
    if (g->analysed == 0)
        return text;
    bool square = g->shape[0] != '\0' && strpbrk(g->shape, "x\xC3") == NULL;
    size_t at = (size_t)snprintf(text, GROUP_TEXT, "%zu %s of ", g->analysed,
                                 g->analysed == 1 ? "matrix" : "matrices");
    if (square)
        at += (size_t)snprintf(text + at, GROUP_TEXT - at, "%s %s %s, ", g->shape,
                               style.utf8 ? "×" : "x", g->shape);
    else
        at += (size_t)snprintf(text + at, GROUP_TEXT - at, "%s, ",
                               g->shape[0] == '\0' ? "several shapes" : g->shape);
    at += (size_t)snprintf(text + at, GROUP_TEXT - at, "%s%s%s, ", g->dtype,
                           g->dtype[0] == '\0' ? "" : " ",
                           g->kind[0] == '\0' ? "of several kinds" : g->kind);
    if (strcmp(g->mask, "none") == 0)
        at += (size_t)snprintf(text + at, GROUP_TEXT - at, "no mask");
    else
        at += (size_t)snprintf(text + at, GROUP_TEXT - at, "mask %s",
                               g->mask[0] == '\0' ? "not the same in all" : g->mask);
    if (strcmp(g->masked_as, "softmax") == 0)
        snprintf(text + at, GROUP_TEXT - at, "; softmaxed before the spectrum was taken");
    else if (g->masked && strcmp(g->kind, "logits") == 0)
        snprintf(text + at, GROUP_TEXT - at, "; masked logits became 0");
    return text;
}

const number_column columns[COLUMN_COUNT] = {
#define METRIC(key) .metric = AS_METRIC_##key
#define RATIO(key)  .metric = AS_METRIC_COUNT, .ratio = AS_RATIO_##key
    {METRIC(spectral_norm), .width = 10, "spectral", "norm", "spectral norm"},
    {RATIO(spectral_norm), .width = 9, "spectral", "ratio", "spectral ratio"},
    {RATIO(nuclear_norm), .width = 8, "nuclear", "ratio", "nuclear ratio"},
    {METRIC(stable_rank), .width = 8, "stable", "rank", "stable rank"},
    {METRIC(effective_rank), .width = 10, "effective", "rank", "effective rank"},
    {METRIC(matrix_rank), .width = 7, "matrix", "rank", "matrix rank"},
    {METRIC(toeplitz_fraction), .width = 9, "Toeplitz", "fraction", "Toeplitz fraction"},
    {METRIC(attention_entropy), .width = 9, "entropy", "(nats)", "entropy"},
};

/* The ratios take the places of two ranks, and beside an entropy that of the Toeplitz fraction. */
bool column_shown(const row_group *g, size_t c) {
    switch (columns[c].metric) {
    case AS_METRIC_COUNT:
        return g->contraction;
    case AS_METRIC_attention_entropy:
        return g->entropy;
    case AS_METRIC_stable_rank:
        return !g->contraction;
    case AS_METRIC_matrix_rank:
        /* With a batch and an entropy it gives its place to the spectrum. */
        return !g->contraction && !(g->batch && g->entropy);
    case AS_METRIC_toeplitz_fraction:
        return !(g->contraction && g->entropy);
    default:
        return true;
    }
}

bool column_has_key(const row_group *g, const char *key) {
    static const char *const always[] = {"layer",  "head",   "n",      "source",
                                         "tensor", "scheme", "content"};
    for (size_t i = 0; i < sizeof always / sizeof always[0]; i++)
        if (strcmp(always[i], key) == 0)
            return true;
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (columns[c].metric != AS_METRIC_COUNT && column_shown(g, c) &&
            strcmp(as_metric_key(columns[c].metric), key) == 0)
            return true;
    return g->batch && strcmp(key, "batch") == 0;
}

bool row_has_place(const as_row *row) {
    return row->status == AS_OK || (row->rows > 0 && row->status != AS_SKIPPED);
}

const char *column_text(const number_column *column, double value, char *text) {
    if (column->metric == AS_METRIC_matrix_rank && value < 1e6)
        snprintf(text, NUMBER_TEXT, "%.0f", value);
    else if (column->metric == AS_METRIC_toeplitz_fraction)
        snprintf(text, NUMBER_TEXT, "%.5f", value);
    else
        number_short(value, column->width - 1, text);
    return text;
}

as_reason column_number(const as_row *row, const number_column *column, double *value) {
    const as_contraction *contraction = &row->contraction;
    bool ratio = column->metric == AS_METRIC_COUNT;
    *value = ratio ? contraction->value[column->ratio] : row->metrics.value[column->metric];
    return (as_reason)(ratio ? contraction->reason[column->ratio]
                             : row->metrics.reason[column->metric]);
}

/* Logits of q and k have the rank of a head, and the rest of their spectrum is rounding. */
size_t bar_count(const row_group *g, const as_row *row) {
    double rank = row->metrics.value[AS_METRIC_matrix_rank];
    return g->contraction && rank >= 1 && rank < (double)row->sigma_count ? (size_t)rank
                                                                          : row->sigma_count;
}

bool row_spectrum_at(const as_row *row, size_t index, row_spectrum *out) {
    const row_spectrum spectra[] = {
        {"singular values", row->sigma, row->sigma_count},
        {"of the baseline", row->baseline_sigma, row->baseline_count},
        {"eigenvalues, real parts", row->eig_re, row->eigen_count},
        {"eigenvalues, imaginary parts", row->eig_im, row->eigen_count},
        {"eigenvalues of the symmetric part", row->symmetric, row->symmetric_count},
    };
    if (index == sizeof spectra / sizeof spectra[0])
        return false;
    *out = spectra[index];
    return true;
}

void print_right(FILE *out, const char *text, int width) {
    int have = (int)text_width(text);
    fprintf(out, "%*s%s", have < width ? width - have : 0, "", text);
}
