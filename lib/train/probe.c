/* The logits of a few samples of the test set, for the spectra.
 * It refuses more samples than there are, and heads that are not there. */
#include "base/fail.h"
#include "train/kernel.h"
#include "train/trainer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Whether positions are in the embeddings, so that q and k before position are of another pass. */
static bool embeds(const as_trainer *t) {
    return t->model.positions != AS_NOT_THERE || t->places.table != NULL;
}

static as_status make_room(as_trainer *t, size_t samples) {
    const as_model *m = &t->model;
    as_probe *p = &t->probe;
    size_t heads = m->L * m->H, rows = heads * m->T * m->query_dim;
    as_real **all[] = {&p->q, &p->k, &p->logits};
    const size_t size[] = {samples * rows, samples * rows, samples * heads * m->T * m->stride};
    if (p->samples == samples) {
        return AS_OK;
    }
    p->samples = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(*all[i]);
        *all[i] = as_alloc(size[i] * sizeof **all[i]);
        if (*all[i] == NULL) {
            return as_fail(AS_ENOMEM, "no memory for the logits of %zu samples", samples);
        }
    }
    p->samples = samples;
    return AS_OK;
}

/* One sample, with positions for the logits, and where they are in the embeddings once more without. */
static void run_sample(void *context, size_t sample, size_t worker) {
    as_trainer *t = context;
    as_probe *p = &t->probe;
    as_pass pass = as_trainer_pass(t);
    as_tap tap = {p->q, p->k, p->logits, p->samples, sample};
    (void)worker;
    pass.samples = 1;
    pass.tokens = t->test.tokens + sample * t->model.T;
    pass.labels = t->test.labels + sample * as_trainer_labels(t);
    pass.tap = &tap;
    if (embeds(t)) {
        tap.logits = NULL;
        pass.bare = true;
        as_pass_run(&pass, &t->scratch[0]);
        tap = (as_tap){NULL, NULL, p->logits, p->samples, sample};
        pass.bare = false;
    }
    as_pass_run(&pass, &t->scratch[0]);
}

as_status as_trainer_probe(as_trainer *t, size_t samples) {
    if (samples == 0 || samples > t->test.count) {
        return as_fail(AS_EINVAL, "a probe of %zu samples, but the test set has %zu", samples,
                       t->test.count);
    }
    as_status status = make_room(t, samples);
    if (status == AS_OK) {
        status = as_places_refresh(&t->model, t->theta, &t->places);
    }
    return status == AS_OK ? as_serial_for(samples, 1, run_sample, t) : status;
}

static as_status give(const as_real *from, size_t rows, size_t cols, size_t stride,
                      as_matrix *out) {
    as_status status = out == NULL ? AS_OK : as_matrix_resize(out, rows, cols);
    for (size_t i = 0; i < rows && status == AS_OK && out != NULL; i++) {
        for (size_t j = 0; j < cols; j++) {
            as_real x = from[i * stride + j];
            out->data[i * cols + j] = x <= AS_MASKED / 2 ? -INFINITY : (double)x;
        }
    }
    return status;
}

as_status as_trainer_probed(as_trainer *t, size_t layer, size_t sample, size_t head, as_matrix *q,
                            as_matrix *k, as_matrix *logits, as_matrix *content) {
    const as_model *m = &t->model;
    const as_probe *p = &t->probe;
    if (layer >= m->L || sample >= p->samples || head >= m->H) {
        return as_fail(AS_EINVAL, "the probe has no layer %zu, sample %zu, head %zu", layer, sample,
                       head);
    }
    size_t at = (layer * p->samples + sample) * m->H + head, D = m->query_dim;
    const as_real *queries = p->q + at * m->T * D, *keys = p->k + at * m->T * D;
    as_status status = give(queries, m->T, D, D, q);
    if (status == AS_OK) {
        status = give(keys, m->T, D, D, k);
    }
    if (status == AS_OK) {
        status = give(p->logits + at * m->T * m->stride, m->T, m->T, m->stride, logits);
    }
    if (status == AS_OK && content != NULL) {
        /* As attention does it, so that without position both are the same to the bit. */
        as_head_room *room = &t->scratch[0].head;
        memcpy(room->dp, t->places.mask, m->T * m->stride * sizeof *room->dp);
        as_attend_logits(m, room, queries, keys, D, room->dp);
        status = give(room->dp, m->T, m->T, m->stride, content);
    }
    return status;
}
