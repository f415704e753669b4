/* RoPE and MLA of a Hugging Face config.json: base, scaling, pairs, and the layers that rotate.
 * It refuses unknown rope types, and models whose layers rotate in two ways. */
#include "scheme/hf.h"

#include <math.h>
#include <string.h>

#include "base/fail.h"

/* The word of this toolkit for a rope type; NULL where it is unknown. */
static const char *scaling_of(const char *type) {
    static const char *const words[][2] = {
        {"", "none"},           {"default", "none"},
        {"linear", "linear"},   {"ntk", "ntk"},
        {"dynamic", "dynamic"}, {"yarn", "yarn"},
        {"llama3", "llama3"},   {"longrope", "longrope"},
        {"su", "longrope"},     {"proportional", "proportional"}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(words[i][0], type) == 0) {
            return words[i][1];
        }
    }
    return NULL;
}

static as_status add_list(hf_config *c, const char *key) {
    const as_json_value *list = as_json_member(c->rope, key);
    if (as_json_length(list) == 0) {
        return as_fail(AS_EINVAL, "%s: the rope type longrope has no list %s", c->path, key);
    }
    as_hf_add(c, ",%s=", key);
    for (size_t i = 0; i < as_json_length(list); i++) {
        as_hf_add(c, "%s", i > 0 ? "," : "");
        double x = as_json_double(as_json_element(list, i));
        if (isnan(x)) {
            return as_fail(AS_EINVAL, "%s: its %s has an entry that is no number", c->path, key);
        }
        as_hf_add_number(c, x);
    }
    return AS_OK;
}

/* Factor and trained context. LongRoPE's factor is the ratio of the contexts where both are known. */
static void add_contexts(hf_config *c, bool longrope) {
    double original = as_hf_number(c, "original_max_position_embeddings");
    double longer = as_hf_number_of(c, c->model, "max_position_embeddings");
    double factor = as_hf_number_of(c, c->rope, "factor");
    bool ratio = (longrope || isnan(factor)) && !isnan(original) && !isnan(longer);
    as_hf_add_value(c, "factor", ratio ? fmax(longer / original, 1) : factor);
    as_hf_add_value(c, "original_max_position_embeddings", as_hf_either(original, longer));
}

/* An MLA that names no scale of all dimensions has none, which is not the default of ours. */
static void add_yarn(hf_config *c, bool mla) {
    double mscale = as_hf_number(c, "mscale"), all = as_hf_number(c, "mscale_all_dim");
    as_hf_add_value(c, "beta_fast", as_hf_number(c, "beta_fast"));
    as_hf_add_value(c, "beta_slow", as_hf_number(c, "beta_slow"));
    as_hf_add_value(c, "mscale", mla ? as_hf_either(mscale, 1) : mscale);
    as_hf_add_value(c, "mscale_all_dim", mla ? as_hf_either(all, 0) : all);
    if (!mla) {
        as_hf_add_value(c, "attention_factor", as_hf_number(c, "attention_factor"));
        as_hf_add(c, "%s", as_hf_truth(c, c->rope, "truncate", true) ? "" : ",truncate=false");
    }
}

/* What the scaling reads, beside the frequencies. */
static as_status add_scaling(hf_config *c, const char *scaling, bool mla) {
    as_hf_add(c, "%cscaling=%s", strchr(c->out->scheme, ':') == NULL ? ':' : ',', scaling);
    if (strcmp(scaling, "linear") == 0 || strcmp(scaling, "ntk") == 0 ||
        strcmp(scaling, "proportional") == 0) {
        as_hf_add_value(c, "factor", as_hf_number_of(c, c->rope, "factor"));
        return AS_OK;
    }
    bool longrope = strcmp(scaling, "longrope") == 0;
    add_contexts(c, longrope);
    if (strcmp(scaling, "llama3") == 0) {
        as_hf_add_value(c, "low_freq_factor", as_hf_number(c, "low_freq_factor"));
        as_hf_add_value(c, "high_freq_factor", as_hf_number(c, "high_freq_factor"));
    }
    if (strcmp(scaling, "yarn") == 0) {
        add_yarn(c, mla);
    }
    if (!longrope) {
        return AS_OK;
    }
    as_hf_add_value(c, "attention_factor", as_hf_number(c, "attention_factor"));
    as_status status = add_list(c, "short_factor");
    return status == AS_OK ? add_list(c, "long_factor") : status;
}

