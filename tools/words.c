/* Lists of words, written out.
 * It refuses empty places in them, more words than a run could have, and files that are no text: it never
 * waits for a pipe, nor reads a device that has no end. */
#define _POSIX_C_SOURCE 200809L /* open, fstat, fdopen */
#include "words.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WORDS_MOST = 10000, LINE = 4096, FILE_MOST = 1 << 22 };

void words_free(word_set *set) {
    for (size_t i = 0; i < set->count; i++) {
        free(set->item[i]);
    }
    free(set->item);
    *set = (word_set){0};
}

static as_status no_memory(char *why) {
    snprintf(why, AS_MESSAGE_MAX, "there is no memory for the list of words");
    return AS_ENOMEM;
}

static as_status grow(word_set *set, char *why) {
    size_t room = set->room == 0 ? 16 : 2 * set->room;
    char **item = realloc(set->item, room * sizeof *item);
    if (item == NULL) {
        return no_memory(why);
    }
    set->item = item;
    set->room = room;
    return AS_OK;
}

as_status words_add(word_set *set, const char *word, size_t length, char *why) {
    for (size_t i = 0; i < set->count; i++) {
        if (strncmp(set->item[i], word, length) == 0 && set->item[i][length] == '\0') {
            return AS_OK;
        }
    }
    if (set->count == WORDS_MOST) {
        snprintf(why, AS_MESSAGE_MAX, "a list has more than %d words", WORDS_MOST);
        return AS_EINVAL;
    }
    if (set->count == set->room && grow(set, why) != AS_OK) {
        return AS_ENOMEM;
    }
    char *copy = malloc(length + 1);
    if (copy == NULL) {
        return no_memory(why);
    }
    memcpy(copy, word, length);
    copy[length] = '\0';
    set->item[set->count++] = copy;
    return AS_OK;
}

/* The words of a file: its lines without the blanks around them. */
static as_status add_lines(word_set *set, const char *text, const char *path, char *why) {
    static const char byte_order_mark[] = "\xef\xbb\xbf";
    if (strncmp(text, byte_order_mark, 3) == 0) {
        text += 3;
    }
    while (*text != '\0') {
        size_t line = strcspn(text, "\n");
        if (line >= LINE) {
            snprintf(why, AS_MESSAGE_MAX, "%.400s: a line has more than %d bytes", path, LINE - 1);
            return AS_EREAD;
        }
        size_t blanks = strspn(text, " \t\r"), length = line;
        while (length > blanks && strchr(" \t\r", text[length - 1]) != NULL) {
            length--;
        }
        as_status status = length > blanks && text[blanks] != '#'
                               ? words_add(set, text + blanks, length - blanks, why)
                               : AS_OK;
        if (status != AS_OK) {
            return status;
        }
        text += line + (text[line] == '\n');
    }
    if (set->count == 0) {
        snprintf(why, AS_MESSAGE_MAX, "%.400s: the list has no words", path);
        return AS_EINVAL;
    }
    return AS_OK;
}

static as_status cannot_read(const char *path, char *why) {
    snprintf(why, AS_MESSAGE_MAX, "cannot read %.400s: %s", path, strerror(errno));
    return AS_EREAD;
}

/* O_NONBLOCK: opening a pipe would wait for its writer. Plain files do not heed it. */
static as_status open_file(const char *path, FILE **out, char *why) {
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
    struct stat facts;
    as_status status = AS_OK;
    if (fd < 0 || fstat(fd, &facts) != 0) {
        status = cannot_read(path, why);
    } else if (!S_ISREG(facts.st_mode)) {
        snprintf(why, AS_MESSAGE_MAX, "%.400s is no regular file", path);
        status = AS_EREAD;
    } else if ((*out = fdopen(fd, "r")) == NULL) {
        status = cannot_read(path, why);
    }
    if (status != AS_OK && fd >= 0) {
        close(fd);
    }
    return status;
}

/* Fills text [FILE_MOST + 1], which then ends with a NUL and has no other. */
static as_status read_text(const char *path, char *text, char *why) {
    FILE *file = NULL;
    as_status status = open_file(path, &file, why);
    if (status != AS_OK) {
        return status;
    }
    errno = 0;
    size_t length = fread(text, 1, FILE_MOST + 1, file);
    if (ferror(file)) {
        status = cannot_read(path, why);
    } else if (length > FILE_MOST) {
        snprintf(why, AS_MESSAGE_MAX, "%.400s has more than %d bytes, which is too long for a list",
                 path, FILE_MOST);
        status = AS_EREAD;
    } else if (memchr(text, '\0', length) != NULL) {
        snprintf(why, AS_MESSAGE_MAX, "%.400s is no text: it holds a byte that is 0", path);
        status = AS_EREAD;
    } else {
        text[length] = '\0';
    }
    fclose(file);
    return status;
}

static as_status read_file(word_set *set, word_set *files, const char *path, char *why) {
    if (*path == '\0') {
        snprintf(why, AS_MESSAGE_MAX, "the name of a file is missing behind @");
        return AS_EINVAL;
    }
    char *text = malloc(FILE_MOST + 1);
    as_status status = text == NULL ? no_memory(why) : read_text(path, text, why);
    status = status == AS_OK ? add_lines(set, text, path, why) : status;
    free(text);
    return status == AS_OK ? words_add(files, path, strlen(path), why) : status;
}

