/* Numbers as text: rows (CSV, TSV, white space) and nested JSON lists, each also gzipped. The text is
 * read once and its numbers kept as float64 in a temporary file. It refuses text that is no numbers. */
#define _POSIX_C_SOURCE 200809L
#include "dump/text.h"
#include "base/fail.h"
#include "dump/zip.h"

#include <locale.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MAX_TENSORS = 1 << 16 };

static const char gzip_magic[] = "\x1f\x8b", byte_order_mark[] = "\xef\xbb\xbf";

static bool is_gzip(const unsigned char *head, size_t size) {
    return size >= 2 && memcmp(head, gzip_magic, 2) == 0;
}

/* No control bytes but white space, and neither the first byte of a .npy nor of a pickle. */
static bool is_text(const unsigned char *head, size_t size) {
    for (size_t i = 0; i < size; i++) {
        bool space = head[i] == '\t' || head[i] == '\n' || head[i] == '\r';
        if ((head[i] < ' ' && !space) || head[i] == 0x7f) {
            return false;
        }
    }
    bool marked = size >= 3 && memcmp(head, byte_order_mark, 3) == 0;
    return size > 0 && (head[0] < 0x80 || marked);
}

static bool probe(const unsigned char *head, size_t size) {
    return is_gzip(head, size) || is_text(head, size);
}

static char *copy(const char *text) {
    char *out = text != NULL ? malloc(strlen(text) + 1) : NULL;
    return out != NULL ? strcpy(out, text) : NULL;
}

static as_status grow(as_text_tensors *found) {
    size_t capacity = found->capacity > 0 ? 2 * found->capacity : 8;
    as_tensor *tensors = realloc(found->tensors, capacity * sizeof *tensors);
    found->tensors = tensors != NULL ? tensors : found->tensors;
    as_strided *where = realloc(found->where, capacity * sizeof *where);
    found->where = where != NULL ? where : found->where;
    if (tensors == NULL || where == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu tensors", capacity);
    }
    found->capacity = capacity;
    return AS_OK;
}

as_status as_text_add(as_text_tensors *found, const as_tensor *tensor, uint64_t first) {
    if (found->count == MAX_TENSORS) {
        return as_fail(AS_EREAD, "holds more than %d tensors", MAX_TENSORS);
    }
    as_status status = found->count == found->capacity ? grow(found) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    as_tensor t = *tensor;
    t.name = copy(tensor->name);
    t.reason = copy(tensor->reason);
    if (t.name == NULL || (t.reason == NULL && tensor->reason != NULL)) {
        free((char *)t.name);
        free((char *)t.reason);
        return as_fail(AS_ENOMEM, "no memory for the name of a tensor");
    }
    as_strided *where = &found->where[found->count];
    *where = (as_strided){.offset = first * sizeof(double)};
    as_strided_contiguous(&t, false, where->stride);
    found->tensors[found->count++] = t;
    return AS_OK;
}

typedef struct state {
    as_file spool; /* fd −1: the numbers are to be parsed again */
    as_text_tensors found;
    pthread_mutex_t lock; /* of spool */
} state;

/* The bytes behind a mark of UTF-8 decide which kind of text it is. */
static as_status parse(as_text *t, as_text_tensors *found) {
    int c = as_text_peek(t);
    if (t->status == AS_OK && t->gz != NULL && !is_text(t->buffer, t->size)) {
        return as_fail(AS_EREAD, "is a gzip file, but what is packed in it is no text");
    }
    for (size_t i = 0; c == 0xef && i < 3 && t->status == AS_OK; i++) {
        as_text_next(t);
    }
    as_status status = as_text_blank(t, true);
    c = as_text_peek(t);
    if (status != AS_OK || t->status != AS_OK) {
        return t->status != AS_OK ? t->status : status;
    }
    return c == '[' || c == '{' ? as_text_lists(t, found) : as_text_rows(t, found);
}

