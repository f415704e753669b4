/* siblings: what the names of the other tensors of a file say of one. Private to lib/logits. */
#ifndef AS_LOGITS_SIBLINGS_H
#define AS_LOGITS_SIBLINGS_H

#include "attnspec/dump.h"

/* The beginning of a name, which the dump owns. */
typedef struct as_stem {
    const char *text;
    size_t length;
} as_stem;

/* Sorted. Start from {0}. */
typedef struct as_siblings {
    as_stem *series; /* of names that end in _N: all but N */
    size_t series_count;
    as_stem *attentions; /* what stands before the component of attentions */
    size_t attention_count;
} as_siblings;

/* The dump is borrowed while *out lives. AS_ENOMEM. O(T log T) for T tensors. */
as_status as_siblings_find(const as_dump *dump, as_siblings *out);
void as_siblings_free(as_siblings *siblings);

/* The N of a name that ends in _N where another has the same name but for it; AS_NO_AXIS. */
size_t as_siblings_series(const as_siblings *siblings, const char *name);

/* Whether a component is `logits`, and attentions stand in the same container. */
bool as_siblings_output(const as_siblings *siblings, const char *name);

#endif
