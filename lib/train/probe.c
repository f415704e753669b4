/* The logits of a few samples of the test set, for the spectra. (T15)
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
    size_t heads = m->L * m->H, rows = heads * m->query_dim * m->stride;
    size_t square = heads * m->T * m->stride, bytes;
    as_real **all[] = {&p->q, &p->k, &p->logits, &p->content};
    const size_t size[] = {rows, rows, square, square};
    if (p->samples == samples) {
        return AS_OK;
    }
    bool counts = as_mul(samples, 2 * (rows + square) * sizeof *p->q, &bytes);
    as_status status = as_fits_memory(counts ? bytes : SIZE_MAX, "the logits of the probe");
    if (status != AS_OK) {
        return status;
    }
    p->samples = 0;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(*all[i]);
        *all[i] = as_alloc(samples * size[i] * sizeof **all[i]);
        if (*all[i] == NULL) {
            return as_fail(AS_ENOMEM, "no memory for the logits of %zu samples", samples);
        }
    }
    p->samples = samples;
    return AS_OK;
}

/* As attention does it, so that without position content and logits are the same to the bit. */
static void find_content(as_trainer *t, size_t sample) {
    const as_model *m = &t->model;
    const as_probe *p = &t->probe;
    size_t square = m->T * m->stride, rows = m->query_dim * m->stride;
    as_real *k = t->scratch[0].copy;
    for (size_t i = 0; i < m->L * m->H; i++) {
        size_t at = (i / m->H * p->samples + sample) * m->H + i % m->H;
        memcpy(k, p->k + at * rows, rows * sizeof *k);
        as_scale(k, (as_real)m->scale, rows);
        as_attend_logits(m, p->q + at * rows, k, m->stride, t->places.mask,
                         p->content + at * square);
    }
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
    find_content(t, sample);
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
    return status == AS_OK ? as_trainer_loop(samples, 1, run_sample, t) : status;
}

/* out [rows][cols] of what is by columns, [cols][stride]. */
static as_status give(const as_real *from, size_t rows, size_t cols, size_t stride,
                      as_matrix *out) {
    as_status status = out == NULL ? AS_OK : as_matrix_resize(out, rows, cols);
    for (size_t i = 0; i < rows && status == AS_OK && out != NULL; i++) {
        for (size_t j = 0; j < cols; j++) {
            as_real x = from[j * stride + i];
            out->data[i * cols + j] = x <= AS_MASKED / 2 ? -INFINITY : (double)x;
        }
    }
    return status;
}

as_status as_trainer_probed(const as_trainer *t, as_probed_place place, as_probed out) {
    const as_model *m = &t->model;
    const as_probe *p = &t->probe;
    if (place.layer >= m->L || place.sample >= p->samples || place.head >= m->H) {
        return as_fail(AS_EINVAL, "the probe has no layer %zu, sample %zu, head %zu", place.layer,
                       place.sample, place.head);
    }
    size_t at = (place.layer * p->samples + place.sample) * m->H + place.head, D = m->query_dim;
    size_t rows = at * D * m->stride, square = at * m->T * m->stride;
    as_status status = give(p->q + rows, m->T, D, m->stride, out.q);
    if (status == AS_OK) {
        status = give(p->k + rows, m->T, D, m->stride, out.k);
    }
    if (status == AS_OK) {
        status = give(p->logits + square, m->T, m->T, m->stride, out.logits);
    }
    if (status == AS_OK) {
        status = give(p->content + square, m->T, m->T, m->stride, out.content);
    }
    return status;
}
