/* report_heads: heads gathered row by row, and what JSON and CSV say of them.
 * It refuses nothing: a quantity that a head lacks is left out, with the reason. */
#define _POSIX_C_SOURCE 200809L
#include "report_heads.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Of the last one, the ratio, there is no metric. */
static const as_metric quantities[HEADS_QUANTITIES] = {
    AS_METRIC_spectral_norm, AS_METRIC_toeplitz_fraction, AS_METRIC_previous_token_mass,
    AS_METRIC_first_token_mass, AS_METRIC_COUNT};

const char *heads_quantity_key(size_t quantity) {
    as_metric metric = quantities[quantity];
    return metric == AS_METRIC_COUNT ? "contraction_spectral_norm" : as_metric_key(metric);
}

/* ---- gathering -------------------------------------------------------------------------------- */

static bool same_text(const char *a, const char *b) {
    return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0;
}

/* The sentence is the JSON writer's own for a piece that it has no memory for. */
static as_status no_memory(void) {
    (void)as_json_take(NULL);
    return AS_ENOMEM;
}

/* One more of `size` bytes behind `count`; NULL where there is no memory for it. */
static void *grow(void *array, size_t count, size_t *room, size_t size) {
    if (count < *room)
        return array;
    size_t more = *room > 0 ? 2 * *room : 64;
    void *larger = more <= SIZE_MAX / size ? realloc(array, more * size) : NULL;
    *room = larger != NULL ? more : *room;
    return larger;
}

static char *copy(const char *text, bool *failed) {
    char *made = text != NULL ? strdup(text) : NULL;
    *failed = *failed || (text != NULL && made == NULL);
    return made;
}

/* Rows of an origin mostly follow each other: the last one is looked at first. False without memory. */
static bool find_origin(head_tally *tally, const as_row *row, size_t *out) {
    for (size_t i = tally->origins; i-- > 0;) {
        const head_origin *o = &tally->origin[i];
        if (same_text(o->source, row->source) && same_text(o->scheme, row->scheme) &&
            same_text(o->content, row->content)) {
            *out = i;
            return true;
        }
    }
    head_origin *larger =
        grow(tally->origin, tally->origins, &tally->origin_room, sizeof *tally->origin);
    if (larger == NULL)
        return false;
    tally->origin = larger;
    bool failed = false;
    *out = tally->origins;
    tally->origin[tally->origins++] = (head_origin){.source = copy(row->source, &failed),
                                                    .scheme = copy(row->scheme, &failed),
                                                    .content = copy(row->content, &failed)};
    return !failed;
}

/* Queries and keys that are tokens; of a matrix that is not square, queries that see none are padding. */
static void count_tokens(const as_row *row, size_t *queries, size_t *keys) {
    uint64_t padding = row->padding_dropped ? 0 : row->padding_left + row->padding_right;
    uint64_t masked = padding > 0 ? row->masked_rows : 0;
    *keys = (size_t)(padding < row->cols ? row->cols - padding : 0);
    *queries = row->rows == row->cols ? *keys : (size_t)(row->rows - masked);
}

static void take_numbers(head_record *head, const as_row *row) {
    for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
        as_metric metric = quantities[i];
        bool ratio = metric == AS_METRIC_COUNT;
        const as_contraction *c = &row->contraction;
        as_reason reason =
            (as_reason)(!ratio                      ? row->metrics.reason[metric]
                        : c->none != AS_REASON_NONE ? c->none
                                                    : c->reason[AS_RATIO_spectral_norm]);
        double value = ratio ? c->value[AS_RATIO_spectral_norm] : row->metrics.value[metric];
        head->quantity[i] = reason == AS_REASON_NONE ? value : (double)NAN;
        head->reason[i] = (uint8_t)reason;
    }
    size_t queries, keys;
    count_tokens(row, &queries, &keys);
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++)
        head->role[r] = as_head_role_number(&row->metrics, queries, keys, (as_head_role)r);
}

as_status heads_add(head_tally *tally, const as_row *row) {
    if (row->status != AS_OK)
        return AS_OK;
    head_record head = {.layer = row->layer, .head = row->head, .order = tally->count};
    head_record *larger = grow(tally->record, tally->count, &tally->room, sizeof *tally->record);
    if (larger != NULL)
        tally->record = larger;
    if (larger == NULL || !find_origin(tally, row, &head.origin))
        return no_memory();
    take_numbers(&head, row);
    tally->record[tally->count++] = head;
    return AS_OK;
}

static int by_place(const void *a, const void *b) {
    const head_record *x = a, *y = b;
    return x->origin != y->origin ? (x->origin < y->origin ? -1 : 1)
           : x->layer != y->layer ? (x->layer < y->layer ? -1 : 1)
           : x->head != y->head   ? (x->head < y->head ? -1 : 1)
           : x->order != y->order ? (x->order < y->order ? -1 : 1)
                                  : 0;
}

static bool same_head(const head_record *a, const head_record *b) {
    return a->origin == b->origin && a->layer == b->layer && a->head == b->head;
}

static void add_mean(double *mean, size_t *count, double value) {
    if (!isnan(value))
        *mean = ++*count == 1 ? value : *mean + (value - *mean) / (double)*count;
}

/* The means of `count` matrices; a number that none has is NaN, with the first one's reason. */
static head_record mean_of(const head_record *matrices, size_t count) {
    head_record head = matrices[0];
    for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
        size_t found = 0;
        for (size_t m = 0; m < count; m++)
            add_mean(&head.quantity[i], &found, matrices[m].quantity[i]);
    }
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++) {
        size_t found = 0;
        for (size_t m = 0; m < count; m++)
            add_mean(&head.role[r], &found, matrices[m].role[r]);
    }
    return head;
}

