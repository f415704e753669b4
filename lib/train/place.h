/* place: what the scheme room says of every layer and head, as the model's inner loops want it: rotations
 * as cosines and sines, biases as tables under the mask, embeddings. Private to lib/train. */
#ifndef AS_TRAIN_PLACE_H
#define AS_TRAIN_PLACE_H

#include "train/model.h"

/* The rotation of one head: pair f of position i turns by (c, s)[f·T + i]. q and k have tables of their
 * own, since those of xPos differ. */
typedef struct as_turn {
    size_t count;
    size_t *first, *second;
    as_real *q_cos, *q_sin, *k_cos, *k_sin; /* [count][T] */
} as_turn;

typedef struct as_places {
    as_real *mask;  /* [T][stride], keys by queries: 0, or AS_MASKED where a key is not seen */
    as_real *bias;  /* [L][H][T][stride]: the bias under the mask; NULL: there is none */
    as_turn *turn;  /* [L][H]; NULL: nothing turns */
    as_real *table; /* [T][d] added to the embeddings and not trained; NULL: none */
    double *room;   /* [2][T][T] and [2][numbers a head]: what the scheme room is asked with */
} as_places;

/* count zeros, aligned as as_alloc() does; NULL where there is no memory or count is 0. */
as_real *as_zeros(size_t count);

/* AS_ENOMEM, and what the scheme says. */
as_status as_places_new(const as_model *model, as_places *out);
void as_places_free(const as_model *model, as_places *places);

/* Biases anew from the parameters, where they are trained. */
as_status as_places_refresh(const as_model *model, const as_real *theta, as_places *places);
/* gradient += that of the parameters of biases, from db [L][H][T][stride]. */
as_status as_places_backward(const as_model *model, const as_real *theta, const as_real *db,
                             as_places *places, as_real *gradient);

/* Parameters of biases back into their range, where the scheme has one: after a step. */
void as_places_project(const as_model *model, as_places *places, as_real *theta);

/* What is added to the scaled logits of a head. */
static inline const as_real *as_places_of(const as_model *m, const as_places *p, size_t layer,
                                          size_t head) {
    return p->bias == NULL ? p->mask : p->bias + (layer * m->H + head) * m->T * m->stride;
}

/* Turns x [heads·query_dim][step], whose columns are positions 0 … T−1 of each sample, by the rotations
 * of a layer; back turns by the transpose, which is the gradient's way. */
typedef struct as_turned {
    size_t layer, samples, step;
    as_side side;
    bool back;
} as_turned;
void as_places_turn(const as_model *model, const as_places *places, const as_turned *how,
                    as_real *x);

#endif
