/* folder: the files below a folder. Private to lib/logits. */
#ifndef AS_LOGITS_FOLDER_H
#define AS_LOGITS_FOLDER_H

#include "attnspec/base.h"

typedef struct as_paths {
    char **path; /* owned */
    size_t count, capacity;
} as_paths;
/* Takes a copy. AS_ENOMEM. */
as_status as_paths_add(as_paths *paths, const char *path);
void as_paths_free(as_paths *paths);

/* The order of people: runs of digits compare as numbers (layer_2 before layer_10), a slash is before
 * everything else. For qsort() of pointers to text. */
int as_paths_order(const void *a, const void *b);

/* Adds the path of every file below `folder` (which is in front of each), in that order. Links to files
 * are files; links to folders are not followed, so that there are no loops; names that begin with a dot,
 * pipes, sockets and devices are no files. A folder that cannot be read is added as if it were a file:
 * who opens it learns why. Adds those that are no files, and folders below it with nothing in them but
 * hidden names, to `others`. AS_ENOMEM. */
as_status as_folder_list(const char *folder, as_paths *out, as_paths *others);

#endif
