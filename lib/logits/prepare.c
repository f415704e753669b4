/* From a matrix as it was read to one that a spectrum can be taken of: finite, its mask taken out.
 * It refuses NaN and +infinity, and weights that contradict the mask the user named. */
#include "base/fail.h"
#include "logits/kind.h"
#include "logits/mask.h"
#include "logits/operations.h"

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
    bool same = a->a.rows == b->a.rows && a->a.cols == b->a.cols && a->dropped == b->dropped &&
                (!a->dropped || (a->mask.left == b->mask.left && a->mask.right == b->mask.right));
    return same && a->masked_count == b->masked_count &&
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

/* Room for the mask, and as much again behind it for the marks of a bias or of padding. */
static as_status reserve(as_logits *l, const as_preparation *how) {
    size_t entries = l->a.rows * l->a.cols;
    size_t size = how->bias != NULL || how->drop_padding ? 2 * entries : entries;
    l->masked = NULL;
    if (l->room_size < size) {
        unsigned char *room = malloc(size);
        if (room == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a mask of %zu entries", entries);
        }
        free(l->room);
        l->room = room;
        l->room_size = size;
    }
    return AS_OK;
}

/* Adds what the user's mask leaves out. In weights it must be zero there, but for the queries of
 * padding that is dropped: whatever a softmax made of them. */
static as_status apply_named(as_logits *l, as_mask mask, bool weights, bool drop) {
    size_t rows = l->a.rows, cols = l->a.cols, wrong = 0, worst = 0;
    for (size_t i = 0; i < rows; i++) {
        as_kept kept = as_mask_row(mask, rows, cols, i);
        bool goes = drop && rows == cols && (i < mask.left || i + mask.right >= rows);
        for (size_t k = 0, at = i * cols; k < cols; k++, at++) {
            if (as_kept_has(kept, k)) {
                continue;
            }
            l->masked_count += !l->room[at];
            l->room[at] = 1;
            if (weights && !goes && l->a.data[at] != 0) {
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
        unsigned char *masked = l->room + i * l->a.cols;
        size_t zeros = 0;
        for (size_t k = 0; k < l->a.cols; k++) {
            zeros += row[k] == 0;
        }
        for (size_t k = 0; zeros == l->a.cols && k < l->a.cols; k++) {
            l->masked_count += !masked[k];
            masked[k] = 1;
        }
    }
}

/* Under a word that the user named, keys at the ends that no query sees although the word keeps them:
 * what is there to drop. In weights they are zero, and masked from now on. */
static void add_padding(as_logits *l, const as_preparation *how, bool weights) {
    size_t rows = l->a.rows, cols = l->a.cols;
    unsigned char *blank = l->room + rows * cols;
    for (size_t i = 0; i < rows * cols; i++) {
        blank[i] = l->room[i] || (weights && l->a.data[i] == 0);
    }
    as_mask found = l->mask;
    if (weights) {
        found = as_padding_of_zeros(l, how->dtype, l->mask, blank);
    } else {
        as_mask_blank_ends(blank, rows, cols, &found.left, &found.right);
    }
    as_kept first = as_mask_row(l->mask, rows, cols, 0);
    if (first.begin == first.prefix && first.first > 0) {
        found.left = 0; /* the window itself begins after the first key */
    }
    l->mask = found;
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < cols; k++) {
            bool padding = k < found.left || k >= cols - found.right;
            l->masked_count += padding && !l->room[i * cols + k];
            l->room[i * cols + k] |= padding;
        }
    }
}

/* What the data themselves show, into room. A value that the user names is −inf by now. */
static as_status find_marks(as_logits *l, const as_preparation *how, bool weights) {
    size_t count = l->a.rows * l->a.cols;
    l->masked_count = 0;
    if (!weights) {
        /* Who says that nothing is masked may have logits as large as a mask. */
        bool added = how->mask.kind != AS_MASK_NONE && l->sentinels == AS_SENTINELS_ANY;
        return as_find_sentinels(&l->a, how->dtype, added, l->room, &l->masked_count);
    }
    for (size_t i = 0; i < count; i++) {
        l->room[i] = l->a.data[i] == -INFINITY;
        l->masked_count += l->room[i];
        l->a.data[i] = l->room[i] ? 0 : l->a.data[i];
    }
    mask_zero_rows(l);
    return AS_OK;
}

