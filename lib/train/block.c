/* A layer, x + attention(norm(x)) and then + feed-forward(norm(…)), and the whole way through all of
 * them; forward and back. Dropout is where Vaswani et al. 2017 (§5.4) have it: on what a part adds. (T15)
 * It refuses to begin where BLAS would wait for memory for ever. */
#include "base/fail.h"
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

enum { SITE_ATTENTION, SITE_FEED_FORWARD };

/* Where the layer writes to: what the next one keeps as its input. */
static as_real *out_of(const as_pass *pass, as_scratch *w, size_t layer) {
    return layer + 1 < pass->model->L ? w->layer[layer + 1].x : w->x;
}

void as_block_forward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    as_kept *kept = &w->layer[layer];
    size_t rows = pass->samples * m->T, size = rows * m->d;
    as_real *out = out_of(pass, w, layer);
    as_norm_run(pass, &l->norm1, rows, kept->x, kept->h1, kept->stat1);
    as_project_forward(pass, w, layer);
    as_attend_forward(pass, w, layer);
    as_linear_forward(pass, &l->output, rows, as_columns(w, kept->context),
                      as_rows(kept->middle, m->d));
    as_drop(pass, layer, SITE_ATTENTION, size, kept->middle);
    as_add(kept->middle, kept->x, size);
    as_norm_run(pass, &l->norm2, rows, kept->middle, kept->h2, kept->stat2);
    as_linear_forward(pass, &l->up, rows, as_rows(kept->h2, m->d), as_rows(kept->u, m->ff));
    if (m->config.activation != 0) {
        as_gelu(kept->u, kept->a, rows * m->ff);
    } else {
        as_relu(kept->u, kept->a, rows * m->ff);
    }
    as_linear_forward(pass, &l->down, rows, as_rows(kept->a, m->ff), as_rows(out, m->d));
    as_drop(pass, layer, SITE_FEED_FORWARD, size, out);
    as_add(out, kept->middle, size);
}

/* dx of what a part added, with what was dropped taken out; dx itself goes on along the stream. */
static as_real *dropped(const as_pass *pass, as_scratch *w, size_t layer, unsigned site,
                        size_t size) {
    if (!(pass->model->config.dropout > 0)) {
        return w->dx;
    }
    memcpy(w->copy, w->dx, size * sizeof *w->copy);
    as_drop(pass, layer, site, size, w->copy);
    return w->copy;
}

void as_block_backward(const as_pass *pass, as_scratch *w, size_t layer) {
    const as_model *m = pass->model;
    const as_layer *l = &m->layer[layer];
    const as_kept *kept = &w->layer[layer];
    size_t rows = pass->samples * m->T, size = rows * m->d;
    as_view dh = as_rows(w->dh, m->d), du = as_rows(w->du, m->ff);
    as_view dout = as_rows(dropped(pass, w, layer, SITE_FEED_FORWARD, size), m->d);
    as_linear_backward(pass, &l->down, rows,
                       &(as_linear_way){as_rows(kept->a, m->ff), dout, du, false});
    if (m->config.activation != 0) {
        as_gelu_backward(kept->u, w->du, w->du, rows * m->ff);
    } else {
        as_relu_backward(kept->u, w->du, w->du, rows * m->ff);
    }
    as_linear_backward(pass, &l->up, rows,
                       &(as_linear_way){as_rows(kept->h2, m->d), du, dh, false});
    as_norm_back(pass, &l->norm2, rows, kept->middle, kept->stat2, w->dh, w->dx);
    dout = as_rows(dropped(pass, w, layer, SITE_ATTENTION, size), m->d);
    as_linear_backward(
        pass, &l->output, rows,
        &(as_linear_way){as_columns(w, kept->context), dout, as_columns(w, w->dcontext), false});
    as_attend_backward(pass, w, layer);
    as_project_backward(pass, w, layer);
    as_norm_back(pass, &l->norm1, rows, kept->x, kept->stat1, w->dh, w->dx);
}

void as_pass_run(as_pass *pass, as_scratch *w) {
    const as_model *m = pass->model;
    if (as_blas_ready() != AS_OK) {
        return;
    }
    as_embed_forward(pass, w);
    for (size_t l = 0; l < m->L; l++) {
        as_block_forward(pass, w, l);
    }
    as_answer_forward(pass, w);
    if (pass->gradient == NULL) {
        return;
    }
    as_answer_backward(pass, w);
    if (m->config.kv_from != 0) {
        memset(w->dx0, 0, pass->samples * m->T * m->d * sizeof *w->dx0);
    }
    for (size_t l = m->L; l-- > 0;) {
        as_block_backward(pass, w, l);
    }
    as_embed_backward(pass, w);
}
