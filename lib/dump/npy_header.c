/* The header of a .npy: a dictionary written as a Python literal, parsed and never evaluated.
 * It refuses every other literal, unknown, missing and repeated keys, and structured dtypes. */
#include "dump/npy_header.h"
#include "base/fail.h"

#include <string.h>

typedef struct parser {
    const char *text;
    size_t length, at;
} parser;

static as_status expected(const parser *p, const char *what) {
    return as_fail(AS_EREAD,
                   "the .npy header is no dictionary that numpy writes: at byte %zu, %s "
                   "is expected",
                   p->at, what);
}

/* The next character that is no space, NUL at the end (a NUL in the text is none of ours). */
static char peek(parser *p) {
    while (p->at < p->length && strchr(" \t\r\n", p->text[p->at]) != NULL &&
           p->text[p->at] != '\0') {
        p->at++;
    }
    return p->at < p->length ? p->text[p->at] : '\0';
}

static bool accept(parser *p, char c) {
    if (c == '\0' || peek(p) != c) {
        return false;
    }
    p->at++;
    return true;
}

static bool accept_word(parser *p, const char *word) {
    size_t length = strlen(word);
    peek(p);
    if (p->length - p->at < length || memcmp(p->text + p->at, word, length) != 0) {
        return false;
    }
    p->at += length;
    return true;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* A string of printable ASCII without escapes, in either quotes; Python 2 may put u or b before. */
static as_status parse_string(parser *p, char *out, size_t room, const char *what) {
    if (peek(p) == 'u' || peek(p) == 'b') {
        p->at++;
    }
    char quote = peek(p);
    if (quote != '\'' && quote != '"') {
        return expected(p, what);
    }
    p->at++;
    size_t length = 0;
    for (;; p->at++) {
        char c = p->at < p->length ? p->text[p->at] : '\0';
        if (c == quote) {
            break;
        }
        if (c < ' ' || c > '~' || c == '\\' || length + 1 >= room) {
            return expected(p, what);
        }
        out[length++] = c;
    }
    p->at++;
    out[length] = '\0';
    return AS_OK;
}

/* One length of the shape; Python 2 may put an L behind. */
static as_status parse_length(parser *p, size_t *out) {
    size_t value = 0, start;
    if (peek(p) == '-') {
        return as_fail(AS_EREAD, "the .npy header has a negative length in its shape");
    }
    for (start = p->at; p->at < p->length && is_digit(p->text[p->at]); p->at++) {
        size_t digit = (size_t)(p->text[p->at] - '0');
        if (__builtin_mul_overflow(value, (size_t)10, &value) ||
            __builtin_add_overflow(value, digit, &value)) {
            return as_fail(AS_EREAD, "the .npy header has a length in its shape that is beyond 64 "
                                     "bits");
        }
    }
    /* Python 2 read 010 as eight. */
    if (p->at == start || (p->at - start > 1 && p->text[start] == '0')) {
        p->at = start;
        return expected(p, "a whole number");
    }
    if (p->at < p->length && p->text[p->at] == 'L') {
        p->at++;
    }
    if (p->at < p->length && strchr(".eEjJ_xX", p->text[p->at]) != NULL && p->text[p->at] != '\0') {
        return as_fail(AS_EREAD, "the .npy header has a length in its shape that is no whole "
                                 "number");
    }
    *out = value;
    return AS_OK;
}

static as_status parse_shape(parser *p, as_npy_header *out) {
    if (!accept(p, '(')) {
        return expected(p, "a shape such as (3, 4)");
    }
    bool comma = true;
    for (out->rank = 0; !accept(p, ')'); out->rank++) {
        if (!comma) {
            return expected(p, "a comma or )");
        }
        if (out->rank == AS_MAX_RANK) {
            return as_fail(AS_EREAD, "the .npy has more than %d axes", AS_MAX_RANK);
        }
        as_status status = parse_length(p, &out->shape[out->rank]);
        if (status != AS_OK) {
            return status;
        }
        comma = accept(p, ',');
    }
    /* (3) is a number to Python, not a tuple. */
    return out->rank == 1 && !comma ? expected(p, "a shape with a comma, such as (3,),") : AS_OK;
}

static as_status parse_order(parser *p, as_npy_header *out) {
    out->fortran_order = accept_word(p, "True");
    return out->fortran_order || accept_word(p, "False") ? AS_OK : expected(p, "True or False");
}

static as_status parse_descr(parser *p, as_npy_header *out) {
    if (peek(p) == '[' || peek(p) == '(') {
        return as_fail(AS_SKIPPED,
                       "the .npy holds records (a structured dtype); save each field as "
                       "an array of its own");
    }
    return parse_string(p, out->descr, sizeof out->descr, "a dtype such as '<f4'");
}

static const struct {
    const char *name;
    as_status (*parse)(parser *p, as_npy_header *out);
} keys[] = {{"descr", parse_descr}, {"fortran_order", parse_order}, {"shape", parse_shape}};
enum { KEY_COUNT = sizeof keys / sizeof *keys };

static as_status parse_entry(parser *p, bool *seen, as_npy_header *out) {
    char name[64];
    as_status status = parse_string(p, name, sizeof name, "a key in quotes");
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (strcmp(name, keys[i].name) == 0) {
            if (seen[i]) {
                return as_fail(AS_EREAD, "the .npy header has the key '%s' twice", name);
            }
            seen[i] = true;
            return accept(p, ':') ? keys[i].parse(p, out) : expected(p, "a colon");
        }
    }
    return as_fail(AS_EREAD, "the .npy header has the key '%s', which the format does not know",
                   name);
}

as_status as_npy_header_parse(const char *text, size_t length, as_npy_header *out) {
    parser p = {text, length, 0};
    as_npy_header header = {0};
    bool seen[KEY_COUNT] = {false}, comma = true;
    if (!accept(&p, '{')) {
        return expected(&p, "{");
    }
    while (!accept(&p, '}')) {
        as_status status = comma ? parse_entry(&p, seen, &header) : expected(&p, "a comma or }");
        if (status != AS_OK) {
            return status;
        }
        comma = accept(&p, ',');
    }
    if (peek(&p) != '\0' || p.at < length) {
        return expected(&p, "nothing more");
    }
    for (size_t i = 0; i < KEY_COUNT; i++) {
        if (!seen[i]) {
            return as_fail(AS_EREAD, "the .npy header lacks the key '%s'", keys[i].name);
        }
    }
    *out = header;
    return AS_OK;
}
