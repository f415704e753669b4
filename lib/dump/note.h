/* note: what a file says of itself beside its tensors. Private to lib/dump. */
#ifndef AS_DUMP_NOTE_H
#define AS_DUMP_NOTE_H

#include "door/json.h"
#include "dump/format.h"

/* Adds a copy; they stand in the order in which they were added. AS_ENOMEM */
as_status as_note_add(as_dump *dump, const char *name, const char *text);
/* Adds every member of a JSON object, what is no text as its JSON; nothing of anything else.
 * AS_ENOMEM */
as_status as_note_add_members(as_dump *dump, const as_json_value *object);
void as_notes_free(as_dump *dump);

#endif
