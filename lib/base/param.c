/* Strings "name:key=value,key=value" by a table of parameters: read, checked, written.
 * It refuses unknown names, keys and choices, values out of range, and a key that is given twice. */
#include "base/param.h"
#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    WORDS_MAX = 128,   /* of one list: names with their aliases */
    WORDS_TEXT = 2048, /* their bytes */
    ITEM_MAX = 96      /* bytes of one key=value */
};

/* Words to choose from. The first `shown` are listed in messages; the rest, aliases, can be the
 * nearest match. */
typedef struct word_list {
    char text[WORDS_TEXT];
    size_t used;
    const char *word[WORDS_MAX];
    size_t count, shown;
} word_list;

/* Adds the words of "a|b"; NULL adds nothing. */
static void add_words(word_list *list, const char *bars) {
    while (bars != NULL && list->count < WORDS_MAX) {
        size_t length = strcspn(bars, "|");
        if (length + 1 > sizeof list->text - list->used) {
            return;
        }
        char *word = list->text + list->used;
        memcpy(word, bars, length);
        word[length] = '\0';
        list->used += length + 1;
        list->word[list->count++] = word;
        bars = bars[length] == '|' ? bars + length + 1 : NULL;
    }
}

/* Index of the word in "a|b|c", −1 where it is not there. */
static int index_of(const char *bars, const char *word) {
    size_t wanted = strlen(word);
    for (int i = 0; bars != NULL; i++) {
        size_t length = strcspn(bars, "|");
        if (length == wanted && strncmp(bars, word, length) == 0) {
            return i;
        }
        bars = bars[length] == '|' ? bars + length + 1 : NULL;
    }
    return -1;
}

/* "SENTENCE; valid are A, B; did you mean 'A'?" Of a single word "valid are none" would deny it. */
static as_status refuse_word(const char *sentence, const char *word, const word_list *list) {
    char all[AS_MESSAGE_MAX * 3 / 4] = "none";
    for (size_t i = 0, used = 0; i < list->shown && used < sizeof all; i++) {
        used += (size_t)snprintf(all + used, sizeof all - used, "%s%s", i == 0 ? "" : ", ",
                                 list->word[i]);
    }
    const char *close = as_nearest(word, list->word, list->count);
    return as_fail(AS_EINVAL, "%s; %s %s%s%s%s", sentence,
                   list->shown == 1 ? "the only valid one is" : "valid are", all,
                   close == NULL ? "" : "; did you mean '", close == NULL ? "" : close,
                   close == NULL ? "" : "'?");
}

as_status as_name_find(const char *what, const as_name *names, size_t count, const char *text,
                       size_t *index, const char **params) {
    size_t length = strcspn(text, ":");
    char name[ITEM_MAX], sentence[2 * ITEM_MAX];
    snprintf(name, sizeof name, "%.*s", length < sizeof name ? (int)length : ITEM_MAX, text);
    for (size_t i = 0; i < count; i++) {
        if (length < sizeof name &&
            (strcmp(names[i].name, name) == 0 || index_of(names[i].aliases, name) >= 0)) {
            *index = i;
            *params = text[length] == ':' ? text + length + 1 : "";
            return AS_OK;
        }
    }
    word_list list = {.count = 0};
    for (size_t i = 0; i < count; i++) {
        add_words(&list, names[i].name);
    }
    list.shown = list.count;
    for (size_t i = 0; i < count; i++) {
        add_words(&list, names[i].aliases);
    }
    snprintf(sentence, sizeof sentence, "there is no %s '%s'", what, name);
    return refuse_word(sentence, name, &list);
}

static bool may_be_auto(const as_param *p) {
    return p->type != AS_PARAM_CHOICE && p->type != AS_PARAM_TEXT && strcmp(p->preset, "auto") == 0;
}

static as_status refuse_number(const char *what, const as_param *p, const char *text) {
    const char *or_auto = may_be_auto(p) ? ", or auto" : "";
    if (p->type == AS_PARAM_COUNT) {
        return as_fail(AS_EINVAL, "%s: %s is '%s', but must be a whole number from %.0f to %.0f%s",
                       what, p->key, text, p->low, p->high, or_auto);
    }
    return as_fail(AS_EINVAL, "%s: %s is '%s', but must be a number from %g to %g%s", what, p->key,
                   text, p->low, p->high, or_auto);
}

