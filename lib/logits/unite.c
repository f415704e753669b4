/* Inputs that are named and found, or found twice, become one.
 * It refuses nothing: two names of one file are two inputs, for a link may stand for a layer of its own. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "base/fail.h"
#include "logits/input.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Which name in which folder. */
typedef struct place {
    dev_t device;
    ino_t folder;
    const char *name, *glob; /* borrowed */
    size_t input;
} place;

static int compare_places(const place *x, const place *y) {
    if (x->device != y->device) {
        return x->device < y->device ? -1 : 1;
    }
    if (x->folder != y->folder) {
        return x->folder < y->folder ? -1 : 1;
    }
    int order = strcmp(x->name, y->name);
    return order != 0 ? order : strcmp(x->glob, y->glob);
}

static int by_place(const void *a, const void *b) {
    const place *x = a, *y = b;
    int order = compare_places(x, y);
    return order != 0 ? order : x->input < y->input ? -1 : x->input > y->input;
}

/* Files of one folder come one after the other, so it is asked about once. */
static void locate(const as_input *input, const as_input *before, place *out) {
    const char *slash = strrchr(input->path, '/');
    size_t length = slash != NULL ? (size_t)(slash - input->path) + 1 : 0;
    out->name = input->path + length;
    out->glob = input->glob != NULL ? input->glob : "";
    const char *last = before != NULL ? strrchr(before->path, '/') : NULL;
    bool same = before != NULL &&
                length == (last != NULL ? (size_t)(last - before->path) + 1 : 0) &&
                strncmp(input->path, before->path, length) == 0;
    struct stat s = {0};
    char *folder = !same && length > 0 ? strndup(input->path, length) : NULL;
    bool there = same || stat(folder != NULL ? folder : ".", &s) == 0;
    free(folder);
    out->device = same ? out[-1].device : s.st_dev;
    out->folder = same ? out[-1].folder : s.st_ino;
    if (!there || out->folder == 0) {
        out->name = input->path; /* of a folder that is not there */
    }
}

as_status as_inputs_unite(as_inputs *inputs, size_t first) {
    size_t count = inputs->count - first, kept = first;
    place *places = calloc(count + 1, sizeof *places);
    bool *again = calloc(count + 1, sizeof *again);
    as_status status = AS_OK;
    as_left_out *out = &inputs->left_out;
    if (places == NULL || again == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for %zu inputs", count);
        goto done;
    }
    for (size_t i = 0; i < count; i++) {
        const as_input *input = &inputs->item[first + i];
        locate(input, i > 0 ? input - 1 : NULL, &places[i]);
        places[i].input = i;
    }
    qsort(places, count, sizeof *places, by_place);
    for (size_t i = 1, kept_at = 0; i < count; i++) {
        again[places[i].input] = compare_places(&places[i - 1], &places[i]) == 0;
        kept_at = again[places[i].input] ? kept_at : i;
        /* Named once is named, whichever came first. */
        as_input *input = &inputs->item[first + places[kept_at].input];
        input->found = input->found && inputs->item[first + places[i].input].found;
    }
    for (size_t i = 0; i < count; i++) {
        as_input *input = &inputs->item[first + i];
        if (!again[i]) {
            inputs->item[kept++] = *input;
            continue;
        }
        free(input->glob);
        if (out->repeated++ == 0) {
            out->repeat = input->path;
        } else {
            free(input->path);
        }
    }
    inputs->count = kept;
done:
    free(places);
    free(again);
    return status;
}
