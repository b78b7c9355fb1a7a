/* Classes of Python: inheritance, attributes, construction. */
#include <string.h>

#include "exporter/library/library.h"
#include "exporter/python/py_eval.h"

/* ---- Classes ---- */

/* Adds the method resolution order of a base. A class that several bases share is placed after the last of them. */
static void add_order(py_class *c, py_class *const *base_order) {
    for (size_t i = 0; i < arrlenu(base_order); i++) {
        for (size_t k = arrlenu(c->order); k-- > 0;)
            if (c->order[k] == base_order[i])
                arrdel(c->order, k);
        arrput(c->order, base_order[i]);
    }
}

/* Bases that add nothing: object, abstract base classes, Generic[T]. */
static bool is_empty_base(const char *path) {
    return !strcmp(path, "builtins.object") || !strncmp(path, "abc.", 4) || !strncmp(path, "typing.", 7);
}

static void add_base(py_machine *m, py_class *c, const ast_node *base) {
    if (base->kind == AST_ATTRIBUTE)
        return; /* metaclass=... */
    py_value *v = py_eval(m, c->scope->outer, base);
    bool is_enum = v->kind == PY_PATH && !strncmp(v->path, "enum.", 5);
    c->is_enum |= is_enum || (v->kind == PY_CLASS && v->class_def->is_enum);
    bool is_of_values = v->kind == PY_PATH && (!strcmp(v->path, "builtins.str") || !strcmp(v->path, "builtins.int"));
    c->has_numbers |= v->kind == PY_PATH && (!strcmp(v->path, "enum.IntEnum") || !strcmp(v->path, "builtins.int"));
    c->has_values |= is_of_values || c->has_numbers || (v->kind == PY_CLASS && v->class_def->has_values);
    c->has_numbers |= v->kind == PY_CLASS && v->class_def->has_numbers;
    if (is_of_values) /* class Color(str, Enum) */
        return;
    if (v->kind == PY_PATH && (c->is_enum || is_empty_base(v->path)))
        return;
    if (v->kind == PY_CLASS && v->class_def->is_open)
        source_fail(base->range, "class '%s' inherits from itself", v->class_def->name);
    if (v->kind == PY_PATH && !strcmp(v->path, "torch.jit.ScriptModule")) {
        v = py_new(PY_CLASS);
        v->class_def = m->module_class;
    }
    if (v->kind != PY_CLASS)
        source_fail(base->range, "a class that inherits from this is not supported at compile time");
    add_order(c, v->class_def->order);
    c->is_module |= v->class_def->is_module;
}

py_class *py_class_in(py_machine *m, const ast_class *syntax, py_scope *scope) {
    py_class *c = MEM_NEW(py_class);
    c->name = syntax->name;
    c->syntax = syntax;
    c->file = scope->file;
    c->scope = MEM_NEW(py_scope);
    c->scope->file = scope->file;
    c->scope->outer = scope;
    arrput(c->order, c);
    hmput(m->classes, syntax, c);
    c->is_open = true;
    for (uint32_t i = 0; i < syntax->bases.count; i++)
        add_base(m, c, syntax->bases.items[i]);
    c->is_open = false;
    if (arrlenu(c->order) > LIMIT_BASE_DEPTH)
        limit_fail(OVER_BASE_DEPTH);
    return c;
}

py_class *py_class_of(py_machine *m, const ast_class *syntax, const code_file *file) {
    py_class *c = hmget(m->classes, syntax);
    return c ? c : py_class_in(m, syntax, py_file_scope(m, file));
}

bool py_class_is(const py_class *c, const py_class *base) {
    for (size_t i = 0; i < arrlenu(c->order); i++)
        if (c->order[i] == base)
            return true;
    return false;
}

py_class *py_library_class(py_machine *m, const char *name) {
    const char *line = mem_printf("\nclass %s(", name);
    if (!strcmp(name, "Module"))
        return m->module_class;
    for (size_t i = 0; i < library_count; i++) {
        if (!library[i].is_python || !strstr(library[i].text, line))
            continue;
        code_file *file = program_add_python_library(m->program, &library[i]);
        return py_class_of(m, shget(file->definitions, name)->class_def, file);
    }
    return NULL;
}

/* ---- Class members ---- */

