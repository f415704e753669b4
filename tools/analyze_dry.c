/* analyze --dry-run: the plan in numbers, from headers alone.
 * It refuses nothing; what it says of time is a guess, and called one. */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "analyze.h"
#include "message.h"
#include "text.h"
#include "tool.h"

/* How many lines a list has at the most, and how many orders are timed. */
enum { LINES = 12, TIMED_ORDER = 256, TIMED_SHAPES = 8 };
/* Bytes that were measured: of the program with its libraries, of a file, of an item of the plan
 * and its place in the journal, of a row while the results are written, up to a bound. */
static const double program_bytes = 22 * 0x1p20, file_bytes = 2200, item_bytes = 512,
                    row_bytes = 800, rows_bytes_most = 32 * 0x1p20;
/* Seconds: all timing together, one shape, and what a row takes to be written, which no thread shares. */
static const double timing_most = 0.8, timing_each = 0.03, writing = 6e-5;

/* An item with what becomes of it. */
typedef struct fate {
    const as_item *item;
    as_status status;
    char *reason; /* owned; NULL with AS_OK */
} fate;

static int compare_text(const char *a, const char *b) {
    return strcmp(a != NULL ? a : "", b != NULL ? b : "");
}

/* What is analysed first, by shape and dtype; then the rest by reason. */
static int by_kind(const void *left, const void *right) {
    const fate *a = left, *b = right;
    if (a->status != b->status) {
        return a->status < b->status ? -1 : 1;
    }
    if (a->status != AS_OK) {
        return compare_text(a->reason, b->reason);
    }
    if (a->item->rows != b->item->rows) {
        return a->item->rows < b->item->rows ? -1 : 1;
    }
    if (a->item->cols != b->item->cols) {
        return a->item->cols < b->item->cols ? -1 : 1;
    }
    return compare_text(a->item->dtype, b->item->dtype);
}

