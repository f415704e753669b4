/* zlib: the CRC-32 that guards records, the one of gzip and zip, and the inflating of raw deflate, as
 * zip has it. Private to the library. */
#ifndef AS_DOOR_ZLIB_H
#define AS_DOOR_ZLIB_H

#include "attnspec/base.h"

/* The CRC of `crc`'s bytes followed by these; start from 0. */
uint32_t as_crc32(uint32_t crc, const void *bytes, size_t count);

typedef struct as_inflate as_inflate;

/* AS_ENOMEM. One stream is for one thread at a time. */
as_status as_inflate_open(as_inflate **out);
void as_inflate_close(as_inflate *stream);
/* Unpacks from *in (of *in_size bytes, both moved on) into out until one of them is exhausted or the
 * stream ends (*ended). *written of `room` bytes; neither may be beyond 4 GiB. AS_EREAD with zlib's
 * word for what is wrong, AS_ENOMEM. */
as_status as_inflate_step(as_inflate *stream, const unsigned char **in, size_t *in_size,
                          unsigned char *out, size_t room, size_t *written, bool *ended);

#endif
