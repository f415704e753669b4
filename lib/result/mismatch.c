/* Two fingerprints (provenance.c) side by side.
 * It refuses nothing: of fingerprints that cannot be read it only says that they differ. */
#include "result/mismatch.h"

#include "base/fail.h"
#include "door/json.h"
#include "result/names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 640 };

/* Whether two values are written the same way. */
static bool same(const as_json_value *a, const as_json_value *b) {
    as_json *left = as_json_new(), *right = as_json_new();
    as_json_copy(left, NULL, a);
    as_json_copy(right, NULL, b);
    const char *x = as_json_take(left), *y = as_json_take(right);
    bool equal = x != NULL && y != NULL && strcmp(x, y) == 0;
    as_json_free(left);
    as_json_free(right);
    return equal;
}

/* The options of `a` that `b` lacks, and, where `values`, those with another value: their count, the
 * first one's name. */
static size_t differing(const as_json_value *a, const as_json_value *b, bool values,
                        const char **first) {
    size_t count = 0;
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    while (as_json_next(a, &cursor, &key, &value)) {
        const as_json_value *other = as_json_member(b, key);
        if (other == NULL || (values && !same(value, other))) {
            *first = count++ == 0 && *first == NULL ? key : *first;
        }
    }
    return count;
}

/* Inputs of one fate, and the first one's path. */
typedef struct fate {
    size_t count;
    const char *first;
} fate;

static void meet(fate *f, const as_json_value *input) {
    const char *path = as_json_text(as_json_member(input, "path"));
    f->first = f->count++ == 0 ? path : f->first;
}

static const char *path_of(const as_json_value *inputs, size_t i) {
    return as_json_text(as_json_member(as_json_element(inputs, i), "path"));
}

/* What became of the inputs of then. A path that stands there several times counts by its first. */
static as_status compare_inputs(const as_json_value *then, const as_json_value *now, fate *fresh,
                                fate *gone, fate *changed) {
    as_names names = {0};
    as_status status = AS_OK;
    size_t before = as_json_length(then), after = as_json_length(now);
    size_t *place = calloc(before + 1, sizeof *place);
    bool *met = calloc(before + 1, sizeof *met);
    if (place == NULL || met == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for %zu inputs", before);
    }
    int32_t index;
    for (size_t i = 0; i < before && status == AS_OK; i++) {
        size_t known = names.count;
        status = as_names_index(&names, path_of(then, i), &index);
        if (names.count > known) {
            place[index] = i;
        }
    }
    size_t known = names.count;
    for (size_t i = 0; i < after && status == AS_OK; i++) {
        const as_json_value *input = as_json_element(now, i);
        status = as_names_index(&names, path_of(now, i), &index);
        if (status != AS_OK || index < 0) {
            continue;
        }
        if ((size_t)index >= known) {
            meet(fresh, input);
        } else if (!met[index]) {
            met[index] = true;
            if (!same(as_json_element(then, place[index]), input)) {
                meet(changed, input);
            }
        }
    }
    for (size_t n = 0; n < known && status == AS_OK; n++) {
        if (!met[n]) {
            meet(gone, as_json_element(then, place[n]));
        }
    }
    as_names_free(&names);
    free(place);
    free(met);
    return status;
}

static void tell(char *text, const fate *f, const char *one, const char *many) {
    size_t used = strlen(text);
    if (f->count == 1) {
        snprintf(text + used, TEXT - used, "%s%.140s %s", used > 0 ? ", " : "", f->first, one);
    } else if (f->count > 1) {
        snprintf(text + used, TEXT - used, "%s%zu inputs %s (%.140s the first)",
                 used > 0 ? ", " : "", f->count, many, f->first);
    }
}

/* What differs, into text[TEXT]; empty where that cannot be said. */
static void describe(const as_json_value *then, const as_json_value *now, char *text) {
    const char *written = as_json_text(as_json_member(then, "version"));
    const char *version = as_json_text(as_json_member(now, "version"));
    if (written != NULL && version != NULL && strcmp(written, version) != 0) {
        snprintf(text, TEXT, "attnspec %.40s began it, this is %.40s", written, version);
        return;
    }
    const as_json_value *before = as_json_member(then, "options");
    const as_json_value *after = as_json_member(now, "options");
    const char *first = NULL;
    size_t count = differing(after, before, true, &first) + differing(before, after, false, &first);
    if (count > 0) {
        snprintf(text, TEXT, "its options differ from these (--%.60s%s)", first,
                 count > 1 ? " and others" : "");
        return;
    }
    fate fresh = {0}, gone = {0}, changed = {0};
    before = as_json_member(then, "inputs");
    after = as_json_member(now, "inputs");
    if (compare_inputs(before, after, &fresh, &gone, &changed) == AS_OK) {
        tell(text, &fresh, "is new since", "are new since");
        tell(text, &gone, "is gone", "are gone");
        tell(text, &changed, "has changed", "have changed");
        if (text[0] == '\0' && !same(before, after)) {
            snprintf(text, TEXT, "its inputs stood in another order");
        }
    }
}

as_status as_mismatch(const char *name, const char *then, const char *now) {
    char text[TEXT] = "";
    as_json_value *before = NULL, *after = NULL;
    if (as_json_parse(then, strlen(then), &before) == AS_OK &&
        as_json_parse(now, strlen(now), &after) == AS_OK) {
        describe(before, after, text);
    }
    as_json_value_free(before);
    as_json_value_free(after);
    return as_fail(AS_EMISMATCH, "%s is of another run: %s", name,
                   text[0] != '\0' ? text : "its inputs or options differ from these");
}
