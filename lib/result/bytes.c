/* Numbers and strings as bytes, little endian on every machine.
 * A cursor refuses to go beyond its end: it is bad from there on. */
#include "result/bytes.h"

#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

/* The length that stands for a string that does not exist. */
#define NO_TEXT UINT32_MAX

bool as_bytes_reserve(as_bytes *bytes, size_t capacity) {
    if (capacity <= bytes->capacity) {
        return true;
    }
    if (capacity > SIZE_MAX / 2) {
        return false;
    }
    capacity = capacity < 512 ? 512 : capacity + capacity / 2;
    unsigned char *data = realloc(bytes->data, capacity);
    if (data == NULL) {
        return false;
    }
    bytes->data = data;
    bytes->capacity = capacity;
    return true;
}

void as_put_u32(unsigned char *at, uint32_t value) {
    for (int i = 0; i < 4; i++) {
        at[i] = (unsigned char)(value >> (8 * i));
    }
}

uint32_t as_get_u32(const unsigned char *at) {
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value |= (uint32_t)at[i] << (8 * i);
    }
    return value;
}

unsigned char *as_bytes_extend(as_bytes *out, size_t count) {
    if (count > SIZE_MAX - out->size || !as_bytes_reserve(out, out->size + count)) {
        return NULL;
    }
    unsigned char *at = out->data + out->size;
    out->size += count;
    return at;
}

bool as_put_byte(as_bytes *out, unsigned value) {
    unsigned char *at = as_bytes_extend(out, 1);
    if (at != NULL) {
        *at = (unsigned char)value;
    }
    return at != NULL;
}

bool as_put_u64(as_bytes *out, uint64_t value) {
    unsigned char *at = as_bytes_extend(out, 8);
    if (at != NULL) {
        as_put_u32(at, (uint32_t)value);
        as_put_u32(at + 4, (uint32_t)(value >> 32));
    }
    return at != NULL;
}

bool as_put_f64(as_bytes *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return as_put_u64(out, bits);
}

bool as_put_numbers(as_bytes *out, const double *numbers, size_t count) {
    size_t bytes;
    if (!as_put_u64(out, count) || !as_mul(count, 8, &bytes) || bytes > SIZE_MAX - out->size ||
        !as_bytes_reserve(out, out->size + bytes)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        as_put_f64(out, numbers[i]);
    }
    return true;
}

bool as_put_text(as_bytes *out, const char *text) {
    size_t length = text != NULL ? strlen(text) : 0;
    unsigned char *at = length < NO_TEXT ? as_bytes_extend(out, 4) : NULL;
    if (at == NULL) {
        return false;
    }
    as_put_u32(at, text != NULL ? (uint32_t)length : NO_TEXT);
    if (text == NULL) {
        return true;
    }
    /* With its NUL, so that a reader can point at it. */
    at = as_bytes_extend(out, length + 1);
    if (at != NULL) {
        memcpy(at, text, length + 1);
    }
    return at != NULL;
}

static const unsigned char *take(as_cursor *cursor, size_t count) {
    if (cursor->bad || (size_t)(cursor->end - cursor->at) < count) {
        cursor->bad = true;
        return NULL;
    }
    const unsigned char *at = cursor->at;
    cursor->at += count;
    return at;
}

unsigned as_take_byte(as_cursor *cursor) {
    const unsigned char *at = take(cursor, 1);
    return at != NULL ? *at : 0;
}

uint64_t as_take_u64(as_cursor *cursor) {
    const unsigned char *at = take(cursor, 8);
    return at != NULL ? as_get_u32(at) | (uint64_t)as_get_u32(at + 4) << 32 : 0;
}

double as_take_f64(as_cursor *cursor) {
    uint64_t bits = as_take_u64(cursor);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

size_t as_take_count(as_cursor *cursor) {
    uint64_t count = as_take_u64(cursor);
    if (count > (size_t)(cursor->end - cursor->at) / 8) {
        cursor->bad = true;
        return 0;
    }
    return (size_t)count;
}

const char *as_take_text(as_cursor *cursor) {
    const unsigned char *at = take(cursor, 4);
    if (at == NULL || as_get_u32(at) == NO_TEXT) {
        return NULL;
    }
    size_t length = as_get_u32(at);
    const unsigned char *text = take(cursor, length);
    const unsigned char *end = take(cursor, 1);
    if (end == NULL || memchr(text, '\0', length + 1) != end) {
        cursor->bad = true;
        return NULL;
    }
    return (const char *)text;
}
