/* report_against: which row of one result is which of another.
 * It refuses to match a row that two others fit, and names them. */
#define _POSIX_C_SOURCE 200809L
#include "report_against.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"

#define NONE      SIZE_MAX
#define DESCRIBED 800

/* What a row is known by. The texts stand once in a list, so that equal ones are one pointer. */
typedef struct entry {
    size_t at; /* among the rows */
    uint64_t layer, batch, head, seed;
    bool has_seed;
    const char *tensor, *source, *file, *scheme, *content; /* file: without its folder */
    size_t partner;                                        /* NONE, or the place of its match */
} entry;

typedef struct matcher {
    size_t texts, room;
    char **text; /* [texts], owned */
    size_t count[2];
    entry *side[2];             /* [count], owned */
    bool scheme, content, seed; /* whether they tell rows apart */
} matcher;

/* ---- gathering -------------------------------------------------------------------------------- */

/* "" is a text too; NULL where there is no memory. */
static const char *keep(matcher *m, const char *text) {
    if (text == NULL)
        text = "";
    for (size_t i = m->texts; i-- > 0;)
        if (strcmp(m->text[i], text) == 0)
            return m->text[i];
    if (m->texts == m->room) {
        size_t room = 2 * m->room + 64;
        char **grown = realloc(m->text, room * sizeof *grown);
        if (grown == NULL)
            return NULL;
        m->text = grown;
        m->room = room;
    }
    char *copy = strdup(text);
    if (copy != NULL)
        m->text[m->texts++] = copy;
    return copy;
}

static bool know(matcher *m, const as_row *row, size_t at, entry *out) {
    const char *slash = row->source == NULL ? NULL : strrchr(row->source, '/');
    *out = (entry){
        .at = at,
        .layer = row->layer,
        .batch = row->batch,
        .head = row->head,
        .seed = row->seed,
        .has_seed = row->has_seed,
        .tensor = keep(m, row->tensor),
        .source = keep(m, row->source),
        .file = keep(m, slash == NULL ? row->source : slash + 1),
        .scheme = keep(m, row->scheme),
        .content = keep(m, row->content),
        .partner = NONE,
    };
    return out->tensor != NULL && out->source != NULL && out->file != NULL && out->scheme != NULL &&
           out->content != NULL;
}

static as_status gather(matcher *m, size_t side, const report_rows *rows) {
    m->side[side] = calloc(rows->count + 1, sizeof *m->side[side]);
    if (m->side[side] == NULL)
        return AS_ENOMEM;
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        if (!row_has_place(&row))
            continue;
        if (!know(m, &row, i, &m->side[side][m->count[side]]))
            return AS_ENOMEM;
        m->count[side]++;
    }
    return AS_OK;
}

/* Whether the rows of a side have more than one scheme, content or seed. */
static void find_several(matcher *m, size_t side) {
    const char *scheme = NULL, *content = NULL;
    const entry *seed = NULL;
    for (size_t i = 0; i < m->count[side]; i++) {
        const entry *e = &m->side[side][i];
        m->scheme = m->scheme || (scheme != NULL && *e->scheme != '\0' && e->scheme != scheme);
        m->content =
            m->content || (content != NULL && *e->content != '\0' && e->content != content);
        m->seed = m->seed || (seed != NULL && e->has_seed && e->seed != seed->seed);
        scheme = scheme == NULL && *e->scheme != '\0' ? e->scheme : scheme;
        content = content == NULL && *e->content != '\0' ? e->content : content;
        seed = seed == NULL && e->has_seed ? e : seed;
    }
}

/* ---- matching --------------------------------------------------------------------------------- */

/* By what both always have. */
static int by_place(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = a->tensor == b->tensor ? 0 : strcmp(a->tensor, b->tensor);
    if (order == 0)
        order = (a->layer > b->layer) - (a->layer < b->layer);
    if (order == 0)
        order = (a->batch > b->batch) - (a->batch < b->batch);
    if (order == 0)
        order = (a->head > b->head) - (a->head < b->head);
    return order;
}

static int by_place_and_order(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = by_place(a, b);
    return order != 0 ? order : (a->at > b->at) - (a->at < b->at);
}

/* What one of the two lacks tells nothing. */
static bool agree(const char *a, const char *b) {
    return a == b || *a == '\0' || *b == '\0';
}

/* How much of the source must agree. */
typedef enum strictness { WITHOUT_SOURCE, BY_FILE, BY_PATH } strictness;

static bool fits(const matcher *m, const entry *a, const entry *b, strictness level) {
    return (!m->scheme || agree(a->scheme, b->scheme)) &&
           (!m->content || agree(a->content, b->content)) &&
           (!m->seed || !a->has_seed || !b->has_seed || a->seed == b->seed) &&
           (level < BY_FILE || a->file == b->file) && (level < BY_PATH || a->source == b->source);
}

/* Rows of both sides in one place. */
typedef struct bucket {
    entry *side[2];
    size_t count[2];
} bucket;

/* The one row of the other side that fits and has no partner yet; NULL where there is none, or where
 * there are two, of which *second is one. */
