/* draw: q and k of one head from a content, and its options, for every tool that draws them. */
#ifndef TOOLS_DRAW_H
#define TOOLS_DRAW_H

#include "attnspec/logits.h"
#include "options.h"

/* Rows of the table: heads, kv_heads and layers of the tool's own options. */
#define HEADS_ROWS(options)                                                                        \
    {.type = OPTION_SIZE,                                                                          \
     .name = "heads",                                                                              \
     .value = "H",                                                                                 \
     .preset = "1",                                                                                \
     .low = 1,                                                                                     \
     .help = "query heads",                                                                        \
     .offset = offsetof(options, heads)},                                                          \
        {.type = OPTION_SIZE,                                                                      \
         .name = "kv-heads",                                                                       \
         .value = "K",                                                                             \
         .low = 1,                                                                                 \
         .help = "key heads, each used by H/K query heads; H where not given",                     \
         .offset = offsetof(options, kv_heads)},                                                   \
    {                                                                                              \
        .type = OPTION_SIZE, .name = "layers", .value = "L", .preset = "1", .low = 1,              \
        .help = "layers", .offset = offsetof(options, layers)                                      \
    }

/* Fills pair->q and pair->k; kv_head is the key head that the query head `q->head` uses. Errors of
 * as_matrix_resize() and as_content_query(). */
as_status draw_pair(const as_content *content, const as_content_shape *q, size_t kv_head,
                    as_pair *pair);

#endif
