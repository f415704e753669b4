/* safetensors: a JSON header of names, dtypes, shapes and offsets, then the bytes, little-endian.
 * It refuses headers that lie, holes and overlaps; a dtype that is not known costs its tensor only. */
#include "dump/safetensors.h"
#include "base/fail.h"
#include "dump/note.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LENGTH_BYTES = 8 };

/* The format's names of dtypes. E4M3 is the variant without infinity (OCP FP8). */
static const struct {
    const char *name;
    as_dtype dtype;
} dtypes[] = {{"F64", AS_F64},         {"F32", AS_F32},         {"F16", AS_F16},  {"BF16", AS_BF16},
              {"F8_E4M3", AS_F8_E4M3}, {"F8_E5M2", AS_F8_E5M2}, {"I64", AS_I64},  {"I32", AS_I32},
              {"I16", AS_I16},         {"I8", AS_I8},           {"U64", AS_U64},  {"U32", AS_U32},
              {"U16", AS_U16},         {"U8", AS_U8},           {"BOOL", AS_BOOL}};

/* A tensor as the header has it; order is its number in the header's text. */
typedef struct entry {
    as_tensor tensor;
    uint64_t begin, end;
    size_t order;
} entry;

bool as_safetensors_probe(const unsigned char *head, size_t size) {
    if (size <= LENGTH_BYTES || head[LENGTH_BYTES] != '{') {
        return false;
    }
    /* JSON too can have a brace there, but neither byte stands in a text. */
    return memchr(head, 0, LENGTH_BYTES) != NULL || memchr(head, 0xff, LENGTH_BYTES) != NULL;
}

static as_status read_length(const as_file *file, size_t *out) {
    unsigned char bytes[LENGTH_BYTES];
    as_status status = as_file_read(file, 0, bytes, sizeof bytes);
    if (status != AS_OK) {
        return status;
    }
    uint64_t length = 0, rest = file->stamp.size - LENGTH_BYTES;
    for (size_t i = LENGTH_BYTES; i-- > 0;) {
        length = length << 8 | bytes[i];
    }
    if (length > AS_SAFETENSORS_HEADER_MAX) {
        return as_fail(AS_EREAD,
                       "should have a safetensors header of %" PRIu64 " bytes, more than the "
                       "format allows (%u): is this really safetensors?",
                       length, AS_SAFETENSORS_HEADER_MAX);
    }
    if (length > rest) {
        return as_fail(AS_EREAD,
                       "ends inside the safetensors header, which should be %" PRIu64
                       " bytes long, but only %" PRIu64 " are there",
                       length, rest);
    }
    *out = (size_t)length;
    return AS_OK;
}

as_status as_safetensors_object(const as_file *file, uint64_t offset, size_t length,
                                const char *what, as_json_value **out) {
    char *text = malloc(length + 1);
    if (text == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %s of %zu bytes", what, length);
    }
    as_json_value *value = NULL;
    as_status status = as_file_read(file, offset, text, length);
    if (status == AS_OK) {
        status = as_json_parse(text, length, &value);
        status = status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", what);
    }
    free(text);
    if (status == AS_OK && !as_json_is_object(value)) {
        status = as_fail(AS_EREAD, "%s is no JSON object", what);
    }
    if (status != AS_OK) {
        as_json_value_free(value);
        return status;
    }
    *out = value;
    return AS_OK;
}

/* Strings by strings; they say nothing about the tensors. */
static as_status check_metadata(const as_json_value *metadata) {
    if (!as_json_is_object(metadata)) {
        return as_fail(AS_EREAD, "the __metadata__ of the safetensors header is no JSON object");
    }
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    while (as_json_next(metadata, &cursor, &key, &value)) {
        if (as_json_text(value) == NULL) {
            return as_fail(AS_EREAD,
                           "the __metadata__ '%.200s' of the safetensors header is no text", key);
        }
    }
    return AS_OK;
}

static as_status lies(const entry *e, const char *what) {
    return as_fail(AS_EREAD, "the tensor '%.200s' of the safetensors header %s", e->tensor.name,
                   what);
}

