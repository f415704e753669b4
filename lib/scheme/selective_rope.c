/* Selective RoPE: pairs turn by angles that every token adds to, by what it holds. Movahedi et al. 2025,
 * arXiv 2511.17388; timurcarstensen/selective-rope modules/rotary.py. It refuses odd head sizes. */
#include "base/fail.h"
#include "door/blas.h"
#include "scheme/rotary.h"
#include "scheme/arrays.h"
#include "scheme/tokens.h"
#include "scheme/type.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const as_param params[] = {
    {.key = "base",
     .aliases = "temp_theta|rope_theta",
     .type = AS_PARAM_REAL,
     .preset = "500000",
     .low = 1,
     .high = 1e12,
     .meaning = "pair f turns by base^(-2f/d) times its phase"},
    {.key = "phi_proj_rank",
     .aliases = "rank",
     .type = AS_PARAM_COUNT,
     .preset = "16",
     .low = 1,
     .high = 4096,
     .meaning = "rank of the drawn projection from a token to its phases"},
    {.key = "d_conv",
     .type = AS_PARAM_COUNT,
     .preset = "4",
     .low = 1,
     .high = 64,
     .meaning = "tokens, the own one last, that the drawn convolution sees"},
    {.key = "use_bias",
     .type = AS_PARAM_CHOICE,
     .choices = "false|true",
     .preset = "false",
     .meaning = "true: every token adds e^phi_bias to the phase besides; 1 before training"},
    {.key = "use_gate",
     .type = AS_PARAM_CHOICE,
     .choices = "false|true",
     .preset = "false",
     .meaning = "true: what a token adds is multiplied by a gate of it"},
    {.key = "file",
     .type = AS_PARAM_TEXT,
     .preset = "",
     .meaning = "down [rank][head size], up [head size/2][rank], conv [head size/2][tokens], "
                "phi_bias [head size/2], gate [head size + 1], the constant last, as trained; the "
                "last two where they are used"},
    {.key = NULL}};

static bool is_true(const as_scheme *scheme, const char *key) {
    return (int)as_scheme_value(scheme, key) != 0;
}

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    if (head->dim % 2 != 0) {
        return as_fail(AS_EINVAL, "the head size is %zu, but pairs need an even one", head->dim);
    }
    return AS_OK;
}

/* U(−bound, bound) of the head's stream. */
static as_status uniform(const as_head *head, const char *purpose, double bound, size_t count,
                         double *out) {
    return as_draw_uniform(head, purpose, head->layer, head->head, -bound, bound, count, out);
}

/* What is learned: drawn into `owned`, or borrowed from the file. */
typedef struct learned {
    const double *down, *up;       /* [rank][dim], [dim/2][rank] */
    const double *conv;            /* [dim/2][width] */
    const double *phi_bias, *gate; /* [dim/2], [dim + 1]; NULL where there is none */
    size_t rank, width;
    double *owned;
} learned;

/* As torch draws a linear layer and a convolution: U(−1/√fan_in, 1/√fan_in); phi_bias is 0. */
static as_status draw(const as_scheme *scheme, const as_head *head, learned *out) {
    size_t dim = head->dim, half = dim / 2, numbers, bytes;
    size_t rank = (size_t)as_scheme_value(scheme, "phi_proj_rank");
    size_t width = (size_t)as_scheme_value(scheme, "d_conv");
    double *x = NULL;
    if (as_mul(dim, rank + width + 3, &numbers) && as_mul(numbers, 2 * sizeof *x, &bytes)) {
        x = as_alloc(bytes);
    }
    if (x == NULL) {
        return as_fail(AS_ENOMEM, "no memory for a projection of rank %zu", rank);
    }
    double *up = x + rank * dim, *conv = up + half * rank, *bias = conv + half * width;
    double *gate = bias + half, by_dim = 1 / sqrt((double)dim);
    as_status status = uniform(head, "selective_rope.down", by_dim, rank * dim, x);
    if (status == AS_OK) {
        status = uniform(head, "selective_rope.up", 1 / sqrt((double)rank), half * rank, up);
    }
    if (status == AS_OK) {
        status = uniform(head, "selective_rope.conv", 1 / sqrt((double)width), half * width, conv);
    }
    if (status == AS_OK) {
        status = uniform(head, "selective_rope.gate", by_dim, dim + 1, gate);
    }
    if (status != AS_OK) {
        free(x);
        return status;
    }
    memset(bias, 0, half * sizeof *bias);
    *out = (learned){.down = x,
                     .up = up,
                     .conv = conv,
                     .phi_bias = is_true(scheme, "use_bias") ? bias : NULL,
                     .gate = is_true(scheme, "use_gate") ? gate : NULL,
                     .rank = rank,
                     .width = width,
                     .owned = x};
    return AS_OK;
}

