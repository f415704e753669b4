/* What stands beside the logits of a dump of ours: content, and the query and key behind both.
 * It refuses to take the dump's word for its scheme: relation and terms are checked entry by entry. */
#include "logits/beside.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/fail.h"

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
    as_relation claimed = out->logits.softmaxed ? AS_RELATION_NONE : as_relation_of(pair);
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

/* Whether what was kept of a is b's, within the rounding of a file. */
static bool is_near(const as_logits *a, const as_matrix *b) {
    double largest = 0, apart = 0;
    for (size_t i = 0; i < b->rows * b->cols; i++) {
        if (a->masked == NULL || !a->masked[i]) {
            largest = fmax(largest, fabs(b->data[i]));
            apart = fmax(apart, fabs(a->a.data[i] - b->data[i]));
        }
    }
    return apart <= fmax(1e-10, 8 * a->epsilon) * largest;
}

/* Terms of a rotation bound L and G only where both come of these q and k: they are coupled once more
 * and compared. */
static as_status check_pair(as_loaded *out) {
    out->has_pair = !out->logits.softmaxed && out->pair.rotation.count > 0;
    if (!out->has_pair) {
        return AS_OK;
    }
    as_status status = as_couple(&out->pair, &out->product, &out->kernel);
    out->has_pair = status == AS_OK && is_near(&out->baseline, &out->product) &&
                    is_near(&out->logits, &out->kernel);
    return status;
}

static size_t tensor_named(const as_dump *dump, const char *name) {
    size_t t = 0;
    while (t < as_dump_tensor_count(dump) && strcmp(as_dump_tensor(dump, t)->name, name) != 0) {
        t++;
    }
    return t;
}

/* Whether b has a's axes up to the last but `own`. */
static bool same_axes(const as_tensor *a, const as_tensor *b, size_t own) {
    bool same = a->rank == b->rank && a->rank >= own;
    for (size_t axis = 0; same && axis < a->rank - own; axis++) {
        same = a->shape[axis] == b->shape[axis];
    }
    return same;
}

/* Whether query and key are those of the logits, all as `build` lays them out: a file may hold
 * anything under these names. */
static bool is_pair_of(const as_tensor *logits, const as_tensor *query, const as_tensor *key,
                       const as_axes *axes) {
    size_t rank = logits->rank, row = rank - 2, col = rank - 1;
    size_t head = rank > 2 ? rank - 3 : AS_NO_AXIS;
    if (axes->at[AS_AXIS_QUERY] != row || axes->at[AS_AXIS_KEY] != col ||
        axes->at[AS_AXIS_HEAD] != head || !same_axes(logits, query, 1) ||
        !same_axes(logits, key, rank > 2 ? 3 : 2)) {
        return false;
    }
    bool grouped =
        rank == 2 || (key->shape[head] > 0 && logits->shape[head] % key->shape[head] == 0);
    return grouped && key->shape[row] == logits->shape[col] && query->shape[col] > 0 &&
           query->shape[col] == key->shape[col];
}

/* Reads what stands beside a dump's logits, in the same place; heads are shared by groups. */
static as_status read_beside(const as_dump *dump, size_t tensor, const as_slice *place,
                             size_t groups, as_matrix *out) {
    size_t rank = as_dump_tensor(dump, tensor)->rank;
    as_slice slice = *place;
    if (rank > 2) {
        slice.index[rank - 3] /= groups;
    }
    return as_dump_read(dump, tensor, &slice, out);
}

static bool is_finite(const as_matrix *a) {
    bool finite = true;
    for (size_t i = 0; i < a->rows * a->cols && finite; i++) {
        finite = isfinite(a->data[i]);
    }
    return finite;
}

/* The query and key that a dump's scheme coupled, where they are there, and what follows from it. */
static as_status load_pair_beside(const as_source *source, const as_entry *entry,
                                  const as_slice *place, as_loaded *out) {
    const as_plan *plan = &source->plans[AS_ROLE_ATTENTION];
    const as_planned_tensor *pt = &plan->tensors[plan->items[entry->at].tensor];
    const as_dump *dump = source->inputs.item[pt->input].dump;
    const as_tensor *logits = as_dump_tensor(dump, pt->tensor);
    size_t count = as_dump_tensor_count(dump);
    size_t query = tensor_named(dump, AS_DUMP_QUERY), key = tensor_named(dump, AS_DUMP_KEY);
    const char *scheme = as_dump_attribute(dump, "scheme");
    if (scheme == NULL || query == count || key == count ||
        !is_pair_of(logits, as_dump_tensor(dump, query), as_dump_tensor(dump, key), &pt->axes) ||
        strncmp(scheme, "hf:", 3) == 0 || /* a dump does not say which files are opened */
        as_scheme_parse(scheme, &out->pair.scheme) != AS_OK) {
        return AS_OK;
    }
    size_t rank = logits->rank, heads = rank > 2 ? logits->shape[rank - 3] : 1;
    size_t kv_heads = rank > 2 ? as_dump_tensor(dump, key)->shape[rank - 3] : 1;
    as_status status = read_beside(dump, query, place, 1, &out->pair.q);
    if (status == AS_OK) {
        status = read_beside(dump, key, place, heads / kv_heads, &out->pair.k);
    }
    if (status != AS_OK || !is_finite(&out->pair.q) || !is_finite(&out->pair.k)) {
        return status;
    }
    /* Without tables: a name that stands in a dump opens no file. */
    out->pair.head = (as_head){.layer = entry->item.layer,
                               .head = entry->item.head,
                               .heads = heads,
                               .causal = as_mask_hides(out->logits.mask),
                               .seed = entry->item.seed};
    out->pair.scale = out->scale;
    out->pair.softcap = 0;
    if (as_pair_describe(&out->pair) != AS_OK) {
        return AS_OK;
    }
    status = check_pair(out);
    out->gain = out->has_pair || out->pair.rotation.count == 0 ? as_gain_of(&out->pair, false) : 0;
    return status == AS_OK ? check_relation(out) : status;
}

/* A dump of ours: `content` is the baseline, `query` and `key` the pair behind both. */
as_status as_load_beside(const as_source *source, const as_entry *entry, as_loaded *out) {
    const as_plan *plan = &source->plans[AS_ROLE_ATTENTION];
    const as_planned_item *planned = &plan->items[entry->at];
    const as_planned_tensor *pt = &plan->tensors[planned->tensor];
    const as_dump *dump = source->inputs.item[pt->input].dump;
    size_t content = tensor_named(dump, AS_DUMP_CONTENT);
    if (strcmp(entry->item.tensor, AS_DUMP_LOGITS) != 0 || content == as_dump_tensor_count(dump) ||
        !same_axes(as_dump_tensor(dump, pt->tensor), as_dump_tensor(dump, content), 0)) {
        return AS_OK;
    }
    as_slice place = as_plan_slice(plan, planned);
    as_status status = as_dump_read(dump, content, &place, &out->baseline.a);
    if (status == AS_OK) {
        status = as_prepare_read(source, entry, as_dump_tensor(dump, content)->dtype, out,
                                 &out->baseline);
    }
    out->has_baseline = status == AS_OK;
    out->baseline_name = "content";
    return status == AS_OK && as_has_terms(&source->how, out)
               ? load_pair_beside(source, entry, &place, out)
               : status;
}
