/* What a PyTorch file holds: its pickle is walked, and every tensor is placed in its storage.
 * It refuses views that reach beyond their storage, and containers without bound. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "dump/torch_tree.h"
#include "base/fail.h"
#include "dump/pickle.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MAX_PICKLE_BYTES = 1 << 26, /* a model of 10^5 tensors has 2^25 */
    MAX_VISITS = 1 << 20,       /* values that are shared are visited once for each place */
    MAX_TENSORS = 1 << 18,
    MAX_DEPTH = 64, /* of containers in containers */
    NAME_ROOM = 1024
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

/* What is carried along. */
typedef struct walk {
    const as_torch_archive *archive;
    as_torch_tensors *out;
    size_t visits;
    char name[NAME_ROOM];
} walk;

int as_torch_by_name(const void *a, const void *b) {
    return strcmp(((const as_zip_member *)a)->name, ((const as_zip_member *)b)->name);
}

const as_zip_member *as_torch_member(const as_torch_archive *archive, const char *name) {
    char whole[NAME_ROOM];
    int length =
        snprintf(whole, sizeof whole, "%.*s/%s", (int)archive->stem_length, archive->stem, name);
    if (length < 0 || length >= NAME_ROOM) {
        return NULL;
    }
    const as_zip_member key = {.name = whole};
    return bsearch(&key, archive->zip->members, archive->zip->count, sizeof key, as_torch_by_name);
}

/* Whether a text is fit for names and messages: short, and nothing that a terminal would obey. */
static bool is_name(const as_pickle_value *text, size_t room) {
    bool fit = text->kind == AS_PICKLE_TEXT && text->count < room;
    for (size_t i = 0; fit && i < text->count; i++) {
        unsigned char c = (unsigned char)text->of.text[i];
        fit = c >= ' ' && c != 0x7f;
    }
    return fit;
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
    bool named = is_name(key, sizeof name - 5);
    snprintf(name, sizeof name, "data/%.*s", named ? (int)key->count : 0, key->of.text);
    *member = named ? as_torch_member(w->archive, name) : NULL;
    return *member != NULL ? AS_OK
                           : as_fail(AS_EREAD,
                                     "the tensor \"%s\" has its numbers in %s, which is "
                                     "not in the archive",
                                     w->name, name);
}

/* Room for one more tensor and its place. */
static as_status grow(as_torch_tensors *out) {
    if (out->count < out->room) {
        return AS_OK;
    }
    size_t room = out->room > 0 ? 2 * out->room : 16;
    as_tensor *tensors = realloc(out->tensors, room * sizeof *tensors);
    out->tensors = tensors != NULL ? tensors : out->tensors;
    as_torch_place *places = tensors != NULL ? realloc(out->places, room * sizeof *places) : NULL;
    if (places == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", room);
    }
    out->places = places;
    out->room = room;
    return AS_OK;
}

static as_status append(const walk *w, const as_tensor *tensor, const as_torch_place *p) {
    as_torch_tensors *out = w->out;
    if (out->count >= MAX_TENSORS) {
        return as_fail(AS_EREAD, "has more tensors than are read (2^18)");
    }
    as_status status = grow(out);
    char *name = status == AS_OK ? malloc(strlen(w->name) + 1) : NULL;
    if (status == AS_OK && name == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for the name of a tensor");
    }
    if (status != AS_OK) {
        return status;
    }
    strcpy(name, w->name);
    out->places[out->count] = *p;
    out->tensors[out->count] = *tensor;
    out->tensors[out->count++].name = name;
    return AS_OK;
}

/* That every element is inside the storage; and where that is. */
static as_status locate(const walk *w, const as_tensor *t, const as_zip_member *member,
                        size_t offset, as_torch_place *p) {
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
        p->packed == NULL && end > 0 ? as_zip_stored_at(w->archive->file, member, &start) : AS_OK;
    p->where.offset = end > 0 ? start + offset * size : 0;
    p->where.swapped = w->archive->swapped;
    return status;
}

