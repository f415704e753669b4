/* base: what every room stands on: the status of a call, a matrix that grows, threads.
 * It knows no mathematics and no file format. */
#ifndef ATTNSPEC_BASE_H
#define ATTNSPEC_BASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Around the declarations of every public header, so that C++ programs link too. */
#ifdef __cplusplus
#define AS_BEGIN_DECLS extern "C" {
#define AS_END_DECLS   }
#else
#define AS_BEGIN_DECLS
#define AS_END_DECLS
#endif

AS_BEGIN_DECLS

/* Every fallible function returns one of these; they are for decisions, the sentence for people is
 * as_message(). The first eight are also what becomes of a matrix: the second column is the word
 * that stands in results and reports, and the order is the code in an HDF5 `status` column. */
#define AS_STATUS_LIST(X)                                                                          \
    X(AS_OK, "ok")                   /* done */                                                    \
    X(AS_SKIPPED, "skipped")         /* not a matrix to analyse; the reason says why */            \
    X(AS_ENONFINITE, "nonfinite")    /* NaN or infinity where a number must be */                  \
    X(AS_ENOCONV, "not_converged")   /* LAPACK gave up, or gave NaN */                             \
    X(AS_EMASK, "contradicts_mask")  /* the data contradict the mask the user named */             \
    X(AS_ETOOLARGE, "too_large")     /* beyond LAPACK's 32-bit sizes */                            \
    X(AS_EREAD, "unreadable")        /* missing, broken, or of an unsupported kind */              \
    X(AS_ENOMEM, "out_of_memory")    /* malloc said no, or the machine is too small */             \
    X(AS_EINVAL, "invalid_argument") /* a parameter out of range; a usage error */                 \
    X(AS_EWRITE, "cannot_write")     /* the output cannot be written */                            \
    X(AS_EEXIST, "output_exists")    /* the output is there and force was not given */             \
    X(AS_EBUSY, "output_in_use")     /* another run is writing the output */                       \
    X(AS_EMISMATCH, "other_run")     /* a journal belongs to another run */

typedef enum as_status {
#define X(code, name) code,
    AS_STATUS_LIST(X)
#undef X
        AS_STATUS_COUNT
} as_status;

/* How many of them can be the status of a matrix. */
#define AS_MATRIX_STATUS_COUNT (AS_ENOMEM + 1)

/* The word of the second column; "unknown" for a number outside the list. */
const char *as_status_name(as_status status);

/* A sentence is shorter than this, its end included. */
#define AS_MESSAGE_MAX 1024
/* The sentence of the last failure in this thread, without a newline; "" before the first one.
 * Borrowed, valid until the next failing call in the same thread. */
const char *as_message(void);

/* "1.2.3"; the version of the library that is linked. */
const char *as_version(void);

/* A row-major matrix whose buffer is kept when it shrinks, so that one matrix serves a whole loop.
 * Start from {0}. */
typedef struct as_matrix {
    double *data; /* [rows][cols], 64-byte aligned, owned */
    size_t rows, cols;
    size_t capacity; /* elements that data can hold */
} as_matrix;

/* Gives the matrix the shape rows × cols; the contents are then undefined. Allocates only when it
 * must grow. AS_ENOMEM (the matrix is unchanged), with the bytes in the message. */
as_status as_matrix_resize(as_matrix *matrix, size_t rows, size_t cols);
void as_matrix_free(as_matrix *matrix);

/* Whether every one of count numbers is finite. O(count), vectorised. */
bool as_all_finite(const double *x, size_t count);

/* Gives the finished file `from` the name `to`, which is then on the disk. Without replace a file that
 * has that name by now stays: AS_EEXIST. AS_EWRITE; `from` is there still after either. */
as_status as_publish(const char *from, const char *to, bool replace);
/* Whether a file could be written there, for those who ask before long work: one is made beside it, and
 * removed. AS_EINVAL where path is empty, AS_EEXIST where it is there and not force, AS_EWRITE. */
as_status as_output_try(const char *path, bool force);

/* Cores that this process may run on (its affinity mask), at least 1. */
size_t as_threads_available(void);

/* Bytes of physical memory, 0 where the system does not say. */
uint64_t as_memory_total(void);

/* One step of a parallel loop: index is 0 … count−1, worker is 0 … threads−1 (for workspaces). */
typedef void as_work(void *context, size_t index, size_t worker);

/* Calls work once for every index, on `threads` threads (the caller is one of them), next free
 * index first. Inside the loop BLAS runs one thread a caller, whatever the environment says; after
 * it BLAS has its own count back. With threads = 1 nothing is started and BLAS has one thread too.
 * work must not fail: it keeps its own account. AS_EINVAL for threads = 0. Not re-entrant. */
as_status as_parallel_for(size_t count, size_t threads, as_work *work, void *context);

/* The other way round, for a few large matrices: the calling thread runs every index in order and
 * BLAS may use `threads` threads. */
as_status as_serial_for(size_t count, size_t threads, as_work *work, void *context);

/* What BLAS is loaded: its configuration, the kernel (core) it chose, and the file it came from;
 * "unknown" where it does not say. Borrowed, static. */
const char *as_blas_config(void);
const char *as_blas_core(void);
const char *as_blas_path(void);

/* A parameter of something that is named by a string "name:key=value,key=value" (a scheme, a
 * content): how it is documented, parsed and checked. A table of them ends with a key of NULL. */
/* TEXT is a file or a list such as 0,3-5: what follows the next comma is still of it, up to a key. */
typedef enum as_param_type {
    AS_PARAM_REAL,
    AS_PARAM_COUNT,
    AS_PARAM_CHOICE,
    AS_PARAM_TEXT
} as_param_type;
typedef struct as_param {
    const char *key;     /* "base" */
    const char *aliases; /* "rope_theta|…", or NULL */
    as_param_type type;
    const char *choices; /* of CHOICE: "interleaved|half" */
    const char
        *preset; /* the default as text; "auto" where it is derived from the head; of TEXT "" */
    double low, high;    /* of REAL and COUNT, inclusive */
    const char *meaning; /* one line for people */
} as_param;
#define AS_PARAMS_MAX  24
#define AS_PARAM_WORDS 4096 /* bytes that the texts of one string take together */

/* Reads "key=value[,key=value]…" (NULL or "": all defaults) into values[AS_PARAMS_MAX], in the order
 * of the table: a number, the index of a choice, NaN for auto, of a text its place in words.
 *   what   for messages: "scheme rope"
 *   words  [AS_PARAM_WORDS], or NULL where the table has no text
 * AS_EINVAL with the valid keys, choices or range and the nearest match; values are then unchanged. */
as_status as_params_parse(const char *what, const as_param *params, const char *text,
                          double *values, char *words);
/* "name" or "name:key=value,…" with every parameter that differs from its default, in the table's
 * order, so that the text read again gives the same values. Owned by the caller, NULL where there is
 * no memory. */
char *as_params_text(const char *name, const as_param *params, const double *values,
                     const char *words);
/* The value of a key that is in the table. */
double as_params_value(const as_param *params, const double *values, const char *key);

/* The word of words[count] that is nearest to text by edit distance, NULL where none is near. */
const char *as_nearest(const char *text, const char *const *words, size_t count);

AS_END_DECLS

#endif
