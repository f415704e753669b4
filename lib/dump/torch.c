/* PyTorch's files (torch.save since 1.6): a zip of one pickle and the bytes of every storage.
 * It refuses whatever needs Python to be run, and views that reach beyond their storage. */
#include "base/fail.h"
#include "dump/format.h"
#include "dump/pickle.h"
#include "dump/strided.h"
#include "dump/zip.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    MAX_PICKLE_BYTES = 1 << 26, /* a model of 10^5 tensors has 2^25 */
    MAX_VISITS = 1 << 22,       /* values that are shared are visited once for each place */
    MAX_DEPTH = 64,             /* of containers in containers */
    NAME_ROOM = 1024,
    LOCAL_HEADER = 30
};

enum { TENSOR, PARAMETER, FIRST_STORAGE = 3 };
static const as_pickle_global globals[] = {
    [TENSOR] = {"torch._utils._rebuild_tensor_v2", AS_PICKLE_CALLED},
    [PARAMETER] = {"torch._utils._rebuild_parameter", AS_PICKLE_CALLED},
    {"collections.OrderedDict", AS_PICKLE_MAKES_DICT},
    [FIRST_STORAGE] = {"torch.DoubleStorage", AS_PICKLE_KEPT},
    {"torch.FloatStorage", AS_PICKLE_KEPT},
    {"torch.HalfStorage", AS_PICKLE_KEPT},
    {"torch.BFloat16Storage", AS_PICKLE_KEPT},
    {"torch.LongStorage", AS_PICKLE_KEPT},
    {"torch.IntStorage", AS_PICKLE_KEPT},
    {"torch.ShortStorage", AS_PICKLE_KEPT},
    {"torch.CharStorage", AS_PICKLE_KEPT},
    {"torch.ByteStorage", AS_PICKLE_KEPT},
    {"torch.BoolStorage", AS_PICKLE_KEPT},
    {"torch.ComplexFloatStorage", AS_PICKLE_KEPT},
    {"torch.ComplexDoubleStorage", AS_PICKLE_KEPT},
    {NULL, AS_PICKLE_KEPT},
};
/* Of the rows from FIRST_STORAGE on. */
static const as_dtype storages[] = {AS_F64, AS_F32,  AS_F16,         AS_BF16,
                                    AS_I64, AS_I32,  AS_I16,         AS_I8,
                                    AS_U8,  AS_BOOL, AS_DTYPE_COUNT, AS_DTYPE_COUNT};

typedef struct place {
    as_strided where;            /* in the file, or in the member where that is deflated */
    const as_zip_member *packed; /* NULL for a stored member */
} place;

/* One deflated member is kept unpacked at a time, for whoever holds the lock. */
typedef struct torch {
    as_zip zip; /* members sorted by name */
    place *places;
    size_t room;
    pthread_mutex_t lock;
    const as_zip_member *spooled;
    int spool;
} torch;

/* What the walk over the pickle's values carries. */
typedef struct walk {
    as_dump *dump;
    const as_file *file;
    const char *stem;
    size_t stem_length;
    bool swapped;
    size_t visits;
    char name[NAME_ROOM];
} walk;

static bool ends_with(const char *text, size_t length, const char *end) {
    size_t size = strlen(end);
    return length >= size && memcmp(text + length - size, end, size) == 0;
}

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

static int by_name(const void *a, const void *b) {
    return strcmp(((const as_zip_member *)a)->name, ((const as_zip_member *)b)->name);
}

/* The member <stem>/name, NULL where there is none. */
static const as_zip_member *find_member(const walk *w, const char *name) {
    const torch *t = w->dump->state;
    char whole[NAME_ROOM];
    int length = snprintf(whole, sizeof whole, "%.*s/%s", (int)w->stem_length, w->stem, name);
    if (length < 0 || length >= NAME_ROOM) {
        return NULL;
    }
    const as_zip_member key = {.name = whole};
    return bsearch(&key, t->zip.members, t->zip.count, sizeof key, by_name);
}

