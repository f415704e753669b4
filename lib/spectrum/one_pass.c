/* Bidiagonalisation in one pass over the matrix a step, equation S1 of docs/maths.md, after Howell,
 * Demmel, Fulton, Hammarling and Marmol, "Cache efficient bidiagonalization using BLAS 2.5
 * operators", ACM TOMS 34(3), 2008: the rank-2 update of the step before, the product Bᵀv and the
 * product Br are done while four columns are in the first-level cache. dgebrd reads the matrix twice
 * a step and writes it once more.
 * It refuses what is not square or too large for that: as_one_pass_takes(). */
#include "spectrum/one_pass.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

/* One register of AVX-512, two of AVX2, four of SSE2 or NEON: the compiler splits it. */
typedef double lanes __attribute__((vector_size(64), may_alias));
enum { LANES = 8, BLOCK = 4 };

/* Less than a register's worth of rows is not worth the way. */
enum { SMALLEST = LANES };

/* Columns whose squares sum to less, against a largest entry near 1, are zero to any precision of
 * interest; above it no square that matters has underflowed. */
#define NEGLIGIBLE 0x1p-900

/* Column-major B, the transpose of a row-major A, with the same singular values. Vectors are zero
 * outside the rows they act on, so every loop runs over whole lanes. */
typedef struct reduction {
    size_t n, stride;                /* stride: rows up to whole lanes, and lanes to spare so
                                             that columns do not fall on the same cache set */
    double *b;                       /* [n+BLOCK][stride], the last BLOCK columns zero */
    double *v, *x, *y, *u;           /* the update that is pending: B −= v yᵀ + x uᵀ */
    double *v_next, *y_next, *r, *w; /* of this step */
} reduction;

static size_t stride_of(size_t n) {
    return (n + LANES - 1) / LANES * LANES + LANES;
}

bool as_one_pass_takes(size_t rows, size_t cols) {
    return rows == cols && rows >= SMALLEST && rows <= AS_ONE_PASS_LARGEST;
}

size_t as_one_pass_scratch(size_t n) {
    return (n + BLOCK + 8) * stride_of(n);
}

#define INLINE static inline __attribute__((always_inline))

