/* Schemes side by side, as tables of 80 columns or of Markdown.
 * It refuses to print a number that does not exist: that is a dash. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "report_sweep.h"
#include "text.h"

/* Columns: the name takes what the rest leaves; an ASCII +- is one wider than ±. */
enum { CLASS = 5, GUARANTEE = 11, RANK = 5, TOEPLITZ = 6, LONG = 4096 };

static int ratio_width(report_style style) {
    return style.utf8 ? 12 : 13;
}

static int name_width(report_style style) {
    return TEXT_COLUMNS - CLASS - GUARANTEE - RANK - TOEPLITZ - SWEEP_RATIOS * ratio_width(style);
}

/* The class in the room that there is. */
static const char *class_word(const sweep_cell *cell) {
    static const struct {
        as_scheme_class kind;
        const char *word;
    } words[] = {{AS_CLASS_NONE, "none"},     {AS_CLASS_ABSOLUTE, "abs."},
                 {AS_CLASS_ADDITIVE, "add."}, {AS_CLASS_MULTIPLICATIVE, "mult."},
                 {AS_CLASS_MIXED, "mixed"},   {AS_CLASS_CONTENT, "cont."}};
    const char *name = sweep_class(cell);
    for (size_t i = 0; name != NULL && i < sizeof words / sizeof *words; i++)
        if (strcmp(name, as_scheme_class_name(words[i].kind)) == 0)
            return words[i].word;
    return "?";
}

static void print_right(FILE *out, const char *text, int width) {
    int have = (int)text_width(text);
    fprintf(out, "%*s%s", have < width ? width - have : 0, "", text);
}

/* A cell of the table. */
static void print_cell(FILE *out, const char *text, int width, report_style style) {
    if (!style.markdown) {
        print_right(out, text, width);
        return;
    }
    fputc(' ', out);
    text_markdown(out, text);
    fputs(" |", out);
}

static void print_ratio(const sweep_mean *mean, FILE *out, report_style style) {
    char value[NUMBER_TEXT], spread[NUMBER_TEXT], text[2 * NUMBER_TEXT + 8];
    double deviation = sweep_deviation(mean);
    if (mean->count == 0)
        snprintf(text, sizeof text, "%s", style.utf8 ? "–" : "-");
    else if (isnan(deviation))
        snprintf(text, sizeof text, "%s", number_five(mean->mean, value));
    else
        snprintf(text, sizeof text, "%s%s%s", number_five(mean->mean, value),
                 style.utf8 ? "±" : "+-", number_five(deviation, spread));
    print_cell(out, text, ratio_width(style), style);
}

static void print_mean(const sweep_mean *mean, const char *format, int width, FILE *out,
                       report_style style) {
    char text[NUMBER_TEXT];
    if (mean->count == 0)
        snprintf(text, sizeof text, "%s", style.utf8 ? "–" : "-");
    else if (*format == 'r')
        snprintf(text, sizeof text, mean->mean == floor(mean->mean) ? "%.0f" : "%.1f", mean->mean);
    else
        number_five(mean->mean, text);
    print_cell(out, text, width, style);
}

/* One word for the three norms. */
static const char *guarantee_word(const sweep_cell *cell) {
    size_t guaranteed = 0, defined = 0;
    for (size_t r = 0; r < SWEEP_RATIOS; r++) {
        as_guarantee g = sweep_guarantee(cell, r);
        defined += g != AS_UNDEFINED ? 1 : 0;
        guaranteed += g == AS_GUARANTEED ? 1 : 0;
    }
    return defined == 0            ? as_guarantee_name(AS_UNDEFINED)
           : guaranteed == defined ? as_guarantee_name(AS_GUARANTEED)
           : guaranteed == 0       ? as_guarantee_name(AS_OBSERVED)
                                   : "partly";
}

/* The name, on a line of its own where it is long, and the class. */
static void print_scheme(const sweep_cell *cell, FILE *out, report_style style) {
    char name[LONG];
    int width = name_width(style);
    text_clean(name, sizeof name, cell->scheme);
    if (style.markdown) {
        fputc('|', out);
        print_cell(out, name, 0, style);
        print_cell(out, class_word(cell), 0, style);
        return;
    }
    fputs(name, out);
    int have = (int)text_width(name);
    if (have >= width) {
        fputc('\n', out);
        have = 0;
    }
    fprintf(out, "%*s%-*s", width - have, "", CLASS, class_word(cell));
}

static void print_line(const sweep_cell *cell, FILE *out, report_style style) {
    print_scheme(cell, out, style);
    for (size_t r = 0; r < SWEEP_RATIOS; r++)
        print_ratio(&cell->number[r], out, style);
    print_cell(out, guarantee_word(cell), GUARANTEE, style);
    print_mean(&cell->number[SWEEP_RANK], "r", RANK, out, style);
    print_mean(&cell->number[SWEEP_TOEPLITZ], "t", TOEPLITZ, out, style);
    fputc('\n', out);
}

/* Whether two cells stand in one table. */
static bool together(const sweep_cell *a, const sweep_cell *b) {
    return a->n == b->n && strcmp(a->content, b->content) == 0;
}

/* Adds a name to a list; what does not fit is left away, whole. */
static void list(char *text, size_t size, const char *name) {
    size_t used = strlen(text);
    if (used + strlen(name) + 3 < size)
        snprintf(text + used, size - used, "%s%s", used == 0 ? "" : ", ", name);
}

static void say(FILE *out, report_style style, const char *begin, const char *names) {
    char text[LONG + 128];
    if (*names == '\0')
        return;
    snprintf(text, sizeof text, "%s %s.", begin, names);
    summary_say(out, style, 1, text);
}

