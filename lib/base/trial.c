/* Work that may crash or never end, in a child process: the one place where there is one.
 * It refuses work that does so; where no process can be made it knows nothing and lets all pass. */
#define _GNU_SOURCE /* pipe2 */
#include "base/trial.h"

#include "base/fail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Memory beyond what is there; of the clock for each second of CPU time: machines are busy. */
enum { MORE_MEMORY = 1 << 30, CLOCK_FACTOR = 30 };

/* What the child says at its end: less than PIPE_BUF, so it comes as a whole or not at all. */
typedef struct verdict {
    as_status status;
    char message[AS_MESSAGE_MAX];
} verdict;

/* ---- in the child ----------------------------------------------------------------------------- */

static void limit(unsigned resource, rlim_t most) {
    struct rlimit now;
    if (getrlimit(resource, &now) == 0) {
        now.rlim_max = most < now.rlim_max ? most : now.rlim_max;
        now.rlim_cur = now.rlim_max < now.rlim_cur ? now.rlim_max : now.rlim_cur;
        setrlimit(resource, &now);
    }
}

/* Bytes of address space in use; 0 where the system does not say. The sanitizers have taken terabytes
 * before main(), so that no fixed limit would do. */
static rlim_t address_space(void) {
    char text[64] = "";
    int fd = open("/proc/self/statm", O_RDONLY | O_CLOEXEC);
    ssize_t got = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
    if (fd >= 0) {
        close(fd);
    }
    return got > 0 ? (rlim_t)strtoull(text, NULL, 10) * (rlim_t)sysconf(_SC_PAGESIZE) : 0;
}

/* A crash is nobody's news: no core, no handler of the host, nothing that malloc or a sanitizer would
 * print. */
static void be_quiet(void) {
    static const int faults[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        signal(faults[i], SIG_DFL);
    }
    limit(RLIMIT_CORE, 0);
    int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
    }
}

/* Ends without the host's atexit() and without flushing its streams a second time. */
static _Noreturn void be_child(as_trial_work *work, void *context, unsigned seconds, int fd) {
    verdict said = {.status = AS_OK};
    rlim_t used = address_space();
    be_quiet();
    limit(RLIMIT_CPU, seconds);
    if (used > 0) {
        limit(RLIMIT_AS, used + MORE_MEMORY);
    }
    said.status = work(context);
    strncpy(said.message, as_message(), sizeof said.message - 1);
    _exit(write(fd, &said, sizeof said) == (ssize_t)sizeof said ? 0 : 1);
}

/* ---- in the parent ---------------------------------------------------------------------------- */

static long long milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (long long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* Waits until the child has spoken, has died, or the time is over; whether it has spoken. */
static bool listen_to(int fd, unsigned seconds, verdict *said) {
    long long end = milliseconds() + (long long)seconds * 1000 * CLOCK_FACTOR;
    struct pollfd wanted = {.fd = fd, .events = POLLIN};
    for (;;) {
        long long left = end - milliseconds();
        int ready = poll(&wanted, 1, left > 0 ? (int)left : 0);
        if (ready > 0) {
            break;
        }
        if (ready == 0 || errno != EINTR) {
            return false;
        }
    }
    ssize_t got;
    do {
        got = read(fd, said, sizeof *said);
    } while (got < 0 && errno == EINTR);
    return got == (ssize_t)sizeof *said;
}

bool as_trial(as_trial_work *work, void *context, unsigned seconds, as_status *out) {
    int pipe_ends[2];
    verdict said;
    *out = AS_OK;
    if (pipe2(pipe_ends, O_CLOEXEC) != 0) {
        return true;
    }
    pid_t child = fork();
    if (child == 0) {
        be_child(work, context, seconds, pipe_ends[1]);
    }
    close(pipe_ends[1]);
    bool returned = child < 0 || listen_to(pipe_ends[0], seconds, &said);
    close(pipe_ends[0]);
    if (child < 0) {
        return true;
    }
    if (!returned) {
        kill(child, SIGKILL);
    }
    /* Also where the host ignores SIGCHLD: it then waits until the child is gone, and fails. */
    while (waitpid(child, NULL, 0) < 0 && errno == EINTR) {
    }
    if (returned) {
        *out = said.status == AS_OK ? AS_OK : as_fail(said.status, "%s", said.message);
    }
    return returned;
}
