/* An HDF5 file driver over a file descriptor that never fails under HDF5's feet.
 * It refuses nothing: after the first error it drops what is written. */
#define _GNU_SOURCE /* pread, pwrite */
#include "door/hdf5_own.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 14, 0)
#include <H5FDdevelop.h>
#endif

typedef struct disk_file {
    H5FD_t base; /* HDF5's part, first by its contract */
    as_h5_disk *disk;
    haddr_t allocated, end; /* HDF5's "eoa" and "eof" */
} disk_file;

/* Half of the address space, as sec2 has it: off_t is signed. */
static const haddr_t address_max = ((haddr_t)1 << (8 * sizeof(off_t) - 1)) - 1;

static H5FD_t *open_file(const char *name, unsigned flags, hid_t access, haddr_t max) {
    (void)name, (void)flags, (void)max;
    as_h5_disk *const *info = H5Pget_driver_info(access);
    disk_file *file = info != NULL ? calloc(1, sizeof *file) : NULL;
    if (file == NULL) {
        return NULL;
    }
    file->disk = *info;
    struct stat facts;
    file->end = fstat(file->disk->fd, &facts) == 0 ? (haddr_t)facts.st_size : 0;
    return &file->base;
}

static herr_t close_file(H5FD_t *base) {
    free(base);
    return 0;
}

static herr_t query(const H5FD_t *base, unsigned long *flags) {
    (void)base;
    *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_ACCUMULATE_METADATA | H5FD_FEAT_DATA_SIEVE |
             H5FD_FEAT_AGGREGATE_SMALLDATA;
    return 0;
}

static haddr_t get_allocated(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const disk_file *)base)->allocated;
}

static herr_t set_allocated(H5FD_t *base, H5FD_mem_t type, haddr_t address) {
    (void)type;
    ((disk_file *)base)->allocated = address;
    return 0;
}

static haddr_t get_end(const H5FD_t *base, H5FD_mem_t type) {
    (void)type;
    return ((const disk_file *)base)->end;
}

static herr_t read_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                         size_t size, void *buffer) {
    (void)type, (void)transfer;
    as_h5_disk *disk = ((disk_file *)base)->disk;
    char *at = buffer;
    while (size > 0) {
        ssize_t got = pread(disk->fd, at, size, (off_t)address);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            disk->error = got < 0 && disk->error == 0 ? errno : disk->error;
            memset(at, 0, size);
            break;
        }
        at += got;
        address += (haddr_t)got;
        size -= (size_t)got;
    }
    return 0;
}

static herr_t write_bytes(H5FD_t *base, H5FD_mem_t type, hid_t transfer, haddr_t address,
                          size_t size, const void *buffer) {
    (void)type, (void)transfer;
    disk_file *file = (disk_file *)base;
    const char *at = buffer;
    if (address + size > file->end) {
        file->end = address + size;
    }
    while (size > 0 && file->disk->error == 0) {
        ssize_t put = pwrite(file->disk->fd, at, size, (off_t)address);
        if (put < 0 && errno != EINTR) {
            file->disk->error = errno;
        } else if (put > 0) {
            at += put;
            address += (haddr_t)put;
            size -= (size_t)put;
        }
    }
    return 0;
}

static herr_t truncate_file(H5FD_t *base, hid_t transfer, hbool_t closing) {
    (void)transfer, (void)closing;
    disk_file *file = (disk_file *)base;
    if (file->disk->error == 0 && ftruncate(file->disk->fd, (off_t)file->allocated) != 0) {
        file->disk->error = errno;
    }
    file->end = file->allocated;
    return 0;
}

herr_t as_h5_disk_use(hid_t access, as_h5_disk *disk) {
    static const H5FD_class_t driver = {
#ifdef H5FD_CLASS_VERSION
        .version = H5FD_CLASS_VERSION,
        .value = (H5FD_class_value_t)513, /* of the range for drivers of one's own */
#endif
        .name = "attnspec_disk",
        .maxaddr = address_max,
        .fc_degree = H5F_CLOSE_STRONG,
        .fapl_size = sizeof(as_h5_disk *),
        .open = open_file,
        .close = close_file,
        .query = query,
        .get_eoa = get_allocated,
        .set_eoa = set_allocated,
        .get_eof = get_end,
        .read = read_bytes,
        .write = write_bytes,
        .truncate = truncate_file,
        .fl_map = H5FD_FLMAP_DICHOTOMY,
    };
    /* Once in a process, and for good: HDF5 reads the class once more after the last file that holds
     * it is closed. The door's lock is held here. */
    static hid_t id = -1;
    if (id < 0) {
        id = H5FDregister(&driver);
    }
    return id < 0 ? -1 : H5Pset_driver(access, id, &disk);
}
