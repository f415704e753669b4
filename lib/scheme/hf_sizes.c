/* The sizes that a Hugging Face config.json names, and what it says of its logits beside positions.
 * It refuses sizes that are no whole numbers from 1 on, and head sizes that are none. */
#include "scheme/hf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/fail.h"

enum { SIZE_MOST = 1000000 };

/* 0 where it is not given. */
static size_t whole(hf_config *c, const char *what, double x) {
    bool good = x >= 1 && x <= SIZE_MOST && x == floor(x);
    if (!isnan(x) && !good && c->status == AS_OK) {
        c->status = as_fail(AS_EINVAL, "%s: its %s is %g, but must be a whole number from 1 to %d",
                            c->path, what, x, SIZE_MOST);
    }
    return good ? (size_t)x : 0;
}

/* Falcon's flags come before its number: modeling_falcon.py has one key head of multi_query, unless
 * new_decoder_architecture is there. Both are true and false where they are not given. */
static double key_heads(hf_config *c, double heads) {
    static const char *const falcons[] = {"falcon", "RefinedWeb", "RefinedWebModel", NULL};
    bool falcon = as_hf_is_one_of(c->type, falcons);
    bool shared = falcon || strcmp(c->type, "gpt_bigcode") == 0;
    bool grouped = falcon && (as_hf_truth(c, c->model, "new_decoder_architecture", false) ||
                              strcmp(c->type, "RefinedWeb") == 0);
    if (shared && !grouped && as_hf_truth(c, c->model, "multi_query", true)) {
        return 1;
    }
    double inner = as_hf_number_of(c, as_json_member(c->model, "attn_config"), "kv_n_heads");
    return as_hf_either(as_hf_first(c, "num_key_value_heads|num_kv_heads|n_head_kv"),
                        as_hf_either(inner, heads));
}

as_status as_hf_sizes(hf_config *c) {
    double heads = as_hf_first(c, "num_attention_heads|n_head|n_heads|num_heads");
    double hidden = as_hf_first(c, "hidden_size|n_embd|d_model|dim");
    double dim = as_hf_first(c, "head_dim|d_kv");
    double latent = as_hf_number(c, "qk_nope_head_dim") + as_hf_number(c, "qk_rope_head_dim");
    c->out->heads = whole(c, "number of heads", heads);
    c->out->kv_heads = whole(c, "number of key heads", key_heads(c, heads));
    c->out->layers = whole(c, "number of layers",
                           as_hf_first(c, "num_hidden_layers|n_layer|n_layers|num_layers"));
    whole(c, "hidden size", hidden);
    dim = as_hf_either(latent, dim);
    if (c->status == AS_OK && isnan(dim) && fmod(hidden, heads) > 0) {
        return c->status = as_fail(AS_EINVAL,
                                   "%s: its hidden size %g is no multiple of its %g heads, and it "
                                   "names no head_dim",
                                   c->path, hidden, heads);
    }
    c->out->dim = whole(c, "head size", as_hf_either(dim, hidden / heads));
    return c->status;
}

/* "; " between the sentences. */
static void note(hf_config *c, const char *sentence) {
    size_t used = strlen(c->out->note);
    snprintf(c->out->note + used, sizeof c->out->note - used, "%s%s", used > 0 ? "; " : "",
             sentence);
}

void as_hf_note(hf_config *c) {
    char text[160];
    double scalar = as_hf_number_of(c, c->model, "query_pre_attn_scalar");
    double scale = as_hf_number_of(c, c->model, "attention_multiplier");
    double cap = as_hf_number_of(c, c->model, "attn_logit_softcapping");
    const char *field = isnan(scalar) ? "attention_multiplier" : "query_pre_attn_scalar";
    scale = isnan(scalar) ? scale : 1 / sqrt(scalar);
    double ours = 1 / sqrt((double)c->out->dim);
    if (!isnan(scale) && !(fabs(scale - ours) <= 1e-9 * ours)) {
        snprintf(text, sizeof text,
                 "its %s makes the scale of the logits %.10g, which is not applied", field, scale);
        note(c, text);
    }
    if (!isnan(cap)) {
        snprintf(text, sizeof text,
                 "its attn_logit_softcapping caps the logits at %.10g, which is not applied", cap);
        note(c, text);
    }
    if (strcmp(c->type, "gpt_neo") == 0) {
        note(c, "GPT-Neo does not scale its logits, which is not applied");
    }
    const as_json_value *tuning = as_json_member(c->model, "attn_temperature_tuning");
    bool tuned = as_json_double(tuning) > 0;
    as_json_truth(tuning, &tuned);
    if (tuned) {
        note(c, "its attn_temperature_tuning scales queries of the layers without rotation, which "
                "is not applied");
    }
}
