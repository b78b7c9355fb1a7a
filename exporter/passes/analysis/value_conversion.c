#include "exporter/passes/analysis/value_conversion.h"

#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "runtime/tensor/tensor.h"

/* Copies the elements of a tensor or view, the last dimension fastest. */
static void copy_elements(const tsm_tensor *t, size_t size, uint8_t *to) {
    if (t->elements && tsm_tensor_is_contiguous(t)) {
        memcpy(to, t->data, (size_t)t->elements * size);
        return;
    }
    for (tsm_dim i = 0; i < t->elements; i++) {
        tsm_dim rest = i, offset = 0;
        for (int d = t->dims; d-- > 0; rest /= t->sizes[d])
            offset += rest % t->sizes[d] * t->strides[d];
        memcpy(to + (size_t)i * size, (const uint8_t *)t->data + (ptrdiff_t)offset * (ptrdiff_t)size, size);
    }
}

static pt_tensor *line_of(pt_dtype dtype, const void *elements, int64_t count) {
    void *data;
    ir_constant *c = tensor_constant_new(dtype, 1, &count, &data);
    memcpy(data, elements, (size_t)count * pt_dtype_size(dtype));
    return c->tensor;
}

static void set_quantizer(pt_tensor *t, const tsm_quantizer *q) {
    if (q->axis < 0) {
        t->qscheme = PT_PER_TENSOR_AFFINE;
        t->scale = q->scales[0];
        t->zero_point = q->zero_points[0];
        return;
    }
    t->qscheme = PT_PER_CHANNEL_AFFINE;
    t->axis = q->axis;
    t->scales = line_of(PT_FLOAT64, q->scales, q->channels);
    t->zero_points = line_of(PT_INT64, q->zero_points, q->channels);
}

static ir_constant *from_tensor(const tsm_tensor *t) {
    int64_t sizes[TSM_MAX_DIMS];
    void *data;
    for (int d = 0; d < t->dims; d++)
        sizes[d] = t->sizes[d];
    ir_constant *c = tensor_constant_new((pt_dtype)t->dtype, t->dims, sizes, &data);
    copy_elements(t, pt_dtype_size((pt_dtype)t->dtype), data);
    if (t->quantizer)
        set_quantizer(c->tensor, t->quantizer);
    return c;
}

static ir_constant *from_sequence(tsm_value v, const type *t) {
    bool is_list = v.tag == TSM_TAG_LIST;
    if (t->kind != (is_list ? TYPE_LIST : TYPE_TUPLE))
        return NULL;
    ir_constant *c = const_new(is_list ? CONST_LIST : CONST_TUPLE, t);
    c->list.count = (uint32_t)tsm_sequence_size(v);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        c->list.items[i] = constant_from_value(tsm_sequence_get(v, i), is_list ? type_element(t) : t->items[i]);
        if (!c->list.items[i])
            return NULL;
    }
    return c;
}

ir_constant *constant_from_value(tsm_value v, const type *t) {
    switch (v.tag) {
    case TSM_TAG_NONE:
        return const_none();
    case TSM_TAG_BOOL:
        return const_bool(v.as.b);
    case TSM_TAG_INT:
        return const_int(v.as.i);
    case TSM_TAG_FLOAT:
        return const_float(v.as.f);
    case TSM_TAG_STR:
        return const_str(tsm_as_str(v)->text, tsm_as_str(v)->length);
    case TSM_TAG_TENSOR:
        return from_tensor(tsm_as_tensor(v));
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
        return from_sequence(v, type_without_none(t));
    default:
        return NULL;
    }
}
