/* trainer: what a run holds in memory. Private to lib/train. */
#ifndef AS_TRAIN_TRAINER_H
#define AS_TRAIN_TRAINER_H

#include "train/pass.h"

/* A batch is cut into so many groups at most, each with a gradient of its own, which are added in order:
 * so the bits do not depend on who computed which. */
enum { AS_GROUPS = 16 };

/* What a group of samples gives. */
typedef struct as_group {
    as_real *gradient, *dbias;
    double loss;
    uint64_t answers, right;
} as_group;

/* Samples and their answers. */
typedef struct as_samples {
    size_t count;
    uint32_t *tokens; /* [count][T] */
    int32_t *labels;  /* [count], or [count][T] */
    uint64_t answers; /* labels that are asked */
} as_samples;

typedef struct as_probe {
    size_t samples;  /* 0: none was made */
    as_real *q, *k;  /* [L][samples][H][T][D] without positions in the embeddings, not turned */
    as_real *logits; /* [L][samples][H][T][stride] */
} as_probe;

struct as_trainer {
    as_task *task;
    as_model model;
    as_places places;
    as_real *theta, *moment1, *moment2, *gradient; /* [model.count] each */
    as_real *dbias;                                /* [L][H][T][stride], NULL: none is trained */
    size_t groups, group_size;                     /* samples of a group */
    as_group group[AS_GROUPS];
    size_t threads;
    as_scratch *scratch; /* [threads] */
    size_t block;        /* samples that a scratch takes at a time */
    as_samples test;
    uint32_t *order; /* [samples] of a fixed training set, this epoch's; NULL: fresh samples */
    uint64_t epoch;  /* that order is of, from 1; 0: none yet */
    uint64_t done;
    as_real *mean; /* [L][d] of what heads give over the test set */
    bool mean_known;
    as_probe probe;
};

/* Draws sample number `index` of the training into the scratch, as its sample `at`. */
void as_trainer_draw(as_trainer *trainer, as_scratch *scratch, uint64_t index, size_t at);
/* The order of the fixed training set for the epoch of a step. */
void as_trainer_shuffle(as_trainer *trainer, uint64_t epoch);
/* How many answers a sample has room for: 1, or T. */
size_t as_trainer_labels(const as_trainer *trainer);
/* A pass of this trainer, as it is without anything special. */
as_pass as_trainer_pass(const as_trainer *trainer);
as_status as_trainer_make_test(as_trainer *trainer);

/* group gradients → trainer->gradient, summed in order and divided by the answers; the sum of squares. */
as_status as_trainer_reduce(as_trainer *trainer, uint64_t answers, double *squares);

#endif
