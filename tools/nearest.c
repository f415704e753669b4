/* nearest: edit distance where a swap of neighbours is one edit (optimal string alignment).
 * It refuses words of more than 63 bytes: nobody mistypes those. */
#include "nearest.h"

#include <string.h>

#define LONGEST 63

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t edits(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST)
        return LONGEST;
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++)
        d[i][0] = i;
    for (size_t j = 0; j <= n; j++)
        d[0][j] = j;
    for (size_t i = 1; i <= m; i++)
        for (size_t j = 1; j <= n; j++) {
            size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
        }
    return d[m][n];
}

void nearest_offer(nearest *search, const char *candidate) {
    size_t distance = edits(search->word, candidate);
    /* The beginning of a long word is as good as a typing error. */
    size_t typed = strlen(search->word);
    if (typed >= 3 && strncmp(search->word, candidate, typed) == 0)
        distance = least(distance, 1);
    if (search->best == NULL || distance < search->distance) {
        search->best = candidate;
        search->distance = distance;
    }
}

const char *nearest_found(const nearest *search) {
    if (search->best == NULL || search->distance > (strlen(search->word) + 1) / 3)
        return NULL;
    return search->best;
}
