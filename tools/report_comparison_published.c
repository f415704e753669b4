/* What Gu et al. 2025 (arXiv 2505.13027) publish, and whether it reproduces in trials of ours.
 * It refuses a verdict where a scheme was not trained, seeds are too few or ranges overlap: that cannot be said. */
#include <math.h>
#include <string.h>

#include "number.h"
#include "report_comparison.h"

/* Test accuracies of the paper; the names of its rows for the claims below. */
enum { ROPE, MLA, ABSOLUTE, NOPE, ALIBI };
const published_row published[PUBLISHED_ROWS] = {
    [ROPE] = {.label = "rope", .name = "rope", .without = "rotary_", .accuracy = {0.9264, 0.6943}},
    [MLA] = {.label = "mla", .name = "mla", .accuracy = {0.8834, 0.9741}},
    [ABSOLUTE] = {.label = "sinusoidal (absolute)",
                  .name = "sinusoidal",
                  .accuracy = {NAN, NAN},
                  .said = {"second", "middle"}},
    [NOPE] = {.label = "nope", .name = "nope", .accuracy = {NAN, 0.7769}, .said = {"fails", NULL}},
    [ALIBI] = {.label = "alibi",
               .name = "alibi",
               .rather = "slopes=gu2025",
               .accuracy = {NAN, NAN},
               .said = {"fails", "worst"}},
    {.label = "rope on 1 head",
     .name = "rope",
     .with = "rotary_heads=1",
     .accuracy = {NAN, NAN},
     .said = {"about 90", NULL}},
};

const char *published_task_name(published_task task) {
    static const char *const names[PUBLISHED_TASKS] = {"distance", "count"};
    return names[task];
}

size_t published_find_task(const trial_table *table, published_task task) {
    size_t at = 0;
    while (at < table->tasks && !trial_has_name(table->task[at], published_task_name(task)))
        at++;
    return at;
}

size_t published_find_scheme(const trial_table *table, const published_row *row, size_t task) {
    size_t found = table->schemes;
    for (size_t i = 0; i < table->schemes && task < table->tasks; i++) {
        const char *text = table->scheme[i];
        if (!trial_has_name(text, row->name) || trial_cell_of(table, i, task)->seeds == 0 ||
            (row->with != NULL && !trial_has_parameter(text, row->with)) ||
            (row->without != NULL && trial_has_parameter(text, row->without)))
            continue;
        bool better = row->rather != NULL && trial_has_parameter(text, row->rather);
        if (found == table->schemes || better)
            found = i;
        if (better)
            break;
    }
    return found;
}

/* ---- Claims ------------------------------------------------------------------------------------ */

typedef enum claim_kind { IN_ORDER, LEARN, FAIL } claim_kind;
#define CLAIM_PAIRS 4
typedef struct published_claim {
    const char *text;
    published_task task;
    claim_kind kind;
    size_t pairs;
    /* In order: the first is above the second. Else the first alone counts. */
    int pair[CLAIM_PAIRS][2];
} published_claim;

static const published_claim claims[] = {
    {"distance: rope is best",
     ON_DISTANCE,
     IN_ORDER,
     4,
     {{ROPE, MLA}, {ROPE, ABSOLUTE}, {ROPE, NOPE}, {ROPE, ALIBI}}},
    {"distance: absolute and mla learn it", ON_DISTANCE, LEARN, 2, {{ABSOLUTE}, {MLA}}},
    {"distance: nope fails", ON_DISTANCE, FAIL, 1, {{NOPE}}},
    {"distance: alibi fails", ON_DISTANCE, FAIL, 1, {{ALIBI}}},
    {"count: mla is above nope, and nope above rope",
     ON_COUNT,
     IN_ORDER,
     2,
     {{MLA, NOPE}, {NOPE, ROPE}}},
    {"count: alibi is worst",
     ON_COUNT,
     IN_ORDER,
     4,
     {{MLA, ALIBI}, {NOPE, ALIBI}, {ROPE, ALIBI}, {ABSOLUTE, ALIBI}}},
};

const char *claim_word(claim_verdict verdict) {
    static const char *const words[] = {"reproduces", "does not reproduce", "cannot be said"};
    return words[verdict];
}

/* Of a claim's sentence, with room for what stands between them. */
enum { HALF = CLAIM_TEXT / 2 - 1 };

