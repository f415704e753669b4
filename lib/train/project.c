/* Queries, keys and values of a layer: three maps of its normalised input, or MLA's through latents; keys
 * and values may come from the embeddings instead. Forward and back.
 * It refuses nothing. */
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

/* What keys and values are made of. */
static const as_real *source(const as_pass *pass, const as_scratch *w, size_t layer) {
    return pass->model->config.kv_from != 0 ? w->x0 : w->layer[layer].h1;
}

/* k of every head is its own part, then the rotated part that all share. */
static void join_keys(const as_model *m, size_t rows, const as_real *own, const as_real *shared,
                      as_real *k) {
    size_t rope = m->query_dim - m->nope_dim;
    for (size_t at = 0; at < rows * m->H; at++) {
        memcpy(k + at * m->query_dim, own + at * m->nope_dim, m->nope_dim * sizeof *k);
        memcpy(k + at * m->query_dim + m->nope_dim, shared + at / m->H * rope, rope * sizeof *k);
    }
}

static void part_keys(const as_model *m, size_t rows, const as_real *dk, as_real *own,
                      as_real *shared) {
    size_t rope = m->query_dim - m->nope_dim;
    memset(shared, 0, rows * rope * sizeof *shared);
    for (size_t at = 0; at < rows * m->H; at++) {
        memcpy(own + at * m->nope_dim, dk + at * m->query_dim, m->nope_dim * sizeof *own);
        for (size_t j = 0; j < rope; j++) {
            shared[at / m->H * rope + j] += dk[at * m->query_dim + m->nope_dim + j];
        }
    }
}

/* MLA, equations 1 to 12 of DeepSeek-AI 2024 without norms on the latents. */
static void latent_forward(const as_pass *pass, as_scratch *w, size_t layer, size_t rows) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    as_kept *kept = &w->layer[layer];
    const as_real *from = source(pass, w, layer);
    as_linear_forward(pass, &l->query_down, rows, kept->h1, kept->q_latent);
    as_linear_forward(pass, &l->query, rows, kept->q_latent, kept->q);
    as_linear_forward(pass, &l->kv_down, rows, from, kept->kv_latent);
    as_linear_forward(pass, &l->value, rows, kept->kv_latent, kept->v);
    as_linear_forward(pass, &l->key_rope, rows, from, kept->k_rope);
    as_linear_forward(pass, &l->key, rows, kept->kv_latent, w->copy);
    join_keys(m, rows, w->copy, kept->k_rope, kept->k);
}

static void latent_backward(const as_pass *pass, as_scratch *w, size_t layer, size_t rows) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    const as_kept *kept = &w->layer[layer];
    bool apart = m->config.kv_from != 0;
    const as_real *from = source(pass, w, layer);
    as_real *dfrom = apart ? w->dx0 : w->dh;
    as_linear_backward(pass, &l->query, rows,
                       &(as_linear_way){kept->q_latent, w->dq, w->dlatent, false});
    as_linear_backward(pass, &l->query_down, rows,
                       &(as_linear_way){kept->h1, w->dlatent, w->dh, false});
    part_keys(m, rows, w->dk, w->copy, w->dk_rope);
    as_linear_backward(pass, &l->key, rows,
                       &(as_linear_way){kept->kv_latent, w->copy, w->dlatent, false});
    as_linear_backward(pass, &l->value, rows,
                       &(as_linear_way){kept->kv_latent, w->dv, w->dlatent, true});
    as_linear_backward(pass, &l->kv_down, rows, &(as_linear_way){from, w->dlatent, dfrom, true});
    as_linear_backward(pass, &l->key_rope, rows, &(as_linear_way){from, w->dk_rope, dfrom, true});
}

/* A tap is of one sample. */
static void tap(const as_pass *pass, const as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_tap *to = pass->tap;
    size_t D = m->query_dim;
    for (size_t at = 0; at < m->T * m->H; at++) {
        size_t i = at / m->H, head = at % m->H;
        size_t place = ((layer * to->samples + to->sample) * m->H + head) * m->T + i;
        memcpy(to->q + place * D, w->layer[layer].q + at * D, D * sizeof(as_real));
        memcpy(to->k + place * D, w->layer[layer].k + at * D, D * sizeof(as_real));
    }
}

void as_project_forward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    as_kept *kept = &w->layer[layer];
    size_t rows = pass->samples * m->T;
    if (m->latent > 0) {
        latent_forward(pass, w, layer, rows);
    } else {
        as_linear_forward(pass, &l->query, rows, kept->h1, kept->q);
        as_linear_forward(pass, &l->key, rows, source(pass, w, layer), kept->k);
        as_linear_forward(pass, &l->value, rows, source(pass, w, layer), kept->v);
    }
    if (pass->tap != NULL && pass->tap->q != NULL) {
        tap(pass, w, layer);
    }
    as_places_turn(m, pass->places, layer, AS_QUERIES, false, rows, kept->q);
    as_places_turn(m, pass->places, layer, AS_KEYS, false, rows, kept->k);
}

/* Sets dh, and adds to dx0 where keys and values come from the embeddings. */
void as_project_backward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    const as_kept *kept = &w->layer[layer];
    size_t rows = pass->samples * m->T;
    as_places_turn(m, pass->places, layer, AS_QUERIES, true, rows, w->dq);
    as_places_turn(m, pass->places, layer, AS_KEYS, true, rows, w->dk);
    if (m->latent > 0) {
        latent_backward(pass, w, layer, rows);
        return;
    }
    const as_real *from = source(pass, w, layer);
    as_real *dfrom = m->config.kv_from != 0 ? w->dx0 : w->dh;
    as_linear_backward(pass, &l->query, rows, &(as_linear_way){kept->h1, w->dq, w->dh, false});
    as_linear_backward(pass, &l->key, rows, &(as_linear_way){from, w->dk, dfrom, true});
    as_linear_backward(pass, &l->value, rows, &(as_linear_way){from, w->dv, dfrom, true});
}
