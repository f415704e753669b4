/* numpy's .npy: one tensor without a name, versions 1, 2 and 3.
 * It refuses structured, object, complex, text, time and extended-precision dtypes, in words. */
#include "base/fail.h"
#include "dump/npy.h"
#include "dump/npy_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x93NUMPY";
enum {
    MAGIC_BYTES = sizeof magic - 1,
    PREAMBLE_BYTES = MAGIC_BYTES + 2 + 4, /* magic, version, the longer length */
    MAX_HEADER_BYTES = 65536              /* what version 1 can hold; only records need more */
};

bool as_npy_probe(const unsigned char *head, size_t size) {
    return size >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0;
}

/* Where the header's text starts, and its length. */
static as_status read_preamble(const as_npy_source *source, uint64_t *start, uint32_t *length) {
    unsigned char b[PREAMBLE_BYTES] = {0};
    size_t size = source->size < sizeof b ? (size_t)source->size : sizeof b;
    as_status status = source->peek(source->context, size, b);
    if (status != AS_OK) {
        return status;
    }
    const unsigned char *v = b + MAGIC_BYTES;
    if (size < PREAMBLE_BYTES) {
        return as_fail(AS_EREAD, "ends inside the .npy header, after %zu bytes", size);
    }
    if (v[0] < 1 || v[0] > 3) {
        return as_fail(AS_EREAD, "is a .npy of version %u.%u; versions 1, 2 and 3 are read", v[0],
                       v[1]);
    }
    *start = v[0] == 1 ? PREAMBLE_BYTES - 2 : PREAMBLE_BYTES;
    *length = (uint32_t)v[2] | (uint32_t)v[3] << 8;
    if (v[0] > 1) {
        *length |= (uint32_t)v[4] << 16 | (uint32_t)v[5] << 24;
    }
    if (*length > source->size - *start) {
        return as_fail(AS_EREAD,
                       "ends inside the .npy header, which should be %" PRIu32
                       " bytes long, but only %" PRIu64 " are there",
                       *length, source->size - *start);
    }
    if (*length > MAX_HEADER_BYTES) {
        return as_fail(AS_EREAD,
                       "has a .npy header of %" PRIu32 " bytes; more than %d are not read", *length,
                       MAX_HEADER_BYTES);
    }
    return AS_OK;
}

static as_status read_header(const as_npy_source *source, as_npy_header *header, uint64_t *data) {
    uint64_t start = 0;
    uint32_t length = 0;
    as_status status = read_preamble(source, &start, &length);
    if (status != AS_OK) {
        return status;
    }
    *data = start + length;
    unsigned char *bytes = malloc((size_t)*data);
    if (bytes == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a header of %" PRIu32 " bytes", length);
    }
    status = source->peek(source->context, (size_t)*data, bytes);
    if (status == AS_OK) {
        status = as_npy_header_parse((const char *)bytes + start, length, header);
    }
    free(bytes);
    return status;
}

/* Two bytes without a meaning are how numpy saves the bfloat16 of ml_dtypes, and anything else. */
static as_status opaque_dtype(const char *descr, const char *raw_dtype, as_dtype *out) {
    const char *code = strchr(descr, 'V');
    if (strcmp(code, "V2") != 0) {
        return as_fail(AS_SKIPPED, "the .npy holds opaque elements (%s); save them as float32",
                       descr);
    }
    if (raw_dtype == NULL) {
        return as_fail(AS_SKIPPED,
                       "the .npy holds opaque elements of 2 bytes (%s), as numpy writes bfloat16; "
                       "if that is what they are, say so with --raw-dtype bf16",
                       descr);
    }
    *out = AS_BF16;
    return AS_OK;
}

static as_status refused_dtype(const char *descr, char letter) {
    switch (letter) {
    case 'O':
        return as_fail(
            AS_EREAD,
            "the .npy holds Python objects (%s), a pickle, which is never "
            "opened; save a list of numeric arrays instead. If they are None: " AS_EAGER_HINT,
            descr);
    case 'c':
        return as_fail(AS_EREAD,
                       "the .npy holds complex numbers (%s); save the real and the "
                       "imaginary part",
                       descr);
    case 'S':
    case 'a':
    case 'U':
        return as_fail(AS_SKIPPED, "the .npy holds text (%s), not numbers", descr);
    case 'M':
    case 'm':
        return as_fail(AS_SKIPPED, "the .npy holds times (%s), not numbers", descr);
    case 'f':
        return as_fail(AS_EREAD,
                       "the .npy holds floats of a size that only some machines know "
                       "(%s); save them as float64",
                       descr);
    default:
        return as_fail(AS_EREAD, "the .npy has a dtype that is not known: '%s'", descr);
    }
}

