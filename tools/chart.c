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

void chart_add(chart *c, double place, double value) {
    if (!isfinite(value))
        return;
    double span = c->last - c->first;
    double share = span > 0 ? (place - c->first) / span : 0;
    size_t at = share <= 0 ? 0 : (size_t)(share * CHART_WIDTH);
    at = at < CHART_WIDTH ? at : CHART_WIDTH - 1;
    double before = c->count[at] > 0 ? c->mean[at] : 0;
    c->mean[at] = before + (value - before) / (double)++c->count[at];
    c->width = at + 1 > c->width ? at + 1 : c->width;
}

void chart_close(chart *c) {
    for (size_t i = 1; i < c->width; i++)
        if (c->count[i] == 0)
            c->mean[i] = c->mean[i - 1];
}

/* In eighths of a line; what is there has one at least. */
static size_t height_of(const chart *c, size_t column, size_t lines) {
    double span = c->high - c->low, value = c->mean[column];
    if (isnan(value))
        return 0;
    double share = span > 0 ? (value - c->low) / span : 1;
    share = share < 0 ? 0 : share > 1 ? 1 : share;
    return 1 + (size_t)(share * (double)(lines * HEIGHTS - 1) + 0.5);
}

void chart_line(const chart *c, size_t line, size_t lines, FILE *out, bool utf8) {
    const char *const *bars = utf8 ? blocks : lines == 1 ? letters : dots;
    size_t below = (lines - 1 - line) * HEIGHTS, owed = 0;
    for (size_t i = 0; i < c->width; i++) {
        size_t height = height_of(c, i, lines);
        if (height <= below) {
            owed++;
            continue;
        }
        size_t part = height - below < HEIGHTS ? height - below : HEIGHTS;
        fprintf(out, "%*s%s", (int)owed, "", bars[part]);
        owed = 0;
    }
}
