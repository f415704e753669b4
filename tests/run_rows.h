/* A run, a dump and a comparison for the tests of their files, with sizes that are unround, and the
 * comparison of two runs number by number. */
#ifndef AS_TESTS_RUN_ROWS_H
#define AS_TESTS_RUN_ROWS_H

#include "result_rows.h"

enum { POINTS = 13, STEPS = 5, LAYERS = 3, HEADS = 2, TENSORS = 3 };

static const char *const run_config[][2] = {{"task", "distance:between=18,side=6"},
                                            {"scheme", "rope:base=100"},
                                            {"preset", "tiny"},
                                            {"seed", "37"},
                                            {"lr", "0.0040000000000000001"},
                                            {"empty", ""},
                                            {"π", "ü"}};

/* A number that depends on all of its arguments and that no float holds. */
static inline double number_of(size_t a, size_t b) {
    return (double)(a + 1) / (double)(7 * b + 3);
}

static inline double number_or_nan(size_t a, size_t b) {
    return b % 3 == 1 ? NAN : number_of(a, b);
}

static inline float *a_tensor(size_t count, size_t which) {
    float *numbers = calloc(count, sizeof *numbers);
    for (size_t i = 0; i < count; i++) {
        numbers[i] = (float)number_of(i, which) * (i % 2 ? -1 : 1);
    }
    return numbers;
}

static inline void give_tensors(as_run *run, bool moments) {
    static const as_run_tensor kinds[TENSORS] = {{"layer_0.query.weight", 2, {37, 13}, 0, 0, 0},
                                                 {"a.bias", 1, {13}, 0, 0, 0},
                                                 {"tables", 3, {2, 41, 251}, 0, 0, 0}};
    run->tensor_count = TENSORS;
    run->tensors = calloc(TENSORS, sizeof *run->tensors);
    for (size_t i = 0; i < TENSORS; i++) {
        as_run_tensor *t = &run->tensors[i];
        *t = kinds[i];
        size_t count =
            t->shape[0] * (t->rank > 1 ? t->shape[1] : 1) * (t->rank > 2 ? t->shape[2] : 1);
        t->data = a_tensor(count, i);
        t->moment1 = moments ? a_tensor(count, i + 10) : NULL;
        t->moment2 = moments && i != 1 ? a_tensor(count, i + 20) : NULL;
    }
}

static inline void give_spectra(as_run *run) {
    as_run_spectra *s = &run->spectra;
    *s = (as_run_spectra){.steps = STEPS, .layers = LAYERS, .heads = HEADS};
    s->step = calloc(STEPS, sizeof *s->step);
    for (size_t i = 0; i < STEPS; i++) {
        s->step[i] = 10 * i * i;
    }
    for (size_t v = 0; v < AS_RUN_SPECTRUM_COUNT; v++) {
        s->value[v] = calloc(STEPS * LAYERS * HEADS, sizeof(double));
        for (size_t i = 0; i < STEPS * LAYERS * HEADS; i++) {
            s->value[v][i] = number_or_nan(v, i);
        }
    }
}

static inline as_run_ablation an_ablation(double shift) {
    as_run_ablation a = {.baseline = 0.75 + shift,
                         .answers = 4096,
                         .head_count = LAYERS * HEADS,
                         .layer_count = LAYERS};
    a.head = calloc(a.head_count, sizeof *a.head);
    a.deposit = calloc(a.layer_count, sizeof *a.deposit);
    for (size_t i = 0; i < a.head_count; i++) {
        double x = number_of(i, 3) + shift;
        a.head[i] = (as_run_head){i / HEADS, i % HEADS,       x,     x + 1, x - 2, x + 3,
                                  x + 4,     i ? x + 5 : NAN, x + 6, x + 7};
    }
    for (size_t i = 0; i < LAYERS; i++) {
        a.deposit[i] = (as_run_deposit){i, 1, number_or_nan(i, 1), shift, NAN, number_of(i, 4)};
    }
    return a;
}

