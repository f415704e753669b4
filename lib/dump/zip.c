/* The central directory of a zip archive, ZIP64 too (PKWARE APPNOTE.TXT 6.3.10, section 4.3).
 * It refuses archives that are cut off or span several files, and members that share bytes. */
#include "dump/zip.h"
#include "base/fail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    END_BYTES = 22,
    END64_BYTES = 56,
    LOCATOR_BYTES = 20,
    ENTRY_BYTES = 46,
    LOCAL_BYTES = 30,
    MAX_COMMENT = 0xFFFF,
    MAX_MEMBERS = 1 << 20,
    MAX_DIRECTORY = 1 << 28
};

typedef struct directory {
    uint64_t offset, bytes, count;
    uint64_t end; /* of what members and directory may occupy */
} directory;

static uint16_t u16(const unsigned char *b) {
    return (uint16_t)(b[0] | b[1] << 8);
}

static uint32_t u32(const unsigned char *b) {
    return (uint32_t)u16(b) | (uint32_t)u16(b + 2) << 16;
}

static uint64_t u64(const unsigned char *b) {
    return (uint64_t)u32(b) | (uint64_t)u32(b + 4) << 32;
}

/* The end record: the last one whose comment reaches the end of the file. */
static as_status find_end(const as_file *file, unsigned char *end, uint64_t *at) {
    uint64_t size = file->stamp.size;
    size_t room = END_BYTES + MAX_COMMENT;
    room = size < room ? (size_t)size : room;
    unsigned char *tail = malloc(room + 1);
    if (tail == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the end of a zip archive");
    }
    as_status status = as_file_read(file, size - room, tail, room);
    bool found = false;
    for (size_t i = room; status == AS_OK && !found && i >= END_BYTES; i--) {
        const unsigned char *b = tail + i - END_BYTES;
        found = memcmp(b, "PK\x05\x06", 4) == 0 && u16(b + 20) == room - i;
        if (found) {
            memcpy(end, b, END_BYTES);
            *at = size - room + (i - END_BYTES);
        }
    }
    free(tail);
    return status != AS_OK || found
               ? status
               : as_fail(AS_EREAD, "is a zip archive without its end record: it was cut off, or "
                                   "bytes follow it");
}

/* The end record of ZIP64, which a locator before the other one points to. */
static as_status read_end64(const as_file *file, uint64_t at, directory *out) {
    unsigned char locator[LOCATOR_BYTES] = {0}, end[END64_BYTES] = {0};
    if (at < LOCATOR_BYTES + END64_BYTES) {
        return as_fail(AS_EREAD, "is a zip archive whose ZIP64 end record is missing");
    }
    as_status status = as_file_read(file, at - LOCATOR_BYTES, locator, sizeof locator);
    if (status != AS_OK) {
        return status;
    }
    uint64_t where = u64(locator + 8);
    if (memcmp(locator, "PK\x06\x07", 4) != 0 || where > at - LOCATOR_BYTES - END64_BYTES) {
        return as_fail(AS_EREAD, "is a zip archive whose ZIP64 end record is missing");
    }
    status = as_file_read(file, where, end, sizeof end);
    if (status != AS_OK) {
        return status;
    }
    if (memcmp(end, "PK\x06\x06", 4) != 0) {
        return as_fail(AS_EREAD, "is a zip archive whose ZIP64 end record is missing");
    }
    *out = (directory){
        .offset = u64(end + 48), .bytes = u64(end + 40), .count = u64(end + 32), .end = where};
    return AS_OK;
}

static as_status find_directory(const as_file *file, directory *out) {
    unsigned char end[END_BYTES] = {0};
    uint64_t at = 0;
    as_status status = find_end(file, end, &at);
    if (status != AS_OK) {
        return status;
    }
    directory d = {
        .offset = u32(end + 16), .bytes = u32(end + 12), .count = u16(end + 10), .end = at};
    if (d.offset == UINT32_MAX || d.bytes == UINT32_MAX || d.count == UINT16_MAX) {
        status = read_end64(file, at, &d);
        if (status != AS_OK) {
            return status;
        }
    } else if (u16(end + 4) != 0) {
        return as_fail(AS_EREAD, "is a part of a zip archive that spans several files");
    }
    if (d.bytes > d.end || d.offset > d.end - d.bytes) {
        return as_fail(AS_EREAD,
                       "is a zip archive whose directory of %" PRIu64 " bytes at byte %" PRIu64
                       " is not in the file",
                       d.bytes, d.offset);
    }
    if (d.count > MAX_MEMBERS || d.bytes > MAX_DIRECTORY) {
        return as_fail(AS_EREAD,
                       "is a zip archive of %" PRIu64 " members whose directory has %" PRIu64
                       " bytes; at most %d and %d are read",
                       d.count, d.bytes, MAX_MEMBERS, MAX_DIRECTORY);
    }
    if (d.count > d.bytes / ENTRY_BYTES) {
        return as_fail(AS_EREAD,
                       "is a zip archive whose directory of %" PRIu64
                       " bytes cannot hold its %" PRIu64 " members",
                       d.bytes, d.count);
    }
    *out = d;
    return AS_OK;
}

