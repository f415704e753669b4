/* task: what the files of tasks share. Private to lib/train.
 * A new task is one file that ends in its `const as_task_type as_task_NAME`, and one line in
 * tasks.def. */
#ifndef AS_TRAIN_TASK_H
#define AS_TRAIN_TASK_H

#include "attnspec/train.h"

/* The most positions and tokens, so that a parameter that is derived from them can be read again. */
#define AS_TASK_MOST 1000000

typedef struct as_task_type as_task_type;
struct as_task {
    const as_task_type *type;
    size_t n, vocab;
    as_task_facts facts;
    double value[AS_PARAMS_MAX]; /* in the table's order; NaN: auto, until it is planned */
    char words[AS_PARAM_WORDS];
    char purpose[AS_SPLIT_TEST + 1][32]; /* of the stream of a split */
    void *data;                          /* the type's own, NULL where it has none */
};

struct as_task_type {
    const char *name, *summary;
    const as_param *params;
    /* Puts a number in the place of each auto and fills in facts, and data where the task has any.
     * n and vocab are 1 … AS_TASK_MOST. AS_EINVAL where they make no sample; AS_EREAD, AS_ENOMEM.
     * After a failure `close` is called too. */
    as_status (*plan)(as_task *task);
    /* One sample from a stream that was restarted for it. tokens [n] is all padding and labels all −1:
     * only what else there is needs to be written. No allocation. */
    void (*draw)(const as_task *task, as_stream *stream, as_split split, uint32_t *tokens,
                 int32_t *labels);
    void (*close)(as_task *task); /* frees data, which may be NULL; NULL where there never is any */
};

#define X(name) extern const as_task_type as_task_##name;
#include "train/tasks.def"
#undef X

/* The parameter at that place of the type's table, as a size; `automatic` where it is auto, and then it
 * is kept as the parameter. Once planned none is auto. */
size_t as_task_settle(as_task *task, size_t place, size_t automatic);
size_t as_task_size(const as_task *task, size_t place);

/* ⌊u·count⌋ of the next uniform u of the stream: 0 … count − 1. u is a multiple of 2⁻³², so that the
 * probabilities of two numbers differ by at most 2⁻³². */
size_t as_task_below(as_stream *stream, size_t count);

/* out [length]: different tokens of first … first + count − 1 in random order, each order of each choice
 * as likely as another. length ≤ count. One uniform a token, O(length²). */
void as_task_distinct(as_stream *stream, size_t first, size_t count, size_t length, uint32_t *out);

/* labels [n]: of each of the positions from … to − 1 the token behind it, which must be there. */
void as_task_next(const uint32_t *tokens, size_t from, size_t to, int32_t *labels);

#endif