/* What makes one tensor unreadable and leaves the others. */
static as_status out_of_reach(entry *e, const char *reason) {
    if (e->tensor.status != AS_OK) {
        return AS_OK; /* one reason is enough */
    }
    char *copy = malloc(strlen(reason) + 1);
    if (copy == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a reason");
    }
    e->tensor.status = AS_EREAD;
    e->tensor.reason = strcpy(copy, reason);
    return AS_OK;
}

static as_status take_dtype(entry *e, const char *name) {
    for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
        if (strcmp(name, dtypes[i].name) == 0) {
            e->tensor.dtype = dtypes[i].dtype;
            return AS_OK;
        }
    }
    char reason[160];
    snprintf(reason, sizeof reason, "has the dtype %.80s, which is not read; save it as F32", name);
    return out_of_reach(e, reason);
}

/* The shape, and that end − begin is the bytes it needs, where the dtype is known. */
static as_status take_shape(entry *e, const as_json_value *shape) {
    size_t rank = as_json_length(shape), bytes = as_dtype_size(e->tensor.dtype);
    bool empty = false, fits = true;
    for (size_t i = 0; i < rank; i++) {
        uint64_t length;
        if (!as_json_whole(as_json_element(shape, i), &length)) {
            return lies(e, "has a length in its shape that is no whole number up to 2^53");
        }
        if (i < AS_MAX_RANK) {
            e->tensor.shape[i] = (size_t)length;
        }
        empty = empty || length == 0;
        fits = fits && as_mul(bytes, (size_t)length, &bytes);
    }
    e->tensor.rank = rank <= AS_MAX_RANK ? rank : 0;
    if (e->tensor.dtype < AS_DTYPE_COUNT && !empty && !fits) {
        return lies(e, "needs more than 2^64 bytes for its shape");
    }
    if (e->tensor.dtype < AS_DTYPE_COUNT && (empty ? 0 : bytes) != e->end - e->begin) {
        char what[96];
        snprintf(what, sizeof what, "needs %zu bytes for its shape and has %" PRIu64,
                 empty ? 0 : bytes, e->end - e->begin);
        return lies(e, what);
    }
    char reason[64];
    snprintf(reason, sizeof reason, "has %zu axes, more than %d", rank, AS_MAX_RANK);
    return rank <= AS_MAX_RANK ? AS_OK : out_of_reach(e, reason);
}

static as_status take_entry(const as_json_value *value, uint64_t data, entry *e) {
    const char *dtype = as_json_text(as_json_member(value, "dtype"));
    const as_json_value *shape = as_json_member(value, "shape");
    const as_json_value *offsets = as_json_member(value, "data_offsets");
    if (dtype == NULL || !as_json_is_array(shape) || !as_json_is_array(offsets)) {
        return lies(e, "lacks a dtype, a shape or data_offsets");
    }
    if (as_json_length(value) != 3) {
        return lies(e, "has more than a dtype, a shape and data_offsets");
    }
    if (as_json_length(offsets) != 2 || !as_json_whole(as_json_element(offsets, 0), &e->begin) ||
        !as_json_whole(as_json_element(offsets, 1), &e->end)) {
        return lies(e, "has data_offsets that are no two whole numbers up to 2^53");
    }
    if (e->begin > e->end) {
        return lies(e, "ends before it begins");
    }
    if (e->end > data) {
        char what[96];
        snprintf(what, sizeof what, "ends at byte %" PRIu64 " of the data, which has %" PRIu64,
                 e->end, data);
        return lies(e, what);
    }
    as_status status = take_dtype(e, dtype);
    return status == AS_OK ? take_shape(e, shape) : status;
}

