/* Scale, soft-cap, bias, padding dropped, rows centred: equation K9 of docs/maths.md, on kept entries.
 * It refuses a bias of another shape, or that is not finite, and numbers that overflow. */
#include "logits/operations.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"
#include "logits/kind.h"
#include "logits/mask.h"

as_status as_mask_of_bias(as_logits *l, const as_preparation *how, unsigned char *marks) {
    const as_matrix *bias = how->bias;
    size_t count = l->a.rows * l->a.cols, found;
    if (bias->rows != l->a.rows || bias->cols != l->a.cols) {
        return as_fail(AS_EINVAL, "the bias is %zu × %zu, the matrix %zu × %zu", bias->rows,
                       bias->cols, l->a.rows, l->a.cols);
    }
    for (size_t i = 0; i < count; i++) {
        if (!(bias->data[i] < INFINITY)) {
            return as_fail(AS_ENONFINITE, "the bias at (%zu, %zu) is %s", i / bias->cols,
                           i % bias->cols, isnan(bias->data[i]) ? "NaN" : "+inf");
        }
    }
    as_status status = as_find_sentinels(bias, how->bias_dtype, true, marks, &found);
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        l->masked_count += marks[i] && !l->room[i];
        l->room[i] |= marks[i];
    }
    return status;
}

as_status as_apply_operations(as_logits *l, const as_preparation *how) {
    bool weights = l->kind == AS_KIND_WEIGHTS;
    double factor = how->factor != 0 ? how->factor : 1, cap = how->softcap;
    l->softcap = weights ? 0 : cap;
    const as_matrix *bias = how->bias_masks_only ? NULL : how->bias;
    if (weights || (factor == 1 && cap == 0 && bias == NULL)) {
        return AS_OK;
    }
    for (size_t i = 0; i < l->a.rows * l->a.cols; i++) {
        if (l->room[i]) {
            continue;
        }
        double x = l->a.data[i] * factor;
        x = cap > 0 ? cap * tanh(x / cap) : x;
        x += bias != NULL ? bias->data[i] : 0;
        if (!isfinite(x)) {
            return as_fail(AS_ENONFINITE,
                           "the logit at (%zu, %zu) overflows once scale and bias are "
                           "applied",
                           i / l->a.cols, i % l->a.cols);
        }
        l->a.data[i] = x;
    }
    return AS_OK;
}

static bool is_masked_row(const as_logits *l, size_t i) {
    const unsigned char *masked = l->room + i * l->a.cols;
    size_t k = 0;
    while (k < l->a.cols && masked[k] != 0) {
        k++;
    }
    return k == l->a.cols;
}

/* Queries and keys of a square matrix are the same tokens; of another one nobody can tell. */
as_status as_drop_padding(as_logits *l) {
    size_t rows = l->a.rows, cols = l->a.cols, begin = l->mask.left, kept = 0;
    if (begin >= cols || l->mask.right >= cols - begin || l->masked_count == rows * cols) {
        return as_fail(
            AS_EMASK,
            "nothing is left of %zu × %zu without %zu keys of padding on the left and %zu on "
            "the right",
            rows, cols, l->mask.left, l->mask.right);
    }
    size_t end = cols - l->mask.right, width = end - begin;
    l->dropped = true;
    l->masked_count = 0;
    for (size_t i = 0; i < rows; i++) {
        if (rows == cols ? i < begin || i >= end : is_masked_row(l, i)) {
            continue;
        }
        memmove(l->a.data + kept * width, l->a.data + i * cols + begin, width * sizeof *l->a.data);
        memmove(l->room + kept * width, l->room + i * cols + begin, width);
        for (size_t k = 0; k < width; k++) {
            l->masked_count += l->room[kept * width + k];
        }
        kept++;
    }
    l->a.rows = kept;
    l->a.cols = width;
    return AS_OK;
}

as_status as_center_rows(as_logits *l) {
    for (size_t i = 0; i < l->a.rows; i++) {
        double *row = l->a.data + i * l->a.cols, mean = 0;
        const unsigned char *masked = l->room + i * l->a.cols;
        size_t kept = 0;
        for (size_t k = 0; k < l->a.cols; k++) {
            kept += !masked[k];
        }
        for (size_t k = 0; k < l->a.cols; k++) {
            /* Parts of a mean do not overflow where a sum would. */
            mean += masked[k] ? 0 : row[k] / (double)kept;
        }
        for (size_t k = 0; k < l->a.cols; k++) {
            row[k] -= masked[k] ? 0 : mean;
            if (!masked[k] && !isfinite(row[k])) {
                return as_fail(AS_ENONFINITE,
                               "the logit at (%zu, %zu) overflows once its row is "
                               "centred",
                               i, k);
            }
        }
    }
    return AS_OK;
}
