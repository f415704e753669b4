/* dump: files that hold attention, whatever wrote them. One slice (a matrix) is read at a time.
 * This room knows bytes, dtypes and shapes; it does not know layers, heads or masks. */
#ifndef ATTNSPEC_DUMP_H
#define ATTNSPEC_DUMP_H

#include "base.h"

AS_BEGIN_DECLS

#define AS_MAX_RANK 8

/* code, name in results, bytes, the dtype's epsilon (0 for integers) */
#define AS_DTYPE_LIST(X)                                                                           \
    X(AS_F64, "f8", 8, 0x1p-52)                                                                    \
    X(AS_F32, "f4", 4, 0x1p-23)                                                                    \
    X(AS_F16, "f2", 2, 0x1p-10)                                                                    \
    X(AS_BF16, "bf16", 2, 0x1p-7)                                                                  \
    X(AS_F8_E4M3, "f8e4m3", 1, 0x1p-3)                                                             \
    X(AS_F8_E5M2, "f8e5m2", 1, 0x1p-2)                                                             \
    X(AS_I64, "i8", 8, 0.0)                                                                        \
    X(AS_I32, "i4", 4, 0.0)                                                                        \
    X(AS_I16, "i2", 2, 0.0)                                                                        \
    X(AS_I8, "i1", 1, 0.0)                                                                         \
    X(AS_U64, "u8", 8, 0.0)                                                                        \
    X(AS_U32, "u4", 4, 0.0)                                                                        \
    X(AS_U16, "u2", 2, 0.0)                                                                        \
    X(AS_U8, "u1", 1, 0.0)                                                                         \
    X(AS_BOOL, "b1", 1, 0.0)

typedef enum as_dtype {
#define X(code, name, size, epsilon) code,
    AS_DTYPE_LIST(X)
#undef X
        AS_DTYPE_COUNT
} as_dtype;

const char *as_dtype_name(as_dtype dtype);
/* The dtype of that name, AS_DTYPE_COUNT where there is none. */
as_dtype as_dtype_find(const char *name);
size_t as_dtype_size(as_dtype dtype);
/* Distance from 1 to the next number; 0 for integers and booleans, and for AS_DTYPE_COUNT. */
double as_dtype_epsilon(as_dtype dtype);
/* The most negative finite number, which some models write where they mask; −infinity for integers
 * and booleans, which mask nothing. */
double as_dtype_lowest(as_dtype dtype);
bool as_dtype_is_float(as_dtype dtype);

typedef struct as_dump as_dump;

typedef struct as_tensor {
    const char *name; /* "" for a .npy, which holds one tensor without a name */
    as_status status; /* AS_OK: it can be read. AS_SKIPPED: it holds no numbers (text, records …).
                         AS_EREAD: its numbers are out of reach (a missing filter or source) */
    const char *reason;        /* "holds text, not numbers"; NULL with AS_OK */
    as_dtype dtype;            /* AS_DTYPE_COUNT where it holds no numbers */
    size_t rank;               /* 0 … AS_MAX_RANK */
    size_t shape[AS_MAX_RANK]; /* outermost first, as the file's owner would write it */
    int decimals; /* of text: the most digits that stand after a point; −1 for binary formats */
} as_tensor;

typedef struct as_dump_options {
    const char *raw_dtype; /* what opaque elements are ("bf16"), or NULL */
    const char *raw;       /* "512x512:f32": every file is such elements and no more; or NULL */
} as_dump_options;

/* One matrix of a tensor: row_axis runs down, col_axis across, every other axis is held at index.
 * row_axis == AS_NO_AXIS gives a single row. */
#define AS_NO_AXIS SIZE_MAX
typedef struct as_slice {
    size_t row_axis, col_axis;
    size_t index[AS_MAX_RANK];
} as_slice;

/* Opens a file and reads its table of contents, not its elements. The format is found by the
 * file's first bytes, never by its name alone.
 *   path     borrowed for the call
 *   options  borrowed for the call; NULL for none
 *   out      owned by the caller, as_dump_close(); written only on success
 * AS_EREAD with the file's name and what is wrong with it, AS_ENOMEM. Cost: the header. */
as_status as_dump_open(const char *path, const as_dump_options *options, as_dump **out);
void as_dump_close(as_dump *dump);

