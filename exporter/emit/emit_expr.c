/* Expressions: names, displays, operators. */
#include "exporter/emit/emit_display.h"
#include "exporter/emit/emit_module.h"

#include <math.h>
#include <string.h>

#include "exporter/program/type_parser.h"

/* ---- Nodes ---- */

ir_node *emit_node_with(emitter *e, ir_kind kind, source_range range, const type *t, ir_value *const *inputs,
                        uint32_t count) {
    ir_node *n = ir_node_new(e->graph, kind, 1);
    n->outputs[0]->type = t;
    n->range = range;
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(n, inputs[i]);
    ir_insert_before(e->at, n);
    return n;
}

ir_node *emit_node(emitter *e, ir_kind kind, source_range range, const type *t) {
    return emit_node_with(e, kind, range, t, NULL, 0);
}

ir_value *emit_constant(emitter *e, ir_constant *c, source_range range) {
    ir_value *v = ir_insert_constant(e->at, c);
    v->node->range = range;
    return v;
}

ir_value *emit_int(emitter *e, int64_t v, source_range range) {
    return emit_constant(e, const_int(v), range);
}

ir_node *emit_operator(emitter *e, const char *name, source_range range, ir_value *const *arguments, uint32_t count) {
    call_argument *list = MEM_ARRAY(call_argument, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        list[i].value = arguments[i];
        list[i].range = range;
    }
    return emit_schema_call(e, name, range, list, count);
}

ir_value *emit_operator1(emitter *e, const char *name, source_range range, ir_value *argument) {
    return ir_out(emit_operator(e, name, range, &argument, 1), 0);
}

ir_value *emit_operator2(emitter *e, const char *name, source_range range, ir_value *a, ir_value *b) {
    ir_node *n = emit_operator(e, name, range, (ir_value *[]){a, b}, 2);
    return ir_output_count(n) ? ir_out(n, 0) : NULL;
}

ir_value *emit_value(emitter *e, const ast_node *n, const type *hint) {
    sugared s = emit_sugared(e, n, hint);
    return sugar_to_value(e, &s, n->range);
}

/* ---- Conversions ---- */

ir_value *emit_convert(emitter *e, ir_value *v, const type *t, source_range range) {
    int64_t number;
    /* Archives print floats such as 1e10 without a point. */
    if (!e->is_python && type_without_none(t)->kind == TYPE_FLOAT && ir_constant_int(v, &number))
        return emit_constant(e, const_float((double)number), range);
    return schema_convert(e->at, range, v, t);
}

/* ---- Names ---- */

static sugared emit_name(emitter *e, const ast_node *n) {
    const sugared *known = env_find(e, n->name);
    if (known && known->kind == SUGAR_UNDEFINED)
        source_fail(n->range, "%s%s", known->name ? known->name : "undefined value ",
                    known->name ? "and was used here" : n->name);
    if (known)
        return known->kind == SUGAR_VALUE ? sugar_value(env_view(e, known, n->range)) : *known;
    ir_constant *number = e->is_python ? NULL : program_named_number(n->name);
    if (number)
        return sugar_value(emit_constant(e, number, n->range));
    sugared s = emit_global_name(e, n->name, n->range);
    if (s.kind == SUGAR_UNDEFINED)
        source_fail(n->range, "undefined value %s", n->name);
    return s;
}

/* ---- Displays ---- */

/* The items stay separate values, so that `a, b = b, a` and loops over displays need no tuple. */
static sugared emit_tuple(emitter *e, const ast_node *n, const type *hint) {
    hint = hint && !e->is_python ? type_without_none(hint) : NULL;
    sugared s = sugar_named(SUGAR_TUPLE, NULL);
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const ast_node *item = n->sequence.items[i];
        if (item->kind == AST_STARRED) {
            sugared inner = emit_sugared(e, item->operand, NULL);
            sugared *parts = sugar_unpack(e, &inner, UINT32_MAX, item->range);
            for (size_t k = 0; k < arrlenu(parts); k++)
                arrput(s.items, parts[k]);
            continue;
        }
        const type *wanted = hint && hint->kind == TYPE_TUPLE && i < hint->count ? hint->items[i] : NULL;
        arrput(s.items, sugar_value(emit_value(e, item, wanted)));
    }
    return s;
}

