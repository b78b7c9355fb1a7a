/* Operators on numbers and bools as instructions. */
#include "exporter/passes/lower/lower_scalars.h"

#include <string.h>

#include "exporter/schema/operator_node.h"

static void replace_by(ir_node *n, ir_value *v) {
    ir_replace_uses(ir_out(n, 0), v);
    ir_destroy(n);
}

/* n becomes a branch that chooses one of two values. */
static void replace_by_choice(ir_node *n, ir_value *condition, ir_value *yes, ir_value *no) {
    ir_node *branch = ir_node_new(n->graph, IR_IF, 1);
    branch->range = n->range;
    branch->scope = n->scope;
    ir_out(branch, 0)->type = ir_out(n, 0)->type;
    ir_node_add_input(branch, condition);
    ir_block_add_result(ir_node_add_block(branch), yes);
    ir_block_add_result(ir_node_add_block(branch), no);
    ir_insert_before(n, branch);
    replace_by(n, ir_out(branch, 0));
}

/* ---- Ints that are calculated with as floats ---- */

static bool takes_floats(const op_schema *s, uint32_t arguments) {
    bool takes = s->argument_count == arguments;
    for (uint32_t i = 0; i < arguments && takes; i++)
        takes = s->arguments[i].type->kind == TYPE_FLOAT;
    return takes;
}

/* The operator on floats that stands for one on an int and a float, or for a function of an int whose result is a
 * float, as which it calculates; NULL: n is none. */
static const op_schema *on_floats(const ir_node *n) {
    const char *overload = n->schema->overload;
    const uint32_t arguments = n->schema->argument_count;
    const type_kind result = n->schema->returns[0].type->kind;
    const bool is_mixed = !strcmp(overload, "int_float") || !strcmp(overload, "float_int"),
               is_function = !strcmp(overload, "int") && arguments == 1 && result == TYPE_FLOAT;
    const op_schema *s = is_mixed || is_function ? schema_find(mem_printf("%s.float", n->schema->name)) : NULL;
    return s && takes_floats(s, arguments) && s->returns[0].type->kind == result ? s : NULL;
}

static ir_value *as_float(ir_node *at, ir_value *v) {
    int64_t i;
    return ir_constant_int(v, &i) ? ir_insert_constant(at, const_float((double)i))
                                  : operator_insert(at, "aten::Float.int", v);
}

static void convert_inputs(ir_node *n, const op_schema *s) {
    for (uint32_t i = 0; i < s->argument_count; i++)
        if (ir_in(n, i)->type->kind == TYPE_INT)
            ir_node_set_input(n, i, as_float(n, ir_in(n, i)));
    ir_node_set_operator(n, s);
}

/* ---- Operators ---- */

static bool is_two(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_FLOAT && c->real == 2;
}

static void lower_scalar(ir_node *n) {
    const op_schema *floats = on_floats(n);
    if (floats)
        convert_inputs(n, floats);
    const char *name = n->schema->full_name;
    ir_value *a = ir_in(n, 0), *b = ir_input_count(n) > 1 ? ir_in(n, 1) : NULL;
    if (!strcmp(name, "aten::__and__.bool"))
        replace_by_choice(n, a, b, ir_insert_constant(n, const_bool(false)));
    else if (!strcmp(name, "aten::__or__.bool"))
        replace_by_choice(n, a, ir_insert_constant(n, const_bool(true)), b);
    else if (!strcmp(name, "prim::abs.int"))
        replace_by(n, operator_insert(n, "prim::max.int", a, operator_insert(n, "aten::neg.int", a)));
    else if (!strcmp(name, "aten::pow.float") && is_two(b))
        replace_by(n, operator_insert(n, "aten::mul.float", a, a));
    else if (!strcmp(name, "prim::min.float"))
        replace_by_choice(n, operator_insert(n, "aten::lt.float", a, b), a, b);
    else if (!strcmp(name, "prim::max.float"))
        replace_by_choice(n, operator_insert(n, "aten::gt.float", a, b), a, b);
}

static void lower_in_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lower_in_block(n->blocks[i]);
        if (n->schema && ir_output_count(n) == 1 && ir_input_count(n) > 0)
            lower_scalar(n);
    }
}

void lower_scalars(ir_graph *g) {
    lower_in_block(g->block);
}
