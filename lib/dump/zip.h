/* zip: the directory of a zip archive and the bytes of its members, for the formats that are zips
 * (.npz, PyTorch). Private to lib/dump. Only the central directory is believed: local headers may hold
 * zero or 0xFFFFFFFF where sizes should be. */
#ifndef AS_DUMP_ZIP_H
#define AS_DUMP_ZIP_H

#include "dump/file.h"

typedef struct as_zip_member {
    char *name;
    uint64_t header;       /* of its local header in the file */
    uint64_t packed, size; /* bytes in the file, and unpacked */
    uint32_t crc;          /* of the unpacked bytes */
    uint16_t method;       /* 0 stored, 8 deflated; others are refused when they are read */
    bool encrypted;
} as_zip_member;

typedef struct as_zip {
    as_zip_member *members;
    size_t count;
} as_zip;

/* Reads the central directory, ZIP64 too. AS_EREAD with what is wrong (no end record, a directory
 * beyond the file, members that overlap or reach beyond it, more than 2^20 members), AS_ENOMEM. */
as_status as_zip_open(const as_file *file, as_zip *out);
void as_zip_free(as_zip *zip);

/* The whole of a member in memory, its CRC checked; refused (AS_EREAD) beyond `limit` bytes.
 * out is owned by the caller (free()). */
as_status as_zip_read(const as_file *file, const as_zip_member *member, uint64_t limit,
                      unsigned char **out);

/* The first `size` bytes of a member, without its CRC: for headers. AS_EREAD where it is shorter. */
as_status as_zip_peek(const as_file *file, const as_zip_member *member, size_t size,
                      unsigned char *out);

/* Where a stored member's bytes begin in the file. AS_EREAD where its local header is none. */
as_status as_zip_stored_at(const as_file *file, const as_zip_member *member, uint64_t *offset);

/* Reads the whole of a member and checks its length and CRC. Cost: the member; memory: a block. */
as_status as_zip_check(const as_file *file, const as_zip_member *member);

/* An unlinked temporary file (in TMPDIR, or /tmp); the descriptor is the caller's. AS_EREAD. */
as_status as_zip_temporary(int *fd);

/* Unpacks a member into an open file at an offset and checks its CRC; it may not hold more than `size`
 * bytes. AS_EREAD, also where the file cannot be written. */
as_status as_zip_unpack(const as_file *file, const as_zip_member *member, uint64_t size, int fd,
                        uint64_t offset);

/* Both: the member at the beginning of a temporary file of its own. */
as_status as_zip_spool(const as_file *file, const as_zip_member *member, uint64_t size, int *fd);

#endif
