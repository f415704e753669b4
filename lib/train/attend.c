/* Attention of every sample and head: logits k qᵀ·scale under the scheme's bias and the mask, their
 * softmax, and the mean of the values that it gives; forward and back. (T5), (T6) All of it lies by columns
 * and keys by queries, so that queries are what a register holds and no sum runs along one.
 * It refuses nothing. */
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

/* One head of one sample: where its columns and weights begin. */
typedef struct spot {
    size_t head;
    size_t qk, v; /* in q and k, and in v and context */
    size_t p;
} spot;

static spot find(const as_model *m, const as_scratch *w, size_t sample, size_t head) {
    return (spot){.head = head,
                  .qk = head * m->query_dim * w->step + sample * m->T,
                  .v = head * m->value_dim * w->step + sample * m->T,
                  .p = (sample * m->H + head) * m->T * m->stride};
}

void as_attend_logits(const as_model *m, const as_real *q, const as_real *k, size_t step,
                      const as_real *from, as_real *logits) {
    as_small_product(&(as_small){.m = m->T,
                                 .n = m->stride,
                                 .k = m->query_dim,
                                 .row = 1,
                                 .col = step,
                                 .ldb = step,
                                 .ldc = m->stride},
                     k, q, from, logits);
}

/* to [width][step] = x p, of x [width][step] and p [T][stride]: a mean of keys for each query. */
static void mix(const as_model *m, size_t width, size_t step, const as_real *x, const as_real *p,
                as_real *to) {
    as_small_product(&(as_small){.m = width,
                                 .n = m->stride,
                                 .k = m->T,
                                 .row = step,
                                 .col = 1,
                                 .ldb = m->stride,
                                 .ldc = step},
                     x, p, NULL, to);
}

static void attend(const as_pass *pass, as_scratch *w, size_t layer, const spot *s) {
    const as_model *m = pass->model;
    const as_kept *kept = &w->layer[layer];
    const as_tap *tap = pass->tap;
    size_t square = m->T * m->stride;
    as_real *p = kept->p + s->p;
    as_attend_logits(m, kept->q + s->qk, kept->k + s->qk, w->step,
                     as_places_of(m, pass->places, layer, s->head), p);
    if (tap != NULL && tap->logits != NULL) {
        size_t at = (layer * tap->samples + tap->sample) * m->H + s->head;
        memcpy(tap->logits + at * square, p, square * sizeof *p);
    }
    as_softmax(p, m->T, m->stride);
    mix(m, m->value_dim, w->step, kept->v + s->v, p, kept->context + s->v);
}

/* A head that is taken away gives zeros, as with zero rows in the value projection, or its mean. */
static void take_away(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_removal *r = pass->removal;
    size_t first = r->head * m->value_dim;
    for (size_t j = first; j < first + m->value_dim; j++) {
        as_real *context = w->layer[layer].context + j * w->step;
        for (size_t row = 0; row < pass->samples * m->T; row++) {
            context[row] = r->kind == AS_REMOVE_MEAN ? pass->mean[layer * m->d + j] : 0;
        }
    }
}

static void sum_context(const as_pass *pass, const as_scratch *w, size_t layer) {
    size_t d = pass->model->d;
    for (size_t j = 0; j < d; j++) {
        const as_real *context = w->layer[layer].context + j * w->step;
        for (size_t row = 0; row < pass->samples * pass->model->T; row++) {
            pass->context_sum[layer * d + j] += (double)context[row];
        }
    }
}

/* Samples in their order: a sample's last register may reach into the next one's columns, which are
 * written after it. */
void as_attend_forward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    for (size_t at = 0; at < pass->samples * m->H; at++) {
        spot s = find(m, w, at / m->H, at % m->H);
        attend(pass, w, layer, &s);
    }
    if (pass->context_sum != NULL) {
        sum_context(pass, w, layer);
    }
    if (pass->removal != NULL && pass->removal->kind != AS_REMOVE_NONE &&
        pass->removal->layer == layer) {
        take_away(pass, w, layer);
    }
}

/* to [width][step] = x pᵀ, of x [width][step] and p [T][stride]: a sum of queries for each key. It goes by
 * rows, since p's keys are not what its registers hold. */
static void mix_back(const as_model *m, const as_scratch *w, size_t width, const as_real *x,
                     const as_real *p, as_real *to) {
    size_t padded = as_padded(width);
    as_transpose(x, w->step, width, m->T, w->head.rows, padded);
    as_small_product(&(as_small){.m = m->T,
                                 .n = padded,
                                 .k = m->T,
                                 .row = m->stride,
                                 .col = 1,
                                 .ldb = padded,
                                 .ldc = padded},
                     p, w->head.rows, NULL, w->head.drows);
    as_transpose(w->head.drows, padded, m->T, width, to, w->step);
}

/* With P = softmax(L), O = P V: dP = dO Vᵀ, dL = P ∘ (dP − rowsum(dP ∘ P)), dQ = dL K·scale,
 * dK = dLᵀ Q·scale, dV = Pᵀ dO. K is by its scale already; dK's is the projection's. */
static void attend_back(const as_pass *pass, as_scratch *w, size_t layer, const spot *s) {
    const as_model *m = pass->model;
    const as_kept *kept = &w->layer[layer];
    const as_real *p = kept->p + s->p, *dcontext = w->dcontext + s->v;
    size_t square = m->T * m->stride;
    as_real *dp = w->head.dp;
    as_small_product(&(as_small){.m = m->T,
                                 .n = m->stride,
                                 .k = m->value_dim,
                                 .row = 1,
                                 .col = w->step,
                                 .ldb = w->step,
                                 .ldc = m->stride},
                     kept->v + s->v, dcontext, NULL, dp);
    as_softmax_backward(p, dp, m->T, m->stride);
    if (pass->dbias != NULL) {
        as_add(pass->dbias + (layer * m->H + s->head) * square, dp, square);
    }
    mix(m, m->query_dim, w->step, kept->k + s->qk, dp, w->dq + s->qk);
    mix_back(m, w, m->query_dim, kept->q + s->qk, dp, w->dk + s->qk);
    mix_back(m, w, m->value_dim, dcontext, p, w->dv + s->v);
}

void as_attend_backward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    for (size_t at = 0; at < pass->samples * m->H; at++) {
        spot s = find(m, w, at / m->H, at % m->H);
        attend_back(pass, w, layer, &s);
    }
}
