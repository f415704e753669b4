/* report_heads: what each head does (its roles), and how the heads of a layer share what they have.
 * It refuses to take the mean over files, schemes or contents that differ. */
#ifndef TOOLS_REPORT_HEADS_H
#define TOOLS_REPORT_HEADS_H

#include "door/json.h"
#include "report.h"

/* The quantities whose share is told: four metrics, and the ratio of the spectral norms. */
enum { HEADS_QUANTITIES = 5 };

/* A matrix, and after heads_finish() a head: means over its matrices (batch, seeds, steps). */
typedef struct head_record {
    size_t origin, order; /* order: that of the rows */
    uint64_t layer, head;
    double quantity[HEADS_QUANTITIES]; /* NaN where it does not exist */
    uint8_t reason[HEADS_QUANTITIES];
    double role[AS_HEAD_ROLE_COUNT]; /* as_head_role_number() */
} head_record;

typedef struct head_origin {
    char *source, *scheme, *content; /* NULL where there is none; owned */
} head_origin;

/* Start from {0}: add every row, finish, print, free. */
typedef struct head_tally {
    size_t count, room, origins, origin_room;
    head_record *record;
    head_origin *origin;
    double *values; /* room for those of a layer */
} head_tally;

/* Of a row that is ok; others are passed over. AS_ENOMEM. */
as_status heads_add(head_tally *tally, const as_row *row);
/* Matrices become heads, in the order of origin, layer and head. AS_ENOMEM. */
as_status heads_finish(head_tally *tally);
/* Adds all rows that are printed and finishes. AS_EREAD, AS_ENOMEM. */
as_status heads_gather(head_tally *tally, const report_rows *rows);
void heads_free(head_tally *tally);

/* Gathers the rows for the section "Heads" of text and Markdown and prints it; nothing where every
 * matrix is too small for a role. AS_EREAD, AS_ENOMEM. */
as_status heads_report(const report_rows *rows, FILE *out, report_style style);
/* The member "layers". */
void heads_add_json(const head_tally *tally, as_json *json);

/* The roles of one row: joined by spaces, and the member "roles", null where it was not analysed. */
void heads_print_roles(const as_row *row, FILE *out);
void heads_add_roles(const as_row *row, as_json *json);

/* For those who print: heads begin … end are those of one layer of one origin. */
size_t heads_layer_end(const head_tally *tally, size_t begin);
typedef struct head_shares {
    double mean;      /* over the heads that have the quantity; NaN where none has */
    as_reason reason; /* why there is no mean */
    as_concentration concentration;
} head_shares;
head_shares heads_share(const head_tally *tally, size_t begin, size_t end, size_t quantity);
const char *heads_quantity_key(size_t quantity);

#endif