/* The class's own def of a name: the setter of a property, or any other def. */
static const ast_def *own_def(const py_class *c, const char *name, bool is_setter) {
    const ast_def *found = NULL;
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind == AST_DEF && !strcmp(n->def->name, name) &&
            ast_has_decorator(&n->def->decorators, "setter") == is_setter)
            found = n->def;
    }
    return found;
}

static const ast_def *own_method(const py_class *c, const char *name) {
    return own_def(c, name, false);
}

const ast_def *py_class_setter(const py_class *c, const char *name, py_class **owner) {
    for (size_t i = 0; i < arrlenu(c->order); i++) {
        const ast_def *d = own_def(c->order[i], name, true);
        *owner = c->order[i];
        if (d)
            return d;
    }
    return NULL;
}

const ast_def *py_class_method(const py_class *c, const char *name, py_class **owner) {
    for (size_t i = 0; i < arrlenu(c->order); i++) {
        const ast_def *d = own_method(c->order[i], name);
        *owner = c->order[i];
        if (d)
            return d;
    }
    return NULL;
}

const ast_def *py_class_method_after(const py_class *c, const ast_def *current, const char *name, py_class **owner) {
    bool is_behind = false;
    for (size_t i = 0; i < arrlenu(c->order); i++) {
        const ast_def *d = is_behind ? own_method(c->order[i], name) : NULL;
        *owner = c->order[i];
        if (d)
            return d;
        is_behind |= own_method(c->order[i], current->name) == current;
    }
    return NULL;
}

/* enum.auto() */
static bool is_auto(const ast_node *n) {
    const char *callee = n->kind == AST_APPLY ? ast_dotted_name(n->apply.callee) : NULL;
    return callee && (!strcmp(callee, "auto") || !strcmp(callee, "enum.auto"));
}

/* A class in the body of a class. */
static py_value *own_class(py_machine *m, const py_class *c, const char *name) {
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_CLASS || strcmp(n->class_def->name, name))
            continue;
        py_value *v = py_new(PY_CLASS);
        v->class_def = py_class_of(m, n->class_def, c->file);
        return v;
    }
    return NULL;
}

static py_value *own_variable(py_machine *m, py_class *c, const char *name) {
    py_value *known = c->scope && c->scope->names ? shget(c->scope->names, name) : NULL;
    if (!known)
        known = own_class(m, c, name);
    for (uint32_t i = 0; !known && c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        bool binds = n->kind == AST_ASSIGN && n->assign.value && n->assign.targets.items[0]->kind == AST_VAR &&
                     !strcmp(n->assign.targets.items[0]->name, name);
        if (!binds)
            continue;
        known =
            c->is_enum && is_auto(n->assign.value) ? py_enum_auto(m, c, name) : py_eval(m, c->scope, n->assign.value);
        py_bind(c->scope, name, known);
    }
    return known;
}

py_value *py_class_variable(py_machine *m, const py_class *c, const char *name) {
    py_value *v = NULL;
    for (size_t i = 0; !v && i < arrlenu(c->order); i++)
        v = own_variable(m, c->order[i], name);
    return v;
}

/* A def as an attribute of `self` (NULL: of the class itself). */
static py_value *bind_method(py_machine *m, const ast_def *d, py_class *owner, py_class *c, py_value *self) {
    bool is_static = ast_has_decorator(&d->decorators, "staticmethod");
    py_value *f = py_function(d, owner->scope->outer, is_static ? NULL : owner), *method = py_new(PY_METHOD);
    method->method.function = f;
    method->method.self = self;
    if (ast_has_decorator(&d->decorators, "classmethod")) {
        method->method.self = py_new(PY_CLASS);
        method->method.self->class_def = c;
        return method;
    }
    if (is_static || !self)
        return f;
    return ast_has_decorator(&d->decorators, "property") ? py_call(m, method, &(py_arguments){0}) : method;
}

/* What the class and its bases, from position `from` of the order on, have under a name. */
static py_value *class_attribute_from(py_machine *m, py_class *c, size_t from, const char *name, py_value *self) {
    for (size_t i = from; i < arrlenu(c->order); i++) {
        const ast_def *d = own_method(c->order[i], name);
        py_value *v = d ? bind_method(m, d, c->order[i], c, self) : own_variable(m, c->order[i], name);
        if (v)
            return v;
    }
    return NULL;
}

