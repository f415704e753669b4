/* A training run for people: what was trained, what came of it, how it learned.
 * It refuses to print a number that does not exist: that is a dash, or the sentence is left out. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cells.h"
#include "chart.h"
#include "number.h"
#include "report_run.h"
#include "report_summary.h"
#include "share.h"
#include "text.h"

#define WORDS    600
#define SENTENCE (2 * WORDS + 400)

/* Lines of the pictures of loss and accuracy. */
enum { LINES = 4 };

static void print_head(const as_run *run, const char *path, FILE *out, report_style style) {
    char scheme[WORDS], task[WORDS], text[SENTENCE];
    text_clean(scheme, sizeof scheme, run_word(run, "scheme"));
    text_clean(task, sizeof task, run_word(run, "task"));
    cells_name(path, out, style);
    snprintf(text, sizeof text, "Scheme %s, task %s; preset %.40s, profile %.40s, seed %.24s.",
             scheme, task, run_word(run, "preset"), run_word(run, "profile"),
             run_word(run, "seed"));
    summary_say(out, style, 1, text);
    snprintf(text, sizeof text,
             "T = %.24s positions, V = %.24s tokens, width d = %.24s, H = %.24s heads, L = %.24s "
             "layers; %" PRIu64 " steps of %.24s samples.",
             run_word(run, "n"), run_word(run, "vocab"), run_word(run, "dim"),
             run_word(run, "heads"), run_word(run, "layers"), run->steps, run_word(run, "batch"));
    summary_say(out, style, 1, text);
}

static void say_how_far(const as_run *run, FILE *out, report_style style) {
    char text[SENTENCE];
    uint64_t meant = run_steps_meant(run);
    if (run->finished)
        return;
    if (meant > run->steps)
        snprintf(text, sizeof text,
                 "Not finished: this is a checkpoint behind step %" PRIu64 " of %" PRIu64
                 " (%.0f %%).",
                 run->steps, meant, floor(100 * (double)run->steps / (double)meant));
    else
        snprintf(text, sizeof text, "Not finished: this is a checkpoint behind step %" PRIu64 ".",
                 run->steps);
    summary_say(out, style, 1, text);
}

static void say_plateau(const as_run *run, share_interval interval, FILE *out, report_style style) {
    char text[SENTENCE], how[WORDS];
    const char *verdict = isnan(interval.low)           ? "."
                          : interval.low > run->plateau ? ": the model is above it."
                          : interval.high >= run->plateau
                              ? ": the model cannot be told from it by this test set."
                              : ": the model is below it.";
    text_clean(how, sizeof how, run->plateau_of != NULL ? run->plateau_of : PLATEAU_OF_ANY);
    snprintf(text, sizeof text, "Plateau %.2f %%, what is right %s%s", 100 * run->plateau, how,
             verdict);
    summary_say(out, style, 1, text);
}

/* Where several answers are asked of a sample they are not independent. */
static bool has_samples_of_many_answers(const as_run *run) {
    const char *word = as_run_config(run, "test-samples");
    char answers[24];
    snprintf(answers, sizeof answers, "%" PRIu64, run->answers);
    return word != NULL && strcmp(word, answers) != 0;
}

static void print_result(const as_run *run, FILE *out, report_style style) {
    char text[SENTENCE], loss[NUMBER_TEXT];
    share_interval interval = share_wilson(run->accuracy, run->answers);
    cells_title("Result", out, style);
    say_how_far(run, out, style);
    if (isnan(run->accuracy)) {
        summary_say(out, style, 1, "No accuracy of the test set: it is taken at the end.");
    } else {
        size_t used =
            (size_t)snprintf(text, sizeof text, "Test accuracy %.2f %%", 100 * run->accuracy);
        if (!isnan(interval.low))
            used +=
                (size_t)snprintf(text + used, sizeof text - used,
                                 ", 95 %% interval %.2f to %.2f (Wilson, of %" PRIu64 " answers)",
                                 100 * interval.low, 100 * interval.high, run->answers);
        snprintf(text + used, sizeof text - used, "; loss %s.",
                 isnan(run->loss) ? cells_dash(style) : number_short(run->loss, 9, loss));
        summary_say(out, style, 1, text);
        if (!isnan(interval.low) && has_samples_of_many_answers(run))
            summary_say(out, style, 1,
                        "Answers of one sample are not independent: the interval is too narrow.");
    }
    if (!isnan(run->plateau))
        say_plateau(run, interval, out, style);
    if (!isnan(run->samples_per_second)) {
        snprintf(text, sizeof text, "%.0f samples/s.", run->samples_per_second);
        summary_say(out, style, 1, text);
    }
}

/* ---- Curves ----------------------------------------------------------------------------------- */

typedef struct curve {
    const char *name;
    size_t offset; /* of the number in a point */
    bool share;    /* in per cent, from 0 to 1 */
    size_t lines;  /* 0: no picture of its own */
} curve;
static const curve curves[] = {
    {"training loss", offsetof(as_run_point, loss), false, LINES},
    {"training accuracy", offsetof(as_run_point, accuracy), true, LINES},
    {"test loss", offsetof(as_run_point, test_loss), false, 1},
    {"test accuracy", offsetof(as_run_point, test_accuracy), true, 1},
    {"learning rate", offsetof(as_run_point, rate), false, 0},
    {"gradient norm", offsetof(as_run_point, gradient_norm), false, 0},
};
enum { CURVES = sizeof curves / sizeof *curves };

