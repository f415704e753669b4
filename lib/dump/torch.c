/* PyTorch's files (torch.save since 1.6): a zip of one pickle and the bytes of every storage.
 * It refuses archives without their pickle or with two, and a byte order that is none. */
#include "base/fail.h"
#include "dump/format.h"
#include "dump/torch_tree.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LOCAL_HEADER = 30 }; /* of a zip member, before its name */

/* One deflated member is kept unpacked at a time, for whoever holds the lock. */
typedef struct torch {
    as_zip zip; /* members sorted by name */
    as_torch_tensors found;
    pthread_mutex_t lock;
    const as_zip_member *spooled;
    int spool;
} torch;

/* By the first member; an archive that was packed again by hand begins with its folder, and then any
 * of its members may be the next. */
static bool probe(const unsigned char *head, size_t size) {
    static const char *const words[] = {"/data.pkl", "/.format_version", "/byteorder", "/version",
                                        "/data/0"};
    if (size < LOCAL_HEADER || memcmp(head, "PK\x03\x04", 4) != 0) {
        return false;
    }
    size_t length = (size_t)(head[26] | head[27] << 8);
    if (length == 0 || length > size - LOCAL_HEADER) {
        return false;
    }
    const unsigned char *name = head + LOCAL_HEADER;
    size_t shown = name[length - 1] == '/' ? size - LOCAL_HEADER : length;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t word = strlen(words[i]);
        for (size_t at = 0; at + word <= shown; at++) {
            if (memcmp(name + at, words[i], word) == 0) {
                return true;
            }
        }
    }
    return false;
}

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

/* Sorts the members and finds the one pickle. */
static as_status find_stem(torch *t, as_torch_archive *archive, const as_zip_member **pickle) {
    if (t->zip.count > 0) {
        qsort(t->zip.members, t->zip.count, sizeof *t->zip.members, as_torch_by_name);
    }
    *pickle = NULL;
    for (size_t i = 0; i < t->zip.count; i++) {
        const as_zip_member *m = &t->zip.members[i];
        size_t length = strlen(m->name);
        if (i > 0 && as_torch_by_name(m - 1, m) == 0) {
            return as_fail(AS_EREAD, "has the member %s twice", m->name);
        }
        if (!ends_with(m->name, length, "/data.pkl") ||
            strchr(m->name, '/') != m->name + length - strlen("/data.pkl")) {
            continue;
        }
        if (*pickle != NULL) {
            return as_fail(AS_EREAD, "has two pickles, %s and %s", (*pickle)->name, m->name);
        }
        *pickle = m;
        archive->stem = m->name;
        archive->stem_length = length - strlen("/data.pkl");
    }
    return *pickle != NULL ? AS_OK
                           : as_fail(AS_EREAD, "is a PyTorch file without its pickle (data.pkl)");
}

/* Files before 2.0 do not say their byte order: nearly all machines were little-endian. */
static as_status read_byte_order(as_torch_archive *archive) {
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1, big = false;
    const as_zip_member *m = as_torch_member(archive, "byteorder");
    if (m != NULL) {
        unsigned char *text;
        as_status status = as_zip_read(archive->file, m, 64, &text);
        if (status != AS_OK) {
            return status;
        }
        big = m->size == 3 && memcmp(text, "big", 3) == 0;
        bool known = big || (m->size == 6 && memcmp(text, "little", 6) == 0);
        free(text);
        if (!known) {
            return as_fail(AS_EREAD, "has a byte order that is neither little nor big");
        }
    }
    archive->swapped = big == little;
    return AS_OK;
}

static as_status open_torch(as_dump *dump, const as_file *file, const as_dump_options *options) {
    (void)options;
    torch *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return as_fail(AS_ENOMEM, "no memory for its table of contents");
    }
    dump->state = t;
    t->spool = -1;
    pthread_mutex_init(&t->lock, NULL);
    as_torch_archive archive = {.file = file, .zip = &t->zip};
    const as_zip_member *pickle;
    as_status status = as_zip_open(file, &t->zip);
    if (status == AS_OK) {
        status = find_stem(t, &archive, &pickle);
    }
    if (status == AS_OK) {
        status = read_byte_order(&archive);
    }
    if (status == AS_OK) {
        status = as_torch_tree(&archive, pickle, &t->found);
    }
    dump->tensors = t->found.tensors;
    dump->tensor_count = t->found.count;
    return status;
}

