/* Which schemes have a meaning in training, and with which defaults.
 * It refuses those whose position depends on content, and those whose numbers are a file's. */
#include "base/fail.h"
#include "train/model.h"

#include <stdio.h>
#include <string.h>

/* What training.md's models have where the string says nothing. %zu is the head size. */
typedef struct preset {
    const char *scheme, *key, *value;
    bool gu2025; /* of that profile alone */
} preset;
static const preset presets[] = {
    {"learned", "initializer_range", "1", false}, {"t5", "num_buckets", "16", false},
    {"t5", "max_distance", "64", false},          {"mla", "qk_nope_head_dim", "%zu", false},
    {"mla", "qk_rope_head_dim", "%zu", false},    {"alibi", "slopes", "gu2025", true},
};

/* Appends key=value, unless the string has the key (or an alias) already, which parsing tells. */
static void append(char *text, const preset *p, size_t head_size) {
    char value[32], longer[AS_TRAIN_TEXT];
    as_scheme unused;
    snprintf(value, sizeof value, p->value, head_size);
    int length = snprintf(longer, sizeof longer, "%s%c%s=%s", text,
                          strchr(text, ':') == NULL ? ':' : ',', p->key, value);
    if (length > 0 && (size_t)length < sizeof longer && as_scheme_parse(longer, &unused) == AS_OK) {
        memcpy(text, longer, (size_t)length + 1);
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
    char text[AS_TRAIN_TEXT];
    as_status status = as_scheme_parse(config->scheme, out);
    if (status != AS_OK || strncmp(config->scheme, "hf:", 3) == 0) {
        return status == AS_OK ? check_means(out) : status;
    }
    snprintf(text, sizeof text, "%s", config->scheme);
    for (size_t i = 0; i < sizeof presets / sizeof *presets; i++) {
        const preset *p = &presets[i];
        if (strcmp(out->type->name, p->scheme) == 0 &&
            (!p->gu2025 || strcmp(config->profile, "gu2025") == 0)) {
            append(text, p, config->dim / config->heads);
        }
    }
    status = as_scheme_parse(text, out);
    return status == AS_OK ? check_means(out) : status;
}
