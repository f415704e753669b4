/* tokens: what schemes share whose position is content, summed over the tokens between a key and a
 * query: which tokens those are, and the arrays of a file, whose shapes are checked. They are drawn by
 * arrays.h. Private to lib/scheme. */
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

/* Whether the head's file has an array of that name beside others. */
bool as_scheme_has_table(const as_head *head, const char *name);
/* as_scheme_table() of finite numbers and a shape [rank], in which 0 is any length, which is then
 * filled in. AS_EINVAL with the file and both shapes. */
as_status as_scheme_shaped(const as_scheme *scheme, const as_head *head, const char *name,
                           size_t rank, size_t *shape, const double **out);

#endif
