/* Hugging Face's config.json as the scheme of its model. It refuses unknown rope types, models whose
 * layers have positions of several kinds, and those that do not say which they have. */
#define _POSIX_C_SOURCE 200809L /* S_ISREG */
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/fail.h"
#include "door/json.h"
#include "scheme/type.h"

enum { BYTES_MAX = 1 << 24 };

/* A config: the model's own object, and the one of its rotation. */
typedef struct config {
    const char *path;
    const as_json_value *model, *rope; /* rope: NULL where there is none */
    as_hf_config *out;
    size_t used; /* of out->scheme */
} config;

/* Adds to the scheme's text; what is too long is seen by close_text(). */
__attribute__((format(printf, 2, 3))) static void add(config *c, const char *format, ...) {
    va_list args;
    size_t room = c->used < sizeof c->out->scheme ? sizeof c->out->scheme - c->used : 0;
    va_start(args, format);
    int length = vsnprintf(room > 0 ? c->out->scheme + c->used : NULL, room, format, args);
    va_end(args);
    c->used += length > 0 ? (size_t)length : 0;
}

/* The shortest decimal that reads back. */
static void add_number(config *c, double x) {
    char text[32];
    for (int digits = 15; digits <= 17; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, x);
        if (strtod(text, NULL) == x) {
            break;
        }
    }
    add(c, "%s", text);
}

/* ",key=value" of a number that exists. */
static void add_value(config *c, const char *key, double x) {
    if (!isnan(x)) {
        add(c, "%c%s=", strchr(c->out->scheme, ':') == NULL ? ':' : ',', key);
        add_number(c, x);
    }
}

/* The number of that name in the rotation's object, else in the model's; NaN where there is none. */
static double number(const config *c, const char *key) {
    double x = as_json_double(as_json_member(c->rope, key));
    return isnan(x) ? as_json_double(as_json_member(c->model, key)) : x;
}

static double either(double x, double other) {
    return isnan(x) ? other : x;
}

static const char *text_of(const as_json_value *object, const char *key) {
    const char *text = as_json_text(as_json_member(object, key));
    return text != NULL ? text : "";
}

static bool is_one_of(const char *word, const char *const *words) {
    while (*words != NULL && strcmp(word, *words) != 0) {
        words++;
    }
    return *words != NULL;
}

static size_t whole(double x) {
    return x >= 1 && x <= 1e6 && x == floor(x) ? (size_t)x : 0;
}

/* Heads, layers and head size by the names of models. */
static void read_sizes(config *c) {
    double heads = either(number(c, "num_attention_heads"),
                          either(number(c, "n_head"), number(c, "num_heads")));
    double hidden =
        either(number(c, "hidden_size"), either(number(c, "n_embd"), number(c, "d_model")));
    double nope = number(c, "qk_nope_head_dim"), rope = number(c, "qk_rope_head_dim");
    double dim = either(number(c, "head_dim"), either(number(c, "d_kv"), hidden / heads));
    c->out->heads = whole(heads);
    c->out->kv_heads = whole(either(number(c, "num_key_value_heads"), heads));
    c->out->layers = whole(either(number(c, "num_hidden_layers"),
                                  either(number(c, "n_layer"), number(c, "num_layers"))));
    c->out->dim = whole(either(nope + rope, dim));
}

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

static as_status add_list(config *c, const char *key) {
    const as_json_value *list = as_json_member(c->rope, key);
    if (as_json_length(list) == 0) {
        return as_fail(AS_EINVAL, "%s: the rope type longrope has no list %s", c->path, key);
    }
    add(c, ",%s=", key);
    for (size_t i = 0; i < as_json_length(list); i++) {
        add(c, "%s", i > 0 ? "," : "");
        add_number(c, as_json_double(as_json_element(list, i)));
    }
    return AS_OK;
}

/* Factor and trained context. LongRoPE's factor is the ratio of the contexts where both are known. */
static void add_contexts(config *c, bool longrope) {
    double original = number(c, "original_max_position_embeddings");
    double longer = as_json_double(as_json_member(c->model, "max_position_embeddings"));
    double factor = as_json_double(as_json_member(c->rope, "factor"));
    bool ratio = (longrope || isnan(factor)) && !isnan(original) && !isnan(longer);
    add_value(c, "factor", ratio ? fmax(longer / original, 1) : factor);
    add_value(c, "original_max_position_embeddings", either(original, longer));
}

