/* A training run for programs: JSON, and CSV with a number a row.
 * It refuses to leave a key out: what does not exist is null, or an empty field. */
#include <inttypes.h>
#include <stdlib.h>

#include "report_csv.h"
#include "report_json.h"
#include "report_run.h"
#include "share.h"

/* ---- JSON ------------------------------------------------------------------------------------- */

static void add_history(as_json *json, const as_run *run) {
    as_json_array(json, "history");
    for (size_t i = 0; i < run->point_count; i++) {
        const as_run_point *p = &run->history[i];
        as_json_object(json, NULL);
        as_json_integer(json, "step", p->step);
        as_json_number(json, "loss", p->loss);
        as_json_number(json, "accuracy", p->accuracy);
        as_json_number(json, "rate", p->rate);
        as_json_number(json, "gradient_norm", p->gradient_norm);
        as_json_number(json, "test_loss", p->test_loss);
        as_json_number(json, "test_accuracy", p->test_accuracy);
        as_json_end(json);
    }
    as_json_end(json);
}

static void add_layer(as_json *json, const as_run_spectra *s, size_t step, size_t layer) {
    run_layer l = run_layer_of(s, step, layer);
    as_json_object(json, NULL);
    as_json_integer(json, "step", s->step[step]);
    as_json_integer(json, "layer", layer);
    as_json_integer(json, "heads", l.heads);
    as_json_integer(json, "untouched", l.untouched);
    as_json_integer(json, "compared", l.compared);
    as_json_integer(json, "below_one", l.below);
    as_json_number(json, "spectral_ratio_min", l.low);
    as_json_number(json, "spectral_ratio_max", l.high);
    for (size_t k = 0; k < AS_RUN_SPECTRUM_COUNT; k++)
        as_json_number(json, run_spectrum_key(k), l.mean[k]);
    as_json_end(json);
}

static void add_point(as_json *json, const as_run_spectra *s, size_t step, size_t layer,
                      size_t head) {
    as_json_object(json, NULL);
    as_json_integer(json, "step", s->step[step]);
    as_json_integer(json, "layer", layer);
    as_json_integer(json, "head", head);
    for (size_t k = 0; k < AS_RUN_SPECTRUM_COUNT; k++)
        as_json_number(json, run_spectrum_key(k), run_spectrum_at(s, k, step, layer, head));
    as_json_end(json);
}

/* Whether the points of a step are printed without --values. */
static bool is_shown(const as_run_spectra *s, size_t step) {
    size_t shown[3], count = run_steps_shown(s, shown);
    for (size_t i = 0; i < count; i++)
        if (shown[i] == step)
            return true;
    return false;
}

static void add_spectra(as_json *json, const as_run_spectra *s, bool values) {
    if (s->steps == 0) {
        as_json_null(json, "spectra");
        return;
    }
    as_json_object(json, "spectra");
    as_json_array(json, "layers");
    for (size_t step = 0; step < s->steps; step++)
        for (size_t layer = 0; layer < s->layers; layer++)
            add_layer(json, s, step, layer);
    as_json_end(json);
    as_json_array(json, "points");
    for (size_t step = 0; step < s->steps; step++)
        for (size_t i = 0; i < s->layers * s->heads && (values || is_shown(s, step)); i++)
            add_point(json, s, step, i / s->heads, i % s->heads);
    as_json_end(json);
    as_json_end(json);
}

