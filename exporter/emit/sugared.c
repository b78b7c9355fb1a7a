/* Sugared values: their conversion to IR values, their attributes, their items. */
#include <string.h>

#include "exporter/emit/emit_module.h"
#include "exporter/program/builtins.h"

sugared sugar_value(ir_value *v) {
    sugared s = {0};
    s.kind = SUGAR_VALUE;
    s.value = v;
    s.type = v->type;
    return s;
}

sugared sugar_named(sugar_kind kind, const char *name) {
    sugared s = {0};
    s.kind = kind;
    s.name = name;
    return s;
}

/* ---- As values ---- */

static ir_value *tuple_value(emitter *e, const sugared *s, source_range range) {
    const type **types = NULL;
    ir_value **items = NULL;
    for (size_t i = 0; i < arrlenu(s->items); i++) {
        arrput(items, sugar_to_value(e, &s->items[i], range));
        arrput(types, items[i]->type);
    }
    uint32_t count = (uint32_t)arrlenu(items);
    const type *t = s->fields ? type_tuple_with_fields(s->fields, types, count) : type_tuple(types, count);
    return ir_out(emit_node_with(e, IR_TUPLE_CONSTRUCT, range, t, items, count), 0);
}

static ir_value *function_value(emitter *e, function *f, source_range range) {
    ir_constant *c = const_new(CONST_FUNCTION, type_basic(TYPE_FUNCTION));
    c->function = f;
    return emit_constant(e, c, range);
}

ir_value *sugar_to_value(emitter *e, const sugared *s, source_range range) {
    stack_check();
    switch (s->kind) {
    case SUGAR_VALUE:
        return env_view(e, s, range);
    case SUGAR_TUPLE:
        return tuple_value(e, s, range);
    case SUGAR_FUNCTION:
        if (e->is_python)
            source_fail(range, "function cannot be used as a value");
        return function_value(e, s->function, range);
    case SUGAR_PYTHON:
    case SUGAR_PACKAGE:
        source_fail(
            range,
            "python value of type '%s' cannot be used as a value. Perhaps it is a closed over global variable? If so, "
            "please consider passing it in as an argument or use a local varible instead.",
            s->kind == SUGAR_PACKAGE ? "module" : s->name);
    case SUGAR_OPERATOR:
    case SUGAR_SPECIAL:
        source_fail(range, "builtin cannot be used as a value");
    case SUGAR_RAISED:
        source_fail(range, "exception message cannot be used as a value");
    case SUGAR_CLASS:
        if (s->class_def->kind == TYPE_ENUM)
            source_fail(range, "EnumClass cannot be used as a value");
        if (e->is_python && s->class_def->kind == TYPE_CLASS)
            source_fail(range, "Python type cannot be used as a value");
        source_fail(range, "class '%s' cannot be used as a value", s->class_def->name);
    case SUGAR_METHOD:
        source_fail(range, "method cannot be used as a value");
    case SUGAR_RANGE:
        source_fail(range, "range cannot be used as a value");
    case SUGAR_ZIP:
        source_fail(range, "iterabletree cannot be used as a value");
    case SUGAR_PATH:
        source_fail(range, "undefined value %s", s->name);
    default:
        source_fail(range, "%s cannot be used as a value", s->name ? s->name : "this name");
    }
}

/* ---- Attributes ---- */

