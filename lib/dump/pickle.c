/* Python's pickles as plain data: about forty opcodes of protocols 2 to 5, one table.
 * It refuses every other opcode, and names every global that is not in the caller's table. */
#include "dump/pickle.h"
#include "base/fail.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    MAX_VALUES = 1 << 22, /* and items, entries of the stack, and keys of the memo */
    BLOCK_BYTES = 1 << 16,
    GLOBAL_ROOM = 256,
    HIGHEST_PROTOCOL = 5
};

typedef struct block {
    struct block *next;
    _Alignas(16) unsigned char bytes[BLOCK_BYTES];
} block;

struct as_pickle {
    block *blocks;
    size_t used; /* bytes of the first block */
    const as_pickle_value *root;
};

/* A growing array of values; NULL is a mark on the stack, a free key in the memo. */
typedef struct values {
    as_pickle_value **at;
    size_t count, room;
} values;

typedef struct machine {
    const unsigned char *bytes;
    size_t size, at, opcode; /* at: of the next byte; opcode: where the present one stands */
    const as_pickle_global *globals;
    as_pickle *pickle;
    size_t made; /* values and items */
    values stack, memo;
} machine;

static as_status wrong(const machine *m, const char *what) {
    return as_fail(AS_EREAD, "the pickle is wrong at byte %zu: %s", m->opcode, what);
}

static as_status no_memory(void) {
    return as_fail(AS_ENOMEM, "no memory for the values of a pickle");
}

