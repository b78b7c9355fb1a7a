/* Tensors that passes read and make. */
#ifndef TSMC_PASSES_ANALYSIS_TENSOR_CONSTANT_H
#define TSMC_PASSES_ANALYSIS_TENSOR_CONSTANT_H

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/mutation.h"

/* The float32 elements, in row-major order, of a constant that nothing writes to; NULL when v is not such. `ndim` -1:
 * any. */
const float *tensor_constant_floats(mutation *m, const ir_value *v, int ndim, const pt_tensor **tensor);

/* Whether a constant that is known not to be written to is a tensor of float32 with elements. */
bool tensor_constant_has_floats(const ir_constant *c, int ndim, const pt_tensor **tensor);

/* The same of float16 or bfloat16. */
bool tensor_constant_has_halves(const ir_constant *c, int ndim, const pt_tensor **tensor);

/* The elements of a tensor of float32, float16 or bfloat16, in row-major order. */
const float *tensor_constant_as_floats(const pt_tensor *t);

/* A new contiguous tensor constant; *data is zeroed, for the caller to fill. */
ir_constant *tensor_constant_new(pt_dtype dtype, int ndim, const int64_t *sizes, void **data);

/* The same of float32; *data is zeroed, for the caller to fill. */
ir_constant *tensor_constant_new_floats(int ndim, const int64_t *sizes, float **data);

/* A number constant (int, float or bool) as double. */
bool constant_number(const ir_value *v, double *number);

#endif
