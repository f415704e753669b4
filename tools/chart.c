/* chart: a curve as columns of bars.
 * It refuses to draw what is not there: such a column is blank. */
#include "chart.h"

#include <math.h>

#define HEIGHTS 8

static const char *const blocks[HEIGHTS + 1] = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
static const char *const letters[HEIGHTS + 1] = {" ", ".", ":", "-", "=", "+", "*", "#", "@"};
static const char *const dots[HEIGHTS + 1] = {" ", ".", ".", ".", ".", ":", ":", ":", ":"};

chart chart_of(double first, double last, double low, double high) {
    chart made = {.first = first, .last = last, .low = low, .high = high};
    for (size_t i = 0; i < CHART_WIDTH; i++)
        made.mean[i] = NAN;
    return made;
}

void chart_add(chart *chart, double place, double value) {
    if (!isfinite(value))
        return;
    double span = chart->last - chart->first;
    double share = span > 0 ? (place - chart->first) / span : 0;
    size_t at = share <= 0 ? 0 : (size_t)(share * CHART_WIDTH);
    at = at < CHART_WIDTH ? at : CHART_WIDTH - 1;
    double before = chart->count[at] > 0 ? chart->mean[at] : 0;
    chart->mean[at] = before + (value - before) / (double)++chart->count[at];
    chart->width = at + 1 > chart->width ? at + 1 : chart->width;
}

void chart_close(chart *chart) {
    for (size_t i = 1; i < chart->width; i++)
        if (chart->count[i] == 0)
            chart->mean[i] = chart->mean[i - 1];
}

/* In eighths of a line; what is there has one at least. */
static size_t height_of(const chart *chart, size_t column, size_t lines) {
    double span = chart->high - chart->low, value = chart->mean[column];
    if (isnan(value))
        return 0;
    double share = span > 0 ? (value - chart->low) / span : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return 1 + (size_t)(share * (double)(lines * HEIGHTS - 1) + 0.5);
}

void chart_line(const chart *chart, size_t line, size_t lines, FILE *out, bool utf8) {
    const char *const *bars = utf8 ? blocks : lines == 1 ? letters : dots;
    size_t below = (lines - 1 - line) * HEIGHTS, owed = 0;
    for (size_t i = 0; i < chart->width; i++) {
        size_t height = height_of(chart, i, lines);
        if (height <= below) {
            owed++;
            continue;
        }
        size_t part = height - below < HEIGHTS ? height - below : HEIGHTS;
        fprintf(out, "%*s%s", (int)owed, "", bars[part]);
        owed = 0;
    }
}
