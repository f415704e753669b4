/* The inner loops of the model. One body each, compiled for AVX2 and for any processor; the choice is
 * made at run time, so that the same program has the same bits on the same machine.
 * It refuses nothing. */
#include "train/kernel.h"

#include <math.h>
#include <string.h>

#define INLINE static inline __attribute__((always_inline))
/* As aligned as a number: a sample's columns begin anywhere. */
typedef as_real lanes __attribute__((vector_size(32), aligned(sizeof(as_real)), may_alias));

/* KERNEL(name, parameters, arguments): the public function of a body. */
#if defined(__x86_64__)
#define KERNEL(name, parameters, arguments)                                                        \
    __attribute__((target("avx2,fma"))) static void name##_avx2 parameters {                       \
        name##_body arguments;                                                                     \
    }                                                                                              \
    void as_##name parameters {                                                                    \
        if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {                     \
            name##_avx2 arguments;                                                                 \
        } else {                                                                                   \
            name##_body arguments;                                                                 \
        }                                                                                          \
    }
#else
#define KERNEL(name, parameters, arguments)                                                        \
    void as_##name parameters {                                                                    \
        name##_body arguments;                                                                     \
    }
#endif

/* What a tile holds of c: so many rows of two registers, or twice as many of one. */
enum { ROWS = 4 };

INLINE void tile(const as_small *s, const as_real *a, const as_real *b, const as_real *from,
                 as_real *c, size_t rows, bool two) {
    lanes sum[2 * ROWS][2];
    for (size_t i = 0; i < rows; i++) {
        sum[i][0] = sum[i][1] = (lanes){0};
        if (from != NULL) {
            const lanes *at = (const lanes *)(from + i * s->ldc);
            sum[i][0] = at[0];
            sum[i][1] = two ? at[1] : (lanes){0};
        }
    }
    for (size_t k = 0; k < s->k; k++) {
        const lanes *at = (const lanes *)(b + k * s->ldb);
        lanes b0 = at[0], b1 = two ? at[1] : (lanes){0};
        for (size_t i = 0; i < rows; i++) {
            as_real x = a[i * s->row + k * s->col];
            sum[i][0] += x * b0;
            if (two) {
                sum[i][1] += x * b1;
            }
        }
    }
    for (size_t i = 0; i < rows; i++) {
        lanes *at = (lanes *)(c + i * s->ldc);
        at[0] = sum[i][0];
        if (two) {
            at[1] = sum[i][1];
        }
    }
}

INLINE void columns(const as_small *s, const as_real *a, const as_real *b, const as_real *from,
                    as_real *c, size_t rows, bool two) {
    size_t i = 0;
    for (; i + rows <= s->m; i += rows) {
        tile(s, a + i * s->row, b, from != NULL ? from + i * s->ldc : NULL, c + i * s->ldc, rows,
             two);
    }
    for (; i < s->m; i++) {
        tile(s, a + i * s->row, b, from != NULL ? from + i * s->ldc : NULL, c + i * s->ldc, 1, two);
    }
}

INLINE void small_product_body(const as_small *s, const as_real *a, const as_real *b,
                               const as_real *from, as_real *c) {
    size_t j = 0;
    for (; j + 2 * AS_LANES <= s->n; j += 2 * AS_LANES) {
        columns(s, a, b + j, from != NULL ? from + j : NULL, c + j, ROWS, true);
    }
    if (j < s->n) {
        columns(s, a, b + j, from != NULL ? from + j : NULL, c + j, 2 * ROWS, false);
    }
}
KERNEL(small_product,
       (const as_small *s, const as_real *a, const as_real *b, const as_real *from, as_real *c),
       (s, a, b, from, c))

INLINE void transpose_body(const as_real *restrict x, size_t step, size_t rows, size_t cols,
                           as_real *restrict y, size_t to) {
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < cols; j++) {
            y[j * to + i] = x[i * step + j];
        }
    }
}
KERNEL(transpose, (const as_real *x, size_t step, size_t rows, size_t cols, as_real *y, size_t to),
       (x, step, rows, cols, y, to))

INLINE as_real root_of(as_real x) {
    return (as_real)(sizeof(as_real) > sizeof(float) ? sqrt((double)x) : (double)sqrtf((float)x));
}

