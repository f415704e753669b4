/* What the loss of a head costs: drops with intervals, and how much of a layer hangs on one head. (T20), (T21)
 * It refuses nothing: what does not exist is NaN. */
#include "attnspec/train.h"

#include <math.h>

/* 97.5 % of the normal distribution lie below it. */
#define TWO_SIDED_95 1.959963984540054

as_ablated as_ablate_compare(const bool *with, const bool *without, uint64_t answers) {
    double N = (double)answers, lost = 0, won = 0, right = 0;
    if (answers == 0) {
        return (as_ablated){NAN, NAN, NAN, NAN};
    }
    for (uint64_t i = 0; i < answers; i++) {
        lost += with[i] && !without[i];
        won += !with[i] && without[i];
        right += without[i];
    }
    /* One answer more of each kind that differs: Bonett and Price 2012. */
    double more = N + 2, centre = (lost - won) / more;
    double deviation = sqrt(((lost + won + 2) / more - centre * centre) / more);
    return (as_ablated){.accuracy = right / N,
                        .drop = (lost - won) / N,
                        .low = fmax(centre - TWO_SIDED_95 * deviation, -1),
                        .high = fmin(centre + TWO_SIDED_95 * deviation, 1)};
}

as_deposit as_deposit_of(const double *drops, size_t heads) {
    as_deposit out = {.index = NAN, .worst_drop = NAN, .second_drop = NAN};
    double sum = 0;
    if (heads == 0) {
        return out;
    }
    for (size_t h = 0; h < heads; h++) {
        sum += drops[h] > 0 ? drops[h] : 0;
        out.worst_head = drops[h] > drops[out.worst_head] ? h : out.worst_head;
    }
    out.worst_drop = drops[out.worst_head];
    for (size_t h = 0; h < heads; h++) {
        if (h != out.worst_head && !(drops[h] <= out.second_drop)) {
            out.second_drop = drops[h];
        }
    }
    if (out.worst_drop > 0) {
        out.index = out.worst_drop / sum;
    }
    return out;
}
