/* raw: the shape and dtype of elements without a header. Private to lib/dump. */
#ifndef AS_DUMP_RAW_H
#define AS_DUMP_RAW_H

#include "attnspec/dump.h"

typedef struct as_raw {
    as_dtype dtype;
    bool swapped; /* in the other byte order than this machine's */
    size_t rank;
    size_t shape[AS_MAX_RANK]; /* none is 0, and a size_t can count the bytes */
} as_raw;

/* "512x512:f32". AS_EINVAL with an example and the valid dtypes. */
as_status as_raw_parse(const char *text, as_raw *out);

#endif
