/* pass: a few samples through the model, forward and back, on one thread. Twins stand side by side in the
 * file of their part: ends.c (embedding, head), project.c (q, k, v), attend.c, block.c. Private to lib/train.
 *
 * Letters: S samples, T positions, R = S·T rows, d width, H heads, D size of q and k of a head, C classes.
 * What goes forward is kept for the way back; a d before a name is the gradient with respect to it. */
#ifndef AS_TRAIN_PASS_H
#define AS_TRAIN_PASS_H

#include "train/place.h"

/* Numbers of each row, x: by rows [R][step], or by columns [width][step]. Heads are worked on by columns,
 * so that positions are next to each other; BLAS takes and gives either. */
typedef struct as_view {
    as_real *data;
    size_t step;
    bool columns;
} as_view;

/* What a layer keeps. What is by columns has step W of the scratch. */
typedef struct as_kept {
    as_real *x;                             /* [R][d] what comes in */
    as_real *h1, *stat1;                    /* [R][d], [R][2] normalised, and of what */
    as_real *q_latent, *kv_latent, *k_rope; /* MLA: [R][d/2], [R][d/2], [D − nope][W] */
    as_real *q, *k, *v;  /* [H·D][W], [H·D][W], [d][W]; q and k turned, and k by the scale */
    as_real *p;          /* [S][H][T][stride] attention weights, keys by queries */
    as_real *context;    /* [d][W] what attention gives, before the output map */
    as_real *middle;     /* [R][d] the stream between attention and feed-forward part */
    as_real *h2, *stat2; /* [R][d], [R][2] */
    as_real *u, *a;      /* [R][ff] before and after the activation */
} as_kept;

/* Matrices of one head of one sample; rows are padded to whole registers. */
typedef struct as_head_room {
    as_real *rows, *drows; /* [T][max(D, d/H) padded] */
    as_real *dp;           /* [T][stride], keys by queries */
} as_head_room;

typedef struct as_scratch {
    size_t samples;    /* that there is room for */
    size_t step;       /* W: of what is by columns; a whole register of the last sample fits */
    as_real *room;     /* all of it */
    as_real *x0;       /* [R][d] embeddings */
    as_kept *layer;    /* [L] */
    as_real *x;        /* [R][d] what the last layer gives */
    as_real *h, *stat; /* [R][d], [R][2] of the final norm */
    as_real *pooled;   /* [S][d] */
    as_real *y;        /* [S or R][C] answers, then their gradient */
    as_real *dx, *dx0, *dh, *dq, *dk, *dv, *dcontext, *du, *dlatent, *dk_rope, *copy;
    as_head_room head;
    as_stream *stream;
    uint32_t *tokens; /* [R] */
    int32_t *labels;  /* [S] or [R] */
} as_scratch;

/* AS_ENOMEM. */
as_status as_scratch_new(const as_model *model, size_t samples, as_scratch *out);
void as_scratch_free(as_scratch *work);
/* Bytes that it takes. */
size_t as_scratch_bytes(const as_model *model, size_t samples);

/* What a probe takes from a pass of one sample, the `sample`-th of [L][samples][H]. */
typedef struct as_tap {
    as_real *q, *k;  /* [D][stride] before they turn, NULL: not taken */
    as_real *logits; /* [T][stride], keys by queries, or NULL */
    size_t samples, sample;
} as_tap;

typedef struct as_pass {
    const as_model *model;
    const as_places *places;
    const as_real *theta;
    as_real *gradient; /* added to, sums over answers; NULL: forward only */
    as_real *dbias;    /* [L][H][T][stride], added to; NULL where no bias is trained */
    size_t samples;
    const uint32_t *tokens;    /* [S][T] */
    const int32_t *labels;     /* [S] or [S][T] */
    bool drops;                /* dropout */
    uint64_t drop_key;         /* of seed and first sample */
    bool bare;                 /* no positions in the embeddings */
    const as_removal *removal; /* NULL: none */
    const as_real *mean;       /* [L][d] of context, for AS_REMOVE_MEAN */
    double *context_sum;       /* [L][d] added to; NULL: not wanted */
    const as_tap *tap;
    /* What comes of it: */
    double loss;             /* sum over the answers */
    uint64_t answers, right; /* how many were asked, and were right */
    bool *each;              /* [answers], or NULL */
} as_pass;
/* Does nothing where as_blas_ready() fails, which who runs the loop asks for (as_trainer_loop()). */
void as_pass_run(as_pass *pass, as_scratch *work);

/* ---- The parts, each with its twin ---- */

static inline as_view as_rows(as_real *data, size_t width) {
    return (as_view){data, width, false};
}
static inline as_view as_columns(const as_scratch *work, as_real *data) {
    return (as_view){data, work->step, true};
}

/* y = x Wᵀ + b; dW, db are added to, dx is set, or added to. */
void as_linear_forward(const as_pass *pass, const as_linear *l, size_t rows, as_view x, as_view y);
typedef struct as_linear_way {
    as_view x, dy, dx;
    bool add;
} as_linear_way;
void as_linear_backward(const as_pass *pass, const as_linear *l, size_t rows,
                        const as_linear_way *way);
void as_norm_run(const as_pass *pass, const as_layer_norm *norm, size_t rows, const as_real *x,
                 as_real *h, as_real *stat);
/* Adds to dx. */
void as_norm_back(const as_pass *pass, const as_layer_norm *norm, size_t rows, const as_real *x,
                  const as_real *stat, const as_real *dh, as_real *dx);

/* Inverted dropout of x [count] by the key of its pass and its place; the same call turns its gradient
 * back. */
uint64_t as_drop_key(uint64_t seed, uint64_t first);
void as_drop(const as_pass *pass, size_t layer, unsigned site, size_t count, as_real *x);

void as_embed_forward(as_pass *pass, as_scratch *work);
void as_embed_backward(as_pass *pass, as_scratch *work);
/* Final norm, pooling, head, loss. */
void as_answer_forward(as_pass *pass, as_scratch *work);
void as_answer_backward(as_pass *pass, as_scratch *work);

/* q, k and v of a layer, q and k turned; back: dq, dk, dv of the work to dx and dx0. */
void as_project_forward(const as_pass *pass, as_scratch *work, size_t layer);
void as_project_backward(const as_pass *pass, as_scratch *work, size_t layer);
/* context of q, k and v; back: dcontext to dq, dk and dv. */
void as_attend_forward(const as_pass *pass, as_scratch *work, size_t layer);
void as_attend_backward(const as_pass *pass, as_scratch *work, size_t layer);
/* logits [T][stride] = from + k qᵀ, keys by queries, of columns that are `step` apart. */
void as_attend_logits(const as_model *model, const as_real *q, const as_real *k, size_t step,
                      const as_real *from, as_real *logits);
/* A whole layer: from kept.x to what the next one keeps; back: dx in place. */
void as_block_forward(const as_pass *pass, as_scratch *work, size_t layer);
void as_block_backward(const as_pass *pass, as_scratch *work, size_t layer);

#endif
