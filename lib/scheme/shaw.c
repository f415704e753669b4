/* Shaw's relative positions: a vector for each clipped distance, added to the key that a query sees.
 * Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155; tensor2tensor common_attention.py.
 * It refuses positions that are no whole numbers, and tables of another size. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>

enum { CLIP = 16 }; /* of the paper's base model */

static const as_param params[] = {
    {.key = "max_relative_position",
     .aliases = "k",
     .type = AS_PARAM_COUNT,
     .preset = "auto",
     .low = 1,
     .high = 65536,
     .meaning = "K: distances beyond it share its vector; auto: the file's, or 16"},
    {.key = "initializer_range",
     .aliases = "std",
     .type = AS_PARAM_REAL,
     .preset = "0.02",
     .low = 0,
     .high = 1e6,
     .meaning = "standard deviation of the drawn vectors"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "the vectors: [2K+1][d], one table for all heads, or [heads] or [layers] before "
                "it; row K is k = i, row 2K a key K or more after the query; else drawn"},
    {.key = NULL}};

/* Row e of vectors [2·clip+1][dim] is a key e − clip after the query. */
typedef struct table {
    size_t clip;
    const double *vectors; /* NULL: to be drawn */
} table;

static as_status find(const as_scheme *scheme, const as_head *head, table *out) {
    double given = as_scheme_value(scheme, "max_relative_position");
    *out = (table){isnan(given) ? CLIP : (size_t)given, NULL};
    if (as_scheme_file(scheme) == NULL) {
        return AS_OK;
    }
    as_parameters array;
    as_status status = as_scheme_table(scheme, head, "table", 2, &array);
    if (status != AS_OK) {
        return status;
    }
    out->clip = isnan(given) ? array.shape[0] / 2 : out->clip;
    if (out->clip == 0 || array.shape[0] != 2 * out->clip + 1 || array.shape[1] != head->dim) {
        return as_fail(AS_EINVAL,
                       "%s: the table is %zu × %zu, but must be 2K+1 × %zu, the head size, with "
                       "K = max_relative_position",
                       as_scheme_file(scheme), array.shape[0], array.shape[1], head->dim);
    }
    out->vectors = array.data;
    return AS_OK;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    table unused;
    as_status status = find(scheme, head, &unused);
    return status == AS_OK ? as_positions_whole(head) : status;
}

/* (P25), the second term: coupled [rows][cols] is the content, to which it is added.
 *   terms  [rows][2·clip+1] q·a·scale */
static void gather(const as_head *head, const table *a, const double *terms, double *coupled) {
    double clip = (double)a->clip;
    size_t width = 2 * a->clip + 1;
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < head->cols; k++) {
            double after = as_head_key(head, k) - as_head_query(head, i);
            size_t e = (size_t)(fmax(-clip, fmin(clip, after)) + clip);
            coupled[i * head->cols + k] += terms[i * width + e];
        }
    }
}

static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    table a = {0};
    size_t dim = head->dim, of_vectors, of_terms, bytes;
    as_status status = find(scheme, head, &a);
    if (status != AS_OK) {
        return status;
    }
    size_t width = 2 * a.clip + 1;
    bool fits = as_mul(width, dim, &of_vectors) && as_mul(width, head->rows, &of_terms) &&
                as_mul(of_vectors + of_terms, sizeof *in->q, &bytes);
    double *terms = fits ? as_alloc(bytes) : NULL;
    if (terms == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the terms of %zu vectors", width);
    }
    if (a.vectors == NULL) { /* one table for the heads of a layer */
        double *drawn = terms + of_terms, sigma = as_scheme_value(scheme, "initializer_range");
        status = as_draw_gaussian(head, "shaw.table", head->layer, 0, sigma, of_vectors, drawn);
        a.vectors = drawn;
    }
    if (status == AS_OK) {
        status = as_blas_product(head->rows, width, dim, in->scale, in->q, a.vectors, 0, terms);
    }
    for (size_t i = 0; i < head->rows * head->cols && status == AS_OK; i++) {
        coupled[i] = content[i];
    }
    if (status == AS_OK) {
        gather(head, &a, terms, coupled);
    }
    free(terms);
    return status;
}

const as_scheme_type as_scheme_shaw = {
    .name = "shaw",
    .summary = "a vector for each distance up to K, added to the key; drawn from N(0, 0.02)",
    .reference = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155; tensor2tensor "
                 "common_attention.py",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .check = check,
    .logits = logits,
    .file = "file",
};
