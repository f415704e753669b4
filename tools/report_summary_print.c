/* report_summary: the sentences of what was gathered, in the text report and in Markdown.
 * It refuses to say what no row has: such a sentence is left out. */
#include "report_summary.h"

#include <math.h>
#include <string.h>

#include "grid_note.h"
#include "message.h"
#include "number.h"
#include "text.h"

/* "causal in 8, none in 2" */
static const char *list_words(const word_count *words, char *text, size_t size) {
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < words->used && used < size; i++)
        used += (size_t)snprintf(text + used, size - used, "%s%s in %zu", i == 0 ? "" : ", ",
                                 words->word[i], words->count[i]);
    if (words->others > 0 && used < size)
        snprintf(text + used, size - used, ", others in %zu", words->others);
    return text;
}

void summary_say(FILE *out, report_style style, size_t level, const char *text) {
    if (style.markdown) {
        fprintf(out, "%*s- ", (int)(2 * (level - 1)), "");
        text_markdown(out, text);
        fputc('\n', out);
        return;
    }
    fprintf(out, "%*s", (int)(2 * level), "");
    text_wrap(out, text, 2 * level, 2 * level + 2);
}

static void print_counts(const summary *s, FILE *out, report_style style) {
    size_t failed = 0;
    for (size_t i = AS_SKIPPED + 1; i < AS_MATRIX_STATUS_COUNT; i++)
        failed += s->status[i];
    char text[512];
    size_t used = (size_t)snprintf(text, sizeof text, "%zu ok, %zu skipped, %zu failed",
                                   s->status[AS_OK], s->status[AS_SKIPPED], failed);
    const char *sign = " (";
    for (size_t i = AS_SKIPPED + 1; i < AS_MATRIX_STATUS_COUNT; i++)
        if (s->status[i] > 0) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%zu %s", sign,
                                     s->status[i], as_status_name((as_status)i));
            sign = ", ";
        }
    snprintf(text + used, sizeof text - used, "%s.", failed > 0 ? ")" : "");
    summary_say(out, style, 1, text);
}

/* The file and the scheme only where there are several; layer and batch 0 too. */
static const char *where(const summary *s, const record *best, char *text, size_t size) {
    bool scheme = s->many_schemes && best->scheme[0] != '\0';
    message_spot spot = {best->tensor, best->layer,    best->batch,
                         best->head,   s->many_layers, s->many_batches};
    char place[SUMMARY_PLACE + 96];
    snprintf(text, size, "%s%s%s%s%s", s->many_sources ? best->file : "",
             s->many_sources ? ": " : "", message_place(place, sizeof place, &spot),
             scheme ? " with " : "", scheme ? best->scheme : "");
    return text;
}

/* " on a grid of 14 × 14 behind 1 token", nothing where there is none. */
static const char *on_grid(const summary *s, report_style style, char *text, size_t size) {
    text[0] = '\0';
    if (s->grid.height == 0)
        return text;
    size_t used = (size_t)snprintf(text, size, " on a grid of %zu %s %zu", s->grid.height,
                                   style.utf8 ? "×" : "x", s->grid.width);
    if (s->grid.leading > 0)
        snprintf(text + used, size - used, " behind %zu %s", s->grid.leading,
                 s->grid.leading == 1 ? "token" : "tokens");
    return text;
}

