/* held: what dumps keep open from one read to the next, for a few dumps at a time. Private to
 * lib/dump. */
#ifndef AS_DUMP_HELD_H
#define AS_DUMP_HELD_H

#include "dump/format.h"

/* A dump's place among those that keep something. Zeroed at first. */
struct as_held {
    as_held *newer, *older;
    const as_dump *dump;
    size_t readers;
    bool listed;
};

/* A reader begins: from here on nothing of the dump is let go. Formats without let_go() are let be. */
void as_held_take(const as_dump *dump);
/* A reader ends: the dump is the last that was read, and those that were read longest ago let go. */
void as_held_give(const as_dump *dump);
/* The dump is about to be closed. */
void as_held_forget(const as_dump *dump);

#endif
