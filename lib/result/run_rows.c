/* Arrays of structs as columns of numbers and strings, and back.
 * It refuses columns of unequal length, negative counts, and numbers that are infinite or missing. */
#define _GNU_SOURCE
#include "result/run.h"

#include "base/fail.h"
#include "result/nxdata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *field(const void *rows, const as_rows_column *c, size_t row) {
    return (char *)rows + row * as_rows_kinds[c->table].stride + c->offset;
}

static void path_of(const as_rows_column *c, char path[AS_RUN_PATH]) {
    snprintf(path, AS_RUN_PATH, "%s/%s", as_rows_kinds[c->table].group, c->name);
}

static as_h5_type type_of(const as_rows_column *c) {
    return c->kind == AS_COLUMN_WHOLE ? AS_H5_I64 : AS_H5_F64;
}

/* ---- writing ---------------------------------------------------------------------------------- */

/* What the reader would refuse. */
static as_status check_rows(const char *path, const as_rows_column *c, const void *rows,
                            size_t count) {
    bool numbers = c->kind == AS_COLUMN_NUMBER || c->kind == AS_COLUMN_GAP;
    for (size_t i = 0; i < count && numbers; i++) {
        double number = *(const double *)field(rows, c, i);
        if (c->kind == AS_COLUMN_GAP ? isinf(number) : !isfinite(number)) {
            return as_fail(AS_ENONFINITE, "%s is %g in row %zu", path, number, i);
        }
    }
    return AS_OK;
}

/* Closes the dataset, too. */
static as_status write_numbers(as_h5_data *data, const char *path, const as_rows_column *c,
                               const void *rows, size_t count) {
    void *block = calloc(count + 1, sizeof(double));
    as_status status =
        block != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory for %zu rows of %s", count, path);
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        memcpy((char *)block + i * sizeof(double), field(rows, c, i), sizeof(double));
    }
    if (status == AS_OK) {
        status = as_h5_data_write(data, 0, count, block);
    }
    as_status closed = as_h5_data_close(data);
    free(block);
    return status == AS_OK ? closed : status;
}

static as_status put_numbers(as_h5 *file, const char *path, const as_rows_column *c,
                             const void *rows, size_t count) {
    as_h5_data data = {0};
    as_status status = check_rows(path, c, rows, count);
    if (status == AS_OK) {
        status = as_h5_data_create(file, path, type_of(c), 1, &count, &data);
    }
    return status == AS_OK ? write_numbers(&data, path, c, rows, count) : status;
}

static as_status put_texts(as_h5 *file, const char *path, const as_rows_column *c, const void *rows,
                           size_t count) {
    const char **texts = calloc(count + 1, sizeof *texts);
    if (texts == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu rows of %s", count, path);
    }
    for (size_t i = 0; i < count; i++) {
        texts[i] = *(const char **)field(rows, c, i);
    }
    as_status status = as_h5_write_strings(file, path, texts, count);
    free(texts);
    return status;
}

static as_status put_column(as_h5 *file, const as_rows_column *c, const void *rows, size_t count) {
    char path[AS_RUN_PATH];
    bool text = c->kind == AS_COLUMN_TEXT;
    path_of(c, path);
    as_status status =
        text ? put_texts(file, path, c, rows, count) : put_numbers(file, path, c, rows, count);
    if (status == AS_OK) {
        status = as_nxdata_label(file, path, c->summary, text ? NULL : "");
    }
    return status == AS_OK && !text ? as_nxdata_shape(file, path, "spectrum", 1) : status;
}

as_status as_rows_put(as_h5 *file, as_rows_table table, const void *rows, size_t count) {
    const as_rows_kind *kind = &as_rows_kinds[table];
    as_nxdata nxdata = {.path = kind->group,
                        .title = kind->title,
                        .signal = kind->signal,
                        .axes = {kind->axis != NULL ? kind->axis : "row"},
                        .axis_count = 1};
    while (nxdata.auxiliary_count < 3 && kind->auxiliary[nxdata.auxiliary_count] != NULL) {
        nxdata.auxiliary[nxdata.auxiliary_count] = kind->auxiliary[nxdata.auxiliary_count];
        nxdata.auxiliary_count++;
    }
    as_status status = as_nxdata_group(file, &nxdata);
    const as_rows_column *c;
    for (size_t i = 0; status == AS_OK && (c = as_rows_column_at(table, i)) != NULL; i++) {
        status = put_column(file, c, rows, count);
    }
    return status == AS_OK && kind->axis == NULL
               ? as_nxdata_range(file, kind->group, "row", "row", 0, count)
               : status;
}

bool as_rows_fit(as_h5 *file, as_rows_table table, size_t count) {
    bool fit = true;
    const as_rows_column *c;
    for (size_t i = 0; fit && (c = as_rows_column_at(table, i)) != NULL; i++) {
        char path[AS_RUN_PATH];
        as_h5_data data = {0};
        path_of(c, path);
        fit = c->kind != AS_COLUMN_TEXT && as_h5_has(file, path) &&
              as_h5_data_open(file, path, type_of(c), &data) == AS_OK && data.rank == 1 &&
              data.shape[0] == count;
        as_h5_data_close(&data);
    }
    return fit;
}

