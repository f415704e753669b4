/* Schemes side by side: gathered, and as JSON.
 * It refuses to take the mean of what does not exist. */
#define _POSIX_C_SOURCE 200809L /* strdup */
#include "report_sweep.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const as_ratio ratios[SWEEP_RATIOS] = {AS_RATIO_spectral_norm, AS_RATIO_frobenius_norm,
                                              AS_RATIO_nuclear_norm};

void sweep_free(sweep_tally *tally) {
    for (size_t i = 0; i < tally->count; i++) {
        free(tally->cell[i].scheme);
        free(tally->cell[i].content);
        free(tally->cell[i].reason);
    }
    free(tally->cell);
    *tally = (sweep_tally){0};
}

bool sweep_drawn(const sweep_tally *tally) {
    return tally->count > 0 && !tally->read;
}

bool sweep_shown(const sweep_tally *tally) {
    return sweep_drawn(tally) || (tally->schemes > 1 && tally->compared > 0);
}

static const char *text_of(const char *text) {
    return text == NULL ? "" : text;
}

static bool is_of(const sweep_cell *cell, const as_row *row) {
    return cell->n == row->cols && strcmp(cell->scheme, text_of(row->scheme)) == 0 &&
           strcmp(cell->content, text_of(row->content)) == 0;
}

/* The sentence is the JSON writer's own for a piece that it has no memory for. */
static as_status no_memory(void) {
    (void)as_json_take(NULL);
    return AS_ENOMEM;
}

static sweep_cell *add_cell(sweep_tally *tally, const as_row *row) {
    if (tally->count == tally->room) {
        size_t room = tally->room == 0 ? 64 : 2 * tally->room;
        sweep_cell *cell = realloc(tally->cell, room * sizeof *cell);
        if (cell == NULL)
            return NULL;
        tally->cell = cell;
        tally->room = room;
    }
    bool known = false;
    for (size_t i = 0; i < tally->count && !known; i++)
        known = strcmp(tally->cell[i].scheme, row->scheme) == 0;
    sweep_cell *cell = &tally->cell[tally->count++];
    *cell = (sweep_cell){
        .scheme = strdup(row->scheme), .content = strdup(text_of(row->content)), .n = row->cols};
    tally->schemes += known ? 0 : 1;
    return cell->scheme != NULL && cell->content != NULL ? cell : NULL;
}

/* Rows of a cell mostly follow each other: the last one is looked at first. */
static sweep_cell *find_cell(sweep_tally *tally, const as_row *row) {
    for (size_t i = 0; i < tally->count; i++) {
        size_t at = (tally->last + tally->count - i) % tally->count;
        if (is_of(&tally->cell[at], row)) {
            tally->last = at;
            return &tally->cell[at];
        }
    }
    tally->last = tally->count;
    return add_cell(tally, row);
}

static void add_number(sweep_mean *mean, double value, uint8_t reason) {
    if (reason != AS_REASON_NONE)
        return;
    double apart = value - mean->mean;
    mean->mean += apart / (double)++mean->count;
    mean->squares += apart * (value - mean->mean);
}

static void add_contraction(sweep_cell *cell, const as_contraction *c) {
    for (size_t r = 0; r < SWEEP_RATIOS; r++) {
        add_number(&cell->number[r], c->value[ratios[r]], c->reason[ratios[r]]);
        cell->guaranteed[r] += c->guarantee[ratios[r]] == AS_GUARANTEED ? 1 : 0;
    }
    if (c->reason[AS_RATIO_weakly_majorised] == AS_REASON_NONE) {
        bool held = c->value[AS_RATIO_weakly_majorised] != 0;
        bool guaranteed = c->guarantee[AS_RATIO_weakly_majorised] == AS_GUARANTEED;
        cell->judged++;
        cell->majorised += held ? 1 : 0;
        cell->majorised_guaranteed += held && guaranteed ? 1 : 0;
    }
}

