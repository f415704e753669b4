/* attnspec report: a result file, the journal of one that goes on, a training run or a comparison, printed.
 * It computes no metric: numbers that the file does not hold are null. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <langinfo.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "output.h"
#include "report_against.h"
#include "report_comparison.h"
#include "report_group.h"
#include "report_run.h"
#include "report_table.h"
#include "tool.h"

#define NO_MEMORY "there is no memory for the report"

typedef struct report_options {
    common_options common;
    int format; /* report_format */
    bool values, spectra;
    text_list where;
    const char *sort;
    size_t top;
    int group; /* group_by */
    const char *against;
} report_options;

#define AT(field) .offset = offsetof(report_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "What is printed"},
    {.type = OPTION_CHOICE,
     .name = "format",
     .value = "FORMAT",
     .choices = "text|md|csv|json",
     .preset = "text",
     .help = "text for people, md (Markdown) for pages, csv for tables (one observation a row), "
             "json for programs",
     AT(format)},
    {.type = OPTION_SWITCH,
     .name = "values",
     .help = "whole spectra and histories too, not only what sums them up",
     AT(values)},
    {.type = OPTION_SWITCH, .name = "spectra", .help = "the same as --values", AT(spectra)},
    {.type = OPTION_GROUP, .help = "Which rows, and how they are put together"},
    {.type = OPTION_LIST,
     .name = "where",
     .value = "CONDITIONS",
     .help = "only rows that fulfil all, such as layer=0-3,status=ok,stable_rank<2",
     AT(where)},
    {.type = OPTION_TEXT,
     .name = "sort",
     .value = "KEY",
     .help = "order by KEY; -KEY or KEY:desc has the largest first. What lacks it comes last",
     AT(sort)},
    {.type = OPTION_SIZE,
     .name = "top",
     .value = "K",
     .low = 1,
     .help = "only the first K rows; without --sort those of largest spectral norm",
     AT(top)},
    {.type = OPTION_CHOICE,
     .name = "group",
     .value = "KEY",
     .choices = "none|layer|head|scheme|source|step",
     .preset = "none",
     .help = "a row for each: count, mean, min and max of the main numbers",
     AT(group)},
    {.type = OPTION_TEXT,
     .name = "against",
     .value = "FILE",
     .help = "compare with this result B, matrix by matrix: B - A and B / A",
     AT(against)},
    {.type = OPTION_END},
};

report_style report_style_for(const common_options *common, FILE *out) {
    const char *charset = nl_langinfo(CODESET);
    return (report_style){
        .utf8 = strcmp(charset, "UTF-8") == 0,
        .color = common->color == WHEN_ALWAYS ||
                 (common->color == WHEN_AUTO && isatty(fileno(out)) != 0),
    };
}

/* What the words ask for, read. */
typedef struct request {
    const report_options *options;
    report_where *where;
    report_order order;
    bool ordered;
    report_rows rows, others; /* of the operand, of --against */
    report_groups groups;
    report_against against;
    as_run *run;               /* owned; NULL: the operand is none */
    as_comparison *comparison; /* as run */
} request;

static as_status print_plain(const request *r, bool values, report_style style, FILE *out) {
    switch ((report_format)r->options->format) {
    case FORMAT_MD:
        return report_md(&r->rows, out, values);
    case FORMAT_CSV:
        return report_csv(&r->rows, out, values);
    case FORMAT_JSON:
        return report_json(&r->rows, out, values);
    case FORMAT_TEXT:
        break;
    }
    return report_text(&r->rows, out, style);
}

static as_status print_groups(const request *r, report_style style, FILE *out) {
    switch ((report_format)r->options->format) {
    case FORMAT_MD:
        report_groups_md(&r->groups, out);
        return AS_OK;
    case FORMAT_CSV:
        report_groups_csv(&r->groups, out);
        return AS_OK;
    case FORMAT_JSON:
        return report_groups_json(&r->groups, &r->rows, out);
    case FORMAT_TEXT:
        break;
    }
    report_groups_text(&r->groups, out, style);
    return AS_OK;
}

static as_status print_against(const request *r, bool values, report_style style, FILE *out) {
    switch ((report_format)r->options->format) {
    case FORMAT_MD:
        return report_against_md(&r->against, out, values);
    case FORMAT_CSV:
        return report_against_csv(&r->against, out, values);
    case FORMAT_JSON:
        return report_against_json(&r->against, out, values);
    case FORMAT_TEXT:
        break;
    }
    return report_against_text(&r->against, out, style);
}