/* ---- Operators ---- */

static const struct {
    ast_kind kind;
    const char *op, *method; /* "aten::add", "__add__"; NULL: objects have none */
    /* What `op=` does to tensors and lists ("aten::add_"; not always in place), and the method of objects
     * ("__iadd__"); NULL: cannot be augmented. */
    const char *in_place, *augmented_method;
} operators[] = {
    {AST_ADD, "aten::add", "__add__", "aten::add_", "__iadd__"},
    {AST_SUB, "aten::sub", "__sub__", "aten::sub_", "__isub__"},
    {AST_MUL, "aten::mul", "__mul__", "aten::mul_", "__imul__"},
    {AST_DIV, "aten::div", "__truediv__", "aten::div_", "__itruediv__"},
    {AST_MOD, "aten::remainder", "__mod__", "aten::fmod_", "__imod__"},
    {AST_POW, "aten::pow", "__pow__", "aten::pow", NULL},
    {AST_FLOOR_DIV, "aten::floordiv", NULL, NULL, NULL},
    {AST_MATMUL, "aten::matmul", NULL, NULL, NULL},
    {AST_LSHIFT, "aten::__lshift__", "__lshift__", "aten::__lshift__", NULL},
    {AST_RSHIFT, "aten::__rshift__", "__rshift__", "aten::__irshift__", NULL},
    {AST_BIT_AND, "aten::__and__", "__and__", "aten::bitwise_and", NULL},
    {AST_BIT_OR, "aten::__or__", "__or__", "aten::bitwise_or", NULL},
    {AST_BIT_XOR, "aten::__xor__", "__xor__", "aten::bitwise_xor", NULL},
    {AST_LT, "aten::lt", "__lt__", NULL, NULL},
    {AST_GT, "aten::gt", "__gt__", NULL, NULL},
    {AST_LE, "aten::le", "__le__", NULL, NULL},
    {AST_GE, "aten::ge", "__ge__", NULL, NULL},
    {AST_EQ, "aten::eq", "__eq__", NULL, NULL},
    {AST_NE, "aten::ne", "__ne__", NULL, NULL},
    {AST_NEG, "aten::neg", "__neg__", NULL, NULL},
    {AST_INVERT, "aten::bitwise_not", "__invert__", NULL, NULL},
};

static size_t operator_row(ast_kind kind) {
    size_t i = 0, count = sizeof operators / sizeof *operators;
    while (i < count && operators[i].kind != kind)
        i++;
    return i;
}

static bool is_operator(ast_kind kind) {
    return operator_row(kind) < sizeof operators / sizeof *operators;
}

const char *emit_augmented_operator(ast_kind op, bool in_place) {
    size_t row = operator_row(op);
    if (row == sizeof operators / sizeof *operators || !operators[row].in_place)
        return NULL;
    return in_place ? operators[row].in_place : op == AST_MOD ? "aten::fmod" : operators[row].op;
}

bool emit_is_updated(const type *t) {
    return t->kind == TYPE_TENSOR || t->kind == TYPE_LIST;
}

const char *emit_augmented_method(ast_kind op, bool in_place) {
    size_t row = operator_row(op);
    return in_place || !operators[row].augmented_method ? operators[row].augmented_method : operators[row].method;
}

/* (a, b) + (c,) */
static ir_value *join_tuples(emitter *e, ir_value *left, ir_value *right, source_range range) {
    ir_value *both[] = {left, right};
    sugared joined = sugar_named(SUGAR_TUPLE, NULL);
    for (int i = 0; i < 2; i++) {
        sugared whole = sugar_value(both[i]), *parts = sugar_unpack(e, &whole, UINT32_MAX, range);
        for (uint32_t k = 0; k < both[i]->type->count; k++)
            arrput(joined.items, parts[k]);
    }
    return sugar_to_value(e, &joined, range);
}

