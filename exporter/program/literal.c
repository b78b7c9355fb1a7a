/* Literals of code as constants: numbers, strings, containers of those, members of enums, devices. */
#include <math.h>
#include <string.h>

#include "exporter/program/program_internal.h"
#include "exporter/program/type_parser.h"

static ir_constant *number_literal(const ast_node *n, bool negative) {
    switch (n->kind) {
    case AST_INT:
        return const_int(negative ? (int64_t)(0 - (uint64_t)n->number.integer) : n->number.integer);
    case AST_FLOAT:
        return const_float(negative ? -n->number.real : n->number.real);
    case AST_IMAGINARY:
        return const_complex(negative ? -0.0 : 0, negative ? -n->number.real : n->number.real);
    default:
        return NULL;
    }
}

static ir_constant *container_literal(program *p, const ast_node *n, const type *wanted) {
    bool is_tuple = n->kind == AST_TUPLE;
    ir_constant *c = const_new(is_tuple ? CONST_TUPLE : CONST_LIST, wanted);
    ir_constant **items = NULL;
    const type **types = NULL;
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const type *t = !wanted    ? NULL
                        : is_tuple ? (i < wanted->count ? wanted->items[i] : NULL)
                                   : type_element(wanted);
        ir_constant *item = program_literal(p, n->sequence.items[i], t);
        if (!item)
            return NULL;
        arrput(items, item);
        arrput(types, item->type);
    }
    if (!wanted)
        c->type = is_tuple ? type_tuple(types, n->sequence.count)
                           : type_list(arrlenu(types) ? types[0] : type_basic(TYPE_TENSOR));
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

ir_constant *program_named_number(const char *name) {
    bool is_infinite = !strncmp(name, "inf", 3);
    if (!is_infinite && strncmp(name, "nan", 3))
        return NULL;
    double v = is_infinite ? INFINITY : NAN;
    return !name[3] ? const_float(v) : !strcmp(name + 3, "j") ? const_complex(0, v) : NULL;
}

/* Whether a value of this type may be a member of an enum. */
static bool may_be_enum(const type *t) {
    if (t->kind != TYPE_UNION)
        return t->kind == TYPE_ENUM;
    for (uint32_t i = 0; i < t->count; i++)
        if (t->items[i]->kind == TYPE_ENUM)
            return true;
    return false;
}

/* Color.RED, where the enum Color is wanted; an archive's code also says so where any type is. */
static ir_constant *enum_literal(program *p, const ast_node *n, const type *wanted) {
    const char *name = ast_dotted_name(n->select.value);
    const bool is_archived = name && !strncmp(name, "__torch__.", strlen("__torch__."));
    const bool is_open = !wanted || wanted->kind == TYPE_ANY;
    if (is_open ? !is_archived : !may_be_enum(wanted))
        return NULL;
    const type *named = type_of_expression(p, n->select.value);
    if (named->kind != TYPE_ENUM || (wanted && !type_is_subtype(named, wanted, NULL)))
        return NULL;
    const class_def *c = named->definition;
    for (size_t i = 0; i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, n->select.name)) {
            ir_constant *member = const_new(CONST_ENUM, named);
            member->integer = (int64_t)i;
            return member;
        }
    return NULL;
}

/* torch.device("cpu"); NULL for other calls. */
static ir_constant *device_literal(const ast_node *n) {
    const char *callee = ast_dotted_name(n->apply.callee);
    bool is_device = callee && !strcmp(callee, "torch.device") && n->apply.inputs.count == 1;
    const ast_node *name = is_device ? n->apply.inputs.items[0] : NULL;
    return name && name->kind == AST_STRING ? const_device(name->string.bytes, name->string.length) : NULL;
}

/* annotate(List[int], []), as archives write empty lists and what may be None; NULL for other calls. */
static ir_constant *annotated_literal(program *p, const ast_node *n) {
    const char *callee = ast_dotted_name(n->apply.callee);
    const bool is_annotated = callee && !strcmp(callee, "annotate") && n->apply.inputs.count == 2;
    return is_annotated ? program_literal(p, n->apply.inputs.items[1], type_of_expression(p, n->apply.inputs.items[0]))
                        : NULL;
}

