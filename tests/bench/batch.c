/* The batch: content logits QKᵀ/8 (head size 64) with an ALiBi bias and a little noise, seeded.
 * It refuses nothing but a disk that is full. */
#define _POSIX_C_SOURCE 200809L /* mmap, clock_gettime */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

enum { HEAD_DIM = 64, HEADS = 12 };

double seconds_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* splitmix64 (Steele, Lea and Flood 2014), then Box–Muller. */
static double uniform(uint64_t *state) {
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return ((double)((z ^ (z >> 31)) >> 11) + 0.5) * 0x1p-53;
}

static double gaussian(uint64_t *state) {
    double radius = sqrt(-2.0 * log(uniform(state)));
    return radius * cos(6.283185307179586 * uniform(state));
}

static void fill(double *a, double *qk, size_t n, size_t index) {
    uint64_t state = 1000003u * (index + 1) + n;
    const double *q = qk, *k = qk + n * HEAD_DIM;
    for (size_t i = 0; i < 2 * n * HEAD_DIM; i++) {
        qk[i] = gaussian(&state);
    }
    double slope = exp2(-8.0 * (double)(index % HEADS + 1) / HEADS);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < n; j++) {
            double dot = 0.0;
            for (size_t d = 0; d < HEAD_DIM; d++) {
                dot += q[i * HEAD_DIM + d] * k[j * HEAD_DIM + d];
            }
            double distance = i > j ? (double)(i - j) : (double)(j - i);
            a[i * n + j] = dot / 8.0 - slope * distance + 0.01 * gaussian(&state);
        }
    }
}

int batch_write(const char *path, size_t count, size_t n) {
    FILE *file = fopen(path, "wb");
    double *a = malloc(n * n * sizeof *a), *qk = malloc(2 * n * HEAD_DIM * sizeof *qk);
    int ok = file != NULL && a != NULL && qk != NULL;
    for (size_t i = 0; ok && i < count; i++) {
        fill(a, qk, n, i);
        ok = fwrite(a, sizeof *a, n * n, file) == n * n;
    }
    free(a);
    free(qk);
    return file != NULL && fclose(file) == 0 && ok;
}

batch batch_map(const char *path, size_t count, size_t n) {
    batch b = {.count = count, .n = n};
    int file = open(path, O_RDONLY);
    if (file >= 0) {
        void *data = mmap(NULL, count * n * n * sizeof(double), PROT_READ, MAP_SHARED, file, 0);
        b.data = data == MAP_FAILED ? NULL : data;
        close(file);
    }
    return b;
}
