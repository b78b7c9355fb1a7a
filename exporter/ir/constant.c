/* Constants: scalars, containers, tensors, objects. */
#include <string.h>

#include "exporter/ir/ir.h"

ir_constant *const_new(ir_constant_kind kind, const type *t) {
    ir_constant *c = MEM_NEW(ir_constant);
    c->kind = kind;
    c->type = t;
    return c;
}

ir_constant *const_none(void) {
    return const_new(CONST_NONE, type_basic(TYPE_NONE));
}

ir_constant *const_bool(bool v) {
    ir_constant *c = const_new(CONST_BOOL, type_basic(TYPE_BOOL));
    c->boolean = v;
    return c;
}

ir_constant *const_int(int64_t v) {
    ir_constant *c = const_new(CONST_INT, type_basic(TYPE_INT));
    c->integer = v;
    return c;
}

ir_constant *const_float(double v) {
    ir_constant *c = const_new(CONST_FLOAT, type_basic(TYPE_FLOAT));
    c->real = v;
    return c;
}

ir_constant *const_complex(double re, double im) {
    ir_constant *c = const_new(CONST_COMPLEX, type_basic(TYPE_COMPLEX));
    c->complex.re = re;
    c->complex.im = im;
    return c;
}

ir_constant *const_str(const char *bytes, size_t n) {
    ir_constant *c = const_new(CONST_STR, type_basic(TYPE_STR));
    c->string.bytes = mem_strndup(bytes, n);
    c->string.length = n;
    return c;
}

ir_constant *const_device(const char *text, size_t n) {
    ir_constant *c = const_new(CONST_DEVICE, type_basic(TYPE_DEVICE));
    c->string.bytes = mem_strndup(text, n);
    c->string.length = n;
    return c;
}

ir_constant *const_tensor(struct pt_tensor *t) {
    ir_constant *c = const_new(CONST_TENSOR, type_basic(TYPE_TENSOR));
    c->tensor = t;
    return c;
}

/* Same bits: 0.0 and -0.0 differ, a NaN equals itself. */
static bool same_double(double a, double b) {
    return !memcmp(&a, &b, sizeof a);
}

ir_constant *const_int_list(const int64_t *items, int count) {
    ir_constant *c = const_new(CONST_LIST, type_list(type_basic(TYPE_INT)));
    c->list.count = (uint32_t)count;
    c->list.items = MEM_ARRAY(ir_constant *, count + 1);
    for (int i = 0; i < count; i++)
        c->list.items[i] = const_int(items[i]);
    return c;
}

bool const_equal(const ir_constant *a, const ir_constant *b) {
    stack_check();
    if (a == b)
        return true;
    if (a->kind != b->kind || a->type != b->type)
        return false;
    switch (a->kind) {
    case CONST_NONE:
    case CONST_GENERATOR:
        return true;
    case CONST_BOOL:
        return a->boolean == b->boolean;
    case CONST_INT:
    case CONST_ENUM:
        return a->integer == b->integer;
    case CONST_FLOAT:
        return same_double(a->real, b->real);
    case CONST_COMPLEX:
        return same_double(a->complex.re, b->complex.re) && same_double(a->complex.im, b->complex.im);
    case CONST_STR:
    case CONST_DEVICE:
        return a->string.length == b->string.length && !memcmp(a->string.bytes, b->string.bytes, a->string.length);
    case CONST_TENSOR:
        return a->tensor == b->tensor;
    case CONST_FUNCTION:
        return a->function == b->function;
    case CONST_OBJECT: /* objects have identity */
        return false;
    case CONST_LIST:
    case CONST_TUPLE:
    case CONST_DICT:
        if (a->is_mutated || b->is_mutated || a->list.count != b->list.count)
            return false;
        for (uint32_t i = 0; i < a->list.count; i++)
            if (!const_equal(a->list.items[i], b->list.items[i]))
                return false;
        return true;
    }
    return false;
}