/* An expanded axis has stride 0: one index is read, and repeated. */
static as_status read_expanded(const as_file *file, const as_tensor *tensor,
                               const as_strided *where, const as_slice *slice, as_matrix *out) {
    as_strided once = *where;
    as_matrix narrow = *out;
    bool one_row = slice->row_axis == AS_NO_AXIS || where->stride[slice->row_axis] == 0;
    bool one_col = where->stride[slice->col_axis] == 0;
    if (one_row) {
        narrow.rows = 1;
    }
    if (one_row && slice->row_axis != AS_NO_AXIS) {
        once.stride[slice->row_axis] = 1;
    }
    if (one_col) {
        narrow.cols = 1;
        once.stride[slice->col_axis] = 1;
    }
    as_status status = as_strided_read(file, tensor, &once, slice, &narrow);
    /* In place from the end: an element is never behind the place it goes to. */
    for (size_t n = status == AS_OK ? out->rows * out->cols : 0; n-- > 0;) {
        size_t i = one_row ? 0 : n / out->cols, k = one_col ? 0 : n % out->cols;
        out->data[n] = narrow.data[i * narrow.cols + k];
    }
    return status;
}

static as_status read_place(const as_file *file, const as_tensor *tensor, const as_strided *where,
                            const as_slice *slice, as_matrix *out) {
    bool expanded = where->stride[slice->col_axis] == 0 ||
                    (slice->row_axis != AS_NO_AXIS && where->stride[slice->row_axis] == 0);
    return expanded ? read_expanded(file, tensor, where, slice, out)
                    : as_strided_read(file, tensor, where, slice, out);
}

static as_status spool(torch *t, const as_file *file, const as_zip_member *member) {
    if (t->spooled == member) {
        return AS_OK;
    }
    if (t->spooled != NULL) {
        close(t->spool);
        t->spooled = NULL;
    }
    as_status status = as_zip_spool(file, member, member->size, &t->spool);
    t->spooled = status == AS_OK ? member : NULL;
    return status;
}

static as_status read_torch(const as_dump *dump, const as_file *file, size_t tensor,
                            const as_slice *slice, as_matrix *out) {
    torch *t = dump->state;
    const as_tensor *of = &dump->tensors[tensor];
    const as_torch_place *p = &t->found.places[tensor];
    if (p->packed == NULL) {
        return read_place(file, of, &p->where, slice, out);
    }
    pthread_mutex_lock(&t->lock);
    as_status status = spool(t, file, p->packed);
    if (status == AS_OK) {
        const as_file unpacked = {.fd = t->spool, .stamp = {.size = p->packed->size}};
        status = read_place(&unpacked, of, &p->where, slice, out);
    }
    pthread_mutex_unlock(&t->lock);
    return status;
}

static void let_go(const as_dump *dump) {
    torch *t = dump->state;
    if (t != NULL && t->spooled != NULL) {
        close(t->spool);
        t->spooled = NULL;
    }
}

static void close_torch(as_dump *dump) {
    torch *t = dump->state;
    if (t == NULL) {
        return;
    }
    let_go(dump);
    pthread_mutex_destroy(&t->lock);
    as_zip_free(&t->zip);
    as_torch_tensors_free(&t->found);
    free(t);
}

const as_format as_format_torch = {
    .info = {.name = "torch",
             .summary = "PyTorch's torch.save, tensors in any lists and dictionaries",
             .reference = "torch.serialization, the zip form (1.6 and later)"},
    .probe = probe,
    .open = open_torch,
    .read = read_torch,
    .close = close_torch,
    .let_go = let_go,
};
