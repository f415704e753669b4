/* The table of tasks: found by name, parsed, planned, sampled, written.
 * It refuses unknown names, and sizes that no task can work with. */
#include "base/fail.h"
#include "base/param.h"
#include "train/task.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const as_task_type *const types[] = {
#define X(name) &as_task_##name,
#include "train/tasks.def"
#undef X
};
enum { TYPE_COUNT = sizeof types / sizeof *types };

bool as_task_list(size_t index, as_task_info *out) {
    if (index >= TYPE_COUNT) {
        return false;
    }
    *out = (as_task_info){types[index]->name, types[index]->summary, types[index]->params};
    return true;
}

static as_status parse(const char *text, as_task *task) {
    as_name names[TYPE_COUNT];
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        names[i] = (as_name){types[i]->name, NULL, types[i]->params};
    }
    size_t index;
    as_status status =
        as_named_parse("task", names, TYPE_COUNT, text, &index, task->value, task->words);
    if (status == AS_OK) {
        task->type = types[index];
    }
    return status;
}

static as_status plan(size_t n, size_t vocab, as_task *task) {
    const char *name = task->type->name;
    if (n < 1 || vocab < 1 || n > AS_TASK_MOST || vocab > AS_TASK_MOST) {
        return as_fail(AS_EINVAL,
                       "task %s: samples have 1 to %d positions and tokens, not %zu of %zu", name,
                       AS_TASK_MOST, n, vocab);
    }
    task->n = n;
    task->vocab = vocab;
    snprintf(task->purpose[AS_SPLIT_TRAIN], sizeof *task->purpose, "task.%s.train", name);
    snprintf(task->purpose[AS_SPLIT_TEST], sizeof *task->purpose, "task.%s.test", name);
    as_status status = task->type->plan(task);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "task %s", name);
}

as_status as_task_open(const char *text, size_t n, size_t vocab, as_task **out) {
    as_task *task = calloc(1, sizeof *task);
    if (task == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a task");
    }
    as_status status = parse(text, task);
    if (status == AS_OK) {
        status = plan(n, vocab, task);
    }
    if (status != AS_OK) {
        as_task_close(task);
        return status;
    }
    *out = task;
    return AS_OK;
}

void as_task_close(as_task *task) {
    if (task != NULL && task->type != NULL && task->type->close != NULL) {
        task->type->close(task);
    }
    free(task);
}

const as_task_facts *as_task_facts_of(const as_task *task) {
    return &task->facts;
}

char *as_task_text(const as_task *task) {
    return as_params_text(task->type->name, task->type->params, task->value, task->words);
}

void as_task_sample(const as_task *task, as_stream *stream, uint64_t seed, as_split split,
                    uint64_t index, uint32_t *tokens, int32_t *labels) {
    as_stream_restart(stream, seed, task->purpose[split], (size_t)(index >> 32),
                      (size_t)(index & UINT32_MAX));
    memset(tokens, 0, task->n * sizeof *tokens);
    for (size_t i = 0; i < (task->facts.per_position ? task->n : 1); i++) {
        labels[i] = -1;
    }
    task->type->draw(task, stream, split, tokens, labels);
}

size_t as_task_settle(as_task *task, size_t place, size_t automatic) {
    if (isnan(task->value[place])) {
        task->value[place] = (double)automatic;
    }
    return as_task_size(task, place);
}

size_t as_task_size(const as_task *task, size_t place) {
    return (size_t)task->value[place];
}

size_t as_task_below(as_stream *stream, size_t count) {
    return (size_t)(as_stream_uniform(stream) * (double)count);
}

/* Algorithm P of Bentley and Floyd, "A sample of brilliance", CACM 30 (1987) 754: it needs no table of
 * the tokens, which a sample would have no place for. Their list is the end of `out`, from `head` on. */
void as_task_distinct(as_stream *stream, size_t first, size_t count, size_t length, uint32_t *out) {
    for (size_t head = length; head-- > 0;) {
        size_t last = count - 1 - head, drawn = as_task_below(stream, last + 1), at = head + 1;
        uint32_t token = (uint32_t)(first + drawn);
        while (at < length && out[at] != token) {
            at++;
        }
        if (at < length) { /* it is there: the last one goes behind it */
            memmove(out + head, out + head + 1, (at - head) * sizeof *out);
            out[at] = (uint32_t)(first + last);
        } else {
            out[head] = token;
        }
    }
}

void as_task_next(const uint32_t *tokens, size_t from, size_t to, int32_t *labels) {
    for (size_t i = from; i < to; i++) {
        labels[i] = (int32_t)tokens[i + 1];
    }
}
