/* Attention of every sample and head: logits q kᵀ·scale under the scheme's bias and the mask, their
 * softmax, and the mean of the values that it gives; forward and back. (T5), (T6)
 * It refuses nothing. */
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

/* Where the rows of one head of one sample begin, and how far they are apart. */
typedef struct spot {
    size_t sample, head;
    const as_real *q, *k, *v;
    size_t qk_step, v_step;
    size_t q_at, v_at; /* the same as offsets */
    as_real *p;
} spot;

static spot find(const as_model *m, const as_kept *kept, size_t sample, size_t head) {
    size_t row = sample * m->T;
    spot s = {.sample = sample,
              .head = head,
              .qk_step = m->H * m->query_dim,
              .v_step = m->d,
              .q_at = (row * m->H + head) * m->query_dim,
              .v_at = row * m->d + head * m->value_dim,
              .p = kept->p + (sample * m->H + head) * m->T * m->stride};
    s.q = kept->q + s.q_at;
    s.k = kept->k + s.q_at;
    s.v = kept->v + s.v_at;
    return s;
}

/* to [width][stride] = xᵀ·scale of x [T][width]. */
static void take_columns(const as_model *m, const as_real *x, size_t step, size_t width,
                         as_real scale, as_real *to) {
    for (size_t i = 0; i < m->T; i++) {
        for (size_t j = 0; j < width; j++) {
            to[j * m->stride + i] = x[i * step + j] * scale;
        }
    }
}

/* to [T][padded width] = x·scale. */
static void take_rows(const as_model *m, const as_real *x, size_t step, size_t width, as_real scale,
                      as_real *to) {
    size_t padded = as_padded(width);
    for (size_t i = 0; i < m->T; i++) {
        for (size_t j = 0; j < width; j++) {
            to[i * padded + j] = x[i * step + j] * scale;
        }
    }
}

static void give_rows(const as_model *m, const as_real *from, size_t width, as_real *x,
                      size_t step) {
    size_t padded = as_padded(width);
    for (size_t i = 0; i < m->T; i++) {
        memcpy(x + i * step, from + i * padded, width * sizeof *x);
    }
}

static void give_columns(const as_model *m, const as_real *from, size_t width, as_real scale,
                         as_real *x, size_t step) {
    for (size_t i = 0; i < m->T; i++) {
        for (size_t j = 0; j < width; j++) {
            x[i * step + j] = from[j * m->stride + i] * scale;
        }
    }
}

void as_attend_logits(const as_model *m, const as_head_room *room, const as_real *q,
                      const as_real *k, size_t step, as_real *logits) {
    take_columns(m, k, step, m->query_dim, (as_real)m->scale, room->k_columns);
    as_small_product(&(as_small){.m = m->T,
                                 .n = m->stride,
                                 .k = m->query_dim,
                                 .row = step,
                                 .col = 1,
                                 .ldb = m->stride,
                                 .ldc = m->stride,
                                 .add = true},
                     q, room->k_columns, logits);
}

static void attend(const as_pass *pass, as_scratch *w, size_t layer, const spot *s) {
    const as_model *m = pass->model;
    const as_tap *tap = pass->tap;
    size_t square = m->T * m->stride, V = as_padded(m->value_dim);
    take_rows(m, s->v, s->v_step, m->value_dim, 1, w->head.v_rows);
    memcpy(s->p, as_places_of(m, pass->places, layer, s->head), square * sizeof *s->p);
    as_attend_logits(m, &w->head, s->q, s->k, s->qk_step, s->p);
    if (tap != NULL && tap->logits != NULL) {
        size_t at = (layer * tap->samples + tap->sample) * m->H + s->head;
        memcpy(tap->logits + at * square, s->p, square * sizeof *s->p);
    }
    as_softmax_rows(s->p, m->T, m->stride);
    as_small_product(
        &(as_small){.m = m->T, .n = V, .k = m->T, .row = m->stride, .col = 1, .ldb = V, .ldc = V},
        s->p, w->head.v_rows, w->head.rows);
    give_rows(m, w->head.rows, m->value_dim, w->layer[layer].context + s->v_at, s->v_step);
}