static const struct {
    type_kind kind;
    const char *name, *op;
} properties[] = {
    {TYPE_TENSOR, "dtype", "prim::dtype"},
    {TYPE_TENSOR, "device", "prim::device"},
    {TYPE_TENSOR, "grad", "prim::grad"},
    {TYPE_TENSOR, "data", "prim::data"},
    {TYPE_TENSOR, "shape", "aten::size"},
    {TYPE_TENSOR, "is_cuda", "prim::is_cuda"},
    {TYPE_TENSOR, "is_cpu", "prim::is_cpu"},
    {TYPE_TENSOR, "is_xpu", "prim::is_xpu"},
    {TYPE_TENSOR, "is_sparse", "prim::is_sparse"},
    {TYPE_TENSOR, "is_sparse_csr", "prim::is_sparse_csr"},
    {TYPE_TENSOR, "is_mkldnn", "prim::is_mkldnn"},
    {TYPE_TENSOR, "is_mps", "prim::is_mps"},
    {TYPE_TENSOR, "is_quantized", "prim::is_quantized"},
    {TYPE_TENSOR, "is_vulkan", "prim::is_vulkan"},
    {TYPE_TENSOR, "is_ipu", "prim::is_ipu"},
    {TYPE_TENSOR, "is_meta", "prim::is_meta"},
    {TYPE_TENSOR, "is_ort", "prim::is_ort"},
    {TYPE_TENSOR, "is_xla", "prim::is_xla"},
    {TYPE_TENSOR, "is_mtia", "prim::is_mtia"},
    {TYPE_TENSOR, "is_maia", "prim::is_maia"},
    {TYPE_TENSOR, "itemsize", "prim::itemsize"},
    {TYPE_TENSOR, "nbytes", "prim::nbytes"},
    {TYPE_TENSOR, "is_nested", "prim::is_nested"},
    {TYPE_TENSOR, "is_leaf", "aten::is_leaf"},
    {TYPE_TENSOR, "retains_grad", "aten::retains_grad"},
    {TYPE_TENSOR, "requires_grad", "prim::requires_grad"},
    {TYPE_TENSOR, "layout", "prim::layout"},
    {TYPE_TENSOR, "ndim", "aten::dim"},
    {TYPE_TENSOR, "T", "aten::numpy_T"},
    {TYPE_TENSOR, "H", "aten::matrix_H"},
    {TYPE_TENSOR, "mT", "aten::mT"},
    {TYPE_TENSOR, "mH", "aten::mH"},
    {TYPE_TENSOR, "real", "aten::real"},
    {TYPE_TENSOR, "imag", "aten::imag"},
    {TYPE_TENSOR, "name", "prim::name"},
    {TYPE_DEVICE, "type", "prim::type"},
    {TYPE_DEVICE, "index", "prim::index"},
};

static const char *property_operator(const type *t, const char *name) {
    for (size_t i = 0; i < sizeof properties / sizeof *properties; i++)
        if (properties[i].kind == t->kind && !strcmp(properties[i].name, name))
            return properties[i].op;
    return NULL;
}

static ir_value *tuple_field(emitter *e, ir_value *v, uint32_t i, source_range range) {
    ir_value *inputs[] = {v, emit_int(e, i, range)};
    return ir_out(emit_node_with(e, IR_TUPLE_INDEX, range, v->type->items[i], inputs, 2), 0);
}

static int field_index(const type *t, const char *name) {
    for (uint32_t i = 0; t->kind == TYPE_TUPLE && t->field_names && i < t->count; i++)
        if (!strcmp(t->field_names[i], name))
            return (int)i;
    return -1;
}

static ir_value *enum_part(emitter *e, ir_value *v, bool is_name, source_range range) {
    const class_def *c = v->type->definition;
    const type *t = is_name || !arrlenu(c->constants) ? type_basic(TYPE_STR) : c->constants[0].value->type;
    const char *op = is_name                 ? "prim::EnumName"
                     : t->kind == TYPE_INT   ? "prim::EnumValue.int"
                     : t->kind == TYPE_FLOAT ? "prim::EnumValue.float"
                                             : "prim::EnumValue.str";
    const op_schema *schema = schema_find(op);
    ir_node *n = emit_node_with(e, schema->kind, range, t, &v, 1);
    n->schema = schema;
    return ir_out(n, 0);
}

