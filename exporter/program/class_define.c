/* Classes: made from class statements when they are first named. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/program/python_class.h"
#include "exporter/program/type_parser.h"

static const char *last_part(const char *dotted) {
    const char *dot = strrchr(dotted, '.');
    return dot ? dot + 1 : dotted;
}

/* ---- Attributes ---- */

static bool is_listed(const ast_node *list, const char *name) {
    for (uint32_t i = 0; list && list->kind == AST_LIST && i < list->sequence.count; i++)
        if (list->sequence.items[i]->kind == AST_STRING && !strcmp(list->sequence.items[i]->string.bytes, name))
            return true;
    return false;
}

/* Whether an annotation is Final[T] for any T. */
static bool is_final(const ast_node *t) {
    const char *name = t && t->kind == AST_SUBSCRIPT ? ast_dotted_name(t->subscript.value) : NULL;
    return name && !strcmp(last_part(name), "Final");
}

/* NAME : T  |  __annotations__["0"] = T  |  NAME : Final[T] = literal */
static void define_attribute(program *p, class_def *c, const ast_node *n, const ast_node *parameters,
                             const ast_node *buffers) {
    const ast_node *target = n->assign.targets.items[0], *annotation = n->assign.type;
    const char *name = target->kind == AST_VAR ? target->name : NULL;
    if (target->kind == AST_SUBSCRIPT && target->subscript.indices.items[0]->kind == AST_STRING) {
        name = intern(target->subscript.indices.items[0]->string.bytes);
        annotation = n->assign.value;
    } else if (name && annotation && (is_final(annotation) || n->assign.value)) {
        const type *t = type_of_expression(p, annotation);
        class_constant constant = {name, n->assign.value ? program_literal(p, n->assign.value, t) : NULL};
        if (constant.value)
            arrput(c->constants, constant);
        return;
    }
    if (!name || !annotation)
        return;
    class_attribute a = {.name = name,
                         .type = type_of_expression(p, annotation),
                         .is_parameter = is_listed(parameters, name),
                         .is_buffer = is_listed(buffers, name)};
    arrput(c->attributes, a);
}

static const ast_node *class_variable(const ast_class *syntax, const char *name) {
    for (uint32_t i = 0; i < syntax->body.count; i++) {
        const ast_node *n = syntax->body.items[i];
        if (n->kind == AST_ASSIGN && n->assign.targets.items[0]->kind == AST_VAR &&
            !strcmp(n->assign.targets.items[0]->name, name))
            return n->assign.value;
    }
    return NULL;
}

static void declare_methods(program *p, class_def *c, const code_file *file) {
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_DEF)
            continue;
        function *f = program_declare_function(p, mem_printf("%s.%s", c->name, n->def->name), n->def, file, c);
        arrput(c->methods, f);
        if (c->kind == TYPE_CLASS)
            arrput(p->function_order, f);
    }
}

/* ---- Kinds of classes ---- */

static void define_object_class(program *p, class_def *c, const code_file *file) {
    const ast_node *parameters = class_variable(c->syntax, "__parameters__"),
                   *buffers = class_variable(c->syntax, "__buffers__");
    for (uint32_t i = 0; i < c->syntax->body.count; i++)
        if (c->syntax->body.items[i]->kind == AST_ASSIGN)
            define_attribute(p, c, c->syntax->body.items[i], parameters, buffers);
    declare_methods(p, c, file);
}

static bool is_alias(const class_def *c, const ir_constant *value) {
    for (size_t i = 0; i < arrlenu(c->constants); i++)
        if (const_equal(c->constants[i].value, value))
            return true;
    return false;
}

/* The value of an enum's member: a literal, or in authors' code any expression. NULL: neither. */
static ir_constant *member_value(program *p, const class_def *c, const ast_node *value, bool is_python) {
    ir_constant *v = value ? program_literal(p, value, NULL) : NULL;
    return v || !is_python ? v : python_enum_value(p, c, value);
}

static void define_enum(program *p, class_def *c, bool is_python) {
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_ASSIGN || n->assign.targets.items[0]->kind != AST_VAR || (is_python && !n->assign.value))
            continue; /* in Python a name with a type alone is no member */
        class_constant member = {n->assign.targets.items[0]->name, member_value(p, c, n->assign.value, is_python)};
        if (!member.value)
            source_fail(n->range, "Expected a literal as the value of enum member '%s'", member.name);
        if (is_alias(c, member.value))
            continue;
        size_t before = arrlenu(c->constants);
        if (before && c->constants[before - 1].value->type != member.value->type)
            diag_fail("Could not unify type list since element %zu of type %s did not match the types before it (%s)",
                      before, type_annotation(c->constants[before - 1].value->type),
                      type_annotation(member.value->type));
        arrput(c->constants, member);
    }
}

