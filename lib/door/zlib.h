/* zlib: the CRC-32 that guards records, the one of gzip and zip, the inflating of raw deflate, as
 * zip has it, and of gzip files. Private to the library. */
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

/* The text inside a gzip file, members after the first included. */
typedef struct as_gz as_gz;
/* Reads from byte 0 of fd, which stays the caller's and must stay open. AS_EREAD, AS_ENOMEM. */
as_status as_gz_open(int fd, as_gz **out);
void as_gz_close(as_gz *gz);
/* The next *got bytes of at most `room` (up to 1 GiB), 0 at the end. AS_EREAD where the packed bytes
 * are broken or end too soon; the CRC is checked. */
as_status as_gz_read(as_gz *gz, void *out, size_t room, size_t *got);
/* Packed bytes taken so far. */
uint64_t as_gz_offset(as_gz *gz);

#endif
