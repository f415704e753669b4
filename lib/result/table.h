/* table: the columns of a result file, and a block of rows in them. What stands in which dataset is
 * said here once, for the writer and the reader. Private. */
#ifndef AS_RESULT_TABLE_H
#define AS_RESULT_TABLE_H

#include "door/hdf5.h"
#include "door/json.h"
#include "result/names.h"
#include "result/row.h"

#define AS_METRIC_GROUP      "/entry/metrics"
#define AS_CONTRACTION_GROUP "/entry/contraction"
#define AS_HEAD_GROUP        "/entry/by_head"
#define AS_NOTE_GROUP        "/entry/provenance"
#define AS_NOTE_DATA         AS_NOTE_GROUP "/data"

/* The fields, then value and status of each metric, then the contraction: why there is none, value,
 * status and guarantee of each ratio, value and status of each alignment; then the ragged arrays,
 * and the count of each that leads. */
enum {
    AS_COLUMN_METRIC = AS_FIELD_COUNT,
    AS_COLUMN_METRIC_STATUS = AS_COLUMN_METRIC + AS_METRIC_COUNT,
    AS_COLUMN_NO_CONTRACTION = AS_COLUMN_METRIC_STATUS + AS_METRIC_COUNT,
    AS_COLUMN_RATIO,
    AS_COLUMN_RATIO_STATUS = AS_COLUMN_RATIO + AS_RATIO_COUNT,
    AS_COLUMN_GUARANTEE = AS_COLUMN_RATIO_STATUS + AS_RATIO_COUNT,
    AS_COLUMN_ALIGNMENT = AS_COLUMN_GUARANTEE + AS_RATIO_COUNT,
    AS_COLUMN_ALIGNMENT_STATUS = AS_COLUMN_ALIGNMENT + AS_ALIGNMENTS,
    AS_COLUMN_RAGGED = AS_COLUMN_ALIGNMENT_STATUS + AS_ALIGNMENTS,
    AS_COLUMN_LENGTH = AS_COLUMN_RAGGED + AS_RAGGED_COUNT,
    AS_COLUMN_COUNT = AS_COLUMN_LENGTH + AS_RAGGED_COUNT
};

typedef struct as_column {
    char path[80];
    as_h5_type type;
    size_t width; /* numbers a row; 0: no row has any, there is no dataset */
    void *block;  /* [blocks][block rows][width] */
    as_h5_data data;
} as_column;

typedef struct as_table {
    size_t rows;
    size_t block_rows;  /* rows that a block holds */
    size_t blocks;      /* that there is room for */
    int64_t offset_min; /* the offset of the profile's first column */
    as_column column[AS_COLUMN_COUNT];
} as_table;

/* Names and types of the columns; every width is 1, but 0 for the count of an array that shares it. */
void as_table_name(as_table *table);
/* Sets the widths of array r and of its count. */
void as_table_widen(as_table *table, size_t r, size_t width);
/* Room for blocks of a few MiB, `most` of them or as many as all rows need, for widths that are known
 * by now. AS_ENOMEM. */
as_status as_table_allocate(as_table *table, size_t most);
/* Closes and frees; what closing says. */
as_status as_table_close(as_table *table);

/* Puts a row into place r of the first block; ragged ones are filled up with NaN. names[] are those of
 * the text fields. AS_ENOMEM. */
as_status as_table_pack(as_table *table, size_t r, const as_row *row, as_names *names);
/* The row in place r, counted through all blocks. names: the object of arrays, by field. Arrays of the row point into the
 * blocks, strings into names. AS_EREAD where numbers are out of range. */
as_status as_table_unpack(const as_table *table, size_t r, const as_json_value *names, as_row *out);

/* Rows from `first` on, from the first block to the datasets, and from these to a block. */
as_status as_table_write(const as_table *table, size_t first, size_t rows);
as_status as_table_read(const as_table *table, size_t first, size_t rows, size_t block);

#endif
