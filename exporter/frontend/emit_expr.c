/* Expressions: AST -> IR. */
#include "exporter/frontend/emit.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/frontend/type_parser.h"

/* ---- Nodes ---- */

ir_node *emit_node(emitter *e, ir_kind kind, source_range range, const type *t) {
    ir_node *n = ir_node_new(e->graph, kind, 1);
    n->outputs[0]->type = t;
    n->range = range;
    ir_insert_before(e->at, n);
    return n;
}

ir_value *emit_constant(emitter *e, ir_constant *c, source_range range) {
    ir_value *v = ir_insert_constant(e->at, c);
    v->node->range = range;
    return v;
}

ir_node *emit_operator(emitter *e, const char *name, source_range range, ir_value *const *arguments, uint32_t count) {
    call_argument *list = MEM_ARRAY(call_argument, count + 1);
    for (uint32_t i = 0; i < count; i++) {
        list[i].value = arguments[i];
        list[i].range = range;
    }
    return schema_call(name, e->at, range, list, count);
}

ir_value *sugar_to_value(emitter *e, const sugared *s, source_range range) {
    if (s->kind == SUGAR_VALUE)
        return s->value;
    if (s->kind == SUGAR_TUPLE) {
        const type **types = NULL;
        ir_value **items = NULL;
        for (size_t i = 0; i < arrlenu(s->items); i++) {
            arrput(items, sugar_to_value(e, &s->items[i], range));
            arrput(types, items[i]->type);
        }
        ir_node *n = emit_node(e, IR_TUPLE_CONSTRUCT, range, type_tuple(types, (uint32_t)arrlenu(types)));
        for (size_t i = 0; i < arrlenu(items); i++)
            ir_node_add_input(n, items[i]);
        return ir_out(n, 0);
    }
    source_fail(range, "%s cannot be used as a value", s->name ? s->name : "this name");
}

ir_value *emit_value(emitter *e, const ast_node *n, const type *hint) {
    sugared s = emit_sugared(e, n, hint);
    return sugar_to_value(e, &s, n->range);
}

ir_value *emit_condition(emitter *e, const ast_node *n) {
    ir_value *v = emit_value(e, n, type_basic(TYPE_BOOL));
    if (v->type->kind == TYPE_BOOL)
        return v;
    if (v->type->kind == TYPE_LIST || v->type->kind == TYPE_STR || v->type->kind == TYPE_DICT) {
        ir_value *length = ir_out(emit_operator(e, "aten::len", n->range, &v, 1), 0);
        return ir_out(emit_operator(e, "aten::Bool", n->range, &length, 1), 0);
    }
    return ir_out(emit_operator(e, "aten::Bool", n->range, &v, 1), 0);
}

/* ---- Literals ---- */

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

static ir_constant *container_literal(program *p, const ast_node *e, const type *wanted) {
    bool is_tuple = e->kind == AST_TUPLE;
    ir_constant *c = const_new(is_tuple ? CONST_TUPLE : CONST_LIST, wanted);
    ir_constant **items = NULL;
    const type **types = NULL;
    for (uint32_t i = 0; i < e->sequence.count; i++) {
        const type *t = !wanted ? NULL : is_tuple ? (i < wanted->count ? wanted->items[i] : NULL) : type_element(wanted);
        ir_constant *item = emit_literal(p, e->sequence.items[i], t);
        if (!item)
            return NULL;
        arrput(items, item);
        arrput(types, item->type);
    }
    if (!wanted)
        c->type = is_tuple ? type_tuple(types, e->sequence.count) : type_list(arrlenu(types) ? types[0] : type_basic(TYPE_TENSOR));
    c->list.items = items;
    c->list.count = (uint32_t)arrlenu(items);
    return c;
}

ir_constant *emit_literal(program *p, const ast_node *e, const type *wanted) {
    const type *plain = wanted ? type_without_none(wanted) : NULL;
    switch (e->kind) {
    case AST_TRUE:
    case AST_FALSE:
        return const_bool(e->kind == AST_TRUE);
    case AST_NONE:
        return const_none();
    case AST_STRING:
        return const_str(e->string.bytes, e->string.length);
    case AST_TUPLE:
    case AST_LIST:
        return container_literal(p, e, plain && (plain->kind == TYPE_LIST || plain->kind == TYPE_TUPLE) ? plain : NULL);
    case AST_NEG:
        return number_literal(e->operand, true);
    case AST_VAR:
        return !strcmp(e->name, "inf") ? const_float(INFINITY) : !strcmp(e->name, "nan") ? const_float(NAN) : NULL;
    case AST_INT:
        if (plain && plain->kind == TYPE_FLOAT)
            return const_float((double)e->number.integer);
        return number_literal(e, false);
    default:
        return number_literal(e, false);
    }
}