static void add_run(as_json *json, const as_run *run, bool values) {
    const char *seed = as_run_config(run, "seed");
    share_interval interval = share_wilson(run->accuracy, run->answers);
    as_json_object(json, "run");
    as_json_string(json, "task", as_run_config(run, "task"));
    as_json_string(json, "scheme", as_run_config(run, "scheme"));
    as_json_string(json, "preset", as_run_config(run, "preset"));
    as_json_string(json, "profile", as_run_config(run, "profile"));
    if (seed != NULL)
        as_json_integer(json, "seed", strtoull(seed, NULL, 10));
    else
        as_json_null(json, "seed");
    as_json_integer(json, "steps", run->steps);
    as_json_bool(json, "finished", run->finished);
    as_json_number(json, "accuracy", run->accuracy);
    as_json_number(json, "accuracy_low", interval.low);
    as_json_number(json, "accuracy_high", interval.high);
    as_json_number(json, "loss", run->loss);
    as_json_number(json, "plateau", run->plateau);
    as_json_string(json, "plateau_of", run->plateau_of);
    as_json_integer(json, "answers", run->answers);
    as_json_number(json, "samples_per_second", run->samples_per_second);
    as_json_object(json, "config");
    for (size_t i = 0; i < run->config_count; i++)
        as_json_string(json, run->config[i][0], run->config[i][1]);
    as_json_end(json);
    add_history(json, run);
    add_spectra(json, &run->spectra, values);
    as_json_end(json);
}

static void add_ablation(as_json *json, const as_run_ablation *a) {
    if (a->head_count == 0) {
        as_json_null(json, "ablation");
        return;
    }
    as_json_object(json, "ablation");
    as_json_number(json, "baseline", a->baseline);
    as_json_integer(json, "answers", a->answers);
    as_json_array(json, "heads");
    for (size_t i = 0; i < a->head_count; i++) {
        const as_run_head *h = &a->head[i];
        as_json_object(json, NULL);
        as_json_integer(json, "layer", h->layer);
        as_json_integer(json, "head", h->head);
        as_json_number(json, "accuracy", h->accuracy);
        as_json_number(json, "drop", h->drop);
        as_json_number(json, "low", h->low);
        as_json_number(json, "high", h->high);
        as_json_number(json, "mean_accuracy", h->mean_accuracy);
        as_json_number(json, "mean_drop", h->mean_drop);
        as_json_number(json, "mean_low", h->mean_low);
        as_json_number(json, "mean_high", h->mean_high);
        as_json_end(json);
    }
    as_json_end(json);
    as_json_array(json, "deposit");
    for (size_t i = 0; i < a->layer_count; i++) {
        const as_run_deposit *d = &a->deposit[i];
        as_json_object(json, NULL);
        as_json_integer(json, "layer", d->layer);
        as_json_number(json, "index", d->index);
        as_json_integer(json, "worst_head", d->worst_head);
        as_json_number(json, "worst_drop", d->worst_drop);
        as_json_number(json, "second_drop", d->second_drop);
        as_json_number(json, "mean_index", d->mean_index);
        as_json_end(json);
    }
    as_json_end(json);
    as_json_end(json);
}

as_status run_json(const as_run *run, FILE *out, bool values) {
    as_json *json = as_json_new();
    as_status status = json_open(json, run->provenance, (json_counts){0});
    as_json_array(json, "matrices");
    as_json_end(json);
    add_run(json, run, values);
    add_ablation(json, &run->ablation);
    as_json_end(json);
    if (status == AS_OK)
        status = json_pour(json, out);
    as_json_free(json);
    return status;
}

/* ---- CSV -------------------------------------------------------------------------------------- */

/* One observation a row; what does not belong to a step, layer or head has none. */
typedef struct place {
    const char *kind;
    bool has_step, has_layer, has_head;
    uint64_t step, layer, head;
} place;

static void begin_row(const place *at, const char *name, FILE *out) {
    fprintf(out, "%s,", at->kind);
    if (at->has_step)
        fprintf(out, "%" PRIu64, at->step);
    fputc(',', out);
    if (at->has_layer)
        fprintf(out, "%" PRIu64, at->layer);
    fputc(',', out);
    if (at->has_head)
        fprintf(out, "%" PRIu64, at->head);
    fputc(',', out);
    csv_field(out, name);
    fputc(',', out);
}

static void put_text(const place *at, const char *name, const char *value, FILE *out) {
    begin_row(at, name, out);
    csv_field(out, value);
    fputs("\r\n", out);
}

static void put_number(const place *at, const char *name, double value, FILE *out) {
    begin_row(at, name, out);
    csv_number(out, value);
    fputs("\r\n", out);
}

static void put_whole(const place *at, const char *name, uint64_t value, FILE *out) {
    begin_row(at, name, out);
    fprintf(out, "%" PRIu64 "\r\n", value);
}

