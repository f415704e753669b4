/* What a file says of itself beside its tensors: names and texts, kept in the file's order.
 * It refuses nothing and believes nothing: they are shown, and only dumps of ours are steered by them. */
#include "dump/note.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

as_status as_note_add(as_dump *dump, const char *name, const char *text) {
    size_t count = dump->note_count, name_size = strlen(name) + 1, text_size = strlen(text) + 1;
    if ((count & (count - 1)) == 0) { /* full at every power of two */
        size_t room = count == 0 ? 1 : 2 * count;
        as_dump_note *larger = realloc(dump->notes, room * sizeof *larger);
        if (larger == NULL) {
            return as_fail(AS_ENOMEM, "no memory for %zu attributes", room);
        }
        dump->notes = larger;
    }
    char *copy = malloc(name_size + text_size); /* one block: the name, then the text */
    if (copy == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the attribute %.200s", name);
    }
    memcpy(copy, name, name_size);
    memcpy(copy + name_size, text, text_size);
    dump->notes[dump->note_count++] = (as_dump_note){copy, copy + name_size};
    return AS_OK;
}

/* A value as its JSON; a writer of its own, since values side by side are no document. */
static as_status add_json(as_dump *dump, const char *name, const as_json_value *value) {
    as_json *json = as_json_new();
    as_json_copy(json, NULL, value);
    const char *text = as_json_take(json);
    as_status status = as_note_add(dump, name, text != NULL ? text : "(nested too deeply)");
    as_json_free(json);
    return status;
}

as_status as_note_add_members(as_dump *dump, const as_json_value *object) {
    void *cursor = NULL;
    const char *name;
    const as_json_value *value;
    as_status status = AS_OK;
    while (status == AS_OK && as_json_next(object, &cursor, &name, &value)) {
        const char *text = as_json_text(value);
        status = text != NULL ? as_note_add(dump, name, text) : add_json(dump, name, value);
    }
    return status;
}

void as_notes_free(as_dump *dump) {
    for (size_t i = 0; i < dump->note_count; i++) {
        free((void *)dump->notes[i].name);
    }
    free(dump->notes);
}
