/* message: talk to people, on standard error: "attnspec analyze: FILE: TENSOR[head 2]: sentence".
 * Standard output is flushed first, and a progress line is not torn. */
#ifndef TOOLS_MESSAGE_H
#define TOOLS_MESSAGE_H

#include <stdbool.h>

#include "attnspec/logits.h"

/* What went wrong; never silenced. */
void message_error(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Worth knowing; silent with --quiet. */
void message_note(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* For the curious: only with --verbose. */
void message_detail(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* A failed matrix, tensor or file: where it is, then `sentence`. A skipped one is a note. */
void message_item(const as_item *item, as_status status, const char *sentence);

/* Notes on what folders and patterns held besides inputs. */
void message_left_out(const as_left_out *left_out);

/* What stands before the messages ("attnspec analyze"), and what is silenced. */
void message_setup(const char *who, bool quiet, bool verbose);

/* Where a matrix stands in its file. */
typedef struct message_spot {
    const char *tensor; /* NULL: it has no name */
    uint64_t layer, batch, head;
    bool layers, batches; /* there are several: 0 is said too */
} message_spot;

/* "layer_3[head 2]"; "layer 1, head 0" of a tensor without a name, or whose name is a mere place in a
 * list. Writes at most `size` bytes and returns text. */
char *message_place(char *text, size_t size, const message_spot *spot);
/* The same of an item, for messages. */
char *message_place_of(char *text, size_t size, const as_item *item);

#endif
