/* Scores that a branch makes, as F.multi_head_attention_forward makes them with a mask or without: what follows up to
 * the product with the values goes into both branches, where attention can be recognized.
 *
 *     %s = prim::If(%c)                         %y = prim::If(%c)
 *       block0(): %1 = aten::baddbmm(...)         block0(): %1 = aten::baddbmm(...)
 *         -> (%1)                                           %3 = aten::softmax(%1)  %4 = aten::bmm(%3, %v) -> (%4)
 *       block1(): %2 = aten::bmm(...)             block1(): %2 = aten::bmm(...)
 *         -> (%2)                                           %5 = aten::softmax(%2)  %6 = aten::bmm(%5, %v) -> (%6)
 *     %p = aten::softmax(%s)
 *     %y = aten::bmm(%p, %v)
 *
 * What makes scores that one branch takes as they are goes into both as well. */
#ifndef TSMC_PASSES_OPTIMIZE_SINK_SCORES_H
#define TSMC_PASSES_OPTIMIZE_SINK_SCORES_H

#include "exporter/passes/analysis/mutation.h"

/* `last` is a product. Returns the branch that stands in its place; NULL when its first factor comes from no such
 * branch. */
ir_node *sink_scores(ir_node *last, mutation *m);

#endif
