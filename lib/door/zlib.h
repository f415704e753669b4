/* zlib: the CRC-32 that guards records, the one of gzip and zip. Private to the library. */
#ifndef AS_DOOR_ZLIB_H
#define AS_DOOR_ZLIB_H

#include <stddef.h>
#include <stdint.h>

/* The CRC of `crc`'s bytes followed by these; start from 0. */
uint32_t as_crc32(uint32_t crc, const void *bytes, size_t count);

#endif
