/* Modules in the code that is compiled: containers are iterated over and indexed at compile time, and functions among a
 * module's attributes are called as functions. */
#include <string.h>

#include "exporter/emit/emit_module.h"

static const struct module_class *module_of(const sugared *s) {
    bool is_object = s->kind == SUGAR_VALUE && s->value->type->kind == TYPE_CLASS && s->value->type->definition;
    return is_object ? s->value->type->definition->module : NULL;
}

bool module_is_container(const sugared *s) {
    const struct module_class *module = module_of(s);
    return module && module->container;
}

/* ---- Items ---- */

/* A ParameterList holds parameters, the other containers modules. */
static bool is_item(const struct module_class *module, const py_member *member) {
    bool is_child = member->role == MEMBER_MODULE && member->value->kind == PY_OBJECT;
    return is_child || (module->container && member->role == MEMBER_PARAMETER);
}

static sugared item_named(emitter *e, ir_value *container, const char *name, source_range range) {
    sugared s = sugar_value(container);
    return sugar_select(e, &s, name, range);
}

static sugared name_value(emitter *e, const char *name, source_range range) {
    return sugar_value(emit_constant(e, const_str(name, strlen(name)), range));
}

sugared module_items(emitter *e, ir_value *container, const char *which, source_range range) {
    const struct module_class *module = container->type->definition->module;
    bool with_names = !strcmp(which, "items") || !strncmp(which, "named_", 6), only_names = !strcmp(which, "keys");
    sugared tuple = sugar_named(SUGAR_TUPLE, NULL);
    for (size_t i = 0; i < arrlenu(module->object->members); i++) {
        const py_member *member = &module->object->members[i];
        if (!is_item(module, member))
            continue;
        sugared key = name_value(e, member->name, range);
        sugared value = only_names ? key : item_named(e, container, member->name, range);
        if (with_names) {
            sugared both = sugar_named(SUGAR_TUPLE, NULL);
            arrput(both.items, key);
            arrput(both.items, value);
            value = both;
        }
        arrput(tuple.items, value);
    }
    return tuple;
}

const char *module_iteration(const sugared *container) {
    return module_of(container)->container == CONTAINER_DICT ? "keys" : "values";
}

bool module_known_integer(const ir_value *v, int64_t *result) {
    stack_check();
    int64_t a, b;
    if (ir_constant_int(v, result))
        return true;
    const ir_node *n = v->node;
    if (!n->schema || ir_input_count(n) != 2 || !module_known_integer(ir_in(n, 0), &a) ||
        !module_known_integer(ir_in(n, 1), &b))
        return false;
    const char *op = n->schema->full_name;
    bool is_division = !strcmp(op, "aten::floordiv.int") || !strcmp(op, "aten::remainder.int");
    if (!strcmp(op, "aten::add.int"))
        *result = a + b;
    else if (!strcmp(op, "aten::sub.int"))
        *result = a - b;
    else if (!strcmp(op, "aten::mul.int"))
        *result = a * b;
    else if (is_division && a >= 0 && b > 0)
        *result = op[6] == 'f' ? a / b : a % b;
    else
        return false;
    return true;
}

static int64_t known_index(emitter *e, const ast_node *n, int64_t otherwise) {
    int64_t index;
    if (!n || n->kind == AST_NONE)
        return otherwise;
    if (!module_known_integer(emit_value(e, n, NULL), &index))
        source_fail(n->range, "tuple slice indices must be integer constants");
    return index;
}

static sugared slice_items(emitter *e, const sugared *all, const ast_node *slice) {
    int64_t count = (int64_t)arrlenu(all->items), step = known_index(e, slice->slice.step, 1);
    int64_t start = known_index(e, slice->slice.start, 0), stop = known_index(e, slice->slice.stop, count);
    sugared part = sugar_named(SUGAR_TUPLE, NULL);
    if (step <= 0)
        source_fail(slice->range, "slices of modules must have a positive step");
    start += start < 0 ? count : 0;
    stop += stop < 0 ? count : 0;
    for (int64_t i = start < 0 ? 0 : start; i < stop && i < count; i += step)
        arrput(part.items, all->items[i]);
    return part;
}

