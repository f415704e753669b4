/* FoX, the forgetting transformer: a bias that sums the logarithms of the forget gates between key and
 * query. Lin, Nikishin, He and Courville 2025, arXiv 2503.02130; zhixuan-lin/forgetting-transformer.
 * It refuses heads that are not causal, and odd head sizes where they rotate. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/rotary.h"
#include "scheme/arrays.h"
#include "scheme/tokens.h"
#include "scheme/type.h"

#include <stdlib.h>
#include <string.h>

static const as_param params[] = {
    {.key = "bias_init",
     .type = AS_PARAM_REAL,
     .preset = "0",
     .low = -700,
     .high = 700,
     .meaning = "b of the gate f = sigmoid(w*x + b), where the file has none"},
    {.key = "initializer_range",
     .aliases = "std",
     .type = AS_PARAM_REAL,
     .preset = "0.02",
     .low = 0,
     .high = 1e6,
     .meaning = "standard deviation of the drawn w; with 0 the gate is constant, which is ALiBi "
                "with the slope -ln f"},
    {.key = "rope",
     .aliases = "use_rope",
     .type = AS_PARAM_CHOICE,
     .choices = "false|true",
     .preset = "false",
     .meaning = "true: q and k are rotated besides, in half-split pairs"},
    {.key = "base",
     .aliases = "rope_base|rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "500000",
     .low = 1,
     .high = 1e12,
     .meaning = "of that rotation: pair f turns by base^(-2f/d) a position"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "w [head size] and, beside it, b, as trained"},
    {.key = NULL}};

static bool rotates(const as_scheme *scheme) {
    return (int)as_scheme_value(scheme, "rope") != 0;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    if (rotates(scheme) && head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    return as_causal_only(head);
}

/* A constant gate leaves a bias of the distance alone. */
static unsigned traits_of(const as_scheme *scheme, const as_head *head) {
    (void)head;
    bool constant = as_scheme_file(scheme) == NULL &&
                    as_scheme_value(scheme, "initializer_range") == 0 && !rotates(scheme);
    return constant ? AS_TRAIT_TOEPLITZ : 0;
}

/* ln f_l of every key [cols]; drawn [dim] is room. */
static as_status forget(const as_scheme *scheme, const as_head *head, const double *k,
                        double *drawn, double *log_f) {
    const double *w = drawn, *given = NULL;
    double b = as_scheme_value(scheme, "bias_init");
    size_t dim = head->dim;
    as_status status;
    if (as_scheme_file(scheme) == NULL) {
        status = as_draw_gaussian(head, "fox.w", head->layer, head->head,
                                  as_scheme_value(scheme, "initializer_range"), dim, drawn);
    } else {
        status = as_scheme_shaped(scheme, head, "w", 1, (size_t[]){dim}, &w);
        if (status == AS_OK && as_scheme_has_table(head, "b")) {
            status = as_scheme_shaped(scheme, head, "b", 0, (size_t[]){0}, &given);
            b = given != NULL ? *given : b;
        }
    }
    for (size_t l = 0; l < head->cols && status == AS_OK; l++) {
        double x = b;
        for (size_t c = 0; c < dim; c++) {
            x += w[c] * k[l * dim + c];
        }
        log_f[l] = as_log_sigmoid(x);
    }
    return status;
}

/* coupled = scale·(R q)(R k)ᵀ. */
static as_status rotate(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *coupled) {
    size_t dim = head->dim, half = dim / 2, numbers, bytes;
    double *room = NULL;
    if (as_mul(head->rows + head->cols, dim, &numbers) &&
        as_mul(numbers + 3 * half, sizeof *room, &bytes)) {
        room = as_alloc(bytes);
    }
    if (room == NULL) {
        return as_fail(AS_ENOMEM, "no memory to rotate %zu queries and %zu keys", head->rows,
                       head->cols);
    }
    double *q = room, *k = q + head->rows * dim, *theta = k + head->cols * dim;
    as_rotation rotation = {.gain = 1,
                            .theta = theta,
                            .first = (size_t *)(void *)(theta + half),
                            .second = (size_t *)(void *)(theta + 2 * half)};
    as_rotary_pairs(AS_ROTARY_HALF, 0, dim, &rotation);
    as_rotary_frequencies(as_scheme_value(scheme, "base"), dim, theta);
    memcpy(q, in->q, head->rows * dim * sizeof *q);
    memcpy(k, in->k, head->cols * dim * sizeof *k);
    as_rotate(&rotation, head, AS_QUERIES, false, q);
    as_rotate(&rotation, head, AS_KEYS, false, k);
    as_status status = as_blas_product(head->rows, head->cols, dim, in->scale, q, k, 0, coupled);
    free(room);
    return status;
}

/* (P61). Beyond the query the sum is empty. */
static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    size_t cols = head->cols, bytes;
    double *room = as_mul(cols + head->dim, sizeof *room, &bytes) ? as_alloc(bytes) : NULL;
    if (room == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the gates of %zu keys", cols);
    }
    double *log_f = room;
    as_status status = forget(scheme, head, in->k, room + cols, log_f);
    if (status == AS_OK && rotates(scheme)) {
        status = rotate(scheme, head, in, coupled);
    } else if (status == AS_OK) {
        memcpy(coupled, content, head->rows * cols * sizeof *coupled);
    }
    for (size_t i = 0; i < head->rows && status == AS_OK; i++) {
        double sum = 0;
        for (ptrdiff_t j = as_token(head, i); j >= 0; j--) {
            coupled[i * cols + (size_t)j] += sum;
            sum += log_f[j];
        }
    }
    free(room);
    return status;
}

const as_scheme_type as_scheme_fox = {
    .name = "fox",
    .summary = "a bias that sums ln f of the tokens after the key up to the query, f a forget gate "
               "of each token's key (the hidden state is not there); causal only; gate drawn from "
               "N(0, 0.02)",
    .reference = "Lin et al. 2025, arXiv 2503.02130; zhixuan-lin/forgetting-transformer",
    .kind = AS_CLASS_CONTENT,
    .params = params,
    .traits_of = traits_of,
    .check = check,
    .logits = logits,
    .file = "file",
};