/* Whether some operator of this name takes a value of the type as `self`. */
static bool is_method_operator(const type *t, const char *op) {
    uint32_t count = 0;
    const op_schema *const *overloads = schema_overloads(op, &count);
    for (uint32_t i = 0; i < count; i++) {
        int at = schema_self_position(overloads[i]);
        if (at < 0)
            continue;
        const type *self = overloads[i]->arguments[at].type;
        if (type_is_subtype(t, self, NULL) || self->kind == TYPE_VAR ||
            (self->kind == t->kind && self->kind != TYPE_CLASS))
            return true;
        if (t->kind == TYPE_OPTIONAL && self->kind == TYPE_OPTIONAL)
            return true;
    }
    return false;
}

static sugared bound(sugar_kind kind, const char *name, ir_value *self) {
    sugared s = sugar_named(kind, intern(name));
    s.value = self;
    return s;
}

/* An attribute, constant, method or property of an object. */
static bool select_member(emitter *e, ir_value *v, const char *name, source_range range, sugared *out) {
    const class_def *c = v->type->definition;
    int slot = class_find_attribute(c, name);
    if (slot >= 0) {
        ir_node *get = emit_node_with(e, IR_GET_ATTR, range, c->attributes[slot].type, &v, 1);
        get->attribute = intern(name);
        *out = sugar_value(ir_out(get, 0));
        return true;
    }
    const class_constant *constant = class_find_constant(c, name);
    if (constant && c->kind == TYPE_CLASS) {
        *out = sugar_value(emit_constant(e, constant->value, range));
        return true;
    }
    if (class_find_method(c, name)) {
        *out = bound(SUGAR_METHOD, name, v);
        return true;
    }
    const char *getter = mem_printf("__%s_getter", name);
    if (e->is_python && class_find_method(c, getter)) {
        *out = sugar_value(emit_method(e, v, intern(getter), range, NULL, 0));
        return true;
    }
    return c->module && module_select(e, v, name, range, out);
}

static bool is_assigned_to(const ast_node *target, const char *name) {
    stack_check();
    for (uint32_t i = 0; target->kind == AST_TUPLE && i < target->sequence.count; i++)
        if (is_assigned_to(target->sequence.items[i], name))
            return true;
    return target->kind == AST_VAR && !strcmp(target->name, name);
}

/* The value that the body of a class assigns to a class variable; NULL when it assigns none of that name. */
static const ast_node *class_variable(const class_def *c, const char *name) {
    for (uint32_t i = 0; c && c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        for (uint32_t k = 0; n->kind == AST_ASSIGN && n->assign.value && k < n->assign.targets.count; k++)
            if (is_assigned_to(n->assign.targets.items[k], name))
                return n->assign.value;
    }
    return NULL;
}

_Noreturn static void no_attribute(const ir_value *v, const char *name, source_range range) {
    const type *t = v->type;
    const class_def *c = t->kind == TYPE_CLASS ? t->definition : NULL;
    if (c && c->module)
        source_fail(range, "Module '%s' has no attribute '%s' ", c->module->object->class_def->name, name);
    const char *hint = t->kind == TYPE_CLASS ? " Did you forget to initialize an attribute in __init__()?" : "";
    if (class_variable(c, name))
        hint = mem_printf(" '%s' is defined as a class attribute which currently is not supported. Consider converting "
                          "this to an instance attribute.",
                          name);
    source_fail(range, "'%s' object has no attribute or method '%s'.%s", ir_value_annotation(v), name, hint);
}

bool sugar_has_magic(const ir_value *v, const char *name, source_range range) {
    if (v->type->kind != TYPE_CLASS || !v->type->definition)
        return false;
    if (!class_find_method(v->type->definition, name))
        no_attribute(v, name, range);
    return true;
}

/* Tensor's methods that are named after dtypes and are no operators. */
static bool is_cast_method(const char *name) {
    static const char *const names[] = {"byte", "char",  "short",  "int",    "long",
                                        "half", "float", "double", "cfloat", "cdouble"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(names[i], name))
            return true;
    return false;
}