/* e^x for x ≤ 0, 2^n·e^r with |r| ≤ ln 2/2 and the polynomial of Cephes' expf (Moshier), to 2 units in
 * the last place; 0 below −87, NaN of NaN, so that a step sees it. The C library's in double precision. */
INLINE as_real exp_of(as_real x) {
    if (sizeof(as_real) > sizeof(float)) {
        return (as_real)exp((double)x);
    }
    float y = (float)x, magic = 12582912.0f; /* 1.5·2²³: adding it rounds to a whole number */
    float n = y * 1.44269504f + magic;
    float whole = n - magic;
    float r = y - whole * 0.693359375f + whole * 2.12194440e-4f;
    float p = 1.9875691500e-4f;
    p = p * r + 1.3981999507e-3f;
    p = p * r + 8.3334519073e-3f;
    p = p * r + 4.1665795894e-2f;
    p = p * r + 1.6666665459e-1f;
    p = p * r + 5.0000001201e-1f;
    p = p * r * r + r + 1.0f;
    uint32_t bits;
    memcpy(&bits, &n, sizeof bits);
    bits = (bits - 0x4b400000u + 127) << 23;
    float power;
    memcpy(&power, &bits, sizeof power);
    return y <= -87.0f ? 0 : (as_real)(p * power);
}

/* Columns that are worked on at a time: what is kept of them is in the first cache. */
enum { WIDE = 32 };

INLINE void softmax_body(as_real *p, size_t rows, size_t stride) {
    for (size_t at = 0; at < stride; at += WIDE) {
        size_t width = stride - at < WIDE ? stride - at : WIDE;
        as_real top[WIDE], sum[WIDE] = {0};
        memcpy(top, p + at, width * sizeof *top);
        for (size_t j = 1; j < rows; j++) {
            const as_real *restrict row = p + j * stride + at;
#pragma omp simd
            for (size_t c = 0; c < width; c++) {
                top[c] = row[c] > top[c] ? row[c] : top[c];
            }
        }
        for (size_t j = 0; j < rows; j++) {
            as_real *restrict row = p + j * stride + at;
#pragma omp simd
            for (size_t c = 0; c < width; c++) {
                row[c] = exp_of(row[c] - top[c]);
                sum[c] += row[c];
            }
        }
        for (size_t c = 0; c < width; c++) {
            sum[c] = 1 / sum[c];
        }
        for (size_t j = 0; j < rows; j++) {
            as_real *restrict row = p + j * stride + at;
#pragma omp simd
            for (size_t c = 0; c < width; c++) {
                row[c] *= sum[c];
            }
        }
    }
}
KERNEL(softmax, (as_real * p, size_t rows, size_t stride), (p, rows, stride))

INLINE void softmax_backward_body(const as_real *p, as_real *dp, size_t rows, size_t stride) {
    for (size_t at = 0; at < stride; at += WIDE) {
        size_t width = stride - at < WIDE ? stride - at : WIDE;
        as_real dot[WIDE] = {0};
        for (size_t j = 0; j < rows; j++) {
            const as_real *restrict a = p + j * stride + at, *restrict b = dp + j * stride + at;
#pragma omp simd
            for (size_t c = 0; c < width; c++) {
                dot[c] += a[c] * b[c];
            }
        }
        for (size_t j = 0; j < rows; j++) {
            const as_real *restrict a = p + j * stride + at;
            as_real *restrict b = dp + j * stride + at;
#pragma omp simd
            for (size_t c = 0; c < width; c++) {
                b[c] = a[c] * (b[c] - dot[c]);
            }
        }
    }
}
KERNEL(softmax_backward, (const as_real *p, as_real *dp, size_t rows, size_t stride),
       (p, dp, rows, stride))

INLINE void turn_pair_body(const as_real *cosine, const as_real *sine, size_t count, size_t times,
                           as_real *restrict a, as_real *restrict b) {
    for (size_t at = 0; at < times * count; at += count) {
#pragma omp simd
        for (size_t i = 0; i < count; i++) {
            as_real x = a[at + i], y = b[at + i];
            a[at + i] = x * cosine[i] - y * sine[i];
            b[at + i] = x * sine[i] + y * cosine[i];
        }
    }
}
KERNEL(turn_pair,
       (const as_real *cosine, const as_real *sine, size_t count, size_t times, as_real *a,
        as_real *b),
       (cosine, sine, count, times, a, b))

