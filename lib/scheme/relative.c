/* A trained bias: one number a head and distance. Without training there is nothing to say of it.
 * It refuses every head: a model that was trained with it has its logits in its dump. */
#include "base/fail.h"
#include "scheme/type.h"

static const as_param params[] = {{.key = NULL}};

static as_status check(const as_scheme *scheme, const as_head *head) {
    (void)scheme;
    (void)head;
    return as_fail(AS_EINVAL, "it is for training only, and has no numbers for build, analyze and "
                              "sweep; numbers of your own are toeplitz:file=FILE");
}

const as_scheme_type as_scheme_relative = {
    .name = "relative",
    .summary = "a trained bias, one number a head and distance; for training only",
    .reference = "Shaw, Uszkoreit and Vaswani 2018, arXiv 1803.02155, as a bias",
    .kind = AS_CLASS_ADDITIVE,
    .params = params,
    .traits = AS_TRAIT_TOEPLITZ,
    .check = check,
};
