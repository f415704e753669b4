/* The loop of analyze: load a matrix, sum it up, append its row, on all threads.
 * Memory is one matrix with its workspace a thread, whatever the files' sizes. */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze.h"
#include "interrupt.h"
#include "message.h"
#include "progress.h"

/* A thread's own room, made at its first matrix. */
typedef struct desk {
    as_loaded loaded;
    as_summary summary, baseline;
    as_contraction contraction;
} desk;

typedef struct loop {
    const analyze_job *job;
    analyze_outcome *outcome;
    pthread_mutex_t lock; /* of outcome */
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

/* Appends a row; a journal that cannot be written ends the run. */
static void keep(loop *l, const as_item *item, const as_row *row) {
    as_status status = as_result_append(l->job->writer, row);
    pthread_mutex_lock(&l->lock);
    if (status == AS_OK) {
        l->outcome->done++;
    } else if (l->outcome->fatal == AS_OK) {
        l->outcome->fatal = status;
        snprintf(l->outcome->sentence, sizeof l->outcome->sentence, "%s", as_message());
    }
    pthread_mutex_unlock(&l->lock);
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

/* Loads and sums up one matrix into the desk, and what it is compared with. */
static as_status measure(const loop *l, size_t index, desk *d) {
    const as_summary_options *options = &l->job->summary;
    as_status status = as_source_load(l->job->source, index, &d->loaded);
    if (status == AS_OK) {
        status = as_summarise(&d->summary, &d->loaded.logits, options);
    }
    if (status == AS_OK && d->loaded.has_baseline) {
        as_summary_options plain = *options;
        plain.eigen = plain.ww = false;
        status = as_summarise(&d->baseline, &d->loaded.baseline, &plain);
        if (status == AS_OK) {
            status = as_compare(&d->loaded, &d->summary, &d->baseline, &d->contraction);
        }
    }
    /* A row has one of the statuses of a matrix: what is no argument of ours came out of a file. */
    return status < AS_MATRIX_STATUS_COUNT ? status : AS_EREAD;
}

/* What was found, into the row; the desk is lent until the row is appended. */
static void fill(const loop *l, const desk *d, char *mask, as_row *row) {
    const as_logits *logits = &d->loaded.logits;
    const as_summary *summary = &d->summary;
    bool weights = logits->kind == AS_KIND_WEIGHTS;
    row->kind = as_kind_name(logits->kind);
    row->rows = logits->a.rows; /* without the padding that was dropped */
    row->cols = logits->a.cols;
    row->mask = as_mask_name(logits->mask, mask);
    row->padding_left = logits->mask.left;
    row->padding_right = logits->mask.right;
    row->masked_as = weights                                     ? NULL
                     : l->job->masked_as == AS_MASKED_AS_SOFTMAX ? "softmax"
                                                                 : "zero";
    row->route = summary->route;
    row->driver = as_driver_name(summary->driver);
    row->masked_count = logits->masked_count;
    row->masked_rows = logits->masked_rows;
    row->center = logits->centered ? "row" : NULL;
    row->softcap = logits->softcap != 0 ? logits->softcap : (double)NAN;
    row->bias = d->loaded.bias;
    if (weights) {
        row->row_sum_deviation = logits->row_sum_deviation;
    }
    row->row_sum_min = logits->row_sum_min;
    row->row_sum_max = logits->row_sum_max;
    row->scale = d->loaded.scale != 0 ? d->loaded.scale : (double)NAN;
    row->metrics = summary->metrics;
    row->sigma = summary->sigma;
    row->sigma_count = summary->sigma_count;
    row->profile = summary->profile;
    row->profile_count = summary->profile_count;
    row->eigen_count = summary->eigen_count;
    row->eig_re = summary->eig_re;
    row->eig_im = summary->eig_im;
    row->symmetric_count = summary->symmetric_count;
    row->symmetric = summary->symmetric;
    if (d->loaded.has_baseline) {
        row->baseline = d->loaded.baseline_name;
        row->baseline_sigma = d->baseline.sigma;
        row->baseline_count = d->baseline.sigma_count;
        row->contraction = d->contraction;
    }
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

static bool stopped(loop *l) {
    pthread_mutex_lock(&l->lock);
    bool fatal = l->outcome->fatal != AS_OK;
    pthread_mutex_unlock(&l->lock);
    return fatal || interrupt_signal() != 0;
}

/* One step: as_work of the parallel loop. */
static void step(void *context, size_t turn, size_t worker) {
    loop *l = context;
    if (stopped(l)) {
        return;
    }
    size_t index = l->todo[turn];
    const as_item *item = as_source_item(l->job->source, index);
    as_row row = row_of_item(index, item);
    char why[AS_MESSAGE_MAX], mask[AS_MASK_TEXT];
    if (row.status == AS_OK) {
        row.status = analyze_admit(l->job, l->need.memory, item, why);
        if (row.status == AS_OK) {
            row.status = measure(l, index, &l->desks[worker]);
            snprintf(why, sizeof why, "%s", as_message());
        }
        if (row.status == AS_OK) {
            fill(l, &l->desks[worker], mask, &row);
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
    l->outcome->done = count - l->todo_count;
    return AS_OK;
}

void analyze_run(const analyze_job *job, analyze_outcome *outcome) {
    *outcome = (analyze_outcome){0};
    loop l = {.job = job, .outcome = outcome};
    analyze_find_need(job, &l.need);
    l.desks = calloc(job->threads, sizeof *l.desks);
    if (l.desks == NULL || plan(&l) != AS_OK) {
        outcome->fatal = AS_ENOMEM;
        snprintf(outcome->sentence, sizeof outcome->sentence, "no memory for the plan");
    } else {
        pthread_mutex_init(&l.lock, NULL);
        as_status status = (l.need.serial ? as_serial_for : as_parallel_for)(
            l.todo_count, l.need.threads, step, &l);
        if (status != AS_OK) {
            outcome->fatal = status;
            snprintf(outcome->sentence, sizeof outcome->sentence, "%s", as_message());
        }
        pthread_mutex_destroy(&l.lock);
    }
    for (size_t i = 0; l.desks != NULL && i < job->threads; i++) {
        as_loaded_free(&l.desks[i].loaded);
        as_summary_free(&l.desks[i].summary);
        as_summary_free(&l.desks[i].baseline);
    }
    free(l.desks);
    free(l.todo);
}
