/* Any number of files as one list of matrices: attention as it was saved, and q and k to be coupled.
 * It refuses options that are out of range; whatever is wrong with a file is an item of the list. */
#include "logits/source.h"

#include "base/fail.h"
#include "logits/pairs.h"

#include <stdlib.h>

/* Opens one role's inputs, from *first on, and plans them. */
static as_status plan_role(as_source *source, as_role role, const as_source_options *options,
                           size_t *first) {
    static const char *const option[AS_ROLE_COUNT] = {
        "--axes", "--query-axes", "--key-axes", "--axes", "--query-axes", "--key-axes", "--axes"};
    const char *const axes_of[AS_ROLE_COUNT] = {options->axes,       options->query_axes,
                                                options->key_axes,   options->axes,
                                                options->query_axes, options->key_axes};
    as_axes axes;
    as_status status = axes_of[role] != NULL ? as_axes_parse(role, axes_of[role], &axes) : AS_OK;
    if (status != AS_OK || source->role_count[role] == 0) {
        return status;
    }
    as_plan_request request = {.role = role,
                               .inputs = source->inputs.item,
                               .first = *first,
                               .count = source->role_count[role],
                               .axes = axes_of[role] != NULL ? &axes : NULL,
                               .axes_option = option[role],
                               .raw_dtype = options->raw_dtype,
                               .raw = options->raw};
    if (role == AS_ROLE_ATTENTION || role == AS_ROLE_QUERY) {
        request.chosen[AS_AXIS_LAYER] = options->layers;
        request.chosen[AS_AXIS_BATCH] = options->batch;
        request.chosen[AS_AXIS_HEAD] = options->heads;
    }
    *first += source->role_count[role];
    return as_plan_make(&source->plans[role], &request);
}

static as_status add(as_source *source, as_entry entry) {
    if (source->entry_count == source->entry_capacity) {
        size_t capacity = source->entry_capacity > 0 ? 2 * source->entry_capacity : 64, bytes;
        as_entry *entries =
            as_mul(capacity, sizeof entry, &bytes) ? realloc(source->entries, bytes) : NULL;
        if (entries == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a list of %zu matrices", capacity);
        }
        source->entries = entries;
        source->entry_capacity = capacity;
    }
    source->entries[source->entry_count++] = entry;
    return AS_OK;
}

/* Where a walk through the matrices stands in the plans that they are compared with, or biased by. */
typedef struct comparison {
    bool asked, named;
    size_t at, key; /* cursors */
    size_t found, matrices;
    bool biased;
    size_t bias, bias_found;
} comparison;

static comparison begin_comparison(const as_source_options *options) {
    return (comparison){.asked = options->baseline_count + options->baseline_query_count > 0,
                        .named = options->query_axes != NULL && options->key_axes != NULL,
                        .biased = options->bias_count > 0};
}

/* Finds the bias of a matrix; without one it is skipped, not analysed as if it had none. */
static void add_bias(const as_source *source, comparison *c, as_entry *entry) {
    entry->bias = SIZE_MAX;
    if (!c->biased || entry->item.status != AS_OK) {
        return;
    }
    entry->bias = as_pairs_broadcast(&source->plans[AS_ROLE_BIAS], &entry->item, &c->bias);
    if (entry->bias == SIZE_MAX) {
        entry->item.status = AS_SKIPPED;
        entry->item.reason = "no bias has its layer, batch, head and shape";
    } else {
        c->bias_found++;
    }
}

/* Finds what the user wants a matrix compared with: one of the same layer, batch, head and shape, or
 * the product of such a query and key. */
static as_status compare(const as_source *source, comparison *c, as_entry *entry) {
    const as_plan *queries = &source->plans[AS_ROLE_BASELINE_QUERY];
    const as_plan *keys = &source->plans[AS_ROLE_BASELINE_KEY];
    c->matrices += entry->item.status == AS_OK;
    add_bias(source, c, entry);
    if (!c->asked || entry->item.status != AS_OK) {
        return AS_OK;
    }
    size_t at = as_pairs_same(&source->plans[AS_ROLE_BASELINE], &entry->item, true, &c->at);
    if (at != SIZE_MAX) {
        entry->compared = AS_ROLE_BASELINE;
        entry->baseline = at;
        c->found++;
        return AS_OK;
    }
    at = as_pairs_same(queries, &entry->item, false, &c->at);
    if (at == SIZE_MAX) {
        return AS_OK;
    }
    as_status status = as_pairs_key(queries, keys, at, c->named, &c->key);
    if (status == AS_OK && keys->items[c->key].item.rows == entry->item.cols) {
        entry->compared = AS_ROLE_BASELINE_QUERY;
        entry->baseline = at;
        entry->baseline_key = c->key;
        c->found++;
    }
    return status;
}

