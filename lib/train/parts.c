/* Linear maps, layer norm and dropout on the rows of a pass, forward and back.
 * It refuses nothing. */
#include "door/blas.h"
#include "train/kernel.h"
#include "train/pass.h"

static void multiply(const as_gemm *g, const as_real *a, const as_real *b, as_real *c) {
    if (sizeof(as_real) > sizeof(float)) {
        as_blas_gemm_f64(g, (const double *)(const void *)a, (const double *)(const void *)b,
                         (double *)(void *)c);
    } else {
        as_blas_gemm_f32(g, (const float *)(const void *)a, (const float *)(const void *)b,
                         (float *)(void *)c);
    }
}

void as_linear_forward(const as_pass *pass, const as_linear *l, size_t rows, const as_real *x,
                       as_real *y) {
    multiply(&(as_gemm){.b_transposed = true,
                        .m = rows,
                        .n = l->out,
                        .k = l->in,
                        .lda = l->in,
                        .ldb = l->in,
                        .ldc = l->out},
             x, pass->theta + l->weight, y);
    if (l->bias != AS_NOT_THERE) {
        as_add_row(y, pass->theta + l->bias, rows, l->out);
    }
}

/* dW += dyᵀ x, db += Σ dy, dx = dy W. */
void as_linear_backward(const as_pass *pass, const as_linear *l, size_t rows,
                        const as_linear_way *way) {
    multiply(&(as_gemm){.a_transposed = true,
                        .m = l->out,
                        .n = l->in,
                        .k = rows,
                        .lda = l->out,
                        .ldb = l->in,
                        .ldc = l->in,
                        .kept = 1},
             way->dy, way->x, pass->gradient + l->weight);
    if (l->bias != AS_NOT_THERE) {
        as_sum_rows(way->dy, rows, l->out, pass->gradient + l->bias);
    }
    if (way->dx != NULL) {
        multiply(&(as_gemm){.m = rows,
                            .n = l->in,
                            .k = l->out,
                            .lda = l->out,
                            .ldb = l->in,
                            .ldc = l->in,
                            .kept = way->add ? 1 : 0},
                 way->dy, pass->theta + l->weight, way->dx);
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

void as_drop(const as_pass *pass, size_t layer, unsigned site, size_t count, as_real *x) {
    double share = pass->model->config.dropout;
    if (!pass->drops || !(share > 0)) {
        return;
    }
    uint64_t key = scramble(pass->drop_key + 0x9e3779b97f4a7c15u * (8 * layer + site + 1));
    as_drop_out(x, count, key, (uint32_t)(share * 0x1p32), (as_real)(1 / (1 - share)));
}
