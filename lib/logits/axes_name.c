/* What names say: the numbers of layer, batch and head.
 * It refuses numbers of more than nine digits, and those that a letter follows ("h2o"). */
#include "logits/axes.h"

#include <string.h>

enum {
    CONTAINER = 1, /* may hold a list of lists, by step and then by layer */
    INSIDE = 2,    /* numbers behind one of "_-." too */
    COUNT = 4      /* may say there how many there are */
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
static const char *const counted[] = {
    "batch",  "head",  "heads",  "step",      "steps",  "sample",   "samples", "token",
    "tokens", "epoch", "epochs", "example",   "prompt", "prompts",  "input",   "inputs",
    "sent",   "seq",   "text",   "sentence",  "seed",   "sequence", "run",     "image",
    "texts",  "seeds", "runs",   "sentences", "images", "examples", "rank"};

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

/* The end of the digits at the start of text, NULL where there are none or too many. */
static const char *match_digits(const char *text, size_t *number) {
    size_t value = 0, digits = 0;
    for (; is_digit(text[digits]) && digits < 9; digits++) {
        value = 10 * value + (size_t)(text[digits] - '0');
    }
    if (digits == 0 || is_digit(text[digits])) {
        return NULL;
    }
    *number = value;
    return text + digits;
}

/* The same, NULL where a letter follows too. */
static const char *match_number(const char *text, size_t *number) {
    size_t value;
    const char *end = match_digits(text, &value);
    if (end == NULL || is_letter(*end)) {
        return NULL;
    }
    *number = value;
    return end;
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

static bool counts_others(const char *word, size_t length) {
    for (size_t i = 0; i < sizeof counted / sizeof *counted; i++) {
        if (strlen(counted[i]) == length && memcmp(word, counted[i], length) == 0) {
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
        other = counts_others(part, strcspn(part, "./"));
    }
    return found;
}

static bool is_length(const as_tensor *tensor, size_t number) {
    for (size_t axis = 0; tensor != NULL && axis + 2 < tensor->rank; axis++) {
        if (tensor->shape[axis] == number) {
            return true;
        }
    }
    return false;
}

/* The number behind a word at the start, or that may be inside, behind one of "_-.". */
static size_t number_inside(const char *text, const as_tensor *tensor, const stem *list) {
    for (const char *at = text; *at != '\0'; at += *at != '\0') {
        for (const stem *s = list; s->word != NULL; s++) {
            size_t number;
            if ((at == text || s->traits & INSIDE) && match(at, s->word, &number) != NULL &&
                !(s->traits & COUNT && is_length(tensor, number))) {
                return number;
            }
        }
        at += strcspn(at, "_-.");
    }
    return AS_NO_AXIS;
}

/* "L3H1", and "l3h1": the head stands without a word between. False where no layer does. */
static bool match_letters(const char *at, bool start, size_t *layer, size_t *head) {
    char letter = *at;
    size_t value;
    const char *end = letter == 'L' || letter == 'l' ? match_digits(at + 1, &value) : NULL;
    if (end == NULL) {
        return false;
    }
    *head = AS_NO_AXIS;
    bool pair = *end == letter - 'L' + 'H' && match_number(end + 1, head) != NULL;
    /* A lower-case l is a word's first letter, and a norm's name ("l2"), as often as a layer. */
    if (!pair && (is_letter(*end) || (letter == 'l' && start))) {
        return false;
    }
    *layer = value;
    return true;
}

/* L<N>, and behind it H<N> of the same case: L3H1, L3/H1, attn_l3_h1. H alone is many a thing (H100). */
static void number_by_letters(const char *text, size_t number[AS_LOOP_COUNT]) {
    size_t layer, head = AS_NO_AXIS;
    char letter = '\0';
    for (const char *at = text; *at != '\0'; at += *at != '\0') {
        bool start = at == text || at[-1] != '_';
        if (letter == '\0' && match_letters(at, start, &layer, &head)) {
            letter = *at;
            number[AS_AXIS_LAYER] = layer;
        } else if (letter != '\0' && head == AS_NO_AXIS && *at == letter - 'L' + 'H' &&
                   match_number(at + 1, &head) == NULL) {
            head = AS_NO_AXIS;
        }
        at += strcspn(at, "_-./");
    }
    if (head != AS_NO_AXIS && number[AS_AXIS_HEAD] == AS_NO_AXIS) {
        number[AS_AXIS_HEAD] = head;
    }
}

/* past_key_values.LAYER.0 and .1. */
static size_t number_of_cache(const char *name) {
    size_t layer, place;
    return as_axes_cache(name, &layer, &place) ? layer : AS_NO_AXIS;
}

void as_axes_numbers(const as_tensor *tensor, size_t number[AS_LOOP_COUNT]) {
    for (size_t axis = 0; axis < AS_LOOP_COUNT; axis++) {
        number[axis] = number_by_word(tensor->name, stems[axis]);
        if (number[axis] == AS_NO_AXIS) {
            number[axis] = number_inside(tensor->name, tensor, stems[axis]);
        }
    }
    if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
        number_by_letters(tensor->name, number);
    }
    if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
        number[AS_AXIS_LAYER] = number_of_cache(tensor->name);
    }
    if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
        number[AS_AXIS_LAYER] = number_by_place(tensor->name);
    }
}

void as_axes_file_numbers(const char *path, const as_tensor *tensor, size_t number[AS_LOOP_COUNT]) {
    const char *slash = strrchr(path, '/'), *base = slash != NULL ? slash + 1 : path;
    for (size_t axis = 0; axis < AS_LOOP_COUNT; axis++) {
        number[axis] = number_inside(base, tensor, stems[axis]);
    }
    if (number[AS_AXIS_LAYER] == AS_NO_AXIS) {
        number_by_letters(base, number);
    }
}

bool as_axes_cache(const char *name, size_t *layer, size_t *place) {
    static const char word[] = "past_key_values";
    for (const char *part = name; part != NULL; part = next_component(part)) {
        size_t length = sizeof word - 1, before, last;
        if (strncmp(part, word, length) != 0 || !ends_component(part[length])) {
            continue;
        }
        const char *end = part + length;
        size_t count = 0;
        for (before = last = 0; *end != '\0' && ends_component(*end); count++) {
            before = last;
            if ((end = match_number(end + 1, &last)) == NULL) {
                return false;
            }
        }
        *layer = before;
        *place = last;
        return count >= 2 && *end == '\0';
    }
    return false;
}

size_t as_axes_end_number(const char *name, size_t *number) {
    size_t end = strlen(name), digits = end;
    while (digits > 0 && is_digit(name[digits - 1])) {
        digits--;
    }
    if (digits < 2 || name[digits - 1] != '_' || match_number(name + digits, number) == NULL) {
        return 0;
    }
    size_t word = digits - 1;
    while (word > 0 && strchr("_-./", name[word - 1]) == NULL) {
        word--;
    }
    return word == digits - 1 || counts_others(name + word, digits - 1 - word) ? 0 : digits;
}

bool as_axes_counts_others(const char *name) {
    for (const char *at = name; *at != '\0'; at++) {
        if (at == name || !is_digit(*at) || is_digit(at[-1])) {
            continue;
        }
        const char *end = strchr("_./", at[-1]) != NULL ? at - 1 : at, *word = end;
        while (word > name && strchr("_-./", word[-1]) == NULL) {
            word--;
        }
        if (counts_others(word, (size_t)(end - word)) && *word != 'h' && *word != 'b') {
            return true; /* head and batch are axes */
        }
    }
    return false;
}
