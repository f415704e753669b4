/* param: what the rooms share that are named by strings "name:key=value,…". Private to the
 * library. */
#ifndef AS_BASE_PARAM_H
#define AS_BASE_PARAM_H

#include "attnspec/base.h"

typedef struct as_name {
    const char *name, *aliases; /* aliases "a|b", or NULL */
    const as_param *params;     /* what may follow the name; as_named_parse() alone reads it */
} as_name;

/* Finds the name before the first ':' of text; *index is its row, *params what follows the ':' (""
 * where nothing does). AS_EINVAL with the valid names and the nearest match.
 *   what   for the message: "scheme" */
as_status as_name_find(const char *what, const as_name *names, size_t count, const char *text,
                       size_t *index, const char **params);

/* Reads the whole of "name[:key=value[,key=value]…]": *index is the name's row, values are those of its
 * table, as as_params_parse() gives them. AS_EINVAL as both say; both are then unchanged. */
as_status as_named_parse(const char *what, const as_name *names, size_t count, const char *text,
                         size_t *index, double *values, char *words);

/* A value as it is written: a choice's word, "auto", or the shortest decimal that reads back. Not of texts. */
void as_param_write(const as_param *p, double value, char *text, size_t size);

#endif
