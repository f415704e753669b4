/* cells: a table of texts.
 * It refuses nothing: a text that is wider than its column moves the ones behind it. */
#include "cells.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>

#include "number.h"
#include "report_text.h"
#include "text.h"

const char *cells_dash(report_style style) {
    return style.utf8 ? "–" : "-";
}

void cells_add(cell_row *row, const char *format, ...) {
    va_list values;
    va_start(values, format);
    vsnprintf(row->text[row->count++], CELL_TEXT, format, values);
    va_end(values);
}

void cells_add_number(cell_row *row, double value, int decimals, report_style style) {
    if (isfinite(value))
        cells_add(row, "%.*f", decimals, value);
    else
        cells_add(row, "%s", cells_dash(style));
}

void cells_add_short(cell_row *row, double value, int width, report_style style) {
    char text[NUMBER_TEXT];
    cells_add(row, "%s", isfinite(value) ? number_short(value, width, text) : cells_dash(style));
}

void cells_add_five(cell_row *row, double value, report_style style) {
    char text[NUMBER_TEXT];
    cells_add(row, "%s", isfinite(value) ? number_five(value, text) : cells_dash(style));
}

/* Blanks are written before the next text only: no line ends with one. */
static void print_line(const cell_row *row, const cell_column *table, FILE *out) {
    int owed = 0;
    for (size_t i = 0; i < row->count; i++) {
        int width = abs(table[i].width), have = (int)text_width(row->text[i]);
        int blank = have < width ? width - have : 0;
        owed += table[i].width > 0 ? blank : 0;
        if (have > 0) {
            fprintf(out, "%*s%s", owed, "", row->text[i]);
            owed = 0;
        }
        owed += table[i].width < 0 ? blank : 0;
        if (i == 0 && table[0].width < 0 && have > width) {
            fputc('\n', out);
            owed = width;
        }
    }
    fputc('\n', out);
}

static void print_markdown(const cell_row *row, FILE *out) {
    fputc('|', out);
    for (size_t i = 0; i < row->count; i++) {
        fputc(' ', out);
        text_markdown(out, row->text[i]);
        fputs(" |", out);
    }
    fputc('\n', out);
}

void cells_print(cell_row *row, const cell_column *table, FILE *out, report_style style) {
    if (style.markdown)
        print_markdown(row, out);
    else
        print_line(row, table, out);
    row->count = 0;
}

void cells_head(const cell_column *table, size_t count, FILE *out, report_style style) {
    cell_row above = {0}, head = {0};
    bool two = false;
    for (size_t i = 0; i < count; i++) {
        const char *first = table[i].above == NULL ? "" : table[i].above;
        two = two || *first != '\0';
        if (style.markdown && table[i].whole != NULL)
            cells_add(&head, "%s", table[i].whole);
        else if (style.markdown)
            cells_add(&head, "%s%s%s", first, *first == '\0' ? "" : " ", table[i].head);
        else
            cells_add(&head, "%s", table[i].head);
        cells_add(&above, "%s", first);
    }
    if (!style.markdown) {
        fputs(escape(style, BOLD), out);
        if (two)
            print_line(&above, table, out);
        print_line(&head, table, out);
        fputs(escape(style, PLAIN), out);
        return;
    }
    print_markdown(&head, out);
    fputc('|', out);
    for (size_t i = 0; i < count; i++)
        fputs(table[i].width < 0 ? ":---|" : "---:|", out);
    fputc('\n', out);
}

void cells_name(const char *path, FILE *out, report_style style) {
    char name[CELL_TEXT];
    text_clean(name, sizeof name, path != NULL ? path : "not written");
    if (style.markdown) {
        fputs("## ", out);
        text_markdown(out, name);
        fputs("\n\n", out);
    } else {
        fprintf(out, "%s%s%s\n", escape(style, BOLD), name, escape(style, PLAIN));
    }
}

void cells_fence(bool begins, FILE *out, report_style style) {
    if (style.markdown)
        fputs(begins ? "\n```\n" : "```\n", out);
}

void cells_title(const char *text, FILE *out, report_style style) {
    if (style.markdown) {
        fputs("\n### ", out);
        text_markdown(out, text);
        fputs("\n\n", out);
    } else {
        fprintf(out, "\n%s%s%s\n", escape(style, BOLD), text, escape(style, PLAIN));
    }
}
