/* NoPE (P1): no position at all; order is known to a causal mask alone.
 * Kazemnejad, Padhi, Natesan, Das and Reddy 2023, arXiv 2305.19466. It refuses no head. */
#include "scheme/type.h"

static const as_param params[] = {{.key = NULL}};

const as_scheme_type as_scheme_nope = {
    .name = "nope",
    .aliases = "none",
    .summary = "no positional encoding: the content logits as they are",
    .reference = "Kazemnejad et al. 2023, arXiv 2305.19466",
    .kind = AS_CLASS_NONE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
};
