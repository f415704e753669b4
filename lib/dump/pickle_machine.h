/* pickle_machine: what the pickle machine and its opcodes share. Private to lib/dump/pickle*.c. */
#ifndef AS_DUMP_PICKLE_MACHINE_H
#define AS_DUMP_PICKLE_MACHINE_H

#include "dump/pickle.h"

enum { AS_PICKLE_MAX = 1 << 22 }; /* values and items, entries of the stack, keys of the memo */

/* A growing array of values; NULL is a mark on the stack, a free key in the memo. */
typedef struct as_pickle_values {
    as_pickle_value **at;
    size_t count, room;
} as_pickle_values;

typedef struct as_pickle_machine {
    const unsigned char *bytes;
    size_t size, at, opcode; /* at: of the next byte; opcode: where the present one stands */
    const as_pickle_global *globals;
    as_pickle *pickle;
    size_t made; /* values and items */
    as_pickle_values stack, memo;
} as_pickle_machine;

/* What an opcode does; as_pickle_operations has NULL for those that are refused. */
typedef as_status as_pickle_operation(as_pickle_machine *m);
extern as_pickle_operation *const as_pickle_operations[256];

/* AS_EREAD "the pickle is wrong at byte …: what". */
as_status as_pickle_wrong(const as_pickle_machine *m, const char *what);
/* Room for `count` values in all. */
as_status as_pickle_grow(const as_pickle_machine *m, as_pickle_values *v, size_t count);
/* Puts a value (NULL: a mark), or a new one, on the stack. */
as_status as_pickle_push(as_pickle_machine *m, as_pickle_value *value);
as_status as_pickle_push_new(as_pickle_machine *m, as_pickle_value value);
/* The value `depth` below the top, NULL where there is none or a mark is in between. */
as_pickle_value *as_pickle_peek(const as_pickle_machine *m, size_t depth);
/* Moves the top `count` values of the stack to the end of `to`. */
as_status as_pickle_take_items(as_pickle_machine *m, as_pickle_value *to, size_t count);

#endif