static as_status add_row(sweep_tally *tally, const as_row *row) {
    tally->read = tally->read || row->source != NULL || row->scheme == NULL;
    if (row->scheme == NULL)
        return AS_OK;
    sweep_cell *cell = find_cell(tally, row);
    if (cell == NULL)
        return no_memory();
    if (row->status != AS_OK) {
        if (cell->others++ == 0) {
            cell->status = row->status;
            cell->reason = strdup(text_of(row->reason));
        }
        return cell->reason != NULL ? AS_OK : no_memory();
    }
    cell->ok++;
    if (row->baseline != NULL && row->contraction.none == AS_REASON_NONE) {
        tally->compared++;
        add_contraction(cell, &row->contraction);
    }
    const as_metrics *m = &row->metrics;
    add_number(&cell->number[SWEEP_RANK], m->value[AS_METRIC_matrix_rank],
               m->reason[AS_METRIC_matrix_rank]);
    add_number(&cell->number[SWEEP_TOEPLITZ], m->value[AS_METRIC_toeplitz_fraction],
               m->reason[AS_METRIC_toeplitz_fraction]);
    return AS_OK;
}

as_status sweep_gather(sweep_tally *tally, const report_rows *rows) {
    as_status status = AS_OK;
    for (size_t i = 0; i < rows->count && status == AS_OK; i++) {
        as_row row;
        status = report_row(rows, i, &row);
        if (status == AS_OK)
            status = add_row(tally, &row);
    }
    return status;
}

/* ---- asking ----------------------------------------------------------------------------------- */

double sweep_deviation(const sweep_mean *mean) {
    return mean->count > 1 ? sqrt(mean->squares / (double)(mean->count - 1)) : (double)NAN;
}

as_guarantee sweep_guarantee(const sweep_cell *cell, size_t ratio) {
    size_t count = cell->number[ratio].count;
    return count == 0                         ? AS_UNDEFINED
           : cell->guaranteed[ratio] == count ? AS_GUARANTEED
                                              : AS_OBSERVED;
}

const char *sweep_class(const sweep_cell *cell) {
    as_scheme scheme;
    return as_scheme_parse(cell->scheme, &scheme) == AS_OK
               ? as_scheme_class_name(as_scheme_class_of(&scheme))
               : NULL;
}

/* ---- JSON ------------------------------------------------------------------------------------- */

static void add_mean(as_json *json, const char *key, const sweep_mean *mean) {
    if (mean->count == 0) {
        as_json_null(json, key);
        return;
    }
    as_json_object(json, key);
    as_json_number(json, "mean", mean->mean);
    as_json_number(json, "deviation", sweep_deviation(mean));
    as_json_integer(json, "matrices", mean->count);
    as_json_end(json);
}

static void add_cell_json(as_json *json, const sweep_cell *cell) {
    as_json_object(json, NULL);
    as_json_string(json, "content", *cell->content != '\0' ? cell->content : NULL);
    as_json_integer(json, "n", cell->n);
    as_json_string(json, "scheme", cell->scheme);
    as_json_string(json, "class", sweep_class(cell));
    as_json_integer(json, "ok", cell->ok);
    as_json_integer(json, "not_ok", cell->others);
    as_json_string(json, "reason", cell->reason);
    for (size_t r = 0; r < SWEEP_RATIOS; r++) {
        char key[64];
        snprintf(key, sizeof key, "contraction_%s", as_ratio_key(ratios[r]));
        add_mean(json, key, &cell->number[r]);
    }
    as_json_object(json, "guarantees");
    for (size_t r = 0; r < SWEEP_RATIOS; r++)
        as_json_string(json, as_ratio_key(ratios[r]), as_guarantee_name(sweep_guarantee(cell, r)));
    as_json_end(json);
    as_json_integer(json, "weakly_majorised", cell->majorised);
    add_mean(json, "matrix_rank", &cell->number[SWEEP_RANK]);
    add_mean(json, "toeplitz_fraction", &cell->number[SWEEP_TOEPLITZ]);
    as_json_end(json);
}

void sweep_add_json(const sweep_tally *tally, as_json *json) {
    if (!sweep_shown(tally))
        return;
    as_json_array(json, "schemes");
    for (size_t i = 0; i < tally->count; i++)
        add_cell_json(json, &tally->cell[i]);
    as_json_end(json);
}
