/* Recognizes the channel shuffle that models spell out (ShuffleNet's formula) and makes it one aten::channel_shuffle,
 * which keeps images channels-last:
 *
 *     x.view(b, groups, c // groups, h, w).transpose(1, 2).contiguous().view(b, c, h, w)      with b, c, h, w =
 * x.size() */
#ifndef TSMC_PASSES_OPTIMIZE_FUSE_CHANNEL_SHUFFLE_H
#define TSMC_PASSES_OPTIMIZE_FUSE_CHANNEL_SHUFFLE_H

#include "exporter/passes/analysis/mutation.h"

void fuse_channel_shuffle(ir_graph *g, mutation *m);

#endif
