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

/* ---- Runs: what a training run leaves, in one HDF5 file (docs/formats.md) ---- */

typedef struct as_run_tensor {
    const char *name; /* "layer_0.query.weight" */
    size_t rank, shape[3];
    const float *data, *moment1, *moment2; /* moments NULL where the file has none */
} as_run_tensor;

/* One point of the history; NaN: not taken at that step. */
typedef struct as_run_point {
    uint64_t step;
    double loss, accuracy, rate, gradient_norm, test_loss, test_accuracy;
} as_run_point;

/* Spectra along training: the mean over the samples of the probe, for every layer and head. */
#define AS_RUN_SPECTRUM_LIST(X)                                                                    \
    X(spectral_norm)  /* of the coupled logits */                                                  \
    X(spectral_ratio) /* coupled over content: contraction below 1 */                              \
    X(frobenius_ratio)                                                                             \
    X(nuclear_ratio)                                                                               \
    X(stable_rank)                                                                                 \
    X(content_stable_rank)                                                                         \
    X(effective_rank)                                                                              \
    X(alignment) /* coupled, spectral norm */                                                      \
    X(content_alignment)
enum {
#define X(name) AS_RUN_SPECTRUM_##name,
    AS_RUN_SPECTRUM_LIST(X)
#undef X
        AS_RUN_SPECTRUM_COUNT
};
typedef struct as_run_spectra {
    size_t steps, layers, heads;
    uint64_t *step;                       /* [steps] */
    double *value[AS_RUN_SPECTRUM_COUNT]; /* [steps][layers][heads]; NaN: does not exist; NULL: is
                                             not written, and comes back as NaN */
} as_run_spectra;

typedef struct as_run_head {
    uint64_t layer, head;
    double accuracy, drop, low, high;                     /* its rows of the values are zero */
    double mean_accuracy, mean_drop, mean_low, mean_high; /* its output is its mean */
} as_run_head;
typedef struct as_run_deposit {
    uint64_t layer, worst_head;
    double index, worst_drop, second_drop, mean_index; /* NaN: does not exist */
} as_run_deposit;
typedef struct as_run_ablation {
    double baseline; /* accuracy of the whole model */
    uint64_t answers;
    size_t head_count, layer_count;
    as_run_head *head;       /* [head_count], layers outermost */
    as_run_deposit *deposit; /* [layer_count] */
} as_run_ablation;

/* A run, or what there is of one. Who fills one in by hand owns what it points to; as_run_load() makes one
 * that as_run_free() frees. */
typedef struct as_run {
    size_t config_count;
    const char *(
        *config)[2]; /* name, value: as_train_config_get() gives them; task, scheme, preset and
                                 seed are among them */
    const char *provenance; /* JSON object */
    uint64_t steps;         /* done */
    bool finished;
    double accuracy, loss; /* of the test set, at the end; NaN before */
    double plateau;        /* accuracy of who does not learn the task; NaN: unknown */
    const char *
        plateau_of; /* how, behind "what is right": "by guessing one of the counts"; NULL: unknown */
    uint64_t answers;          /* of the test set */
    double samples_per_second; /* NaN where it was not taken (deterministic) */
    size_t point_count, tensor_count;
    as_run_point *history;    /* [point_count] */
    as_run_tensor *tensors;   /* [tensor_count] */
    as_run_spectra spectra;   /* steps = 0: none were taken */
    as_run_ablation ablation; /* head_count = 0: not done */
} as_run;

/* The matrices of its dump: as those of as_dump_write(). */
typedef struct as_run_dump {
    as_dump_shape shape;
    const char *scheme, *content, *mask;
    double scale;
    uint64_t seed;
    as_status (*matrix)(void *context, const char *tensor, size_t layer, size_t batch, size_t head,
                        as_matrix *out);
    void *context;
} as_run_dump;

/* Writes a run under a temporary name beside path, then gives it its name. Texts are UTF-8.
 *   dump  NULL: none (a checkpoint)
 * AS_EEXIST where path is there and not force, AS_EWRITE, AS_ENOMEM, errors of dump->matrix; AS_EINVAL of
 * what no file holds (a tensor named as a path or without numbers, a setting twice, a provenance that is no
 * object), AS_ENONFINITE of what as_run_load() would refuse: a weight or a drop that is no number, infinity
 * anywhere. */
as_status as_run_save(const char *path, bool force, const as_run *run, const as_run_dump *dump);
/* Whether the file says that it is a run; false of what cannot be read. */
bool as_run_is(const char *path);
/* AS_EREAD with the file's name, AS_ENOMEM. Owned by the caller, as_run_free(). */
as_status as_run_load(const char *path, as_run **out);
void as_run_free(as_run *run);
/* The value of a name of config; NULL where it is not there. Borrowed. */
const char *as_run_config(const as_run *run, const char *name);
/* A copy of the run file `from` under the name `to` (which may be the same), with this ablation in the place
 * of the one it had. Whole or not at all. AS_EEXIST where `to` is another file that is there and not force,
 * AS_EREAD, AS_EWRITE. */
as_status as_run_ablated(const char *from, const char *to, bool force,
                         const as_run_ablation *ablation);

/* ---- Comparisons: schemes × tasks × seeds, each trained once ---- */

typedef struct as_trial_row {
    const char *task, *scheme;
    uint64_t seed, steps;
    double accuracy, loss, plateau, samples_per_second; /* as in as_run */
} as_trial_row;
typedef struct as_comparison {
    size_t config_count;
    const char *(
        *config)[2]; /* what all have in common: as that of as_run, task, scheme and seed are left
                                 out */
    const char *provenance;
    bool finished;
    size_t count;
    as_trial_row *row; /* [count] in the order in which they were trained */
} as_comparison;

/* As as_run_save(), as_run_is(), as_run_load() and as_run_free(). */
as_status as_comparison_save(const char *path, bool force, const as_comparison *comparison);
bool as_comparison_is(const char *path);
as_status as_comparison_load(const char *path, as_comparison **out);
void as_comparison_free(as_comparison *comparison);

AS_END_DECLS

#endif
