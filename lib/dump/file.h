/* file: plain files, read at an offset. Private to lib/dump. */
#ifndef AS_DUMP_FILE_H
#define AS_DUMP_FILE_H

#include "attnspec/base.h"

/* What tells whether a file is still the one that was opened. */
typedef struct as_file_stamp {
    uint64_t size;
    int64_t seconds, nanoseconds; /* of the last change */
} as_file_stamp;

typedef struct as_file {
    int fd;
    as_file_stamp stamp;
} as_file;

/* Opens a plain file for reading; never waits, whatever the path names. Messages do not name the
 * path. AS_EREAD: it cannot be opened, or is a directory, a pipe, a socket or a device. */
as_status as_file_open(const char *path, as_file *out);
/* The same, and AS_EREAD unless size and time of change are still those of `stamp`. */
as_status as_file_reopen(const char *path, const as_file_stamp *stamp, as_file *out);
void as_file_close(as_file *file);

/* Reads exactly `bytes` at `offset`. AS_EREAD on an I/O error or where the file ends sooner. */
as_status as_file_read(const as_file *file, uint64_t offset, void *buffer, size_t bytes);

#endif
