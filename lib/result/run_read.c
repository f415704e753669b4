/* Run files read: all of it, checked against itself.
 * It refuses what does not fit together, infinite numbers, and files on which libhdf5 fails. */
#include "result/run.h"

#include "base/fail.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const char *path;
    as_h5 *file;
    as_run *run;
    bool trying; /* in the child of a trial: tensors are let go of at once, to bound its memory */
} reading;

/* ---- attributes ------------------------------------------------------------------------------- */

static as_status take_count(const reading *r, const char *group, const char *name, uint64_t *out) {
    int64_t value = 0;
    as_status status = as_h5_get_integer(r->file, group, name, &value);
    if (status == AS_OK && value < 0) {
        status = as_fail(AS_EREAD, "attribute %s of %s in %s is negative", name, group, r->path);
    }
    if (status == AS_OK) {
        *out = (uint64_t)value;
    }
    return status;
}

/* NaN where it is not there. */
static as_status take_number(const reading *r, const char *group, const char *name, double *out) {
    *out = NAN;
    as_status status = as_h5_has_attribute(r->file, group, name)
                           ? as_h5_get_number(r->file, group, name, out)
                           : AS_OK;
    return status == AS_OK && isinf(*out)
               ? as_fail(AS_EREAD, "attribute %s of %s in %s is infinite", name, group, r->path)
               : status;
}

static as_status take_plateau_of(const reading *r) {
    char *text = NULL;
    as_status status = as_h5_has_attribute(r->file, AS_RUN_GROUP, "plateau_of")
                           ? as_h5_get_text(r->file, AS_RUN_GROUP, "plateau_of", &text)
                           : AS_OK;
    r->run->plateau_of = text;
    return status;
}

static as_status take_facts(const reading *r) {
    as_run *run = r->run;
    const struct {
        const char *name;
        double *out;
    } numbers[] = {{"accuracy", &run->accuracy},
                   {"loss", &run->loss},
                   {"plateau", &run->plateau},
                   {"samples_per_second", &run->samples_per_second}};
    as_status status = take_count(r, AS_RUN_GROUP, "steps", &run->steps);
    if (status == AS_OK) {
        status = take_count(r, AS_RUN_GROUP, "answers", &run->answers);
    }
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers && status == AS_OK; i++) {
        status = take_number(r, AS_RUN_GROUP, numbers[i].name, numbers[i].out);
    }
    return status == AS_OK ? take_plateau_of(r) : status;
}

static as_status take_origin(const reading *r) {
    as_origin origin = {.group = AS_RUN_GROUP, .format = AS_RUN_FORMAT};
    as_status status = as_origin_take(r->file, r->path, &origin);
    /* Whatever was read is the run's now, which will be freed. */
    r->run->config = origin.config;
    r->run->config_count = origin.config_count;
    r->run->provenance = origin.provenance;
    r->run->finished = origin.finished;
    return status == AS_OK ? take_facts(r) : status;
}

/* ---- weights ---------------------------------------------------------------------------------- */

/* All of a dataset; *out is owned. */
static as_status read_floats(const reading *r, const as_h5_data *data, const char *dataset,
                             float **out) {
    size_t count;
    if (!as_mul(data->shape[0], data->shape[1], &count) || !as_mul(count, data->shape[2], &count) ||
        count == 0) {
        return as_fail(AS_EREAD, "%s of %s has no numbers", dataset, r->path);
    }
    float *numbers = calloc(count, sizeof *numbers);
    if (numbers == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %s of %s", dataset, r->path);
    }
    as_status status = as_h5_data_read(data, 0, data->shape[0], numbers);
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        if (!isfinite(numbers[i])) {
            status =
                as_fail(AS_EREAD, "%s of %s is %g at %zu", dataset, r->path, (double)numbers[i], i);
        }
    }
    if (status != AS_OK || r->trying) {
        free(numbers);
        return status;
    }
    *out = numbers;
    return AS_OK;
}

/* The weights give the shape, which the moments must have too. */
static as_status take_tensor(const reading *r, size_t part, as_run_tensor *t, float **out) {
    char dataset[AS_RUN_PATH];
    as_h5_data data = {0};
    snprintf(dataset, sizeof dataset, "%s/%s", as_run_parts[part], t->name);
    if (part > 0 && !as_h5_has(r->file, dataset)) {
        return AS_OK;
    }
    as_status status = as_h5_data_open(r->file, dataset, AS_H5_F32, &data);
    if (status == AS_OK && part == 0) {
        t->rank = data.rank;
        memcpy(t->shape, data.shape, sizeof t->shape);
    } else if (status == AS_OK &&
               (t->rank != data.rank || memcmp(t->shape, data.shape, sizeof t->shape) != 0)) {
        status = as_fail(AS_EREAD, "%s of %s has another shape than the weights", dataset, r->path);
    }
    if (status == AS_OK) {
        status = read_floats(r, &data, dataset, out);
    }
    as_h5_data_close(&data);
    return status;
}

