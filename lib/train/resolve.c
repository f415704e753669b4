/* What follows from the rest of a configuration: the task's vocabulary and mask, the scheme's defaults,
 * the canonical strings. It refuses sizes that make no model. */
#include "base/fail.h"
#include "train/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

as_status as_train_config_put(const char *what, char *text, char *room) {
    bool fits = text != NULL && strlen(text) < AS_TRAIN_TEXT;
    if (fits) {
        strcpy(room, text);
    }
    bool none = text == NULL;
    free(text);
    return fits   ? AS_OK
           : none ? as_fail(AS_ENOMEM, "no memory for the %s's name", what)
                  : as_fail(AS_EINVAL, "the %s's name is longer than %d bytes", what,
                            AS_TRAIN_TEXT - 1);
}

static as_status resolve_task(as_train_config *config, as_task_facts *facts) {
    as_task *task;
    as_status status = as_task_open(config->task, config->n, config->vocab, &task);
    if (status != AS_OK) {
        return status;
    }
    *facts = *as_task_facts_of(task);
    /* Of lm: bytes; it says so, whatever the preset's vocabulary is. */
    if (facts->vocab > 0) {
        config->vocab = facts->vocab;
    }
    if (facts->causal) {
        config->mask = AS_SEES_EARLIER;
    }
    status = as_train_config_put("task", as_task_text(task), config->task);
    as_task_close(task);
    return status;
}

static as_status check_sizes(const as_train_config *c) {
    as_status status = as_train_config_check(c);
    if (status != AS_OK) {
        return status;
    }
    if (c->dim % c->heads != 0) {
        return as_fail(AS_EINVAL, "dim is %zu, which is no multiple of the %zu heads", c->dim,
                       c->heads);
    }
    return c->lr > 0 ? AS_OK : as_fail(AS_EINVAL, "lr is 0: nothing would be learned");
}

/* A model is laid out, which takes no room of its size, and asks the scheme whether it is defined for its
 * heads. */
static as_status resolve_scheme(as_train_config *config, const as_task_facts *facts) {
    as_model *model = malloc(sizeof *model); /* some KiB */
    if (model == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the scheme");
    }
    as_status status = as_model_new(config, facts, model);
    if (status == AS_OK) {
        bool rope = strcmp(model->scheme.type->name, "rope") == 0;
        if (config->sinusoids == AS_WITH_ROPE) {
            config->sinusoids = rope ? AS_YES : AS_NO;
        }
        status = as_model_scheme_text(config, &model->scheme, config->scheme);
        as_model_free(model);
    }
    free(model);
    return status;
}

as_status as_train_config_resolve(as_train_config *config) {
    as_train_config resolved = *config;
    as_task_facts facts;
    as_status status = check_sizes(&resolved);
    if (status == AS_OK) {
        status = resolve_task(&resolved, &facts);
    }
    if (status == AS_OK) {
        status = resolve_scheme(&resolved, &facts);
    }
    if (status == AS_OK) {
        *config = resolved;
    }
    return status;
}
