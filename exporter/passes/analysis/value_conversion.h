/* Between constants of the exporter and values of libtsmobile, for what runs at export. */
#ifndef TSMC_PASSES_ANALYSIS_VALUE_CONVERSION_H
#define TSMC_PASSES_ANALYSIS_VALUE_CONVERSION_H

#include "exporter/ir/ir.h"
#include "runtime/include/tsmobile.h"

/* A value of type `t` as a constant that shares no memory with it: None, a number (not a complex one), a bool, a
 * string, a tensor (contiguous; quantized ones too), a list or tuple of those. NULL for another value. */
ir_constant *constant_from_value(tsm_value v, const type *t);

/* Where the elements of tensors are copied to: as those of the program's own tensors, or of a caller's. */
typedef enum { ELEMENTS_IN_BUFFER, ELEMENTS_OUTSIDE } element_place;

/* A constant as a value of the instance. Not of objects, functions, and sparse tensors: TSM_BAD_ARGUMENT with a message
 * in the instance. What was made before a failure is lost with the instance. */
tsm_status value_from_constant(tsm_instance *inst, const ir_constant *c, element_place place, tsm_value *v);

#endif