/* Whether a file holds results of ours, whole or unfinished (a journal), a comparison, or a run without a
 * dump, and so no attention; false of what cannot be read. */
bool as_dump_is_result(const char *path);
/* The same of what we print of results and dumps as JSON or CSV. */
bool as_dump_is_report(const char *path);

const char *as_dump_path(const as_dump *dump);
const char *as_dump_format(const as_dump *dump); /* the name in dumps.def, such as "npy" */
size_t as_dump_tensor_count(const as_dump *dump);
/* tensor < as_dump_tensor_count(), which is not checked; borrowed while the dump lives. */
const as_tensor *as_dump_tensor(const as_dump *dump, size_t tensor);

/* Reads one slice, converted to double without loss (integers beyond 2^53 excepted).
 *   out  resized to the slice; on failure its contents are undefined
 * AS_EREAD (short file, I/O error, or the file changed since it was opened), AS_EINVAL (axis or
 * index out of range), AS_ENOMEM (also where the slice is larger than the machine's memory); the
 * status of a tensor that cannot be read, with its reason. Cost O(rows·cols) where the column axis
 * is contiguous, otherwise the bytes between the slice's first and last element are read once, in
 * blocks; HDF5 unpacks whole chunks. Thread-safe: any number of threads may read one dump. */
as_status as_dump_read(const as_dump *dump, size_t tensor, const as_slice *slice, as_matrix *out);

/* An attribute of the file's group `/dump` ("scheme", "mask" …) as text, a number with all its
 * digits; NULL where the file is no dump of ours or lacks it. Borrowed. */
const char *as_dump_attribute(const as_dump *dump, const char *name);

/* What a file says of itself beside its tensors, in its order: the `__metadata__` of safetensors, the
 * `metadata` of their index, the attributes of `/dump`. Anyone may have written anything there: it is
 * to be shown, with its control characters made harmless, and nothing is concluded from it. */
typedef struct as_dump_note {
    const char *name, *text; /* UTF-8; borrowed while the dump lives */
} as_dump_note;
size_t as_dump_note_count(const as_dump *dump);
/* index < as_dump_note_count(), which is not checked. */
as_dump_note as_dump_note_at(const as_dump *dump, size_t index);

/* A dump of ours (HDF5): `query` and `key` before position, `logits` (coupled, scaled, masked entries
 * −inf) and `content` (the same mask), all float64, in the group `/dump`. */
typedef struct as_dump_shape {
    size_t layers, heads, kv_heads, rows, cols, dim; /* query [layers][heads][rows][dim], key
                                                        [layers][kv_heads][cols][dim], logits and
                                                        content [layers][heads][rows][cols] */
    size_t batches; /* samples: an axis behind that of the layers; 0: there is no such axis */
} as_dump_shape;
typedef struct as_dump_writer as_dump_writer;
/* Writes under a temporary name beside path.
 *   attributes  [attribute_count][2] name and text (UTF-8), of the group /dump; borrowed for the
 *               call. "format" and "format_version" are added, "axes" stands on the tensors;
 *               "scale" and "seed" are numbers: as_dump_write_number()
 * AS_EEXIST where path is there and force is false, AS_EWRITE, AS_ENOMEM. */
as_status as_dump_create(const char *path, bool force, const as_dump_shape *shape,
                         const char *const (*attributes)[2], size_t attribute_count,
                         as_dump_writer **out);
/* Writes one matrix of a tensor ("query", "key", "logits", "content"); batch is 0 where there is no such
 * axis. One thread at a time. */
as_status as_dump_write(as_dump_writer *writer, const char *tensor, size_t layer, size_t batch,
                        size_t head, const double *matrix);
as_status as_dump_write_number(as_dump_writer *writer, const char *name, double value);
/* Closes, checks, and gives the file its name; the writer is then freed by as_dump_writer_free(),
 * which removes the temporary file of an unfinished one. */
as_status as_dump_finish(as_dump_writer *writer);
void as_dump_writer_free(as_dump_writer *writer);

/* The formats of dumps.def in order, for lists and tests; NULL past the last. */
typedef struct as_format_info {
    const char *name;      /* "npy" */
    const char *summary;   /* one line for people */
    const char *reference; /* where the format is defined */
} as_format_info;
const as_format_info *as_format_list(size_t index);

AS_END_DECLS

#endif
