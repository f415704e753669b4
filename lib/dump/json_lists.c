/* Nested lists in JSON: each is a tensor, named by the keys and places that lead to it ("layers/0/attn").
 * It refuses nesting beyond 64, ragged lists, null among numbers, and what is no JSON. */
#include "base/fail.h"
#include "dump/text.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 64, MAX_NAME = 256, MAX_STRING = 1 << 26, REASON = 160 };

typedef struct lists {
    as_text *text;
    as_text_tensors *found;
    size_t depth;            /* of brackets and braces that are open */
    char name[MAX_NAME + 1]; /* of what is read; its length is at the end */
    size_t length;
} lists;

/* One tensor while it is read. */
typedef struct nest {
    as_tensor tensor;
    char reason[REASON];
    size_t level;            /* lists that are open */
    bool known[AS_MAX_RANK]; /* whether shape[] is */
    bool rank_known;
} nest;

static as_status value(lists *l);

/* Passes white space; the byte that follows is in *c. */
static as_status look(lists *l, int *c) {
    as_status status = as_text_blank(l->text, true);
    *c = as_text_peek(l->text);
    return status;
}

static as_status expected(lists *l, const char *what) {
    return as_text_peek(l->text) == AS_TEXT_END
               ? as_text_wrong(l->text, "ends where %s is expected", what)
               : as_text_wrong(l->text, "%s is expected", what);
}

static as_status open_bracket(lists *l) {
    as_text_next(l->text);
    return l->depth++ < MAX_DEPTH ? AS_OK
                                  : as_text_wrong(l->text, "nested more than %d deep", MAX_DEPTH);
}

/* After a member: *more is true past a comma, false past the closing byte. */
static as_status next_member(lists *l, char close, bool *more) {
    int c;
    as_status status = look(l, &c);
    if (status != AS_OK) {
        return status;
    }
    if (c != ',' && c != close) {
        return expected(l, close == ']' ? "a comma or ]" : "a comma or }");
    }
    as_text_next(l->text);
    *more = c == ',';
    l->depth -= !*more;
    return AS_OK;
}

/* Past an opening byte: whether a member follows. */
static as_status first_member(lists *l, char close, bool *more) {
    int c;
    as_status status = look(l, &c);
    *more = c != close;
    if (status == AS_OK && !*more) {
        as_text_next(l->text);
        l->depth--;
    }
    return status;
}

/* A string; its text goes to out[room] (NULL: nowhere). Escapes of quote, slash and backslash are
 * undone, others stay as they are written. */
static as_status string(lists *l, char *out, size_t room) {
    as_text *t = l->text;
    uint64_t start = t->taken;
    size_t length = 0;
    if (as_text_peek(t) != '"') {
        return expected(l, "a name in double quotes");
    }
    as_text_next(t);
    for (int c; (c = as_text_next(t)) != '"';) {
        char kept[2] = {(char)c, '\0'};
        size_t count = 1;
        if (c < ' ' || t->taken - start > MAX_STRING) {
            return as_text_wrong(t, "a string is not closed");
        }
        if (c == '\\') {
            int escaped = as_text_next(t);
            if (escaped < ' ') {
                return as_text_wrong(t, "a string is not closed");
            }
            bool plain = escaped == '"' || escaped == '\\' || escaped == '/';
            kept[plain ? 0 : 1] = (char)escaped;
            count = plain ? 1 : 2;
        }
        if (out != NULL && length + count >= room) {
            return as_text_wrong(t, "a name of more than %d bytes", MAX_NAME);
        }
        if (out != NULL) {
            memcpy(out + length, kept, count);
        }
        length += count;
    }
    if (out != NULL) {
        out[length] = '\0';
    }
    return t->status;
}

static as_status literal(lists *l, const char *word) {
    for (const char *w = word; *w != '\0'; w++) {
        if (as_text_next(l->text) != *w) {
            return as_text_wrong(l->text, "a value is expected that is no word but true, false, "
                                          "null, NaN or Infinity");
        }
    }
    return AS_OK;
}

