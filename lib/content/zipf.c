/* Tokens that repeat as words do: few often, many seldom (Zipf 1949).
 * It refuses nothing. */
#include "base/fail.h"
#include "content/type.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static const as_param params[] = {{.key = "vocab",
                                   .type = AS_PARAM_COUNT,
                                   .preset = "1000",
                                   .low = 1,
                                   .high = 1e6,
                                   .meaning = "how many tokens there are"},
                                  {.key = "exponent",
                                   .type = AS_PARAM_REAL,
                                   .preset = "1",
                                   .low = 0,
                                   .high = 10,
                                   .meaning = "a of p(rank) ~ rank^(-a)"},
                                  {.key = NULL}};

/* sum [vocab]: Σ_{r ≤ rank} r^−a, ranks from 1. */
static void add_up(double exponent, size_t vocab, double *sum) {
    double total = 0;
    for (size_t r = 0; r < vocab; r++) {
        total += pow((double)(r + 1), -exponent);
        sum[r] = total;
    }
}

/* The first rank, from 0, whose sum is above u·total. */
static size_t rank_of(const double *sum, size_t vocab, double u) {
    double wanted = u * sum[vocab - 1];
    size_t low = 0, high = vocab - 1;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (sum[middle] > wanted) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return low;
}

/* (Q4): row i is row t_i of a table [vocab][dim] of this side; the tokens t are those of the kv head.
 * A row of the table has a stream of its own, so that only the rows that occur are drawn. */
static as_status fill(const as_content *content, const as_content_shape *shape, bool is_key,
                      size_t shared_head, double *x) {
    size_t vocab = (size_t)as_content_value(content, "vocab");
    double *sum = as_alloc(vocab * sizeof *sum);
    if (sum == NULL) {
        return as_fail(AS_ENOMEM, "there is no memory for a vocabulary of %zu", vocab);
    }
    as_stream *tokens = NULL;
    as_status status =
        as_stream_new(shape->seed, "content.tokens", shape->layer, shared_head, &tokens);
    if (status == AS_OK) {
        add_up(as_content_value(content, "exponent"), vocab, sum);
    }
    for (size_t i = 0; i < shape->n && status == AS_OK; i++) {
        char purpose[64];
        snprintf(purpose, sizeof purpose, "content.%s.token %zu", is_key ? "key" : "query",
                 rank_of(sum, vocab, as_stream_uniform(tokens)));
        status = as_content_draw(shape, purpose, shape->head, shape->dim, x + i * shape->dim);
    }
    as_stream_free(tokens);
    free(sum);
    return status;
}

const as_content_type as_content_zipf = {
    .name = "zipf",
    .summary = "rows of two tables, looked up by tokens that are drawn by Zipf's law",
    .params = params,
    .fill = fill,
};