/* Which layers rotate: a list of 1 and 0, the kinds of layers, or all but every so manieth. */
typedef struct turning {
    const as_json_value *list, *kinds;
    size_t interval, layers; /* interval 0: all of them rotate, where there are no lists */
} turning;

static bool turns(const turning *t, size_t layer) {
    if (t->list != NULL) {
        return as_json_double(as_json_element(t->list, layer)) > 0;
    }
    if (t->kinds != NULL) {
        const char *kind = as_json_text(as_json_element(t->kinds, layer));
        return kind != NULL && strcmp(kind, "sliding_attention") == 0;
    }
    return t->interval == 0 || (layer + 1) % t->interval != 0;
}

static as_status check_list(const hf_config *c, turning *t, const char *key) {
    const as_json_value *list = t->list != NULL ? t->list : t->kinds;
    size_t length = as_json_length(list);
    t->layers = t->layers == 0 ? length : t->layers;
    if (length != t->layers) {
        return as_fail(AS_EINVAL, "%s: its %s has %zu entries, but there are %zu layers", c->path,
                       key, length, t->layers);
    }
    for (size_t i = 0; i < length; i++) {
        const as_json_value *entry = as_json_element(list, i);
        double x = as_json_double(entry);
        if (t->list != NULL ? x != 0 && x != 1 : as_json_text(entry) == NULL) {
            return as_fail(AS_EINVAL, "%s: its %s has an entry that is %s", c->path, key,
                           t->list != NULL ? "neither 0 nor 1" : "no text");
        }
    }
    return AS_OK;
}

/* Cohere 2 and EXAONE 4 rotate in the layers that have a window; SmolLM3 and Llama 4 say which. Of all
 * four it is all but every fourth where nothing is said. */
static as_status find_turning(hf_config *c, turning *t) {
    static const char *const windows[] = {"cohere2", "exaone4", NULL};
    static const char *const lists[] = {"smollm3", "llama4_text", NULL};
    bool windowed = as_hf_is_one_of(c->type, windows);
    const char *key = windowed ? "sliding_window_pattern" : "no_rope_layer_interval";
    const as_json_value *window = as_json_member(c->model, "sliding_window");
    *t = (turning){.layers = c->out->layers};
    if (windowed && window != NULL && isnan(as_hf_number(c, "sliding_window"))) {
        return c->status; /* null: no windows, and all layers rotate */
    }
    t->list = windowed ? NULL : as_hf_list(c, "no_rope_layers");
    t->kinds = windowed ? as_hf_list(c, "layer_types") : NULL;
    t->list = as_json_length(t->list) > 0 ? t->list : NULL;
    if (c->status != AS_OK || t->list != NULL || t->kinds != NULL) {
        return c->status != AS_OK ? c->status
                                  : check_list(c, t, windowed ? "layer_types" : "no_rope_layers");
    }
    double interval = as_hf_number(c, key);
    if (isnan(interval) && !windowed && !as_hf_is_one_of(c->type, lists)) {
        return c->status;
    }
    interval = as_hf_either(interval, 4);
    if (!(interval >= 1 && interval <= 1e6 && interval == floor(interval)) || t->layers == 0) {
        return c->status != AS_OK
                   ? c->status
                   : as_fail(AS_EINVAL,
                             "%s: its %s (4 where it is not given) and its number of "
                             "layers do not say which layers rotate",
                             c->path, key);
    }
    t->interval = (size_t)interval;
    return c->status;
}