static as_status take_tensors(const reading *r) {
    char **names = NULL;
    size_t count = 0;
    as_status status = as_h5_read_strings(r->file, AS_RUN_TENSORS, &names, &count);
    if (status != AS_OK) {
        return status;
    }
    r->run->tensors = calloc(count + 1, sizeof *r->run->tensors);
    if (r->run->tensors == NULL) {
        status = as_fail(AS_ENOMEM, "no memory for %zu tensors of %s", count, r->path);
    }
    bool moments[AS_RUN_PARTS];
    for (size_t part = 0; part < AS_RUN_PARTS; part++) {
        moments[part] = part == 0 || as_h5_has(r->file, as_run_parts[part]);
    }
    for (size_t i = 0; i < count && status == AS_OK; i++) {
        as_run_tensor *t = &r->run->tensors[i];
        if (!as_run_tensor_name(names[i])) {
            status = as_fail(AS_EREAD, AS_RUN_TENSORS " of %s names a tensor \"%.300s\"", r->path,
                             names[i]);
            break;
        }
        float **numbers[] = {(float **)&t->data, (float **)&t->moment1, (float **)&t->moment2};
        t->name = names[i];
        names[i] = NULL;
        r->run->tensor_count = i + 1;
        for (size_t part = 0; part < AS_RUN_PARTS && status == AS_OK; part++) {
            status = moments[part] ? take_tensor(r, part, t, numbers[part]) : AS_OK;
        }
    }
    as_h5_strings_free(names, count);
    return status;
}

/* ---- spectra ---------------------------------------------------------------------------------- */

/* Room for as many steps, layers and heads as the first spectrum of the file has. */
static as_status make_spectra(const reading *r, const char *dataset, const size_t *shape) {
    as_run_spectra *s = &r->run->spectra;
    size_t cells;
    if (!as_mul(shape[0], shape[1], &cells) || !as_mul(cells, shape[2], &cells) || cells == 0) {
        return as_fail(AS_EREAD, "%s of %s has no numbers", dataset, r->path);
    }
    *s = (as_run_spectra){.layers = shape[0], .heads = shape[1], .steps = shape[2]};
    s->step = calloc(s->steps, sizeof *s->step);
    bool whole = s->step != NULL;
    for (size_t i = 0; i < AS_RUN_SPECTRUM_COUNT; i++) {
        s->value[i] = calloc(cells, sizeof *s->value[i]);
        whole = whole && s->value[i] != NULL;
        for (size_t k = 0; k < cells && whole; k++) {
            s->value[i][k] = NAN;
        }
    }
    return whole ? AS_OK : as_fail(AS_ENOMEM, "no memory for spectra of %s", r->path);
}

/* The steps of one spectrum, which are those of all: the first one sets them. */
static as_status take_steps(const reading *r, const char *name, bool first) {
    char dataset[AS_RUN_PATH];
    as_run_spectra *s = &r->run->spectra;
    as_h5_data data = {0};
    int64_t *steps = NULL;
    snprintf(dataset, sizeof dataset, AS_RUN_SPECTRA "/%s/step", name);
    as_status status = as_h5_data_open(r->file, dataset, AS_H5_I64, &data);
    if (status == AS_OK && (data.rank != 1 || data.shape[0] != s->steps)) {
        status = as_fail(AS_EREAD, "%s of %s does not fit its spectrum", dataset, r->path);
    }
    if (status == AS_OK) {
        steps = calloc(s->steps, sizeof *steps);
        status = steps != NULL ? as_h5_data_read(&data, 0, s->steps, steps)
                               : as_fail(AS_ENOMEM, "no memory for %s of %s", dataset, r->path);
    }
    for (size_t i = 0; i < s->steps && status == AS_OK; i++) {
        if (steps[i] < 0 || (!first && s->step[i] != (uint64_t)steps[i])) {
            status = as_fail(AS_EREAD, "%s of %s is %lld at %zu", dataset, r->path,
                             (long long)steps[i], i);
        }
        s->step[i] = (uint64_t)steps[i];
    }
    as_h5_data_close(&data);
    free(steps);
    return status;
}

/* In the file steps are innermost, here outermost. */
static as_status take_values(const reading *r, const char *dataset, const as_h5_data *data,
                             double *out) {
    const as_run_spectra *s = &r->run->spectra;
    size_t heads = s->layers * s->heads, cells = heads * s->steps;
    double *turned = calloc(cells, sizeof *turned);
    as_status status = turned != NULL
                           ? as_h5_data_read(data, 0, s->layers, turned)
                           : as_fail(AS_ENOMEM, "no memory for %s of %s", dataset, r->path);
    for (size_t i = 0; i < cells && status == AS_OK; i++) {
        if (isinf(turned[i])) {
            status = as_fail(AS_EREAD, "%s of %s is infinite at %zu", dataset, r->path, i);
        }
        out[i % s->steps * heads + i / s->steps] = turned[i];
    }
    free(turned);
    return status;
}

