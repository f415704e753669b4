/* A table of positions, added to q and k. Untrained, it is drawn: N(0, σ²).
 * It refuses positions past the table where its size is given. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/fail.h"
#include "door/gsl.h"
#include "scheme/type.h"

static const as_param params[] = {{.key = "initializer_range",
                                   .aliases = "std",
                                   .type = AS_PARAM_REAL,
                                   .preset = "0.02",
                                   .low = 0,
                                   .high = 1e6,
                                   .meaning = "standard deviation of the entries; 0.02 is GPT-2's"},
                                  {.key = "max_position_embeddings",
                                   .aliases = "n_positions|n_ctx",
                                   .type = AS_PARAM_COUNT,
                                   .preset = "auto",
                                   .low = 1,
                                   .high = 1e9,
                                   .meaning = "rows of the table; auto: as many as there are keys"},
                                  {.key = NULL}};

static double position_of(const as_head *head, as_side side, size_t i) {
    return side == AS_QUERIES ? as_head_query(head, i) : as_head_key(head, i);
}

/* Every position has a row; *rows is one more than the last. */
static as_status check_positions(const as_scheme *scheme, const as_head *head, as_side side,
                                 size_t *rows) {
    double table = as_scheme_value(scheme, "max_position_embeddings");
    size_t count = side == AS_QUERIES ? head->rows : head->cols;
    *rows = 0;
    for (size_t i = 0; i < count; i++) {
        double p = position_of(head, side, i);
        if (p < 0 || p != floor(p) || p > 0x1p31) {
            return as_fail(AS_EINVAL, "position %g, of %s %zu, has no row in the table", p,
                           side == AS_QUERIES ? "query" : "key", i);
        }
        if (p >= table) {
            return as_fail(AS_EINVAL,
                           "position %.0f is past the table: max_position_embeddings is %.0f", p,
                           table);
        }
        *rows = p + 1 > (double)*rows ? (size_t)p + 1 : *rows;
    }
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    size_t rows;
    as_status status = check_positions(scheme, head, AS_QUERIES, &rows);
    return status == AS_OK ? check_positions(scheme, head, AS_KEYS, &rows) : status;
}

/* (P4). One table for the whole model, [positions][heads·dim] of which a head has its columns, so the
 * layer does not count; drawn row by row, so that a longer table begins as a shorter one. */
static as_status embed(const as_scheme *scheme, const as_head *head, as_side side, double *p) {
    size_t rows = 0, count = side == AS_QUERIES ? head->rows : head->cols, dim = head->dim, bytes;
    as_status status = check_positions(scheme, head, side, &rows);
    as_rng rng;
    if (status == AS_OK) {
        status = as_rng_open(head->seed, "learned.table", 0, head->head, &rng);
    }
    if (status != AS_OK) {
        return status;
    }
    double *table = as_mul(rows, dim * sizeof *table, &bytes) ? as_alloc(bytes) : NULL;
    double sigma = as_scheme_value(scheme, "initializer_range");
    for (size_t i = 0; table != NULL && i < rows * dim; i++) {
        table[i] = sigma * as_rng_gaussian(&rng);
    }
    as_rng_close(&rng);
    if (table == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a table of %zu positions", rows);
    }
    for (size_t i = 0; i < count; i++) {
        memcpy(p + i * dim, table + (size_t)position_of(head, side, i) * dim, dim * sizeof *p);
    }
    free(table);
    return AS_OK;
}

const as_scheme_type as_scheme_learned = {
    .name = "learned",
    .summary = "a table of positions, added to q and to k; drawn from N(0, 0.02)",
    .reference = "Gehring et al. 2017, arXiv 1705.03122; drawn as GPT-2's (Radford et al. 2019)",
    .kind = AS_CLASS_ABSOLUTE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .embed = embed,
};
