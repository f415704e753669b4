/* Linear maps, layer norm and dropout on the rows of a pass, forward and back.
 * It refuses nothing. */
#include "door/blas.h"
#include "train/kernel.h"
#include "train/pass.h"

#include <string.h>

static void multiply(const as_gemm *g, const as_real *a, const as_real *b, as_real *c) {
    if (sizeof(as_real) > sizeof(float)) {
        as_blas_gemm_f64(g, (const double *)(const void *)a, (const double *)(const void *)b,
                         (double *)(void *)c);
    } else {
        as_blas_gemm_f32(g, (const float *)(const void *)a, (const float *)(const void *)b,
                         (float *)(void *)c);
    }
}

/* y ← b at every row, so that the product is added to it. */
static void begin_with_bias(const as_real *bias, size_t rows, size_t width, const as_view *y) {
    for (size_t i = 0; i < rows && !y->columns; i++) {
        memcpy(y->data + i * y->step, bias, width * sizeof *bias);
    }
    for (size_t j = 0; j < width && y->columns; j++) {
        for (size_t i = 0; i < rows; i++) {
            y->data[j * y->step + i] = bias[j];
        }
    }
}

/* By columns it is yᵀ = W xᵀ. */
void as_linear_forward(const as_pass *pass, const as_linear *l, size_t rows, as_view x, as_view y) {
    const as_real *weight = pass->theta + l->weight;
    as_gemm g = {.k = l->in, .ldc = y.step, .kept = l->bias != AS_NOT_THERE ? 1 : 0};
    if (l->bias != AS_NOT_THERE) {
        begin_with_bias(pass->theta + l->bias, rows, l->out, &y);
    }
    if (y.columns) {
        g.m = l->out, g.n = rows, g.lda = l->in, g.ldb = x.step;
        g.b_transposed = !x.columns;
        multiply(&g, weight, x.data, y.data);
    } else {
        g.m = rows, g.n = l->out, g.lda = x.step, g.ldb = l->in;
        g.a_transposed = x.columns, g.b_transposed = true;
        multiply(&g, x.data, weight, y.data);
    }
}

/* dW += dyᵀ x, db += Σ dy, dx = dy W; by columns dxᵀ = Wᵀ dyᵀ. */
void as_linear_backward(const as_pass *pass, const as_linear *l, size_t rows,
                        const as_linear_way *way) {
    const as_real *weight = pass->theta + l->weight;
    as_view x = way->x, dy = way->dy, dx = way->dx;
    as_gemm to_weight = {.a_transposed = !dy.columns,
                         .b_transposed = x.columns,
                         .m = l->out,
                         .n = l->in,
                         .k = rows,
                         .lda = dy.step,
                         .ldb = x.step,
                         .ldc = l->in,
                         .kept = 1};
    multiply(&to_weight, dy.data, x.data, pass->gradient + l->weight);
    if (l->bias != AS_NOT_THERE && dy.columns) {
        as_sum_columns(dy.data, dy.step, rows, l->out, pass->gradient + l->bias);
    } else if (l->bias != AS_NOT_THERE) {
        as_sum_rows(dy.data, rows, l->out, pass->gradient + l->bias);
    }
    as_gemm to_x = {.k = l->out, .ldc = dx.step, .kept = way->add ? 1 : 0};
    if (dx.columns) {
        to_x.m = l->in, to_x.n = rows, to_x.lda = l->in, to_x.ldb = dy.step;
        to_x.a_transposed = true, to_x.b_transposed = !dy.columns;
        multiply(&to_x, weight, dy.data, dx.data);
    } else {
        to_x.m = rows, to_x.n = l->in, to_x.lda = dy.step, to_x.ldb = l->in;
        to_x.a_transposed = dy.columns;
        multiply(&to_x, dy.data, weight, dx.data);
    }
}

void as_norm_run(const as_pass *pass, const as_layer_norm *norm, size_t rows, const as_real *x,
                 as_real *h, as_real *stat) {
    as_norm_forward(x, pass->theta + norm->weight, pass->theta + norm->bias, rows, pass->model->d,
                    h, stat);
}

void as_norm_back(const as_pass *pass, const as_layer_norm *norm, size_t rows, const as_real *x,
                  const as_real *stat, const as_real *dh, as_real *dx) {
    const as_norm_gradient out = {
        .weight = pass->gradient + norm->weight, .bias = pass->gradient + norm->bias, .x = dx};
    as_norm_backward(x, stat, pass->theta + norm->weight, dh, rows, pass->model->d, &out);
}

/* splitmix64's finaliser (Steele, Lea and Flood 2014): a key of its own for each place, so that the way
 * back drops what the way forward did and nothing is kept. */
static uint64_t scramble(uint64_t z) {
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

uint64_t as_drop_key(uint64_t seed, uint64_t first) {
    return scramble(seed) ^ first;
}

void as_drop(const as_pass *pass, size_t layer, as_drop_site site, size_t count, as_real *x) {
    double share = pass->model->config.dropout;
    if (!pass->drops || !(share > 0)) {
        return;
    }
    uint64_t key =
        scramble(pass->drop_key + 0x9e3779b97f4a7c15u * (8 * layer + (unsigned)site + 1));
    as_drop_out(x, count, key, (uint32_t)(share * 0x1p32), (as_real)(1 / (1 - share)));
}