static sugared dict_item(emitter *e, const sugared *container, const ast_node *n) {
    const ast_node *index = n->subscript.indices.items[0];
    const struct module_class *module = module_of(container);
    const ir_constant *key = ir_constant_of(emit_value(e, index, NULL));
    if (!key || key->kind != CONST_STR)
        source_fail(n->range, "Unable to extract string literal index. ModuleDict indexing is only supported with "
                              "string literals. Enumeration of ModuleDict is supported, e.g. 'for k, v in "
                              "self.items(): ...'");
    const py_member *member = py_find_member(module->object, key->string.bytes);
    if (!member || !is_item(module, member))
        source_fail(n->range, "Key Error, %s", key->string.bytes);
    return item_named(e, container->value, member->name, n->range);
}

ir_value *module_contains(emitter *e, const sugared *container, ir_value *key, source_range range) {
    if (module_of(container)->container != CONTAINER_DICT)
        source_fail(range, "'in' is supported for ModuleDict and ParameterDict, not for other modules");
    if (key->type->kind != TYPE_STR)
        source_fail(range,
                    "__contains__(%s self, str key) -> bool:\nExpected a value of type 'str' for argument 'key' but "
                    "instead found type '%s'.\n",
                    container->type->text, type_annotation(key->type));
    sugared keys = module_items(e, container->value, "keys", range);
    ir_value **names = NULL;
    for (size_t i = 0; i < arrlenu(keys.items); i++)
        arrput(names, keys.items[i].value);
    ir_node *list =
        emit_node_with(e, IR_LIST_CONSTRUCT, range, type_list(type_basic(TYPE_STR)), names, (uint32_t)arrlenu(names));
    return emit_operator2(e, "aten::__contains__", range, ir_out(list, 0), key);
}

sugared module_subscript(emitter *e, const sugared *container, const ast_node *n) {
    const ast_node *index = n->subscript.indices.items[0];
    if (module_of(container)->container == CONTAINER_DICT)
        return dict_item(e, container, n);
    sugared all = module_items(e, container->value, "values", n->range);
    if (index->kind == AST_SLICE)
        return slice_items(e, &all, index);
    int64_t at, count = (int64_t)arrlenu(all.items);
    if (!module_known_integer(emit_value(e, index, NULL), &at))
        source_fail(
            n->range,
            "Expected integer literal for index but got a variable or non-integer. ModuleList/Sequential indexing "
            "is only supported with integer literals. For example, 'i = 4; self.layers[i](x)' will fail because "
            "i is not a literal. Enumeration is supported, e.g. 'for index, v in enumerate(self): out = "
            "v(inp)':\nExpected integer literal for index. ModuleList/Sequential indexing is only supported with "
            "integer "
            "literals. Enumeration is supported, e.g. 'for index, v in enumerate(self): ...'");
    if (at < -count || at >= count)
        source_fail(n->range, "Index %lld out of range of length %lld", (long long)at, (long long)count);
    return all.items[at < 0 ? at + count : at];
}

/* ---- Attributes that only Python has ---- */

static bool lists_children(const struct module_class *module, const char *name) {
    bool of_dict = !strcmp(name, "items") || !strcmp(name, "keys") || !strcmp(name, "values");
    return of_dict ? module->container == CONTAINER_DICT : !strcmp(name, "children") || !strcmp(name, "named_children");
}

/* A function that is defined at a file's top level; false for other functions. */
static bool file_function(emitter *e, const py_value *f, sugared *out) {
    const code_file *file = f->function.scope->file;
    const char *name = mem_printf("%s.%s", file->qualifier, f->function.def->name);
    function *found = f->function.owner ? NULL : program_find_function(e->program, name);
    if (!found || found->syntax != f->function.def)
        return false;
    *out = sugar_named(SUGAR_FUNCTION, NULL);
    out->function = found;
    return true;
}

