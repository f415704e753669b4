/* HDF5: any numeric dataset anywhere in the file, and the dumps that write.c makes.
 * It refuses broken and locked files; a dataset without numbers, or out of reach, has its reason. */
#include "door/hdf5_tree.h"
#include "base/fail.h"
#include "door/hdf5.h"
#include "dump/dtype.h"
#include "dump/note.h"
#include "dump/own.h"

#include <stdlib.h>
#include <string.h>

static const char magic[] = "\x89HDF\r\n\x1a\n";
enum {
    MAGIC_BYTES = sizeof magic - 1,
    USER_BLOCK = 512, /* what MATLAB puts before the file proper */
    CHUNK = 512,      /* elements that are converted at a time */
    TRIED = 4 << 20   /* bytes of elements that a trial reads: some milliseconds */
};

typedef struct hdf5 {
    as_h5_tree *tree;
    as_h5_tensor *found; /* [count] beside dump->tensors */
    size_t count;
} hdf5;

static bool probe(const unsigned char *head, size_t size) {
    return (size >= MAGIC_BYTES && memcmp(head, magic, MAGIC_BYTES) == 0) ||
           (size >= USER_BLOCK + MAGIC_BYTES && memcmp(head + USER_BLOCK, magic, MAGIC_BYTES) == 0);
}

/* Keeps the attributes of /dump where it says that it is ours. */
static as_status read_attributes(as_dump *dump, as_h5_tree *tree) {
    as_h5_attribute *found = NULL;
    size_t count = 0;
    as_status status = as_h5_tree_attributes(tree, AS_OWN_GROUP, &found, &count);
    for (size_t i = 0; i < count; i++) {
        dump->ours = dump->ours || (strcmp(found[i].name, "format") == 0 &&
                                    strcmp(found[i].text, AS_OWN_FORMAT) == 0);
    }
    for (size_t i = 0; status == AS_OK && dump->ours && i < count; i++) {
        status = as_note_add(dump, found[i].name, found[i].text);
    }
    as_h5_attributes_free(found, count);
    return status;
}

static as_dtype float_dtype(const as_h5_tensor *t) {
    return t->size == 8 ? AS_F64 : t->size == 4 ? AS_F32 : t->exponent_bits == 5 ? AS_F16 : AS_BF16;
}

static as_dtype whole_dtype(const as_h5_tensor *t) {
    bool is_signed = t->kind == AS_H5_SIGNED;
    return t->size == 8   ? (is_signed ? AS_I64 : AS_U64)
           : t->size == 4 ? (is_signed ? AS_I32 : AS_U32)
           : t->size == 2 ? (is_signed ? AS_I16 : AS_U16)
                          : (is_signed ? AS_I8 : AS_U8);
}

/* Opaque elements are bfloat16 where the user says so; h5py writes them so when numpy has no name
 * for their dtype. */
static void take_opaque(as_tensor *t, const as_h5_tensor *found, const as_dump_options *options) {
    if (found->size == 2 && options->raw_dtype != NULL) {
        t->dtype = AS_BF16;
    } else if (t->status == AS_OK) {
        t->status = AS_SKIPPED;
        t->reason = found->size == 2
                        ? "holds opaque elements of 2 bytes, as h5py writes bfloat16; if that is "
                          "what they are, say so with --raw-dtype bf16"
                        : "holds opaque elements; save them as float32";
    }
}

static void take(as_tensor *t, const as_h5_tensor *found, const as_dump_options *options) {
    *t = (as_tensor){.name = found->name,
                     .status = found->status,
                     .reason = found->reason,
                     .dtype = AS_DTYPE_COUNT,
                     .rank = found->rank};
    memcpy(t->shape, found->shape, sizeof t->shape);
    switch (found->kind) {
    case AS_H5_FLOAT:
        t->dtype = float_dtype(found);
        break;
    case AS_H5_SIGNED:
    case AS_H5_UNSIGNED:
        t->dtype = whole_dtype(found);
        break;
    case AS_H5_BOOLEAN:
        t->dtype = AS_BOOL;
        break;
    case AS_H5_OPAQUE:
        take_opaque(t, found, options);
        break;
    case AS_H5_NO_NUMBER:
        break;
    }
}

/* What HDF5 is asked for at opening. */
static as_status list(as_dump *dump) {
    hdf5 *h = dump->state = calloc(1, sizeof *h);
    if (h == NULL) {
        return as_fail(AS_ENOMEM, "no memory for its table of contents");
    }
    as_status status = as_h5_tree_open(dump->path, &h->tree);
    if (status == AS_OK) {
        status = read_attributes(dump, h->tree);
    }
    return status == AS_OK
               ? as_h5_tree_list(h->tree, dump->ours ? AS_OWN_GROUP : "/", &h->found, &h->count)
               : status;
}

static void close_hdf5(as_dump *dump) {
    hdf5 *h = dump->state;
    if (h != NULL) {
        as_h5_tree_close(h->tree);
        as_h5_tensors_free(h->found, h->count);
    }
    free(h);
    free(dump->tensors);
}

