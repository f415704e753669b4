/* What is taken of a matrix, from its words.
 * It refuses words that are no spectra or metrics. */
#include "taking.h"

#include <string.h>

#include "tool.h"

/* The words of the list text, any of words[count] in any order, as bits by their index; 0 where one
 * is none of them. */
static unsigned parse_words(const char *text, const char *const *words, size_t count) {
    unsigned found = 0;
    for (const char *at = text; at != NULL;
         at = strchr(at, ',') != NULL ? strchr(at, ',') + 1 : NULL) {
        size_t length = strcspn(at, ","), which = 0;
        while (which < count &&
               (strlen(words[which]) != length || strncmp(at, words[which], length) != 0)) {
            which++;
        }
        if (which == count) {
            return 0;
        }
        found |= 1U << which;
    }
    return found;
}

int taking_parse(const tool *self, const taking *t, uint64_t seed, as_summary_options *out) {
    static const char *const spectra[] = {"singular", "symmetric", "eigen"};
    static const char *const metrics[] = {"core", "ww"};
    unsigned wanted = parse_words(t->spectra, spectra, 3);
    if (wanted == 0) {
        return usage_error(self, "--spectra '%s' is no list of singular, symmetric and eigen",
                           t->spectra);
    }
    out->symmetric = (wanted & 2) != 0;
    out->eigen = (wanted & 4) != 0;
    wanted = parse_words(t->metrics, metrics, 2);
    if (wanted == 0) {
        return usage_error(self, "--metrics '%s' is no list of core and ww", t->metrics);
    }
    out->ww = (wanted & 2) != 0;
    out->driver = (as_driver)t->driver;
    out->seed = seed;
    return EXIT_DONE;
}
