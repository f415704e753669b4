/* hdf5: the little of HDF5 that results and runs need: groups, numeric datasets of rank 1 to 3 written
 * and read by rows, attributes, strings of a fixed length. Private to the library. HDF5's own
 * printing is off. Objects are named by their path in the file ("/entry/metrics"). Calls are made one
 * at a time, whatever thread they come from; one file is for one thread at a time.
 *
 * What is written is AS_EWRITE on failure, what is read is AS_EREAD; the message has the file. */
#ifndef AS_DOOR_HDF5_H
#define AS_DOOR_HDF5_H

#include "attnspec/base.h"

typedef struct as_h5 as_h5;

/* "1.10.8"; of the library that is loaded. text[16] is written and returned. */
const char *as_h5_version(char text[16]);

/* HDF5 1.10 crashes, or never ends, on some files that are broken. So whatever opens a file that is not
 * known does that in a child process first, `work`, and in this one only where it came back with
 * AS_OK. `bytes` is the size of the file. What work returned, with its message, or AS_EREAD; the latter
 * does not name the file. Where no process can be made, AS_OK. */
as_status as_h5_trial(uint64_t bytes, as_status (*work)(void *context), void *context);

/* Creates or empties the file. Its bytes depend on what is written only: no times are kept. */
as_status as_h5_create(const char *path, as_h5 **out);
/* Opens a file that is there for reading and writing. */
as_status as_h5_edit(const char *path, as_h5 **out);
/* Opens for reading. A lock that cannot be had names HDF5_USE_FILE_LOCKING=FALSE. */
as_status as_h5_open(const char *path, as_h5 **out);
/* Closes and frees, whatever comes back; a file that was written is on the disk (fsync) when it is
 * AS_OK. NULL is fine. */
as_status as_h5_close(as_h5 *file);

bool as_h5_has(as_h5 *file, const char *path);

/* A group with the attribute NX_class, or without it where nx_class is NULL. */
as_status as_h5_group(as_h5 *file, const char *path, const char *nx_class);
/* A group with all that is in it, or a dataset. Their room is used again while the file is open, and lost
 * when it is closed. */
as_status as_h5_delete(as_h5 *file, const char *path);

/* Attributes: variable-length UTF-8 strings, one or an array, a 64-bit integer and a double. `text` must
 * be UTF-8. One that is there is replaced. */
as_status as_h5_set_text(as_h5 *file, const char *path, const char *name, const char *text);
as_status as_h5_set_texts(as_h5 *file, const char *path, const char *name, const char *const *texts,
                          size_t count);
as_status as_h5_set_integer(as_h5 *file, const char *path, const char *name, int64_t value);
as_status as_h5_set_number(as_h5 *file, const char *path, const char *name, double value);
bool as_h5_has_attribute(as_h5 *file, const char *path, const char *name);
/* A string attribute, owned by the caller; AS_EREAD where it is not there or no string. */
as_status as_h5_get_text(as_h5 *file, const char *path, const char *name, char **out);
/* One whole number, one floating-point number; AS_EREAD where it is not there or another kind. */
as_status as_h5_get_integer(as_h5 *file, const char *path, const char *name, int64_t *out);
as_status as_h5_get_number(as_h5 *file, const char *path, const char *name, double *out);

/* A scalar dataset that holds a fixed-length ASCII string. The reader's is owned by the caller. */
as_status as_h5_write_string(as_h5 *file, const char *path, const char *text);
as_status as_h5_read_string(as_h5 *file, const char *path, char **out);
/* A dataset of rank 1 that holds fixed-length UTF-8 strings. The reader's are owned by the caller,
 * as_h5_strings_free(). */
as_status as_h5_write_strings(as_h5 *file, const char *path, const char *const *texts,
                              size_t count);
as_status as_h5_read_strings(as_h5 *file, const char *path, char ***out, size_t *count);
void as_h5_strings_free(char **texts, size_t count);

typedef enum as_h5_type {
    AS_H5_F64,
    AS_H5_F32,
    AS_H5_I64,
    AS_H5_U64,
    AS_H5_I32,
    AS_H5_U8
} as_h5_type;
size_t as_h5_type_size(as_h5_type type);

/* A numeric dataset that is open: shape[0] rows of shape[1] · shape[2] numbers, which are 1 beyond the
 * rank. */
enum { AS_H5_RANK = 3 };
typedef struct as_h5_data {
    as_h5 *file; /* NULL: closed */
    int64_t id;
    as_h5_type type; /* of the numbers in memory */
    size_t rank, shape[AS_H5_RANK];
} as_h5_data;

/* shape [rank]. Shuffled and deflated in chunks of at most 256 KiB from 64 KiB up, contiguous below. */
as_status as_h5_data_create(as_h5 *file, const char *path, as_h5_type type, size_t rank,
                            const size_t *shape, as_h5_data *out);
/* AS_EREAD where it is missing, no numbers, of another rank than 1 … AS_H5_RANK, or larger than the file
 * can hold. */
as_status as_h5_data_open(as_h5 *file, const char *path, as_h5_type type, as_h5_data *out);
as_status as_h5_data_write(const as_h5_data *data, size_t first, size_t rows, const void *numbers);
as_status as_h5_data_read(const as_h5_data *data, size_t first, size_t rows, void *numbers);
/* Matrices of doubles in one dataset, each of which is written as a whole: the last two axes are those
 * of a matrix, the ones before say which. */
enum { AS_H5_STACK_RANK = 5 };
typedef struct as_h5_stack {
    size_t rank, shape[AS_H5_STACK_RANK]; /* rank is 3 … AS_H5_STACK_RANK */
} as_h5_stack;
/* Shuffled and deflated; a matrix is a chunk, or several where it is larger than 64 MiB. */
as_status as_h5_stack_create(as_h5 *file, const char *path, const as_h5_stack *stack,
                             as_h5_data *out);
/* place: one index for each axis but the last two. */
as_status as_h5_stack_write(const as_h5_data *data, const as_h5_stack *stack, const size_t *place,
                            const double *matrix);
/* A closed one (or {0}) is fine. */
as_status as_h5_data_close(as_h5_data *data);

#endif
