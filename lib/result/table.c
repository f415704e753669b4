/* Rows in columns: the one place that knows which number of a row stands in which dataset.
 * It refuses rows of a file whose counts, codes or indices are out of range. */
#include "result/table.h"

#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A block is about this large, but never more rows than a chunk of a narrow column holds. */
enum { BLOCK_BYTES = 4 * 1024 * 1024, BLOCK_ROWS = 8192 };

static void name_column(as_table *table, size_t index, as_h5_type type, const char *group,
                        const char *name) {
    as_column *column = &table->column[index];
    snprintf(column->path, sizeof column->path, "%s/%s", group, name);
    column->type = type;
    column->width = 1;
}

void as_table_name(as_table *table) {
    static const as_h5_type types[] = {[AS_FIELD_U64] = AS_H5_U64,
                                       [AS_FIELD_F64] = AS_H5_F64,
                                       [AS_FIELD_TEXT] = AS_H5_I32,
                                       [AS_FIELD_FLAG] = AS_H5_U8,
                                       [AS_FIELD_STATUS] = AS_H5_U8};
    *table = (as_table){0};
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        name_column(table, f, types[as_fields[f].kind], "/entry", as_fields[f].name);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        char status[64];
        const char *key = as_metric_key((as_metric)m);
        snprintf(status, sizeof status, "%s_status", key);
        name_column(table, AS_COLUMN_METRIC + m, AS_H5_F64, AS_METRIC_GROUP, key);
        name_column(table, AS_COLUMN_METRIC_STATUS + m, AS_H5_U8, AS_METRIC_GROUP, status);
    }
    name_column(table, AS_COLUMN_SIGMA, AS_H5_F64, AS_SIGMA_GROUP, "singular_values");
    name_column(table, AS_COLUMN_SIGMA_COUNT, AS_H5_U64, AS_SIGMA_GROUP, "count");
    name_column(table, AS_COLUMN_KY_FAN, AS_H5_F64, AS_KY_FAN_GROUP, "ky_fan_norms");
    name_column(table, AS_COLUMN_KY_FAN_COUNT, AS_H5_U64, AS_KY_FAN_GROUP, "count");
    name_column(table, AS_COLUMN_PROFILE, AS_H5_F64, AS_PROFILE_GROUP, "toeplitz_profile");
    name_column(table, AS_COLUMN_PROFILE_COUNT, AS_H5_U64, AS_PROFILE_GROUP, "count");
}

as_status as_table_allocate(as_table *table) {
    size_t row_bytes = 0, bytes;
    for (size_t c = 0; c < AS_COLUMN_COUNT; c++) {
        const as_column *column = &table->column[c];
        if (!as_mul(column->width, as_h5_type_size(column->type), &bytes) ||
            __builtin_add_overflow(row_bytes, bytes, &row_bytes)) {
            return as_fail(AS_ENOMEM, "%s with rows of %zu does not fit into memory", column->path,
                           column->width);
        }
    }
    size_t fit = BLOCK_BYTES / row_bytes;
    fit = fit < BLOCK_ROWS ? fit : BLOCK_ROWS;
    fit = fit < table->rows ? fit : table->rows;
    table->block_rows = fit > 0 ? fit : 1;
    for (size_t c = 0; c < AS_COLUMN_COUNT; c++) {
        as_column *column = &table->column[c];
        bytes = table->block_rows * column->width * as_h5_type_size(column->type);
        column->block = bytes > 0 ? as_alloc(bytes) : NULL;
        if (column->block == NULL && bytes > 0) {
            return as_fail(AS_ENOMEM, "no memory for a block of %s (%zu bytes)", column->path,
                           bytes);
        }
    }
    return AS_OK;
}

as_status as_table_close(as_table *table) {
    as_status status = AS_OK;
    for (size_t c = 0; c < AS_COLUMN_COUNT; c++) {
        as_status closed = as_h5_data_close(&table->column[c].data);
        status = status == AS_OK ? closed : status;
        free(table->column[c].block);
        table->column[c].block = NULL;
    }
    return status;
}

/* The place of row r in a column's block. */
static void *place(const as_table *table, size_t column, size_t r) {
    const as_column *c = &table->column[column];
    return (char *)c->block + r * c->width * as_h5_type_size(c->type);
}

static as_status pack_field(void *at, const as_row *row, const as_field *field, as_names *names) {
    const void *value = (const char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        *(uint64_t *)at = *(const uint64_t *)value;
        return AS_OK;
    case AS_FIELD_F64:
        *(double *)at = *(const double *)value;
        return AS_OK;
    case AS_FIELD_TEXT:
        return as_names_index(names, *(const char *const *)value, at);
    case AS_FIELD_FLAG:
        *(uint8_t *)at = *(const bool *)value;
        return AS_OK;
    case AS_FIELD_STATUS:
        *(uint8_t *)at = (uint8_t) * (const as_status *)value;
        return AS_OK;
    }
    return AS_OK;
}

/* `count` numbers from column `start` on, NaN around them, and the count in the next column. */
static void pack_ragged(as_table *table, size_t column, size_t r, size_t start,
                        const double *numbers, size_t count) {
    size_t width = table->column[column].width;
    if (width == 0) {
        return;
    }
    double *at = place(table, column, r);
    for (size_t i = 0; i < width; i++) {
        at[i] = i >= start && i - start < count ? numbers[i - start] : NAN;
    }
    *(uint64_t *)place(table, column + 1, r) = count;
}

