/* A run into an open file: attributes, weights, history, spectra, ablation.
 * It refuses tensors whose names are paths or whose shapes have no numbers. */
#include "result/run.h"

#include "base/fail.h"
#include "result/nxdata.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- attributes ------------------------------------------------------------------------------- */

/* A number that does not exist has no attribute. */
static as_status put_number(as_h5 *file, const char *name, double value) {
    if (isinf(value)) {
        return as_fail(AS_ENONFINITE, "the run's %s is infinite", name);
    }
    return isnan(value) ? AS_OK : as_h5_set_number(file, AS_RUN_GROUP, name, value);
}

/* What people look for first stands beside the whole configuration. */
static as_status put_settings(as_h5 *file, const as_run *run) {
    static const char *const shown[] = {"task", "scheme", "preset"};
    as_status status = AS_OK;
    for (size_t i = 0; i < sizeof shown / sizeof *shown && status == AS_OK; i++) {
        const char *text = as_run_config(run, shown[i]);
        status = text != NULL ? as_h5_set_text(file, AS_RUN_GROUP, shown[i], text) : AS_OK;
    }
    const char *seed = as_run_config(run, "seed");
    return status == AS_OK && seed != NULL
               ? as_h5_set_integer(file, AS_RUN_GROUP, "seed", strtoll(seed, NULL, 10))
               : status;
}

static as_status put_facts(as_h5 *file, const as_run *run) {
    as_status status = as_h5_set_integer(file, AS_RUN_GROUP, "steps", (int64_t)run->steps);
    if (status == AS_OK) {
        status = as_h5_set_integer(file, AS_RUN_GROUP, "answers", (int64_t)run->answers);
    }
    if (status == AS_OK) {
        status = put_number(file, "accuracy", run->accuracy);
    }
    if (status == AS_OK) {
        status = put_number(file, "loss", run->loss);
    }
    if (status == AS_OK) {
        status = put_number(file, "plateau", run->plateau);
    }
    if (status == AS_OK && run->plateau_of != NULL) {
        status = as_h5_set_text(file, AS_RUN_GROUP, "plateau_of", run->plateau_of);
    }
    return status == AS_OK ? put_number(file, "samples_per_second", run->samples_per_second)
                           : status;
}

/* ---- weights ---------------------------------------------------------------------------------- */

/* The numbers of a tensor that stand in group `part`; NULL: none. */
static const float *numbers_of(const as_run_tensor *t, size_t part) {
    return part == 0 ? t->data : part == 1 ? t->moment1 : t->moment2;
}

/* What the reader would refuse. */
static as_status check_numbers(const as_run_tensor *t) {
    size_t count = 1;
    for (size_t a = 0; a < t->rank; a++) {
        count *= t->shape[a];
    }
    for (size_t part = 0; part < AS_RUN_PARTS; part++) {
        const float *numbers = numbers_of(t, part);
        for (size_t i = 0; i < count && numbers != NULL; i++) {
            if (!isfinite(numbers[i])) {
                return as_fail(AS_ENONFINITE, "%s of tensor %s is %s at %zu", as_run_parts[part],
                               t->name, isinf(numbers[i]) ? "infinite" : "no number", i);
            }
        }
    }
    return AS_OK;
}

static as_status check_tensor(const as_run_tensor *t) {
    if (t->name == NULL || !as_run_tensor_name(t->name)) {
        return as_fail(AS_EINVAL, "a tensor cannot be named \"%.300s\"",
                       t->name != NULL ? t->name : "");
    }
    if (t->rank < 1 || t->rank > AS_H5_RANK) {
        return as_fail(AS_EINVAL, "tensor %s has %zu axes, not 1 to %d", t->name, t->rank,
                       AS_H5_RANK);
    }
    for (size_t a = 0; a < t->rank; a++) {
        if (t->shape[a] == 0) {
            return as_fail(AS_EINVAL, "tensor %s has no numbers", t->name);
        }
    }
    return check_numbers(t);
}

