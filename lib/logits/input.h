/* input: one `FILE` or `FILE:TENSOR-GLOB`, opened. Private to lib/logits. */
#ifndef AS_LOGITS_INPUT_H
#define AS_LOGITS_INPUT_H

#include "attnspec/logits.h"

typedef struct as_input {
    char *path;
    char *glob;    /* NULL: every tensor */
    as_dump *dump; /* NULL where it could not be opened */
} as_input;

/* Finds where the path ends: a name that exists whole is a file, else the longest part before a
 * colon that exists, else all of it. AS_ENOMEM. */
as_status as_input_parse(const char *text, as_input *out);
void as_input_free(as_input *input);

/* Whether the glob takes the tensor of that name; * matches . and / too. */
bool as_input_takes(const as_input *input, const char *tensor);

/* Whether the glob is that very name: the user has chosen the tensor. */
bool as_input_names(const as_input *input, const char *tensor);

/* as_message() without the input's path in front, which the source of an item already says. */
const char *as_input_reason(const as_input *input);

#endif
