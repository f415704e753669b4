/* rotary: what RoPE and its relatives share: the table of frequencies, and which dimensions make a
 * pair. A rescaling is another table. Private to lib/scheme. */
#ifndef AS_SCHEME_ROTARY_H
#define AS_SCHEME_ROTARY_H

#include "attnspec/scheme.h"

/* (P9) theta [dims/2]: θ_f = base^(−2f/dims). dims is even. */
void as_rotary_frequencies(double base, size_t dims, double *theta);

typedef enum as_rotary_layout {
    AS_ROTARY_INTERLEAVED, /* (2f, 2f + 1): the paper, GPT-J, Meta's Llama */
    AS_ROTARY_HALF         /* (f, f + dims/2): GPT-NeoX, Hugging Face's rotate_half() */
} as_rotary_layout;

/* Fills count, first and second: the pairs of dimensions from … from + dims − 1. */
void as_rotary_pairs(as_rotary_layout layout, size_t from, size_t dims, as_rotation *out);

#endif
