/* Rotation of pairs of dimensions by an angle proportional to the position.
 * It refuses tokens that make no grid; other sizes are checked by the schemes. */
#include "scheme/rotary.h"

#include <math.h>

#include "base/fail.h"
#include "scheme/type.h"

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

as_status as_rotary_grid(const as_scheme *scheme, const as_head *head, size_t *width,
                         size_t *leading) {
    double given = as_scheme_value(scheme, "width");
    size_t before = (size_t)as_scheme_value(scheme, "leading");
    if (head->dim % 4 != 0) {
        return as_fail(
            AS_EINVAL,
            "the head size is %zu, but pairs of columns and of rows need a multiple of 4",
            head->dim);
    }
    if (before >= head->cols) {
        return as_fail(AS_EINVAL, "leading is %zu, but there are %zu tokens in all", before,
                       head->cols);
    }
    double root = ceil(sqrt((double)(head->cols - before)));
    *width = (size_t)(isnan(given) ? root : given);
    *leading = before;
    return AS_OK;
}

/* To bfloat16, to the nearest, ties to even. */
static double to_bf16(double x) {
    int exponent;
    double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(fraction, 8)), exponent - 8);
}

/* Cosine and sine of an angle times the gain, rounded as the model's arithmetic does: Hugging Face
 * multiplies in single precision and rounds to the model's afterwards. */
static void turn(as_phase phase, double phi, double gain, double *c, double *s) {
    *c = cos(phi);
    *s = sin(phi);
    if (phase != AS_PHASE_F64) {
        *c = (double)((float)*c * (float)gain);
        *s = (double)((float)*s * (float)gain);
    } else {
        *c *= gain;
        *s *= gain;
    }
    if (phase == AS_PHASE_BF16) {
        *c = to_bf16(*c);
        *s = to_bf16(*s);
    }
}

static double product(as_phase phase, double theta, double position) {
    return phase == AS_PHASE_F64 ? theta * position : (double)((float)theta * (float)position);
}

/* The angle of pair f at a position; 0 for tokens before the grid. */
static double angle(const as_rotation *r, size_t f, as_phase phase, double position) {
    if (r->width == 0) {
        return product(phase, r->theta[f], position);
    }
    double token = position - (double)r->leading, y = floor(token / (double)r->width);
    return token < 0 ? 0
                     : product(phase, r->theta[f], token - y * (double)r->width) +
                           product(phase, r->theta_y[f], y);
}

double as_rotary_centre(const as_head *head) {
    return (as_head_key(head, 0) + as_head_key(head, head->cols - 1)) / 2;
}

void as_rotate(const as_rotation *rotation, const as_head *head, as_side side, bool inverse,
               double *x) {
    size_t count = side == AS_QUERIES ? head->rows : head->cols;
    double sign = (side == AS_QUERIES) == inverse ? -1 : 1;
    double middle = rotation->grows ? as_rotary_centre(head) : 0;
    for (size_t i = 0; i < count; i++) {
        double *row = x + i * head->dim;
        double position = side == AS_QUERIES ? as_head_query(head, i) : as_head_key(head, i);
        for (size_t f = 0; f < rotation->count; f++) {
            double c, s;
            turn(head->phase, angle(rotation, f, head->phase, position), rotation->gain, &c, &s);
            double factor = inverse ? 1 / (rotation->gain * rotation->gain) : 1;
            if (rotation->grows) {
                factor *= exp(sign * rotation->growth[f] * (position - middle));
            }
            c *= factor;
            s *= inverse ? -factor : factor;
            double *a = &row[rotation->first[f]], *b = &row[rotation->second[f]];
            double turned = *a * c - *b * s;
            *b = *a * s + *b * c;
            *a = turned;
        }
    }
}