/* A claim while it is judged. */
typedef struct judge {
    const trial_table *table;
    const published_claim *claim;
    size_t task;
    report_style style;
    size_t scheme[PUBLISHED_ROWS]; /* of ours, for each row; schemes of the table: not trained */
    char numbers[HALF], why[HALF];
} judge;

static void append(char *text, const char *sign, const char *more) {
    size_t used = strlen(text), size = HALF;
    snprintf(text + used, size - used, "%s%s", used == 0 ? "" : sign, more);
}

static const trial_cell *cell_of(const judge *j, int row) {
    return j->scheme[row] < j->table->schemes ? trial_cell_of(j->table, j->scheme[row], j->task)
                                              : NULL;
}

/* "rope 92.64 % [92.10–93.20]", with the number of seeds where it is not the same for all. */
static void add_numbers(judge *j, int row, size_t seeds) {
    char text[400];
    const trial_cell *c = cell_of(j, row);
    size_t used = (size_t)snprintf(text, sizeof text, "%.120s %.2f %%",
                                   j->table->scheme[j->scheme[row]], 100 * c->mean);
    if (c->seeds > 1)
        used += (size_t)snprintf(text + used, sizeof text - used, " [%.2f%s%.2f]", 100 * c->min,
                                 j->style.utf8 ? "–" : "-", 100 * c->max);
    if (seeds == 0)
        snprintf(text + used, sizeof text - used, " of %zu %s", c->seeds,
                 c->seeds == 1 ? "seed" : "seeds");
    append(j->numbers, ", ", text);
}

/* The rows of the paper that a claim is about, in its order, each once; returns how many. */
static size_t rows_of(const published_claim *claim, int row[PUBLISHED_ROWS]) {
    size_t count = 0;
    for (size_t p = 0; p < claim->pairs; p++)
        for (int side = 0; side < (claim->kind == IN_ORDER ? 2 : 1); side++) {
            size_t at = 0;
            while (at < count && row[at] != claim->pair[p][side])
                at++;
            row[at] = claim->pair[p][side];
            count += at == count ? 1 : 0;
        }
    return count;
}

/* Every scheme of the claim: its numbers, or that it was not trained. Returns how many were not. */
static size_t list_schemes(judge *j) {
    int row[PUBLISHED_ROWS];
    size_t count = rows_of(j->claim, row), missing = 0, seeds = 0;
    bool same = true;
    for (size_t i = 0; i < count; i++) {
        const trial_cell *c = cell_of(j, row[i]);
        same = same && (c == NULL || seeds == 0 || c->seeds == seeds);
        seeds = c != NULL ? c->seeds : seeds;
    }
    for (size_t i = 0; i < count; i++) {
        char text[80];
        if (cell_of(j, row[i]) != NULL) {
            add_numbers(j, row[i], same ? seeds : 0);
            continue;
        }
        snprintf(text, sizeof text, "%s was not trained", published[row[i]].label);
        append(j->why, "; ", text);
        missing++;
    }
    if (same && seeds > 0) {
        char text[40];
        snprintf(text, sizeof text, "(%zu %s%s)", seeds, seeds == 1 ? "seed" : "seeds",
                 count - missing > 1 ? " each" : "");
        append(j->numbers, " ", text);
    }
    return missing;
}

/* What stands against an order: one pair the other way round is enough. */
static claim_verdict judge_order(judge *j, size_t missing) {
    size_t against = 0, open = missing;
    for (size_t p = 0; p < j->claim->pairs; p++) {
        const int *rows = j->claim->pair[p];
        const trial_cell *better = cell_of(j, rows[0]), *worse = cell_of(j, rows[1]);
        char text[160] = "";
        if (better == NULL || worse == NULL)
            continue;
        bool enough = better->seeds >= SEEDS_NEEDED && worse->seeds >= SEEDS_NEEDED;
        if (enough && better->low > worse->high)
            continue;
        if (!enough) {
            snprintf(text, sizeof text, "%s and %s were not trained with %d seeds each",
                     published[rows[0]].label, published[rows[1]].label, SEEDS_NEEDED);
            open++;
        } else if (worse->low > better->high) {
            snprintf(text, sizeof text, "%s is above %s", published[rows[1]].label,
                     published[rows[0]].label);
            against++;
        } else {
            bool seeds = better->min <= worse->max && worse->min <= better->max;
            snprintf(text, sizeof text, "the ranges of %s and %s overlap%s",
                     published[rows[0]].label, published[rows[1]].label,
                     seeds ? "" : " by the error of the test set");
            open++;
        }
        append(j->why, "; ", text);
    }
    return against > 0 ? CLAIM_DOES_NOT : open > 0 ? CLAIM_UNSAID : CLAIM_REPRODUCES;
}