/* ---- Names ---- */

static const char *const special_forms[] = {"annotate", "unchecked_cast", "uninitialized", "isinstance", "getattr", "fork", "print",
                                            NULL};

/* Python's builtin functions that are operators. */
static const struct {
    const char *name, *op;
} builtin_functions[] = {
    {"int", "aten::Int"}, {"float", "aten::Float"}, {"bool", "aten::Bool"}, {"str", "aten::str"}, {"complex", "aten::Complex"},
    {"sorted", "aten::sorted"}, {"len", "aten::len"}, {"hex", "aten::hex"}, {"oct", "aten::oct"}, {"bin", "aten::bin"},
    {"round", "aten::round"}, {"hash", "aten::hash"}, {"min", "prim::min"}, {"max", "prim::max"}, {"abs", "prim::abs"},
    {"all", "aten::all"}, {"any", "aten::any"}, {"divmod", "aten::divmod"}, {"sum", "aten::sum"}, {"list", "aten::list"},
    {"ord", "aten::ord"}, {"chr", "aten::chr"}, {"pow", "aten::pow"}, {"dict", "aten::dict"}, {"id", "prim::id"},
    {"device", "aten::device"}, {"rangelist", "prim::rangelist"},
};

static sugared named(sugar_kind kind, const char *name) {
    sugared s = {0};
    s.kind = kind;
    s.name = name;
    return s;
}

static sugared emit_name(emitter *e, const ast_node *n) {
    const sugared *known = env_find(e, n->name);
    if (known)
        return *known;
    if (!strcmp(n->name, "torch"))
        return named(SUGAR_NAMESPACE, "aten");
    if (!strcmp(n->name, "ops"))
        return named(SUGAR_OPS, n->name);
    if (!strcmp(n->name, "__torch__"))
        return named(SUGAR_PATH, n->name);
    if (!strcmp(n->name, "CONSTANTS"))
        return named(SUGAR_CONSTANTS, n->name);
    for (int i = 0; special_forms[i]; i++)
        if (!strcmp(n->name, special_forms[i]))
            return named(SUGAR_SPECIAL, special_forms[i]);
    for (size_t i = 0; i < sizeof builtin_functions / sizeof *builtin_functions; i++)
        if (!strcmp(n->name, builtin_functions[i].name))
            return named(SUGAR_OPERATOR, builtin_functions[i].op);
    if (!strcmp(n->name, "inf") || !strcmp(n->name, "nan"))
        return sugar_value(emit_constant(e, const_float(n->name[0] == 'i' ? INFINITY : NAN), n->range));
    if (!strcmp(n->name, "infj") || !strcmp(n->name, "nanj"))
        return sugar_value(emit_constant(e, const_complex(0, n->name[0] == 'i' ? INFINITY : NAN), n->range));
    source_fail(n->range, "undefined value %s", n->name);
}

/* ---- Attributes ---- */

static sugared enum_member(emitter *e, class_def *c, const ast_node *n) {
    for (size_t i = 0; i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, n->select.name)) {
            ir_constant *member = const_new(CONST_ENUM, c->type);
            member->integer = (int64_t)i;
            return sugar_value(emit_constant(e, member, n->range));
        }
    source_fail(n->range, "type object '%s' has no attribute '%s'", c->name, n->select.name);
}

static sugared select_from_path(emitter *e, const char *path, const ast_node *n) {
    const char *name = intern(mem_printf("%s.%s", path, n->select.name));
    sugared s = {0};
    s.name = name;
    s.class_def = program_find_class(e->program, name);
    if (s.class_def) {
        s.kind = SUGAR_CLASS;
        return s;
    }
    s.function = program_find_function(e->program, name);
    s.kind = s.function ? SUGAR_FUNCTION : SUGAR_PATH;
    return s;
}

static sugared archive_constant(emitter *e, const ast_node *n) {
    ir_constant *c = n->select.name[0] == 'c' ? program_archive_constant(e->program, (uint32_t)atoi(n->select.name + 1)) : NULL;
    if (!c)
        source_fail(n->range, "the archive has no constant %s", n->select.name);
    return sugar_value(emit_constant(e, c, n->range));
}

