/* report_against: two results compared, matrix by matrix: B − A and B / A of the main numbers.
 * It refuses to guess: where two rows fit one, both are named. */
#ifndef TOOLS_REPORT_AGAINST_H
#define TOOLS_REPORT_AGAINST_H

#include "report.h"
#include "report_keys.h"
#include "report_names.h"

/* A matrix that both have; places among the rows of A and of B. */
typedef struct against_pair {
    size_t a, b;
} against_pair;

/* The same matrices of two results. */
typedef struct report_against {
    const char *path[2];        /* A, B; borrowed */
    const report_rows *rows[2]; /* borrowed */
    size_t pairs, only[2];
    against_pair *pair; /* [pairs], in A's order; owned */
    size_t *only_in[2]; /* [only[i]] places among the rows; owned */
    size_t shown;       /* how many pairs are listed; the summary is over all */
} report_against;

#define AGAINST_WHY 1600
/* Rows fit by tensor, layer, batch and head, and by scheme, content and seed where both have them,
 * unless each result has but one; by their source where that alone tells them apart. Tensors and files
 * that gave no matrix are left out. AS_EMISMATCH with the sentence in why[AGAINST_WHY]: two rows fit one; AS_EREAD, AS_ENOMEM.
 * out is owned by the caller, report_against_free(). */
as_status report_against_match(const report_rows *a, const report_rows *b, report_against *out,
                               char *why);
void report_against_free(report_against *against);

/* One number in both. NaN where it does not exist: a quotient by zero, and what is not finite, too. */
typedef struct against_number {
    double a, b, difference, ratio;
} against_number;

/* The main numbers of a pair and, of their spectra, max |σB − σA| / σA₁. */
typedef struct against_values {
    against_number of[REPORT_MAIN];
    double spectrum; /* NaN where one has no spectrum, their lengths differ, or A is zero */
} against_values;
/* a or b may be NULL: a matrix that only the other one has. */
against_values against_compare(const as_row *a, const as_row *b);
/* Both rows of a pair; borrowed as those of as_result_row(). AS_EREAD. */
as_status against_rows(const report_against *against, size_t pair, as_row *a, as_row *b);

/* One main number over the pairs that have it in both. */
typedef struct against_mean {
    size_t count, ratios; /* ratios: pairs that have one */
    double a, b, ratio;   /* means */
    double low, high;     /* of the ratios */
    bool same;            /* no difference at all */
    double largest;       /* |ln ratio| */
    size_t largest_pair;  /* where it is */
} against_mean;

typedef struct against_layer {
    uint64_t layer;
    size_t matched;
    against_mean of[REPORT_MAIN];
} against_layer;

/* What stands out, over all pairs. */
typedef struct against_summary {
    against_layer all;
    size_t layers;
    against_layer *layer; /* [layers] by number; owned */
    size_t silent;        /* pairs of which one side or both have no numbers */
    row_names names[2];   /* of the matched rows of A, of B */
    name_set sources[2];  /* of these and of those that one side alone has */
    bool batch;
} against_summary;
/* AS_EREAD, AS_ENOMEM. out is owned by the caller, against_summary_free(). */
as_status against_summarise(const report_against *against, against_summary *out);
void against_summary_free(against_summary *summary);

as_status report_against_text(const report_against *against, FILE *out, report_style style);
as_status report_against_md(const report_against *against, FILE *out, bool values);
as_status report_against_csv(const report_against *against, FILE *out, bool values);
as_status report_against_json(const report_against *against, FILE *out, bool values);

#endif
