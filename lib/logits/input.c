/* Where in `FILE:TENSOR-GLOB` the file's name ends, and which tensors the pattern takes.
 * It refuses nothing: a file that is not there is as_dump_open()'s to describe. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "logits/input.h"
#include "base/fail.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0;
}

as_status as_input_parse(const char *text, as_input *out) {
    as_input input = {.path = strdup(text)};
    if (input.path == NULL) {
        goto no_memory;
    }
    if (!exists(text)) {
        for (size_t length = strlen(text); length-- > 1;) {
            if (text[length] != ':') {
                continue;
            }
            input.path[length] = '\0';
            if (exists(input.path)) {
                input.glob = strdup(text + length + 1);
                if (input.glob == NULL) {
                    goto no_memory;
                }
                break;
            }
            input.path[length] = ':';
        }
    }
    *out = input;
    return AS_OK;
no_memory:
    as_input_free(&input);
    return as_fail(AS_ENOMEM, "no memory for the name %s", text);
}

void as_input_free(as_input *input) {
    as_dump_close(input->dump);
    free(input->path);
    free(input->glob);
    *input = (as_input){0};
}

bool as_input_takes(const as_input *input, const char *tensor) {
    return input->glob == NULL || fnmatch(input->glob, tensor, 0) == 0;
}

bool as_input_names(const as_input *input, const char *tensor) {
    return input->glob != NULL && tensor[0] != '\0' && strcmp(input->glob, tensor) == 0;
}

const char *as_input_reason(const as_input *input) {
    const char *message = as_message();
    size_t length = strlen(input->path);
    bool prefixed =
        strncmp(message, input->path, length) == 0 && strncmp(message + length, ": ", 2) == 0;
    return prefixed ? message + length + 2 : message;
}
