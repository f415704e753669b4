/* attnspec report: a result file, or the journal of a run that goes on, printed.
 * It computes nothing: numbers that the file does not hold are null. */
#define _POSIX_C_SOURCE 200809L
#include "report.h"

#include <langinfo.h>
#include <string.h>
#include <unistd.h>

#include "message.h"
#include "output.h"
#include "tool.h"

typedef enum report_format { FORMAT_TEXT, FORMAT_CSV, FORMAT_JSON } report_format;

typedef struct report_options {
    common_options common;
    int format; /* report_format */
    bool values, spectra;
} report_options;

#define AT(field) .offset = offsetof(report_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "What is printed"},
    {.type = OPTION_CHOICE,
     .name = "format",
     .value = "FORMAT",
     .choices = "text|csv|json",
     .preset = "text",
     .help = "text for people, csv for tables (one observation a row), json for programs",
     AT(format)},
    {.type = OPTION_SWITCH,
     .name = "values",
     .help = "whole spectra too, not only what sums them up",
     AT(values)},
    {.type = OPTION_SWITCH, .name = "spectra", .help = "the same as --values", AT(spectra)},
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

static as_status print(const report_options *o, as_result *result, FILE *out) {
    bool values = o->values || o->spectra;
    if (o->format == FORMAT_CSV)
        return report_csv(result, out, values);
    if (o->format == FORMAT_JSON)
        return report_json(result, out, values);
    report_style style = report_style_for(&o->common, out);
    style.values = values;
    return report_text(result, out, style);
}

static int run(const tool *self, void *values) {
    const report_options *o = values;
    (void)self;
    as_result *result = NULL;
    if (as_result_open(o->common.operands.item[0], &result) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_NOTHING;
    }
    char why[OUTPUT_WHY];
    output_file out;
    if (output_is_input(o->common.output, o->common.operands.item, 1)) {
        as_result_free(result);
        return EXIT_OUTPUT;
    }
    as_status status = output_open(o->common.output, o->common.force, &out, why);
    if (status != AS_OK) {
        message_error("%s", why);
    } else if ((status = print(o, result, out.stream)) != AS_OK) {
        message_error("%s", as_message());
        output_discard(&out);
    } else if ((status = output_commit(&out, why)) != AS_OK) {
        message_error("%s", why);
    }
    as_result_free(result);
    return exit_code_of(status);
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
        "with all its digits.",
    .options = options,
    .options_size = sizeof(report_options),
    .examples = "attnspec report heads.h5\n"
                "attnspec report heads.h5 --format csv -o heads.csv\n"
                "attnspec report heads.h5 --format json --values | python3 -m json.tool\n",
    .run = run,
};
