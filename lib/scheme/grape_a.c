/* GRAPE-A: a bias that sums what the query finds along the path of tokens from the key to itself. Zhang
 * et al. 2025, arXiv 2512.07805; model-architectures/GRAPE model/llama-mha-grape-a-pi.py.
 * It refuses heads that are not causal, odd head sizes on a path, and a tie to q of fewer queries. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/alibi.h"
#include "scheme/rotary.h"
#include "scheme/tokens.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FORM_PATH };
enum { TIE_KEY, TIE_QUERY };

static const as_param params[] = {
    {.key = "form",
     .type = AS_PARAM_CHOICE,
     .choices = "path|linear",
     .preset = "path",
     .meaning = "path: m*ln sigmoid(p_i R_l p_l/d), summed over the tokens l after the key up to "
                "the query; linear: -omega*m*(i-k)"},
    {.key = "tie",
     .aliases = "p_tie_mode",
     .type = AS_PARAM_CHOICE,
     .choices = "key|query",
     .preset = "key",
     .meaning = "what p is: k or q (a projection of its own needs the hidden state)"},
    {.key = "base",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 1,
     .high = 1e12,
     .meaning = "of the rotation of p: pair f turns by base^(-2f/d) a position"},
    {.key = "omega",
     .type = AS_PARAM_REAL,
     .preset = "1",
     .low = 0,
     .high = 1e6,
     .meaning = "of the linear form; with 1 it is ALiBi"},
    {.key = NULL}};

static bool is_path(const as_scheme *scheme) {
    return (int)as_scheme_value(scheme, "form") == FORM_PATH;
}

static bool by_query(const as_scheme *scheme) {
    return (int)as_scheme_value(scheme, "tie") == TIE_QUERY;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    if (is_path(scheme) && head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    if (is_path(scheme) && by_query(scheme) && head->rows != head->cols) {
        return as_fail(AS_EINVAL,
                       "tie=query takes p from q of every token, but there are %zu queries for %zu "
                       "keys",
                       head->rows, head->cols);
    }
    return as_causal_only(head);
}

static unsigned traits_of(const as_scheme *scheme, const as_head *head) {
    (void)head;
    return is_path(scheme) ? 0 : AS_TRAIT_TOEPLITZ;
}

/* x [cols][dim] ← R x/rms(x), by −θ a position; ε is single precision's, as rms_norm() of the code
 * has it. */
static as_status turn(const as_scheme *scheme, const as_head *head, double *x) {
    size_t dim = head->dim, half = dim / 2, bytes;
    double *theta = as_mul(3 * half, sizeof *theta, &bytes) ? as_alloc(bytes) : NULL;
    if (theta == NULL) {
        return as_fail(AS_ENOMEM, "no memory for %zu pairs", half);
    }
    for (size_t l = 0; l < head->cols; l++) {
        double squares = 0;
        for (size_t c = 0; c < dim; c++) {
            squares += x[l * dim + c] * x[l * dim + c];
        }
        for (size_t c = 0; c < dim; c++) {
            x[l * dim + c] /= sqrt(squares / (double)dim + 0x1p-23);
        }
    }
    as_rotation rotation = {.gain = 1,
                            .theta = theta,
                            .first = (size_t *)(void *)(theta + half),
                            .second = (size_t *)(void *)(theta + 2 * half)};
    as_rotary_pairs(AS_ROTARY_HALF, 0, dim, &rotation);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), dim, theta);
    for (size_t f = 0; f < half; f++) {
        theta[f] = -theta[f];
    }
    as_rotate(&rotation, head, AS_KEYS, false, x);
    free(theta);
    return AS_OK;
}

/* (P65): the products p_i R_l p̂_l/d stand in coupled until each is replaced. Queries before the first
 * key have no token, and beyond the query the sum is empty. */
static as_status path(const as_scheme *scheme, const as_head *head, const as_projections *in,
                      const double *content, double *coupled) {
    size_t rows = head->rows, cols = head->cols, dim = head->dim, numbers, bytes;
    size_t before = rows > cols ? rows - cols : 0;
    double *turned = NULL;
    if (as_mul(cols, dim, &numbers) && as_mul(numbers, sizeof *turned, &bytes)) {
        turned = as_alloc(bytes);
    }
    if (turned == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the path over %zu keys", cols);
    }
    const double *p = by_query(scheme) ? in->q : in->k;
    memcpy(turned, p, bytes);
    as_status status = turn(scheme, head, turned);
    if (status == AS_OK) {
        status = as_blas_product(rows - before, cols, dim, 1 / (double)dim,
                                 p + (size_t)as_token(head, before) * dim, turned, 0,
                                 coupled + before * cols);
    }
    double slope = as_alibi_slope(head->head, head->heads);
    for (size_t i = 0; i < rows && status == AS_OK; i++) {
        double sum = 0, *row = coupled + i * cols;
        for (size_t j = cols; j-- > 0;) {
            double step = (ptrdiff_t)j <= as_token(head, i) ? slope * as_log_sigmoid(row[j]) : 0;
            row[j] = content[i * cols + j] + sum;
            sum += step;
        }
    }
    free(turned);
    return status;
}

static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    if (is_path(scheme)) {
        return path(scheme, head, in, content, coupled);
    }
    double slope = as_scheme_value(scheme, "omega") * as_alibi_slope(head->head, head->heads);
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < head->cols; k++) {
            double delta = as_head_query(head, i) - as_head_key(head, k);
            coupled[i * head->cols + k] = content[i * head->cols + k] - slope * delta;
        }
    }
    return AS_OK;
}

const as_scheme_type as_scheme_grape_a = {
    .name = "grape_a",
    .summary =
        "a bias that sums, along the tokens from key to query, what the query makes of each; "
        "causal only",
    .reference = "Zhang et al. 2025, arXiv 2512.07805; model-architectures/GRAPE "
                 "llama-mha-grape-a-pi.py",
    .kind = AS_CLASS_CONTENT,
    .params = params,
    .traits_of = traits_of,
    .check = check,
    .logits = logits,
};
