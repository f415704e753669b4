/* The bytes of a zip archive's members, stored or deflated, a block at a time.
 * It refuses encrypted members, other methods, and bytes that the directory or the CRC contradict. */
#define _GNU_SOURCE /* mkostemp */
#include "base/fail.h"
#include "door/zlib.h"
#include "dump/zip.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STORED = 0, DEFLATED = 8, LOCAL_BYTES = 30, BLOCK_BYTES = 1 << 16 };

typedef struct stream {
    const as_file *file;
    uint64_t at, left;   /* packed bytes that are still in the file */
    as_inflate *inflate; /* NULL for a stored member */
    bool ended;
    const unsigned char *in; /* packed bytes in the buffer */
    size_t in_size;
    unsigned char buffer[BLOCK_BYTES];
} stream;

/* What takes a block of a member, from its byte `at` on. */
typedef as_status sink(void *context, uint64_t at, const unsigned char *bytes, size_t count);

static as_status of_member(as_status status, const as_zip_member *member) {
    return as_fail_prefix(status, "its member '%.200s'", member->name);
}

static as_status check_method(const as_zip_member *m) {
    if (m->encrypted) {
        return as_fail(AS_EREAD, "is encrypted, which is not read");
    }
    if (m->method != STORED && m->method != DEFLATED) {
        return as_fail(AS_EREAD,
                       "is compressed by method %u; stored (0) and deflated (8) members are read",
                       m->method);
    }
    if (m->method == STORED && m->packed != m->size) {
        return as_fail(AS_EREAD,
                       "is stored, but should have %" PRIu64 " bytes in %" PRIu64 " bytes", m->size,
                       m->packed);
    }
    return AS_OK;
}

/* Only the local header knows how long its own extra fields are. */
static as_status find_bytes(const as_file *file, const as_zip_member *m, uint64_t *offset) {
    unsigned char b[LOCAL_BYTES] = {0};
    as_status status = as_file_read(file, m->header, b, sizeof b);
    if (status != AS_OK) {
        return status;
    }
    uint64_t at =
        m->header + LOCAL_BYTES + (unsigned)(b[26] | b[27] << 8) + (unsigned)(b[28] | b[29] << 8);
    if (memcmp(b, "PK\x03\x04", 4) != 0) {
        return as_fail(AS_EREAD, "has no header at byte %" PRIu64, m->header);
    }
    if (at > file->stamp.size || m->packed > file->stamp.size - at) {
        return as_fail(AS_EREAD, "reaches beyond the file");
    }
    *offset = at;
    return AS_OK;
}

static as_status open_stream(const as_file *file, const as_zip_member *m, stream **out) {
    uint64_t at = 0;
    as_status status = check_method(m);
    if (status == AS_OK) {
        status = find_bytes(file, m, &at);
    }
    if (status != AS_OK) {
        return status;
    }
    stream *s = malloc(sizeof *s);
    if (s == NULL) {
        return as_fail(AS_ENOMEM, "no memory to unpack");
    }
    s->file = file;
    s->at = at;
    s->left = m->packed;
    s->inflate = NULL;
    s->ended = false;
    s->in_size = 0;
    status = m->method == DEFLATED ? as_inflate_open(&s->inflate) : AS_OK;
    if (status != AS_OK) {
        free(s);
        return status;
    }
    *out = s;
    return AS_OK;
}

static void close_stream(stream *s) {
    as_inflate_close(s->inflate);
    free(s);
}

static as_status take(stream *s, unsigned char *out, size_t room, size_t *got) {
    *got = s->left < room ? (size_t)s->left : room;
    as_status status = as_file_read(s->file, s->at, out, *got);
    s->at += *got;
    s->left -= *got;
    return status;
}

/* The next bytes: `room` of them, fewer only at the member's end. */
static as_status next(stream *s, unsigned char *out, size_t room, size_t *got) {
    if (s->inflate == NULL) {
        return take(s, out, room, got);
    }
    *got = 0;
    while (*got < room && !s->ended) {
        if (s->in_size == 0) {
            s->in = s->buffer;
            as_status status = take(s, s->buffer, sizeof s->buffer, &s->in_size);
            if (status != AS_OK) {
                return status;
            }
        }
        size_t before = s->in_size, written = 0;
        as_status status = as_inflate_step(s->inflate, &s->in, &s->in_size, out + *got, room - *got,
                                           &written, &s->ended);
        if (status != AS_OK) {
            return status;
        }
        *got += written;
        if (written == 0 && s->in_size == before && !s->ended) {
            return as_fail(AS_EREAD, "its deflated bytes end too soon");
        }
    }
    return AS_OK;
}

/* All blocks of a member to `to` (which may be NULL); no more than `limit` bytes, and those of the
 * directory, with its CRC. */
