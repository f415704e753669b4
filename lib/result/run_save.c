/* Run files written as a whole: the dump, then the run, then the name.
 * It refuses matrices of another shape than the dump's. */
#define _GNU_SOURCE /* O_CLOEXEC */
#include "result/run.h"

#include "attnspec/dump.h"
#include "base/fail.h"
#include "base/temporary.h"
#include "result/provenance.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct saving {
    const as_run *run;
    const as_run_dump *dump;
    char *provenance;
} saving;

/* ---- the dump --------------------------------------------------------------------------------- */

typedef struct dump_tensor {
    const char *name;
    size_t heads, rows, cols;
} dump_tensor;

static as_status copy_matrix(const as_run_dump *dump, as_dump_writer *writer, const dump_tensor *t,
                             const size_t place[3], as_matrix *m) {
    as_status status = dump->matrix(dump->context, t->name, place[0], place[1], place[2], m);
    if (status == AS_OK && (m->rows != t->rows || m->cols != t->cols)) {
        status =
            as_fail(AS_EINVAL, "%s of layer %zu, batch %zu, head %zu is %zu × %zu, not %zu × %zu",
                    t->name, place[0], place[1], place[2], m->rows, m->cols, t->rows, t->cols);
    }
    return status == AS_OK ? as_dump_write(writer, t->name, place[0], place[1], place[2], m->data)
                           : status;
}

static as_status copy_matrices(const as_run_dump *dump, as_dump_writer *writer) {
    const as_dump_shape *s = &dump->shape;
    const dump_tensor tensors[] = {{"query", s->heads, s->rows, s->dim},
                                   {"key", s->kv_heads, s->cols, s->dim},
                                   {"logits", s->heads, s->rows, s->cols},
                                   {"content", s->heads, s->rows, s->cols}};
    as_matrix m = {0};
    as_status status = AS_OK;
    size_t place[3], batches = s->batches > 0 ? s->batches : 1;
    for (place[0] = 0; place[0] < s->layers; place[0]++) {
        for (place[1] = 0; place[1] < batches; place[1]++) {
            for (size_t t = 0; t < sizeof tensors / sizeof *tensors; t++) {
                for (place[2] = 0; place[2] < tensors[t].heads && status == AS_OK; place[2]++) {
                    status = copy_matrix(dump, writer, &tensors[t], place, &m);
                }
            }
        }
    }
    as_matrix_free(&m);
    return status;
}

static as_status write_dump(const char *path, const saving *s) {
    const as_run_dump *dump = s->dump;
    as_dump_writer *writer = NULL;
    const char *const attributes[][2] = {{"scheme", dump->scheme != NULL ? dump->scheme : ""},
                                         {"content", dump->content != NULL ? dump->content : ""},
                                         {"mask", dump->mask != NULL ? dump->mask : ""},
                                         {"provenance", s->provenance}};
    as_status status = as_dump_create(path, true, &dump->shape, attributes,
                                      sizeof attributes / sizeof *attributes, &writer);
    if (status == AS_OK) {
        status = copy_matrices(dump, writer);
    }
    if (status == AS_OK) {
        status = as_dump_write_number(writer, "scale", dump->scale);
    }
    if (status == AS_OK) {
        status = as_dump_write_number(writer, "seed", (double)dump->seed);
    }
    if (status == AS_OK) {
        status = as_dump_finish(writer);
    }
    as_dump_writer_free(writer);
    return status;
}

/* ---- the run ---------------------------------------------------------------------------------- */

static as_status fill_run(const char *temporary, void *context) {
    const saving *s = context;
    as_h5 *file = NULL;
    as_status status = s->dump != NULL ? write_dump(temporary, s) : AS_OK;
    if (status == AS_OK) {
        status = s->dump != NULL ? as_h5_edit(temporary, &file) : as_h5_create(temporary, &file);
    }
    if (status == AS_OK) {
        status = as_run_put(file, s->run, s->provenance);
    }
    as_status closed = as_h5_close(file);
    return status == AS_OK ? closed : status;
}

as_status as_run_save(const char *path, bool force, const as_run *run, const as_run_dump *dump) {
    saving s = {.run = run, .dump = dump};
    as_status status = as_provenance_tidy(run->provenance, &s.provenance);
    if (status == AS_OK) {
        status = as_temporary_write(path, force, fill_run, &s);
    }
    free(s.provenance);
    return status;
}

/* ---- another ablation ------------------------------------------------------------------------- */

typedef struct ablating {
    const char *from, *temporary;
    const as_run_ablation *ablation;
} ablating;

/* Every byte of `from` in the place of what `to` holds. */
static as_status copy_file(const char *from, const char *to) {
    enum { BLOCK = 1 << 16 };
    char block[BLOCK];
    int in = open(from, O_RDONLY | O_CLOEXEC), out = open(to, O_WRONLY | O_TRUNC | O_CLOEXEC);
    as_status status = AS_OK;
    ssize_t got = 0;
    if (out < 0) {
        status = as_fail(AS_EWRITE, "cannot write %s: %s", to, strerror(errno));
    }
    while (status == AS_OK && (got = in < 0 ? -1 : read(in, block, sizeof block)) != 0) {
        ssize_t put = 0;
        if (got < 0) {
            status = as_fail(AS_EREAD, "cannot read %s: %s", from, strerror(errno));
        }
        for (ssize_t done = 0; done < got && status == AS_OK; done += put) {
            put = write(out, block + done, (size_t)(got - done));
            if (put < 0) {
                status = as_fail(AS_EWRITE, "cannot write %s: %s", to, strerror(errno));
            }
        }
    }
    if (out >= 0 && close(out) != 0 && status == AS_OK) {
        status = as_fail(AS_EWRITE, "cannot write %s: %s", to, strerror(errno));
    }
    if (in >= 0) {
        close(in);
    }
    return status;
}

static as_status check_run(const char *path) {
    const as_origin origin = {.group = AS_RUN_GROUP, .format = AS_RUN_FORMAT};
    as_h5 *file = NULL;
    as_status status = as_h5_open(path, &file);
    if (status == AS_OK) {
        status = as_origin_check(file, path, &origin);
    }
    as_h5_close(file);
    return status;
}

/* All of it, in the child of a trial and then here: HDF5 is to change what may be a broken file. */
static as_status replace_ablation(void *context) {
    const ablating *a = context;
    as_h5 *file = NULL;
    as_status status = check_run(a->from);
    if (status == AS_OK) {
        status = copy_file(a->from, a->temporary);
    }
    if (status == AS_OK) {
        status = as_h5_edit(a->temporary, &file);
    }
    if (status == AS_OK) {
        status = as_ablation_replace(file, a->ablation);
    }
    as_status closed = as_h5_close(file);
    return status == AS_OK ? closed : status;
}

static as_status fill_ablated(const char *temporary, void *context) {
    ablating *a = context;
    a->temporary = temporary;
    as_status status = as_origin_trial(a->from, replace_ablation, a);
    return status == AS_OK ? replace_ablation(a) : status;
}

as_status as_run_ablated(const char *from, const char *to, bool force,
                         const as_run_ablation *ablation) {
    struct stat a, b;
    ablating work = {.from = from, .ablation = ablation};
    bool same =
        stat(from, &a) == 0 && stat(to, &b) == 0 && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return as_temporary_write(to, force || same, fill_ablated, &work);
}
