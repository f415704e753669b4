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
                        const char *name, const char *suffix) {
    as_column *column = &table->column[index];
    snprintf(column->path, sizeof column->path, "%s/%s%s", group, name, suffix);
    column->type = type;
    column->width = 1;
}

static void name_contraction(as_table *table) {
    static const char group[] = AS_CONTRACTION_GROUP;
    name_column(table, AS_COLUMN_NO_CONTRACTION, AS_H5_U8, group, "status", "");
    for (size_t r = 0; r < AS_RATIO_COUNT; r++) {
        const char *key = as_ratio_key((as_ratio)r);
        name_column(table, AS_COLUMN_RATIO + r, AS_H5_F64, group, key, "");
        name_column(table, AS_COLUMN_RATIO_STATUS + r, AS_H5_U8, group, key, "_status");
        name_column(table, AS_COLUMN_GUARANTEE + r, AS_H5_U8, group, key, "_guarantee");
    }
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        char name[48];
        snprintf(name, sizeof name, "alignment_%s_%s",
                 as_alignment_key((as_alignment)(i / AS_NORM_COUNT)),
                 as_norm_key((as_norm)(i % AS_NORM_COUNT)));
        name_column(table, AS_COLUMN_ALIGNMENT + i, AS_H5_F64, group, name, "");
        name_column(table, AS_COLUMN_ALIGNMENT_STATUS + i, AS_H5_U8, group, name, "_status");
    }
}

void as_table_widen(as_table *table, size_t r, size_t width) {
    table->column[AS_COLUMN_RAGGED + r].width = width;
    table->column[AS_COLUMN_LENGTH + r].width = width > 0 && as_ragged_leader(r) == r;
}

void as_table_name(as_table *table) {
    static const as_h5_type types[] = {[AS_FIELD_U64] = AS_H5_U64,
                                       [AS_FIELD_F64] = AS_H5_F64,
                                       [AS_FIELD_TEXT] = AS_H5_I32,
                                       [AS_FIELD_FLAG] = AS_H5_U8,
                                       [AS_FIELD_STATUS] = AS_H5_U8};
    *table = (as_table){0};
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        name_column(table, f, types[as_fields[f].kind], "/entry", as_fields[f].name, "");
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        const char *key = as_metric_key((as_metric)m);
        name_column(table, AS_COLUMN_METRIC + m, AS_H5_F64, AS_METRIC_GROUP, key, "");
        name_column(table, AS_COLUMN_METRIC_STATUS + m, AS_H5_U8, AS_METRIC_GROUP, key, "_status");
    }
    name_contraction(table);
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        const as_ragged *ragged = &as_raggeds[r];
        bool own = ragged->title[0] != '\0';
        name_column(table, AS_COLUMN_RAGGED + r, AS_H5_F64, ragged->group, ragged->name, "");
        name_column(table, AS_COLUMN_LENGTH + r, AS_H5_U64, ragged->group, own ? "" : ragged->name,
                    own ? "count" : "_count");
        as_table_widen(table, r, 1);
    }
}