/* _rebuild_tensor_v2(storage, offset, shape, strides, requires_grad, hooks[, bits]) */
static as_status take_tensor(const walk *w, const as_pickle_value *call) {
    as_tensor t = {.dtype = AS_DTYPE_COUNT};
    as_torch_place p = {.packed = NULL};
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

/* Whether what is named is attention: of attn, attention, weights, scores and probs one is in it, and
 * it is no mask. */
static bool names_attention(const char *name) {
    static const char *const words[] = {"mask", "attn", "attention", "weights", "scores", "probs"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        for (const char *at = name; *at != '\0'; at++) {
            if (strncasecmp(at, words[i], strlen(words[i])) == 0) {
                return i > 0;
            }
        }
    }
    return false;
}

/* Whether a list has tensors, or no name, so that None in it stands for one. In a dictionary it is a
 * setting that nobody made. */
static bool expects_tensors(const char *name, const as_pickle_value *container) {
    if (container->kind == AS_PICKLE_DICT) {
        return false;
    }
    bool tensors = name[strspn(name, "0123456789.")] == '\0';
    const as_pickle_item *item = container->of.items.first;
    for (size_t i = 0; !tensors && i < container->count; i++, item = item->next) {
        tensors = item->value->kind == AS_PICKLE_CALL;
    }
    return tensors;
}

/* A row that says what is missing. */
static as_status take_none(const walk *w) {
    const as_tensor t = {
        .dtype = AS_DTYPE_COUNT, .status = AS_SKIPPED, .reason = "is None; " AS_EAGER_HINT};
    return append(w, &t, &(as_torch_place){.packed = NULL});
}

static as_status visit(walk *w, const as_pickle_value *value, size_t depth);

/* An item's name behind the container's: "layers.0.q". False where the key is no name. */
static bool add_name(walk *w, const as_pickle_value *key, size_t index) {
    size_t length = strlen(w->name), room = sizeof w->name - length;
    const char *dot = length > 0 ? "." : "";
    int added = -1;
    if (key == NULL) {
        added = snprintf(w->name + length, room, "%s%zu", dot, index);
    } else if (key->kind == AS_PICKLE_INT) {
        added = snprintf(w->name + length, room, "%s%" PRId64, dot, key->of.number);
    } else if (is_name(key, NAME_ROOM)) {
        added = snprintf(w->name + length, room, "%s%.*s", dot, (int)key->count, key->of.text);
    }
    if (added < 0 || (size_t)added >= room) {
        w->name[length] = '\0';
        return false;
    }
    return true;
}

/* Visits an item under its name; `expected`: None in its place is missing. */
static as_status visit_item(walk *w, const as_pickle_value *key, size_t index,
                            const as_pickle_value *value, size_t depth, bool expected) {
    bool none = value->kind == AS_PICKLE_NONE;
    if (value->kind < AS_PICKLE_TUPLE && !none) {
        return AS_OK; /* a number or a text beside the tensors */
    }
    size_t length = strlen(w->name);
    as_status status = AS_OK;
    if (!add_name(w, key, index)) {
        return none ? AS_OK
                    : as_fail(AS_EREAD,
                              "has a key below \"%s\" that is no name: neither printable text nor "
                              "a whole number, or the name is longer than %d bytes",
                              w->name, NAME_ROOM - 1);
    }
    if (!none) {
        status = visit(w, value, depth + 1);
    } else if (expected || names_attention(w->name)) {
        status = take_none(w);
    }
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
    bool dict = value->kind == AS_PICKLE_DICT, expected = expects_tensors(w->name, value);
    as_status status = AS_OK;
    for (size_t i = 0; status == AS_OK && i < value->count; i += 1 + dict) {
        const as_pickle_value *key = dict ? item->value : NULL;
        item = dict ? item->next : item;
        if (++w->visits > MAX_VISITS) {
            return as_fail(AS_EREAD, "has more values than are read (2^20)");
        }
        status = visit_item(w, key, i, item->value, depth, expected);
        item = item->next;
    }
    return status;
}

static int by_text(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* {"a": {"b": …}, "a.b": …} would be two; so would a key that is written twice. */
static as_status check_names(const as_torch_tensors *found) {
    size_t count = found->count;
    const char **names = calloc(count + 1, sizeof *names);
    if (names == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the names of %zu tensors", count);
    }
    for (size_t i = 0; i < count; i++) {
        names[i] = found->tensors[i].name;
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

as_status as_torch_tree(const as_torch_archive *archive, const as_zip_member *member,
                        as_torch_tensors *out) {
    walk w = {.archive = archive, .out = out};
    unsigned char *bytes = NULL;
    as_pickle *pickle = NULL;
    as_status status = as_zip_read(archive->file, member, MAX_PICKLE_BYTES, &bytes);
    if (status == AS_OK) {
        status = as_pickle_read(bytes, (size_t)member->size, globals, &pickle);
    }
    if (status == AS_OK) {
        status = visit(&w, as_pickle_root(pickle), 0);
    }
    if (status == AS_OK) {
        status = check_names(out);
    }
    as_pickle_free(pickle);
    free(bytes);
    return status;
}

void as_torch_tensors_free(as_torch_tensors *tensors) {
    for (size_t i = 0; i < tensors->count; i++) {
        free((char *)tensors->tensors[i].name);
    }
    free(tensors->tensors);
    free(tensors->places);
}
