/* The files below a folder, in the order in which people count.
 * It refuses nothing: what cannot be read is listed, for its reader to say why. */
#define _DEFAULT_SOURCE /* strdup, lstat, S_ISLNK */
#include "logits/folder.h"
#include "base/fail.h"

#include <ctype.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

as_status as_paths_add(as_paths *paths, const char *path) {
    if (paths->count == paths->capacity) {
        size_t capacity = 2 * paths->capacity + 16, bytes;
        char **grown = as_mul(capacity, sizeof *grown, &bytes) ? realloc(paths->path, bytes) : NULL;
        if (grown == NULL) {
            return as_fail(AS_ENOMEM, "no memory for %zu files", capacity);
        }
        paths->path = grown;
        paths->capacity = capacity;
    }
    char *copy = strdup(path);
    if (copy == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu files", paths->count + 1);
    }
    paths->path[paths->count++] = copy;
    return AS_OK;
}

void as_paths_free(as_paths *paths) {
    for (size_t i = 0; i < paths->count; i++) {
        free(paths->path[i]);
    }
    free(paths->path);
    *paths = (as_paths){0};
}

/* Compares the numbers that begin at *a and *b, which may have any number of digits, and passes them. */
static int compare_numbers(const char **a, const char **b) {
    *a += strspn(*a, "0");
    *b += strspn(*b, "0");
    size_t more = strspn(*a, "0123456789"), less = strspn(*b, "0123456789");
    int order = more != less ? (more < less ? -1 : 1) : strncmp(*a, *b, more);
    *a += more;
    *b += less;
    return order;
}

static int rank(char c) {
    return c == '/' ? 1 : c == '\0' ? 0 : (unsigned char)c + 1;
}

int as_paths_order(const void *left, const void *right) {
    const char *first = *(const char *const *)left, *second = *(const char *const *)right;
    const char *a = first, *b = second;
    while (*a != '\0' || *b != '\0') {
        int order;
        if (isdigit((unsigned char)*a) && isdigit((unsigned char)*b)) {
            order = compare_numbers(&a, &b);
        } else {
            order = rank(*a) - rank(*b);
            a += *a != '\0';
            b += *b != '\0';
        }
        if (order != 0) {
            return order;
        }
    }
    return strcmp(first, second); /* 01 and 1 */
}

/* Adds what is in one folder to files or others and, to be visited, to folders. */
static as_status list_one(const char *folder, as_paths *folders, as_paths *files,
                          as_paths *others) {
    DIR *open = opendir(folder);
    if (open == NULL) {
        return as_paths_add(files, folder);
    }
    size_t length = strlen(folder);
    const char *slash = length > 0 && folder[length - 1] == '/' ? "" : "/";
    as_status status = AS_OK;
    for (struct dirent *entry; status == AS_OK && (entry = readdir(open)) != NULL;) {
        if (entry->d_name[0] == '.') {
            continue;
        }
        size_t size = length + strlen(slash) + strlen(entry->d_name) + 1;
        char *path = malloc(size);
        if (path == NULL) {
            status = as_fail(AS_ENOMEM, "no memory for the files of %s", folder);
            break;
        }
        strcat(strcat(strcpy(path, folder), slash), entry->d_name);
        struct stat s;
        mode_t mode = lstat(path, &s) == 0 ? s.st_mode : S_IFREG;
        bool link = S_ISLNK(mode);
        if (link) {
            mode = stat(path, &s) == 0 ? s.st_mode : S_IFREG;
        }
        if (S_ISDIR(mode) && !link) {
            status = as_paths_add(folders, path);
        } else if (!S_ISDIR(mode)) {
            status = as_paths_add(S_ISREG(mode) ? files : others, path);
        }
        free(path);
    }
    closedir(open);
    return status;
}

static void sort_from(as_paths *paths, size_t first) {
    if (paths->count > first) {
        qsort(paths->path + first, paths->count - first, sizeof *paths->path, as_paths_order);
    }
}

as_status as_folder_list(const char *folder, as_paths *out, as_paths *others) {
    as_paths folders = {0};
    size_t first = out->count, other = others->count;
    as_status status = as_paths_add(&folders, folder);
    for (size_t at = 0; status == AS_OK && at < folders.count; at++) {
        size_t before = folders.count + out->count + others->count;
        status = list_one(folders.path[at], &folders, out, others);
        if (status == AS_OK && at > 0 && folders.count + out->count + others->count == before) {
            status = as_paths_add(others, folders.path[at]);
        }
    }
    as_paths_free(&folders);
    sort_from(out, first);
    sort_from(others, other);
    return status;
}
