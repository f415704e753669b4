/* attnspec ablate: accuracy with each head of a trained model removed, and how much of a layer hangs on
 * one head. The run file gets the ablation beside its weights.
 * It refuses runs that are not finished. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "interrupt.h"
#include "message.h"
#include "output.h"
#include "progress.h"
#include "report_run.h"
#include "tool.h"
#include "train.h"

typedef struct ablate_options {
    common_options common;
    size_t tests;
} ablate_options;

#define AT(field) .offset = offsetof(ablate_options, field)
static const option options[] = {
    {.type = OPTION_GROUP, .help = "What is measured"},
    {.type = OPTION_SIZE,
     .name = "test-samples",
     .value = "N",
     .low = 1,
     .high = 10000000,
     .help = "samples of the test set; those of the training where not given",
     AT(tests)},
    {OPTION_TEXT, 'o', "output", "FILE", .incidental = true,
     .help = "write the run with its ablation to FILE, and leave RUN as it is", AT(common.output)},
    {.type = OPTION_END},
};

typedef struct ablation {
    const ablate_options *o;
    as_run *run;
    as_trainer *trainer;
    bool *with, *without; /* [answers] */
    as_run_ablation found;
} ablation;

static as_status make_room(ablation *a) {
    const as_train_config *c = as_trainer_config(a->trainer);
    uint64_t answers = as_trainer_answers(a->trainer);
    a->with = calloc(answers, sizeof *a->with);
    a->without = calloc(answers, sizeof *a->without);
    a->found.answers = answers;
    a->found.head_count = c->layers * c->heads;
    a->found.layer_count = c->layers;
    a->found.head = calloc(a->found.head_count, sizeof *a->found.head);
    a->found.deposit = calloc(c->layers, sizeof *a->found.deposit);
    return a->with && a->without && a->found.head && a->found.deposit ? AS_OK : AS_ENOMEM;
}

/* Without the head in one way. */
static as_status remove_head(ablation *a, as_removal_kind kind, const as_run_head *head,
                             as_ablated *out) {
    const as_removal removal = {kind, (size_t)head->layer, (size_t)head->head};
    as_score score;
    as_status status = as_trainer_evaluate(a->trainer, &removal, &score, a->without);
    if (status == AS_OK)
        *out = as_ablate_compare(a->with, a->without, a->found.answers);
    return status;
}

static as_status measure_heads(ablation *a) {
    size_t heads = as_trainer_config(a->trainer)->heads;
    as_score whole;
    as_status status = as_trainer_evaluate(a->trainer, NULL, &whole, a->with);
    if (status == AS_OK)
        a->found.baseline = whole.accuracy;
    for (size_t i = 0; i < a->found.head_count && status == AS_OK && interrupt_signal() == 0; i++) {
        as_run_head *head = &a->found.head[i];
        as_ablated zero = {0}, mean = {0};
        *head = (as_run_head){.layer = i / heads, .head = i % heads};
        status = remove_head(a, AS_REMOVE_ZERO, head, &zero);
        if (status == AS_OK)
            status = remove_head(a, AS_REMOVE_MEAN, head, &mean);
        head->accuracy = zero.accuracy, head->drop = zero.drop;
        head->low = zero.low, head->high = zero.high;
        head->mean_accuracy = mean.accuracy, head->mean_drop = mean.drop;
        head->mean_low = mean.low, head->mean_high = mean.high;
        progress_step(false);
    }
    return status;
}

static as_status find_deposits(ablation *a) {
    size_t heads = as_trainer_config(a->trainer)->heads;
    double *drops = calloc(2 * heads, sizeof *drops);
    for (size_t l = 0; l < a->found.layer_count && drops != NULL; l++) {
        for (size_t h = 0; h < heads; h++) {
            drops[h] = a->found.head[l * heads + h].drop;
            drops[heads + h] = a->found.head[l * heads + h].mean_drop;
        }
        as_deposit zero = as_deposit_of(drops, heads), mean = as_deposit_of(drops + heads, heads);
        a->found.deposit[l] = (as_run_deposit){.layer = l,
                                               .worst_head = zero.worst_head,
                                               .index = zero.index,
                                               .worst_drop = zero.worst_drop,
                                               .second_drop = zero.second_drop,
                                               .mean_index = mean.index};
    }
    bool made = drops != NULL;
    free(drops);
    return made ? AS_OK : AS_ENOMEM;
}

static int fail(as_status status) {
    message_error("%s", status == AS_ENOMEM && *as_message() == '\0'
                            ? "there is no memory for this ablation"
                            : as_message());
    return exit_code_of(status);
}

