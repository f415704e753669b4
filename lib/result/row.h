/* row: the fields of a matrix in a result, in one table, and its record in bytes. Private. */
#ifndef AS_RESULT_ROW_H
#define AS_RESULT_ROW_H

#include "attnspec/result.h"
#include "result/bytes.h"
#include "result/ragged.h"

typedef enum as_field_kind {
    AS_FIELD_U64,
    AS_FIELD_F64,
    AS_FIELD_TEXT,
    AS_FIELD_FLAG,
    AS_FIELD_STATUS
} as_field_kind;

typedef struct as_field {
    as_field_kind kind;
    const char *name;
    const char *summary;
    size_t offset; /* in as_row */
} as_field;

enum {
#define X(kind, name, summary) AS_FIELD_INDEX_##name,
#include "result/fields.def"
#undef X
    AS_FIELD_COUNT
};
extern const as_field as_fields[AS_FIELD_COUNT];

/* Alignments of a contraction, by sum and then by norm. */
enum { AS_ALIGNMENTS = AS_ALIGNMENT_COUNT * AS_NORM_COUNT };

/* What a row that was read points into. Start from {0}. */
typedef struct as_row_room {
    as_bytes record;
    as_matrix ragged[AS_RAGGED_COUNT];
} as_row_room;
void as_row_room_free(as_row_room *room);

/* AS_EINVAL where counts, status, reasons or guarantees are out of their range, or contradict each
 * other. */
as_status as_row_check(const as_row *row);

/* Appends the record of a row: little endian, the fields in the order of fields.def, then metrics,
 * contraction and the arrays in the order of ragged.def. AS_EINVAL as as_row_check(), AS_ENOMEM. */
as_status as_row_encode(const as_row *row, as_bytes *out);
/* The row of room->record, which the strings of the row point into. AS_EREAD where it is none. */
as_status as_row_decode(as_row_room *room, as_row *out);

/* The names of all fields, metrics, ratios and arrays: two programs with the same layout read each
 * other's records. Owned by the caller, NULL where there is no memory. */
char *as_row_layout(void);

#endif
