/* The journal of a run, and what becomes of its rows: a file, or a report; and the exit code.
 * It refuses an output that is in the way. */
#include "delivery.h"

#include <pthread.h>
#include <stdlib.h>

#include "grid_note.h"
#include "interrupt.h"
#include "message.h"
#include "origin.h"
#include "output.h"
#include "report.h"

/* What to do about an output that is in the way. */
static const char *way_out(as_status status) {
    return status == AS_EEXIST ? "; --resume goes on with an unfinished run, --force replaces it"
           : status == AS_EMISMATCH ? "; --force without --resume replaces it"
                                    : "";
}

as_status delivery_open(const tool *self, const delivery *d, const char *const *inputs,
                        size_t input_count, as_result_writer **out) {
    const common_options *common = d->common;
    char *fingerprint = NULL, *provenance = NULL;
    if (output_is_input(common->output, inputs, input_count)) {
        return AS_EEXIST;
    }
    as_provenance_input input = origin_of(self, common, common->deterministic);
    input.inputs = inputs;
    input.input_count = input_count;
    as_status status = as_fingerprint(&input, &fingerprint);
    if (status == AS_OK) {
        status = as_provenance(&input, &provenance);
    }
    if (status == AS_OK) {
        as_result_options how = {.force = common->force,
                                 .resume = d->resume,
                                 .fingerprint = fingerprint,
                                 .provenance = provenance};
        status = as_result_create(common->output, &how, out);
    }
    if (status != AS_OK) {
        message_error("%s%s", as_message(), way_out(status));
    }
    free(fingerprint);
    free(provenance);
    return status;
}

/* Of the outcome: there is one run in a process. */
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void delivery_keep(as_result_writer *writer, const as_row *row, delivery_outcome *outcome) {
    as_status status = as_result_append(writer, row);
    pthread_mutex_lock(&lock);
    if (status == AS_OK) {
        outcome->done++;
    } else if (outcome->fatal == AS_OK) {
        outcome->fatal = status;
        snprintf(outcome->sentence, sizeof outcome->sentence, "%s", as_message());
    }
    pthread_mutex_unlock(&lock);
}

bool delivery_stopped(const delivery_outcome *outcome) {
    pthread_mutex_lock(&lock);
    bool fatal = outcome->fatal != AS_OK;
    pthread_mutex_unlock(&lock);
    return fatal || interrupt_signal() != 0;
}

/* How many rows ended in which status; EXIT_DONE, or the exit code after the sentence. */
static int count_rows(as_result *result, size_t count[AS_MATRIX_STATUS_COUNT]) {
    for (size_t i = 0; i < as_result_count(result); i++) {
        as_row row;
        if (as_result_row(result, i, &row) != AS_OK) {
            message_error("%s", as_message());
            return EXIT_SOME_FAILED;
        }
        count[row.status]++;
    }
    return EXIT_DONE;
}

/* Beside a file; the text report says it itself. */
static void tell_grid(const delivery *d, as_result *result) {
    as_grid grid;
    if (d->grid == NULL || as_grid_parse(d->grid, &grid) != AS_OK)
        return;
    for (size_t i = 0; i < as_result_count(result); i++) {
        as_row row;
        char note[192];
        if (as_result_row(result, i, &row) != AS_OK)
            return;
        if (row.status == AS_OK &&
            row.metrics.reason[AS_METRIC_toeplitz_fraction] == AS_REASON_NOT_THE_GRID) {
            message_note("not the grid: %s", grid_note(grid, row.rows, row.cols, true, note));
            return;
        }
    }
}

static void tell(const char *name, const size_t count[AS_MATRIX_STATUS_COUNT], const char *end) {
    size_t failed = 0;
    for (size_t s = AS_SKIPPED + 1; s < AS_MATRIX_STATUS_COUNT; s++) {
        failed += count[s];
    }
    message_note("%s: %zu ok, %zu skipped, %zu failed%s", name, count[AS_OK], count[AS_SKIPPED],
                 failed, end);
}

/* The text report on standard output. */
static int print_report(const common_options *common, as_result *result) {
    report_rows rows = report_all(result);
    if (report_text(&rows, stdout, report_style_for(common, stdout)) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_SOME_FAILED;
    }
    return EXIT_DONE;
}

/* The rows of a finished loop become a file, or a report. */
static int publish(const delivery *d, as_result_writer *writer, as_result *result) {
    size_t count[AS_MATRIX_STATUS_COUNT] = {0};
    int code = count_rows(result, count);
    if (code != EXIT_DONE) {
        return code;
    }
    code = exit_code_of_counts(count);
    if (code == EXIT_NOTHING) {
        message_error("%s", d->nothing);
    } else if (d->common->output == NULL) {
        int printed = print_report(d->common, result);
        code = code == EXIT_DONE ? printed : code;
    } else if (as_result_finish(writer) == AS_OK) {
        tell_grid(d, result);
        tell(d->common->output, count, "");
    } else {
        message_error("%s", as_message());
        code = EXIT_OUTPUT;
    }
    return code;
}

int delivery_end(const delivery *d, as_result_writer *writer, size_t planned,
                 const delivery_outcome *outcome) {
    as_result *result = NULL;
    int code = EXIT_SOME_FAILED;
    if (outcome->fatal != AS_OK) {
        message_error("%s", outcome->sentence);
        code = exit_code_of(outcome->fatal);
    } else if (outcome->done < planned) {
        message_error("interrupted after %zu of %zu matrices%s", outcome->done, planned,
                      d->common->output != NULL ? "; --resume goes on from here" : "");
        code = interrupt_exit_code();
    } else if (as_result_of_writer(writer, &result) != AS_OK) {
        message_error("%s", as_message());
    } else {
        code = publish(d, writer, result);
    }
    as_result_free(result);
    if (code == EXIT_NOTHING) {
        as_result_discard(writer);
    } else {
        as_result_writer_free(writer);
    }
    return code;
}

int delivery_complete(const delivery *d) {
    as_result *result;
    if (as_result_open(d->common->output, &result) != AS_OK) {
        message_error("%s", as_message());
        return EXIT_OUTPUT;
    }
    size_t count[AS_MATRIX_STATUS_COUNT] = {0};
    int code = count_rows(result, count);
    as_result_free(result);
    if (code != EXIT_DONE) {
        return code;
    }
    tell(d->common->output, count, "; it was complete already");
    return exit_code_of_counts(count);
}