static bool truth(const as_json_value *object, const char *key, bool other) {
    bool found = other;
    as_json_truth(as_json_member(object, key), &found);
    return found;
}

/* An MLA that names no scale of all dimensions has none, which is not the default of ours. */
static void add_yarn(config *c, bool mla) {
    double mscale = number(c, "mscale"), all = number(c, "mscale_all_dim");
    add_value(c, "beta_fast", number(c, "beta_fast"));
    add_value(c, "beta_slow", number(c, "beta_slow"));
    add_value(c, "mscale", mla ? either(mscale, 1) : mscale);
    add_value(c, "mscale_all_dim", mla ? either(all, 0) : all);
    if (!mla) {
        add_value(c, "attention_factor", number(c, "attention_factor"));
        add(c, "%s", truth(c->rope, "truncate", true) ? "" : ",truncate=false");
    }
}

/* What the scaling reads, beside the frequencies. */
static as_status add_scaling(config *c, const char *scaling, bool mla) {
    add(c, "%cscaling=%s", strchr(c->out->scheme, ':') == NULL ? ':' : ',', scaling);
    if (strcmp(scaling, "linear") == 0 || strcmp(scaling, "ntk") == 0 ||
        strcmp(scaling, "proportional") == 0) {
        add_value(c, "factor", as_json_double(as_json_member(c->rope, "factor")));
        return AS_OK;
    }
    bool longrope = strcmp(scaling, "longrope") == 0;
    add_contexts(c, longrope);
    if (strcmp(scaling, "llama3") == 0) {
        add_value(c, "low_freq_factor", number(c, "low_freq_factor"));
        add_value(c, "high_freq_factor", number(c, "high_freq_factor"));
    }
    if (strcmp(scaling, "yarn") == 0) {
        add_yarn(c, mla);
    }
    if (!longrope) {
        return AS_OK;
    }
    add_value(c, "attention_factor", number(c, "attention_factor"));
    as_status status = add_list(c, "short_factor");
    return status == AS_OK ? add_list(c, "long_factor") : status;
}

/* RoPE and MLA. */
static as_status rotary(config *c) {
    static const char *const in_turn[] = {"gptj", "codegen", "cohere", "cohere2", "glm", NULL};
    const char *type = text_of(c->rope, "rope_type");
    type = *type != '\0' ? type : text_of(c->rope, "type");
    const char *scaling = scaling_of(type);
    if (scaling == NULL) {
        return as_fail(AS_EINVAL,
                       "%s: there is no rope type '%s'; valid are default, linear, ntk, dynamic, "
                       "yarn, llama3, longrope, su, proportional",
                       c->path, type);
    }
    bool mla = !isnan(number(c, "qk_rope_head_dim"));
    bool interleaved = is_one_of(text_of(c->model, "model_type"), in_turn);
    add(c, mla ? "%s" : interleaved ? "rope%s" : "rope:layout=half%s", mla ? "mla" : "");
    if (mla) {
        add_value(c, "qk_nope_head_dim", number(c, "qk_nope_head_dim"));
        add_value(c, "qk_rope_head_dim", number(c, "qk_rope_head_dim"));
    }
    add_value(c, "base", either(number(c, "rope_theta"), number(c, "rotary_emb_base")));
    if (!mla) {
        double fraction = either(number(c, "partial_rotary_factor"), number(c, "rotary_pct"));
        add_value(c, "rotary_fraction",
                  either(fraction, number(c, "rotary_dim") / (double)c->out->dim));
    }
    return strcmp(scaling, "none") == 0 ? AS_OK : add_scaling(c, scaling, mla);
}

