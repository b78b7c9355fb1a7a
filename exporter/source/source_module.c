/* Module classes: objects that __init__ made, as constants of the IR with classes of their own. */
#include <math.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/emit/emit_module.h"
#include "exporter/program/python_class.h"
#include "exporter/program/type_parser.h"
#include "exporter/source/source_module.h"

typedef struct {
    py_machine *machine;
    struct {
        char *key; /* made by class_key */
        class_def *value;
    } * classes;
    struct {
        char *key;
        bool value;
    } * stored; /* names of attributes that some method assigns */
    struct {
        const code_file *key;
        bool value;
    } * scanned;
    uint32_t copies; /* how many classes got a new name because theirs was taken */
    bool is_default; /* a parameter's default is converted to the parameter's type, not taken as it is */
} builder;

/* ---- Which attributes change ---- */

static void scan_target(builder *b, const ast_node *n) {
    stack_check();
    if (n->kind == AST_TUPLE || n->kind == AST_LIST)
        for (uint32_t i = 0; i < n->sequence.count; i++)
            scan_target(b, n->sequence.items[i]);
    else if (n->kind == AST_SELECT)
        shput(b->stored, (char *)n->select.name, true);
}

static void scan_statements(builder *b, const ast_list *list) {
    stack_check();
    for (uint32_t i = 0; i < list->count; i++) {
        const ast_node *n = list->items[i];
        if (n->kind == AST_ASSIGN)
            for (uint32_t k = 0; k < n->assign.targets.count; k++)
                scan_target(b, n->assign.targets.items[k]);
        else if (n->kind == AST_AUG_ASSIGN)
            scan_target(b, n->aug_assign.target);
        else if (n->kind == AST_IF) {
            scan_statements(b, &n->branch.if_true);
            scan_statements(b, &n->branch.if_false);
        } else if (n->kind == AST_FOR || n->kind == AST_WHILE)
            scan_statements(b, &n->loop.body);
        else if (n->kind == AST_WITH)
            scan_statements(b, &n->with.body);
        else if (n->kind == AST_CLASS)
            scan_statements(b, &n->class_def->body);
        else if (n->kind == AST_DEF && strcmp(n->def->name, "__init__"))
            scan_statements(b, &n->def->body);
    }
}

static void scan_file(builder *b, const code_file *file) {
    if (!file || hmgeti(b->scanned, file) >= 0)
        return;
    hmput(b->scanned, file, true);
    scan_statements(b, &file->tree->sequence);
}

/* ---- Values ---- */

static ir_constant *constant_from_value(builder *b, py_value *v, const type *wanted);

static ir_constant *tensor_constant(py_value *v) {
    py_tensor *t = v->tensor;
    if (t->constant)
        return t->constant;
    t->constant = const_tensor(py_tensor_data(t));
    t->constant->tensor->requires_grad = v->is_parameter && !t->is_frozen;
    return t->constant;
}

/* The type that all items fit, NULL when there is none. */
static const type *common_type(ir_constant *const *items, uint32_t count, uint32_t step) {
    const type *t = count ? items[0]->type : NULL;
    for (uint32_t i = step; t && i < count; i += step)
        t = type_unify(t, items[i]->type, false);
    return t;
}

/* A list or a tuple. A tuple is also taken where a list is wanted. */
static ir_constant *sequence_constant(builder *b, py_value *v, const type *wanted) {
    bool is_list = v->kind == PY_LIST || (wanted && wanted->kind == TYPE_LIST);
    ir_constant *c = const_new(is_list ? CONST_LIST : CONST_TUPLE, NULL);
    const type **types = NULL;
    bool fits = wanted && (is_list ? wanted->kind == TYPE_LIST
                                   : wanted->kind == TYPE_TUPLE && wanted->count == arrlenu(v->items));
    c->list.count = (uint32_t)arrlenu(v->items);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        const type *item_type = !fits ? NULL : is_list ? type_element(wanted) : wanted->items[i];
        if (b->is_default && is_list && (v->items[i]->kind == PY_DTYPE || v->items[i]->kind == PY_PATH) && item_type &&
            item_type->kind == TYPE_INT)
            return NULL; /* only a dtype or layout alone, or a field of a tuple, is an int */
        ir_constant *item = c->list.items[i] = constant_from_value(b, v->items[i], item_type);
        if (!item || (item_type && !type_is_subtype(item->type, item_type, NULL)))
            return NULL;
        arrput(types, item_type ? item_type : item->type);
    }
    const type *element = is_list && !fits ? common_type(c->list.items, c->list.count, 1) : NULL;
    if (is_list && !fits && !element)
        return NULL;
    const bool is_named = b->is_default && fits && wanted->field_names;
    c->type = is_named || (is_list && fits) ? wanted : is_list ? type_list(element) : type_tuple(types, c->list.count);
    return c;
}

