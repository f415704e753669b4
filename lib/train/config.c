/* What a run is told: presets and profiles, one field by its name, and what follows from the rest.
 * It refuses names that are none, numbers out of range, and sizes that make no model. */
#include "base/fail.h"
#include "base/param.h"
#include "train/model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One row of train_config.def, and where it lies in the structure. */
typedef struct field {
    size_t offset;
    as_param param[2]; /* how it is read; a table of one, with its end */
} field;
#define AT(member)       offsetof(as_train_config, member)
#define ROW(member, ...) {AT(member), {{__VA_ARGS__}, {.key = NULL}}},
#define AS_TRAIN_SIZE(member, option, value, least, most, help)                                    \
    ROW(member, .key = option, .type = AS_PARAM_COUNT, .preset = #value, .low = least, .high = most)
#define AS_TRAIN_REAL(member, option, value, least, most, help)                                    \
    ROW(member, .key = option, .type = AS_PARAM_REAL, .preset = #value, .low = least, .high = most)
#define AS_TRAIN_CHOICE(member, option, value, words, help)                                        \
    ROW(member, .key = option, .type = AS_PARAM_CHOICE, .preset = value, .choices = words)
static const field fields[] = {
#include "attnspec/train_config.def"
};
enum { FIELDS = sizeof fields / sizeof *fields };

/* The texts, which come before the fields. */
static const struct text {
    const char *name;
    size_t offset, size;
} texts[] = {{"task", AT(task), sizeof(((as_train_config *)0)->task)},
             {"scheme", AT(scheme), sizeof(((as_train_config *)0)->scheme)},
             {"preset", AT(preset), sizeof(((as_train_config *)0)->preset)},
             {"profile", AT(profile), sizeof(((as_train_config *)0)->profile)}};
enum { TEXTS = sizeof texts / sizeof *texts };

static void write_field(as_train_config *config, const field *f, double value) {
    void *at = (char *)config + f->offset;
    if (f->param->type == AS_PARAM_COUNT) {
        *(size_t *)at = (size_t)value;
    } else if (f->param->type == AS_PARAM_REAL) {
        *(double *)at = value;
    } else {
        *(int *)at = (int)value;
    }
}

static double read_field(const as_train_config *config, const field *f) {
    const void *at = (const char *)config + f->offset;
    return f->param->type == AS_PARAM_COUNT  ? (double)*(const size_t *)at
           : f->param->type == AS_PARAM_REAL ? *(const double *)at
                                             : *(const int *)at;
}

/* Sets a field from "key=value", or to its preset where that is NULL. */
static as_status parse_field(as_train_config *config, const field *f, const char *pair) {
    double value[AS_PARAMS_MAX];
    as_status status = as_params_parse("training", f->param, pair, value, NULL);
    if (status == AS_OK) {
        write_field(config, f, value[0]);
    }
    return status;
}

/* (T16). The gu2025 switches are those of the authors' code (Qihuai27/Deposit-Pattern-Research). */
typedef struct preset {
    const char *name, *summary, *task, *profile;
    size_t n, vocab, dim, heads, layers, ff, batch, steps, samples;
    double lr;
    size_t seed;
} preset;
static const preset presets[] = {
    {"tiny", "seconds: 24 positions, 2 layers of 4 heads, width 32", "distance:between=13,side=4",
     "clean", 24, 64, 32, 4, 2, 64, 128, 350, 0, 4e-3, 0},
    {"small", "half a minute: 32 positions, 2 layers of 8 heads, width 64",
     "distance:between=18,side=6", "clean", 32, 128, 64, 8, 2, 128, 128, 400, 0, 2e-3, 0},
    {"deposit", "minutes: 2 layers of 16 heads, width 128, the switches of Gu et al. 2025",
     "distance:between=18,side=6", "gu2025", 32, 128, 128, 16, 2, 256, 128, 850, 0, 7e-4, 0},
    /* 100 epochs of 70,000 samples by 512. */
    {"paper", "days: the sizes of Gu et al. 2025, 6 layers of 16 heads, width 256",
     "distance:between=70,side=25", "clean", 128, 574, 256, 16, 6, 512, 512, 13700, 70000, 1e-4,
     42},
};
enum { PRESETS = sizeof presets / sizeof *presets };

const char *as_train_preset_name(size_t index, const char **summary) {
    if (index >= PRESETS) {
        return NULL;
    }
    *summary = presets[index].summary;
    return presets[index].name;
}

static void apply_profile(as_train_config *config) {
    if (strcmp(config->profile, "gu2025") != 0) {
        return;
    }
    config->kv_from = AS_KV_FROM_EMBEDDINGS;
    config->train_random = AS_YES;
    config->final_norm = AS_NO;
    config->dropout = 0.1;
    config->beta1 = 0.98;
    config->beta2 = 0.9;
    config->sinusoids = AS_WITH_ROPE;
}

static as_status find(const char *what, const char *const *names, size_t count, const char *text,
                      size_t *index) {
    as_name list[8];
    const char *rest;
    for (size_t i = 0; i < count; i++) {
        list[i] = (as_name){.name = names[i]};
    }
    as_status status = as_name_find(what, list, count, text, index, &rest);
    return status == AS_OK && strchr(text, ':') != NULL
               ? as_fail(AS_EINVAL, "%s %s has no parameters", what, names[*index])
               : status;
}

static const char *const profiles[] = {"clean", "gu2025"};

static as_status find_profile(const char *name, size_t *index) {
    return find("profile", profiles, sizeof profiles / sizeof *profiles, name, index);
}

static as_status find_preset(const char *name, size_t *index) {
    const char *names[PRESETS];
    for (size_t i = 0; i < PRESETS; i++) {
        names[i] = presets[i].name;
    }
    return find("preset", names, PRESETS, name, index);
}

as_status as_train_preset(const char *name, const char *profile, as_train_config *out) {
    size_t index = 0, which = 0;
    as_status status = find_preset(name, &index);
    if (status == AS_OK && profile != NULL) {
        status = find_profile(profile, &which);
    }
    if (status != AS_OK) {
        return status;
    }
    const preset *p = &presets[index];
    as_train_config config = {.scheme = "rope"};
    for (size_t i = 0; i < FIELDS; i++) {
        (void)parse_field(&config, &fields[i], NULL);
    }
    config.n = p->n, config.vocab = p->vocab, config.dim = p->dim, config.heads = p->heads;
    config.layers = p->layers, config.ff = p->ff, config.batch = p->batch;
    config.steps = p->steps, config.samples = p->samples, config.lr = p->lr;
    config.seed = p->seed;
    snprintf(config.task, sizeof config.task, "%s", p->task);
    snprintf(config.preset, sizeof config.preset, "%s", p->name);
    snprintf(config.profile, sizeof config.profile, "%s",
             profile == NULL ? p->profile : profiles[which]);
    apply_profile(&config);
    *out = config;
    return AS_OK;
}

static as_status refuse_name(const char *name) {
    const char *words[FIELDS + TEXTS];
    for (size_t i = 0; i < TEXTS; i++) {
        words[i] = texts[i].name;
    }
    for (size_t i = 0; i < FIELDS; i++) {
        words[TEXTS + i] = fields[i].param->key;
    }
    const char *near = as_nearest(name, words, FIELDS + TEXTS);
    return as_fail(AS_EINVAL, "a training run has no '%s'%s%s%s", name,
                   near != NULL ? "; did you mean '" : "", near != NULL ? near : "",
                   near != NULL ? "'?" : "");
}

/* Task and scheme are read when the configuration is resolved, as they depend on its sizes. */
static as_status set_text(as_train_config *config, const struct text *text, const char *value) {
    size_t unused;
    as_status status = AS_OK;
    if (strlen(value) >= text->size) {
        return as_fail(AS_EINVAL, "%s is longer than %zu bytes", text->name, text->size - 1);
    }
    if (text->offset == AT(preset)) {
        status = find_preset(value, &unused);
    } else if (text->offset == AT(profile)) {
        status = find_profile(value, &unused);
    }
    if (status == AS_OK) {
        strcpy((char *)config + text->offset, value);
    }
    return status;
}

as_status as_train_config_set(as_train_config *config, const char *name, const char *value) {
    for (size_t i = 0; i < TEXTS; i++) {
        if (strcmp(name, texts[i].name) == 0) {
            return set_text(config, &texts[i], value);
        }
    }
    for (size_t i = 0; i < FIELDS; i++) {
        if (strcmp(name, fields[i].param->key) != 0) {
            continue;
        }
        char pair[128];
        int length = snprintf(pair, sizeof pair, "%s=%s", name, value);
        return (size_t)length < sizeof pair && strchr(value, ',') == NULL
                   ? parse_field(config, &fields[i], pair)
                   : as_fail(AS_EINVAL, "%s is '%.40s', but must be one number or word", name,
                             value);
    }
    return refuse_name(name);
}

/* What options do not take a program can still write. */
as_status as_train_config_check(const as_train_config *config) {
    for (size_t i = 0; i < FIELDS; i++) {
        const as_param *p = fields[i].param;
        double value = read_field(config, &fields[i]), high = p->high;
        for (const char *bar = p->choices; bar != NULL; bar = strchr(bar + 1, '|')) {
            high = bar == p->choices ? 0 : high + 1;
        }
        if (!(value >= p->low && value <= high)) {
            return as_fail(AS_EINVAL, "%s is %g, but must be from %g to %g", p->key, value, p->low,
                           high);
        }
    }
    return AS_OK;
}

bool as_train_config_get(const as_train_config *config, size_t index, const char **name,
                         char *value) {
    if (index < TEXTS) {
        *name = texts[index].name;
        strcpy(value, (const char *)config + texts[index].offset);
        return true;
    }
    if (index - TEXTS >= FIELDS) {
        return false;
    }
    const field *f = &fields[index - TEXTS];
    *name = f->param->key;
    as_param_write(f->param, read_field(config, f), value, AS_TRAIN_TEXT);
    return true;
}
