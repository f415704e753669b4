/* output: where a tool's data go: standard output, or a file that appears only when it is whole.
 * It refuses to replace a file without force. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "attnspec/base.h"

/* Bytes that a sentence of these functions needs. */
#define OUTPUT_WHY 512

typedef struct output_file {
    FILE *stream;
    char *path, *temporary; /* NULL where it is standard output, or a device */
    bool replace;           /* a file of that name */
} output_file;

/* Whether the output, or the journal beside it, is one of the inputs: the sentence is told then. What
 * is read must not be written, not even with --force. */
bool output_is_input(const char *output, const char *const *inputs, size_t count);

/* path NULL or "-" is standard output; a pipe or device is written as it is; a file is written
 * under a temporary name beside it. AS_EEXIST, AS_EWRITE, AS_ENOMEM; the sentence is in why[OUTPUT_WHY].
 */
as_status output_open(const char *path, bool force, output_file *out, char *why);
/* Flushes and checks, and gives the file its name. AS_EWRITE, AS_EEXIST with the sentence in why. Closes
 * `out` in any case. */
as_status output_commit(output_file *out, char *why);
/* Closes and removes what was written under the temporary name. */
void output_discard(output_file *out);

#endif
