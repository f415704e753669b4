/* Training beside torch: the same model with the same weights, forward, backward and AdamW, on one thread and
 * on two; and how near it comes to SGEMM. It refuses sides that disagree in the loss of a batch. */
#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "attnspec/attnspec.h"

/* Steps of a round take torch a second or three. A whole batch of paper takes it many gigabytes. */
static const struct sizes {
    const char *preset, *batch, *steps;
} sizes[] = {{"tiny", "128", "steps 40\n"},
             {"small", "128", "steps 15\n"},
             {"deposit", "128", "steps 6\n"},
             {"paper", "64", "steps 1\n"}};

/* Both sides keep their memory: glibc would give it back and take it anew each step, which halves torch.
 * Threads of OpenMP that wait without sleeping take twenty times as long where others compute too. */
#define TUNED                                                                                      \
    "MALLOC_TOP_PAD_", "268435456", "MALLOC_TRIM_THRESHOLD_", "17179869184", "MALLOC_MMAP_MAX_",   \
        "0", "OMP_WAIT_POLICY", "passive"
static const char *const on_one[] = {TUNED, "OPENBLAS_NUM_THREADS", "1", "OMP_NUM_THREADS", "1",
                                     NULL};
static const char *const on_two[] = {TUNED, "OPENBLAS_NUM_THREADS", "2", "OMP_NUM_THREADS", "2",
                                     NULL};

#define WEIGHTS FOLDER "train.bin"

/* Of a sample, forward and back: 6 for each weight of a linear map and position, those of the head once;
 * 12·T²·d a layer for attention's two products. */
static double flop_of(const as_train_config *c, size_t classes) {
    double T = (double)c->n, d = (double)c->dim, ff = (double)c->ff;
    double maps = (4 * d * d + 2 * d * ff) * T * 6, attention = 12 * T * T * d;
    return (double)c->layers * (maps + attention) + 6 * d * (double)classes;
}

static as_train_config config_of(const struct sizes *s) {
    as_train_config c;
    if (as_train_preset(s->preset, NULL, &c) != AS_OK ||
        as_train_config_set(&c, "batch", s->batch) != AS_OK ||
        as_train_config_resolve(&c) != AS_OK) {
        die(s->preset, as_message());
    }
    return c;
}

/* "PARAMETERS LOSS CLASSES" of each peer; they must agree. */
static size_t open_peers(peer *peers, size_t count, size_t *parameters) {
    size_t classes = 0;
    double loss = 0;
    for (size_t i = 0; i < count; i++) {
        char *rest;
        size_t has = strtoul(open_peer(&peers[i]), &rest, 10);
        double its = strtod(rest, &rest);
        if (i == 0) {
            *parameters = has;
            loss = its;
            classes = strtoul(rest, NULL, 10);
        }
        if (has != *parameters || !(fabs(its - loss) <= 1e-5 * loss)) {
            fprintf(stderr, "bench: %s has %zu parameters and loss %.9g, attnspec %zu and %.9g\n",
                    peers[i].title, has, its, *parameters, loss);
            exit(EXIT_FAILURE);
        }
    }
    return classes;
}

/* One row: samples a second, and the ratio of seconds to `ours` of the same round. */
static void print_row(const peer *p, double samples, const peer *ours) {
    double rates[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        rates[i] = samples / p->seconds[i];
    }
    spread s = spread_of(rates), r = ratios_of(p->seconds, ours->seconds);
    printf("  %-22s %7.0f /s [%7.0f %7.0f]   %5.2f [%5.2f %5.2f]\n", p->title, s.median, s.min,
           s.max, r.median, r.min, r.max);
}

/* GFLOP/s of cblas_sgemm in the process that trains, after each round. */
typedef struct gemm {
    double shapes[ROUNDS], square[ROUNDS]; /* on those of the model's maps, and of order 1024 */
} gemm;

static void ask_gemm(peer *ours, size_t round, gemm *g) {
    char *rest;
    settle();
    g->shapes[round] = strtod(ask(ours, "gemm\n"), &rest);
    g->square[round] = strtod(rest, NULL);
}

static void print_flops(const peer *ours, double flop, const gemm *g) {
    double reached[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        reached[i] = 1e-9 * flop / ours->seconds[i];
    }
    spread r = spread_of(reached), share = ratios_of(reached, g->shapes);
    printf("  1 thread, GFLOP/s: %.1f, which is %.2f [%.2f %.2f] of cblas_sgemm's %.1f on the "
           "shapes of its maps; %.1f at 1024³\n",
           r.median, share.median, share.min, share.max, spread_of(g->shapes).median,
           spread_of(g->square).median);
}

static void bench_preset(const struct sizes *s, const char *python) {
    peer peers[4] = {{.title = "attnspec, 1 thread",
                      .words = {"/proc/self/exe", "--train", s->preset, s->batch, "1", WEIGHTS},
                      .set = on_one},
                     {.title = "attnspec, 2 threads",
                      .words = {"/proc/self/exe", "--train", s->preset, s->batch, "2", "/dev/null"},
                      .set = on_one},
                     {.title = "torch, 1 thread",
                      .words = {python, "tests/bench/train_peer.py", WEIGHTS, "1"},
                      .set = on_one},
                     {.title = "torch, 2 threads",
                      .words = {python, "tests/bench/train_peer.py", WEIGHTS, "2"},
                      .set = on_two}};
    as_train_config c = config_of(s);
    gemm g;
    size_t count = python ? 4 : 2, parameters;
    double flop = flop_of(&c, open_peers(peers, count, &parameters));
    double samples = (double)c.batch * strtod(s->steps + strlen("steps "), NULL);
    for (size_t i = 0; i < count; i++) {
        ask(&peers[i], s->steps); /* warms up */
    }
    for (size_t round = 0; round < ROUNDS; round++) {
        take_turns(peers, count, round, s->steps);
        ask_gemm(&peers[0], round, &g);
    }
    printf(
        "\ntraining, preset %s: %zu positions, %zu layers of %zu heads, width %zu, %zu parameters, "
        "batches of %zu\n  %-22s %10s [%7s %7s]   %5s [%5s %5s]\n",
        s->preset, c.n, c.layers, c.heads, c.dim, parameters, c.batch, "", "median", "min", "max",
        "ratio", "min", "max");
    for (size_t i = 0; i < count; i++) {
        print_row(&peers[i], samples, &peers[i % 2]);
    }
    print_flops(&peers[0], flop * samples, &g);
    close_peers(peers, count);
    remove(WEIGHTS);
}

void bench_training(void) {
    const char *python = find_python("torch");
    if (python == NULL) {
        puts("Neither python3 nor /usr/bin/python3 has torch (make deps-bench installs it):\n"
             "attnspec is trained alone.");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bench_preset(&sizes[i], python);
    }
}