static size_t end_of_group(const fate *fates, size_t count, size_t first) {
    size_t end = first + 1;
    while (end < count && by_kind(&fates[first], &fates[end]) == 0) {
        end++;
    }
    return end;
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

/* Seconds of one summary of that shape, made-up numbers, all options; 0 where that fails. */
static double time_shape(const as_summary_options *options, size_t rows, size_t cols) {
    as_logits logits = {0};
    as_summary summary = {0};
    const as_preparation how = {
        .dtype = AS_F64, .kind = AS_KIND_LOGITS, .mask = {.kind = AS_MASK_NONE}};
    double least = 0;
    uint32_t state = 1;
    as_summary_options plain = *options;
    plain.grid = (as_grid){0};
    as_status status = as_matrix_resize(&logits.a, rows, cols);
    for (size_t i = 0; status == AS_OK && i < rows * cols; i++) {
        state = state * 1664525U + 1013904223U;
        logits.a.data[i] = (double)state / 0x1p32 - 0.5;
    }
    status = status == AS_OK ? as_logits_prepare(&logits, &how) : status;
    /* The first of them makes the workspace. */
    double begun = now(), last = begun;
    for (int turn = 0; status == AS_OK && (turn < 2 || last - begun < timing_each); turn++) {
        status = as_summarise(&summary, &logits, &plain);
        double end = now();
        least = turn == 0 || end - last < least ? end - last : least;
        last = end;
    }
    as_logits_free(&logits);
    as_summary_free(&summary);
    return status == AS_OK ? least : 0;
}

static double work_of(size_t rows, size_t cols) {
    return (double)rows * (double)cols * (double)(rows < cols ? rows : cols);
}

/* Seconds of all matrices one after the other. A shape is timed at no more than TIMED_ORDER and scaled
 * by rows·cols·min(rows, cols); shapes for which no time is left go by the last one's. */
static double time_all(const analyze_job *job, const fate *fates, size_t count) {
    double seconds = 0, begun = now(), a_unit = 0;
    size_t timed = 0;
    for (size_t i = 0; i < count && fates[i].status == AS_OK;) {
        size_t end = end_of_group(fates, count, i);
        size_t rows = fates[i].item->rows, cols = fates[i].item->cols;
        if (timed < TIMED_SHAPES && now() - begun < timing_most) {
            size_t longer = rows > cols ? rows : cols;
            double shrink = longer > TIMED_ORDER ? (double)TIMED_ORDER / (double)longer : 1;
            size_t r = (size_t)((double)rows * shrink), c = (size_t)((double)cols * shrink);
            r = r > 0 ? r : 1;
            c = c > 0 ? c : 1;
            a_unit = time_shape(&job->summary, r, c) / work_of(r, c);
            timed++;
        }
        for (; i < end; i++) {
            bool pair = fates[i].item->content != NULL || fates[i].item->scheme != NULL;
            seconds += (pair ? 2 : 1) * a_unit * work_of(rows, cols);
        }
    }
    return seconds;
}

/* The files by format, and those that could not be opened. */
static void print_files(const as_source *source) {
    size_t count = as_source_input_count(source), closed = count;
    printf("%zu file%s", count, count == 1 ? "" : "s");
    const char *before = ":";
    for (size_t f = 0; as_format_list(f) != NULL; f++) {
        const char *name = as_format_list(f)->name;
        size_t of = 0;
        for (size_t i = 0; i < count; i++) {
            const as_dump *dump = as_source_dump(source, i);
            of += dump != NULL && strcmp(as_dump_format(dump), name) == 0;
        }
        if (of > 0) {
            printf("%s %zu %s", before, of, name);
            before = ",";
            closed -= of;
        }
    }
    if (closed > 0) {
        printf("%s %zu not opened", before, closed);
    }
    putchar('\n');
}

/* One line a group: a shape, or a reason with the first item that has it. */
static void print_group(const fate *first, size_t count) {
    const as_item *item = first->item;
    char where[512], line[1600];
    if (first->status == AS_OK) {
        printf("  %zu of %zu × %zu (%s)\n", count, item->rows, item->cols,
               item->dtype != NULL ? item->dtype : "?");
        return;
    }
    snprintf(line, sizeof line, "%s%s%s%s: %s", item->source, item->tensor[0] != '\0' ? ": " : "",
             item->tensor, count > 1 ? " and others" : "", first->reason);
    text_clean(where, sizeof where, line);
    int column = printf("  %zu: ", count);
    text_wrap(stdout, where, (size_t)column, (size_t)column);
}

/* The groups of [first, end), the rest in one line. */
static void print_groups(const fate *fates, size_t first, size_t end) {
    for (size_t lines = 0; first < end; lines++) {
        size_t next = end_of_group(fates, end, first);
        if (lines == LINES && next < end) {
            printf("  %zu: others\n", end - first);
            return;
        }
        print_group(&fates[first], next - first);
        first = next;
    }
}

static void print_seconds(double seconds) {
    if (seconds < 90) {
        printf("Time: about %.2g s", seconds < 1 ? 1 : seconds);
    } else if (seconds < 5400) {
        printf("Time: about %.2g min", seconds / 60);
    } else {
        printf("Time: about %.2g h", seconds / 3600);
    }
    printf(", by a trial of made-up matrices.\n");
}

static void print_all(const analyze_job *job, const fate *fates, size_t count, bool writes) {
    analyze_need need;
    analyze_find_need(job, &need);
    size_t ok = 0, skipped = 0;
    while (ok < count && fates[ok].status == AS_OK) {
        ok++;
    }
    while (ok + skipped < count && fates[ok + skipped].status == AS_SKIPPED) {
        skipped++;
    }
    print_files(job->source);
    printf("To analyse: %zu matri%s\n", ok, ok == 1 ? "x" : "ces");
    print_groups(fates, 0, ok);
    printf("Skipped: %zu\n", skipped);
    print_groups(fates, ok, ok + skipped);
    printf("Failed: %zu\n", count - ok - skipped);
    print_groups(fates, ok + skipped, count);
    if (ok == 0) {
        fflush(stdout);
        message_error("nothing to analyse");
        return;
    }
    size_t at_once = need.serial ? 1 : need.threads < ok ? need.threads : ok;
    double rows = row_bytes * (double)count;
    double shared = program_bytes + item_bytes * (double)count +
                    file_bytes * (double)as_source_input_count(job->source) +
                    (!writes                  ? 0
                     : rows < rows_bytes_most ? rows
                                              : rows_bytes_most);
    double total = shared + (double)need.bytes * (double)at_once;
    printf("Memory: about %.0f MiB: %.1f for each of %zu matri%s at a time, %.0f besides\n",
           total / 0x1p20, (double)need.bytes / 0x1p20, at_once, at_once == 1 ? "x" : "ces",
           shared / 0x1p20);
    print_seconds(time_all(job, fates, ok) / (double)at_once + writing * (double)ok);
}

int analyze_print_plan(const analyze_job *job, bool writes) {
    size_t count = as_source_count(job->source), counts[AS_MATRIX_STATUS_COUNT] = {0};
    fate *fates = calloc(count + 1, sizeof *fates);
    int code = EXIT_SOME_FAILED;
    if (fates == NULL) {
        goto no_memory;
    }
    uint64_t memory = as_memory_total();
    for (size_t i = 0; i < count; i++) {
        const as_item *item = as_source_item(job->source, i);
        char why[AS_MESSAGE_MAX];
        as_status status = item->status;
        status = status == AS_OK ? analyze_admit(job, memory, item, why) : status;
        fates[i] = (fate){.item = item, .status = status};
        if (status != AS_OK) {
            fates[i].reason = strdup(item->status != AS_OK ? item->reason : why);
            if (fates[i].reason == NULL) {
                goto no_memory;
            }
        }
        counts[status]++;
    }
    qsort(fates, count, sizeof *fates, by_kind);
    print_all(job, fates, count, writes);
    code = exit_code_of_counts(counts);
    goto done;
no_memory:
    message_error("no memory for a plan of %zu matrices", count);
done:
    for (size_t i = 0; fates != NULL && i < count; i++) {
        free(fates[i].reason);
    }
    free(fates);
    return code;
}
