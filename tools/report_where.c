/* report_where: conditions on rows. Text is compared with a pattern, whole numbers with a list.
 * A number that does not exist fulfils no condition but =null; absent text is empty. */
#define _POSIX_C_SOURCE 200809L
#include "report_where.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attnspec/logits.h"

typedef enum comparison { EQUAL, UNEQUAL, LESS, AT_MOST, MORE, AT_LEAST } comparison;
static const char *const operators[] = {"=", "!=", "<", "<=", ">", ">="};
#define OPERATORS (sizeof operators / sizeof operators[0])

typedef struct condition {
    report_key key;
    comparison operation;
    bool null;         /* the value is the word null */
    char *text;        /* the value; of TEXT the pattern */
    as_index_set *set; /* of WHOLE with = and != */
    uint64_t whole;    /* of WHOLE with the others */
    double real;       /* of REAL */
} condition;

struct report_where {
    size_t count, room;
    condition *item; /* [room] */
};

void report_where_free(report_where *where) {
    if (where == NULL)
        return;
    for (size_t i = 0; i < where->count; i++) {
        as_index_set_free(where->item[i].set);
        free(where->item[i].text);
    }
    free(where->item);
    free(where);
}

/* ---- reading ---------------------------------------------------------------------------------- */

static as_status refuse_operator(const char *piece, const char *found, char *why) {
    /* What other languages write; by edit distance half of the list would be as near. */
    static const char *const foreign[][2] = {{"==", "="},  {"=<", "<="}, {"=>", ">="},
                                             {"<>", "!="}, {"=!", "!="}, {"!", "!="}};
    const char *close = NULL;
    for (size_t i = 0; i < sizeof foreign / sizeof foreign[0]; i++)
        if (strcmp(found, foreign[i][0]) == 0)
            close = foreign[i][1];
    snprintf(why, KEY_WHY,
             "--where '%.200s' has %s%.8s%s; the operators are =, !=, <, <=, > and >=%s%s%s", piece,
             *found == '\0' ? "no operator" : "the operator '", found,
             *found == '\0' ? "" : "', which is none", close == NULL ? "" : "; did you mean '",
             close == NULL ? "" : close, close == NULL ? "" : "'?");
    return AS_EINVAL;
}

static bool ordered(comparison operation) {
    return operation >= LESS;
}

static as_status read_whole(condition *c, const char *piece, char *why) {
    if (!ordered(c->operation)) {
        as_status status = *c->text == '\0' ? AS_EINVAL : as_index_set_parse(c->text, &c->set);
        if (status == AS_EINVAL)
            snprintf(why, KEY_WHY,
                     "--where '%.200s': %s is compared with whole numbers, such as 3 or 0,3-5,8-",
                     piece, c->key.name);
        return status;
    }
    char *end;
    errno = 0;
    c->whole = strtoull(c->text, &end, 10);
    if (c->text[0] >= '0' && c->text[0] <= '9' && *end == '\0' && errno == 0)
        return AS_OK;
    snprintf(why, KEY_WHY, "--where '%.200s': %s is compared with one whole number by %s", piece,
             c->key.name, operators[c->operation]);
    return AS_EINVAL;
}

static as_status read_value(condition *c, const char *piece, char *why) {
    if (c->key.kind == KEY_TEXT) {
        if (!ordered(c->operation))
            return AS_OK;
        snprintf(why, KEY_WHY, "--where '%.200s': %s is text, which is compared by = or !=", piece,
                 c->key.name);
        return AS_EINVAL;
    }
    c->null = strcmp(c->text, "null") == 0;
    if (c->null && !ordered(c->operation))
        return AS_OK;
    c->null = false;
    if (c->key.kind == KEY_WHOLE)
        return read_whole(c, piece, why);
    char *end;
    c->real = strtod(c->text, &end);
    if (*c->text != '\0' && *end == '\0' && isfinite(c->real))
        return AS_OK;
    snprintf(why, KEY_WHY, "--where '%.200s': %s is compared with a number%s", piece, c->key.name,
             ordered(c->operation) ? "" : ", or with null");
    return AS_EINVAL;
}

