/* CoPE: positions are counted by gates that a query opens on the keys between, and may be fractions.
 * Golovneva, Wang, Weston and Sukhbaatar 2024, arXiv 2405.18719, and their listing.
 * It refuses heads that are not causal. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/tokens.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>

enum { NPOS = 64 }; /* of the listing */

static const as_param params[] = {
    {.key = "npos_max",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 1,
     .high = 1e6,
     .meaning = "positions that have a vector, counted from 0; what is further is at the last one; "
                "auto: 64, or as many as the file has"},
    {.key = "initializer_range",
     .aliases = "std",
     .type = AS_PARAM_REAL,
     .preset = "0.02",
     .low = 0,
     .high = 1e6,
     .meaning = "standard deviation of the drawn vectors; the listing begins with 0, which is "
                "nope"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "pos_emb [head size][positions], as trained"},
    {.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    return as_causal_only(head);
}

/* The vectors of positions, e[p][c] = data[p·of_position + c·of_dim]. */
typedef struct table {
    const double *data;
    double *owned;
    size_t count, of_position, of_dim;
} table;

/* No position is past the number of keys: each has one gate, of at most 1. */
static size_t needed(const as_head *head, size_t count) {
    return count <= head->cols ? count : head->cols + 1;
}

/* Drawn, it is one table a layer, shared by the heads as in the listing; position by position, so that
 * a longer one begins as a shorter one. */
static as_status draw(const as_scheme *scheme, const as_head *head, table *out) {
    double given = as_scheme_value(scheme, "npos_max");
    size_t count = needed(head, isnan(given) ? NPOS : (size_t)given), bytes;
    double *e = as_mul(count, head->dim * sizeof(double), &bytes) ? as_alloc(bytes) : NULL;
    if (e == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the vectors of %zu positions", count);
    }
    as_head layer = *head;
    layer.head = 0;
    double sigma = as_scheme_value(scheme, "initializer_range");
    as_status status = as_draw_gaussian(&layer, "cope.table", layer.layer, layer.head, sigma,
                                        count * head->dim, e);
    if (status != AS_OK) {
        free(e);
        return status;
    }
    *out = (table){e, e, count, head->dim, 1};
    return AS_OK;
}

static as_status load(const as_scheme *scheme, const as_head *head, table *out) {
    double given = as_scheme_value(scheme, "npos_max");
    size_t shape[2] = {head->dim, isnan(given) ? 0 : (size_t)given};
    const double *e = NULL;
    as_status status = as_scheme_shaped(scheme, head, "pos_emb", 2, shape, &e);
    if (status == AS_OK) {
        *out = (table){e, NULL, needed(head, shape[1]), 1, shape[1]};
    }
    return status;
}

/* z [count] = q·e */
static void products(const table *e, const double *q, size_t dim, double *z) {
    for (size_t p = 0; p < e->count; p++) {
        z[p] = 0;
        for (size_t c = 0; c < dim; c++) {
            z[p] += q[c] * e->data[p * e->of_position + c * e->of_dim];
        }
    }
}

/* (P60). Beyond the query no gate is counted: position 0. */
static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    table e = {0};
    as_status status =
        as_scheme_file(scheme) != NULL ? load(scheme, head, &e) : draw(scheme, head, &e);
    if (status != AS_OK) {
        return status;
    }
    size_t bytes, cols = head->cols;
    double *z = as_mul(e.count, sizeof *z, &bytes) ? as_alloc(bytes) : NULL;
    if (z == NULL) {
        free(e.owned);
        return as_fail(AS_ENOMEM, "no memory for %zu positions", e.count);
    }
    double last = (double)(e.count - 1);
    for (size_t i = 0; i < head->rows; i++) {
        const double *g = content + i * cols;
        double position = 0;
        products(&e, in->q + i * head->dim, head->dim, z);
        for (size_t j = cols; j-- > 0;) {
            position += (ptrdiff_t)j <= as_token(head, i) ? as_sigmoid(g[j]) : 0;
            double p = fmin(position, last); /* a NaN too is at the last one */
            size_t floor_of = (size_t)p, ceil_of = (size_t)ceil(p);
            double part = p - (double)floor_of;
            coupled[i * cols + j] = g[j] + (1 - part) * z[floor_of] + part * z[ceil_of];
        }
    }
    free(z);
    free(e.owned);
    return AS_OK;
}

const as_scheme_type as_scheme_cope = {
    .name = "cope",
    .summary = "a vector a position, which is the sum of the gates between key and query; causal "
               "only; drawn from N(0, 0.02)",
    .reference = "Golovneva et al. 2024, arXiv 2405.18719",
    .kind = AS_CLASS_CONTENT,
    .params = params,
    .check = check,
    .logits = logits,
    .file = "file",
};