/* Attributes of values that are operators. */
static const char *attribute_operator(const type *t, const char *name) {
    static const struct {
        type_kind kind;
        const char *name, *op;
    } table[] = {{TYPE_TENSOR, "dtype", "prim::dtype"}, {TYPE_TENSOR, "device", "prim::device"}, {TYPE_TENSOR, "grad", "prim::grad"},
                 {TYPE_TENSOR, "data", "prim::data"}, {TYPE_TENSOR, "shape", "aten::size"}, {TYPE_TENSOR, "is_cuda", "prim::is_cuda"},
                 {TYPE_TENSOR, "is_sparse", "prim::is_sparse"}, {TYPE_TENSOR, "is_mkldnn", "prim::is_mkldnn"},
                 {TYPE_TENSOR, "is_quantized", "prim::is_quantized"}, {TYPE_TENSOR, "requires_grad", "prim::requires_grad"},
                 {TYPE_TENSOR, "layout", "prim::layout"}, {TYPE_TENSOR, "ndim", "aten::dim"}, {TYPE_TENSOR, "T", "aten::numpy_T"},
                 {TYPE_TENSOR, "is_nested", "prim::is_nested"}, {TYPE_TENSOR, "itemsize", "prim::itemsize"},
                 {TYPE_DEVICE, "type", "prim::type"}, {TYPE_DEVICE, "index", "prim::index"}};
    for (size_t i = 0; i < sizeof table / sizeof *table; i++)
        if (table[i].kind == t->kind && !strcmp(table[i].name, name))
            return table[i].op;
    return NULL;
}

static ir_value *tuple_field(emitter *e, ir_value *v, uint32_t i, source_range range) {
    ir_value *index = emit_constant(e, const_int(i), range);
    ir_node *n = emit_node(e, IR_TUPLE_INDEX, range, v->type->items[i]);
    ir_node_add_input(n, v);
    ir_node_add_input(n, index);
    return ir_out(n, 0);
}

static bool select_enum(emitter *e, ir_value *v, const ast_node *n, const char *name, sugared *out) {
    bool is_name = !strcmp(name, "name"), is_value = !strcmp(name, "value");
    if (v->type->kind != TYPE_ENUM || (!is_name && !is_value))
        return false;
    const class_def *c = v->type->definition;
    const type *t = is_name || !arrlenu(c->constants) ? type_basic(TYPE_STR) : c->constants[0].value->type;
    const char *op = is_name ? "prim::EnumName" : t->kind == TYPE_INT ? "prim::EnumValue.int"
                     : t->kind == TYPE_FLOAT ? "prim::EnumValue.float" : "prim::EnumValue.str";
    const op_schema *schema = schema_find(op);
    ir_node *node = emit_node(e, schema->kind, n->range, t);
    node->schema = schema;
    ir_node_add_input(node, v);
    *out = sugar_value(ir_out(node, 0));
    return true;
}

/* v.name */
static sugared select_from_value(emitter *e, ir_value *v, const ast_node *n, const char *name) {
    sugared s = {0};
    const type *t = v->type;
    if (t->kind == TYPE_CLASS) {
        const class_def *c = t->definition;
        int slot = class_find_attribute(c, name);
        if (slot >= 0) {
            ir_node *get = emit_node(e, IR_GET_ATTR, n->range, c->attributes[slot].type);
            get->attribute = intern(name);
            ir_node_add_input(get, v);
            return sugar_value(ir_out(get, 0));
        }
        const class_constant *constant = class_find_constant(c, name);
        if (constant)
            return sugar_value(emit_constant(e, constant->value, n->range));
    }
    if ((t->kind == TYPE_CLASS || t->kind == TYPE_INTERFACE) && class_find_method(t->definition, name)) {
        s.kind = SUGAR_METHOD;
        s.value = v;
        s.name = intern(name);
        return s;
    }
    if (t->kind == TYPE_TUPLE && t->field_names)
        for (uint32_t i = 0; i < t->count; i++)
            if (!strcmp(t->field_names[i], name))
                return sugar_value(tuple_field(e, v, i, n->range));
    if (select_enum(e, v, n, name, &s))
        return s;
    const char *op = attribute_operator(t, name);
    if (op)
        return sugar_value(ir_out(emit_operator(e, op, n->range, &v, 1), 0));
    uint32_t overloads = 0;
    if (t->kind != TYPE_CLASS && t->kind != TYPE_INTERFACE)
        schema_overloads(mem_printf("aten::%s", name), &overloads);
    if (!overloads && strcmp(name, "tolist"))
        source_fail(n->range, "'%s' object has no attribute or method '%s'.", t->name ? t->name : type_annotation(t), name);
    s.kind = SUGAR_OPERATOR;
    s.name = intern(mem_printf("aten::%s", name));
    s.value = v;
    return s;
}

