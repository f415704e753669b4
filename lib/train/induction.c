/* A stretch that repeats with a period of its own in each sample: who foretells it looks for what came
 * behind the same token before. It refuses periods longer than a sample or an alphabet. */
#include "base/fail.h"
#include "train/task.h"

enum { LEAST, MOST }; /* places in params */
enum { FIRST = 1 };   /* token behind padding, of which there is none here */

static const as_param params[] = {
    [LEAST] = {.key = "least",
               .type = AS_PARAM_COUNT,
               .preset = "auto",
               .low = 2,
               .high = AS_TASK_MOST,
               .meaning = "the shortest period; auto: a quarter of n, at most `most`"},
    [MOST] = {.key = "most",
              .type = AS_PARAM_COUNT,
              .preset = "auto",
              .low = 2,
              .high = AS_TASK_MOST,
              .meaning = "the longest period; auto: half of n, or as many tokens as there are"},
    {.key = NULL}};

static size_t within(size_t value, size_t low, size_t high) {
    return value > high ? high : value < low ? low : value;
}

static as_status plan(as_task *task) {
    size_t n = task->n, alphabet = task->vocab - FIRST;
    size_t fits = n - 1 < alphabet ? n - 1 : alphabet; /* one repeated token at least */
    size_t most = as_task_settle(task, MOST, within(n / 2, 2, fits > 2 ? fits : 2));
    size_t least = as_task_settle(task, LEAST, within(n / 4, 2, most));
    if (least > most) {
        return as_fail(AS_EINVAL, "least=%zu is more than most=%zu", least, most);
    }
    if (most >= n) {
        return as_fail(AS_EINVAL, "nothing is repeated where most=%zu and n is %zu", most, n);
    }
    if (most > alphabet) {
        return as_fail(AS_EINVAL,
                       "padding and most=%zu different tokens take a vocabulary of %zu, but it has "
                       "%zu",
                       most, most + FIRST, task->vocab);
    }
    task->facts = (as_task_facts){
        .classes = task->vocab,
        .causal = true,
        .per_position = true,
        .plateau = 1 / (double)alphabet,
        .plateau_of = "by guessing a token of the alphabet",
    };
    return AS_OK;
}

/* (T13). Tokens of a stretch are different, so that the token before tells which comes next. Before
 * position P it is not known, nor is P. What follows the last position is known by its period. */
static void draw(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels) {
    (void)split; /* it is in the stream's key */
    size_t least = as_task_size(task, LEAST), most = as_task_size(task, MOST);
    size_t period = least + as_task_below(stream, most - least + 1);
    as_task_distinct(stream, FIRST, task->vocab - FIRST, period, tokens);
    for (size_t i = period; i < task->n; i++) {
        tokens[i] = tokens[i - period];
        labels[i] = (int32_t)tokens[i + 1 - period];
    }
}

const as_task_type as_task_induction = {
    .name = "induction",
    .summary = "different tokens that repeat with a random period, each to be foretold",
    .params = params,
    .plan = plan,
    .draw = draw,
};
