/* reading: the options of what numbers are, which analyze and info share: kind, mask, sentinel. */
#ifndef TOOLS_READING_H
#define TOOLS_READING_H

#include "attnspec/logits.h"
#include "options.h"

typedef struct reading {
    int kind; /* as_kind */
    const char *mask, *sentinel;
} reading;

/* Rows of the table; `at` is the offset of the tool's `reading`. */
#define READING_KIND(at)                                                                           \
    {                                                                                              \
        .type = OPTION_CHOICE, .name = "kind", .value = "KIND", .choices = "auto|logits|weights",  \
        .preset = "auto",                                                                          \
        .help =                                                                                    \
            "what the numbers are; auto: non-negative rows that sum to 1 are weights; name it "    \
            "where dropout or a sink keeps the rows of weights from 1",                            \
        .offset = (at) + offsetof(reading, kind)                                                   \
    }
#define READING_MASK(at, of_pairs)                                                                 \
    {                                                                                              \
        .type = OPTION_TEXT, .name = "mask", .value = "MASK", .preset = "auto",                    \
        .help =                                                                                    \
            "auto, none, causal, window:W, prefix:P, or one of these +padding:left=L,right=R; "    \
            "auto finds it in the data" of_pairs,                                                  \
        .offset = (at) + offsetof(reading, mask)                                                   \
    }
#define READING_SENTINEL(at)                                                                       \
    {                                                                                              \
        .type = OPTION_TEXT, .name = "sentinel", .value = "X",                                     \
        .help =                                                                                    \
            "what stands for masked in the files besides -inf and its like, as -100 or nan; in "   \
            "weights, instead of 0",                                                               \
        .offset = (at) + offsetof(reading, sentinel)                                               \
    }

struct tool;
/* Writes kind, mask and sentinel. 0, or the exit code after the sentence. */
int reading_parse(const struct tool *self, const reading *r, as_source_options *out);

#endif