static inline void free_ablation(as_run_ablation *a) {
    free(a->head);
    free(a->deposit);
}

/* To be freed by free_run(). */
static inline as_run *a_run(bool moments, bool whole) {
    as_run *run = calloc(1, sizeof *run);
    run->config_count = sizeof run_config / sizeof *run_config;
    run->config = malloc(sizeof run_config);
    memcpy(run->config, run_config, sizeof run_config);
    run->provenance = "{\"a\":[1,0.1]}";
    run->steps = 351;
    run->finished = whole;
    run->accuracy = whole ? 1 / 3.0 : NAN;
    run->loss = whole ? 2 / 3.0 : NAN;
    run->plateau = 1 / 7.0;
    run->plateau_of = whole ? "by guessing one of 7" : NULL;
    run->answers = 4097;
    run->samples_per_second = NAN;
    run->point_count = POINTS;
    run->history = calloc(POINTS, sizeof *run->history);
    for (size_t i = 0; i < POINTS; i++) {
        run->history[i] = (as_run_point){
            3 * i,           number_of(1, i),     number_of(2, i),    number_of(3, i),
            number_of(4, i), number_or_nan(5, i), number_or_nan(6, i)};
    }
    give_tensors(run, moments);
    if (whole) {
        give_spectra(run);
        run->ablation = an_ablation(0);
    }
    return run;
}

static inline void free_run(as_run *run) {
    for (size_t i = 0; i < run->tensor_count; i++) {
        free((void *)run->tensors[i].data);
        free((void *)run->tensors[i].moment1);
        free((void *)run->tensors[i].moment2);
    }
    for (size_t v = 0; v < AS_RUN_SPECTRUM_COUNT; v++) {
        free(run->spectra.value[v]);
    }
    free(run->spectra.step);
    free(run->tensors);
    free(run->history);
    free(run->config);
    free_ablation(&run->ablation);
    free(run);
}

/* ---- comparing: bit by bit, and NaN is NaN ---------------------------------------------------- */

static inline bool same_numbers(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i])))) {
            return false;
        }
    }
    return true;
}

static inline bool same_floats(const float *a, const float *b, size_t count) {
    return a == NULL || b == NULL ? a == b : memcmp(a, b, count * sizeof *a) == 0;
}

static inline bool same_tensor(const as_run_tensor *a, const as_run_tensor *b) {
    size_t count = 1;
    for (size_t axis = 0; axis < a->rank; axis++) {
        count *= a->shape[axis];
    }
    return strcmp(a->name, b->name) == 0 && a->rank == b->rank &&
           memcmp(a->shape, b->shape, a->rank * sizeof *a->shape) == 0 &&
           same_floats(a->data, b->data, count) && same_floats(a->moment1, b->moment1, count) &&
           same_floats(a->moment2, b->moment2, count);
}

static inline bool same_ablation(const as_run_ablation *a, const as_run_ablation *b) {
    bool same = a->head_count == b->head_count && a->layer_count == b->layer_count &&
                (a->head_count == 0 || (a->baseline == b->baseline && a->answers == b->answers));
    for (size_t i = 0; same && i < a->head_count; i++) {
        same = a->head[i].layer == b->head[i].layer && a->head[i].head == b->head[i].head &&
               same_numbers(&a->head[i].accuracy, &b->head[i].accuracy, 8);
    }
    for (size_t i = 0; same && i < a->layer_count; i++) {
        same = a->deposit[i].layer == b->deposit[i].layer &&
               a->deposit[i].worst_head == b->deposit[i].worst_head &&
               same_numbers(&a->deposit[i].index, &b->deposit[i].index, 4);
    }
    return same;
}

