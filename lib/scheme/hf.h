/* hf: what the files that read a Hugging Face config.json share. Private to lib/scheme.
 * A field of the wrong kind is refused in the end, whoever asks for it: the first one is kept. */
#ifndef AS_SCHEME_HF_H
#define AS_SCHEME_HF_H

#include "attnspec/scheme.h"
#include "door/json.h"

/* A config: the model's own object, and the one of its rotation. */
typedef struct hf_config {
    const char *path, *type;           /* type: model_type, "" where there is none */
    const as_json_value *model, *rope; /* rope: NULL where there is none */
    as_hf_config *out;
    size_t used;      /* of out->scheme */
    as_status status; /* of the first field that could not be read; its sentence is as_message() */
} hf_config;

/* Adds to the scheme's text; what is too long is seen by as_scheme_hf(). */
void as_hf_add(hf_config *c, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The shortest decimal that reads back. */
void as_hf_add_number(hf_config *c, double x);
/* ",key=value", or ":key=value" of the first; nothing of NaN. */
void as_hf_add_value(hf_config *c, const char *key, double x);

/* A member of an object; NaN, "" and `other` where it is not there, or null. */
double as_hf_number_of(hf_config *c, const as_json_value *object, const char *key);
const char *as_hf_text_of(hf_config *c, const as_json_value *object, const char *key);
bool as_hf_truth(hf_config *c, const as_json_value *object, const char *key, bool other);
/* The list, or the object, of that name in the model; NULL where it is not there, or null. */
const as_json_value *as_hf_list(hf_config *c, const char *key);
const as_json_value *as_hf_object(hf_config *c, const char *key);
/* The number of that name in the rotation's object, else in the model's. */
double as_hf_number(hf_config *c, const char *key);
/* The first of the numbers whose names stand between bars: "n_head|n_heads". */
double as_hf_first(hf_config *c, const char *keys);
double as_hf_either(double x, double other);
/* Whether a word is in a list that ends with NULL. */
bool as_hf_is_one_of(const char *word, const char *const *words);

/* Heads, key heads, layers and head size, by the names that models have for them. */
as_status as_hf_sizes(hf_config *c);
/* What the config says of its logits and the scheme does not, in out->note. */
void as_hf_note(hf_config *c);
/* RoPE and MLA, or nope where no layer rotates. */
as_status as_hf_rotary(hf_config *c);

#endif
