/* report_steps: what changes along a training run whose steps are files.
 * It refuses heads that are not there in the first and in the last step: they have no change. */
#define _POSIX_C_SOURCE 200809L /* strdup, strncasecmp */
#include "report_steps.h"

#include <ctype.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "message.h"
#include "number.h"
#include "report_group.h"
#include "report_summary.h"
#include "report_text.h"
#include "text.h"

/* Longer ones first: "iteration" before "iter". */
static const char *const words[] = {"checkpoint", "iteration", "epoch", "steps",
                                    "step",       "ckpt",      "iter",  NULL};

/* Where the number of the step stands in a path; begin = end: nowhere. */
typedef struct step_place {
    size_t begin, end;
    uint64_t step;
} step_place;

/* The number of a word at text: word in any case, one of _-=. or nothing, digits that end there, with k
 * or M for thousands and millions. 1.5 and 1e3 are no steps. Bytes of the number, 0 where there is none. */
static size_t number_after(const char *text, const char *word, size_t *skipped, uint64_t *number) {
    size_t length = strlen(word), digits;
    if (strncasecmp(text, word, length) != 0)
        return 0;
    length += text[length] != '\0' && strchr("_-=.", text[length]) != NULL;
    text += length;
    digits = strspn(text, "0123456789");
    if (digits == 0 || digits > 12)
        return 0;
    *number = strtoull(text, NULL, 10);
    *skipped = length;
    char unit = text[digits];
    uint64_t factor = unit == 'k' || unit == 'K' ? 1000 : unit == 'M' ? 1000000 : 1;
    size_t end = digits + (factor > 1);
    bool decimal = text[end] == '.' && isdigit((unsigned char)text[end + 1]);
    if (isalnum((unsigned char)text[end]) || decimal)
        return 0;
    *number *= factor;
    return end;
}

/* The last one counts: the file's own name says more than its folder's. */
static step_place find_step(const char *source) {
    step_place found = {0, 0, 0};
    for (const char *at = source; at != NULL && *at != '\0'; at++) {
        if (at > source && isalpha((unsigned char)at[-1]))
            continue;
        for (const char *const *word = words; *word != NULL; word++) {
            size_t skipped = 0;
            uint64_t number;
            size_t length = number_after(at, *word, &skipped, &number);
            if (length > 0) {
                size_t begin = (size_t)(at - source) + skipped;
                found = (step_place){begin, begin + length, number};
                break;
            }
        }
    }
    return found;
}

bool report_step_of(const char *source, uint64_t *step) {
    step_place place = find_step(source == NULL ? "" : source);
    if (place.end > place.begin)
        *step = place.step;
    return place.end > place.begin;
}

/* A head at one step of one run. */
typedef struct spot {
    char *run; /* source without its step, scheme, content and seed: what is the same along a run */
    char *tensor;
    uint64_t layer, batch, head, step;
    double value;
} spot;

typedef struct spots {
    spot *item;
    size_t count, room;
    uint64_t first, last;
} spots;

static void spots_free(spots *all) {
    for (size_t i = 0; i < all->count; i++) {
        free(all->item[i].run);
        free(all->item[i].tensor);
    }
    free(all->item);
}

/* What names a run, owned: the path without the number of the step. */
static char *run_of(const as_row *row) {
    const char *scheme = row->scheme == NULL ? "" : row->scheme;
    const char *content = row->content == NULL ? "" : row->content;
    step_place place = find_step(row->source);
    size_t size = strlen(row->source) + strlen(scheme) + strlen(content) + 40;
    char *text = malloc(size);
    if (text != NULL)
        snprintf(text, size, "%.*s*%s %s %s %" PRIu64, (int)place.begin, row->source,
                 row->source + place.end, scheme, content, row->has_seed ? row->seed : 0);
    return text;
}

static as_status add_spot(spots *all, const as_row *row, uint64_t step) {
    if (all->count == all->room) {
        size_t room = 2 * all->room + 64;
        spot *grown = realloc(all->item, room * sizeof *grown);
        if (grown == NULL)
            return AS_ENOMEM;
        all->item = grown;
        all->room = room;
    }
    spot made = {run_of(row),
                 strdup(row->tensor == NULL ? "" : row->tensor),
                 row->layer,
                 row->batch,
                 row->head,
                 step,
                 row->metrics.value[AS_METRIC_effective_rank]};
    if (made.run == NULL || made.tensor == NULL) {
        free(made.run);
        free(made.tensor);
        return AS_ENOMEM;
    }
    all->item[all->count++] = made;
    return AS_OK;
}

/* Rows of the first step and of the last one. */
static as_status gather(const report_rows *rows, spots *all) {
    as_status status = AS_OK;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < rows->count && status == AS_OK; i++) {
            as_row row;
            uint64_t step;
            status = report_row(rows, i, &row);
            if (status != AS_OK || row.status != AS_OK || !report_step_of(row.source, &step))
                continue;
            if (pass == 0) {
                all->first = step < all->first ? step : all->first;
                all->last = step > all->last ? step : all->last;
            } else if (row.metrics.reason[AS_METRIC_effective_rank] == AS_REASON_NONE &&
                       (step == all->first || step == all->last)) {
                status = add_spot(all, &row, step);
            }
        }
    return status;
}