/* The first thing that is wrong with a tensor is its reason; the rest of it is only read over. */
static void blame(nest *n, as_status status, const lists *l, const char *what) {
    if (n->tensor.status == AS_OK) {
        n->tensor.status = status;
        n->tensor.reason = n->reason;
        if (status == AS_SKIPPED) {
            snprintf(n->reason, sizeof n->reason, "%s", what);
        } else {
            snprintf(n->reason, sizeof n->reason, "byte %" PRIu64 ": %s", l->text->taken, what);
        }
    }
}

/* A number stands inside `level` lists: so many axes there are. */
static void set_rank(nest *n, const lists *l, const char *what) {
    if (!n->rank_known) {
        n->rank_known = true;
        n->tensor.rank = n->level;
    }
    if (n->tensor.rank != n->level) {
        blame(n, AS_EREAD, l, what);
    }
}

static as_status leaf(lists *l, nest *n, int c) {
    if (c == '"') {
        blame(n, AS_SKIPPED, l, "holds text, not numbers");
        return string(l, NULL, 0);
    }
    if (c == 't' || c == 'f') {
        blame(n, AS_SKIPPED, l, "holds true and false, not numbers");
        return literal(l, c == 't' ? "true" : "false");
    }
    if (c == 'n') {
        blame(n, AS_EREAD, l, "null is no number; " AS_EAGER_HINT);
        return literal(l, "null");
    }
    if (c == '{') {
        blame(n, AS_SKIPPED, l, "holds objects inside nested lists, not numbers");
        size_t count = l->found->count, length = l->length;
        as_status status = value(l);
        l->length = length;
        return status == AS_OK && l->found->count > count
                   ? as_text_wrong(l->text,
                                   "objects with lists of numbers stand inside nested lists")
                   : status;
    }
    double x;
    as_status status = as_text_number(l->text, &x);
    if (status == AS_OK) {
        set_rank(n, l, "a number stands where a list is expected");
        status = n->tensor.status == AS_OK ? as_text_keep(l->text, x) : AS_OK;
    }
    return status;
}

static void set_length(nest *n, const lists *l, size_t count) {
    if (count == 0) {
        set_rank(n, l, "a list is empty, others are not");
    }
    size_t axis = n->level - 1;
    if (axis >= AS_MAX_RANK) {
        blame(n, AS_EREAD, l, "lists nested more than 8 deep are no tensor");
        return;
    }
    if (n->known[axis] && n->tensor.shape[axis] != count) {
        char what[REASON / 2];
        snprintf(what, sizeof what, "a list of %zu ends beside one of %zu", count,
                 n->tensor.shape[axis]);
        blame(n, AS_EREAD, l, what);
    }
    n->known[axis] = true;
    n->tensor.shape[axis] = count;
}

/* The inside of a list whose [ has been read, up to and with its ]. */
static as_status list(lists *l, nest *n) {
    size_t count = 0;
    bool more;
    n->level++;
    as_status status = first_member(l, ']', &more);
    for (; status == AS_OK && more; count++) {
        int c;
        status = look(l, &c);
        if (status == AS_OK && c == '[') {
            status = open_bracket(l);
            status = status == AS_OK ? list(l, n) : status;
        } else if (status == AS_OK) {
            status = leaf(l, n, c);
        }
        status = status == AS_OK ? next_member(l, ']', &more) : status;
    }
    if (status == AS_OK) {
        set_length(n, l, count);
        n->level--;
    }
    return status;
}

static as_status tensor(lists *l) {
    nest n = {.tensor = {.name = l->name, .dtype = AS_F64}};
    uint64_t first = l->text->kept;
    l->text->decimals = 0;
    as_status status = list(l, &n);
    if (status != AS_OK) {
        return status;
    }
    if (n.tensor.status == AS_EREAD && l->length == 0) {
        return as_fail(AS_EREAD, "%s", n.reason); /* there is nothing else in the file */
    }
    if (n.tensor.status != AS_OK) {
        n.tensor.rank = 0;
        memset(n.tensor.shape, 0, sizeof n.tensor.shape);
    }
    n.tensor.dtype = n.tensor.status == AS_SKIPPED ? AS_DTYPE_COUNT : AS_F64;
    n.tensor.decimals = l->text->decimals;
    l->name[l->length] = '\0';
    return as_text_add(l->found, &n.tensor, first);
}