static as_status read_choice(const char *what, const as_param *p, const char *text, double *out) {
    int index = index_of(p->choices, text);
    if (index >= 0) {
        *out = index;
        return AS_OK;
    }
    word_list list = {.count = 0};
    char sentence[3 * ITEM_MAX];
    add_words(&list, p->choices);
    list.shown = list.count;
    snprintf(sentence, sizeof sentence, "%s: %s is '%s'", what, p->key, text);
    return refuse_word(sentence, text, &list);
}

static as_status read_value(const char *what, const as_param *p, const char *text, double *out) {
    if (p->type == AS_PARAM_CHOICE) {
        return read_choice(what, p, text, out);
    }
    if (may_be_auto(p) && strcmp(text, "auto") == 0) {
        *out = (double)NAN;
        return AS_OK;
    }
    const char *allowed = p->type == AS_PARAM_COUNT ? "0123456789" : "0123456789+-.eE";
    char *end;
    double number = strtod(text, &end);
    /* 2^53 + 1 is 2^53 as a double. */
    bool exact = p->type != AS_PARAM_COUNT || strtoull(text, NULL, 10) <= 1ULL << 53;
    if (*text == '\0' || text[strspn(text, allowed)] != '\0' || *end != '\0' || !exact ||
        !(number >= p->low && number <= p->high)) {
        return refuse_number(what, p, text);
    }
    *out = number;
    return AS_OK;
}

static size_t params_count(const as_param *params) {
    size_t count = 0;
    while (count < AS_PARAMS_MAX && params[count].key != NULL) {
        count++;
    }
    return count;
}

static as_status refuse_key(const char *what, const as_param *params, const char *key) {
    size_t count = params_count(params);
    if (count == 0) {
        return as_fail(AS_EINVAL, "%s has no parameters, so there is no '%s'", what, key);
    }
    word_list list = {.count = 0};
    char sentence[3 * ITEM_MAX];
    for (size_t i = 0; i < count; i++) {
        add_words(&list, params[i].key);
    }
    list.shown = list.count;
    for (size_t i = 0; i < count; i++) {
        add_words(&list, params[i].aliases);
    }
    snprintf(sentence, sizeof sentence, "%s has no parameter '%s'", what, key);
    return refuse_word(sentence, key, &list);
}

/* What the texts of a string are collected in; words may be NULL. The first byte stays empty: it is
 * what a text that is not given points to. */
typedef struct text_room {
    char words[AS_PARAM_WORDS];
    size_t used;
    int last; /* the text that the next item may go on with; −1: none */
} text_room;

/* Adds length bytes of text to the room, after the last text or as a new one. */
static as_status add_text(const char *what, const char *key, const char *text, size_t length,
                          text_room *room) {
    if (length + 2 > sizeof room->words - room->used) {
        return as_fail(AS_EINVAL, "%s: %s and the texts before it are longer than %d bytes", what,
                       key, AS_PARAM_WORDS - 2);
    }
    memcpy(room->words + room->used, text, length);
    room->used += length + 1;
    room->words[room->used - 1] = '\0';
    return AS_OK;
}

static as_status read_text(const char *what, const as_param *p, const char *text, size_t length,
                           text_room *room, double *out) {
    size_t at = room->used;
    as_status status = length == 0 ? as_fail(AS_EINVAL, "%s: %s is empty", what, p->key)
                                   : add_text(what, p->key, text, length, room);
    if (status == AS_OK) {
        *out = (double)at;
    }
    return status;
}

/* One "key=value" of `length` bytes. */
static as_status read_item(const char *what, const as_param *params, const char *item,
                           size_t length, double *values, bool *given, text_room *room) {
    char key[ITEM_MAX];
    size_t word = strcspn(item, "=");
    if (room->last >= 0 && word >= length) { /* the list goes on */
        room->words[room->used - 1] = ',';
        return add_text(what, params[room->last].key, item, length, room);
    }
    room->last = -1;
    for (size_t i = 0; i < params_count(params) && word < length; i++) {
        if (params[i].type == AS_PARAM_TEXT && strlen(params[i].key) == word &&
            strncmp(params[i].key, item, word) == 0) {
            if (given[i]) {
                return as_fail(AS_EINVAL, "%s: %s is given twice", what, params[i].key);
            }
            given[i] = true;
            room->last = (int)i;
            return read_text(what, &params[i], item + word + 1, length - word - 1, room,
                             &values[i]);
        }
    }
    if (length >= sizeof key) {
        return as_fail(AS_EINVAL, "%s: '%.40s…' is longer than any parameter", what, item);
    }
    memcpy(key, item, length);
    key[length] = '\0';
    char *value = strchr(key, '=');
    if (value != NULL) {
        *value++ = '\0';
    }
    for (size_t i = 0; i < params_count(params); i++) {
        if (strcmp(params[i].key, key) != 0 && index_of(params[i].aliases, key) < 0) {
            continue;
        }
        if (value == NULL) {
            return as_fail(AS_EINVAL, "%s: '%s' has no value; write %s=VALUE", what, key, key);
        }
        if (given[i]) {
            return as_fail(AS_EINVAL, "%s: %s is given twice", what, params[i].key);
        }
        given[i] = true;
        return read_value(what, &params[i], value, &values[i]);
    }
    return refuse_key(what, params, key);
}

