/* A matrix in a random order of its entries, and how far the spectrum moved, equation W9 of
 * docs/maths.md. It refuses nothing. */
#include <math.h>

#include "attnspec/content.h"
#include "metric/ww.h"

/* Fisher and Yates's shuffle, inside out: every order is equally likely. */
as_status as_shuffle(const as_matrix *a, uint64_t seed, double *out) {
    as_stream *stream;
    as_status status = as_stream_new(seed, "metric.shuffle", 0, 0, &stream);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < a->rows * a->cols; i++) {
        size_t k = (size_t)(as_stream_uniform(stream) * ((double)i + 1));
        out[i] = out[k];
        out[k] = a->data[i];
    }
    as_stream_free(stream);
    return AS_OK;
}

static double sum_of_squares(const double *sigma, size_t q) {
    double sum = 0;
    for (size_t i = q; i-- > 0;) {
        double r = sigma[i] / sigma[0];
        sum += r * r;
    }
    return sum;
}

/* p ln(p/m) */
static double divergence(double p, double m) {
    return p > 0 ? p * log(p / m) : 0;
}

double as_rank_distance(const double *sigma, const double *other, size_t q) {
    double sum = sum_of_squares(sigma, q), other_sum = sum_of_squares(other, q), total = 0;
    for (size_t i = 0; i < q; i++) {
        double r = sigma[i] / sigma[0], s = other[i] / other[0];
        double p = r * r / sum, o = s * s / other_sum, m = (p + o) / 2;
        total += divergence(p, m) + divergence(o, m);
    }
    return sqrt(fmax(0, total / 2));
}