static as_status read_condition(const char *piece, condition *c, char *why) {
    char name[64], found[9];
    if (*piece == '\0') {
        snprintf(why, KEY_WHY, "--where has an empty condition");
        return AS_EINVAL;
    }
    size_t length = strcspn(piece, "=<>!"), signs = strspn(piece + length, "=<>!");
    snprintf(found, sizeof found, "%.*s", (int)(signs < 8 ? signs : 8), piece + length);
    snprintf(name, sizeof name, "%.*s", (int)(length < 63 ? length : 63), piece);
    if (signs > 0 && !report_key_find(name, &c->key, why)) {
        /* A scheme's parameters look like conditions. */
        size_t used = strlen(why);
        snprintf(why + used, KEY_WHY - used, " (? stands for a comma within a value)");
        return AS_EINVAL;
    }
    size_t at = 0;
    while (at < OPERATORS && strcmp(found, operators[at]) != 0)
        at++;
    if (at == OPERATORS)
        return refuse_operator(piece, found, why);
    c->operation = (comparison)at;
    c->text = strdup(piece + length + signs);
    return c->text == NULL ? AS_ENOMEM : read_value(c, piece, why);
}

/* Where the condition that begins here ends: at a comma, unless a list of whole numbers goes on. */
static size_t condition_length(const char *text) {
    size_t length = strcspn(text, ",");
    while (text[length] == ',' && text[length + 1] >= '0' && text[length + 1] <= '9') {
        size_t next = strcspn(text + length + 1, ",");
        if (strcspn(text + length + 1, "=<>!") < next)
            break;
        length += 1 + next;
    }
    return length;
}

static as_status add(report_where *where, const char *text, size_t length, char *why) {
    char *piece = strndup(text, length);
    condition made = {.text = NULL};
    as_status status = piece == NULL ? AS_ENOMEM : read_condition(piece, &made, why);
    free(piece);
    if (status != AS_OK) {
        as_index_set_free(made.set);
        free(made.text);
        return status;
    }
    where->item[where->count++] = made;
    return AS_OK;
}

as_status report_where_parse(const text_list *texts, report_where **out, char *why) {
    report_where *where = calloc(1, sizeof *where);
    if (where == NULL)
        return AS_ENOMEM;
    where->room = 1;
    for (size_t i = 0; i < texts->count; i++) {
        where->room++;
        for (const char *c = texts->item[i]; *c != '\0'; c++)
            where->room += *c == ',' ? 1 : 0;
    }
    where->item = calloc(where->room, sizeof *where->item);
    as_status status = where->item == NULL ? AS_ENOMEM : AS_OK;
    for (size_t i = 0; i < texts->count && status == AS_OK; i++)
        for (const char *at = texts->item[i]; status == AS_OK;) {
            size_t length = condition_length(at);
            status = add(where, at, length, why);
            if (at[length] == '\0')
                break;
            at += length + 1;
        }
    if (status != AS_OK) {
        report_where_free(where);
        return status;
    }
    *out = where;
    return AS_OK;
}

/* ---- asking ----------------------------------------------------------------------------------- */

static bool compare(comparison operation, int order) {
    switch (operation) {
    case EQUAL:
        return order == 0;
    case UNEQUAL:
        return order != 0;
    case LESS:
        return order < 0;
    case AT_MOST:
        return order <= 0;
    case MORE:
        return order > 0;
    case AT_LEAST:
        return order >= 0;
    }
    return false;
}

static bool holds(const condition *c, const as_row *row) {
    bool equal = c->operation == EQUAL;
    if (c->key.kind == KEY_TEXT)
        return (fnmatch(c->text, report_key_text(c->key, row), 0) == 0) == equal;
    if (c->key.kind == KEY_WHOLE) {
        uint64_t value;
        bool there = report_key_whole(c->key, row, &value);
        if (c->null)
            return there != equal;
        if (!there)
            return false;
        return c->set != NULL ? as_index_set_has(c->set, (size_t)value) == equal
                              : compare(c->operation, (value > c->whole) - (value < c->whole));
    }
    double value = report_key_real(c->key, row);
    if (c->null)
        return isnan(value) == equal;
    return !isnan(value) && compare(c->operation, (value > c->real) - (value < c->real));
}

bool report_where_holds(const report_where *where, const as_row *row) {
    for (size_t i = 0; where != NULL && i < where->count; i++)
        if (!holds(&where->item[i], row))
            return false;
    return true;
}