/* Where the value that begins at `at` ends: before the comma of the next key, or with the text. */
static size_t value_length(const char *at) {
    static const char name[] = "abcdefghijklmnopqrstuvwxyz_0123456789";
    for (const char *comma = strchr(at, ','); comma != NULL; comma = strchr(comma + 1, ',')) {
        size_t key = strspn(comma + 1, name);
        if (key > 0 && comma[1 + key] == '=') {
            return (size_t)(comma - at);
        }
    }
    return strlen(at);
}

static as_status refuse_empty(const char *text, char *why) {
    snprintf(why, AS_MESSAGE_MAX, "the list '%.400s' has an empty place", text);
    return AS_EINVAL;
}

/* The alternatives of one value. */
static as_status add_values(word_set *set, word_set *files, const char *text, size_t length,
                            char *why) {
    if (length > 1 && *text == '@') {
        char path[LINE];
        snprintf(path, sizeof path, "%.*s", (int)(length - 1 < LINE ? length - 1 : LINE - 1),
                 text + 1);
        return read_file(set, files, path, why);
    }
    as_status status = AS_OK;
    bool one = memchr(text, '|', length) == NULL;
    for (size_t at = 0; status == AS_OK && at <= length;) {
        const char *bar = memchr(text + at, '|', length - at);
        size_t part = bar != NULL ? (size_t)(bar - text) - at : length - at;
        if (part == 0 && !one) {
            return refuse_empty(text, why);
        }
        status = words_add(set, text + at, part, why);
        at += part + 1;
    }
    return status;
}

/* Every word of `begun`, followed by every value: the list grows by one key. */
static as_status combine(word_set *begun, const char *key, size_t key_length,
                         const word_set *values, char *why) {
    word_set longer = {0};
    as_status status = AS_OK;
    for (size_t i = 0; i < begun->count && status == AS_OK; i++) {
        for (size_t v = 0; v < values->count && status == AS_OK; v++) {
            size_t size = strlen(begun->item[i]) + key_length + strlen(values->item[v]) + 1;
            char *word = malloc(size);
            if (word == NULL) {
                status = no_memory(why);
                break;
            }
            snprintf(word, size, "%s%.*s%s", begun->item[i], (int)key_length, key, values->item[v]);
            status = words_add(&longer, word, size - 1, why);
            free(word);
        }
    }
    words_free(begun);
    *begun = longer;
    return status;
}

/* name:key=1|2,other=x|y in all combinations. */
static as_status expand_values(word_set *set, word_set *files, const char *text, char *why) {
    word_set words = {0};
    size_t at = strcspn(text, ":");
    as_status status = words_add(&words, text, at, why);
    while (status == AS_OK && text[at] != '\0') {
        size_t value = at + 1 + strcspn(text + at + 1, "=");
        value += text[value] == '=';
        size_t length = value_length(text + value);
        word_set values = {0};
        status = add_values(&values, files, text + value, length, why);
        if (status == AS_OK) {
            status = combine(&words, text + at, value - at, &values, why);
        }
        words_free(&values);
        at = value + length;
    }
    for (size_t i = 0; i < words.count && status == AS_OK; i++) {
        status = words_add(set, words.item[i], strlen(words.item[i]), why);
    }
    words_free(&words);
    return status;
}

/* A bar before the first colon stands between whole words; hf:PATH is whole, colon and all. */
static as_status expand_word(word_set *set, word_set *files, const char *text, char *why) {
    for (const char *whole = text;;) {
        bool path = strncmp(text, "hf:", 3) == 0;
        size_t length = strcspn(text, path ? "|" : "|:");
        if (length == 0) {
            return refuse_empty(whole, why);
        }
        if (text[length] != '|' && !path) {
            return expand_values(set, files, text, why);
        }
        as_status status = words_add(set, text, length, why);
        if (status != AS_OK || text[length] == '\0') {
            return status;
        }
        text += length + 1;
    }
}

as_status words_expand(word_set *set, word_set *files, const char *text, char *why) {
    if (*text != '@') {
        return expand_word(set, files, text, why);
    }
    word_set lines = {0};
    as_status status = read_file(&lines, files, text + 1, why);
    for (size_t i = 0; i < lines.count && status == AS_OK; i++) {
        if (lines.item[i][0] == '@') {
            snprintf(why, AS_MESSAGE_MAX, "%.400s: '%.400s' is a list in a list", text + 1,
                     lines.item[i]);
            status = AS_EINVAL;
        } else {
            status = expand_word(set, files, lines.item[i], why);
        }
    }
    words_free(&lines);
    return status;
}

as_status words_sizes(const char *text, size_t **out, size_t *count, char *why) {
    size_t commas = 0;
    for (const char *c = text; *c != '\0'; c++) {
        commas += *c == ',';
    }
    size_t *sizes = calloc(commas + 1, sizeof *sizes), used = 0;
    if (sizes == NULL) {
        return no_memory(why);
    }
    for (const char *at = text;; at++) {
        char *end;
        errno = 0;
        unsigned long long size = strtoull(at, &end, 10);
        if (*at < '0' || *at > '9' || (*end != ',' && *end != '\0') || errno != 0 || size < 1 ||
            size > INT32_MAX) {
            snprintf(why, AS_MESSAGE_MAX,
                     "'%.200s' is no list of whole numbers from 1 to %d, such as 128,256", text,
                     INT32_MAX);
            free(sizes);
            return AS_EINVAL;
        }
        bool known = false;
        for (size_t i = 0; i < used; i++) {
            known = known || sizes[i] == size;
        }
        if (!known) {
            sizes[used++] = (size_t)size;
        }
        at = end;
        if (*at == '\0') {
            break;
        }
    }
    *out = sizes;
    *count = used;
    return AS_OK;
}
