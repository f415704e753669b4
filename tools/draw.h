/* draw: q and k of one head from a content, for every tool that draws them. */
#ifndef TOOLS_DRAW_H
#define TOOLS_DRAW_H

#include "attnspec/logits.h"

/* Fills pair->q and pair->k; kv_head is the key head that the query head `q->head` uses. Errors of
 * as_matrix_resize() and as_content_query(). */
as_status draw_pair(const as_content *content, const as_content_shape *q, size_t kv_head,
                    as_pair *pair);

#endif