static void put_result(const as_run *run, FILE *out) {
    const place at = {.kind = "result"};
    share_interval interval = share_wilson(run->accuracy, run->answers);
    put_whole(&at, "steps", run->steps, out);
    put_whole(&at, "finished", run->finished ? 1 : 0, out);
    put_number(&at, "accuracy", run->accuracy, out);
    put_number(&at, "accuracy_low", interval.low, out);
    put_number(&at, "accuracy_high", interval.high, out);
    put_number(&at, "loss", run->loss, out);
    put_number(&at, "plateau", run->plateau, out);
    put_text(&at, "plateau_of", run->plateau_of != NULL ? run->plateau_of : "", out);
    put_whole(&at, "answers", run->answers, out);
    put_number(&at, "samples_per_second", run->samples_per_second, out);
}

static void put_history(const as_run *run, FILE *out) {
    for (size_t i = 0; i < run->point_count; i++) {
        const as_run_point *p = &run->history[i];
        const place at = {.kind = "history", .has_step = true, .step = p->step};
        put_number(&at, "loss", p->loss, out);
        put_number(&at, "accuracy", p->accuracy, out);
        put_number(&at, "rate", p->rate, out);
        put_number(&at, "gradient_norm", p->gradient_norm, out);
        put_number(&at, "test_loss", p->test_loss, out);
        put_number(&at, "test_accuracy", p->test_accuracy, out);
    }
}

static void put_spectra(const as_run_spectra *s, bool values, FILE *out) {
    for (size_t step = 0; step < s->steps; step++)
        for (size_t i = 0; i < s->layers * s->heads && (values || is_shown(s, step)); i++) {
            const place at = {.kind = "spectra",
                              .has_step = true,
                              .has_layer = true,
                              .has_head = true,
                              .step = s->step[step],
                              .layer = i / s->heads,
                              .head = i % s->heads};
            for (size_t k = 0; k < AS_RUN_SPECTRUM_COUNT; k++)
                put_number(&at, run_spectrum_key(k),
                           run_spectrum_at(s, k, step, i / s->heads, i % s->heads), out);
        }
}

static void put_ablation(const as_run_ablation *a, FILE *out) {
    const place whole = {.kind = "ablation"};
    if (a->head_count == 0)
        return;
    put_number(&whole, "baseline", a->baseline, out);
    put_whole(&whole, "answers", a->answers, out);
    for (size_t i = 0; i < a->head_count; i++) {
        const as_run_head *h = &a->head[i];
        const place at = {.kind = "ablation",
                          .has_layer = true,
                          .has_head = true,
                          .layer = h->layer,
                          .head = h->head};
        put_number(&at, "accuracy", h->accuracy, out);
        put_number(&at, "drop", h->drop, out);
        put_number(&at, "low", h->low, out);
        put_number(&at, "high", h->high, out);
        put_number(&at, "mean_accuracy", h->mean_accuracy, out);
        put_number(&at, "mean_drop", h->mean_drop, out);
        put_number(&at, "mean_low", h->mean_low, out);
        put_number(&at, "mean_high", h->mean_high, out);
    }
    for (size_t i = 0; i < a->layer_count; i++) {
        const as_run_deposit *d = &a->deposit[i];
        const place at = {.kind = "deposit", .has_layer = true, .layer = d->layer};
        put_number(&at, "index", d->index, out);
        put_whole(&at, "worst_head", d->worst_head, out);
        put_number(&at, "worst_drop", d->worst_drop, out);
        put_number(&at, "second_drop", d->second_drop, out);
        put_number(&at, "mean_index", d->mean_index, out);
    }
}

void run_csv(const as_run *run, FILE *out, bool values) {
    const place config = {.kind = "config"};
    fputs("kind,step,layer,head,name,value\r\n", out);
    for (size_t i = 0; i < run->config_count; i++)
        put_text(&config, run->config[i][0], run->config[i][1], out);
    put_result(run, out);
    put_history(run, out);
    put_spectra(&run->spectra, values, out);
    put_ablation(&run->ablation, out);
}
