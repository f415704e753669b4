/* numpy's .npz: a zip archive of .npy, stored (np.savez) or deflated (np.savez_compressed).
 * It refuses PyTorch's archives, two arrays of one name, and archives of anything else; a member that is
 * broken is refused alone. */
#include "base/fail.h"
#include "dump/npy.h"
#include "dump/zip.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEFLATED = 8, LOCAL_BYTES = 30 };

/* A tensor's elements, which are touched for the first time under the lock: then the CRC is checked,
 * and what is deflated goes whole into the temporary file, for slices to be read there. */
typedef struct entry {
    const as_zip_member *member;
    char *name, *reason; /* of the tensor */
    as_strided where;    /* in the .npy */
    uint64_t start;      /* of the .npy in the file it is read from, once it was touched */
    uint64_t end;        /* of what the header declares */
    bool touched;
    as_status status; /* with `broken`, the reason, once it was touched */
    char *broken;
} entry;

typedef struct npz {
    as_zip zip;
    entry *entries; /* one a tensor */
    pthread_mutex_t lock;
    as_file unpacked; /* the temporary file; fd is −1 before its first member */
    uint64_t used;    /* bytes of it */
} npz;

static bool ends_in(const char *text, size_t length, const char *end) {
    size_t tail = strlen(end);
    return length >= tail && memcmp(text + length - tail, end, tail) == 0;
}

/* What torch.save() writes first: STEM/data.pkl, or what it says of the format before it. */
static bool is_torch(const char *name, size_t length) {
    static const char *const firsts[] = {"/data.pkl", "/.format_version", "/byteorder", "/version"};
    bool is = false;
    for (size_t i = 0; i < sizeof firsts / sizeof *firsts; i++) {
        is = is || ends_in(name, length, firsts[i]);
    }
    return is;
}

/* Every zip archive but PyTorch's, told by the name of the first member, which stands 30 bytes after
 * its start. */
static bool probe(const unsigned char *head, size_t size) {
    if (size >= 4 && memcmp(head, "PK\x05\x06", 4) == 0) {
        return true;
    }
    if (size < 4 || memcmp(head, "PK\x03\x04", 4) != 0) {
        return false;
    }
    if (size < LOCAL_BYTES) {
        return true;
    }
    size_t length = (size_t)(head[26] | head[27] << 8);
    length = length < size - LOCAL_BYTES ? length : size - LOCAL_BYTES;
    return !is_torch((const char *)head + LOCAL_BYTES, length);
}

static char *copy(const char *text, size_t length) {
    char *made = malloc(length + 1);
    if (made != NULL) {
        memcpy(made, text, length);
        made[length] = '\0';
    }
    return made;
}

/* A member in an archive, as as_npy_source has it. */
typedef struct place {
    const as_file *file;
    const as_zip_member *member;
} place;

static as_status peek_member(const void *context, size_t count, unsigned char *out) {
    const place *p = context;
    return as_zip_peek(p->file, p->member, count, out);
}

/* numpy takes any member that begins as a .npy does, whatever its name. */
static bool is_array(const as_file *file, const as_zip_member *m) {
    unsigned char head[6];
    return ends_in(m->name, strlen(m->name), ".npy") ||
           (m->size >= sizeof head && as_zip_peek(file, m, sizeof head, head) == AS_OK &&
            as_npy_probe(head, sizeof head));
}

static as_status open_array(const place *p, const as_dump_options *options, as_npy *npy) {
    const as_zip_member *m = p->member;
    const as_npy_source source = {peek_member, p, m->size};
    as_status status = as_npy_open(&source, options, npy);
    if (status == AS_OK && m->method == DEFLATED && m->size > npy->end) {
        return as_fail(AS_EREAD,
                       "unpacks to %" PRIu64 " bytes, but its header declares %" PRIu64 " only",
                       m->size, npy->end);
    }
    return status;
}

/* One tensor, readable or not. Only a lack of memory is a failure. */
static as_status add(as_dump *dump, const place *p, bool array, const as_dump_options *options) {
    npz *z = dump->state;
    entry *e = &z->entries[dump->tensor_count];
    as_npy npy = {.tensor = {.dtype = AS_DTYPE_COUNT}};
    as_status status =
        array ? open_array(p, options, &npy) : as_fail(AS_SKIPPED, "is no array of numpy (.npy)");
    if (status == AS_ENOMEM) {
        return status;
    }
    size_t length = strlen(p->member->name);
    length -= ends_in(p->member->name, length, ".npy") ? strlen(".npy") : 0;
    *e = (entry){.member = p->member,
                 .name = copy(p->member->name, length),
                 .reason = status != AS_OK ? copy(as_message(), strlen(as_message())) : NULL,
                 .where = npy.where,
                 .end = npy.end};
    as_tensor *t = &dump->tensors[dump->tensor_count++];
    *t = npy.tensor;
    t->name = e->name;
    t->status = status;
    t->reason = e->reason;
    return e->name != NULL && (status == AS_OK || e->reason != NULL)
               ? AS_OK
               : as_fail(AS_ENOMEM, "no memory for the arrays of a .npz");
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static as_status check_names(const as_dump *dump) {
    const char **names = malloc((dump->tensor_count + 1) * sizeof *names);
    if (names == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the arrays of a .npz");
    }
    for (size_t i = 0; i < dump->tensor_count; i++) {
        names[i] = dump->tensors[i].name;
    }
    qsort(names, dump->tensor_count, sizeof *names, by_name);
    as_status status = AS_OK;
    for (size_t i = 1; status == AS_OK && i < dump->tensor_count; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = as_fail(AS_EREAD, "is a .npz with two arrays of the name '%.200s'", names[i]);
        }
    }
    free(names);
    return status;
}

