/* pairs: which k goes with which q, and which baseline with which matrix. Private to lib/logits. */
#ifndef AS_LOGITS_PAIRS_H
#define AS_LOGITS_PAIRS_H

#include "logits/plan.h"

/* The item of the key plan for query item `query`: the same layer and batch, and of its heads the one
 * that the query's group shares, h / (H/H_kv).
 *   named   the axes of both were given: there is nothing to guess
 *   cursor  where the search begins; the last place is left there, so that a walk through the queries
 *           in order costs one walk through the keys. Start from 0
 * AS_EINVAL, with both numbers, where head sizes differ, heads do not divide, there is no such layer,
 * or the axes can be read two ways. */
as_status as_pairs_key(const as_plan *queries, const as_plan *keys, size_t query, bool named,
                       size_t *cursor);

/* The item of that plan with the same layer, batch, head and rows, and, where `shape`, columns;
 * SIZE_MAX where there is none. The cursor is as above, and stays where nothing is found. */
size_t as_pairs_same(const as_plan *plan, const as_item *item, bool shape, size_t *cursor);

/* The same with the shape, but where the plan's tensor has nothing to tell layers (batch entries,
 * heads) apart, it stands for all of them. */
size_t as_pairs_broadcast(const as_plan *plan, const as_item *item, size_t *cursor);

/* AS_EINVAL where two matrices of a plan that is paired by layer, batch and head have the same three:
 * which one was meant nobody can tell. AS_ENOMEM. */
as_status as_pairs_check_unique(const as_plan *plan);
/* AS_EINVAL where two biases of one shape can be meant for one matrix. */
as_status as_pairs_check_biases(const as_plan *plan);

#endif
