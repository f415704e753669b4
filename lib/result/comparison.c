/* Comparisons: a row for each run of several schemes, tasks and seeds, in one small file.
 * It refuses what the files of runs refuse. */
#define _GNU_SOURCE
#include "result/run.h"

#include "base/fail.h"
#include "base/temporary.h"
#include "result/provenance.h"

#include <stdlib.h>

/* ---- writing ---------------------------------------------------------------------------------- */

typedef struct saving {
    const as_comparison *comparison;
    char *provenance;
} saving;

static as_status fill(const char *temporary, void *context) {
    const saving *s = context;
    const as_comparison *c = s->comparison;
    const as_origin origin = {.group = AS_TRIALS_GROUP,
                              .format = AS_TRIALS_FORMAT,
                              .first = "trials",
                              .config_count = c->config_count,
                              .config = c->config,
                              .provenance = s->provenance,
                              .finished = c->finished};
    as_h5 *file = NULL;
    as_status status = as_h5_create(temporary, &file);
    if (status == AS_OK) {
        status = as_origin_put(file, &origin);
    }
    if (status == AS_OK) {
        status = as_rows_put(file, AS_ROWS_TRIALS, c->row, c->count);
    }
    as_status closed = as_h5_close(file);
    return status == AS_OK ? closed : status;
}

as_status as_comparison_save(const char *path, bool force, const as_comparison *comparison) {
    saving s = {.comparison = comparison};
    as_status status = as_provenance_tidy(comparison->provenance, &s.provenance);
    if (status == AS_OK) {
        status = as_temporary_write(path, force, fill, &s);
    }
    free(s.provenance);
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

typedef struct reading {
    const char *path;
    as_comparison *comparison;
} reading;

static as_status take(as_h5 *file, const char *path, as_comparison *c) {
    as_origin origin = {.group = AS_TRIALS_GROUP, .format = AS_TRIALS_FORMAT};
    void *rows = NULL;
    as_status status = as_origin_take(file, path, &origin);
    c->config = origin.config;
    c->config_count = origin.config_count;
    c->provenance = origin.provenance;
    c->finished = origin.finished;
    if (status == AS_OK) {
        status = as_rows_take(file, path, AS_ROWS_TRIALS, &rows, &c->count);
        c->row = rows;
    }
    return status;
}

/* In the child of a trial the comparison is thrown away. */
static as_status read_comparison(void *context) {
    reading *r = context;
    as_h5 *file = NULL;
    as_status status = as_h5_open(r->path, &file);
    r->comparison = status == AS_OK ? calloc(1, sizeof *r->comparison) : NULL;
    if (status == AS_OK && r->comparison == NULL) {
        status = as_fail(AS_ENOMEM, "no memory to open %s", r->path);
    }
    if (status == AS_OK) {
        status = take(file, r->path, r->comparison);
    }
    as_h5_close(file);
    if (status != AS_OK) {
        as_comparison_free(r->comparison);
        r->comparison = NULL;
    }
    return status;
}

as_status as_comparison_load(const char *path, as_comparison **out) {
    reading r = {.path = path};
    as_status status = as_origin_trial(path, read_comparison, &r);
    if (status == AS_OK) {
        status = read_comparison(&r);
    }
    if (status == AS_OK) {
        *out = r.comparison;
    }
    return status;
}

void as_comparison_free(as_comparison *comparison) {
    if (comparison == NULL) {
        return;
    }
    as_origin origin = {.config = comparison->config,
                        .config_count = comparison->config_count,
                        .provenance = comparison->provenance};
    as_origin_free(&origin);
    as_rows_free(AS_ROWS_TRIALS, comparison->row, comparison->count);
    free(comparison);
}

bool as_comparison_is(const char *path) {
    return as_origin_is(path, AS_TRIALS_GROUP, AS_TRIALS_FORMAT);
}