static as_status pass(stream *s, const as_zip_member *m, uint64_t limit, sink *to, void *context) {
    unsigned char *block = malloc(BLOCK_BYTES);
    if (block == NULL) {
        return as_fail(AS_ENOMEM, "no memory to unpack");
    }
    as_status status = AS_OK;
    uint64_t at = 0;
    uint32_t crc = 0;
    for (size_t got = BLOCK_BYTES; status == AS_OK && got == BLOCK_BYTES; at += got) {
        status = next(s, block, BLOCK_BYTES, &got);
        if (status == AS_OK && (got > m->size - at || got > limit - at)) {
            status = as_fail(AS_EREAD, "unpacks to more than the %" PRIu64 " bytes it should have",
                             m->size < limit ? m->size : limit);
        }
        if (status == AS_OK) {
            crc = as_crc32(crc, block, got);
            status = to != NULL ? to(context, at, block, got) : AS_OK;
        }
    }
    free(block);
    if (status == AS_OK && at != m->size) {
        return as_fail(AS_EREAD, "unpacks to %" PRIu64 " bytes instead of %" PRIu64, at, m->size);
    }
    if (status == AS_OK && crc != m->crc) {
        return as_fail(AS_EREAD, "is damaged: its CRC is %08" PRIx32 ", it should be %08" PRIx32,
                       crc, m->crc);
    }
    return status;
}

static as_status unpack(const as_file *file, const as_zip_member *member, uint64_t limit, sink *to,
                        void *context) {
    stream *s = NULL;
    as_status status = open_stream(file, member, &s);
    if (status == AS_OK) {
        status = pass(s, member, limit, to, context);
        close_stream(s);
    }
    return status == AS_OK ? AS_OK : of_member(status, member);
}

static as_status to_memory(void *context, uint64_t at, const unsigned char *bytes, size_t count) {
    memcpy((unsigned char *)context + at, bytes, count);
    return AS_OK;
}

as_status as_zip_read(const as_file *file, const as_zip_member *member, uint64_t limit,
                      unsigned char **out) {
    if (member->size > limit) {
        as_fail(AS_EREAD, "has %" PRIu64 " bytes; more than %" PRIu64 " are not read", member->size,
                limit);
        return of_member(AS_EREAD, member);
    }
    unsigned char *bytes = member->size < SIZE_MAX ? malloc((size_t)member->size + 1) : NULL;
    if (bytes == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a member of %" PRIu64 " bytes", member->size);
    }
    as_status status = unpack(file, member, member->size, to_memory, bytes);
    if (status != AS_OK) {
        free(bytes);
        return status;
    }
    *out = bytes;
    return AS_OK;
}

as_status as_zip_peek(const as_file *file, const as_zip_member *member, size_t size,
                      unsigned char *out) {
    stream *s = NULL;
    as_status status = open_stream(file, member, &s);
    if (status == AS_OK) {
        size_t got = 0;
        status = next(s, out, size, &got);
        if (status == AS_OK && got < size) {
            status = as_fail(AS_EREAD, "ends after %zu bytes, but %zu were promised", got, size);
        }
        close_stream(s);
    }
    return status == AS_OK ? AS_OK : of_member(status, member);
}

as_status as_zip_stored_at(const as_file *file, const as_zip_member *member, uint64_t *offset) {
    as_status status = check_method(member);
    if (status == AS_OK && member->method != STORED) {
        status = as_fail(AS_EREAD, "is compressed");
    }
    if (status == AS_OK) {
        status = find_bytes(file, member, offset);
    }
    return status == AS_OK ? AS_OK : of_member(status, member);
}

as_status as_zip_check(const as_file *file, const as_zip_member *member) {
    return unpack(file, member, member->size, NULL, NULL);
}

as_status as_zip_temporary(int *fd) {
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int used = snprintf(path, sizeof path, "%s/attnspec_XXXXXX",
                        folder != NULL && folder[0] != '\0' ? folder : "/tmp");
    if (used < 0 || (size_t)used >= sizeof path) {
        return as_fail(AS_EREAD, "the path of the temporary folder, TMPDIR, is too long");
    }
    int made = mkostemp(path, O_CLOEXEC);
    if (made < 0) {
        return as_fail(AS_EREAD, "no temporary file could be made (%s): %s", path, strerror(errno));
    }
    unlink(path);
    *fd = made;
    return AS_OK;
}

typedef struct place {
    int fd;
    uint64_t offset;
} place;

static as_status to_file(void *context, uint64_t at, const unsigned char *bytes, size_t count) {
    const place *p = context;
    for (size_t done = 0; done < count;) {
        ssize_t put = pwrite(p->fd, bytes + done, count - done, (off_t)(p->offset + at + done));
        if (put < 0 && errno != EINTR) {
            return as_fail(AS_EREAD, "could not be unpacked into a temporary file: %s",
                           strerror(errno));
        }
        done += put > 0 ? (size_t)put : 0;
    }
    return AS_OK;
}

as_status as_zip_unpack(const as_file *file, const as_zip_member *member, uint64_t size, int fd,
                        uint64_t offset) {
    return unpack(file, member, size, to_file, &(place){fd, offset});
}

as_status as_zip_spool(const as_file *file, const as_zip_member *member, uint64_t size, int *fd) {
    int made = -1;
    as_status status = as_zip_temporary(&made);
    if (status != AS_OK) {
        return status;
    }
    status = as_zip_unpack(file, member, size, made, 0);
    if (status != AS_OK) {
        close(made);
        return status;
    }
    *fd = made;
    return AS_OK;
}
