/* taking: the options of what is taken of a matrix, which analyze and sweep share: driver, spectra,
 * metrics. */
#ifndef TOOLS_TAKING_H
#define TOOLS_TAKING_H

#include "attnspec/metric.h"
#include "options.h"

typedef struct taking {
    int driver; /* as_driver */
    const char *spectra, *metrics;
} taking;

/* Rows of the table; `at` is the offset of the tool's `taking`. */
#define TAKING_ROWS(at)                                                                            \
    {.type = OPTION_CHOICE,                                                                        \
     .name = "driver",                                                                             \
     .value = "NAME",                                                                              \
     .choices = "auto|onepass|gesdd|gesvd",                                                        \
     .preset = "auto",                                                                             \
     .help = "what computes singular values; auto is the fastest that applies, and the next "      \
             "where it fails; onepass skips all but square matrices of order 8 to 1024",           \
     .offset = (at) + offsetof(taking, driver)},                                                   \
        {.type = OPTION_TEXT,                                                                      \
         .name = "spectra",                                                                        \
         .value = "LIST",                                                                          \
         .preset = "singular",                                                                     \
         .help = "what to take: singular, symmetric (eigenvalues of the symmetric part), eigen",   \
         .offset = (at) + offsetof(taking, spectra)},                                              \
    {                                                                                              \
        .type = OPTION_TEXT, .name = "metrics", .value = "LIST", .preset = "core",                 \
        .help = "which numbers: core (always), ww (WeightWatcher's: power law, bulk and spikes; "  \
                "takes the singular values of each matrix once more, shuffled)",                   \
        .offset = (at) + offsetof(taking, metrics)                                                 \
    }

struct tool;
/* Writes driver, symmetric, eigen, ww and seed. 0, or the exit code after the sentence. */
int taking_parse(const struct tool *self, const taking *t, uint64_t seed, as_summary_options *out);

#endif
