/* A comparison for programs: JSON, and CSV with a trial a row.
 * It refuses to leave a key out: what does not exist is null, or an empty field. */
#include <inttypes.h>

#include "report_comparison.h"
#include "report_csv.h"
#include "report_json.h"

static void add_rows(as_json *json, const as_comparison *c) {
    as_json_array(json, "rows");
    for (size_t i = 0; i < c->count; i++) {
        const as_trial_row *r = &c->row[i];
        as_json_object(json, NULL);
        as_json_string(json, "task", r->task);
        as_json_string(json, "scheme", r->scheme);
        as_json_integer(json, "seed", r->seed);
        as_json_integer(json, "steps", r->steps);
        as_json_number(json, "accuracy", r->accuracy);
        as_json_number(json, "loss", r->loss);
        as_json_number(json, "plateau", r->plateau);
        as_json_number(json, "samples_per_second", r->samples_per_second);
        as_json_end(json);
    }
    as_json_end(json);
}

static void add_cells(as_json *json, const trial_table *t) {
    as_json_array(json, "cells");
    for (size_t i = 0; i < t->schemes * t->tasks; i++) {
        const trial_cell *c = &t->cell[i];
        as_json_object(json, NULL);
        as_json_string(json, "task", t->task[i % t->tasks]);
        as_json_string(json, "scheme", t->scheme[i / t->tasks]);
        as_json_integer(json, "seeds", c->seeds);
        as_json_number(json, "mean", c->mean);
        as_json_number(json, "min", c->min);
        as_json_number(json, "max", c->max);
        as_json_number(json, "low", c->low);
        as_json_number(json, "high", c->high);
        as_json_number(json, "plateau", t->plateau[i % t->tasks]);
        as_json_integer(json, "at_plateau", c->at_plateau);
        as_json_bool(json, "fails", trial_fails(t, i / t->tasks, i % t->tasks));
        as_json_end(json);
    }
    as_json_end(json);
}

static void add_published(as_json *json, const trial_table *t) {
    as_json_array(json, "published");
    for (size_t i = 0; i < PUBLISHED_ROWS * PUBLISHED_TASKS; i++) {
        const published_row *row = &published[i / PUBLISHED_TASKS];
        published_task task = (published_task)(i % PUBLISHED_TASKS);
        size_t ours = published_find_task(t, task), scheme = published_find_scheme(t, row, ours);
        bool found = scheme < t->schemes;
        as_json_object(json, NULL);
        as_json_string(json, "task", published_task_name(task));
        as_json_string(json, "scheme", row->label);
        as_json_number(json, "accuracy", row->accuracy[task]);
        as_json_string(json, "said", row->said[task]);
        as_json_string(json, "measured_scheme", found ? t->scheme[scheme] : NULL);
        if (found)
            as_json_number(json, "measured", trial_cell_of(t, scheme, ours)->mean);
        else
            as_json_null(json, "measured");
        as_json_end(json);
    }
    as_json_end(json);
}

static void add_claims(as_json *json, const trial_table *t) {
    static claim_result claim; /* large, and one report is written at a time */
    as_json_array(json, "claims");
    for (size_t i = 0; claim_judge(t, i, (report_style){.utf8 = true}, &claim); i++) {
        as_json_object(json, NULL);
        as_json_string(json, "claim", claim.claim);
        as_json_string(json, "verdict", claim_word(claim.verdict));
        as_json_string(json, "sentence", claim.sentence);
        as_json_end(json);
    }
    as_json_end(json);
}

as_status comparison_json(const trial_table *table, FILE *out) {
    as_json *json = as_json_new();
    as_status status = json_open(json, table->of->provenance, (json_counts){0});
    as_json_array(json, "matrices");
    as_json_end(json);
    as_json_object(json, "comparison");
    as_json_bool(json, "finished", table->of->finished);
    as_json_object(json, "config");
    for (size_t i = 0; i < table->of->config_count; i++)
        as_json_string(json, table->of->config[i][0], table->of->config[i][1]);
    as_json_end(json);
    add_rows(json, table->of);
    add_cells(json, table);
    add_published(json, table);
    add_claims(json, table);
    as_json_end(json);
    as_json_end(json);
    if (status == AS_OK)
        status = json_pour(json, out);
    as_json_free(json);
    return status;
}

void comparison_csv(const as_comparison *comparison, FILE *out) {
    fputs("task,scheme,seed,steps,accuracy,loss,plateau,samples_per_second\r\n", out);
    for (size_t i = 0; i < comparison->count; i++) {
        const as_trial_row *r = &comparison->row[i];
        csv_field(out, r->task);
        fputc(',', out);
        csv_field(out, r->scheme);
        fprintf(out, ",%" PRIu64 ",%" PRIu64, r->seed, r->steps);
        const double numbers[] = {r->accuracy, r->loss, r->plateau, r->samples_per_second};
        for (size_t k = 0; k < sizeof numbers / sizeof *numbers; k++) {
            fputc(',', out);
            csv_number(out, numbers[k]);
        }
        fputs("\r\n", out);
    }
}
