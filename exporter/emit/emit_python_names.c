/* Names of .py sources: what a file defines or imports. */
#include "exporter/emit/emit_module.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/builtins.h"
#include "exporter/program/python_class.h"
#include "exporter/program/python_names.h"

/* ---- Names of the file ---- */

static const char *const known_packages[] = {"torch", "math", "typing", "warnings", "enum", "collections", NULL};

/* What a dotted path of Python means. */
static sugared resolve_path(emitter *e, const char *path, source_range range) {
    stack_check();
    if (text_is_among(path, known_packages))
        return sugar_named(SUGAR_PACKAGE, intern(path));
    const char *dot = strrchr(path, '.');
    if (!dot)
        source_fail(range, "module '%s' is not known to the compiler", path);
    sugared package = resolve_path(e, mem_strndup(path, (size_t)(dot - path)), range);
    return sugar_select(e, &package, intern(dot + 1), range);
}

const char *emit_python_type_of(const ast_node *value) {
    switch (value->kind) {
    case AST_INT:
        return "int";
    case AST_FLOAT:
        return "float";
    case AST_STRING:
        return "str";
    case AST_TRUE:
    case AST_FALSE:
        return "bool";
    case AST_NONE:
        return "NoneType";
    case AST_LIST:
    case AST_LIST_COMP:
        return "list";
    case AST_DICT:
    case AST_DICT_COMP:
        return "dict";
    case AST_TUPLE:
        return "tuple";
    case AST_APPLY: {
        const char *callee = ast_dotted_name(value->apply.callee);
        return callee && !strcmp(callee, "torch.device") ? "device" : "object";
    }
    default:
        return "object";
    }
}

static const char *last_part(const char *dotted) {
    const char *dot = strrchr(dotted, '.');
    return dot ? dot + 1 : dotted;
}

static const char *first_part(const char *dotted) {
    return intern_n(dotted, strcspn(dotted, "."));
}

/* Whether a dotted name begins with an imported package. */
static bool names_package(program *p, const char *dotted) {
    return p->main_file && python_imported_path(p->main_file, first_part(dotted));
}

/* Whether a dotted name begins with an enum of the file. */
static bool names_enum(program *p, const char *dotted) {
    code_file *file;
    const char *qualified = mem_printf("%s.%s", p->main_file ? p->main_file->qualifier : "", first_part(dotted));
    ast_node *n = program_find_definition(p, qualified, &file);
    return n && n->kind == AST_CLASS && python_class_kind(p, n->class_def) == TYPE_ENUM;
}

/* As in PyTorch, `math.pi` is a constant, but a name that the file binds to it (`from math import pi`) is a value that
 * only Python can use. */
static sugared unless_constant(sugared s, const char *path) {
    if (s.kind != SUGAR_VALUE)
        return s;
    const char *name = s.type->kind == TYPE_FLOAT                            ? "float"
                       : strstr(path, "format") || strstr(path, "channels_") ? "memory_format"
                       : strstr(path, "sparse_") || strstr(path, "strided")  ? "layout"
                                                                             : "dtype";
    return sugar_named(SUGAR_PYTHON, name);
}

/* The value of a variable of the file as Python computes it; NULL when the compiler cannot. */
static py_value *value_of_global(program *p, const ast_node *value) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        py_machine *m = py_machine_new(p);
        m->range = value->range;
        py_value *v = py_eval(m, py_file_scope(m, p->main_file), value);
        diag_end(&h);
        return v;
    }
    return NULL;
}

static sugared definition_value(emitter *e, const char *qualified, ast_node *n, source_range range) {
    sugared s = sugar_named(SUGAR_PYTHON, NULL);
    if (n->kind == AST_DEF) {
        s.kind = SUGAR_FUNCTION;
        s.function = program_find_function(e->program, qualified);
        source_call_at(range);
        if (s.function->state == FUNCTION_DECLARED)
            function_graph(s.function);
        return s;
    }
    if (n->kind == AST_CLASS && python_class_is_exception(e->program, n->class_def)) {
        s.kind = SUGAR_EXCEPTION;
        s.name = qualified;
        return s;
    }
    s.class_def = program_find_class(e->program, qualified);
    if (s.class_def) {
        s.kind = SUGAR_CLASS;
        return s;
    }
    if (!n->assign.value)
        return sugar_named(SUGAR_UNDEFINED, NULL);
    bool is_single = n->assign.targets.count == 1 && n->assign.targets.items[0]->kind == AST_VAR;
    const char *alias = is_single ? ast_dotted_name(n->assign.value) : NULL;
    if (alias && strchr(alias, '.') && names_enum(e->program, alias)) {
        s = emit_python_name(e, first_part(alias), range);
        return sugar_select(e, &s, intern(strchr(alias, '.') + 1), range);
    }
    if (alias && strchr(alias, '.') && names_package(e->program, alias))
        return unless_constant(resolve_path(e, alias, range), alias);
    if (alias && !strchr(alias, '.') && strcmp(alias, n->assign.targets.items[0]->name))
        return emit_python_name(e, intern(alias), range);
    const char *form = emit_python_type_of(n->assign.value);
    py_value *v = strcmp(form, "object") ? NULL : value_of_global(e->program, n->assign.value);
    if (v && v->kind == PY_FUNCTION)
        diag_fail("Expected a single top-level function: %s:%u", range.file->name,
                  source_line(range.file, n->range.start));
    s.name = v && v->kind != PY_NONE ? last_part(py_type_name(v)) : form;
    if (!strcmp(s.name, "NoneType"))
        s = sugar_named(SUGAR_UNDEFINED, NULL);
    return s;
}

sugared emit_python_name(emitter *e, const char *name, source_range range) {
    stack_check();
    program *p = e->program;
    code_file *file;
    const char *qualified = mem_printf("%s.%s", p->main_file ? p->main_file->qualifier : "", name);
    ast_node *n = program_find_definition(p, qualified, &file);
    if (n)
        return definition_value(e, qualified, n, range);
    const char *path = p->main_file ? python_imported_path(p->main_file, name) : NULL;
    if (path)
        return unless_constant(resolve_path(e, path, range), path);
    if (!strcmp(name, "__name__") || !strcmp(name, "__file__"))
        return sugar_named(SUGAR_PYTHON, "str");
    return sugar_named(SUGAR_UNDEFINED, NULL);
}

bool emit_knows_path(program *p, const char *path) {
    emitter e = {.program = p, .function = MEM_NEW(function), .graph = ir_graph_new("names"), .is_python = true};
    diag_handler h;
    uint32_t count;
    e.at = e.graph->block->result;
    env_push(&e);
    if (DIAG_TRY(&h))
        return false;
    const sugared s = resolve_path(&e, path, (source_range){0});
    diag_end(&h);
    return s.kind != SUGAR_OPERATOR || (schema_overloads(s.name, &count), count) || builtin_functions_of(p, s.name);
}

sugared emit_python_path(emitter *e, const char *path, source_range range) {
    if (!strncmp(path, "builtins.", 9))
        return emit_global_name(e, intern(path + 9), range);
    return resolve_path(e, path, range);
}
