/* report_against: which row of one result is which of another.
 * It refuses to match a row that two others fit, and names them. */
#define _POSIX_C_SOURCE 200809L
#include "report_against.h"

#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "text.h"

#define NONE      SIZE_MAX
#define DESCRIBED 800

/* What a row is known by; what counts in none or but one of its kinds is "". */
typedef struct entry {
    size_t at; /* among the rows */
    uint64_t layer, batch, head, seed;
    bool has_seed, by_seed;
    const char *tensor, *source, *scheme, *content;
    const char *by_scheme, *by_content;
    const char *tail; /* the end of source that counts now */
    size_t partner;   /* NONE, or the place of its match */
} entry;

typedef struct matcher {
    size_t texts, room;
    char **text; /* [texts], owned */
    size_t count[2];
    entry *side[2];             /* [count], owned */
    bool scheme, content, seed; /* whether they tell rows apart */
} matcher;

/* ---- gathering -------------------------------------------------------------------------------- */

/* A copy, or that of the row before where it is the same. "" is a text too; NULL where there is no
 * memory. */
static const char *keep(matcher *m, const char *text, const char *before) {
    if (text == NULL)
        text = "";
    if (before != NULL && strcmp(before, text) == 0)
        return before;
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

static bool know(matcher *m, const as_row *row, size_t at, const entry *before, entry *out) {
    static const entry none = {.at = 0};
    before = before == NULL ? &none : before;
    *out = (entry){
        .at = at,
        .layer = row->layer,
        .batch = row->batch,
        .head = row->head,
        .seed = row->seed,
        .has_seed = row->has_seed,
        .tensor = keep(m, row->tensor, before->tensor),
        .source = keep(m, row->source, before->source),
        .scheme = keep(m, row->scheme, before->scheme),
        .content = keep(m, row->content, before->content),
        .partner = NONE,
    };
    return out->tensor != NULL && out->source != NULL && out->scheme != NULL &&
           out->content != NULL;
}

static as_status gather(matcher *m, size_t side, const report_rows *rows) {
    entry *made = m->side[side] = calloc(rows->count + 1, sizeof *made);
    if (made == NULL)
        return AS_ENOMEM;
    for (size_t i = 0; i < rows->count; i++) {
        as_row row;
        as_status status = report_row(rows, i, &row);
        if (status != AS_OK)
            return status;
        if (!row_has_place(&row))
            continue;
        size_t n = m->count[side];
        if (!know(m, &row, i, n > 0 ? &made[n - 1] : NULL, &made[n]))
            return AS_ENOMEM;
        m->count[side]++;
    }
    return AS_OK;
}

/* Whether the rows of a side have more than one scheme, content or seed. */
static void find_several(matcher *m, size_t side) {
    const char *scheme = "", *content = "";
    const entry *seed = NULL;
    for (size_t i = 0; i < m->count[side]; i++) {
        const entry *e = &m->side[side][i];
        scheme = *scheme == '\0' ? e->scheme : scheme;
        content = *content == '\0' ? e->content : content;
        seed = seed == NULL && e->has_seed ? e : seed;
        m->scheme = m->scheme || (*e->scheme != '\0' && strcmp(e->scheme, scheme) != 0);
        m->content = m->content || (*e->content != '\0' && strcmp(e->content, content) != 0);
        m->seed = m->seed || (e->has_seed && e->seed != seed->seed);
    }
}

static void take_what_counts(const matcher *m, size_t side) {
    for (size_t i = 0; i < m->count[side]; i++) {
        entry *e = &m->side[side][i];
        e->by_scheme = m->scheme ? e->scheme : "";
        e->by_content = m->content ? e->content : "";
        e->by_seed = m->seed && e->has_seed;
    }
}

/* ---- order ------------------------------------------------------------------------------------ */

static int compare_texts(const char *a, const char *b) {
    return a == b ? 0 : strcmp(a, b);
}

/* By what both always have. */
static int by_place(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = compare_texts(a->tensor, b->tensor);
    if (order == 0)
        order = (a->layer > b->layer) - (a->layer < b->layer);
    if (order == 0)
        order = (a->batch > b->batch) - (a->batch < b->batch);
    if (order == 0)
        order = (a->head > b->head) - (a->head < b->head);
    return order;
}

static int by_order(const void *left, const void *right) {
    const entry *a = left, *b = right;
    return (a->at > b->at) - (a->at < b->at);
}

static int by_place_and_order(const void *left, const void *right) {
    int order = by_place(left, right);
    return order != 0 ? order : by_order(left, right);
}

static int by_tail(const void *left, const void *right) {
    const entry *a = left, *b = right;
    return compare_texts(a->tail, b->tail);
}

static int by_tail_and_kind(const void *left, const void *right) {
    const entry *a = left, *b = right;
    int order = by_tail(a, b);
    if (order == 0)
        order = compare_texts(a->by_scheme, b->by_scheme);
    if (order == 0)
        order = compare_texts(a->by_content, b->by_content);
    if (order == 0)
        order = a->by_seed - b->by_seed;
    if (order == 0 && a->by_seed)
        order = (a->seed > b->seed) - (a->seed < b->seed);
    return order;
}

static int by_all(const void *left, const void *right) {
    int order = by_tail_and_kind(left, right);
    return order != 0 ? order : by_order(left, right);
}

/* ---- matching --------------------------------------------------------------------------------- */

/* Rows of both sides in one place, without a partner. */
typedef struct bucket {
    entry *side[2];
    size_t count[2];
    bool whole;   /* no row lacks what counts: those that fit are equal */
    size_t parts; /* the most parts of a source */
} bucket;

/* What one of the two lacks tells nothing. */
static bool agree(const char *a, const char *b) {
    return *a == '\0' || *b == '\0' || compare_texts(a, b) == 0;
}

static bool fits(const entry *a, const entry *b) {
    return agree(a->by_scheme, b->by_scheme) && agree(a->by_content, b->by_content) &&
           (!a->by_seed || !b->by_seed || a->seed == b->seed);
}

/* The one row of the other side that fits and has no partner yet; NULL where there is none, or where
 * there are two, of which *second is one. */
static entry *only_fit(const bucket *k, size_t side, const entry *e, entry **second) {
    entry *found = NULL;
    *second = NULL;
    for (size_t i = 0; i < k->count[1 - side]; i++) {
        entry *other = &k->side[1 - side][i];
        if (other->partner != NONE || !fits(e, other))
            continue;
        if (found != NULL) {
            *second = other;
            return found;
        }
        found = other;
    }
    return found;
}

/* What is done with rows of one tail: true ends the walk over them. */
typedef bool visitor(const bucket *k, void *to);

static bool match_group(const bucket *k, void *to) {
    size_t *matched = to;
    for (size_t i = 0; i < k->count[0]; i++) {
        entry *a = &k->side[0][i], *second;
        entry *b = only_fit(k, 0, a, &second);
        if (b == NULL || second != NULL || only_fit(k, 1, b, &second) != a || second != NULL)
            continue;
        a->partner = b->at;
        b->partner = a->at;
        ++*matched;
    }
    return false;
}

/* Sorts a bucket by the last `parts` parts of the sources, and visits the groups that both sides have. */
static bool walk(const bucket *k, size_t parts, visitor *visit, void *to) {
    int (*compare)(const void *, const void *) = k->whole ? by_tail_and_kind : by_tail;
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < k->count[side]; i++)
            k->side[side][i].tail = path_tail(k->side[side][i].source, parts);
        qsort(k->side[side], k->count[side], sizeof *k->side[side], by_all);
    }
    for (size_t a = 0, b = 0; a < k->count[0] && b < k->count[1];) {
        entry *left = k->side[0] + a, *right = k->side[1] + b;
        int order = compare(left, right);
        bucket group = {.side = {left, right}};
        while (order <= 0 && a < k->count[0] && compare(left, k->side[0] + a) == 0)
            a++, group.count[0]++;
        while (order >= 0 && b < k->count[1] && compare(right, k->side[1] + b) == 0)
            b++, group.count[1]++;
        if (order == 0 && visit(&group, to))
            return true;
    }
    return false;
}

