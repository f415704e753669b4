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

as_row as_row_empty(void) {
    as_row row = {.scale = NAN,
                  .softcap = NAN,
                  .row_sum_deviation = NAN,
                  .row_sum_min = NAN,
                  .row_sum_max = NAN};
    as_metrics_clear(&row.metrics, AS_REASON_NOT_ANALYSED);
    as_contraction_clear(&row.contraction, AS_REASON_NO_BASELINE);
    return row;
}

/* ---- what a row may be ------------------------------------------------------------------------ */

static as_status check_ragged(const as_row *row) {
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        const as_ragged *ragged = &as_raggeds[r];
        size_t count = as_ragged_count(row, r);
        if (ragged->capacity > 0 && count > ragged->capacity) {
            return as_fail(AS_EINVAL, "a row has %zu numbers in %s, beyond %zu", count,
                           ragged->name, ragged->capacity);
        }
        if (count > 0 && as_ragged_numbers(row, r) == NULL) {
            return as_fail(AS_EINVAL, "a row has %zu numbers in %s, but not the array", count,
                           ragged->name);
        }
    }
    /* rows + cols − 1 diagonals; in this order nothing overflows. */
    if (row->profile_count > 0 && (row->rows == 0 || row->rows > row->profile_count ||
                                   row->cols != row->profile_count - row->rows + 1)) {
        return as_fail(AS_EINVAL, "a row has a profile of %zu, which does not fit its shape",
                       row->profile_count);
    }
    return AS_OK;
}

/* The reason of a number, which is `what` and `name` for people. */
static as_status check_reason(unsigned reason, const char *what, const char *name) {
    return reason < AS_REASON_COUNT
               ? AS_OK
               : as_fail(AS_EINVAL, "a row gives %s%s the unknown reason %u", what, name, reason);
}

static as_status check_contraction(const as_row *row) {
    const as_contraction *contraction = &row->contraction;
    as_status status = check_reason(contraction->none, "its contraction", "");
    if (status == AS_OK && row->baseline == NULL && contraction->none != AS_REASON_NO_BASELINE) {
        return as_fail(AS_EINVAL, "a row without a baseline has a contraction that is not null for "
                                  "that reason");
    }
    if (status == AS_OK && contraction->none != AS_REASON_NONE && contraction->ky_fan_count > 0) {
        return as_fail(AS_EINVAL, "a row without a contraction has %zu ratios of Ky Fan norms",
                       contraction->ky_fan_count);
    }
    for (size_t r = 0; r < AS_RATIO_COUNT && status == AS_OK; r++) {
        const char *key = as_ratio_key((as_ratio)r);
        status = check_reason(contraction->reason[r], "the contraction's ", key);
        if (status == AS_OK && contraction->guarantee[r] > AS_UNDEFINED) {
            status = as_fail(AS_EINVAL, "a row gives the contraction's %s the unknown guarantee %u",
                             key, contraction->guarantee[r]);
        }
    }
    for (size_t i = 0; i < AS_ALIGNMENTS && status == AS_OK; i++) {
        status = check_reason((&contraction->alignment_reason[0][0])[i], "an alignment", "");
    }
    return status;
}

as_status as_row_check(const as_row *row) {
    if (row->status < AS_OK || row->status >= AS_MATRIX_STATUS_COUNT) {
        return as_fail(AS_EINVAL, "a row has status %d, which no matrix has", (int)row->status);
    }
    as_status status = check_ragged(row);
    for (size_t m = 0; m < AS_METRIC_COUNT && status == AS_OK; m++) {
        status = check_reason(row->metrics.reason[m], "", as_metric_key((as_metric)m));
    }
    return status == AS_OK ? check_contraction(row) : status;
}

void as_row_room_free(as_row_room *room) {
    free(room->record.data);
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        as_matrix_free(&room->ragged[r]);
    }
    *room = (as_row_room){0};
}

/* ---- the record ------------------------------------------------------------------------------- */

static bool put_field(as_bytes *out, const as_row *row, const as_field *field) {
    const void *value = (const char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        return as_put_u64(out, *(const uint64_t *)value);
    case AS_FIELD_F64:
        return as_put_f64(out, *(const double *)value);
    case AS_FIELD_TEXT:
        return as_put_text(out, *(const char *const *)value);
    case AS_FIELD_FLAG:
        return as_put_byte(out, *(const bool *)value);
    case AS_FIELD_STATUS:
        break;
    }
    return as_put_byte(out, (unsigned)*(const as_status *)value);
}

static void take_field(as_cursor *in, as_row *row, const as_field *field) {
    void *value = (char *)row + field->offset;
    switch (field->kind) {
    case AS_FIELD_U64:
        *(uint64_t *)value = as_take_u64(in);
        break;
    case AS_FIELD_F64:
        *(double *)value = as_take_f64(in);
        break;
    case AS_FIELD_TEXT:
        *(const char **)value = as_take_text(in);
        break;
    case AS_FIELD_FLAG:
        *(bool *)value = as_take_byte(in) != 0;
        break;
    case AS_FIELD_STATUS:
        *(as_status *)value = (as_status)as_take_byte(in);
        break;
    }
}

