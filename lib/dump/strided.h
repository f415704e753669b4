/* strided: a dense tensor that lies in a file as a whole, at an offset. Private to lib/dump. */
#ifndef AS_DUMP_STRIDED_H
#define AS_DUMP_STRIDED_H

#include "dump/format.h"

typedef struct as_strided {
    uint64_t offset;            /* of element (0, …, 0) in the file */
    size_t stride[AS_MAX_RANK]; /* in elements, ≥ 1 */
    bool swapped;               /* in the other byte order than this machine's */
} as_strided;

/* Contiguous strides: C order (last axis fastest), or Fortran order (first axis fastest). The
 * tensor has elements and their number fits a size_t. */
void as_strided_contiguous(const as_tensor *tensor, bool fortran_order, size_t *stride);

/* Contract of as_format.read for such a tensor; every element is inside the file. Takes at
 * most 256 KiB besides out. */
as_status as_strided_read(const as_file *file, const as_tensor *tensor, const as_strided *where,
                          const as_slice *slice, as_matrix *out);

#endif