/* A lambda or nested function. It sees the names of its file, but not those of the function around it. */
static void local_function(emitter *e, const class_def *c, const py_value *f, sugared *out) {
    const ast_def *d = f->function.def;
    const char *name = *d->name == '<' ? "lambda" : d->name;
    const char *full = mem_printf("%s.%s_%u", c->name, name, (unsigned)d->body.items[0]->range.start);
    *out = sugar_named(SUGAR_FUNCTION, NULL);
    out->function = shget(e->program->functions, full);
    if (out->function)
        return;
    out->function = program_declare_function(e->program, full, d, f->function.scope->file, NULL);
    shput(e->program->functions, (char *)out->function->name, out->function);
    arrput(e->program->function_order, out->function);
}

/* self.f = self.other */
static bool own_bound_method(const py_value *v, const struct module_class *module) {
    return v->kind == PY_METHOD && v->method.self->kind == PY_OBJECT && v->method.self->object == module->object &&
           v->method.function->kind == PY_FUNCTION;
}

bool module_static_method(emitter *e, const class_def *c, const char *name, sugared *out) {
    py_class *owner;
    const ast_def *d = py_class_method(c->module->object->class_def, name, &owner);
    if (!d || !ast_has_decorator(&d->decorators, "staticmethod"))
        return false;
    const char *full = mem_printf("%s.%s", c->name, name);
    *out = sugar_named(SUGAR_FUNCTION, NULL);
    out->function = shget(e->program->functions, full);
    if (!out->function) {
        out->function = program_declare_function(e->program, full, d, owner->file, NULL);
        shput(e->program->functions, (char *)out->function->name, out->function);
        arrput(e->program->function_order, out->function);
    }
    return true;
}

static sugared python_object(const class_def *c, const py_value *v) {
    sugared s = sugar_named(SUGAR_PYTHON, v->object->class_def->name);
    s.class_def = (class_def *)c;
    s.python = (py_value *)v;
    return s;
}

sugared module_python_attribute(emitter *e, const sugared *object, const char *name, source_range range) {
    py_machine *m = object->class_def->module->machine;
    m->range = range;
    py_value *v = py_attribute(m, object->python, name);
    if (v->kind == PY_OBJECT && !v->object->class_def->is_module)
        return python_object(object->class_def, v);
    bool is_mutable = v->kind == PY_LIST || v->kind == PY_TENSOR;
    ir_constant *constant = is_mutable ? NULL : py_argument_constant(v);
    if (!constant)
        source_fail(range, "attribute '%s' of the Python object '%s' is a '%s', which cannot be used in TorchScript",
                    name, object->name, py_type_name(v));
    return sugar_value(emit_constant(e, constant, range));
}

/* ---- super() ---- */

/* The class of the module whose method is being compiled; NULL when no such method is. */
static class_def *module_under_compilation(const emitter *e) {
    class_def *c = e->function ? e->function->owner : NULL;
    return c && c->module ? c : NULL;
}

bool module_is_super(const emitter *e, const ast_node *n) {
    bool is_call = n->kind == AST_APPLY && n->apply.callee->kind == AST_VAR;
    return is_call && !strcmp(n->apply.callee->name, "super") && module_under_compilation(e);
}

sugared module_super_method(emitter *e, const ast_node *select) {
    class_def *c = module_under_compilation(e);
    const char *name = select->select.name;
    py_class *owner;
    const ast_def *d = py_class_method_after(c->module->object->class_def, e->function->syntax, name, &owner);
    if (!d)
        source_fail(select->range, "'super' object has no attribute '%s'", name);
    sugared s = sugar_named(SUGAR_METHOD, intern(mem_printf("%s__%s", name, owner->name)));
    s.value = e->graph->block->param->outputs[0];
    if (class_find_method(c, s.name))
        return s;
    function *f = program_declare_function(e->program, mem_printf("%s.%s", c->name, s.name), d, owner->file, c);
    arrput(c->methods, f);
    arrput(e->program->function_order, f);
    return s;
}

/* ---- Conditions ---- */

