/* What train is to do: preset, profile and options into one configuration.
 * It refuses what makes no model, in the library's words. */
#include <stdlib.h>
#include <string.h>

#include "message.h"
#include "output.h"
#include "tool.h"
#include "train.h"

int train_refuse(const tool *self, as_status status) {
    if (status == AS_OK)
        return EXIT_DONE;
    if (status == AS_EINVAL || status == AS_ETOOLARGE)
        return usage_error(self, "%s", as_message());
    message_error("%s",
                  status == AS_ENOMEM ? "there is no memory for this training" : as_message());
    return exit_code_of(status);
}

/* Whether the option was given; it has no default then that settings would show. */
static const char *given(const common_options *common, const char *name) {
    for (size_t i = 0; i < common->setting_count; i++)
        if (strcmp(common->settings[i][0], name) == 0)
            return common->settings[i][1];
    return NULL;
}

/* Every option that is a field of the configuration. */
static as_status take_fields(const train_options *o, as_train_config *config) {
    as_status status = AS_OK;
    const char *name;
    char *value = malloc(AS_TRAIN_TEXT);
    if (value == NULL)
        return AS_ENOMEM;
    as_train_config fixed = *config;
    for (size_t i = 0; status == AS_OK && as_train_config_get(&fixed, i, &name, value); i++) {
        const char *text = given(&o->common, name);
        bool apart = strcmp(name, "task") == 0 || strcmp(name, "scheme") == 0 ||
                     strcmp(name, "preset") == 0 || strcmp(name, "profile") == 0;
        if (text != NULL && !apart)
            status = as_train_config_set(config, name, text);
    }
    free(value);
    return status;
}

/* A preset's task has numbers that fit its length: they stand where task and length are not another. */
static as_status take_task(const train_options *o, const char *task, as_train_config *config) {
    bool own_length = given(&o->common, "n") == NULL;
    size_t name = strcspn(config->task, ":");
    if (task == NULL)
        task = own_length ? config->task : "distance";
    else if (own_length && strlen(task) == name && strncmp(task, config->task, name) == 0)
        task = config->task;
    return task == config->task ? AS_OK : as_train_config_set(config, "task", task);
}

as_status train_resolve(const train_options *o, const char *task, const char *scheme,
                        as_train_config *out) {
    as_status status = as_train_preset(o->preset, o->profile, out);
    if (status == AS_OK)
        status = take_fields(o, out);
    if (status == AS_OK)
        status = take_task(o, task, out);
    if (status == AS_OK && scheme != NULL)
        status = as_train_config_set(out, "scheme", scheme);
    if (status == AS_OK)
        status = as_train_config_resolve(out);
    return status;
}

int train_configure(const tool *self, const train_options *o, const char *task, const char *scheme,
                    as_train_config *out) {
    as_scheme parsed;
    /* The file of a scheme is a parameter, as it is for every tool; the text of a task is what is read. */
    if (scheme != NULL && as_scheme_parse(scheme, &parsed) == AS_EREAD)
        return usage_error(self, "%s", as_message());
    return train_refuse(self, train_resolve(o, task, scheme, out));
}

int train_check_text(const train_options *o, const as_train_config *config) {
    as_task *task;
    if (as_task_open(config->task, config->n, config->vocab, &task) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_NOTHING;
    }
    const char *file = as_task_facts_of(task)->file;
    bool same = file != NULL && output_is_input(o->common.output, &file, 1);
    as_task_close(task);
    return same ? EXIT_OUTPUT : EXIT_DONE;
}

/* "25", or NULL for the default. */
static int read_every(const tool *self, const char *name, const char *text, uint64_t preset,
                      uint64_t *out) {
    *out = preset;
    if (text == NULL)
        return EXIT_DONE;
    if (*text == '\0' || text[strspn(text, "0123456789")] != '\0' || strlen(text) > 9)
        return usage_error(self, "--%s is '%s', but must be a number of steps; 0: never", name,
                           text);
    *out = strtoull(text, NULL, 10);
    return EXIT_DONE;
}

/* A share of the steps, but at least one. */
static uint64_t share(size_t steps, size_t of) {
    return steps < of ? 1 : steps / of;
}

int train_rhythm_of(const tool *self, const train_options *o, const as_train_config *config,
                    train_rhythm *out) {
    out->history = share(config->steps, 200);
    out->checkpoints = o->checkpoint_every;
    int code = read_every(self, "spectra-every", o->spectra_every, share(config->steps, 10),
                          &out->spectra);
    if (code == EXIT_DONE)
        code = read_every(self, "test-every", o->test_every, share(config->steps, 4), &out->tests);
    /* Two where there are two. */
    out->probe = o->probe > 0 ? o->probe : config->test_samples > 1 ? 2 : 1;
    if (code == EXIT_DONE && out->probe > config->test_samples)
        code = usage_error(self, "--probe is %zu, but the test set has %zu samples", out->probe,
                           config->test_samples);
    return code;
}
