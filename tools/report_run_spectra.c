/* Spectra along training for people: a table by layer, and how the ratio went.
 * It refuses the word guaranteed: what is here was observed. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cells.h"
#include "chart.h"
#include "number.h"
#include "report_run.h"
#include "report_summary.h"
#include "text.h"

#define SENTENCE 600

enum {
    RATIO = AS_RUN_SPECTRUM_spectral_ratio,
    STABLE = AS_RUN_SPECTRUM_stable_rank,
    CONTENT_STABLE = AS_RUN_SPECTRUM_content_stable_rank,
    EFFECTIVE = AS_RUN_SPECTRUM_effective_rank,
    ALIGNMENT = AS_RUN_SPECTRUM_alignment,
    CONTENT_ALIGNMENT = AS_RUN_SPECTRUM_content_alignment
};

/* What the dashes of the tables are, if there are any. */
typedef struct tally {
    size_t compared, below, untouched, heads; /* of the last step, all layers */
    double low, high;                         /* of its ratios */
    bool dashes;
} tally;

static void add_layer(tally *t, const run_layer *l, bool last) {
    const size_t shown[] = {RATIO, STABLE, CONTENT_STABLE, EFFECTIVE, ALIGNMENT, CONTENT_ALIGNMENT};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        t->dashes = t->dashes || isnan(l->mean[shown[i]]);
    if (!last)
        return;
    t->compared += l->compared;
    t->below += l->below;
    t->untouched += l->untouched;
    t->heads += l->heads;
    t->low = fmin(t->low, l->low);
    t->high = fmax(t->high, l->high);
}

static void print_layer(const run_layer *l, cell_row *row, report_style style) {
    char low[NUMBER_TEXT], high[NUMBER_TEXT];
    cells_add_five(row, l->mean[RATIO], style);
    if (l->compared == 0)
        cells_add(row, "%s", cells_dash(style));
    else
        cells_add(row, "%s%s%s", number_five(l->low, low), style.utf8 ? "–" : "-",
                  number_five(l->high, high));
    if (l->compared == 0)
        cells_add(row, "%s", cells_dash(style));
    else
        cells_add(row, "%zu/%zu", l->below, l->compared);
    const size_t shown[] = {STABLE, CONTENT_STABLE, EFFECTIVE, ALIGNMENT, CONTENT_ALIGNMENT};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++)
        cells_add_five(row, l->mean[shown[i]], style);
}

static void print_table(const as_run_spectra *s, tally *t, FILE *out, report_style style) {
    static const cell_column columns[] = {
        {"", "layer", 5, NULL},
        {"", "step", 7, NULL},
        {"spectral", "ratio", 9, NULL},
        {"range", "over heads", 12, NULL},
        {"heads", "< 1", 6, "heads below 1"},
        {"stable", "with", 7, "stable rank with position"},
        {"rank", "without", 8, "stable rank without"},
        {"effective", "rank", 10, NULL},
        {"", "with", 7, "alignment with position"},
        {"alignment", "without", 9, "alignment without"},
    };
    cell_row row = {0};
    size_t shown[3], count = run_steps_shown(s, shown);
    cells_head(columns, sizeof columns / sizeof *columns, out, style);
    for (size_t layer = 0; layer < s->layers; layer++)
        for (size_t i = 0; i < count; i++) {
            run_layer l = run_layer_of(s, shown[i], layer);
            add_layer(t, &l, i + 1 == count);
            if (i == 0 || style.markdown)
                cells_add(&row, "%zu", layer);
            else
                cells_add(&row, "%s", "");
            cells_add(&row, "%" PRIu64, s->step[shown[i]]);
            print_layer(&l, &row, style);
            cells_print(&row, columns, out, style);
        }
    fputc('\n', out);
}

/* The mean ratio of each layer along the steps taken, all on one scale. */
static void print_curves(const as_run_spectra *s, FILE *out, report_style style) {
    char text[SENTENCE], low_text[NUMBER_TEXT], high_text[NUMBER_TEXT];
    double low = NAN, high = NAN;
    for (size_t i = 0; i < s->steps * s->layers; i++) {
        double mean = run_layer_of(s, i / s->layers, i % s->layers).mean[RATIO];
        low = fmin(low, mean);
        high = fmax(high, mean);
    }
    if (isnan(low) || s->steps < 2)
        return;
    snprintf(text, sizeof text,
             "Mean spectral ratio of each layer from step %" PRIu64 " to %" PRIu64
             "; the bars go from %s to %s:",
             s->step[0], s->step[s->steps - 1], number_five(low, low_text),
             number_five(high, high_text));
    summary_say(out, style, 1, text);
    cells_fence(true, out, style);
    for (size_t layer = 0; layer < s->layers; layer++) {
        chart picture = chart_of((double)s->step[0], (double)s->step[s->steps - 1], low, high);
        for (size_t i = 0; i < s->steps; i++)
            chart_add(&picture, (double)s->step[i], run_layer_of(s, i, layer).mean[RATIO]);
        chart_close(&picture);
        fprintf(out, "%10zu %s", layer, style.utf8 ? "│" : "|");
        chart_line(&picture, 0, 1, out, style.utf8);
        fputc('\n', out);
    }
    cells_fence(false, out, style);
}

