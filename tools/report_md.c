/* report_md: a result as Markdown that GitHub renders: a table for each tensor, one row a head, or one
 * table where rows are sorted, or schemes side by side, and the summary. It refuses a number that does not exist: a dash. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report_columns.h"
#include "report_heads.h"
#include "report_steps.h"
#include "report_keys.h"
#include "report_names.h"
#include "report_summary.h"
#include "report_sweep.h"
#include "sparkline.h"
#include "text.h"

#define SPARK_WIDTH 16
static const report_style style = {.utf8 = true, .markdown = true};

/* One table. */
typedef struct table {
    const row_group *group;
    row_names names; /* in a table of groups that were torn apart */
    bool keyed;
    report_key key; /* what the rows are sorted by, where no other column has it */
} table;

static void cell(FILE *out, const char *text) {
    fputs(" ", out);
    text_markdown(out, *text == '\0' ? "–" : text);
    fputs(" |", out);
}

static void column_head(FILE *out, const char *above, const char *head) {
    fprintf(out, " %s%s%s |", above, *above == '\0' ? "" : " ", head);
}

static size_t name_columns(const table *t, FILE *out, const as_row *row, const char *fixed) {
    char text[NAME_TEXT];
    size_t count = 0;
    for (size_t i = 0; i < NAMES; i++) {
        if (!t->names.varies[i])
            continue;
        if (fixed != NULL)
            fputs(fixed, out);
        else
            cell(out, row == NULL ? row_name_heads[i] : row_name(&t->names, row, i, text));
        count++;
    }
    return count;
}

static void heads(const table *t, FILE *out) {
    const row_group *g = t->group;
    size_t numbers = g->batch ? 4 : 3;
    fputs("|", out);
    name_columns(t, out, NULL, NULL);
    fprintf(out, " layer |%s head | n |", g->batch ? " batch |" : "");
    if (t->keyed) {
        cell(out, t->key.name);
        numbers++;
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (column_shown(g, c)) {
            column_head(out, columns[c].above, columns[c].head);
            numbers++;
        }
    fputs(" spectrum |\n|", out);
    name_columns(t, out, NULL, ":---|");
    for (size_t i = 0; i < numbers; i++)
        fputs("---:|", out);
    fputs(":---|\n", out);
}

static void places(const table *t, const as_row *row, FILE *out) {
    char shape[48];
    fputs("|", out);
    name_columns(t, out, row, NULL);
    if (!row_has_place(row)) {
        fprintf(out, "%s – | – |", t->group->batch ? " – |" : "");
    } else {
        fprintf(out, " %" PRIu64 " |", row->layer);
        if (t->group->batch)
            fprintf(out, " %" PRIu64 " |", row->batch);
        fprintf(out, " %" PRIu64 " |", row->head);
    }
    fprintf(out, " %s |", shape_text(row, style, shape, sizeof shape));
}

static void key_cell(const table *t, const as_row *row, FILE *out) {
    char text[NUMBER_TEXT] = "";
    uint64_t whole;
    if (t->key.kind == KEY_TEXT) {
        char clean[NAME_TEXT];
        cell(out, text_clean(clean, sizeof clean, report_key_text(t->key, row)));
        return;
    }
    if (t->key.kind == KEY_WHOLE && report_key_whole(t->key, row, &whole))
        snprintf(text, sizeof text, "%" PRIu64, whole);
    else if (t->key.kind == KEY_REAL && !isnan(report_key_real(t->key, row)))
        number_short(report_key_real(t->key, row), 10, text);
    cell(out, text);
}

/* Numbers; of a row without them, dashes and then its status and reason in place of the bars. */
static void numbers(const table *t, const as_row *row, summary *s, FILE *out) {
    char text[NUMBER_TEXT], reason[1024], sentence[1100];
    if (t->keyed)
        key_cell(t, row, out);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        double value;
        if (!column_shown(t->group, c))
            continue;
        as_reason none = column_number(row, &columns[c], &value);
        cell(out, none == AS_REASON_NONE ? column_text(&columns[c], value, text) : "");
        if (none != AS_REASON_NONE && row->status == AS_OK)
            summary_add_dash(s, columns[c].name, none);
    }
    fputs(" ", out);
    if (row->status != AS_OK) {
        text_clean(reason, sizeof reason, row->reason);
        snprintf(sentence, sizeof sentence, "%s%s%s", as_status_name(row->status),
                 reason[0] == '\0' ? "" : ": ", reason);
        text_markdown(out, sentence);
    } else if (row->sigma_count > 0 && row->sigma[0] > 0) {
        sparkline(out, row->sigma, bar_count(t->group, row), SPARK_WIDTH, true);
    }
    fputs(" |\n", out);
}