/* ---- Attributes ---- */

static py_value *members_as_dict(const py_object *o, member_role role) {
    py_value *dict = py_new(PY_DICT);
    dict->is_ordered = true;
    for (size_t i = 0; i < arrlenu(o->members); i++)
        if (o->members[i].role == role)
            py_dict_set(dict, py_str(o->members[i].name), o->members[i].value);
    return dict;
}

static py_value *module_attribute(py_value *v, const char *name) {
    if (!strcmp(name, "_modules"))
        return members_as_dict(v->object, MEMBER_MODULE);
    if (!strcmp(name, "_parameters"))
        return members_as_dict(v->object, MEMBER_PARAMETER);
    if (!strcmp(name, "_buffers"))
        return members_as_dict(v->object, MEMBER_BUFFER);
    return py_module_method(v, name);
}

static py_value *object_attribute(py_machine *m, py_value *v, const char *name) {
    py_object *o = v->object;
    py_member *member = py_find_member(o, name);
    if (member)
        return member->value;
    py_value *found = class_attribute_from(m, o->class_def, 0, name, v);
    if (found)
        return found;
    if (!strcmp(name, "__class__")) {
        found = py_new(PY_CLASS);
        found->class_def = o->class_def;
        return found;
    }
    if (py_is_named_tuple(o->class_def))
        return py_tuple_attribute(m, v, name);
    if (!strcmp(name, "__setattr__"))
        return py_native(v, name);
    return o->class_def->is_module ? module_attribute(v, name) : NULL;
}

static py_value *super_attribute(py_machine *m, py_value *v, const char *name) {
    py_value *self = v->super.self;
    bool on_class = self->kind == PY_CLASS;
    py_class *c = on_class ? self->class_def : self->object->class_def;
    size_t from = 0;
    while (from < arrlenu(c->order) && c->order[from] != v->super.after)
        from++;
    py_value *found = class_attribute_from(m, c, from + 1, name, on_class ? NULL : self);
    if (found)
        return found;
    bool is_native = (c->is_module && py_is_module_method(name)) || !strcmp(name, "__init__");
    return is_native ? py_native(self, name) : NULL;
}

static py_value *class_object_attribute(py_machine *m, py_value *v, const char *name) {
    if (!strcmp(name, "__name__"))
        return py_str(v->class_def->name);
    py_value *found = class_attribute_from(m, v->class_def, 0, name, NULL);
    if (!found && py_is_named_tuple(v->class_def))
        return py_tuple_attribute(m, v, name);
    if (found && v->class_def->is_enum && found->kind != PY_CLASS && found->kind != PY_FUNCTION &&
        found->kind != PY_METHOD) {
        py_value *member = py_new(PY_ENUM);
        member->member.class_def = v->class_def;
        member->member.name = intern(name);
        member->member.value = found;
        return member;
    }
    bool is_native = !found && v->class_def->is_module && py_is_module_method(name);
    return is_native ? py_path(mem_printf("torch.nn.Module.%s", name)) : found;
}

static py_value *tensor_attribute(py_machine *m, py_value *v, const char *name) {
    if (!strcmp(name, "data"))
        return v;
    if (!strcmp(name, "dtype")) {
        py_value *dtype = py_new(PY_DTYPE);
        dtype->integer = v->tensor->dtype;
        return dtype;
    }
    if (!strcmp(name, "device"))
        return py_device("cpu");
    if (!strcmp(name, "ndim"))
        return py_int(v->tensor->ndim);
    if (!strcmp(name, "requires_grad"))
        return py_bool(v->is_parameter && !v->tensor->is_frozen);
    if (!strcmp(name, "T"))
        return py_tensor_operator(m, "aten::numpy_T", &v, 1, NULL, 0);
    if (!strcmp(name, "shape"))
        return py_call_tensor_method(m, v, "size", &(py_arguments){0});
    return py_is_tensor_method(name) ? py_native(v, name) : NULL;
}

