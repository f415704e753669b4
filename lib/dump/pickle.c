/* Python's pickles as plain data: the values, the stack and the loop; opcodes are in pickle_opcode.c.
 * It refuses every opcode that is not in the table there, and more than 2^22 values. */
#include "base/fail.h"
#include "dump/pickle_machine.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK_BYTES = 1 << 16 };

typedef struct block {
    struct block *next;
    _Alignas(16) unsigned char bytes[BLOCK_BYTES];
} block;

struct as_pickle {
    block *blocks;
    size_t used; /* bytes of the first block */
    const as_pickle_value *root;
};

as_status as_pickle_wrong(const as_pickle_machine *m, const char *what) {
    return as_fail(AS_EREAD, "the pickle is wrong at byte %zu: %s", m->opcode, what);
}

static as_status no_memory(void) {
    return as_fail(AS_ENOMEM, "no memory for the values of a pickle");
}

/* Room for one value or item, NULL where there is none; the callers check the limit. */
static void *make(as_pickle_machine *m, size_t bytes) {
    as_pickle *p = m->pickle;
    if (p->blocks == NULL || BLOCK_BYTES - p->used < bytes) {
        block *b = malloc(sizeof *b);
        if (b == NULL) {
            return NULL;
        }
        b->next = p->blocks;
        p->blocks = b;
        p->used = 0;
    }
    void *made = p->blocks->bytes + p->used;
    p->used += bytes;
    m->made++;
    return made;
}

as_status as_pickle_grow(const as_pickle_machine *m, as_pickle_values *v, size_t count) {
    if (count > AS_PICKLE_MAX) {
        return as_pickle_wrong(m, "it holds more values than are read (2^22)");
    }
    size_t room = v->room > 0 ? v->room : 64;
    while (room < count) {
        room *= 2;
    }
    if (room > v->room) {
        as_pickle_value **at = realloc(v->at, room * sizeof *at);
        if (at == NULL) {
            return no_memory();
        }
        v->at = at;
        v->room = room;
    }
    return AS_OK;
}

as_status as_pickle_push(as_pickle_machine *m, as_pickle_value *value) {
    as_status status = as_pickle_grow(m, &m->stack, m->stack.count + 1);
    if (status == AS_OK) {
        m->stack.at[m->stack.count++] = value;
    }
    return status;
}

as_status as_pickle_push_new(as_pickle_machine *m, as_pickle_value value) {
    if (m->made >= AS_PICKLE_MAX) {
        return as_pickle_wrong(m, "it holds more values than are read (2^22)");
    }
    as_pickle_value *made = make(m, sizeof *made);
    if (made == NULL) {
        return no_memory();
    }
    *made = value;
    return as_pickle_push(m, made);
}

as_pickle_value *as_pickle_peek(const as_pickle_machine *m, size_t depth) {
    for (size_t i = 0; i <= depth; i++) {
        if (i >= m->stack.count || m->stack.at[m->stack.count - 1 - i] == NULL) {
            return NULL;
        }
    }
    return m->stack.at[m->stack.count - 1 - depth];
}

static as_status add_item(as_pickle_machine *m, as_pickle_value *to, const as_pickle_value *value) {
    if (m->made >= AS_PICKLE_MAX) {
        return as_pickle_wrong(m, "it holds more values than are read (2^22)");
    }
    as_pickle_item *item = make(m, sizeof *item);
    if (item == NULL) {
        return no_memory();
    }
    *item = (as_pickle_item){.value = value};
    if (to->count++ == 0) {
        to->of.items.first = item;
    } else {
        to->of.items.last->next = item;
    }
    to->of.items.last = item;
    return AS_OK;
}

as_status as_pickle_take_items(as_pickle_machine *m, as_pickle_value *to, size_t count) {
    as_status status = AS_OK;
    size_t first = m->stack.count - count;
    for (size_t i = 0; status == AS_OK && i < count; i++) {
        status = add_item(m, to, m->stack.at[first + i]);
    }
    m->stack.count = first;
    return status;
}

/* Every opcode takes a byte, so that the loop ends with the bytes. */
static as_status run(as_pickle_machine *m) {
    while (m->at < m->size) {
        m->opcode = m->at++;
        unsigned char c = m->bytes[m->opcode];
        if (c == '.') {
            m->pickle->root = as_pickle_peek(m, 0);
            return m->stack.count == 1 && m->pickle->root != NULL
                       ? AS_OK
                       : as_pickle_wrong(m, "it does not end with one value");
        }
        if (as_pickle_operations[c] == NULL) {
            return as_fail(AS_EREAD,
                           "the pickle has the opcode 0x%02x at byte %zu, which tensors "
                           "and plain data do not need",
                           c, m->opcode);
        }
        as_status status = as_pickle_operations[c](m);
        if (status != AS_OK) {
            return status;
        }
    }
    m->opcode = m->size;
    return as_pickle_wrong(m, "it ends without its last opcode");
}

as_status as_pickle_read(const unsigned char *bytes, size_t size, const as_pickle_global *globals,
                         as_pickle **out) {
    as_pickle_machine m = {.bytes = bytes, .size = size, .globals = globals};
    m.pickle = calloc(1, sizeof *m.pickle);
    if (m.pickle == NULL) {
        return no_memory();
    }
    as_status status = run(&m);
    free(m.stack.at);
    free(m.memo.at);
    if (status != AS_OK) {
        as_pickle_free(m.pickle);
        return status;
    }
    *out = m.pickle;
    return AS_OK;
}

void as_pickle_free(as_pickle *pickle) {
    while (pickle != NULL && pickle->blocks != NULL) {
        block *b = pickle->blocks;
        pickle->blocks = b->next;
        free(b);
    }
    free(pickle);
}

const as_pickle_value *as_pickle_root(const as_pickle *pickle) {
    return pickle->root;
}

const as_pickle_value *as_pickle_item_at(const as_pickle_value *value, size_t index) {
    if (value->kind < AS_PICKLE_TUPLE || value->kind == AS_PICKLE_GLOBAL || index >= value->count) {
        return NULL;
    }
    const as_pickle_item *item = value->of.items.first;
    for (; index > 0; index--) {
        item = item->next;
    }
    return item->value;
}

bool as_pickle_is_text(const as_pickle_value *value, const char *text) {
    return value->kind == AS_PICKLE_TEXT && value->count == strlen(text) &&
           memcmp(value->of.text, text, value->count) == 0;
}
