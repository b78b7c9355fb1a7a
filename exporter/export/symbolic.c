/* Python's operators on numbers that follow from shapes. */
#include <string.h>

#include "exporter/export/translate.h"

static const struct {
    const char *target, *operator_name;
} operators[] = {
    {"_operator.add", "aten::add"},
    {"_operator.sub", "aten::sub"},
    {"_operator.mul", "aten::mul"},
    {"_operator.floordiv", "aten::floordiv"},
    {"_operator.truediv", "aten::div"},
    {"_operator.mod", "aten::remainder"},
    {"_operator.pow", "aten::pow"},
    {"_operator.neg", "aten::neg"},
    {"_operator.eq", "aten::eq"},
    {"_operator.ne", "aten::ne"},
    {"_operator.lt", "aten::lt"},
    {"_operator.le", "aten::le"},
    {"_operator.gt", "aten::gt"},
    {"_operator.ge", "aten::ge"},
    {"_operator.and_", "aten::__and__"},
    {"_operator.or_", "aten::__or__"},
    {"_operator.xor", "aten::__xor__"},
    {"_operator.lshift", "aten::__lshift__"},
    {"_operator.rshift", "aten::__rshift__"},
    {"torch.sym_not", "aten::__not__"},
    {"torch.sym_max", "prim::max"},
    {"torch.sym_min", "prim::min"},
    {"torch.sym_sqrt", "aten::sqrt"},
    {"torch._sym_sqrt", "aten::sqrt"},
    {"torch.sym_float", "aten::Float"},
    {"torch.sym_int", "aten::Int"},
    {"math.ceil", "aten::ceil"},
    {"math.floor", "aten::floor"},
    {"math.trunc", "aten::Int"},
    {"builtins.round", "aten::round"},
};

/* sym_ite(condition, then, otherwise) */
static ir_value *choose(translation *t, json node, ir_value *const *arguments) {
    if (arrlenu(arguments) != 3 || arguments[1]->type != arguments[2]->type)
        json_fail(node, "sym_ite wants a condition and two numbers of one type");
    ir_node *n = ir_node_new(t->at->graph, IR_IF, 1);
    ir_node_add_input(n, convert_number(t, arguments[0], TYPE_BOOL));
    ir_block_add_result(ir_node_add_block(n), arguments[1]);
    ir_block_add_result(ir_node_add_block(n), arguments[2]);
    ir_out(n, 0)->type = arguments[1]->type;
    n->range = t->place.range;
    n->scope = t->place.scope;
    ir_insert_before(t->at, n);
    return ir_out(n, 0);
}

bool translate_symbolic(translation *t, const char *target, json node) {
    const bool is_choice = !strcmp(target, "torch.sym_ite"), is_plus = !strcmp(target, "_operator.pos");
    const char *name = NULL;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(operators[i].target, target))
            name = operators[i].operator_name;
    if (!name && !is_choice && !is_plus)
        return false;
    ir_value **arguments = NULL;
    JSON_EACH(input, json_array(json_need(node, "inputs")))
    arrput(arguments, argument_value(t, json_need(input, "arg"), NULL));
    if (!arguments)
        json_fail(node, "%s has no arguments", target);
    ir_value *v = is_choice ? choose(t, node, arguments)
                  : is_plus ? arguments[0]
                            : insert_call(t, name, arguments, (uint32_t)arrlenu(arguments));
    define_outputs(t, json_need(node, "outputs"), &v, 1);
    return true;
}