static sugared emit_select(emitter *e, const ast_node *n) {
    sugared base = emit_sugared(e, n->select.value, NULL);
    switch (base.kind) {
    case SUGAR_NAMESPACE:
        if (!strcmp(base.name, "aten") && !strcmp(n->select.name, "autograd"))
            return base;
        return named(SUGAR_OPERATOR, intern(mem_printf("%s::%s", base.name, n->select.name)));
    case SUGAR_OPS:
        return named(SUGAR_NAMESPACE, n->select.name);
    case SUGAR_PATH:
        return select_from_path(e, base.name, n);
    case SUGAR_CONSTANTS:
        return archive_constant(e, n);
    case SUGAR_CLASS:
        if (base.class_def->kind == TYPE_ENUM)
            return enum_member(e, base.class_def, n);
        if (!strcmp(n->select.name, "__new__")) {
            base.kind = SUGAR_NEW;
            return base;
        }
        return select_from_path(e, base.class_def->name, n);
    default:
        return select_from_value(e, sugar_to_value(e, &base, n->range), n, n->select.name);
    }
}

/* ---- Displays ---- */

static const type *common_type(ir_value *const *items, uint32_t count, source_range range) {
    const type *t = count ? items[0]->type : type_basic(TYPE_TENSOR);
    for (uint32_t i = 1; i < count; i++) {
        const type *both = type_unify(t, items[i]->type, true);
        if (!both)
            source_fail(range, "the items of this display have no common type");
        t = both;
    }
    return t;
}

static ir_value *emit_list(emitter *e, const ast_node *n, const type *hint) {
    const type *wanted = hint ? type_element(type_without_none(hint)) : NULL;
    ir_value **items = NULL;
    for (uint32_t i = 0; i < n->sequence.count; i++)
        arrput(items, emit_value(e, n->sequence.items[i], wanted));
    const type *element = wanted ? wanted : common_type(items, n->sequence.count, n->range);
    ir_node *list = ir_node_new(e->graph, IR_LIST_CONSTRUCT, 1);
    list->outputs[0]->type = type_list(element);
    list->range = n->range;
    for (size_t i = 0; i < arrlenu(items); i++) {
        int64_t number;
        if (!type_is_subtype(items[i]->type, element, NULL)) {
            if (element->kind == TYPE_FLOAT && ir_constant_int(items[i], &number))
                items[i] = emit_constant(e, const_float((double)number), n->range);
            else
                source_fail(n->range, "List type annotation `%s` did not match the types of the given list elements",
                            type_annotation(type_list(element)));
        }
        ir_node_add_input(list, items[i]);
    }
    ir_insert_before(e->at, list);
    return ir_out(list, 0);
}

static ir_value *emit_dict(emitter *e, const ast_node *n, const type *hint) {
    hint = hint ? type_without_none(hint) : NULL;
    const type *key = hint && hint->kind == TYPE_DICT ? hint->items[0] : NULL;
    const type *value = key ? hint->items[1] : NULL;
    ir_value **keys = NULL, **values = NULL;
    for (uint32_t i = 0; i < n->dict.keys.count; i++) {
        arrput(keys, emit_value(e, n->dict.keys.items[i], key));
        arrput(values, emit_value(e, n->dict.values.items[i], value));
    }
    uint32_t count = n->dict.keys.count;
    if (!key) {
        key = count ? common_type(keys, count, n->range) : type_basic(TYPE_STR);
        value = common_type(values, count, n->range);
    }
    ir_node *dict = emit_node(e, IR_DICT_CONSTRUCT, n->range, type_dict(key, value));
    for (uint32_t i = 0; i < count; i++) {
        ir_node_add_input(dict, keys[i]);
        ir_node_add_input(dict, values[i]);
    }
    return ir_out(dict, 0);
}

static ir_value *emit_tuple(emitter *e, const ast_node *n, const type *hint) {
    hint = hint ? type_without_none(hint) : NULL;
    sugared s = named(SUGAR_TUPLE, NULL);
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const type *wanted = hint && hint->kind == TYPE_TUPLE && i < hint->count ? hint->items[i] : NULL;
        arrput(s.items, sugar_value(emit_value(e, n->sequence.items[i], wanted)));
    }
    return sugar_to_value(e, &s, n->range);
}

