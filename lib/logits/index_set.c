/* A set of indices written as "0,3-5,8-".
 * It refuses empty pieces, ranges that run backwards, and numbers beyond nine digits. */
#include "logits/index_set.h"
#include "base/fail.h"

#include <stdlib.h>
#include <string.h>

typedef struct range {
    size_t first, last; /* last is SIZE_MAX for an open end */
} range;

struct as_index_set {
    size_t count;
    range ranges[];
};

static as_status refuse(const char *text, const char *at, const char *why) {
    return as_fail(AS_EINVAL, "\"%s\" is no list of indices such as 0,3-5,8-: character %zu: %s",
                   text, (size_t)(at - text) + 1, why);
}

static const char *skip_spaces(const char *at) {
    return at + strspn(at, " ");
}

/* A number at *at, which moves behind it; false where there is none or it is too long. */
static bool parse_number(const char **at, size_t *out) {
    size_t digits = strspn(*at, "0123456789");
    if (digits == 0 || digits > 9) {
        return false;
    }
    *out = (size_t)strtoul(*at, NULL, 10);
    *at = skip_spaces(*at + digits);
    return true;
}

static as_status parse_range(const char *text, const char **at, range *out) {
    const char *start = *at = skip_spaces(*at);
    if (!parse_number(at, &out->first)) {
        return refuse(text, start, "a number of at most nine digits is expected");
    }
    out->last = out->first;
    if (**at == '-') {
        *at = skip_spaces(*at + 1);
        out->last = SIZE_MAX;
        if (**at != '\0' && **at != ',' && !parse_number(at, &out->last)) {
            return refuse(text, *at, "the end of a range is expected");
        }
    }
    if (out->last < out->first) {
        return refuse(text, start, "the range runs backwards");
    }
    if (**at != '\0' && **at != ',') {
        return refuse(text, *at, "a comma is expected");
    }
    return AS_OK;
}

as_status as_index_set_parse(const char *text, as_index_set **out) {
    if (text == NULL || *text == '\0') {
        *out = NULL;
        return AS_OK;
    }
    size_t pieces = 1;
    for (const char *c = text; *c != '\0'; c++) {
        pieces += *c == ',';
    }
    as_index_set *set = malloc(sizeof *set + pieces * sizeof *set->ranges);
    if (set == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a list of %zu indices", pieces);
    }
    set->count = pieces;
    const char *at = text;
    for (size_t i = 0; i < pieces; i++, at++) {
        as_status status = parse_range(text, &at, &set->ranges[i]);
        if (status != AS_OK) {
            free(set);
            return status;
        }
    }
    *out = set;
    return AS_OK;
}

bool as_index_set_has(const as_index_set *set, size_t index) {
    return as_index_set_next(set, index) == index;
}

size_t as_index_set_next(const as_index_set *set, size_t from) {
    if (set == NULL) {
        return from;
    }
    size_t next = SIZE_MAX;
    for (size_t i = 0; i < set->count; i++) {
        const range *r = &set->ranges[i];
        if (from <= r->last) {
            size_t least = from > r->first ? from : r->first;
            next = least < next ? least : next;
        }
    }
    return next;
}

size_t as_index_set_named(const as_index_set *set, size_t at) {
    if (set == NULL || at >= 2 * set->count) {
        return SIZE_MAX;
    }
    const range *r = &set->ranges[at / 2];
    return at % 2 == 0 || r->last == SIZE_MAX ? r->first : r->last;
}

void as_index_set_free(as_index_set *set) {
    free(set);
}