/* Which schemes let no Ky Fan norm grow, and why. */
static void print_majorised(const sweep_tally *tally, size_t first, FILE *out, report_style style) {
    char guaranteed[LONG] = "", observed[LONG] = "", grew[LONG] = "";
    for (size_t i = first; i < tally->count; i++) {
        const sweep_cell *cell = &tally->cell[i];
        char item[LONG + 64];
        if (!together(cell, &tally->cell[first]) || cell->judged == 0)
            continue;
        text_clean(item, LONG, cell->scheme);
        if (cell->majorised == cell->judged)
            list(cell->majorised_guaranteed == cell->judged ? guaranteed : observed, LONG, item);
        else {
            snprintf(item + strlen(item), 64, " (%zu of %zu)", cell->judged - cell->majorised,
                     cell->judged);
            list(grew, LONG, item);
        }
    }
    say(out, style, "No Ky Fan norm grew, guaranteed:", guaranteed);
    say(out, style, "No Ky Fan norm grew, observed:", observed);
    say(out, style, "Some Ky Fan norm grew:", grew);
}

static void print_reasons(const sweep_tally *tally, size_t first, FILE *out, report_style style) {
    for (size_t i = first; i < tally->count; i++) {
        const sweep_cell *cell = &tally->cell[i];
        char text[2 * LONG], name[LONG], reason[AS_MESSAGE_MAX];
        if (!together(cell, &tally->cell[first]) || cell->others == 0)
            continue;
        text_clean(name, sizeof name, cell->scheme);
        text_clean(reason, sizeof reason, cell->reason);
        snprintf(text, sizeof text, "%s: %zu %s: %s", name, cell->others,
                 as_status_name(cell->status), reason);
        summary_say(out, style, 1, text);
    }
}

static void print_title(const sweep_tally *tally, size_t first, FILE *out, report_style style) {
    const sweep_cell *cell = &tally->cell[first];
    char text[LONG], content[LONG / 2];
    size_t least = SIZE_MAX, most = 0;
    for (size_t i = first; i < tally->count; i++)
        if (together(&tally->cell[i], cell) && tally->cell[i].ok > 0) {
            least = tally->cell[i].ok < least ? tally->cell[i].ok : least;
            most = tally->cell[i].ok > most ? tally->cell[i].ok : most;
        }
    text_clean(content, sizeof content, cell->content);
    snprintf(text, sizeof text,
             "%s%s%sn = %" PRIu64 ": norms over those of the content, mean%s of %s%zu %s a scheme",
             *content == '\0' ? "" : "Content ", content, *content == '\0' ? "" : ", ", cell->n,
             most < 2     ? ""
             : style.utf8 ? " ± standard deviation"
                          : " +- standard deviation",
             least < most ? "up to " : "", most, most == 1 ? "matrix" : "matrices");
    if (!style.markdown) {
        text_wrap(out, text, 0, 2);
        return;
    }
    fputs("### ", out);
    text_markdown(out, text);
    fputs("\n\n", out);
}

static void print_heads(FILE *out, report_style style) {
    int ratio = ratio_width(style), name = name_width(style);
    if (style.markdown) {
        fputs("| scheme | class | spectral | Frobenius | nuclear | guarantee | rank | Toeplitz |\n"
              "|:---|:---|---:|---:|---:|:---|---:|---:|\n",
              out);
        return;
    }
    fprintf(out, "\n%*s%*s\n", TEXT_COLUMNS - TOEPLITZ, "", TOEPLITZ, "Toep-");
    fprintf(out, "%-*s%-*s%*s%*s%*s%*s%*s%*s\n", name, "scheme", CLASS, "class", ratio, "spectral",
            ratio, "Frobenius", ratio, "nuclear", GUARANTEE, "guarantee", RANK, "rank", TOEPLITZ,
            "litz");
}

/* The table that begins with this cell. */
static void print_table(const sweep_tally *tally, size_t first, FILE *out, report_style style) {
    bool any = false;
    for (size_t i = first; i < tally->count; i++)
        any = any || (together(&tally->cell[i], &tally->cell[first]) && tally->cell[i].ok > 0);
    print_title(tally, first, out, style);
    if (any)
        print_heads(out, style);
    for (size_t i = first; i < tally->count; i++)
        if (together(&tally->cell[i], &tally->cell[first]) && tally->cell[i].ok > 0)
            print_line(&tally->cell[i], out, style);
    if (any && style.markdown)
        fputc('\n', out);
    print_majorised(tally, first, out, style);
    print_reasons(tally, first, out, style);
    fputc('\n', out);
}

static void print_tables(const sweep_tally *tally, FILE *out, report_style style) {
    for (size_t i = 0; sweep_shown(tally) && i < tally->count; i++) {
        size_t first = 0;
        while (!together(&tally->cell[first], &tally->cell[i]))
            first++;
        if (first == i)
            print_table(tally, i, out, style);
    }
}

/* Rows that the tables of schemes stand for: of the summary alone. */
static as_status sum_up(const report_rows *rows, summary *s) {
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        summary_add(s, &row);
    }
    s->contraction.used = s->contraction.others = 0; /* it is what the tables say */
    return AS_OK;
}

as_status sweep_report(const report_rows *rows, summary *s, FILE *out, report_style style,
                       bool *whole) {
    sweep_tally tally = {0};
    as_status status = sweep_gather(&tally, rows);
    *whole = status == AS_OK && sweep_drawn(&tally) && !style.values;
    if (status == AS_OK)
        print_tables(&tally, out, style);
    sweep_free(&tally);
    return *whole ? sum_up(rows, s) : status;
}