as_status as_rows_write_over(as_h5 *file, as_rows_table table, const void *rows, size_t count) {
    as_status status = AS_OK;
    const as_rows_column *c;
    for (size_t i = 0; status == AS_OK && (c = as_rows_column_at(table, i)) != NULL; i++) {
        char path[AS_RUN_PATH];
        as_h5_data data = {0};
        path_of(c, path);
        status = check_rows(path, c, rows, count);
        if (status == AS_OK) {
            status = as_h5_data_open(file, path, type_of(c), &data);
        }
        if (status == AS_OK) {
            status = write_numbers(&data, path, c, rows, count);
        }
    }
    return status;
}

/* ---- reading ---------------------------------------------------------------------------------- */

static as_status check_number(const char *path, const char *dataset, const as_rows_column *c,
                              size_t row, double number) {
    bool fine = c->kind == AS_COLUMN_GAP ? !isinf(number) : isfinite(number) != 0;
    return fine ? AS_OK
                : as_fail(AS_EREAD, "%s of %s is %g in row %zu", dataset, path, number, row);
}

static as_status take_number(const char *path, const char *dataset, const as_rows_column *c,
                             void *rows, size_t row, const void *from) {
    int64_t whole;
    double number;
    if (c->kind != AS_COLUMN_WHOLE) {
        memcpy(&number, from, sizeof number);
        memcpy(field(rows, c, row), &number, sizeof number);
        return check_number(path, dataset, c, row, number);
    }
    memcpy(&whole, from, sizeof whole);
    memcpy(field(rows, c, row), &whole, sizeof whole);
    return whole >= 0 ? AS_OK
                      : as_fail(AS_EREAD, "%s of %s is negative in row %zu", dataset, path, row);
}

/* The length of a column that is open, which is that of all; the first one makes the rows. */
static as_status fit(const char *path, const char *dataset, as_rows_table table, size_t length,
                     void **rows, size_t *count) {
    if (*rows != NULL) {
        return length == *count ? AS_OK
                                : as_fail(AS_EREAD, "%s of %s has %zu rows, the others have %zu",
                                          dataset, path, length, *count);
    }
    size_t bytes;
    bool fits = as_mul(length + 1, as_rows_kinds[table].stride, &bytes);
    *rows = fits ? calloc(1, bytes) : NULL;
    *count = *rows != NULL ? length : 0;
    return *rows != NULL
               ? AS_OK
               : as_fail(AS_ENOMEM, "no memory for %zu rows of %s of %s", length, dataset, path);
}

static as_status take_numbers(as_h5 *file, const char *path, const as_rows_column *c, void **rows,
                              size_t *count) {
    char dataset[AS_RUN_PATH];
    as_h5_data data = {0};
    void *block = NULL;
    path_of(c, dataset);
    as_status status = as_h5_data_open(file, dataset, type_of(c), &data);
    if (status == AS_OK && data.rank != 1) {
        status = as_fail(AS_EREAD, "%s of %s has %zu axes, not 1", dataset, path, data.rank);
    }
    if (status == AS_OK) {
        status = fit(path, dataset, c->table, data.shape[0], rows, count);
    }
    if (status == AS_OK) {
        block = calloc(*count + 1, sizeof(double));
        status = block != NULL ? as_h5_data_read(&data, 0, *count, block)
                               : as_fail(AS_ENOMEM, "no memory for %s of %s", dataset, path);
    }
    for (size_t i = 0; i < *count && status == AS_OK; i++) {
        status = take_number(path, dataset, c, *rows, i, (char *)block + i * sizeof(double));
    }
    as_h5_data_close(&data);
    free(block);
    return status;
}

static as_status take_texts(as_h5 *file, const char *path, const as_rows_column *c, void **rows,
                            size_t *count) {
    char dataset[AS_RUN_PATH], **texts = NULL;
    size_t length = 0;
    path_of(c, dataset);
    as_status status = as_h5_read_strings(file, dataset, &texts, &length);
    if (status == AS_OK) {
        status = fit(path, dataset, c->table, length, rows, count);
    }
    for (size_t i = 0; i < length && status == AS_OK; i++) {
        *(char **)field(*rows, c, i) = texts[i];
        texts[i] = NULL;
    }
    as_h5_strings_free(texts, length);
    return status;
}

as_status as_rows_take(as_h5 *file, const char *path, as_rows_table table, void **rows,
                       size_t *count) {
    void *found = NULL;
    size_t length = 0;
    as_status status = AS_OK;
    const as_rows_column *c;
    for (size_t i = 0; status == AS_OK && (c = as_rows_column_at(table, i)) != NULL; i++) {
        status = c->kind == AS_COLUMN_TEXT ? take_texts(file, path, c, &found, &length)
                                           : take_numbers(file, path, c, &found, &length);
    }
    if (status != AS_OK) {
        as_rows_free(table, found, length);
        return status;
    }
    *rows = found;
    *count = length;
    return AS_OK;
}

void as_rows_free(as_rows_table table, void *rows, size_t count) {
    const as_rows_column *c;
    for (size_t i = 0; rows != NULL && (c = as_rows_column_at(table, i)) != NULL; i++) {
        for (size_t row = 0; c->kind == AS_COLUMN_TEXT && row < count; row++) {
            free(*(char **)field(rows, c, row));
        }
    }
    free(rows);
}
