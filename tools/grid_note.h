/* grid_note: what to say where tokens are not those of --grid. */
#ifndef TOOLS_GRID_NOTE_H
#define TOOLS_GRID_NOTE_H

#include <stdbool.h>
#include <stdint.h>

#include "attnspec/metric.h"

/* "17 tokens, and 4 × 4 is 16: --grid 1+4x4 leaves out a class token" into text, which it returns;
 * without the advice where it would not fit. */
const char *grid_note(as_grid grid, uint64_t rows, uint64_t cols, bool utf8, char text[192]);

#endif