static ir_constant *dict_constant(builder *b, py_value *v, const type *wanted) {
    ir_constant *c = const_new(CONST_DICT, NULL);
    bool fits = wanted && wanted->kind == TYPE_DICT;
    c->list.count = 2 * (uint32_t)arrlenu(v->entries);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i += 2) {
        c->list.items[i] = constant_from_value(b, v->entries[i / 2].key, fits ? wanted->items[0] : NULL);
        c->list.items[i + 1] = constant_from_value(b, v->entries[i / 2].value, fits ? wanted->items[1] : NULL);
        if (!c->list.items[i] || !c->list.items[i + 1])
            return NULL;
    }
    const type *key = common_type(c->list.items, c->list.count, 2);
    const type *value = key ? common_type(c->list.items + 1, c->list.count - 1, 2) : NULL;
    if (!fits && (!key || !value))
        return NULL;
    c->type = fits ? wanted : type_dict(key, value);
    return c;
}

static ir_constant *object_constant(builder *b, py_value *v);

static ir_constant *enum_constant(builder *b, const py_value *v) {
    const py_class *python = v->member.class_def;
    class_def *c = program_find_class(b->machine->program, mem_printf("%s.%s", python->file->qualifier, python->name));
    for (size_t i = 0; c && c->kind == TYPE_ENUM && i < arrlenu(c->constants); i++)
        if (!strcmp(c->constants[i].name, v->member.name)) {
            ir_constant *member = const_new(CONST_ENUM, c->type);
            member->integer = (int64_t)i;
            return member;
        }
    return NULL;
}

/* Whether PyTorch's conversion takes what Python iterates over for a list of this element type: other lists want
 * sequences. */
static bool takes_any_iterable(const type *element) {
    return element->kind != TYPE_INT && element->kind != TYPE_FLOAT && element->kind != TYPE_BOOL &&
           element->kind != TYPE_TENSOR;
}

static bool is_iterable(const py_value *v) {
    return v->kind == PY_STR || v->kind == PY_BYTES || v->kind == PY_SET || v->kind == PY_LIST || v->kind == PY_TUPLE ||
           (v->kind == PY_TENSOR && v->tensor->ndim) || (v->kind == PY_CLASS && v->class_def->is_enum);
}

static py_value *tuple_of(builder *b, py_value *v) {
    py_value *items = py_new(PY_TUPLE);
    items->items = py_iterate(b->machine, v);
    return items;
}

/* dict(pairs), or `v` itself when it does not hold pairs. */
static py_value *dict_of(builder *b, py_value *v) {
    py_value *dict = py_new(PY_DICT), **pairs = py_iterate(b->machine, v);
    for (size_t i = 0; i < arrlenu(pairs); i++) {
        py_value **pair = is_iterable(pairs[i]) ? py_iterate(b->machine, pairs[i]) : NULL;
        if (arrlenu(pair) != 2)
            return v;
        py_dict_set(dict, pair[0], pair[1]);
    }
    return dict;
}

/* What PyTorch makes a list, tuple or dict of. */
static py_value *container_converted(builder *b, py_value *v, const type *wanted) {
    if (!is_iterable(v))
        return v;
    if (wanted->kind == TYPE_DICT)
        return dict_of(b, v);
    if (wanted->kind == TYPE_TUPLE)
        return tuple_of(b, v);
    return takes_any_iterable(type_element(wanted)) ? tuple_of(b, v) : v;
}

/* A default value whose kind is not that of the parameter's type: a tensor with one element for a number, None for a
 * bool, a NamedTuple for a tuple or list, whatever can be iterated over for a container. Returns `v` itself when
 * nothing is converted. */
