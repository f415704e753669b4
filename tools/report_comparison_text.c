/* A comparison for people: schemes and tasks, beside what was published, and what of that reproduces.
 * It refuses to print a number that does not exist: that is a dash. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "cells.h"
#include "report_comparison.h"
#include "report_summary.h"
#include "share.h"
#include "text.h"

#define PAPER    "Gu et al. 2025 (arXiv 2505.13027)"
#define WORDS    400
#define SENTENCE (CLAIM_TEXT + 200)

/* Tasks side by side in 80 columns, and the columns of each. */
enum { SIDE_BY_SIDE = 2, PER_TASK = 4, NAMES = 16 };

/* "distance", or "distance 2" for the second task of that name. */
static const char *task_label(const trial_table *t, size_t task, char text[WORDS]) {
    char name[WORDS];
    size_t before = 0;
    text_clean(name, sizeof name, t->task[task]);
    name[strcspn(name, ":")] = '\0';
    for (size_t i = 0; i < task; i++)
        before += trial_has_name(t->task[i], name) ? 1 : 0;
    if (before == 0)
        snprintf(text, WORDS, "%s", name);
    else
        snprintf(text, WORDS, "%.300s %zu", name, before + 1);
    return text;
}

static void print_head(const trial_table *t, const char *path, FILE *out, report_style style) {
    char label[WORDS], task[WORDS], text[SENTENCE];
    const as_comparison *c = t->of;
    cells_name(path, out, style);
    snprintf(text, sizeof text,
             "Preset %.40s, profile %.40s: T = %.24s positions, V = %.24s tokens, width d = %.24s, "
             "H = %.24s heads, L = %.24s layers; %.24s steps of %.24s samples.",
             comparison_word(c, "preset"), comparison_word(c, "profile"), comparison_word(c, "n"),
             comparison_word(c, "vocab"), comparison_word(c, "dim"), comparison_word(c, "heads"),
             comparison_word(c, "layers"), comparison_word(c, "steps"),
             comparison_word(c, "batch"));
    summary_say(out, style, 1, text);
    if (!c->finished) {
        snprintf(text, sizeof text, "Not finished: %zu %s so far.", c->count,
                 c->count == 1 ? "trial" : "trials");
        summary_say(out, style, 1, text);
    }
    for (size_t i = 0; i < t->tasks; i++) {
        snprintf(text, sizeof text, "Task %s: %s.", task_label(t, i, label),
                 text_clean(task, sizeof task, t->task[i]));
        summary_say(out, style, 1, text);
    }
}

/* ---- Schemes and tasks ------------------------------------------------------------------------- */

/* The columns of a block of tasks; `labels` has the room for their names. */
static size_t block_columns(const trial_table *t, size_t first, size_t count, report_style style,
                            char labels[SIDE_BY_SIDE][WORDS + 16],
                            cell_column column[1 + SIDE_BY_SIDE * PER_TASK]) {
    char name[WORDS];
    size_t used = 0;
    column[used++] = (cell_column){"", "scheme", -NAMES, NULL};
    for (size_t i = 0; i < count; i++) {
        snprintf(labels[i], WORDS + 16, "%s%s", task_label(t, first + i, name),
                 style.markdown ? ": mean" : "");
        column[used++] = (cell_column){"", "mean", 7, labels[i]};
        column[used++] =
            (cell_column){labels[i], style.utf8 ? "[min–max]" : "[min-max]", 14, "[min–max]"};
        column[used++] = (cell_column){"", "n", 3, "seeds"};
        column[used++] = (cell_column){"", "", 8, "at the plateau"};
    }
    return used;
}

/* "fails", "2 at it", or nothing where all seeds are above the plateau. */
#define MARK 32
static const char *mark_of(const trial_table *t, size_t scheme, size_t task, char text[MARK]) {
    const trial_cell *c = trial_cell_of(t, scheme, task);
    if (trial_fails(t, scheme, task))
        snprintf(text, MARK, "fails");
    else if (c->at_plateau > 0)
        snprintf(text, MARK, "%zu at it", c->at_plateau);
    else
        *text = '\0';
    return text;
}

