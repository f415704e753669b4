/* type: what the files of schemes share. Private to lib/scheme.
 * A new scheme is one file that ends in its `const as_scheme_type as_scheme_NAME`, and one line in
 * schemes.def. */
#ifndef AS_SCHEME_TYPE_H
#define AS_SCHEME_TYPE_H

#include "attnspec/scheme.h"

#define X(name) extern const as_scheme_type as_scheme_##name;
#include "scheme/schemes.def"
#undef X

/* The parameter of that name; NaN for auto. */
double as_scheme_value(const as_scheme *scheme, const char *key);

/* The text of that name; "" where it is not given. */
const char *as_scheme_word(const as_scheme *scheme, const char *key);

/* The array of that name in the tables of the head's file ("" and any name: the only one there is), cut
 * down to `rank` axes: what stands before them is head, or layer, or layer and head. AS_EINVAL with
 * the file and the shape. *out is borrowed. */
as_status as_scheme_table(const as_scheme *scheme, const as_head *head, const char *name,
                          size_t rank, as_parameters *out);

/* out [rows][cols] = value(context, Δ), Δ the difference of the positions of query and key. Without
 * positions of their own value is called once a diagonal, so that the matrix is Toeplitz to the bit. */
void as_scheme_fill(const as_head *head, double (*value)(const void *context, double delta),
                    const void *context, double *out);

/* The transpose of as_scheme_fill(), for gradients: take(context, Δ, sum) for each Δ of the head, sum
 * that of db [rows][cols] where Δ is. Without positions of their own it is called once a diagonal. */
void as_scheme_gather(const as_head *head, void (*take)(void *context, double delta, double sum),
                      void *context, const double *db);

#endif
