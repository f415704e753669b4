/* trainer: what a run holds in memory. Private to lib/train. */
#ifndef AS_TRAIN_TRAINER_H
#define AS_TRAIN_TRAINER_H

#include "train/pass.h"

/* A batch is cut into so many groups at most, each with a gradient of its own, which are added in order:
 * so the bits do not depend on who computed which. */
enum { AS_GROUPS = 16 };

/* How a batch is cut. */
typedef struct as_cut {
    size_t groups, group_size; /* samples of a group */
    size_t block;              /* samples that a pass takes at a time */
} as_cut;
as_cut as_cut_of(const as_model *model);
/* What a model and its batches take on so many threads; SIZE_MAX where no size_t holds it. */
size_t as_trainer_bytes(const as_model *model, size_t threads);
/* AS_ENOMEM where that is more than the machine's memory, AS_ETOOLARGE beyond BLAS's integer. Nothing of
 * their size is allocated. */
as_status as_trainer_fits(const as_model *model, size_t threads);
/* AS_ENOMEM with "WHAT would take …". */
as_status as_fits_memory(size_t bytes, const char *what);

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
    size_t samples; /* 0: none was made */
    as_real *q, *k; /* [L][samples][H][D][stride] without positions in the embeddings, not turned */
    as_real *logits, *content; /* [L][samples][H][T][stride], keys by queries */
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
    uint32_t *order;  /* [samples] of a fixed training set in an epoch; NULL: fresh samples */
    uint64_t epoch;   /* that order is of, from 1; 0: none yet */
    uint32_t *chosen; /* [batch] of the fixed training set, this step's */
    uint64_t done;
    as_real *mean; /* [L][d] of what heads give over the test set */
    bool mean_known;
    as_probe probe;
};

/* How many answers a sample has room for: 1, or T. */
size_t as_trainer_labels(const as_trainer *trainer);
/* A loop whose work is passes. AS_ENOMEM where BLAS would wait for memory for ever, which makes as_pass_run()
 * do nothing. */
as_status as_trainer_loop(size_t count, size_t threads, as_work *work, void *context);
/* A pass of this trainer, as it is without anything special. */
as_pass as_trainer_pass(const as_trainer *trainer);
as_status as_trainer_make_test(as_trainer *trainer);

/* Loss and gradients of one batch, without a step and with the dropout of the first: for tests.
 *   tokens  [samples][n], below the vocabulary
 *   labels  as those of as_task_sample(), below the classes
 *   loss    written on success; the gradients are those of as_trainer_tensor()
 * AS_EINVAL where samples are more than the configuration's batch; AS_ENOMEM, and the errors of the scheme. */
as_status as_trainer_gradient(as_trainer *trainer, size_t samples, const uint32_t *tokens,
                              const int32_t *labels, double *loss);

/* group gradients → trainer->gradient, summed in order and divided by the answers; the sum of squares. */
as_status as_trainer_reduce(as_trainer *trainer, uint64_t answers, double *squares);

#endif