static py_value *default_converted(builder *b, py_value *v, const type *wanted) {
    const bool is_number = wanted->kind == TYPE_INT || wanted->kind == TYPE_FLOAT || wanted->kind == TYPE_BOOL ||
                           wanted->kind == TYPE_COMPLEX;
    double number;
    if (v->kind == PY_NONE && wanted->kind == TYPE_BOOL)
        return py_bool(false);
    if (v->kind == PY_OBJECT && py_is_named_tuple(v->object->class_def)) {
        py_value *items = py_new(PY_TUPLE);
        items->items = py_tuple_items(v);
        return items;
    }
    if (wanted->kind == TYPE_LIST || wanted->kind == TYPE_TUPLE || wanted->kind == TYPE_DICT)
        return container_converted(b, v, wanted);
    if (v->kind == PY_BYTES && wanted->kind == TYPE_STR)
        return py_str_n(v->string.bytes, v->string.length);
    if (v->kind == PY_CLASS && v->class_def->is_enum && wanted->kind == TYPE_BOOL)
        return py_bool(true);
    if (v->kind != PY_TENSOR || !is_number)
        return v;
    for (int d = 0; d < v->tensor->ndim; d++)
        if (v->tensor->sizes[d] != 1)
            return v;
    py_value *item = py_tensor_item(b->machine, v);
    return wanted->kind == TYPE_INT && item->kind == PY_FLOAT && py_number(item, &number) && fabs(number) < 0x1p63
               ? py_int((int64_t)number)
               : item;
}

/* Only an int that is wanted is made of these; layouts are ints by themselves. */
static bool is_memory_format(const char *path) {
    return !strncmp(path, "torch.channels_last", 19) || !strcmp(path, "torch.contiguous_format") ||
           !strcmp(path, "torch.preserve_format");
}

/* NULL when TorchScript has no such value. */
static ir_constant *constant_from_value(builder *b, py_value *v, const type *wanted) {
    stack_check();
    double number, imaginary;
    int64_t integer;
    if (wanted && b->is_default)
        v = default_converted(b, v, wanted->kind == TYPE_OPTIONAL && v->kind != PY_NONE ? wanted->items[0] : wanted);
    wanted = wanted ? type_without_none(wanted) : NULL;
    if (wanted && wanted->kind == TYPE_FLOAT && py_number(v, &number))
        return const_float(number);
    if (wanted && wanted->kind == TYPE_DEVICE && v->kind == PY_STR)
        return py_is_device(v->string.bytes) ? const_device(v->string.bytes, v->string.length) : NULL;
    if (wanted && wanted->kind == TYPE_COMPLEX && py_complex_parts(v, &number, &imaginary))
        return const_complex(number, imaginary);
    if (wanted && wanted->kind == TYPE_BOOL && py_complex_parts(v, &number, &imaginary))
        return const_bool(number != 0 || imaginary != 0);
    if (wanted && wanted->kind == TYPE_INT && v->kind == PY_BOOL && py_integer(v, &integer))
        return const_int(integer);
    if (b->is_default && wanted && v->kind == PY_PATH && (wanted->kind == TYPE_INT || !is_memory_format(v->path)))
        return package_number(v->path);
    switch (v->kind) {
    case PY_TENSOR:
        return tensor_constant(v);
    case PY_LIST:
        return v->is_range && !(b->is_default && wanted && wanted->kind == TYPE_LIST) ? NULL
                                                                                      : sequence_constant(b, v, wanted);
    case PY_TUPLE:
        return sequence_constant(b, v, wanted);
    case PY_DICT:
        return dict_constant(b, v, wanted);
    case PY_OBJECT:
        if (py_is_named_tuple(v->object->class_def))
            return constant_from_value(b, tuple_of(b, v), wanted);
        return v->object->class_def->is_module && !b->is_default ? object_constant(b, v) : NULL;
    case PY_ENUM:
        return v->member.class_def->has_values ? constant_from_value(b, v->member.value, wanted) : enum_constant(b, v);
    default:
        return py_argument_constant(v);
    }
}

/* ---- Attributes ---- */

/* Leaves *t as it is when TorchScript does not know the type. */
static void try_type(program *p, const ast_node *annotation, const type **t) {
    diag_handler h;
    if (DIAG_TRY(&h))
        return;
    *t = type_of_expression(p, annotation);
    diag_end(&h);
}

