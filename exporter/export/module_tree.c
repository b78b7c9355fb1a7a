/* Modules with a class each, since each has attributes of its own. */
#include "exporter/export/module_tree.h"

#include <string.h>

#include "exporter/base/diag.h"

/* A module under its dotted name. */
typedef struct {
    class_def *class_def;
    ir_constant *object;
    ir_value *value; /* in the graph; NULL until it is read */
} tree_module;

struct module_tree {
    program *program;
    const char *class_name;
    struct {
        char *key;
        tree_module *value;
    } * modules; /* stb_ds hash map; the root's name is "" */
};

/* The name of the module that holds a name: "a.b" of "a.b.weight", "" of "weight". */
static const char *parent_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot ? intern_n(name, (size_t)(dot - name)) : "";
}

static const char *last_name(const char *name) {
    const char *dot = strrchr(name, '.');
    return intern(dot ? dot + 1 : name);
}

static class_def *declare_class(module_tree *m, const char *name) {
    class_def *c = MEM_NEW(class_def);
    c->name = intern(*name ? mem_printf("%s.%s", m->class_name, name) : m->class_name);
    c->kind = TYPE_CLASS;
    c->is_module = true;
    c->type = type_nominal(TYPE_CLASS, c->name, c);
    shput(m->program->classes, (char *)c->name, c);
    arrput(m->program->class_order, c);
    return c;
}

static void add_attribute(tree_module *holder, class_attribute a, ir_constant *value) {
    arrput(holder->class_def->attributes, a);
    ir_constant *o = holder->object;
    arrput(o->list.items, value);
    o->list.count = (uint32_t)arrlenu(o->list.items);
}

static tree_module *module_named(module_tree *m, const char *name) {
    stack_check();
    tree_module *found = shget(m->modules, name);
    if (found)
        return found;
    tree_module *holder = *name ? module_named(m, parent_name(name)) : NULL;
    if (holder && class_find_attribute(holder->class_def, last_name(name)) >= 0)
        diag_fail("'%s' is the name of a tensor and of a module", name);
    found = MEM_NEW(tree_module);
    found->class_def = declare_class(m, name);
    found->object = const_new(CONST_OBJECT, found->class_def->type);
    shput(m->modules, (char *)intern(name), found);
    if (holder)
        add_attribute(holder, (class_attribute){.name = last_name(name), .type = found->class_def->type},
                      found->object);
    return found;
}

module_tree *module_tree_new(program *p, const char *class_name) {
    module_tree *m = MEM_NEW(module_tree);
    m->program = p;
    m->class_name = class_name;
    module_named(m, "");
    return m;
}

/* Packed parameters, as the library's classes hold them. */
static ir_constant *object_value(module_tree *m, const char *name, pkl_value *object) {
    const class_def *c = program_find_class(m->program, object->object.class_name);
    if (!c)
        diag_fail("'%s' is an object of class %s; objects of other C++ classes than packed parameters are not "
                  "supported",
                  name, object->object.class_name);
    return program_constant(m->program, object, NULL);
}

void module_tree_add(module_tree *m, const char *name, pkl_value *value, attribute_role role) {
    if (value->kind != PKL_TENSOR && value->kind != PKL_OBJECT)
        diag_fail("'%s' is a %s, not a tensor", name, pkl_kind_name(value->kind));
    if (shget(m->modules, name))
        diag_fail("'%s' is the name of a tensor and of a module", name);
    tree_module *holder = module_named(m, parent_name(name));
    if (class_find_attribute(holder->class_def, last_name(name)) >= 0)
        return;
    ir_constant *made = value->kind == PKL_OBJECT ? object_value(m, name, value) : const_tensor(value->tensor);
    class_attribute a = {.name = last_name(name),
                         .type = made->type,
                         .is_parameter = role == ATTRIBUTE_PARAMETER,
                         .is_buffer = role == ATTRIBUTE_BUFFER};
    add_attribute(holder, a, made);
}

ir_constant *module_tree_root(module_tree *m) {
    return module_named(m, "")->object;
}

void module_tree_begin_graph(module_tree *m) {
    for (size_t i = 0; i < shlenu(m->modules); i++)
        m->modules[i].value->value = NULL;
}

static ir_value *read_module(module_tree *m, const char *name, ir_node *at) {
    stack_check();
    tree_module *module = module_named(m, name);
    if (!module->value)
        module->value =
            *name ? ir_insert_read(at, read_module(m, parent_name(name), at), last_name(name), module->class_def->type)
                  : at->graph->block->param->outputs[0];
    return module->value;
}

ir_value *module_tree_read(module_tree *m, const char *name, ir_node *at) {
    const tree_module *holder = shget(m->modules, parent_name(name));
    const int slot = holder ? class_find_attribute(holder->class_def, last_name(name)) : -1;
    const type *made = slot < 0 ? NULL : holder->class_def->attributes[slot].type;
    if (!made || shget(m->modules, name))
        diag_fail("the program's module has no tensor '%s'", name);
    return ir_insert_read(at, read_module(m, parent_name(name), at), last_name(name), made);
}