static int by_place(const void *left, const void *right) {
    const spot *a = left, *b = right;
    int run = strcmp(a->run, b->run), tensor = strcmp(a->tensor, b->tensor);
    return run != 0               ? run
           : tensor != 0          ? tensor
           : a->layer != b->layer ? (a->layer > b->layer) - (a->layer < b->layer)
           : a->batch != b->batch ? (a->batch > b->batch) - (a->batch < b->batch)
           : a->head != b->head   ? (a->head > b->head) - (a->head < b->head)
                                  : (a->step > b->step) - (a->step < b->step);
}

static bool same_place(const spot *a, const spot *b) {
    return strcmp(a->run, b->run) == 0 && strcmp(a->tensor, b->tensor) == 0 &&
           a->layer == b->layer && a->batch == b->batch && a->head == b->head;
}

/* The pair of neighbours, first step and last, whose values are furthest apart as a ratio. */
static const spot *furthest(spots *all) {
    const spot *best = NULL;
    double most = 0;
    if (all->count > 0)
        qsort(all->item, all->count, sizeof *all->item, by_place);
    for (size_t i = 1; i < all->count; i++) {
        const spot *a = &all->item[i - 1], *b = &all->item[i];
        double change = fabs(log(b->value / a->value));
        bool alone =
            (i < 2 || !same_place(a, a - 1)) && (i + 1 == all->count || !same_place(b, b + 1));
        if (alone && same_place(a, b) && a->step < b->step && change > most) {
            most = change;
            best = a;
        }
    }
    return best;
}

/* The numbers of the table, in its order; those that no row has are left out. */
static const char *const shown[] = {"spectral_norm",       "stable_rank",
                                    "effective_rank",      "toeplitz_fraction",
                                    "previous_token_mass", "attention_entropy"};
enum { SHOWN = sizeof shown / sizeof *shown, WIDTH = 11 };

static size_t choose(const report_groups *groups, size_t chosen[SHOWN]) {
    size_t count = 0;
    for (size_t s = 0; s < SHOWN; s++)
        for (size_t m = 0; m < REPORT_MAIN; m++)
            if (strcmp(report_mains[m].key, shown[s]) == 0 && groups->has[m])
                chosen[count++] = m;
    return count;
}

static const char *mean_text(const group_line *line, size_t m, report_style style, char *text) {
    return isnan(line->of[m].mean) ? (style.utf8 ? "–" : "-")
                                   : number_short(line->of[m].mean, WIDTH - 1, text);
}

static void print_text(const report_groups *groups, FILE *out, report_style style) {
    size_t chosen[SHOWN], count = choose(groups, chosen);
    char text[NUMBER_TEXT];
    fprintf(out, "%sSteps\n%18s", escape(style, BOLD), "");
    for (size_t c = 0; c < count; c++)
        print_right(out, report_mains[chosen[c]].above, WIDTH);
    fprintf(out, "\n%10s%8s", "step", "count");
    for (size_t c = 0; c < count; c++)
        print_right(out, report_mains[chosen[c]].head, WIDTH);
    fprintf(out, "%s\n", escape(style, PLAIN));
    for (size_t i = 0; i < groups->count; i++) {
        const group_line *line = &groups->line[i];
        fprintf(out, "%10" PRIu64 "%8zu", line->number, line->count);
        for (size_t c = 0; c < count; c++)
            print_right(out, mean_text(line, chosen[c], style, text), WIDTH);
        fputc('\n', out);
    }
}

static void print_md(const report_groups *groups, FILE *out, report_style style) {
    size_t chosen[SHOWN], count = choose(groups, chosen);
    char text[NUMBER_TEXT];
    fputs("### Steps\n\n| step | count |", out);
    for (size_t c = 0; c < count; c++)
        fprintf(out, " %s %s |", report_mains[chosen[c]].above, report_mains[chosen[c]].head);
    fputs("\n|---:|---:|", out);
    for (size_t c = 0; c < count; c++)
        fputs("---:|", out);
    for (size_t i = 0; i < groups->count; i++) {
        fprintf(out, "\n| %" PRIu64 " | %zu |", groups->line[i].number, groups->line[i].count);
        for (size_t c = 0; c < count; c++)
            fprintf(out, " %s |", mean_text(&groups->line[i], chosen[c], style, text));
    }
    fputs("\n\n", out);
}

as_status report_steps(const report_rows *rows, FILE *out, report_style style) {
    spots all = {.first = UINT64_MAX};
    report_groups groups = {.by = GROUP_NONE};
    as_status status = gather(rows, &all);
    if (status == AS_OK && all.first < all.last)
        status = report_group(rows, GROUP_STEP, &groups);
    if (status == AS_OK && groups.count > 1) {
        char text[600], place[256], a[NUMBER_TEXT], b[NUMBER_TEXT];
        (style.markdown ? print_md : print_text)(&groups, out, style);
        const spot *best = furthest(&all);
        if (best != NULL) {
            message_spot where = {best->tensor, best->layer, best->batch, best->head, true, false};
            snprintf(
                text, sizeof text,
                "Means over the matrices of a step. The effective rank changed most in %s: from %s "
                "at the first step to %s at the last.",
                message_place(place, sizeof place, &where), number_short(best->value, 9, a),
                number_short(best[1].value, 9, b));
            summary_say(out, style, 1, text);
        }
        fputc('\n', out);
    }
    report_groups_free(&groups);
    spots_free(&all);
    return status;
}