static int by_place(const void *a, const void *b) {
    const entry *x = a, *y = b;
    if (x->begin != y->begin) {
        return x->begin < y->begin ? -1 : 1;
    }
    if (x->end != y->end) {
        return x->end < y->end ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/* No byte of the data without a tensor, none with two. */
static as_status check_places(const entry *entries, size_t count, uint64_t data) {
    uint64_t at = 0;
    for (size_t i = 0; i < count; i++) {
        const entry *e = &entries[i];
        if (e->begin < at) {
            char what[280];
            snprintf(what, sizeof what, "lies over '%.200s'", entries[i - 1].tensor.name);
            return lies(e, what);
        }
        if (e->begin > at) {
            char what[96];
            snprintf(what, sizeof what, "leaves %" PRIu64 " bytes of the data before it unused",
                     e->begin - at);
            return lies(e, what);
        }
        at = e->end;
    }
    return at == data ? AS_OK
                      : as_fail(AS_EREAD,
                                "holds %" PRIu64 " bytes after the last tensor of the "
                                "safetensors header",
                                data - at);
}

/* Fills entries, which has room for every member, and counts them in s->count. */
static as_status take_entries(as_safetensors *s, uint64_t data, entry *entries) {
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    as_status status = AS_OK;
    while (status == AS_OK && as_json_next(s->header, &cursor, &key, &value)) {
        if (strcmp(key, "__metadata__") == 0) {
            status = check_metadata(value);
            continue;
        }
        entry *e = &entries[s->count];
        *e = (entry){.tensor = {.name = key, .dtype = AS_DTYPE_COUNT}, .order = s->count};
        s->count++;
        status = take_entry(value, data, e);
    }
    if (status == AS_OK) {
        qsort(entries, s->count, sizeof *entries, by_place);
        status = check_places(entries, s->count, data);
    }
    return status;
}

as_status as_safetensors_read(const as_file *file, as_safetensors *out) {
    const uint16_t one = 1;
    bool big = *(const unsigned char *)&one == 0;
    size_t length = 0;
    as_status status = read_length(file, &length);
    if (status == AS_OK) {
        status = as_safetensors_object(file, LENGTH_BYTES, length, "the safetensors header",
                                       &out->header);
    }
    if (status != AS_OK) {
        return status;
    }
    size_t room = as_json_length(out->header) + 1;
    uint64_t start = LENGTH_BYTES + (uint64_t)length;
    entry *entries = calloc(room, sizeof *entries);
    out->tensors = calloc(room, sizeof *out->tensors);
    out->where = calloc(room, sizeof *out->where);
    if (entries == NULL || out->tensors == NULL || out->where == NULL) {
        free(entries);
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", room - 1);
    }
    status = take_entries(out, file->stamp.size - start, entries);
    for (size_t i = 0; i < out->count; i++) {
        out->tensors[i] = entries[i].tensor;
        out->where[i] = (as_strided){.offset = start + entries[i].begin, .swapped = big};
        as_strided_contiguous(&out->tensors[i], false, out->where[i].stride);
    }
    free(entries);
    return status;
}

void as_safetensors_free(as_safetensors *s) {
    for (size_t i = 0; i < s->count; i++) {
        free((void *)s->tensors[i].reason);
    }
    free(s->tensors);
    free(s->where);
    as_json_value_free(s->header);
}

static as_status open_safetensors(as_dump *dump, const as_file *file,
                                  const as_dump_options *options) {
    (void)options; /* every element has a dtype here */
    as_safetensors *s = dump->state = calloc(1, sizeof *s);
    if (s == NULL) {
        return as_fail(AS_ENOMEM, "no memory for its table of contents");
    }
    as_status status = as_safetensors_read(file, s);
    dump->tensors = s->tensors;
    dump->tensor_count = s->count;
    if (status == AS_OK) {
        status = as_note_add_members(dump, as_json_member(s->header, "__metadata__"));
    }
    return status;
}

static as_status read_safetensors(const as_dump *dump, const as_file *file, size_t tensor,
                                  const as_slice *slice, as_matrix *out) {
    const as_safetensors *s = dump->state;
    return as_strided_read(file, &s->tensors[tensor], &s->where[tensor], slice, out);
}

static void close_safetensors(as_dump *dump) {
    if (dump->state != NULL) {
        as_safetensors_free(dump->state);
        free(dump->state);
    }
}

const as_format as_format_safetensors = {
    .info = {.name = "safetensors",
             .summary = "Hugging Face's tensor file",
             .reference = "github.com/huggingface/safetensors, README, Format"},
    .probe = as_safetensors_probe,
    .open = open_safetensors,
    .read = read_safetensors,
    .close = close_safetensors,
};