/* By the type of model, and by what a config without one says. */
static as_status find_scheme(config *c) {
    static const char *const learned[] = {"gpt2",    "gpt_neo",    "bert", "roberta",
                                          "electra", "distilbert", "vit",  NULL};
    static const char *const buckets[] = {"t5", "mt5", "umt5", "longt5", NULL};
    static const char *const rotates[] = {"llama", "mistral", "gpt_neox", "gptj", "codegen", NULL};
    const char *type = text_of(c->model, "model_type");
    if (is_one_of(type, learned)) {
        add(c, "learned");
        add_value(c, "max_position_embeddings",
                  either(number(c, "max_position_embeddings"), number(c, "n_positions")));
        return AS_OK;
    }
    if (is_one_of(type, buckets)) {
        add(c, "t5");
        add_value(c, "num_buckets", number(c, "relative_attention_num_buckets"));
        add_value(c, "max_distance", number(c, "relative_attention_max_distance"));
        return AS_OK;
    }
    if (strcmp(type, "bloom") == 0 || truth(c->model, "alibi", false) ||
        truth(as_json_member(c->model, "attn_config"), "alibi", false)) {
        add(c, "alibi");
        return AS_OK;
    }
    if (c->rope == NULL && isnan(number(c, "rope_theta")) && isnan(number(c, "qk_rope_head_dim")) &&
        !is_one_of(type, rotates)) {
        return as_fail(AS_EINVAL,
                       "%s: a model of type '%s' without rope_theta does not say which positional "
                       "encoding it has",
                       c->path, type);
    }
    return rotary(c);
}

/* rope_scaling, or rope_parameters; NULL where there is none. Newer ones have one a kind of layer. */
static as_status find_rope(config *c) {
    void *cursor = NULL;
    const char *key;
    const as_json_value *value;
    c->rope = as_json_member(c->model, "rope_parameters");
    if (!as_json_is_object(c->rope)) {
        c->rope = as_json_member(c->model, "rope_scaling");
    }
    if (!as_json_is_object(c->rope)) {
        c->rope = NULL;
    }
    while (as_json_next(c->rope, &cursor, &key, &value)) {
        if (as_json_is_object(value)) {
            return as_fail(AS_EINVAL,
                           "%s: its layers rotate in several ways, the first of them %s; name the "
                           "scheme of those that are meant",
                           c->path, key);
        }
    }
    return AS_OK;
}

static as_status read_config(const char *path, const as_json_value *root, as_hf_config *out) {
    config c = {.path = path, .model = root, .out = out};
    if (!as_json_is_object(root)) {
        return as_fail(AS_EREAD, "%s: a config.json is an object", path);
    }
    if (as_json_is_object(as_json_member(root, "text_config"))) {
        c.model = as_json_member(root, "text_config"); /* of a model that also sees */
    }
    as_status status = find_rope(&c);
    if (status == AS_OK) {
        read_sizes(&c);
        status = find_scheme(&c);
    }
    if (status == AS_OK && c.used >= sizeof out->scheme) {
        status = as_fail(AS_EINVAL, "%s: its lists are longer than a scheme's text", path);
    }
    return status;
}

/* The bytes of a file, which a pipe is not: it could keep us waiting. *text is the caller's. */
static as_status read_file(const char *path, char **text, size_t *length) {
    struct stat about;
    if (stat(path, &about) == 0 && !S_ISREG(about.st_mode)) {
        return as_fail(AS_EREAD, "%s is no regular file", path);
    }
    FILE *file = fopen(path, "rb");
    char *bytes = file != NULL ? malloc(BYTES_MAX) : NULL;
    as_status status = AS_OK;
    if (file == NULL) {
        return as_fail(AS_EREAD, "%s cannot be opened", path);
    }
    *length = bytes != NULL ? fread(bytes, 1, BYTES_MAX, file) : 0;
    if (bytes == NULL) {
        status = as_fail(AS_ENOMEM, "no memory to read %s", path);
    } else if (ferror(file)) {
        status = as_fail(AS_EREAD, "%s cannot be read", path);
    } else if (*length == BYTES_MAX) {
        status = as_fail(AS_EREAD, "%s is longer than any config.json", path);
    }
    fclose(file);
    if (status != AS_OK) {
        free(bytes);
        return status;
    }
    *text = bytes;
    return AS_OK;
}

as_status as_scheme_hf(const char *path, as_hf_config *out) {
    char *text = NULL;
    size_t length = 0;
    as_json_value *root = NULL;
    as_hf_config *found = calloc(1, sizeof *found);
    as_status status = found != NULL ? read_file(path, &text, &length)
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