INLINE double sum_of(const lanes *a) {
    const lanes s = *a;
    return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

/* Rows first … stride of four columns c: the pending update with their entries of y and u, then
 * dots[q] = column·v_next. */
INLINE void update_and_dot(const reduction *s, size_t first, size_t j, double dots[BLOCK]) {
    lanes *c0 = (lanes *)(s->b + j * s->stride), *c1 = (lanes *)(s->b + (j + 1) * s->stride);
    lanes *c2 = (lanes *)(s->b + (j + 2) * s->stride), *c3 = (lanes *)(s->b + (j + 3) * s->stride);
    const lanes *v = (const lanes *)s->v, *x = (const lanes *)s->x;
    const lanes *next = (const lanes *)s->v_next;
    double y0 = s->y[j], y1 = s->y[j + 1], y2 = s->y[j + 2], y3 = s->y[j + 3];
    double u0 = s->u[j], u1 = s->u[j + 1], u2 = s->u[j + 2], u3 = s->u[j + 3];
    lanes d0 = {0}, d1 = {0}, d2 = {0}, d3 = {0};
    for (size_t i = first / LANES; i < s->stride / LANES - 1; i++) {
        lanes p = v[i], q = x[i], t = next[i];
        lanes b0 = c0[i] - p * y0 - q * u0, b1 = c1[i] - p * y1 - q * u1;
        lanes b2 = c2[i] - p * y2 - q * u2, b3 = c3[i] - p * y3 - q * u3;
        c0[i] = b0, c1[i] = b1, c2[i] = b2, c3[i] = b3;
        d0 += b0 * t, d1 += b1 * t, d2 += b2 * t, d3 += b3 * t;
    }
    dots[0] = sum_of(&d0), dots[1] = sum_of(&d1), dots[2] = sum_of(&d2), dots[3] = sum_of(&d3);
}

/* w += Σ_q r[j+q]·column j+q, while the columns are still in the cache. */
INLINE void accumulate(const reduction *s, size_t first, size_t j) {
    const lanes *c0 = (const lanes *)(s->b + j * s->stride);
    const lanes *c1 = (const lanes *)(s->b + (j + 1) * s->stride);
    const lanes *c2 = (const lanes *)(s->b + (j + 2) * s->stride);
    const lanes *c3 = (const lanes *)(s->b + (j + 3) * s->stride);
    double r0 = s->r[j], r1 = s->r[j + 1], r2 = s->r[j + 2], r3 = s->r[j + 3];
    lanes *w = (lanes *)s->w;
    for (size_t i = first / LANES; i < s->stride / LANES - 1; i++) {
        w[i] += (c0[i] * r0 + c1[i] * r1) + (c2[i] * r2 + c3[i] * r3);
    }
}

/* The reflection I − τ z zᵀ that takes z to (β, 0, …), z[k] the first entry: z becomes its vector
 * with z[k] = 1. Returns τ, 0 where there is nothing to reflect. */
INLINE double reflect(double *z, size_t k, size_t count, double *beta) {
    lanes sum = {0};
    double alpha = z[k];
    size_t first = k / LANES * LANES;
    z[k] = 0;
    for (size_t i = first / LANES; i < (count + LANES - 1) / LANES; i++) {
        lanes t = ((const lanes *)z)[i];
        sum += t * t;
    }
    double tail = sum_of(&sum);
    if (tail < NEGLIGIBLE) {
        *beta = alpha;
        memset(z + first, 0, (count - first) * sizeof *z);
        z[k] = 1;
        return 0;
    }
    *beta = -copysign(sqrt(alpha * alpha + tail), alpha);
    double scale = 1 / (alpha - *beta);
    for (size_t i = first / LANES; i < (count + LANES - 1) / LANES; i++) {
        ((lanes *)z)[i] *= scale;
    }
    z[k] = 1;
    return (*beta - alpha) / *beta;
}

/* Column k with the pending update, rows k … n, into v_next. */
INLINE void take_column(const reduction *s, size_t k) {
    size_t first = k / LANES * LANES;
    const double *c = s->b + k * s->stride;
    for (size_t i = first; i < s->stride; i++) {
        s->v_next[i] = i < k ? 0 : c[i] - s->v[i] * s->y[k] - s->x[i] * s->u[k];
    }
}

/* From the right reflection's vector u (in s->r, made of r) the pending x = τ·(B − v yᵀ)u, where
 * Bu = (w − β·b_{k+1})/(r_{k+1} − β) since u is r − β e scaled. */
INLINE void make_x(const reduction *s, size_t k, double tau, double beta, double scale) {
    size_t first = k / LANES * LANES;
    const double *c = s->b + (k + 1) * s->stride;
    double yu = 0;
    for (size_t j = k + 1; j < s->n; j++) {
        yu += s->y_next[j] * s->r[j];
    }
    for (size_t i = first; i < s->stride; i++) {
        double bu = (s->w[i] - beta * c[i]) * scale;
        s->x[i] = i < k ? 0 : tau * (bu - s->v_next[i] * yu);
    }
}

static void swap(double **a, double **b) {
    double *kept = *a;
    *a = *b;
    *b = kept;
}

INLINE void reduce(reduction s, double *d, double *e) {
    for (size_t k = 0; k < s.n; k++) {
        size_t first = k / LANES * LANES;
        take_column(&s, k);
        double tau = reflect(s.v_next, k, s.n, &d[k]);
        if (k + 1 == s.n) {
            return;
        }
        memset(s.w + first, 0, (s.stride - first) * sizeof *s.w);
        for (size_t j = k + 1; j < s.n; j += BLOCK) {
            double dots[BLOCK];
            update_and_dot(&s, first, j, dots);
            for (size_t q = 0; q < BLOCK; q++) {
                s.y_next[j + q] = tau * dots[q];
                s.r[j + q] = s.b[(j + q) * s.stride + k] - s.y_next[j + q];
            }
            accumulate(&s, first, j);
        }
        memset(s.r + (k + 1) / LANES * LANES, 0, ((k + 1) % LANES) * sizeof *s.r);
        double alpha = s.r[k + 1], right = reflect(s.r, k + 1, s.n, &e[k]);
        make_x(&s, k, right, e[k], right != 0 ? 1 / (alpha - e[k]) : 0);
        swap(&s.v, &s.v_next);
        swap(&s.y, &s.y_next);
        swap(&s.u, &s.r);
    }
}

/* One body, compiled for what processors have; the first that this one runs is taken. */
static void reduce_portable(reduction s, double *d, double *e) {
    reduce(s, d, e);
}
static bool always(void) {
    return true;
}
#if defined(__x86_64__)
__attribute__((target("avx2,fma"))) static void reduce_avx2(reduction s, double *d, double *e) {
    reduce(s, d, e);
}
__attribute__((target("avx512f"))) static void reduce_avx512(reduction s, double *d, double *e) {
    reduce(s, d, e);
}
static bool has_avx2(void) {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
}
static bool has_avx512(void) {
    return __builtin_cpu_supports("avx512f");
}
#endif

typedef struct kernel {
    const char *name;
    bool (*runs)(void);
    void (*reduce)(reduction s, double *d, double *e);
} kernel;
static const kernel kernels[] = {
#if defined(__x86_64__)
    {"avx512f", has_avx512, reduce_avx512},
    {"avx2", has_avx2, reduce_avx2},
#endif
    {"portable", always, reduce_portable},
};

/* The index-th kernel that this processor runs. */
static const kernel *find(size_t index) {
    for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++) {
        if (kernels[i].runs() && index-- == 0) {
            return &kernels[i];
        }
    }
    return NULL;
}