/* Sorts the members and finds the one pickle. */
static as_status find_stem(walk *w, const as_zip_member **pickle) {
    torch *t = w->dump->state;
    if (t->zip.count > 0) {
        qsort(t->zip.members, t->zip.count, sizeof *t->zip.members, by_name);
    }
    *pickle = NULL;
    for (size_t i = 0; i < t->zip.count; i++) {
        const as_zip_member *m = &t->zip.members[i];
        size_t length = strlen(m->name);
        if (i > 0 && by_name(m - 1, m) == 0) {
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
        w->stem = m->name;
        w->stem_length = length - strlen("/data.pkl");
    }
    return *pickle != NULL ? AS_OK
                           : as_fail(AS_EREAD, "is a PyTorch file without its pickle (data.pkl)");
}

/* Files before 2.0 do not say their byte order: nearly all machines were little-endian. */
static as_status read_byte_order(walk *w) {
    const uint16_t one = 1;
    bool little = *(const unsigned char *)&one == 1, big = false;
    const as_zip_member *m = find_member(w, "byteorder");
    if (m != NULL) {
        unsigned char *text;
        as_status status = as_zip_read(w->file, m, 64, &text);
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
    w->swapped = big == little;
    return AS_OK;
}

static as_status bad_tensor(const walk *w, const char *what) {
    return as_fail(AS_EREAD, "the tensor \"%s\" %s", w->name, what);
}

/* A tuple of whole numbers ≥ 0. */
static as_status take_sizes(const walk *w, const as_pickle_value *from, size_t *rank, size_t *out) {
    if (from->kind != AS_PICKLE_TUPLE) {
        return bad_tensor(w, "has a shape or strides that are no tuple");
    }
    if (from->count > AS_MAX_RANK) {
        return bad_tensor(w, "has more than 8 axes");
    }
    const as_pickle_item *item = from->of.items.first;
    for (size_t i = 0; i < from->count; i++, item = item->next) {
        if (item->value->kind != AS_PICKLE_INT || item->value->of.number < 0) {
            return bad_tensor(w, "has a shape or strides that are no whole numbers from 0 on");
        }
        out[i] = (size_t)item->value->of.number;
    }
    *rank = from->count;
    return AS_OK;
}

/* Elements from the storage's first to behind the tensor's last: Σ (length−1)·stride + offset + 1;
 * 0 for a tensor without elements. False beyond 64 bits. */
static bool extent(const as_tensor *t, const size_t *stride, size_t offset, size_t *out) {
    size_t step, end = 1;
    bool fits = !__builtin_add_overflow(end, offset, &end);
    for (size_t i = 0; i < t->rank; i++) {
        if (t->shape[i] == 0) {
            *out = 0;
            return true;
        }
        fits = fits && as_mul(t->shape[i] - 1, stride[i], &step) &&
               !__builtin_add_overflow(end, step, &end);
    }
    *out = end;
    return fits;
}

/* ('storage', torch.FloatStorage, '0', 'cpu', 12): its dtype, and the member with its bytes. */
static as_status take_storage(const walk *w, const as_pickle_value *id, as_dtype *dtype,
                              const as_zip_member **member) {
    if (id->kind != AS_PICKLE_PERSISTENT || id->count != 5) {
        return bad_tensor(w, "has no storage");
    }
    const as_pickle_value *type = as_pickle_item_at(id, 1), *key = as_pickle_item_at(id, 2);
    if (!as_pickle_is_text(as_pickle_item_at(id, 0), "storage") || type->kind != AS_PICKLE_GLOBAL ||
        type->global < FIRST_STORAGE || key->kind != AS_PICKLE_TEXT) {
        return bad_tensor(w, "has no storage");
    }
    *dtype = storages[type->global - FIRST_STORAGE];
    char name[128];
    bool named = key->count < sizeof name - 5 && memchr(key->of.text, '\0', key->count) == NULL;
    snprintf(name, sizeof name, "data/%.*s", named ? (int)key->count : 0, key->of.text);
    *member = named ? find_member(w, name) : NULL;
    return *member != NULL ? AS_OK
                           : as_fail(AS_EREAD,
                                     "the tensor \"%s\" has its numbers in %s, which is "
                                     "not in the archive",
                                     w->name, name);
}

/* Room for one more tensor and its place. */
static as_status grow(as_dump *dump) {
    torch *t = dump->state;
    if (dump->tensor_count < t->room) {
        return AS_OK;
    }
    size_t room = t->room > 0 ? 2 * t->room : 16;
    as_tensor *tensors = realloc(dump->tensors, room * sizeof *tensors);
    dump->tensors = tensors != NULL ? tensors : dump->tensors;
    place *places = tensors != NULL ? realloc(t->places, room * sizeof *places) : NULL;
    if (places == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", room);
    }
    t->places = places;
    t->room = room;
    return AS_OK;
}

static as_status append(const walk *w, const as_tensor *tensor, const place *p) {
    as_status status = grow(w->dump);
    char *name = status == AS_OK ? malloc(strlen(w->name) + 1) : NULL;
    if (status == AS_OK && name == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for the name of a tensor");
    }
    if (status != AS_OK) {
        return status;
    }
    strcpy(name, w->name);
    size_t at = w->dump->tensor_count++;
    w->dump->tensors[at] = *tensor;
    w->dump->tensors[at].name = name;
    ((torch *)w->dump->state)->places[at] = *p;
    return AS_OK;
}

/* That every element is inside the storage; and where that is. */
static as_status locate(const walk *w, const as_tensor *t, const as_zip_member *member,
                        size_t offset, place *p) {
    size_t size = as_dtype_size(t->dtype), end;
    if (!extent(t, p->where.stride, offset, &end) || end > member->size / size) {
        return as_fail(AS_EREAD,
                       "the tensor \"%s\" reaches beyond its storage %s, which has %" PRIu64
                       " bytes",
                       w->name, member->name, member->size);
    }
    if (member->encrypted) {
        return as_fail(AS_EREAD, "the member %s is encrypted", member->name);
    }
    uint64_t start = 0;
    p->packed = member->method != 0 ? member : NULL;
    as_status status =
        p->packed == NULL && end > 0 ? as_zip_stored_at(w->file, member, &start) : AS_OK;
    p->where.offset = end > 0 ? start + offset * size : 0;
    p->where.swapped = w->swapped;
    return status;
}

/* _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks[, bits]) */
static as_status take_tensor(const walk *w, const as_pickle_value *call) {
    as_tensor t = {.dtype = AS_DTYPE_COUNT};
    place p = {.packed = NULL};
    size_t rank;
    if (call->count != 6 && call->count != 7) {
        return bad_tensor(w, "is made of another number of parts than PyTorch gives");
    }
    const as_pickle_value *offset = as_pickle_item_at(call, 1), *bits = as_pickle_item_at(call, 6);
    const as_zip_member *member;
    as_status status = take_storage(w, as_pickle_item_at(call, 0), &t.dtype, &member);
    if (status == AS_OK) {
        status = take_sizes(w, as_pickle_item_at(call, 2), &t.rank, t.shape);
    }
    if (status == AS_OK) {
        status = take_sizes(w, as_pickle_item_at(call, 3), &rank, p.where.stride);
    }
    if (status != AS_OK) {
        return status;
    }
    if (rank != t.rank || offset->kind != AS_PICKLE_INT || offset->of.number < 0) {
        return bad_tensor(w, "has an offset or strides that do not fit its shape");
    }
    if (t.dtype == AS_DTYPE_COUNT) {
        t.status = AS_SKIPPED;
        t.reason = "holds complex numbers; save the real and the imaginary part";
    } else if (bits != NULL && (bits->kind != AS_PICKLE_DICT || bits->count > 0)) {
        t.status = AS_EREAD;
        t.reason = "is a negated or conjugated view; save its resolve_neg()";
    } else {
        status = locate(w, &t, member, (size_t)offset->of.number, &p);
    }
    return status == AS_OK ? append(w, &t, &p) : status;
}

static as_status visit(walk *w, const as_pickle_value *value, size_t depth);

/* Visits an item under its name behind the container's: "layers.0.q". */
static as_status visit_item(walk *w, const as_pickle_value *key, size_t index,
                            const as_pickle_value *value, size_t depth) {
    if (value->kind < AS_PICKLE_TUPLE) {
        return AS_OK; /* a number or a text beside the tensors */
    }
    size_t length = strlen(w->name), room = sizeof w->name - length;
    const char *dot = length > 0 ? "." : "";
    int added = -1;
    if (key == NULL) {
        added = snprintf(w->name + length, room, "%s%zu", dot, index);
    } else if (key->kind == AS_PICKLE_INT) {
        added = snprintf(w->name + length, room, "%s%" PRId64, dot, key->of.number);
    } else if (key->kind == AS_PICKLE_TEXT && key->count < NAME_ROOM &&
               memchr(key->of.text, '\0', key->count) == NULL) {
        added = snprintf(w->name + length, room, "%s%.*s", dot, (int)key->count, key->of.text);
    }
    if (added < 0 || (size_t)added >= room) {
        w->name[length] = '\0';
        return as_fail(AS_EREAD,
                       "has a key below \"%s\" that is no name: neither text nor a whole number, "
                       "or the name is longer than %d bytes",
                       w->name, NAME_ROOM - 1);
    }
    as_status status = visit(w, value, depth + 1);
    w->name[length] = '\0';
    return status;
}

static as_status visit(walk *w, const as_pickle_value *value, size_t depth) {
    if (depth > MAX_DEPTH) {
        return as_fail(AS_EREAD, "has containers nested more than %d deep", MAX_DEPTH);
    }
    if (value->kind == AS_PICKLE_CALL && value->global == TENSOR) {
        return take_tensor(w, value);
    }
    if (value->kind == AS_PICKLE_CALL) { /* _rebuild_parameter(tensor, requires_grad, hooks) */
        const as_pickle_value *data = as_pickle_item_at(value, 0);
        return data != NULL ? visit(w, data, depth + 1) : bad_tensor(w, "is an empty parameter");
    }
    if (value->kind != AS_PICKLE_TUPLE && value->kind != AS_PICKLE_LIST &&
        value->kind != AS_PICKLE_DICT) {
        return AS_OK;
    }
    const as_pickle_item *item = value->of.items.first;
    bool dict = value->kind == AS_PICKLE_DICT;
    as_status status = AS_OK;
    for (size_t i = 0; status == AS_OK && i < value->count; i += 1 + dict) {
        const as_pickle_value *key = dict ? item->value : NULL;
        item = dict ? item->next : item;
        if (++w->visits > MAX_VISITS) {
            return as_fail(AS_EREAD, "has more values than are read (2^22)");
        }
        status = visit_item(w, key, i, item->value, depth);
        item = item->next;
    }
    return status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* {"a": {"b": …}, "a.b": …} would be two; so would a key that is written twice. */
static as_status check_names(const as_dump *dump) {
    size_t count = dump->tensor_count;
    const char **names = calloc(count + 1, sizeof *names);
    if (names == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the names of %zu tensors", count);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = dump->tensors[i].name;
    }
    qsort(names, count, sizeof *names, by_text);
    as_status status = AS_OK;
    for (size_t i = 1; status == AS_OK && i < count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = as_fail(AS_EREAD, "has two tensors by the name \"%s\"", names[i]);
        }
    }
    free(names);
    return status;
}

static as_status read_pickle(walk *w, const as_zip_member *member) {
    unsigned char *bytes = NULL;
    as_pickle *pickle = NULL;
    as_status status = as_zip_read(w->file, member, MAX_PICKLE_BYTES, &bytes);
    if (status == AS_OK) {
        status = as_pickle_read(bytes, (size_t)member->size, globals, &pickle);
    }
    if (status == AS_OK) {
        status = visit(w, as_pickle_root(pickle), 0);
    }
    if (status == AS_OK) {
        status = check_names(w->dump);
    }
    as_pickle_free(pickle);
    free(bytes);
    return status;
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
    walk w = {.dump = dump, .file = file};
    const as_zip_member *pickle;
    as_status status = as_zip_open(file, &t->zip);
    if (status == AS_OK) {
        status = find_stem(&w, &pickle);
    }
    if (status == AS_OK) {
        status = read_byte_order(&w);
    }
    return status == AS_OK ? read_pickle(&w, pickle) : status;
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
    const place *p = &t->places[tensor];
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

static void close_torch(as_dump *dump) {
    torch *t = dump->state;
    for (size_t i = 0; i < dump->tensor_count; i++) {
        free((char *)dump->tensors[i].name);
    }
    free(dump->tensors);
    if (t == NULL) {
        return;
    }
    if (t->spooled != NULL) {
        close(t->spool);
    }
    pthread_mutex_destroy(&t->lock);
    as_zip_free(&t->zip);
    free(t->places);
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
};
