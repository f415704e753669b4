/* type: what the files of contents share. Private to lib/content.
 * A new content is one file that ends in its `const as_content_type as_content_NAME`, and one line in
 * contents.def. */
#ifndef AS_CONTENT_TYPE_H
#define AS_CONTENT_TYPE_H

#include "attnspec/content.h"

#define X(name) extern const as_content_type as_content_##name;
#include "content/contents.def"
#undef X

/* The parameter of that name. */
double as_content_value(const as_content *content, const char *key);

/* x [count] i.i.d. N(0, 1), from the stream (seed, purpose, layer, head). AS_ENOMEM */
as_status as_content_draw(const as_content_shape *shape, const char *purpose, size_t head,
                          size_t count, double *x);

/* (Q1) x [n][dim]: the noise of this side. gaussian, mean and ar1 have the same, so that a change of
 * content or of strength changes nothing else. AS_ENOMEM */
as_status as_content_noise(const as_content_shape *shape, bool is_key, double *x);

#endif
