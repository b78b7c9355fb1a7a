/* Tensors made larger by repeating their elements. */
#include "exporter/execute/enlarge.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"

int64_t enlarge_elements(int64_t *const *sizes) {
    int64_t n = 0;
    for (size_t i = 0; i < arrlenu(sizes); i++)
        if (__builtin_add_overflow(n, pt_sizes_numel((int)arrlenu(sizes[i]), sizes[i]), &n))
            return INT64_MAX;
    return n;
}

/* The element of the smaller tensor that stands for element i, in row-major order, of the larger one. */
static int64_t repeated_element(const pt_tensor *t, const int64_t *sizes, int64_t i) {
    int64_t at = 0, step = 1;
    for (int d = t->ndim; d-- > 0;) {
        at += i % sizes[d] % t->sizes[d] * step;
        step *= t->sizes[d];
        i /= sizes[d];
    }
    return at;
}

static uint8_t *repeat_elements(const pt_tensor *t, const int64_t *sizes, int64_t count) {
    const size_t size = pt_dtype_size(t->dtype);
    uint8_t *made = MEM_ARRAY(uint8_t, (size_t)count * size + 1);
    const uint8_t *from = pt_tensor_data(t);
    memset(made, 0, (size_t)count * size);
    for (int64_t i = 0; i < count && pt_tensor_numel(t); i++)
        memcpy(made + (size_t)i * size, from + (size_t)repeated_element(t, sizes, i) * size, size);
    return made;
}

static pt_tensor *repeated(const pt_tensor *t, const int64_t *sizes, int64_t count) {
    pt_tensor *made = MEM_NEW(pt_tensor);
    pt_storage *storage = MEM_NEW(pt_storage);
    int64_t *strides = MEM_ARRAY(int64_t, (size_t)t->ndim + 1);
    pt_contiguous_strides(t->ndim, sizes, strides);
    *storage = (pt_storage){"", "cpu", repeat_elements(t, sizes, count), (size_t)count * pt_dtype_size(t->dtype)};
    *made = *t;
    made->sizes = sizes;
    made->strides = strides;
    made->offset = 0;
    made->storage = storage;
    return made;
}

typedef struct {
    int64_t *const *sizes;
    size_t next;
    int64_t most;
} enlargement;

static bool enlarge_tensor(enlargement *e, ir_constant *c) {
    const pt_tensor *t = c->tensor;
    if (e->next == arrlenu(e->sizes))
        return false;
    const int64_t *sizes = e->sizes[e->next++];
    if (t->layout != PT_STRIDED || t->qscheme != PT_NOT_QUANTIZED || pt_dtype_packed(t->dtype) != 1 ||
        (size_t)t->ndim != arrlenu(sizes))
        return false;
    bool is_equal = true;
    for (int d = 0; d < t->ndim; d++)
        is_equal &= t->sizes[d] == sizes[d];
    const int64_t count = pt_sizes_numel(t->ndim, sizes);
    if (!is_equal && count <= e->most)
        c->tensor = repeated(t, sizes, count);
    return true;
}

static bool enlarge_value(enlargement *e, ir_constant *c) {
    stack_check();
    if (c->kind == CONST_TENSOR)
        return enlarge_tensor(e, c);
    if (c->kind != CONST_LIST && c->kind != CONST_TUPLE && c->kind != CONST_DICT)
        return true;
    for (uint32_t i = 0; i < c->list.count; i++)
        if (!enlarge_value(e, c->list.items[i]))
            return false;
    return true;
}

bool enlarge_arguments(ir_constant **arguments, int64_t *const *sizes, int64_t most) {
    enlargement e = {sizes, 0, most};
    for (size_t i = 0; i < arrlenu(arguments); i++)
        if (!enlarge_value(&e, arguments[i]))
            return false;
    return e.next == arrlenu(sizes);
}
