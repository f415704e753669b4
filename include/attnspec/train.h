/* train: a small transformer, its tasks and its optimiser, so that real logits can be had for any
 * scheme. One call is one step; the loop is the caller's. It asks the scheme room for rotations, biases
 * and embeddings, and for the gradients of those that learn. Equations: docs/maths.md, "Training". */
#ifndef ATTNSPEC_TRAIN_H
#define ATTNSPEC_TRAIN_H

#include "content.h"
#include "scheme.h"

AS_BEGIN_DECLS

/* Numbers of the model. The library has single precision, and who links it leaves AS_TRAIN_REAL_TYPE alone:
 * it is for the tests of this project, which build the same source once more in double precision, where
 * gradients can be checked against differences. */
#ifndef AS_TRAIN_REAL_TYPE
#define AS_TRAIN_REAL_TYPE float
#endif
typedef AS_TRAIN_REAL_TYPE as_real;

/* ---- What is to be trained ---- */

#define AS_TRAIN_TEXT 4096
typedef struct as_train_config {
    char task[AS_TRAIN_TEXT];   /* "distance:between=18,side=6" */
    char scheme[AS_TRAIN_TEXT]; /* "rope:rotary_heads=1" */
    char preset[32];            /* "tiny"; where sizes came from, for people */
    char profile[32];           /* "clean" or "gu2025": where switches came from, for people; and
                                   which slopes alibi has where the scheme names none */
#define AS_TRAIN_SIZE(field, option, preset, low, high, help) size_t field;
#define AS_TRAIN_REAL(field, option, preset, low, high, help) double field;
#define AS_TRAIN_CHOICE(field, option, preset, choices, help) int field;
#include "train_config.def"
} as_train_config;

/* Sizes and schedule of a preset (tiny, small, deposit, paper) under a profile (clean, gu2025; NULL: the
 * preset's own). Task and scheme are "distance" and "rope". AS_EINVAL with the valid names and the nearest
 * match. */
as_status as_train_preset(const char *preset, const char *profile, as_train_config *out);
/* The names of the presets in order, with one line each; NULL past the last. */
const char *as_train_preset_name(size_t index, const char **summary);

/* Sets one field by its option's name ("dim", "kv-from"), or task, scheme, preset, profile. The last two are
 * names alone: sizes and switches stay as they are (as_train_preset() sets them). AS_EINVAL with the valid
 * names or the range. */
as_status as_train_config_set(as_train_config *config, const char *name, const char *value);
/* Field `index` as a pair of texts that as_train_config_set() reads back to the same bits; false past
 * the last. value is written, [AS_TRAIN_TEXT]. */
bool as_train_config_get(const as_train_config *config, size_t index, const char **name,
                         char *value);

/* Fills in what follows from the rest: the task's and the scheme's canonical strings with their defaults
 * for training, the mask and the vocabulary that the task needs. What is resolved already stays as it is.
 * AS_EINVAL where it makes no model, in words: numbers out of range, sizes that do not fit, a scheme that
 * has no meaning in training or none for heads of that size. Errors of the task. */
as_status as_train_config_resolve(as_train_config *config);

/* ---- Tasks (lib/train/tasks.def) ---- */

/* What a task asks of the model, and what there is to be had. */
typedef struct as_task_facts {
    size_t classes;    /* of the answer */
    size_t vocab;      /* the vocabulary that it needs; 0: the configuration's */
    bool causal;       /* queries must not see later keys */
    bool per_position; /* an answer at each position, else one a sample */
    double plateau;    /* accuracy of who does no more than plateau_of says */
    const char
        *plateau_of;  /* "from the length of the sentence alone", behind "what is right"; static */
    const char *file; /* that it reads, NULL: none. The task's, or the trainer's */
} as_task_facts;
typedef struct as_task as_task;
typedef enum as_split { AS_SPLIT_TRAIN, AS_SPLIT_TEST } as_split;

/* For lists: name, summary, parameters; false past the last. */
typedef struct as_task_info {
    const char *name, *summary;
    const as_param *params;
} as_task_info;
bool as_task_list(size_t index, as_task_info *out);

/* Reads "name[:key=value,…]" for samples of n positions and `vocab` tokens. AS_EINVAL with what is valid,
 * or why the sizes do not fit; AS_EREAD of a text that cannot be read. Owned by the caller. Nothing changes
 * it until it is closed: threads may share it, each with a stream of its own. */
as_status as_task_open(const char *text, size_t n, size_t vocab, as_task **out);
void as_task_close(as_task *task);
const as_task_facts *as_task_facts_of(const as_task *task);
/* Canonical string, parameters that were derived among them. Owned by the caller (free()). */
char *as_task_text(const as_task *task);
/* Draws sample number `index` of a split: the same key gives the same sample.
 *   stream  any; it is restarted. One a thread
 *   tokens  [n]; 0 is padding
 *   labels  [1], or [n] where the task answers at each position, −1: none is asked
 * No allocation. */
void as_task_sample(const as_task *task, as_stream *stream, uint64_t seed, as_split split,
                    uint64_t index, uint32_t *tokens, int32_t *labels);

