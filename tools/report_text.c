/* report_text: a result for people, at 80 columns: a table for each tensor, one row a head, and a
 * summary in words. It refuses to print a number that does not exist: that is a dash. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "number.h"
#include "report.h"
#include "report_heads.h"
#include "report_summary.h"
#include "sparkline.h"
#include "text.h"

#define NAME      400
#define SPARK_MAX 24

/* Rows that follow each other and are of one tensor, scheme and content; a word that differs within
 * them is "". */
typedef struct group {
    size_t begin, end;
    char source[NAME], tensor[NAME], scheme[NAME], content[NAME];
    double scale; /* NaN where there is none, or not one for all */
    char shape[48], dtype[16], kind[24], mask[48], masked_as[16];
    bool batch, entropy, masked, contraction;
    size_t analysed;
    int order; /* width of the column n */
} group;

static const char *escape(report_style style, const char *code) {
    return style.color ? code : "";
}
#define BOLD   "\033[1m"
#define RED    "\033[31m"
#define YELLOW "\033[33m"
#define PLAIN  "\033[0m"

static void same_word(char *word, size_t size, bool first, const char *text) {
    const char *now = text == NULL ? "" : text;
    if (first)
        snprintf(word, size, "%s", now);
    else if (strcmp(word, now) != 0)
        word[0] = '\0';
}

static const char *shape_of(const as_row *row, report_style style, char *text, size_t size) {
    if (row->rows == 0)
        snprintf(text, size, "%s", style.utf8 ? "–" : "-");
    else if (row->rows == row->cols)
        snprintf(text, size, "%" PRIu64, row->rows);
    else
        snprintf(text, size, "%" PRIu64 "%s%" PRIu64, row->rows, style.utf8 ? "×" : "x", row->cols);
    return text;
}

