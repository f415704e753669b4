/* The list of parameters, with names and shapes in the order of the model, and their places in one
 * arena. It refuses head sizes for which the scheme is not defined. */
#include "train/model.h"
#include "base/fail.h"
#include "train/kernel.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Tensors begin at whole cache lines. */
enum { LINE = 64 / sizeof(as_real) };

as_head as_model_head(const as_model *m, size_t layer, size_t head) {
    return (as_head){.layer = layer,
                     .head = head,
                     .heads = m->H,
                     .rows = m->T,
                     .cols = m->T,
                     .dim = m->query_dim,
                     .causal = m->config.mask == AS_SEES_EARLIER,
                     .seed = m->config.seed};
}

as_head as_model_embedding_head(const as_model *m) {
    as_head head = as_model_head(m, 0, 0);
    head.heads = 1;
    head.dim = m->d;
    return head;
}

/* Adds a tensor [rows][cols], or [rows] where cols is 0; its offset. */
static size_t add(as_model *m, as_start start, size_t rows, size_t cols, const char *name, ...)
    __attribute__((format(printf, 5, 6)));
static size_t add(as_model *m, as_start start, size_t rows, size_t cols, const char *name, ...) {
    as_model_tensor *t = &m->tensor[m->tensor_count++];
    va_list words;
    va_start(words, name);
    vsnprintf(t->name, sizeof t->name, name, words);
    va_end(words);
    t->rank = cols > 0 ? 2 : 1;
    t->shape[0] = rows;
    t->shape[1] = cols;
    t->count = cols > 0 ? rows * cols : rows;
    t->start = start;
    t->fan_in = cols;
    t->offset = m->count;
    m->count += (t->count + LINE - 1) / LINE * LINE;
    return t->offset;
}

static as_linear add_linear(as_model *m, size_t in, size_t out, bool bias, const char *name) {
    as_linear l = {.bias = AS_NOT_THERE, .in = in, .out = out};
    l.weight = add(m, AS_START_FAN_IN, out, in, "%s.weight", name);
    if (bias) {
        l.bias = add(m, AS_START_FAN_IN, out, 0, "%s.bias", name);
        m->tensor[m->tensor_count - 1].fan_in = in;
    }
    return l;
}

static as_layer_norm add_norm(as_model *m, const char *name) {
    as_layer_norm norm;
    norm.weight = add(m, AS_START_ONE, m->d, 0, "%s.weight", name);
    norm.bias = add(m, AS_START_ZERO, m->d, 0, "%s.bias", name);
    return norm;
}

/* The numbers of the scheme's bias, [H][numbers a head]; shared by all layers, or a layer's own. */
static size_t add_theta(as_model *m, size_t layer) {
    const as_learning *learning = m->scheme.type->learning;
    char of[32] = "";
    if (!learning->shared_layers) {
        snprintf(of, sizeof of, "layer_%zu.", layer);
    }
    size_t offset = add(m, AS_START_SCHEME, m->H, m->theta_size, "%sbias.%s", of, learning->name);
    m->tensor[m->tensor_count - 1].layer = layer;
    m->tensor[m->tensor_count - 1].is_bias = true;
    return offset;
}

static void add_attention(as_model *m, as_layer *layer, size_t l) {
    char name[40];
#define NAMED(part) (snprintf(name, sizeof name, "layer_%zu." part, l), name)
    if (m->latent > 0) {
        size_t rope = m->query_dim - m->nope_dim;
        layer->query_down = add_linear(m, m->d, m->latent, false, NAMED("query_down"));
        layer->query = add_linear(m, m->latent, m->H * m->query_dim, false, NAMED("query_up"));
        layer->kv_down = add_linear(m, m->d, m->latent, false, NAMED("kv_down"));
        layer->key = add_linear(m, m->latent, m->H * m->nope_dim, false, NAMED("key_up"));
        layer->value = add_linear(m, m->latent, m->d, false, NAMED("value_up"));
        layer->key_rope = add_linear(m, m->d, rope, false, NAMED("key_rope"));
        layer->output = add_linear(m, m->d, m->d, false, NAMED("output"));
        return;
    }
    layer->query = add_linear(m, m->d, m->d, true, NAMED("query"));
    layer->key = add_linear(m, m->d, m->d, true, NAMED("key"));
    layer->value = add_linear(m, m->d, m->d, true, NAMED("value"));
    layer->output = add_linear(m, m->d, m->d, true, NAMED("output"));
}

static void add_layer(as_model *m, size_t l, size_t shared_theta) {
    as_layer *layer = &m->layer[l];
    char name[40];
    layer->theta = shared_theta;
    layer->norm1 = add_norm(m, NAMED("norm1"));
    add_attention(m, layer, l);
    if (m->theta_size > 0 && shared_theta == AS_NOT_THERE) {
        layer->theta = add_theta(m, l);
    }
    layer->norm2 = add_norm(m, NAMED("norm2"));
    layer->up = add_linear(m, m->d, m->ff, true, NAMED("ff_up"));
    layer->down = add_linear(m, m->ff, m->d, true, NAMED("ff_down"));
}

