/* The only file that knows zlib.
 * It refuses what is no raw deflate; counts beyond zlib's 32 bits go in pieces. */
#define _POSIX_C_SOURCE 200809L
#include "door/zlib.h"
#include "base/fail.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
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

struct as_gz {
    gzFile file;
};

as_status as_gz_open(int fd, as_gz **out) {
    as_gz *gz = malloc(sizeof *gz);
    int own = dup(fd);
    if (gz == NULL || own < 0 || lseek(own, 0, SEEK_SET) != 0 ||
        (gz->file = gzdopen(own, "rb")) == NULL) {
        free(gz);
        if (own >= 0) {
            close(own);
        }
        return as_fail(AS_ENOMEM, "no memory or no descriptor to unpack a gzip file");
    }
    gzbuffer(gz->file, 1 << 16);
    *out = gz;
    return AS_OK;
}

void as_gz_close(as_gz *gz) {
    if (gz != NULL) {
        gzclose_r(gz->file);
    }
    free(gz);
}

as_status as_gz_read(as_gz *gz, void *out, size_t room, size_t *got) {
    int count = gzread(gz->file, out, (unsigned)room), code;
    /* At the end of a file that stops inside a member, gzread() gives what it has, and says it here. */
    const char *why = gzerror(gz->file, &code), *word = strstr(why, ": ");
    why = word != NULL ? word + 2 : why; /* its own name for the file stands before */
    if (count < 0 || code != Z_OK) {
        return code == Z_MEM_ERROR   ? as_fail(AS_ENOMEM, "no memory to unpack a gzip file")
               : code == Z_BUF_ERROR ? as_fail(AS_EREAD, "is a gzip file that ends too soon")
                                     : as_fail(AS_EREAD, "is a broken gzip file: %s", why);
    }
    *got = (size_t)count;
    return AS_OK;
}

uint64_t as_gz_offset(as_gz *gz) {
    return (uint64_t)gzoffset(gz->file);
}