py_value *py_attribute_or_null(py_machine *m, py_value *v, const char *name) {
    stack_check();
    switch (v->kind) {
    case PY_OBJECT:
        return object_attribute(m, v, name);
    case PY_SUPER:
        return super_attribute(m, v, name);
    case PY_CLASS:
        return class_object_attribute(m, v, name);
    case PY_TENSOR:
        return tensor_attribute(m, v, name);
    case PY_PATH:
        return py_resolve_path(m, mem_printf("%s.%s", v->path, name));
    case PY_ENUM:
        return !strcmp(name, "value") ? v->member.value : !strcmp(name, "name") ? py_str(v->member.name) : NULL;
    case PY_DEVICE:
        return py_device_attribute(v, name);
    case PY_COMPLEX:
        return !strcmp(name, "real") || !strcmp(name, "imag") ? py_float(name[0] == 'r' ? v->parts.re : v->parts.im)
                                                              : NULL;
    case PY_FUNCTION:
        return !strcmp(name, "__name__") ? py_str(v->function.def->name) : NULL;
    default:
        return py_has_native(v, name) ? py_native(v, name) : NULL;
    }
}

py_value *py_attribute(py_machine *m, py_value *v, const char *name) {
    py_value *found = py_attribute_or_null(m, v, name);
    if (!found && v->kind == PY_CLASS)
        py_fail(m, "type object '%s' has no attribute '%s'", v->class_def->name, name);
    if (!found)
        py_fail(m, "'%s' object has no attribute '%s'", py_type_name(v), name);
    return found;
}

static bool is_module_value(const py_value *v) {
    return v->kind == PY_OBJECT && v->object->class_def->is_module;
}

/* The role of a module's member; the first value that is assigned decides it. */
static member_role role_of(py_machine *m, const py_object *o, const py_member *before, const py_value *v,
                           const char *name) {
    bool is_parameter = v->kind == PY_TENSOR && v->is_parameter;
    if (!o->class_def->is_module)
        return MEMBER_PLAIN;
    bool is_buffer = v->kind == PY_TENSOR && v->is_buffer;
    if (!o->is_initialized && (is_parameter || is_buffer || is_module_value(v)))
        py_fail(m, "AttributeError: cannot assign %s before Module.__init__() call",
                is_parameter ? "parameters"
                : is_buffer  ? "buffer"
                             : "module");
    if (is_parameter)
        return MEMBER_PARAMETER;
    if (is_module_value(v))
        return MEMBER_MODULE;
    bool stays = before && before->role != MEMBER_PLAIN &&
                 (v->kind == PY_NONE || (v->kind == PY_TENSOR && before->role == MEMBER_BUFFER));
    if (before && before->role == MEMBER_PARAMETER && !stays)
        py_fail(m, "TypeError: cannot assign '%s' as parameter '%s' (torch.nn.Parameter or None expected)",
                v->kind == PY_TENSOR ? "torch.FloatTensor" : py_type_name(v), name);
    if (is_buffer)
        return MEMBER_BUFFER;
    return stays ? before->role : MEMBER_PLAIN;
}

void py_set_attribute(py_machine *m, py_value *v, const char *name, py_value *to) {
    if (v->kind == PY_TENSOR && !strcmp(name, "data") && to->kind == PY_TENSOR) {
        *v->tensor = *to->tensor;
        return;
    }
    if (v->kind == PY_TENSOR && !strcmp(name, "requires_grad")) {
        v->tensor->is_frozen = !py_truth(m, to);
        return;
    }
    bool is_maker = v->kind == PY_NATIVE && v->native.self->kind == PY_CLASS && !strcmp(name, "__defaults__");
    if (is_maker) {
        py_tuple_set_defaults(m, v->native.self->class_def, py_iterate(m, to));
        return;
    }
    if (v->kind == PY_CLASS && v->class_def->scope) {
        py_bind(v->class_def->scope, name, to);
        return;
    }
    if (v->kind != PY_OBJECT)
        py_fail(m, "setting attribute '%s' of a '%s' is not supported at compile time", name, py_type_name(v));
    py_member *before = py_find_member(v->object, name);
    member_role role = role_of(m, v->object, before, to, name);
    bool is_persistent = before && before->role == MEMBER_BUFFER ? before->is_persistent : true;
    py_member *member = py_add_member(v->object, name);
    member->is_persistent = to->kind == PY_TENSOR && to->is_buffer ? to->is_persistent : is_persistent;
    member->role = role;
    member->value = to;
}

