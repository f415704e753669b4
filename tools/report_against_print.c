/* report_against_print: two results compared, for people: tables at 80 columns or in Markdown, and what
 * stands out. It refuses a ratio that does not exist: a dash. */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "number.h"
#include "report_against.h"
#include "report_summary.h"
#include "report_text.h"
#include "text.h"

#define DIFFERENCE_WIDTH 10
#define RATIO_WIDTH      9
#define BLOCK_WIDTH      (DIFFERENCE_WIDTH + RATIO_WIDTH)
#define NAME_LEAST       12 /* columns of a name, its two blanks included */
#define ONLY_LISTED      8  /* rows that one side alone has, by name */
/* A column of the table: a main number, or the spectrum behind them. */
#define SPECTRUM REPORT_MAIN
#define COLUMNS  (REPORT_MAIN + 1)

/* The columns that there is anything in. */
static size_t find_columns(const against_summary *s, bool values, size_t column[COLUMNS]) {
    size_t count = 0;
    for (size_t m = 0; m < REPORT_MAIN; m++)
        if (s->all.of[m].count > 0)
            column[count++] = m;
    if (values)
        column[count++] = SPECTRUM;
    return count;
}

static const char *dash_or(double value, int width, report_style style, char *text) {
    return isnan(value) ? (style.utf8 ? "–" : "-") : number_short(value, width, text);
}

/* What is the same in all rows of a side: "A: a.h5, scheme rope". */
static void side_line(const report_against *against, const against_summary *s, size_t side,
                      char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size, "%c: ", side == 0 ? 'A' : 'B');
    text_clean(text + used, size - used, against->path[side]);
    for (size_t i = 0; i < NAMES; i++) {
        char name[NAME_TEXT];
        row_names_common(&s->names[side], i, name);
        used = strlen(text);
        if (*name != '\0' && used < size)
            snprintf(text + used, size - used, ", %s %s", row_name_heads[i], name);
    }
}

/* ---- tables ----------------------------------------------------------------------------------- */

static void text_heads(const against_summary *s, const size_t *column, size_t count, FILE *out,
                       report_style style) {
    fprintf(out, "%s%*s", escape(style, BOLD), s->batch ? 16 : 10, "");
    for (size_t k = 0; k < count; k++) {
        char head[64] = "singular values";
        if (column[k] != SPECTRUM)
            snprintf(head, sizeof head, "%s %s", report_mains[column[k]].above,
                     report_mains[column[k]].head);
        print_right(out, head, BLOCK_WIDTH);
    }
    fprintf(out, "\n%5s%s%5s", "layer", s->batch ? " batch" : "", "head");
    for (size_t k = 0; k < count; k++)
        if (column[k] == SPECTRUM) {
            print_right(out, style.utf8 ? "max |Δσ| / σ₁(A)" : "max |B-A| / A[0]", BLOCK_WIDTH);
        } else {
            print_right(out, style.utf8 ? "B − A" : "B - A", DIFFERENCE_WIDTH);
            print_right(out, "B / A", RATIO_WIDTH);
        }
}

static as_status text_block(const report_against *against, const against_summary *s,
                            const size_t *column, size_t count, FILE *out, report_style style) {
    size_t used = (s->batch ? 16 : 10) + BLOCK_WIDTH * count;
    size_t rest = used < TEXT_COLUMNS ? TEXT_COLUMNS - used : 0;
    text_heads(s, column, count, out, style);
    row_names_print_heads(&s->names[0], rest, out);
    fprintf(out, "%s\n", escape(style, PLAIN));
    for (size_t i = 0; i < against->shown; i++) {
        as_row a, b;
        char text[NUMBER_TEXT];
        as_status status = against_rows(against, i, &a, &b);
        if (status != AS_OK)
            return status;
        against_values values = against_compare(&a, &b);
        fprintf(out, "%5" PRIu64, a.layer);
        if (s->batch)
            fprintf(out, "%6" PRIu64, a.batch);
        fprintf(out, "%5" PRIu64, a.head);
        for (size_t k = 0; k < count; k++) {
            if (column[k] == SPECTRUM) {
                print_right(out, dash_or(values.spectrum, 9, style, text), BLOCK_WIDTH);
                continue;
            }
            const against_number *number = &values.of[column[k]];
            print_right(out, dash_or(number->difference, 9, style, text), DIFFERENCE_WIDTH);
            print_right(out, dash_or(number->ratio, 8, style, text), RATIO_WIDTH);
        }
        row_names_print(&s->names[0], &a, rest, style.utf8 ? "–" : "-", out);
        fputs("\n", out);
    }
    row_names_print_legend(&s->names[0], rest, out);
    fputs("\n", out);
    return AS_OK;
}

