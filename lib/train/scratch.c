/* The room of a pass, in one piece. It refuses what does not fit into memory. */
#include "base/fail.h"
#include "train/kernel.h"
#include "train/pass.h"

#include <stdlib.h>
#include <string.h>

/* Gives room away; without a base it only counts. */
typedef struct carver {
    as_real *base;
    size_t used;
} carver;

static as_real *carve(carver *c, size_t count) {
    as_real *at = c->base == NULL ? NULL : c->base + c->used;
    c->used += (count + 15) / 16 * 16;
    return at;
}

static void carve_layer(const as_model *m, size_t S, size_t W, carver *c, as_kept *kept) {
    size_t R = S * m->T;
    kept->x = carve(c, R * m->d);
    kept->h1 = carve(c, R * m->d);
    kept->stat1 = carve(c, R * 2);
    kept->q_latent = carve(c, R * m->latent);
    kept->kv_latent = carve(c, R * m->latent);
    kept->q = carve(c, m->H * m->query_dim * W);
    kept->k = carve(c, m->H * m->query_dim * W);
    kept->v = carve(c, m->d * W);
    kept->p = carve(c, S * m->H * m->T * m->stride);
    kept->context = carve(c, m->d * W);
    kept->middle = carve(c, R * m->d);
    kept->h2 = carve(c, R * m->d);
    kept->stat2 = carve(c, R * 2);
    kept->u = carve(c, R * m->ff);
    kept->a = carve(c, R * m->ff);
}

static void carve_head(const as_model *m, carver *c, as_head_room *h) {
    size_t D = as_padded(m->query_dim), v = as_padded(m->value_dim), most = D > v ? D : v;
    h->rows = carve(c, m->T * most);
    h->drows = carve(c, m->T * most);
    h->dp = carve(c, m->T * m->stride);
}

/* layer may be NULL where room is only counted. */
static void carve_all(const as_model *m, size_t S, carver *c, as_scratch *w) {
    size_t R = S * m->T, answers = m->facts.per_position ? R : S;
    size_t W = as_padded(R + AS_LANES), keys = m->H * m->query_dim;
    as_kept unused;
    w->step = W;
    w->x0 = carve(c, R * m->d);
    for (size_t l = 0; l < m->L; l++) {
        carve_layer(m, S, W, c, w->layer == NULL ? &unused : &w->layer[l]);
    }
    w->x = carve(c, R * m->d);
    w->h = carve(c, R * m->d);
    w->stat = carve(c, R * 2);
    w->pooled = carve(c, S * m->d);
    w->y = carve(c, answers * m->classes);
    w->dx = carve(c, R * m->d);
    w->dx0 = carve(c, m->config.kv_from == AS_KV_FROM_EMBEDDINGS ? R * m->d : 0);
    w->dh = carve(c, R * m->d);
    w->dq = carve(c, keys * W);
    w->dk = carve(c, keys * W);
    w->dv = carve(c, m->d * W);
    w->dcontext = carve(c, m->d * W);
    w->du = carve(c, R * m->ff);
    w->dlatent = carve(c, R * m->latent);
    w->k_rope = carve(c, m->latent > 0 ? (m->query_dim - m->nope_dim) * W : 0);
    w->copy = carve(c, (keys > m->d ? keys : m->d) * W);
    carve_head(m, c, &w->head);
}

size_t as_scratch_bytes(const as_model *m, size_t samples) {
    carver c = {0};
    as_scratch unused = {0};
    carve_all(m, samples, &c, &unused);
    return c.used * sizeof(as_real);
}

as_status as_scratch_new(const as_model *m, size_t samples, as_scratch *out) {
    as_scratch w = {0};
    size_t rows = samples * m->T, bytes = as_scratch_bytes(m, samples);
    as_status status = as_stream_new(0, "", 0, 0, &w.stream);
    carver c = {.base = as_alloc(bytes)};
    w.room = c.base;
    w.layer = calloc(m->L, sizeof *w.layer);
    w.tokens = calloc(rows, sizeof *w.tokens);
    w.labels = calloc(rows, sizeof *w.labels);
    if (status == AS_OK &&
        (w.room == NULL || w.layer == NULL || w.tokens == NULL || w.labels == NULL)) {
        status =
            as_fail(AS_ENOMEM, "no memory for %zu samples at a time (%zu bytes)", samples, bytes);
    }
    if (status != AS_OK) {
        as_scratch_free(&w);
        return status;
    }
    /* What fills rows up must be numbers: 0 times it is added. */
    memset(w.room, 0, bytes);
    carve_all(m, samples, &c, &w);
    *out = w;
    return AS_OK;
}

void as_scratch_free(as_scratch *work) {
    as_stream_free(work->stream);
    free(work->room);
    free(work->layer);
    free(work->tokens);
    free(work->labels);
    *work = (as_scratch){0};
}