void py_delete_attribute(py_machine *m, py_value *v, const char *name) {
    py_member *member = v->kind == PY_OBJECT ? py_find_member(v->object, name) : NULL;
    if (!member)
        py_fail(m, "'%s' object has no attribute '%s'", py_type_name(v), name);
    arrdel(v->object->members, (size_t)(member - v->object->members));
}

/* ---- Construction ---- */

/* Whether the class statement lists its fields: a dataclass or a NamedTuple. */
static bool lists_fields(const py_class *c) {
    for (uint32_t i = 0; c->syntax && i < c->syntax->decorators.count; i++) {
        const ast_node *d = c->syntax->decorators.items[i];
        const char *text = ast_dotted_name(d->kind == AST_APPLY ? d->apply.callee : d);
        if (text && (!strcmp(text, "dataclass") || !strcmp(text, "dataclasses.dataclass")))
            return true;
    }
    return py_is_named_tuple(c);
}

/* Sets the fields of one class statement from arguments and defaults; `next` is the position of the next argument. */
static void set_fields(py_machine *m, py_value *v, py_class *c, const py_arguments *a, size_t *next, size_t *used) {
    for (uint32_t i = 0; c->syntax && i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        bool is_field = n->kind == AST_ASSIGN && n->assign.type && n->assign.targets.items[0]->kind == AST_VAR;
        if (!is_field)
            continue;
        const char *name = n->assign.targets.items[0]->name;
        py_value *given = py_argument(a, (*next)++, name);
        *used += given != NULL;
        if (!given && !n->assign.value)
            py_fail(m, "%s.__init__() missing 1 required positional argument: '%s'", c->name, name);
        py_set_attribute(m, v, name, given ? given : py_eval(m, c->scope, n->assign.value));
    }
}

/* The fields of a namedtuple without a class statement. */
static void set_listed_fields(py_machine *m, py_value *v, const py_class *c, const py_arguments *a, size_t *next,
                              size_t *used) {
    for (size_t i = 0; i < arrlenu(c->fields); i++) {
        py_value *given = py_argument(a, (*next)++, c->fields[i].name);
        *used += given != NULL;
        if (!given && !c->fields[i].otherwise)
            py_fail(m, "%s.__new__() missing 1 required positional argument: '%s'", c->name, c->fields[i].name);
        py_set_attribute(m, v, c->fields[i].name, given ? given : c->fields[i].otherwise);
    }
}

static void construct_fields(py_machine *m, py_value *v, py_class *c, const py_arguments *a) {
    size_t next = 0, used = 0;
    for (size_t i = arrlenu(c->order); i-- > 0;)
        set_listed_fields(m, v, c->order[i], a, &next, &used);
    for (size_t i = arrlenu(c->order); i-- > 0;)
        set_fields(m, v, c->order[i], a, &next, &used);
    if (used < arrlenu(a->items) + arrlenu(a->keywords))
        py_fail(m, "%s.__init__() got an unexpected argument", c->name);
    py_value *after = class_attribute_from(m, c, 0, "__post_init__", v);
    if (after)
        py_call(m, after, &(py_arguments){0});
}

/* Norm("batch"): the member with that value. */
static py_value *construct_member(py_machine *m, py_class *c, const py_arguments *a) {
    py_value *value = py_required(m, a, 0, "value"), *member = py_enum_valued(m, c, value);
    strbuf text = {0};
    py_show(value, true, &text);
    if (!member)
        py_fail(m, "ValueError: %s is not a valid %s", strbuf_text(&text), c->name);
    return member;
}

py_value *py_construct(py_machine *m, py_class *c, py_arguments *a) {
    if (c->is_enum)
        return construct_member(m, c, a);
    py_value *v = py_new(PY_OBJECT);
    v->object = MEM_NEW(py_object);
    v->object->class_def = c;
    py_value *init = class_attribute_from(m, c, 0, "__init__", v);
    if (init)
        py_call(m, init, a);
    else if (c->is_module)
        py_call_module_method(m, v, "__init__", a);
    else if (lists_fields(c))
        construct_fields(m, v, c, a);
    else if (arrlenu(a->items) || arrlenu(a->keywords))
        py_fail(m, "%s() takes no arguments", c->name);
    return v;
}

