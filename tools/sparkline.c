/* sparkline: eight heights of bars, half a decade each.
 * It refuses nothing: an empty or zero spectrum draws nothing. */
#include "sparkline.h"

#include <math.h>

#define HEIGHTS 8

static const char *const blocks[HEIGHTS] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const letters[HEIGHTS] = {".", ":", "-", "=", "+", "*", "#", "@"};

void sparkline(FILE *out, const double *values, size_t count, size_t width, bool utf8) {
    size_t bars = count < width ? count : width;
    for (size_t bar = 0; bar < bars; bar++) {
        /* Sorted: the first of a bin is its largest, and after the first blank all are blank. */
        double value = values[bar * count / bars];
        double decades = value > 0 ? log10(values[0]) - log10(value) : INFINITY;
        if (!(decades < SPARKLINE_DECADES))
            break;
        int height = HEIGHTS - 1 - (int)(decades * HEIGHTS / SPARKLINE_DECADES);
        fputs((utf8 ? blocks : letters)[height < HEIGHTS ? height : HEIGHTS - 1], out);
    }
}
