/* From a matrix as it was read to one that a spectrum can be taken of: finite, its mask taken out.
 * It refuses NaN and +infinity, and weights that contradict the mask the user named. */
#include "base/fail.h"
#include "logits/kind.h"
#include "logits/mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void as_logits_free(as_logits *logits) {
    if (logits != NULL) {
        as_matrix_free(&logits->a);
        free(logits->room);
        *logits = (as_logits){0};
    }
}

bool as_logits_same_mask(const as_logits *a, const as_logits *b) {
    return a->masked_count == b->masked_count &&
           (a->masked_count == 0 || memcmp(a->masked, b->masked, a->a.rows * a->a.cols) == 0);
}

static const char *nonfinite_name(double x) {
    return isnan(x) ? "NaN" : x > 0 ? "+inf" : "-inf";
}

/* x·0 is 0 for every finite x and NaN for the others: one pass without branches. */
static bool all_finite(const as_matrix *a) {
    double sum = 0;
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        sum += a->data[i] * 0;
    }
    return sum == 0;
}

/* −infinity is a mask in logits that were read, and wrong in weights and in computed ones. */
static as_status check_finite(const as_matrix *a, bool masks) {
    if (all_finite(a)) {
        return AS_OK;
    }
    size_t count = 0, first = 0;
    for (size_t i = a->rows * a->cols; i-- > 0;) {
        double x = a->data[i];
        if (!isfinite(x) && (!masks || !(x < 0))) {
            count++;
            first = i;
        }
    }
    if (count == 0) {
        return AS_OK;
    }
    return as_fail(AS_ENONFINITE, "%zu non-finite %s, first at (%zu, %zu): %s", count,
                   count == 1 ? "entry" : "entries", first / a->cols, first % a->cols,
                   nonfinite_name(a->data[first]));
}

static as_status reserve(as_logits *l, size_t entries) {
    l->masked = NULL;
    if (l->room_size < entries) {
        unsigned char *room = malloc(entries);
        if (room == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a mask of %zu entries", entries);
        }
        free(l->room);
        l->room = room;
        l->room_size = entries;
    }
    return AS_OK;
}

/* Adds what the user's mask leaves out. In weights it must be zero there. */
static as_status apply_named(as_logits *l, as_mask mask, bool weights) {
    size_t rows = l->a.rows, cols = l->a.cols, wrong = 0, worst = 0;
    for (size_t i = 0; i < rows; i++) {
        as_kept kept = as_mask_row(mask, rows, cols, i);
        for (size_t k = 0, at = i * cols; k < cols; k++, at++) {
            if (as_kept_has(kept, k)) {
                continue;
            }
            l->masked_count += !l->room[at];
            l->room[at] = 1;
            if (weights && l->a.data[at] != 0) {
                worst = wrong == 0 || fabs(l->a.data[at]) > fabs(l->a.data[worst]) ? at : worst;
                wrong++;
            }
        }
    }
    if (wrong == 0) {
        return AS_OK;
    }
    char text[AS_MASK_TEXT];
    return as_fail(
        AS_EMASK, "the mask %s leaves out %zu %s not zero, the largest %.3g at (%zu, %zu)",
        as_mask_name(mask, text), wrong, wrong == 1 ? "entry that is" : "entries that are",
        l->a.data[worst], worst / cols, worst % cols);
}

/* A row of weights is all zero only where every key is masked. */
static void mask_zero_rows(as_logits *l) {
    for (size_t i = 0; i < l->a.rows; i++) {
        const double *row = l->a.data + i * l->a.cols;
        size_t zeros = 0;
        for (size_t k = 0; k < l->a.cols; k++) {
            zeros += row[k] == 0;
        }
        for (size_t k = 0; zeros == l->a.cols && k < l->a.cols; k++) {
            l->room[i * l->a.cols + k] = 1;
            l->masked_count++;
        }
    }
}

static as_status find_mask(as_logits *l, as_dtype dtype, as_mask named, bool weights) {
    as_status status = reserve(l, l->a.rows * l->a.cols);
    if (status != AS_OK) {
        return status;
    }
    l->mask = named;
    l->masked_count = 0;
    if (weights && named.kind == AS_MASK_AUTO) {
        l->mask = as_find_zeros(l, dtype, l->room, &l->masked_count);
        return AS_OK;
    }
    if (weights) {
        memset(l->room, 0, l->a.rows * l->a.cols);
        mask_zero_rows(l);
    } else {
        /* Who says that nothing is masked may have logits as large as a mask. */
        bool added = named.kind != AS_MASK_NONE && l->sentinels == AS_SENTINELS_ANY;
        status = as_find_sentinels(&l->a, dtype, added, l->room, &l->masked_count);
    }
    if (status == AS_OK && named.kind == AS_MASK_AUTO) {
        l->mask = as_mask_find(l->room, l->a.rows, l->a.cols, l->masked_count);
        return AS_OK;
    }
    return status == AS_OK ? apply_named(l, named, weights) : status;
}

/* Equation K1: softmax over the entries that are kept; a row without any is zero. */
static void softmax_row(double *row, const unsigned char *masked, size_t cols) {
    double largest = -INFINITY, sum = 0;
    for (size_t k = 0; k < cols; k++) {
        if (!masked[k]) {
            largest = fmax(largest, row[k]);
        }
    }
    for (size_t k = 0; k < cols; k++) {
        row[k] = masked[k] ? 0 : exp(row[k] - largest);
        sum += row[k];
    }
    for (size_t k = 0; k < cols && sum > 0; k++) {
        row[k] /= sum;
    }
}

static void remove_mask(as_logits *l, bool softmax) {
    l->masked_rows = 0;
    for (size_t i = 0; i < l->a.rows; i++) {
        double *row = l->a.data + i * l->a.cols;
        const unsigned char *masked = l->room + i * l->a.cols;
        size_t kept = 0;
        for (size_t k = 0; k < l->a.cols; k++) {
            kept += !masked[k];
        }
        l->masked_rows += kept == 0;
        if (softmax) {
            softmax_row(row, masked, l->a.cols);
        } else if (kept < l->a.cols) {
            for (size_t k = 0; k < l->a.cols; k++) {
                row[k] = masked[k] ? 0 : row[k];
            }
        }
    }
}

as_status as_logits_prepare(as_logits *l, as_dtype dtype, as_kind kind, as_mask mask,
                            as_masked_as masked_as) {
    as_status status =
        check_finite(&l->a, kind != AS_KIND_WEIGHTS && l->sentinels != AS_SENTINELS_NONE);
    if (status != AS_OK) {
        return status;
    }
    if (kind == AS_KIND_AUTO) {
        kind = as_is_weights(&l->a, dtype, l->rounding) ? AS_KIND_WEIGHTS : AS_KIND_LOGITS;
    }
    bool weights = kind == AS_KIND_WEIGHTS;
    status = find_mask(l, dtype, mask, weights);
    if (status != AS_OK) {
        return status;
    }
    l->row_sum_deviation = weights ? as_row_sum_deviation(&l->a) : 0;
    l->softmaxed = !weights && masked_as == AS_MASKED_AS_SOFTMAX;
    l->kind = kind;
    remove_mask(l, l->softmaxed);
    l->masked = l->masked_count > 0 ? l->room : NULL;
    return AS_OK;
}
