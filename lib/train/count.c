/* How many trigger words a sentence has: a task that is solved without positions.
 * It refuses sentences longer than a sample or shorter than the largest count, and vocabularies without
 * fillers. */
#include "base/fail.h"
#include "train/task.h"

enum { SENTENCE, TRIGGERS, MOST }; /* places in params */

static const as_param params[] = {
    [SENTENCE] = {.key = "sentence",
                  .type = AS_PARAM_COUNT,
                  .preset = "auto",
                  .low = 1,
                  .high = AS_TASK_MOST,
                  .meaning = "tokens of a sentence, the rest is padding; auto: n - 2"},
    [TRIGGERS] = {.key = "triggers",
                  .type = AS_PARAM_COUNT,
                  .preset = "7",
                  .low = 1,
                  .high = AS_TASK_MOST,
                  .meaning = "how many tokens are triggers, the first ones behind padding"},
    [MOST] = {.key = "most",
              .type = AS_PARAM_COUNT,
              .preset = "auto",
              .low = 1,
              .high = AS_TASK_MOST,
              .meaning = "the largest count; auto: 25/32 of n, or the sentence where that is "
                         "shorter"},
    {.key = NULL}};

static as_status plan(as_task *task) {
    size_t n = task->n, triggers = as_task_size(task, TRIGGERS), share = 25 * n / 32;
    size_t sentence = as_task_settle(task, SENTENCE, n > 2 ? n - 2 : 1);
    share = share > sentence ? sentence : share;
    size_t most = as_task_settle(task, MOST, share > 0 ? share : 1);
    if (sentence > n) {
        return as_fail(AS_EINVAL, "sentence=%zu is longer than a sample, whose n is %zu", sentence,
                       n);
    }
    if (most > sentence) {
        return as_fail(AS_EINVAL, "most=%zu triggers do not fit into sentence=%zu tokens", most,
                       sentence);
    }
    if (triggers + 2 > task->vocab) {
        return as_fail(
            AS_EINVAL,
            "padding, triggers=%zu and one filler take a vocabulary of %zu, but it has %zu",
            triggers, triggers + 2, task->vocab);
    }
    task->facts = (as_task_facts){
        .classes = most + 1,
        .plateau = 1 / (double)(most + 1),
        .plateau_of = "by guessing one of the counts",
    };
    return AS_OK;
}

/* (T11). A place is a trigger's with the share of triggers among the places that are left: selection
 * sampling (Knuth, The Art of Computer Programming 2, 3.4.2, algorithm S). Tokens may repeat, as neither
 * order nor repetition bears on the answer, and then no vocabulary is too small for a sentence. */
static void draw(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels) {
    (void)split; /* it is in the stream's key */
    size_t sentence = as_task_size(task, SENTENCE), triggers = as_task_size(task, TRIGGERS);
    size_t fillers = task->vocab - triggers - 1;
    size_t count = as_task_below(stream, as_task_size(task, MOST) + 1), missing = count;
    for (size_t i = 0; i < sentence; i++) {
        if (as_task_below(stream, sentence - i) < missing) {
            tokens[i] = (uint32_t)(1 + as_task_below(stream, triggers));
            missing--;
        } else {
            tokens[i] = (uint32_t)(1 + triggers + as_task_below(stream, fillers));
        }
    }
    *labels = (int32_t)count;
}

const as_task_type as_task_count = {
    .name = "count",
    .summary = "how many tokens of a sentence are triggers, wherever they stand",
    .params = params,
    .plan = plan,
    .draw = draw,
};