const char *as_one_pass_kernel(size_t index) {
    const kernel *found = find(index);
    return found != NULL ? found->name : NULL;
}

/* Largest magnitude, on the bits: as integers, magnitudes of doubles are in order. */
static double largest(const double *a, size_t count) {
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &a[i], sizeof bits);
        bits &= INT64_MAX;
        most = bits > most ? bits : most;
    }
    double value;
    memcpy(&value, &most, sizeof value);
    return value;
}

int as_one_pass_reduce_by(size_t index, size_t n, const double *a, double *d, double *e,
                          double *scratch) {
    size_t stride = stride_of(n);
    memset(scratch, 0, as_one_pass_scratch(n) * sizeof *scratch);
    double *vectors = scratch + (n + BLOCK) * stride;
    reduction s = {n,
                   stride,
                   scratch,
                   vectors,
                   vectors + stride,
                   vectors + 2 * stride,
                   vectors + 3 * stride,
                   vectors + 4 * stride,
                   vectors + 5 * stride,
                   vectors + 6 * stride,
                   vectors + 7 * stride};
    int exponent = 0;
    frexp(largest(a, n * n), &exponent);
    /* Two factors: 2^1074, which the smallest subnormal needs, is no double. */
    double half = ldexp(1, -exponent / 2), rest = ldexp(1, -exponent - -exponent / 2);
    for (size_t j = 0; j < n; j++) {
        for (size_t i = 0; i < n; i++) {
            s.b[j * stride + i] = a[j * n + i] * half * rest;
        }
    }
    find(index)->reduce(s, d, e);
    return exponent;
}

int as_one_pass_reduce(size_t n, const double *a, double *d, double *e, double *scratch) {
    return as_one_pass_reduce_by(0, n, a, d, e, scratch);
}