static double number_of(const as_run_point *point, const curve *c) {
    return *(const double *)(const void *)((const char *)point + c->offset);
}

static const char *value_text(const curve *c, double value, char *text) {
    if (c->share)
        snprintf(text, NUMBER_TEXT, "%.2f %%", 100 * value);
    else
        number_short(value, 9, text);
    return text;
}

/* The first and the last point that have the number; false where none has. */
static bool ends_of(const as_run *run, const curve *c, size_t *first, size_t *last) {
    bool any = false;
    for (size_t i = 0; i < run->point_count; i++)
        if (isfinite(number_of(&run->history[i], c))) {
            *first = any ? *first : i;
            *last = i;
            any = true;
        }
    return any;
}

/* What stands left of a line of a picture. */
static void print_scale(const curve *c, const chart *picture, size_t line, FILE *out,
                        report_style style) {
    char text[NUMBER_TEXT] = "";
    bool top = line == 0, bottom = !top && line + 1 == c->lines;
    if (c->share && (top || bottom))
        snprintf(text, sizeof text, "%.0f %%", 100 * (top ? picture->high : picture->low));
    else if (top || bottom)
        number_short(top ? picture->high : picture->low, 9, text);
    fprintf(out, "%10s %s", text, style.utf8 ? "│" : "|");
}

/* From 0 to the largest value, or to 100 %; the places are all steps that the run is to have. */
static void print_picture(const as_run *run, const curve *c, FILE *out, report_style style) {
    double high = c->share ? 1 : 0, first = (double)run->history[0].step;
    double last =
        fmax((double)run_steps_meant(run), (double)run->history[run->point_count - 1].step);
    for (size_t i = 0; i < run->point_count; i++)
        if (isfinite(number_of(&run->history[i], c)))
            high = fmax(high, number_of(&run->history[i], c));
    chart picture = chart_of(first, last, 0, high);
    for (size_t i = 0; i < run->point_count; i++)
        chart_add(&picture, (double)run->history[i].step, number_of(&run->history[i], c));
    chart_close(&picture);
    cells_fence(true, out, style);
    for (size_t line = 0; line < c->lines; line++) {
        print_scale(c, &picture, line, out, style);
        chart_line(&picture, line, c->lines, out, style.utf8);
        fputc('\n', out);
    }
    if (c->lines > 1)
        fprintf(out, "%12s%-*.0f%*.0f\n", "", CHART_WIDTH / 2, first, CHART_WIDTH / 2, last);
    cells_fence(false, out, style);
}

static void print_history(const as_run *run, FILE *out, report_style style) {
    static const cell_column table[] = {
        {"", "step", 10, NULL},         {"", "loss", 11, NULL},
        {"", "accuracy", 11, NULL},     {"test", "loss", 11, NULL},
        {"test", "accuracy", 11, NULL}, {"learning", "rate", 11, NULL},
        {"gradient", "norm", 11, NULL},
    };
    cell_row row = {0};
    fputc('\n', out);
    cells_head(table, CURVES + 1, out, style);
    for (size_t i = 0; i < run->point_count; i++) {
        cells_add(&row, "%" PRIu64, run->history[i].step);
        for (size_t k = 0; k < CURVES; k++)
            cells_add_short(&row, number_of(&run->history[i], &curves[k]), 10, style);
        cells_print(&row, table, out, style);
    }
}

void run_print_curves(const as_run *run, FILE *out, report_style style) {
    char text[SENTENCE], a[NUMBER_TEXT], b[NUMBER_TEXT];
    cells_title("Training", out, style);
    if (run->point_count == 0)
        summary_say(out, style, 1, "No history: nothing was trained yet.");
    for (size_t k = 0; k < CURVES; k++) {
        const curve *c = &curves[k];
        size_t first = 0, last = 0;
        if (c->lines == 0 || !ends_of(run, c, &first, &last))
            continue;
        snprintf(text, sizeof text, "%c%s: %s at step %" PRIu64, c->name[0] - 'a' + 'A',
                 c->name + 1, value_text(c, number_of(&run->history[first], c), a),
                 run->history[first].step);
        if (last > first)
            snprintf(text + strlen(text), sizeof text - strlen(text), ", %s at step %" PRIu64,
                     value_text(c, number_of(&run->history[last], c), b), run->history[last].step);
        snprintf(text + strlen(text), sizeof text - strlen(text), ".");
        summary_say(out, style, 1, text);
        if (last > first)
            print_picture(run, c, out, style);
    }
    if (style.values && run->point_count > 0)
        print_history(run, out, style);
}

void run_print(const as_run *run, const char *path, FILE *out, report_style style) {
    print_head(run, path, out, style);
    print_result(run, out, style);
    run_print_curves(run, out, style);
    run_print_spectra(run, out, style);
    run_print_ablation(run, path, out, style);
}