static void print_records(const summary *s, FILE *out, report_style style) {
    char grid[128], text[2000], a[NUMBER_TEXT], b[NUMBER_TEXT];
    char place[SUMMARY_WHERE], other[SUMMARY_WHERE];
    if (s->largest.found) {
        if (s->largest.value > s->smallest.value)
            snprintf(
                text, sizeof text, "Spectral norm: largest %s in %s, smallest %s in %s.",
                number_short(s->largest.value, 9, a), where(s, &s->largest, place, sizeof place),
                number_short(s->smallest.value, 9, b), where(s, &s->smallest, other, sizeof other));
        else
            snprintf(text, sizeof text, "Spectral norm: %s%s.",
                     number_short(s->largest.value, 9, a), s->status[AS_OK] > 1 ? " in all" : "");
        summary_say(out, style, 1, text);
    }
    if (s->low_rank.found) {
        snprintf(text, sizeof text,
                 "Nearest to low rank: %s (effective rank %s of %llu, stable rank %s).",
                 where(s, &s->low_rank, place, sizeof place),
                 number_short(s->low_rank_effective, 9, a), (unsigned long long)s->low_rank_of,
                 number_short(s->low_rank_stable, 9, b));
        summary_say(out, style, 1, text);
    }
    if (s->toeplitz.found) {
        snprintf(text, sizeof text,
                 "Most driven by position: %s (Toeplitz fraction %s%s: that share of the variance "
                 "depends on the offset between query and key alone).",
                 where(s, &s->toeplitz, place, sizeof place), number_short(s->toeplitz.value, 9, a),
                 on_grid(s, style, grid, sizeof grid));
        summary_say(out, style, 1, text);
    }
}

static void print_off_grid(const summary *s, FILE *out, report_style style) {
    char note[192], text[256];
    if (s->off_cols == 0 || s->grid.height == 0)
        return;
    snprintf(text, sizeof text, "Not the grid: %s.",
             grid_note(s->grid, s->off_rows, s->off_cols, style.utf8, note));
    summary_say(out, style, 1, text);
}

static void print_eigenvalues(const summary *s, FILE *out, report_style style) {
    char text[2000], a[NUMBER_TEXT], b[NUMBER_TEXT], c[NUMBER_TEXT], d[NUMBER_TEXT];
    char place[SUMMARY_WHERE], other[SUMMARY_WHERE];
    if (s->eigen.found) {
        char imaginary[NUMBER_TEXT + 8] = "";
        if (s->eigen_im != 0)
            snprintf(imaginary, sizeof imaginary, " %s %si", s->eigen_im < 0 ? "-" : "+",
                     number_short(fabs(s->eigen_im), 9, a));
        snprintf(text, sizeof text,
                 "Eigenvalues: largest magnitude %s in %s (%s%s); real parts from %s to %s.",
                 number_short(s->eigen.value, 9, a), where(s, &s->eigen, place, sizeof place),
                 number_short(s->eigen_re, 9, b), imaginary, number_short(s->real_low, 9, c),
                 number_short(s->real_high, 9, d));
        summary_say(out, style, 1, text);
    }
    if (s->nonnormal_rows > 0) {
        snprintf(text, sizeof text,
                 "Eigenvalues say little in %zu of %zu: nonnormality is above %.1f there (up to %s "
                 "in %s), so more than a quarter of the squared Frobenius norm is not in them. "
                 "Singular values say what the matrix does.",
                 s->nonnormal_rows, s->eigen_rows, SUMMARY_NONNORMAL,
                 number_short(s->nonnormal.value, 9, a),
                 where(s, &s->nonnormal, place, sizeof place));
        summary_say(out, style, 1, text);
    }
    if (s->symmetric_high.found) {
        snprintf(text, sizeof text, "Symmetric part: eigenvalues from %s in %s to %s in %s.",
                 number_short(s->symmetric_low.value, 9, a),
                 where(s, &s->symmetric_low, place, sizeof place),
                 number_short(s->symmetric_high.value, 9, b),
                 where(s, &s->symmetric_high, other, sizeof other));
        summary_say(out, style, 1, text);
    }
}

