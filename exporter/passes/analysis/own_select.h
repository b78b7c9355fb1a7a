/* Views of items of tensors that are made for one use. */
#ifndef TSMC_PASSES_ANALYSIS_OWN_SELECT_H
#define TSMC_PASSES_ANALYSIS_OWN_SELECT_H

#include "exporter/ir/ir.h"

/* The aten::select right before n that gives n's first input, which nothing but n uses, so that its tensor still has
 * its shape there; NULL: that is another node. */
ir_node *own_select(const ir_node *n);

#endif