/* The 64-bit values of those fields that say 0xFFFFFFFF, in this order, in extra field 1. */
static bool read_extra64(const unsigned char *extra, size_t length, as_zip_member *m) {
    uint64_t *const fields[] = {&m->size, &m->packed, &m->header};
    const unsigned char *value = NULL;
    size_t left = 0;
    for (size_t at = 0; value == NULL && at + 4 <= length; at += 4 + (size_t)u16(extra + at + 2)) {
        size_t bytes = u16(extra + at + 2);
        if (u16(extra + at) == 1 && bytes <= length - at - 4) {
            value = extra + at + 4;
            left = bytes;
        }
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (*fields[i] != UINT32_MAX) {
            continue;
        }
        if (left < 8) {
            return false;
        }
        *fields[i] = u64(value);
        value += 8;
        left -= 8;
    }
    return true;
}

/* One entry of the directory; *used is how long it is. */
static as_status read_entry(const unsigned char *b, size_t left, as_zip_member *out, size_t *used) {
    if (left < ENTRY_BYTES || memcmp(b, "PK\x01\x02", 4) != 0) {
        return as_fail(AS_EREAD, "is a zip archive whose directory is broken");
    }
    size_t name = u16(b + 28), extra = u16(b + 30), comment = u16(b + 32);
    if (name + extra + comment > left - ENTRY_BYTES) {
        return as_fail(AS_EREAD, "is a zip archive whose directory is broken");
    }
    const unsigned char *text = b + ENTRY_BYTES;
    for (size_t i = 0; i < name; i++) {
        if (text[i] < ' ' || text[i] == 0x7f) {
            return as_fail(AS_EREAD,
                           "is a zip archive with a control character in a member's name");
        }
    }
    as_zip_member m = {.header = u32(b + 42),
                       .packed = u32(b + 20),
                       .size = u32(b + 24),
                       .crc = u32(b + 16),
                       .method = u16(b + 10),
                       .encrypted = (u16(b + 8) & 1) != 0};
    m.name = malloc(name + 1);
    if (m.name == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the members of a zip archive");
    }
    memcpy(m.name, text, name);
    m.name[name] = '\0';
    *out = m;
    *used = ENTRY_BYTES + name + extra + comment;
    return read_extra64(text + name, extra, out)
               ? AS_OK
               : as_fail(AS_EREAD, "its member '%.200s' lacks its ZIP64 sizes", m.name);
}

static int by_header(const void *a, const void *b) {
    const as_zip_member *x = *(as_zip_member *const *)a, *y = *(as_zip_member *const *)b;
    return x->header < y->header ? -1 : x->header > y->header;
}

/* Every member ends before the next one and before the directory: bytes that serve twice are how a
 * small archive unpacks to a huge one. */
static as_status check_places(const as_zip *zip, uint64_t limit) {
    const as_zip_member **sorted = malloc((zip->count + 1) * sizeof *sorted);
    if (sorted == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the members of a zip archive");
    }
    for (size_t i = 0; i < zip->count; i++) {
        sorted[i] = &zip->members[i];
    }
    qsort(sorted, zip->count, sizeof *sorted, by_header);
    as_status status = AS_OK;
    for (size_t i = 0; status == AS_OK && i < zip->count; i++) {
        const as_zip_member *m = sorted[i], *next = i + 1 < zip->count ? sorted[i + 1] : NULL;
        uint64_t head = LOCAL_BYTES + strlen(m->name);
        if (m->header > limit || head > limit - m->header || m->packed > limit - m->header - head) {
            status = as_fail(AS_EREAD, "its member '%.200s' reaches beyond the archive", m->name);
        } else if (next != NULL && next->header < m->header + head + m->packed) {
            status =
                as_fail(AS_EREAD, "its members '%.200s' and '%.200s' overlap", m->name, next->name);
        }
    }
    free(sorted);
    return status;
}

static as_status read_directory(const as_file *file, const directory *d, as_zip *zip) {
    unsigned char *bytes = malloc((size_t)d->bytes + 1);
    zip->members = calloc((size_t)d->count + 1, sizeof *zip->members);
    if (bytes == NULL || zip->members == NULL) {
        free(bytes);
        return as_fail(AS_ENOMEM, "no memory for the directory of a zip archive");
    }
    as_status status = as_file_read(file, d->offset, bytes, (size_t)d->bytes);
    size_t at = 0, used = 0;
    while (status == AS_OK && zip->count < d->count) {
        status = read_entry(bytes + at, (size_t)d->bytes - at, &zip->members[zip->count], &used);
        at += used;
        zip->count++;
    }
    free(bytes);
    return status;
}

as_status as_zip_open(const as_file *file, as_zip *out) {
    directory d = {0};
    as_status status = find_directory(file, &d);
    if (status != AS_OK) {
        return status;
    }
    as_zip zip = {0};
    status = read_directory(file, &d, &zip);
    if (status == AS_OK) {
        status = check_places(&zip, d.offset);
    }
    if (status != AS_OK) {
        as_zip_free(&zip);
        return status;
    }
    *out = zip;
    return AS_OK;
}

void as_zip_free(as_zip *zip) {
    for (size_t i = 0; i < zip->count; i++) {
        free(zip->members[i].name);
    }
    free(zip->members);
    *zip = (as_zip){0};
}