/* Where there is none, the reason is all there is. */
static bool put_contraction(as_bytes *out, const as_contraction *contraction) {
    bool fits = as_put_byte(out, contraction->none);
    if (contraction->none != AS_REASON_NONE) {
        return fits;
    }
    for (size_t r = 0; r < AS_RATIO_COUNT; r++) {
        fits = fits && as_put_byte(out, contraction->reason[r]) &&
               as_put_byte(out, contraction->guarantee[r]) &&
               as_put_f64(out, contraction->value[r]);
    }
    const double *alignment = &contraction->alignment[0][0];
    const uint8_t *reason = &contraction->alignment_reason[0][0];
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        fits = fits && as_put_byte(out, reason[i]) && as_put_f64(out, alignment[i]);
    }
    return fits;
}

static void take_contraction(as_cursor *in, as_contraction *contraction) {
    as_contraction_clear(contraction, (as_reason)as_take_byte(in));
    if (contraction->none != AS_REASON_NONE) {
        return;
    }
    for (size_t r = 0; r < AS_RATIO_COUNT; r++) {
        contraction->reason[r] = (uint8_t)as_take_byte(in);
        contraction->guarantee[r] = (uint8_t)as_take_byte(in);
        contraction->value[r] = as_take_f64(in);
    }
    double *alignment = &contraction->alignment[0][0];
    uint8_t *reason = &contraction->alignment_reason[0][0];
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        reason[i] = (uint8_t)as_take_byte(in);
        alignment[i] = as_take_f64(in);
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
        fits = fits && as_put_byte(out, metrics->reason[m]) && as_put_f64(out, metrics->value[m]);
    }
    fits = fits && put_contraction(out, &row->contraction);
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        fits = fits && as_put_numbers(out, as_ragged_numbers(row, r), as_ragged_count(row, r));
    }
    return fits ? AS_OK
                : as_fail(AS_ENOMEM, "no memory for the record of item %llu",
                          (unsigned long long)row->item);
}

/* Array r of the row, in the room's matrix of that number. */
static as_status take_ragged(as_cursor *in, as_row_room *room, size_t r, as_row *row) {
    size_t count = as_take_count(in);
    bool shared = as_ragged_leader(r) != r;
    if (count > 0) {
        as_status status = as_matrix_resize(&room->ragged[r], 1, count);
        if (status != AS_OK) {
            return status;
        }
    }
    double *numbers = room->ragged[r].data;
    for (size_t i = 0; i < count; i++) {
        numbers[i] = as_take_f64(in);
    }
    if ((shared && count != as_ragged_count(row, r)) || !as_ragged_set(row, r, numbers, count)) {
        in->bad = true;
    }
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
        metrics->reason[m] = (uint8_t)as_take_byte(&in);
        metrics->value[m] = as_take_f64(&in);
    }
    take_contraction(&in, &row.contraction);
    for (size_t r = 0; r < AS_RAGGED_COUNT && !in.bad; r++) {
        as_status status = take_ragged(&in, room, r, &row);
        if (status != AS_OK) {
            return status;
        }
    }
    if (in.bad || in.at != in.end || as_row_check(&row) != AS_OK) {
        return as_fail(AS_EREAD, "a record holds no row");
    }
    *out = row;
    return AS_OK;
}

/* ---- the layout ------------------------------------------------------------------------------- */

static bool put_word(as_bytes *out, const char *room, const char *name) {
    size_t first = strlen(room), length = strlen(name);
    unsigned char *at = as_bytes_extend(out, first + length + 1);
    if (at != NULL) {
        memcpy(at, room, first);
        memcpy(at + first, name, length);
        at[first + length] = ' ';
    }
    return at != NULL;
}

char *as_row_layout(void) {
    as_bytes names = {0};
    bool fits = true;
    for (size_t f = 0; f < AS_FIELD_COUNT; f++) {
        fits = fits && put_word(&names, "", as_fields[f].name);
    }
    for (size_t m = 0; m < AS_METRIC_COUNT; m++) {
        fits = fits && put_word(&names, "", as_metric_key((as_metric)m));
    }
    for (size_t r = 0; r < AS_RATIO_COUNT; r++) {
        fits = fits && put_word(&names, "contraction.", as_ratio_key((as_ratio)r));
    }
    for (size_t i = 0; i < AS_ALIGNMENTS; i++) {
        fits =
            fits &&
            put_word(&names, "alignment.", as_alignment_key((as_alignment)(i / AS_NORM_COUNT))) &&
            put_word(&names, "", as_norm_key((as_norm)(i % AS_NORM_COUNT)));
    }
    for (size_t r = 0; r < AS_RAGGED_COUNT; r++) {
        fits = fits && put_word(&names, "array.", as_raggeds[r].name);
    }
    if (!fits) {
        free(names.data);
        return NULL;
    }
    names.data[names.size - 1] = '\0';
    return (char *)names.data;
}
