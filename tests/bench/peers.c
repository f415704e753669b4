/* The two sides in C: ours, and what a good C programmer writes without it: dgesdd without vectors,
 * plain threads over the matrices, BLAS at one thread. No side checks more than its own status. */
#define _POSIX_C_SOURCE 200809L /* getline */
#include "bench.h"

#include <lapacke.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attnspec/attnspec.h"

extern void openblas_set_num_threads(int) __attribute__((weak));

typedef struct ours {
    const batch *b;
    as_spectrum_work **work;
    double *sigma;
    atomic_int failed;
} ours;

static void one(void *context, size_t index, size_t worker) {
    ours *o = context;
    size_t n = o->b->n;
    as_matrix a = {.rows = n, .cols = n, .capacity = n * n};
    a.data = (double *)(uintptr_t)(o->b->data + index * n * n); /* read, never written */
    if (as_singular_values(&a, AS_DRIVER_AUTO, o->work[worker], o->sigma + index * n, NULL) !=
        AS_OK) {
        o->failed = 1;
    }
}

int solve_ours(const batch *b, size_t threads, double *sigma) {
    ours o = {.b = b, .sigma = sigma, .work = calloc(threads, sizeof *o.work)};
    for (size_t i = 0; i < threads; i++) {
        if (as_spectrum_work_new(b->n, b->n, &o.work[i]) != AS_OK) {
            o.failed = 1;
        }
    }
    if (!o.failed && as_parallel_for(b->count, threads, one, &o) != AS_OK) {
        o.failed = 1;
    }
    for (size_t i = 0; i < threads; i++) {
        as_spectrum_work_free(o.work[i]);
    }
    free(o.work);
    return o.failed;
}

typedef struct raw {
    const batch *b;
    double *sigma;
    atomic_size_t next;
    atomic_int failed;
} raw;

static void *raw_run(void *context) {
    raw *r = context;
    size_t n = r->b->n;
    lapack_int order = (lapack_int)n;
    double *a = malloc(n * n * sizeof *a), query = 0.0, unused;
    lapack_int *iwork = malloc(8 * n * sizeof *iwork);
    LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', order, order, a, order, NULL, &unused, 1, &unused, 1,
                        &query, -1, iwork);
    lapack_int lwork = (lapack_int)query;
    double *work = malloc((size_t)lwork * sizeof *work);
    for (size_t i; (i = atomic_fetch_add(&r->next, 1)) < r->b->count;) {
        memcpy(a, r->b->data + i * n * n, n * n * sizeof *a);
        if (LAPACKE_dgesdd_work(LAPACK_COL_MAJOR, 'N', order, order, a, order, r->sigma + i * n,
                                &unused, 1, &unused, 1, work, lwork, iwork) != 0) {
            r->failed = 1;
        }
    }
    free(a);
    free(iwork);
    free(work);
    return NULL;
}

int solve_lapack(const batch *b, size_t threads, double *sigma) {
    if (openblas_set_num_threads) {
        openblas_set_num_threads(1);
    }
    raw r = {.b = b, .sigma = sigma};
    pthread_t *thread = calloc(threads, sizeof *thread);
    size_t started = 1;
    while (started < threads && pthread_create(&thread[started], NULL, raw_run, &r) == 0) {
        started++;
    }
    raw_run(&r);
    for (size_t i = 1; i < started; i++) {
        pthread_join(thread[i], NULL);
    }
    free(thread);
    return r.failed || started < threads;
}

static int save(const char *path, const double *sigma, size_t count) {
    FILE *file = fopen(path, "wb");
    return file != NULL && fwrite(sigma, sizeof *sigma, count, file) == count && fclose(file) == 0;
}

int peer_serve(solve *side, const batch *b) {
    char *line = NULL;
    size_t room = 0, values = b->count * b->n;
    double *sigma = calloc(values, sizeof *sigma);
    int ok = sigma != NULL && b->data != NULL;
    if (ok) {
        printf("%s of %s\n", as_blas_core(), as_blas_path());
    }
    while (ok && fflush(stdout) == 0 && getline(&line, &room, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "save ", 5) == 0) {
            ok = save(line + 5, sigma, values);
            puts("saved");
        } else {
            double start = seconds_now();
            ok = side(b, as_threads_available(), sigma) == 0;
            printf("%.9f\n", seconds_now() - start);
        }
    }
    free(line);
    free(sigma);
    return ok ? EXIT_SUCCESS : EXIT_FAILURE;
}
