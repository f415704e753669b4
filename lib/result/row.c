/* A row as bytes and back; fields.def says which fields there are.
 * It refuses records that do not end where they should, and numbers outside their lists. */
#include "result/row.h"

#include "base/fail.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

const as_field as_fields[AS_FIELD_COUNT] = {
#define X(kind, name, summary) {AS_FIELD_##kind, #name, summary, offsetof(as_row, name)},
#include "result/fields.def"
#undef X
};

/* The length that stands for a string that does not exist. */
#define NO_TEXT UINT32_MAX

as_row as_row_empty(void) {
    as_row row = {.scale = NAN, .row_sum_deviation = NAN};
    as_metrics_clear(&row.metrics, AS_REASON_NOT_ANALYSED);
    return row;
}

as_status as_row_check(const as_row *row) {
    if (row->status < AS_OK || row->status >= AS_MATRIX_STATUS_COUNT) {
        return as_fail(AS_EINVAL, "a row has status %d, which no matrix has", (int)row->status);
    }
    if (row->metrics.ky_fan_count > AS_KY_FAN_MAX) {
        return as_fail(AS_EINVAL, "a row has %zu Ky Fan norms, beyond %d",
                       row->metrics.ky_fan_count, AS_KY_FAN_MAX);
    }
    /* rows + cols − 1 diagonals; in this order nothing overflows. */
    if (row->profile_count > 0 && (row->rows == 0 || row->rows > row->profile_count ||
                                   row->cols != row->profile_count - row->rows + 1)) {
        return as_fail(AS_EINVAL, "a row has a profile of %zu, which does not fit its shape",
                       row->profile_count);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        if (row->metrics.reason[m] >= AS_REASON_COUNT) {
            return as_fail(AS_EINVAL, "a row gives %s the unknown reason %d",
                           as_metric_key((as_metric)m), row->metrics.reason[m]);
        }
    }
    return AS_OK;
}

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

void as_row_room_free(as_row_room *room) {
    free(room->record.data);
    as_matrix_free(&room->sigma);
    as_matrix_free(&room->profile);
    *room = (as_row_room){0};
}

/* ---- numbers ---------------------------------------------------------------------------------- */

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

static unsigned char *extend(as_bytes *out, size_t count) {
    if (count > SIZE_MAX - out->size || !as_bytes_reserve(out, out->size + count)) {
        return NULL;
    }
    unsigned char *at = out->data + out->size;
    out->size += count;
    return at;
}

static bool put_byte(as_bytes *out, unsigned value) {
    unsigned char *at = extend(out, 1);
    if (at != NULL) {
        *at = (unsigned char)value;
    }
    return at != NULL;
}

static bool put_u64(as_bytes *out, uint64_t value) {
    unsigned char *at = extend(out, 8);
    if (at != NULL) {
        as_put_u32(at, (uint32_t)value);
        as_put_u32(at + 4, (uint32_t)(value >> 32));
    }
    return at != NULL;
}

static bool put_f64(as_bytes *out, double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    return put_u64(out, bits);
}

static bool put_numbers(as_bytes *out, const double *numbers, size_t count) {
    size_t bytes;
    if (!put_u64(out, count) || !as_mul(count, 8, &bytes) || bytes > SIZE_MAX - out->size ||
        !as_bytes_reserve(out, out->size + bytes)) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        put_f64(out, numbers[i]);
    }
    return true;
}

