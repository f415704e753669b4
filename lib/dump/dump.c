/* Files that hold attention: which format, what tensors, one slice at a time.
 * It refuses what no format recognises, and slices that are not in the tensor. */
#include "dump/format.h"
#include "base/fail.h"
#include "dump/held.h"
#include "dump/note.h"
#include "dump/raw.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const as_format *const formats[] = {
#define X(name) &as_format_##name,
#include "dump/dumps.def"
#undef X
};
enum { FORMAT_COUNT = sizeof formats / sizeof *formats };

const as_format_info *as_format_list(size_t index) {
    return index < FORMAT_COUNT ? &formats[index]->info : NULL;
}

#define RAW_HINT "; elements without a header are read with --raw SHAPE:DTYPE"

static as_status unknown(const unsigned char *head, size_t size) {
    if (size == 0) {
        return as_fail(AS_EREAD, "is empty");
    }
    char names[256] = "", bytes[3 * 8 + 1] = "";
    for (size_t i = 0, used = 0; i < FORMAT_COUNT && used < sizeof names; i++) {
        if (formats[i] == &as_format_raw) {
            continue; /* of no first bytes, but of what the user says */
        }
        used += (size_t)snprintf(names + used, sizeof names - used, "%s%s", i > 0 ? ", " : "",
                                 formats[i]->info.name);
    }
    const char *kind = as_foreign_kind(head, size);
    if (kind != NULL) {
        return as_fail(AS_EREAD, "is %s, none of the formats that are read (%s)" RAW_HINT, kind,
                       names);
    }
    for (size_t i = 0; i < size && i < 8; i++) {
        snprintf(bytes + 3 * i, 4, " %02x", head[i]);
    }
    return as_fail(AS_EREAD,
                   "begins with the bytes%s, as none of the formats that are read (%s)" RAW_HINT,
                   bytes, names);
}

/* The format that the first bytes belong to. */
static as_status probe(const as_file *file, const as_dump_options *options, const as_format **out) {
    if (options->raw != NULL) {
        *out = &as_format_raw;
        return AS_OK;
    }
    unsigned char head[AS_PROBE_BYTES];
    size_t size = file->stamp.size < sizeof head ? (size_t)file->stamp.size : sizeof head;
    as_status status = as_file_read(file, 0, head, size);
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < FORMAT_COUNT; i++) {
        if (formats[i]->probe(head, size)) {
            *out = formats[i];
            return AS_OK;
        }
    }
    return unknown(head, size);
}

static as_status check_options(const as_dump_options *options) {
    if (options->raw_dtype != NULL && strcmp(options->raw_dtype, "bf16") != 0) {
        return as_fail(AS_EINVAL, "\"%s\" is no dtype of opaque elements; the valid one is bf16",
                       options->raw_dtype);
    }
    return options->raw != NULL ? as_raw_parse(options->raw, &(as_raw){0}) : AS_OK;
}

static as_status open_file(as_dump *dump, const as_dump_options *options) {
    as_file file;
    as_status status = as_file_open(dump->path, &file);
    if (status != AS_OK) {
        return status;
    }
    dump->stamp = file.stamp;
    status = probe(&file, options, &dump->format);
    if (status == AS_OK) {
        as_held_take(dump);
        status = dump->format->open(dump, &file, options);
        as_held_give(dump);
    }
    for (size_t i = 0; status == AS_OK && !dump->format->decimal && i < dump->tensor_count; i++) {
        dump->tensors[i].decimals = -1;
    }
    as_file_close(&file);
    return status;
}

as_status as_dump_open(const char *path, const as_dump_options *options, as_dump **out) {
    const as_dump_options none = {0};
    options = options != NULL ? options : &none;
    as_status status = check_options(options);
    if (status != AS_OK) {
        return status;
    }
    size_t length = strlen(path);
    as_dump *dump = calloc(1, sizeof *dump);
    if (dump == NULL || (dump->path = malloc(length + 1)) == NULL ||
        (dump->held = calloc(1, sizeof *dump->held)) == NULL) {
        as_dump_close(dump);
        return as_fail(AS_ENOMEM, "no memory to open %s", path);
    }
    memcpy(dump->path, path, length + 1);
    status = open_file(dump, options);
    if (status != AS_OK) {
        as_dump_close(dump);
        return as_fail_prefix(status, "%s", path);
    }
    *out = dump;
    return AS_OK;
}