/* ε of PyTorch's nn.LayerNorm. */
#define NORM_EPSILON ((as_real)1e-5)

INLINE void norm_forward_body(const as_real *x, const as_real *weight, const as_real *bias,
                              size_t rows, size_t width, as_real *y, as_real *stat) {
    for (size_t i = 0; i < rows; i++) {
        const as_real *restrict in = x + i * width;
        as_real *restrict out = y + i * width, sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
        for (size_t j = 0; j < width; j++) {
            sum += in[j];
        }
        as_real mean = sum / (as_real)width;
#pragma omp simd reduction(+ : squares)
        for (size_t j = 0; j < width; j++) {
            squares += (in[j] - mean) * (in[j] - mean);
        }
        as_real factor = 1 / root_of(squares / (as_real)width + NORM_EPSILON);
#pragma omp simd
        for (size_t j = 0; j < width; j++) {
            out[j] = (in[j] - mean) * factor * weight[j] + bias[j];
        }
        stat[2 * i] = mean;
        stat[2 * i + 1] = factor;
    }
}
KERNEL(norm_forward,
       (const as_real *x, const as_real *weight, const as_real *bias, size_t rows, size_t width,
        as_real *y, as_real *stat),
       (x, weight, bias, rows, width, y, stat))

/* With x̂ = (x − mean)·r and g = dy ∘ weight: dx = r (g − mean(g) − x̂ mean(g ∘ x̂)). */
INLINE void norm_backward_body(const as_real *x, const as_real *stat, const as_real *weight,
                               const as_real *dy, size_t rows, size_t width,
                               const as_norm_gradient *out) {
    as_real *restrict dweight = out->weight, *restrict dbias = out->bias;
    for (size_t i = 0; i < rows; i++) {
        const as_real *restrict in = x + i * width, *restrict g = dy + i * width;
        as_real *restrict dx = out->x + i * width;
        as_real mean = stat[2 * i], factor = stat[2 * i + 1], sum = 0, dot = 0;
#pragma omp simd reduction(+ : sum, dot)
        for (size_t j = 0; j < width; j++) {
            as_real unit = (in[j] - mean) * factor, weighted = g[j] * weight[j];
            dweight[j] += g[j] * unit;
            dbias[j] += g[j];
            sum += weighted;
            dot += weighted * unit;
        }
        sum /= (as_real)width;
        dot /= (as_real)width;
#pragma omp simd
        for (size_t j = 0; j < width; j++) {
            dx[j] += factor * (g[j] * weight[j] - sum - (in[j] - mean) * factor * dot);
        }
    }
}
KERNEL(norm_backward,
       (const as_real *x, const as_real *stat, const as_real *weight, const as_real *dy,
        size_t rows, size_t width, const as_norm_gradient *out),
       (x, stat, weight, dy, rows, width, out))

INLINE void relu_body(const as_real *u, as_real *y, size_t count) {
    for (size_t i = 0; i < count; i++) {
        y[i] = u[i] <= 0 ? 0 : u[i];
    }
}
KERNEL(relu, (const as_real *u, as_real *y, size_t count), (u, y, count))

INLINE void relu_backward_body(const as_real *u, const as_real *dy, as_real *du, size_t count) {
    for (size_t i = 0; i < count; i++) {
        du[i] = u[i] <= 0 ? 0 : dy[i];
    }
}
KERNEL(relu_backward, (const as_real *u, const as_real *dy, as_real *du, size_t count),
       (u, dy, du, count))

/* Φ(u) with e = exp(−u²/2): by 7.1.26 of Abramowitz and Stegun (1964), to 7.5e-8. The C library's error
 * function in double precision. */
INLINE as_real normal_below(as_real u, as_real e) {
    if (sizeof(as_real) > sizeof(float)) {
        return (as_real)((1 + erf((double)u * 0.70710678118654752)) / 2);
    }
    float x = (float)u, t = 1 / (1 + 0.3275911f * 0.70710678f * fabsf(x));
    float p = 1.061405429f;
    p = p * t - 1.453152027f;
    p = p * t + 1.421413741f;
    p = p * t - 0.284496736f;
    p = p * t + 0.254829592f;
    p = p * t * (float)e / 2;
    return (as_real)(x > 0 ? 1 - p : p);
}

