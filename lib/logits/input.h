/* input: what one INPUT names: a file, the files of a folder or of a pattern. Private to lib/logits. */
#ifndef AS_LOGITS_INPUT_H
#define AS_LOGITS_INPUT_H

#include "attnspec/logits.h"

typedef struct as_input {
    char *path;
    char *glob;          /* NULL: every tensor */
    bool found;          /* in a folder or by a pattern; nobody has named it */
    const char *refusal; /* why it is not even opened, with its status; NULL: it is */
    as_status refused;
    as_dump *dump; /* NULL where it could not be opened */
} as_input;

/* The inputs of one role after the other. */
typedef struct as_inputs {
    as_input *item;
    size_t count, capacity;
    as_left_out left_out; /* its paths are owned */
} as_inputs;

/* Adds what `FILE[:TENSOR-GLOB]` names. Finds where the path ends: a name that exists whole is a file or
 * a folder, else the longest part before a colon that exists, else a pattern for files, before a colon or
 * not, else all of it is a file. Of a folder every file below it, in the order of numbers; of a pattern
 * every file and folder that it matches, likewise. What is found so and holds results of ours is left
 * out, as is what is no file or holds none. A folder without files, and a pattern without a match, is an
 * input that is refused. AS_ENOMEM. */
as_status as_inputs_add(as_inputs *inputs, const char *text);
/* Leaves out what is there a second time from input `first` on: the same name in the same folder, with
 * the same pattern. AS_ENOMEM. */
as_status as_inputs_unite(as_inputs *inputs, size_t first);
void as_inputs_free(as_inputs *inputs);

/* Whether the glob takes the tensor of that name; * matches . and / too. */
bool as_input_takes(const as_input *input, const char *tensor);

/* Whether the glob is that very name: the user has chosen the tensor. */
bool as_input_names(const as_input *input, const char *tensor);

/* as_message() without the input's path in front, which the source of an item already says. */
const char *as_input_reason(const as_input *input);

#endif