static as_status list(as_dump *dump, const as_file *file, const as_dump_options *options) {
    npz *z = dump->state;
    z->entries = calloc(z->zip.count + 1, sizeof *z->entries);
    dump->tensors = calloc(z->zip.count + 1, sizeof *dump->tensors);
    if (z->entries == NULL || dump->tensors == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the arrays of a .npz");
    }
    size_t arrays = 0;
    as_status status = AS_OK;
    for (size_t i = 0; status == AS_OK && i < z->zip.count; i++) {
        const place p = {file, &z->zip.members[i]};
        size_t length = strlen(p.member->name);
        if (ends_in(p.member->name, length, "/data.pkl")) {
            return as_fail(AS_EREAD,
                           "is a PyTorch file by its member '%.200s', but begins with "
                           "another one",
                           p.member->name);
        }
        if (!ends_in(p.member->name, length, "/")) {
            bool array = is_array(file, p.member);
            arrays += array;
            status = add(dump, &p, array, options);
        }
    }
    if (status == AS_OK && arrays == 0 && dump->tensor_count > 0) {
        return as_fail(AS_EREAD,
                       "is a zip archive without numpy arrays; its first member is "
                       "'%.200s'",
                       dump->tensors[0].name);
    }
    return status == AS_OK ? check_names(dump) : status;
}

static as_status open_npz(as_dump *dump, const as_file *file, const as_dump_options *options) {
    npz *z = calloc(1, sizeof *z);
    if (z == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a .npz");
    }
    z->unpacked.fd = -1;
    pthread_mutex_init(&z->lock, NULL);
    dump->state = z;
    as_status status = as_zip_open(file, &z->zip);
    return status == AS_OK ? list(dump, file, options) : status;
}

static as_status unpack(npz *z, const as_file *file, entry *e) {
    as_status status = z->unpacked.fd < 0 ? as_zip_temporary(&z->unpacked.fd) : AS_OK;
    if (status == AS_OK) {
        status = as_zip_unpack(file, e->member, e->end, z->unpacked.fd, z->used);
    }
    if (status == AS_OK) {
        e->start = z->used;
        z->used += (e->end + 7) / 8 * 8;
    }
    return status;
}

/* A lack of memory may pass; every other failure stays. */
static as_status touch(npz *z, const as_file *file, entry *e) {
    as_status status = AS_OK;
    if (e->member->method == DEFLATED) {
        status = unpack(z, file, e);
    } else {
        status = as_zip_check(file, e->member);
        if (status == AS_OK) {
            status = as_zip_stored_at(file, e->member, &e->start);
        }
    }
    if (status == AS_ENOMEM) {
        return status;
    }
    e->broken = status != AS_OK ? copy(as_message(), strlen(as_message())) : NULL;
    e->touched = status == AS_OK || e->broken != NULL;
    e->status = status;
    return status;
}

static as_status read_npz(const as_dump *dump, const as_file *file, size_t tensor,
                          const as_slice *slice, as_matrix *out) {
    npz *z = dump->state;
    entry *e = &z->entries[tensor];
    pthread_mutex_lock(&z->lock);
    as_status status = !e->touched          ? touch(z, file, e)
                       : e->status != AS_OK ? as_fail(e->status, "%s", e->broken)
                                            : AS_OK;
    pthread_mutex_unlock(&z->lock);
    if (status != AS_OK) {
        return status;
    }
    const as_file *from = e->member->method == DEFLATED ? &z->unpacked : file;
    as_strided where = e->where;
    where.offset += e->start;
    return as_strided_read(from, &dump->tensors[tensor], &where, slice, out);
}

/* What is broken stays known. */
static void let_go(const as_dump *dump) {
    npz *z = dump->state;
    if (z == NULL || z->unpacked.fd < 0) {
        return;
    }
    close(z->unpacked.fd);
    z->unpacked.fd = -1;
    z->used = 0;
    for (size_t i = 0; i < dump->tensor_count; i++) {
        entry *e = &z->entries[i];
        e->touched = e->touched && (e->status != AS_OK || e->member->method != DEFLATED);
    }
}

static void close_npz(as_dump *dump) {
    npz *z = dump->state;
    if (z != NULL) {
        for (size_t i = 0; i < dump->tensor_count; i++) {
            free(z->entries[i].name);
            free(z->entries[i].reason);
            free(z->entries[i].broken);
        }
        free(z->entries);
        as_zip_free(&z->zip);
        pthread_mutex_destroy(&z->lock);
        if (z->unpacked.fd >= 0) {
            close(z->unpacked.fd);
        }
    }
    free(z);
    free(dump->tensors);
}

const as_format as_format_npz = {
    .info = {.name = "npz",
             .summary = "numpy's archive of arrays, stored or compressed",
             .reference = "numpy.savez; PKWARE APPNOTE.TXT 6.3.10 (zip, ZIP64)"},
    .probe = probe,
    .open = open_npz,
    .read = read_npz,
    .close = close_npz,
    .let_go = let_go,
};
