/* The bytes of a file.
 * It refuses pipes, folders and devices, which could keep us waiting or never end, and files too large. */
#define _POSIX_C_SOURCE 200809L /* open, fstat, fdopen */
#include "base/text_file.h"
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* O_NONBLOCK: opening a pipe would wait for its writer. Regular files do not heed it. */
static as_status open_regular(const char *path, FILE **out, uint64_t *size) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    FILE *file = NULL;
    as_status status = AS_OK;
    if (fd < 0 || fstat(fd, &facts) != 0) {
        status = as_fail(AS_EREAD, "%s: cannot be opened: %s", path, strerror(errno));
    } else if (!S_ISREG(facts.st_mode)) {
        status = as_fail(AS_EREAD, "%s is no regular file", path);
    } else if ((file = fdopen(fd, "rb")) == NULL) {
        status = as_fail(AS_ENOMEM, "there is no memory to open %s", path);
    }
    if (status != AS_OK) {
        if (fd >= 0) {
            close(fd);
        }
        return status;
    }
    *out = file;
    *size = (uint64_t)facts.st_size;
    return AS_OK;
}

as_status as_read_text(const char *path, const char *what, size_t most, char **bytes,
                       size_t *size) {
    FILE *file = NULL;
    uint64_t length = 0;
    as_status status = open_regular(path, &file, &length);
    if (status != AS_OK) {
        return status;
    }
    char *text = NULL;
    size_t got = 0;
    if (length > most) {
        status = as_fail(AS_EREAD, "%s has %llu bytes, but %s has at most %zu", path,
                         (unsigned long long)length, what, most);
    } else if ((text = malloc((size_t)length + 1)) == NULL) {
        status =
            as_fail(AS_ENOMEM, "there is no memory for the %zu bytes of %s", (size_t)length, path);
    } else {
        errno = 0;
        got = fread(text, 1, (size_t)length, file);
        if (ferror(file)) {
            status = as_fail(AS_EREAD, "%s: cannot be read: %s", path, strerror(errno));
        } else if (got < length) {
            status = as_fail(AS_EREAD, "%s became shorter while it was read", path);
        }
    }
    fclose(file);
    if (status != AS_OK) {
        free(text);
        return status;
    }
    *bytes = text;
    *size = got;
    return AS_OK;
}
