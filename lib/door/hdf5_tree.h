/* hdf5_tree: what a stranger's HDF5 file holds: its datasets wherever they lie, and their elements as
 * bytes. Private to the library. Messages do not name the file. One file may be used by any number
 * of threads. */
#ifndef AS_DOOR_HDF5_TREE_H
#define AS_DOOR_HDF5_TREE_H

#include "attnspec/base.h"

#define AS_H5_MAX_RANK 8

typedef enum as_h5_kind {
    AS_H5_NO_NUMBER, /* the reason says what it is */
    AS_H5_FLOAT,
    AS_H5_SIGNED,
    AS_H5_UNSIGNED,
    AS_H5_BOOLEAN, /* h5py's enumeration: one byte, FALSE = 0, TRUE = 1 */
    AS_H5_OPAQUE
} as_h5_kind;

typedef struct as_h5_tensor {
    char *name;       /* the path without its leading slash */
    as_status status; /* AS_OK; AS_SKIPPED: no numbers; AS_EREAD: numbers that are out of reach */
    char *reason;     /* NULL with AS_OK */
    as_h5_kind kind;
    size_t size;                  /* bytes of an element */
    size_t exponent_bits;         /* of a float, all others are sign and mantissa */
    bool big_endian;              /* the bytes of an element; opaque ones have no order */
    size_t rank;                  /* at most AS_H5_MAX_RANK; 0 where that is exceeded */
    size_t shape[AS_H5_MAX_RANK]; /* outermost first */
} as_h5_tensor;

typedef struct as_h5_tree as_h5_tree;

/* Opens for reading. AS_EREAD: no HDF5, broken, or locked (the message names
 * HDF5_USE_FILE_LOCKING=FALSE); AS_ENOMEM. */
as_status as_h5_tree_open(const char *path, as_h5_tree **out);
/* Closes the file until as_h5_tree_read() opens it again. */
void as_h5_tree_rest(as_h5_tree *tree);
/* NULL is fine. */
void as_h5_tree_close(as_h5_tree *tree);

/* An attribute with one value: its text, or its number in decimal with all its digits. */
typedef struct as_h5_attribute {
    char *name, *text;
} as_h5_attribute;
/* The attributes of the group `path`, in the order of their names, other kinds left out; none where
 * it is no group. Owned by the caller, as_h5_attributes_free(). AS_EREAD, AS_ENOMEM. */
as_status as_h5_tree_attributes(as_h5_tree *tree, const char *path, as_h5_attribute **out,
                                size_t *count);
void as_h5_attributes_free(as_h5_attribute *attributes, size_t count);

/* Every dataset below the group `path` ("/" or "dump"), each once, groups and datasets in the order
 * of their names, as h5py visits them. Soft links are not followed: what they name is there under its
 * own name, or nowhere. An external link is a tensor that cannot be read. Owned by the caller,
 * as_h5_tensors_free(). AS_EREAD: the file is broken, or its groups are nested too deep; AS_ENOMEM. */
as_status as_h5_tree_list(as_h5_tree *tree, const char *path, as_h5_tensor **out, size_t *count);
void as_h5_tensors_free(as_h5_tensor *tensors, size_t count);

/* The elements from start on, count along each axis, as their bytes are in the file but unpacked,
 * the last axis fastest. `tensor` is of as_h5_tree_list(), with the status AS_OK. AS_EREAD.
 * Takes what a chunk takes, and at most 64 MiB of chunks are kept for the next call. */
as_status as_h5_tree_read(as_h5_tree *tree, const as_h5_tensor *tensor, const size_t *start,
                          const size_t *count, void *raw);

/* Does what reading elements may do, for a trial: goes through the index of the chunks, and reads the
 * elements, all of them or the first and the last, as far as `budget` reaches, bytes that may still be
 * read. What comes of it is not told: a healthy file may have data out of reach. */
void as_h5_tree_try(as_h5_tree *tree, const as_h5_tensor *tensor, size_t *budget);

#endif
