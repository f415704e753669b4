/* number: text of doubles.
 * It refuses nothing. */
#include "number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *number_exact(double value, char *text) {
    /* 17 digits always read back; 15 are what a decimal of that length survives. */
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, NUMBER_TEXT, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return text;
}

const char *number_short(double value, int width, char *text) {
    if (isnan(value)) {
        memcpy(text, "-", 2);
        return text;
    }
    double size = fabs(value);
    /* Fixed point keeps the dots of a column near each other. */
    if (size == 0 || (size >= 1e-3 && size < 1e5)) {
        int whole = size < 1 ? 1 : (int)floor(log10(size)) + 1;
        int decimals = size < 0.1 ? 6 : size < 1 ? 5 : 5 - whole;
        snprintf(text, NUMBER_TEXT, "%.*f", size == 0 ? 0 : decimals, value);
        if ((int)strlen(text) <= width)
            return text;
    }
    for (int digits = 4; digits >= 0; digits--) {
        snprintf(text, NUMBER_TEXT, "%.*e", digits, value);
        if ((int)strlen(text) <= width)
            break;
    }
    return text;
}

const char *number_five(double value, char *text) {
    double size = fabs(value);
    snprintf(text, NUMBER_TEXT,
             size < 9.9995    ? "%.3f"
             : size < 99.995  ? "%.2f"
             : size < 999.95  ? "%.1f"
             : size < 99999.5 ? "%.0f"
                              : "%.0e",
             value);
    return text;
}
