/* The loop of analyze: load a matrix, sum it up, append its row, on all threads.
 * Memory is one matrix with its workspace a thread, whatever the files' sizes. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "measure.h"
#include "message.h"
#include "progress.h"

typedef struct loop {
    const analyze_job *job;
    analyze_outcome *outcome;
    pthread_mutex_t lock; /* of what the outcome counts */
    size_t *todo;         /* items in order of the plan */
    size_t todo_count;
    analyze_need need;
    desk *desks;
} loop;

static as_row row_of_item(size_t index, const as_item *item) {
    as_row row = as_row_empty();
    row.item = index;
    row.source = item->source;
    row.tensor = item->tensor;
    row.layer = item->layer;
    row.batch = item->batch;
    row.head = item->head;
    row.rows = item->rows;
    row.cols = item->cols;
    row.dtype = item->dtype;
    row.scheme = item->scheme;
    row.content = item->content;
    row.has_seed = item->has_seed;
    row.seed = item->seed;
    row.scale = item->scale != 0 ? item->scale : (double)NAN;
    row.status = item->status;
    row.reason = item->reason;
    return row;
}

/* Appends a row and says what became of the matrix. */
static void keep(loop *l, const as_item *item, const as_row *row) {
    delivery_keep(l->job->writer, row, &l->outcome->run);
    if (row->status != AS_OK) {
        message_item(item, row->status, row->reason);
    } else {
        char place[128];
        message_detail("%s: %s: %llu × %llu %s, mask %s, by %s", item->source,
                       message_place_of(place, sizeof place, item), (unsigned long long)row->rows,
                       (unsigned long long)row->cols, row->kind, row->mask, row->driver);
    }
    progress_step(row->status != AS_OK && row->status != AS_SKIPPED);
}

/* Loads and sums up one matrix into the desk. */
static as_status load_and_measure(const loop *l, size_t index, desk *d) {
    as_status status = as_source_load(l->job->source, index, &d->loaded);
    return status == AS_OK ? measure(d, &l->job->summary) : measure_status(status);
}

/* What the options found to do. */
static void count(loop *l, const as_logits *logits) {
    pthread_mutex_lock(&l->lock);
    l->outcome->analysed++;
    l->outcome->weights += logits->kind == AS_KIND_WEIGHTS;
    l->outcome->dropped += logits->dropped;
    l->outcome->sentinels += logits->sentinels_found > 0;
    pthread_mutex_unlock(&l->lock);
}

/* One step: as_work of the parallel loop. */
static void step(void *context, size_t turn, size_t worker) {
    loop *l = context;
    if (delivery_stopped(&l->outcome->run)) {
        return;
    }
    size_t index = l->todo[turn];
    const as_item *item = as_source_item(l->job->source, index);
    as_row row = row_of_item(index, item);
    char why[AS_MESSAGE_MAX], mask[AS_MASK_TEXT];
    if (row.status == AS_OK) {
        row.status = analyze_admit(l->job, l->need.memory, item, why);
        if (row.status == AS_OK) {
            row.status = load_and_measure(l, index, &l->desks[worker]);
            snprintf(why, sizeof why, "%s", as_message());
        }
        if (row.status == AS_OK) {
            measure_fill(&l->desks[worker], l->job->masked_as, mask, &row);
            count(l, &l->desks[worker].loaded.logits);
        } else {
            row.reason = why;
        }
    }
    keep(l, item, &row);
}

/* What is left to do. */
static as_status plan(loop *l) {
    size_t count = as_source_count(l->job->source);
    l->todo = malloc((count > 0 ? count : 1) * sizeof *l->todo);
    if (l->todo == NULL) {
        return AS_ENOMEM;
    }
    for (size_t i = 0; i < count; i++) {
        if (!as_result_has(l->job->writer, i)) {
            l->todo[l->todo_count++] = i;
        }
    }
    l->outcome->run.done = count - l->todo_count;
    return AS_OK;
}

/* What has no matrix to compute has its row first, in the order of the plan, whatever the threads do. */
static void settle(loop *l) {
    size_t left = 0;
    for (size_t turn = 0; turn < l->todo_count; turn++) {
        if (as_source_item(l->job->source, l->todo[turn])->status == AS_OK) {
            l->todo[left++] = l->todo[turn];
        } else {
            step(l, turn, 0);
        }
    }
    l->todo_count = left;
}

void analyze_run(const analyze_job *job, analyze_outcome *outcome) {
    *outcome = (analyze_outcome){0};
    loop l = {.job = job, .outcome = outcome};
    analyze_find_need(job, &l.need);
    l.desks = calloc(job->threads, sizeof *l.desks);
    if (l.desks == NULL || plan(&l) != AS_OK) {
        outcome->run.fatal = AS_ENOMEM;
        snprintf(outcome->run.sentence, sizeof outcome->run.sentence, "no memory for the plan");
    } else {
        pthread_mutex_init(&l.lock, NULL);
        settle(&l);
        as_status status = (l.need.serial ? as_serial_for : as_parallel_for)(
            l.todo_count, l.need.threads, step, &l);
        if (status != AS_OK) {
            outcome->run.fatal = status;
            snprintf(outcome->run.sentence, sizeof outcome->run.sentence, "%s", as_message());
        }
        pthread_mutex_destroy(&l.lock);
    }
    for (size_t i = 0; l.desks != NULL && i < job->threads; i++) {
        desk_free(&l.desks[i]);
    }
    free(l.desks);
    free(l.todo);
}