sugared *emit_unpack(emitter *e, ir_value *v, uint32_t count, source_range range) {
    bool is_tuple = v->type->kind == TYPE_TUPLE;
    if (!is_tuple && v->type->kind != TYPE_LIST)
        source_fail(range, "%s cannot be used as a tuple", type_annotation(v->type));
    if (is_tuple && v->type->count != count)
        source_fail(range, v->type->count < count ? "need %u values to unpack but found only %u"
                                                  : "too many values to unpack: need %u but found %u", count, v->type->count);
    ir_node *n = ir_node_new(e->graph, is_tuple ? IR_TUPLE_UNPACK : IR_LIST_UNPACK, count);
    n->range = range;
    ir_node_add_input(n, v);
    ir_insert_before(e->at, n);
    sugared *items = NULL;
    for (uint32_t i = 0; i < count; i++) {
        n->outputs[i]->type = is_tuple ? v->type->items[i] : type_element(v->type);
        arrput(items, sugar_value(n->outputs[i]));
    }
    return items;
}

/* ---- Subscripts ---- */

static ir_value *slice_bound(emitter *e, const ast_node *bound, source_range range) {
    return bound ? emit_value(e, bound, NULL) : emit_constant(e, const_none(), range);
}

static ir_value *emit_tuple_slice(emitter *e, ir_value *tuple, const ast_node *slice, source_range range) {
    int64_t count = tuple->type->count, start = 0, stop = count;
    if (slice->slice.start && !ir_constant_int(emit_value(e, slice->slice.start, NULL), &start))
        source_fail(range, "tuple slice indices must be integer constants");
    if (slice->slice.stop && !ir_constant_int(emit_value(e, slice->slice.stop, NULL), &stop))
        source_fail(range, "tuple slice indices must be integer constants");
    start = start < 0 ? start + count : start > count ? count : start;
    stop = stop < 0 ? stop + count : stop > count ? count : stop;
    start = start < 0 ? 0 : start;
    stop = stop < start ? start : stop;
    ir_node *n = emit_node(e, IR_TUPLE_SLICE, range, type_tuple(tuple->type->items + start, (uint32_t)(stop - start)));
    n->begin = start;
    n->end = stop;
    ir_node_add_input(n, tuple);
    return ir_out(n, 0);
}

static ir_value *emit_tuple_index(emitter *e, ir_value *tuple, const ast_node *index, source_range range) {
    ir_value *i = emit_value(e, index, NULL);
    int64_t at;
    const type *t = NULL;
    if (ir_constant_int(i, &at)) {
        int64_t count = tuple->type->count;
        if (at < -count || at >= count)
            source_fail(range, "Tuple index out of range. Tuple is length %lld and index is %lld", (long long)count, (long long)at);
        t = tuple->type->items[at < 0 ? at + count : at];
    } else {
        for (uint32_t k = 0; k < tuple->type->count; k++)
            if (tuple->type->items[k] != tuple->type->items[0])
                source_fail(range, "Cannot index into a %s with a non-integer literal because we cannot resolve the output type",
                            type_annotation(tuple->type));
        t = tuple->type->items[0];
    }
    ir_node *n = emit_node(e, IR_TUPLE_INDEX, range, t);
    ir_node_add_input(n, tuple);
    ir_node_add_input(n, i);
    return ir_out(n, 0);
}

ir_value *emit_subscript(emitter *e, const ast_node *n) {
    ir_value *v = emit_value(e, n->subscript.value, NULL);
    if (n->subscript.indices.count != 1)
        source_fail(n->range, "indexing with several indices is not supported");
    const ast_node *index = n->subscript.indices.items[0];
    if (v->type->kind == TYPE_TUPLE)
        return index->kind == AST_SLICE ? emit_tuple_slice(e, v, index, n->range) : emit_tuple_index(e, v, index, n->range);
    if (index->kind == AST_SLICE) {
        ir_value *zero = emit_constant(e, const_int(0), n->range);
        ir_value *start = slice_bound(e, index->slice.start, n->range), *stop = slice_bound(e, index->slice.stop, n->range);
        ir_value *step = index->slice.step ? emit_value(e, index->slice.step, NULL) : emit_constant(e, const_int(1), n->range);
        ir_value *arguments[] = {v, zero, start, stop, step};
        ir_value *without_dim[] = {v, start, stop, step};
        bool is_tensor = v->type->kind == TYPE_TENSOR;
        return ir_out(emit_operator(e, "aten::slice", n->range, is_tensor ? arguments : without_dim, is_tensor ? 5 : 4), 0);
    }
    ir_value *i = emit_value(e, index, NULL);
    if (v->type->kind == TYPE_TENSOR) {
        if (i->type->kind != TYPE_INT)
            source_fail(n->range, "indexing a tensor with %s is not supported", type_annotation(i->type));
        ir_value *arguments[] = {v, emit_constant(e, const_int(0), n->range), i};
        return ir_out(emit_operator(e, "aten::select", n->range, arguments, 3), 0);
    }
    ir_value *arguments[] = {v, i};
    return ir_out(emit_operator(e, "aten::__getitem__", n->range, arguments, 2), 0);
}

