/* The loop of sweep: draw a head, couple it, sum it up, append its row, on all threads.
 * Memory is one head with its workspace a thread; the matrices are written nowhere. */
#include <stdio.h>
#include <stdlib.h>

#include "draw.h"
#include "measure.h"
#include "message.h"
#include "progress.h"
#include "sweep.h"

/* A thread's room, and whose q and k are in it. */
typedef struct bench {
    desk desk;
    bool drawn;
    sweep_place place;
} bench;

typedef struct loop {
    const sweep_plan *plan;
    as_result_writer *writer;
    delivery_outcome *outcome;
    sweep_place *todo;
    size_t todo_count;
    bench *benches;
} loop;

static as_row row_of(const sweep_plan *plan, const sweep_place *at) {
    const sweep_case *c = sweep_case_of(plan, at);
    as_row row = as_row_empty();
    row.item = sweep_item(plan, at);
    row.scheme = plan->scheme_words.item[at->scheme];
    row.content = plan->content_words.item[at->content];
    row.layer = at->layer;
    row.head = at->head;
    row.rows = row.cols = plan->sizes[at->size];
    row.has_seed = true;
    row.seed = plan->options->seed + at->seed;
    row.dtype = "f8";
    row.status = c->status;
    row.reason = c->reason;
    return row;
}

/* q and k, where the last matrix of this thread had others: schemes follow each other. */
static as_status draw(const sweep_plan *plan, bench *b, const sweep_place *at) {
    const sweep_options *o = plan->options;
    const sweep_place *was = &b->place;
    if (b->drawn && was->content == at->content && was->size == at->size && was->seed == at->seed &&
        was->layer == at->layer && was->head == at->head) {
        return AS_OK;
    }
    const as_content_shape q = {at->layer, at->head, plan->sizes[at->size], o->dim,
                                o->seed + at->seed};
    size_t kv_head = at->head / (o->heads / o->kv_heads);
    as_status status = draw_pair(&plan->contents[at->content], &q, kv_head, &b->desk.loaded.pair);
    b->drawn = status == AS_OK;
    b->place = *at;
    return status;
}

static as_status draw_and_measure(const sweep_plan *plan, bench *b, const sweep_place *at) {
    as_pair *pair = &b->desk.loaded.pair;
    const as_preparation how = {.mask = plan->mask,
                                .masked_as = (as_masked_as)plan->options->masked_as};
    as_status status = draw(plan, b, at);
    if (status != AS_OK) {
        return measure_status(status);
    }
    pair->scheme = plan->schemes[at->scheme];
    pair->head = sweep_head(plan, at);
    pair->scale = 0; /* the scheme's own */
    status = as_loaded_couple(&b->desk.loaded, &how);
    /* What the check of the plan could not know, such as an array that a file lacks. */
    return status == AS_EINVAL ? AS_SKIPPED
           : status == AS_OK   ? measure(&b->desk, &plan->summary)
                               : measure_status(status);
}

static void tell(const as_row *row) {
    if (row->status != AS_OK) {
        (row->status == AS_SKIPPED ? message_note : message_error)(
            "%s, content %s, n = %llu, seed %llu, layer %llu, head %llu: %s%s", row->scheme,
            row->content, (unsigned long long)row->cols, (unsigned long long)row->seed,
            (unsigned long long)row->layer, (unsigned long long)row->head,
            row->status == AS_SKIPPED ? "skipped: " : "", row->reason);
    }
}

/* One step: as_work of the parallel loop. */
static void step(void *context, size_t turn, size_t worker) {
    loop *l = context;
    const sweep_place *at = &l->todo[turn];
    char why[AS_MESSAGE_MAX], mask[AS_MASK_TEXT];
    if (delivery_stopped(l->outcome)) {
        return;
    }
    as_row row = row_of(l->plan, at);
    if (row.status == AS_OK) {
        bench *b = &l->benches[worker];
        row.status = draw_and_measure(l->plan, b, at);
        if (row.status == AS_OK) {
            measure_fill(&b->desk, (as_masked_as)l->plan->options->masked_as, mask, &row);
        } else {
            snprintf(why, sizeof why, "%s", as_message());
            row.reason = why;
            tell(&row);
        }
    }
    delivery_keep(l->writer, &row, l->outcome);
    progress_step(row.status != AS_OK && row.status != AS_SKIPPED);
}

/* What is left to do. */
static as_status list_rest(loop *l) {
    size_t count = l->plan->count;
    sweep_place at = {0};
    l->todo = malloc(count * sizeof *l->todo);
    if (l->todo == NULL) {
        return AS_ENOMEM;
    }
    do {
        if (!as_result_has(l->writer, sweep_item(l->plan, &at))) {
            l->todo[l->todo_count++] = at;
        }
    } while (sweep_next(l->plan, &at));
    l->outcome->done = count - l->todo_count;
    return AS_OK;
}

void sweep_run(const sweep_plan *plan, as_result_writer *writer, delivery_outcome *outcome) {
    const common_options *common = &plan->options->common;
    size_t threads = plan->need.threads;
    *outcome = (delivery_outcome){0};
    loop l = {.plan = plan, .writer = writer, .outcome = outcome};
    l.benches = calloc(threads, sizeof *l.benches);
    if (l.benches == NULL || list_rest(&l) != AS_OK) {
        outcome->fatal = AS_ENOMEM;
        snprintf(outcome->sentence, sizeof outcome->sentence, "no memory for the plan");
    } else {
        for (size_t i = 0; i < threads; i++) {
            l.benches[i].desk.keeps = true;
        }
        if (outcome->done > 0) {
            message_note("%zu of %zu are done already", outcome->done, plan->count);
        }
        progress_start(common, "matrices", l.todo_count);
        as_status status =
            (plan->need.serial ? as_serial_for : as_parallel_for)(l.todo_count, threads, step, &l);
        progress_stop();
        if (status != AS_OK) {
            outcome->fatal = status;
            snprintf(outcome->sentence, sizeof outcome->sentence, "%s", as_message());
        }
    }
    for (size_t i = 0; l.benches != NULL && i < threads; i++) {
        desk_free(&l.benches[i].desk);
    }
    free(l.benches);
    free(l.todo);
}