static as_status print(const request *r, FILE *out) {
    const report_options *o = r->options;
    bool values = o->values || o->spectra;
    report_style style = report_style_for(&o->common, out);
    style.values = values;
    const char *path = o->common.operands.item[0];
    if (r->run != NULL)
        return report_run(r->run, path, (report_format)o->format, out, style);
    if (r->comparison != NULL)
        return report_comparison(r->comparison, path, (report_format)o->format, out, style);
    if (o->against != NULL)
        return print_against(r, values, style, out);
    return o->group != GROUP_NONE ? print_groups(r, style, out)
                                  : print_plain(r, values, style, out);
}

static int write_out(const request *r) {
    const common_options *common = &r->options->common;
    char why[OUTPUT_WHY];
    output_file out;
    if (output_is_input(common->output, common->operands.item, 1) ||
        (r->options->against != NULL && output_is_input(common->output, &r->options->against, 1)))
        return EXIT_OUTPUT;
    as_status status = output_open(common->output, common->force, &out, why);
    if (status != AS_OK) {
        message_error("%s", why);
    } else if ((status = print(r, out.stream)) != AS_OK) {
        message_error("%s", status == AS_ENOMEM ? NO_MEMORY : as_message());
        output_discard(&out);
    } else if ((status = output_commit(&out, why)) != AS_OK) {
        message_error("%s", why);
    }
    return exit_code_of(status);
}

/* An option that is of matrices and was given; NULL where there is none. */
static const char *word_of_matrices(const report_options *o) {
    return o->where.count > 0       ? "--where"
           : o->sort != NULL        ? "--sort"
           : o->top > 0             ? "--top"
           : o->group != GROUP_NONE ? "--group"
           : o->against != NULL     ? "--against"
                                    : NULL;
}

static const char a_run[] = "training run", a_comparison[] = "comparison of training runs";

/* Which of the two the file is; NULL: neither. */
static const char *kind_of_trained(const char *path) {
    return as_run_is(path) ? a_run : as_comparison_is(path) ? a_comparison : NULL;
}

static int report_trained(const tool *self, request *r, const char *kind) {
    const char *path = r->options->common.operands.item[0];
    const char *word = word_of_matrices(r->options);
    if (word != NULL)
        return usage_error(self,
                           "%s is of matrices, but %s is a %s: it takes --format and --values",
                           word, path, kind);
    as_status status =
        kind == a_run ? as_run_load(path, &r->run) : as_comparison_load(path, &r->comparison);
    if (status == AS_OK)
        return write_out(r);
    message_error("%s", status == AS_ENOMEM ? NO_MEMORY : as_message());
    return status == AS_ENOMEM ? exit_code_of(status) : EXIT_NOTHING;
}

/* Says why there is no going on. */
static int give_up(as_status status) {
    message_error("%s", status == AS_ENOMEM ? NO_MEMORY : as_message());
    return exit_code_of(status);
}

static int match(request *r, as_result *result) {
    char why[AGAINST_WHY];
    as_status status = report_select(result, r->where, NULL, 0, &r->others);
    if (status == AS_OK)
        status = report_against_match(&r->rows, &r->others, &r->against, why);
    if (status == AS_EMISMATCH) {
        message_error("%s", why);
        return EXIT_SOME_FAILED;
    }
    if (status != AS_OK)
        return give_up(status);
    r->against.path[0] = r->options->common.operands.item[0];
    r->against.path[1] = r->options->against;
    if (r->options->top > 0 && r->options->top < r->against.pairs)
        r->against.shown = r->options->top;
    if (r->against.pairs > 0)
        return write_out(r);
    message_error("%s and %s have no matrix in common: none fits by tensor, layer, batch and head, "
                  "and by scheme, content and seed where they have several",
                  r->against.path[0], r->against.path[1]);
    return EXIT_NOTHING;
}

static int compare(request *r) {
    as_result *other = NULL;
    const char *kind = kind_of_trained(r->options->against);
    if (kind != NULL) {
        message_error("%s is a %s: --against takes a result", r->options->against, kind);
        return EXIT_NOTHING;
    }
    if (as_result_open(r->options->against, &other) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_NOTHING;
    }
    int code = match(r, other);
    as_result_free(other);
    return code;
}

static int gather(request *r) {
    as_status status = report_group(&r->rows, (group_by)r->options->group, &r->groups);
    if (status != AS_OK)
        return give_up(status);
    report_groups_sort(&r->groups, r->ordered ? &r->order : NULL, r->options->top);
    if (r->groups.count > 0)
        return write_out(r);
    message_error("nothing to report: %s",
                  r->groups.stepless > 0 ? "what was analysed has no step in the name of its source"
                                         : "no matrix was analysed");
    return EXIT_NOTHING;
}

