/* index_set: walking a set of indices without trying every number. Private to lib/logits. */
#ifndef AS_LOGITS_INDEX_SET_H
#define AS_LOGITS_INDEX_SET_H

#include "attnspec/logits.h"

/* The least member ≥ from, SIZE_MAX where there is none; NULL holds everything. */
size_t as_index_set_next(const as_index_set *set, size_t from);

/* The first or last number that the text of the set names, one after the other: `at` counts them
 * from 0, SIZE_MAX past the last. Open ends and the inside of ranges are not named. */
size_t as_index_set_named(const as_index_set *set, size_t at);

#endif
