/* mask: which word fits a pattern. Private to lib/logits. */
#ifndef AS_LOGITS_MASK_H
#define AS_LOGITS_MASK_H

#include "attnspec/logits.h"

/* The keys that the mask keeps for query i, as two ranges [0, prefix) and [first, last), which may
 * be empty. */
typedef struct as_kept {
    size_t prefix, first, last;
} as_kept;
as_kept as_mask_row(as_mask mask, size_t rows, size_t cols, size_t i);
static inline bool as_kept_has(as_kept kept, size_t k) {
    return k < kept.prefix || (kept.first <= k && k < kept.last);
}

/* The first word that leaves out exactly the entries that are set: none, causal, window, prefix;
 * AS_MASK_OTHER where none does. masked is [rows][cols]; count of them are set. */
as_mask as_mask_find(const unsigned char *masked, size_t rows, size_t cols, size_t count);

/* Whether everything that the mask leaves out is set (more may be). */
bool as_mask_covered(as_mask mask, const unsigned char *masked, size_t rows, size_t cols);

#endif
