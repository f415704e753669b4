/* HDF5 files and groups; with its neighbours hdf5_*.c the only file that knows HDF5.
 * It refuses what HDF5 refuses. */
#define _GNU_SOURCE /* O_CLOEXEC, strdup */
#include "door/hdf5.h"

#include "base/fail.h"
#include "door/hdf5_own.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t mutex;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void make_mutex(void) {
    pthread_mutexattr_t attributes;
    pthread_mutexattr_init(&attributes);
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
    pthread_mutex_init(&mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
}

/* Whether this is the child of a trial, whose only thread could not take the lock: the thread that has
 * it is the parent's. */
static bool alone;

void as_h5_hold_alone(void) {
    alone = true;
}

as_h5_hold as_h5_hold_take(void) {
    if (alone) {
        return (as_h5_hold){.held = false};
    }
    pthread_once(&once, make_mutex);
    pthread_mutex_lock(&mutex);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return (as_h5_hold){.held = true};
}

void as_h5_hold_give(as_h5_hold *hold) {
    if (hold->held) {
        hold->held = false;
        pthread_mutex_unlock(&mutex);
    }
}

static herr_t keep_deepest(unsigned depth, const H5E_error2_t *error, void *text) {
    if (depth == 0 && error->desc != NULL) {
        snprintf(text, AS_H5_WHY, "%s", error->desc);
    }
    return 0;
}

const char *as_h5_why(char *text) {
    snprintf(text, AS_H5_WHY, "HDF5 does not say why");
    H5Ewalk2(H5E_DEFAULT, H5E_WALK_UPWARD, keep_deepest, text);
    return text;
}

as_status as_h5_fault(const as_h5 *file, const char *what) {
    char text[AS_H5_WHY];
    if (file->disk.error != 0) {
        return as_fail(AS_EWRITE, "cannot write %s: %s", file->path, strerror(file->disk.error));
    }
    as_h5_why(text);
    if (file->writing) {
        return as_fail(AS_EWRITE, "cannot write %s in %s: %s", what, file->path, text);
    }
    if (strstr(text, "lock file") != NULL) {
        return as_fail(AS_EREAD,
                       "cannot lock %s: another program writes it, or the file system has no locks "
                       "(then set HDF5_USE_FILE_LOCKING=FALSE)",
                       file->path);
    }
    return as_fail(AS_EREAD, "cannot read %s of %s: %s", what, file->path, text);
}

as_status as_h5_done(const as_h5 *file, int64_t result, const char *what) {
    return result < 0 || file->disk.error != 0 ? as_h5_fault(file, what) : AS_OK;
}

const char *as_h5_version(char text[16]) {
    HOLD_HDF5;
    unsigned major = 0, minor = 0, release = 0;
    H5get_libversion(&major, &minor, &release);
    snprintf(text, 16, "%u.%u.%u", major, minor, release);
    return text;
}

static as_h5 *new_file(const char *path, bool writing) {
    as_h5 *file = calloc(1, sizeof *file);
    if (file != NULL) {
        *file = (as_h5){.path = strdup(path), .id = -1, .writing = writing, .disk = {.fd = -1}};
    }
    if (file == NULL || file->path == NULL) {
        free(file);
        as_fail(AS_ENOMEM, "no memory to open %s", path);
        return NULL;
    }
    return file;
}

/* Opens or makes the HDF5 file behind the descriptor of file->disk. */
static as_status start_writing(as_h5 *file, bool create) {
    as_status status = AS_OK;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS), creation = H5Pcreate(H5P_FILE_CREATE);
    if (access < 0 || creation < 0 || H5Pset_obj_track_times(creation, false) < 0 ||
        H5Pset_libver_bounds(access, H5F_LIBVER_EARLIEST, H5F_LIBVER_V18) < 0 ||
        as_h5_disk_use(access, &file->disk) < 0) {
        status = as_h5_fault(file, "the file");
    } else {
        file->id = create ? H5Fcreate(file->path, H5F_ACC_TRUNC, creation, access)
                          : H5Fopen(file->path, H5F_ACC_RDWR, access);
        status = as_h5_done(file, file->id, "the file");
    }
    H5Pclose(access);
    H5Pclose(creation);
    return status;
}

