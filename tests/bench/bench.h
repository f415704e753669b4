/* bench: the parts of the benchmark, the children that are timed, and what both need. */
#ifndef AS_TESTS_BENCH_H
#define AS_TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/types.h>

/* ---- Rounds (rounds.c) ---- */

enum { ROUNDS = 5, MAX_WORDS = 8 };
#define FOLDER "build/bench/"

/* A long-lived child that answers one line a question, its first one unasked. */
typedef struct peer {
    const char *title;
    const char *words[MAX_WORDS];
    const char *const *set; /* names and values in its environment, NULL at the end; or NULL */
    pid_t process;
    FILE *to, *from;
    double seconds[ROUNDS];
} peer;

void die(const char *what, const char *of);
/* Runs a program to its end; whether it ended well. */
bool run(const char *const *words);
/* The first of python3 and /usr/bin/python3 that has the modules ("numpy, h5py"), or NULL. */
const char *find_python(const char *modules);

/* Starts a peer; its first line. */
const char *open_peer(peer *p);
/* Says something to a peer and gives its one line of answer, without the newline. */
const char *ask(peer *p, const char *question);
/* A round of ROUNDS: the same question to all, each time from another one on; answers are seconds. */
void take_turns(peer *peers, size_t count, size_t round, const char *question);
void close_peers(peer *peers, size_t count);
/* An idle BLAS spins for a while after its work: nobody is to pay for a neighbour's. */
void settle(void);
double seconds_now(void);

typedef struct spread {
    double median, min, max;
} spread;
spread spread_of(const double values[ROUNDS]);
/* Of a[i]/b[i], which are of the same round. */
spread ratios_of(const double a[ROUNDS], const double b[ROUNDS]);

/* ---- Singular values of a batch (batch.c, peers.c) ---- */

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

/* The child: it answers "time" with the seconds of one repetition and "save PATH" by writing its
 * singular values. Returns an exit status. */
int peer_serve(solve *side, const batch *b);

/* ---- Training (train.c, train_side.c) ---- */

void bench_training(void);

/* The child: a model of a preset, with batches of so many samples. It writes weights and one batch to the
 * file, for the other side to begin with, and says the number of its parameters, the loss of that batch
 * without dropout, and the number of classes. "steps N" is answered with seconds, "gemm" with the GFLOP/s of
 * cblas_sgemm on the shapes of the model's maps and on matrices of order 1024. Returns an exit status. */
int train_serve(const char *preset, const char *samples, size_t threads, const char *path);

#endif
