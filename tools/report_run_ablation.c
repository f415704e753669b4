/* The heads of a run taken away one at a time, for people: what each costs, and how much hangs on one.
 * It refuses to call a drop one that the test set cannot tell from 0. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cells.h"
#include "report_run.h"
#include "report_summary.h"
#include "text.h"

#define SENTENCE 900

/* Points of a hundred; "[–0.12, 0.34]" */
static void add_drop(cell_row *row, double drop, double low, double high, report_style style) {
    if (isnan(drop))
        cells_add(row, "%s", cells_dash(style));
    else
        cells_add(row, "%.2f", 100 * drop);
    if (isnan(low) || isnan(high))
        cells_add(row, "%s", cells_dash(style));
    else
        cells_add(row, "[%.2f, %.2f]", 100 * low, 100 * high);
}

static const char *mark_of_worst(report_style style) {
    return style.utf8 ? "◀" : "<";
}

static bool is_worst(const as_run_ablation *a, const as_run_head *head) {
    for (size_t i = 0; i < a->layer_count; i++)
        if (a->deposit[i].layer == head->layer && a->deposit[i].worst_head == head->head)
            return a->deposit[i].worst_drop > 0;
    return false;
}

static void print_heads(const as_run_ablation *a, FILE *out, report_style style) {
    static const cell_column columns[] = {
        {"", "layer", 5, NULL},
        {"", "head", 5, NULL},
        {"", "", 3, "worst of its layer"},
        {"set to zero:", "accuracy", 13, "accuracy, set to zero"},
        {"", "drop", 8, "drop"},
        {"", "interval", 18, "interval"},
        {"its mean:", "drop", 10, "drop, set to its mean"},
        {"", "interval", 18, "interval"},
    };
    cell_row row = {0};
    cells_head(columns, sizeof columns / sizeof *columns, out, style);
    for (size_t i = 0; i < a->head_count; i++) {
        const as_run_head *h = &a->head[i];
        cells_add(&row, "%" PRIu64, h->layer);
        cells_add(&row, "%" PRIu64, h->head);
        cells_add(&row, "%s", is_worst(a, h) ? mark_of_worst(style) : "");
        cells_add_number(&row, 100 * h->accuracy, 2, style);
        add_drop(&row, h->drop, h->low, h->high, style);
        add_drop(&row, h->mean_drop, h->mean_low, h->mean_high, style);
        cells_print(&row, columns, out, style);
    }
    fputc('\n', out);
}

static void print_deposit(const as_run_ablation *a, FILE *out, report_style style) {
    static const cell_column columns[] = {
        {"", "layer", 5, NULL},          {"deposit", "index", 9, NULL},
        {"worst", "head", 7, NULL},      {"its", "drop", 8, NULL},
        {"second", "drop", 8, NULL},     {"max -", "second", 8, NULL},
        {"index by", "means", 10, NULL},
    };
    cell_row row = {0};
    cells_head(columns, sizeof columns / sizeof *columns, out, style);
    for (size_t i = 0; i < a->layer_count; i++) {
        const as_run_deposit *d = &a->deposit[i];
        cells_add(&row, "%" PRIu64, d->layer);
        cells_add_number(&row, d->index, 3, style);
        cells_add(&row, "%" PRIu64, d->worst_head);
        cells_add_number(&row, 100 * d->worst_drop, 2, style);
        cells_add_number(&row, 100 * d->second_drop, 2, style);
        cells_add_number(&row, 100 * (d->worst_drop - d->second_drop), 2, style);
        cells_add_number(&row, d->mean_index, 3, style);
        cells_print(&row, columns, out, style);
    }
    fputc('\n', out);
}

/* ---- What is true of it ------------------------------------------------------------------------ */

/* The head of the largest drop, of those whose interval is above 0 if there are any, as a larger drop may be less
 * certain; NULL where no drop exists. How many differ from 0, up and down. */
typedef struct verdict {
    const as_run_head *worst;
    size_t cost, gain;
} verdict;

static verdict judge(const as_run_ablation *a) {
    verdict v = {0};
    for (size_t i = 0; i < a->head_count; i++) {
        const as_run_head *h = &a->head[i];
        bool above = h->low > 0, first = above && v.cost == 0;
        v.cost += above ? 1 : 0;
        v.gain += h->high < 0 ? 1 : 0;
        if (isnan(h->drop) || (v.cost > 0 && !above))
            continue;
        if (v.worst == NULL || first || h->drop > v.worst->drop)
            v.worst = h;
    }
    return v;
}

static void say_verdict(const as_run_ablation *a, FILE *out, report_style style) {
    char text[SENTENCE], named[256] = "";
    verdict v = judge(a);
    if (v.worst == NULL) {
        summary_say(out, style, 1, "No head has a drop.");
        return;
    }
    size_t used =
        (size_t)snprintf(named, sizeof named, "head %" PRIu64 " of layer %" PRIu64 ": %.2f points",
                         v.worst->head, v.worst->layer, 100 * v.worst->drop);
    if (!isnan(v.worst->low) && !isnan(v.worst->high))
        snprintf(named + used, sizeof named - used, ", 95 %% interval %.2f to %.2f",
                 100 * v.worst->low, 100 * v.worst->high);
    if (v.cost > 0)
        snprintf(text, sizeof text, "The largest drop whose interval is above 0 is that of %s.",
                 named);
    else
        snprintf(text, sizeof text, "%s by this test set: the largest is that of %s.",
                 v.gain > 0 ? "No head's drop is above 0" : "No head's drop differs from 0", named);
    if (v.cost + v.gain > 0)
        snprintf(text + strlen(text), sizeof text - strlen(text),
                 " The intervals of %zu of %zu heads are above 0, and of %zu below.", v.cost,
                 a->head_count, v.gain);
    summary_say(out, style, 1, text);
    if (a->head_count > 1)
        summary_say(out, style, 1,
                    "Each interval is that of one head alone: it is not widened for the choice of "
                    "the worst of several.");
}

static void say_not_done(const as_run *run, const char *path, FILE *out, report_style style) {
    char text[SENTENCE], name[512];
    text_clean(name, sizeof name, path);
    if (!run->finished)
        snprintf(text, sizeof text, "Not ablated: the training is not at its end.");
    else if (path == NULL)
        snprintf(text, sizeof text, "Not ablated: no run was written; train -o FILE writes one.");
    else
        snprintf(text, sizeof text, "Not ablated yet: attnspec ablate %s", name);
    summary_say(out, style, 1, text);
}

void run_print_ablation(const as_run *run, const char *path, FILE *out, report_style style) {
    const as_run_ablation *a = &run->ablation;
    char text[SENTENCE];
    cells_title("Ablation", out, style);
    if (a->head_count == 0) {
        say_not_done(run, path, out, style);
        return;
    }
    snprintf(text, sizeof text,
             "%.2f %% of %" PRIu64 " answers are right with all heads. A drop is what is lost "
             "without a head, in points, with its 95 %% interval.",
             100 * a->baseline, a->answers);
    summary_say(out, style, 1, text);
    fputc('\n', out);
    print_heads(a, out, style);
    print_deposit(a, out, style);
    snprintf(text, sizeof text,
             "%s: the largest drop of its layer. Deposit index: that over the sum of the layer's "
             "positive drops; 1 where all hangs on one head.",
             mark_of_worst(style));
    summary_say(out, style, 1, text);
    say_verdict(a, out, style);
}
