/* The ends of the model: embeddings with positions, and final norm, pooling, head and loss; forward and
 * back. It refuses nothing: a loss that is no number is seen by the step. */
#include "train/kernel.h"
#include "train/pass.h"

#include <math.h>
#include <string.h>

void as_embed_forward(as_pass *pass, as_scratch *w) {
    const as_model *m = pass->model;
    size_t rows = pass->samples * m->T;
    for (size_t r = 0; r < rows; r++) {
        as_real *x = w->x0 + r * m->d;
        memcpy(x, pass->theta + m->embedding + pass->tokens[r] * m->d, m->d * sizeof *x);
        if (m->positions != AS_NOT_THERE && !pass->bare) {
            as_add(x, pass->theta + m->positions + r % m->T * m->d, m->d);
        }
        if (pass->places->table != NULL && !pass->bare) {
            as_add(x, pass->places->table + r % m->T * m->d, m->d);
        }
    }
    as_drop(pass, 0, AS_DROP_EMBEDDING, rows * m->d, w->x0);
    memcpy(w->layer[0].x, w->x0, rows * m->d * sizeof *w->x0);
}

/* From dx, and dx0 of the layers that look at the embeddings. */
void as_embed_backward(as_pass *pass, as_scratch *w) {
    const as_model *m = pass->model;
    size_t rows = pass->samples * m->T;
    if (m->config.kv_from == AS_KV_FROM_EMBEDDINGS) {
        as_add(w->dx, w->dx0, rows * m->d);
    }
    as_drop(pass, 0, AS_DROP_EMBEDDING, rows * m->d, w->dx);
    for (size_t r = 0; r < rows; r++) {
        as_real *dx = w->dx + r * m->d;
        as_add(pass->gradient + m->embedding + pass->tokens[r] * m->d, dx, m->d);
        if (m->positions != AS_NOT_THERE) {
            as_add(pass->gradient + m->positions + r % m->T * m->d, dx, m->d);
        }
    }
}

/* One over how many positions of a sample are pooled; whether one is. */
static bool pooled(const as_pass *pass, size_t row) {
    return pass->model->config.pool == AS_POOL_ALL || pass->tokens[row] != 0;
}

static as_real pool_factor(const as_pass *pass, size_t sample) {
    size_t T = pass->model->T, count = 0;
    for (size_t i = 0; i < T; i++) {
        count += pooled(pass, sample * T + i);
    }
    return count > 0 ? 1 / (as_real)count : 0;
}

static void pool(const as_pass *pass, const as_real *h, as_real *out) {
    const as_model *m = pass->model;
    memset(out, 0, pass->samples * m->d * sizeof *out);
    for (size_t s = 0; s < pass->samples; s++) {
        as_real *mean = out + s * m->d, factor = pool_factor(pass, s);
        for (size_t i = 0; i < m->T; i++) {
            if (pooled(pass, s * m->T + i)) {
                as_add(mean, h + (s * m->T + i) * m->d, m->d);
            }
        }
        for (size_t j = 0; j < m->d; j++) {
            mean[j] *= factor;
        }
    }
}

static void pool_back(const as_pass *pass, const as_real *dpooled, as_real *dh) {
    const as_model *m = pass->model;
    for (size_t s = 0; s < pass->samples; s++) {
        as_real factor = pool_factor(pass, s);
        for (size_t i = 0; i < m->T; i++) {
            size_t row = s * m->T + i;
            as_real share = pooled(pass, row) ? factor : 0;
            for (size_t j = 0; j < m->d; j++) {
                dh[row * m->d + j] = dpooled[s * m->d + j] * share;
            }
        }
    }
}

/* Cross-entropy of one answer: y [C] becomes its gradient, softmax(y) minus 1 at the label. */
static void answer(as_pass *pass, int32_t label, as_real *y) {
    size_t C = pass->model->classes, best = 0;
    if (label < 0) {
        memset(y, 0, C * sizeof *y);
        return;
    }
    for (size_t c = 1; c < C; c++) {
        best = y[c] > y[best] ? c : best;
    }
    double top = (double)y[best], sum = 0, at_label = (double)y[label] - top;
    for (size_t c = 0; c < C; c++) {
        double e = exp((double)y[c] - top);
        y[c] = (as_real)e;
        sum += e;
    }
    for (size_t c = 0; c < C; c++) {
        y[c] = (as_real)((double)y[c] / sum);
    }
    y[label] -= 1;
    pass->loss += log(sum) - at_label;
    if (pass->each != NULL) {
        pass->each[pass->answers] = best == (size_t)label;
    }
    pass->right += best == (size_t)label;
    pass->answers++;
}

void as_answer_forward(as_pass *pass, as_scratch *w) {
    const as_model *m = pass->model;
    size_t rows = pass->samples * m->T, asked = m->facts.per_position ? rows : pass->samples;
    as_real *h = w->x;
    if (m->config.final_norm == AS_YES) {
        as_norm_run(pass, &m->final_norm, rows, w->x, w->h, w->stat);
        h = w->h;
    }
    if (!m->facts.per_position) {
        pool(pass, h, w->pooled);
        h = w->pooled;
    }
    as_linear_forward(pass, &m->head, asked, as_rows(h, m->d), as_rows(w->y, m->classes));
    for (size_t a = 0; a < asked; a++) {
        answer(pass, pass->labels[a], w->y + a * m->classes);
    }
}

/* Sets dx, the gradient with respect to what the last layer gives. */
void as_answer_backward(as_pass *pass, as_scratch *w) {
    const as_model *m = pass->model;
    size_t rows = pass->samples * m->T;
    bool norm = m->config.final_norm == AS_YES;
    as_real *h = norm ? w->h : w->x;
    as_real *dh = norm ? w->dh : w->dx;
    as_view dy = as_rows(w->y, m->classes);
    if (m->facts.per_position) {
        as_linear_backward(pass, &m->head, rows,
                           &(as_linear_way){as_rows(h, m->d), dy, as_rows(dh, m->d), false});
    } else {
        as_linear_backward(
            pass, &m->head, pass->samples,
            &(as_linear_way){as_rows(w->pooled, m->d), dy, as_rows(w->copy, m->d), false});
        pool_back(pass, w->copy, dh);
    }
    if (norm) {
        memset(w->dx, 0, rows * m->d * sizeof *w->dx);
        as_norm_back(pass, &m->final_norm, rows, w->x, w->stat, dh, w->dx);
    }
}
