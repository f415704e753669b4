/* What a name says that a tensor is: q, k or v, a hook of TransformerLens, or no attention at all.
 * It refuses to guess: a name that it does not know says nothing. */
#define _POSIX_C_SOURCE 200809L /* strncasecmp */
#include "logits/axes.h"

#include <string.h>
#include <strings.h>

static bool ends_component(char c) {
    return c == '\0' || c == '.' || c == '/';
}

/* "3", and numpy's "arr_3". */
static bool is_place(const char *part) {
    part += strncmp(part, "arr_", 4) == 0 ? 4 : 0;
    size_t digits = strspn(part, "0123456789");
    return digits > 0 && ends_component(part[digits]);
}

/* The last component that is no number: the q of "q.3". */
static const char *last_word(const char *name) {
    const char *word = name;
    for (const char *part = name;; part++) {
        word = is_place(part) ? word : part;
        part += strcspn(part, "./");
        if (*part == '\0') {
            return word;
        }
    }
}

static const char *behind(const char *text, const char *prefix) {
    size_t length = strlen(prefix);
    return strncmp(text, prefix, length) == 0 ? text + length : text;
}

char as_axes_projection(const char *name) {
    static const char *const projections[] = {"query", "key", "value", "q", "k", "v"};
    size_t layer, place;
    if (as_axes_cache(name, &layer, &place)) {
        return place % 2 == 0 ? 'k' : 'v';
    }
    const char *word = last_word(name), *of_hook = behind(word, "hook_");
    word = of_hook != word ? behind(of_hook, "rot_") : word;
    for (size_t i = 0; i < sizeof projections / sizeof *projections; i++) {
        size_t length = strlen(projections[i]);
        char next = strncasecmp(word, projections[i], length) == 0 ? word[length] : 'x';
        if (ends_component(next) || next == '_' || (next >= '0' && next <= '9')) {
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

/* Whether a component is `word`, or has it behind a "_". */
static bool has_component(const char *name, const char *word) {
    size_t length = strlen(word);
    for (const char *part = name;; part++) {
        size_t own = strcspn(part, "./");
        const char *end = own >= length ? part + own - length : NULL;
        if (end != NULL && memcmp(end, word, length) == 0 && (end == part || end[-1] == '_')) {
            return true;
        }
        part += own;
        if (*part == '\0') {
            return false;
        }
    }
}

bool as_axes_is_attention(const char *name) {
    return as_axes_is_batch_first(name) || has_component(name, "attentions");
}

const char *as_axes_other(const char *name) {
    if (has_component(name, "past_key_values") || has_component(name, "key_cache") ||
        has_component(name, "value_cache")) {
        return "is a cache of keys and values by its name; use --query and --key, with --position "
               "applied where the keys were rotated";
    }
    if (has_component(name, "hidden_states") || has_component(name, "hidden_state")) {
        return "is a hidden state by its name, not attention";
    }
    bool hook = strncmp(last_word(name), "hook_", 5) == 0;
    return hook && !as_axes_is_batch_first(name) && !as_axes_is_projection(name)
               ? "is another of TransformerLens's hooks by its name, not attention"
               : NULL;
}
