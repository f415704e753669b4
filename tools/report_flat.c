/* report_flat: sorted rows for people, in one table at 80 columns: what they are sorted by, the numbers
 * that there is room for, and the names that differ. It refuses a number that does not exist: a dash. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "report_columns.h"
#include "report_heads.h"
#include "report_keys.h"
#include "report_names.h"
#include "report_summary.h"
#include "report_text.h"
#include "sparkline.h"
#include "text.h"

#define SPARK_MAX   24
#define NAME_LEAST  12 /* columns of a name, its two blanks included */
#define SPARK_LEAST 10 /* its two blanks included */
#define KEY_WIDTH   11

typedef struct table {
    row_group all; /* of every row: what there is to show */
    row_names names;
    bool keyed; /* the key has a column of its own */
    report_key key;
    bool shown[COLUMN_COUNT];
    size_t rest; /* columns to the right of the numbers */
} table;

static size_t room(const table *t) {
    size_t used = (size_t)row_group_ids_width(&t->all) + (size_t)(t->keyed ? KEY_WIDTH : 0);
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        used += t->shown[c] ? (size_t)columns[c].width : 0;
    return used < TEXT_COLUMNS ? TEXT_COLUMNS - used : 0;
}

/* The last numbers give way until every name, or the spectrum, has its room; the first one stays, and that of the key. */
static void make_room(table *t) {
    size_t names = row_names_count(&t->names);
    size_t need = names > 0 ? NAME_LEAST * names : SPARK_LEAST;
    for (size_t c = COLUMN_COUNT; c-- > 1 && room(t) < need;)
        if (columns[c].metric == AS_METRIC_COUNT ||
            strcmp(as_metric_key(columns[c].metric), t->key.name) != 0)
            t->shown[c] = false;
    t->rest = room(t);
}

static as_status plan(const report_rows *rows, report_style style, table *t) {
    char why[KEY_WHY];
    *t = (table){.all = {.scale = NAN, .order = ORDER_LEAST}};
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        row_names_see(&t->names, &row);
        row_group_widen(&t->all, &row, style);
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        t->shown[c] = column_shown(&t->all, c);
    if (row_names_settle(&t->names) != AS_OK)
        return AS_ENOMEM;
    t->keyed = report_key_find(rows->order, &t->key, why) && !column_has_key(&t->all, rows->order);
    make_room(t);
    row_names_head(&t->names, &t->all);
    return AS_OK;
}

static void print_heads(const table *t, FILE *out, report_style style) {
    /* "contraction.spectral_norm" in two lines, "condition_number" in one. */
    const char *dot = t->keyed ? strchr(t->key.name, '.') : NULL;
    fprintf(out, "%s%*s", escape(style, BOLD), row_group_ids_width(&t->all), "");
    if (t->keyed)
        fprintf(out, "%*s", KEY_WIDTH, dot == NULL ? "" : "ratio of");
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (t->shown[c])
            fprintf(out, "%*s", columns[c].width, columns[c].above);
    fprintf(out, "\n%5s%s%5s%*s", "layer", t->all.batch ? " batch" : "", "head", t->all.order, "n");
    if (t->keyed) {
        const char *name = dot == NULL ? t->key.name : dot + 1;
        fputs(" ", out);
        if (text_width(name) > KEY_WIDTH - 1)
            text_fit(out, name, KEY_WIDTH - 1);
        else
            print_right(out, name, KEY_WIDTH - 1);
    }
    for (size_t c = 0; c < COLUMN_COUNT; c++)
        if (t->shown[c])
            fprintf(out, "%*s", columns[c].width, columns[c].head);
    if (row_names_count(&t->names) > 0)
        row_names_print_heads(&t->names, t->rest, out);
    else if (t->all.analysed > 0)
        fputs("  spectrum", out);
    fprintf(out, "%s\n", escape(style, PLAIN));
}