/* The type that the author states for an attribute; NULL when none is stated, or none that TorchScript knows. */
static const type *stated_type(builder *b, const py_object *o, const py_member *member) {
    program *p = b->machine->program;
    const code_file *file = member->annotation_file, *outer = p->main_file;
    const ast_node *annotation = member->annotation;
    const type *t = NULL;
    if (member->role == MEMBER_MODULE || member->value->kind == PY_TENSOR)
        return NULL;
    if (annotation && member->value->kind == PY_NONE && shgeti(b->stored, member->name) < 0)
        return NULL; /* it stays None, so its annotation in __init__ does not count */
    if (!annotation)
        annotation = py_class_annotation(o->class_def, member->name, &file);
    if (!annotation || (py_is_final(annotation) && annotation->kind != AST_SUBSCRIPT))
        return NULL;
    p->main_file = file;
    try_type(p, annotation, &t);
    p->main_file = outer;
    return t;
}

static bool is_scalar(const py_value *v) {
    return v->kind == PY_ENUM || v->kind == PY_BOOL || v->kind == PY_INT || v->kind == PY_FLOAT || v->kind == PY_STR ||
           v->kind == PY_DTYPE;
}

/* What becomes a constant of the class: values that cannot be changed in place. */
static bool is_immutable(const py_value *v) {
    stack_check();
    for (size_t i = 0; v->kind == PY_TUPLE && i < arrlenu(v->items); i++)
        if (!is_immutable(v->items[i]))
            return false;
    return is_scalar(v) || (v->kind == PY_TUPLE && arrlenu(v->items));
}

/* Whether a member becomes a constant of the class: a number, string or tuple of such that is declared to be constant,
 * or that no method assigns and whose class does not state a wider type. */
static bool is_constant_member(builder *b, const py_object *o, const py_member *member, const type *stated,
                               const ir_constant *v) {
    if (!is_immutable(member->value) || !strcmp(member->name, "training"))
        return false;
    if (py_declares_constant(b->machine, o, member->name))
        return true;
    bool is_wider = stated && stated != v->type && !member->annotation;
    return !is_wider && shgeti(b->stored, member->name) < 0;
}

/* Adds a member as an attribute or as a constant. What TorchScript cannot hold is left out; functions among it
 * are found by module_select. */
static void add_member(builder *b, class_def *c, ir_constant ***slots, const py_object *o, const py_member *member) {
    const type *stated = stated_type(b, o, member);
    ir_constant *v = constant_from_value(b, member->value, stated);
    if (!v || (stated && !type_is_subtype(v->type, stated, NULL)))
        return;
    if (is_constant_member(b, o, member, stated, v)) {
        class_constant constant = {member->name, v};
        arrput(c->constants, constant);
        return;
    }
    class_attribute a = {.name = member->name, .type = stated ? stated : v->type};
    a.is_parameter = member->role == MEMBER_PARAMETER;
    a.is_buffer = member->role == MEMBER_BUFFER;
    arrput(c->attributes, a);
    arrput(*slots, v);
}

/* ---- Classes ---- */

/* A text that is equal for objects that can share a class. */
static const char *class_key(const class_def *c, const py_object *o) {
    strbuf key = {0};
    strbuf_printf(&key, "%p", (const void *)o->class_def->syntax);
    for (size_t i = 0; i < arrlenu(c->attributes); i++)
        strbuf_printf(&key, "|%s:%p:%d", c->attributes[i].name, (const void *)c->attributes[i].type,
                      c->attributes[i].is_parameter);
    for (size_t i = 0; i < arrlenu(o->members); i++) {
        const py_value *v = o->members[i].value;
        bool is_constant = class_find_constant(c, o->members[i].name);
        if (!is_constant && class_find_attribute(c, o->members[i].name) >= 0)
            continue;
        strbuf_printf(&key, "|%s=%d", o->members[i].name, v->kind);
        if (is_constant)
            py_show(v, true, &key);
        else if (v->kind == PY_PATH)
            strbuf_add(&key, v->path);
        else
            strbuf_printf(&key, "%p", (const void *)v);
    }
    for (size_t i = 0; i < arrlenu(o->hooks); i++)
        strbuf_printf(&key, "|%d:%p:%p", o->hooks[i].is_before, (const void *)o->hooks[i].function->function.def,
                      (const void *)o->hooks[i].function->function.scope);
    return key.text;
}

