/* make check-training: does training show what it is known to show? Every row of the table is trained
 * with three seeds, and the mean of their accuracies is held against its bound. The bounds are those that
 * models of the same sizes met in PyTorch 1.13, over 3 seeds or more, with a margin; where seeds differ
 * much they were set anew by ten seeds of this trainer, and the row says so.
 *   usage: training [WORD]      only rows whose scheme has the word in it
 * It refuses nothing, and ends with 1 where a bound is missed. */
#define _POSIX_C_SOURCE 200809L /* clock_gettime */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attnspec/attnspec.h"

enum { SEEDS = 3 };

typedef struct row {
    const char *preset, *task, *scheme;
    size_t steps;     /* 0: the preset's */
    double low, high; /* of the mean accuracy */
    bool deposit;     /* the head that costs most in layer 0 is head 0, the one that turns */
} row;

/* Accuracies in PyTorch behind the rows: mean (least to largest). */
static const row rows[] = {
    {"tiny", "distance", "rope", 0, 0.85, 1, false},          /* 0.987 to 1.000 */
    {"tiny", "distance", "nope", 0, 0, 0.36, false},          /* 0.305 to 0.309 */
    {"small", "distance", "rope", 400, 0.90, 1, false},       /* 0.991 (0.955) */
    {"small", "distance", "rope", 600, 0.95, 1, false},       /* 0.999 */
    {"small", "distance", "sinusoidal", 400, 0.90, 1, false}, /* 0.984 */
    {"small", "distance", "mla", 400, 0.85, 1, false},        /* 0.952 */
    /* 0.93; here 0.69 to 0.99 over nine seeds, mean 0.87. */
    {"small", "distance", "alibi", 400, 0.70, 1, false},
    {"small", "distance", "learned", 400, 0.70, 1, false}, /* 0.924 */
    /* 0.839; here 0.21 to 0.94 over ten seeds, mean 0.72: some have not found it yet. */
    {"small", "distance", "rope:rotary_heads=1", 400, 0.40, 1, false},
    {"small", "distance", "rope:rotary_heads=1", 1000, 0.85, 1, true}, /* 0.955 to 1.000 */
    {"small", "distance", "relative", 400, 0.90, 1, false},            /* 0.998 */
    {"small", "distance", "nope", 400, 0, 0.25, false},                /* 0.201 */
    {"small", "count", "rope", 400, 0.90, 1, false},                   /* 0.972 */
    {"small", "count", "mla", 400, 0.90, 1, false},                    /* 0.968 */
    {"small", "count", "nope", 400, 0.90, 1, false},                   /* 0.965 */
    {"small", "count", "sinusoidal", 400, 0.87, 1, false},             /* 0.945 */
    /* 0.672 belongs to slopes e^(−h/H); with those of ALiBi's authors it counts as the others do. */
    {"small", "count", "alibi:slopes=gu2025", 400, 0, 0.78, false},
    {"small", "count", "alibi", 400, 0.90, 1, false},
};
enum { ROWS = sizeof rows / sizeof *rows };

