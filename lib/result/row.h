/* row: the fields of a matrix in a result, in one table, and its record in bytes. Private. */
#ifndef AS_RESULT_ROW_H
#define AS_RESULT_ROW_H

#include "attnspec/result.h"

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

/* Bytes that grow. Start from {0}; free(data). */
typedef struct as_bytes {
    unsigned char *data;
    size_t size, capacity;
} as_bytes;

/* False, with the contents as they were, where there is no memory. */
bool as_bytes_reserve(as_bytes *bytes, size_t capacity);

/* What a row that was read points into. Start from {0}. */
typedef struct as_row_room {
    as_bytes record;
    as_matrix sigma, profile;
} as_row_room;
void as_row_room_free(as_row_room *room);

/* AS_EINVAL where counts, status or reasons are out of their range. */
as_status as_row_check(const as_row *row);

/* Appends the record of a row: little endian, the fields in the order of fields.def, then metrics,
 * Ky Fan norms, singular values and profile. AS_EINVAL as as_row_check(), AS_ENOMEM. */
as_status as_row_encode(const as_row *row, as_bytes *out);
/* The row of room->record, which the strings of the row point into. AS_EREAD where it is none. */
as_status as_row_decode(as_row_room *room, as_row *out);

/* The names of all fields and metrics: two programs with the same layout read each other's records.
 * Owned by the caller, NULL where there is no memory. */
char *as_row_layout(void);

/* Strings in records, for the journal's head. */
bool as_put_text(as_bytes *out, const char *text);
typedef struct as_cursor {
    const unsigned char *at, *end;
    bool bad; /* a read went beyond the end; it gave 0 or NULL */
} as_cursor;
const char *as_take_text(as_cursor *cursor);

void as_put_u32(unsigned char *at, uint32_t value);
uint32_t as_get_u32(const unsigned char *at);

#endif
