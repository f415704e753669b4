/* report_table: rows chosen and sorted. Only their places and keys are held.
 * It refuses nothing but unknown keys. */
#define _POSIX_C_SOURCE 200809L
#include "report_table.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

report_rows report_all(as_result *result) {
    return (report_rows){.result = result, .count = as_result_count(result)};
}

as_status report_row(const report_rows *rows, size_t at, as_row *out) {
    return as_result_row(rows->result, rows->index == NULL ? at : rows->index[at], out);
}

bool report_order_parse(const char *text, report_order *out, char *why) {
    char name[64];
    bool minus = *text == '-';
    const char *begin = minus ? text + 1 : text, *colon = strrchr(begin, ':');
    size_t length = colon == NULL ? strlen(begin) : (size_t)(colon - begin);
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), begin);
    bool falls = colon != NULL && strcmp(colon, ":desc") == 0;
    if (colon != NULL && !falls && strcmp(colon, ":asc") != 0) {
        snprintf(why, KEY_WHY, "--sort '%.60s' ends with '%.60s', but must with :asc or :desc",
                 text, colon);
        return false;
    }
    if (minus && colon != NULL) {
        snprintf(why, KEY_WHY, "--sort '%.60s' says its direction twice: - is the same as :desc",
                 text);
        return false;
    }
    out->descending = minus || falls;
    return report_key_find(name, &out->key, why);
}

/* A row and what it is sorted by. */
typedef struct place {
    size_t index;
    bool there, descending;
    uint64_t whole;
    double real;
    char *text; /* owned; NULL unless sorted by text */
} place;

static int by_key(const void *left, const void *right) {
    const place *a = left, *b = right;
    int order = 0;
    if (a->there != b->there)
        return a->there ? -1 : 1;
    if (a->text != NULL)
        order = strcmp(a->text, b->text);
    else if (a->whole != b->whole)
        order = a->whole < b->whole ? -1 : 1;
    else if (a->real != b->real)
        order = a->real < b->real ? -1 : 1;
    if (order != 0)
        return a->descending ? -order : order;
    return a->index < b->index ? -1 : 1;
}

static as_status find_place(const report_order *order, const as_row *row, size_t index,
                            place *out) {
    *out = (place){.index = index, .descending = order->descending};
    if (order->key.kind == KEY_TEXT) {
        const char *text = report_key_text(order->key, row);
        out->there = *text != '\0';
        out->text = strdup(text);
        return out->text == NULL ? AS_ENOMEM : AS_OK;
    }
    if (order->key.kind == KEY_WHOLE) {
        out->there = report_key_whole(order->key, row, &out->whole);
    } else {
        double value = report_key_real(order->key, row);
        out->there = !isnan(value);
        out->real = out->there ? value : 0;
    }
    if (!out->there)
        out->whole = 0;
    return AS_OK;
}

/* Sorts index[count], which is in the order of the result. */
static as_status sort(as_result *result, const report_order *order, size_t *index, size_t count) {
    place *places = calloc(count, sizeof *places);
    as_status status = places == NULL ? AS_ENOMEM : AS_OK;
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        as_row row;
        status = as_result_row(result, index[i], &row);
        if (status == AS_OK)
            status = find_place(order, &row, index[i], &places[i]);
    }
    if (status == AS_OK) {
        qsort(places, count, sizeof *places, by_key);
        for (size_t i = 0; i < count; i++)
            index[i] = places[i].index;
    }
    for (size_t i = 0; i < count && places != NULL; i++)
        free(places[i].text);
    free(places);
    return status;
}

as_status report_select(as_result *result, const report_where *where, const report_order *order,
                        size_t top, report_rows *out) {
    size_t all = as_result_count(result);
    report_rows rows = {.result = result, .index = calloc(all + 1, sizeof *rows.index)};
    as_status status = rows.index == NULL ? AS_ENOMEM : AS_OK;
    for (size_t i = 0; i < all && status == AS_OK; i++) {
        as_row row;
        status = as_result_row(result, i, &row);
        if (status == AS_OK && report_where_holds(where, &row))
            rows.index[rows.count++] = i;
    }
    if (status == AS_OK && order != NULL && rows.count > 0) {
        rows.order = order->key.name;
        rows.descending = order->descending;
        status = sort(result, order, rows.index, rows.count);
    }
    if (status != AS_OK) {
        free(rows.index);
        return status;
    }
    if (top > 0 && top < rows.count)
        rows.count = top;
    *out = rows;
    return AS_OK;
}