static as_status put_tensor(as_h5 *file, const char *group, const as_run_tensor *t,
                            const float *numbers) {
    char path[AS_RUN_PATH];
    as_h5_data data = {0};
    snprintf(path, sizeof path, "%s/%s", group, t->name);
    as_status status = as_h5_data_create(file, path, AS_H5_F32, t->rank, t->shape, &data);
    if (status == AS_OK) {
        status = as_h5_data_write(&data, 0, t->shape[0], numbers);
        as_status closed = as_h5_data_close(&data);
        status = status == AS_OK ? closed : status;
    }
    return status;
}

static as_status put_part(as_h5 *file, const as_run *run, size_t part) {
    const char *group = as_run_parts[part];
    bool any = part == 0;
    for (size_t i = 0; i < run->tensor_count; i++) {
        any = any || numbers_of(&run->tensors[i], part) != NULL;
    }
    as_status status = any ? as_h5_group(file, group, "NXcollection") : AS_OK;
    for (size_t i = 0; i < run->tensor_count && status == AS_OK; i++) {
        const float *numbers = numbers_of(&run->tensors[i], part);
        status = numbers != NULL ? put_tensor(file, group, &run->tensors[i], numbers) : AS_OK;
    }
    return status;
}

static as_status put_tensors(as_h5 *file, const as_run *run) {
    const char **names = calloc(run->tensor_count + 1, sizeof *names);
    as_status status =
        names != NULL ? AS_OK : as_fail(AS_ENOMEM, "no memory for %zu tensors", run->tensor_count);
    for (size_t i = 0; i < run->tensor_count && status == AS_OK; i++) {
        status = check_tensor(&run->tensors[i]);
        names[i] = run->tensors[i].name;
    }
    if (status == AS_OK) {
        status = as_h5_write_strings(file, AS_RUN_TENSORS, names, run->tensor_count);
    }
    for (size_t part = 0; part < AS_RUN_PARTS && status == AS_OK; part++) {
        status = put_part(file, run, part);
    }
    free(names);
    return status;
}

/* ---- spectra ---------------------------------------------------------------------------------- */

/* Steps innermost: a reader of NeXus draws the last axis, a curve along training for each head. */
static as_status put_values(as_h5 *file, const char *path, const as_run_spectra *s,
                            const double *value) {
    as_h5_data data = {0};
    size_t heads = s->layers * s->heads, shape[] = {s->layers, s->heads, s->steps};
    double *turned = calloc(heads * s->steps + 1, sizeof *turned);
    if (turned == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %s", path);
    }
    as_status status = AS_OK;
    for (size_t i = 0; i < heads * s->steps && status == AS_OK; i++) {
        turned[i] = value[i % s->steps * heads + i / s->steps];
        if (isinf(turned[i])) {
            status = as_fail(AS_ENONFINITE, "%s is infinite at %zu", path, i);
        }
    }
    if (status == AS_OK) {
        status = as_h5_data_create(file, path, AS_H5_F64, 3, shape, &data);
    }
    if (status == AS_OK) {
        status = as_h5_data_write(&data, 0, s->layers, turned);
        as_status closed = as_h5_data_close(&data);
        status = status == AS_OK ? closed : status;
    }
    free(turned);
    return status;
}

static as_status put_spectrum(as_h5 *file, const as_run_spectra *s, size_t which) {
    char group[AS_RUN_PATH], path[AS_RUN_PATH];
    const char *name = as_run_spectrum_names[which], *summary = as_run_spectrum_summaries[which];
    snprintf(group, sizeof group, AS_RUN_SPECTRA "/%s", name);
    snprintf(path, sizeof path, AS_RUN_SPECTRA "/%s/%s", name, name);
    const as_nxdata nxdata = {.path = group,
                              .title = summary,
                              .signal = name,
                              .axes = {"layer", "head", "step"},
                              .axis_count = 3};
    as_status status = as_nxdata_group(file, &nxdata);
    if (status == AS_OK) {
        status = as_nxdata_range(file, group, "layer", "layer", 0, s->layers);
    }
    if (status == AS_OK) {
        status = as_nxdata_range(file, group, "head", "head", 0, s->heads);
    }
    if (status == AS_OK) {
        status = as_nxdata_axis(file, group, "step", "steps that were done",
                                (const int64_t *)s->step, s->steps);
    }
    if (status == AS_OK) {
        status = put_values(file, path, s, s->value[which]);
    }
    if (status == AS_OK) {
        status = as_nxdata_label(file, path, summary, "");
    }
    return status == AS_OK ? as_nxdata_shape(file, path, "spectrum", 3) : status;
}