static as_status open_writing(const char *path, bool create, as_h5 **out) {
    as_h5 *file = new_file(path, true);
    struct stat facts;
    if (file == NULL) {
        return AS_ENOMEM;
    }
    file->disk.fd = open(path, O_RDWR | O_CLOEXEC | (create ? O_CREAT | O_TRUNC : 0), 0666);
    as_status status = AS_OK;
    if (file->disk.fd < 0 || fstat(file->disk.fd, &facts) != 0) {
        status = as_fail(AS_EWRITE, "cannot write %s: %s", path, strerror(errno));
    } else {
        file->bytes = (uint64_t)facts.st_size;
        status = start_writing(file, create);
    }
    if (status != AS_OK) {
        as_h5_close(file);
        return status;
    }
    *out = file;
    return AS_OK;
}

as_status as_h5_create(const char *path, as_h5 **out) {
    HOLD_HDF5;
    return open_writing(path, true, out);
}

as_status as_h5_edit(const char *path, as_h5 **out) {
    HOLD_HDF5;
    return open_writing(path, false, out);
}

as_status as_h5_open(const char *path, as_h5 **out) {
    HOLD_HDF5;
    as_h5 *file = new_file(path, false);
    if (file == NULL) {
        return AS_ENOMEM;
    }
    as_status status = AS_OK;
    struct stat facts;
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    if (stat(path, &facts) != 0) {
        status = as_fail(AS_EREAD, "cannot open %s: %s", path, strerror(errno));
    } else if (access < 0 || H5Pset_fclose_degree(access, H5F_CLOSE_STRONG) < 0 ||
               (file->id = H5Fopen(path, H5F_ACC_RDONLY, access)) < 0) {
        status = as_h5_fault(file, "the contents");
    } else {
        file->bytes = (uint64_t)facts.st_size;
    }
    H5Pclose(access);
    if (status != AS_OK) {
        as_h5_close(file);
        return status;
    }
    *out = file;
    return AS_OK;
}

as_status as_h5_close(as_h5 *file) {
    HOLD_HDF5;
    if (file == NULL) {
        return AS_OK;
    }
    as_status status = AS_OK;
    if (file->id >= 0) {
        status = as_h5_done(file, H5Fclose(file->id), "the file");
    }
    if (status == AS_OK && file->disk.fd >= 0 && fsync(file->disk.fd) != 0) {
        status = as_fail(AS_EWRITE, "cannot write %s: %s", file->path, strerror(errno));
    }
    if (file->disk.fd >= 0 && close(file->disk.fd) != 0 && status == AS_OK) {
        status = as_fail(AS_EWRITE, "cannot write %s: %s", file->path, strerror(errno));
    }
    free(file->path);
    free(file);
    return status;
}

bool as_h5_has(as_h5 *file, const char *path) {
    HOLD_HDF5;
    return H5Oexists_by_name(file->id, path, H5P_DEFAULT) > 0;
}

as_status as_h5_group(as_h5 *file, const char *path, const char *nx_class) {
    HOLD_HDF5;
    if (strcmp(path, "/") != 0) {
        hid_t creation = H5Pcreate(H5P_GROUP_CREATE);
        hid_t id = -1;
        if (creation >= 0 && H5Pset_obj_track_times(creation, false) >= 0) {
            id = H5Gcreate2(file->id, path, H5P_DEFAULT, creation, H5P_DEFAULT);
        }
        as_status status = as_h5_done(file, id, path);
        H5Pclose(creation);
        H5Gclose(id);
        if (status != AS_OK) {
            return status;
        }
    }
    return nx_class != NULL ? as_h5_set_text(file, path, "NX_class", nx_class) : AS_OK;
}

as_status as_h5_delete(as_h5 *file, const char *path) {
    HOLD_HDF5;
    return as_h5_done(file, H5Ldelete(file->id, path, H5P_DEFAULT), path);
}
