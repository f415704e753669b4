/* heads: images of layer by head, the mean of a few numbers over what was analysed. Private. */
#ifndef AS_RESULT_HEADS_H
#define AS_RESULT_HEADS_H

#include "attnspec/result.h"
#include "door/hdf5.h"
#include "result/names.h"

enum { AS_HEADS_IMAGES = 8, AS_HEADS_ORIGINS = 3 };

/* Where a row stands, and its shape. */
typedef struct as_place {
    uint64_t layer, head, batch, rows, cols;
} as_place;

/* Start from {0}. */
typedef struct as_heads {
    bool any;                           /* whether a row was ok */
    bool contraction;                   /* whether one of them has a contraction */
    as_names origins[AS_HEADS_ORIGINS]; /* source, scheme, content */
    uint64_t layer_min, layer_max, head_min, head_max;
    as_place *places; /* of the rows that are ok, owned; until there is room */
    size_t place_count, place_capacity;
    size_t layers, heads;          /* 0: no images */
    double *mean[AS_HEADS_IMAGES]; /* [layers][heads] */
    size_t *count[AS_HEADS_IMAGES];
} as_heads;

/* First every row is seen, then there is room, then every row is added, then they are written. */
as_status as_heads_see(as_heads *heads, const as_row *row);
/* No images where nothing was ok, where rows come from more than one source, scheme or content (the
 * mean over two models is neither), where two rows have the same layer, batch and head (the steps of
 * a generation), where the batch of a head has matrices of several shapes, or where layers × heads is
 * beyond 2^20 (numbers in names can be anything). AS_ENOMEM.  O(rows log rows). */
as_status as_heads_allocate(as_heads *heads);
void as_heads_add(as_heads *heads, const as_row *row);
as_status as_heads_write(const as_heads *heads, as_h5 *file, const char *group);
void as_heads_free(as_heads *heads);

#endif
