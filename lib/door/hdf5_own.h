/* hdf5_own: what the files of the HDF5 door share, and nobody else sees. */
#ifndef AS_DOOR_HDF5_OWN_H
#define AS_DOOR_HDF5_OWN_H

#include "door/hdf5.h"
#include "door/hdf5_tree.h"

/* The calls as they are in 1.10: later releases keep them under this name. */
#define H5_USE_110_API
#include <hdf5.h>

/* HDF5 is not thread-safe in most builds, and in the others its error printing is switched off for
 * one thread at a time. So every function that other rooms call begins with HOLD_HDF5: one lock for
 * the process, which the thread that has it may take again, until the function returns. */
typedef struct as_h5_hold {
    bool held;
} as_h5_hold;
as_h5_hold as_h5_hold_take(void);
void as_h5_hold_give(as_h5_hold *hold);
/* No lock from here on: said by the child of a trial, which has one thread. */
void as_h5_hold_alone(void);
#define HOLD_HDF5                                                                                  \
    as_h5_hold hold __attribute__((cleanup(as_h5_hold_give), unused)) = as_h5_hold_take()

/* What HDF5 says of the call that has just failed; its innermost sentence. text[160] is written and
 * returned. */
#define AS_H5_WHY 160
const char *as_h5_why(char *text);

/* The way to the disk when writing. HDF5 crashes at exit where a file could not be closed because
 * the disk was full; this driver keeps the error and lets HDF5 believe that all went well. */
typedef struct as_h5_disk {
    int fd;    /* open for reading and writing */
    int error; /* errno of the first failure, 0 while there is none */
} as_h5_disk;

/* Makes `access` (a file access property list) go through `disk`, which must outlive the file.
 * Negative where HDF5 does not let us. */
herr_t as_h5_disk_use(hid_t access, as_h5_disk *disk);

/* Deflate cannot do better than 1032 : 1, so a dataset that claims more is a lie. */
enum { AS_H5_RATIO_MAX = 1032 };

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

struct as_h5_tree {
    char *path, *folder; /* of the file; the folder with its slash, "" where there is none */
    hid_t id;            /* negative while the file is closed */
    char *open_name;     /* of the dataset that was read last: it stays open with its chunks */
    hid_t open_id;
};

/* Opens the file where it is closed. */
as_status as_h5_tree_wake(as_h5_tree *tree);

/* Fills kind, size, exponent_bits and big_endian from the type of elements. AS_SKIPPED where they are
 * no numbers that can be read, with the reason in the message. */
as_status as_h5_describe_type(hid_t type, as_h5_tensor *out);

/* Whether all that the elements of a dataset are stored in can be had: filters, external files, the
 * sources of a virtual dataset, which HDF5 reads as zeros where they are missing. AS_EREAD with the
 * reason in the message. */
as_status as_h5_check_storage(const as_h5_tree *tree, hid_t dataset);

#endif
