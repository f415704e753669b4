/* row_sums: what the sums of the rows say of weights, and of logits that look like weights. */
#ifndef TOOLS_ROW_SUMS_H
#define TOOLS_ROW_SUMS_H

#include <stdbool.h>
#include <stddef.h>

/* The least and the largest sum over rows of one kind; both NaN where nothing was added. */
typedef struct row_sums {
    double weights_min, weights_max;
    double suspects_min, suspects_max;
    size_t suspects; /* matrices of logits that may be weights */
} row_sums;
row_sums row_sums_begin(void);
/* A matrix, weights or not, and its sums as in as_logits: NaN where there is nothing to say. */
void row_sums_add(row_sums *sums, bool weights, double least, double largest);
/* What is to be said of weights that have sums: "" where none have. */
const char *row_sums_of_weights(const row_sums *sums, char *text, size_t size);
/* What is to be said of logits that are non-negative and have small sums; "" where there are none. */
const char *row_sums_of_suspects(const row_sums *sums, char *text, size_t size);

#endif