as_status heads_finish(head_tally *tally) {
    size_t heads = 0;
    if (tally->count == 0)
        return AS_OK;
    qsort(tally->record, tally->count, sizeof *tally->record, by_place);
    for (size_t begin = 0, end; begin < tally->count; begin = end) {
        for (end = begin + 1; end < tally->count; end++)
            if (!same_head(&tally->record[begin], &tally->record[end]))
                break;
        tally->record[heads++] = mean_of(&tally->record[begin], end - begin);
    }
    tally->count = heads;
    tally->values = malloc(heads * sizeof *tally->values);
    return tally->values != NULL ? AS_OK : no_memory();
}

as_status heads_gather(head_tally *tally, const report_rows *rows) {
    as_status status = AS_OK;
    for (size_t i = 0; i < rows->count && status == AS_OK; i++) {
        as_row row;
        status = report_row(rows, i, &row);
        status = status == AS_OK ? heads_add(tally, &row) : status;
    }
    return status == AS_OK ? heads_finish(tally) : status;
}

void heads_free(head_tally *tally) {
    for (size_t i = 0; i < tally->origins; i++) {
        free(tally->origin[i].source);
        free(tally->origin[i].scheme);
        free(tally->origin[i].content);
    }
    free(tally->origin);
    free(tally->record);
    free(tally->values);
    *tally = (head_tally){0};
}

/* ---- layers ----------------------------------------------------------------------------------- */

size_t heads_layer_end(const head_tally *tally, size_t begin) {
    size_t end = begin + 1;
    while (end < tally->count && tally->record[end].origin == tally->record[begin].origin &&
           tally->record[end].layer == tally->record[begin].layer)
        end++;
    return end;
}

head_shares heads_share(const head_tally *tally, size_t begin, size_t end, size_t quantity) {
    head_shares shares = {.mean = NAN, .reason = AS_REASON_NOT_ANALYSED};
    size_t count = 0;
    for (size_t i = begin; i < end; i++) {
        double value = tally->record[i].quantity[quantity];
        if (!isnan(value)) {
            tally->values[count] = value;
            add_mean(&shares.mean, &count, value);
        } else if (count == 0) {
            shares.reason = (as_reason)tally->record[i].reason[quantity];
        }
    }
    as_concentrate(tally->values, count, &shares.concentration);
    if (count > 0)
        shares.reason = AS_REASON_NONE;
    else
        shares.concentration.reason = shares.reason;
    return shares;
}

static void add_shares(as_json *json, const char *key, const as_concentration *c) {
    as_json_object(json, key);
    for (unsigned k = 0; k < AS_CONCENTRATION_COUNT; k++)
        as_json_number(json, as_concentration_name((as_concentration_key)k), c->value[k]);
    as_json_object(json, "reasons");
    for (unsigned k = 0; k < AS_CONCENTRATION_COUNT && c->reason != AS_REASON_NONE; k++)
        as_json_string(json, as_concentration_name((as_concentration_key)k),
                       as_reason_name(c->reason));
    as_json_end(json);
    as_json_end(json);
}

static void add_layer(const head_tally *tally, size_t begin, size_t end, as_json *json) {
    const head_record *first = &tally->record[begin];
    const head_origin *origin = &tally->origin[first->origin];
    head_shares shares[HEADS_QUANTITIES];
    as_json_object(json, NULL);
    as_json_string(json, "source", origin->source);
    as_json_string(json, "scheme", origin->scheme);
    as_json_string(json, "content", origin->content);
    as_json_integer(json, "layer", first->layer);
    as_json_integer(json, "heads", end - begin);
    as_json_object(json, "means");
    for (size_t i = 0; i < HEADS_QUANTITIES; i++) {
        shares[i] = heads_share(tally, begin, end, i);
        as_json_number(json, heads_quantity_key(i), shares[i].mean);
    }
    as_json_object(json, "reasons");
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        if (shares[i].reason != AS_REASON_NONE)
            as_json_string(json, heads_quantity_key(i), as_reason_name(shares[i].reason));
    as_json_end(json);
    as_json_end(json);
    as_json_object(json, "concentration");
    for (size_t i = 0; i < HEADS_QUANTITIES; i++)
        add_shares(json, heads_quantity_key(i), &shares[i].concentration);
    as_json_end(json);
    as_json_end(json);
}

void heads_add_json(const head_tally *tally, as_json *json) {
    as_json_array(json, "layers");
    for (size_t begin = 0, end; begin < tally->count; begin = end) {
        end = heads_layer_end(tally, begin);
        add_layer(tally, begin, end, json);
    }
    as_json_end(json);
}

/* ---- one row ---------------------------------------------------------------------------------- */

static uint32_t roles_of(const as_row *row) {
    size_t queries, keys;
    count_tokens(row, &queries, &keys);
    return as_head_roles(&row->metrics, queries, keys);
}

void heads_print_roles(const as_row *row, FILE *out) {
    uint32_t roles = row->status == AS_OK ? roles_of(row) : 0;
    for (unsigned r = 0; roles != 0; r++, roles >>= 1)
        if ((roles & 1) != 0)
            fprintf(out, "%s%s", as_head_rule_of((as_head_role)r)->name, roles > 1 ? " " : "");
}

void heads_add_roles(const as_row *row, as_json *json) {
    if (row->status != AS_OK) {
        as_json_null(json, "roles");
        return;
    }
    uint32_t roles = roles_of(row);
    as_json_array(json, "roles");
    for (unsigned r = 0; r < AS_HEAD_ROLE_COUNT; r++)
        if ((roles >> r & 1) != 0)
            as_json_string(json, NULL, as_head_rule_of((as_head_role)r)->name);
    as_json_end(json);
}