static as_status find_mask(as_logits *l, const as_preparation *how, bool weights) {
    bool automatic = how->mask.kind == AS_MASK_AUTO;
    as_status status = reserve(l, how);
    if (status != AS_OK) {
        return status;
    }
    l->mask = how->mask;
    if (weights && automatic && l->sentinels_found == 0) {
        l->mask = as_find_zeros(l, how->dtype, l->room, &l->masked_count);
        return AS_OK;
    }
    status = find_marks(l, how, weights);
    if (status == AS_OK && how->bias != NULL && !weights) {
        status = as_mask_of_bias(l, how, l->room + l->a.rows * l->a.cols);
    }
    if (status != AS_OK) {
        return status;
    }
    if (automatic) {
        l->mask = as_mask_find(l->room, l->a.rows, l->a.cols, l->masked_count);
        return AS_OK;
    }
    status = apply_named(l, how->mask, weights, how->drop_padding);
    if (status == AS_OK && how->drop_padding && !as_mask_pads(how->mask)) {
        add_padding(l, how, weights);
    }
    return status;
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

/* Whether x is the user's value for "masked": a file rounds it to its dtype. */
static bool is_sentinel(const as_preparation *how, double x) {
    double s = how->sentinel;
    return isfinite(s) ? fabs(x - s) <= as_dtype_epsilon(how->dtype) / 2 * fabs(s)
           : isnan(s)  ? isnan(x)
                       : x == s;
}

/* Takes the user's sentinel out: it is 0 until it is known whether these are weights. */
static as_status take_sentinel(as_logits *l, const as_preparation *how) {
    size_t count = l->a.rows * l->a.cols;
    as_status status = reserve(l, how);
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        l->room[i] = is_sentinel(how, l->a.data[i]);
        l->sentinels_found += l->room[i];
        l->a.data[i] = l->room[i] ? 0 : l->a.data[i];
    }
    return status;
}

static void put_sentinel(as_logits *l) {
    for (size_t i = 0; i < l->a.rows * l->a.cols; i++) {
        l->a.data[i] = l->room[i] ? -INFINITY : l->a.data[i];
    }
}

/* Kind and sums of rows, of the numbers as they were read. */
static void find_kind(as_logits *l, const as_preparation *how) {
    bool is = as_is_weights(&l->a, how->dtype, l->rounding);
    l->kind = how->kind != AS_KIND_AUTO ? how->kind : is ? AS_KIND_WEIGHTS : AS_KIND_LOGITS;
    bool weights = l->kind == AS_KIND_WEIGHTS;
    l->sums_off = weights && !is;
    l->row_sum_deviation = weights ? as_row_sum_deviation(&l->a) : 0;
    l->row_sum_min = l->row_sum_max = NAN;
    bool open = how->kind == AS_KIND_AUTO && l->sentinels == AS_SENTINELS_ANY;
    if (l->sums_off || (!weights && open)) {
        as_row_sums(&l->a, &l->row_sum_min, &l->row_sum_max);
    }
}

static as_status drop_padding(as_logits *l, const as_preparation *how) {
    /* What one query sees of a window is what padding on the left leaves it. */
    if (l->a.rows == 1 && how->mask.kind == AS_MASK_AUTO && l->mask.kind == AS_MASK_WINDOW) {
        l->mask = (as_mask){.kind = AS_MASK_NONE, .left = l->a.cols - l->mask.width};
    }
    if (!as_mask_pads(l->mask)) {
        return AS_OK;
    }
    as_status status = as_drop_padding(l);
    if (status == AS_OK && l->kind == AS_KIND_WEIGHTS) {
        find_kind(l, &(as_preparation){.dtype = how->dtype, .kind = AS_KIND_WEIGHTS});
    }
    return status;
}

as_status as_logits_prepare(as_logits *l, const as_preparation *how) {
    l->sentinels_found = 0;
    l->dropped = false;
    as_status status = how->has_sentinel ? take_sentinel(l, how) : AS_OK;
    if (status == AS_OK) {
        status =
            check_finite(&l->a, how->kind != AS_KIND_WEIGHTS && l->sentinels != AS_SENTINELS_NONE);
    }
    if (status != AS_OK) {
        return status;
    }
    find_kind(l, how);
    if (how->has_sentinel) {
        put_sentinel(l);
    }
    bool weights = l->kind == AS_KIND_WEIGHTS;
    if ((status = find_mask(l, how, weights)) != AS_OK ||
        (status = as_apply_operations(l, how)) != AS_OK ||
        (status = how->drop_padding ? drop_padding(l, how) : AS_OK) != AS_OK) {
        return status;
    }
    if (how->center && !weights && (status = as_center_rows(l)) != AS_OK) {
        return status;
    }
    l->centered = how->center && !weights;
    l->softmaxed = !weights && how->masked_as == AS_MASKED_AS_SOFTMAX;
    remove_mask(l, l->softmaxed);
    l->masked = l->masked_count > 0 ? l->room : NULL;
    return AS_OK;
}
