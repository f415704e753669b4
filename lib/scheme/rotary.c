/* Rotation of pairs of dimensions by an angle proportional to the position.
 * It refuses nothing: sizes are checked by the schemes. */
#include "scheme/rotary.h"

#include <math.h>

void as_rotary_frequencies(double base, size_t dims, double *theta) {
    for (size_t f = 0; f < dims / 2; f++) {
        theta[f] = pow(base, -(double)(2 * f) / (double)dims);
    }
}

void as_rotary_pairs(as_rotary_layout layout, size_t from, size_t dims, as_rotation *out) {
    size_t half = dims / 2;
    for (size_t f = 0; f < half; f++) {
        bool interleaved = layout == AS_ROTARY_INTERLEAVED;
        out->first[f] = from + (interleaved ? 2 * f : f);
        out->second[f] = from + (interleaved ? 2 * f + 1 : f + half);
    }
    out->count = half;
}

void as_rotate(const as_rotation *rotation, size_t dim, ptrdiff_t first, size_t count, bool inverse,
               double *x) {
    for (size_t i = 0; i < count; i++) {
        double *row = x + i * dim, position = (double)first + (double)i;
        for (size_t f = 0; f < rotation->count; f++) {
            double phase = rotation->theta[f] * position;
            double c = cos(phase), s = inverse ? -sin(phase) : sin(phase);
            double *a = &row[rotation->first[f]], *b = &row[rotation->second[f]];
            double turned = *a * c - *b * s;
            *b = *a * s + *b * c;
            *a = turned;
        }
    }
}
