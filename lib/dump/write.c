/* Our dumps: query, key, logits and content of every layer and head in one HDF5 file, which has its
 * name when it is whole. It refuses to replace a file without force, and to leave a matrix out. */
#define _GNU_SOURCE /* strdup */
#include "attnspec/dump.h"
#include "base/fail.h"
#include "base/temporary.h"
#include "door/hdf5.h"
#include "dump/own.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define GROUP "/" AS_OWN_GROUP
enum { QUERY, KEY, LOGITS, CONTENT, TENSORS };

typedef struct own_tensor {
    const char *name, *path;
    size_t heads;
    as_h5_stack stack;
    as_h5_data data;
    bool *written; /* [layers][batches][heads] */
    size_t missing;
} own_tensor;

struct as_dump_writer {
    char *path, *temporary; /* NULL: there is no such file */
    bool replace;           /* a file of that name */
    as_h5 *file;
    size_t layers, batches; /* batches is 0 where there is no such axis */
    own_tensor tensor[TENSORS];
};

/* Samples that a layer and head has. */
static size_t batches_of(const as_dump_writer *writer) {
    return writer->batches > 0 ? writer->batches : 1;
}

static as_status make_tensor(as_dump_writer *writer, own_tensor *t, const char *axes) {
    size_t count, heads = t->heads, batches = batches_of(writer);
    if (!as_mul(writer->layers, batches, &count) || !as_mul(count, heads, &count)) {
        return as_fail(AS_EINVAL, "%zu × %zu × %zu matrices are too many", writer->layers, batches,
                       heads);
    }
    t->missing = count;
    t->written = calloc(count, sizeof *t->written);
    if (t->written == NULL) {
        return as_fail(AS_ENOMEM, "no memory to write %s", writer->path);
    }
    as_status status = as_h5_stack_create(writer->file, t->path, &t->stack, &t->data);
    return status == AS_OK ? as_h5_set_text(writer->file, t->path, "axes", axes) : status;
}

/* The axes of a tensor: query and key have positions, the others are of queries and keys. */
static as_status make_tensors(as_dump_writer *writer) {
    static const char *const axes[2][2] = {
        {"layer,head,position,dim", "layer,head,query,key"},
        {"layer,batch,head,position,dim", "layer,batch,head,query,key"}};
    as_status status = AS_OK;
    for (size_t t = 0; t < TENSORS && status == AS_OK; t++) {
        status = make_tensor(writer, &writer->tensor[t], axes[writer->batches > 0][t >= LOGITS]);
    }
    return status;
}

static as_status make_group(as_dump_writer *writer, const char *const (*attributes)[2],
                            size_t count) {
    as_status status = as_h5_group(writer->file, GROUP, NULL);
    if (status == AS_OK) {
        status = as_h5_set_text(writer->file, GROUP, "format", AS_OWN_FORMAT);
    }
    if (status == AS_OK) {
        status = as_h5_set_integer(writer->file, GROUP, "format_version", AS_OWN_VERSION);
    }
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        status = as_h5_set_text(writer->file, GROUP, attributes[i][0], attributes[i][1]);
    }
    return status;
}

static own_tensor tensor_of(const as_dump_writer *writer, const char *name, const char *path,
                            size_t heads, size_t rows, size_t cols) {
    own_tensor t = {.name = name, .path = path, .heads = heads};
    size_t *shape = t.stack.shape;
    shape[t.stack.rank++] = writer->layers;
    if (writer->batches > 0) {
        shape[t.stack.rank++] = writer->batches;
    }
    shape[t.stack.rank++] = heads;
    shape[t.stack.rank++] = rows;
    shape[t.stack.rank++] = cols;
    return t;
}

static void set_shapes(as_dump_writer *writer, const as_dump_shape *s) {
    own_tensor *t = writer->tensor;
    writer->layers = s->layers;
    writer->batches = s->batches;
    t[QUERY] = tensor_of(writer, "query", GROUP "/query", s->heads, s->rows, s->dim);
    t[KEY] = tensor_of(writer, "key", GROUP "/key", s->kv_heads, s->cols, s->dim);
    t[LOGITS] = tensor_of(writer, "logits", GROUP "/logits", s->heads, s->rows, s->cols);
    t[CONTENT] = tensor_of(writer, "content", GROUP "/content", s->heads, s->rows, s->cols);
}

