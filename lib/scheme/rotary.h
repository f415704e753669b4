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

/* The parameters of a grid of tokens, rows of as_param. */
#define AS_ROTARY_GRID_PARAMS                                                                      \
    {.key = "width",                                                                               \
     .type = AS_PARAM_COUNT,                                                                       \
     .preset = "auto",                                                                             \
     .low = 1,                                                                                     \
     .high = 1e9,                                                                                  \
     .meaning = "tokens a row of the image; auto: the root of their number, rounded up"},          \
    {                                                                                              \
        .key = "leading", .type = AS_PARAM_COUNT, .preset = "0", .low = 0, .high = 1e9,            \
        .meaning = "tokens before the image that do not turn, such as 1 of a class"                \
    }

/* What they are for a head. AS_EINVAL where its size is no multiple of 4, or no token is of the image. */
as_status as_rotary_grid(const as_scheme *scheme, const as_head *head, size_t *width,
                         size_t *leading);

/* Where growth of a rotation is counted from: the middle of the keys, so that no power leaves the range
 * early; in the product of q and k it cancels. */
double as_rotary_centre(const as_head *head);

#endif
