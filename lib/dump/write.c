/* Our dumps: query, key, logits and content of every layer and head in one HDF5 file, which has its
 * name when it is whole. It refuses to replace a file without force, and to leave a matrix out. */
#define _GNU_SOURCE /* strdup, asprintf, O_CLOEXEC */
#include "attnspec/dump.h"
#include "base/fail.h"
#include "door/hdf5.h"
#include "dump/own.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define GROUP "/" AS_OWN_GROUP
enum { TENSORS = 4 };

typedef struct own_tensor {
    const char *name, *path, *axes;
    size_t shape[4]; /* layers, heads, then those of a matrix */
    as_h5_data data;
    bool *written; /* [layers][heads] */
    size_t missing;
} own_tensor;

struct as_dump_writer {
    char *path, *temporary; /* NULL: there is no such file */
    bool replace;           /* a file of that name */
    as_h5 *file;
    own_tensor tensor[TENSORS];
};

/* Whether path may be written at all. */
static as_status check_path(const char *path, bool force) {
    struct stat there;
    if (path[0] == '\0') {
        return as_fail(AS_EINVAL, "the output has no name");
    }
    if (stat(path, &there) != 0) {
        return errno == ENOENT ? AS_OK
                               : as_fail(AS_EWRITE, "cannot write %s: %s", path, strerror(errno));
    }
    if (!S_ISREG(there.st_mode)) {
        return as_fail(AS_EWRITE, "cannot write %s: it is %s", path,
                       S_ISDIR(there.st_mode) ? "a folder" : "no regular file");
    }
    return force ? AS_OK : as_fail(AS_EEXIST, "%s is there already", path);
}

/* A new empty file folder/.name.PID.N beside path, so that the rename stays in one file system. */
static as_status make_temporary(as_dump_writer *writer) {
    const char *path = writer->path, *slash = strrchr(path, '/');
    int folder = slash == NULL ? 0 : (int)(slash + 1 - path), fd = -1;
    for (unsigned attempt = 0; attempt < 100 && fd < 0; attempt++) {
        char *name = NULL;
        if (asprintf(&name, "%.*s.%s.%ld.%u", folder, path, path + folder, (long)getpid(),
                     attempt) < 0) {
            return as_fail(AS_ENOMEM, "no memory to write %s", path);
        }
        fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd >= 0) {
            writer->temporary = name;
            close(fd);
            return AS_OK;
        }
        int error = errno;
        free(name);
        if (error != EEXIST) {
            return as_fail(AS_EWRITE, "cannot write %s: %s", path, strerror(error));
        }
    }
    return as_fail(AS_EWRITE, "cannot write %s: all temporary names beside it are taken", path);
}

static as_status make_tensor(as_dump_writer *writer, own_tensor *t) {
    size_t count;
    if (!as_mul(t->shape[0], t->shape[1], &count)) {
        return as_fail(AS_EINVAL, "%zu × %zu matrices are too many", t->shape[0], t->shape[1]);
    }
    t->missing = count;
    t->written = calloc(count, sizeof *t->written);
    if (t->written == NULL) {
        return as_fail(AS_ENOMEM, "no memory to write %s", writer->path);
    }
    as_status status = as_h5_stack_create(writer->file, t->path, t->shape, &t->data);
    return status == AS_OK ? as_h5_set_text(writer->file, t->path, "axes", t->axes) : status;
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

static void set_shapes(as_dump_writer *writer, const as_dump_shape *s) {
    const own_tensor tensors[TENSORS] = {
        {"query",
         GROUP "/query",
         "layer,head,position,dim",
         {s->layers, s->heads, s->rows, s->dim},
         {0},
         NULL,
         0},
        {"key",
         GROUP "/key",
         "layer,head,position,dim",
         {s->layers, s->kv_heads, s->cols, s->dim},
         {0},
         NULL,
         0},
        {"logits",
         GROUP "/logits",
         "layer,head,query,key",
         {s->layers, s->heads, s->rows, s->cols},
         {0},
         NULL,
         0},
        {"content",
         GROUP "/content",
         "layer,head,query,key",
         {s->layers, s->heads, s->rows, s->cols},
         {0},
         NULL,
         0},
    };
    memcpy(writer->tensor, tensors, sizeof tensors);
}

/* The failure of the temporary file is one of the file that was asked for. */
static as_status fail_of(const as_dump_writer *writer, as_status status) {
    char sentence[AS_MESSAGE_MAX];
    const char *message = as_message();
    const char *at = writer->temporary != NULL ? strstr(message, writer->temporary) : NULL;
    if (at == NULL) {
        return status;
    }
    snprintf(sentence, sizeof sentence, "%.*s%s%s", (int)(at - message), message, writer->path,
             at + strlen(writer->temporary));
    return as_fail(status, "%s", sentence);
}

as_status as_dump_create(const char *path, bool force, const as_dump_shape *shape,
                         const char *const (*attributes)[2], size_t attribute_count,
                         as_dump_writer **out) {
    as_status status = check_path(path, force);
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
    status = make_temporary(writer);
    if (status == AS_OK) {
        status = as_h5_create(writer->temporary, &writer->file);
    }
    if (status == AS_OK) {
        status = make_group(writer, attributes, attribute_count);
    }
    for (size_t t = 0; t < TENSORS && status == AS_OK; t++) {
        status = make_tensor(writer, &writer->tensor[t]);
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

as_status as_dump_write(as_dump_writer *writer, const char *tensor, size_t layer, size_t head,
                        const double *matrix) {
    own_tensor *t = writer->tensor;
    while (t < writer->tensor + TENSORS && strcmp(t->name, tensor) != 0) {
        t++;
    }
    if (t == writer->tensor + TENSORS || layer >= t->shape[0] || head >= t->shape[1]) {
        return as_fail(AS_EINVAL, "a dump has no %s of layer %zu, head %zu", tensor, layer, head);
    }
    as_status status = as_h5_stack_write(&t->data, layer, head, t->shape, matrix);
    bool *written = &t->written[layer * t->shape[1] + head];
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