/* A baseline that fits nothing is a mistake, not a result without ratios. */
static as_status end_comparison(const as_source *source, const comparison *c) {
    const char *what = c->biased && c->bias_found == 0 ? "bias"
                       : c->asked && c->found == 0     ? "baseline"
                                                       : NULL;
    if (what == NULL || c->matrices == 0) {
        return AS_OK;
    }
    /* Where it could not be read, that is why. */
    for (size_t role = AS_ROLE_BASELINE; role < AS_ROLE_COUNT; role++) {
        const as_plan *plan = &source->plans[role];
        for (size_t i = 0; i < plan->item_count; i++) {
            const as_item *item = &plan->items[i].item;
            if (item->status != AS_OK && (role == AS_ROLE_BIAS) == (what[1] == 'i')) {
                return as_fail(AS_EINVAL, "the %s %s%s%s: %s", what, item->source,
                               item->tensor[0] != '\0' ? ": " : "", item->tensor, item->reason);
            }
        }
    }
    return as_fail(AS_EINVAL, "no %s has the layer, batch, head and shape of a matrix", what);
}

/* Attention as it was saved. */
static as_status list_attention(as_source *source, comparison *c) {
    const as_plan *plan = &source->plans[AS_ROLE_ATTENTION];
    as_status status = AS_OK;
    for (size_t i = 0; i < plan->item_count && status == AS_OK; i++) {
        as_entry entry = {.item = plan->items[i].item, .at = i};
        status = compare(source, c, &entry);
        if (status == AS_OK) {
            status = add(source, entry);
        }
    }
    return status;
}

/* What could not be planned of q or of k is a row once, not once a scheme. */
static as_status list_refused(as_source *source, const as_plan *plan) {
    as_status status = AS_OK;
    for (size_t i = 0; i < plan->item_count && status == AS_OK; i++) {
        if (plan->items[i].item.status != AS_OK) {
            status = add(source, (as_entry){.item = plan->items[i].item});
        }
    }
    return status;
}

/* Every query head with its key head, under one scheme. */
static as_status list_pairs(as_source *source, size_t scheme, comparison *c) {
    const as_plan *queries = &source->plans[AS_ROLE_QUERY], *keys = &source->plans[AS_ROLE_KEY];
    size_t cursor = 0;
    for (size_t i = 0; i < queries->item_count; i++) {
        const as_item *q = &queries->items[i].item;
        if (q->status != AS_OK) {
            continue;
        }
        as_status status = as_pairs_key(queries, keys, i, c->named, &cursor);
        if (status != AS_OK) {
            return status;
        }
        as_entry entry = {.item = *q, .pair = true, .at = i, .key = cursor, .scheme = scheme};
        entry.item.cols = keys->items[cursor].item.rows;
        entry.item.scheme = source->schemes[scheme].text;
        entry.item.has_seed = true;
        entry.item.seed = source->seed;
        entry.heads = as_plan_heads(queries, &queries->items[i]);
        as_head head = as_entry_head(source, &entry);
        status = as_scheme_check(&source->schemes[scheme].scheme, &head);
        if (status == AS_OK) {
            status = compare(source, c, &entry);
        }
        if (status == AS_OK) {
            status = add(source, entry);
        }
        if (status != AS_OK) {
            return status;
        }
    }
    return AS_OK;
}

/* The schemes of the options, or nope; --position applied needs a rotation to undo. */
static as_status take_schemes(as_source *source, const as_source_options *options) {
    as_scheme none;
    as_status status = as_scheme_parse("nope", &none);
    const as_scheme *schemes = options->scheme_count > 0 ? options->schemes : &none;
    size_t count = options->scheme_count > 0 ? options->scheme_count : 1;
    source->schemes = status == AS_OK ? calloc(count, sizeof *source->schemes) : NULL;
    if (source->schemes == NULL) {
        return status == AS_OK ? as_fail(AS_ENOMEM, "no memory for %zu schemes", count) : status;
    }
    for (; source->scheme_count < count; source->scheme_count++) {
        const as_scheme *scheme = &schemes[source->scheme_count];
        if (source->position_applied && scheme->type->rotation == NULL) {
            return as_fail(AS_EINVAL,
                           "q and k after position can be turned back for rotations only; %s has "
                           "none",
                           scheme->type->name);
        }
        char *text = as_scheme_text(scheme);
        if (text == NULL) {
            return as_fail(AS_ENOMEM, "no memory for a scheme");
        }
        as_named_scheme *named = &source->schemes[source->scheme_count];
        *named = (as_named_scheme){.scheme = *scheme, .text = text};
        status = as_tables_read(scheme, &named->tables);
        if (status != AS_OK) {
            free(text);
            return status;
        }
    }
    return AS_OK;
}

static bool any_matrix(const as_plan *plan) {
    size_t i = 0;
    while (i < plan->item_count && plan->items[i].item.status != AS_OK) {
        i++;
    }
    return i < plan->item_count;
}

