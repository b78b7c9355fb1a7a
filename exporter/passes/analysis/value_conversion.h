/* What libtsmobile computed at export, as constants. */
#ifndef TSMC_PASSES_ANALYSIS_VALUE_CONVERSION_H
#define TSMC_PASSES_ANALYSIS_VALUE_CONVERSION_H

#include "exporter/ir/ir.h"
#include "runtime/value/value.h"

/* A value of type `t` as a constant that shares no memory with it: None, a number (not a complex one), a bool, a
 * string, a tensor (contiguous; quantized ones too), a list or tuple of those. NULL for another value. */
ir_constant *constant_from_value(tsm_value v, const type *t);

#endif