static void add_cell(cell_row *row, const trial_table *t, size_t scheme, size_t task,
                     report_style style) {
    char mark[MARK];
    const trial_cell *c = trial_cell_of(t, scheme, task);
    cells_add_number(row, 100 * c->mean, 2, style);
    if (c->seeds == 0)
        cells_add(row, "%s", cells_dash(style));
    else
        cells_add(row, "[%.1f%s%.1f]", 100 * c->min, style.utf8 ? "–" : "-", 100 * c->max);
    cells_add(row, "%zu", c->seeds);
    cells_add(row, "%s", mark_of(t, scheme, task, mark));
}

static void print_block(const trial_table *t, size_t first, FILE *out, report_style style) {
    char labels[SIDE_BY_SIDE][WORDS + 16], name[CELL_TEXT];
    cell_column column[1 + SIDE_BY_SIDE * PER_TASK];
    cell_row row = {0};
    size_t count = t->tasks - first < SIDE_BY_SIDE ? t->tasks - first : SIDE_BY_SIDE;
    size_t used = block_columns(t, first, count, style, labels, column);
    if (first > 0)
        fputc('\n', out);
    cells_head(column, used, out, style);
    for (size_t s = 0; s < t->schemes; s++) {
        size_t seeds = 0;
        for (size_t i = 0; i < count; i++)
            seeds += trial_cell_of(t, s, first + i)->seeds;
        if (seeds == 0)
            continue;
        cells_add(&row, "%s", text_clean(name, sizeof name, t->scheme[s]));
        for (size_t i = 0; i < count; i++)
            add_cell(&row, t, s, first + i, style);
        cells_print(&row, column, out, style);
    }
    cells_add(&row, "plateau");
    for (size_t i = 0; i < count; i++) {
        cells_add_number(&row, 100 * t->plateau[first + i], 2, style);
        for (size_t k = 1; k < PER_TASK; k++)
            cells_add(&row, "%s", "");
    }
    cells_print(&row, column, out, style);
}

static void print_cells(const trial_table *t, FILE *out, report_style style) {
    char text[SENTENCE];
    cells_title("Test accuracy", out, style);
    for (size_t first = 0; first < t->tasks; first += SIDE_BY_SIDE)
        print_block(t, first, out, style);
    fputc('\n', out);
    size_t used = (size_t)snprintf(text, sizeof text,
                                   "Per cent, n seeds. Plateau: what is right " PLATEAU_OF_ANY
                                   "; a seed is at it that ");
    if (t->answers > 0)
        snprintf(text + used, sizeof text - used,
                 "%" PRIu64
                 " test samples cannot tell from it (95 %% Wilson interval). A scheme fails "
                 "where %d seeds or more all stay within %.0f points of it and another scheme is "
                 "clearly above.",
                 t->answers, SEEDS_NEEDED, 100 * PLATEAU_MARGIN);
    else
        snprintf(text + used, sizeof text - used,
                 "is not above it. How large the test set was is not known: no scheme is said to "
                 "fail.");
    summary_say(out, style, 1, text);
}

static void print_trials(const trial_table *t, FILE *out, report_style style) {
    static const cell_column column[] = {
        {"", "scheme", -24, NULL},
        {"", "task", 14, NULL},
        {"", "seed", 6, NULL},
        {"", "steps", 9, NULL},
        {"accuracy", "%", 9, NULL},
        {"", "loss", 9, NULL},
        {"samples", "/s", 9, "samples/s"},
    };
    char name[CELL_TEXT], label[WORDS];
    cell_row row = {0};
    cells_title("Trials", out, style);
    cells_head(column, sizeof column / sizeof *column, out, style);
    for (size_t i = 0; i < t->of->count; i++) {
        const as_trial_row *r = &t->of->row[i];
        size_t task = 0;
        while (strcmp(t->task[task], r->task) != 0)
            task++;
        cells_add(&row, "%s", text_clean(name, sizeof name, r->scheme));
        cells_add(&row, "%s", task_label(t, task, label));
        cells_add(&row, "%" PRIu64, r->seed);
        cells_add(&row, "%" PRIu64, r->steps);
        cells_add_number(&row, 100 * r->accuracy, 2, style);
        cells_add_short(&row, r->loss, 8, style);
        cells_add_number(&row, r->samples_per_second, 0, style);
        cells_print(&row, column, out, style);
    }
}

/* ---- Beside the published table ---------------------------------------------------------------- */

static void add_published(cell_row *row, const published_row *p, published_task task,
                          report_style style) {
    if (p->said[task] != NULL)
        cells_add(row, "%s", p->said[task]);
    else
        cells_add_number(row, 100 * p->accuracy[task], 2, style);
}