static bool real_number(const ir_constant *c, double *number) {
    if (!c || (c->kind != CONST_INT && c->kind != CONST_FLOAT))
        return false;
    *number = c->kind == CONST_INT ? (double)c->integer : c->real;
    return true;
}

/* 1.5-2.j: a complex number; NULL for other sums. */
static ir_constant *complex_literal(program *p, const ast_node *n) {
    const ir_constant *imaginary = program_literal(p, n->binary.right, NULL);
    double real;
    if (!real_number(program_literal(p, n->binary.left, NULL), &real) || !imaginary ||
        imaginary->kind != CONST_COMPLEX || imaginary->complex.re != 0)
        return NULL;
    return const_complex(real, n->kind == AST_SUB ? -imaginary->complex.im : imaginary->complex.im);
}

/* {"a": 1}, where a dict is wanted. */
static ir_constant *dict_literal(program *p, const ast_node *n, const type *wanted) {
    ir_constant *c = const_new(CONST_DICT, wanted);
    for (uint32_t i = 0; i < n->dict.keys.count; i++) {
        ir_constant *key = program_literal(p, n->dict.keys.items[i], wanted->items[0]);
        ir_constant *value = program_literal(p, n->dict.values.items[i], wanted->items[1]);
        if (!key || !value)
            return NULL;
        arrput(c->list.items, key);
        arrput(c->list.items, value);
    }
    c->list.count = (uint32_t)arrlenu(c->list.items);
    return c;
}

/* __torch__.Pair(1, 2.), where the NamedTuple Pair is wanted; NULL for other calls. */
static ir_constant *named_tuple_literal(program *p, const ast_node *n, const type *wanted) {
    const char *callee = ast_dotted_name(n->apply.callee);
    if (!wanted || !wanted->name || wanted->kind != TYPE_TUPLE || !callee || strcmp(callee, wanted->name) ||
        n->apply.inputs.count != wanted->count)
        return NULL;
    ir_constant *c = const_new(CONST_TUPLE, wanted);
    for (uint32_t i = 0; i < wanted->count; i++) {
        ir_constant *item = program_literal(p, n->apply.inputs.items[i], wanted->items[i]);
        if (!item)
            return NULL;
        arrput(c->list.items, item);
    }
    c->list.count = wanted->count;
    return c;
}

static ir_constant *call_literal(program *p, const ast_node *n, const type *wanted) {
    ir_constant *c = annotated_literal(p, n);
    if (!c)
        c = named_tuple_literal(p, n, wanted);
    return c ? c : device_literal(n);
}

ir_constant *program_literal(program *p, const ast_node *n, const type *wanted) {
    stack_check();
    const type *plain = wanted ? type_without_none(wanted) : NULL;
    switch (n->kind) {
    case AST_TRUE:
    case AST_FALSE:
        return const_bool(n->kind == AST_TRUE);
    case AST_NONE:
        return const_none();
    case AST_STRING:
        return const_str(n->string.bytes, n->string.length);
    case AST_TUPLE:
    case AST_LIST:
        return container_literal(p, n, plain && (plain->kind == TYPE_LIST || plain->kind == TYPE_TUPLE) ? plain : NULL);
    case AST_VAR:
        return program_named_number(n->name);
    case AST_SELECT: /* CONSTANTS.c0 as a default value */
        return n->select.value->kind == AST_VAR && !strcmp(n->select.value->name, "CONSTANTS")
                   ? program_constant_named(p, n->select.name)
                   : enum_literal(p, n, plain);
    case AST_NEG: {
        ir_constant *named = n->operand->kind == AST_VAR ? program_named_number(n->operand->name) : NULL;
        return named && named->kind == CONST_FLOAT ? const_float(-named->real) : number_literal(n->operand, true);
    }
    case AST_INT:
        if (plain && plain->kind == TYPE_FLOAT)
            return const_float((double)n->number.integer);
        return number_literal(n, false);
    case AST_APPLY:
        return call_literal(p, n, plain);
    case AST_ADD:
    case AST_SUB:
        return complex_literal(p, n);
    case AST_DICT:
        return plain && plain->kind == TYPE_DICT ? dict_literal(p, n, plain) : NULL;
    default:
        return number_literal(n, false);
    }
}