bool as_put_text(as_bytes *out, const char *text) {
    size_t length = text != NULL ? strlen(text) : 0;
    unsigned char *at = length < NO_TEXT ? extend(out, 4) : NULL;
    if (at == NULL) {
        return false;
    }
    as_put_u32(at, text != NULL ? (uint32_t)length : NO_TEXT);
    if (text == NULL) {
        return true;
    }
    /* With its NUL, so that a reader can point at it. */
    at = extend(out, length + 1);
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

static unsigned take_byte(as_cursor *cursor) {
    const unsigned char *at = take(cursor, 1);
    return at != NULL ? *at : 0;
}

static uint64_t take_u64(as_cursor *cursor) {
    const unsigned char *at = take(cursor, 8);
    return at != NULL ? as_get_u32(at) | (uint64_t)as_get_u32(at + 4) << 32 : 0;
}

static double take_f64(as_cursor *cursor) {
    uint64_t bits = take_u64(cursor);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* The count of numbers that follow; 0 and bad where they would not fit. */
static size_t take_count(as_cursor *cursor) {
    uint64_t count = take_u64(cursor);
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

/* ---- the record ------------------------------------------------------------------------------- */

static bool put_field(as_bytes *out, const as_row *row, const as_field *field) {
    const void *value = (const char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        return put_u64(out, *(const uint64_t *)value);
    case AS_FIELD_F64:
        return put_f64(out, *(const double *)value);
    case AS_FIELD_TEXT:
        return as_put_text(out, *(const char *const *)value);
    case AS_FIELD_FLAG:
        return put_byte(out, *(const bool *)value);
    case AS_FIELD_STATUS:
        break;
    }
    return put_byte(out, (unsigned)*(const as_status *)value);
}

static void take_field(as_cursor *in, as_row *row, const as_field *field) {
    void *value = (char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        *(uint64_t *)value = take_u64(in);
        break;
    case AS_FIELD_F64:
        *(double *)value = take_f64(in);
        break;
    case AS_FIELD_TEXT:
        *(const char **)value = as_take_text(in);
        break;
    case AS_FIELD_FLAG:
        *(bool *)value = take_byte(in) != 0;
        break;
    case AS_FIELD_STATUS:
        *(as_status *)value = (as_status)take_byte(in);
        break;
    }
}

as_status as_row_encode(const as_row *row, as_bytes *out) {
    as_status status = as_row_check(row);
    if (status != AS_OK) {
        return status;
    }
    const as_metrics *metrics = &row->metrics;
    bool fits = true;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        fits = fits && put_field(out, row, &as_fields[f]);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        fits = fits && put_byte(out, metrics->reason[m]) && put_f64(out, metrics->value[m]);
    }
    if (!fits || !put_numbers(out, metrics->ky_fan, metrics->ky_fan_count) ||
        !put_numbers(out, row->sigma, row->sigma_count) ||
        !put_numbers(out, row->profile, row->profile_count)) {
        return as_fail(AS_ENOMEM, "no memory for the record of item %llu",
                       (unsigned long long)row->item);
    }
    return AS_OK;
}

static as_status take_numbers(as_cursor *in, as_matrix *room, size_t *count, const double **out) {
    *count = take_count(in);
    *out = NULL;
    if (*count == 0) {
        return AS_OK;
    }
    as_status status = as_matrix_resize(room, 1, *count);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < *count; i++) {
        room->data[i] = take_f64(in);
    }
    *out = room->data;
    return AS_OK;
}

as_status as_row_decode(as_row_room *room, as_row *out) {
    as_cursor in = {.at = room->record.data, .end = room->record.data + room->record.size};
    as_row row = {0};
    as_metrics *metrics = &row.metrics;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        take_field(&in, &row, &as_fields[f]);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        metrics->reason[m] = (uint8_t)take_byte(&in);
        metrics->value[m] = take_f64(&in);
    }
    metrics->ky_fan_count = take_count(&in);
    for (size_t i = 0; i < metrics->ky_fan_count; i++) {
        double value = take_f64(&in);
        if (i < AS_KY_FAN_MAX) {
            metrics->ky_fan[i] = value;
        }
    }
    as_status status = take_numbers(&in, &room->sigma, &row.sigma_count, &row.sigma);
    if (status == AS_OK) {
        status = take_numbers(&in, &room->profile, &row.profile_count, &row.profile);
    }
    if (status != AS_OK) {
        return status;
    }
    if (in.bad || in.at != in.end || as_row_check(&row) != AS_OK) {
        return as_fail(AS_EREAD, "a record holds no row");
    }
    *out = row;
    return AS_OK;
}

char *as_row_layout(void) {
    as_bytes names = {0};
    bool fits = true;
    for (size_t i = 0; fits && i < AS_FIELD_COUNT + AS_METRIC_COUNT; i++) {
        const char *name =
            i < AS_FIELD_COUNT ? as_fields[i].name : as_metric_key((as_metric)(i - AS_FIELD_COUNT));
        unsigned char *at = extend(&names, strlen(name) + 1);
        fits = at != NULL;
        if (fits) {
            memcpy(at, name, strlen(name));
            at[strlen(name)] = ' ';
        }
    }
    if (!fits) {
        free(names.data);
        return NULL;
    }
    names.data[names.size - 1] = '\0';
    return (char *)names.data;
}
