/* report_text: a result for people, at 80 columns: a table for each tensor, one row a head, and a
 * summary in words. It refuses to print a number that does not exist: that is a dash. */
#include "report_text.h"

#include <inttypes.h>
#include <string.h>

#include "report_columns.h"
#include "report_heads.h"
#include "report_steps.h"
#include "report_summary.h"
#include "report_sweep.h"
#include "sparkline.h"
#include "text.h"

#define SPARK_MAX 24

const char *escape(report_style style, const char *code) {
    return style.color ? code : "";
}

void print_group_head(const row_group *g, FILE *out, report_style style) {
    char text[GROUP_TEXT];
    fputs(escape(style, BOLD), out);
    fputs(g->source, out);
    if (g->tensor[0] != '\0')
        fprintf(out, ": %s", g->tensor);
    fprintf(out, "%s\n", escape(style, PLAIN));
    if (*row_group_origin(g, text) != '\0') {
        fputs("  ", out);
        text_wrap(out, text, 2, 4);
    }
    if (*row_group_describe(g, style, text) != '\0') {
        fputs("  ", out);
        text_wrap(out, text, 2, 2);
    }
}

/* What the numbers leave of the line. */
static size_t room_for_spark(const row_group *g) {
    size_t used = (size_t)row_group_ids_width(g);
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        used += column_shown(g, c) ? (size_t)columns[c].width : 0;
    return used < TEXT_COLUMNS ? TEXT_COLUMNS - used : 0;
}

/* Two spaces before the spectrum, or one where "spectra" would not fit. */
static int spark_gap(const row_group *g) {
    return room_for_spark(g) < 2 + strlen("spectra") ? 1 : 2;
}

static size_t spark_width(const row_group *g) {
    size_t room = room_for_spark(g), gap = (size_t)spark_gap(g);
    size_t left = room > gap ? room - gap : 0;
    return left < SPARK_MAX ? left : SPARK_MAX;
}

static void print_column_heads(const row_group *g, FILE *out, report_style style) {
    fprintf(out, "\n%s%*s", escape(style, BOLD), row_group_ids_width(g), "");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (column_shown(g, c))
            fprintf(out, "%*s", columns[c].width, columns[c].above);
    fprintf(out, "\n%5s%s%5s%*s", "layer", g->batch ? " batch" : "", "head", g->order, "n");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (column_shown(g, c))
            fprintf(out, "%*s", columns[c].width, columns[c].head);
    size_t spark = spark_width(g);
    const char *head = spark >= 8 ? "spectrum" : spark == 7 ? "spectra" : spark >= 4 ? "bars" : "";
    fprintf(out, "%*s%s%s\n", spark_gap(g), "", head, escape(style, PLAIN));
}

static void print_ids(const row_group *g, const as_row *row, FILE *out, report_style style) {
    char shape[48];
    fprintf(out, "%5" PRIu64, row->layer);
    if (g->batch)
        fprintf(out, "%6" PRIu64, row->batch);
    fprintf(out, "%5" PRIu64, row->head);
    print_right(out, shape_text(row, style, shape, sizeof shape), g->order);
}

void print_failure(const as_row *row, FILE *out, report_style style, size_t column) {
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
        fprintf(out, "    %s:\n", title);
    for (size_t i = 0; i < count; i++) {
        if (i % 7 == 0)
            fprintf(out, "%s%8zu:", i == 0 ? "" : "\n", i);
        fprintf(out, "%10s", number_short(values[i], 9, number));
    }
    if (count > 0)
        fputs("\n", out);
}

void print_values(const as_row *row, FILE *out) {
    row_spectrum spectrum;
    for (size_t i = 0; row_spectrum_at(row, i, &spectrum); i++)
        print_spectrum(out, i == 0 ? NULL : spectrum.title, spectrum.values, spectrum.count);
}

static void print_numbers(const row_group *g, const as_row *row, summary *s, FILE *out,
                          report_style style) {
    char text[NUMBER_TEXT];
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        const number_column *column = &columns[c];
        double value;
        if (!column_shown(g, c))
            continue;
        as_reason reason = column_number(row, column, &value);
        if (reason == AS_REASON_NONE) {
            print_right(out, column_text(column, value, text), column->width);
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

static as_status print_group(const report_rows *rows, const row_group *g, summary *s, FILE *out,
                             report_style style) {
    print_group_head(g, out, style);
    if (g->analysed > 0)
        print_column_heads(g, out, style);
    for (size_t i = g->begin; i < g->end; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        summary_add(s, &row);
        if (row.status == AS_OK) {
            print_ids(g, &row, out, style);
            print_numbers(g, &row, s, out, style);
        } else if (!row_has_place(&row)) {
            print_failure(&row, out, style, 0);
        } else {
            print_ids(g, &row, out, style);
            print_failure(&row, out, style, (size_t)row_group_ids_width(g));
        }
    }
    fputc('\n', out);
    return AS_OK;
}

void print_legend(FILE *out, report_style style, bool ratios) {
    fprintf(out,
            "  Spectrum: all singular values, largest first, on a log scale of %d decades;\n"
            "    blank is smaller. n: queries %s keys where they differ.\n",
            SPARKLINE_DECADES, style.utf8 ? "×" : "x");
    if (ratios)
        fputs("    In tables with ratios it ends at the matrix rank: the rest is rounding.\n", out);
}

as_status report_text(const report_rows *rows, FILE *out, report_style style) {
    if (rows->order != NULL)
        return report_flat(rows, out, style);
    static summary s; /* large, and one report is written at a time */
    as_status status = summary_begin(&s, rows);
    size_t spectra = 0;
    bool ratios = false, whole = false;
    if (status == AS_OK)
        status = sweep_report(rows, &s, out, style, &whole);
    for (size_t i = 0; i < rows->count && status == AS_OK && !whole;) {
        row_group g;
        status = row_group_find(rows, i, style, &g);
        if (status == AS_OK)
            status = print_group(rows, &g, &s, out, style);
        if (status != AS_OK)
            break;
        spectra += g.analysed;
        ratios = ratios || g.contraction;
        i = g.end;
    }
    if (status == AS_OK && !whole)
        status = heads_report(rows, out, style);
    if (status == AS_OK && !whole)
        status = report_steps(rows, out, style);
    if (status == AS_OK)
        summary_print(&s, out, style);
    summary_free(&s);
    if (status == AS_OK && spectra > 0)
        print_legend(out, style, ratios);
    return status;
}