as_status as_table_allocate(as_table *table, size_t most) {
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
    size_t all = table->rows / table->block_rows + (table->rows % table->block_rows > 0);
    table->blocks = all > most ? most : all > 0 ? all : 1;
    size_t room = table->blocks * table->block_rows;
    for (size_t c = 0; c < AS_COLUMN_COUNT; c++) {
        as_column *column = &table->column[c];
        if (!as_mul(room, column->width, &bytes) ||
            !as_mul(bytes, as_h5_type_size(column->type), &bytes)) {
            return as_fail(AS_ENOMEM, "blocks of %s do not fit into memory", column->path);
        }
        column->block = bytes > 0 ? as_alloc(bytes) : NULL;
        if (column->block == NULL && bytes > 0) {
            return as_fail(AS_ENOMEM, "no memory for blocks of %s (%zu bytes)", column->path,
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

/* NaN stands for a number that is null. */
static void pack_number(const as_table *table, size_t column, size_t codes, size_t r, double value,
                        uint8_t reason) {
    *(double *)place(table, column, r) = reason != AS_REASON_NONE ? NAN : value;
    *(uint8_t *)place(table, codes, r) = reason;
}

static void pack_contraction(const as_table *table, size_t r, const as_contraction *contraction) {
    if (table->column[AS_COLUMN_NO_CONTRACTION].width == 0) {
        return;
    }
    *(uint8_t *)place(table, AS_COLUMN_NO_CONTRACTION, r) = (uint8_t)contraction->none;
    for (size_t i = 0; i < AS_RATIO_COUNT; i++) {
        pack_number(table, AS_COLUMN_RATIO + i, AS_COLUMN_RATIO_STATUS + i, r,
                    contraction->value[i], contraction->reason[i]);
        *(uint8_t *)place(table, AS_COLUMN_GUARANTEE + i, r) = contraction->guarantee[i];
    }
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        pack_number(table, AS_COLUMN_ALIGNMENT + i, AS_COLUMN_ALIGNMENT_STATUS + i, r,
                    (&contraction->alignment[0][0])[i], (&contraction->alignment_reason[0][0])[i]);
    }
}

/* The first column of array i that the row fills: profiles stand by their offset. For a row that
 * contradicts its file this wraps to something huge, and the reader refuses. */
static size_t first_place(const as_table *table, size_t i, const as_row *row, size_t count) {
    bool shifted = as_raggeds[i].axis == AS_RAGGED_OFFSET && count > 0;
    return shifted ? (size_t)1 - (size_t)row->rows - (size_t)table->offset_min : 0;
}

/* The numbers of array i, NaN around them, and their count. */
static void pack_ragged(const as_table *table, size_t i, size_t r, const as_row *row) {
    size_t width = table->column[AS_COLUMN_RAGGED + i].width;
    if (width == 0) {
        return;
    }
    size_t count = as_ragged_count(row, i), start = first_place(table, i, row, count);
    const double *numbers = as_ragged_numbers(row, i);
    double *at = place(table, AS_COLUMN_RAGGED + i, r);
    for (size_t k = 0; k < width; k++) {
        at[k] = k >= start && k - start < count ? numbers[k - start] : NAN;
    }
    if (as_ragged_leader(i) == i) {
        *(uint64_t *)place(table, AS_COLUMN_LENGTH + i, r) = count;
    }
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
        pack_number(table, AS_COLUMN_METRIC + m, AS_COLUMN_METRIC_STATUS + m, r, metrics->value[m],
                    metrics->reason[m]);
    }
    pack_contraction(table, r, &row->contraction);
    for (size_t i = 0; i < AS_RAGGED_COUNT; i++) {
        pack_ragged(table, i, r, row);
    }
    return AS_OK;
}

/* A field that the file has no column for stays empty. */
static bool unpack_field(const as_table *table, size_t f, size_t r, const as_json_value *names,
                         as_row *row) {
    const as_field *field = &as_fields[f];
    if (table->column[f].width == 0) {
        return true;
    }
    const void *at = place(table, f, r);
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

/* A number and its code; they stay as they are where the file has no such column. */
static void unpack_number(const as_table *table, size_t column, size_t codes, size_t r,
                          double *value, uint8_t *reason) {
    if (table->column[column].width > 0) {
        *value = *(const double *)place(table, column, r);
        *reason = *(const uint8_t *)place(table, codes, r);
    }
}

static void unpack_contraction(const as_table *table, size_t r, as_contraction *contraction) {
    if (table->column[AS_COLUMN_NO_CONTRACTION].width == 0) {
        as_contraction_clear(contraction, AS_REASON_NO_BASELINE);
        return;
    }
    as_contraction_clear(contraction, AS_REASON_NOT_ANALYSED);
    contraction->none = (as_reason) * (uint8_t *)place(table, AS_COLUMN_NO_CONTRACTION, r);
    for (size_t i = 0; i < AS_RATIO_COUNT; i++) {
        unpack_number(table, AS_COLUMN_RATIO + i, AS_COLUMN_RATIO_STATUS + i, r,
                      &contraction->value[i], &contraction->reason[i]);
        if (table->column[AS_COLUMN_GUARANTEE + i].width > 0) {
            contraction->guarantee[i] = *(uint8_t *)place(table, AS_COLUMN_GUARANTEE + i, r);
        }
    }
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        unpack_number(table, AS_COLUMN_ALIGNMENT + i, AS_COLUMN_ALIGNMENT_STATUS + i, r,
                      &contraction->alignment[0][0] + i, &contraction->alignment_reason[0][0] + i);
    }
}

/* Array i of a row whose shape is known; false where it reaches beyond its column. */
static bool unpack_ragged(const as_table *table, size_t i, size_t r, as_row *row) {
    size_t width = table->column[AS_COLUMN_RAGGED + i].width, leader = as_ragged_leader(i);
    if (width == 0) {
        return as_ragged_set(row, i, NULL, 0);
    }
    uint64_t stored = *(const uint64_t *)place(table, AS_COLUMN_LENGTH + leader, r);
    if (stored > width || first_place(table, i, row, stored) > width - stored) {
        return false;
    }
    const double *numbers = place(table, AS_COLUMN_RAGGED + i, r);
    return as_ragged_set(row, i, numbers + first_place(table, i, row, stored), stored);
}

as_status as_table_unpack(const as_table *table, size_t r, const as_json_value *names,
                          as_row *out) {
    as_row row = {0};
    bool sound = true;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        sound = unpack_field(table, f, r, names, &row) && sound;
    }
    as_metrics_clear(&row.metrics, AS_REASON_NOT_ANALYSED);
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        unpack_number(table, AS_COLUMN_METRIC + m, AS_COLUMN_METRIC_STATUS + m, r,
                      &row.metrics.value[m], &row.metrics.reason[m]);
    }
    unpack_contraction(table, r, &row.contraction);
    for (size_t i = 0; i < AS_RAGGED_COUNT; i++) {
        sound = sound && unpack_ragged(table, i, r, &row);
    }
    if (!sound || as_row_check(&row) != AS_OK) {
        return as_fail(AS_EREAD, "the numbers of a row contradict each other");
    }
    *out = row;
    return AS_OK;
}

typedef as_status move_block(const as_h5_data *data, size_t first, size_t rows, void *numbers);

static as_status write_block(const as_h5_data *data, size_t first, size_t rows, void *numbers) {
    return as_h5_data_write(data, first, rows, numbers);
}

static as_status move_all(const as_table *table, size_t first, size_t rows, size_t block,
                          move_block *move) {
    as_status status = AS_OK;
    for (size_t c = 0; c < AS_COLUMN_COUNT && status == AS_OK; c++) {
        const as_column *column = &table->column[c];
        if (column->width > 0) {
            status = move(&column->data, first, rows, place(table, c, block * table->block_rows));
        }
    }
    return status;
}

as_status as_table_write(const as_table *table, size_t first, size_t rows) {
    return move_all(table, first, rows, 0, write_block);
}

as_status as_table_read(const as_table *table, size_t first, size_t rows, size_t block) {
    return move_all(table, first, rows, block, as_h5_data_read);
}
