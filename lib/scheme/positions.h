/* positions: tables of absolute positions, for the schemes that have one. Private to lib/scheme. */
#ifndef AS_SCHEME_POSITIONS_H
#define AS_SCHEME_POSITIONS_H

#include "attnspec/scheme.h"

/* The parameters that both have, with this standard deviation. */
#define AS_POSITIONS_PARAMS(deviation, word)                                                       \
    {.key = "initializer_range",                                                                   \
     .aliases = "std",                                                                             \
     .type = AS_PARAM_REAL,                                                                        \
     .preset = deviation,                                                                          \
     .low = 0,                                                                                     \
     .high = 1e6,                                                                                  \
     .meaning = "standard deviation of the entries; " word},                                       \
        {.key = "max_position_embeddings",                                                         \
         .aliases = "n_positions|n_ctx",                                                           \
         .type = AS_PARAM_COUNT,                                                                   \
         .preset = "auto",                                                                         \
         .low = 1,                                                                                 \
         .high = 1e9,                                                                              \
         .meaning = "rows of the table; auto: the file's, or as many as there are keys"},          \
        {.key = "file",                                                                            \
         .type = AS_PARAM_TEXT,                                                                    \
         .preset = "",                                                                             \
         .meaning = "the table: [positions][heads*d], of which a head has its columns, "           \
                    "[positions][d], one for all heads, or [heads][positions][d]; else drawn"},    \
    {                                                                                              \
        .key = NULL                                                                                \
    }

/* AS_EINVAL where a position has no row. */
as_status as_positions_check(const as_scheme *scheme, const as_head *head);
/* as_scheme_type's embed; drawn by the stream of that purpose. */
as_status as_positions_embed(const as_scheme *scheme, const as_head *head, const char *purpose,
                             as_side side, double *p);

#endif
