/* output: where a tool's data go: standard output, or a file that appears only when it is whole.
 * It refuses to replace a file without force. */
#ifndef TOOLS_OUTPUT_H
#define TOOLS_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "attnspec/base.h"

typedef struct output {
    FILE *stream;
    char *path, *temporary; /* NULL where it is standard output, or a device */
} output;

/* path NULL or "-" is standard output; a pipe or device is written as it is; a file is written
 * under a temporary name beside it. AS_EEXIST, AS_EWRITE, AS_ENOMEM; the sentence is in *why, [256].
 */
as_status output_open(const char *path, bool force, output *out, char *why);
/* Flushes and checks, and gives the file its name. AS_EWRITE with the sentence in *why. Closes
 * `out` in any case. */
as_status output_commit(output *out, char *why);
/* Closes and removes what was written under the temporary name. */
void output_discard(output *out);

#endif