static bool is_library_class(const py_class *c, const char *name) {
    for (size_t i = 0; i < arrlenu(c->order); i++)
        if (c->order[i]->file && c->order[i]->file->is_builtin && !strcmp(c->order[i]->name, name))
            return true;
    return false;
}

static module_container container_of(const py_class *c) {
    if (is_library_class(c, "ModuleDict") || is_library_class(c, "ParameterDict"))
        return CONTAINER_DICT;
    bool is_list =
        is_library_class(c, "ModuleList") || is_library_class(c, "Sequential") || is_library_class(c, "ParameterList");
    return is_list ? CONTAINER_LIST : NO_CONTAINER;
}

static const char *unique_name(builder *b, const py_class *c) {
    const char *qualifier = c->file ? c->file->qualifier : "__torch__.torch.nn.modules.module";
    const char *name = mem_printf("%s.%s", qualifier, c->name);
    while (shgeti(b->machine->program->classes, name) >= 0)
        name = mem_printf("__torch__.___torch_mangle_%u.%s.%s", b->copies++, qualifier + strlen("__torch__."), c->name);
    return intern(name);
}

static const class_lazy_methods module_methods;

/* Completes a class whose attributes and constants are known, unless one like it is there already. */
static class_def *finish_class(builder *b, class_def *c, const py_object *o) {
    program *p = b->machine->program;
    const char *key = class_key(c, o);
    class_def *known = shget(b->classes, key);
    if (known)
        return known;
    c->kind = TYPE_CLASS;
    c->name = unique_name(b, o->class_def);
    c->is_module = true;
    c->type = type_nominal(TYPE_CLASS, c->name, c);
    c->syntax = o->class_def->syntax;
    c->file = o->class_def->file ? o->class_def->file->source : NULL;
    c->lazy_methods = &module_methods;
    c->module = MEM_NEW(struct module_class);
    *c->module = (struct module_class){.machine = b->machine, .object = o, .container = container_of(o->class_def)};
    shput(p->classes, (char *)c->name, c);
    arrput(p->class_order, c);
    shput(b->classes, (char *)key, c);
    return c;
}

static ir_constant *object_constant(builder *b, py_value *v) {
    py_object *o = v->object;
    if (o->constant)
        return o->constant;
    for (size_t i = 0; i < arrlenu(o->class_def->order); i++)
        scan_file(b, o->class_def->order[i]->file);
    class_def *c = MEM_NEW(class_def);
    ir_constant **slots = NULL;
    for (size_t i = 0; i < arrlenu(o->members); i++)
        add_member(b, c, &slots, o, &o->members[i]);
    c = finish_class(b, c, o);
    o->constant = const_new(CONST_OBJECT, c->type);
    o->constant->list.items = slots;
    o->constant->list.count = (uint32_t)arrlenu(slots);
    return o->constant;
}

ir_constant *module_constant(py_machine *m, py_value *module) {
    builder b = {.machine = m};
    scan_file(&b, m->program->main_file);
    return object_constant(&b, module);
}

/* ---- Default values ---- */

/* Whether PyTorch refuses a value because it may change. */
static bool is_mutable(const py_value *v) {
    stack_check();
    for (size_t i = 0; v->kind == PY_TUPLE && i < arrlenu(v->items); i++)
        if (is_mutable(v->items[i]))
            return true;
    return (v->kind == PY_LIST && !v->is_range) || v->kind == PY_DICT;
}

ir_constant *module_default_value(program *p, const ast_node *value, const type *t, const char **mutable_type) {
    py_machine *m = py_machine_new(p);
    builder b = {.machine = m, .is_default = true};
    m->range = value->range;
    py_value *v = py_eval(m, py_file_scope(m, p->main_file), value);
    if (v->kind == PY_LIST && v->is_range && t && type_without_none(t)->kind == TYPE_BOOL) /* no other sequence is */
        return const_bool(py_truth(m, v));
    if (is_mutable(v)) {
        *mutable_type = py_type_name(v);
        return NULL;
    }
    return constant_from_value(&b, v, t);
}

/* ---- Methods ---- */

