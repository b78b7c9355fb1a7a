/* Tensor constants: making them, and reading their elements and numbers. */
#include "exporter/passes/analysis/tensor_constant.h"

#include <string.h>

#include "runtime/value/half.h"

static bool has_elements(const ir_constant *c, int ndim, const pt_tensor **tensor) {
    if (!c || c->kind != CONST_TENSOR)
        return false;
    const pt_tensor *t = c->tensor;
    *tensor = t;
    return t->layout == PT_STRIDED && (ndim < 0 || t->ndim == ndim) && pt_tensor_numel(t) > 0;
}

bool tensor_constant_has_floats(const ir_constant *c, int ndim, const pt_tensor **tensor) {
    return has_elements(c, ndim, tensor) && (*tensor)->dtype == PT_FLOAT32;
}

bool tensor_constant_has_halves(const ir_constant *c, int ndim, const pt_tensor **tensor) {
    return has_elements(c, ndim, tensor) && ((*tensor)->dtype == PT_FLOAT16 || (*tensor)->dtype == PT_BFLOAT16);
}

const float *tensor_constant_as_floats(const pt_tensor *t) {
    if (t->dtype == PT_FLOAT32)
        return pt_tensor_data(t);
    const size_t count = (size_t)pt_tensor_numel(t);
    const uint16_t *from = pt_tensor_data(t);
    float *to = MEM_ARRAY(float, count);
    for (size_t i = 0; i < count; i++)
        to[i] = t->dtype == PT_FLOAT16 ? tsm_float_of_half(from[i]) : tsm_float_of_bfloat16(from[i]);
    return to;
}

const float *tensor_constant_floats(mutation *m, const ir_value *v, int ndim, const pt_tensor **tensor) {
    const ir_constant *c = ir_constant_of(v);
    return c && !mutation_changes_elements(m, v) && tensor_constant_has_floats(c, ndim, tensor)
               ? pt_tensor_data(*tensor)
               : NULL;
}

ir_constant *tensor_constant_new_floats(int ndim, const int64_t *sizes, float **data) {
    void *elements;
    ir_constant *c = tensor_constant_new(PT_FLOAT32, ndim, sizes, &elements);
    *data = elements;
    return c;
}

ir_constant *tensor_constant_new(pt_dtype dtype, int ndim, const int64_t *sizes, void **data) {
    pt_tensor *t = MEM_NEW(pt_tensor);
    int64_t *shape = mem_alloc(2 * (size_t)(ndim ? ndim : 1) * sizeof *shape), *strides = shape + ndim;
    for (int d = 0; d < ndim; d++)
        shape[d] = sizes[d];
    pt_contiguous_strides(ndim, sizes, strides);
    size_t bytes = (size_t)pt_sizes_numel(ndim, sizes) * pt_dtype_size(dtype);
    *data = mem_alloc_aligned(bytes ? bytes : 1, 64);
    memset(*data, 0, bytes);
    t->dtype = dtype;
    t->ndim = ndim;
    t->sizes = shape;
    t->strides = strides;
    t->storage = MEM_NEW(pt_storage);
    t->storage->key = "";
    t->storage->device = "cpu";
    t->storage->data = *data;
    t->storage->size = bytes;
    return const_tensor(t);
}

bool constant_number(const ir_value *v, double *number) {
    const ir_constant *c = ir_constant_of(v);
    if (!c)
        return false;
    switch (c->kind) {
    case CONST_BOOL:
        *number = c->boolean;
        return true;
    case CONST_INT:
        *number = (double)c->integer;
        return true;
    case CONST_FLOAT:
        *number = c->real;
        return true;
    default:
        return false;
    }
}
