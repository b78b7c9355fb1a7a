/* Lite programs: classes and attributes from pickled objects, functions from lifted bytecode. */
#include "exporter/lite/lite_program.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/emit/emit.h"
#include "exporter/lite/infer.h"
#include "exporter/lite/lift.h"
#include "exporter/lite/type_text.h"
#include "exporter/program/program_internal.h"
#include "exporter/program/type_parser.h"

/* ---- Classes ---- */

static void declare_class(program *p, const char *name) {
    if (shget(p->classes, name))
        return;
    class_def *c = MEM_NEW(class_def);
    c->name = intern(name);
    c->kind = TYPE_CLASS;
    c->is_module = true;
    c->type = type_nominal(TYPE_CLASS, c->name, c);
    shput(p->classes, (char *)c->name, c);
    arrput(p->class_order, c);
}

/* A walk over a pickle that visits shared values once. stb_ds arrays. */
typedef struct {
    pkl_value **seen, **objects;
} object_walk;

static void find_objects(object_walk *w, pkl_value *v) {
    stack_check();
    if (v->user || v->kind < PKL_LIST)
        return;
    v->user = v;
    arrput(w->seen, v);
    if (v->kind == PKL_LIST || v->kind == PKL_TUPLE)
        for (size_t i = 0; i < v->seq.count; i++)
            find_objects(w, v->seq.items[i]);
    else if (v->kind == PKL_DICT)
        for (size_t i = 0; i < v->dict.count; i++)
            find_objects(w, v->dict.entries[i].value);
    else if (v->kind == PKL_OBJECT) {
        arrput(w->objects, v);
        if (v->object.state)
            find_objects(w, v->object.state);
    }
}

/* All objects of the module and of the functions' constants, an stb_ds array. */
static pkl_value **objects_of(const lite_module *m) {
    object_walk w = {0};
    find_objects(&w, m->root);
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        for (size_t k = 0; k < arrlenu(m->functions[i].constants); k++)
            find_objects(&w, m->functions[i].constants[k]);
    for (size_t i = 0; i < arrlenu(w.seen); i++)
        w.seen[i]->user = NULL;
    return w.objects;
}

static bool is_custom_class(const char *name) {
    static const char prefix[] = "__torch__.torch.classes.";
    return !strncmp(name, prefix, sizeof prefix - 1);
}

/* ---- Attributes ---- */

static const type *type_of_value(program *p, const pkl_value *v);

/* Of the items so far (NULL: none) and one more. */
static const type *common_type(program *p, const type *t, const pkl_value *v) {
    const type *item = type_of_value(p, v);
    return t ? type_unify(t, item, true) : item;
}

static const type *type_of_items(program *p, const pkl_value *v) {
    const type *t = NULL;
    for (size_t i = 0; i < v->seq.count; i++)
        t = common_type(p, t, v->seq.items[i]);
    return t ? t : type_basic(TYPE_TENSOR);
}

static const type *type_of_tuple(program *p, const pkl_value *v) {
    const type **items = NULL;
    for (size_t i = 0; i < v->seq.count; i++)
        arrput(items, type_of_value(p, v->seq.items[i]));
    return type_tuple(items, (uint32_t)v->seq.count);
}

static const type *type_of_dict(program *p, const pkl_value *v) {
    const type *key = NULL, *value = NULL;
    for (size_t i = 0; i < v->dict.count; i++) {
        key = common_type(p, key, v->dict.entries[i].key);
        value = common_type(p, value, v->dict.entries[i].value);
    }
    return type_dict(key ? key : type_basic(TYPE_STR), value ? value : type_basic(TYPE_TENSOR));
}

/* The type that the file states for a list or dict. */
static const type *tagged_type(program *p, const pkl_value *v) {
    const type *t = type_of_text(p, v->type);
    if (t->kind != (v->kind == PKL_LIST ? TYPE_LIST : TYPE_DICT))
        diag_fail("a %s of the module has the type %s", pkl_kind_name(v->kind), type_annotation(t));
    return t;
}

/* The declared type of an attribute, inferred from its value. */
static const type *type_of_value(program *p, const pkl_value *v) {
    stack_check();
    static const type_kind scalars[PKL_KIND_COUNT] = {
        [PKL_NONE] = TYPE_NONE,       [PKL_BOOL] = TYPE_BOOL,    [PKL_INT] = TYPE_INT,       [PKL_FLOAT] = TYPE_FLOAT,
        [PKL_COMPLEX] = TYPE_COMPLEX, [PKL_STR] = TYPE_STR,      [PKL_DEVICE] = TYPE_DEVICE, [PKL_DTYPE] = TYPE_INT,
        [PKL_LAYOUT] = TYPE_INT,      [PKL_TENSOR] = TYPE_TENSOR};
    if ((v->kind == PKL_LIST || v->kind == PKL_DICT) && v->type)
        return tagged_type(p, v);
    switch (v->kind) {
    case PKL_LIST:
        return type_list(type_of_items(p, v));
    case PKL_TUPLE:
        return type_of_tuple(p, v);
    case PKL_DICT:
        return type_of_dict(p, v);
    case PKL_OBJECT:
        return program_find_class(p, v->object.class_name)->type;
    case PKL_STORAGE:
    case PKL_ENUM:
    case PKL_GLOBAL:
        diag_fail("an attribute is a %s, which is not supported", pkl_kind_name(v->kind));
    default:
        return type_basic(scalars[v->kind]);
    }
}