/* Whether `self.NAME` is a constant, or a plain Python object whose attributes are. */
static bool is_known_attribute(const class_def *c, const char *name, bool is_object) {
    const py_member *member = py_find_member(c->module->object, name);
    if (!is_object)
        return class_find_constant(c, name);
    return member && member->value->kind == PY_OBJECT && !member->value->object->class_def->is_module;
}

static bool is_known(const class_def *c, const ast_node *n, const char *self, bool *has_self);

static bool are_known(const class_def *c, const ast_list *list, const char *self, bool *has_self) {
    for (uint32_t i = 0; i < list->count; i++)
        if (!is_known(c, list->items[i], self, has_self))
            return false;
    return true;
}

/* self.NAME, self.OBJECT.NAME, ... */
static bool is_known_select(const class_def *c, const ast_node *n, const char *self) {
    const ast_node *first = n;
    while (first->select.value->kind == AST_SELECT)
        first = first->select.value;
    bool is_of_self = first->select.value->kind == AST_VAR && !strcmp(first->select.value->name, self);
    return is_of_self && is_known_attribute(c, first->select.name, first != n);
}

static bool is_known(const class_def *c, const ast_node *n, const char *self, bool *has_self) {
    stack_check();
    switch (n->kind) {
    case AST_INT:
    case AST_FLOAT:
    case AST_STRING:
    case AST_TRUE:
    case AST_FALSE:
    case AST_NONE:
        return true;
    case AST_TUPLE:
    case AST_LIST:
        return are_known(c, &n->sequence, self, has_self);
    case AST_NOT:
    case AST_NEG:
        return is_known(c, n->operand, self, has_self);
    case AST_SELECT:
        *has_self = true;
        return is_known_select(c, n, self);
    default:
        return n->kind >= AST_ADD && n->kind <= AST_OR && is_known(c, n->binary.left, self, has_self) &&
               is_known(c, n->binary.right, self, has_self);
    }
}

int module_known_truth(emitter *e, const ast_node *n) {
    const class_def *c = module_under_compilation(e);
    const char *self = c ? e->function->schema->arguments[0].name : NULL;
    bool has_self = false;
    if (!c || !e->is_python || !is_known(c, n, self, &has_self) || !has_self)
        return -1;
    py_machine *m = c->module->machine;
    py_scope scope = {.outer = py_file_scope(m, e->function->code), .file = e->function->code};
    py_value *object = py_new(PY_OBJECT);
    object->object = (py_object *)c->module->object;
    py_bind(&scope, self, object);
    m->range = n->range;
    return py_truth(m, py_eval(m, &scope, n));
}

/* ---- Attributes of modules ---- */

/* The type that TorchScript infers for a value; NULL, with the reason in `why`, when it infers none. */
static const type *inferred_type(const py_value *v, strbuf *why);

/* The type of all values at `count` places; NULL when they have none in common. `form` describes them. */
static const type *inferred_common_type(py_value *const *items, size_t count, const char *form, strbuf *why) {
    const type *common = NULL;
    for (size_t i = 0; i < count; i++) {
        const type *t = inferred_type(items[i], why);
        if (!t)
            return NULL;
        const type *both = common ? type_unify(common, t, false) : t;
        if (!both) {
            strbuf_printf(why, "%s inputs to traced functions must have consistent %stype. Found %s and %s", form,
                          strcmp(form, "List") ? "" : "element ", type_annotation(common), type_annotation(t));
            return NULL;
        }
        common = both;
    }
    return common;
}

static const type *inferred_list_type(const py_value *v, strbuf *why) {
    strbuf reason = {0};
    if (!arrlenu(v->items)) {
        strbuf_add(why, "List trace inputs must have elements");
        return NULL;
    }
    const type *element = inferred_common_type(v->items, arrlenu(v->items), "List", &reason);
    bool is_own = reason.length && !strncmp(reason.text, "List inputs", strlen("List inputs"));
    if (!element)
        strbuf_printf(why, "%s%s", is_own ? "" : "Could not infer type of list element: ", reason.text);
    return element ? type_list(element) : NULL;
}

