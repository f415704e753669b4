/* One matrix of a source, read, coupled where it is a pair, and prepared, with its baseline.
 * It refuses what the dump, the scheme or the mask refuses. */
#include "base/fail.h"
#include "logits/beside.h"
#include "logits/positions.h"
#include "logits/source.h"

#include <math.h>
#include <string.h>

void as_loaded_free(as_loaded *loaded) {
    if (loaded != NULL) {
        as_logits_free(&loaded->logits);
        as_logits_free(&loaded->baseline);
        as_pair_free(&loaded->pair);
        as_matrix_free(&loaded->kernel);
        as_matrix_free(&loaded->product);
        as_matrix_free(&loaded->added);
        as_matrix_free(&loaded->places);
        *loaded = (as_loaded){0};
    }
}

as_head as_entry_head(const as_source *source, const as_entry *entry) {
    const as_tables *tables = &source->schemes[entry->scheme].tables;
    return (as_head){.layer = entry->item.layer,
                     .head = entry->item.head,
                     .heads = entry->heads,
                     .rows = entry->item.rows,
                     .cols = entry->item.cols,
                     .dim = source->plans[AS_ROLE_QUERY].items[entry->at].item.cols,
                     .causal = as_mask_hides(source->how.mask),
                     .seed = source->seed,
                     .phase = source->phase,
                     .tables = tables->item,
                     .table_count = tables->count};
}

/* The slice of one planned item, and the epsilon of its dtype. */
static as_status read_item(const as_source *source, as_role role, size_t at, as_matrix *out,
                           as_dtype *dtype) {
    const as_plan *plan = &source->plans[role];
    const as_planned_item *planned = &plan->items[at];
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_input *input = &source->inputs.item[pt->input];
    as_slice slice = as_plan_slice(plan, planned);
    *dtype = as_dump_tensor(input->dump, pt->tensor)->dtype;
    as_status status = as_dump_read(input->dump, pt->tensor, &slice, out);
    return status == AS_OK ? AS_OK : as_fail(status, "%s", as_input_reason(input));
}

/* Half a unit of the last decimal of a text, which every number of it may be off. */
static double rounding_of(const as_source *source, as_role role, size_t at) {
    const as_plan *plan = &source->plans[role];
    const as_planned_tensor *pt = &plan->tensors[plan->items[at].tensor];
    int decimals = as_dump_tensor(source->inputs.item[pt->input].dump, pt->tensor)->decimals;
    return decimals < 0 ? 0 : pow(10, -decimals) / 2;
}

/* A dump of ours masks by −∞, so a large negative logit in it is one. */
static as_sentinels sentinels_of(const as_source *source, as_role role, size_t at) {
    const as_plan *plan = &source->plans[role];
    const as_dump *dump = source->inputs.item[plan->tensors[plan->items[at].tensor].input].dump;
    return as_dump_attribute(dump, "scheme") != NULL ? AS_SENTINELS_INFINITY : AS_SENTINELS_ANY;
}

/* Attention that was read, or the content that stands beside it, which no bias is added to. */
as_status as_prepare_read(const as_source *source, const as_entry *entry, as_dtype dtype,
                          const as_loaded *loaded, as_logits *logits) {
    as_preparation how = source->how;
    how.dtype = dtype;
    how.bias = loaded->bias != NULL ? &loaded->added : NULL;
    how.bias_dtype = loaded->bias_dtype;
    how.bias_masks_only = logits == &loaded->baseline;
    logits->epsilon = as_dtype_epsilon(dtype);
    logits->rounding = rounding_of(source, AS_ROLE_ATTENTION, entry->at);
    logits->sentinels = sentinels_of(source, AS_ROLE_ATTENTION, entry->at);
    return as_logits_prepare(logits, &how);
}

/* Computed logits: unmasked unless the user masks them, and of no file's rounding. Scale and cap are
 * in them. */
static as_status prepare_computed(const as_preparation *asked, const as_loaded *loaded,
                                  as_logits *logits) {
    const as_mask none = {.kind = AS_MASK_NONE};
    bool unmasked = asked->mask.kind == AS_MASK_AUTO;
    as_preparation how = {.dtype = AS_F64,
                          .kind = AS_KIND_LOGITS,
                          .mask = unmasked ? none : asked->mask,
                          .masked_as = asked->masked_as,
                          .drop_padding = asked->drop_padding,
                          .bias = loaded->bias != NULL ? &loaded->added : NULL,
                          .bias_dtype = loaded->bias_dtype,
                          .bias_masks_only = logits == &loaded->baseline,
                          .center = asked->center};
    if (unmasked && how.bias != NULL) {
        how.mask.kind = AS_MASK_AUTO; /* the bias may mask */
    }
    logits->sentinels = AS_SENTINELS_NONE;
    logits->rounding = 0;
    as_status status = as_logits_prepare(logits, &how);
    logits->epsilon = 0;
    logits->softcap = asked->softcap;
    return status;
}

