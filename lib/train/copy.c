/* A sequence, and the same again: who copies looks back by a fixed offset.
 * It refuses sequences that do not fit twice, and vocabularies with less than two tokens for them. */
#include "base/fail.h"
#include "train/task.h"

enum { LENGTH };                               /* place in params */
enum { SEPARATOR = 1, FIRST = SEPARATOR + 1 }; /* tokens */

static const as_param params[] = {
    [LENGTH] = {.key = "length",
                .type = AS_PARAM_COUNT,
                .preset = "auto",
                .low = 1,
                .high = AS_TASK_MOST,
                .meaning = "tokens of the sequence; auto: what fits, (n - 1)/2"},
    {.key = NULL}};

static as_status plan(as_task *task) {
    size_t n = task->n, length = as_task_settle(task, LENGTH, n > 2 ? (n - 1) / 2 : 1);
    if (2 * length + 1 > n) {
        return as_fail(AS_EINVAL,
                       "twice length=%zu and a separator take %zu positions, but n is %zu", length,
                       2 * length + 1, n);
    }
    if (task->vocab < FIRST + 2) {
        return as_fail(
            AS_EINVAL,
            "padding, the separator and two tokens take a vocabulary of %d, but it has %zu",
            FIRST + 2, task->vocab);
    }
    task->facts = (as_task_facts){
        .classes = task->vocab,
        .causal = true,
        .per_position = true,
        .plateau = 1 / (double)(task->vocab - FIRST),
        .plateau_of = "by guessing a token of the alphabet",
    };
    return AS_OK;
}

/* (T12). The separator asks for the first token of the copy, and the last token asks for nothing. */
static void draw(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels) {
    (void)split; /* it is in the stream's key */
    size_t length = as_task_size(task, LENGTH);
    for (size_t i = 0; i < length; i++) {
        tokens[i] = (uint32_t)(FIRST + as_task_below(stream, task->vocab - FIRST));
        tokens[length + 1 + i] = tokens[i];
    }
    tokens[length] = SEPARATOR;
    as_task_next(tokens, length, 2 * length, labels);
}

const as_task_type as_task_copy = {
    .name = "copy",
    .summary = "random tokens, a separator and the same tokens again, each to be foretold",
    .params = params,
    .plan = plan,
    .draw = draw,
};
