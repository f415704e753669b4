/* interrupt: the first signal raises a flag, the second has its default effect.
 * It refuses nothing; signals that were ignored (nohup, background jobs) stay ignored. */
#define _POSIX_C_SOURCE 200809L
#include "interrupt.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

#include "tool.h"

/* Lock-free, so that a handler may write it; atomic, since workers read it. */
static atomic_int caught;

static void raise_flag(int number) {
    caught = number;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

static void catch_one(int number) {
    struct sigaction action = {.sa_handler = raise_flag, .sa_flags = SA_RESTART}, before;
    sigemptyset(&action.sa_mask);
    if (sigaction(number, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(number, &action, NULL);
}

void interrupt_catch(void) {
    catch_one(SIGINT);
    catch_one(SIGTERM);
}

int interrupt_signal(void) {
    return caught;
}

int interrupt_exit_code(void) {
    return caught == SIGINT ? EXIT_INTERRUPTED : caught == SIGTERM ? EXIT_TERMINATED : 0;
}
