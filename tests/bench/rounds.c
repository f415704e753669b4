/* Children that are asked in turn, and what is made of their answers.
 * It refuses a child that does not answer. */
#define _GNU_SOURCE /* pipe2 */
#include "bench.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

void die(const char *what, const char *of) {
    fprintf(stderr, "bench: %s: %s\n", what, of);
    exit(EXIT_FAILURE);
}

/* Starts words[] with `set` in its environment; *to and *from are its standard input and output where not
 * NULL. */
static pid_t start(const char *const *words, const char *const *set, FILE **to, FILE **from) {
    int in[2] = {-1, -1}, out[2] = {-1, -1};
    if ((to && pipe2(in, O_CLOEXEC) != 0) || (from && pipe2(out, O_CLOEXEC) != 0)) {
        die("no pipe for", words[0]);
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        for (; set != NULL && *set != NULL; set += 2) {
            setenv(set[0], set[1], 1);
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

bool run(const char *const *words) {
    return ended_well(start(words, NULL, NULL, NULL));
}

const char *find_python(const char *modules) {
    static const char *const candidates[] = {"python3", "/usr/bin/python3"};
    for (size_t i = 0; i < 2; i++) {
        char command[96];
        snprintf(command, sizeof command, "%s -c 'import %s' 2>/dev/null", candidates[i], modules);
        if (system(command) == 0) {
            return candidates[i];
        }
    }
    return NULL;
}

const char *ask(peer *p, const char *question) {
    static char answer[512];
    fputs(question, p->to);
    fflush(p->to);
    if (fgets(answer, sizeof answer, p->from) == NULL) {
        die("no answer from", p->title);
    }
    answer[strcspn(answer, "\n")] = '\0';
    return answer;
}

const char *open_peer(peer *p) {
    p->process = start(p->words, p->set, &p->to, &p->from);
    return ask(p, "");
}

void settle(void) {
    nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
}

void take_turns(peer *peers, size_t count, size_t round, const char *question) {
    for (size_t i = 0; i < count; i++) {
        peer *p = &peers[(i + round) % count];
        settle();
        p->seconds[round] = strtod(ask(p, question), NULL);
    }
}

void close_peers(peer *peers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        fclose(peers[i].to);
        fclose(peers[i].from);
        ended_well(peers[i].process);
    }
}

static int ascending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

spread spread_of(const double values[ROUNDS]) {
    double sorted[ROUNDS];
    memcpy(sorted, values, sizeof sorted);
    qsort(sorted, ROUNDS, sizeof *sorted, ascending);
    return (spread){sorted[ROUNDS / 2], sorted[0], sorted[ROUNDS - 1]};
}

spread ratios_of(const double a[ROUNDS], const double b[ROUNDS]) {
    double ratios[ROUNDS];
    for (size_t i = 0; i < ROUNDS; i++) {
        ratios[i] = a[i] / b[i];
    }
    return spread_of(ratios);
}
