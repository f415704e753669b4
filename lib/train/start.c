/* What parameters begin with: PyTorch's defaults for linear maps and embeddings, and the scheme's own for
 * positions and biases. Every tensor has its own stream, so one more shifts no other.
 * It refuses nothing. */
#include "base/fail.h"
#include "train/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static as_status draw(const as_model *m, const as_model_tensor *t, as_real *x) {
    char purpose[64];
    as_stream *stream;
    snprintf(purpose, sizeof purpose, "train.%s", t->name);
    as_status status = as_stream_new(m->config.seed, purpose, 0, 0, &stream);
    if (status != AS_OK) {
        return status;
    }
    double bound = t->start == AS_START_FAN_IN ? 1 / sqrt((double)t->fan_in) : 0;
    for (size_t i = 0; i < t->count; i++) {
        x[i] =
            (as_real)(t->start == AS_START_GAUSSIAN ? as_stream_gaussian(stream)
                                                    : bound * (2 * as_stream_uniform(stream) - 1));
    }
    as_stream_free(stream);
    return AS_OK;
}

/* Of the scheme room, which counts in double precision. */
static as_status ask(const as_model *m, const as_model_tensor *t, as_real *x) {
    const as_scheme_type *type = m->scheme.type;
    double *numbers = as_alloc(t->count * sizeof *numbers);
    if (numbers == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %s", t->name);
    }
    as_status status = AS_OK;
    if (t->start == AS_START_POSITIONS) {
        as_head head = as_model_embedding_head(m);
        status = type->embed(&m->scheme, &head, AS_KEYS, numbers);
    }
    for (size_t h = 0; h < m->H && t->start == AS_START_SCHEME && status == AS_OK; h++) {
        as_head head = as_model_head(m, t->layer, h);
        status = type->learning->start(&m->scheme, &head, numbers + h * m->theta_size);
    }
    for (size_t i = 0; i < t->count && status == AS_OK; i++) {
        x[i] = (as_real)numbers[i];
    }
    free(numbers);
    return status;
}

as_status as_model_start(const as_model *m, as_real *theta) {
    as_status status = AS_OK;
    for (size_t i = 0; i < m->tensor_count && status == AS_OK; i++) {
        const as_model_tensor *t = &m->tensor[i];
        as_real *x = theta + t->offset;
        switch (t->start) {
        case AS_START_GAUSSIAN:
        case AS_START_FAN_IN:
            status = draw(m, t, x);
            break;
        case AS_START_ONE:
        case AS_START_ZERO:
            for (size_t j = 0; j < t->count; j++) {
                x[j] = t->start == AS_START_ONE ? 1 : 0;
            }
            break;
        case AS_START_POSITIONS:
        case AS_START_SCHEME:
            status = ask(m, t, x);
            break;
        }
    }
    return status;
}
