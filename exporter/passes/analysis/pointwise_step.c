/* Pointwise operators as steps: the letters that their traits give, checked against the node's operands. */
#include "exporter/passes/analysis/pointwise_step.h"

#include <math.h>
#include <string.h>

#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/schema/schema.h"

static bool is_tensor(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c ? c->kind == CONST_TENSOR : v->type->kind == TYPE_TENSOR;
}

static bool read_operand(pointwise_step *s, int i, ir_value *v) {
    s->tensors[i] = is_tensor(v) ? v : NULL;
    return s->tensors[i] || constant_number(v, &s->numbers[i]);
}

static bool read_pair(const ir_node *n, pointwise_step *s, int first) {
    s->operands = 2;
    return read_operand(s, 0, ir_in(n, (uint32_t)first)) && read_operand(s, 1, ir_in(n, (uint32_t)!first)) &&
           (s->tensors[0] || s->tensors[1]);
}

static bool alpha_is_one(const ir_node *n) {
    double alpha;
    return ir_input_count(n) == 3 && constant_number(ir_in(n, 2), &alpha) && alpha == 1;
}

static bool read_bound(const ir_node *n, uint32_t i, double when_none, double *bound) {
    const ir_constant *c = ir_constant_of(ir_in(n, i));
    *bound = when_none;
    return (c && c->kind == CONST_NONE) || constant_number(ir_in(n, i), bound);
}

static bool read_mode(const ir_node *n, pointwise_step *s) {
    const ir_constant *c = ir_input_count(n) > 1 ? ir_constant_of(ir_in(n, 1)) : NULL;
    if (!c || c->kind != CONST_STR || c->string.length != 4)
        return false;
    bool exact = !memcmp(c->string.bytes, "none", 4);
    s->letter = exact ? 'g' : 'G';
    return exact || !memcmp(c->string.bytes, "tanh", 4);
}

static bool read_unary(const ir_node *n, step_form f, pointwise_step *s) {
    double two = 2;
    if (!is_tensor(ir_in(n, 0)))
        return false;
    s->tensors[0] = ir_in(n, 0);
    s->operands = 1;
    s->bounds = f == FORM_UNARY || f == FORM_SQUARE || f == FORM_MODE ? 0 : f == FORM_SLOPE ? 1 : 2;
    switch (f) {
    case FORM_SQUARE:
        s->tensors[1] = s->tensors[0];
        s->operands = 2;
        return (ir_input_count(n) == 1 || constant_number(ir_in(n, 1), &two)) && two == 2;
    case FORM_MODE:
        return read_mode(n, s);
    case FORM_SLOPE:
        return constant_number(ir_in(n, 1), &s->numbers[0]);
    case FORM_SIX:
        s->numbers[1] = 6;
        return true;
    case FORM_LOW:
        s->numbers[1] = INFINITY;
        return read_bound(n, 1, -INFINITY, &s->numbers[0]);
    case FORM_HIGH:
        s->numbers[0] = -INFINITY;
        return read_bound(n, 1, INFINITY, &s->numbers[1]);
    case FORM_BOUNDS:
        return read_bound(n, 1, -INFINITY, &s->numbers[0]) && read_bound(n, 2, INFINITY, &s->numbers[1]);
    default:
        return true;
    }
}

bool pointwise_step_of(const ir_node *n, pointwise_step *s) {
    memset(s, 0, sizeof *s);
    if (!n->schema || !n->schema->traits.step || ir_output_count(n) != 1 || ir_out(n, 0)->type->kind != TYPE_TENSOR)
        return false;
    step_form f = (step_form)n->schema->traits.form;
    s->letter = n->schema->traits.step;
    switch (f) {
    case FORM_SCALED:
        return alpha_is_one(n) && read_pair(n, s, 0);
    case FORM_REVERSED:
        return alpha_is_one(n) && read_pair(n, s, 1);
    case FORM_BINARY:
        return read_pair(n, s, 0);
    default:
        return read_unary(n, f, s);
    }
}
