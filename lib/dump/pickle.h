/* pickle: a machine for Python's pickles that makes plain values and nothing else. Private to lib/dump.
 * Nothing is imported and nothing is called: what a pickle calls is looked up in a table, and kept. */
#ifndef AS_DUMP_PICKLE_H
#define AS_DUMP_PICKLE_H

#include "attnspec/base.h"

/* The globals that a pickle may name. A table of them ends with a name of NULL. */
typedef enum as_pickle_use {
    AS_PICKLE_KEPT,      /* it may stand among values, and not be called */
    AS_PICKLE_CALLED,    /* a call of it becomes a value of kind CALL */
    AS_PICKLE_MAKES_DICT /* a call of it without arguments is a new dictionary */
} as_pickle_use;
typedef struct as_pickle_global {
    const char *name; /* "collections.OrderedDict" */
    as_pickle_use use;
} as_pickle_global;

typedef enum as_pickle_kind {
    AS_PICKLE_NONE,
    AS_PICKLE_BOOL,
    AS_PICKLE_INT,
    AS_PICKLE_FLOAT,
    AS_PICKLE_TEXT,
    AS_PICKLE_TUPLE,
    AS_PICKLE_LIST,
    AS_PICKLE_DICT,
    AS_PICKLE_GLOBAL,
    AS_PICKLE_CALL,
    AS_PICKLE_PERSISTENT /* an object outside the pickle; its items are those of its id, a tuple */
} as_pickle_kind;

typedef struct as_pickle_value as_pickle_value;
typedef struct as_pickle_item {
    const as_pickle_value *value;
    struct as_pickle_item *next;
} as_pickle_item;

struct as_pickle_value {
    as_pickle_kind kind;
    uint32_t global; /* of GLOBAL and CALL: the row of the table */
    size_t count;    /* bytes of TEXT; items of the others, a DICT has key, value, key, value … */
    union {
        int64_t number;   /* of INT and BOOL */
        double real;      /* of FLOAT */
        const char *text; /* of TEXT: inside the bytes that were read, without an end */
        struct {
            as_pickle_item *first, *last;
        } items;
    } of;
};

typedef struct as_pickle as_pickle;

/* Runs a pickle of protocol 2 … 5 to its end. The values may be shared and may hold themselves.
 *   bytes    borrowed for the life of the pickle
 *   globals  borrowed for the call
 *   out      owned by the caller, as_pickle_free(); written only on success
 * AS_EREAD with what is wrong and where: an opcode that plain data do not need, a global that is not
 * in the table (its name is in the message), a value where another kind must be, an early end, more
 * than 2^22 values or nested marks and values on the stack; AS_ENOMEM. O(size). */
as_status as_pickle_read(const unsigned char *bytes, size_t size, const as_pickle_global *globals,
                         as_pickle **out);
void as_pickle_free(as_pickle *pickle);

const as_pickle_value *as_pickle_root(const as_pickle *pickle);
/* Item number `index` of what has items, NULL past the last. O(index). */
const as_pickle_value *as_pickle_item_at(const as_pickle_value *value, size_t index);
/* Whether a value is this text. */
bool as_pickle_is_text(const as_pickle_value *value, const char *text);

#endif
