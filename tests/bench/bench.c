/* make bench: singular values of a batch, the whole command, and training, against what people use now.
 * All sides take turns in one run; sides that disagree in the numbers are not timed.
 *   usage: bench [spectra|command|train]...     in the project's root; needs build/release/bin/attnspec
 *          bench --peer ours|lapack FILE COUNT N, bench --train PRESET BATCH THREADS FILE
 *                                               (its own children) */
#include "bench.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { COUNT = 144, PEERS = 4 };
#define PYTHON_MODULES "numpy, h5py"

/* The largest difference from the first peer's values, relative to σ₁ of the matrix. */
static double disagreement(const char *ours, const char *theirs, size_t n) {
    FILE *a = fopen(ours, "rb"), *b = fopen(theirs, "rb");
    double *s = malloc(2 * n * sizeof *s), *t = s + n, worst = 0.0;
    for (size_t i = 0; i < COUNT; i++) {
        if (!a || !b || fread(s, sizeof *s, n, a) != n || fread(t, sizeof *t, n, b) != n) {
            die("cannot read back", theirs);
        }
        for (size_t k = 0; k < n; k++) {
            worst = fmax(worst, fabs(s[k] - t[k]) / s[0]);
        }
    }
    fclose(a);
    fclose(b);
    free(s);
    return worst;
}

/* One row: seconds, and the ratios to `ours` of the same round. */
static void print_row(const char *title, const double *seconds, const double *ours) {
    spread s = spread_of(seconds), r = ratios_of(seconds, ours);
    printf("  %-22s %7.3f s [%7.3f %7.3f]   %5.2f [%5.2f %5.2f]\n", title, s.median, s.min, s.max,
           r.median, r.min, r.max);
}

static void print_head(const char *what) {
    printf("\n%s\n  %-22s %9s [%7s %7s]   %5s [%5s %5s]\n", what, "", "median", "min", "max",
           "ratio", "min", "max");
}

static void open_peers(peer *peers, size_t count, size_t n, bool show_kernel) {
    char saved[PEERS][64], question[96];
    for (size_t i = 0; i < count; i++) {
        peer *p = &peers[i];
        const char *kernel = open_peer(p);
        if (show_kernel) {
            printf("  %-22s BLAS kernel %s\n", p->title, kernel);
        }
        ask(p, "time\n"); /* the first repetition warms up and gives the values to compare */
        snprintf(saved[i], sizeof saved[i], FOLDER "sigma_%zu", i);
        snprintf(question, sizeof question, "save %s\n", saved[i]);
        ask(p, question);
        double worst = disagreement(saved[0], saved[i], n);
        if (!(worst <= 1e-12)) {
            fprintf(stderr, "bench: %s differs from attnspec by %g of s1\n", p->title, worst);
            exit(EXIT_FAILURE);
        }
    }
    for (size_t i = 0; i < count; i++) {
        remove(saved[i]);
    }
}

static void bench_batch(const char *python, size_t n, bool show_kernel) {
    static const char *const blas_at_one[] = {"OPENBLAS_NUM_THREADS", "1", "MKL_NUM_THREADS", "1",
                                              NULL};
    char path[64], count_word[24], n_word[24];
    snprintf(path, sizeof path, FOLDER "batch_%zu.f64", n);
    snprintf(count_word, sizeof count_word, "%d", COUNT);
    snprintf(n_word, sizeof n_word, "%zu", n);
    if (!batch_write(path, COUNT, n)) {
        die("cannot write", path);
    }
    peer peers[PEERS] = {
        {.title = "attnspec", .words = {"/proc/self/exe", "--peer", "ours"}},
        {.title = "raw LAPACK, threaded", .words = {"/proc/self/exe", "--peer", "lapack"}},
        {.title = "numpy as called", .words = {python, "tests/bench/peer.py", "numpy"}},
        {.title = "numpy, tuned pool",
         .words = {python, "tests/bench/peer.py", "pool"},
         .set = blas_at_one},
    };
    size_t count = python ? PEERS : 2;
    for (size_t i = 0; i < count; i++) {
        memcpy(&peers[i].words[3], (const char *[]){path, count_word, n_word},
               3 * sizeof(const char *));
    }
    open_peers(peers, count, n, show_kernel);
    for (size_t round = 0; round < ROUNDS; round++) {
        take_turns(peers, count, round, "time\n");
    }
    char title[80];
    snprintf(title, sizeof title, "singular values of %d float64 matrices, n = %zu", COUNT, n);
    print_head(title);
    for (size_t i = 0; i < count; i++) {
        print_row(peers[i].title, peers[i].seconds, peers[0].seconds);
    }
    close_peers(peers, count);
    remove(path);
}

