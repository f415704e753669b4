/* name_set: the different names of a column, and what of them is needed.
 * It refuses nothing: names that are too long get numbers. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "name_set.h"

#include <stdlib.h>
#include <string.h>

#include "text.h"

#define CUT ".."

void name_set_see(name_set *set, const char *name) {
    name = name == NULL ? "" : name;
    /* Rows of a source follow each other. */
    if (set->failed || (set->count > 0 && strcmp(set->name[set->count - 1], name) == 0))
        return;
    if (set->count == set->room) {
        size_t room = 2 * set->room + 16;
        char **grown = realloc(set->name, room * sizeof *grown);
        set->failed = grown == NULL;
        if (set->failed)
            return;
        set->name = grown;
        set->room = room;
    }
    set->name[set->count] = strdup(name);
    set->failed = set->name[set->count] == NULL;
    set->count += set->failed ? 0 : 1;
}

void name_set_free(name_set *set) {
    for (size_t i = 0; i < set->count; i++)
        free(set->name[i]);
    free(set->name);
    *set = (name_set){.count = 0};
}

static int by_text(const void *left, const void *right) {
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static size_t same_front(const char *a, const char *b) {
    size_t same = 0;
    while (a[same] != '\0' && a[same] == b[same])
        same++;
    return same;
}

static size_t same_end(const char *a, const char *b) {
    size_t same = 0, of_a = strlen(a), of_b = strlen(b);
    while (same < of_a && same < of_b && a[of_a - same - 1] == b[of_b - same - 1])
        same++;
    return same;
}

/* A slash is next to the beginning: both end a part. */
static int rank_before(const char *text, size_t at) {
    return at == 0 ? -1 : text[at - 1] == '/' ? 0 : (unsigned char)text[at - 1];
}

/* From the end, so that names of one end follow each other. */
static int by_end(const void *left, const void *right) {
    const char *a = *(const char *const *)left, *b = *(const char *const *)right;
    size_t same = same_end(a, b), of_a = strlen(a), of_b = strlen(b);
    return rank_before(a, of_a - same) - rank_before(b, of_b - same);
}

static void drop_equal(name_set *set) {
    size_t kept = 0;
    if (set->count > 0)
        qsort(set->name, set->count, sizeof *set->name, by_text);
    for (size_t i = 0; i < set->count; i++) {
        if (kept > 0 && strcmp(set->name[kept - 1], set->name[i]) == 0)
            free(set->name[i]);
        else
            set->name[kept++] = set->name[i];
    }
    set->count = kept;
}

/* "/attn.npy", ".npy", but not the ".5" of a number. */
static bool begins_word(const char *text) {
    return *text == '/' || (*text == '.' && (text[1] < '0' || text[1] > '9'));
}

/* What is the same in front and behind, whole words of it only, and the widths of the rest. */
static void measure(name_set *set) {
    const char *first = name_set_short(set, set->name[0]);
    size_t before = strlen(first), behind = before, least = before;
    for (size_t i = 0; i < set->count; i++) {
        const char *name = name_set_short(set, set->name[i]);
        size_t front = same_front(first, name), end = same_end(first, name), length = strlen(name);
        before = front < before ? front : before;
        behind = end < behind ? end : behind;
        least = length < least ? length : least;
    }
    while (before > 0 && first[before - 1] != '/')
        before--;
    behind = behind > least - before ? least - before : behind;
    while (behind > 0 && !begins_word(first + strlen(first) - behind))
        behind--;
    /* Something of each name stays. */
    bool whole = set->count < 2 || before + behind >= least;
    set->before = whole ? 0 : before;
    set->behind = whole ? 0 : behind;
    for (size_t i = 0; i < set->count; i++) {
        const char *name = name_set_short(set, set->name[i]);
        size_t width = text_width(name);
        size_t rest = width - (width - text_width(name + set->before)) -
                      text_width(name + strlen(name) - set->behind);
        set->widest = width > set->widest ? width : set->widest;
        set->differ = rest > set->differ ? rest : set->differ;
    }
}

bool name_set_settle(name_set *set) {
    if (set->failed)
        return false;
    drop_equal(set);
    if (set->count == 0)
        return true;
    /* Sorted by their ends, neighbours share most. */
    qsort(set->name, set->count, sizeof *set->name, by_end);
    set->parts = 1;
    size_t end = 0;
    for (size_t i = 1; i < set->count; i++) {
        const char *a = set->name[i - 1], *b = set->name[i];
        while (set->paths && strcmp(path_tail(a, set->parts), path_tail(b, set->parts)) == 0)
            set->parts++;
        size_t same = same_end(a, b), width = text_width(a + strlen(a) - same);
        end = width > end ? width : end;
    }
    qsort(set->name, set->count, sizeof *set->name, by_text);
    measure(set);
    const char *first = name_set_short(set, set->name[0]);
    size_t behind = text_width(first + strlen(first) - set->behind);
    set->end = end + 1 > behind ? end + 1 - behind : 1;
    return true;
}

const char *name_set_short(const name_set *set, const char *name) {
    name = name == NULL ? "" : name;
    return set->paths ? path_tail(name, set->parts > 0 ? set->parts : 1) : name;
}

typedef enum fitting { WHOLE, DIFFERING, END, NUMBER } fitting;

static fitting fitting_of(const name_set *set, size_t width) {
    return set->widest <= width              ? WHOLE
           : set->differ <= width            ? DIFFERING
           : set->end + strlen(CUT) <= width ? END
                                             : NUMBER;
}

const char *name_set_fit(const name_set *set, const char *name, size_t width, char *text,
                         size_t size) {
    const char *tail = name_set_short(set, name);
    fitting how = fitting_of(set, width);
    size_t length = strlen(tail);
    if (how == NUMBER) {
        const char *key = name == NULL ? "" : name;
        char **found = bsearch(&key, set->name, set->count, sizeof *set->name, by_text);
        snprintf(text, size, "[%zu]", found == NULL ? 0 : (size_t)(found - set->name) + 1);
        return text;
    }
    if (how == WHOLE || length <= set->before + set->behind)
        return text_clean(text, size, tail);
    char *middle = strndup(tail + set->before, length - set->before - set->behind);
    const char *from = middle == NULL ? "" : middle;
    size_t have = text_width(from);
    if (have > width) {
        size_t left = have - (width - strlen(CUT));
        while (left > 0 || ((unsigned char)*from & 0xC0) == 0x80)
            left -= ((unsigned char)*from++ & 0xC0) != 0x80 ? 1 : 0;
        snprintf(text, size, "%s", CUT);
        text_clean(text + strlen(CUT), size - strlen(CUT), from);
    } else {
        text_clean(text, size, from);
    }
    free(middle);
    return text;
}

void name_set_legend(const name_set *set, size_t width, FILE *out) {
    char text[4096 + 32], clean[4096];
    if (set->count < 2 || fitting_of(set, width) != NUMBER)
        return;
    for (size_t i = 0; i < set->count; i++) {
        snprintf(text, sizeof text, "[%zu] %s", i + 1,
                 text_clean(clean, sizeof clean, name_set_short(set, set->name[i])));
        fputs("  ", out);
        text_wrap(out, text, 2, 4);
    }
}
