/* ragged: the arrays of a row whose length differs from row to row, in one table (ragged.def) that
 * records, columns, groups and the reader walk. Private. */
#ifndef AS_RESULT_RAGGED_H
#define AS_RESULT_RAGGED_H

#include "attnspec/result.h"

/* Over what an array runs: its place in the order from 1, the powers of two, offsets of query from
 * key. */
typedef enum as_ragged_axis { AS_RAGGED_INDEX, AS_RAGGED_K, AS_RAGGED_OFFSET } as_ragged_axis;

typedef struct as_ragged {
    const char *name, *group, *title, *summary; /* title "": no signal of a group */
    size_t member, count;                       /* offsets in as_row */
    size_t capacity;                            /* of an array within the row; 0: a pointer */
    as_ragged_axis axis;
    bool logarithmic;
} as_ragged;

enum {
#define X(name, member, count, hold, group, axis, scale, title, summary) AS_RAGGED_##name,
#include "result/ragged.def"
#undef X
    AS_RAGGED_COUNT
};
extern const as_ragged as_raggeds[AS_RAGGED_COUNT];

/* The first of the arrays that share a count; only its count is kept. */
size_t as_ragged_leader(size_t r);

size_t as_ragged_count(const as_row *row, size_t r);
const double *as_ragged_numbers(const as_row *row, size_t r);
/* Lets the row have those numbers: a pointer is set (NULL for none), an array is filled. False, with
 * the row as it was, where the array has no room for so many. */
bool as_ragged_set(as_row *row, size_t r, const double *numbers, size_t count);

#endif
