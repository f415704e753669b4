/* Rows that resemble their neighbours: a stationary autoregression along positions.
 * It refuses nothing. */
#include "content/type.h"

#include <math.h>

static const as_param params[] = {{.key = "rho",
                                   .type = AS_PARAM_REAL,
                                   .preset = "0.9",
                                   .low = -1,
                                   .high = 1,
                                   .meaning = "correlation of neighbours"},
                                  {.key = NULL}};

/* (Q3): x_0 = g_0, x_i = ρ x_{i−1} + √(1 − ρ²) g_i, so that every x_i is N(0, I). */
static as_status fill(const as_content *content, const as_content_shape *shape, bool is_key,
                      size_t shared_head, double *x) {
    (void)shared_head;
    as_status status = as_content_noise(shape, is_key, x);
    if (status != AS_OK) {
        return status;
    }
    double rho = as_content_value(content, "rho"), rest = sqrt((1 - rho) * (1 + rho));
    for (size_t at = shape->dim; at < shape->n * shape->dim; at++) {
        x[at] = rho * x[at - shape->dim] + rest * x[at];
    }
    return AS_OK;
}

const as_content_type as_content_ar1 = {
    .name = "ar1",
    .summary = "an autoregression along positions: neighbours are correlated by rho",
    .params = params,
    .fill = fill,
};