static int die(const char *what) {
    fprintf(stderr, "training: %s: %s\n", what, as_message());
    exit(EXIT_FAILURE);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Which head of layer 0 costs most, and how much. */
static double worst_drop(as_trainer *trainer, size_t *worst) {
    size_t heads = as_trainer_config(trainer)->heads;
    as_score whole, without;
    double most = -1;
    if (as_trainer_evaluate(trainer, NULL, &whole, NULL) != AS_OK) {
        die("no evaluation");
    }
    for (size_t h = 0; h < heads; h++) {
        const as_removal removal = {AS_REMOVE_ZERO, 0, h};
        if (as_trainer_evaluate(trainer, &removal, &without, NULL) != AS_OK) {
            die("no evaluation");
        }
        if (whole.accuracy - without.accuracy > most) {
            most = whole.accuracy - without.accuracy;
            *worst = h;
        }
    }
    return most;
}

static as_trainer *make(const row *r, size_t seed) {
    as_train_config config;
    as_trainer *trainer;
    bool made = as_train_preset(r->preset, "clean", &config) == AS_OK;
    if (made && strcmp(r->task, "distance") != 0) {
        made = as_train_config_set(&config, "task", r->task) == AS_OK;
    }
    config.seed = seed;
    config.steps = r->steps > 0 ? r->steps : config.steps;
    if (!made || as_train_config_set(&config, "scheme", r->scheme) != AS_OK ||
        as_train_config_resolve(&config) != AS_OK ||
        as_trainer_new(&config, as_threads_available(), &trainer) != AS_OK) {
        die(r->scheme);
    }
    return trainer;
}

/* Trains once and prints what came of it; whether its deposit is where it should be. */
static bool train(const row *r, size_t seed, double *accuracy) {
    as_trainer *trainer = make(r, seed);
    as_train_step step;
    as_score score;
    size_t head = 0;
    while (as_trainer_done(trainer) < as_trainer_config(trainer)->steps) {
        if (as_trainer_step(trainer, &step) != AS_OK) {
            die(r->scheme);
        }
    }
    if (as_trainer_evaluate(trainer, NULL, &score, NULL) != AS_OK) {
        die(r->scheme);
    }
    *accuracy = score.accuracy;
    bool good = true;
    printf(" %.4f", score.accuracy);
    if (r->deposit) {
        double drop = worst_drop(trainer, &head);
        good = head == 0 && drop >= 0.5;
        printf(" (head %zu, -%.3f)", head, drop);
    }
    fflush(stdout);
    as_trainer_free(trainer);
    return good;
}

/* The mean accuracy of a row that was trained; −1 where it was not. */
static double mean_of(const double *means, const char *task, const char *scheme, size_t steps) {
    for (size_t i = 0; i < ROWS; i++) {
        if (strcmp(rows[i].task, task) == 0 && strcmp(rows[i].scheme, scheme) == 0 &&
            rows[i].steps == steps) {
            return means[i];
        }
    }
    return -1;
}

/* Orders that hold for means over the seeds, by far. */
static bool in_order(const double *means) {
    static const struct {
        const char *task, *above, *below;
    } orders[] = {{"distance", "rope", "rope:rotary_heads=1"},
                  {"distance", "rope:rotary_heads=1", "nope"},
                  {"distance", "alibi", "nope"},
                  {"distance", "learned", "nope"},
                  {"count", "nope", "alibi:slopes=gu2025"}};
    bool good = true;
    for (size_t i = 0; i < sizeof orders / sizeof *orders; i++) {
        double above = mean_of(means, orders[i].task, orders[i].above, 400);
        double below = mean_of(means, orders[i].task, orders[i].below, 400);
        bool holds = above < 0 || below < 0 || above > below;
        printf("%s  %s: %s above %s\n", holds ? "      " : "MISSED", orders[i].task,
               orders[i].above, orders[i].below);
        good = good && holds;
    }
    return good;
}

int main(int argc, char **argv) {
    double means[ROWS], begun = now();
    bool good = true;
    for (size_t i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        means[i] = -1;
        if (argc > 1 && strstr(r->scheme, argv[1]) == NULL) {
            continue;
        }
        printf("%-5s %-8s %-20s %4zu steps:", r->preset, r->task, r->scheme, r->steps);
        bool row_good = true;
        means[i] = 0;
        for (size_t seed = 0; seed < SEEDS; seed++) {
            double accuracy;
            row_good = train(r, seed, &accuracy) && row_good;
            means[i] += accuracy / SEEDS;
        }
        row_good = row_good && means[i] >= r->low && means[i] <= r->high;
        printf("  mean %.4f, within %.2f to %.2f%s\n", means[i], r->low, r->high,
               row_good ? "" : ": MISSED");
        good = good && row_good;
    }
    good = in_order(means) && good;
    printf("%s in %.0f s\n", good ? "Training shows what it should," : "MISSED something,",
           now() - begun);
    return good ? EXIT_SUCCESS : EXIT_FAILURE;
}
