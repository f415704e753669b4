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

/* How a zero in weights is read when no word fits the zeros exactly: equation K3. In half precision a softmax
 * rounds small weights to 0 (below 2^-25), so not every zero is a mask:
 *   - everything above the diagonal is zero, and every row has a weight: causal, other zeros kept;
 *   - a row or a key column is all zero: rounding does not do that; every zero is masked: other;
 *   - the zeros are at least as many as a row or column, and none of them can be rounding: other.
 *     Weights that reach down to 0 spread over the exponents before, so a zero can be rounding only
 *     where its row has a weight in the last quarter of them, below tiny^(3/4);
 *   - else they are rounding: none, and they are kept entries. */
static bool zeros_are_a_mask(const as_logits *l, as_dtype dtype, size_t count) {
    const as_matrix *a = &l->a;
    size_t rows = a->rows, cols = a->cols;
    double tiny = dtype == AS_F16       ? 0x1p-24
                  : dtype == AS_F64     ? 0x1p-1074
                  : dtype == AS_BF16    ? 0x1p-133
                  : dtype == AS_F8_E4M3 ? 0x1p-9
                  : dtype == AS_F8_E5M2 ? 0x1p-16
                                        : 0x1p-149;
    /* A text that is coarser than single precision rounds to 0 long before the dtype does. */
    tiny = l->rounding > 0x1p-24 ? 2 * l->rounding : tiny;
    double rounding = pow(tiny, 0.75);
    bool can_be_rounding = count < (rows > cols ? rows : cols);
    for (size_t i = 0; i < rows; i++) {
        const double *row = a->data + i * cols;
        double least = INFINITY;
        size_t zeros = 0;
        for (size_t k = 0; k < cols; k++) {
            zeros += row[k] == 0;
            least = row[k] != 0 ? fmin(least, fabs(row[k])) : least;
        }
        if (zeros == cols) {
            return true;
        }
        can_be_rounding = can_be_rounding || (zeros > 0 && least < rounding);
    }
    for (size_t k = 0; k < cols && rows > 1; k++) {
        size_t zeros = 0;
        for (size_t i = 0; i < rows; i++) {
            zeros += a->data[i * cols + k] == 0;
        }
        if (zeros == rows) {
            return true;
        }
    }
    return !can_be_rounding;
}

static bool has_zero_row_inside(const as_matrix *a, as_mask mask) {
    for (size_t i = 0; i < a->rows; i++) {
        as_kept kept = as_mask_row(mask, a->rows, a->cols, i);
        if (kept.last > kept.first && is_zero_row(a->data + i * a->cols, a->cols)) {
            return true;
        }
    }
    return false;
}

as_mask as_find_zeros(const as_logits *l, as_dtype dtype, unsigned char *masked, size_t *count) {
    const as_matrix *a = &l->a;
    size_t rows = a->rows, cols = a->cols;
    *count = 0;
    for (size_t i = 0; i < rows * cols; i++) {
        masked[i] = a->data[i] == 0;
        *count += masked[i];
    }
    as_mask mask = as_mask_find(masked, rows, cols, *count);
    if (mask.kind != AS_MASK_OTHER) {
        return mask;
    }
    const as_mask causal = {.kind = AS_MASK_CAUSAL}, none = {.kind = AS_MASK_NONE};
    /* Causal leaves nothing out of a single row. */
    if (rows > 1 && as_mask_covered(causal, masked, rows, cols) &&
        !has_zero_row_inside(a, causal)) {
        mask = causal;
    } else if (!zeros_are_a_mask(l, dtype, *count)) {
        mask = none;
    }
    if (mask.kind != AS_MASK_OTHER) {
        *count = 0;
        for (size_t i = 0; i < rows; i++) {
            as_kept kept = as_mask_row(mask, rows, cols, i);
            for (size_t k = 0; k < cols; k++) {
                masked[i * cols + k] = !as_kept_has(kept, k);
                *count += masked[i * cols + k];
            }
        }
    }
    return mask;
}
