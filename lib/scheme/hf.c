/* Hugging Face's config.json as the scheme of its model. It refuses unknown rope types, models whose
 * layers have positions of several kinds, and those that do not say which they have. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "base/text_file.h"
#include "scheme/hf.h"

enum { BYTES_MAX = 1 << 24 };

/* A table of positions, which of BERT and its kin is only one of three kinds. */
static as_status learned(hf_config *c) {
    const char *kind = as_hf_text_of(c, c->model, "position_embedding_type");
    if (*kind != '\0' && strcmp(kind, "absolute") != 0) {
        return as_fail(
            AS_EINVAL,
            "%s: its position_embedding_type is '%s', for which there is no scheme; only "
            "absolute is learned",
            c->path, kind);
    }
    if (as_hf_truth(c, c->model, "sinusoidal_pos_embds", false)) {
        return as_fail(AS_EINVAL,
                       "%s: its sinusoidal_pos_embds makes its table sines, which is not learned; "
                       "name the scheme sinusoidal",
                       c->path);
    }
    as_hf_add(c, "learned");
    as_hf_add_value(c, "max_position_embeddings",
                    as_hf_first(c, "max_position_embeddings|n_positions"));
    return AS_OK;
}

/* Falcon divides logits and bias by the root of the head size, so that its slopes are others. */
static as_status alibi(hf_config *c, const as_json_value *inner) {
    static const char *const falcons[] = {"falcon", "RefinedWeb", "RefinedWebModel", NULL};
    double most = as_hf_number_of(c, inner, "alibi_bias_max");
    if (as_hf_is_one_of(c->type, falcons)) {
        return as_fail(AS_EINVAL,
                       "%s: its alibi is true, and Falcon divides the bias by the root of the head "
                       "size, which the scheme alibi does not",
                       c->path);
    }
    if (!isnan(most) && most != 8) {
        return as_fail(AS_EINVAL,
                       "%s: its alibi_bias_max is %g, but the slopes of the scheme alibi are those "
                       "of 8",
                       c->path, most);
    }
    as_hf_add(c, "alibi");
    return AS_OK;
}

/* By the type of model, and by what a config without one says. */
static as_status find_scheme(hf_config *c) {
    static const char *const tables[] = {"gpt2",    "gpt_neo",    "bert", "roberta",
                                         "electra", "distilbert", "vit",  NULL};
    static const char *const buckets[] = {"t5", "mt5", "umt5", "longt5", NULL};
    static const char *const rotates[] = {"llama",   "mistral", "gpt_neox", "gptj",
                                          "codegen", "falcon",  NULL};
    const as_json_value *inner = as_hf_object(c, "attn_config");
    if (as_hf_is_one_of(c->type, tables)) {
        return learned(c);
    }
    if (as_hf_is_one_of(c->type, buckets)) {
        as_hf_add(c, "t5");
        as_hf_add_value(c, "num_buckets", as_hf_number(c, "relative_attention_num_buckets"));
        as_hf_add_value(c, "max_distance", as_hf_number(c, "relative_attention_max_distance"));
        return AS_OK;
    }
    if (strcmp(c->type, "bloom") == 0 || as_hf_truth(c, c->model, "alibi", false) ||
        as_hf_truth(c, inner, "alibi", false)) {
        return alibi(c, inner);
    }
    if (c->status == AS_OK && c->rope == NULL && isnan(as_hf_number(c, "rope_theta")) &&
        isnan(as_hf_number(c, "qk_rope_head_dim")) && !as_hf_is_one_of(c->type, rotates) &&
        c->status == AS_OK) {
        return as_fail(AS_EINVAL,
                       "%s: a model of type '%s' without rope_theta does not say which positional "
                       "encoding it has",
                       c->path, c->type);
    }
    return c->status == AS_OK ? as_hf_rotary(c) : c->status;
}

/* rope_scaling, or rope_parameters; NULL where there is none. Newer ones have one a kind of layer. */
static as_status find_rope(hf_config *c) {
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    c->rope = as_hf_object(c, "rope_parameters");
    if (c->rope == NULL) {
        c->rope = as_hf_object(c, "rope_scaling");
    }
    while (as_json_next(c->rope, &cursor, &key, &value)) {
        if (as_json_is_object(value)) {
            return as_fail(AS_EINVAL,
                           "%s: its layers rotate in several ways, the first of them %s; name the "
                           "scheme of those that are meant",
                           c->path, key);
        }
    }
    return c->status;
}

static as_status read_config(const char *path, const as_json_value *root, as_hf_config *out) {
    hf_config c = {.path = path, .model = root, .out = out};
    if (!as_json_is_object(root)) {
        return as_fail(AS_EREAD, "%s: a config.json is an object", path);
    }
    if (as_json_is_object(as_json_member(root, "text_config"))) {
        c.model = as_json_member(root, "text_config"); /* of a model that also sees */
    }
    c.type = as_hf_text_of(&c, c.model, "model_type");
    as_status status = find_rope(&c);
    status = status == AS_OK ? as_hf_sizes(&c) : status;
    status = status == AS_OK ? find_scheme(&c) : status;
    if (status == AS_OK) {
        as_hf_note(&c);
        status = c.status;
    }
    if (status == AS_OK && c.used >= sizeof out->scheme) {
        status = as_fail(AS_EINVAL, "%s: its lists are longer than a scheme's text", path);
    }
    return status;
}

as_status as_scheme_hf(const char *path, as_hf_config *out) {
    char *text = NULL;
    size_t length = 0;
    as_json_value *root = NULL;
    as_hf_config *found = calloc(1, sizeof *found);
    as_status status = found != NULL
                           ? as_read_text(path, "a config.json", BYTES_MAX, &text, &length)
                           : as_fail(AS_ENOMEM, "no memory to read %s", path);
    if (status == AS_OK) {
        status = as_json_parse(text, length, &root);
        status = status == AS_OK ? AS_OK : as_fail_prefix(status, "%s", path);
    }
    if (status == AS_OK) {
        status = read_config(path, root, found);
    }
    if (status == AS_OK) {
        *out = *found;
    }
    as_json_value_free(root);
    free(text);
    free(found);
    return status;
}