/* ---- Operators of the language ---- */

static const char *operator_of(ast_kind kind) {
    static const struct {
        ast_kind kind;
        const char *name;
    } names[] = {{AST_ADD, "aten::add"}, {AST_SUB, "aten::sub"}, {AST_MUL, "aten::mul"}, {AST_DIV, "aten::div"},
                 {AST_FLOOR_DIV, "aten::floordiv"}, {AST_MOD, "aten::remainder"}, {AST_POW, "aten::pow"},
                 {AST_MATMUL, "aten::matmul"}, {AST_LSHIFT, "aten::__lshift__"}, {AST_RSHIFT, "aten::__rshift__"},
                 {AST_BIT_AND, "aten::__and__"}, {AST_BIT_OR, "aten::__or__"}, {AST_BIT_XOR, "aten::__xor__"}, {AST_LT, "aten::lt"},
                 {AST_GT, "aten::gt"}, {AST_LE, "aten::le"}, {AST_GE, "aten::ge"}, {AST_EQ, "aten::eq"}, {AST_NE, "aten::ne"},
                 {AST_IS, "aten::__is__"}, {AST_IS_NOT, "aten::__isnot__"}, {AST_NEG, "aten::neg"}, {AST_NOT, "aten::__not__"},
                 {AST_INVERT, "aten::bitwise_not"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == kind)
            return names[i].name;
    return NULL;
}

static ir_value *emit_binary(emitter *e, const ast_node *n) {
    if (n->kind == AST_AND || n->kind == AST_OR)
        source_fail(n->range, "'%s' is not supported", ast_kind_name(n->kind));
    ir_value *left = emit_value(e, n->binary.left, NULL), *right = emit_value(e, n->binary.right, NULL);
    if (n->kind == AST_IN) {
        ir_value *swapped[] = {right, left};
        return ir_out(emit_operator(e, "aten::__contains__", n->range, swapped, 2), 0);
    }
    ir_value *arguments[] = {left, right};
    return ir_out(emit_operator(e, operator_of(n->kind), n->range, arguments, 2), 0);
}

static ir_value *emit_unary(emitter *e, const ast_node *n) {
    ir_constant *literal = n->kind == AST_NEG ? number_literal(n->operand, true) : NULL;
    if (literal)
        return emit_constant(e, literal, n->range);
    ir_value *v = n->kind == AST_NOT ? emit_condition(e, n->operand) : emit_value(e, n->operand, NULL);
    return ir_out(emit_operator(e, operator_of(n->kind), n->range, &v, 1), 0);
}

sugared emit_sugared(emitter *e, const ast_node *n, const type *hint) {
    switch (n->kind) {
    case AST_VAR:
        return emit_name(e, n);
    case AST_SELECT:
        return emit_select(e, n);
    case AST_APPLY:
        return emit_apply(e, n, hint);
    case AST_SUBSCRIPT:
        return sugar_value(emit_subscript(e, n));
    case AST_LIST:
        return sugar_value(emit_list(e, n, hint));
    case AST_DICT:
        return sugar_value(emit_dict(e, n, hint));
    case AST_TUPLE:
        return sugar_value(emit_tuple(e, n, hint));
    case AST_UNSUPPORTED:
        source_fail(n->range, "%s", n->unsupported.message);
    case AST_NEG:
    case AST_NOT:
    case AST_INVERT:
        return sugar_value(emit_unary(e, n));
    default:
        break;
    }
    if (n->kind >= AST_ADD && n->kind <= AST_OR)
        return sugar_value(emit_binary(e, n));
    ir_constant *literal = emit_literal(e->program, n, NULL);
    if (!literal)
        source_fail(n->range, "Cannot emit expr for: %s", ast_kind_name(n->kind));
    return sugar_value(emit_constant(e, literal, n->range));
}
