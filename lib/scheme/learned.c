/* A table of positions, added to q and k. Untrained, it is drawn: N(0, σ²).
 * It refuses positions past the table where its size is given. */
#include "scheme/positions.h"
#include "scheme/type.h"

static const as_param params[] = {AS_POSITIONS_PARAMS("0.02", "0.02 is GPT-2's")};

/* (P4) */
static as_status embed(const as_scheme *scheme, const as_head *head, as_side side, double *p) {
    return as_positions_embed(scheme, head, "learned.table", side, p);
}

const as_scheme_type as_scheme_learned = {
    .name = "learned",
    .summary = "a table of positions, added to q and to k; drawn from N(0, 0.02)",
    .reference = "Gehring et al. 2017, arXiv 1705.03122; drawn as GPT-2's (Radford et al. 2019)",
    .kind = AS_CLASS_ABSOLUTE,
    .params = params,
    .traits = AS_TRAIT_LOW_RANK,
    .check = as_positions_check,
    .embed = embed,
    .file = "file",
};
