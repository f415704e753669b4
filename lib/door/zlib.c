/* The only file that knows zlib.
 * It refuses nothing: counts beyond zlib's 32 bits go in pieces. */
#include "door/zlib.h"

#include <limits.h>
#include <zlib.h>

uint32_t as_crc32(uint32_t crc, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    while (count > 0) {
        uInt piece = count < UINT_MAX ? (uInt)count : UINT_MAX;
        crc = (uint32_t)crc32(crc, at, piece);
        at += piece;
        count -= piece;
    }
    return crc;
}
