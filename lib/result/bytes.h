/* bytes: numbers and strings as bytes that grow, and a cursor that reads them back. Private. */
#ifndef AS_RESULT_BYTES_H
#define AS_RESULT_BYTES_H

#include "attnspec/base.h"

/* Bytes that grow. Start from {0}; free(data). */
typedef struct as_bytes {
    unsigned char *data;
    size_t size, capacity;
} as_bytes;

/* False, with the contents as they were, where there is no memory. */
bool as_bytes_reserve(as_bytes *bytes, size_t capacity);
/* The next `count` bytes, to be filled in; NULL where there is no memory. */
unsigned char *as_bytes_extend(as_bytes *bytes, size_t count);

/* Little endian; false where there is no memory. */
bool as_put_byte(as_bytes *out, unsigned value);
bool as_put_u64(as_bytes *out, uint64_t value);
bool as_put_f64(as_bytes *out, double value);
bool as_put_numbers(as_bytes *out, const double *numbers, size_t count);
/* NULL stays NULL. */
bool as_put_text(as_bytes *out, const char *text);

typedef struct as_cursor {
    const unsigned char *at, *end;
    bool bad; /* a read went beyond the end; it gave 0 or NULL */
} as_cursor;

unsigned as_take_byte(as_cursor *cursor);
uint64_t as_take_u64(as_cursor *cursor);
double as_take_f64(as_cursor *cursor);
/* The count of numbers that follow; 0 and bad where they would not fit. */
size_t as_take_count(as_cursor *cursor);
/* Points into the bytes. */
const char *as_take_text(as_cursor *cursor);

void as_put_u32(unsigned char *at, uint32_t value);
uint32_t as_get_u32(const unsigned char *at);

#endif
