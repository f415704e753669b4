/* The only file that knows zlib.
 * It refuses what is no raw deflate; counts beyond zlib's 32 bits go in pieces. */
#include "door/zlib.h"
#include "base/fail.h"

#include <limits.h>
#include <stdlib.h>
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

struct as_inflate {
    z_stream z;
};

as_status as_inflate_open(as_inflate **out) {
    as_inflate *stream = calloc(1, sizeof *stream);
    /* Negative window bits: raw deflate, without zlib's own header. */
    if (stream == NULL || inflateInit2(&stream->z, -MAX_WBITS) != Z_OK) {
        free(stream);
        return as_fail(AS_ENOMEM, "no memory to inflate");
    }
    *out = stream;
    return AS_OK;
}

void as_inflate_close(as_inflate *stream) {
    if (stream != NULL) {
        inflateEnd(&stream->z);
    }
    free(stream);
}

as_status as_inflate_step(as_inflate *stream, const unsigned char **in, size_t *in_size,
                          unsigned char *out, size_t room, size_t *written, bool *ended) {
    z_stream *z = &stream->z;
    uInt given = *in_size < UINT_MAX ? (uInt)*in_size : UINT_MAX;
    uInt asked = room < UINT_MAX ? (uInt)room : UINT_MAX;
    z->next_in = (z_const Bytef *)*in;
    z->avail_in = given;
    z->next_out = out;
    z->avail_out = asked;
    int code = inflate(z, Z_NO_FLUSH);
    if (code == Z_MEM_ERROR) {
        return as_fail(AS_ENOMEM, "no memory to inflate");
    }
    /* Z_BUF_ERROR says that nothing moved: the caller sees that from the counts. */
    if (code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR) {
        return as_fail(AS_EREAD, "its deflated bytes are broken (%s)",
                       z->msg != NULL ? z->msg : "no deflate stream");
    }
    *in += given - z->avail_in;
    *in_size -= given - z->avail_in;
    *written = asked - z->avail_out;
    *ended = code == Z_STREAM_END;
    return AS_OK;
}
