/* arrays: learned parameters of schemes, drawn or from a file. Private to lib/scheme.
 * A scheme has one array, of any name, or several, each of its own. */
#ifndef AS_SCHEME_ARRAYS_H
#define AS_SCHEME_ARRAYS_H

#include "attnspec/scheme.h"

/* x [count], from the stream (head's seed, purpose, layer, index): N(0, σ²), and uniform in
 * [low, high). AS_ENOMEM */
as_status as_draw_gaussian(const as_head *head, const char *purpose, size_t layer, size_t index,
                           double sigma, size_t count, double *x);
as_status as_draw_uniform(const as_head *head, const char *purpose, size_t layer, size_t index,
                          double low, double high, size_t count, double *x);

/* As as_scheme_table(), but the array must have that name also where it is the only one. */
as_status as_array_named(const as_scheme *scheme, const as_head *head, const char *name,
                         size_t rank, as_parameters *out);

/* Whether the head's file has an array of that name beside others. */
bool as_scheme_has_table(const as_head *head, const char *name);
/* as_scheme_table() of finite numbers and a shape [rank], in which 0 is any length, which is then
 * filled in. AS_EINVAL with the file and both shapes. */
as_status as_scheme_shaped(const as_scheme *scheme, const as_head *head, const char *name,
                           size_t rank, size_t *shape, const double **out);

/* Positions that number rows of a table must be whole: AS_EINVAL with the first that is not. */
as_status as_positions_whole(const as_head *head);
/* The least and the largest Δ of the head. */
void as_positions_span(const as_head *head, double *least, double *largest);

#endif
