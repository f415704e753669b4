/* The grid on which the tokens of an image stand: its words, and which matrices are of it.
 * It refuses words that are no grid, sizes of zero, and grids whose offsets cannot be counted. */
#include "attnspec/metric.h"

#include "base/fail.h"

/* The number at *at, which is moved behind it; SIZE_MAX where a size cannot hold it. */
static bool take_number(const char **at, size_t *out) {
    const char *begin = *at;
    size_t value = 0;
    for (; **at >= '0' && **at <= '9'; ++*at) {
        if (!as_mul(value, 10, &value) ||
            __builtin_add_overflow(value, (size_t)(**at - '0'), &value)) {
            value = SIZE_MAX;
        }
    }
    *out = value;
    return *at > begin;
}

static bool take_sign(const char **at, char sign) {
    bool found = **at == sign;
    *at += found;
    return found;
}

/* There are fewer than 4·H·W offsets, each with a sum and a count. */
static bool addressable(as_grid grid) {
    size_t bytes;
    return as_mul(grid.height, grid.width, &bytes) &&
           as_mul(bytes, 4 * 2 * sizeof(double), &bytes) && grid.leading <= SIZE_MAX - bytes;
}

as_status as_grid_parse(const char *text, as_grid *out) {
    as_grid grid = {0};
    const char *at = text;
    bool good = take_number(&at, &grid.height);
    if (good && take_sign(&at, '+')) {
        grid.leading = grid.height;
        good = take_number(&at, &grid.height);
    }
    good = good && take_sign(&at, 'x') && take_number(&at, &grid.width) && *at == '\0';
    if (!good || grid.height == 0 || grid.width == 0) {
        return as_fail(
            AS_EINVAL,
            "\"%s\" is no grid; valid are HxW and, with P tokens before it, P+HxW, with H "
            "and W ≥ 1, such as 14x14 and 1+14x14",
            text);
    }
    if (!addressable(grid)) {
        return as_fail(AS_EINVAL, "the grid \"%s\" has more tokens than can be addressed", text);
    }
    *out = grid;
    return AS_OK;
}

bool as_grid_fits(as_grid grid, size_t rows, size_t cols) {
    size_t tokens;
    return grid.height > 0 && rows == cols && rows > grid.leading &&
           as_mul(grid.height, grid.width, &tokens) && rows - grid.leading == tokens;
}
