/* A trained bias: one number a head and distance. Without training there is nothing to say of it.
 * It refuses every head: a model that was trained with it has its logits in its dump. */
#include "base/fail.h"
#include "scheme/arrays.h"
#include "scheme/type.h"

/* As of other learned tables here: Shaw et al. name none. */
#define SIGMA 0.02

static const as_param params[] = {{.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    (void)head;
    return as_fail(AS_EINVAL, "it is for training only, and has no numbers for build, analyze and "
                              "sweep; numbers of your own are toeplitz:file=FILE");
}

static size_t count(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    return head->rows + head->cols - 1;
}

static as_status start(const as_scheme *scheme, const as_head *head, double *theta) {
    return as_draw_gaussian(head, "relative.table", head->layer, head->head, SIGMA,
                            count(scheme, head), theta);
}

/* (T1). i and k are places in the matrix, whatever positions they have: the table has numbers for no
 * more. Number 0 is that of the first query and the last key. */
static size_t number_of(const as_head *head, size_t i, size_t k) {
    return i + (head->cols - 1 - k);
}

static as_status bias(const as_scheme *scheme, const as_head *head, const double *theta,
                      double *b) {
    (void)scheme;
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < head->cols; k++) {
            b[i * head->cols + k] = theta[number_of(head, i, k)];
        }
    }
    return AS_OK;
}

static as_status backward(const as_scheme *scheme, const as_head *head, const double *theta,
                          const double *db, double *gradient) {
    (void)scheme;
    (void)theta; /* the bias is linear in it */
    for (size_t i = 0; i < head->rows; i++) {
        for (size_t k = 0; k < head->cols; k++) {
            gradient[number_of(head, i, k)] += db[i * head->cols + k];
        }
    }
    return AS_OK;
}

static const as_learning learning = {
    .name = "table",
    .count = count,
    .start = start,
    .bias = bias,
    .backward = backward,
};

const as_scheme_type as_scheme_relative = {
    .name = "relative",
    .summary = "a trained bias, one number a head and distance; for training only",
    .reference = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155, as a bias",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ,
    .check = check,
    .learning = &learning,
};
