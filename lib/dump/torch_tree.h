/* torch_tree: the tensors that the pickle of a PyTorch file names. Private to lib/dump. */
#ifndef AS_DUMP_TORCH_TREE_H
#define AS_DUMP_TORCH_TREE_H

#include "dump/strided.h"
#include "dump/zip.h"

typedef struct as_torch_archive {
    const as_file *file;
    const as_zip *zip; /* members sorted by name */
    const char *stem;  /* the folder of every member; no end */
    size_t stem_length;
    bool swapped; /* in the other byte order than this machine's */
} as_torch_archive;

typedef struct as_torch_place {
    as_strided where;            /* in the file, or in the member where that is deflated */
    const as_zip_member *packed; /* NULL for a stored member */
} as_torch_place;

/* Start from {0}. */
typedef struct as_torch_tensors {
    as_tensor *tensors; /* [count], their names owned */
    as_torch_place *places;
    size_t count, room;
} as_torch_tensors;

int as_torch_by_name(const void *a, const void *b); /* of members, for qsort() */
/* The member <stem>/name, NULL where there is none. */
const as_zip_member *as_torch_member(const as_torch_archive *archive, const char *name);

/* Adds every tensor in any containers of the pickle, in its order, named by the way to it:
 * "layers.0.q". Each has been checked against its storage; out is to be freed on failure too. */
as_status as_torch_tree(const as_torch_archive *archive, const as_zip_member *pickle,
                        as_torch_tensors *out);
void as_torch_tensors_free(as_torch_tensors *tensors);

#endif
