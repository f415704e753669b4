/* npy: a .npy, in a file of its own or inside an archive. Private to lib/dump. */
#ifndef AS_DUMP_NPY_H
#define AS_DUMP_NPY_H

#include "dump/strided.h"

/* Where the bytes of a .npy are. */
typedef struct as_npy_source {
    /* The first `count` bytes, count ≤ size. */
    as_status (*peek)(const void *context, size_t count, unsigned char *out);
    const void *context;
    uint64_t size;
} as_npy_source;

typedef struct as_npy {
    as_tensor tensor;
    as_strided where; /* offset from the beginning of the .npy */
    uint64_t end;     /* the header and the elements that it declares */
} as_npy;

/* Whether these are the first bytes of a .npy. */
bool as_npy_probe(const unsigned char *head, size_t size);

/* Reads the header; the tensor has no name. AS_SKIPPED: it holds no numbers; AS_EREAD: its numbers are
 * out of reach; AS_ENOMEM. What is known of rank and shape is in out on failure, too. */
as_status as_npy_open(const as_npy_source *source, const as_dump_options *options, as_npy *out);

#endif
