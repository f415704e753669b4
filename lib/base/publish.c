/* A finished file gets its name, once and whole.
 * It refuses to replace what appeared under that name while the file was being written. */
#define _POSIX_C_SOURCE 200809L
#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* The new name is on the disk only when the folder is; a failure loses nothing. */
static void sync_folder(const char *path) {
    char *folder = strdup(path);
    char *slash = folder != NULL ? strrchr(folder, '/') : NULL;
    if (slash != NULL) {
        slash[slash == folder] = '\0';
    }
    int fd = folder == NULL ? -1 : open(slash != NULL ? folder : ".", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

/* 0, or −1 with errno. A link fails where the name is taken, a rename does not ask. */
static int give_name(const char *from, const char *to, bool replace) {
    if (replace) {
        return rename(from, to);
    }
    if (link(from, to) == 0) {
        return unlink(from);
    }
    /* File systems without links can only be asked before. */
    struct stat there;
    return errno == EEXIST || lstat(to, &there) == 0 ? (errno = EEXIST, -1) : rename(from, to);
}

as_status as_publish(const char *from, const char *to, bool replace) {
    if (give_name(from, to, replace) != 0) {
        return errno == EEXIST ? as_fail(AS_EEXIST, "%s appeared while it was being computed", to)
                               : as_fail(AS_EWRITE, "cannot write %s: %s", to, strerror(errno));
    }
    sync_folder(to);
    return AS_OK;
}