as_status as_params_parse(const char *what, const as_param *params, const char *text,
                          double *values, char *words) {
    text_room room = {.used = 1, .last = -1};
    double found[AS_PARAMS_MAX] = {0};
    bool given[AS_PARAMS_MAX] = {false};
    as_status status = AS_OK;
    for (size_t i = 0; i < params_count(params) && status == AS_OK; i++) {
        status = params[i].type == AS_PARAM_TEXT
                     ? AS_OK
                     : read_value(what, &params[i], params[i].preset, &found[i]);
    }
    bool more = text != NULL && *text != '\0';
    while (more && status == AS_OK) {
        size_t length = strcspn(text, ",");
        status = read_item(what, params, text, length, found, given, &room);
        more = text[length] == ',';
        text += length + (more ? 1 : 0);
    }
    if (status == AS_OK) {
        memcpy(values, found, sizeof found);
        if (words != NULL) {
            memcpy(words, room.words, sizeof room.words);
        }
    }
    return status;
}

as_status as_named_parse(const char *what, const as_name *names, size_t count, const char *text,
                         size_t *index, double *values, char *words) {
    size_t found = 0;
    const char *params;
    as_status status = as_name_find(what, names, count, text, &found, &params);
    if (status != AS_OK) {
        return status;
    }
    char which[64];
    snprintf(which, sizeof which, "%s %s", what, names[found].name);
    status = as_params_parse(which, names[found].params, params, values, words);
    if (status == AS_OK) {
        *index = found;
    }
    return status;
}

void as_param_write(const as_param *p, double value, char *text, size_t size) {
    if (p->type == AS_PARAM_CHOICE) {
        const char *word = p->choices;
        for (int i = 0; i < (int)value && *word != '\0';
             i++) { /* a number beyond them has no word */
            word += strcspn(word, "|");
            word += *word == '|';
        }
        snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
        return;
    }
    if (isnan(value)) {
        snprintf(text, size, "auto");
        return;
    }
    if (p->type == AS_PARAM_COUNT) { /* 3e+15 is read back as no whole number */
        snprintf(text, size, "%.0f", value);
        return;
    }
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, size, "%.*g", digits, value);
        if (strtod(text, NULL) == value) {
            break;
        }
    }
}

char *as_params_text(const char *name, const as_param *params, const double *values,
                     const char *words) {
    double presets[AS_PARAMS_MAX];
    if (as_params_parse(name, params, NULL, presets, NULL) != AS_OK) {
        return NULL;
    }
    size_t size = strlen(name) + 1 + AS_PARAM_WORDS, used = 0;
    for (size_t i = 0; i < params_count(params); i++) {
        size += strlen(params[i].key) + ITEM_MAX;
    }
    char *text = malloc(size);
    if (text == NULL) {
        return NULL;
    }
    used += (size_t)snprintf(text, size, "%s", name);
    char separator = ':';
    for (size_t i = 0; i < params_count(params); i++) {
        if (values[i] == presets[i] || (isnan(values[i]) && isnan(presets[i]))) {
            continue;
        }
        char value[ITEM_MAX - 2];
        const char *written = value;
        if (params[i].type == AS_PARAM_TEXT) {
            written = words + (size_t)values[i];
        } else {
            as_param_write(&params[i], values[i], value, sizeof value);
        }
        used += (size_t)snprintf(text + used, size - used, "%c%s=%s", separator, params[i].key,
                                 written);
        separator = ',';
    }
    return text;
}

double as_params_value(const as_param *params, const double *values, const char *key) {
    for (size_t i = 0; i < params_count(params); i++) {
        if (strcmp(params[i].key, key) == 0) {
            return values[i];
        }
    }
    return (double)NAN;
}
