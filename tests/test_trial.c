/* Work in a child process: what it returns comes back, what crashes or never ends is told from it, and
 * the host is not disturbed. */
#define _GNU_SOURCE
#include "support.h"

#include "base/fail.h"
#include "base/trial.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static as_status succeed(void *context) {
    *(int *)context = 1;
    return AS_OK;
}

static as_status refuse(void *context) {
    return as_fail(AS_EREAD, "the word is %s", (const char *)context);
}

static as_status fault(void *context) {
    (void)context;
    raise(SIGSEGV);
    return AS_OK;
}

static as_status give_up(void *context) {
    (void)context;
    abort();
}

static as_status leave(void *context) {
    (void)context;
    _exit(0);
}

static as_status loop(void *context) {
    for (volatile int *forever = context; *forever;) {
    }
    return AS_OK;
}

static as_status want(void *context) {
    size_t bytes = *(size_t *)context;
    void *room = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? as_fail(AS_ENOMEM, "no") : AS_OK;
}

START_TEST(what_returns_comes_back) {
    int here = 0;
    as_status status = AS_EINVAL;
    ck_assert(as_trial(succeed, &here, 1, &status));
    ck_assert_int_eq(status, AS_OK);
    ck_assert_int_eq(here, 0); /* it was done elsewhere */
    ck_assert(as_trial(refuse, "no", 1, &status));
    ck_assert_int_eq(status, AS_EREAD);
    ck_assert_str_eq(as_message(), "the word is no");
}
END_TEST

START_TEST(what_does_not_return_is_told) {
    as_status status;
    int forever = 1;
    ck_assert(!as_trial(fault, NULL, 1, &status));
    ck_assert(!as_trial(give_up, NULL, 1, &status));
    ck_assert(!as_trial(leave, NULL, 1, &status));
    ck_assert(!as_trial(loop, &forever, 1, &status));
    ck_assert_int_eq(waitpid(-1, NULL, WNOHANG), -1); /* nothing is left behind */
    ck_assert_int_eq(errno, ECHILD);
}
END_TEST

START_TEST(memory_has_a_bound) {
    as_status status;
    size_t little = (size_t)1 << 28, much = (size_t)1 << 31;
    ck_assert(as_trial(want, &little, 1, &status));
    ck_assert_int_eq(status, AS_OK);
    ck_assert(as_trial(want, &much, 1, &status));
    ck_assert_int_eq(status, AS_ENOMEM);
}
END_TEST

static void ring(int signal) {
    (void)signal;
}

/* A host that ignores SIGCHLD, has a child of its own, and a timer that interrupts every call. */
START_TEST(the_host_is_not_disturbed) {
    as_status status;
    pid_t own = fork();
    if (own == 0) {
        _exit(7);
    }
    struct sigaction bell = {.sa_handler = ring};
    sigaction(SIGALRM, &bell, NULL);
    const struct itimerval often = {{0, 2000}, {0, 2000}}, never = {{0, 0}, {0, 0}};
    setitimer(ITIMER_REAL, &often, NULL);
    int forever = 1, code = 0;
    ck_assert(!as_trial(loop, &forever, 1, &status));
    ck_assert(as_trial(refuse, "no", 1, &status));
    setitimer(ITIMER_REAL, &never, NULL);
    ck_assert_int_eq(waitpid(own, &code, 0), own);
    ck_assert_int_eq(WEXITSTATUS(code), 7);

    signal(SIGCHLD, SIG_IGN);
    ck_assert(!as_trial(fault, NULL, 1, &status));
    ck_assert(as_trial(refuse, "no", 1, &status));
    ck_assert_int_eq(status, AS_EREAD);
    signal(SIGCHLD, SIG_DFL);
}
END_TEST

/* No descriptors left: no trial, and no failure. */
START_TEST(without_means_all_passes) {
    struct rlimit before, none;
    as_status status = AS_EREAD;
    ck_assert_int_eq(getrlimit(RLIMIT_NOFILE, &before), 0);
    none = before;
    none.rlim_cur = 0;
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &none), 0);
    bool returned = as_trial(fault, NULL, 1, &status);
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &before), 0);
    ck_assert(returned);
    ck_assert_int_eq(status, AS_OK);
}
END_TEST

static void cases(TCase *t) {
    tcase_add_test(t, what_returns_comes_back);
    tcase_add_test(t, what_does_not_return_is_told);
    tcase_add_test(t, memory_has_a_bound);
    tcase_add_test(t, the_host_is_not_disturbed);
    tcase_add_test(t, without_means_all_passes);
}

AS_TEST_MAIN("trial")
