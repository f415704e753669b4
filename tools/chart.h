/* chart: a curve as columns of bars, on a linear scale; unlike a sparkline it may rise and have gaps.
 * It refuses to draw what is not there: such a column is blank. */
#ifndef TOOLS_CHART_H
#define TOOLS_CHART_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define CHART_WIDTH 60

typedef struct chart {
    double first, last;        /* of the points' places */
    double mean[CHART_WIDTH];  /* of the points of a column; NaN: none */
    size_t count[CHART_WIDTH]; /* of points that it is a mean of */
    size_t width;              /* columns in use */
    double low, high;          /* where the bars begin and end */
} chart;

/* Empty, for points of first … last, scaled from low to high. */
chart chart_of(double first, double last, double low, double high);
/* A value that is not finite is left out. Points come in order of their places. */
void chart_add(chart *c, double place, double value);
/* Columns between two points hold the value of the first of them; call it once, after the last point. */
void chart_close(chart *c);
/* Writes line `line` of `lines`, the top one is 0, without blanks at its end. Unicode blocks have eight
 * heights a line; in ASCII a line alone has eight, of several each has two. */
void chart_line(const chart *c, size_t line, size_t lines, FILE *out, bool utf8);

#endif