/* A head that is taken away gives zeros, as with zero rows in the value projection, or its mean. */
static void take_away(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_removal *r = pass->removal;
    size_t at = r->head * m->value_dim;
    for (size_t row = 0; row < pass->samples * m->T; row++) {
        as_real *context = w->layer[layer].context + row * m->d + at;
        for (size_t j = 0; j < m->value_dim; j++) {
            context[j] = r->kind == AS_REMOVE_MEAN ? pass->mean[layer * m->d + at + j] : 0;
        }
    }
}

static void sum_context(const as_pass *pass, const as_real *context, double *sum) {
    size_t d = pass->model->d;
    for (size_t row = 0; row < pass->samples * pass->model->T; row++) {
        for (size_t j = 0; j < d; j++) {
            sum[j] += (double)context[row * d + j];
        }
    }
}

void as_attend_forward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    for (size_t at = 0; at < pass->samples * m->H; at++) {
        spot s = find(m, &w->layer[layer], at / m->H, at % m->H);
        attend(pass, w, layer, &s);
    }
    if (pass->context_sum != NULL) {
        sum_context(pass, w->layer[layer].context, pass->context_sum + layer * m->d);
    }
    if (pass->removal != NULL && pass->removal->kind != AS_REMOVE_NONE &&
        pass->removal->layer == layer) {
        take_away(pass, w, layer);
    }
}

/* With P = softmax(L), O = P V: dP = dO Vᵀ, dL = P ∘ (dP − rowsum(dP ∘ P)), dQ = dL K·scale,
 * dK = dLᵀ Q·scale, dV = Pᵀ dO. */
static void attend_back(const as_pass *pass, as_scratch *w, size_t layer, const spot *s) {
    const as_model *m = pass->model;
    const as_real *dcontext = w->dcontext + s->v_at;
    size_t D = m->query_dim, V = m->value_dim, wide = as_padded(D);
    as_real *dp = w->head.dp;
    take_columns(m, s->v, s->v_step, V, 1, w->head.v_columns);
    take_rows(m, s->k, s->qk_step, D, (as_real)m->scale, w->head.k_rows);
    as_small by_columns = {.m = m->T,
                           .n = m->stride,
                           .k = V,
                           .row = s->v_step,
                           .col = 1,
                           .ldb = m->stride,
                           .ldc = m->stride};
    as_small_product(&by_columns, dcontext, w->head.v_columns, dp);
    as_softmax_backward(s->p, dp, m->T, m->stride);
    if (pass->dbias != NULL) {
        as_add(pass->dbias + (layer * m->H + s->head) * m->T * m->stride, dp, m->T * m->stride);
    }
    as_small_product(
        &(as_small){
            .m = m->T, .n = wide, .k = m->T, .row = m->stride, .col = 1, .ldb = wide, .ldc = wide},
        dp, w->head.k_rows, w->head.rows);
    give_rows(m, w->head.rows, D, w->dq + s->q_at, s->qk_step);
    as_small transposed = {.m = D,
                           .n = m->stride,
                           .k = m->T,
                           .row = 1,
                           .col = s->qk_step,
                           .ldb = m->stride,
                           .ldc = m->stride};
    as_small_product(&transposed, s->q, dp, w->head.columns);
    give_columns(m, w->head.columns, D, (as_real)m->scale, w->dk + s->q_at, s->qk_step);
    transposed.m = V;
    transposed.col = s->v_step;
    as_small_product(&transposed, dcontext, s->p, w->head.columns);
    give_columns(m, w->head.columns, V, 1, w->dv + s->v_at, s->v_step);
}

void as_attend_backward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    for (size_t at = 0; at < pass->samples * m->H; at++) {
        spot s = find(m, &w->layer[layer], at / m->H, at % m->H);
        attend_back(pass, w, layer, &s);
    }
}
