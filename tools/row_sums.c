/* row_sums: a sum of 0.8 or 1.25 is said: an attention sink or dropout, or weights that were taken for
 * logits because of it. It refuses nothing. */
#include "row_sums.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Weights after dropout with p = 1/2 sum to 2 at most on average; logits that are all positive sum to
 * more as soon as there are some of them. */
static const double most = 2;

row_sums row_sums_begin(void) {
    return (row_sums){NAN, NAN, NAN, NAN, 0};
}

void row_sums_add(row_sums *sums, bool weights, double least, double largest) {
    if (isnan(least)) {
        return;
    }
    if (weights) {
        sums->weights_min = fmin(sums->weights_min, least);
        sums->weights_max = fmax(sums->weights_max, largest);
    } else if (largest <= most) {
        sums->suspects_min = fmin(sums->suspects_min, least);
        sums->suspects_max = fmax(sums->suspects_max, largest);
        sums->suspects++;
    }
}

/* "0.8", or "0.8 up to 1.25". */
static const char *range(double least, double largest, char text[64]) {
    int used = snprintf(text, 64, "%.4g", least);
    char to[32];
    snprintf(to, sizeof to, "%.4g", largest);
    if (strcmp(text, to) != 0)
        snprintf(text + used, 64 - (size_t)used, " up to %s", to);
    return text;
}

const char *row_sums_of_weights(const row_sums *sums, char *text, size_t size) {
    double least = sums->weights_min, largest = sums->weights_max;
    char sums_text[64];
    text[0] = '\0';
    if (!isnan(least)) {
        snprintf(text, size, "Rows of weights sum to %s, not to 1: %s%s%s.",
                 range(least, largest, sums_text),
                 least < 1 ? "less where a sink or what was left out has the rest" : "",
                 least < 1 && largest > 1 ? ", " : "",
                 largest > 1 ? "more where dropout scaled up what it left" : "");
    }
    return text;
}

const char *row_sums_of_suspects(const row_sums *sums, char *text, size_t size) {
    char sums_text[64];
    text[0] = '\0';
    if (sums->suspects > 0) {
        snprintf(
            text, size,
            "In %zu %s of logits no entry is negative and rows sum to %s: if these "
            "are weights, with a sink (less than 1) or after dropout (more), say --kind weights.",
            sums->suspects, sums->suspects == 1 ? "matrix" : "matrices",
            range(sums->suspects_min, sums->suspects_max, sums_text));
    }
    return text;
}
