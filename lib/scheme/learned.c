/* A table of positions, added to q and k. Untrained, it is drawn: N(0, σ²).
 * It refuses positions past the table where its size is given. */
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

static as_status check_positions(const as_scheme *scheme, ptrdiff_t first, size_t last) {
    double rows = as_scheme_value(scheme, "max_position_embeddings");
    if (first < 0) {
        return as_fail(AS_EINVAL, "position %td, of the first query, has no row in the table",
                       first);
    }
    if ((double)last >= rows) {
        return as_fail(AS_EINVAL, "position %zu is past the table: max_position_embeddings is %.0f",
                       last, rows);
    }
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    return check_positions(scheme, (ptrdiff_t)head->cols - (ptrdiff_t)head->rows, head->cols - 1);
}

/* (P4). One table for the whole model, [positions][heads·dim] of which a head has its columns, so the
 * layer does not count; drawn row by row, so that a longer table begins as a shorter one. */
static as_status embed(const as_scheme *scheme, const as_head *head, ptrdiff_t first, size_t count,
                       double *p) {
    as_status status = check_positions(scheme, first, (size_t)first + count - 1);
    as_rng rng;
    if (status == AS_OK) {
        status = as_rng_open(head->seed, "learned.table", 0, head->head, &rng);
    }
    if (status != AS_OK) {
        return status;
    }
    double sigma = as_scheme_value(scheme, "initializer_range");
    for (size_t i = 0; i < (size_t)first * head->dim; i++) {
        (void)as_rng_gaussian(&rng);
    }
    for (size_t i = 0; i < count * head->dim; i++) {
        p[i] = sigma * as_rng_gaussian(&rng);
    }
    as_rng_close(&rng);
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
