/* What `FILE[:TENSOR-GLOB]` names: where the file's name ends, the files of folders and patterns, and
 * which tensors are taken. It refuses nothing: what is not there is the reader's to describe. */
#define _POSIX_C_SOURCE 200809L /* strndup */
#include "logits/input.h"
#include "base/fail.h"
#include "logits/folder.h"

#include <fnmatch.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool exists(const char *path) {
    struct stat s;
    return stat(path, &s) == 0;
}

static bool is_folder(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

/* A pipe, a socket, a device: reading it may never end. */
static bool is_special(const char *path) {
    struct stat s;
    return stat(path, &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

static as_status no_memory(const char *name) {
    return as_fail(AS_ENOMEM, "no memory for the name %s", name);
}

/* One more input, with copies of its path and its glob (or NULL). */
static as_status add(as_inputs *inputs, const char *path, const char *pattern, as_input **out) {
    if (inputs->count == inputs->capacity) {
        size_t capacity = 2 * inputs->capacity + 16, bytes;
        as_input *grown =
            as_mul(capacity, sizeof *grown, &bytes) ? realloc(inputs->item, bytes) : NULL;
        if (grown == NULL) {
            return no_memory(path);
        }
        inputs->item = grown;
        inputs->capacity = capacity;
    }
    as_input input = {.path = strdup(path), .glob = pattern != NULL ? strdup(pattern) : NULL};
    if (input.path == NULL || (pattern != NULL && input.glob == NULL)) {
        free(input.path);
        free(input.glob);
        return no_memory(path);
    }
    inputs->item[inputs->count++] = input;
    *out = &inputs->item[inputs->count - 1];
    return AS_OK;
}

static as_status add_refused(as_inputs *inputs, const char *path, const char *why) {
    as_input *input = NULL;
    as_status status = add(inputs, path, NULL, &input);
    if (status == AS_OK) {
        input->refused = AS_EREAD;
        input->refusal = why;
    }
    return status;
}

/* Counts one that is left out, and keeps the first one's path. */
static as_status leave_out(size_t *count, const char **first, const char *path) {
    if (*count == 0 && (*first = strdup(path)) == NULL) {
        return no_memory(path);
    }
    ++*count;
    return AS_OK;
}

static as_status add_file(as_inputs *inputs, const char *path, const char *pattern, bool found) {
    as_left_out *out = &inputs->left_out;
    /* Who names the file and the tensors in it means these. */
    bool ask = found || pattern == NULL;
    bool result = ask && as_dump_is_result(path);
    bool report = ask && !result && as_dump_is_report(path);
    if (found && result) {
        return leave_out(&out->results, &out->result, path);
    }
    if (found && report) {
        return leave_out(&out->reports, &out->report, path);
    }
    as_input *input = NULL;
    as_status status = add(inputs, path, pattern, &input);
    if (status == AS_OK) {
        input->found = found;
        input->refused = AS_SKIPPED;
        input->refusal = result   ? "is a result of attnspec, which attnspec report reads"
                         : report ? "is a report of attnspec"
                                  : NULL;
    }
    return status;
}

static bool ends_in(const char *path, const char *end) {
    size_t length = strlen(path), tail = strlen(end);
    return length > tail && strcmp(path + length - tail, end) == 0;
}

/* An index of safetensors whose files are found anyway: there are some in its folder. */
static bool is_index(const as_paths *files, const char *path) {
    if (!ends_in(path, ".safetensors.index.json")) {
        return false;
    }
    const char *slash = strrchr(path, '/');
    size_t folder = slash != NULL ? (size_t)(slash - path) + 1 : 0, i = 0;
    while (i < files->count && (!ends_in(files->path[i], ".safetensors") ||
                                strncmp(files->path[i], path, folder) != 0 ||
                                strchr(files->path[i] + folder, '/') != NULL)) {
        i++;
    }
    return i < files->count;
}

/* The files of a folder; why there are none goes to *why, NULL where there are. */
static as_status add_files(as_inputs *inputs, const char *path, const char *pattern,
                           const char **why) {
    as_paths files = {0}, others = {0};
    as_left_out *out = &inputs->left_out;
    size_t before = inputs->count, results = out->results;
    as_status status = as_folder_list(path, &files, &others);
    for (size_t i = 0; i < files.count && status == AS_OK; i++) {
        status = is_index(&files, files.path[i])
                     ? leave_out(&out->repeated, &out->repeat, files.path[i])
                     : add_file(inputs, files.path[i], pattern, true);
    }
    for (size_t i = 0; i < others.count && status == AS_OK; i++) {
        status = leave_out(&out->others, &out->other, others.path[i]);
    }
    as_paths_free(&files);
    as_paths_free(&others);
    *why = inputs->count > before   ? NULL
           : out->results > results ? "is a folder with nothing but results of attnspec"
                                    : "is a folder without files to read";
    return status;
}

static as_status add_folder(as_inputs *inputs, const char *path, const char *pattern) {
    const char *why;
    as_status status = add_files(inputs, path, pattern, &why);
    return status == AS_OK && why != NULL ? add_refused(inputs, path, why) : status;
}

/* One that a pattern has found: what there is nothing to read of is left out, not refused. */
static as_status add_match(as_inputs *inputs, const char *path, const char *pattern) {
    as_left_out *out = &inputs->left_out;
    size_t said = out->results + out->others;
    const char *why = NULL;
    if (!is_folder(path) && !is_special(path)) {
        return add_file(inputs, path, pattern, true);
    }
    as_status status = is_folder(path) ? add_files(inputs, path, pattern, &why) : AS_OK;
    bool silent = (why != NULL || is_special(path)) && out->results + out->others == said;
    return status == AS_OK && silent ? leave_out(&out->others, &out->other, path) : status;
}

/* Adds what the pattern for files matches; nothing is no failure. */
static as_status add_matches(as_inputs *inputs, const char *files, const char *pattern) {
    glob_t found;
    as_status status = AS_OK;
    int outcome = glob(files, GLOB_NOSORT, NULL, &found);
    if (outcome == 0) {
        qsort(found.gl_pathv, found.gl_pathc, sizeof *found.gl_pathv, as_paths_order);
        for (size_t i = 0; i < found.gl_pathc && status == AS_OK; i++) {
            status = add_match(inputs, found.gl_pathv[i], pattern);
        }
    } else if (outcome == GLOB_NOSPACE) {
        status = no_memory(files);
    }
    globfree(&found);
    return status;
}

/* Both halves of text at the last colon before `end` are tried: *path is the part before it. */
static bool split(char *path, size_t *end) {
    while (*end > 1) {
        if (path[--*end] == ':') {
            path[*end] = '\0';
            return true;
        }
    }
    return false;
}

/* Text that names nothing that exists: a pattern, or the name of a file that is not there. */
static as_status add_unknown(as_inputs *inputs, const char *text, char *path) {
    size_t before = inputs->count, end = strlen(text);
    const as_left_out *out = &inputs->left_out;
    size_t results = out->results, reports = out->reports, others = out->others;
    size_t first = strcspn(text, "*?[");
    if (text[first] == '\0') {
        return add_file(inputs, text, NULL, false);
    }
    as_status status = add_matches(inputs, text, NULL);
    while (status == AS_OK && inputs->count == before && split(path, &end)) {
        status = add_matches(inputs, path, text + end + 1);
    }
    if (status != AS_OK || inputs->count > before) {
        return status;
    }
    if (out->results > results || out->reports > reports) {
        return add_refused(inputs, text,
                           out->results > results ? "matches nothing but results of attnspec"
                                                  : "matches nothing but reports of attnspec");
    }
    if (out->others > others) {
        return add_refused(inputs, text, "matches no file to read");
    }
    return strcspn(text, ":") < first ? add_file(inputs, text, NULL, false)
                                      : add_refused(inputs, text, "no file has such a name");
}

as_status as_inputs_add(as_inputs *inputs, const char *text) {
    char *path = strdup(text);
    if (path == NULL) {
        return no_memory(text);
    }
    const char *pattern = NULL;
    size_t end = strlen(text);
    bool there = exists(text);
    while (!there && split(path, &end)) {
        there = exists(path);
        pattern = text + end + 1;
    }
    as_status status;
    if (!there) {
        strcpy(path, text);
        status = add_unknown(inputs, text, path);
    } else {
        status = is_folder(path) ? add_folder(inputs, path, pattern)
                                 : add_file(inputs, path, pattern, false);
    }
    free(path);
    return status;
}

static void free_input(as_input *input) {
    as_dump_close(input->dump);
    free(input->path);
    free(input->glob);
}

void as_inputs_free(as_inputs *inputs) {
    for (size_t i = 0; i < inputs->count; i++) {
        free_input(&inputs->item[i]);
    }
    free(inputs->item);
    free((char *)inputs->left_out.result);
    free((char *)inputs->left_out.report);
    free((char *)inputs->left_out.repeat);
    free((char *)inputs->left_out.other);
    *inputs = (as_inputs){0};
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