bool emit_is_special_method(const char *name) {
    return is_cast_method(name) || !strcmp(name, "tolist") || !strcmp(name, "type");
}

static sugared select_from_value(emitter *e, ir_value *v, const char *name, source_range range) {
    stack_check();
    const type *t = v->type;
    sugared s;
    /* PyTorch waits for an Await[T] whose attributes are asked for. */
    if (t->kind == TYPE_FUTURE && !is_method_operator(t, mem_printf("aten::%s", name)))
        return select_from_value(e, ir_out(emit_node_with(e, IR_WAIT, range, t->items[0], &v, 1), 0), name, range);
    if ((t->kind == TYPE_CLASS || t->kind == TYPE_INTERFACE) && t->definition && select_member(e, v, name, range, &s))
        return s;
    int field = field_index(t, name);
    if (field >= 0)
        return sugar_value(tuple_field(e, v, (uint32_t)field, range));
    if (t->kind == TYPE_ENUM && (!strcmp(name, "name") || !strcmp(name, "value")))
        return sugar_value(enum_part(e, v, name[0] == 'n', range));
    const char *op = property_operator(t, name);
    if (op)
        return sugar_value(emit_operator1(e, op, range, v));
    op = mem_printf("aten::%s", name);
    if (!strcmp(name, "tolist") && t->kind == TYPE_TENSOR)
        return bound(SUGAR_OPERATOR, op, v);
    if (t->kind == TYPE_TENSOR && e->is_python && is_cast_method(name))
        return bound(SUGAR_CAST, name, v);
    if (t->kind == TYPE_TENSOR && e->is_python && !strcmp(name, "type"))
        return bound(SUGAR_OPERATOR, "aten::to", v);
    if (t->kind == TYPE_CLASS || t->kind == TYPE_INTERFACE || t->kind == TYPE_ANY || !is_method_operator(t, op))
        no_attribute(v, name, range);
    return bound(SUGAR_OPERATOR, op, v);
}

static sugared select_enum_member(emitter *e, const class_def *c, const char *name, source_range range) {
    for (size_t i = 0; i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, name)) {
            ir_constant *member = const_new(CONST_ENUM, c->type);
            member->integer = (int64_t)i;
            return sugar_value(emit_constant(e, member, range));
        }
    source_fail(range, "%s' has no attribute '%s'", c->type->text, name);
}

static sugared select_from_path(emitter *e, const char *path, const char *part) {
    const char *name = intern(mem_printf("%s.%s", path, part));
    sugared s = sugar_named(SUGAR_PATH, name);
    s.class_def = program_find_class(e->program, name);
    if (s.class_def) {
        s.kind = SUGAR_CLASS;
        return s;
    }
    s.function = program_find_function(e->program, name);
    if (s.function)
        s.kind = SUGAR_FUNCTION;
    return s;
}

static sugared select_archive_constant(emitter *e, const char *name, source_range range) {
    ir_constant *c = program_constant_named(e->program, name);
    if (!c)
        source_fail(range, "the archive has no constant %s", name);
    return sugar_value(emit_constant(e, c, range));
}

static sugared select_from_class(emitter *e, const sugared *s, const char *name, source_range range) {
    if (s->class_def->kind == TYPE_ENUM)
        return select_enum_member(e, s->class_def, name, range);
    if (!strcmp(name, "__new__")) {
        sugared maker = *s;
        maker.kind = SUGAR_NEW;
        return maker;
    }
    sugared found = select_from_path(e, s->class_def->name, name);
    if (found.kind == SUGAR_PATH && s->class_def->module && module_static_method(e, s->class_def, name, &found))
        return found;
    const ast_node *variable = found.kind == SUGAR_PATH ? class_variable(s->class_def, name) : NULL;
    if (variable)
        return sugar_named(SUGAR_PYTHON, emit_python_type_of(variable));
    if (found.kind == SUGAR_PATH && e->is_python && s->class_def->kind == TYPE_TUPLE)
        source_fail(range, "attribute lookup is not defined on %s", s->class_def->name);
    if (found.kind == SUGAR_PATH && e->is_python)
        source_fail(range, "Tried to lookup unknown attribute on class %s", s->class_def->name);
    return found;
}