void as_dump_close(as_dump *dump) {
    if (dump == NULL) {
        return;
    }
    if (dump->format != NULL) {
        as_held_forget(dump);
        dump->format->close(dump);
    }
    free(dump->held);
    as_notes_free(dump);
    free(dump->path);
    free(dump);
}

const char *as_dump_path(const as_dump *dump) {
    return dump->path;
}

const char *as_dump_format(const as_dump *dump) {
    return dump->format->info.name;
}

size_t as_dump_tensor_count(const as_dump *dump) {
    return dump->tensor_count;
}

const as_tensor *as_dump_tensor(const as_dump *dump, size_t tensor) {
    return &dump->tensors[tensor];
}

static as_status check_slice(const as_tensor *tensor, const as_slice *slice) {
    if (slice->col_axis >= tensor->rank ||
        (slice->row_axis >= tensor->rank && slice->row_axis != AS_NO_AXIS) ||
        slice->row_axis == slice->col_axis) {
        return as_fail(AS_EINVAL, "axes %zu and %zu are no two axes of a tensor of rank %zu",
                       slice->row_axis, slice->col_axis, tensor->rank);
    }
    for (size_t axis = 0; axis < tensor->rank; axis++) {
        if (axis != slice->row_axis && axis != slice->col_axis &&
            slice->index[axis] >= tensor->shape[axis]) {
            return as_fail(AS_EINVAL, "index %zu is beyond axis %zu, which has %zu",
                           slice->index[axis], axis, tensor->shape[axis]);
        }
    }
    return AS_OK;
}

static as_status read_file(const as_dump *dump, size_t tensor, const as_slice *slice,
                           as_matrix *out) {
    const as_tensor *t = &dump->tensors[tensor];
    if (t->status != AS_OK) {
        return as_fail(t->status, "%s", t->reason);
    }
    as_status status = check_slice(t, slice);
    if (status != AS_OK) {
        return status;
    }
    size_t rows = slice->row_axis == AS_NO_AXIS ? 1 : t->shape[slice->row_axis];
    size_t cols = t->shape[slice->col_axis], bytes;
    uint64_t memory = as_memory_total();
    if (!as_mul(rows, cols, &bytes) || !as_mul(bytes, sizeof *out->data, &bytes) ||
        (memory > 0 && bytes > memory)) {
        return as_fail(AS_ENOMEM, "a matrix of %zu × %zu does not fit this machine's memory", rows,
                       cols);
    }
    status = as_matrix_resize(out, rows, cols);
    if (status != AS_OK || out->rows == 0 || out->cols == 0) {
        return status;
    }
    as_file file;
    status = as_file_reopen(dump->path, &dump->stamp, &file);
    if (status == AS_OK) {
        as_held_take(dump);
        status = dump->format->read(dump, &file, tensor, slice, out);
        as_held_give(dump);
        as_file_close(&file);
    }
    return status;
}

const char *as_dump_attribute(const as_dump *dump, const char *name) {
    for (size_t i = 0; dump->ours && i < dump->note_count; i++) {
        if (strcmp(dump->notes[i].name, name) == 0) {
            return dump->notes[i].text;
        }
    }
    return NULL;
}

size_t as_dump_note_count(const as_dump *dump) {
    return dump->note_count;
}

as_dump_note as_dump_note_at(const as_dump *dump, size_t index) {
    return dump->notes[index];
}

as_status as_dump_read(const as_dump *dump, size_t tensor, const as_slice *slice, as_matrix *out) {
    as_status status = tensor < dump->tensor_count
                           ? read_file(dump, tensor, slice, out)
                           : as_fail(AS_EINVAL, "there is no tensor %zu, there are %zu", tensor,
                                     dump->tensor_count);
    return status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", dump->path);
}
