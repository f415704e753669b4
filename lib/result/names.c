/* A dictionary of strings by open addressing.
 * It refuses more than 2^30 names. */
#define _GNU_SOURCE /* strdup */
#include "result/names.h"

#include "base/fail.h"
#include "door/zlib.h"

#include <stdlib.h>
#include <string.h>

/* The slot of a string, or the free one where it belongs. */
static size_t find_slot(const as_names *names, const char *text) {
    size_t mask = names->slot_count - 1, slot = as_crc32(0, text, strlen(text)) & mask;
    while (names->slots[slot] >= 0 && strcmp(names->text[names->slots[slot]], text) != 0) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static bool grow(as_names *names) {
    size_t count = names->slot_count > 0 ? 2 * names->slot_count : 64;
    if (count > (size_t)1 << 31) {
        return false;
    }
    /* At most half of the slots are ever taken. */
    char **text = realloc(names->text, count / 2 * sizeof *text);
    if (text == NULL) {
        return false;
    }
    names->text = text;
    int32_t *slots = malloc(count * sizeof *slots);
    if (slots == NULL) {
        return false;
    }
    free(names->slots);
    names->slots = slots;
    names->slot_count = count;
    memset(slots, 0xFF, count * sizeof *slots);
    for (size_t i = 0; i < names->count; i++) {
        slots[find_slot(names, names->text[i])] = (int32_t)i;
    }
    return true;
}

as_status as_names_index(as_names *names, const char *text, int32_t *out) {
    *out = -1;
    if (text == NULL) {
        return AS_OK;
    }
    if (2 * (names->count + 1) > names->slot_count && !grow(names)) {
        return as_fail(AS_ENOMEM, "no memory for %zu names", names->count + 1);
    }
    size_t slot = find_slot(names, text);
    if (names->slots[slot] < 0) {
        char *copy = strdup(text);
        if (copy == NULL) {
            return as_fail(AS_ENOMEM, "no memory for %zu names", names->count + 1);
        }
        names->slots[slot] = (int32_t)names->count;
        names->text[names->count++] = copy;
    }
    *out = names->slots[slot];
    return AS_OK;
}

void as_names_free(as_names *names) {
    for (size_t i = 0; i < names->count; i++) {
        free(names->text[i]);
    }
    free(names->text);
    free(names->slots);
    *names = (as_names){0};
}
