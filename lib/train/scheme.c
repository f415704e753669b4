/* Which schemes have a meaning in training, and with which defaults.
 * It refuses those whose position depends on content, and those whose numbers are a file's. */
#include "base/fail.h"
#include "train/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What the models of (T16) have where the string says nothing; %zu is the head size. */
typedef struct preset {
    const char *scheme, *key, *value;
    bool gu2025; /* of that profile alone */
} preset;
static const preset presets[] = {
    {"learned", "initializer_range", "1", false}, {"t5", "num_buckets", "16", false},
    {"t5", "max_distance", "64", false},          {"mla", "qk_nope_head_dim", "%zu", false},
    {"mla", "qk_rope_head_dim", "%zu", false},    {"alibi", "slopes", "gu2025", true},
};
enum { PRESETS = sizeof presets / sizeof *presets };

static bool applies(const preset *p, const as_train_config *config, const as_scheme *scheme) {
    return strcmp(scheme->type->name, p->scheme) == 0 &&
           (!p->gu2025 || strcmp(config->profile, "gu2025") == 0);
}

/* Appends key=value, unless the string has the key (or an alias) already, which parsing tells. */
static void append(char *text, const char *key, const char *value) {
    char longer[AS_TRAIN_TEXT];
    as_scheme unused;
    int length = snprintf(longer, sizeof longer, "%s%c%s=%s", text,
                          strchr(text, ':') == NULL ? ':' : ',', key, value);
    if (length > 0 && (size_t)length < sizeof longer && as_scheme_parse(longer, &unused) == AS_OK) {
        memcpy(text, longer, (size_t)length + 1);
    }
}

static size_t place_of(const as_scheme *scheme, const char *key) {
    size_t i = 0;
    while (strcmp(scheme->type->params[i].key, key) != 0) {
        i++;
    }
    return i;
}

/* A size that is auto, where the string says so itself, is training's too, not the scheme's. */
static void settle(const as_train_config *config, as_scheme *scheme) {
    for (size_t i = 0; i < PRESETS; i++) {
        if (applies(&presets[i], config, scheme) && strcmp(presets[i].value, "%zu") == 0) {
            double *value = &scheme->value[place_of(scheme, presets[i].key)];
            *value = isnan(*value) ? (double)(config->dim / config->heads) : *value;
        }
    }
}

static as_status check_means(const as_scheme *scheme) {
    const as_scheme_type *type = scheme->type;
    /* toeplitz has no numbers but a file's. */
    bool file = as_scheme_file(scheme) != NULL || strcmp(type->name, "toeplitz") == 0;
    const char *why = file                   ? "its numbers are those of a file"
                      : type->logits != NULL ? "its position depends on content"
                      : type->kernel != NULL ? "it multiplies logits by a kernel"
                                             : NULL;
    return why == NULL ? AS_OK
                       : as_fail(AS_EINVAL,
                                 "scheme %s is not for training: %s. Those that are: nope, "
                                 "sinusoidal, learned, random, relative, t5, alibi, kerple, "
                                 "sandwich, fire, rope, xpos, mla and their relatives with a fixed "
                                 "rotation",
                                 type->name, why);
}

as_status as_model_scheme(const as_train_config *config, as_scheme *out) {
    char text[AS_TRAIN_TEXT], value[32];
    as_status status = as_scheme_parse(config->scheme, out);
    bool ours = strncmp(config->scheme, "hf:", 3) != 0;
    snprintf(text, sizeof text, "%s", config->scheme);
    for (size_t i = 0; i < PRESETS && status == AS_OK && ours; i++) {
        if (applies(&presets[i], config, out)) {
            snprintf(value, sizeof value, presets[i].value, config->dim / config->heads);
            append(text, presets[i].key, value);
        }
    }
    if (status == AS_OK) {
        status = as_scheme_parse(text, out);
    }
    if (status == AS_OK) {
        settle(config, out);
        status = check_means(out);
    }
    return status;
}

as_status as_model_scheme_text(const as_train_config *config, const as_scheme *scheme, char *out) {
    char *text = as_scheme_text(scheme);
    if (text == NULL || strlen(text) >= AS_TRAIN_TEXT) {
        as_status status = text == NULL ? AS_ENOMEM : AS_EINVAL;
        free(text);
        return as_fail(status, "the scheme's name takes more than %d bytes", AS_TRAIN_TEXT - 1);
    }
    strcpy(out, text);
    free(text);
    for (size_t i = 0; i < PRESETS; i++) {
        if (applies(&presets[i], config, scheme)) {
            const as_param *p = &scheme->type->params[place_of(scheme, presets[i].key)];
            append(out, p->key, p->preset);
        }
    }
    return AS_OK;
}
