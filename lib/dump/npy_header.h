/* npy_header: the Python literal at the head of a .npy. Private to lib/dump. */
#ifndef AS_DUMP_NPY_HEADER_H
#define AS_DUMP_NPY_HEADER_H

#include "attnspec/dump.h"

typedef struct as_npy_header {
    char descr[32]; /* "<f4" */
    bool fortran_order;
    size_t rank;
    size_t shape[AS_MAX_RANK];
} as_npy_header;

/* Parses {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }, keys in any order; nothing
 * is evaluated. text needs no terminator. AS_EREAD, with what is wrong and where; AS_SKIPPED for
 * records. */
as_status as_npy_header_parse(const char *text, size_t length, as_npy_header *out);

#endif