static void define_named_tuple(program *p, class_def *c) {
    const char **fields = NULL;
    const type **types = NULL;
    for (uint32_t i = 0; i < c->syntax->body.count; i++) {
        const ast_node *n = c->syntax->body.items[i];
        if (n->kind != AST_ASSIGN || !n->assign.type || n->assign.targets.items[0]->kind != AST_VAR)
            continue;
        class_constant otherwise = {n->assign.targets.items[0]->name, NULL};
        arrput(fields, otherwise.name);
        arrput(types, type_of_expression(p, n->assign.type));
        otherwise.value = n->assign.value ? program_literal(p, n->assign.value, types[arrlenu(types) - 1]) : NULL;
        if (otherwise.value)
            arrput(c->constants, otherwise);
    }
    c->type = type_named_tuple(c->name, fields, types, (uint32_t)arrlenu(fields), c);
}

static type_kind kind_of_base(const char *base) {
    static const struct {
        const char *name;
        type_kind kind;
    } kinds[] = {{"NamedTuple", TYPE_TUPLE},
                 {"Enum", TYPE_ENUM},
                 {"Interface", TYPE_INTERFACE},
                 {"ModuleInterface", TYPE_INTERFACE}};
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(kinds[i].name, base))
            return kinds[i].kind;
    return TYPE_CLASS;
}

static void define_body(program *p, class_def *c, const code_file *file) {
    switch (c->kind) {
    case TYPE_TUPLE:
        define_named_tuple(p, c);
        break;
    case TYPE_ENUM:
        define_enum(p, c, file->is_python);
        if (file->is_python)
            python_enum_check(c);
        break;
    case TYPE_INTERFACE:
        declare_methods(p, c, file);
        break;
    default:
        if (file->is_python)
            python_class_define(p, c, file);
        else
            define_object_class(p, c, file);
    }
}

#define CUSTOM_CLASSES "__torch__.torch.classes."

/* "__torch__.torch.classes.NAMESPACE.NAME" */
static bool is_custom_class(const char *name) {
    size_t prefix = sizeof CUSTOM_CLASSES - 1;
    return !strncmp(name, CUSTOM_CLASSES, prefix) && strchr(name + prefix, '.');
}

/* Schemas name classes that are C++ code in PyTorch by torchbind types. Gives such a type the library's definition. */
static const type *define_custom_class(const char *name, class_def *c) {
    type *t = (type *)type_torchbind(name);
    t->definition = c;
    return t;
}

static class_def *define_class(program *p, const char *name, const ast_class *syntax, const code_file *file) {
    const char *base = syntax->bases.count ? ast_dotted_name(syntax->bases.items[0]) : NULL;
    base = base ? last_part(base) : "";
    class_def *c = MEM_NEW(class_def);
    c->name = intern(name);
    c->syntax = syntax;
    c->file = file->source;
    c->kind = file->is_python ? python_class_kind(p, syntax) : kind_of_base(base);
    c->is_module = !strcmp(base, "Module") || !strcmp(base, "ModuleInterface");
    shput(p->classes, (char *)c->name, c);
    if (c->kind != TYPE_TUPLE) /* a NamedTuple's type needs its fields first */
        c->type = is_custom_class(name) ? define_custom_class(c->name, c) : type_nominal(c->kind, c->name, c);
    define_body(p, c, file);
    arrput(p->class_order, c);
    return c;
}

class_def *program_find_class(program *p, const char *name) {
    class_def *c = shget(p->classes, name);
    if (c && !c->type)
        diag_fail("class %s contains itself", name);
    if (c)
        return c;
    if (is_custom_class(name) &&
        !builtin_library_load(p, intern_n(name + 10, (size_t)(strrchr(name, '.') - name - 10))))
        diag_fail("the custom C++ class %s is not supported", name + 10);
    code_file *file;
    ast_node *n = program_find_definition(p, name, &file);
    if (n && n->kind == AST_CLASS)
        return define_class(p, name, n->class_def, file);
    return n && n->kind == AST_ASSIGN && file->is_python ? python_class_from_call(p, name, n, file) : NULL;
}
