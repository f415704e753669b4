/* Elements and nothing else: what the user says with --raw 512x512:f32 is all that is known.
 * It refuses files whose size is not that of the shape. */
#include "dump/raw.h"
#include "base/fail.h"
#include "dump/strided.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* numpy's names count bytes, the others bits; i8 is numpy's. */
static const struct {
    const char *alias, *name;
} aliases[] = {
    {"f64", "f8"},     {"f32", "f4"},        {"f16", "f2"},    {"float64", "f8"}, {"float32", "f4"},
    {"float16", "f2"}, {"bfloat16", "bf16"}, {"i64", "i8"},    {"i32", "i4"},     {"i16", "i2"},
    {"int64", "i8"},   {"int32", "i4"},      {"int16", "i2"},  {"int8", "i1"},    {"u64", "u8"},
    {"u32", "u4"},     {"u16", "u2"},        {"uint64", "u8"}, {"uint32", "u4"},  {"uint16", "u2"},
    {"uint8", "u1"},   {"bool", "b1"},
};

static as_dtype find_dtype(const char *name) {
    for (size_t i = 0; i < sizeof aliases / sizeof *aliases; i++) {
        if (strcmp(name, aliases[i].alias) == 0) {
            name = aliases[i].name;
            break;
        }
    }
    return as_dtype_find(name);
}

/* "512x512" up to the colon. */
static bool parse_shape(const char **at, as_raw *raw) {
    const char *s = *at;
    size_t elements = 1;
    for (raw->rank = 0; raw->rank < AS_MAX_RANK; s++) {
        size_t length = 0;
        if (!isdigit((unsigned char)*s)) {
            return false;
        }
        for (; isdigit((unsigned char)*s); s++) {
            if (!as_mul(length, 10, &length) ||
                __builtin_add_overflow(length, (size_t)(*s - '0'), &length)) {
                return false;
            }
        }
        if (length == 0 || !as_mul(elements, length, &elements)) {
            return false;
        }
        raw->shape[raw->rank++] = length;
        if (*s != 'x') {
            break;
        }
    }
    *at = s;
    return *s == ':' && as_mul(elements, 8, &elements);
}

as_status as_raw_parse(const char *text, as_raw *out) {
    as_raw raw = {0};
    const char *at = text;
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1;
    if (!parse_shape(&at, &raw)) {
        return as_fail(AS_EINVAL,
                       "\"%s\" is no shape and dtype of raw elements, such as 12x512x512:f32",
                       text);
    }
    at++;
    bool big = *at == '>';
    at += *at == '>' || *at == '<';
    raw.dtype = find_dtype(at);
    if (raw.dtype == AS_DTYPE_COUNT) {
        return as_fail(AS_EINVAL,
                       "\"%s\" is no dtype of raw elements; valid are f64, f32, f16, bf16, int64, "
                       "int32, int16, int8, uint64 … uint8, bool and numpy's names, with > before "
                       "them for big-endian ones",
                       at);
    }
    raw.swapped = big == little;
    *out = raw;
    return AS_OK;
}

typedef struct state {
    as_tensor tensor;
    as_strided where;
} state;

/* Only the user's word makes a file raw. */
static bool probe(const unsigned char *head, size_t size) {
    (void)head, (void)size;
    return false;
}

static as_status open_raw(as_dump *dump, const as_file *file, const as_dump_options *options) {
    as_raw raw;
    as_status status = as_raw_parse(options->raw, &raw);
    if (status != AS_OK) {
        return status;
    }
    uint64_t bytes = as_dtype_size(raw.dtype);
    for (size_t axis = 0; axis < raw.rank; axis++) {
        bytes *= raw.shape[axis];
    }
    if (bytes != file->stamp.size) {
        return as_fail(AS_EREAD, "holds %" PRIu64 " bytes, --raw %s stands for %" PRIu64,
                       file->stamp.size, options->raw, bytes);
    }
    state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a tensor");
    }
    s->tensor = (as_tensor){.name = "", .dtype = raw.dtype, .rank = raw.rank, .decimals = -1};
    memcpy(s->tensor.shape, raw.shape, sizeof raw.shape);
    as_strided_contiguous(&s->tensor, false, s->where.stride);
    s->where.swapped = raw.swapped;
    dump->state = s;
    dump->tensors = &s->tensor;
    dump->tensor_count = 1;
    return AS_OK;
}

static as_status read_raw(const as_dump *dump, const as_file *file, size_t tensor,
                          const as_slice *slice, as_matrix *out) {
    const state *s = dump->state;
    return as_strided_read(file, &dump->tensors[tensor], &s->where, slice, out);
}

static void close_raw(as_dump *dump) {
    free(dump->state);
}

const as_format as_format_raw = {
    .info = {.name = "raw",
             .summary = "elements alone, with --raw SHAPE:DTYPE",
             .reference = "C order, little-endian unless the dtype begins with >"},
    .probe = probe,
    .open = open_raw,
    .read = read_raw,
    .close = close_raw,
};
