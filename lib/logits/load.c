/* One matrix of a source, read, coupled where it is a pair, and prepared, with its baseline.
 * It refuses what the dump, the scheme or the mask refuses. */
#include "base/fail.h"
#include "logits/source.h"

#include <float.h>
#include <math.h>
#include <string.h>

void as_loaded_free(as_loaded *loaded) {
    if (loaded != NULL) {
        as_logits_free(&loaded->logits);
        as_logits_free(&loaded->baseline);
        as_pair_free(&loaded->pair);
        as_matrix_free(&loaded->kernel);
        *loaded = (as_loaded){0};
    }
}

as_head as_entry_head(const as_source *source, const as_entry *entry) {
    return (as_head){.layer = entry->item.layer,
                     .head = entry->item.head,
                     .heads = entry->heads,
                     .rows = entry->item.rows,
                     .cols = entry->item.cols,
                     .dim = source->plans[AS_ROLE_QUERY].items[entry->at].item.cols,
                     .causal = source->mask.kind == AS_MASK_CAUSAL ||
                               source->mask.kind == AS_MASK_WINDOW};
}

/* The slice of one planned item, and the epsilon of its dtype. */
static as_status read_item(const as_source *source, as_role role, size_t at, as_matrix *out,
                           as_dtype *dtype) {
    const as_plan *plan = &source->plans[role];
    const as_planned_item *planned = &plan->items[at];
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_input *input = &source->inputs[pt->input];
    as_slice slice = as_plan_slice(plan, planned);
    *dtype = as_dump_tensor(input->dump, pt->tensor)->dtype;
    as_status status = as_dump_read(input->dump, pt->tensor, &slice, out);
    return status == AS_OK ? AS_OK : as_fail(status, "%s", as_input_reason(input));
}

static as_status prepare(const as_source *source, as_logits *logits, as_dtype dtype) {
    logits->epsilon = as_dtype_epsilon(dtype);
    return as_logits_prepare(logits, dtype, source->kind, source->mask, source->masked_as);
}

/* Computed logits: unmasked unless the user masks them, and of no file's rounding. */
static as_status prepare_computed(const as_source *source, as_logits *logits) {
    as_mask mask =
        source->mask.kind == AS_MASK_AUTO ? (as_mask){.kind = AS_MASK_NONE} : source->mask;
    as_status status = as_logits_prepare(logits, AS_F64, AS_KIND_LOGITS, mask, source->masked_as);
    logits->epsilon = 0;
    return status;
}

/* By what the scheme is, for logits that were coupled here. */
static as_relation relation_of(const as_pair *pair) {
    const as_scheme_type *type = pair->scheme.type;
    unsigned traits = as_scheme_traits(&pair->scheme, &pair->head);
    return type->kind == AS_CLASS_NONE                                    ? AS_RELATION_IDENTICAL
           : type->kernel != NULL && (traits & AS_TRAIT_CORRELATION) != 0 ? AS_RELATION_CORRELATION
                                                                          : AS_RELATION_NONE;
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
    pair->scale = source->scale;
    if (status == AS_OK && source->position_applied) {
        status = as_pair_unrotate(pair);
    }
    if (status == AS_OK) {
        status = as_couple(pair, &out->baseline.a, &out->logits.a);
    }
    if (status == AS_OK) {
        status = prepare_computed(source, &out->logits);
    }
    if (status == AS_OK) {
        status = prepare_computed(source, &out->baseline);
    }
    out->has_pair = out->has_baseline = status == AS_OK;
    out->baseline_name = "content";
    out->relation = status == AS_OK ? relation_of(pair) : AS_RELATION_NONE;
    out->scale = pair->scale;
    return status;
}

/* Whether |L − G ∘ T| is rounding everywhere: a file's word for its scheme is not taken. */
static bool is_product(const as_matrix *l, const as_matrix *g, const as_matrix *t) {
    for (size_t i = 0; i < l->rows * l->cols; i++) {
        double product = g->data[i] * t->data[i];
        if (!(fabs(l->data[i] - product) <= 8 * DBL_EPSILON * fabs(g->data[i]))) {
            return false;
        }
    }
    return true;
}

/* The relation that a dump's scheme stands for, if its matrices bear it out. */
static as_status check_relation(as_loaded *out) {
    const as_pair *pair = &out->pair;
    const as_matrix *l = &out->logits.a, *g = &out->baseline.a;
    as_relation claimed = out->logits.softmaxed ? AS_RELATION_NONE : relation_of(pair);
    if (claimed == AS_RELATION_IDENTICAL &&
        memcmp(l->data, g->data, l->rows * l->cols * sizeof *l->data) == 0) {
        out->relation = claimed;
    }
    if (claimed != AS_RELATION_CORRELATION) {
        return AS_OK;
    }
    as_status status = as_matrix_resize(&out->kernel, l->rows, l->cols);
    if (status == AS_OK) {
        status = pair->scheme.type->kernel(&pair->scheme, &pair->head, out->kernel.data);
    }
    if (status == AS_OK && is_product(l, g, &out->kernel)) {
        out->relation = claimed;
    }
    return status;
}

static size_t tensor_named(const as_dump *dump, const char *name) {
    size_t t = 0;
    while (t < as_dump_tensor_count(dump) && strcmp(as_dump_tensor(dump, t)->name, name) != 0) {
        t++;
    }
    return t;
}

