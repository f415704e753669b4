/* nearest: "did you mean": edit distance where a swap of neighbours is one edit (optimal string
 * alignment). It refuses words of more than 63 bytes: nobody mistypes those. */
#include "attnspec/base.h"

#include <string.h>

enum { LONGEST = 63 };

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t edits(const char *a, const char *b) {
    size_t m = strlen(a), n = strlen(b);
    if (m > LONGEST || n > LONGEST) {
        return SIZE_MAX;
    }
    size_t d[LONGEST + 1][LONGEST + 1];
    for (size_t i = 0; i <= m; i++) {
        d[i][0] = i;
    }
    for (size_t j = 0; j <= n; j++) {
        d[0][j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        for (size_t j = 1; j <= n; j++) {
            size_t change = d[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
            d[i][j] = least(change, 1 + least(d[i - 1][j], d[i][j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d[i][j] = least(d[i][j], d[i - 2][j - 2] + 1);
            }
        }
    }
    return d[m][n];
}

/* The beginning of a long word is as good as a typing error. */
static size_t distance(const char *text, const char *word) {
    size_t typed = strlen(text), found = edits(text, word);
    return typed >= 3 && strncmp(text, word, typed) == 0 ? least(found, 1) : found;
}

const char *as_nearest(const char *text, const char *const *words, size_t count) {
    const char *found = NULL;
    size_t best = (strlen(text) + 1) / 3 + 1;
    for (size_t i = 0; i < count; i++) {
        size_t away = distance(text, words[i]);
        if (away < best) {
            best = away;
            found = words[i];
        }
    }
    return found;
}