/* "__NAME_getter" and "__NAME_setter" belong to the property NAME; NULL for other names. */
static const char *property_name(const char *name, const char *role) {
    size_t n = strlen(name), end = strlen(role);
    bool fits = n > end + 2 && !strncmp(name, "__", 2) && !strcmp(name + n - end, role);
    return fits ? intern_n(name + 2, n - end - 2) : NULL;
}

/* The def that a method's name means; NULL when there is none that can be compiled. */
static const ast_def *find_def(const py_class *c, const char *name, py_class **owner) {
    const char *got = property_name(name, "_getter"), *set = property_name(name, "_setter");
    if (set)
        return py_class_setter(c, set, owner);
    if (!strncmp(name, "__", 2) && !got)
        return NULL;
    const ast_def *d = py_class_method(c, got ? got : name, owner);
    bool fits = d && ast_has_decorator(&d->decorators, "property") == (got != NULL) &&
                !ast_has_decorator(&d->decorators, "staticmethod");
    return fits ? d : NULL;
}

static function *find_method(class_def *c, const char *name) {
    const struct module_class *module = c->module;
    py_class *owner;
    const ast_def *d = find_def(module->object->class_def, name, &owner);
    if (!d)
        return NULL;
    bool is_native = module->container && owner->file->is_builtin && strcmp(name, "forward");
    if (is_native)
        return NULL; /* append(), items(): compile time only */
    const ast_def *compiled = python_def_to_compile(d);
    function *f = program_declare_function(module->machine->program, mem_printf("%s.%s", c->name, name), compiled,
                                           owner->file, c);
    python_mark_dropped(f, d);
    arrput(c->methods, f);
    arrput(module->machine->program->function_order, f);
    return f;
}

static function **exported_methods(class_def *c) {
    function **entries = NULL, *forward = class_find_method(c, "forward");
    if (forward)
        arrput(entries, forward);
    const py_class *python = c->module->object->class_def;
    for (size_t i = 0; i < arrlenu(python->order); i++) {
        const ast_class *syntax = python->order[i]->syntax;
        for (uint32_t k = 0; syntax && k < syntax->body.count; k++) {
            const ast_node *n = syntax->body.items[k];
            bool is_exported = n->kind == AST_DEF && strcmp(n->def->name, "forward") &&
                               (ast_has_decorator(&n->def->decorators, "export") ||
                                ast_has_decorator(&n->def->decorators, "script_method"));
            function *f = is_exported ? class_find_method(c, n->def->name) : NULL;
            if (f)
                arrput(entries, f);
        }
    }
    return entries;
}

/* ---- Hooks ---- */

/* The hook of a name that was declared before; NULL when there is none. */
static function *declared_hook(const struct module_class *module, const char *name) {
    for (int before = 0; before < 2; before++)
        for (size_t i = 0; i < arrlenu(module->hooks[before].functions); i++)
            if (!strcmp(module->hooks[before].functions[i]->base_name, name))
                return module->hooks[before].functions[i];
    return NULL;
}

static function *declare_hook(class_def *c, const py_hook *hook) {
    const ast_def *d = hook->function->function.def;
    function *known = declared_hook(c->module, d->name);
    if (known && known->syntax != d)
        diag_fail("%s '%s' on %s has at least two different python definitions. Please use unique names for all hooks.",
                  hook->is_before ? "Pre-hook" : "Hook", d->name, c->module->object->class_def->name);
    if (known)
        return known;
    for (size_t i = 0; i < arrlenu(c->methods); i++)
        if (!strcmp(c->methods[i]->base_name, d->name))
            diag_fail("Can't define hook: %s on class: %s because a method or hook with that name already exists.",
                      d->name, c->name);
    program *p = c->module->machine->program;
    function *f =
        program_declare_function(p, mem_printf("%s.%s", c->name, d->name), d, hook->function->function.scope->file, c);
    arrput(p->function_order, f);
    return f;
}

static function **module_hooks(class_def *c, bool before) {
    struct module_class *module = c->module;
    const py_hook *hooks = module->object->hooks;
    for (size_t i = 0; !module->hooks[before].are_declared && i < arrlenu(hooks); i++) {
        function *f = hooks[i].is_before == before ? declare_hook(c, &hooks[i]) : NULL;
        if (f)
            arrput(module->hooks[before].functions, f);
    }
    module->hooks[before].are_declared = true;
    return module->hooks[before].functions;
}

static const class_lazy_methods module_methods = {find_method, exported_methods, module_hooks};
