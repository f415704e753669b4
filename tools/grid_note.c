/* grid_note: matrices that are not of the tokens of --grid, said in numbers.
 * It refuses to guess beyond 16 tokens before the grid: that is another grid. */
#include "grid_note.h"

#include <inttypes.h>
#include <stdio.h>

#define LEADING_MOST 16 /* a class token and registers; people train with up to 16 */

const char *grid_note(as_grid grid, uint64_t rows, uint64_t cols, bool utf8, char text[192]) {
    const char *times = utf8 ? "×" : "x";
    size_t patches = grid.height * grid.width, used = 0, size = 192;
    if (rows == cols)
        used = (size_t)snprintf(text, size, "%" PRIu64 " tokens, and ", cols);
    else
        used = (size_t)snprintf(text, size, "%" PRIu64 " queries of %" PRIu64 " keys, and ", rows,
                                cols);
    if (grid.leading > 0)
        used += (size_t)snprintf(text + used, size - used, "%zu + ", grid.leading);
    used += (size_t)snprintf(text + used, size - used, "%zu %s %zu is %zu", grid.height, times,
                             grid.width, grid.leading + patches);
    if (rows != cols || cols < patches || cols - patches > LEADING_MOST)
        return text;
    size_t leading = (size_t)cols - patches;
    if (leading == 0)
        snprintf(text + used, size - used, ": --grid %zux%zu has all of them", grid.height,
                 grid.width);
    else
        snprintf(text + used, size - used, ": --grid %zu+%zux%zu leaves out %s", leading,
                 grid.height, grid.width,
                 leading == 1 ? "a class token" : "the tokens before the patches");
    return text;
}
