/* dtype: from the bytes of a file to double. Private to lib/dump. */
#ifndef AS_DUMP_DTYPE_H
#define AS_DUMP_DTYPE_H

#include "attnspec/dump.h"

/* Converts count elements, in this machine's byte order, without loss (integers beyond 2^53
 * excepted). raw is aligned for the dtype. */
void as_dtype_convert(as_dtype dtype, const void *raw, size_t count, double *out);

/* Reverses the bytes of each of count elements of `size` bytes (1, 2, 4 or 8), in place. */
void as_dtype_swap(void *raw, size_t size, size_t count);

#endif
