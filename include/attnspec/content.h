/* content: where q and k come from when nobody saved them, and the random streams for it. Equations:
 * docs/maths.md, "Contents". */
#ifndef ATTNSPEC_CONTENT_H
#define ATTNSPEC_CONTENT_H

#include "base.h"

AS_BEGIN_DECLS

/* A stream of random numbers of its own for every (seed, purpose, layer, head): adding a head, a
 * layer or a purpose shifts no other. GSL's mt19937; the same key gives the same bits on every
 * run (Gaussians go through the C library's log and exp, so they may differ in the last bit elsewhere). */
typedef struct as_stream as_stream;
/* AS_ENOMEM; AS_EINVAL where this GSL's generator is of another layout. Owned by the caller. */
as_status as_stream_new(uint64_t seed, const char *purpose, size_t layer, size_t head,
                        as_stream **out);
void as_stream_free(as_stream *stream);
/* The same stream object becomes the stream of another key, from its beginning. No allocation. */
void as_stream_restart(as_stream *stream, uint64_t seed, const char *purpose, size_t layer,
                       size_t head);
double as_stream_gaussian(as_stream *stream); /* N(0, 1), ziggurat */
double as_stream_uniform(as_stream *stream);  /* [0, 1) */

/* A content with its parameters: "gaussian", "mean:strength=2,shared=false", "ar1:rho=0.9",
 * "zipf:vocab=1000,exponent=1". `file:PATH` is not of this room: it is a dump. */
typedef struct as_content_type as_content_type;
typedef struct as_content {
    const as_content_type *type;
    double value[AS_PARAMS_MAX];
} as_content;

typedef struct as_content_shape {
    size_t layer, head; /* of q; k's head is its own number among the kv heads */
    size_t n, dim;
    uint64_t seed;
} as_content_shape;

as_status as_content_parse(const char *text, as_content *out);
/* Canonical string, owned by the caller. */
char *as_content_text(const as_content *content);

/* Fills the queries of a head, or the keys of a kv head: x [n][dim] row-major. kv_head is the kv head
 * that the query head uses, so that what q and k share (the common mean, the tokens) is the same on
 * both sides. AS_ENOMEM. O(n·dim); zipf also makes a table of its vocabulary and starts a stream a
 * token. */
as_status as_content_query(const as_content *content, const as_content_shape *shape, size_t kv_head,
                           double *x);
as_status as_content_key(const as_content *content, const as_content_shape *shape, double *x);

/* For lists: name, summary, parameters; NULL past the last. */
struct as_content_type {
    const char *name, *summary;
    const as_param *params;
    as_status (*fill)(const as_content *content, const as_content_shape *shape, bool is_key,
                      size_t shared_head, double *x);
};
const as_content_type *as_content_list(size_t index);

AS_END_DECLS

#endif