static inline bool same_spectra(const as_run_spectra *a, const as_run_spectra *b) {
    bool same =
        a->steps == b->steps && (a->steps == 0 || (a->layers == b->layers && a->heads == b->heads));
    same = same && (a->steps == 0 || memcmp(a->step, b->step, a->steps * sizeof *a->step) == 0);
    for (size_t v = 0; same && a->steps > 0 && v < AS_RUN_SPECTRUM_COUNT; v++) {
        same = same_numbers(a->value[v], b->value[v], a->steps * a->layers * a->heads);
    }
    return same;
}

/* NULL, or what differs. */
static inline const char *run_difference(const as_run *a, const as_run *b) {
    const double one[] = {a->accuracy, a->loss, a->plateau, a->samples_per_second};
    const double two[] = {b->accuracy, b->loss, b->plateau, b->samples_per_second};
    bool same_way = a->plateau_of == NULL || b->plateau_of == NULL
                        ? a->plateau_of == b->plateau_of
                        : strcmp(a->plateau_of, b->plateau_of) == 0;
    if (!same_way || !same_numbers(one, two, 4) || a->steps != b->steps ||
        a->answers != b->answers || a->finished != b->finished ||
        strcmp(a->provenance, b->provenance) != 0) {
        return "attributes";
    }
    bool same = a->config_count == b->config_count;
    for (size_t i = 0; same && i < a->config_count; i++) {
        same = strcmp(a->config[i][0], b->config[i][0]) == 0 &&
               strcmp(a->config[i][1], b->config[i][1]) == 0;
    }
    if (!same) {
        return "config";
    }
    same = a->point_count == b->point_count;
    for (size_t i = 0; same && i < a->point_count; i++) {
        same = a->history[i].step == b->history[i].step &&
               same_numbers(&a->history[i].loss, &b->history[i].loss, 6);
    }
    if (!same) {
        return "history";
    }
    same = a->tensor_count == b->tensor_count;
    for (size_t i = 0; same && i < a->tensor_count; i++) {
        same = same_tensor(&a->tensors[i], &b->tensors[i]);
    }
    return !same                                        ? "tensors"
           : !same_spectra(&a->spectra, &b->spectra)    ? "spectra"
           : !same_ablation(&a->ablation, &b->ablation) ? "ablation"
                                                        : NULL;
}

static inline void assert_run(const char *path, const as_run *expected) {
    as_run *run = NULL;
    assert_ok(as_run_load(path, &run));
    const char *difference = run_difference(run, expected);
    ck_assert_msg(difference == NULL, "%s of %s differ", difference, path);
    as_run_free(run);
}

/* ---- its dump --------------------------------------------------------------------------------- */

static inline double entry_of(const char *tensor, const size_t place[3], size_t i) {
    return (tensor[0] == 'l' || tensor[0] == 'c') && i % 11 == 3
               ? -INFINITY
               : tensor[0] + number_of(100 * place[0] + 10 * place[1] + place[2], i);
}

/* context: the shape. */
static inline as_status a_matrix(void *context, const char *tensor, size_t layer, size_t batch,
                                 size_t head, as_matrix *out) {
    const as_dump_shape *s = context;
    size_t rows = tensor[0] == 'k' ? s->cols : s->rows;
    size_t cols = tensor[0] == 'k' || tensor[0] == 'q' ? s->dim : s->cols;
    as_status status = as_matrix_resize(out, rows, cols);
    for (size_t i = 0; status == AS_OK && i < rows * cols; i++) {
        out->data[i] = entry_of(tensor, (const size_t[]){layer, batch, head}, i);
    }
    return status;
}

static inline as_run_dump a_dump(as_dump_shape *shape) {
    *shape = (as_dump_shape){.layers = LAYERS,
                             .heads = 2 * HEADS,
                             .kv_heads = HEADS,
                             .rows = 13,
                             .cols = 13,
                             .dim = 6,
                             .batches = 5};
    return (as_run_dump){.shape = *shape,
                         .scheme = "rope:base=100",
                         .content = "trained",
                         .mask = "none",
                         .scale = 1 / sqrt(6),
                         .seed = 37,
                         .matrix = a_matrix,
                         .context = shape};
}

#endif
