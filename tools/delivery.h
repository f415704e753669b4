/* delivery: how a run over many matrices begins and ends, for every tool that has one: its journal, its
 * file or report, its exit code. */
#ifndef TOOLS_DELIVERY_H
#define TOOLS_DELIVERY_H

#include "attnspec/result.h"
#include "tool.h"

typedef struct delivery {
    const common_options *common;
    bool resume;
    const char *grid;    /* that the user named, or NULL */
    const char *nothing; /* the sentence for rows none of which could be analysed */
} delivery;

/* What became of the loop. */
typedef struct delivery_outcome {
    size_t done;                   /* rows in the journal, those of an earlier run included */
    as_status fatal;               /* AS_EWRITE or AS_ENOMEM: the run cannot go on */
    char sentence[AS_MESSAGE_MAX]; /* of fatal */
} delivery_outcome;

/* The journal of this run, with what it will say of its origin; the sentence of a failure is told. */
as_status delivery_open(const tool *self, const delivery *d, const char *const *inputs,
                        size_t input_count, as_result_writer **out);
/* A finished output of the same run under --resume: nothing to do but to say how it went. An exit code. */
int delivery_complete(const delivery *d);
/* Appends a row; a journal that cannot be written ends the run. From any thread. */
void delivery_keep(as_result_writer *writer, const as_row *row, delivery_outcome *outcome);
/* Whether the loop is to end: a signal came, or the run cannot go on. From any thread. */
bool delivery_stopped(const delivery_outcome *outcome);
/* After the loop; an exit code. The writer is freed; nothing of it stays where there was nothing to
 * analyse. */
int delivery_end(const delivery *d, as_result_writer *writer, size_t planned,
                 const delivery_outcome *outcome);

#endif
