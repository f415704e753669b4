/* What names say: the numbers of layer, batch and head, and whether a tensor is q, k or v.
 * It refuses numbers of more than nine digits, and those that a letter follows ("h2o"). */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "logits/axes.h"

#include <string.h>
#include <strings.h>

enum {
    CONTAINER = 1, /* may hold a list of lists, by step and then by layer */
    INSIDE = 2,    /* numbers inside of a file's name too */
    COUNT = 4      /* may say in a file's name how many there are */
};
typedef struct stem {
    const char *word;
    int traits;
} stem;

/* What may stand before a number, longest first; then one of "_./" or nothing. */
static const stem layer_stems[] = {{"layers", INSIDE | COUNT},
                                   {"layer", INSIDE},
                                   {"blocks", 0},
                                   {"block", 0},
                                   {"h", 0},
                                   {"attn", CONTAINER},
                                   {"attentions", CONTAINER},
                                   {"attention", CONTAINER},
                                   {NULL, 0}};
static const stem batch_stems[] = {{"batch", INSIDE | COUNT}, {NULL, 0}};
static const stem head_stems[] = {{"heads", INSIDE | COUNT}, {"head", INSIDE}, {NULL, 0}};
static const stem *const stems[AS_LOOP_COUNT] = {layer_stems, batch_stems, head_stems};

/* A number behind one of these is not a layer's. */
static const char *const counted[] = {"batch",   "head",  "heads",   "step",  "steps",  "sample",
                                      "samples", "token", "tokens",  "epoch", "epochs", "example",
                                      "prompt",  "input", "prompts", "inputs"};

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static bool ends_component(char c) {
    return c == '\0' || c == '.' || c == '/';
}

static const char *next_component(const char *at) {
    at += strcspn(at, "./");
    return *at == '\0' ? NULL : at + 1;
}

/* The end of the number at the start of text, NULL where there is none or a letter follows. */
static const char *match_number(const char *text, size_t *number) {
    size_t value = 0, digits = 0;
    for (; is_digit(text[digits]) && digits < 9; digits++) {
        value = 10 * value + (size_t)(text[digits] - '0');
    }
    if (digits == 0 || is_digit(text[digits]) || is_letter(text[digits])) {
        return NULL;
    }
    *number = value;
    return text + digits;
}

/* The end of stem[_./]?N at the start of text, NULL where it is none. */
static const char *match(const char *text, const char *word, size_t *number) {
    size_t length = strlen(word);
    if (strncmp(text, word, length) != 0) {
        return NULL;
    }
    const char *at = text + length;
    return match_number(at + (*at == '_' || *at == '.' || *at == '/'), number);
}

/* The end of a component that is a place in a list: a number alone, or numpy's arr_N. */
static const char *match_place(const char *part, size_t *number) {
    const char *end = match_number(part + (strncmp(part, "arr_", 4) == 0 ? 4 : 0), number);
    return end != NULL && ends_component(*end) ? end : NULL;
}

/* "attentions.1.3": of the numbers that follow each other the last. "attn_1.3" names layer 1. */
static size_t last_of_run(const char *part, const char *word, const char *end, size_t number) {
    char separator = part[strlen(word)];
    if (separator == '.' || separator == '/') {
        while (*end != '\0' && ends_component(*end) &&
               (end = match_place(end + 1, &number)) != NULL) {
        }
    }
    return number;
}

static size_t number_by_word(const char *name, const stem *list) {
    for (const char *part = name; part != NULL; part = next_component(part)) {
        for (const stem *s = list; s->word != NULL; s++) {
            size_t number;
            const char *end = match(part, s->word, &number);
            if (end != NULL) {
                return s->traits & CONTAINER ? last_of_run(part, s->word, end, number) : number;
            }
        }
    }
    return AS_NO_AXIS;
}

static bool counts_others(const char *part) {
    size_t length = strcspn(part, "./");
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (strlen(counted[i]) == length && memcmp(part, counted[i], length) == 0) {
            return true;
        }
    }
    return false;
}

static size_t number_by_place(const char *name) {
    size_t found = AS_NO_AXIS, number;
    bool other = false;
    for (const char *part = name; part != NULL; part = next_component(part)) {
        if (!other && match_place(part, &number) != NULL) {
            found = number;
        }
        other = counts_others(part);
    }
    return found;
}

void as_axes_numbers(const char *name, size_t number[AS_LOOP_COUNT]) {
    for (size_t axis = 0; axis < AS_LOOP_COUNT; axis++) {
        number[axis] = number_by_word(name, stems[axis]);
    }
    if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
        number[AS_AXIS_LAYER] = number_by_place(name);
    }
}

static bool is_length(const as_tensor *tensor, size_t number) {
    for (size_t axis = 0; tensor != NULL && axis + 2 < tensor->rank; axis++) {
        if (tensor->shape[axis] == number) {
            return true;
        }
    }
    return false;
}

static size_t number_in_file(const char *base, const as_tensor *tensor, const stem *list) {
    for (const char *at = base; *at != '\0'; at += *at != '\0') {
        for (const stem *s = list; s->word != NULL; s++) {
            size_t number;
            if ((at == base || s->traits & INSIDE) && match(at, s->word, &number) != NULL &&
                !(s->traits & COUNT && is_length(tensor, number))) {
                return number;
            }
        }
        at += strcspn(at, "_-.");
    }
    return AS_NO_AXIS;
}

void as_axes_file_numbers(const char *path, const as_tensor *tensor, size_t number[AS_LOOP_COUNT]) {
    const char *slash = strrchr(path, '/');
    for (size_t axis = 0; axis < AS_LOOP_COUNT; axis++) {
        number[axis] = number_in_file(slash != NULL ? slash + 1 : path, tensor, stems[axis]);
    }
}

/* The last component that is no number: the q of "q.3". */
static const char *last_word(const char *name) {
    const char *word = name;
    size_t number;
    for (const char *part = name; part != NULL; part = next_component(part)) {
        word = match_place(part, &number) == NULL ? part : word;
    }
    return word;
}

static const char *behind(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : text;
}

char as_axes_projection(const char *name) {
    static const char *const projections[] = {"query", "key", "value", "q", "k", "v"};
    const char *word = last_word(name), *of_hook = behind(word, "hook_");
    word = of_hook != word ? behind(of_hook, "rot_") : word;
    for (size_t i = 0; i < sizeof projections / sizeof *projections; i++) {
        size_t length = strlen(projections[i]);
        char next = strncasecmp(word, projections[i], length) == 0 ? word[length] : 'x';
        if (ends_component(next) || next == '_' || is_digit(next)) {
            return *projections[i];
        }
    }
    return 0;
}

bool as_axes_is_projection(const char *name) {
    return as_axes_projection(name) != 0;
}

bool as_axes_is_position_first(const char *name) {
    return name != NULL && strncmp(last_word(name), "hook_", 5) == 0 && as_axes_is_projection(name);
}

bool as_axes_is_batch_first(const char *name) {
    const char *word = name != NULL ? last_word(name) : "";
    return strcmp(word, "hook_pattern") == 0 || strcmp(word, "hook_attn_scores") == 0;
}
