/* report_group_print: groups of rows in the four formats.
 * It refuses a number that does not exist: a dash, an empty field, null. */
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "number.h"
#include "report_csv.h"
#include "report_group.h"
#include "report_json.h"
#include "report_text.h"
#include "text.h"

#define NUMBER_WIDTH 10
#define NAME_WIDTH   13
#define PER_BLOCK    2 /* main numbers side by side in 80 columns */

static bool numbered(const report_groups *groups) {
    return groups->by == GROUP_LAYER || groups->by == GROUP_HEAD || groups->by == GROUP_STEP;
}

/* "3", "rope:base=10000", or a dash. */
static const char *label(const report_groups *groups, const group_line *line, bool utf8,
                         char *text) {
    if (numbered(groups))
        snprintf(text, GROUP_NAME, "%" PRIu64, line->number);
    else
        text_clean(text, GROUP_NAME, line->name == NULL ? (utf8 ? "–" : "-") : line->name);
    return text;
}

static size_t label_width(const report_groups *groups, report_style style) {
    char text[GROUP_NAME];
    size_t widest = strlen(group_by_key(groups->by));
    for (size_t i = 0; i < groups->count; i++) {
        size_t width = text_width(label(groups, &groups->line[i], style.utf8, text));
        widest = width > widest ? width : widest;
    }
    return widest < NAME_WIDTH ? widest : NAME_WIDTH;
}

static void print_number(FILE *out, double value, report_style style) {
    char text[NUMBER_TEXT];
    print_right(
        out, isnan(value) ? (style.utf8 ? "–" : "-") : number_short(value, NUMBER_WIDTH - 1, text),
        NUMBER_WIDTH);
}

/* The table of the main numbers main[count]. */
static void print_block(const report_groups *groups, const size_t *main, size_t count, FILE *out,
                        report_style style) {
    char text[GROUP_NAME];
    size_t width = label_width(groups, style);
    fprintf(out, "%s%*s", escape(style, BOLD), (int)width + 7, "");
    for (size_t k = 0; k < count; k++)
        print_right(out, report_mains[main[k]].name, 3 * NUMBER_WIDTH);
    fputs("\n", out);
    text_fit(out, group_by_key(groups->by), width);
    fputs("  count", out);
    for (size_t k = 0; k < count; k++)
        fprintf(out, "%*s%*s%*s", NUMBER_WIDTH, "mean", NUMBER_WIDTH, "min", NUMBER_WIDTH, "max");
    fprintf(out, "%s\n", escape(style, PLAIN));
    for (size_t i = 0; i < groups->count; i++) {
        const group_line *line = &groups->line[i];
        label(groups, line, style.utf8, text);
        if (numbered(groups))
            print_right(out, text, (int)width);
        else
            text_fit(out, text, width);
        fprintf(out, "%7zu", line->count);
        for (size_t k = 0; k < count; k++) {
            print_number(out, line->of[main[k]].mean, style);
            print_number(out, line->of[main[k]].min, style);
            print_number(out, line->of[main[k]].max, style);
        }
        fputs("\n", out);
    }
    fputs("\n", out);
}

static const char *legend(const report_groups *groups, char *text, size_t size) {
    size_t used = (size_t)snprintf(text, size,
                                   "count: matrices that were analysed. A mean is over those of "
                                   "them that have the number.");
    if (groups->left_out > 0)
        used += (size_t)snprintf(text + used, size - used, " Left out: %zu that %s not analysed.",
                                 groups->left_out, groups->left_out == 1 ? "was" : "were");
    if (groups->stepless > 0)
        snprintf(text + used, size - used, " Left out: %zu with no step in the name of the source.",
                 groups->stepless);
    return text;
}

void report_groups_text(const report_groups *groups, FILE *out, report_style style) {
    size_t block[PER_BLOCK], used = 0;
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        if (groups->has[m])
            block[used++] = m;
        if (used == PER_BLOCK || (used > 0 && m == REPORT_MAIN - 1)) {
            print_block(groups, block, used, out, style);
            used = 0;
        }
    }
    char text[256];
    text_wrap(out, legend(groups, text, sizeof text), 0, 0);
}

void report_groups_md(const report_groups *groups, FILE *out) {
    char text[GROUP_NAME], number[NUMBER_TEXT];
    fprintf(out, "| %s | count |", group_by_key(groups->by));
    for (size_t m = 0; m < REPORT_MAIN; m++)
        if (groups->has[m])
            fprintf(out, " %s: mean | min | max |", report_mains[m].name);
    fprintf(out, "\n|%s|---:|", numbered(groups) ? "---:" : ":---");
    for (size_t m = 0; m < REPORT_MAIN; m++)
        if (groups->has[m])
            fputs("---:|---:|---:|", out);
    fputs("\n", out);
    for (size_t i = 0; i < groups->count; i++) {
        const group_line *line = &groups->line[i];
        fputs("| ", out);
        text_markdown(out, label(groups, line, true, text));
        fprintf(out, " | %zu |", line->count);
        for (size_t m = 0; m < REPORT_MAIN; m++) {
            const double values[] = {line->of[m].mean, line->of[m].min, line->of[m].max};
            for (size_t k = 0; k < 3 && groups->has[m]; k++)
                fprintf(out, " %s |", isnan(values[k]) ? "–" : number_short(values[k], 10, number));
        }
        fputs("\n", out);
    }
    char said[256];
    fputs("\n", out);
    text_markdown(out, legend(groups, said, sizeof said));
    fputs("\n", out);
}

void report_groups_csv(const report_groups *groups, FILE *out) {
    fprintf(out, "%s,metric,count,mean,min,max\r\n", group_by_key(groups->by));
    for (size_t i = 0; i < groups->count; i++)
        for (size_t m = 0; m < REPORT_MAIN; m++) {
            const group_line *line = &groups->line[i];
            const double values[] = {line->of[m].mean, line->of[m].min, line->of[m].max};
            if (!groups->has[m])
                continue;
            if (numbered(groups))
                fprintf(out, "%" PRIu64, line->number);
            else
                csv_field(out, line->name);
            fprintf(out, ",%s,%zu", report_mains[m].key, line->of[m].count);
            for (size_t k = 0; k < 3; k++) {
                fputc(',', out);
                csv_number(out, values[k]);
            }
            fputs("\r\n", out);
        }
}

as_status report_groups_json(const report_groups *groups, const report_rows *rows, FILE *out) {
    as_json *json = as_json_new();
    as_status status = json_head(json, rows);
    as_json_string(json, "group_by", group_by_key(groups->by));
    as_json_array(json, "groups");
    for (size_t i = 0; i < groups->count && status == AS_OK; i++) {
        const group_line *line = &groups->line[i];
        as_json_object(json, NULL);
        if (numbered(groups))
            as_json_integer(json, group_by_key(groups->by), line->number);
        else
            as_json_string(json, group_by_key(groups->by), line->name);
        as_json_integer(json, "count", line->count);
        as_json_object(json, "metrics");
        for (size_t m = 0; m < REPORT_MAIN; m++) {
            as_json_object(json, report_mains[m].key);
            as_json_integer(json, "count", line->of[m].count);
            as_json_number(json, "mean", line->of[m].mean);
            as_json_number(json, "min", line->of[m].min);
            as_json_number(json, "max", line->of[m].max);
            as_json_end(json);
        }
        as_json_end(json);
        as_json_end(json);
        status = json_pour(json, out);
    }
    as_json_end(json);
    as_json_end(json);
    if (status == AS_OK)
        status = json_pour(json, out);
    as_json_free(json);
    return status;
}