/* "<f4" → AS_F32 and whether its bytes are the other way round. */
static as_status parse_dtype(const char *descr, const char *raw_dtype, as_dtype *dtype,
                             bool *swapped) {
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    bool ordered = descr[0] != '\0' && strchr("<>=|", descr[0]) != NULL;
    const char *code = ordered ? descr + 1 : descr;
    *swapped = (descr[0] == '>' && little) || (descr[0] == '<' && !little);
    if (code[0] == 'V') {
        return opaque_dtype(descr, raw_dtype, dtype);
    }
    /* Our names of two letters are numpy's; of bf16 and the floats of one byte it knows nothing. */
    *dtype = as_dtype_find(code);
    bool known = *dtype < AS_DTYPE_COUNT && strlen(code) == 2;
    return known ? AS_OK : refused_dtype(descr, code[0]);
}

/* "(3, 4)", cut where it does not fit. */
static const char *shape_text(const as_tensor *t, char *text, size_t room) {
    size_t used = (size_t)snprintf(text, room, "(");
    for (size_t i = 0; i < t->rank && used < room; i++) {
        used += (size_t)snprintf(text + used, room - used, i > 0 ? ", %zu" : "%zu", t->shape[i]);
    }
    if (used < room) {
        snprintf(text + used, room - used, t->rank == 1 ? ",)" : ")");
    }
    return text;
}

/* That the file holds all the elements; more is legal, np.save can append. */
static as_status check_size(const as_tensor *t, uint64_t data, uint64_t file_size, uint64_t *end) {
    size_t bytes = as_dtype_size(t->dtype);
    bool empty = false, fits = true;
    for (size_t i = 0; i < t->rank; i++) {
        empty = empty || t->shape[i] == 0;
        fits = fits && as_mul(bytes, t->shape[i], &bytes);
    }
    *end = data;
    if (empty) {
        return AS_OK;
    }
    char shape[192];
    shape_text(t, shape, sizeof shape);
    if (!fits) {
        return as_fail(AS_EREAD,
                       "is too short: the shape %s of %s needs more than 2^64 bytes, the "
                       "file holds %" PRIu64,
                       shape, as_dtype_name(t->dtype), file_size - data);
    }
    if (bytes > file_size - data) {
        return as_fail(AS_EREAD,
                       "is too short: the shape %s of %s needs %zu bytes, the file holds %" PRIu64,
                       shape, as_dtype_name(t->dtype), bytes, file_size - data);
    }
    *end = data + bytes;
    return AS_OK;
}

as_status as_npy_open(const as_npy_source *source, const as_dump_options *options, as_npy *out) {
    as_tensor *t = &out->tensor;
    *out = (as_npy){.tensor = {.name = "", .dtype = AS_DTYPE_COUNT}};
    as_npy_header header;
    as_status status = read_header(source, &header, &out->where.offset);
    if (status != AS_OK) {
        return status;
    }
    t->rank = header.rank;
    memcpy(t->shape, header.shape, sizeof t->shape);
    as_dtype dtype = AS_DTYPE_COUNT;
    status = parse_dtype(header.descr, options->raw_dtype, &dtype, &out->where.swapped);
    if (status != AS_OK) {
        return status;
    }
    t->dtype = dtype;
    status = check_size(t, out->where.offset, source->size, &out->end);
    if (status == AS_OK) {
        as_strided_contiguous(t, header.fortran_order, out->where.stride);
    }
    return status;
}

static as_status peek_file(const void *context, size_t count, unsigned char *out) {
    return as_file_read(context, 0, out, count);
}

static as_status open_npy(as_dump *dump, const as_file *file, const as_dump_options *options) {
    as_npy *npy = malloc(sizeof *npy);
    if (npy == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a tensor");
    }
    dump->state = npy;
    const as_npy_source source = {peek_file, file, file->stamp.size};
    as_status status = as_npy_open(&source, options, npy);
    if (status != AS_OK) {
        /* A file of one array without numbers is not one to go on with. */
        return status == AS_SKIPPED ? AS_EREAD : status;
    }
    dump->tensors = &npy->tensor;
    dump->tensor_count = 1;
    return AS_OK;
}

static as_status read_npy(const as_dump *dump, const as_file *file, size_t tensor,
                          const as_slice *slice, as_matrix *out) {
    const as_npy *npy = dump->state;
    return as_strided_read(file, &dump->tensors[tensor], &npy->where, slice, out);
}

static void close_npy(as_dump *dump) {
    free(dump->state);
}

const as_format as_format_npy = {
    .info = {.name = "npy",
             .summary = "numpy's array file, one tensor",
             .reference = "numpy.lib.format (NEP 1), versions 1.0, 2.0 and 3.0"},
    .probe = as_npy_probe,
    .open = open_npy,
    .read = read_npy,
    .close = close_npy,
};