as_status as_table_pack(as_table *table, size_t r, const as_row *row, as_names *names) {
    const as_metrics *metrics = &row->metrics;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        as_status status = pack_field(place(table, f, r), row, &as_fields[f], &names[f]);
        if (status != AS_OK) {
            return status;
        }
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        bool null = metrics->reason[m] != AS_REASON_NONE;
        *(double *)place(table, AS_COLUMN_METRIC + m, r) = null ? NAN : metrics->value[m];
        *(uint8_t *)place(table, AS_COLUMN_METRIC_STATUS + m, r) = metrics->reason[m];
    }
    size_t start = 0;
    if (row->profile_count > 0) {
        start = (size_t)(1 - (int64_t)row->rows - table->offset_min);
    }
    pack_ragged(table, AS_COLUMN_SIGMA, r, 0, row->sigma, row->sigma_count);
    pack_ragged(table, AS_COLUMN_KY_FAN, r, 0, metrics->ky_fan, metrics->ky_fan_count);
    pack_ragged(table, AS_COLUMN_PROFILE, r, start, row->profile, row->profile_count);
    return AS_OK;
}

static bool unpack_field(const void *at, const as_json_value *names, const as_field *field,
                         as_row *row) {
    void *value = (char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        *(uint64_t *)value = *(const uint64_t *)at;
        return true;
    case AS_FIELD_F64:
        *(double *)value = *(const double *)at;
        return true;
    case AS_FIELD_FLAG:
        *(bool *)value = *(const uint8_t *)at != 0;
        return true;
    case AS_FIELD_STATUS:
        *(as_status *)value = (as_status) * (const uint8_t *)at;
        return true;
    case AS_FIELD_TEXT:
        break;
    }
    int32_t index = *(const int32_t *)at;
    const char *text = NULL;
    if (index >= 0) {
        text = as_json_text(as_json_element(as_json_member(names, field->name), (size_t)index));
    }
    *(const char **)value = text;
    return index < 0 || text != NULL;
}

/* The count numbers from column `start` on; false where they reach beyond. */
static bool unpack_ragged(const as_table *table, size_t column, size_t r, size_t start,
                          const double **numbers, size_t *count) {
    size_t width = table->column[column].width;
    *count = 0;
    *numbers = NULL;
    if (width == 0) {
        return true;
    }
    uint64_t stored = *(const uint64_t *)place(table, column + 1, r);
    if (stored == 0) {
        return true;
    }
    if (stored > width || start > width - stored) {
        return false;
    }
    *count = (size_t)stored;
    *numbers = (const double *)place(table, column, r) + start;
    return true;
}

as_status as_table_unpack(const as_table *table, size_t r, const as_json_value *names,
                          as_row *out) {
    as_row row = {0};
    as_metrics *metrics = &row.metrics;
    bool sound = true;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        sound = unpack_field(place(table, f, r), names, &as_fields[f], &row) && sound;
    }
    as_metrics_clear(metrics, AS_REASON_NOT_ANALYSED);
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        if (table->column[AS_COLUMN_METRIC + m].width == 0) {
            continue;
        }
        metrics->value[m] = *(const double *)place(table, AS_COLUMN_METRIC + m, r);
        metrics->reason[m] = *(const uint8_t *)place(table, AS_COLUMN_METRIC_STATUS + m, r);
    }
    const double *ky_fan;
    /* Wraps to something huge where the offsets lie: unpack_ragged() then refuses. */
    size_t start = (size_t)1 - (size_t)row.rows - (size_t)table->offset_min;
    sound = sound && unpack_ragged(table, AS_COLUMN_SIGMA, r, 0, &row.sigma, &row.sigma_count) &&
            unpack_ragged(table, AS_COLUMN_KY_FAN, r, 0, &ky_fan, &metrics->ky_fan_count) &&
            unpack_ragged(table, AS_COLUMN_PROFILE, r, start, &row.profile, &row.profile_count);
    if (!sound || as_row_check(&row) != AS_OK) {
        return as_fail(AS_EREAD, "the numbers of a row contradict each other");
    }
    if (metrics->ky_fan_count > 0) {
        memcpy(metrics->ky_fan, ky_fan, metrics->ky_fan_count * sizeof *ky_fan);
    }
    *out = row;
    return AS_OK;
}

typedef as_status move_block(const as_h5_data *data, size_t first, size_t rows, void *numbers);

static as_status write_block(const as_h5_data *data, size_t first, size_t rows, void *numbers) {
    return as_h5_data_write(data, first, rows, numbers);
}

static as_status move_all(const as_table *table, size_t first, size_t rows, move_block *move) {
    as_status status = AS_OK;
    for (size_t c = 0; c < AS_COLUMN_COUNT && status == AS_OK; c++) {
        const as_column *column = &table->column[c];
        if (column->width > 0) {
            status = move(&column->data, first, rows, column->block);
        }
    }
    return status;
}

as_status as_table_write(const as_table *table, size_t first, size_t rows) {
    return move_all(table, first, rows, write_block);
}

as_status as_table_read(const as_table *table, size_t first, size_t rows) {
    return move_all(table, first, rows, as_h5_data_read);
}