static void say_ratios(const as_run *run, const tally *t, FILE *out, report_style style) {
    char text[SENTENCE], scheme[128], low[NUMBER_TEXT], high[NUMBER_TEXT];
    const as_run_spectra *s = &run->spectra;
    uint64_t step = s->step[s->steps - 1];
    text_clean(scheme, sizeof scheme, run_word(run, "scheme"));
    if (t->compared > 0)
        snprintf(text, sizeof text,
                 "At step %" PRIu64 " the spectral norm of the logits was smaller with position "
                 "than without in %zu of %zu heads (observed, not guaranteed); ratios from %s to "
                 "%s.",
                 step, t->below, t->compared, number_five(t->low, low), number_five(t->high, high));
    else if (t->untouched > 0)
        snprintf(text, sizeof text,
                 "There is no ratio: with %s position touches the logits of no head, so that it "
                 "would be 1.",
                 scheme);
    else
        snprintf(text, sizeof text, "There is no ratio for any head at step %" PRIu64 ".", step);
    summary_say(out, style, 1, text);
    if (t->compared > 0 && t->untouched > 0) {
        snprintf(text, sizeof text,
                 "In %zu of %zu heads the ratio is exactly 1: position does not touch their "
                 "logits, and they are not among the ratios above.",
                 t->untouched, t->heads);
        summary_say(out, style, 1, text);
    }
}

static void say_legend(const tally *t, FILE *out, report_style style) {
    summary_say(
        out, style, 1,
        "Each number is a mean over the samples of the probe, and in the table over heads. "
        "Ratio: spectral norm with position over that without. Alignment: norm of the sum "
        "of the rotated pairs over the sum of their norms. Without: rotations and biases are "
        "left out of that layer alone; where positions are in the embeddings, the whole model "
        "runs without them.");
    if (t->dashes)
        summary_say(out, style, 1, "A dash is a number that does not exist.");
}

/* Every head at every step taken. */
static void print_points(const as_run_spectra *s, FILE *out, report_style style) {
    static const cell_column columns[] = {
        {"", "step", 8, NULL},
        {"layer", ".head", 7, "layer.head"},
        {"spectral", "norm", 9, NULL},
        {"spectr.", "ratio", 8, "spectral ratio"},
        {"Frob.", "ratio", 6, "Frobenius ratio"},
        {"nucl.", "ratio", 6, "nuclear ratio"},
        {"stable", "rank", 7, NULL},
        {"with-", "out", 6, "stable rank without position"},
        {"effect.", "rank", 8, "effective rank"},
        {"align-", "ment", 7, "alignment"},
        {"with-", "out", 6, "alignment without position"},
    };
    cell_row row = {0};
    fputc('\n', out);
    cells_head(columns, sizeof columns / sizeof *columns, out, style);
    for (size_t step = 0; step < s->steps; step++)
        for (size_t layer = 0; layer < s->layers; layer++)
            for (size_t head = 0; head < s->heads; head++) {
                cells_add(&row, "%" PRIu64, s->step[step]);
                cells_add(&row, "%zu.%zu", layer, head);
                for (size_t k = 0; k < AS_RUN_SPECTRUM_COUNT; k++)
                    cells_add_five(&row, run_spectrum_at(s, k, step, layer, head), style);
                cells_print(&row, columns, out, style);
            }
}

void run_print_spectra(const as_run *run, FILE *out, report_style style) {
    tally t = {.low = NAN, .high = NAN};
    cells_title("Spectra along training", out, style);
    if (run->spectra.steps == 0) {
        summary_say(out, style, 1, "None were taken.");
        return;
    }
    print_table(&run->spectra, &t, out, style);
    print_curves(&run->spectra, out, style);
    say_ratios(run, &t, out, style);
    say_legend(&t, out, style);
    if (style.values)
        print_points(&run->spectra, out, style);
}