INLINE void gelu_body(const as_real *u, as_real *y, size_t count) {
    for (size_t i = 0; i < count; i++) {
        y[i] = u[i] * normal_below(u[i], exp_of(-u[i] * u[i] / 2));
    }
}
KERNEL(gelu, (const as_real *u, as_real *y, size_t count), (u, y, count))

/* Φ(u) + u φ(u). */
INLINE void gelu_backward_body(const as_real *u, const as_real *dy, as_real *du, size_t count) {
    for (size_t i = 0; i < count; i++) {
        as_real e = exp_of(-u[i] * u[i] / 2), density = e * (as_real)0.39894228040143268;
        du[i] = dy[i] * (normal_below(u[i], e) + u[i] * density);
    }
}
KERNEL(gelu_backward, (const as_real *u, const as_real *dy, as_real *du, size_t count),
       (u, dy, du, count))

/* Bits of 32, which registers multiply, by Wellons' triple32 ("Prospecting for hash functions", 2018), with
 * half of the key before and half of it after its first product. */
INLINE void drop_out_body(as_real *x, size_t count, uint64_t key, uint32_t bound, as_real factor) {
    uint32_t low = (uint32_t)key, high = (uint32_t)(key >> 32);
    for (size_t i = 0; i < count; i++) {
        uint32_t bits = (uint32_t)i + low;
        bits = ((bits ^ (bits >> 17)) * UINT32_C(0xed5ad4bb)) ^ high;
        bits = (bits ^ (bits >> 11)) * UINT32_C(0xac4c1b51);
        bits = (bits ^ (bits >> 15)) * UINT32_C(0x31848bab);
        bits ^= bits >> 14;
        x[i] = bits < bound ? 0 : x[i] * factor;
    }
}
KERNEL(drop_out, (as_real * x, size_t count, uint64_t key, uint32_t bound, as_real factor),
       (x, count, key, bound, factor))

INLINE void add_body(as_real *restrict x, const as_real *restrict y, size_t count) {
    for (size_t i = 0; i < count; i++) {
        x[i] += y[i];
    }
}
KERNEL(add, (as_real * x, const as_real *y, size_t count), (x, y, count))

INLINE void scale_body(as_real *x, as_real factor, size_t count) {
    for (size_t i = 0; i < count; i++) {
        x[i] *= factor;
    }
}
KERNEL(scale, (as_real * x, as_real factor, size_t count), (x, factor, count))

INLINE void sum_rows_body(const as_real *x, size_t rows, size_t width, as_real *sum) {
    for (size_t i = 0; i < rows; i++) {
        add_body(sum, x + i * width, width);
    }
}
KERNEL(sum_rows, (const as_real *x, size_t rows, size_t width, as_real *sum), (x, rows, width, sum))

INLINE void sum_columns_body(const as_real *x, size_t step, size_t rows, size_t width,
                             as_real *sum) {
    for (size_t j = 0; j < width; j++) {
        const as_real *column = x + j * step;
        as_real total = 0;
#pragma omp simd reduction(+ : total)
        for (size_t i = 0; i < rows; i++) {
            total += column[i];
        }
        sum[j] += total;
    }
}
KERNEL(sum_columns, (const as_real *x, size_t step, size_t rows, size_t width, as_real *sum),
       (x, step, rows, width, sum))

/* PyTorch's AdamW, ε outside the root. Kingma and Ba 2015, Loshchilov and Hutter 2019. */
INLINE void adamw_update_body(const as_adamw *a, as_real *restrict theta, as_real *restrict m,
                              as_real *restrict v, const as_real *restrict gradient, size_t count) {
    const as_adamw c = *a;
    for (size_t i = 0; i < count; i++) {
        as_real g = gradient[i] * c.scale;
        m[i] = c.beta1 * m[i] + (1 - c.beta1) * g;
        v[i] = c.beta2 * v[i] + (1 - c.beta2) * g * g;
        as_real root = root_of(v[i] * c.correct2) + (as_real)1e-8;
        theta[i] -= c.decay * theta[i] + c.rate * (m[i] * c.correct1) / root;
    }
}
KERNEL(adamw_update,
       (const as_adamw *a, as_real *theta, as_real *m, as_real *v, const as_real *gradient,
        size_t count),
       (a, theta, m, v, gradient, count))
