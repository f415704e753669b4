/* Images of layer by head.
 * It refuses rows that are not ok, and metrics that are null. */
#include "result/heads.h"

#include "base/fail.h"
#include "result/nxdata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { CELLS_MAX = 1 << 20 };

enum { METRICS = AS_HEADS_IMAGES - 1 };

/* The first is the signal; behind them comes the contraction of the spectral norm. */
static const as_metric shown[METRICS] = {AS_METRIC_spectral_norm,     AS_METRIC_stable_rank,
                                         AS_METRIC_effective_rank,    AS_METRIC_toeplitz_fraction,
                                         AS_METRIC_attention_entropy, AS_METRIC_previous_token_mass,
                                         AS_METRIC_first_token_mass};

/* The number of image s, false where the row has none. */
static bool number(const as_row *row, size_t s, double *value) {
    if (s < METRICS) {
        *value = row->metrics.value[shown[s]];
        return row->metrics.reason[shown[s]] == AS_REASON_NONE;
    }
    *value = row->contraction.value[AS_RATIO_spectral_norm];
    return row->contraction.none == AS_REASON_NONE &&
           row->contraction.reason[AS_RATIO_spectral_norm] == AS_REASON_NONE;
}

static void widen(uint64_t value, bool first, uint64_t *low, uint64_t *high) {
    *low = first || value < *low ? value : *low;
    *high = first || value > *high ? value : *high;
}

static as_status add_place(as_heads *heads, const as_row *row) {
    if (heads->place_count == heads->place_capacity) {
        size_t capacity = heads->place_capacity > 0 ? 2 * heads->place_capacity : 64, bytes;
        as_place *places =
            as_mul(capacity, sizeof *places, &bytes) ? realloc(heads->places, bytes) : NULL;
        if (places == NULL) {
            return as_fail(AS_ENOMEM, "no memory for the places of %zu matrices", capacity);
        }
        heads->places = places;
        heads->place_capacity = capacity;
    }
    heads->places[heads->place_count++] =
        (as_place){row->layer, row->head, row->batch, row->rows, row->cols};
    return AS_OK;
}

as_status as_heads_see(as_heads *heads, const as_row *row) {
    const char *origin[AS_HEADS_ORIGINS] = {row->source, row->scheme, row->content};
    as_status status = AS_OK;
    for (size_t i = 0; i < AS_HEADS_ORIGINS && row->status == AS_OK && status == AS_OK; i++) {
        int32_t index;
        status = as_names_index(&heads->origins[i], origin[i] != NULL ? origin[i] : "", &index);
    }
    if (row->status == AS_OK) {
        widen(row->layer, !heads->any, &heads->layer_min, &heads->layer_max);
        widen(row->head, !heads->any, &heads->head_min, &heads->head_max);
        heads->any = true;
        status = status == AS_OK ? add_place(heads, row) : status;
        heads->contraction = heads->contraction || row->contraction.none == AS_REASON_NONE;
    }
    return status;
}

static bool mixed(const as_heads *heads) {
    for (size_t i = 0; i < AS_HEADS_ORIGINS; i++) {
        if (heads->origins[i].count > 1) {
            return true;
        }
    }
    return false;
}

static int by_place(const void *a, const void *b) {
    const as_place *x = a, *y = b;
    return x->layer != y->layer   ? (x->layer < y->layer ? -1 : 1)
           : x->head != y->head   ? (x->head < y->head ? -1 : 1)
           : x->batch != y->batch ? (x->batch < y->batch ? -1 : 1)
                                  : 0;
}

/* Whether a cell's mean would be over more than a batch of equals. */
static bool crowded(as_heads *heads) {
    if (heads->place_count > 0) {
        qsort(heads->places, heads->place_count, sizeof *heads->places, by_place);
    }
    for (size_t i = 1; i < heads->place_count; i++) {
        const as_place *x = &heads->places[i - 1], *y = &heads->places[i];
        bool cell = x->layer == y->layer && x->head == y->head;
        if (cell && (x->batch == y->batch || x->rows != y->rows || x->cols != y->cols)) {
            return true;
        }
    }
    return false;
}

