/* nearest: "did you mean": the candidate that is fewest edits away from a mistyped word.
 * It suggests nothing that is not close. */
#ifndef TOOLS_NEAREST_H
#define TOOLS_NEAREST_H

#include <stddef.h>

/* Start from {.word = …}. */
typedef struct nearest {
    const char *word;
    const char *best; /* borrowed from the caller's candidates */
    size_t distance;
} nearest;

void nearest_offer(nearest *search, const char *candidate);
/* The best candidate, NULL where none is close. */
const char *nearest_found(const nearest *search);

#endif
