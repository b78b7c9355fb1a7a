/* Attention that is spelled out becomes one tsm::softmax_attention, which does not make the matrix of scores:
 *
 *     softmax(query @ keys * scale + mask, -1) @ value
 *
 * Products are aten::matmul, aten::bmm or aten::baddbmm. Between them stand, in any order, factors that are numbers,
 * one sum with a mask, one replacement of scores (masked_fill, where), conversions to float32, and views that part
 * heads from batches (attention_heads.h). Nothing but these nodes uses what lies between. Whether it gives what the
 * nodes give depends on dtypes and sizes, which a test at run time (tsm::attention_fits) knows; where it does not, the
 * nodes themselves run:
 *
 *     %y = prim::If(%fits)
 *       block0(): %1 = tsm::softmax_attention(%query, %keys, %value, ...) -> (%1)
 *       block1(): %2 = aten::matmul(%query, %keys) ... %5 = aten::matmul(%4, %value) -> (%5) */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_ATTENTION_H
#define TSMC_PASSES_OPTIMIZE_FUSE_ATTENTION_H

#include "exporter/passes/analysis/mutation.h"

void fuse_attention(ir_graph *g, mutation *m);

#endif