static const type *inferred_dict_type(const py_value *v, strbuf *why) {
    py_value **keys = NULL, **values = NULL;
    for (size_t i = 0; i < arrlenu(v->entries); i++) {
        arrput(keys, v->entries[i].key);
        arrput(values, v->entries[i].value);
    }
    if (!arrlenu(keys)) {
        strbuf_add(why, "Dictionary inputs must have entries");
        return NULL;
    }
    const type *key = inferred_common_type(keys, arrlenu(keys), "Dictionary", why);
    const type *value = key ? inferred_common_type(values, arrlenu(values), "Dictionary", why) : NULL;
    return value ? type_dict(key, value) : NULL;
}

static const type *inferred_type(const py_value *v, strbuf *why) {
    stack_check();
    const type **types = NULL;
    switch (v->kind) {
    case PY_LIST:
        return inferred_list_type(v, why);
    case PY_DICT:
        return inferred_dict_type(v, why);
    case PY_TUPLE:
        for (size_t i = 0; i < arrlenu(v->items); i++) {
            arrput(types, inferred_type(v->items[i], why));
            if (!arrlast(types))
                return NULL;
        }
        return type_tuple(types, (uint32_t)arrlenu(types));
    case PY_TENSOR:
        return type_basic(TYPE_TENSOR);
    default:
        break;
    }
    ir_constant *c = py_argument_constant(v);
    if (!c)
        strbuf_printf(why,
                      "Only tensors and (possibly nested) tuples of tensors, lists, or dictsare supported as inputs or "
                      "outputs of traced functions, but instead got value of type %s.",
                      py_type_name(v));
    return c ? c->type : NULL;
}

_Noreturn static void fail_attribute(const struct module_class *module, const char *name, const py_value *v,
                                     source_range range) {
    strbuf why = {0};
    if (v->kind == PY_FUNCTION)
        source_fail(range,
                    "Module '%s' has no attribute '%s' (This function exists as an attribute on the Python module, but "
                    "we failed to compile it to a TorchScript function.)",
                    module->object->class_def->name, name);
    inferred_type(v, &why);
    source_fail(range,
                "Module '%s' has no attribute '%s' (This attribute exists on the Python module, but we failed to "
                "convert Python type: '%s' to a TorchScript type. %s. Its type was inferred; try adding a type "
                "annotation for the attribute.)",
                module->object->class_def->name, name, py_type_name(v), strbuf_text(&why));
}

bool module_select(emitter *e, ir_value *self, const char *name, source_range range, sugared *out) {
    const class_def *c = self->type->definition;
    const struct module_class *module = c->module;
    if (lists_children(module, name)) {
        *out = sugar_named(SUGAR_CHILDREN, intern(name));
        out->value = self;
        return true;
    }
    const py_member *member = py_find_member(module->object, name);
    const py_value *v = member ? member->value : NULL;
    if (!member && module_static_method(e, c, name, out))
        return true;
    if (!member)
        v = py_class_variable(module->machine, module->object->class_def, name);
    if (!v)
        return false;
    if (v->kind == PY_FUNCTION) {
        if (!file_function(e, v, out))
            local_function(e, c, v, out);
        return true;
    }
    if (own_bound_method(v, module)) {
        *out = sugar_named(SUGAR_METHOD, intern(v->method.function->function.def->name));
        out->value = self;
        return class_find_method((class_def *)c, out->name);
    }
    if (v->kind == PY_PATH) {
        *out = emit_python_path(e, v->path, range);
        return true;
    }
    if (v->kind == PY_OBJECT && !v->object->class_def->is_module) {
        *out = python_object(c, v);
        return true;
    }
    bool is_constant = !member && py_declares_constant(module->machine, module->object, name);
    ir_constant *constant = is_constant ? py_argument_constant(v) : NULL;
    if (!constant && !member)
        return false; /* TorchScript does not see variables of the class */
    if (!constant)
        fail_attribute(module, name, v, range);
    *out = sugar_value(emit_constant(e, constant, range));
    return true;
}