static as_status load(const as_scheme *scheme, const as_head *head, learned *out) {
    size_t half = head->dim / 2, down[2] = {0, head->dim}, conv[2] = {half, 0};
    learned found = {.owned = NULL};
    as_status status = as_scheme_shaped(scheme, head, "down", 2, down, &found.down);
    if (status == AS_OK) {
        status = as_scheme_shaped(scheme, head, "up", 2, (size_t[]){half, down[0]}, &found.up);
    }
    if (status == AS_OK) {
        status = as_scheme_shaped(scheme, head, "conv", 2, conv, &found.conv);
    }
    if (status == AS_OK && is_true(scheme, "use_bias")) {
        status = as_scheme_shaped(scheme, head, "phi_bias", 1, &half, &found.phi_bias);
    }
    if (status == AS_OK && is_true(scheme, "use_gate")) {
        size_t gate = head->dim + 1;
        status = as_scheme_shaped(scheme, head, "gate", 1, &gate, &found.gate);
    }
    if (status == AS_OK) {
        found.rank = down[0];
        found.width = conv[1];
        *out = found;
    }
    return status;
}

/* The room of a head. Tokens are the keys. */
typedef struct work {
    double *q, *k;   /* [rows][dim], [cols][dim]; k holds the normalised tokens first */
    double *low;     /* [cols][rank] */
    double *u, *phi; /* [cols][dim/2] */
    as_rotation rotation;
} work;

static as_status make_room(const as_head *head, size_t rank, work *out) {
    size_t rows = head->rows, cols = head->cols, dim = head->dim, half = dim / 2;
    size_t sides, low, bytes;
    double *room = NULL;
    if (as_mul(rows + 2 * cols, dim, &sides) && as_mul(cols, rank, &low) &&
        as_mul(sides + low + 3 * half, sizeof *room, &bytes)) {
        room = as_alloc(bytes);
    }
    if (room == NULL) {
        return as_fail(AS_ENOMEM, "no memory for the phases of %zu queries and %zu keys", rows,
                       cols);
    }
    double *u = room + (rows + cols) * dim, *rest = u + 2 * cols * half;
    *out = (work){.q = room,
                  .k = room + rows * dim,
                  .low = rest,
                  .u = u,
                  .phi = u + cols * half,
                  .rotation = {.gain = 1,
                               .theta = rest + low,
                               .first = (size_t *)(void *)(rest + low + half),
                               .second = (size_t *)(void *)(rest + low + 2 * half)}};
    return AS_OK;
}

/* x̂ = x/√(|x|² + 10⁻⁶), the l2_norm() of the code. */
static void normalise(const double *x, size_t count, size_t dim, double *out) {
    for (size_t i = 0; i < count; i++) {
        double squares = 1e-6;
        for (size_t c = 0; c < dim; c++) {
            squares += x[i * dim + c] * x[i * dim + c];
        }
        for (size_t c = 0; c < dim; c++) {
            out[i * dim + c] = x[i * dim + c] / sqrt(squares);
        }
    }
}

static double gate_of(const learned *of, const double *x, size_t dim) {
    double sum = of->gate[dim];
    for (size_t c = 0; c < dim; c++) {
        sum += of->gate[c] * x[c];
    }
    return as_sigmoid(sum);
}

