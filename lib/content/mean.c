/* Noise around a common mean: the mode that q and k of trained heads share.
 * It refuses nothing. */
#include "base/fail.h"
#include "content/type.h"

#include <stdlib.h>

enum { SHARED }; /* of shared */

static const as_param params[] = {{.key = "strength",
                                   .type = AS_PARAM_REAL,
                                   .preset = "1",
                                   .low = 0,
                                   .high = 1e6,
                                   .meaning = "s of g + s*mu, mu from N(0, I), one a head"},
                                  {.key = "shared",
                                   .type = AS_PARAM_CHOICE,
                                   .choices = "true|false",
                                   .preset = "true",
                                   .meaning = "true: q and k have the same mu; false: one each"},
                                  {.key = NULL}};

/* (Q2): x_i = g_i + s·μ */
static as_status fill(const as_content *content, const as_content_shape *shape, bool is_key,
                      size_t shared_head, double *x) {
    bool shared = (int)as_content_value(content, "shared") == SHARED;
    double strength = as_content_value(content, "strength");
    double *mu = as_alloc(shape->dim * sizeof *mu);
    if (mu == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a mean of %zu numbers", shape->dim);
    }
    const char *purpose = shared   ? "content.mean"
                          : is_key ? "content.mean.key"
                                   : "content.mean.query";
    as_status status =
        as_content_draw(shape, purpose, shared ? shared_head : shape->head, shape->dim, mu);
    if (status == AS_OK) {
        status = as_content_noise(shape, is_key, x);
    }
    for (size_t i = 0; i < shape->n && status == AS_OK; i++) {
        for (size_t c = 0; c < shape->dim; c++) {
            x[i * shape->dim + c] += strength * mu[c];
        }
    }
    free(mu);
    return status;
}

const as_content_type as_content_mean = {
    .name = "mean",
    .summary = "noise around a mean that all positions, and q and k, have in common",
    .params = params,
    .fill = fill,
};
