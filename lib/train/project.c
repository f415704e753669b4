/* Queries, keys and values of a layer: three maps of its normalised input, or MLA's through latents; keys
 * and values may come from the embeddings instead. Forward and back.
 * It refuses nothing. */
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

/* What keys and values are made of. */
static as_real *source(const as_pass *pass, const as_scratch *w, size_t layer) {
    return pass->model->config.kv_from == AS_KV_FROM_EMBEDDINGS ? w->x0 : w->layer[layer].h1;
}

/* k of every head is its own part, then the rotated part that all share. */
static void join_keys(const as_model *m, size_t step, const as_real *own, const as_real *shared,
                      as_real *k) {
    size_t nope = m->nope_dim * step, rope = (m->query_dim - m->nope_dim) * step;
    for (size_t h = 0; h < m->H; h++) {
        memcpy(k + h * (nope + rope), own + h * nope, nope * sizeof *k);
        memcpy(k + h * (nope + rope) + nope, shared, rope * sizeof *k);
    }
}

static void part_keys(const as_model *m, size_t step, const as_real *dk, as_real *own,
                      as_real *shared) {
    size_t nope = m->nope_dim * step, rope = (m->query_dim - m->nope_dim) * step;
    memset(shared, 0, rope * sizeof *shared);
    for (size_t h = 0; h < m->H; h++) {
        memcpy(own + h * nope, dk + h * (nope + rope), nope * sizeof *own);
        as_add(shared, dk + h * (nope + rope) + nope, rope);
    }
}

/* MLA, §2.1.2 and 2.1.3 of DeepSeek-AI 2024, arXiv 2405.04434, without norms on the latents. (T15) */
static void latent_forward(const as_pass *pass, as_scratch *w, size_t layer, size_t rows) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    as_kept *kept = &w->layer[layer];
    as_view h = as_rows(kept->h1, m->d), from = as_rows(source(pass, w, layer), m->d);
    as_view q_latent = as_rows(kept->q_latent, m->latent);
    as_view kv_latent = as_rows(kept->kv_latent, m->latent);
    as_linear_forward(pass, &l->query_down, rows, h, q_latent);
    as_linear_forward(pass, &l->query, rows, q_latent, as_columns(w, kept->q));
    as_linear_forward(pass, &l->kv_down, rows, from, kv_latent);
    as_linear_forward(pass, &l->value, rows, kv_latent, as_columns(w, kept->v));
    as_linear_forward(pass, &l->key_rope, rows, from, as_columns(w, w->k_rope));
    as_linear_forward(pass, &l->key, rows, kv_latent, as_columns(w, w->copy));
    join_keys(m, w->step, w->copy, w->k_rope, kept->k);
}

static void latent_backward(const as_pass *pass, as_scratch *w, size_t layer, size_t rows) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    const as_kept *kept = &w->layer[layer];
    as_view h = as_rows(kept->h1, m->d), from = as_rows(source(pass, w, layer), m->d);
    as_view dh = as_rows(w->dh, m->d), dlatent = as_rows(w->dlatent, m->latent);
    as_view dfrom = m->config.kv_from == AS_KV_FROM_EMBEDDINGS ? as_rows(w->dx0, m->d) : dh;
    as_view q_latent = as_rows(kept->q_latent, m->latent);
    as_view kv_latent = as_rows(kept->kv_latent, m->latent);
    part_keys(m, w->step, w->dk, w->copy, w->k_rope);
    as_linear_backward(pass, &l->query, rows,
                       &(as_linear_way){q_latent, as_columns(w, w->dq), dlatent, false});
    as_linear_backward(pass, &l->query_down, rows, &(as_linear_way){h, dlatent, dh, false});
    as_linear_backward(pass, &l->key, rows,
                       &(as_linear_way){kv_latent, as_columns(w, w->copy), dlatent, false});
    as_linear_backward(pass, &l->value, rows,
                       &(as_linear_way){kv_latent, as_columns(w, w->dv), dlatent, true});
    as_linear_backward(pass, &l->kv_down, rows, &(as_linear_way){from, dlatent, dfrom, true});
    as_linear_backward(pass, &l->key_rope, rows,
                       &(as_linear_way){from, as_columns(w, w->k_rope), dfrom, true});
}

/* A tap is of one sample. */
static void tap(const as_pass *pass, const as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_tap *to = pass->tap;
    size_t wide = m->H * m->query_dim, place = (layer * to->samples + to->sample) * wide;
    for (size_t j = 0; j < wide; j++) {
        size_t from = j * w->step, at = (place + j) * m->stride;
        memcpy(to->q + at, w->layer[layer].q + from, m->T * sizeof(as_real));
        memcpy(to->k + at, w->layer[layer].k + from, m->T * sizeof(as_real));
    }
}

static void turn(const as_pass *pass, const as_scratch *w, size_t layer, bool back, as_real *q,
                 as_real *k) {
    as_turned how = {layer, pass->samples, w->step, AS_QUERIES, back};
    as_places_turn(pass->model, pass->places, &how, q);
    how.side = AS_KEYS;
    as_places_turn(pass->model, pass->places, &how, k);
}

void as_project_forward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    as_kept *kept = &w->layer[layer];
    size_t rows = pass->samples * m->T;
    if (m->latent > 0) {
        latent_forward(pass, w, layer, rows);
    } else {
        as_view h = as_rows(kept->h1, m->d), from = as_rows(source(pass, w, layer), m->d);
        as_linear_forward(pass, &l->query, rows, h, as_columns(w, kept->q));
        as_linear_forward(pass, &l->key, rows, from, as_columns(w, kept->k));
        as_linear_forward(pass, &l->value, rows, from, as_columns(w, kept->v));
    }
    if (pass->tap != NULL && pass->tap->q != NULL) {
        tap(pass, w, layer);
    }
    turn(pass, w, layer, false, kept->q, kept->k);
    as_scale(kept->k, (as_real)m->scale, m->H * m->query_dim * w->step);
}

/* Sets dh, and adds to dx0 where keys and values come from the embeddings. */
void as_project_backward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    size_t rows = pass->samples * m->T;
    as_scale(w->dk, (as_real)m->scale, m->H * m->query_dim * w->step);
    turn(pass, w, layer, true, w->dq, w->dk);
    if (m->latent > 0) {
        latent_backward(pass, w, layer, rows);
        return;
    }
    as_view h = as_rows(w->layer[layer].h1, m->d), dh = as_rows(w->dh, m->d);
    as_view from = as_rows(source(pass, w, layer), m->d);
    as_view dfrom = m->config.kv_from == AS_KV_FROM_EMBEDDINGS ? as_rows(w->dx0, m->d) : dh;
    as_linear_backward(pass, &l->query, rows, &(as_linear_way){h, as_columns(w, w->dq), dh, false});
    as_linear_backward(pass, &l->key, rows,
                       &(as_linear_way){from, as_columns(w, w->dk), dfrom, true});
    as_linear_backward(pass, &l->value, rows,
                       &(as_linear_way){from, as_columns(w, w->dv), dfrom, true});
}
