/* positions: where queries and keys stand, when it is not where they are. Private to lib/logits. */
#ifndef AS_LOGITS_POSITIONS_H
#define AS_LOGITS_POSITIONS_H

#include "attnspec/logits.h"

/* Sets head->key_positions [cols] and query_positions [rows], both in room, which is resized; leaves
 * them alone where neither a file nor padding on the left says otherwise.
 *   read   of as_positions_read(): row `batch`, or its only one; rows 0: none
 *   mask   with padding on the left, positions count from the first token; keys before it stand at 0
 * The last query stands where the last key does. AS_EINVAL where the file has another length or no such
 * batch entry; AS_ENOMEM. */
as_status as_positions_place(const as_matrix *read, as_mask mask, size_t batch, as_head *head,
                             as_matrix *room);

#endif
