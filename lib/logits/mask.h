/* mask: which word fits a pattern. Private to lib/logits. */
#ifndef AS_LOGITS_MASK_H
#define AS_LOGITS_MASK_H

#include "attnspec/logits.h"

/* The keys that the mask keeps for query i, as two ranges [begin, prefix) and [first, last), which
 * may be empty. */
typedef struct as_kept {
    size_t begin, prefix, first, last;
} as_kept;
as_kept as_mask_row(as_mask mask, size_t rows, size_t cols, size_t i);
static inline bool as_kept_has(as_kept kept, size_t k) {
    return (kept.begin <= k && k < kept.prefix) || (kept.first <= k && k < kept.last);
}
static inline bool as_mask_pads(as_mask mask) {
    return mask.left + mask.right > 0;
}

/* How many keys from the left and from the right are set for every query; both 0 where all keys are,
 * or there are no queries. */
void as_mask_blank_ends(const unsigned char *masked, size_t rows, size_t cols, size_t *left,
                        size_t *right);

/* The first word that leaves out exactly the entries that are set: none, causal, window, prefix, and
 * the first three with padding; AS_MASK_OTHER where none does. masked is [rows][cols]; count of them are set. */
as_mask as_mask_find(const unsigned char *masked, size_t rows, size_t cols, size_t count);

/* Whether everything that the mask leaves out is set (more may be). */
bool as_mask_covered(as_mask mask, const unsigned char *masked, size_t rows, size_t cols);

#endif
