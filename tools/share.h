/* share: a share of answers that were right, with what a test set of that size says of it.
 * It refuses to have an interval where nothing was counted: its ends are NaN. */
#ifndef TOOLS_SHARE_H
#define TOOLS_SHARE_H

#include <stdint.h>

/* How the plateau is reached, behind "what is right", where a file does not say for its task. */
#define PLATEAU_OF_ANY "by the length of a sentence, or by guessing, alone"

typedef struct share_interval {
    double low, high;
} share_interval;

/* 95 % interval of a share of `of` independent answers (Wilson, J. Am. Stat. Assoc. 22 (1927) 209). */
share_interval share_wilson(double share, uint64_t of);

#endif