/* How a scheme stands to the plateau; `why` says it, or what is lacking for that. */
typedef enum standing { LEARNS, FAILS, UNSETTLED } standing;
static standing stand(const judge *j, int row, char why[240]) {
    enum { SIZE = 240 };
    const trial_table *t = j->table;
    const trial_cell *c = cell_of(j, row);
    const char *label = published[row].label;
    double plateau = 100 * t->plateau[j->task], margin = 100 * PLATEAU_MARGIN;
    bool enough = c->seeds >= SEEDS_NEEDED;
    if (isnan(plateau))
        snprintf(why, SIZE, "the plateau is not known");
    else if (t->answers == 0)
        snprintf(why, SIZE, "the size of the test set is not known");
    else if (!enough)
        snprintf(why, SIZE, "%s was trained with one seed", label);
    else if (c->clear == c->seeds)
        snprintf(why, SIZE, "%s is above the plateau of %.2f %%", label, plateau);
    else if (trial_fails(t, j->scheme[row], j->task))
        snprintf(why, SIZE, "%s is within %.0f points of the plateau of %.2f %%", label, margin,
                 plateau);
    else if (c->near == c->seeds)
        snprintf(
            why, SIZE,
            "%s is within %.0f points of the plateau of %.2f %%, but no scheme here is clearly "
            "above it",
            label, margin, plateau);
    else if (c->at_plateau == 0)
        snprintf(why, SIZE, "%s is not %.0f points above the plateau of %.2f %% with every seed",
                 label, margin, plateau);
    else
        snprintf(
            why, SIZE,
            "%s cannot be told from the plateau of %.2f %% with %zu of %zu seeds, and is within "
            "%.0f points of it with %zu",
            label, plateau, c->at_plateau, c->seeds, margin, c->near);
    if (enough && c->clear == c->seeds)
        return LEARNS;
    return trial_fails(t, j->scheme[row], j->task) ? FAILS : UNSETTLED;
}

/* Whether all seeds of a scheme are clear of the plateau, or all stay at it. */
static claim_verdict judge_plateau(judge *j, size_t missing) {
    standing claimed = j->claim->kind == FAIL ? FAILS : LEARNS;
    size_t against = 0, open = missing;
    for (size_t p = 0; p < j->claim->pairs; p++) {
        char why[240];
        int row = j->claim->pair[p][0];
        if (cell_of(j, row) == NULL)
            continue;
        standing found = stand(j, row, why);
        open += found == UNSETTLED ? 1 : 0;
        against += found != UNSETTLED && found != claimed ? 1 : 0;
        append(j->why, "; ", why);
    }
    return against > 0 ? CLAIM_DOES_NOT : open > 0 ? CLAIM_UNSAID : CLAIM_REPRODUCES;
}

bool claim_judge(const trial_table *table, size_t index, report_style style, claim_result *out) {
    if (index >= sizeof claims / sizeof *claims)
        return false;
    judge j = {.table = table, .claim = &claims[index], .style = style};
    *out = (claim_result){.claim = j.claim->text, .verdict = CLAIM_UNSAID};
    j.task = published_find_task(table, j.claim->task);
    if (j.task == table->tasks) {
        snprintf(out->sentence, sizeof out->sentence, "no scheme was trained on %s",
                 published_task_name(j.claim->task));
        return true;
    }
    for (size_t row = 0; row < PUBLISHED_ROWS; row++)
        j.scheme[row] = published_find_scheme(table, &published[row], j.task);
    size_t missing = list_schemes(&j);
    out->verdict =
        j.claim->kind == IN_ORDER ? judge_order(&j, missing) : judge_plateau(&j, missing);
    snprintf(out->sentence, sizeof out->sentence, "%s%s%s", j.numbers,
             *j.numbers == '\0' || *j.why == '\0' ? "" : "; ", j.why);
    return true;
}