/* ",rotary_layers=0-2,4" where some layers do not. */
static void add_layers(hf_config *c, const turning *t, size_t count) {
    const char *between = ",rotary_layers=";
    for (size_t from = 0; count < t->layers && from < t->layers; from++) {
        size_t to = from;
        while (to < t->layers && turns(t, to)) {
            to++;
        }
        if (to > from) {
            as_hf_add(c, to - from > 1 ? "%s%zu-%zu" : "%s%zu", between, from, to - 1);
            between = ",";
            from = to;
        }
    }
}

/* Layers that rotate by another base or scaling than the others are of no one scheme. */
static as_status refuse_two_ways(hf_config *c, const char *scaling) {
    static const char *const locals[] = {"gemma3", "gemma3_text", "gemma3n_text", NULL};
    bool local = !isnan(as_hf_number(c, "rope_local_base_freq"));
    if (local || as_hf_is_one_of(c->type, locals)) {
        return as_fail(
            AS_EINVAL,
            "%s: its local layers rotate by the base rope_local_base_freq, the others by "
            "rope_theta; name the scheme of those that are meant",
            c->path);
    }
    if (strcmp(c->type, "olmo3") == 0 && strcmp(scaling, "none") != 0) {
        return as_fail(AS_EINVAL,
                       "%s: only its layers without a window rotate by its rope_scaling; name the "
                       "scheme of those that are meant",
                       c->path);
    }
    return c->status;
}

static as_status find_scaling(hf_config *c, const char **scaling) {
    const char *type = as_hf_text_of(c, c->rope, "rope_type");
    type = *type != '\0' ? type : as_hf_text_of(c, c->rope, "type");
    *scaling = scaling_of(type);
    if (*scaling == NULL) {
        return as_fail(AS_EINVAL,
                       "%s: there is no rope type '%s'; valid are default, linear, ntk, dynamic, "
                       "yarn, llama3, longrope, su, proportional",
                       c->path, type);
    }
    return refuse_two_ways(c, *scaling);
}

/* Pairs as rotate_half() of the model's own file makes them: of these x[..., 0::2] and x[..., 1::2]. */
static const char *const in_turn[] = {"gptj", "codegen",  "cohere",       "cohere2",     "glm",
                                      "glm4", "ernie4_5", "ernie4_5_moe", "llama4_text", NULL};

static void add_rotation(hf_config *c, bool mla) {
    bool interleaved = as_hf_is_one_of(c->type, in_turn);
    /* Named where it is the default too, so that a key follows the colon. */
    as_hf_add(c, mla ? "mla" : interleaved ? "rope:layout=interleaved" : "rope:layout=half");
    if (mla) {
        as_hf_add_value(c, "qk_nope_head_dim", as_hf_number(c, "qk_nope_head_dim"));
        as_hf_add_value(c, "qk_rope_head_dim", as_hf_number(c, "qk_rope_head_dim"));
    }
    as_hf_add_value(c, "base", as_hf_first(c, "rope_theta|rotary_emb_base"));
    if (!mla) {
        double dims = as_hf_number(c, "rotary_dim") / (double)c->out->dim;
        double fraction = as_hf_first(c, "partial_rotary_factor|rotary_pct");
        as_hf_add_value(c, "rotary_fraction", as_hf_either(fraction, dims));
    }
}

as_status as_hf_rotary(hf_config *c) {
    const char *scaling = NULL;
    turning t;
    size_t count = 0;
    bool mla = !isnan(as_hf_number(c, "qk_rope_head_dim"));
    as_status status = find_scaling(c, &scaling);
    status = status == AS_OK ? find_turning(c, &t) : status;
    if (status != AS_OK) {
        return status;
    }
    for (size_t i = 0; i < t.layers; i++) {
        count += turns(&t, i);
    }
    if (count == 0 && t.layers > 0) {
        as_hf_add(c, "nope");
        return AS_OK;
    }
    add_rotation(c, mla);
    add_layers(c, &t, count);
    return strcmp(scaling, "none") == 0 ? AS_OK : add_scaling(c, scaling, mla);
}
