/* progress: one line on standard error while a long run goes on: done, rate, time left, failures.
 * Nothing is drawn where standard error is no terminal, unless it is asked for. */
#ifndef TOOLS_PROGRESS_H
#define TOOLS_PROGRESS_H

#include <stdbool.h>
#include <stddef.h>

#include "options.h"

/* Begins a line for `total` steps called `unit` ("matrices"). One at a time in a process.
 * With --quiet and auto nothing is drawn. */
void progress_start(const common_options *options, const char *unit, size_t total);
/* One more is done. From any thread; draws at most ten times a second. */
void progress_step(bool failed);
/* What stands behind the counts, such as a loss; "" at the beginning. */
#define PROGRESS_SAY 48
void progress_say(const char *text);
/* Removes the line; harmless where none was begun. */
void progress_stop(void);

/* Around anything else that is written to standard error or to the terminal: takes the line away,
 * keeps other threads from drawing, and puts it back. */
void progress_hide(void);
void progress_show(void);

#endif