static as_status fail_of(const as_dump_writer *writer, as_status status) {
    return as_temporary_fail(status, writer->temporary, writer->path);
}

as_status as_dump_create(const char *path, bool force, const as_dump_shape *shape,
                         const char *const (*attributes)[2], size_t attribute_count,
                         as_dump_writer **out) {
    as_status status = as_output_check(path, force);
    if (status != AS_OK) {
        return status;
    }
    if (shape->layers == 0 || shape->heads == 0 || shape->kv_heads == 0 || shape->rows == 0 ||
        shape->cols == 0 || shape->dim == 0) {
        return as_fail(AS_EINVAL, "a dump without layers, heads, positions or dimensions");
    }
    as_dump_writer *writer = calloc(1, sizeof *writer);
    if (writer == NULL || (writer->path = strdup(path)) == NULL) {
        free(writer);
        return as_fail(AS_ENOMEM, "no memory to write %s", path);
    }
    writer->replace = force;
    set_shapes(writer, shape);
    status = as_temporary_make(path, &writer->temporary);
    if (status == AS_OK) {
        status = as_h5_create(writer->temporary, &writer->file);
    }
    if (status == AS_OK) {
        status = make_group(writer, attributes, attribute_count);
    }
    if (status == AS_OK) {
        status = make_tensors(writer);
    }
    if (status != AS_OK) {
        char sentence[AS_MESSAGE_MAX];
        fail_of(writer, status);
        snprintf(sentence, sizeof sentence, "%s", as_message());
        as_dump_writer_free(writer); /* which may fail too, and say so */
        return as_fail(status, "%s", sentence);
    }
    *out = writer;
    return AS_OK;
}

as_status as_dump_write(as_dump_writer *writer, const char *tensor, size_t layer, size_t batch,
                        size_t head, const double *matrix) {
    own_tensor *t = writer->tensor;
    size_t batches = batches_of(writer);
    while (t < writer->tensor + TENSORS && strcmp(t->name, tensor) != 0) {
        t++;
    }
    if (t == writer->tensor + TENSORS || layer >= writer->layers || batch >= batches ||
        head >= t->heads) {
        return as_fail(AS_EINVAL, "a dump has no %s of layer %zu, batch %zu, head %zu", tensor,
                       layer, batch, head);
    }
    const size_t place[2][3] = {{layer, head}, {layer, batch, head}};
    as_status status = as_h5_stack_write(&t->data, &t->stack, place[writer->batches > 0], matrix);
    bool *written = &t->written[(layer * batches + batch) * t->heads + head];
    t->missing -= status == AS_OK && !*written;
    *written = *written || status == AS_OK;
    return fail_of(writer, status);
}

as_status as_dump_write_number(as_dump_writer *writer, const char *name, double value) {
    return fail_of(writer, as_h5_set_number(writer->file, GROUP, name, value));
}

/* Closes what is open; the first failure counts. */
static as_status close_file(as_dump_writer *writer) {
    as_status status = AS_OK;
    for (size_t t = 0; t < TENSORS; t++) {
        as_status closed = as_h5_data_close(&writer->tensor[t].data);
        status = status == AS_OK ? closed : status;
    }
    as_status closed = as_h5_close(writer->file);
    writer->file = NULL;
    return status == AS_OK ? closed : status;
}

as_status as_dump_finish(as_dump_writer *writer) {
    for (size_t t = 0; t < TENSORS; t++) {
        if (writer->tensor[t].missing > 0) {
            return as_fail(AS_EINVAL, "%s lacks %zu of its matrices of %s", writer->path,
                           writer->tensor[t].missing, writer->tensor[t].name);
        }
    }
    as_status status = close_file(writer);
    if (status != AS_OK) {
        return fail_of(writer, status);
    }
    status = as_publish(writer->temporary, writer->path, writer->replace);
    if (status == AS_OK) {
        free(writer->temporary);
        writer->temporary = NULL;
    }
    return status;
}

void as_dump_writer_free(as_dump_writer *writer) {
    if (writer == NULL) {
        return;
    }
    close_file(writer);
    if (writer->temporary != NULL) {
        unlink(writer->temporary);
    }
    for (size_t t = 0; t < TENSORS; t++) {
        free(writer->tensor[t].written);
    }
    free(writer->temporary);
    free(writer->path);
    free(writer);
}
