/* Logits or weights, and which entries stand for "masked" in each.
 * It refuses nothing: numbers that fit no rule are logits, unmasked. */
#include "logits/kind.h"
#include "base/fail.h"
#include "logits/mask.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const names[] = {
#define X(code, name) [code] = name,
    AS_KIND_LIST(X)
#undef X
};

const char *as_kind_name(as_kind kind) {
    return (unsigned)kind < AS_KIND_COUNT ? names[kind] : "unknown";
}

as_status as_kind_parse(const char *text, as_kind *out) {
    for (as_kind kind = 0; kind < AS_KIND_COUNT; kind++) {
        if (strcmp(text, names[kind]) == 0) {
            *out = kind;
            return AS_OK;
        }
    }
    return as_fail(AS_EINVAL, "\"%s\" is no kind; valid are auto, logits and weights", text);
}

/* Sum of a row with Neumaier's compensation: 4 ε of double is less than the plain sum loses. */
static double row_sum(const double *row, size_t cols) {
    double sum = 0, lost = 0;
    for (size_t k = 0; k < cols; k++) {
        double next = sum + row[k];
        lost += fabs(sum) >= fabs(row[k]) ? (sum - next) + row[k] : (row[k] - next) + sum;
        sum = next;
    }
    return sum + lost;
}

static bool is_zero_row(const double *row, size_t cols) {
    for (size_t k = 0; k < cols; k++) {
        if (row[k] != 0) {
            return false;
        }
    }
    return true;
}

double as_row_sum_deviation(const as_matrix *a) {
    double deviation = 0;
    for (size_t i = 0; i < a->rows; i++) {
        const double *row = a->data + i * a->cols;
        if (!is_zero_row(row, a->cols)) {
            deviation = fmax(deviation, fabs(row_sum(row, a->cols) - 1));
        }
    }
    return deviation;
}

void as_row_sums(const as_matrix *a, double *least, double *largest) {
    *least = *largest = NAN;
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        if (!(a->data[i] >= 0)) {
            return;
        }
    }
    for (size_t i = 0; i < a->rows; i++) {
        const double *row = a->data + i * a->cols;
        if (!is_zero_row(row, a->cols)) {
            double sum = row_sum(row, a->cols);
            *least = fmin(*least, sum);
            *largest = fmax(*largest, sum);
        }
    }
}

/* Whether a float format of that many bits of significand, subnormal below 2^least, holds x. */
static bool holds(int bits, int least, double x) {
    int exponent;
    frexp(x, &exponent);
    double units = ldexp(x, bits - (exponent > least ? exponent : least));
    return units == floor(units);
}

/* The epsilon of the narrowest float dtype that holds every entry: weights that were computed in half
 * or single precision and saved in a wider one still have the rounding they were computed with. */
static double epsilon_needed(const as_matrix *a, as_dtype dtype) {
    static const struct {
        int bits, least;
    } narrow[] = {{8, -125}, {11, -13}, {24, -125}}; /* bf16, f16, f32 */
    for (size_t f = 0; f < sizeof narrow / sizeof *narrow; f++) {
        size_t i = 0;
        while (i < a->rows * a->cols && holds(narrow[f].bits, narrow[f].least, a->data[i])) {
            i++;
        }
        if (i == a->rows * a->cols) {
            return ldexp(1, 1 - narrow[f].bits);
        }
    }
    return as_dtype_epsilon(dtype);
}

/* What a sum of weights may be from 1 for every row: four ε, but for floats of one byte, where that
 * would take nearly any row, no more than rounding does (ε/2). */
static double sum_tolerance(as_dtype dtype) {
    double epsilon = as_dtype_epsilon(dtype);
    return fmin(4 * epsilon, fmax(0x1p-5, epsilon / 2));
}

/* Equation K4. */
bool as_is_weights(const as_matrix *a, as_dtype dtype, double rounding) {
    /* A row that is nearer to 0 than to 1 is no sum of weights, however coarse its text is. */
    double tolerance = fmax(sum_tolerance(dtype), fmin((double)a->cols * rounding, 0.5));
    /* The first row tells nearly always. 2^-5 is 4·ε of bf16, which may have been widened. */
    if (a->rows > 0 && !is_zero_row(a->data, a->cols) &&
        !(fabs(row_sum(a->data, a->cols) - 1) <= fmax(0x1p-5, tolerance))) {
        return false;
    }
    bool any = false;
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        if (!(a->data[i] >= 0)) {
            return false;
        }
        any = any || a->data[i] > 0;
    }
    double deviation = as_row_sum_deviation(a);
    return any && (deviation <= tolerance ||
                   (deviation <= 0x1p-5 && deviation <= 4 * epsilon_needed(a, dtype)));
}

