/* How unequally the heads of a layer share a quantity, equations H1 to H3 of docs/maths.md.
 * It refuses a single head, and a quantity that no head has. */
#include "attnspec/metric.h"

#include <math.h>

static const char *const names[] = {
#define X(key) #key,
    AS_CONCENTRATION_LIST(X)
#undef X
};

const char *as_concentration_name(as_concentration_key key) {
    return (unsigned)key < AS_CONCENTRATION_COUNT ? names[key] : "unknown";
}

void as_concentrate(const double *values, size_t count, as_concentration *out) {
    double largest = 0;
    for (size_t i = 0; i < count; i++) {
        largest = fmax(largest, values[i]);
    }
    for (unsigned k = 0; k < AS_CONCENTRATION_COUNT; k++) {
        out->value[k] = (double)NAN;
    }
    out->reason = count == 0     ? AS_REASON_NOT_ANALYSED
                  : count == 1   ? AS_REASON_SINGLE_VALUE
                  : largest == 0 ? AS_REASON_ZERO_MATRIX
                                 : AS_REASON_NONE;
    if (out->reason != AS_REASON_NONE) {
        return;
    }
    /* Of values over the largest, so that neither sums nor squares overflow. */
    double sum = 0, squares = 0, differences = 0;
    for (size_t i = 0; i < count; i++) {
        double x = fmax(0, values[i]) / largest;
        sum += x;
        squares += x * x;
        for (size_t j = 0; j < i; j++) {
            differences += fabs(x - fmax(0, values[j]) / largest);
        }
    }
    out->value[AS_CONCENTRATION_head_max_share] = 1 / sum;
    out->value[AS_CONCENTRATION_head_gini] = differences / ((double)count * sum);
    out->value[AS_CONCENTRATION_head_hhi] = squares / (sum * sum);
}