static as_status list(as_source *source, const as_source_options *options) {
    comparison c = begin_comparison(options);
    as_status status = AS_OK;
    size_t first = 0;
    for (as_role role = AS_ROLE_ATTENTION; role < AS_ROLE_COUNT && status == AS_OK; role++) {
        status = plan_role(source, role, options, &first);
        if (status == AS_OK && role == AS_ROLE_BIAS) {
            status = as_pairs_check_biases(&source->plans[role]);
        } else if (status == AS_OK && role != AS_ROLE_ATTENTION) {
            status = as_pairs_check_unique(&source->plans[role]);
        }
    }
    if (status == AS_OK) {
        status = as_plan_note(&source->plans[AS_ROLE_ATTENTION], &source->note);
    }
    if (status == AS_OK) {
        status = list_attention(source, &c);
    }
    if (status != AS_OK || options->query_count == 0) {
        return status == AS_OK ? end_comparison(source, &c) : status;
    }
    status = list_refused(source, &source->plans[AS_ROLE_QUERY]);
    if (status == AS_OK) {
        status = list_refused(source, &source->plans[AS_ROLE_KEY]);
    }
    if (status == AS_OK) {
        status = take_schemes(source, options);
    }
    if (!any_matrix(&source->plans[AS_ROLE_KEY])) {
        return status; /* the rows say why */
    }
    for (size_t s = 0; s < source->scheme_count && status == AS_OK; s++) {
        status = list_pairs(source, s, &c);
    }
    return status == AS_OK ? end_comparison(source, &c) : status;
}

static as_status add_inputs(as_source *source, as_role role, const char *const *inputs,
                            size_t count) {
    as_status status = AS_OK;
    size_t first = source->inputs.count;
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        status = as_inputs_add(&source->inputs, inputs[i]);
    }
    if (status == AS_OK) {
        status = as_inputs_unite(&source->inputs, first);
    }
    source->role_count[role] = source->inputs.count - first;
    return status;
}

as_status as_source_open(const char *const *inputs, size_t count, const as_source_options *options,
                         as_source **out) {
    const as_source_options defaults = {0};
    options = options != NULL ? options : &defaults;
    if (count == 0 && options->query_count == 0) {
        return as_fail(AS_EINVAL, "there is no input to read");
    }
    if ((options->query_count == 0) != (options->key_count == 0) ||
        (options->baseline_query_count == 0) != (options->baseline_key_count == 0)) {
        return as_fail(AS_EINVAL, "queries need keys, and keys need queries");
    }
    as_source *source = calloc(1, sizeof *source);
    if (source == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu inputs", count);
    }
    bool products = options->query_count + options->baseline_query_count > 0;
    source->how = (as_preparation){.kind = options->kind,
                                   .mask = options->mask,
                                   .masked_as = options->masked_as,
                                   .has_sentinel = options->has_sentinel,
                                   .sentinel = options->sentinel,
                                   .drop_padding = options->drop_padding,
                                   .factor = products ? 0 : options->scale,
                                   .softcap = options->softcap,
                                   .center = options->center};
    source->scale = options->scale;
    source->position_applied = options->position_applied;
    source->phase = options->phase;
    source->seed = options->seed;
    const struct {
        const char *const *inputs;
        size_t count;
    } of[AS_ROLE_COUNT] = {{inputs, count},
                           {options->queries, options->query_count},
                           {options->keys, options->key_count},
                           {options->baselines, options->baseline_count},
                           {options->baseline_queries, options->baseline_query_count},
                           {options->baseline_keys, options->baseline_key_count},
                           {options->biases, options->bias_count}};
    as_status status = AS_OK;
    for (as_role role = 0; role < AS_ROLE_COUNT && status == AS_OK; role++) {
        status = add_inputs(source, role, of[role].inputs, of[role].count);
    }
    if (status == AS_OK && options->positions != NULL &&
        (status = as_positions_read(options->positions, &source->positions)) == AS_EREAD) {
        status = as_fail(AS_EINVAL, "%s", as_message());
    }
    if (status == AS_OK) {
        status = list(source, options);
    }
    if (status != AS_OK) {
        as_source_close(source);
        return status;
    }
    *out = source;
    return AS_OK;
}

void as_source_close(as_source *source) {
    if (source == NULL) {
        return;
    }
    for (size_t role = 0; role < AS_ROLE_COUNT; role++) {
        as_plan_free(&source->plans[role]);
    }
    as_inputs_free(&source->inputs);
    for (size_t s = 0; s < source->scheme_count; s++) {
        free(source->schemes[s].text);
        as_tables_free(&source->schemes[s].tables);
    }
    free(source->schemes);
    as_matrix_free(&source->positions);
    free(source->note);
    free(source->entries);
    free(source);
}

size_t as_source_count(const as_source *source) {
    return source->entry_count;
}

const as_item *as_source_item(const as_source *source, size_t index) {
    return &source->entries[index].item;
}

const char *as_source_note(const as_source *source) {
    return source->note;
}

size_t as_source_input_count(const as_source *source) {
    return source->inputs.count;
}

const char *as_source_input_path(const as_source *source, size_t input) {
    return source->inputs.item[input].path;
}

const as_left_out *as_source_left_out(const as_source *source) {
    return &source->inputs.left_out;
}

const as_dump *as_source_dump(const as_source *source, size_t input) {
    return source->inputs.item[input].dump;
}
