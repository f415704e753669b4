/* model: which parameters there are and where they lie in one arena, and the sizes of everything else.
 * Private to lib/train. */
#ifndef AS_TRAIN_MODEL_H
#define AS_TRAIN_MODEL_H

#include "attnspec/train.h"

#define AS_NOT_THERE SIZE_MAX

/* The words of train_config.def's choices, in its order. */
enum { AS_NO, AS_YES, AS_WITH_ROPE };             /* train_random, final_norm, sinusoids */
enum { AS_SEES_ALL, AS_SEES_EARLIER };            /* mask */
enum { AS_KV_FROM_LAYER, AS_KV_FROM_EMBEDDINGS }; /* kv_from */
enum { AS_ACTIVATION_RELU, AS_ACTIVATION_GELU };  /* activation */
enum { AS_POOL_ALL, AS_POOL_TOKENS };             /* pool */

/* What a tensor begins with. */
typedef enum as_start {
    AS_START_GAUSSIAN, /* N(0, 1) */
    AS_START_FAN_IN,   /* U(±1/√fan_in) */
    AS_START_ONE,
    AS_START_ZERO,
    AS_START_POSITIONS, /* the scheme's table of positions */
    AS_START_SCHEME     /* as_learning's start */
} as_start;

typedef struct as_model_tensor {
    char name[48];
    size_t rank, shape[2], count;
    size_t offset; /* in the arena */
    as_start start;
    size_t fan_in;
    size_t layer; /* whose it is, of AS_START_SCHEME */
    bool is_bias; /* of the logits: the learning rate has its factor */
} as_model_tensor;

/* Offsets of a linear map y = x Wᵀ + b, W [out][in]; bias AS_NOT_THERE: none. */
typedef struct as_linear {
    size_t weight, bias, in, out;
} as_linear;
typedef struct as_layer_norm {
    size_t weight, bias;
} as_layer_norm;

typedef struct as_layer {
    as_layer_norm norm1, norm2;
    as_linear query, key, value, output, up, down;
    /* MLA: q = up(down(h)), k = [up(latent), one rotated part for all heads], v = up(latent). query, key
     * and value are then the maps up. */
    as_linear query_down, kv_down, key_rope;
    size_t theta; /* of the scheme's bias, AS_NOT_THERE: none */
} as_layer;

typedef struct as_model {
    as_train_config config;
    as_scheme scheme;
    as_task_facts facts;
    /* Letters as in docs/maths.md: T positions, d width, H heads. */
    size_t T, V, d, H, L, ff, classes;
    size_t value_dim;  /* of a head: d/H */
    size_t query_dim;  /* of q and k of a head: d/H, of MLA content and rotated part together */
    size_t nope_dim;   /* of MLA: dimensions that do not turn */
    size_t latent;     /* of MLA: d/2; 0: not MLA */
    size_t stride;     /* T up to whole registers */
    size_t theta_size; /* numbers a head of the scheme's bias; 0: none is trained */
    bool embeds;       /* the scheme's positions are added to the embeddings */
    double scale;      /* of the logits */
    size_t embedding, positions; /* positions AS_NOT_THERE: no table of them is trained */
    as_layer *layer;             /* [L] */
    as_layer_norm final_norm;
    as_linear head;
    as_model_tensor *tensor; /* [tensor_count] in the order of the model */
    size_t tensor_count;
    size_t count; /* numbers in the arena, whole cache lines a tensor */
} as_model;

/* Lays out the model of a resolved configuration. AS_EINVAL, AS_ENOMEM. */
as_status as_model_new(const as_train_config *config, const as_task_facts *facts, as_model *out);
void as_model_free(as_model *model);
/* Writes what every tensor begins with. */
as_status as_model_start(const as_model *model, as_real *theta);

/* The head that the scheme room is asked about; of an embedding, the model's width as one head. */
as_head as_model_head(const as_model *model, size_t layer, size_t head);
as_head as_model_embedding_head(const as_model *model);

/* AS_EINVAL where a field is beyond the range of train_config.def. */
as_status as_train_config_check(const as_train_config *config);

/* Reads a scheme with the defaults that training has for it. AS_EINVAL in words. */
as_status as_model_scheme(const as_train_config *config, as_scheme *out);
/* Puts an owned text, NULL where there was no memory, into a configuration's room of AS_TRAIN_TEXT, and frees
 * it. AS_ENOMEM; AS_EINVAL where it is longer. */
as_status as_train_config_put(const char *what, char *text, char *room);
/* Its canonical string, out [AS_TRAIN_TEXT]. What training has another default for is named in any case, so
 * that the string read again by as_model_scheme() is the same scheme. AS_EINVAL, AS_ENOMEM. */
as_status as_model_scheme_text(const as_train_config *config, const as_scheme *scheme, char *out);

#endif