/* All that will be done with the file, in the child of a trial. */
static as_status try_file(void *context) {
    as_dump dump = {.path = ((const as_dump *)context)->path};
    as_status status = list(&dump);
    size_t budget = TRIED;
    hdf5 *h = dump.state;
    for (size_t i = 0; status == AS_OK && i < h->count; i++) {
        if (h->found[i].status == AS_OK) {
            as_h5_tree_try(h->tree, &h->found[i], &budget);
        }
    }
    close_hdf5(&dump);
    as_notes_free(&dump);
    return status;
}

static as_status open_hdf5(as_dump *dump, const as_file *file, const as_dump_options *options) {
    /* HDF5 opens the path itself; reading finds out if it is another file by then. */
    as_status status = as_h5_trial(file->stamp.size, try_file, dump);
    if (status == AS_OK) {
        status = list(dump);
    }
    if (status != AS_OK) {
        return status;
    }
    hdf5 *h = dump->state;
    dump->tensors = calloc(h->count + 1, sizeof *dump->tensors);
    if (dump->tensors == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", h->count);
    }
    dump->tensor_count = h->count;
    for (size_t i = 0; i < h->count; i++) {
        take(&dump->tensors[i], &h->found[i], options);
    }
    return AS_OK;
}

typedef struct elements {
    as_dtype dtype;
    size_t size;
    bool swapped;
} elements;

/* Converts count elements that lie `step` elements apart. out may share memory with raw where raw
 * ends no sooner than out does and step is 1: what is read is ahead of what is written. */
static void convert(const elements *e, const unsigned char *raw, size_t step, size_t count,
                    double *out) {
    _Alignas(8) unsigned char block[CHUNK * 8];
    double values[CHUNK];
    while (count > 0) {
        size_t n = count < CHUNK ? count : CHUNK;
        if (step == 1) {
            memcpy(block, raw, n * e->size);
        }
        for (size_t i = 0; step != 1 && i < n; i++) {
            memcpy(block + i * e->size, raw + i * step * e->size, e->size);
        }
        if (e->swapped) {
            as_dtype_swap(block, e->size, n);
        }
        as_dtype_convert(e->dtype, block, n, values);
        memcpy(out, values, n * sizeof *out);
        raw += n * step * e->size;
        out += n;
        count -= n;
    }
}

/* HDF5 gives the axes in the file's order: where the row axis is the later one, the slice comes
 * transposed, through a buffer of its own. */
static as_status read_slice(const hdf5 *h, size_t tensor, const elements *e, const as_slice *slice,
                            as_matrix *out) {
    const as_h5_tensor *found = &h->found[tensor];
    size_t start[AS_MAX_RANK], count[AS_MAX_RANK], total = out->rows * out->cols;
    for (size_t a = 0; a < found->rank; a++) {
        bool across = a == slice->row_axis || a == slice->col_axis;
        start[a] = across ? 0 : slice->index[a];
        count[a] = across ? found->shape[a] : 1;
    }
    if (slice->row_axis == AS_NO_AXIS || slice->row_axis < slice->col_axis) {
        unsigned char *raw = (unsigned char *)out->data + total * (sizeof *out->data - e->size);
        as_status status = as_h5_tree_read(h->tree, found, start, count, raw);
        if (status == AS_OK) {
            convert(e, raw, 1, total, out->data);
        }
        return status;
    }
    unsigned char *raw = as_alloc(total * e->size);
    if (raw == NULL) {
        return as_fail(AS_ENOMEM, "no memory to transpose %zu × %zu elements", out->rows,
                       out->cols);
    }
    as_status status = as_h5_tree_read(h->tree, found, start, count, raw);
    for (size_t i = 0; status == AS_OK && i < out->rows; i++) {
        convert(e, raw + i * e->size, out->rows, out->cols, out->data + i * out->cols);
    }
    free(raw);
    return status;
}

static as_status read_hdf5(const as_dump *dump, const as_file *file, size_t tensor,
                           const as_slice *slice, as_matrix *out) {
    (void)file;
    const hdf5 *h = dump->state;
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1, opaque = h->found[tensor].kind == AS_H5_OPAQUE;
    as_dtype dtype = dump->tensors[tensor].dtype;
    const elements e = {.dtype = dtype,
                        .size = as_dtype_size(dtype),
                        .swapped = !opaque && h->found[tensor].big_endian == little};
    return read_slice(h, tensor, &e, slice, out);
}

static void rest_hdf5(const as_dump *dump) {
    const hdf5 *h = dump->state;
    if (h != NULL && h->tree != NULL) {
        as_h5_tree_rest(h->tree);
    }
}

const as_format as_format_hdf5 = {
    .info = {.name = "hdf5",
             .summary = "HDF5, any numeric dataset in any group; h5py, MATLAB 7.3, our own dumps",
             .reference = "HDF5 File Format Specification, version 3.0"},
    .probe = probe,
    .open = open_hdf5,
    .read = read_hdf5,
    .close = close_hdf5,
    .let_go = rest_hdf5,
};
