/* names: a dictionary of strings, numbered in the order of their first appearance. Private. */
#ifndef AS_RESULT_NAMES_H
#define AS_RESULT_NAMES_H

#include "attnspec/base.h"

/* Start from {0}. */
typedef struct as_names {
    char **text;
    size_t count;
    int32_t *slots;    /* a hash table of indices, −1 where free */
    size_t slot_count; /* a power of two, above twice the count */
} as_names;

/* The index of a string, which is copied at its first appearance; −1 for NULL. AS_ENOMEM. */
as_status as_names_index(as_names *names, const char *text, int32_t *out);
void as_names_free(as_names *names);

#endif