/* torch.ops.NAMESPACE.NAME */
static sugared namespace_member(emitter *e, const char *namespace, const char *name, source_range range) {
    uint32_t count;
    const char *op = intern(mem_printf("%s::%s", namespace, name));
    schema_overloads(op, &count);
    if (e->is_python && !count && !builtin_functions_of(e->program, op))
        source_fail(range, "object has no attribute %s", name);
    return sugar_named(SUGAR_OPERATOR, op);
}

sugared sugar_select(emitter *e, const sugared *s, const char *name, source_range range) {
    switch (s->kind) {
    case SUGAR_NAMESPACE:
        if (!strcmp(s->name, "aten") && !strcmp(name, "autograd"))
            return *s;
        return namespace_member(e, s->name, name, range);
    case SUGAR_OPS:
        return sugar_named(SUGAR_NAMESPACE, name);
    case SUGAR_PATH:
        return select_from_path(e, s->name, name);
    case SUGAR_CONSTANTS:
        return select_archive_constant(e, name, range);
    case SUGAR_CLASS:
        return select_from_class(e, s, name, range);
    case SUGAR_PACKAGE:
        return emit_package_member(e, s->name, name, range);
    case SUGAR_PYTHON:
        if (s->python)
            return module_python_attribute(e, s, name, range);
        source_fail(range, "attribute lookup is not defined on python value of type '%s'", s->name);
    case SUGAR_FUNCTION: /* static methods are printed as functions of the class's name */
        if (e->is_python)
            source_fail(range, "attribute lookup is not defined on function");
        return select_from_path(e, s->function->name, name);
    case SUGAR_TUPLE:
        for (size_t i = 0; i < arrlenu(s->fields); i++)
            if (!strcmp(s->fields[i], name))
                return s->items[i];
        return select_from_value(e, sugar_to_value(e, s, range), name, range);
    default:
        return select_from_value(e, sugar_to_value(e, s, range), name, range);
    }
}

bool sugar_has(emitter *e, const sugared *s, const char *name) {
    (void)e;
    if (s->kind == SUGAR_CLASS)
        return s->class_def->kind == TYPE_ENUM && class_find_constant(s->class_def, name);
    const type *t = s->value->type;
    const class_def *c = t->definition;
    return class_find_attribute(c, name) >= 0 || class_find_method(c, name) || class_find_constant(c, name) ||
           class_find_method(c, mem_printf("__%s_getter", name));
}

/* ---- Parts ---- */

sugared *sugar_unpack(emitter *e, const sugared *s, uint32_t count, source_range range) {
    if (s->kind == SUGAR_TUPLE)
        return s->items;
    if (s->kind == SUGAR_RANGE || s->kind == SUGAR_ZIP)
        source_fail(range, "%s cannot be used as a tuple", s->kind == SUGAR_RANGE ? "range" : "iterabletree");
    if (s->kind == SUGAR_PYTHON)
        source_fail(range, "python value of type '%s' cannot be used as a tuple", s->name);
    ir_value *v = sugar_to_value(e, s, range);
    bool is_tuple = v->type->kind == TYPE_TUPLE;
    if (!is_tuple && v->type->kind != TYPE_LIST)
        source_fail(range, "%s cannot be used as a tuple", ir_value_annotation(v));
    if (!is_tuple && count == UINT32_MAX)
        source_fail(range, "cannot statically infer the expected size of a list in this context");
    if (is_tuple)
        count = v->type->count;
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
