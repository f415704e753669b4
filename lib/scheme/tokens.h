/* tokens: what schemes share whose position is content, summed over the tokens between a key and a
 * query: which tokens those are, and the gates. Private to lib/scheme. */
#ifndef AS_SCHEME_TOKENS_H
#define AS_SCHEME_TOKENS_H

#include "attnspec/scheme.h"

/* The key of query i's own token; below 0 where that stands before the first key. Tokens are counted in
 * their order, as by the causal mask: positions that a head has of its own are not looked at. */
static inline ptrdiff_t as_token(const as_head *head, size_t i) {
    return (ptrdiff_t)i + (ptrdiff_t)head->cols - (ptrdiff_t)head->rows;
}

/* AS_EINVAL where the head is not causal. */
as_status as_causal_only(const as_head *head);

/* ln σ(x) and σ(x) = 1/(1 + e^(−x)), neither of which overflows. */
double as_log_sigmoid(double x);
double as_sigmoid(double x);

#endif
