/* safetensors: the table of contents of one file, for it and for the index of several. Private to
 * lib/dump. */
#ifndef AS_DUMP_SAFETENSORS_H
#define AS_DUMP_SAFETENSORS_H

#include "door/json.h"
#include "dump/strided.h"

/* Start from {0}. Names are borrowed from the header, reasons are owned. */
typedef struct as_safetensors {
    as_json_value *header;
    as_tensor *tensors; /* [count] in the order of their bytes */
    as_strided *where;  /* [count] */
    size_t count;
} as_safetensors;

/* Longer headers, and longer indices, are not read: the format's own limit. */
#define AS_SAFETENSORS_HEADER_MAX 100000000u

/* Whether the file begins as one: a length that no text can be, and a brace. */
bool as_safetensors_probe(const unsigned char *head, size_t size);

/* Reads and checks the whole header. AS_EREAD with what is wrong, AS_ENOMEM; to be freed all the
 * same. */
as_status as_safetensors_read(const as_file *file, as_safetensors *out);
void as_safetensors_free(as_safetensors *s);

/* A JSON object that lies at an offset of the file, `length` bytes; what says what it is. */
as_status as_safetensors_object(const as_file *file, uint64_t offset, size_t length,
                                const char *what, as_json_value **out);

#endif
