/* The opcodes of pickles that hold plain data: about forty of protocols 2 to 5, one table.
 * It refuses what does not fit the stack, and names every global that is not in the caller's table. */
#include "base/fail.h"
#include "dump/pickle_machine.h"

#include <string.h>

enum { GLOBAL_ROOM = 256, HIGHEST_PROTOCOL = 5 };

static as_status stack_is_short(const as_pickle_machine *m) {
    return as_pickle_wrong(m, "the stack holds less than the opcode takes");
}

/* How many values lie above the topmost mark. */
static as_status above_mark(const as_pickle_machine *m, size_t *count) {
    for (size_t i = m->stack.count; i-- > 0;) {
        if (m->stack.at[i] == NULL) {
            *count = m->stack.count - 1 - i;
            return AS_OK;
        }
    }
    return as_pickle_wrong(m, "it has no mark to go back to");
}

/* The next `size` bytes, NULL where the pickle ends sooner. */
static const unsigned char *next(as_pickle_machine *m, size_t size) {
    if (size > m->size - m->at) {
        return NULL;
    }
    m->at += size;
    return m->bytes + m->at - size;
}

static as_status ends(const as_pickle_machine *m) {
    return as_pickle_wrong(m, "it ends inside an opcode");
}

/* A little-endian unsigned number of `size` ≤ 8 bytes. */
static as_status next_number(as_pickle_machine *m, size_t size, uint64_t *out) {
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

static as_status do_protocol(as_pickle_machine *m) {
    uint64_t protocol = 0;
    as_status status = next_number(m, 1, &protocol);
    return status == AS_OK && protocol > HIGHEST_PROTOCOL
               ? as_pickle_wrong(m, "its protocol is none that is known (2 to 5)")
               : status;
}

/* A frame says how much may be read at once; all of it is there already. */
static as_status do_frame(as_pickle_machine *m) {
    return next(m, 8) != NULL ? AS_OK : ends(m);
}

static as_status do_constant(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    as_pickle_kind kind = c == 'N' ? AS_PICKLE_NONE : AS_PICKLE_BOOL;
    return as_pickle_push_new(m, (as_pickle_value){.kind = kind, .of.number = c == 0x88});
}

static as_status do_int(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    uint64_t number = 0;
    as_status status = next_number(m, c == 'J' ? 4 : c == 'M' ? 2 : 1, &number);
    if (status != AS_OK) {
        return status;
    }
    int64_t value = c == 'J' ? (int32_t)(uint32_t)number : (int64_t)number;
    return as_pickle_push_new(m, (as_pickle_value){.kind = AS_PICKLE_INT, .of.number = value});
}

/* Two's complement of any number of bytes. */
static as_status do_long(as_pickle_machine *m) {
    uint64_t size = 0, number = 0;
    as_status status = next_number(m, 1, &size);
    if (status != AS_OK) {
        return status;
    }
    if (size > 8) {
        return as_pickle_wrong(m, "a whole number is beyond 64 bits");
    }
    status = next_number(m, (size_t)size, &number);
    if (status != AS_OK) {
        return status;
    }
    if (size > 0 && size < 8 && number >> (8 * size - 1) != 0) {
        number |= UINT64_MAX << 8 * size;
    }
    return as_pickle_push_new(
        m, (as_pickle_value){.kind = AS_PICKLE_INT, .of.number = (int64_t)number});
}

/* The one number of pickles that is big-endian. */
static as_status do_float(as_pickle_machine *m) {
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
    return as_pickle_push_new(m, value);
}

static as_status do_text(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    uint64_t size = 0;
    as_status status = next_number(m, c == 0x8c ? 1 : c == 'X' ? 4 : 8, &size);
    if (status != AS_OK) {
        return status;
    }
    if (size > m->size - m->at) {
        return ends(m);
    }
    const char *text = (const char *)next(m, (size_t)size);
    return as_pickle_push_new(
        m, (as_pickle_value){.kind = AS_PICKLE_TEXT, .count = size, .of.text = text});
}

static as_status do_empty(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    return as_pickle_push_new(m, (as_pickle_value){.kind = c == ')'   ? AS_PICKLE_TUPLE
                                                           : c == ']' ? AS_PICKLE_LIST
                                                                      : AS_PICKLE_DICT});
}

static as_status do_mark(as_pickle_machine *m) {
    return as_pickle_push(m, NULL);
}

/* The items of a new tuple lie on the stack: its place is below them. */
static as_status do_tuple(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    size_t count = (size_t)(c - 0x84); /* 0x85 is TUPLE1, 0x86 TUPLE2, 0x87 TUPLE3 */
    as_status status = c == 't' ? above_mark(m, &count) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    if (c != 't' && as_pickle_peek(m, count - 1) == NULL) {
        return stack_is_short(m);
    }
    status = as_pickle_push_new(m, (as_pickle_value){.kind = AS_PICKLE_TUPLE});
    if (status != AS_OK) {
        return status;
    }
    as_pickle_value *tuple = m->stack.at[--m->stack.count];
    status = as_pickle_take_items(m, tuple, count);
    if (status != AS_OK) {
        return status;
    }
    m->stack.count -= c == 't'; /* the mark */
    return as_pickle_push(m, tuple);
}

/* APPEND, APPENDS, SETITEM, SETITEMS: what lies on top goes into the container below. */
static as_status do_fill(as_pickle_machine *m) {
    unsigned char c = m->bytes[m->opcode];
    bool list = c == 'a' || c == 'e', many = c == 'e' || c == 'u';
    size_t count = list ? 1 : 2;
    as_status status = many ? above_mark(m, &count) : AS_OK;
    if (status != AS_OK) {
        return status;
    }
    size_t above = many ? count + 1 : count;
    if (m->stack.count <= above || (!many && as_pickle_peek(m, count - 1) == NULL)) {
        return stack_is_short(m);
    }
    as_pickle_value *to = m->stack.at[m->stack.count - 1 - above];
    if (to == NULL || to->kind != (list ? AS_PICKLE_LIST : AS_PICKLE_DICT)) {
        return as_pickle_wrong(m, list ? "items are given to what is no list"
                                       : "items are given to what is no dictionary");
    }
    if (!list && count % 2 != 0) {
        return as_pickle_wrong(m, "a dictionary has a key without a value");
    }
    status = as_pickle_take_items(m, to, count);
    m->stack.count -= many && status == AS_OK;
    return status;
}

static as_status put(as_pickle_machine *m, uint64_t key) {
    as_pickle_value *top = as_pickle_peek(m, 0);
    if (top == NULL) {
        return stack_is_short(m);
    }
    if (key >= AS_PICKLE_MAX) {
        return as_pickle_wrong(m, "a key of its memo is larger than any that is read (2^22)");
    }
    as_status status = as_pickle_grow(m, &m->memo, (size_t)key + 1);
    if (status != AS_OK) {
        return status;
    }
    while (m->memo.count <= key) {
        m->memo.at[m->memo.count++] = NULL;
    }
    m->memo.at[key] = top;
    return AS_OK;
}

static as_status do_put(as_pickle_machine *m) {
    uint64_t key = 0;
    as_status status = next_number(m, m->bytes[m->opcode] == 'q' ? 1 : 4, &key);
    return status == AS_OK ? put(m, key) : status;
}

static as_status do_memoize(as_pickle_machine *m) {
    return put(m, m->memo.count);
}

static as_status do_get(as_pickle_machine *m) {
    uint64_t key = 0;
    as_status status = next_number(m, m->bytes[m->opcode] == 'h' ? 1 : 4, &key);
    if (status != AS_OK) {
        return status;
    }
    if (key >= m->memo.count || m->memo.at[key] == NULL) {
        return as_pickle_wrong(m, "it takes from its memo what was never put there");
    }
    return as_pickle_push(m, m->memo.at[key]);
}

/* Names come from the file: what a terminal would obey is not passed on. */
static void add_name(char *name, size_t *used, const char *from, size_t length) {
    for (size_t i = 0; i < length && *used + 1 < GLOBAL_ROOM; i++) {
        name[(*used)++] = (char)(from[i] < ' ' || from[i] > '~' ? '?' : from[i]);
    }
    name[*used] = '\0';
}

static as_status push_global(as_pickle_machine *m, const as_pickle_value *module,
                             const as_pickle_value *word) {
    char name[GLOBAL_ROOM];
    size_t used = 0;
    add_name(name, &used, module->of.text, module->count);
    add_name(name, &used, ".", 1);
    add_name(name, &used, word->of.text, word->count);
    for (uint32_t i = 0; m->globals[i].name != NULL; i++) {
        if (strcmp(name, m->globals[i].name) == 0) {
            return as_pickle_push_new(m, (as_pickle_value){.kind = AS_PICKLE_GLOBAL, .global = i});
        }
    }
    return as_fail(AS_EREAD,
                   "the pickle names %s at byte %zu, which is neither a tensor nor plain data; "
                   "nothing of it is run: save a list or a dictionary of tensors instead",
                   name, m->opcode);
}

static as_status next_line(as_pickle_machine *m, as_pickle_value *out) {
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

static as_status do_global(as_pickle_machine *m) {
    as_pickle_value module = {0}, word = {0};
    as_status status = next_line(m, &module);
    if (status == AS_OK) {
        status = next_line(m, &word);
    }
    return status == AS_OK ? push_global(m, &module, &word) : status;
}

static as_status do_stack_global(as_pickle_machine *m) {
    const as_pickle_value *word = as_pickle_peek(m, 0), *module = as_pickle_peek(m, 1);
    if (module == NULL || module->kind != AS_PICKLE_TEXT || word->kind != AS_PICKLE_TEXT) {
        return as_pickle_wrong(m, "the name of a global is no text");
    }
    m->stack.count -= 2;
    return push_global(m, module, word);
}

static as_status do_reduce(as_pickle_machine *m) {
    const as_pickle_value *arguments = as_pickle_peek(m, 0), *callee = as_pickle_peek(m, 1);
    if (callee == NULL || callee->kind != AS_PICKLE_GLOBAL || arguments->kind != AS_PICKLE_TUPLE) {
        return as_pickle_wrong(m, "a call is none of a global with a tuple");
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
    return as_pickle_push_new(m, value);
}

/* The attributes of a dictionary (a state_dict has its modules' versions there) are no data. */
static as_status do_build(as_pickle_machine *m) {
    const as_pickle_value *object = as_pickle_peek(m, 1);
    if (object == NULL || object->kind != AS_PICKLE_DICT) {
        return as_pickle_wrong(m, "attributes are given to what is no dictionary");
    }
    m->stack.count--;
    return AS_OK;
}

static as_status do_persistent(as_pickle_machine *m) {
    const as_pickle_value *id = as_pickle_peek(m, 0);
    if (id == NULL || id->kind != AS_PICKLE_TUPLE) {
        return as_pickle_wrong(m, "a persistent id is no tuple");
    }
    as_pickle_value value = *id;
    value.kind = AS_PICKLE_PERSISTENT;
    m->stack.count--;
    return as_pickle_push_new(m, value);
}

as_pickle_operation *const as_pickle_operations[256] = {
    [0x80] = do_protocol, [0x95] = do_frame, ['N'] = do_constant,  [0x88] = do_constant,
    [0x89] = do_constant, ['K'] = do_int,    ['M'] = do_int,       ['J'] = do_int,
    [0x8a] = do_long,     ['G'] = do_float,  ['X'] = do_text,      [0x8c] = do_text,
    [0x8d] = do_text,     [')'] = do_empty,  [']'] = do_empty,     ['}'] = do_empty,
    ['('] = do_mark,      ['t'] = do_tuple,  [0x85] = do_tuple,    [0x86] = do_tuple,
    [0x87] = do_tuple,    ['a'] = do_fill,   ['e'] = do_fill,      ['s'] = do_fill,
    ['u'] = do_fill,      ['q'] = do_put,    ['r'] = do_put,       [0x94] = do_memoize,
    ['h'] = do_get,       ['j'] = do_get,    ['c'] = do_global,    [0x93] = do_stack_global,
    ['R'] = do_reduce,    ['b'] = do_build,  ['Q'] = do_persistent};
