/* name_set: the different names of a column, shortened so that no two of them look the same.
 * It refuses to cut what tells two apart: then they are numbered, and a legend says which is which. */
#ifndef TOOLS_NAME_SET_H
#define TOOLS_NAME_SET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Start from {0}; .paths where slashes part the names. */
typedef struct name_set {
    bool paths, failed; /* failed: there was no memory for one */
    size_t count, room;
    char **name;           /* [count], owned; sorted once settled */
    size_t parts;          /* of a path, from its end, that tell all apart */
    size_t before, behind; /* bytes that are the same in front of and behind what differs */
    size_t widest, differ; /* columns of the longest name, and of what differs in it */
    size_t end;            /* columns at the end that tell all apart */
} name_set;

/* Takes a copy; NULL is "". */
void name_set_see(name_set *set, const char *name);
/* Once all are seen, each several times or not; false where there was no memory. */
bool name_set_settle(name_set *set);
void name_set_free(name_set *set);

/* The name, of a path the parts that tell it apart; also of a name that was not seen. Borrowed from it. */
const char *name_set_short(const name_set *set, const char *name);
/* In `width` columns, 9 or more: the name, without what is the same in all, its end, or "[3]". Returns
 * text[size] without control characters. */
const char *name_set_fit(const name_set *set, const char *name, size_t width, char *text,
                         size_t size);
/* "[3] runs/long/name.npy" for each, where names in that width are numbers. */
void name_set_legend(const name_set *set, size_t width, FILE *out);

#endif
