/* report_steps: files that are steps of a training run, by their names.
 * It refuses to see a run in fewer than two steps. */
#ifndef TOOLS_REPORT_STEPS_H
#define TOOLS_REPORT_STEPS_H

#include "report.h"

/* The number behind step, checkpoint, ckpt, epoch, iter or iteration in a path, as runs/step_1000/a.npy
 * or ckpt-500.npz; the last one counts. False where there is none. */
bool report_step_of(const char *source, uint64_t *step);

/* "Steps", in text or Markdown: a table of the main numbers a step, and the head that changed most from the first to the
 * last; nothing where the rows have fewer than two steps. AS_EREAD, AS_ENOMEM. */
as_status report_steps(const report_rows *rows, FILE *out, report_style style);

#endif
