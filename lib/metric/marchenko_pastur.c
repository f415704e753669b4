/* The bulk of Marchenko and Pastur under a spectrum, equations W6 to W8 of docs/maths.md.
 * It refuses nothing: a spectrum without a bulk has many spikes. */
#include <math.h>

#include "metric/ww.h"

/* The resolution of the fit, in units where the bulk's mean is 1: WeightWatcher's. */
enum { POINTS = 1000 };
static const double bandwidth = 0.1, coarse = 0.01, fine = 0.0005, lowest = 0.05, highest = 1.25;

static const double pi = 3.14159265358979323846;

/* A density of singular values at t = i·step. */
typedef struct density {
    double step, at[POINTS];
} density;

/* Of the values exp(ln/2)/√mean, each a triangle of half width `bandwidth`. */
static void of_values(const double *ln, size_t count, double mean, double edge, density *out) {
    double largest = exp(ln[0] / 2) / sqrt(mean);
    *out = (density){.step = (fmin(largest, highest * edge) + 0.5) / (POINTS - 1)};
    for (size_t i = 0; i < count; i++) {
        double t = exp(ln[i] / 2) / sqrt(mean);
        double first = ceil(fmax(0, t - bandwidth) / out->step);
        for (double k = first; k < POINTS && k * out->step < t + bandwidth; k++) {
            double height = 1 - fabs(k * out->step - t) / bandwidth;
            out->at[(size_t)k] += fmax(0, height) / bandwidth / (double)count;
        }
    }
}

/* W6 at t; root is 1/√Q. */
static double of_bulk(double t, double sigma, double root) {
    double low = sigma * (1 - root), high = sigma * (1 + root);
    if (t == 0) {
        return root < 1 ? 0 : 2 / (pi * sigma);
    }
    double squared = (high * high - t * t) * (t * t - low * low);
    return squared > 0 ? sqrt(squared) / (pi * sigma * sigma * root * root * t) : 0;
}

/* The sigma of from, from + step, … ≤ to whose density is nearest. */
static double nearest(const density *found, double root, double from, double to, double step) {
    double best = HUGE_VAL, sigma = from;
    for (double i = 0; from + i * step <= to + step / 2; i++) {
        double now = from + i * step, sum = 0;
        for (size_t k = 0; k < POINTS; k++) {
            double d = of_bulk((double)k * found->step, now, root) - found->at[k];
            sum += d * d;
        }
        if (sum < best) {
            best = sum;
            sigma = now;
        }
    }
    return sigma;
}

/* W7: σ² of what is left of the values, in their own units. */
static double variance(const double *ln, size_t count, double root) {
    double sum = 0;
    for (size_t i = count; i-- > 0;) {
        sum += exp(ln[i]);
    }
    double mean = sum / (double)count;
    density found;
    of_values(ln, count, mean, 1 + root, &found);
    double sigma = nearest(&found, root, lowest, highest, coarse);
    sigma = nearest(&found, root, sigma - coarse, sigma + coarse, fine);
    return sigma * sigma * mean;
}

as_bulk as_bulk_fit(const double *ln, size_t count, size_t larger) {
    double root = sqrt((double)count / (double)larger);
    double edge = (1 + root) * (1 + root);
    double fluctuation = sqrt(root * pow(edge / (double)count, 2.0 / 3));
    as_bulk bulk = {0};
    for (;;) {
        double scale = variance(ln + bulk.spikes, count - bulk.spikes, root);
        size_t spikes = bulk.spikes;
        while (spikes + 1 < count && exp(ln[spikes]) > scale * (edge + fluctuation)) {
            spikes++;
        }
        bulk.edge = scale * edge;
        if (spikes == bulk.spikes) {
            return bulk;
        }
        bulk.spikes = spikes;
    }
}