static void print_key(const table *t, const as_row *row, FILE *out, report_style style) {
    char text[NAME_TEXT];
    const char *dash = style.utf8 ? "–" : "-";
    uint64_t whole;
    double value;
    switch (t->key.kind) {
    case KEY_TEXT:
        text_clean(text, sizeof text, report_key_text(t->key, row));
        fputs(" ", out);
        if (text_width(text) > KEY_WIDTH - 1)
            text_fit(out, text, KEY_WIDTH - 1);
        else
            print_right(out, *text == '\0' ? dash : text, KEY_WIDTH - 1);
        return;
    case KEY_WHOLE:
        if (report_key_whole(t->key, row, &whole))
            fprintf(out, "%*" PRIu64, KEY_WIDTH, whole);
        else
            print_right(out, dash, KEY_WIDTH);
        return;
    case KEY_REAL:
        value = report_key_real(t->key, row);
        print_right(out, isnan(value) ? dash : number_short(value, KEY_WIDTH - 1, text), KEY_WIDTH);
        return;
    }
}

static void print_places(const table *t, const as_row *row, FILE *out, report_style style) {
    char shape[48];
    if (!row_has_place(row)) {
        const char *dash = style.utf8 ? "–" : "-";
        print_right(out, dash, 5);
        print_right(out, dash, t->all.batch ? 11 : 5);
    } else {
        fprintf(out, "%5" PRIu64, row->layer);
        if (t->all.batch)
            fprintf(out, "%6" PRIu64, row->batch);
        fprintf(out, "%5" PRIu64, row->head);
    }
    print_right(out, shape_text(row, style, shape, sizeof shape), t->all.order);
}

static void print_row(const table *t, const as_row *row, summary *s, FILE *out,
                      report_style style) {
    char text[NUMBER_TEXT];
    print_places(t, row, out, style);
    if (t->keyed)
        print_key(t, row, out, style);
    for (size_t c = 0; c < COLUMN_COUNT; c++) {
        double value;
        if (!t->shown[c])
            continue;
        as_reason reason = column_number(row, &columns[c], &value);
        print_right(out,
                    reason != AS_REASON_NONE ? (style.utf8 ? "–" : "-")
                                             : column_text(&columns[c], value, text),
                    columns[c].width);
        if (reason != AS_REASON_NONE && row->status == AS_OK)
            summary_add_dash(s, columns[c].name, reason);
    }
    if (row_names_count(&t->names) > 0) {
        row_names_print(&t->names, row, t->rest, style.utf8 ? "–" : "-", out);
    } else if (row->sigma_count > 0 && row->sigma[0] > 0 && t->rest > 2) {
        fputs("  ", out);
        sparkline(out, row->sigma, bar_count(&t->all, row),
                  t->rest - 2 < SPARK_MAX ? t->rest - 2 : SPARK_MAX, style.utf8);
    }
    fputc('\n', out);
    if (row->status != AS_OK)
        print_failure(row, out, style, 4);
    if (style.values)
        print_values(row, out);
}

static as_status print_table(const report_rows *rows, const table *t, summary *s, FILE *out,
                             report_style style) {
    print_group_head(&t->all, out, style);
    fprintf(out, "  Sorted by %s, %s.\n\n", rows->order,
            rows->descending ? "descending" : "ascending");
    print_heads(t, out, style);
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        summary_add(s, &row);
        print_row(t, &row, s, out, style);
    }
    row_names_print_legend(&t->names, t->rest, out);
    fputc('\n', out);
    return heads_report(rows, out, style);
}

as_status report_flat(const report_rows *rows, FILE *out, report_style style) {
    static summary s; /* large, and one report is written at a time */
    static table t;
    as_status status = summary_begin(&s, rows);
    if (status == AS_OK)
        status = plan(rows, style, &t);
    if (status == AS_OK)
        status = print_table(rows, &t, &s, out, style);
    if (status == AS_OK) {
        summary_print(&s, out, style);
        if (t.all.analysed > 0)
            print_legend(out, style, t.all.contraction);
    }
    row_names_free(&t.names);
    summary_free(&s);
    return status;
}
