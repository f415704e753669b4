/* result: rows of numbers on their way to a file and back. The journal (append-only, survives a
 * kill), the NeXus-HDF5 that is written from it once, and one reader for both. */
#ifndef ATTNSPEC_RESULT_H
#define ATTNSPEC_RESULT_H

#include "metric.h"

AS_BEGIN_DECLS

/* One matrix of a result. Strings may be NULL where the thing does not exist. */
typedef struct as_row {
    uint64_t item; /* position in the plan; rows are kept in this order */
    const char *source, *tensor, *scheme, *content;
    uint64_t layer, batch, head;
    uint64_t rows, cols; /* 0 where unknown */
    bool has_seed;
    uint64_t seed;
    double scale, softcap; /* NaN where none was applied */
    const char *bias;      /* the file of a bias that was added */
    const char *dtype, *kind, *mask, *masked_as, *center, *route, *driver;
    uint64_t padding_left, padding_right; /* keys */
    bool padding_dropped; /* they, and the queries at their places, are out of the matrix */
    as_status status;     /* one of the matrix statuses */
    const char *reason;   /* sentence, NULL with AS_OK */
    uint64_t masked_count, masked_rows;
    double row_sum_deviation;        /* weights only, else NaN */
    double row_sum_min, row_sum_max; /* as in as_logits, else NaN */
    as_metrics metrics;
    size_t sigma_count;
    const double *sigma; /* [sigma_count], largest first */
    size_t profile_count;
    const double *profile; /* [profile_count], entry p is the offset Δ = p − (rows−1) */
    size_t eigen_count;    /* 0: not taken */
    const double *eig_re, *eig_im; /* [eigen_count], ordered as as_eigenvalues() says */
    size_t symmetric_count;
    const double
        *symmetric;       /* [symmetric_count] eigenvalues of the symmetric part, largest first */
    const char *baseline; /* what the contraction compares with: "content", "file", or NULL */
    size_t baseline_count;
    const double *baseline_sigma; /* [baseline_count], largest first */
    as_contraction contraction;   /* none = NO_BASELINE where baseline is NULL */
} as_row;

/* A row with nothing in it: every metric null `not_analysed`, numbers NaN, strings NULL. */
as_row as_row_empty(void);

typedef struct as_result_options {
    bool force;              /* replace an existing output and journal */
    bool resume;             /* go on with an existing journal */
    const char *fingerprint; /* what the numbers depend on: a journal with another one is
                                      refused on resume. UTF-8, borrowed for the call */
    const char *provenance;  /* JSON object, kept as it is; as_provenance() makes one */
} as_result_options;

typedef struct as_result_writer as_result_writer;

/* Opens OUT.part beside `path`, locks it and writes its head. path NULL: a journal in memory, for
 * tools that only print.
 * AS_EEXIST  `path` is there and neither force nor resume was given, or OUT.part is there and
 *            neither was given
 * AS_EBUSY   another process holds OUT.part
 * AS_EMISMATCH  resume, and the journal (or the finished output) has another fingerprint
 *            (with force too, such a journal or output is replaced)
 * AS_EWRITE  it cannot be created or written, or `path` is no regular file
 * AS_EINVAL  the provenance is no JSON object, or `path` is empty
 * With resume and a finished output of the same fingerprint (no OUT.part): AS_OK, and
 * as_result_writer_complete() is true: nothing is to be done. */
/* options are borrowed for the call, NULL in them counts as ""; out is owned by the caller,
 * as_result_writer_free() or as_result_discard(). */
as_status as_result_create(const char *path, const as_result_options *options,
                           as_result_writer **out);
bool as_result_writer_complete(const as_result_writer *writer);

/* Whether a resumed journal has item already: unreadable and out_of_memory do not count, they are
 * tried again. */
bool as_result_has(as_result_writer *writer, uint64_t item);

/* Appends one row; it is in the file (not in a buffer of this process) when the call returns.
 * Thread-safe. A row of an item that is there replaces it. AS_EWRITE (disk full, …: the file is as
 * it was before), AS_ENOMEM, AS_EINVAL (counts or codes that no row has). Where RLIMIT_FSIZE is set
 * the process must ignore SIGXFSZ to see the error. */
as_status as_result_append(as_result_writer *writer, const as_row *row);

/* One thread, when no other appends. Writes the HDF5 under a temporary name, renames it to `path` and removes OUT.part. On failure
 * (AS_EWRITE) OUT.part stays and `path` is as it was. The writer is to be freed all the same. */
as_status as_result_finish(as_result_writer *writer);

/* Closes; OUT.part stays for a resume, unless finish succeeded. */
void as_result_writer_free(as_result_writer *writer);

/* Removes OUT.part and closes: for runs that had nothing to analyse. A journal that was there
 * before (resume) is kept. */
void as_result_discard(as_result_writer *writer);

typedef struct as_result as_result;

/* Opens a result file or a journal (OUT.part), by its first bytes; a torn last record is dropped.
 * AS_EREAD with the file's name, AS_ENOMEM. out is owned by the caller, as_result_free(); one thread
 * at a time may use it. */
as_status as_result_open(const char *path, as_result **out);
/* The rows that a writer holds so far; the writer must outlive it and not append meanwhile. */
as_status as_result_of_writer(as_result_writer *writer, as_result **out);
void as_result_free(as_result *result);

size_t as_result_count(const as_result *result);
/* Row `index` in the order of items. Strings and arrays are borrowed, valid until the next call
 * with the same result. AS_EREAD. Not thread-safe. */
as_status as_result_row(as_result *result, size_t index, as_row *out);
/* The provenance JSON of the run, borrowed. */
const char *as_result_provenance(const as_result *result);

/* Builds the provenance JSON of a run: program and library versions, BLAS that is loaded, command
 * line, inputs with size and time of change, options. Owned by the caller (free()).
 * AS_ENOMEM. With deterministic, or SOURCE_DATE_EPOCH in the environment: no times, threads, CPU. */
typedef struct as_provenance_input {
    const char *tool; /* "analyze" */
    int argc;
    const char *const *argv;   /* the words that matter, without -o and -j and
                                                  their values when deterministic */
    const char *const *inputs; /* paths */
    size_t input_count;
    const char *const (*options)[2]; /* name, value: what the numbers depend on; a name may come
                                        several times */
    size_t option_count;
    size_t threads;
    bool deterministic;
    const char *git; /* hash of the program's source, NULL: unknown */
} as_provenance_input;
as_status as_provenance(const as_provenance_input *input, char **out);

/* The fingerprint of the same run: version, tool, inputs with size and time of change, options. It
 * stands in the result, so where times are left out it has the CRC-32 of the inputs instead: they
 * are read as a whole. Owned by the caller. */
as_status as_fingerprint(const as_provenance_input *input, char **out);

AS_END_DECLS

#endif
