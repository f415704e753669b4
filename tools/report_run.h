/* report_run: a training run, or the checkpoint of one that goes on, written out in every format.
 * It refuses to call a ratio contraction by a theorem: along training it was observed. */
#ifndef TOOLS_REPORT_RUN_H
#define TOOLS_REPORT_RUN_H

#include "report.h"

/* The spectra of a layer at one step taken: means over the heads that have the number. A head whose ratio
 * is exactly 1 is one whose logits position does not touch; it has no part in what the ratios say. */
typedef struct run_layer {
    size_t heads, untouched; /* of them */
    size_t compared, below;  /* heads with a ratio that is not 1; of these, below 1 */
    double low, high;        /* of their ratios */
    double mean[AS_RUN_SPECTRUM_COUNT];
} run_layer;
run_layer run_layer_of(const as_run_spectra *spectra, size_t step, size_t layer);
double run_spectrum_at(const as_run_spectra *spectra, size_t which, size_t step, size_t layer,
                       size_t head);

/* Indices of the first, the middle and the last step taken, each once; returns how many. */
size_t run_steps_shown(const as_run_spectra *spectra, size_t shown[3]);

/* The steps that it is to have; those that it has where it does not say. */
uint64_t run_steps_meant(const as_run *run);
/* A word of its configuration, "?" where it has none of that name. */
const char *run_word(const as_run *run, const char *name);

/* Whether so many answers of the run's test set are one a sample. Several of one sample are not independent, and
 * intervals that take them for it are too narrow. */
typedef enum run_answers { ANSWERS_UNKNOWN, ANSWERS_INDEPENDENT, ANSWERS_DEPENDENT } run_answers;
run_answers run_answers_of(const as_run *run, uint64_t answers);

/* AS_EREAD, AS_ENOMEM. values: the whole history in text and Markdown, and in every format all points of
 * the spectra instead of those of the first, the middle and the last step taken. */
as_status report_run(const as_run *run, const char *path, report_format format, FILE *out,
                     report_style style);

/* ---- Its parts ---- */

/* Text, or Markdown where the style says so. */
void run_print(const as_run *run, const char *path, FILE *out, report_style style);
void run_print_spectra(const as_run *run, FILE *out, report_style style);
void run_print_ablation(const as_run *run, const char *path, FILE *out, report_style style);
as_status run_json(const as_run *run, FILE *out, bool values);
void run_csv(const as_run *run, FILE *out, bool values);

#endif