/* ---- isinstance ---- */

static bool is_of_path(const py_value *v, const char *path) {
    const char *dot = strrchr(path, '.');
    const char *name = dot ? dot + 1 : path;
    if (!strcmp(name, "Parameter"))
        return v->kind == PY_TENSOR && v->is_parameter;
    if (!strcmp(name, "Buffer"))
        return v->kind == PY_TENSOR && v->is_buffer;
    if (!strcmp(name, "int") || !strcmp(name, "Integral"))
        return v->kind == PY_INT || v->kind == PY_BOOL;
    if (!strcmp(name, "object"))
        return true;
    if (!strcmp(name, "OrderedDict") || !strcmp(name, "Mapping"))
        return v->kind == PY_DICT && (v->is_ordered || name[0] == 'M');
    bool is_sequence = v->kind == PY_LIST || v->kind == PY_TUPLE || v->kind == PY_STR;
    if (!strcmp(name, "Iterable") || !strcmp(name, "Sequence") || !strcmp(name, "Collection"))
        return is_sequence || (name[0] != 'S' && (v->kind == PY_DICT || v->kind == PY_SET || v->kind == PY_TENSOR));
    if (!strcmp(name, "Callable"))
        return (v->kind >= PY_FUNCTION && v->kind <= PY_CLASS) || v->kind == PY_PATH || v->kind == PY_NATIVE;
    if (!strcmp(name, "Number") || !strcmp(name, "Real"))
        return v->kind == PY_INT || v->kind == PY_FLOAT || v->kind == PY_BOOL;
    if (!strcmp(name, "tuple") && v->kind == PY_OBJECT)
        return py_is_named_tuple(v->object->class_def);
    const char *type = strrchr(py_type_name(v), '.');
    return !strcmp(name, type ? type + 1 : py_type_name(v));
}

bool py_is_instance(py_machine *m, const py_value *v, const py_value *type) {
    stack_check();
    if (type->kind == PY_TUPLE) {
        for (size_t i = 0; i < arrlenu(type->items); i++)
            if (py_is_instance(m, v, type->items[i]))
                return true;
        return false;
    }
    if (type->kind == PY_NONE)
        return v->kind == PY_NONE;
    if (type->kind == PY_CLASS)
        return v->kind == PY_OBJECT && py_class_is(v->object->class_def, type->class_def);
    if (type->kind != PY_PATH)
        py_fail(m, "isinstance() arg 2 must be a type or tuple of types");
    return is_of_path(v, type->path);
}

/* ---- Annotations ---- */

const ast_node *py_class_annotation(const py_class *c, const char *name, const code_file **file) {
    for (size_t i = 0; i < arrlenu(c->order); i++) {
        const ast_class *syntax = c->order[i]->syntax;
        for (uint32_t k = 0; syntax && k < syntax->body.count; k++) {
            const ast_node *n = syntax->body.items[k];
            bool is_wanted = n->kind == AST_ASSIGN && n->assign.type && n->assign.targets.items[0]->kind == AST_VAR &&
                             !strcmp(n->assign.targets.items[0]->name, name);
            *file = c->order[i]->file;
            if (is_wanted)
                return n->assign.type;
        }
    }
    return NULL;
}

bool py_is_final(const ast_node *annotation) {
    bool has_type = annotation->kind == AST_SUBSCRIPT;
    const char *name = ast_dotted_name(has_type ? annotation->subscript.value : annotation);
    const char *dot = name ? strrchr(name, '.') : NULL;
    return name && !strcmp(dot ? dot + 1 : name, "Final");
}

bool py_declares_constant(py_machine *m, const py_object *o, const char *name) {
    const code_file *file;
    const ast_node *annotation = py_class_annotation(o->class_def, name, &file);
    if (annotation && py_is_final(annotation))
        return true;
    const py_value *listed = py_class_variable(m, o->class_def, "__constants__");
    bool is_list = listed && (listed->kind == PY_LIST || listed->kind == PY_TUPLE || listed->kind == PY_SET);
    for (size_t i = 0; is_list && i < arrlenu(listed->items); i++)
        if (listed->items[i]->kind == PY_STR && !strcmp(listed->items[i]->string.bytes, name))
            return true;
    return false;
}