static void md_heads(const against_summary *s, const size_t *column, size_t count, FILE *out) {
    size_t names = row_names_count(&s->names[0]);
    fputs("|", out);
    for (size_t i = 0; i < NAMES; i++)
        if (s->names[0].varies[i])
            fprintf(out, " %s |", row_name_heads[i]);
    fprintf(out, " layer |%s head |", s->batch ? " batch |" : "");
    for (size_t k = 0; k < count; k++)
        if (column[k] == SPECTRUM)
            fputs(" singular values: max \\|Δσ\\| / σ₁(A) |", out);
        else
            fprintf(out, " %s: B − A | B / A |", report_mains[column[k]].name);
    fputs("\n|", out);
    for (size_t i = 0; i < names; i++)
        fputs(":---|", out);
    fprintf(out, "---:|%s---:|", s->batch ? "---:|" : "");
    for (size_t k = 0; k < count; k++)
        fputs(column[k] == SPECTRUM ? "---:|" : "---:|---:|", out);
    fputs("\n", out);
}

static void md_row(const against_summary *s, const size_t *column, size_t count, const as_row *a,
                   const as_row *b, FILE *out) {
    const report_style style = {.utf8 = true};
    char text[NUMBER_TEXT], name[NAME_TEXT];
    against_values values = against_compare(a, b);
    fputs("|", out);
    for (size_t i = 0; i < NAMES; i++)
        if (s->names[0].varies[i]) {
            fputs(" ", out);
            text_markdown(out, row_name(&s->names[0], a, i, name));
            fputs(" |", out);
        }
    fprintf(out, " %" PRIu64 " |", a->layer);
    if (s->batch)
        fprintf(out, " %" PRIu64 " |", a->batch);
    fprintf(out, " %" PRIu64 " |", a->head);
    for (size_t k = 0; k < count; k++) {
        if (column[k] == SPECTRUM) {
            fprintf(out, " %s |", dash_or(values.spectrum, 10, style, text));
            continue;
        }
        const against_number *number = &values.of[column[k]];
        fprintf(out, " %s |", dash_or(number->difference, 10, style, text));
        fprintf(out, " %s |", dash_or(number->ratio, 10, style, text));
    }
    fputs("\n", out);
}

/* ---- summary ---------------------------------------------------------------------------------- */

/* "checkpoint-500/attn.npy: " where a side has several sources. Returns text[NAME_TEXT]. */
static const char *file_of(const against_summary *s, size_t side, const as_row *row, char *text) {
    char name[NAME_TEXT];
    const name_set *sources = &s->sources[side];
    text[0] = '\0';
    if (sources->count > 1)
        snprintf(text, NAME_TEXT,
                 "%s: ", text_clean(name, sizeof name - 2, name_set_short(sources, row->source)));
    return text;
}

static void say_changes(const against_summary *s, const report_against *against, FILE *out,
                        report_style style) {
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        const against_mean *mean = &s->all.of[m];
        const char *name = report_mains[m].name;
        char text[1600], place[512], file[NAME_TEXT], low[NUMBER_TEXT], high[NUMBER_TEXT];
        as_row a, b;
        if (mean->count == 0)
            continue;
        if (mean->same) {
            snprintf(text, sizeof text, "%s: no difference in %zu.", name, mean->count);
        } else if (mean->ratios == 0 ||
                   against_rows(against, mean->largest_pair, &a, &b) != AS_OK) {
            snprintf(text, sizeof text, "%s: no ratio exists.", name);
        } else if (mean->low == mean->high) {
            snprintf(text, sizeof text, "%s: B / A is %s in %zu.", name,
                     number_short(mean->low, 9, low), mean->ratios);
        } else {
            against_values values = against_compare(&a, &b);
            char from[NUMBER_TEXT], to[NUMBER_TEXT], clean[512];
            message_place(
                place, sizeof place,
                &(message_spot){a.tensor, a.layer, a.batch, a.head, s->layers > 1, s->batch});
            snprintf(
                text, sizeof text,
                "%s: B / A from %s to %s in %zu; largest change in %s%s%s%.100s, from %s to %s.",
                name, number_short(mean->low, 9, low), number_short(mean->high, 9, high),
                mean->ratios, file_of(s, 0, &a, file), text_clean(clean, sizeof clean, place),
                s->names[0].varies[2] && a.scheme != NULL ? " with " : "",
                s->names[0].varies[2] && a.scheme != NULL ? a.scheme : "",
                number_short(values.of[m].a, 9, from), number_short(values.of[m].b, 9, to));
        }
        summary_say(out, style, 1, text);
    }
}

static void say_layers(const against_summary *s, FILE *out, report_style style) {
    for (size_t i = 0; i < s->layers; i++) {
        const against_layer *layer = &s->layer[i];
        const against_mean *mean = &layer->of[0];
        char text[256], a[NUMBER_TEXT], b[NUMBER_TEXT], ratio[NUMBER_TEXT], both[NUMBER_TEXT];
        if (mean->count == 0)
            continue;
        double quotient = mean->b / mean->a;
        snprintf(text, sizeof text,
                 "layer %" PRIu64
                 ": mean spectral norm %s in A, %s in B, ratio of the two %s; mean "
                 "of %zu %s %s.",
                 layer->layer, number_short(mean->a, 9, a), number_short(mean->b, 9, b),
                 dash_or(isfinite(quotient) ? quotient : (double)NAN, 9, style, both), mean->ratios,
                 mean->ratios == 1 ? "ratio" : "ratios",
                 dash_or(mean->ratios > 0 ? mean->ratio : (double)NAN, 9, style, ratio));
        summary_say(out, style, 1, text);
    }
}

