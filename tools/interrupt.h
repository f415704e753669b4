/* interrupt: SIGINT and SIGTERM ask a run to stop; what is finished is kept.
 * A second one kills. */
#ifndef TOOLS_INTERRUPT_H
#define TOOLS_INTERRUPT_H

/* From here on the first SIGINT or SIGTERM only raises the flag. */
void interrupt_catch(void);
/* 0, or the signal that came. From any thread. */
int interrupt_signal(void);
/* EXIT_INTERRUPTED or EXIT_TERMINATED once a signal came, 0 before. */
int interrupt_exit_code(void);

#endif