/* Goes one step further into the name; `step` may not be longer than a name. */
static as_status enter(lists *l, const char *step) {
    size_t length = strlen(step), slash = l->length > 0;
    if (l->length + slash + length > MAX_NAME) {
        return as_text_wrong(l->text, "a name of more than %d bytes", MAX_NAME);
    }
    memcpy(l->name + l->length, "/", slash);
    memcpy(l->name + l->length + slash, step, length + 1);
    l->length += slash + length;
    return AS_OK;
}

static void leave(lists *l, size_t length) {
    l->length = length;
    l->name[length] = '\0';
}

static as_status object(lists *l) {
    bool more;
    size_t length = l->length;
    as_status status = open_bracket(l);
    status = status == AS_OK ? first_member(l, '}', &more) : status;
    while (status == AS_OK && more) {
        int c;
        char key[MAX_NAME + 1];
        status = look(l, &c);
        status = status == AS_OK ? string(l, key, sizeof key) : status;
        status = status == AS_OK ? look(l, &c) : status;
        if (status == AS_OK && as_text_next(l->text) != ':') {
            status = as_text_wrong(l->text, "a colon is expected after a name");
        }
        status = status == AS_OK ? enter(l, key) : status;
        status = status == AS_OK ? value(l) : status;
        leave(l, length);
        status = status == AS_OK ? next_member(l, '}', &more) : status;
    }
    return status;
}

/* A list whose [ has been read and whose first member is an object. */
static as_status objects(lists *l) {
    bool more = true;
    size_t length = l->length;
    as_status status = AS_OK;
    for (size_t i = 0; status == AS_OK && more; i++) {
        char step[24];
        snprintf(step, sizeof step, "%zu", i);
        status = enter(l, step);
        status = status == AS_OK ? value(l) : status;
        leave(l, length);
        status = status == AS_OK ? next_member(l, ']', &more) : status;
    }
    return status;
}

/* Anything. Numbers, text and words outside of lists describe the file: they are read over. */
static as_status value(lists *l) {
    int c;
    as_status status = look(l, &c);
    if (status != AS_OK) {
        return status;
    }
    if (c == '[') {
        status = open_bracket(l);
        status = status == AS_OK ? look(l, &c) : status;
        return status != AS_OK ? status : c == '{' ? objects(l) : tensor(l);
    }
    double ignored;
    return c == '{'   ? object(l)
           : c == '"' ? string(l, NULL, 0)
           : c == 't' ? literal(l, "true")
           : c == 'f' ? literal(l, "false")
           : c == 'n' ? literal(l, "null")
                      : as_text_number(l->text, &ignored);
}

static int by_name(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static as_status check_names(const as_text_tensors *found) {
    const char **names = malloc((found->count + 1) * sizeof *names);
    if (names == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu names", found->count);
    }
    for (size_t i = 0; i < found->count; i++) {
        names[i] = found->tensors[i].name;
    }
    qsort(names, found->count, sizeof *names, by_name);
    as_status status = AS_OK;
    for (size_t i = 1; i < found->count && status == AS_OK; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            status = as_fail(AS_EREAD, "the name '%s' stands twice", names[i]);
        }
    }
    free(names);
    return status;
}

as_status as_text_lists(as_text *t, as_text_tensors *found) {
    lists l = {.text = t, .found = found};
    int c;
    as_status status = value(&l);
    status = status == AS_OK ? look(&l, &c) : status;
    if (status == AS_OK && c != AS_TEXT_END) {
        status = c == '[' || c == '{'
                     ? as_text_wrong(t, "another value follows the first, as in JSON Lines, which "
                                        "is not read: put the values in one list, [..., ...]")
                     : as_text_wrong(t, "nothing more is expected after the first value");
    }
    if (status != AS_OK) {
        return strncmp(as_message(), "byte ", 5) == 0
                   ? status
                   : as_fail_prefix(status, "byte %" PRIu64, t->taken);
    }
    if (found->count == 0) {
        return as_fail(AS_EREAD, "is JSON without lists; " AS_EAGER_HINT);
    }
    return check_names(found);
}