/* "Only in A: layer 0, head 3; layer 1, head 0 and 5 more." */
static as_status say_only(const report_against *against, const against_summary *s, size_t side,
                          FILE *out, report_style style) {
    char text[ONLY_LISTED * 700 + 64], place[400], clean[200], file[NAME_TEXT];
    size_t count = against->only[side], used;
    if (count == 0)
        return AS_OK;
    used = (size_t)snprintf(text, sizeof text, "Only in %c: ", side == 0 ? 'A' : 'B');
    for (size_t i = 0; i < count && i < ONLY_LISTED; i++) {
        as_row row;
        as_status status = report_row(against->rows[side], against->only_in[side][i], &row);
        if (status != AS_OK)
            return status;
        message_place(
            place, sizeof place,
            &(message_spot){row.tensor, row.layer, row.batch, row.head, s->layers > 1, s->batch});
        text_clean(clean, sizeof clean, place);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s%s%s%.40s",
                                 i > 0 ? "; " : "", file_of(s, side, &row, file), clean,
                                 row.scheme != NULL ? " with " : "",
                                 row.scheme != NULL ? row.scheme : "");
    }
    if (count > ONLY_LISTED)
        used +=
            (size_t)snprintf(text + used, sizeof text - used, " and %zu more", count - ONLY_LISTED);
    snprintf(text + used, sizeof text - used, ".");
    summary_say(out, style, 1, text);
    return AS_OK;
}

static as_status print_summary(const report_against *against, const against_summary *s, FILE *out,
                               report_style style) {
    char text[256];
    if (style.markdown)
        fputs("### Summary\n\n", out);
    else
        fprintf(out, "%sSummary%s\n", escape(style, BOLD), escape(style, PLAIN));
    snprintf(text, sizeof text, "%zu matched, %zu only in A, %zu only in B.", against->pairs,
             against->only[0], against->only[1]);
    summary_say(out, style, 1, text);
    if (s->silent > 0) {
        snprintf(text, sizeof text, "%zu of the matched %s in A or in B.", s->silent,
                 s->silent == 1 ? "has no numbers" : "have no numbers");
        summary_say(out, style, 1, text);
    }
    say_changes(s, against, out, style);
    say_layers(s, out, style);
    as_status status = say_only(against, s, 0, out, style);
    return status == AS_OK ? say_only(against, s, 1, out, style) : status;
}

/* ---- whole ------------------------------------------------------------------------------------ */

as_status report_against_text(const report_against *against, FILE *out, report_style style) {
    against_summary s;
    as_status status = against_summarise(against, &s);
    if (status != AS_OK)
        return status;
    for (size_t side = 0; side < 2; side++) {
        char text[4 * NAME_TEXT];
        side_line(against, &s, side, text, sizeof text);
        text_wrap(out, text, 0, 3);
    }
    fputs("\n", out);
    size_t column[COLUMNS], count = find_columns(&s, style.values, column);
    size_t taken = (s.batch ? 16 : 10) + NAME_LEAST * row_names_count(&s.names[0]);
    size_t most = taken + BLOCK_WIDTH < TEXT_COLUMNS ? (TEXT_COLUMNS - taken) / BLOCK_WIDTH : 1;
    for (size_t k = 0; k < count && status == AS_OK; k += most)
        status =
            text_block(against, &s, column + k, count - k < most ? count - k : most, out, style);
    if (status == AS_OK)
        status = print_summary(against, &s, out, style);
    against_summary_free(&s);
    return status;
}

as_status report_against_md(const report_against *against, FILE *out, bool values) {
    const report_style style = {.utf8 = true, .markdown = true};
    against_summary s;
    as_status status = against_summarise(against, &s);
    if (status != AS_OK)
        return status;
    for (size_t side = 0; side < 2; side++) {
        char text[4 * NAME_TEXT];
        side_line(against, &s, side, text, sizeof text);
        fputs("- ", out);
        text_markdown(out, text);
        fputs("\n", out);
    }
    fputs("\n", out);
    size_t column[COLUMNS], count = find_columns(&s, values, column);
    md_heads(&s, column, count, out);
    for (size_t i = 0; i < against->shown && status == AS_OK; i++) {
        as_row a, b;
        if ((status = against_rows(against, i, &a, &b)) == AS_OK)
            md_row(&s, column, count, &a, &b, out);
    }
    fputs("\n", out);
    if (status == AS_OK)
        status = print_summary(against, &s, out, style);
    against_summary_free(&s);
    return status;
}
