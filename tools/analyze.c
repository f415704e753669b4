/* attnspec analyze: spectra and metrics of every layer and head of any number of dumps.
 * Without -o it prints the text report and writes nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "delivery.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"
#include "tool.h"

/* Says why every input has nothing, when none has. */
static bool anything(const as_source *source) {
    for (size_t i = 0; i < as_source_count(source); i++) {
        if (as_source_item(source, i)->status == AS_OK) {
            return true;
        }
    }
    for (size_t i = 0; i < as_source_count(source); i++) {
        const as_item *item = as_source_item(source, i);
        message_item(item, item->status, item->reason);
    }
    message_error("nothing to analyse");
    return false;
}

/* An option that had nothing to do is said: it may not mean what its user thinks. */
static void remark(const analyze_options *o, const analyze_outcome *outcome) {
    bool operations = o->scale != 0 || o->softcap != 0 || o->center != 0 || o->biases.count > 0;
    if (outcome->analysed == 0) {
        return;
    }
    if (operations && outcome->weights > 0) {
        message_note("%zu of %zu matrices are weights, and left as they are: --scale, --softcap, "
                     "--bias and --center are of logits",
                     outcome->weights, outcome->analysed);
    }
    if (o->reading.sentinel != NULL && outcome->sentinels == 0) {
        message_note("no entry equals --sentinel %s: nothing was masked by it",
                     o->reading.sentinel);
    }
    if (o->drop_padding && outcome->dropped == 0) {
        message_note("no padding was found: --drop-padding left every matrix as it is");
    }
}

/* What an earlier run has done of this one's plan. */
static size_t done_before(as_result_writer *writer, size_t planned) {
    size_t done = 0;
    for (size_t i = 0; i < planned; i++) {
        done += as_result_has(writer, i);
    }
    return done;
}

/* The journal of this run, whose inputs are the files of numbers and those that say how to couple
 * them; the sentence of a failure is told. */
static as_status open_writer(const tool *self, const delivery *d, const analyze_options *o,
                             const analyze_request *r, const as_source *source,
                             as_result_writer **out) {
    size_t inputs = as_source_input_count(source), count = 0;
    const char **paths = calloc(inputs + o->schemes.count + 2, sizeof *paths);
    if (paths == NULL) {
        message_error("no memory for %zu inputs", inputs);
        return AS_ENOMEM;
    }
    for (size_t i = 0; i < inputs; i++) {
        paths[count++] = as_source_input_path(source, i);
    }
    for (size_t i = 0; i < o->schemes.count; i++) {
        const char *path = as_scheme_input(o->schemes.item[i], &r->schemes[i]);
        count += (paths[count] = path) != NULL;
    }
    count += (paths[count] = o->hf_config) != NULL;
    count += (paths[count] = o->positions) != NULL;
    as_status status = delivery_open(self, d, paths, count, out);
    free(paths);
    return status;
}

static analyze_job job_of(const analyze_options *o, const analyze_request *r,
                          const as_source *source, as_result_writer *writer) {
    return (analyze_job){.source = source,
                         .writer = writer,
                         .masked_as = r->source.masked_as,
                         .summary = r->summary,
                         .threads = o->common.threads,
                         .deterministic = o->common.deterministic};
}

static int work(const tool *self, const analyze_options *o, const analyze_request *r,
                const as_source *source) {
    const delivery d = {.common = &o->common,
                        .resume = o->resume,
                        .grid = o->grid,
                        .nothing = "nothing to analyse"};
    as_result_writer *writer;
    as_status status = open_writer(self, &d, o, r, source, &writer);
    if (status != AS_OK) {
        return exit_code_of(status);
    }
    if (as_result_writer_complete(writer)) {
        as_result_writer_free(writer);
        return delivery_complete(&d);
    }
    analyze_job job = job_of(o, r, source, writer);
    analyze_outcome outcome;
    size_t before = done_before(writer, as_source_count(source));
    if (before > 0) {
        message_note("%zu of %zu are done already", before, as_source_count(source));
    }
    interrupt_catch();
    progress_start(&o->common, "matrices", as_source_count(source) - before);
    analyze_run(&job, &outcome);
    progress_stop();
    remark(o, &outcome);
    return delivery_end(&d, writer, as_source_count(source), &outcome.run);
}

static int dry_run(const analyze_options *o, const analyze_request *r, const as_source *source) {
    analyze_job job = job_of(o, r, source, NULL);
    return analyze_print_plan(&job, o->common.output != NULL);
}

static int run(const tool *self, void *values) {
    analyze_options *o = values;
    if (o->common.output != NULL && strcmp(o->common.output, "-") == 0) {
        return usage_error(self, "a result is a file, which -o must name; without -o the report "
                                 "is printed");
    }
    if (o->resume && o->common.output == NULL) {
        return usage_error(self, "--resume goes on with an output, which -o must name");
    }
    if (o->common.operands.count == 0 && o->queries.count == 0) {
        return usage_error(self, "an INPUT is missing, or --query and --key");
    }
    analyze_request r;
    int code = analyze_request_parse(self, o, &r);
    if (code == EXIT_DONE) {
        as_source *source;
        as_status status =
            as_source_open(o->common.operands.item, o->common.operands.count, &r.source, &source);
        if (status == AS_EINVAL) {
            code = usage_error(self, "%s", as_message());
        } else if (status != AS_OK) {
            message_error("%s", as_message());
            code = EXIT_SOME_FAILED;
        } else {
            if (as_source_note(source) != NULL) {
                message_note("%s", as_source_note(source));
            }
            message_left_out(as_source_left_out(source));
            code = o->dry_run         ? dry_run(o, &r, source)
                   : anything(source) ? work(self, o, &r, source)
                                      : EXIT_NOTHING;
            as_source_close(source);
        }
    }
    analyze_request_free(&r);
    return code;
}

const tool tool_analyze = {
    .name = "analyze",
    .operands = "[INPUT...]",
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .description =
        "Takes the singular values of every matrix of attention logits or weights in the inputs, "
        "and the metrics that follow from them. INPUT is FILE or FILE:TENSOR-GLOB; FILE may "
        "be a folder, which stands for every file below it, layer_2 before layer_10, or a quoted "
        "pattern of names.\n\n"
        "With --query and --key it makes the logits itself: coupled by a positional encoding, and "
        "compared with content only. A dump of attnspec build holds both already. The report says "
        "which norms contracted, and whether a theorem says so or it was only seen.\n\n"
        "Results go to the file that -o names (HDF5, NeXus), through a journal OUT.part that "
        "survives a kill; without -o the report is printed and nothing is written. A matrix that "
        "fails has its row and its reason, and the others go on.",
    .options = analyze_rows,
    .options_size = sizeof(analyze_options),
    .examples = "attnspec analyze attention.npy\n"
                "attnspec analyze runs/*.npy -o all.h5\n"
                "# A whole folder: what is in it, then all of it:\n"
                "attnspec analyze runs --dry-run\n"
                "attnspec analyze runs -o all.h5\n"
                "# Two heads of one layer of a large dump:\n"
                "attnspec analyze big.npy --layers 3 --heads 0,1 -o l3.h5\n"
                "# Which norms does a rotation contract, head by head?\n"
                "attnspec analyze --query q.npy --key k.npy --scheme rope -o rope.h5\n",
    .run = run,
};