/* Which rows are printed: of groups and comparisons --top counts what is made of the rows. */
static int select_rows(request *r, as_result *result) {
    const report_options *o = r->options;
    bool whole = o->group != GROUP_NONE || o->against != NULL;
    bool sorted = r->ordered && o->group == GROUP_NONE;
    as_status status =
        report_select(result, r->where, sorted ? &r->order : NULL, whole ? 0 : o->top, &r->rows);
    if (status != AS_OK)
        return give_up(status);
    if (r->rows.count == 0 && as_result_count(result) > 0) {
        message_error("nothing to report: of %zu rows none fulfils --where",
                      as_result_count(result));
        return EXIT_NOTHING;
    }
    if (o->against != NULL)
        return compare(r);
    return o->group != GROUP_NONE ? gather(r) : write_out(r);
}

/* Reads the words; EXIT_DONE, or the exit code after the sentence. */
static int read_words(const tool *self, request *r) {
    const report_options *o = r->options;
    char why[KEY_WHY] = "";
    if (o->group != GROUP_NONE && o->against != NULL)
        return usage_error(self, "--group and --against are two reports: one at a time");
    if (o->group != GROUP_NONE && (o->values || o->spectra))
        return usage_error(self, "--values has no place in --group: a group has no spectrum");
    as_status status = report_where_parse(&o->where, &r->where, why);
    if (status == AS_EINVAL)
        return usage_error(self, "%s", why);
    if (status != AS_OK)
        return give_up(status);
    r->ordered = o->sort != NULL || o->top > 0;
    if (r->ordered &&
        !report_order_parse(o->sort != NULL ? o->sort : "-spectral_norm", &r->order, why))
        return usage_error(self, "%s", why);
    if (r->ordered && o->group != GROUP_NONE &&
        !report_group_order((group_by)o->group, &r->order, why))
        return usage_error(self, "%s", why);
    return EXIT_DONE;
}

static int run(const tool *self, void *values) {
    const report_options *o = values;
    request r = {.options = o};
    as_result *result = NULL;
    const char *path = o->common.operands.item[0], *kind = NULL;
    int code = read_words(self, &r);
    if (code == EXIT_DONE && (kind = kind_of_trained(path)) != NULL) {
        code = report_trained(self, &r, kind);
    } else if (code == EXIT_DONE && as_result_open(path, &result) != AS_OK) {
        message_error("%s", as_message());
        code = EXIT_NOTHING;
    } else if (code == EXIT_DONE) {
        code = select_rows(&r, result);
    }
    as_run_free(r.run);
    as_comparison_free(r.comparison);
    report_against_free(&r.against);
    report_groups_free(&r.groups);
    free(r.rows.index);
    free(r.others.index);
    report_where_free(r.where);
    as_result_free(result);
    return code;
}

const tool tool_report = {
    .name = "report",
    .operands = "FILE",
    .min_operands = 1,
    .max_operands = 1,
    .description =
        "Prints what a result file of attnspec analyze holds, or what its journal (OUT.part) holds "
        "so far. The text has one row a head, and says in words what stands out; a number that "
        "does not exist is a dash, and the reason is given below. CSV and JSON hold every number "
        "with all its digits.\n\n"
        "Of a training run (attnspec train, or its checkpoint OUT.part) it prints accuracy, "
        "curves, spectra along training and the ablation of heads; of a comparison (attnspec train "
        "--compare) the accuracies of schemes and tasks, beside those of Gu et al. 2025, and which "
        "of their claims reproduce. Both take --format and --values (the whole history and every "
        "point of "
        "the spectra, every trial), not the options of rows.\n\n"
        "CONDITIONS are KEY=VALUE, or with != < <= > >=, joined by commas; all must hold. KEY is "
        "source, tensor, scheme, content, kind, mask, dtype or status (text: * and ? are wild), "
        "layer, batch, head, n, rows, cols or seed (lists such as 0,3-5,8-), a metric, or "
        "contraction.RATIO; a number that does not exist is null. --sort takes the same keys.\n\n"
        "With --against, rows are matched by tensor, layer, batch and head, and by scheme, content "
        "and seed where the results have several.",
    .options = options,
    .options_size = sizeof(report_options),
    .examples = "attnspec report heads.h5\n"
                "attnspec report heads.h5 --format csv -o heads.csv\n"
                "# The five heads nearest to low rank, for a page:\n"
                "attnspec report heads.h5 --sort effective_rank --top 5 --format md\n"
                "attnspec report heads.h5 --group layer\n"
                "attnspec report before.h5 --against after.h5\n"
                "attnspec report run.h5\n"
                "attnspec report heads.h5 --format json --values | python3 -m json.tool\n",
    .run = run,
};
