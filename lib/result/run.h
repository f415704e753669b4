/* run: what the files of runs and comparisons hold, and where; writers and readers go by these tables.
 * Private. */
#ifndef AS_RESULT_RUN_H
#define AS_RESULT_RUN_H

#include "attnspec/result.h"
#include "door/hdf5.h"

#define AS_RUN_GROUP       "/run"
#define AS_RUN_FORMAT      "attnspec-run" /* lib/dump/ours.c knows it too */
#define AS_RUN_TENSORS     AS_RUN_GROUP "/tensors"
#define AS_RUN_SPECTRA     AS_RUN_GROUP "/spectra"
#define AS_RUN_ABLATION    AS_RUN_GROUP "/ablation"
#define AS_TRIALS_GROUP    "/comparison"
#define AS_TRIALS_FORMAT   "attnspec-comparison" /* and this */
#define AS_RUN_VERSION     1
#define AS_RUN_TENSOR_NAME 255 /* bytes of a tensor's name at most */
#define AS_RUN_PATH        (AS_RUN_TENSOR_NAME + 64)

/* ---- Tables: an array of structs as one dataset a field (run.def) ---- */

typedef enum as_rows_table {
    AS_ROWS_HISTORY,
    AS_ROWS_HEADS,
    AS_ROWS_DEPOSITS,
    AS_ROWS_TRIALS,
    AS_ROWS_TABLES
} as_rows_table;

typedef enum as_column_kind {
    AS_COLUMN_WHOLE,
    AS_COLUMN_NUMBER,
    AS_COLUMN_GAP,
    AS_COLUMN_TEXT
} as_column_kind;

typedef struct as_rows_column {
    as_rows_table table;
    as_column_kind kind;
    const char *name, *summary;
    size_t offset; /* of the field: a double, a uint64_t or a string */
} as_rows_column;

typedef struct as_rows_kind {
    const char *group, *title, *signal, *auxiliary[3];
    const char *axis; /* one of its columns; NULL: the rows are counted */
    size_t stride;    /* bytes of a row */
} as_rows_kind;

extern const as_rows_kind as_rows_kinds[AS_ROWS_TABLES];
/* Column `index` of a table; NULL past the last. */
const as_rows_column *as_rows_column_at(as_rows_table table, size_t index);

/* The group of a table with its columns, which draws itself. AS_EWRITE, AS_ENOMEM. */
as_status as_rows_put(as_h5 *file, as_rows_table table, const void *rows, size_t count);
/* Whether the table is there with so many rows, all of numbers, and then: other rows in their place. */
bool as_rows_fit(as_h5 *file, as_rows_table table, size_t count);
as_status as_rows_write_over(as_h5 *file, as_rows_table table, const void *rows, size_t count);
/* Rows that are there: as many as the first column has. path: of the file, for messages. Owned by the caller:
 * as_rows_free(). AS_EREAD, AS_ENOMEM. */
as_status as_rows_take(as_h5 *file, const char *path, as_rows_table table, void **rows,
                       size_t *count);
void as_rows_free(as_rows_table table, void *rows, size_t count);

/* ---- Origin: what a run and a comparison say of themselves alike ---- */

typedef struct as_origin {
    const char *group, *format;
    const char *first; /* the group of it that is drawn when the file is opened */
    size_t config_count;
    const char *(*config)[2];
    const char *provenance;
    bool finished;
} as_origin;

/* Makes the group, an NXentry that is drawn when the file is opened. The provenance is tidy. */
as_status as_origin_put(as_h5 *file, const as_origin *origin);
/* Fills in what is not group, format and first; the caller owns it: as_origin_free(). */
as_status as_origin_take(as_h5 *file, const char *path, as_origin *origin);
void as_origin_free(as_origin *origin);
/* AS_EREAD where the file's group does not have this format, or a newer version of it. */
as_status as_origin_check(as_h5 *file, const char *path, const as_origin *origin);
/* Whether the file says that it is of this format. */
bool as_origin_is(const char *path, const char *group, const char *format);
/* A regular file that begins as HDF5 does: AS_EREAD where it is not, with the file's name. */
as_status as_origin_probe(const char *path, uint64_t *bytes);
/* as_h5_trial() of such a file; the message has its name. */
as_status as_origin_trial(const char *path, as_status (*work)(void *context), void *context);

/* ---- The parts of a run ---- */

/* All of /run. The provenance is tidy. */
as_status as_run_put(as_h5 *file, const as_run *run, const char *provenance);
as_status as_ablation_put(as_h5 *file, const as_run_ablation *ablation);
/* In the place of the one that is there: of as many heads, it is written over, so that a file that is ablated
 * again does not grow. */
as_status as_ablation_replace(as_h5 *file, const as_run_ablation *ablation);

/* Groups of tensors: weights, first and second moments. */
enum { AS_RUN_PARTS = 3 };
extern const char *const as_run_parts[AS_RUN_PARTS];
extern const char *const as_run_spectrum_names[AS_RUN_SPECTRUM_COUNT];
extern const char *const as_run_spectrum_summaries[AS_RUN_SPECTRUM_COUNT];
/* Whether a tensor may have that name: no path, not empty, of AS_RUN_TENSOR_NAME bytes at most. */
bool as_run_tensor_name(const char *name);

#endif
