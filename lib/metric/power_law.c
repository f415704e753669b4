/* The power law of a tail after Clauset, Shalizi and Newman, equations W1 and W2 of docs/maths.md.
 * It refuses spectra of one value: they have no exponent. */
#include <math.h>

#include "metric/ww.h"

/* W2 for the tail ln[0 … last]; stops at the first deviation above `enough`. */
static double distance(const double *ln, size_t last, double alpha, double enough) {
    double n = (double)last + 1, largest = 0;
    for (size_t below = 0; below <= last && largest <= enough; below++) {
        double cumulative = -expm1((1 - alpha) * (ln[last - below] - ln[last]));
        largest = fmax(largest, fabs(cumulative - (double)below / n));
    }
    return largest;
}

bool as_power_law_fit(const double *ln, size_t count, double resolution, as_power_law *out) {
    double best = HUGE_VAL;
    /* Σ ln(Λ/x_min) over the tail grows by n·ln(x/x_min) as x_min falls from x to the next value:
     * no term is negative, so nothing cancels. */
    double sum = 0;
    for (size_t last = 1; last < count; last++) {
        sum += (double)last * (ln[last - 1] - ln[last]);
        bool whole = last + 1 == count || ln[last + 1] < ln[last]; /* of equals, all or none */
        if (whole && ln[0] - ln[last] > resolution) {
            double alpha = 1 + ((double)last + 1) / sum;
            double d = distance(ln, last, alpha, best);
            if (d <= best) {
                best = d;
                *out = (as_power_law){.alpha = alpha, .ks_distance = d, .tail = last + 1};
            }
        }
    }
    return best < HUGE_VAL;
}

double as_log10_power_sum(const double *ln, size_t count, double power) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += exp(power * ln[i]);
    }
    return log10(sum);
}
