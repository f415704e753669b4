/* alibi: the slopes of ALiBi, which other schemes take over. Private to lib/scheme. */
#ifndef AS_SCHEME_ALIBI_H
#define AS_SCHEME_ALIBI_H

#include <stddef.h>

/* (P6), as the authors have it; h < heads. */
double as_alibi_slope(size_t h, size_t heads);

#endif