static entry *only_fit(const matcher *m, const bucket *k, size_t side, const entry *e,
                       strictness level, entry **second) {
    entry *found = NULL;
    *second = NULL;
    for (size_t i = 0; i < k->count[1 - side]; i++) {
        entry *other = &k->side[1 - side][i];
        if (other->partner != NONE || !fits(m, e, other, level))
            continue;
        if (found != NULL) {
            *second = other;
            return found;
        }
        found = other;
    }
    return found;
}

static size_t match_level(const matcher *m, const bucket *k, strictness level) {
    size_t matched = 0;
    for (size_t i = 0; i < k->count[0]; i++) {
        entry *a = &k->side[0][i], *second;
        if (a->partner != NONE)
            continue;
        entry *b = only_fit(m, k, 0, a, level, &second);
        if (b == NULL || second != NULL || only_fit(m, k, 1, b, level, &second) != a ||
            second != NULL)
            continue;
        a->partner = b->at;
        b->partner = a->at;
        matched++;
    }
    return matched;
}

static void describe(const entry *e, char *text, size_t size) {
    char place[360], seed[40] = "";
    message_spot spot = {
        .tensor = e->tensor, .layer = e->layer, .batch = e->batch, .head = e->head};
    message_place(place, sizeof place, &spot);
    if (e->has_seed)
        snprintf(seed, sizeof seed, ", seed %llu", (unsigned long long)e->seed);
    snprintf(text, size, "%.200s: %s%s%.100s%s", e->source, place,
             *e->scheme == '\0' ? "" : " with ", e->scheme, seed);
}

/* What is left and fits is in doubt, unless sources told the rows of this place apart. */
static bool refuse_doubt(const matcher *m, const bucket *k, bool by_source, char *why) {
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < k->count[side]; i++) {
            entry *e = &k->side[side][i], *second;
            char of[DESCRIBED], one[DESCRIBED], two[DESCRIBED];
            if (e->partner != NONE)
                continue;
            entry *first = only_fit(m, k, side, e, by_source ? BY_FILE : WITHOUT_SOURCE, &second);
            if (second == NULL)
                continue;
            describe(e, of, sizeof of);
            describe(first, one, sizeof one);
            describe(second, two, sizeof two);
            snprintf(why, AGAINST_WHY,
                     "%.480s of %c fits two rows of %c, %.480s and %.480s: neither source nor "
                     "anything else tells which is meant",
                     of, side == 0 ? 'A' : 'B', side == 0 ? 'B' : 'A', one, two);
            return true;
        }
    return false;
}

static as_status match_all(const matcher *m, char *why) {
    size_t a = 0, b = 0;
    while (a < m->count[0] && b < m->count[1]) {
        entry *left = m->side[0] + a, *right = m->side[1] + b;
        int order = by_place(left, right);
        bucket k = {.side = {left, right}};
        while (order <= 0 && a < m->count[0] && by_place(left, m->side[0] + a) == 0)
            a++, k.count[0]++;
        while (order >= 0 && b < m->count[1] && by_place(right, m->side[1] + b) == 0)
            b++, k.count[1]++;
        if (order != 0)
            continue;
        match_level(m, &k, WITHOUT_SOURCE);
        size_t by_source = match_level(m, &k, BY_FILE);
        by_source += match_level(m, &k, BY_PATH);
        if (refuse_doubt(m, &k, by_source > 0, why))
            return AS_EMISMATCH;
    }
    return AS_OK;
}

static int by_order(const void *left, const void *right) {
    const entry *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

/* The entries as pairs and as rows of one side, in the order of the rows. */
static as_status deliver(const matcher *m, report_against *out) {
    out->pair = calloc(m->count[0] + 1, sizeof *out->pair);
    for (size_t side = 0; side < 2; side++) {
        out->only_in[side] = calloc(m->count[side] + 1, sizeof *out->only_in[side]);
        if (out->pair == NULL || out->only_in[side] == NULL)
            return AS_ENOMEM;
        qsort(m->side[side], m->count[side], sizeof *m->side[side], by_order);
        for (size_t i = 0; i < m->count[side]; i++) {
            const entry *e = &m->side[side][i];
            if (e->partner == NONE)
                out->only_in[side][out->only[side]++] = e->at;
            else if (side == 0)
                out->pair[out->pairs++] = (against_pair){.a = e->at, .b = e->partner};
        }
    }
    out->shown = out->pairs;
    return AS_OK;
}

as_status report_against_match(const report_rows *a, const report_rows *b, report_against *out,
                               char *why) {
    matcher m = {.texts = 0};
    report_against made = {.rows = {a, b}};
    as_status status = gather(&m, 0, a);
    if (status == AS_OK)
        status = gather(&m, 1, b);
    for (size_t side = 0; side < 2 && status == AS_OK; side++) {
        find_several(&m, side);
        qsort(m.side[side], m.count[side], sizeof *m.side[side], by_place_and_order);
    }
    if (status == AS_OK)
        status = match_all(&m, why);
    if (status == AS_OK)
        status = deliver(&m, &made);
    for (size_t i = 0; i < m.texts; i++)
        free(m.text[i]);
    free(m.text);
    free(m.side[0]);
    free(m.side[1]);
    if (status == AS_OK)
        *out = made;
    else
        report_against_free(&made);
    return status;
}

void report_against_free(report_against *against) {
    free(against->pair);
    free(against->only_in[0]);
    free(against->only_in[1]);
    *against = (report_against){.pairs = 0};
}
