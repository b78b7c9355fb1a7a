/* Types and sizes of tensors, and what two of them have in common. */
#include "exporter/passes/analysis/shape.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/limits.h"
#include "exporter/schema/schema.h"
#include "runtime/value/value.h"

bool shape_equal(const shape *a, const shape *b) {
    stack_check();
    if (!a || !b || a->kind != b->kind)
        return false;
    if (a->kind == SHAPE_TENSOR)
        return a->dtype == b->dtype && a->dims == b->dims &&
               !memcmp(a->sizes, b->sizes, (size_t)a->dims * sizeof *a->sizes);
    if (arrlenu(a->items) != arrlenu(b->items))
        return false;
    for (size_t i = 0; i < arrlenu(a->items); i++)
        if (!shape_equal(a->items[i], b->items[i]))
            return false;
    return true;
}

static bool has_same_strides(const shape *a, const shape *b) {
    return a->has_strides && b->has_strides && !memcmp(a->strides, b->strides, (size_t)a->dims * sizeof *a->strides);
}

bool shape_has_strides(const shape *s) {
    stack_check();
    for (size_t i = 0; s && i < arrlenu(s->items); i++)
        if (!shape_has_strides(s->items[i]))
            return false;
    return s && (s->kind != SHAPE_TENSOR || s->has_strides);
}

const shape *shape_of_either(const shape *a, const shape *b) {
    stack_check();
    if (!shape_equal(a, b))
        return NULL;
    shape *either = MEM_NEW(shape);
    *either = *a;
    if (a->kind == SHAPE_TENSOR) {
        either->has_strides = has_same_strides(a, b);
        either->without = a->without & b->without;
        return either->has_strides == a->has_strides && either->without == a->without ? a : either;
    }
    bool same = true;
    either->items = NULL;
    for (size_t i = 0; i < arrlenu(a->items); i++) {
        arrput(either->items, shape_of_either(a->items[i], b->items[i]));
        same &= either->items[i] == a->items[i];
    }
    return same ? a : either;
}

const shape *shape_without_strides(const shape *s) {
    stack_check();
    if (!s || s->kind == SHAPE_NONE)
        return s;
    shape *bare = MEM_NEW(shape);
    *bare = *s;
    bare->has_strides = false;
    bare->items = NULL;
    for (size_t i = 0; i < arrlenu(s->items); i++)
        arrput(bare->items, shape_without_strides(s->items[i]));
    return bare;
}

void shape_see(shape_map *seen, const ir_value *v, const shape *s) {
    ptrdiff_t at = hmgeti(*seen, v);
    const shape *either = at < 0 ? s : shape_of_either((*seen)[at].value, s);
    hmput(*seen, v, either);
}

void shape_copy(shape_map *seen, const ir_value *v, const ir_value *copy) {
    ptrdiff_t at = hmgeti(*seen, v);
    if (at < 0)
        return;
    const shape *s = (*seen)[at].value;
    hmput(*seen, copy, s);
}

const shape *shape_of_constant(const ir_constant *c) {
    stack_check();
    shape *s = MEM_NEW(shape);
    switch (c->kind) {
    case CONST_NONE:
        s->kind = SHAPE_NONE;
        return s;
    case CONST_TENSOR:
        if (c->tensor->layout != PT_STRIDED || c->tensor->ndim > SHAPE_MAX_DIMS)
            return NULL;
        s->kind = SHAPE_TENSOR;
        s->dtype = (int)c->tensor->dtype;
        s->dims = c->tensor->ndim;
        memcpy(s->sizes, c->tensor->sizes, (size_t)s->dims * sizeof *s->sizes);
        memcpy(s->strides, c->tensor->strides, (size_t)s->dims * sizeof *s->strides);
        s->has_strides = true;
        return s;
    case CONST_LIST:
    case CONST_TUPLE:
        s->kind = SHAPE_SEQUENCE;
        for (uint32_t i = 0; i < c->list.count; i++)
            arrput(s->items, shape_of_constant(c->list.items[i]));
        return s;
    default:
        return NULL;
    }
}

const shape *shape_of_similar(const ir_constant *c, int without) {
    const shape *s = shape_without_strides(shape_of_constant(c));
    if (!s || s->kind != SHAPE_TENSOR)
        return s;
    shape *known = MEM_NEW(shape);
    *known = *s;
    known->without = c->tensor->requires_grad ? without & ~TSM_TENSOR_REQUIRES_GRAD : without;
    return known;
}

/* ---- Questions ---- */

static int64_t count_elements(const shape *s) {
    return pt_sizes_numel(s->dims, s->sizes);
}

ir_constant *shape_answer(const ir_node *n, const shape *s) {
    const char *name = n->schema->full_name;
    int64_t d;
    if (!strcmp(name, "aten::size"))
        return const_int_list(s->sizes, s->dims);
    if (!strcmp(name, "aten::size.int") && ir_constant_int(ir_in(n, 1), &d) && d >= -s->dims && d < s->dims)
        return const_int(s->sizes[d < 0 ? d + s->dims : d]);
    if (!strcmp(name, "aten::dim"))
        return const_int(s->dims);
    if (!strcmp(name, "aten::numel"))
        return const_int(count_elements(s));
    if (!strcmp(name, "aten::len.Tensor") && s->dims)
        return const_int(s->sizes[0]);
    if (!strcmp(name, "prim::dtype"))
        return const_int(s->dtype);
    if (!strcmp(name, "prim::requires_grad") && !pt_dtype_is_floating((pt_dtype)s->dtype) &&
        !pt_dtype_is_complex((pt_dtype)s->dtype))
        return const_bool(false);
    if (!strcmp(name, "prim::device"))
        return const_device("cpu", 3); /* there are no tensors elsewhere */
    if (!strcmp(name, "aten::is_complex"))
        return const_bool(pt_dtype_is_complex((pt_dtype)s->dtype));
    if (!strcmp(name, "aten::is_floating_point"))
        return const_bool(pt_dtype_is_floating((pt_dtype)s->dtype));
    return NULL;
}
