/* A table of positions as large as content, added to q and k: what PyTorch's nn.Embedding starts from.
 * It refuses positions past the table where its size is given. */
#include "scheme/positions.h"
#include "scheme/type.h"

static const as_param params[] = {AS_POSITIONS_PARAMS("1", "1 is nn.Embedding's")};

/* (P24) */
static as_status embed(const as_scheme *scheme, const as_head *head, as_side side, double *p) {
    return as_positions_embed(scheme, head, "random.table", side, p);
}

const as_scheme_type as_scheme_random = {
    .name = "random",
    .summary = "a table of positions, added to q and to k; drawn from N(0, 1)",
    .reference = "Gu et al. 2025, arXiv 2505.13027; drawn as PyTorch's nn.Embedding",
    .kind = AS_CLASS_ABSOLUTE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = as_positions_check,
    .embed = embed,
    .file = "file",
};
