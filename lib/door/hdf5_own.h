/* hdf5_own: what the files of the HDF5 door share, and nobody else sees. */
#ifndef AS_DOOR_HDF5_OWN_H
#define AS_DOOR_HDF5_OWN_H

#include "door/hdf5.h"

#include <hdf5.h>

/* The way to the disk when writing. HDF5 crashes at exit where a file could not be closed because
 * the disk was full; this driver keeps the error and lets HDF5 believe that all went well. */
typedef struct as_h5_disk {
    int fd;    /* open for reading and writing */
    int error; /* errno of the first failure, 0 while there is none */
} as_h5_disk;

/* Makes `access` (a file access property list) go through `disk`, which must outlive the file.
 * Negative where HDF5 does not let us. */
herr_t as_h5_disk_use(hid_t access, as_h5_disk *disk);

struct as_h5 {
    char *path;
    hid_t id;
    bool writing;
    as_h5_disk disk; /* when writing */
    uint64_t bytes;  /* of the file, when reading */
};

/* The failure of the HDF5 call just made, on `what` in the file. */
as_status as_h5_fault(const as_h5 *file, const char *what);

/* HDF5 does not see a full disk, so a call is done when its result is not negative and the disk has
 * no error; else the fault. */
as_status as_h5_done(const as_h5 *file, int64_t result, const char *what);

#endif