/* Equation K2. An additive mask is at most this, and at least this far below what it leaves. */
static const double additive = 5e3;

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The largest value that an additive mask made: the first one, from above, that is ≤ −5·10³ and
 * ≥ 5·10³ below its neighbour. −infinity where there is none. `above` is the least entry over
 * −5·10³ or NaN, `below` the largest other one, of which there are count. */
static as_status additive_level(const as_matrix *a, double above, double below, size_t count,
                                double *level) {
    *level = -INFINITY;
    if (count == 0) {
        return AS_OK;
    }
    if (above - below >= additive) {
        *level = below;
        return AS_OK;
    }
    /* Rare: logits that themselves reach below −5·10³. */
    double *low = as_alloc(count * sizeof *low);
    if (low == NULL) {
        return as_fail(AS_ENOMEM, "no memory to sort %zu entries", count);
    }
    size_t n = 0;
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        if (a->data[i] <= -additive && a->data[i] > -INFINITY) {
            low[n++] = a->data[i];
        }
    }
    qsort(low, n, sizeof *low, descending);
    for (size_t i = 1; i < n; i++) {
        if (low[i - 1] - low[i] >= additive) {
            *level = low[i];
            break;
        }
    }
    free(low);
    return AS_OK;
}

as_status as_find_sentinels(const as_matrix *a, as_dtype dtype, bool added, unsigned char *masked,
                            size_t *count) {
    size_t n = a->rows * a->cols, low = 0;
    double above = INFINITY, below = -INFINITY, lowest = as_dtype_lowest(dtype), level;
    for (size_t i = 0; i < n; i++) {
        double x = a->data[i];
        if (x > -additive) {
            above = x < above ? x : above;
        } else if (x > -INFINITY) {
            below = x > below ? x : below;
            low++;
        }
    }
    above = above < INFINITY ? above : NAN;
    as_status status = additive_level(a, above, below, added ? low : 0, &level);
    if (status != AS_OK) {
        return status;
    }
    /* The lowest number masks however near the others are. */
    level = fmax(level, lowest);
    *count = 0;
    for (size_t i = 0; i < n; i++) {
        masked[i] = a->data[i] <= level;
        *count += masked[i];
    }
    return AS_OK;
}

/* Below what a weight is so small that others of its row may have been rounded to 0: the last quarter
 * of the exponents that the dtype, or a coarser text, has. */
static double rounding_of(const as_logits *l, as_dtype dtype) {
    double tiny = dtype == AS_F16       ? 0x1p-24
                  : dtype == AS_F64     ? 0x1p-1074
                  : dtype == AS_BF16    ? 0x1p-133
                  : dtype == AS_F8_E4M3 ? 0x1p-9
                  : dtype == AS_F8_E5M2 ? 0x1p-16
                                        : 0x1p-149;
    /* A text that is coarser than single precision rounds to 0 long before the dtype does. */
    tiny = l->rounding > 0x1p-24 ? 2 * l->rounding : tiny;
    return pow(tiny, 0.75);
}

/* Whether a row without a weight stands where the mask keeps some. */
static bool has_zero_row_inside(const as_matrix *a, as_mask mask) {
    for (size_t i = 0; i < a->rows; i++) {
        as_kept kept = as_mask_row(mask, a->rows, a->cols, i);
        bool keeps = kept.last > kept.first || kept.prefix > kept.begin;
        if (keeps && is_zero_row(a->data + i * a->cols, a->cols)) {
            return true;
        }
    }
    return false;
}

/* Whether a row with a zero where the mask keeps one has a weight that is nearly as small. */
static bool reaches_down(const as_logits *l, as_dtype dtype, as_mask mask) {
    const as_matrix *a = &l->a;
    double rounding = rounding_of(l, dtype);
    for (size_t i = 0; i < a->rows; i++) {
        as_kept kept = as_mask_row(mask, a->rows, a->cols, i);
        bool zero = false, small = false;
        for (size_t k = 0; k < a->cols; k++) {
            double w = a->data[i * a->cols + k];
            zero = zero || (w == 0 && as_kept_has(kept, k));
            small = small || (w > 0 && w < rounding);
        }
        if (zero && small) {
            return true;
        }
    }
    return false;
}

/* Whether the zeros that the mask keeps, none or padding, can be rounding: a row of them reaches down
 * to where weights round to 0, or they are fewer than a row or a column. A whole row of zeros is not,
 * and a whole key only in a text, whose few decimals lose a key that all queries hardly see. */
