/* sparkline: a spectrum as a row of little bars, on a log scale.
 * It refuses to draw what is below the scale: that is blank. */
#ifndef TOOLS_SPARKLINE_H
#define TOOLS_SPARKLINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Decades that the bars span: the highest bar is the largest value, the lowest is above
 * 10^−SPARKLINE_DECADES of it. */
#define SPARKLINE_DECADES 4

/* Draws `count` values, largest first, in at most `width` columns: the largest of each bin. Ends
 * with the last bar, without blanks. */
void sparkline(FILE *out, const double *values, size_t count, size_t width, bool utf8);

#endif
