/* What the names of the other tensors of a file say of one: a series of layers, a model's output.
 * It refuses a number that no other tensor of that name shares: "attn_2" alone is a name. */
#include "logits/siblings.h"

#include "base/fail.h"
#include "logits/axes.h"

#include <stdlib.h>
#include <string.h>

static int by_stem(const void *a, const void *b) {
    const as_stem *x = a, *y = b;
    int order = memcmp(x->text, y->text, x->length < y->length ? x->length : y->length);
    return order != 0 ? order : (x->length > y->length) - (x->length < y->length);
}

/* Where the first component starts that is `word`, or has it behind a "_"; NULL. */
static const char *component(const char *name, const char *word) {
    for (const char *part = name;; part++) {
        size_t own = strcspn(part, "./"), length = strlen(word);
        const char *end = own >= length ? part + own - length : NULL;
        if (end != NULL && memcmp(end, word, length) == 0 && (end == part || end[-1] == '_')) {
            return part;
        }
        part += own;
        if (*part == '\0') {
            return NULL;
        }
    }
}

as_status as_siblings_find(const as_dump *dump, as_siblings *out) {
    size_t count = as_dump_tensor_count(dump);
    as_siblings found = {.series = calloc(count + 1, sizeof *found.series),
                         .attentions = calloc(count + 1, sizeof *found.attentions)};
    if (found.series == NULL || found.attentions == NULL) {
        as_siblings_free(&found);
        return as_fail(AS_ENOMEM, "no memory for the names of %zu tensors", count);
    }
    for (size_t t = 0; t < count; t++) {
        const char *name = as_dump_tensor(dump, t)->name;
        size_t number, length = as_axes_end_number(name, &number);
        const char *attentions = component(name, "attentions");
        if (length > 0) {
            found.series[found.series_count++] = (as_stem){name, length};
        }
        if (attentions != NULL) {
            found.attentions[found.attention_count++] =
                (as_stem){name, (size_t)(attentions - name)};
        }
    }
    qsort(found.series, found.series_count, sizeof *found.series, by_stem);
    qsort(found.attentions, found.attention_count, sizeof *found.attentions, by_stem);
    *out = found;
    return AS_OK;
}

void as_siblings_free(as_siblings *siblings) {
    free(siblings->series);
    free(siblings->attentions);
    *siblings = (as_siblings){0};
}

size_t as_siblings_series(const as_siblings *siblings, const char *name) {
    size_t number, length = as_axes_end_number(name, &number), count = siblings->series_count;
    const as_stem key = {name, length};
    const as_stem *first = siblings->series;
    const as_stem *at = length > 0 ? bsearch(&key, first, count, sizeof key, by_stem) : NULL;
    bool two = at != NULL && ((at > first && by_stem(at - 1, &key) == 0) ||
                              (at + 1 < first + count && by_stem(at + 1, &key) == 0));
    return two ? number : AS_NO_AXIS;
}

bool as_siblings_output(const as_siblings *siblings, const char *name) {
    const char *logits = component(name, "logits");
    if (logits == NULL || strncmp(logits, "logits", 6) != 0) {
        return false;
    }
    const as_stem key = {name, (size_t)(logits - name)};
    return bsearch(&key, siblings->attentions, siblings->attention_count, sizeof key, by_stem) !=
           NULL;
}
