/* progress: the line is redrawn in place, at most ten times a second, and gone at the end.
 * It refuses to draw where standard error is no terminal and nobody asked. */
#define _POSIX_C_SOURCE 200809L
#include "progress.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define INTERVAL 0.1

static struct {
    pthread_mutex_t lock;
    bool active, drawn;
    const char *unit;
    size_t done, failed, total;
    double begun, last; /* seconds */
    char said[PROGRESS_SAY];
} line = {.lock = PTHREAD_MUTEX_INITIALIZER};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void write_time(char *text, size_t size, double seconds) {
    unsigned long s = seconds < 359999 ? (unsigned long)(seconds + 0.5) : 359999;
    if (s >= 3600)
        snprintf(text, size, "%lu:%02lu:%02lu", s / 3600, s / 60 % 60, s % 60);
    else
        snprintf(text, size, "%lu:%02lu", s / 60, s % 60);
}

static void erase(void) {
    if (line.drawn)
        fputs("\r\033[K", stderr);
    line.drawn = false;
}

static void draw(double time) {
    double rate = time > line.begun ? (double)line.done / (time - line.begun) : 0;
    char left[40] = "-:--", text[160], failures[40] = "";
    if (rate > 0)
        write_time(left, sizeof left, (double)(line.total - line.done) / rate);
    if (line.failed > 0)
        snprintf(failures, sizeof failures, ", %zu failed", line.failed);
    /* Never 5e+03. */
    snprintf(text, sizeof text, "%zu/%zu %s, %.*f/s, %s left%s%s%s", line.done, line.total,
             line.unit,
             rate < 1     ? 3
             : rate < 10  ? 2
             : rate < 100 ? 1
                          : 0,
             rate, left, failures, *line.said != '\0' ? ", " : "", line.said);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
    line.drawn = true;
    line.last = time;
}

void progress_start(const common_options *options, const char *unit, size_t total) {
    bool wanted = options->progress == WHEN_ALWAYS ||
                  (options->progress == WHEN_AUTO && !options->quiet && isatty(STDERR_FILENO));
    pthread_mutex_lock(&line.lock);
    line.active = wanted && total > 0;
    line.unit = unit;
    line.done = line.failed = 0;
    line.total = total;
    line.begun = line.last = now();
    *line.said = '\0';
    pthread_mutex_unlock(&line.lock);
}

void progress_say(const char *text) {
    pthread_mutex_lock(&line.lock);
    snprintf(line.said, sizeof line.said, "%s", text);
    pthread_mutex_unlock(&line.lock);
}

void progress_step(bool failed) {
    pthread_mutex_lock(&line.lock);
    line.done++;
    line.failed += failed ? 1 : 0;
    if (line.active) {
        double time = now();
        if (time - line.last >= INTERVAL)
            draw(time);
    }
    pthread_mutex_unlock(&line.lock);
}

void progress_stop(void) {
    pthread_mutex_lock(&line.lock);
    /* Where it was asked for, the last line says what was done, also of a run too short for another. */
    if (line.active && !isatty(STDERR_FILENO))
        draw(now());
    if (line.drawn && !isatty(STDERR_FILENO))
        fputc('\n', stderr);
    else
        erase();
    line.drawn = line.active = false;
    pthread_mutex_unlock(&line.lock);
}

void progress_hide(void) {
    pthread_mutex_lock(&line.lock);
    erase();
}

void progress_show(void) {
    if (line.active && line.done > 0)
        draw(now());
    pthread_mutex_unlock(&line.lock);
}
