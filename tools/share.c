/* share: the interval of a share.
 * It refuses to have one where nothing was counted: its ends are NaN. */
#include "share.h"

#include <math.h>

/* The normal distribution has 95 % within so many standard deviations. */
#define Z 1.959963984540054

share_interval share_wilson(double share, uint64_t of) {
    if (of == 0 || !(share >= 0 && share <= 1))
        return (share_interval){NAN, NAN};
    double n = (double)of, grown = 1 + Z * Z / n;
    double middle = (share + Z * Z / (2 * n)) / grown;
    double half = Z * sqrt(share * (1 - share) / n + Z * Z / (4 * n * n)) / grown;
    /* Rounding must not put 0 or 1 outside. */
    return (share_interval){fmax(fmin(middle - half, share), 0),
                            fmin(fmax(middle + half, share), 1)};
}
