/* report_against_numbers: differences and ratios of two rows, and what stands out over all.
 * It refuses a ratio that does not exist or is not finite: NaN. */
#include <math.h>
#include <stdlib.h>

#include "report_against.h"

static double finite_or_nan(double value) {
    return isfinite(value) ? value : (double)NAN;
}

static double largest_difference(const as_row *a, const as_row *b) {
    if (a->sigma_count == 0 || b->sigma_count == 0 || a->rows != b->rows || a->cols != b->cols ||
        !(a->sigma[0] > 0))
        return (double)NAN;
    size_t count = a->sigma_count > b->sigma_count ? a->sigma_count : b->sigma_count;
    double largest = 0;
    /* A spectrum of a factored matrix ends at its rank bound: the rest are zeros. */
    for (size_t i = 0; i < count; i++) {
        double of_a = i < a->sigma_count ? a->sigma[i] : 0;
        double of_b = i < b->sigma_count ? b->sigma[i] : 0;
        largest = fmax(largest, fabs(of_b - of_a));
    }
    return finite_or_nan(largest / a->sigma[0]);
}

against_values against_compare(const as_row *a, const as_row *b) {
    double of_a[REPORT_MAIN], of_b[REPORT_MAIN];
    against_values values = {.spectrum = NAN};
    if (a != NULL)
        report_main_values(a, of_a);
    if (b != NULL)
        report_main_values(b, of_b);
    for (size_t m = 0; m < REPORT_MAIN; m++) {
        double left = a == NULL ? (double)NAN : of_a[m], right = b == NULL ? (double)NAN : of_b[m];
        values.of[m] = (against_number){.a = left,
                                        .b = right,
                                        .difference = finite_or_nan(right - left),
                                        .ratio = finite_or_nan(right / left)};
    }
    if (a != NULL && b != NULL)
        values.spectrum = largest_difference(a, b);
    return values;
}

as_status against_rows(const report_against *against, size_t pair, as_row *a, as_row *b) {
    as_status status = report_row(against->rows[0], against->pair[pair].a, a);
    return status == AS_OK ? report_row(against->rows[1], against->pair[pair].b, b) : status;
}

static void move(double *mean, double value, size_t count) {
    *mean = count == 1 ? value : *mean + (value - *mean) / (double)count;
}

static void add(against_mean *mean, const against_number *number, size_t pair) {
    if (isnan(number->a) || isnan(number->b))
        return;
    mean->count++;
    move(&mean->a, number->a, mean->count);
    move(&mean->b, number->b, mean->count);
    mean->same = (mean->count == 1 || mean->same) && number->difference == 0;
    if (isnan(number->ratio))
        return;
    /* A change by a factor is as large as one by its inverse. */
    double change = fabs(log(fabs(number->ratio)));
    mean->ratios++;
    move(&mean->ratio, number->ratio, mean->ratios);
    if (mean->ratios == 1 || change > mean->largest) {
        mean->largest = change;
        mean->largest_pair = pair;
    }
    mean->low = mean->ratios == 1 ? number->ratio : fmin(mean->low, number->ratio);
    mean->high = mean->ratios == 1 ? number->ratio : fmax(mean->high, number->ratio);
}

static int by_layer(const void *left, const void *right) {
    const against_layer *a = left, *b = right;
    return (a->layer > b->layer) - (a->layer < b->layer);
}

/* Rows of a layer mostly follow each other: the last one is looked at first. */
static against_layer *find_layer(against_summary *s, size_t *room, uint64_t layer) {
    for (size_t i = s->layers; i-- > 0;)
        if (s->layer[i].layer == layer)
            return &s->layer[i];
    if (s->layers == *room) {
        against_layer *grown = realloc(s->layer, (2 * *room + 16) * sizeof *grown);
        if (grown == NULL)
            return NULL;
        s->layer = grown;
        *room = 2 * *room + 16;
    }
    s->layer[s->layers] = (against_layer){.layer = layer};
    return &s->layer[s->layers++];
}

static as_status settle_names(const report_against *against, size_t side, against_summary *out) {
    name_set *sources = &out->sources[side];
    sources->paths = true;
    for (size_t i = 0; i < out->names[side].set[0].count; i++)
        name_set_see(sources, out->names[side].set[0].name[i]);
    for (size_t i = 0; i < against->only[side]; i++) {
        as_row row;
        as_status status = report_row(against->rows[side], against->only_in[side][i], &row);
        if (status != AS_OK)
            return status;
        name_set_see(sources, row.source);
    }
    return name_set_settle(sources) ? row_names_settle(&out->names[side]) : AS_ENOMEM;
}

as_status against_summarise(const report_against *against, against_summary *out) {
    size_t room = 0;
    *out = (against_summary){.layers = 0};
    for (size_t i = 0; i < against->pairs; i++) {
        as_row a, b;
        as_status status = against_rows(against, i, &a, &b);
        against_layer *layer = status == AS_OK ? find_layer(out, &room, a.layer) : NULL;
        if (layer == NULL) {
            against_summary_free(out);
            return status == AS_OK ? AS_ENOMEM : status;
        }
        against_values values = against_compare(&a, &b);
        layer->matched++;
        out->all.matched++;
        out->silent += a.status != AS_OK || b.status != AS_OK ? 1 : 0;
        out->batch = out->batch || a.batch > 0;
        row_names_see(&out->names[0], &a);
        row_names_see(&out->names[1], &b);
        for (size_t m = 0; m < REPORT_MAIN; m++) {
            add(&out->all.of[m], &values.of[m], i);
            add(&layer->of[m], &values.of[m], i);
        }
    }
    if (out->layers > 0)
        qsort(out->layer, out->layers, sizeof *out->layer, by_layer);
    as_status status = AS_OK;
    for (size_t side = 0; side < 2 && status == AS_OK; side++)
        status = settle_names(against, side, out);
    if (status != AS_OK)
        against_summary_free(out);
    return status;
}

void against_summary_free(against_summary *summary) {
    free(summary->layer);
    summary->layer = NULL;
    for (size_t side = 0; side < 2; side++) {
        row_names_free(&summary->names[side]);
        name_set_free(&summary->sources[side]);
    }
}