/* The bias of an entry, where it has one. */
static as_status read_bias(const as_source *source, const as_entry *entry, as_loaded *out) {
    out->bias = NULL;
    if (entry->bias == SIZE_MAX) {
        return AS_OK;
    }
    as_status status = read_item(source, AS_ROLE_BIAS, entry->bias, &out->added, &out->bias_dtype);
    if (status != AS_OK) {
        return as_fail(status, "the bias: %s", as_message());
    }
    out->bias = source->plans[AS_ROLE_BIAS].items[entry->bias].item.source;
    return AS_OK;
}

/* Whether L and G are no longer what their scheme made of them: theorems and terms are of those. */
static bool is_altered(const as_preparation *how, const as_loaded *loaded) {
    return how->softcap > 0 || how->center || loaded->bias != NULL;
}

/* Terms (C5) are of all of q and k: not of a matrix that padding was taken out of. */
bool as_has_terms(const as_preparation *how, const as_loaded *loaded) {
    return !is_altered(how, loaded) && !loaded->logits.dropped;
}

/* By what the scheme is, for logits that were coupled here. */
double as_gain_of(const as_pair *pair, bool altered) {
    const as_rotation *rotation = &pair->rotation;
    bool rotates = pair->scheme.type->rotation != NULL && rotation->count > 0;
    if (!rotates || rotation->gain == 1) {
        return 1;
    }
    return altered || 2 * rotation->count != pair->q.cols ? 0 : rotation->gain;
}

as_relation as_relation_of(const as_pair *pair) {
    const as_scheme_type *type = pair->scheme.type;
    unsigned traits = as_scheme_traits(&pair->scheme, &pair->head);
    return type->kind == AS_CLASS_NONE                                    ? AS_RELATION_IDENTICAL
           : type->kernel != NULL && (traits & AS_TRAIT_CORRELATION) != 0 ? AS_RELATION_CORRELATION
                                                                          : AS_RELATION_NONE;
}

as_status as_loaded_couple(as_loaded *out, const as_preparation *how) {
    as_pair *pair = &out->pair;
    pair->softcap = how->softcap;
    as_status status = as_couple(pair, &out->baseline.a, &out->logits.a);
    if (status == AS_OK) {
        status = prepare_computed(how, out, &out->logits);
    }
    if (status == AS_OK) {
        status = prepare_computed(how, out, &out->baseline);
    }
    out->has_baseline = status == AS_OK;
    out->has_pair = status == AS_OK && as_has_terms(how, out);
    out->baseline_name = "content";
    out->gain = status == AS_OK ? as_gain_of(pair, is_altered(how, out)) : 0;
    out->relation = status == AS_OK ? as_relation_of(pair) : AS_RELATION_NONE;
    if (out->bias != NULL || (is_altered(how, out) && out->relation != AS_RELATION_IDENTICAL)) {
        out->relation = AS_RELATION_NONE;
    }
    out->scale = pair->scale;
    return status;
}

static as_status load_pair(const as_source *source, const as_entry *entry, as_loaded *out) {
    as_pair *pair = &out->pair;
    as_dtype dtype;
    as_status status = read_item(source, AS_ROLE_QUERY, entry->at, &pair->q, &dtype);
    if (status == AS_OK) {
        status = read_item(source, AS_ROLE_KEY, entry->key, &pair->k, &dtype);
    }
    pair->scheme = source->schemes[entry->scheme].scheme;
    pair->head = as_entry_head(source, entry);
    if (status == AS_OK) {
        status = as_positions_place(&source->positions, source->how.mask, entry->item.batch,
                                    &pair->head, &out->places);
    }
    pair->scale = source->scale;
    if (status == AS_OK && source->position_applied) {
        status = as_pair_unrotate(pair);
    }
    return status == AS_OK ? as_loaded_couple(out, &source->how) : status;
}

/* Logits that a bias is added to have themselves without it as their content. */
static as_status load_unbiased(const as_source *source, const as_entry *entry, as_dtype dtype,
                               as_loaded *out) {
    if (out->has_baseline || out->logits.kind == AS_KIND_WEIGHTS) {
        out->bias = out->logits.kind == AS_KIND_WEIGHTS ? NULL : out->bias;
        return AS_OK;
    }
    as_status status = read_item(source, AS_ROLE_ATTENTION, entry->at, &out->baseline.a, &dtype);
    if (status == AS_OK) {
        status = as_prepare_read(source, entry, dtype, out, &out->baseline);
    }
    out->has_baseline = status == AS_OK;
    out->baseline_name = "content";
    return status;
}