/* ---- The trainer ---- */

typedef struct as_trainer as_trainer;

/* Makes model, optimiser, test set and workspaces for so many threads. The configuration is resolved.
 * AS_EINVAL, errors of the task; before anything is made AS_ENOMEM where the machine has not the memory,
 * or the limit of the process leaves BLAS no room, and AS_ETOOLARGE beyond BLAS's integer. Owned by the
 * caller. One thread at a time uses a trainer, which starts threads itself; what takes it const may be called
 * by several. */
as_status as_trainer_new(const as_train_config *config, size_t threads, as_trainer **out);
void as_trainer_free(as_trainer *trainer);
const as_train_config *as_trainer_config(const as_trainer *trainer);
const as_task_facts *as_trainer_facts(const as_trainer *trainer);

typedef struct as_train_step {
    uint64_t step; /* that is done now, from 1 */
    double loss, accuracy, rate, gradient_norm;
} as_train_step;
/* One step of AdamW on one batch. Its bits do not depend on the number of threads: samples are taken in
 * groups whose gradients are added in order. Nothing of the model's size is allocated.
 * AS_ENONFINITE where the loss or the gradient is no number: the parameters are then as before the step.
 * AS_ENOMEM, and the errors of the scheme. */
as_status as_trainer_step(as_trainer *trainer, as_train_step *out);
uint64_t as_trainer_done(const as_trainer *trainer);

/* A head whose output is taken away: set to zero, as if its rows of the value projection were, or to
 * its mean over positions and samples of the test set. */
typedef enum as_removal_kind { AS_REMOVE_NONE, AS_REMOVE_ZERO, AS_REMOVE_MEAN } as_removal_kind;
typedef struct as_removal {
    as_removal_kind kind;
    size_t layer, head;
} as_removal;
typedef struct as_score {
    double loss, accuracy;
    uint64_t answers; /* that accuracy is a mean of */
} as_score;
/* The test set, without dropout. AS_EINVAL where there is no such head, or nothing is asked of the test set;
 * AS_ENONFINITE where its loss is no number; AS_ENOMEM, and the errors of the scheme.
 *   right  [answers] whether each was right, or NULL; as_trainer_answers() long */
as_status as_trainer_evaluate(as_trainer *trainer, const as_removal *removal, as_score *out,
                              bool *right);
uint64_t as_trainer_answers(const as_trainer *trainer);

/* Parameters by name, with what the optimiser remembers of them; borrowed, and may be written (a resume
 * writes them, then as_trainer_restore()). False past the last. */
typedef struct as_train_tensor {
    const char *name; /* "layer_0.query.weight" */
    size_t rank, shape[3];
    as_real *data, *moment1, *moment2, *gradient;
} as_train_tensor;
bool as_trainer_tensor(as_trainer *trainer, size_t index, as_train_tensor *out);
/* So many steps are done: after the tensors were written. */
void as_trainer_restore(as_trainer *trainer, uint64_t done);

/* Runs the first `samples` samples of the test set and keeps what as_trainer_probed() gives. AS_EINVAL where
 * there are none or the test set has fewer; AS_ENOMEM, and the errors of the scheme. */
as_status as_trainer_probe(as_trainer *trainer, size_t samples);
/* One head of one sample of the last probe. Those that are not NULL are resized and written; after a failure
 * their contents are undefined. AS_EINVAL where the probe has no such place, AS_ENOMEM. Any number of threads
 * may ask, each with matrices of its own. */
typedef struct as_probed_place {
    size_t layer, sample, head;
} as_probed_place;
typedef struct as_probed {
    as_matrix *q, *k;   /* [n][dim] before position */
    as_matrix *logits;  /* [n][n] as they go into the softmax, masked ones −inf */
    as_matrix *content; /* [n][n] q kᵀ·scale under the same mask */
    /* Where position is in the embeddings, q, k and content are of the same model and sample without it. */
} as_probed;
as_status as_trainer_probed(const as_trainer *trainer, as_probed_place place, as_probed out);
/* The scheme as it was trained, the scale of its logits, and the size of q and k of a head. */
const as_scheme *as_trainer_scheme(const as_trainer *trainer);
double as_trainer_scale(const as_trainer *trainer);
size_t as_trainer_head_dim(const as_trainer *trainer);

/* ---- Ablation ---- */

/* Accuracy without a head, and how much that costs, with a 95 % interval of the paired difference: of N
 * answers b were right only with the head and c only without it, drop = (b − c)/N, and the interval is that of
 * Bonett and Price 2012. NaN of no answers. (T20) */
typedef struct as_ablated {
    double accuracy, drop, low, high;
} as_ablated;
as_ablated as_ablate_compare(const bool *with, const bool *without, uint64_t answers);

/* How much of a layer hangs on one head: the largest drop over the sum of the positive ones, NaN where
 * none is positive. (T21) */
typedef struct as_deposit {
    double index;
    size_t worst_head;
    double worst_drop, second_drop; /* second is NaN where there is one head */
} as_deposit;
as_deposit as_deposit_of(const double *drops, size_t heads);

AS_END_DECLS

#endif
