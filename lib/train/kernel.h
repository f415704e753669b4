/* kernel: the inner loops of the model, on rows of numbers, each compiled for what processors have.
 * They refuse nothing: sizes are the model's. Private to lib/train. */
#ifndef AS_TRAIN_KERNEL_H
#define AS_TRAIN_KERNEL_H

#include "attnspec/train.h"

/* Numbers in a register of 32 bytes; rows of attention are padded to whole registers. */
enum { AS_LANES = 32 / sizeof(as_real) };
static inline size_t as_padded(size_t count) {
    return (count + AS_LANES - 1) / AS_LANES * AS_LANES;
}
/* What a masked logit is before the softmax: its exponential is 0, and no infinity takes part. */
#define AS_MASKED ((as_real)-1e30)

/* A product of small matrices: c[i][j] = from[i][j] + Σ_k a[i·row + k·col] b[k·ldb + j]; from, which has
 * c's steps, may be c, or NULL for zeros. n is whole registers: what b and c hold beside a matrix, up to
 * there, takes part and is written. */
typedef struct as_small {
    size_t m, n, k;
    size_t row, col; /* steps in a, so that it may be transposed */
    size_t ldb, ldc;
} as_small;
void as_small_product(const as_small *s, const as_real *a, const as_real *b, const as_real *from,
                      as_real *c);
/* y[j·to + i] = x[i·step + j] of x [rows][cols]. */
void as_transpose(const as_real *x, size_t step, size_t rows, size_t cols, as_real *y, size_t to);

/* p [rows][stride] ← softmax of each column, one query's logits of all keys: sums run along columns, so
 * that every number of a register has its own. (T5) */
void as_softmax(as_real *p, size_t rows, size_t stride);
/* dp ← p ∘ (dp − Σ_j dp p), column by column. (T6) */
void as_softmax_backward(const as_real *p, as_real *dp, size_t rows, size_t stride);
/* (a, b) ← (a cos − b sin, a sin + b cos), number by number of cosine and sine [count], so many times
 * one after another; with a and b exchanged it turns back. */
void as_turn_pair(const as_real *cosine, const as_real *sine, size_t count, size_t times,
                  as_real *a, as_real *b);

/* y = (x − mean)/√(var + ε) · weight + bias a row; keeps mean and 1/√… in stat [rows][2]. (T7) */
void as_norm_forward(const as_real *x, const as_real *weight, const as_real *bias, size_t rows,
                     size_t width, as_real *y, as_real *stat);
typedef struct as_norm_gradient {
    as_real *weight, *bias; /* [width], added to */
    as_real *x;             /* [rows][width], added to */
} as_norm_gradient;
void as_norm_backward(const as_real *x, const as_real *stat, const as_real *weight,
                      const as_real *dy, size_t rows, size_t width, const as_norm_gradient *out);

/* y = max(u, 0), NaN of NaN; du = dy but where u ≤ 0. y may be u's place; so may du be dy's. */
void as_relu(const as_real *u, as_real *y, size_t count);
void as_relu_backward(const as_real *u, const as_real *dy, as_real *du, size_t count);
/* y = u Φ(u), with the error function. (T8) */
void as_gelu(const as_real *u, as_real *y, size_t count);
void as_gelu_backward(const as_real *u, const as_real *dy, as_real *du, size_t count);

/* x[i] = 0 where bits i of the key are below `bound`, else x[i]·factor. */
void as_drop_out(as_real *x, size_t count, uint64_t key, uint32_t bound, as_real factor);

void as_add(as_real *x, const as_real *y, size_t count); /* x += y */
void as_scale(as_real *x, as_real factor, size_t count); /* x *= factor */
/* sum += all rows of x [rows][width]. */
void as_sum_rows(const as_real *x, size_t rows, size_t width, as_real *sum);
/* The same of x by columns, [width][step]. */
void as_sum_columns(const as_real *x, size_t step, size_t rows, size_t width, as_real *sum);

/* The numbers of one step of AdamW. (T9) */
typedef struct as_adamw {
    as_real rate, decay;                      /* decay: learning rate times weight decay */
    as_real beta1, beta2, correct1, correct2; /* correct: 1/(1 − beta^step) */
    as_real scale;                            /* on the gradient: of clipping */
} as_adamw;
void as_adamw_update(const as_adamw *a, as_real *theta, as_real *m, as_real *v,
                     const as_real *gradient, size_t count);

#endif
