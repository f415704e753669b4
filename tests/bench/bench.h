/* bench: the batch that every side works on, and the sides written in C. */
#ifndef AS_TESTS_BENCH_H
#define AS_TESTS_BENCH_H

#include <stddef.h>

/* count square matrices of order n, [count][n][n], in a file that every process maps. */
typedef struct batch {
    size_t count, n;
    const double *data;
} batch;

/* Writes the same numbers for the same shape on every machine with the same libm; false on failure. */
int batch_write(const char *path, size_t count, size_t n);
/* Maps the file; data is NULL on failure. */
batch batch_map(const char *path, size_t count, size_t n);

/* Singular values of the whole batch, [count][n], on `threads` threads; 0 on success. */
typedef int solve(const batch *b, size_t threads, double *sigma);
solve solve_ours, solve_lapack;

/* A long-lived child: it answers "time" with the seconds of one repetition and "save PATH" by
 * writing its singular values. Returns an exit status. */
int peer_serve(solve *side, const batch *b);

double seconds_now(void);

#endif