/* `left op right` for operands that are already emitted, magic methods included. */
static ir_value *emit_binary_values(emitter *e, ast_kind kind, ir_value *left, ir_value *right, source_range range) {
    size_t row = operator_row(kind);
    if (operators[row].method && sugar_has_magic(left, operators[row].method, range))
        return emit_method(e, left, intern(operators[row].method), range, &right, 1);
    if (kind == AST_MOD && left->type->kind == TYPE_STR)
        return emit_operator2(e, "aten::percentFormat", range, left, right);
    return emit_operator2(e, operators[row].op, range, left, right);
}

static ir_value *emit_contains(emitter *e, const ast_node *n) {
    ir_value *item = emit_value(e, n->binary.left, NULL);
    sugared holder = emit_sugared(e, n->binary.right, NULL);
    if (module_is_container(&holder))
        return module_contains(e, &holder, item, n->range);
    ir_value *container = sugar_to_value(e, &holder, n->binary.right->range);
    if (sugar_has_magic(container, "__contains__", n->range))
        return emit_method(e, container, intern("__contains__"), n->range, &item, 1);
    return emit_operator2(e, "aten::__contains__", n->range, container, item);
}

static ir_value *emit_unary(emitter *e, const ast_node *n) {
    ir_constant *literal = n->kind == AST_NEG ? program_literal(e->program, n, NULL) : NULL;
    if (literal && !(n->operand->kind == AST_VAR && (e->is_python || env_find(e, n->operand->name))))
        return emit_constant(e, literal, n->range);
    ir_value *v = emit_value(e, n->operand, NULL);
    size_t row = operator_row(n->kind);
    if (sugar_has_magic(v, operators[row].method, n->range))
        return emit_method(e, v, intern(operators[row].method), n->range, NULL, 0);
    return emit_operator1(e, operators[row].op, n->range, v);
}

static ir_value *emit_binary(emitter *e, const ast_node *n) {
    ir_value *left = emit_value(e, n->binary.left, NULL), *right = emit_value(e, n->binary.right, NULL);
    if (n->kind == AST_ADD && left->type->kind == TYPE_TUPLE && right->type->kind == TYPE_TUPLE)
        return join_tuples(e, left, right, n->range);
    return emit_binary_values(e, n->kind, left, right, n->range);
}

sugared emit_sugared(emitter *e, const ast_node *n, const type *hint) {
    stack_check();
    switch (n->kind) {
    case AST_VAR:
        return emit_name(e, n);
    case AST_SELECT: {
        if (e->is_python && module_is_super(e, n->select.value))
            return module_super_method(e, n);
        sugared base = emit_sugared(e, n->select.value, NULL);
        return sugar_select(e, &base, n->select.name, n->range);
    }
    case AST_APPLY:
        return emit_apply(e, n, hint);
    case AST_SUBSCRIPT:
        return emit_subscript(e, n, hint);
    case AST_LIST:
        return sugar_value(emit_list(e, n, hint));
    case AST_DICT:
        return sugar_value(emit_dict(e, n, hint));
    case AST_TUPLE:
        return emit_tuple(e, n, hint);
    case AST_LIST_COMP:
    case AST_DICT_COMP:
        return sugar_value(emit_comprehension(e, n, hint));
    case AST_TERNARY:
        return sugar_value(emit_ternary(e, n, hint));
    case AST_NOT:
    case AST_AND:
    case AST_OR:
    case AST_IS:
    case AST_IS_NOT:
        return sugar_value(emit_condition(e, n).value);
    case AST_IN:
        return sugar_value(emit_contains(e, n));
    case AST_NEG:
    case AST_INVERT:
        return sugar_value(emit_unary(e, n));
    case AST_STARRED:
        source_fail(n->range, "Unexpected starred expansion. File a bug report");
    case AST_UNSUPPORTED:
        source_fail(n->range, "%s", n->unsupported.message);
    default:
        break;
    }
    if (is_operator(n->kind))
        return sugar_value(emit_binary(e, n));
    ir_constant *literal = program_literal(e->program, n, NULL);
    if (!literal)
        source_fail(n->range, "Cannot emit expr for: (%s)\n", ast_kind_name(n->kind));
    return sugar_value(emit_constant(e, literal, n->range));
}
