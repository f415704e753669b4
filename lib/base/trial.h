/* trial: work that may crash or never end, done in a child process first. Private to the library. */
#ifndef AS_BASE_TRIAL_H
#define AS_BASE_TRIAL_H

#include "attnspec/base.h"

typedef as_status as_trial_work(void *context);

/* Does `work` in a child process, which has `seconds` of CPU time, thirty times as many by the clock
 * and 1 GiB of memory beyond what this process has. What work does to memory is gone with the child;
 * there is one thread in it, and it must not print.
 *   out  what work returned, with its message
 * False where it crashed, took too long, or ended in another way than by returning. Where no process can
 * be made *out is AS_OK: there is no trial then.
 * Any thread may call it. The host sees a SIGCHLD; other children of the host are not waited for. */
bool as_trial(as_trial_work *work, void *context, unsigned seconds, as_status *out);

#endif
