/* attnspec sweep: schemes × contents × lengths × seeds in one go, without writing the matrices.
 * It refuses words that are no scheme, content, length or mask; a scheme that is undefined here has a
 * row that says so. */
#include <string.h>

#include "draw.h"
#include "interrupt.h"
#include "message.h"
#include "sweep.h"
#include "tool.h"

/* A seed is a column of doubles for many readers, which are exact up to here. */
#define MAX_SEED 0x1p53

#define AT(field) .offset = offsetof(sweep_options, field)
const option sweep_rows[] = {
    {.type = OPTION_GROUP, .help = "What is swept: every combination"},
    {.type = OPTION_LIST,
     .name = "scheme",
     .value = "SCHEME",
     .help = "a positional encoding, name[:key=value,...]; 'all' is every one at "
             "its defaults. A value may be a list, as in rope:base=1e4|5e5, or @FILE, a value a "
             "line; so may the whole: alibi|hf:a.json, @FILE",
     AT(schemes)},
    {.type = OPTION_LIST,
     .name = "content",
     .value = "CONTENT",
     .help = "where q and k come from, with lists as above, such as mean:strength=1|2|4; "
             "gaussian where not given",
     AT(contents)},
    {.type = OPTION_TEXT,
     .name = "n",
     .value = "LIST",
     .preset = "128",
     .help = "lengths, such as 128,256: logits are n by n",
     AT(sizes)},
    {.type = OPTION_SIZE,
     .name = "seeds",
     .value = "K",
     .preset = "1",
     .low = 1,
     .high = 1000000,
     .help = "how many seeds, from --seed on",
     AT(seeds)},
    {.type = OPTION_SIZE,
     .name = "seed",
     .value = "X",
     .preset = "0",
     .high = MAX_SEED - 1000000,
     .help = "the first seed, of every random number",
     AT(seed)},
    {.type = OPTION_GROUP, .help = "The heads of each"},
    {.type = OPTION_SIZE,
     .name = "head-dim",
     .value = "D",
     .preset = "64",
     .low = 1,
     .high = 1048576,
     .help = "head size",
     AT(dim)},
    HEADS_ROWS(sweep_options),
    {.type = OPTION_TEXT,
     .name = "mask",
     .value = "MASK",
     .preset = "none",
     .help = "none, causal, window:W or prefix:P",
     AT(mask)},
    {.type = OPTION_CHOICE,
     .name = "masked-as",
     .value = "HOW",
     .choices = "zero|softmax",
     .preset = "zero",
     .help = "before the spectrum is taken, masked logits become 0, or all rows are softmaxed",
     AT(masked_as)},
    {.type = OPTION_GROUP, .help = "Work"},
    TAKING_ROWS(offsetof(sweep_options, taking)),
    {.type = OPTION_SWITCH,
     .name = "resume",
     .incidental = true,
     .help = "go on with the OUT.part of an interrupted run",
     AT(resume)},
    {OPTION_TEXT, 'o', "output", "FILE", .incidental = true,
     .help = "write the results to FILE; without it print the text report", AT(common.output)},
    {.type = OPTION_END},
};

static int work(const tool *self, const sweep_options *o, const sweep_plan *plan) {
    const delivery d = {.common = &o->common,
                        .resume = o->resume,
                        .nothing = "nothing to sweep: every combination was skipped"};
    as_result_writer *writer;
    as_status status =
        delivery_open(self, &d, (const char *const *)plan->files.item, plan->files.count, &writer);
    if (status != AS_OK) {
        return exit_code_of(status);
    }
    if (as_result_writer_complete(writer)) {
        as_result_writer_free(writer);
        return delivery_complete(&d);
    }
    delivery_outcome outcome;
    interrupt_catch();
    sweep_run(plan, writer, &outcome);
    return delivery_end(&d, writer, plan->count, &outcome);
}

static int run(const tool *self, void *values) {
    sweep_options *o = values;
    if (o->schemes.count == 0) {
        return usage_error(self, "--scheme names what is to be swept; 'all' is every scheme");
    }
    if (o->common.output != NULL && strcmp(o->common.output, "-") == 0) {
        return usage_error(self, "a result is a file, which -o must name; without -o the report "
                                 "is printed");
    }
    if (o->resume && o->common.output == NULL) {
        return usage_error(self, "--resume goes on with an output, which -o must name");
    }
    o->kv_heads = o->kv_heads > 0 ? o->kv_heads : o->heads;
    if (o->heads % o->kv_heads != 0) {
        return usage_error(self, "--heads %zu is no multiple of --kv-heads %zu", o->heads,
                           o->kv_heads);
    }
    sweep_plan plan;
    int code = sweep_plan_make(self, o, &plan);
    if (code == EXIT_DONE) {
        code = work(self, o, &plan);
    }
    sweep_plan_free(&plan);
    return code;
}

const tool tool_sweep = {
    .name = "sweep",
    .operands = "",
    .min_operands = 0,
    .max_operands = 0,
    .description =
        "Draws q and k from every content, at every length and for every seed, couples them by "
        "every scheme, and takes spectra, metrics and contraction ratios as attnspec analyze does "
        "of a dump of attnspec build, with the same numbers; no matrix is written. All schemes "
        "of a seed see the same q and k.\n\n"
        "The report has a table for each content and length: schemes as rows, norms as columns, "
        "means and standard deviations over seeds, layers and heads. Results go to the file that "
        "-o names, as those of analyze do, through a journal OUT.part that survives a kill. A "
        "scheme that is undefined under the mask or for the head size has its row and its reason, "
        "and the others go on.",
    .options = sweep_rows,
    .options_size = sizeof(sweep_options),
    .examples = "attnspec sweep --scheme all --seeds 3\n"
                "attnspec sweep --scheme all --content 'gaussian|mean:strength=1|2|4' \\\n"
                "    --n 128,256,512 --seeds 5 -o sweep.h5\n"
                "attnspec report sweep.h5\n"
                "# One parameter:\n"
                "attnspec sweep --scheme 'rope:base=100|10000|500000' --content mean --seeds 5\n",
    .run = run,
};