static void print_power_law(const summary *s, FILE *out, report_style style) {
    char text[2000], a[NUMBER_TEXT], b[NUMBER_TEXT], words[768];
    char place[SUMMARY_WHERE], other[SUMMARY_WHERE];
    if (s->alpha_low.found) {
        snprintf(
            text, sizeof text, "Power law of the tail: alpha from %s in %s to %s in %s.",
            number_short(s->alpha_low.value, 9, a), where(s, &s->alpha_low, place, sizeof place),
            number_short(s->alpha_high.value, 9, b), where(s, &s->alpha_high, other, sizeof other));
        summary_say(out, style, 1, text);
    }
    if (s->no_alpha.used > 0) {
        snprintf(text, sizeof text, "No power law: %s.",
                 list_words(&s->no_alpha, words, sizeof words));
        summary_say(out, style, 1, text);
    }
    if (s->spikes.found) {
        if (s->spikes.value > 0)
            snprintf(text, sizeof text,
                     "Spikes beyond the bulk of Marchenko and Pastur: at most %.0f, in %s.",
                     s->spikes.value, where(s, &s->spikes, place, sizeof place));
        else
            snprintf(text, sizeof text, "Spikes beyond the bulk of Marchenko and Pastur: none.");
        summary_say(out, style, 1, text);
    }
}

void summary_print(const summary *s, FILE *out, report_style style) {
    char text[1024], words[768];
    if (style.markdown)
        fputs("### Summary\n\n", out);
    else
        fprintf(out, "%sSummary%s\n", style.color ? "\033[1m" : "", style.color ? "\033[0m" : "");
    print_counts(s, out, style);
    print_records(s, out, style);
    print_off_grid(s, out, style);
    print_eigenvalues(s, out, style);
    print_power_law(s, out, style);
    contraction_print(&s->contraction, out, style, s->many_sources);
    if (s->masks.used > 0) {
        snprintf(text, sizeof text, "Masks: %s.", list_words(&s->masks, words, sizeof words));
        summary_say(out, style, 1, text);
    }
    for (size_t i = 0; i < s->masked_as.used; i++)
        summary_say(
            out, style, 1,
            strcmp(s->masked_as.word[i], "softmax") == 0
                ? "Logits were softmaxed before the spectrum was taken: masked entries are 0 "
                  "and rows sum to 1."
                : "Masked logits became 0 before the spectrum was taken.");
    if (s->masked_rows > 0) {
        snprintf(text, sizeof text, "Rows that are masked as a whole: %llu.",
                 (unsigned long long)s->masked_rows);
        summary_say(out, style, 1, text);
    }
    if (s->padded > 0) {
        snprintf(text, sizeof text,
                 "Padding in %zu %s: up to %llu keys before the first token, %llu after the last.",
                 s->padded, s->padded == 1 ? "matrix" : "matrices",
                 (unsigned long long)s->padding_left, (unsigned long long)s->padding_right);
        summary_say(out, style, 1, text);
    }
    if (s->operations.used > 0) {
        snprintf(text, sizeof text, "On logits: %s.",
                 list_words(&s->operations, words, sizeof words));
        summary_say(out, style, 1, text);
    }
    if (*row_sums_of_weights(&s->sums, text, sizeof text) != '\0') {
        summary_say(out, style, 1, text);
    } else if (s->row_sum_deviation == 0) {
        summary_say(out, style, 1, "Rows of weights sum to 1 exactly.");
    } else if (s->row_sum_deviation > 0) {
        snprintf(text, sizeof text, "Rows of weights sum to 1 within %.2g.", s->row_sum_deviation);
        summary_say(out, style, 1, text);
    }
    if (*row_sums_of_suspects(&s->sums, text, sizeof text) != '\0')
        summary_say(out, style, 1, text);
    if (s->drivers.used > 0) {
        snprintf(text, sizeof text, "Driver of the singular values: %s.",
                 list_words(&s->drivers, words, sizeof words));
        summary_say(out, style, 1, text);
    }
    if (s->dashes.used > 0) {
        snprintf(text, sizeof text, "A dash is a number that does not exist: %s.",
                 list_words(&s->dashes, words, sizeof words));
        summary_say(out, style, 1, text);
    }
}
