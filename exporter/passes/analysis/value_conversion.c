/* Conversion in both directions, by kind of constant and by tag of value. */
#include "exporter/passes/analysis/value_conversion.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/program/program.h"
#include "runtime/interpreter/instance.h"
#include "runtime/tensor/tensor.h"

/* ---- Values to constants ---- */

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
    t->qscheme = q->has_float_zero_points ? PT_PER_CHANNEL_AFFINE_FLOAT_QPARAMS : PT_PER_CHANNEL_AFFINE;
    t->axis = q->axis;
    t->scales = line_of(PT_FLOAT64, q->scales, q->channels);
    t->zero_points = line_of(q->has_float_zero_points ? PT_FLOAT64 : PT_INT64, q->zero_points, q->channels);
}

/* NULL for views of more elements than there can be memory for: torch.zeros(1).expand(2**62). */
static ir_constant *from_tensor(const tsm_tensor *t) {
    int64_t sizes[TSM_MAX_DIMS];
    void *data;
    if ((uint64_t)t->elements > ((uint64_t)LIMIT_EVALUATION << 20) / pt_dtype_size((pt_dtype)t->dtype))
        return NULL;
    for (int d = 0; d < t->dims; d++)
        sizes[d] = t->sizes[d];
    ir_constant *c = tensor_constant_new((pt_dtype)t->dtype, t->dims, sizes, &data);
    copy_elements(t, pt_dtype_size((pt_dtype)t->dtype), data);
    if (t->quantizer)
        set_quantizer(c->tensor, t->quantizer);
    c->tensor->requires_grad = t->flags & TSM_TENSOR_REQUIRES_GRAD;
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
    char device[24];
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
    case TSM_TAG_DEVICE:
        return const_device(device, tsm_device_text(v, device, sizeof device));
    case TSM_TAG_TENSOR:
        return from_tensor(tsm_as_tensor(v));
    case TSM_TAG_LIST:
    case TSM_TAG_TUPLE:
        return from_sequence(v, type_without_none(t));
    default:
        return NULL;
    }
}

/* ---- Constants to values ---- */

static tsm_status refuse(tsm_instance *inst, const char *what) {
    return tsm_fail(&inst->exec, TSM_BAD_ARGUMENT, "%s cannot be given to a program at export", what);
}

static tsm_status quantize(tsm_instance *inst, const pt_tensor *t, tsm_value v) {
    if (t->qscheme == PT_PER_TENSOR_AFFINE)
        return tsm_tensor_set_quantizer(inst, v, -1, 1, &t->scale, &t->zero_point);
    const int64_t n = pt_tensor_numel(t->scales);
    double *scales = MEM_ARRAY(double, n), *floats = MEM_ARRAY(double, n);
    int64_t *ints = MEM_ARRAY(int64_t, n);
    for (int64_t i = 0; i < n; i++) {
        scales[i] = pt_tensor_number(t->scales, i);
        floats[i] = pt_tensor_number(t->zero_points, i);
        ints[i] = t->qscheme == PT_PER_CHANNEL_AFFINE ? (int64_t)floats[i] : 0;
    }
    return t->qscheme == PT_PER_CHANNEL_AFFINE
               ? tsm_tensor_set_quantizer(inst, v, t->axis, (tsm_dim)n, scales, ints)
               : tsm_tensor_set_float_quantizer(inst, v, t->axis, (tsm_dim)n, scales, floats);
}

static tsm_status to_tensor(tsm_instance *inst, const pt_tensor *t, element_place place, tsm_value *v) {
    tsm_dim sizes[TSM_MAX_DIMS];
    if (t->layout != PT_STRIDED || t->ndim > TSM_MAX_DIMS || pt_dtype_packed(t->dtype) != 1)
        return refuse(inst, "a sparse tensor, one of parts of bytes, or one of so many dimensions");
    for (int d = 0; d < t->ndim; d++)
        sizes[d] = (tsm_dim)t->sizes[d];
    size_t bytes = pt_tensor_bytes(t);
    void *data = NULL;
    if (place == ELEMENTS_IN_BUFFER) {
        TSM_TRY(tsm_tensor_new(inst, v, (tsm_dtype)t->dtype, t->ndim, sizes));
        data = tsm_as_tensor(*v)->data;
    } else {
        data = mem_alloc_aligned(bytes ? bytes : 1, 64);
        TSM_TRY(tsm_tensor_wrap(inst, v, (tsm_dtype)t->dtype, t->ndim, sizes, NULL, data));
    }
    if (bytes)
        memcpy(data, pt_tensor_data(t), bytes);
    tsm_as_tensor(*v)->flags |= t->requires_grad ? TSM_TENSOR_REQUIRES_GRAD : 0;
    return t->qscheme == PT_NOT_QUANTIZED ? TSM_OK : quantize(inst, t, *v);
}

static tsm_status to_sequence(tsm_instance *inst, const ir_constant *c, element_place place, tsm_value *v) {
    tsm_value *items = MEM_ARRAY(tsm_value, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++)
        TSM_TRY(value_from_constant(inst, c->list.items[i], place, &items[i]));
    TSM_TRY((c->kind == CONST_TUPLE ? tsm_tuple_new : tsm_list_new)(inst, v, items, c->list.count));
    for (uint32_t i = 0; i < c->list.count; i++)
        tsm_release(inst, items[i]);
    return TSM_OK;
}

static tsm_status to_dict(tsm_instance *inst, const ir_constant *c, element_place place, tsm_value *v) {
    TSM_TRY(tsm_dict_new(inst, v));
    for (uint32_t i = 0; i < c->list.count; i += 2) {
        tsm_value key, item;
        TSM_TRY(value_from_constant(inst, c->list.items[i], place, &key));
        TSM_TRY(value_from_constant(inst, c->list.items[i + 1], place, &item));
        TSM_TRY(tsm_dict_set(inst, *v, key, item));
        tsm_release(inst, key);
        tsm_release(inst, item);
    }
    return TSM_OK;
}

tsm_status value_from_constant(tsm_instance *inst, const ir_constant *c, element_place place, tsm_value *v) {
    stack_check();
    switch (c->kind) {
    case CONST_NONE:
        *v = tsm_none();
        return TSM_OK;
    case CONST_BOOL:
        *v = tsm_bool(c->boolean);
        return TSM_OK;
    case CONST_INT:
        *v = tsm_int(c->integer);
        return TSM_OK;
    case CONST_FLOAT:
        *v = tsm_float(c->real);
        return TSM_OK;
    case CONST_COMPLEX:
        return tsm_complex_new(inst, v, c->complex.re, c->complex.im);
    case CONST_STR:
        return tsm_str_new(inst, v, c->string.bytes, c->string.length);
    case CONST_DEVICE:
        return tsm_device_parse(inst, v, c->string.bytes);
    case CONST_TENSOR:
        return to_tensor(inst, c->tensor, place, v);
    case CONST_LIST:
    case CONST_TUPLE:
        return to_sequence(inst, c, place, v);
    case CONST_DICT:
        return to_dict(inst, c, place, v);
    case CONST_ENUM: /* members are looked up among the program's types */
        if (inst->program)
            return tsm_enum_find(inst, v, c->type->name, c->type->definition->constants[c->integer].name);
        break;
    default:
        break;
    }
    return refuse(inst, "an object or a function");
}
