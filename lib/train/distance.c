/* How far apart two trigger words are: a task that nobody solves without positions.
 * It refuses sentences longer than a sample, and vocabularies with too few fillers for a stretch. */
#include "base/fail.h"
#include "train/task.h"

enum { BETWEEN, SIDE, FILLERS }; /* places in params */
enum { CLEAN };                  /* of fillers */
enum { FIRST_TRIGGER = 1, SECOND_TRIGGER, TRIGGERS = SECOND_TRIGGER };

static const as_param params[] = {
    [BETWEEN] = {.key = "between",
                 .type = AS_PARAM_COUNT,
                 .preset = "auto",
                 .low = 1,
                 .high = AS_TASK_MOST,
                 .meaning = "B: most fillers between the triggers; auto: what is left, "
                            "n - 2 - 2*side"},
    [SIDE] = {.key = "side",
              .type = AS_PARAM_COUNT,
              .preset = "auto",
              .low = 1,
              .high = AS_TASK_MOST,
              .meaning = "S: most fillers on each side of them; auto: a fifth of n"},
    [FILLERS] = {.key = "fillers",
                 .type = AS_PARAM_CHOICE,
                 .choices = "clean|any",
                 .preset = "clean",
                 .meaning = "clean: all tokens but the triggers; any: the triggers too"},
    {.key = NULL}};

/* The first filler; the last is the last token. */
static size_t first_filler(const as_task *task) {
    return as_task_size(task, FILLERS) == CLEAN ? TRIGGERS + 1 : 1;
}

static as_status plan(as_task *task) {
    size_t n = task->n, fifth = n / 5, first = first_filler(task);
    size_t side = as_task_settle(task, SIDE, fifth > 0 ? fifth : 1);
    size_t around = TRIGGERS + 2 * side;
    size_t between = as_task_settle(task, BETWEEN, n > around ? n - around : 1);
    size_t longest = between > side ? between : side;
    if (around + between > n) {
        return as_fail(AS_EINVAL,
                       "two triggers, between=%zu and twice side=%zu take %zu positions, but n is "
                       "%zu",
                       between, side, around + between, n);
    }
    if (first + longest > task->vocab) {
        return as_fail(
            AS_EINVAL,
            "a stretch of %zu different fillers takes a vocabulary of %zu, but it has %zu; "
            "name a smaller %s",
            longest, first + longest, task->vocab, between > side ? "between" : "side");
    }
    /* Of an answer at each length, by the closed form of (T10). */
    task->facts = (as_task_facts){
        .classes = between,
        .plateau = (double)(between + side - 1) / ((double)between * (double)side),
        .plateau_of = "from the length of the sentence alone",
    };
    return AS_OK;
}

/* (T10) */
static void draw(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels) {
    (void)split; /* it is in the stream's key */
    size_t side = as_task_size(task, SIDE), first = first_filler(task);
    size_t left = 1 + as_task_below(stream, side);
    size_t between = 1 + as_task_below(stream, as_task_size(task, BETWEEN));
    size_t right = 1 + as_task_below(stream, side), fillers = task->vocab - first;
    as_task_distinct(stream, first, fillers, left, tokens);
    tokens += left;
    *tokens++ = FIRST_TRIGGER;
    as_task_distinct(stream, first, fillers, between, tokens);
    tokens += between;
    *tokens++ = SECOND_TRIGGER;
    as_task_distinct(stream, first, fillers, right, tokens);
    *labels = (int32_t)between - 1;
}

const as_task_type as_task_distance = {
    .name = "distance",
    .summary = "how far apart two triggers are in a sentence: class d is a distance of d + 2",
    .params = params,
    .plan = plan,
    .draw = draw,
};
