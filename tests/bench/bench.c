/* make bench: singular values of a batch, and the whole command, against what people use now. All
 * sides take turns in one run; sides that disagree in the numbers are not timed.
 *   usage: bench            in the project's root; needs build/release/bin/attnspec
 *          bench --peer ours|lapack FILE COUNT N      (its own children) */
#define _GNU_SOURCE /* pipe2 */
#include "bench.h"

#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { COUNT = 144, ROUNDS = 5, PEERS = 4, MAX_WORDS = 8 };
#define FOLDER "build/bench/"

typedef struct peer {
    const char *title;
    const char *words[MAX_WORDS];
    bool blas_at_one;
    pid_t process;
    FILE *to, *from;
    double seconds[ROUNDS];
} peer;

static const char *python; /* NULL where no python3 has numpy */

static void die(const char *what, const char *of) {
    fprintf(stderr, "bench: %s: %s\n", what, of);
    exit(EXIT_FAILURE);
}

/* Starts words[]; *to and *from are its standard input and output where not NULL. */
static pid_t start(const char *const *words, bool blas_at_one, FILE **to, FILE **from) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if ((to && pipe2(in, O_CLOEXEC) != 0) || (from && pipe2(out, O_CLOEXEC) != 0)) {
        die("no pipe for", words[0]);
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        if (blas_at_one) {
            setenv("OPENBLAS_NUM_THREADS", "1", 1);
            setenv("MKL_NUM_THREADS", "1", 1);
        }
        if (to) {
            dup2(in[0], STDIN_FILENO);
        }
        if (from) {
            dup2(out[1], STDOUT_FILENO);
        }
        execvp(words[0], (char *const *)(uintptr_t)words);
        _exit(127);
    }
    if (to) {
        close(in[0]);
        *to = fdopen(in[1], "w");
    }
    if (from) {
        close(out[1]);
        *from = fdopen(out[0], "r");
    }
    return process;
}

static bool ended_well(pid_t process) {
    int status;
    return waitpid(process, &status, 0) == process && status == 0;
}

static bool run(const char *const *words) {
    return ended_well(start(words, false, NULL, NULL));
}

/* Says something to a peer and gives its one line of answer, without the newline. */
static const char *ask(peer *p, const char *question) {
    static char answer[512];
    fputs(question, p->to);
    fflush(p->to);
    if (fgets(answer, sizeof answer, p->from) == NULL) {
        die("no answer from", p->title);
    }
    answer[strcspn(answer, "\n")] = '\0';
    return answer;
}

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

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

typedef struct spread {
    double median, min, max;
} spread;

static spread spread_of(const double *values) {
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, ascending);
    return (spread){sorted[ROUNDS / 2], sorted[0], sorted[ROUNDS - 1]};
}

/* One row: seconds, and the ratios to `ours` of the same round. */
static void print_row(const char *title, const double *seconds, const double *ours) {
    double ratios[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        ratios[i] = seconds[i] / ours[i];
    }
    spread s = spread_of(seconds), r = spread_of(ratios);
    printf("  %-22s %7.3f s [%7.3f %7.3f]   %5.2f [%5.2f %5.2f]\n", title, s.median, s.min, s.max,
           r.median, r.min, r.max);
}

static void print_head(const char *what) {
    printf("\n%s\n  %-22s %9s [%7s %7s]   %5s [%5s %5s]\n", what, "", "median", "min", "max",
           "ratio", "min", "max");
}

/* An idle BLAS spins for a while after its work: nobody is to pay for a neighbour's. */
static void settle(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

static void open_peers(peer *peers, size_t count, size_t n, bool show_kernel) {
    char saved[PEERS][64], question[96];
    for (size_t i = 0; i < count; i++) {
        peer *p = &peers[i];
        p->process = start(p->words, p->blas_at_one, &p->to, &p->from);
        const char *kernel = ask(p, "");
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

static void bench_batch(size_t n, bool show_kernel) {
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
         .blas_at_one = true},
    };
    size_t count = python ? PEERS : 2;
    for (size_t i = 0; i < count; i++) {
        memcpy(&peers[i].words[3], (const char *[]){path, count_word, n_word},
               3 * sizeof(const char *));
    }
    open_peers(peers, count, n, show_kernel);
    for (size_t round = 0; round < ROUNDS; round++) {
        for (size_t i = 0; i < count; i++) {
            peer *p = &peers[(i + round) % count];
            settle();
            p->seconds[round] = strtod(ask(p, "time\n"), NULL);
        }
    }
    char title[80];
    snprintf(title, sizeof title, "singular values of %d float64 matrices, n = %zu", COUNT, n);
    print_head(title);
    for (size_t i = 0; i < count; i++) {
        print_row(peers[i].title, peers[i].seconds, peers[0].seconds);
        fclose(peers[i].to);
        fclose(peers[i].from);
        ended_well(peers[i].process);
    }
    remove(path);
}

static void bench_command(void) {
    static const char *const programs[2] = {"attnspec analyze", "Python script"};
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

static const char *find_python(void) {
    static const char *const candidates[] = {"python3", "/usr/bin/python3"};
    for (size_t i = 0; i < 2; i++) {
        char command[96];
        snprintf(command, sizeof command, "%s -c 'import numpy, h5py' 2>/dev/null", candidates[i]);
        if (system(command) == 0) {
            return candidates[i];
        }
    }
    return NULL;
}

int main(int argc, char **argv) {
    if (argc == 6 && strcmp(argv[1], "--peer") == 0) {
        batch b = batch_map(argv[3], strtoul(argv[4], NULL, 10), strtoul(argv[5], NULL, 10));
        return peer_serve(strcmp(argv[2], "ours") == 0 ? solve_ours : solve_lapack, &b);
    }
    python = find_python();
    if (python == NULL) {
        puts("Neither python3 nor /usr/bin/python3 has numpy and h5py (make deps-bench installs "
             "them):\nonly raw LAPACK is timed beside attnspec.");
    }
    const size_t sizes[] = {128, 256, 512};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        bench_batch(sizes[i], i == 0);
    }
    if (python != NULL) {
        bench_command();
    }
    puts(
        "\nratio: a side's seconds over attnspec's in the same round; above 1 attnspec is faster.");
    return EXIT_SUCCESS;
}
