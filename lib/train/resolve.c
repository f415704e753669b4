/* What follows from the rest of a configuration: the task's vocabulary and mask, the scheme's defaults,
 * the canonical strings. It refuses sizes that make no model. */
#include "base/fail.h"
#include "door/blas.h"
#include "train/model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SINUSOIDS_NO, SINUSOIDS_YES, SINUSOIDS_WITH_ROPE };

/* Puts an owned text into the configuration's room for it. */
static as_status put(const char *what, char *text, char *room) {
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

static as_status resolve_task(as_train_config *config, as_task_facts *out) {
    as_task *task;
    /* Of lm: bytes; it says so, whatever the preset's vocabulary is. */
    as_status status = as_task_open(config->task, config->n, config->vocab, &task);
    if (status != AS_OK) {
        return status;
    }
    const as_task_facts *facts = as_task_facts_of(task);
    if (facts->vocab > 0) {
        config->vocab = facts->vocab;
    }
    if (facts->causal) {
        config->mask = 1;
    }
    *out = *facts;
    out->file = NULL;
    status = put("task", as_task_text(task), config->task);
    as_task_close(task);
    return status;
}

/* Head sizes and parameters for which the scheme is not defined are found here, and not when others are
 * trained already. */
static as_status check_model(const as_train_config *config, const as_task_facts *facts) {
    as_model *model = calloc(1, sizeof *model); /* some KiB */
    if (model == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a model");
    }
    as_status status = as_model_new(config, facts, model);
    if (status == AS_OK) {
        as_model_free(model);
    }
    free(model);
    return status;
}

static as_status check_sizes(const as_train_config *c) {
    if (c->dim % c->heads != 0) {
        return as_fail(AS_EINVAL, "dim is %zu, which is no multiple of the %zu heads", c->dim,
                       c->heads);
    }
    size_t rows, wide;
    bool fits = as_mul(c->batch, c->n, &rows) && as_mul(rows, c->dim, &wide) &&
                as_blas_counts(wide) && as_mul(rows, c->ff, &wide) && as_blas_counts(wide) &&
                as_mul(c->test_samples, c->n, &wide) && wide < SIZE_MAX / 8;
    if (!fits) {
        return as_fail(AS_ETOOLARGE,
                       "batches of %zu samples of %zu positions, width %zu, are "
                       "beyond BLAS's integer",
                       c->batch, c->n, c->dim);
    }
    if (!(c->lr > 0)) {
        return as_fail(AS_EINVAL, "lr is %g: nothing would be learned", c->lr);
    }
    return AS_OK;
}

static as_status resolve_scheme(as_train_config *config) {
    as_scheme *scheme = malloc(sizeof *scheme); /* some KiB */
    if (scheme == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the scheme");
    }
    as_status status = as_model_scheme(config, scheme);
    if (status == AS_OK) {
        bool rope = strcmp(scheme->type->name, "rope") == 0;
        if (config->sinusoids == SINUSOIDS_WITH_ROPE) {
            config->sinusoids = rope ? SINUSOIDS_YES : SINUSOIDS_NO;
        }
        status = put("scheme", as_scheme_text(scheme), config->scheme);
    }
    free(scheme);
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
        status = resolve_scheme(&resolved);
    }
    if (status == AS_OK) {
        status = check_model(&resolved, &facts);
    }
    if (status == AS_OK) {
        *config = resolved;
    }
    return status;
}