static bool can_be_rounding(const as_logits *l, as_dtype dtype, as_mask mask) {
    const as_matrix *a = &l->a;
    size_t end = a->cols - mask.right, width = end - mask.left, count = 0;
    for (size_t k = mask.left; k < end; k++) {
        size_t zeros = 0;
        for (size_t i = 0; i < a->rows; i++) {
            bool padding = mask.queries != AS_PAD_QUERIES_SEE && (i < mask.left || i >= end);
            zeros += a->data[i * a->cols + k] == 0 && !padding;
        }
        if (zeros == a->rows && a->rows > 1 && l->rounding == 0) {
            return false;
        }
        count += zeros;
    }
    bool few = count < (a->rows > width ? a->rows : width);
    return !has_zero_row_inside(a, mask) && (few || reaches_down(l, dtype, mask));
}

static void mask_by_word(const as_logits *l, as_mask mask, unsigned char *masked, size_t *count) {
    size_t rows = l->a.rows, cols = l->a.cols;
    *count = 0;
    for (size_t i = 0; i < rows; i++) {
        as_kept kept = as_mask_row(mask, rows, cols, i);
        for (size_t k = 0; k < cols; k++) {
            masked[i * cols + k] = !as_kept_has(kept, k);
            *count += masked[i * cols + k];
        }
    }
}

/* Whether the last row, which has the one weight of the last key of a causal mask, reaches down to
 * where weights round to 0. */
static bool last_row_reaches_down(const as_logits *l, as_dtype dtype) {
    const double *row = l->a.data + (l->a.rows - 1) * l->a.cols, rounding = rounding_of(l, dtype);
    size_t k = 0;
    while (k < l->a.cols && !(row[k] > 0 && row[k] < rounding)) {
        k++;
    }
    return k < l->a.cols;
}

as_mask as_padding_of_zeros(const as_logits *l, as_dtype dtype, as_mask word,
                            const unsigned char *zero) {
    const as_matrix *a = &l->a;
    as_mask mask = word;
    as_mask_blank_ends(zero, a->rows, a->cols, &mask.left, &mask.right);
    size_t end = a->cols - mask.right, blank = 0;
    for (size_t i = 0; a->rows == a->cols && i < a->rows; i++) {
        blank += (i < mask.left || i >= end) && is_zero_row(a->data + i * a->cols, a->cols);
    }
    if (mask.left + mask.right + 1 == a->cols) {
        /* All weight on one key is a sink, not a text of one token. */
        mask.left = mask.right = 0;
        return mask;
    }
    bool blind = blank > 0 && blank == mask.left + mask.right;
    mask.queries = blind ? AS_PAD_QUERIES_BLIND : AS_PAD_QUERIES_SEE;
    if (word.kind == AS_MASK_CAUSAL && mask.left == 0 && mask.right == 1 && !blind &&
        last_row_reaches_down(l, dtype)) {
        mask.right = 0;
    }
    return mask;
}

/* How zeros in weights are read: equation K3. In half precision a softmax rounds small weights to 0
 * (below 2^-25), and dropout makes zeros anywhere, so not every zero is a mask. */
as_mask as_find_zeros(const as_logits *l, as_dtype dtype, unsigned char *masked, size_t *count) {
    const as_matrix *a = &l->a;
    size_t rows = a->rows, cols = a->cols;
    *count = 0;
    for (size_t i = 0; i < rows * cols; i++) {
        masked[i] = a->data[i] == 0;
        *count += masked[i];
    }
    const as_mask causal = {.kind = AS_MASK_CAUSAL}, none = {.kind = AS_MASK_NONE};
    as_mask mask = as_mask_find(masked, rows, cols, *count);
    bool exact = mask.kind != AS_MASK_OTHER;
    bool dropout = l->sums_off && l->row_sum_max > 1;
    /* Causal leaves nothing out of a single row. */
    bool covered = rows > 1 && as_mask_covered(causal, masked, rows, cols);
    as_mask padded = as_padding_of_zeros(l, dtype, covered ? causal : none, masked);
    if (exact &&
        (as_mask_pads(padded) || mask.queries == AS_PAD_QUERIES_UNIFORM || !as_mask_pads(mask))) {
        return mask;
    }
    if (covered && !as_mask_pads(padded) && (dropout || !has_zero_row_inside(a, causal))) {
        mask = causal;
    } else if (as_mask_pads(padded) && covered && (dropout || !has_zero_row_inside(a, padded))) {
        mask = padded;
    } else if (dropout || can_be_rounding(l, dtype, padded)) {
        mask = padded;
    } else {
        return (as_mask){.kind = AS_MASK_OTHER};
    }
    mask_by_word(l, mask, masked, count);
    return mask;
}
