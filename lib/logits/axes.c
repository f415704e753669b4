/* Which axis is layer, batch, head, query, key: by --axes, else by the tensor's name, else by rank.
 * It refuses words that are no axes, and axes without query and key. */
#include "logits/axes.h"
#include "base/fail.h"

#include <string.h>

static const char *const attention_words[AS_AXIS_COUNT] = {"layer", "batch", "head", "query",
                                                           "key"};
static const char *const projection_words[AS_AXIS_COUNT] = {"layer", "batch", "head", "position",
                                                            "dim"};

static const as_axes no_axes = {.at = {AS_NO_AXIS, AS_NO_AXIS, AS_NO_AXIS, AS_NO_AXIS, AS_NO_AXIS}};

static const char *const *words_of(as_role role) {
    return as_role_is_projection(role) ? projection_words : attention_words;
}

const char *as_axis_name(as_role role, as_axis axis) {
    return words_of(role)[axis];
}

static bool is_word(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

as_status as_axes_parse(as_role role, const char *text, as_axes *out) {
    const char *const *words = words_of(role);
    as_axes axes = no_axes;
    for (const char *at = text;; at++) {
        size_t length = strcspn(at, ",");
        size_t axis = 0;
        while (axis < AS_AXIS_COUNT && !is_word(at, length, words[axis])) {
            axis++;
        }
        if (axis == AS_AXIS_COUNT) {
            return as_fail(
                AS_EINVAL, "\"%.*s\" is no axis; valid are layer, batch, head, %s and %s",
                (int)(length < 64 ? length : 64), at, words[AS_AXIS_QUERY], words[AS_AXIS_KEY]);
        }
        if (axes.at[axis] != AS_NO_AXIS) {
            return as_fail(AS_EINVAL, "the axis %s is named twice in \"%s\"", words[axis], text);
        }
        axes.at[axis] = axes.rank++;
        at += length;
        if (*at == '\0') {
            break;
        }
    }
    if (axes.at[AS_AXIS_QUERY] == AS_NO_AXIS || axes.at[AS_AXIS_KEY] == AS_NO_AXIS) {
        return as_fail(AS_EINVAL,
                       "the axes \"%s\" need both %s and %s; valid are layer, batch, head, %s and "
                       "%s",
                       text, words[AS_AXIS_QUERY], words[AS_AXIS_KEY], words[AS_AXIS_QUERY],
                       words[AS_AXIS_KEY]);
    }
    *out = axes;
    return AS_OK;
}

/* TransformerLens has batch, position, head, dim; without a batch the last three. */
static as_axes position_first(size_t rank) {
    as_axes axes = no_axes;
    if (rank == 4) {
        axes.at[AS_AXIS_BATCH] = axes.rank++;
    }
    axes.at[AS_AXIS_QUERY] = axes.rank++;
    axes.at[AS_AXIS_HEAD] = axes.rank++;
    axes.at[AS_AXIS_KEY] = axes.rank++;
    return axes;
}

/* Rank 3 has one loop axis: head. Rank 4 has two: layer and head, but batch and head where the
 * first is 1 long or the name says so, as models return them. A number in the name takes its word
 * away, and the loop axes move to the words that are left. */
as_axes as_axes_guess(const as_tensor *tensor, const size_t number[AS_LOOP_COUNT]) {
    static const as_axis rank3[] = {AS_AXIS_HEAD, AS_AXIS_BATCH, AS_AXIS_LAYER};
    static const as_axis rank4[] = {AS_AXIS_HEAD, AS_AXIS_LAYER, AS_AXIS_BATCH};
    static const as_axis rank4_one[] = {AS_AXIS_HEAD, AS_AXIS_BATCH, AS_AXIS_LAYER};
    size_t loops = tensor->rank - 2;
    if ((loops == 1 || loops == 2) && as_axes_is_position_first(tensor->name)) {
        return position_first(tensor->rank);
    }
    bool batch = tensor->shape[0] == 1 || as_axes_is_batch_first(tensor->name);
    const as_axis *preference = loops != 2 ? rank3 : batch ? rank4_one : rank4;

    bool taken[AS_LOOP_COUNT] = {false};
    size_t found = 0;
    for (int named = 0; named < 2; named++) {
        for (size_t i = 0; i < AS_LOOP_COUNT && found < loops; i++) {
            as_axis axis = preference[i];
            if (!taken[axis] && (number[axis] != AS_NO_AXIS) == (named == 1)) {
                taken[axis] = true;
                found++;
            }
        }
    }
    as_axes axes = no_axes;
    for (size_t axis = 0; axis < AS_LOOP_COUNT; axis++) {
        if (taken[axis]) {
            axes.at[axis] = axes.rank++;
        }
    }
    axes.at[AS_AXIS_QUERY] = axes.rank++;
    axes.at[AS_AXIS_KEY] = axes.rank++;
    return axes;
}
