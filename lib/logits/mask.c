/* Mask words: parsed, written, applied, and recognised in a pattern.
 * It refuses words that are none, a window of 0, and "other", which only data can be. */
#include "logits/mask.h"
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

static as_status unknown(const char *text) {
    return as_fail(AS_EINVAL,
                   "\"%s\" is no mask; valid are auto, none, causal, window:W with W ≥ 1, and "
                   "prefix:P",
                   text);
}

/* The number after "window:", at most nine digits. */
static bool parse_width(const char *text, size_t *out) {
    size_t digits = strspn(text, "0123456789"), value = 0;
    if (digits == 0 || digits > 9 || text[digits] != '\0') {
        return false;
    }
    for (; *text != '\0'; text++) {
        value = 10 * value + (size_t)(*text - '0');
    }
    *out = value;
    return true;
}

as_status as_mask_parse(const char *text, as_mask *out) {
    static const struct {
        const char *word;
        as_mask_kind kind;
        bool width;
    } words[] = {{"auto", AS_MASK_AUTO, false},
                 {"none", AS_MASK_NONE, false},
                 {"causal", AS_MASK_CAUSAL, false},
                 {"window:", AS_MASK_WINDOW, true},
                 {"prefix:", AS_MASK_PREFIX, true}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        as_mask mask = {.kind = words[i].kind};
        size_t length = strlen(words[i].word);
        if (words[i].width ? strncmp(text, words[i].word, length) == 0 &&
                                 parse_width(text + length, &mask.width)
                           : strcmp(text, words[i].word) == 0) {
            if (mask.kind == AS_MASK_WINDOW && mask.width == 0) {
                return unknown(text);
            }
            *out = mask;
            return AS_OK;
        }
    }
    return unknown(text);
}

const char *as_mask_name(as_mask mask, char *text) {
    static const char *const names[] = {
        [AS_MASK_AUTO] = "auto",     [AS_MASK_NONE] = "none",     [AS_MASK_CAUSAL] = "causal",
        [AS_MASK_WINDOW] = "window", [AS_MASK_PREFIX] = "prefix", [AS_MASK_OTHER] = "other"};
    bool width = mask.kind == AS_MASK_WINDOW || mask.kind == AS_MASK_PREFIX;
    if (width) {
        snprintf(text, AS_MASK_TEXT, "%s:%zu", names[mask.kind], mask.width);
    } else {
        snprintf(text, AS_MASK_TEXT, "%s", names[mask.kind]);
    }
    return text;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

/* With off = cols − rows, causal keeps k ≤ i + off, that is k < last = i + cols + 1 − rows. */
as_kept as_mask_row(as_mask mask, size_t rows, size_t cols, size_t i) {
    size_t last = i + cols + 1 > rows ? smaller(i + cols + 1 - rows, cols) : 0;
    switch (mask.kind) {
    case AS_MASK_CAUSAL:
        return (as_kept){0, 0, last};
    case AS_MASK_WINDOW:
        return (as_kept){0, last > mask.width ? last - mask.width : 0, last};
    case AS_MASK_PREFIX:
        return (as_kept){smaller(mask.width, cols), 0, last};
    default:
        return (as_kept){cols, 0, 0};
    }
}

bool as_mask_keeps(as_mask mask, size_t rows, size_t cols, size_t i, size_t k) {
    return as_kept_has(as_mask_row(mask, rows, cols, i), k);
}

/* Whether all that the mask leaves out is set, and, where exact, nothing else. */
static bool fits(as_mask mask, const unsigned char *masked, size_t rows, size_t cols, bool exact) {
    for (size_t i = 0; i < rows; i++, masked += cols) {
        as_kept kept = as_mask_row(mask, rows, cols, i);
        for (size_t k = 0; k < cols; k++) {
            bool keeps = as_kept_has(kept, k);
            if (keeps ? exact && masked[k] != 0 : masked[k] == 0) {
                return false;
            }
        }
    }
    return true;
}

bool as_mask_covered(as_mask mask, const unsigned char *masked, size_t rows, size_t cols) {
    return fits(mask, masked, rows, cols, false);
}

static size_t kept_in_row(const unsigned char *masked, size_t cols) {
    size_t kept = 0;
    for (size_t k = 0; k < cols; k++) {
        kept += masked[k] == 0;
    }
    return kept;
}

as_mask as_mask_find(const unsigned char *masked, size_t rows, size_t cols, size_t count) {
    if (count == 0) {
        return (as_mask){.kind = AS_MASK_NONE};
    }
    /* The last query sees every key, so under a window it keeps W of them; the first one keeps P
     * under a prefix that is not just causal. */
    const as_mask words[] = {
        {.kind = AS_MASK_CAUSAL},
        {.kind = AS_MASK_WINDOW, .width = kept_in_row(masked + (rows - 1) * cols, cols)},
        {.kind = AS_MASK_PREFIX, .width = kept_in_row(masked, cols)}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        bool defined = words[i].kind == AS_MASK_CAUSAL || words[i].width > 0;
        if (defined && fits(words[i], masked, rows, cols, true)) {
            return words[i];
        }
    }
    return (as_mask){.kind = AS_MASK_OTHER};
}