static void bench_command(void) {
    const char *python = find_python(PYTHON_MODULES);
    static const char *const programs[2] = {"attnspec analyze", "Python script"};
    if (python == NULL) {
        return; /* bench_spectra() says so */
    }
    const char *input = FOLDER "heads.npy", *ours = FOLDER "ours.h5", *theirs = FOLDER "theirs.h5";
    const char *words[2][MAX_WORDS] = {
        {"build/release/bin/attnspec", "analyze", input, "-o", ours, "--force", "-q"},
        {python, "tests/bench/script.py", input, theirs},
    };
    if (!run((const char *[]){python, "tests/bench/files.py", "make", input, NULL})) {
        die("cannot make", input);
    }
    double seconds[2][ROUNDS];
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < 2; i++) {
            size_t side = (i + round) % 2;
            settle();
            double begin = seconds_now();
            if (!run(words[side])) {
                die("failed", programs[side]);
            }
            seconds[side][round] = seconds_now() - begin;
        }
    }
    print_head("the whole command, 12×12×256×256 float16, file to file");
    for (size_t i = 0; i < 2; i++) {
        print_row(programs[i], seconds[i], seconds[0]);
    }
    printf("  ");
    if (!run((const char *[]){python, "tests/bench/files.py", "compare", ours, theirs, NULL})) {
        die("disagree", "both results");
    }
    remove(input);
}

static void bench_spectra(void) {
    static const size_t sizes[] = {128, 256, 512};
    const char *python = find_python(PYTHON_MODULES);
    if (python == NULL) {
        puts("Neither python3 nor /usr/bin/python3 has numpy and h5py (make deps-bench installs "
             "them):\nonly raw LAPACK is timed beside attnspec.");
    }
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bench_batch(python, sizes[i], i == 0);
    }
}

static const struct part {
    const char *name;
    void (*run)(void);
} parts[] = {{"spectra", bench_spectra}, {"command", bench_command}, {"train", bench_training}};
enum { PARTS = sizeof parts / sizeof *parts };

/* All parts where none is named. */
static void run_parts(size_t count, char **names) {
    for (size_t n = 0; n < count; n++) {
        bool known = false;
        for (size_t i = 0; i < PARTS; i++) {
            known = known || strcmp(names[n], parts[i].name) == 0;
        }
        if (!known) {
            die("a part is spectra, command or train, not", names[n]);
        }
    }
    for (size_t i = 0; i < PARTS; i++) {
        bool wanted = count == 0;
        for (size_t n = 0; n < count; n++) {
            wanted = wanted || strcmp(names[n], parts[i].name) == 0;
        }
        if (wanted) {
            parts[i].run();
        }
    }
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "--peer") == 0) {
        batch b = batch_map(argv[3], strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
        return peer_serve(strcmp(argv[2], "ours") == 0 ? solve_ours : solve_lapack, &b);
    }
    if (argc == 6 && strcmp(argv[1], "--train") == 0) {
        return train_serve(argv[2], argv[3], strtoul(argv[4], NULL, 10), argv[5]);
    }
    run_parts((size_t)argc - 1, argv + 1);
    puts(
        "\nratio: a side's seconds over attnspec's in the same round; above 1 attnspec is faster.");
    return EXIT_SUCCESS;
}
