/* A training run in the format that is asked for, and what all formats say of its spectra.
 * It refuses means of what does not exist: they are NaN. */
#include "report_run.h"

#include <math.h>
#include <stdlib.h>

double run_spectrum_at(const as_run_spectra *spectra, size_t which, size_t step, size_t layer,
                       size_t head) {
    return spectra->value[which][(step * spectra->layers + layer) * spectra->heads + head];
}

run_answers run_answers_of(const as_run *run, uint64_t answers) {
    const char *samples = as_run_config(run, "test-samples");
    if (samples == NULL)
        return ANSWERS_UNKNOWN;
    return strtoull(samples, NULL, 10) == answers ? ANSWERS_INDEPENDENT : ANSWERS_DEPENDENT;
}

static bool is_ratio(size_t which) {
    return which == AS_RUN_SPECTRUM_spectral_ratio || which == AS_RUN_SPECTRUM_frobenius_ratio ||
           which == AS_RUN_SPECTRUM_nuclear_ratio;
}

static double mean_of(const as_run_spectra *spectra, size_t which, size_t step, size_t layer) {
    double sum = 0;
    size_t count = 0;
    for (size_t head = 0; head < spectra->heads; head++) {
        double value = run_spectrum_at(spectra, which, step, layer, head);
        if (isnan(value) || (is_ratio(which) && value == 1))
            continue;
        sum += value;
        count++;
    }
    return count > 0 ? sum / (double)count : (double)NAN;
}

run_layer run_layer_of(const as_run_spectra *spectra, size_t step, size_t layer) {
    run_layer l = {.heads = spectra->heads, .low = NAN, .high = NAN};
    for (size_t head = 0; head < spectra->heads; head++) {
        double ratio = run_spectrum_at(spectra, AS_RUN_SPECTRUM_spectral_ratio, step, layer, head);
        l.untouched += ratio == 1 ? 1 : 0;
        if (isnan(ratio) || ratio == 1)
            continue;
        l.compared++;
        l.below += ratio < 1 ? 1 : 0;
        l.low = fmin(l.low, ratio); /* of NaN and a number it is the number */
        l.high = fmax(l.high, ratio);
    }
    for (size_t which = 0; which < AS_RUN_SPECTRUM_COUNT; which++)
        l.mean[which] = mean_of(spectra, which, step, layer);
    return l;
}

size_t run_steps_shown(const as_run_spectra *spectra, size_t shown[3]) {
    size_t count = 0;
    const size_t wanted[] = {0, spectra->steps / 2, spectra->steps - 1};
    for (size_t i = 0; i < 3 && spectra->steps > 0; i++)
        if (count == 0 || wanted[i] > shown[count - 1])
            shown[count++] = wanted[i];
    return count;
}

const char *run_word(const as_run *run, const char *name) {
    const char *word = as_run_config(run, name);
    return word == NULL ? "?" : word;
}

uint64_t run_steps_meant(const as_run *run) {
    const char *word = as_run_config(run, "steps");
    uint64_t steps = word == NULL ? 0 : strtoull(word, NULL, 10);
    return steps > run->steps ? steps : run->steps;
}

as_status report_run(const as_run *run, const char *path, report_format format, FILE *out,
                     report_style style) {
    switch (format) {
    case FORMAT_JSON:
        return run_json(run, out, style.values);
    case FORMAT_CSV:
        run_csv(run, out, style.values);
        return AS_OK;
    case FORMAT_MD:
        style.markdown = style.utf8 = true;
        style.color = false;
        break;
    case FORMAT_TEXT:
        break;
    }
    run_print(run, path, out, style);
    return AS_OK;
}
