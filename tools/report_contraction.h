/* report_contraction: which norms contracted, gathered scheme by scheme and said in words.
 * It refuses to count what does not exist: an undefined ratio is counted as undefined. */
#ifndef TOOLS_REPORT_CONTRACTION_H
#define TOOLS_REPORT_CONTRACTION_H

#include "report.h"

#define CONTRACTION_NAME     240
#define CONTRACTION_SECTIONS 32
#define CONTRACTION_LAYERS   256

/* One ratio over the matrices of a section. */
typedef struct ratio_tally {
    size_t defined, contracted, equal; /* equal: 1 but for the rounding */
    size_t guaranteed, both;           /* both: guaranteed and contracted */
    double low, high;
    size_t undefined[AS_REASON_COUNT];
} ratio_tally;

/* Means of the spectral norms over the heads of a layer. */
typedef struct layer_mean {
    uint64_t layer;
    size_t heads;
    double coupled, content, rounding; /* rounding: max(m, n)·ε */
} layer_mean;

/* The matrices of one source, scheme and content. */
typedef struct contraction_section {
    char source[CONTRACTION_NAME], scheme[CONTRACTION_NAME], content[CONTRACTION_NAME];
    char baseline[16];
    bool several; /* more than one matrix a head: batches, seeds, lengths */
    uint64_t seed, cols;
    size_t none[AS_REASON_COUNT]; /* matrices with a baseline and no contraction */
    ratio_tally ratio[AS_RATIO_COUNT];
    size_t aligned[AS_ALIGNMENT_COUNT];
    double alignment[AS_ALIGNMENT_COUNT]; /* means, of the spectral norm */
    size_t layers, unlisted;              /* unlisted: rows of layers beyond the room */
    layer_mean layer[CONTRACTION_LAYERS];
} contraction_section;

/* Start from {0}. */
typedef struct contraction_tally {
    size_t used, others; /* others: rows of sections beyond the room */
    contraction_section section[CONTRACTION_SECTIONS];
} contraction_tally;

void contraction_add(contraction_tally *tally, const as_row *row);
/* with_source: sections are of several files. Nothing where no row has a baseline. */
void contraction_print(const contraction_tally *tally, FILE *out, report_style style,
                       bool with_source);

#endif
