/* Trials gathered into cells of scheme and task, and printed in the format that is asked for.
 * It refuses the mean of no trial: that is NaN. */
#include "report_comparison.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "share.h"

const char *comparison_word(const as_comparison *comparison, const char *name) {
    for (size_t i = 0; i < comparison->config_count; i++)
        if (strcmp(comparison->config[i][0], name) == 0)
            return comparison->config[i][1];
    return "?";
}

bool trial_has_name(const char *text, const char *name) {
    size_t length = strlen(name);
    return strncmp(text, name, length) == 0 && (text[length] == '\0' || text[length] == ':');
}

bool trial_has_parameter(const char *text, const char *parameter) {
    size_t length = strlen(parameter);
    bool any = length > 0 && strchr("=_", parameter[length - 1]) != NULL;
    for (text = strchr(text, ':'); text != NULL; text = strchr(text, ',')) {
        text++;
        if (strncmp(text, parameter, length) == 0 &&
            (any || text[length] == '\0' || text[length] == ','))
            return true;
    }
    return false;
}

const trial_cell *trial_cell_of(const trial_table *table, size_t scheme, size_t task) {
    return &table->cell[scheme * table->tasks + task];
}

bool trial_task_is_learned(const trial_table *table, size_t task) {
    for (size_t s = 0; s < table->schemes; s++) {
        const trial_cell *c = trial_cell_of(table, s, task);
        if (c->seeds > 0 && c->clear == c->seeds)
            return true;
    }
    return false;
}

bool trial_fails(const trial_table *table, size_t scheme, size_t task) {
    const trial_cell *c = trial_cell_of(table, scheme, task);
    return c->seeds >= SEEDS_NEEDED && c->near == c->seeds && trial_task_is_learned(table, task);
}

/* The place of a text among those seen so far; a new one is added behind them. */
static size_t place_of(const char **list, size_t *count, const char *text) {
    for (size_t i = 0; i < *count; i++)
        if (strcmp(list[i], text) == 0)
            return i;
    list[*count] = text;
    return (*count)++;
}

/* A mean as it grows, and its range. */
static void add_trial(trial_cell *cell, const as_trial_row *row, uint64_t answers) {
    share_interval error = share_wilson(row->accuracy, answers);
    double low = isnan(error.low) ? row->accuracy : error.low;
    double high = isnan(error.high) ? row->accuracy : error.high;
    if (cell->seeds == 0)
        *cell = (trial_cell){.min = row->accuracy, .max = row->accuracy, .low = low, .high = high};
    cell->seeds++;
    cell->at_plateau += low <= row->plateau ? 1 : 0;
    cell->near += error.high <= row->plateau + PLATEAU_MARGIN ? 1 : 0;
    cell->clear += error.low > row->plateau + PLATEAU_MARGIN ? 1 : 0;
    cell->mean += (row->accuracy - cell->mean) / (double)cell->seeds;
    cell->min = fmin(cell->min, row->accuracy);
    cell->max = fmax(cell->max, row->accuracy);
    cell->low = fmin(cell->low, low);
    cell->high = fmax(cell->high, high);
}

as_status trial_table_make(const as_comparison *comparison, trial_table *out) {
    size_t count = comparison->count;
    trial_table t = {.of = comparison,
                     .task = calloc(count + 1, sizeof *t.task),
                     .scheme = calloc(count + 1, sizeof *t.scheme),
                     .plateau = calloc(count + 1, sizeof *t.plateau)};
    /* Where a sample has several answers this is fewer than there are: wider, never too narrow. */
    t.answers = strtoull(comparison_word(comparison, "test-samples"), NULL, 10);
    bool made = t.task != NULL && t.scheme != NULL && t.plateau != NULL;
    for (size_t i = 0; i < count && made; i++) {
        size_t tasks = t.tasks, task = place_of(t.task, &t.tasks, comparison->row[i].task);
        place_of(t.scheme, &t.schemes, comparison->row[i].scheme);
        if (tasks < t.tasks || isnan(t.plateau[task]))
            t.plateau[task] = comparison->row[i].plateau;
    }
    t.cell = made ? calloc(t.tasks * t.schemes + 1, sizeof *t.cell) : NULL;
    if (t.cell == NULL) {
        trial_table_free(&t);
        return AS_ENOMEM;
    }
    for (size_t i = 0; i < t.tasks * t.schemes; i++)
        t.cell[i] = (trial_cell){.mean = NAN, .min = NAN, .max = NAN, .low = NAN, .high = NAN};
    for (size_t i = 0; i < count; i++) {
        const as_trial_row *row = &comparison->row[i];
        size_t scheme = place_of(t.scheme, &t.schemes, row->scheme);
        size_t task = place_of(t.task, &t.tasks, row->task);
        if (!isnan(row->accuracy))
            add_trial(&t.cell[scheme * t.tasks + task], row, t.answers);
    }
    *out = t;
    return AS_OK;
}

void trial_table_free(trial_table *table) {
    free(table->task);
    free(table->scheme);
    free(table->plateau);
    free(table->cell);
    *table = (trial_table){0};
}

as_status report_comparison(const as_comparison *comparison, const char *path, report_format format,
                            FILE *out, report_style style) {
    trial_table table = {0};
    if (format == FORMAT_CSV) {
        comparison_csv(comparison, out);
        return AS_OK;
    }
    as_status status = trial_table_make(comparison, &table);
    if (status != AS_OK)
        return status;
    if (format == FORMAT_MD) {
        style.markdown = style.utf8 = true;
        style.color = false;
    }
    if (format == FORMAT_JSON)
        status = comparison_json(&table, out);
    else
        comparison_print(&table, path, out, style);
    trial_table_free(&table);
    return status;
}