static bool trains_positions(const as_model *m) {
    const char *name = m->scheme.type->name;
    return strcmp(name, "learned") == 0 ||
           (strcmp(name, "random") == 0 && m->config.train_random == AS_YES);
}

static as_status lay_out(as_model *m) {
    const as_learning *learning = m->scheme.type->learning;
    size_t shared = AS_NOT_THERE;
    /* More than any model has: an MLA layer has 16. */
    m->tensor = calloc(12 + 24 * m->L, sizeof *m->tensor);
    m->layer = calloc(m->L, sizeof *m->layer);
    if (m->tensor == NULL || m->layer == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a model of %zu layers", m->L);
    }
    m->embedding = add(m, AS_START_GAUSSIAN, m->V, m->d, "embedding");
    m->positions = AS_NOT_THERE;
    if (trains_positions(m)) {
        m->positions = add(m, AS_START_POSITIONS, m->T, m->d, "positions");
    }
    if (m->theta_size > 0 && learning->shared_layers) {
        shared = add_theta(m, 0);
    }
    for (size_t l = 0; l < m->L; l++) {
        add_layer(m, l, shared);
    }
    m->final_norm = (as_layer_norm){AS_NOT_THERE, AS_NOT_THERE};
    if (m->config.final_norm == AS_YES) {
        m->final_norm = add_norm(m, "final_norm");
    }
    m->head = add_linear(m, m->d, m->classes, true, "head");
    return AS_OK;
}

/* Head sizes: of MLA they are the scheme's, of others d/H. */
static void size_heads(as_model *m) {
    const as_scheme_type *type = m->scheme.type;
    m->value_dim = m->query_dim = m->d / m->H;
    if (strcmp(type->name, "mla") == 0) {
        m->nope_dim = (size_t)as_params_value(type->params, m->scheme.value, "qk_nope_head_dim");
        m->query_dim = m->nope_dim +
                       (size_t)as_params_value(type->params, m->scheme.value, "qk_rope_head_dim");
        m->latent = m->d / 2;
    }
}

/* Of a scheme that learns it is what training begins with that is asked for: the check is that of what
 * cannot be built without training. */
static as_status check_start(const as_model *m, const as_head *head) {
    double *unused = as_alloc(m->theta_size * sizeof *unused);
    as_status status = unused == NULL
                           ? as_fail(AS_ENOMEM, "no memory for %zu numbers", m->theta_size)
                           : m->scheme.type->learning->start(&m->scheme, head, unused);
    free(unused);
    return status;
}

/* What a scheme asks of a head is its size, which is that of every other. */
static as_status check_scheme(const as_model *m) {
    const as_scheme_type *type = m->scheme.type;
    as_head head = m->embeds ? as_model_embedding_head(m) : as_model_head(m, 0, 0);
    as_status status = type->learning != NULL ? check_start(m, &head)
                       : type->check != NULL  ? type->check(&m->scheme, &head)
                                              : AS_OK;
    if (status != AS_OK) {
        return as_fail_prefix(status, "scheme %s", type->name);
    }
    if (m->latent == 0 && strcmp(type->name, "mla") == 0) {
        return as_fail(AS_EINVAL, "scheme mla needs a width of at least 2 for its latents");
    }
    return AS_OK;
}

as_status as_model_new(const as_train_config *config, const as_task_facts *facts, as_model *out) {
    as_model m = {.config = *config,
                  .facts = *facts,
                  .T = config->n,
                  .V = config->vocab,
                  .d = config->dim,
                  .H = config->heads,
                  .L = config->layers,
                  .ff = config->ff,
                  .classes = facts->classes};
    as_status status = as_model_scheme(config, &m.scheme);
    if (status != AS_OK) {
        return status;
    }
    const as_scheme_type *type = m.scheme.type;
    m.embeds = type->embed != NULL;
    size_heads(&m);
    m.stride = as_padded(m.T);
    as_head head = as_model_head(&m, 0, 0);
    m.scale = as_scheme_scale(&m.scheme, &head);
    m.theta_size = type->learning != NULL ? type->learning->count(&m.scheme, &head) : 0;
    status = check_scheme(&m);
    if (status == AS_OK) {
        status = lay_out(&m);
    }
    if (status != AS_OK) {
        as_model_free(&m);
        return status;
    }
    *out = m;
    return AS_OK;
}

void as_model_free(as_model *model) {
    free(model->tensor);
    free(model->layer);
    model->tensor = NULL;
    model->layer = NULL;
}
