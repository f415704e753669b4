/* Lists of words, written out.
 * It refuses empty places in them, and more words than a run could have. */
#include "words.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORDS_MOST = 10000, LINE = 4096 };

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

/* The lines of a file without the blanks around them. */
static as_status add_lines(word_set *set, FILE *file, const char *path, char *why) {
    char line[LINE];
    errno = 0;
    while (fgets(line, sizeof line, file) != NULL) {
        size_t length = strlen(line);
        if (length == sizeof line - 1 && line[length - 1] != '\n') {
            snprintf(why, AS_MESSAGE_MAX, "%.400s: a line has more than %zu bytes", path, length);
            return AS_EREAD;
        }
        char *begin = line + strspn(line, " \t\r\n");
        length = strlen(begin);
        while (length > 0 && strchr(" \t\r\n", begin[length - 1]) != NULL) {
            length--;
        }
        as_status status = length > 0 && *begin != '#' ? words_add(set, begin, length, why) : AS_OK;
        if (status != AS_OK) {
            return status;
        }
    }
    if (ferror(file)) {
        snprintf(why, AS_MESSAGE_MAX, "cannot read %.400s: %s", path, strerror(errno));
        return AS_EREAD;
    }
    if (set->count == 0) {
        snprintf(why, AS_MESSAGE_MAX, "%.400s: the list has no words", path);
        return AS_EINVAL;
    }
    return AS_OK;
}

static as_status read_file(word_set *set, word_set *files, const char *path, char *why) {
    if (*path == '\0') {
        snprintf(why, AS_MESSAGE_MAX, "the name of a file is missing behind @");
        return AS_EINVAL;
    }
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        snprintf(why, AS_MESSAGE_MAX, "cannot read %.400s: %s", path, strerror(errno));
        return AS_EREAD;
    }
    as_status status = add_lines(set, file, path, why);
    fclose(file);
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

/* A bar before the first colon stands between whole words. */
static as_status expand_word(word_set *set, word_set *files, const char *text, char *why) {
    for (const char *whole = text;;) {
        size_t length = strcspn(text, "|:");
        if (length == 0) {
            return refuse_empty(whole, why);
        }
        if (text[length] != '|') {
            return expand_values(set, files, text, why);
        }
        as_status status = words_add(set, text, length, why);
        if (status != AS_OK) {
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