/* Puts those that have found a partner behind the others, which stay in the bucket. */
static void leave_matched(bucket *k) {
    for (size_t side = 0; side < 2; side++) {
        size_t kept = 0;
        for (size_t i = 0; i < k->count[side]; i++) {
            entry e = k->side[side][i];
            if (e.partner != NONE)
                continue;
            k->side[side][i] = k->side[side][kept];
            k->side[side][kept++] = e;
        }
        k->count[side] = kept;
    }
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

/* What is left of a group and fits two is in doubt: said in to[AGAINST_WHY]. */
static bool doubt_group(const bucket *k, void *to) {
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < k->count[side]; i++) {
            entry *e = &k->side[side][i], *second;
            char of[DESCRIBED], one[DESCRIBED], two[DESCRIBED];
            entry *first = only_fit(k, side, e, &second);
            if (second == NULL)
                continue;
            describe(e, of, sizeof of);
            describe(first, one, sizeof one);
            describe(second, two, sizeof two);
            snprintf(to, AGAINST_WHY,
                     "%.480s of %c fits two rows of %c, %.480s and %.480s: neither source nor "
                     "anything else tells which is meant",
                     of, side == 0 ? 'A' : 'B', side == 0 ? 'B' : 'A', one, two);
            return true;
        }
    return false;
}

/* Without the sources first, then by as many of their last parts as are needed: roots differ. What
 * is left is in doubt by no more parts than told the other rows of this place apart. */
static as_status match_bucket(const matcher *m, bucket *k, char *why) {
    size_t told = 0;
    k->whole = true;
    for (size_t side = 0; side < 2; side++)
        for (size_t i = 0; i < k->count[side]; i++) {
            const entry *e = &k->side[side][i];
            size_t parts = path_parts(e->source);
            k->parts = parts > k->parts ? parts : k->parts;
            k->whole = k->whole && (!m->scheme || *e->scheme != '\0') &&
                       (!m->content || *e->content != '\0') && (!m->seed || e->has_seed);
        }
    for (size_t parts = 0; parts <= k->parts && k->count[0] > 0 && k->count[1] > 0; parts++) {
        size_t matched = 0;
        walk(k, parts, match_group, &matched);
        leave_matched(k);
        told = matched > 0 ? parts : told;
    }
    return walk(k, told, doubt_group, why) ? AS_EMISMATCH : AS_OK;
}

static as_status match_all(const matcher *m, char *why) {
    size_t a = 0, b = 0;
    as_status status = AS_OK;
    while (a < m->count[0] && b < m->count[1] && status == AS_OK) {
        entry *left = m->side[0] + a, *right = m->side[1] + b;
        int order = by_place(left, right);
        bucket k = {.side = {left, right}};
        while (order <= 0 && a < m->count[0] && by_place(left, m->side[0] + a) == 0)
            a++, k.count[0]++;
        while (order >= 0 && b < m->count[1] && by_place(right, m->side[1] + b) == 0)
            b++, k.count[1]++;
        if (order == 0)
            status = match_bucket(m, &k, why);
    }
    return status;
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
    for (size_t side = 0; side < 2 && status == AS_OK; side++)
        find_several(&m, side);
    for (size_t side = 0; side < 2 && status == AS_OK; side++) {
        take_what_counts(&m, side);
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
