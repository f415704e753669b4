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

/* out [rows][cols] = value(context, Δ), Δ = i + cols − rows − k. value is called once a diagonal,
 * so that the matrix is Toeplitz to the bit. */
void as_scheme_fill(const as_head *head, double (*value)(const void *context, double delta),
                    const void *context, double *out);

#endif
