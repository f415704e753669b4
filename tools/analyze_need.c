/* What a plan of analyze takes: which matrices, how much memory, how many threads.
 * It refuses shapes that no driver, LAPACK or this machine takes. */
#include <stdio.h>

#include "analyze.h"

/* Bytes that one thread takes for a matrix of that shape: itself, its mask (and room for another), its
 * workspace; twice, since it may have a baseline; and where ww is asked for, itself shuffled. */
static uint64_t bytes_of(const analyze_job *job, size_t rows, size_t cols) {
    uint64_t room = as_summary_bytes(rows, cols);
    uint64_t once = room + (uint64_t)rows * cols * (sizeof(double) + 2);
    uint64_t shuffled = job->summary.ww ? (uint64_t)rows * cols * sizeof(double) : 0;
    return room == UINT64_MAX ? room : 2 * once + shuffled;
}

as_status analyze_admit(const analyze_job *job, uint64_t memory, const as_item *item, char *why) {
    as_driver driver = job->summary.driver;
    if (!as_driver_takes(driver, item->rows, item->cols)) {
        snprintf(why, AS_MESSAGE_MAX, "the driver %s does not take a matrix of %zu × %zu",
                 as_driver_name(driver), item->rows, item->cols);
        return AS_SKIPPED;
    }
    as_status status = as_spectrum_check_size(item->rows, item->cols);
    if (status != AS_OK) {
        snprintf(why, AS_MESSAGE_MAX, "%s", as_message());
        return status;
    }
    uint64_t bytes = bytes_of(job, item->rows, item->cols);
    if (memory > 0 && bytes > memory) {
        snprintf(why, AS_MESSAGE_MAX,
                 "a matrix of %zu × %zu needs %.1f GiB with its workspace; this machine has %.1f",
                 item->rows, item->cols, (double)bytes / 0x1p30, (double)memory / 0x1p30);
        return AS_ENOMEM;
    }
    return AS_OK;
}

/* Up to this order the default driver is onepass, which has one thread whatever BLAS has. */
enum { LARGE = 1024 };

/* Threads over matrices where there are enough of them, else BLAS's own threads on one matrix at a
 * time. Decided on the whole plan, not on what a resume has left: the digits must not depend on
 * where an earlier run was stopped. Memory sets how many matrices are in work at once. */
void analyze_choose_threads(const analyze_job *job, analyze_need *out) {
    out->threads = job->threads;
    out->serial = !job->deterministic && out->matrices < out->threads && out->order > LARGE;
    while (!out->serial && out->threads > 1 && out->memory > 0 &&
           out->bytes > out->memory / out->threads) {
        out->threads--;
    }
}

void analyze_add_need(const analyze_job *job, size_t rows, size_t cols, size_t count,
                      analyze_need *out) {
    size_t order = rows < cols ? rows : cols;
    uint64_t bytes = bytes_of(job, rows, cols);
    out->matrices += count;
    out->order = order > out->order ? order : out->order;
    out->bytes = bytes > out->bytes ? bytes : out->bytes;
}

void analyze_find_need(const analyze_job *job, analyze_need *out) {
    *out = (analyze_need){.memory = as_memory_total()};
    size_t count = as_source_count(job->source);
    char why[AS_MESSAGE_MAX];
    for (size_t i = 0; i < count; i++) {
        const as_item *item = as_source_item(job->source, i);
        if (item->status == AS_OK && analyze_admit(job, out->memory, item, why) == AS_OK) {
            analyze_add_need(job, item->rows, item->cols, 1, out);
        }
    }
    analyze_choose_threads(job, out);
}