/* One row a spectrum. */
static void spectra(const table *t, const as_row *row, bool *first, FILE *out) {
    char text[NUMBER_TEXT];
    row_spectrum spectrum;
    for (size_t i = 0; row_spectrum_at(row, i, &spectrum); i++) {
        if (spectrum.count == 0)
            continue;
        if (*first) {
            fputs("\n|", out);
            name_columns(t, out, NULL, NULL);
            fprintf(out, " layer |%s head | n | spectrum | values |\n|",
                    t->group->batch ? " batch |" : "");
            name_columns(t, out, NULL, ":---|");
            fprintf(out, "%s---:|---:|---:|:---|:---|\n", t->group->batch ? "---:|" : "");
            *first = false;
        }
        places(t, row, out);
        fprintf(out, " %s |", spectrum.title);
        for (size_t k = 0; k < spectrum.count; k++)
            fprintf(out, " %s", number_short(spectrum.values[k], 10, text));
        fputs(" |\n", out);
    }
}

static void paragraph(FILE *out, const char *before, const char *text) {
    if (*text == '\0')
        return;
    fputs(before, out);
    text_markdown(out, text);
    fputs("\n\n", out);
}

/* The heading is the file; of what was drawn, where it came from. */
static void group_head(const row_group *g, FILE *out) {
    char text[GROUP_TEXT];
    if (g->source[0] != '\0') {
        fputs("### ", out);
        text_markdown(out, g->source);
        paragraph(out, g->tensor[0] != '\0' ? ": " : "", g->tensor);
        fputs(g->tensor[0] == '\0' ? "\n\n" : "", out);
    }
    paragraph(out, g->source[0] != '\0' ? "" : "### ", row_group_origin(g, text));
    paragraph(out, "", row_group_describe(g, style, text));
}

/* Rows `begin` … `end`−1 of the table and, with values, of that of their spectra. */
static as_status print(const report_rows *rows, const table *t, summary *s, FILE *out,
                       bool values) {
    const row_group *g = t->group;
    as_row row;
    as_status status = AS_OK;
    heads(t, out);
    for (size_t i = g->begin; i < g->end && status == AS_OK; i++)
        if ((status = report_row(rows, i, &row)) == AS_OK) {
            summary_add(s, &row);
            places(t, &row, out);
            numbers(t, &row, s, out);
        }
    bool first = true;
    for (size_t i = g->begin; i < g->end && values && status == AS_OK; i++)
        if ((status = report_row(rows, i, &row)) == AS_OK)
            spectra(t, &row, &first, out);
    fputs("\n", out);
    return status;
}

static as_status flat(const report_rows *rows, summary *s, FILE *out, bool values) {
    char why[KEY_WHY];
    row_group all = {.end = rows->count, .scale = NAN};
    table t = {.group = &all};
    as_status status = AS_OK;
    for (size_t i = 0; i < rows->count && status == AS_OK; i++) {
        as_row row;
        if ((status = report_row(rows, i, &row)) != AS_OK)
            continue;
        row_names_see(&t.names, &row);
        row_group_widen(&all, &row, style);
    }
    status = status == AS_OK ? row_names_settle(&t.names) : status;
    if (status != AS_OK) {
        row_names_free(&t.names);
        return status;
    }
    row_names_head(&t.names, &all);
    t.keyed = report_key_find(rows->order, &t.key, why) && !column_has_key(&all, rows->order);
    group_head(&all, out);
    fputs("Sorted by ", out);
    text_markdown(out, rows->order);
    fprintf(out, ", %s.\n\n", rows->descending ? "descending" : "ascending");
    status = print(rows, &t, s, out, values);
    row_names_free(&t.names);
    return status;
}

/* A table for each group of rows. */
static as_status groups(const report_rows *rows, summary *s, FILE *out, bool values) {
    as_status status = AS_OK;
    for (size_t i = 0; i < rows->count && status == AS_OK;) {
        row_group g;
        status = row_group_find(rows, i, style, &g);
        if (status == AS_OK) {
            table t = {.group = &g};
            group_head(&g, out);
            status = print(rows, &t, s, out, values);
        }
        i = g.end;
    }
    return status;
}

static void legend(FILE *out) {
    char text[160];
    snprintf(text, sizeof text,
             "Spectrum: all singular values, largest first, on a log scale of %d decades; blank is "
             "smaller. n: queries × keys where they differ.",
             SPARKLINE_DECADES);
    summary_say(out, style, 1, text);
}

as_status report_md(const report_rows *rows, FILE *out, bool values) {
    static summary s; /* large, and one report is written at a time */
    report_style whole_spectra = style;
    whole_spectra.values = values;
    bool whole = false;
    as_status status = summary_begin(&s, rows);
    if (status == AS_OK && rows->order != NULL) {
        status = flat(rows, &s, out, values);
    } else if (status == AS_OK) {
        status = sweep_report(rows, &s, out, whole_spectra, &whole);
        if (status == AS_OK && !whole)
            status = groups(rows, &s, out, values);
    }
    if (status == AS_OK && !whole)
        status = heads_report(rows, out, style);
    if (status == AS_OK && !whole)
        status = report_steps(rows, out, style);
    if (status == AS_OK)
        summary_print(&s, out, style);
    summary_free(&s);
    if (status == AS_OK && !whole)
        legend(out);
    return status;
}