static void add_measured(cell_row *row, const trial_table *t, const published_row *p,
                         published_task task, report_style style) {
    size_t ours = published_find_task(t, task), scheme = published_find_scheme(t, p, ours);
    if (scheme == t->schemes) {
        cells_add(row, "%s", cells_dash(style));
        return;
    }
    const trial_cell *c = trial_cell_of(t, scheme, ours);
    char mark[MARK];
    mark_of(t, scheme, ours, mark);
    cells_add(row, "%s%s%.2f", mark, *mark == '\0' ? "" : ": ", 100 * c->mean);
}

/* Whether the sizes are those of the paper. */
static bool same_sizes(const as_comparison *c) {
    static const char *const sizes[][2] = {
        {"layers", "6"}, {"heads", "16"}, {"dim", "256"}, {"n", "128"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (strcmp(comparison_word(c, sizes[i][0]), sizes[i][1]) != 0)
            return false;
    return true;
}

static void say_sizes(const as_comparison *c, FILE *out, report_style style) {
    char text[SENTENCE];
    snprintf(text, sizeof text,
             "Sizes: the paper's models have 6 layers of 16 heads, width 256, T = 128 and 100 "
             "epochs; those here %.24s layers of %.24s heads, width %.24s, T = %.24s and %.24s "
             "steps of %.24s samples. %s",
             comparison_word(c, "layers"), comparison_word(c, "heads"), comparison_word(c, "dim"),
             comparison_word(c, "n"), comparison_word(c, "steps"), comparison_word(c, "batch"),
             same_sizes(c)
                 ? "The sizes agree; how long was trained may differ."
                 : "They differ, so that a difference of accuracy is no refutation of the paper.");
    summary_say(out, style, 1, text);
    if (strcmp(comparison_word(c, "sinusoids"), "yes") == 0)
        summary_say(out, style, 1,
                    "Every scheme had sinusoids in its embeddings too (sinusoids = yes): nope is "
                    "not without position here.");
}

static void print_published(const trial_table *t, FILE *out, report_style style) {
    static const cell_column column[] = {
        {"", "scheme", -24, NULL},
        {"distance:", "published", 13, "distance: published"},
        {"", "measured", 15, "distance: measured"},
        {"count:", "published", 13, "count: published"},
        {"", "measured", 15, "count: measured"},
    };
    cell_row row = {0};
    cells_title("Beside the table of " PAPER, out, style);
    cells_head(column, sizeof column / sizeof *column, out, style);
    for (size_t i = 0; i < PUBLISHED_ROWS; i++) {
        cells_add(&row, "%s", published[i].label);
        for (published_task task = 0; task < PUBLISHED_TASKS; task++) {
            add_published(&row, &published[i], task, style);
            add_measured(&row, t, &published[i], task, style);
        }
        cells_print(&row, column, out, style);
    }
    fputc('\n', out);
    say_sizes(t->of, out, style);
}

static void print_claims(const trial_table *t, FILE *out, report_style style) {
    static claim_result claim; /* large, and one report is written at a time */
    char text[SENTENCE];
    cells_title("What of it reproduces", out, style);
    for (size_t i = 0; claim_judge(t, i, style, &claim); i++) {
        const char *word = claim_word(claim.verdict);
        snprintf(text, sizeof text, "%zu. %s. %c%s: %s.", i + 1, claim.claim,
                 (char)(word[0] - 'a' + 'A'), word + 1, claim.sentence);
        summary_say(out, style, 1, text);
    }
    summary_say(
        out, style, 1,
        "Claims are of the schemes of that table alone. Ranges are over seeds; an order is "
        "said only where there are two each and they are apart with the error of the test set "
        "added.");
}

void comparison_print(const trial_table *table, const char *path, FILE *out, report_style style) {
    print_head(table, path, out, style);
    if (table->tasks > 0)
        print_cells(table, out, style);
    if (style.values && table->tasks > 0)
        print_trials(table, out, style);
    if (published_find_task(table, ON_DISTANCE) < table->tasks ||
        published_find_task(table, ON_COUNT) < table->tasks) {
        print_published(table, out, style);
        print_claims(table, out, style);
    } else {
        summary_say(out, style, 1,
                    "Nothing stands beside the table of " PAPER
                    ": no scheme was trained on distance or count.");
    }
}
