/* Mask words: parsed, written, applied, and recognised in a pattern.
 * It refuses words that are none, a window of 0, and "other", which only data can be. */
#include "logits/mask.h"
#include "base/fail.h"

#include <stdio.h>
#include <string.h>

static as_status unknown(const char *text) {
    return as_fail(AS_EINVAL,
                   "\"%s\" is no mask; valid are auto, none, causal, window:W with W ≥ 1, "
                   "prefix:P, and padding:left=L, padding:right=R or both (left=L,right=R), alone "
                   "or after another as in causal+padding:left=L",
                   text);
}

/* The number at *at, of at most nine digits; *at moves past it. */
static bool take_number(const char **at, size_t *out) {
    size_t digits = strspn(*at, "0123456789"), value = 0;
    if (digits == 0 || digits > 9) {
        return false;
    }
    for (const char *end = *at + digits; *at < end; (*at)++) {
        value = 10 * value + (size_t)(**at - '0');
    }
    *out = value;
    return true;
}

static bool take(const char **at, const char *word) {
    size_t length = strlen(word);
    bool there = strncmp(*at, word, length) == 0;
    *at += there ? length : 0;
    return there;
}

/* "left=L", "right=R", or both. */
static bool take_padding(const char **at, as_mask *out) {
    bool left = take(at, "left=");
    if (left && !take_number(at, &out->left)) {
        return false;
    }
    bool right = take(at, left ? ",right=" : "right=");
    return (left || right) && (!right || take_number(at, &out->right));
}

as_status as_mask_parse(const char *text, as_mask *out) {
    static const struct {
        const char *word;
        as_mask_kind kind;
        bool width;
    } words[] = {{"auto", AS_MASK_AUTO, false},     {"none", AS_MASK_NONE, false},
                 {"causal", AS_MASK_CAUSAL, false}, {"window:", AS_MASK_WINDOW, true},
                 {"prefix:", AS_MASK_PREFIX, true}, {"padding:", AS_MASK_NONE, false}};
    const size_t count = sizeof words / sizeof *words;
    const char *at = text;
    size_t w = 0;
    while (w < count && !take(&at, words[w].word)) {
        w++;
    }
    if (w == count) {
        return unknown(text);
    }
    as_mask mask = {.kind = words[w].kind};
    bool good = !words[w].width || take_number(&at, &mask.width);
    good = good && !(mask.kind == AS_MASK_WINDOW && mask.width == 0);
    if (good && (w == count - 1 || (mask.kind != AS_MASK_AUTO && take(&at, "+padding:")))) {
        good = take_padding(&at, &mask);
    }
    if (!good || *at != '\0') {
        return unknown(text);
    }
    *out = mask;
    return AS_OK;
}

const char *as_mask_name(as_mask mask, char *text) {
    static const char *const names[] = {
        [AS_MASK_AUTO] = "auto",     [AS_MASK_NONE] = "none",     [AS_MASK_CAUSAL] = "causal",
        [AS_MASK_WINDOW] = "window", [AS_MASK_PREFIX] = "prefix", [AS_MASK_OTHER] = "other"};
    bool width = mask.kind == AS_MASK_WINDOW || mask.kind == AS_MASK_PREFIX;
    if (as_mask_pads(mask) && mask.kind == AS_MASK_NONE) {
        return strcpy(text, "padding");
    }
    int used = width ? snprintf(text, AS_MASK_TEXT, "%s:%zu", names[mask.kind], mask.width)
                     : snprintf(text, AS_MASK_TEXT, "%s", names[mask.kind]);
    if (as_mask_pads(mask)) {
        snprintf(text + used, AS_MASK_TEXT - (size_t)used, "+padding");
    }
    return text;
}

static size_t smaller(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b) {
    return a > b ? a : b;
}

/* With off = cols − rows, causal keeps k ≤ i + off, that is k < last = i + cols + 1 − rows. */
static as_kept row_of_word(as_mask mask, size_t rows, size_t cols, size_t i) {
    size_t last = i + cols + 1 > rows ? smaller(i + cols + 1 - rows, cols) : 0;
    switch (mask.kind) {
    case AS_MASK_CAUSAL:
        return (as_kept){.last = last};
    case AS_MASK_WINDOW:
        return (as_kept){.first = last > mask.width ? last - mask.width : 0, .last = last};
    case AS_MASK_PREFIX:
        return (as_kept){.prefix = smaller(mask.width, cols), .last = last};
    default:
        return (as_kept){.prefix = cols};
    }
}

as_kept as_mask_row(as_mask mask, size_t rows, size_t cols, size_t i) {
    as_kept kept = row_of_word(mask, rows, cols, i);
    if (!as_mask_pads(mask)) {
        return kept;
    }
    size_t end = cols - smaller(mask.right, cols);
    if (mask.queries != AS_PAD_QUERIES_SEE && (i < mask.left || i >= end)) {
        bool all = mask.queries == AS_PAD_QUERIES_UNIFORM;
        return (as_kept){.prefix = all ? cols : 0};
    }
    return (as_kept){.begin = mask.left,
                     .prefix = smaller(kept.prefix, end),
                     .first = larger(kept.first, mask.left),
                     .last = smaller(kept.last, end)};
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

void as_mask_blank_ends(const unsigned char *masked, size_t rows, size_t cols, size_t *left,
                        size_t *right) {
    /* The columns before `first` and from `end` on are set in every row seen so far. */
    size_t first = cols, end = 0;
    for (size_t i = 0; i < rows; i++, masked += cols) {
        size_t k = 0, last = cols;
        while (k < first && masked[k] != 0) {
            k++;
        }
        while (last > end && masked[last - 1] != 0) {
            last--;
        }
        first = smaller(first, k);
        end = larger(end, last);
    }
    bool some = first < end;
    *left = some ? first : 0;
    *right = some ? cols - end : 0;
}

/* How many queries from the top see everything, though there are keys after them: those of padding on
 * the left, where the mask was a finite number. */
static size_t open_rows(const unsigned char *masked, size_t rows, size_t cols) {
    size_t open = 0;
    while (rows == cols && open + 1 < rows && kept_in_row(masked + open * cols, cols) == cols) {
        open++;
    }
    return open;
}

/* A word with padding: none, causal, or the window that the fullest row shows. */
static bool find_padded(const unsigned char *masked, size_t rows, size_t cols, as_mask *out) {
    size_t left, right, open = open_rows(masked, rows, cols), widest = 0;
    as_mask_blank_ends(masked + open * cols, rows - open, cols, &left, &right);
    if (left + right == 0 || (open > 0 && left != open)) {
        return false;
    }
    for (size_t i = open; i < rows; i++) {
        widest = larger(widest, kept_in_row(masked + i * cols, cols));
    }
    const as_mask words[] = {{.kind = AS_MASK_NONE},
                             {.kind = AS_MASK_CAUSAL},
                             {.kind = AS_MASK_WINDOW, .width = widest}};
    for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
        as_mask mask = words[w];
        mask.left = left;
        mask.right = right;
        mask.queries = open > 0 ? AS_PAD_QUERIES_UNIFORM : AS_PAD_QUERIES_SEE;
        if (fits(mask, masked, rows, cols, true)) {
            *out = mask;
            return true;
        }
        mask.queries = AS_PAD_QUERIES_BLIND;
        if (open == 0 && rows == cols && fits(mask, masked, rows, cols, true)) {
            *out = mask;
            return true;
        }
    }
    return false;
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
    as_mask padded;
    return find_padded(masked, rows, cols, &padded) ? padded : (as_mask){.kind = AS_MASK_OTHER};
}