/* A parsed number does not depend on the language of the program: strtod in the C locale, set for
 * this thread alone. */
static as_status parse_in_c(as_text *t, as_text_tensors *found) {
    locale_t c = newlocale(LC_NUMERIC_MASK, "C", (locale_t)0);
    if (c == (locale_t)0) {
        return as_fail(AS_ENOMEM, "no memory for the C locale");
    }
    locale_t before = uselocale(c);
    as_status status = parse(t, found);
    uselocale(before);
    freelocale(c);
    return status == AS_OK ? as_text_flush(t) : status;
}

/* Reads the text once, its numbers into a new spool. */
static as_status parse_file(const as_file *file, as_file *spool, as_text_tensors *found) {
    as_text *t = calloc(1, sizeof *t);
    if (t == NULL) {
        return as_fail(AS_ENOMEM, "no memory to read text");
    }
    unsigned char head[2];
    size_t size = file->stamp.size < sizeof head ? (size_t)file->stamp.size : sizeof head;
    as_status status = as_file_read(file, 0, head, size);
    if (status == AS_OK && is_gzip(head, size)) {
        status = as_gz_open(file->fd, &t->gz);
    }
    if (status == AS_OK) {
        status = as_zip_temporary(&spool->fd);
    }
    if (status == AS_OK) {
        t->file = file;
        t->spool = *spool;
        status = parse_in_c(t, found);
    }
    as_gz_close(t->gz);
    free(t);
    return status;
}

static void free_found(as_text_tensors *found) {
    for (size_t i = 0; i < found->count; i++) {
        free((char *)found->tensors[i].name);
        free((char *)found->tensors[i].reason);
    }
    free(found->tensors);
    free(found->where);
}

static void drop(as_file *spool) {
    if (spool->fd >= 0) {
        as_file_close(spool);
    }
}

static as_status open_text(as_dump *dump, const as_file *file, const as_dump_options *options) {
    (void)options; /* raw_dtype is of binary elements */
    state *s = calloc(1, sizeof *s);
    if (s == NULL) {
        return as_fail(AS_ENOMEM, "no memory to read text");
    }
    dump->state = s;
    s->spool.fd = -1;
    pthread_mutex_init(&s->lock, NULL);
    as_status status = parse_file(file, &s->spool, &s->found);
    dump->tensors = s->found.tensors;
    dump->tensor_count = s->found.count;
    return status;
}

/* The file has not changed, so that it is the same numbers and places again. */
static as_status parse_again(state *s, const as_file *file) {
    as_text_tensors again = {0};
    as_status status = parse_file(file, &s->spool, &again);
    free_found(&again);
    if (status != AS_OK) {
        drop(&s->spool);
    }
    return status;
}

static as_status read_text(const as_dump *dump, const as_file *file, size_t tensor,
                           const as_slice *slice, as_matrix *out) {
    state *s = dump->state;
    pthread_mutex_lock(&s->lock);
    as_status status = s->spool.fd < 0 ? parse_again(s, file) : AS_OK;
    pthread_mutex_unlock(&s->lock);
    return status == AS_OK ? as_strided_read(&s->spool, &dump->tensors[tensor],
                                             &s->found.where[tensor], slice, out)
                           : status;
}

static void let_go(const as_dump *dump) {
    state *s = dump->state;
    if (s != NULL) {
        drop(&s->spool);
    }
}

static void close_text(as_dump *dump) {
    state *s = dump->state;
    if (s != NULL) {
        drop(&s->spool);
        free_found(&s->found);
        pthread_mutex_destroy(&s->lock);
    }
    free(s);
}

const as_format as_format_text = {
    .info = {.name = "text",
             .summary = "numbers as text: CSV, TSV, white space, nested JSON lists; also gzipped",
             .reference = "RFC 4180, RFC 8259 with NaN and Infinity, RFC 1952"},
    .probe = probe,
    .open = open_text,
    .read = read_text,
    .close = close_text,
    .let_go = let_go,
    .decimal = true,
};