/* Reads what stands beside a dump's logits, in the same place; heads are shared by groups. */
static as_status read_beside(const as_dump *dump, size_t tensor, const as_slice *place,
                             size_t groups, as_matrix *out) {
    size_t rank = as_dump_tensor(dump, tensor)->rank;
    as_slice slice = *place;
    slice.row_axis = rank - 2;
    slice.col_axis = rank - 1;
    if (rank > 2) {
        slice.index[rank - 3] /= groups;
    }
    return as_dump_read(dump, tensor, &slice, out);
}

/* A dump of ours: `content` is the baseline, `query` and `key` the pair behind both. */
static as_status load_beside(const as_source *source, const as_entry *entry, as_loaded *out) {
    const as_plan *plan = &source->plans[AS_ROLE_ATTENTION];
    const as_planned_item *planned = &plan->items[entry->at];
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_dump *dump = source->inputs[pt->input].dump;
    size_t count = as_dump_tensor_count(dump), content = tensor_named(dump, AS_DUMP_CONTENT);
    size_t query = tensor_named(dump, AS_DUMP_QUERY), key = tensor_named(dump, AS_DUMP_KEY);
    const as_tensor *logits = as_dump_tensor(dump, pt->tensor);
    if (strcmp(entry->item.tensor, AS_DUMP_LOGITS) != 0 || content == count ||
        as_dump_tensor(dump, content)->rank != logits->rank) {
        return AS_OK;
    }
    as_slice place = as_plan_slice(plan, planned);
    as_status status = as_dump_read(dump, content, &place, &out->baseline.a);
    if (status == AS_OK) {
        status = prepare(source, &out->baseline, as_dump_tensor(dump, content)->dtype);
    }
    out->has_baseline = status == AS_OK;
    out->baseline_name = "content";
    const char *scheme = as_dump_attribute(dump, "scheme");
    if (status != AS_OK || scheme == NULL || query == count || key == count ||
        as_dump_tensor(dump, query)->rank != logits->rank ||
        as_dump_tensor(dump, key)->rank != logits->rank ||
        as_scheme_parse(scheme, &out->pair.scheme) != AS_OK) {
        return status;
    }
    size_t rank = logits->rank;
    size_t heads = rank > 2 ? logits->shape[rank - 3] : 1;
    size_t kv_heads = rank > 2 ? as_dump_tensor(dump, key)->shape[rank - 3] : 1;
    if (kv_heads == 0 || heads % kv_heads != 0) {
        return AS_OK;
    }
    status = read_beside(dump, query, &place, 1, &out->pair.q);
    if (status == AS_OK) {
        status = read_beside(dump, key, &place, heads / kv_heads, &out->pair.k);
    }
    if (status != AS_OK) {
        return status;
    }
    out->pair.head = (as_head){.layer = entry->item.layer,
                               .head = entry->item.head,
                               .heads = heads,
                               .causal = out->logits.mask.kind == AS_MASK_CAUSAL ||
                                         out->logits.mask.kind == AS_MASK_WINDOW,
                               .seed = entry->item.seed};
    out->pair.scale = entry->item.scale;
    out->has_pair = as_pair_describe(&out->pair) == AS_OK;
    return out->has_pair ? check_relation(out) : AS_OK;
}

static as_status load_saved(const as_source *source, const as_entry *entry, as_loaded *out) {
    as_dtype dtype;
    as_status status = read_item(source, AS_ROLE_ATTENTION, entry->at, &out->logits.a, &dtype);
    if (status == AS_OK) {
        status = prepare(source, &out->logits, dtype);
    }
    return status == AS_OK ? load_beside(source, entry, out) : status;
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
    return status == AS_OK ? as_couple(pair, &out->baseline.a, &out->kernel) : status;
}

/* A baseline that the user named stands before any other. It takes the matrix's mask: a masked matrix
 * against an unmasked one would compare the masks. */
static as_status load_named_baseline(const as_source *source, const as_entry *entry,
                                     as_loaded *out) {
    as_mask_kind found = out->logits.mask.kind;
    as_mask mask = found == AS_MASK_CAUSAL || found == AS_MASK_WINDOW || found == AS_MASK_PREFIX
                       ? out->logits.mask
                       : (as_mask){.kind = AS_MASK_AUTO};
    as_dtype dtype = AS_F64; /* of a product that is computed here */
    as_status status =
        entry->compared == AS_ROLE_BASELINE
            ? read_item(source, AS_ROLE_BASELINE, entry->baseline, &out->baseline.a, &dtype)
            : multiply_baseline(source, entry, out);
    if (status == AS_OK) {
        out->baseline.epsilon = entry->compared == AS_ROLE_BASELINE ? as_dtype_epsilon(dtype) : 0;
        status =
            as_logits_prepare(&out->baseline, dtype, out->logits.kind, mask, source->masked_as);
    }
    if (status == AS_OK && out->baseline.masked_count != out->logits.masked_count) {
        status = as_fail(AS_EMASK, "it masks %zu entries, the matrix %zu",
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
    out->scale = entry->item.scale;
    if (entry->item.status != AS_OK) {
        return as_fail(entry->item.status, "%s", entry->item.reason);
    }
    as_status status = entry->pair ? load_pair(source, entry, out) : load_saved(source, entry, out);
    return status == AS_OK && entry->compared != AS_ROLE_ATTENTION
               ? load_named_baseline(source, entry, out)
               : status;
}