static void widen(group *g, const as_row *row, report_style style) {
    char shape[48];
    g->batch = g->batch || row->batch > 0;
    int order = (int)text_width(shape_of(row, style, shape, sizeof shape)) + 2;
    g->order = order > g->order ? order : g->order;
    if (row->status != AS_OK)
        return;
    bool first = g->analysed++ == 0;
    same_word(g->shape, sizeof g->shape, first, shape_of(row, style, shape, sizeof shape));
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
static bool take_row(group *g, const as_row *row, report_style style) {
    const char *const of_row[] = {row->source, row->tensor, row->scheme, row->content};
    char *const of_group[] = {g->source, g->tensor, g->scheme, g->content};
    char name[NAME];
    for (size_t i = 0; i < sizeof of_row / sizeof of_row[0]; i++) {
        text_clean(name, sizeof name, of_row[i]);
        if (g->end == g->begin)
            memcpy(of_group[i], name, sizeof name);
        else if (strcmp(name, of_group[i]) != 0)
            return false;
    }
    widen(g, row, style);
    return true;
}

static as_status find_group(as_result *result, size_t begin, report_style style, group *g) {
    *g = (group){.begin = begin, .end = begin, .scale = NAN, .order = 9};
    for (; g->end < as_result_count(result); g->end++) {
        as_row row;
        as_status status = as_result_row(result, g->end, &row);
        if (status != AS_OK)
            return status;
        if (!take_row(g, &row, style))
            break;
    }
    return AS_OK;
}

/* "scheme rope:base=10000, content gaussian, scale 0.35355"; nothing for what was only read. */
static void print_origin(const group *g, FILE *out) {
    char text[2 * NAME + 64], number[NUMBER_TEXT];
    if (g->scheme[0] == '\0' && g->content[0] == '\0')
        return;
    size_t used = 0;
    if (g->scheme[0] != '\0')
        used += (size_t)snprintf(text + used, sizeof text - used, ", scheme %s", g->scheme);
    if (g->content[0] != '\0')
        used += (size_t)snprintf(text + used, sizeof text - used, ", content %s", g->content);
    if (!isnan(g->scale))
        snprintf(text + used, sizeof text - used, ", scale %s", number_short(g->scale, 9, number));
    fputs("  ", out);
    text_wrap(out, text + 2, 2, 4);
}

static void print_group_head(const group *g, FILE *out, report_style style) {
    fputs(escape(style, BOLD), out);
    fputs(g->source, out);
    if (g->tensor[0] != '\0')
        fprintf(out, ": %s", g->tensor);
    fprintf(out, "%s\n", escape(style, PLAIN));
    print_origin(g, out);
    if (g->analysed == 0)
        return;
    char text[400];
    bool square = g->shape[0] != '\0' && strpbrk(g->shape, "x\xC3") == NULL;
    int used = snprintf(text, sizeof text, "%zu %s of ", g->analysed,
                        g->analysed == 1 ? "matrix" : "matrices");
    size_t at = (size_t)used;
    if (square)
        at += (size_t)snprintf(text + at, sizeof text - at, "%s %s %s, ", g->shape,
                               style.utf8 ? "×" : "x", g->shape);
    else
        at += (size_t)snprintf(text + at, sizeof text - at, "%s, ",
                               g->shape[0] == '\0' ? "several shapes" : g->shape);
    at += (size_t)snprintf(text + at, sizeof text - at, "%s%s%s, ", g->dtype,
                           g->dtype[0] == '\0' ? "" : " ",
                           g->kind[0] == '\0' ? "of several kinds" : g->kind);
    if (strcmp(g->mask, "none") == 0)
        at += (size_t)snprintf(text + at, sizeof text - at, "no mask");
    else
        at += (size_t)snprintf(text + at, sizeof text - at, "mask %s",
                               g->mask[0] == '\0' ? "not the same in all" : g->mask);
    if (strcmp(g->masked_as, "softmax") == 0)
        snprintf(text + at, sizeof text - at, "; softmaxed before the spectrum was taken");
    else if (g->masked && strcmp(g->kind, "logits") == 0)
        snprintf(text + at, sizeof text - at, "; masked logits became 0");
    fputs("  ", out);
    text_wrap(out, text, 2, 2);
}

/* The columns of numbers, left to right: a metric, or else a ratio of the contraction. */
static const struct column {
    as_metric metric; /* AS_METRIC_COUNT: a ratio */
    as_ratio ratio;
    int width;
    const char *above, *head, *name;
} columns[] = {
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
#define COLUMN_COUNT (sizeof columns / sizeof columns[0])

/* The ratios take the places of two ranks, and beside an entropy that of the Toeplitz fraction. */
static bool shown(const group *g, size_t c) {
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

/* Of layer, batch, head and n. */
static int ids_width(const group *g) {
    return 5 + (g->batch ? 6 : 0) + 5 + g->order;
}

/* What the numbers leave of the line. */
static size_t room_for_spark(const group *g) {
    size_t used = (size_t)ids_width(g);
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        used += shown(g, c) ? (size_t)columns[c].width : 0;
    return used < TEXT_COLUMNS ? TEXT_COLUMNS - used : 0;
}

/* Two spaces before the spectrum, or one where "spectra" would not fit. */
static int spark_gap(const group *g) {
    return room_for_spark(g) < 2 + strlen("spectra") ? 1 : 2;
}

static size_t spark_width(const group *g) {
    size_t room = room_for_spark(g), gap = (size_t)spark_gap(g);
    size_t left = room > gap ? room - gap : 0;
    return left < SPARK_MAX ? left : SPARK_MAX;
}

static void print_column_heads(const group *g, FILE *out, report_style style) {
    fprintf(out, "\n%s%*s", escape(style, BOLD), ids_width(g), "");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (shown(g, c))
            fprintf(out, "%*s", columns[c].width, columns[c].above);
    fprintf(out, "\n%5s%s%5s%*s", "layer", g->batch ? " batch" : "", "head", g->order, "n");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (shown(g, c))
            fprintf(out, "%*s", columns[c].width, columns[c].head);
    size_t spark = spark_width(g);
    const char *head = spark >= 8 ? "spectrum" : spark == 7 ? "spectra" : spark >= 4 ? "bars" : "";
    fprintf(out, "%*s%s%s\n", spark_gap(g), "", head, escape(style, PLAIN));
}

static void print_right(FILE *out, const char *text, int width) {
    int have = (int)text_width(text);
    fprintf(out, "%*s%s", have < width ? width - have : 0, "", text);
}

static void print_ids(const group *g, const as_row *row, FILE *out, report_style style) {
    char shape[48];
    fprintf(out, "%5" PRIu64, row->layer);
    if (g->batch)
        fprintf(out, "%6" PRIu64, row->batch);
    fprintf(out, "%5" PRIu64, row->head);
    print_right(out, shape_of(row, style, shape, sizeof shape), g->order);
}

/* The status and its sentence, for a row that has no numbers. */
static void print_failure(const as_row *row, FILE *out, report_style style, size_t column) {
    const char *name = as_status_name(row->status);
    char reason[1024], text[1100];
    text_clean(reason, sizeof reason, row->reason);
    fprintf(out, "  %s%s%s", escape(style, row->status == AS_SKIPPED ? YELLOW : RED), name,
            escape(style, PLAIN));
    snprintf(text, sizeof text, "%s%s", reason[0] == '\0' ? "" : ": ", reason);
    text_wrap(out, text, column + 2 + strlen(name), column + 4);
}

/* Seven numbers a line, each line with the index of its first. */
static void print_spectrum(FILE *out, const char *title, const double *values, size_t count) {
    char number[NUMBER_TEXT];
    if (count > 0 && title != NULL)
        fprintf(out, "    %s\n", title);
    for (size_t i = 0; i < count; i++) {
        if (i % 7 == 0)
            fprintf(out, "%s%8zu:", i == 0 ? "" : "\n", i);
        fprintf(out, "%10s", number_short(values[i], 9, number));
    }
    if (count > 0)
        fputs("\n", out);
}

static void print_values(const as_row *row, FILE *out) {
    print_spectrum(out, NULL, row->sigma, row->sigma_count);
    print_spectrum(out, "of the baseline:", row->baseline_sigma, row->baseline_count);
    print_spectrum(out, "eigenvalues, real parts:", row->eig_re, row->eigen_count);
    print_spectrum(out, "eigenvalues, imaginary parts:", row->eig_im, row->eigen_count);
    print_spectrum(out, "eigenvalues of the symmetric part:", row->symmetric, row->symmetric_count);
}

static const char *number_text(const struct column *column, double value, char *text) {
    if (column->metric == AS_METRIC_matrix_rank && value < 1e6)
        snprintf(text, NUMBER_TEXT, "%.0f", value);
    else if (column->metric == AS_METRIC_toeplitz_fraction)
        snprintf(text, NUMBER_TEXT, "%.5f", value);
    else
        number_short(value, column->width - 1, text);
    return text;
}

static as_reason number_of(const as_row *row, const struct column *column, double *value) {
    const as_contraction *contraction = &row->contraction;
    bool ratio = column->metric == AS_METRIC_COUNT;
    *value = ratio ? contraction->value[column->ratio] : row->metrics.value[column->metric];
    return (as_reason)(ratio ? contraction->reason[column->ratio]
                             : row->metrics.reason[column->metric]);
}

/* Logits of q and k have the rank of a head, and the rest of their spectrum is rounding. */
static size_t bar_count(const group *g, const as_row *row) {
    double rank = row->metrics.value[AS_METRIC_matrix_rank];
    return g->contraction && rank >= 1 && rank < (double)row->sigma_count ? (size_t)rank
                                                                          : row->sigma_count;
}

static void print_numbers(const group *g, const as_row *row, summary *s, FILE *out,
                          report_style style) {
    char text[NUMBER_TEXT];
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        const struct column *column = &columns[c];
        double value;
        if (!shown(g, c))
            continue;
        as_reason reason = number_of(row, column, &value);
        if (reason == AS_REASON_NONE) {
            print_right(out, number_text(column, value, text), column->width);
        } else {
            print_right(out, style.utf8 ? "–" : "-", column->width);
            summary_add_dash(s, column->name, reason);
        }
    }
    if (row->sigma_count > 0 && row->sigma[0] > 0) {
        fprintf(out, "%*s", spark_gap(g), "");
        sparkline(out, row->sigma, bar_count(g, row), spark_width(g), style.utf8);
    }
    fputc('\n', out);
    if (style.values)
        print_values(row, out);
}

static as_status print_group(as_result *result, const group *g, summary *s, FILE *out,
                             report_style style) {
    print_group_head(g, out, style);
    if (g->analysed > 0)
        print_column_heads(g, out, style);
    for (size_t i = g->begin; i < g->end; i++) {
        as_row row;
        as_status status = as_result_row(result, i, &row);
        if (status != AS_OK)
            return status;
        summary_add(s, &row);
        if (row.status == AS_OK) {
            print_ids(g, &row, out, style);
            print_numbers(g, &row, s, out, style);
        } else if (row.rows == 0 || row.status == AS_SKIPPED) {
            print_failure(&row, out, style, 0);
        } else {
            print_ids(g, &row, out, style);
            print_failure(&row, out, style, (size_t)ids_width(g));
        }
    }
    fputc('\n', out);
    return AS_OK;
}

static void print_legend(FILE *out, report_style style, bool ratios) {
    fprintf(out,
            "  Spectrum: all singular values, largest first, on a log scale of %d decades;\n"
            "    blank is smaller. n: queries %s keys where they differ.\n",
            SPARKLINE_DECADES, style.utf8 ? "×" : "x");
    if (ratios)
        fputs("    In tables with ratios it ends at the matrix rank: the rest is rounding.\n", out);
}

as_status report_text(as_result *result, FILE *out, report_style style) {
    static summary s; /* large, and one report is written at a time */
    as_status status = summary_begin(&s, result);
    if (status != AS_OK)
        return status;
    size_t spectra = 0;
    bool ratios = false;
    for (size_t i = 0; i < as_result_count(result);) {
        group g;
        status = find_group(result, i, style, &g);
        if (status == AS_OK)
            status = print_group(result, &g, &s, out, style);
        if (status != AS_OK)
            return status;
        spectra += g.analysed;
        ratios = ratios || g.contraction;
        i = g.end;
    }
    head_tally heads = {0};
    status = heads_gather(&heads, result);
    if (status == AS_OK)
        heads_print(&heads, out, style);
    heads_free(&heads);
    if (status != AS_OK)
        return status;
    summary_print(&s, out, style);
    if (spectra > 0)
        print_legend(out, style, ratios);
    return AS_OK;
}