/* (P63): phi [cols][half], cumulated; k holds x̂. */
static as_status cumulate(const as_head *head, const learned *of, const work *at) {
    size_t cols = head->cols, dim = head->dim, half = dim / 2, width = of->width;
    as_status status = as_blas_product(cols, of->rank, dim, 1, at->k, of->down, 0, at->low);
    if (status == AS_OK) {
        status = as_blas_product(cols, half, of->rank, 1, at->low, of->up, 0, at->u);
    }
    for (size_t t = 0; t < cols && status == AS_OK; t++) {
        double gate = of->gate != NULL ? gate_of(of, at->k + t * dim, dim) : 1;
        for (size_t f = 0; f < half; f++) {
            double step = 0;
            for (size_t m = 0; m < width && m <= t; m++) {
                step += of->conv[f * width + width - 1 - m] * at->u[(t - m) * half + f];
            }
            step += of->phi_bias != NULL ? exp(of->phi_bias[f]) : 0;
            at->phi[t * half + f] = gate * step + (t > 0 ? at->phi[(t - 1) * half + f] : 0);
        }
    }
    return status;
}

/* Turns the row of token t by temperature·phi: each pair at its angle, of which position 1 is one. */
static void turn(const as_head *head, const double *temperature, const work *at, size_t t,
                 double *row) {
    static const double one = 1;
    size_t half = head->dim / 2;
    as_head single = *head;
    single.rows = single.cols = 1;
    single.query_positions = single.key_positions = &one;
    for (size_t f = 0; f < half; f++) {
        at->rotation.theta[f] = temperature[f] * at->phi[t * half + f];
    }
    as_rotate(&at->rotation, &single, AS_QUERIES, false, row);
}

/* Queries before the first key have no token, and are not turned. */
static as_status couple(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        const learned *of, double *coupled) {
    size_t rows = head->rows, cols = head->cols, dim = head->dim;
    work at = {.q = NULL};
    as_status status = make_room(head, of->rank, &at);
    if (status != AS_OK) {
        return status;
    }
    normalise(in->k, cols, dim, at.k);
    status = cumulate(head, of, &at);
    memcpy(at.q, in->q, rows * dim * sizeof *at.q);
    memcpy(at.k, in->k, cols * dim * sizeof *at.k);
    double *temperature = at.u; /* half numbers, of which u has no more need */
    as_rotary_frequencies(as_scheme_value(scheme, "base"), dim, temperature);
    as_rotary_pairs(AS_ROTARY_HALF, 0, dim, &at.rotation);
    for (size_t t = 0; t < cols && status == AS_OK; t++) {
        turn(head, temperature, &at, t, at.k + t * dim);
    }
    for (size_t i = 0; i < rows && status == AS_OK; i++) {
        if (as_token(head, i) >= 0) {
            turn(head, temperature, &at, (size_t)as_token(head, i), at.q + i * dim);
        }
    }
    if (status == AS_OK) {
        status = as_blas_product(rows, cols, dim, in->scale, at.q, at.k, 0, coupled);
    }
    free(at.q);
    return status;
}

static as_status logits(const as_scheme *scheme, const as_head *head, const as_projections *in,
                        double *content, double *coupled) {
    (void)content;
    learned of = {.owned = NULL};
    as_status status =
        as_scheme_file(scheme) != NULL ? load(scheme, head, &of) : draw(scheme, head, &of);
    if (status == AS_OK) {
        status = couple(scheme, head, in, &of, coupled);
    }
    free(of.owned);
    return status;
}

const as_scheme_type as_scheme_selective_rope = {
    .name = "selective_rope",
    .summary = "pairs turn by phases that add up token by token, each a projection and convolution "
               "of the normalised keys (the hidden state is not there)",
    .reference = "Movahedi et al. 2025, arXiv 2511.17388; timurcarstensen/selective-rope",
    .kind = AS_CLASS_CONTENT,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = check,
    .logits = logits,
    .file = "file",
};