/* All objects of a class have the same attributes in the same order; their types must fit the values of all. */
static void define_attributes(program *p, const pkl_value *object) {
    const pkl_value *state = object->object.state;
    class_def *c = program_find_class(p, object->object.class_name);
    if (class_find_method(c, "__setstate__") || !state)
        return;
    if (state->kind != PKL_DICT)
        diag_fail("an object of class %s has no attributes but a %s", c->name, pkl_kind_name(state->kind));
    bool is_first = !c->attributes;
    for (size_t i = 0; i < state->dict.count; i++) {
        const pkl_entry *e = &state->dict.entries[i];
        const char *name = e->key->kind == PKL_STR ? intern(e->key->str.text) : "";
        const type *t = type_of_value(p, e->value);
        class_attribute a = {.name = name, .type = t};
        if (is_first) {
            arrput(c->attributes, a);
            continue;
        }
        if (i >= arrlenu(c->attributes) || strcmp(c->attributes[i].name, name))
            diag_fail("objects of class %s have different attributes", c->name);
        c->attributes[i].type = type_unify(c->attributes[i].type, t, true);
    }
}

/* ---- Functions ---- */

static schema_argument *schema_arguments(program *p, const lite_argument *given) {
    schema_argument *arguments = NULL;
    for (size_t i = 0; i < arrlenu(given); i++) {
        schema_argument a = {.name = given[i].name, .type = lite_type(p, given[i].type)};
        /* None means no default as well as the default None. */
        if (given[i].default_value && (given[i].default_value->kind != PKL_NONE || type_admits_none(a.type)))
            a.default_value = program_constant(p, given[i].default_value, a.type);
        arrput(arguments, a);
    }
    return arguments;
}

static function *declare_function(program *p, const lite_module *m, const lite_function *f) {
    const char *dot = strrchr(f->name, '.');
    class_def *owner = dot ? shget(p->classes, intern_n(f->name, (size_t)(dot - f->name))) : NULL;
    if (!owner)
        diag_fail("%s: %s is a method of a class of which there is no object", m->file, f->name);
    if (class_find_method(owner, dot + 1))
        diag_fail("%s: there are two methods %s", m->file, f->name);
    op_schema *s = MEM_NEW(op_schema);
    s->name = s->full_name = f->name;
    s->overload = "";
    function *made = program_new_function(p, f->name, NULL, s);
    made->owner = owner;
    arrput(owner->methods, made);
    return made;
}

static void complete_schema(program *p, const lite_module *m, const lite_function *f, op_schema *s) {
    s->arguments = schema_arguments(p, f->arguments);
    s->argument_count = (uint32_t)arrlenu(s->arguments);
    s->returns = schema_arguments(p, f->returns);
    s->return_count = (uint32_t)arrlenu(s->returns);
    if (!s->argument_count || s->return_count != 1)
        diag_fail("%s: %s has no self or not one result", m->file, f->name);
}

/* Only the instructions that make NamedTuples spell out their fields; elsewhere types refer to them by name. */
static void define_named_tuples(program *p, const lite_module *m) {
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        for (size_t k = 0; k < arrlenu(m->functions[i].types); k++)
            if (strstr(m->functions[i].types[k], "[NamedTuple,"))
                lite_type(p, m->functions[i].types[k]);
}

program *program_load_lite(const lite_module *m, operator_evaluator *evaluate) {
    program *p = program_new(&emit_front_end, evaluate);
    p->version = m->operator_version;
    if (m->root->kind != PKL_OBJECT)
        diag_fail("%s does not hold a module", m->file);
    pkl_value **objects = objects_of(m);
    for (size_t i = 0; i < arrlenu(objects); i++)
        if (!is_custom_class(objects[i]->object.class_name))
            declare_class(p, objects[i]->object.class_name);
    function **functions = NULL;
    for (size_t i = 0; i < arrlenu(m->functions); i++)
        arrput(functions, declare_function(p, m, &m->functions[i]));
    define_named_tuples(p, m);
    for (size_t i = 0; i < arrlenu(objects); i++)
        define_attributes(p, objects[i]);
    for (size_t i = 0; i < arrlenu(functions); i++)
        complete_schema(p, m, &m->functions[i], functions[i]->schema);
    for (size_t i = 0; i < arrlenu(functions); i++)
        functions[i]->graph = lift_function(p, &m->functions[i]);
    infer_types(p, functions);
    p->module = program_constant(p, m->root, NULL);
    return p;
}