as_status as_heads_allocate(as_heads *heads) {
    uint64_t layers = heads->layer_max - heads->layer_min,
             across = heads->head_max - heads->head_min;
    if (!heads->any || mixed(heads) || crowded(heads) || layers >= CELLS_MAX ||
        across >= CELLS_MAX || (layers + 1) * (across + 1) > CELLS_MAX ||
        heads->layer_max > INT64_MAX || heads->head_max > INT64_MAX) {
        return AS_OK;
    }
    heads->layers = (size_t)layers + 1;
    heads->heads = (size_t)across + 1;
    size_t cells = heads->layers * heads->heads;
    free(heads->places);
    heads->places = NULL;
    for (size_t s = 0; s < AS_HEADS_IMAGES; s++) {
        heads->mean[s] = calloc(cells, sizeof **heads->mean);
        heads->count[s] = calloc(cells, sizeof **heads->count);
        if (heads->mean[s] == NULL || heads->count[s] == NULL) {
            return as_fail(AS_ENOMEM, "no memory for images of %zu × %zu", heads->layers,
                           heads->heads);
        }
        for (size_t i = 0; i < cells; i++) {
            heads->mean[s][i] = NAN;
        }
    }
    return AS_OK;
}

void as_heads_add(as_heads *heads, const as_row *row) {
    if (heads->layers == 0 || row->status != AS_OK) {
        return;
    }
    size_t cell = (size_t)(row->layer - heads->layer_min) * heads->heads +
                  (size_t)(row->head - heads->head_min);
    for (size_t s = 0; s < AS_HEADS_IMAGES; s++) {
        double value, *mean = &heads->mean[s][cell];
        if (number(row, s, &value)) {
            size_t count = ++heads->count[s][cell];
            *mean = count == 1 ? value : *mean + (value - *mean) / (double)count;
        }
    }
}

static as_status write_image(const as_heads *heads, as_h5 *file, const char *group, size_t s) {
    char path[128], label[160];
    size_t rank = heads->layers > 1 && heads->heads > 1 ? 2 : 1;
    size_t shape[2] = {heads->layers, heads->heads};
    as_h5_data data = {0};
    if (rank == 1) {
        shape[0] = heads->layers * heads->heads;
    }
    bool metric = s < METRICS;
    snprintf(path, sizeof path, "%s/%s%s", group, metric ? "" : "contraction_",
             metric ? as_metric_key(shown[s]) : as_ratio_key(AS_RATIO_spectral_norm));
    snprintf(label, sizeof label, "%s, mean of each head",
             metric ? as_metric_summary(shown[s]) : as_ratio_summary(AS_RATIO_spectral_norm));
    as_status status = as_h5_data_create(file, path, AS_H5_F64, rank, shape, &data);
    if (status == AS_OK) {
        status = as_h5_data_write(&data, 0, shape[0], heads->mean[s]);
        as_status closed = as_h5_data_close(&data);
        status = status == AS_OK ? closed : status;
    }
    if (status == AS_OK) {
        status = as_nxdata_label(file, path, label, "");
    }
    return status == AS_OK ? as_nxdata_shape(file, path, rank == 2 ? "image" : "spectrum", rank)
                           : status;
}

as_status as_heads_write(const as_heads *heads, as_h5 *file, const char *group) {
    if (heads->layers == 0) {
        return AS_OK;
    }
    /* An axis of length 1 is not drawn: its number stays beside the image. */
    as_nxdata nxdata = {.path = group,
                        .title = "spectral norm by layer and head",
                        .signal = as_metric_key(shown[0])};
    if (heads->layers > 1) {
        nxdata.axes[nxdata.axis_count++] = "layer";
    }
    if (heads->heads > 1 || heads->layers == 1) {
        nxdata.axes[nxdata.axis_count++] = "head";
    }
    as_status status = as_nxdata_group(file, &nxdata);
    if (status == AS_OK) {
        status = as_nxdata_range(file, group, "layer", "layer", (int64_t)heads->layer_min,
                                 heads->layers);
    }
    if (status == AS_OK) {
        status =
            as_nxdata_range(file, group, "head", "head", (int64_t)heads->head_min, heads->heads);
    }
    size_t images = heads->contraction ? AS_HEADS_IMAGES : METRICS;
    for (size_t s = 0; s < images && status == AS_OK; s++) {
        status = write_image(heads, file, group, s);
    }
    return status;
}

void as_heads_free(as_heads *heads) {
    for (size_t s = 0; s < AS_HEADS_IMAGES; s++) {
        free(heads->mean[s]);
        free(heads->count[s]);
    }
    for (size_t i = 0; i < AS_HEADS_ORIGINS; i++) {
        as_names_free(&heads->origins[i]);
    }
    free(heads->places);
    *heads = (as_heads){0};
}
