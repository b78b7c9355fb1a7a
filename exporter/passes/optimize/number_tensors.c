/* Arithmetic of tensors without dimensions as arithmetic of ints. Both wrap, and round down. */
#include "exporter/passes/optimize/number_tensors.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/schema/operator_node.h"

enum { NUMBER_STEPS = 8 };

typedef struct {
    const char *of_tensors, *of_ints;
    bool has_alpha;  /* a third input, which must be 1 */
    bool is_divided; /* the divisor must be known, and not 0: they raise other exceptions */
} arithmetic;

static const arithmetic arithmetics[] = {
    {"aten::add.Tensor", "aten::add.int", true, false},
    {"aten::add.Scalar", "aten::add.int", true, false},
    {"aten::sub.Tensor", "aten::sub.int", true, false},
    {"aten::sub.Scalar", "aten::sub.int", true, false},
    {"aten::mul.Tensor", "aten::mul.int", false, false},
    {"aten::mul.Scalar", "aten::mul.int", false, false},
    {"aten::floor_divide", "aten::floordiv.int", false, true},
    {"aten::floor_divide.Scalar", "aten::floordiv.int", false, true},
    {"aten::remainder.Tensor", "aten::remainder.int", false, true},
    {"aten::remainder.Scalar", "aten::remainder.int", false, true},
};

static const arithmetic *arithmetic_of(const ir_node *n) {
    for (size_t i = 0; n->schema && i < sizeof arithmetics / sizeof *arithmetics; i++)
        if (!strcmp(n->schema->full_name, arithmetics[i].of_tensors))
            return &arithmetics[i];
    return NULL;
}

/* Whether v is an int, or the tensor of one, that is known. */
static bool is_constant_number(const ir_value *v, mutation *m, int64_t *number) {
    const double exact = 0x1p53;
    if (ir_constant_int(v, number))
        return true;
    if (v->type->kind != TYPE_TENSOR || mutation_is_written(m, v))
        return false;
    if (ir_is_operator(v->node, "prim::NumToTensor.Scalar"))
        return ir_constant_int(ir_in(v->node, 0), number);
    const ir_constant *c = ir_constant_of(v);
    if (!c || c->kind != CONST_TENSOR || c->tensor->dtype != PT_INT64 || c->tensor->ndim ||
        c->tensor->layout != PT_STRIDED)
        return false;
    const double found = pt_tensor_number(c->tensor, 0);
    *number = found > -exact && found < exact ? (int64_t)found : 0;
    return found > -exact && found < exact;
}

static bool is_number(const ir_value *v, mutation *m, int steps) {
    stack_check();
    int64_t number;
    if (v->type->kind == TYPE_INT || is_constant_number(v, m, &number))
        return true;
    if (v->type->kind != TYPE_TENSOR || !steps || mutation_is_written(m, v))
        return false;
    const ir_node *n = v->node;
    if (ir_is_operator(n, "prim::NumToTensor.Scalar"))
        return ir_in(n, 0)->type->kind == TYPE_INT;
    const arithmetic *a = arithmetic_of(n);
    if (!a || (a->has_alpha && !(ir_constant_int(ir_in(n, 2), &number) && number == 1)) ||
        (a->is_divided && !(is_constant_number(ir_in(n, 1), m, &number) && number)))
        return false;
    return is_number(ir_in(n, 0), m, steps - 1) && is_number(ir_in(n, 1), m, steps - 1);
}

/* The number that v, for which is_number holds, is: calculated before `at` where it must be. */
static ir_value *number_of(ir_value *v, mutation *m, ir_node *at) {
    stack_check();
    int64_t number;
    if (v->type->kind == TYPE_INT)
        return v;
    if (is_constant_number(v, m, &number))
        return ir_insert_constant(at, const_int(number));
    const arithmetic *a = arithmetic_of(v->node);
    if (!a)
        return ir_in(v->node, 0);
    ir_value *first = number_of(ir_in(v->node, 0), m, at), *second = number_of(ir_in(v->node, 1), m, at);
    return operator_insert(at, a->of_ints, first, second);
}

bool take_number(ir_node *n, mutation *m) {
    if (!m || !n->schema || !(ir_is_operator(n, "aten::Int.Tensor") || ir_is_operator(n, "aten::IntImplicit")) ||
        !is_number(ir_in(n, 0), m, NUMBER_STEPS))
        return false;
    ir_replace_uses(ir_out(n, 0), number_of(ir_in(n, 0), m, n));
    ir_destroy(n);
    return true;
}