static as_status load_saved(const as_source *source, const as_entry *entry, as_loaded *out) {
    as_dtype dtype;
    as_status status = read_item(source, AS_ROLE_ATTENTION, entry->at, &out->logits.a, &dtype);
    if (status == AS_OK) {
        status = as_prepare_read(source, entry, dtype, out, &out->logits);
    }
    if (status == AS_OK && source->how.factor != 0 && out->logits.kind == AS_KIND_LOGITS) {
        out->scale = source->how.factor * (out->scale != 0 ? out->scale : 1);
    }
    if (status == AS_OK) {
        status = as_load_beside(source, entry, out);
    }
    return status == AS_OK && out->bias != NULL ? load_unbiased(source, entry, dtype, out) : status;
}

/* Q Kᵀ·scale of the user's own q and k, into the baseline. */
static as_status multiply_baseline(const as_source *source, const as_entry *entry, as_loaded *out) {
    as_pair *pair = &out->pair;
    as_dtype dtype;
    as_status status = read_item(source, AS_ROLE_BASELINE_QUERY, entry->baseline, &pair->q, &dtype);
    if (status == AS_OK) {
        status = read_item(source, AS_ROLE_BASELINE_KEY, entry->baseline_key, &pair->k, &dtype);
    }
    if (status == AS_OK) {
        status = as_scheme_parse("nope", &pair->scheme);
    }
    pair->head = (as_head){.heads = 1};
    pair->scale = source->scale;
    pair->softcap = source->how.softcap;
    return status == AS_OK ? as_couple(pair, &out->baseline.a, &out->kernel) : status;
}

/* A baseline that the user named stands before any other. It takes the matrix's mask: a masked matrix
 * against an unmasked one would compare the masks. */
static as_status load_named_baseline(const as_source *source, const as_entry *entry,
                                     as_loaded *out) {
    bool read = entry->compared == AS_ROLE_BASELINE;
    bool said = entry->pair || source->how.mask.kind != AS_MASK_AUTO;
    as_mask_kind found = out->logits.mask.kind;
    bool unknown = found == AS_MASK_OTHER || (found == AS_MASK_NONE && !said);
    as_mask mask = unknown ? (as_mask){.kind = AS_MASK_AUTO} : out->logits.mask;
    as_dtype dtype = AS_F64; /* of a product that is computed here */
    as_status status =
        read ? read_item(source, AS_ROLE_BASELINE, entry->baseline, &out->baseline.a, &dtype)
             : multiply_baseline(source, entry, out);
    if (status == AS_OK) {
        out->baseline.epsilon = read ? as_dtype_epsilon(dtype) : 0;
        out->baseline.rounding = read ? rounding_of(source, AS_ROLE_BASELINE, entry->baseline) : 0;
        out->baseline.sentinels =
            read ? sentinels_of(source, AS_ROLE_BASELINE, entry->baseline) : AS_SENTINELS_NONE;
        as_preparation how = source->how;
        how.dtype = dtype;
        how.kind = out->logits.kind;
        how.mask = mask;
        if (!read) {
            how.factor = how.softcap = 0; /* they are in the product */
            how.has_sentinel = false;
        }
        how.bias = out->bias != NULL ? &out->added : NULL;
        how.bias_dtype = out->bias_dtype;
        how.bias_masks_only = true;
        status = as_logits_prepare(&out->baseline, &how);
    }
    const as_mask *own = &out->logits.mask, *its = &out->baseline.mask;
    if (status == AS_OK && (own->left != its->left || own->right != its->right)) {
        status = as_fail(AS_EMASK,
                         "it has %zu keys of padding on the left and %zu on the right, the matrix "
                         "%zu and %zu",
                         its->left, its->right, own->left, own->right);
    } else if (status == AS_OK && !as_logits_same_mask(&out->logits, &out->baseline)) {
        status = as_fail(AS_EMASK, "it masks %zu entries, the matrix %zu, and not the same ones",
                         out->baseline.masked_count, out->logits.masked_count);
    }
    out->has_baseline = status == AS_OK;
    out->has_pair = false;
    out->relation = AS_RELATION_NONE;
    out->baseline_name = "file";
    return status == AS_OK ? AS_OK : as_fail(status, "the baseline: %s", as_message());
}

as_status as_source_load(const as_source *source, size_t index, as_loaded *out) {
    if (index >= source->entry_count) {
        return as_fail(AS_EINVAL, "there is no item %zu, there are %zu", index,
                       source->entry_count);
    }
    const as_entry *entry = &source->entries[index];
    out->has_pair = out->has_baseline = false;
    out->relation = AS_RELATION_NONE;
    out->gain = 0;
    out->scale = entry->item.scale;
    if (entry->item.status != AS_OK) {
        return as_fail(entry->item.status, "%s", entry->item.reason);
    }
    as_status status = read_bias(source, entry, out);
    if (status == AS_OK) {
        status = entry->pair ? load_pair(source, entry, out) : load_saved(source, entry, out);
    }
    return status == AS_OK && entry->compared != AS_ROLE_ATTENTION
               ? load_named_baseline(source, entry, out)
               : status;
}
