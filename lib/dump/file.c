/* Plain files read at an offset. Not mapped: a file that shrinks meanwhile would kill the process.
 * It refuses directories, pipes, sockets and devices, and never waits for them. */
#define _POSIX_C_SOURCE 200809L
#include "dump/file.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *kind_of(mode_t mode) {
    return S_ISDIR(mode)    ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

static as_status cannot_open(int error) {
    return as_fail(AS_EREAD, "cannot be opened: %s", strerror(error));
}

as_status as_file_open(const char *path, as_file *out) {
    /* O_NONBLOCK: opening a pipe would wait for its writer. Plain files do not heed it. */
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    if (fd < 0) {
        return cannot_open(errno);
    }
    struct stat s;
    if (fstat(fd, &s) != 0) {
        as_status status = cannot_open(errno);
        close(fd);
        return status;
    }
    if (!S_ISREG(s.st_mode)) {
        close(fd);
        return as_fail(AS_EREAD, "is %s, not a file", kind_of(s.st_mode));
    }
    *out = (as_file){.fd = fd,
                     .stamp = {.size = (uint64_t)s.st_size,
                               .seconds = s.st_mtim.tv_sec,
                               .nanoseconds = s.st_mtim.tv_nsec}};
    return AS_OK;
}

as_status as_file_reopen(const char *path, const as_file_stamp *stamp, as_file *out) {
    as_file file;
    as_status status = as_file_open(path, &file);
    if (status != AS_OK) {
        return status;
    }
    if (file.stamp.size != stamp->size || file.stamp.seconds != stamp->seconds ||
        file.stamp.nanoseconds != stamp->nanoseconds) {
        as_file_close(&file);
        if (file.stamp.size == stamp->size) {
            return as_fail(AS_EREAD, "was written again since it was opened");
        }
        return as_fail(AS_EREAD,
                       "changed since it was opened: it had %" PRIu64 " bytes, now it has %" PRIu64,
                       stamp->size, file.stamp.size);
    }
    *out = file;
    return AS_OK;
}

void as_file_close(as_file *file) {
    close(file->fd);
    file->fd = -1;
}

as_status as_file_read(const as_file *file, uint64_t offset, void *buffer, size_t bytes) {
    unsigned char *to = buffer;
    for (size_t done = 0; done < bytes;) {
        ssize_t got = pread(file->fd, to + done, bytes - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got < 0) {
            return as_fail(AS_EREAD, "cannot be read at byte %" PRIu64 ": %s", offset + done,
                           strerror(errno));
        }
        if (got == 0) {
            return as_fail(AS_EREAD, "ends at byte %" PRIu64 ", but %" PRIu64 " were promised",
                           offset + done, offset + bytes);
        }
        done += (size_t)got;
    }
    return AS_OK;
}
