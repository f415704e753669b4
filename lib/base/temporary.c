/* Files that have another name until they are whole.
 * It refuses to make one for a name that is taken, or by something that is no regular file. */
#define _GNU_SOURCE /* asprintf, O_CLOEXEC */
#include "base/temporary.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

as_status as_output_check(const char *path, bool force) {
    struct stat there, link;
    if (path[0] == '\0') {
        return as_fail(AS_EINVAL, "the output has no name");
    }
    if (stat(path, &there) != 0) {
        int error = errno;
        if (error == ENOENT && lstat(path, &link) == 0) {
            return as_fail(AS_EWRITE, "cannot write %s: it is a link to nothing", path);
        }
        return error == ENOENT ? AS_OK
                               : as_fail(AS_EWRITE, "cannot write %s: %s", path, strerror(error));
    }
    if (!S_ISREG(there.st_mode)) {
        return as_fail(AS_EWRITE, "cannot write %s: it is %s", path,
                       S_ISDIR(there.st_mode) ? "a folder" : "no regular file");
    }
    return force ? AS_OK : as_fail(AS_EEXIST, "%s is there already", path);
}

as_status as_temporary_make(const char *path, char **out) {
    const char *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - path);
    for (unsigned attempt = 0; attempt < 100; attempt++) {
        char *name = NULL;
        if (asprintf(&name, "%.*s.%s.%ld.%u", folder, path, path + folder, (long)getpid(),
                     attempt) < 0) {
            return as_fail(AS_ENOMEM, "no memory to write %s", path);
        }
        int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            close(fd);
            *out = name;
            return AS_OK;
        }
        int error = errno;
        free(name);
        if (error != EEXIST) {
            return as_fail(AS_EWRITE, "cannot write %s: %s", path, strerror(error));
        }
    }
    return as_fail(AS_EWRITE, "cannot write %s: all temporary names beside it are taken", path);
}

as_status as_temporary_fail(as_status status, const char *temporary, const char *path) {
    char sentence[AS_MESSAGE_MAX];
    const char *message = as_message();
    const char *at = status != AS_OK && temporary != NULL ? strstr(message, temporary) : NULL;
    if (at == NULL) {
        return status;
    }
    snprintf(sentence, sizeof sentence, "%.*s%s%s", (int)(at - message), message, path,
             at + strlen(temporary));
    return as_fail(status, "%s", sentence);
}

as_status as_output_try(const char *path, bool force) {
    char *temporary = NULL;
    as_status status = as_output_check(path, force);
    if (status == AS_OK) {
        status = as_temporary_make(path, &temporary);
    }
    if (status == AS_OK) {
        unlink(temporary);
        free(temporary);
    }
    return status;
}

/* What is replaced has been readable by whom it was. */
static void keep_mode(const char *path, const char *temporary) {
    struct stat there;
    if (stat(path, &there) == 0) {
        (void)chmod(temporary, there.st_mode & 0777);
    }
}

as_status as_temporary_write(const char *path, bool force,
                             as_status (*fill)(const char *temporary, void *context),
                             void *context) {
    char *temporary = NULL;
    as_status status = as_output_check(path, force);
    if (status == AS_OK) {
        status = as_temporary_make(path, &temporary);
    }
    if (status != AS_OK) {
        return status;
    }
    status = fill(temporary, context);
    keep_mode(path, temporary);
    if (status == AS_OK) {
        status = as_publish(temporary, path, force);
    }
    if (status != AS_OK) {
        unlink(temporary);
        as_temporary_fail(status, temporary, path);
    }
    free(temporary);
    return status;
}