static as_status put_spectra(as_h5 *file, const as_run_spectra *s) {
    size_t cells, first = 0;
    while (first < AS_RUN_SPECTRUM_COUNT && s->value[first] == NULL) {
        first++;
    }
    if (s->steps == 0 || first == AS_RUN_SPECTRUM_COUNT) {
        return AS_OK;
    }
    if (s->layers == 0 || s->heads == 0 || !as_mul(s->layers, s->heads, &cells) ||
        !as_mul(cells, s->steps, &cells)) {
        return as_fail(AS_EINVAL, "spectra of %zu layers and %zu heads at %zu steps", s->layers,
                       s->heads, s->steps);
    }
    as_status status = as_h5_group(file, AS_RUN_SPECTRA, "NXcollection");
    if (status == AS_OK) {
        status = as_h5_set_text(file, AS_RUN_SPECTRA, "default", as_run_spectrum_names[first]);
    }
    for (size_t i = first; i < AS_RUN_SPECTRUM_COUNT && status == AS_OK; i++) {
        status = s->value[i] != NULL ? put_spectrum(file, s, i) : AS_OK;
    }
    return status;
}

/* ---- the whole -------------------------------------------------------------------------------- */

static as_status put_baseline(as_h5 *file, const as_run_ablation *a) {
    as_status status = as_h5_set_number(file, AS_RUN_ABLATION, "baseline", a->baseline);
    return status == AS_OK
               ? as_h5_set_integer(file, AS_RUN_ABLATION, "answers", (int64_t)a->answers)
               : status;
}

as_status as_ablation_put(as_h5 *file, const as_run_ablation *a) {
    if (a->head_count == 0) {
        return AS_OK;
    }
    as_status status = as_rows_put(file, AS_ROWS_HEADS, a->head, a->head_count);
    if (status == AS_OK) {
        status = put_baseline(file, a);
    }
    return status == AS_OK ? as_rows_put(file, AS_ROWS_DEPOSITS, a->deposit, a->layer_count)
                           : status;
}

as_status as_ablation_replace(as_h5 *file, const as_run_ablation *a) {
    if (!as_h5_has(file, AS_RUN_ABLATION)) {
        return as_ablation_put(file, a);
    }
    as_status status;
    if (a->head_count > 0 && as_rows_fit(file, AS_ROWS_HEADS, a->head_count) &&
        as_rows_fit(file, AS_ROWS_DEPOSITS, a->layer_count)) {
        status = as_rows_write_over(file, AS_ROWS_HEADS, a->head, a->head_count);
        if (status == AS_OK) {
            status = put_baseline(file, a);
        }
        return status == AS_OK
                   ? as_rows_write_over(file, AS_ROWS_DEPOSITS, a->deposit, a->layer_count)
                   : status;
    }
    status = as_h5_delete(file, AS_RUN_ABLATION);
    return status == AS_OK ? as_ablation_put(file, a) : status;
}

as_status as_run_put(as_h5 *file, const as_run *run, const char *provenance) {
    const as_origin origin = {.group = AS_RUN_GROUP,
                              .format = AS_RUN_FORMAT,
                              .first = "history",
                              .config_count = run->config_count,
                              .config = run->config,
                              .provenance = provenance,
                              .finished = run->finished};
    as_status status = as_origin_put(file, &origin);
    if (status == AS_OK) {
        status = put_settings(file, run);
    }
    if (status == AS_OK) {
        status = put_facts(file, run);
    }
    if (status == AS_OK) {
        status = put_tensors(file, run);
    }
    if (status == AS_OK) {
        status = as_rows_put(file, AS_ROWS_HISTORY, run->history, run->point_count);
    }
    if (status == AS_OK) {
        status = put_spectra(file, &run->spectra);
    }
    return status == AS_OK ? as_ablation_put(file, &run->ablation) : status;
}