/* Room for one value or item, NULL where there is none; the limit has been checked by ready(). */
static void *make(machine *m, size_t bytes) {
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

static as_status grow(const machine *m, values *v, size_t count) {
    if (count > MAX_VALUES) {
        return wrong(m, "it holds more values than are read (2^22)");
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

static as_status push(machine *m, as_pickle_value *value) {
    as_status status = grow(m, &m->stack, m->stack.count + 1);
    if (status == AS_OK) {
        m->stack.at[m->stack.count++] = value;
    }
    return status;
}

/* A new value on the stack; it is changed there by the caller. */
static as_status push_new(machine *m, as_pickle_value value) {
    if (m->made >= MAX_VALUES) {
        return wrong(m, "it holds more values than are read (2^22)");
    }
    as_pickle_value *made = make(m, sizeof *made);
    if (made == NULL) {
        return no_memory();
    }
    *made = value;
    return push(m, made);
}

/* The value `depth` below the top, NULL where there is none or a mark is in between. */
static as_pickle_value *peek(const machine *m, size_t depth) {
    for (size_t i = 0; i <= depth; i++) {
        if (i >= m->stack.count || m->stack.at[m->stack.count - 1 - i] == NULL) {
            return NULL;
        }
    }
    return m->stack.at[m->stack.count - 1 - depth];
}

static as_status stack_is_short(const machine *m) {
    return wrong(m, "the stack holds less than the opcode takes");
}

static as_status add_item(machine *m, as_pickle_value *to, const as_pickle_value *value) {
    if (m->made >= MAX_VALUES) {
        return wrong(m, "it holds more values than are read (2^22)");
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

/* Moves the top `count` values of the stack to the end of `to`. */
static as_status take_items(machine *m, as_pickle_value *to, size_t count) {
    as_status status = AS_OK;
    size_t first = m->stack.count - count;
    for (size_t i = 0; status == AS_OK && i < count; i++) {
        status = add_item(m, to, m->stack.at[first + i]);
    }
    m->stack.count = first;
    return status;
}

/* How many values lie above the topmost mark. */
static as_status above_mark(const machine *m, size_t *count) {
    for (size_t i = m->stack.count; i-- > 0;) {
        if (m->stack.at[i] == NULL) {
            *count = m->stack.count - 1 - i;
            return AS_OK;
        }
    }
    return wrong(m, "it has no mark to go back to");
}

/* The next `size` bytes, NULL where the pickle ends sooner. */
static const unsigned char *next(machine *m, size_t size) {
    if (size > m->size - m->at) {
        return NULL;
    }
    m->at += size;
    return m->bytes + m->at - size;
}

static as_status ends(const machine *m) {
    return wrong(m, "it ends inside an opcode");
}

/* A little-endian unsigned number of `size` ≤ 8 bytes. */
static as_status next_number(machine *m, size_t size, uint64_t *out) {
    const unsigned char *b = next(m, size);
    if (b == NULL) {
        return ends(m);
    }
    *out = 0;
    for (size_t i = size; i-- > 0;) {
        *out = *out << 8 | b[i];
    }
    return AS_OK;
}

static as_status do_protocol(machine *m) {
    uint64_t protocol;
    as_status status = next_number(m, 1, &protocol);
    return status == AS_OK && protocol > HIGHEST_PROTOCOL
               ? wrong(m, "its protocol is none that is known (2 to 5)")
               : status;
}

/* A frame says how much may be read at once; all of it is there already. */
static as_status do_frame(machine *m) {
    return next(m, 8) != NULL ? AS_OK : ends(m);
}

static as_status do_constant(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    as_pickle_kind kind = c == 'N' ? AS_PICKLE_NONE : AS_PICKLE_BOOL;
    return push_new(m, (as_pickle_value){.kind = kind, .of.number = c == 0x88});
}

static as_status do_int(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    uint64_t number;
    as_status status = next_number(m, c == 'J' ? 4 : c == 'M' ? 2 : 1, &number);
    if (status != AS_OK) {
        return status;
    }
    int64_t value = c == 'J' ? (int32_t)(uint32_t)number : (int64_t)number;
    return push_new(m, (as_pickle_value){.kind = AS_PICKLE_INT, .of.number = value});
}

/* Two's complement of any number of bytes. */
static as_status do_long(machine *m) {
    uint64_t size, number = 0;
    as_status status = next_number(m, 1, &size);
    if (status != AS_OK) {
        return status;
    }
    if (size > 8) {
        return wrong(m, "a whole number is beyond 64 bits");
    }
    status = next_number(m, (size_t)size, &number);
    if (status != AS_OK) {
        return status;
    }
    if (size > 0 && size < 8 && number >> (8 * size - 1) != 0) {
        number |= UINT64_MAX << 8 * size;
    }
    return push_new(m, (as_pickle_value){.kind = AS_PICKLE_INT, .of.number = (int64_t)number});
}

/* The one number of pickles that is big-endian. */
static as_status do_float(machine *m) {
    const unsigned char *b = next(m, 8);
    if (b == NULL) {
        return ends(m);
    }
    uint64_t bits = 0;
    for (size_t i = 0; i < 8; i++) {
        bits = bits << 8 | b[i];
    }
    as_pickle_value value = {.kind = AS_PICKLE_FLOAT};
    memcpy(&value.of.real, &bits, sizeof bits);
    return push_new(m, value);
}

static as_status do_text(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    uint64_t size;
    as_status status = next_number(m, c == 0x8c ? 1 : c == 'X' ? 4 : 8, &size);
    if (status != AS_OK) {
        return status;
    }
    if (size > m->size - m->at) {
        return ends(m);
    }
    const char *text = (const char *)next(m, (size_t)size);
    return push_new(m, (as_pickle_value){.kind = AS_PICKLE_TEXT, .count = size, .of.text = text});
}

static as_status do_empty(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    return push_new(m, (as_pickle_value){.kind = c == ')'   ? AS_PICKLE_TUPLE
                                                 : c == ']' ? AS_PICKLE_LIST
                                                            : AS_PICKLE_DICT});
}

static as_status do_mark(machine *m) {
    return push(m, NULL);
}

/* The items of a new tuple lie on the stack: its place is below them. */
static as_status do_tuple(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    size_t count = (size_t)(c - 0x84); /* 0x85 is TUPLE1, 0x86 TUPLE2, 0x87 TUPLE3 */
    as_status status = c == 't' ? above_mark(m, &count) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    if (c != 't' && peek(m, count - 1) == NULL) {
        return stack_is_short(m);
    }
    status = push_new(m, (as_pickle_value){.kind = AS_PICKLE_TUPLE});
    if (status != AS_OK) {
        return status;
    }
    as_pickle_value *tuple = m->stack.at[--m->stack.count];
    status = take_items(m, tuple, count);
    if (status != AS_OK) {
        return status;
    }
    m->stack.count -= c == 't'; /* the mark */
    return push(m, tuple);
}

/* APPEND, APPENDS, SETITEM, SETITEMS: what lies on top goes into the container below. */
static as_status do_fill(machine *m) {
    unsigned char c = m->bytes[m->opcode];
    bool list = c == 'a' || c == 'e', many = c == 'e' || c == 'u';
    size_t count = list ? 1 : 2;
    as_status status = many ? above_mark(m, &count) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    size_t above = many ? count + 1 : count;
    if (m->stack.count <= above || (!many && peek(m, count - 1) == NULL)) {
        return stack_is_short(m);
    }
    as_pickle_value *to = m->stack.at[m->stack.count - 1 - above];
    if (to == NULL || to->kind != (list ? AS_PICKLE_LIST : AS_PICKLE_DICT)) {
        return wrong(m, list ? "items are given to what is no list"
                             : "items are given to what is no dictionary");
    }
    if (!list && count % 2 != 0) {
        return wrong(m, "a dictionary has a key without a value");
    }
    status = take_items(m, to, count);
    m->stack.count -= many && status == AS_OK;
    return status;
}

static as_status put(machine *m, uint64_t key) {
    as_pickle_value *top = peek(m, 0);
    if (top == NULL) {
        return stack_is_short(m);
    }
    if (key >= MAX_VALUES) {
        return wrong(m, "a key of its memo is larger than any that is read (2^22)");
    }
    as_status status = grow(m, &m->memo, (size_t)key + 1);
    if (status != AS_OK) {
        return status;
    }
    while (m->memo.count <= key) {
        m->memo.at[m->memo.count++] = NULL;
    }
    m->memo.at[key] = top;
    return AS_OK;
}

static as_status do_put(machine *m) {
    uint64_t key;
    as_status status = next_number(m, m->bytes[m->opcode] == 'q' ? 1 : 4, &key);
    return status == AS_OK ? put(m, key) : status;
}

static as_status do_memoize(machine *m) {
    return put(m, m->memo.count);
}

static as_status do_get(machine *m) {
    uint64_t key;
    as_status status = next_number(m, m->bytes[m->opcode] == 'h' ? 1 : 4, &key);
    if (status != AS_OK) {
        return status;
    }
    if (key >= m->memo.count || m->memo.at[key] == NULL) {
        return wrong(m, "it takes from its memo what was never put there");
    }
    return push(m, m->memo.at[key]);
}

/* Names come from the file: what a terminal would obey is not passed on. */
static void add_name(char *name, size_t *used, const char *from, size_t length) {
    for (size_t i = 0; i < length && *used + 1 < GLOBAL_ROOM; i++) {
        name[(*used)++] = (char)(from[i] < ' ' || from[i] > '~' ? '?' : from[i]);
    }
    name[*used] = '\0';
}

static as_status push_global(machine *m, const as_pickle_value *module,
                             const as_pickle_value *word) {
    char name[GLOBAL_ROOM];
    size_t used = 0;
    add_name(name, &used, module->of.text, module->count);
    add_name(name, &used, ".", 1);
    add_name(name, &used, word->of.text, word->count);
    for (uint32_t i = 0; m->globals[i].name != NULL; i++) {
        if (strcmp(name, m->globals[i].name) == 0) {
            return push_new(m, (as_pickle_value){.kind = AS_PICKLE_GLOBAL, .global = i});
        }
    }
    return as_fail(AS_EREAD,
                   "the pickle names %s at byte %zu, which is neither a tensor nor plain data; "
                   "nothing of it is run: save a list or a dictionary of tensors instead",
                   name, m->opcode);
}

static as_status next_line(machine *m, as_pickle_value *out) {
    const unsigned char *from = m->bytes + m->at;
    const unsigned char *end = memchr(from, '\n', m->size - m->at);
    if (end == NULL) {
        return ends(m);
    }
    *out = (as_pickle_value){
        .kind = AS_PICKLE_TEXT, .count = (size_t)(end - from), .of.text = (const char *)from};
    m->at += out->count + 1;
    return AS_OK;
}

static as_status do_global(machine *m) {
    as_pickle_value module, word;
    as_status status = next_line(m, &module);
    if (status == AS_OK) {
        status = next_line(m, &word);
    }
    return status == AS_OK ? push_global(m, &module, &word) : status;
}

static as_status do_stack_global(machine *m) {
    const as_pickle_value *word = peek(m, 0), *module = peek(m, 1);
    if (module == NULL || module->kind != AS_PICKLE_TEXT || word->kind != AS_PICKLE_TEXT) {
        return wrong(m, "the name of a global is no text");
    }
    m->stack.count -= 2;
    return push_global(m, module, word);
}

static as_status do_reduce(machine *m) {
    const as_pickle_value *arguments = peek(m, 0), *callee = peek(m, 1);
    if (callee == NULL || callee->kind != AS_PICKLE_GLOBAL || arguments->kind != AS_PICKLE_TUPLE) {
        return wrong(m, "a call is none of a global with a tuple");
    }
    as_pickle_use use = m->globals[callee->global].use;
    as_pickle_value value = *arguments;
    value.kind = use == AS_PICKLE_MAKES_DICT ? AS_PICKLE_DICT : AS_PICKLE_CALL;
    value.global = callee->global;
    if (use == AS_PICKLE_KEPT || (use == AS_PICKLE_MAKES_DICT && arguments->count > 0)) {
        return as_fail(AS_EREAD, "the pickle calls %s at byte %zu in a way that plain data do not",
                       m->globals[callee->global].name, m->opcode);
    }
    m->stack.count -= 2;
    return push_new(m, value);
}

/* The attributes of a dictionary (a state_dict has its modules' versions there) are no data. */
static as_status do_build(machine *m) {
    const as_pickle_value *object = peek(m, 1);
    if (object == NULL || object->kind != AS_PICKLE_DICT) {
        return wrong(m, "attributes are given to what is no dictionary");
    }
    m->stack.count--;
    return AS_OK;
}

static as_status do_persistent(machine *m) {
    const as_pickle_value *id = peek(m, 0);
    if (id == NULL || id->kind != AS_PICKLE_TUPLE) {
        return wrong(m, "a persistent id is no tuple");
    }
    as_pickle_value value = *id;
    value.kind = AS_PICKLE_PERSISTENT;
    m->stack.count--;
    return push_new(m, value);
}

static as_status (*const operations[256])(machine *m) = {
    [0x80] = do_protocol, [0x95] = do_frame, ['N'] = do_constant,  [0x88] = do_constant,
    [0x89] = do_constant, ['K'] = do_int,    ['M'] = do_int,       ['J'] = do_int,
    [0x8a] = do_long,     ['G'] = do_float,  ['X'] = do_text,      [0x8c] = do_text,
    [0x8d] = do_text,     [')'] = do_empty,  [']'] = do_empty,     ['}'] = do_empty,
    ['('] = do_mark,      ['t'] = do_tuple,  [0x85] = do_tuple,    [0x86] = do_tuple,
    [0x87] = do_tuple,    ['a'] = do_fill,   ['e'] = do_fill,      ['s'] = do_fill,
    ['u'] = do_fill,      ['q'] = do_put,    ['r'] = do_put,       [0x94] = do_memoize,
    ['h'] = do_get,       ['j'] = do_get,    ['c'] = do_global,    [0x93] = do_stack_global,
    ['R'] = do_reduce,    ['b'] = do_build,  ['Q'] = do_persistent};

/* Every opcode takes a byte, so that the loop ends with the bytes. */
static as_status run(machine *m) {
    while (m->at < m->size) {
        m->opcode = m->at++;
        unsigned char c = m->bytes[m->opcode];
        if (c == '.') {
            m->pickle->root = peek(m, 0);
            return m->stack.count == 1 && m->pickle->root != NULL
                       ? AS_OK
                       : wrong(m, "it does not end with one value");
        }
        if (operations[c] == NULL) {
            return as_fail(AS_EREAD,
                           "the pickle has the opcode 0x%02x at byte %zu, which tensors "
                           "and plain data do not need",
                           c, m->opcode);
        }
        as_status status = operations[c](m);
        if (status != AS_OK) {
            return status;
        }
    }
    m->opcode = m->size;
    return wrong(m, "it ends without its last opcode");
}

as_status as_pickle_read(const unsigned char *bytes, size_t size, const as_pickle_global *globals,
                         as_pickle **out) {
    machine m = {.bytes = bytes, .size = size, .globals = globals};
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