static as_status take_spectrum(const reading *r, size_t which) {
    char dataset[AS_RUN_PATH];
    as_run_spectra *s = &r->run->spectra;
    const char *name = as_run_spectrum_names[which];
    as_h5_data data = {0};
    snprintf(dataset, sizeof dataset, AS_RUN_SPECTRA "/%s", name);
    if (!as_h5_has(r->file, dataset)) {
        return AS_OK;
    }
    snprintf(dataset, sizeof dataset, AS_RUN_SPECTRA "/%s/%s", name, name);
    as_status status = as_h5_data_open(r->file, dataset, AS_H5_F64, &data);
    bool first = s->steps == 0;
    if (status == AS_OK && data.rank != 3) {
        status = as_fail(AS_EREAD, "%s of %s has %zu axes, not 3", dataset, r->path, data.rank);
    }
    if (status == AS_OK && first) {
        status = make_spectra(r, dataset, data.shape);
    }
    if (status == AS_OK &&
        (data.shape[0] != s->layers || data.shape[1] != s->heads || data.shape[2] != s->steps)) {
        status = as_fail(AS_EREAD, "%s of %s has another shape than the other spectra", dataset,
                         r->path);
    }
    if (status == AS_OK) {
        status = take_steps(r, name, first);
    }
    if (status == AS_OK) {
        status = take_values(r, dataset, &data, s->value[which]);
    }
    as_h5_data_close(&data);
    return status;
}

static as_status take_spectra(const reading *r) {
    as_status status = AS_OK;
    bool any = as_h5_has(r->file, AS_RUN_SPECTRA);
    for (size_t i = 0; i < AS_RUN_SPECTRUM_COUNT && any && status == AS_OK; i++) {
        status = take_spectrum(r, i);
    }
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static as_status take_ablation(const reading *r) {
    as_run_ablation *a = &r->run->ablation;
    void *heads = NULL, *deposits = NULL;
    if (!as_h5_has(r->file, AS_RUN_ABLATION)) {
        return AS_OK;
    }
    as_status status = take_number(r, AS_RUN_ABLATION, "baseline", &a->baseline);
    if (status == AS_OK) {
        status = take_count(r, AS_RUN_ABLATION, "answers", &a->answers);
    }
    if (status == AS_OK) {
        status = as_rows_take(r->file, r->path, AS_ROWS_HEADS, &heads, &a->head_count);
        a->head = heads;
    }
    if (status == AS_OK) {
        status = as_rows_take(r->file, r->path, AS_ROWS_DEPOSITS, &deposits, &a->layer_count);
        a->deposit = deposits;
    }
    return status;
}

static as_status take_history(const reading *r) {
    void *rows = NULL;
    as_status status = as_rows_take(r->file, r->path, AS_ROWS_HISTORY, &rows, &r->run->point_count);
    r->run->history = rows;
    return status;
}

static as_status take_run(const reading *r) {
    as_status status = take_origin(r);
    if (status == AS_OK) {
        status = take_tensors(r);
    }
    if (status == AS_OK) {
        status = take_history(r);
    }
    if (status == AS_OK) {
        status = take_spectra(r);
    }
    return status == AS_OK ? take_ablation(r) : status;
}

/* In the child of a trial the run is thrown away. */
static as_status read_run(void *context) {
    reading *r = context;
    as_status status = as_h5_open(r->path, &r->file);
    r->run = status == AS_OK ? calloc(1, sizeof *r->run) : NULL;
    if (status == AS_OK && r->run == NULL) {
        status = as_fail(AS_ENOMEM, "no memory to open %s", r->path);
    }
    if (status == AS_OK) {
        status = take_run(r);
    }
    as_h5_close(r->file);
    if (status != AS_OK) {
        as_run_free(r->run);
        r->run = NULL;
    }
    return status;
}

static as_status try_run(void *context) {
    reading r = *(const reading *)context;
    r.trying = true;
    return read_run(&r);
}

as_status as_run_load(const char *path, as_run **out) {
    reading r = {.path = path};
    as_status status = as_origin_trial(path, try_run, &r);
    if (status == AS_OK) {
        status = read_run(&r);
    }
    if (status == AS_OK) {
        *out = r.run;
    }
    return status;
}

void as_run_free(as_run *run) {
    if (run == NULL) {
        return;
    }
    as_origin origin = {
        .config = run->config, .config_count = run->config_count, .provenance = run->provenance};
    as_origin_free(&origin);
    free((void *)run->plateau_of);
    for (size_t i = 0; i < run->tensor_count; i++) {
        free((void *)run->tensors[i].name);
        free((void *)run->tensors[i].data);
        free((void *)run->tensors[i].moment1);
        free((void *)run->tensors[i].moment2);
    }
    for (size_t i = 0; i < AS_RUN_SPECTRUM_COUNT; i++) {
        free(run->spectra.value[i]);
    }
    free(run->spectra.step);
    free(run->tensors);
    free(run->history);
    free(run->ablation.head);
    free(run->ablation.deposit);
    free(run);
}

bool as_run_is(const char *path) {
    return as_origin_is(path, AS_RUN_GROUP, AS_RUN_FORMAT);
}

const char *as_run_config(const as_run *run, const char *name) {
    for (size_t i = 0; i < run->config_count; i++) {
        if (strcmp(run->config[i][0], name) == 0) {
            return run->config[i][1];
        }
    }
    return NULL;
}
