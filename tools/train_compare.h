/* train --compare: what is compared, and what came of it. */
#ifndef TOOLS_TRAIN_COMPARE_H
#define TOOLS_TRAIN_COMPARE_H

#include "train.h"
#include "words.h"

typedef struct contest {
    const struct tool *self;
    const train_options *o;
    word_set words; /* schemes, as they were written */
    const char *tasks[2];
    size_t task_count, scheme_count, seeds, count; /* trials in all */
    as_train_config *configs;                      /* [schemes][tasks], resolved */
    as_comparison result;                          /* its arrays are owned here; row r is trial r */
    char *part;
} contest;

/* ---- train_contest.c: schemes × tasks × seeds ---- */

/* All configurations, so that none is found wrong when others are trained; what they have in common, and
 * where they come from. 0, or the exit code after the sentence. */
int contest_plan(contest *c);
void contest_free(contest *c);
/* Trial r; seeds are outermost, so that a comparison that was stopped has every scheme. */
const as_train_config *contest_config(const contest *c, size_t r, uint64_t *seed);
int contest_no_memory(void);

#endif