/* The report on standard output, of the run with what was found; path NULL: it is in no file. */
static int print(ablation *a, const char *path) {
    const common_options *common = &a->o->common;
    char why[OUTPUT_WHY];
    output_file out;
    as_run_ablation kept = a->run->ablation;
    a->run->ablation = a->found;
    as_status status = output_open(NULL, false, &out, why);
    if (status == AS_OK)
        status =
            report_run(a->run, path, FORMAT_TEXT, out.stream, report_style_for(common, out.stream));
    if (status == AS_OK)
        status = output_commit(&out, why);
    a->run->ablation = kept;
    return status == AS_OK ? EXIT_DONE : fail(status);
}

/* The run file is changed only when all is measured; then the report is printed, also where there was no
 * room for the file: what was measured is not lost. */
static int deliver(ablation *a, const char *path, const char *to) {
    as_status status = as_run_ablated(path, to, a->o->common.force, &a->found);
    if (status != AS_OK) {
        int code = fail(status);
        (void)print(a, NULL);
        return code;
    }
    int code = print(a, to);
    if (code == EXIT_DONE)
        message_note("%s has the ablation now; next: attnspec report %s", to, to);
    return code;
}

/* Whether the ablation could be written, before it is measured. */
static int look(const ablation *a, const char *path, const char *to) {
    const char *text = as_trainer_facts(a->trainer)->file;
    if (text != NULL && output_is_input(to, &text, 1))
        return EXIT_OUTPUT;
    as_status status = as_output_try(to, a->o->common.force || strcmp(to, path) == 0);
    if (status == AS_OK)
        return EXIT_DONE;
    message_error("%s%s", as_message(),
                  status == AS_EEXIST     ? "; --force replaces it"
                  : strcmp(to, path) == 0 ? "; -o FILE writes a copy with the ablation"
                                          : "");
    return exit_code_of(status);
}

static int work(ablation *a, const char *path, const char *to) {
    interrupt_catch();
    as_status status = make_room(a);
    if (status == AS_OK) {
        progress_start(&a->o->common, "heads", a->found.head_count);
        status = measure_heads(a);
        progress_stop();
    }
    if (status == AS_OK && interrupt_signal() != 0) {
        message_error("interrupted; nothing is written");
        return interrupt_exit_code();
    }
    if (status == AS_OK)
        status = find_deposits(a);
    return status == AS_OK ? deliver(a, path, to) : fail(status);
}

/* A run at its end. An exit code, after the sentence. */
static int load(const char *path, as_run **out) {
    as_status status = as_run_load(path, out);
    if (status != AS_OK) {
        message_error("%s", as_message());
        return exit_code_of(status);
    }
    if ((*out)->finished)
        return EXIT_DONE;
    message_error("%s is not finished: attnspec train --resume goes on with it", path);
    return EXIT_NOTHING;
}

static int run(const tool *self, void *values) {
    const ablate_options *o = values;
    const char *path = o->common.operands.item[0];
    const char *to = o->common.output != NULL ? o->common.output : path;
    ablation a = {.o = o};
    if (strcmp(to, "-") == 0)
        return usage_error(self, "a run is a file, which RUN or -o must name");
    int code = load(path, &a.run);
    if (code == EXIT_DONE)
        code = exit_code_of(trainer_of_run(a.run, path, o->tests, o->common.threads, &a.trainer));
    if (code == EXIT_DONE)
        code = look(&a, path, to);
    if (code == EXIT_DONE)
        code = work(&a, path, to);
    as_trainer_free(a.trainer);
    free(a.with);
    free(a.without);
    free(a.found.head);
    free(a.found.deposit);
    as_run_free(a.run);
    return code;
}

const tool tool_ablate = {
    .name = "ablate",
    .operands = "RUN",
    .min_operands = 1,
    .max_operands = 1,
    .description =
        "Takes every head of a trained model away, one at a time, and says what that costs on the "
        "test set: once with its rows of the value projection set to zero, once with its output "
        "set to its mean. A drop has the 95 % interval of its paired difference. The deposit "
        "index of a layer is the largest drop over the sum of the positive ones: 1 where one head "
        "carries all. The ablation goes into the run file, or with -o into a copy.",
    .options = options,
    .options_size = sizeof(ablate_options),
    .examples = "attnspec train --scheme rope -o rope.h5\n"
                "attnspec ablate rope.h5\n"
                "attnspec report rope.h5 --format json\n",
    .run = run,
};
