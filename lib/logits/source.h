/* source: what a source is made of, for the file that lists and the file that loads. Private to
 * lib/logits. */
#ifndef AS_LOGITS_SOURCE_H
#define AS_LOGITS_SOURCE_H

#include "logits/plan.h"

/* One matrix of the list. */
typedef struct as_entry {
    as_item item;     /* its reason and tensor are the plan's */
    bool pair;        /* of q and k; else of attention as it was saved */
    size_t at;        /* item of the attention plan, or of the query plan */
    size_t key;       /* item of the key plan */
    size_t scheme;    /* that couples the pair */
    size_t heads;     /* of the layer: what slopes are counted by */
    as_role compared; /* BASELINE, BASELINE_QUERY, or ATTENTION: no baseline of the user's */
    size_t baseline;  /* item of that plan */
    size_t baseline_key;
    size_t bias; /* item of the bias plan; SIZE_MAX: none */
} as_entry;

typedef struct as_named_scheme {
    as_scheme scheme;
    char *text;
    as_tables tables;
} as_named_scheme;

struct as_source {
    as_inputs inputs;                 /* in the order of as_role */
    size_t role_count[AS_ROLE_COUNT]; /* of inputs */
    as_plan plans[AS_ROLE_COUNT];
    char *note; /* owned; NULL: none */
    as_entry *entries;
    size_t entry_count, entry_capacity;
    as_named_scheme *schemes;
    size_t scheme_count;
    as_preparation how; /* of attention that is read, but for what each matrix has of its own */
    double scale;
    bool position_applied;
    as_matrix positions; /* rows 0: none */
    as_phase phase;
    uint64_t seed;
};

/* The head of a pair, as schemes are asked about it. */
as_head as_entry_head(const as_source *source, const as_entry *entry);

#endif
