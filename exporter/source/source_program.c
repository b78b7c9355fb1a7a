/* Programs from .py sources. */
#include "exporter/source/source_program.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/builtins.h"
#include "exporter/source/module.h"

/* ---- Names of the file ---- */

/* The import that binds a name; NULL when none does. */
static const ast_import_name *find_import(const ast_list *statements, const char *name) {
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        const ast_import_name *found = NULL;
        if (n->kind == AST_IMPORT) {
            for (uint32_t k = 0; k < n->import.count; k++)
                if (!strcmp(n->import.names[k].bound, name))
                    return &n->import.names[k];
        } else if (n->kind == AST_UNSUPPORTED)
            found = find_import(&n->unsupported.parts, name);
        else if (n->kind == AST_IF)
            found = find_import(&n->branch.if_true, name);
        if (found)
            return found;
    }
    return NULL;
}

/* The dotted path of what an import binds: "torch.nn.functional", "typing.List". */
static const char *imported_path(const ast_import_name *import) {
    if (import->name)
        return mem_printf("%s.%s", import->module, import->name);
    return strncmp(import->module, import->bound, strlen(import->bound)) ? import->module : import->bound;
}

static const char *const known_packages[] = {"torch", "math", "typing", "warnings", "enum", "collections", NULL};

static bool is_known_package(const char *path) {
    for (int i = 0; known_packages[i]; i++)
        if (!strcmp(known_packages[i], path))
            return true;
    return false;
}

/* What a dotted path of Python means. */
static sugared resolve_path(emitter *e, const char *path, source_range range) {
    if (is_known_package(path))
        return sugar_named(SUGAR_PACKAGE, intern(path));
    const char *dot = strrchr(path, '.');
    if (!dot)
        source_fail(range, "module '%s' is not known to the compiler", path);
    sugared package = resolve_path(e, mem_strndup(path, (size_t)(dot - path)), range);
    return sugar_select(e, &package, intern(dot + 1), range);
}

const char *source_program_type_of(const ast_node *value) {
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
    return p->main_file && find_import(&p->main_file->tree->sequence, first_part(dotted));
}

/* Whether a dotted name begins with an enum of the file. */
static bool names_enum(program *p, const char *dotted) {
    code_file *file;
    const char *qualified = mem_printf("%s.%s", p->main_file ? p->main_file->qualifier : "", first_part(dotted));
    ast_node *n = program_find_definition(p, qualified, &file);
    return n && n->kind == AST_CLASS && source_class_kind(p, n->class_def) == TYPE_ENUM;
}

/* Numbers and the like that the file's own names stand for are Python's, though those of a package are constants. */
static sugared unless_constant(emitter *e, sugared s, const char *path) {
    (void)e;
    if (s.kind != SUGAR_VALUE)
        return s;
    const char *name = s.type->kind == TYPE_FLOAT                            ? "float"
                       : strstr(path, "format") || strstr(path, "channels_") ? "memory_format"
                       : strstr(path, "sparse_") || strstr(path, "strided")  ? "layout"
                                                                             : "dtype";
    return sugar_named(SUGAR_PYTHON, name);
}

/* What Python computes for a variable of the file; NULL when the compiler cannot. */
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
    if (n->kind == AST_CLASS && source_class_is_exception(e->program, n->class_def)) {
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
        s = source_program_name(e, first_part(alias), range);
        return sugar_select(e, &s, intern(strchr(alias, '.') + 1), range);
    }
    if (alias && strchr(alias, '.') && names_package(e->program, alias))
        return unless_constant(e, resolve_path(e, alias, range), alias);
    if (alias && !strchr(alias, '.') && strcmp(alias, n->assign.targets.items[0]->name))
        return source_program_name(e, intern(alias), range);
    const char *form = source_program_type_of(n->assign.value);
    py_value *v = strcmp(form, "object") ? NULL : value_of_global(e->program, n->assign.value);
    if (v && v->kind == PY_FUNCTION)
        diag_fail("Expected a single top-level function: %s:%u", range.file->name,
                  source_line(range.file, n->range.start));
    s.name = v && v->kind != PY_NONE ? last_part(py_type_name(v)) : form;
    if (!strcmp(s.name, "NoneType"))
        s = sugar_named(SUGAR_UNDEFINED, NULL);
    return s;
}

sugared source_program_name(emitter *e, const char *name, source_range range) {
    program *p = e->program;
    code_file *file;
    const char *qualified = mem_printf("%s.%s", p->main_file ? p->main_file->qualifier : "", name);
    ast_node *n = program_find_definition(p, qualified, &file);
    if (n)
        return definition_value(e, qualified, n, range);
    const ast_import_name *import = p->main_file ? find_import(&p->main_file->tree->sequence, name) : NULL;
    if (import)
        return unless_constant(e, resolve_path(e, imported_path(import), range), imported_path(import));
    if (!strcmp(name, "__name__") || !strcmp(name, "__file__"))
        return sugar_named(SUGAR_PYTHON, "str");
    return sugar_named(SUGAR_UNDEFINED, NULL);
}

sugared source_program_path(emitter *e, const char *path, source_range range) {
    if (!strncmp(path, "builtins.", 9))
        return emit_global_name(e, intern(path + 9), range);
    return resolve_path(e, path, range);
}

const char *source_program_import(const code_file *file, const char *name) {
    const ast_import_name *import = find_import(&file->tree->sequence, name);
    return import ? imported_path(import) : NULL;
}

/* ---- Names of types ---- */

static const char *strip_package(const char *name) {
    static const char *const prefixes[] = {"typing.", "typing_extensions.", "torch.jit.", NULL};
    for (int i = 0; prefixes[i]; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return name + strlen(prefixes[i]);
    return name;
}

/* The qualified name of a class of the compiler's library: "torch.nn.utils.rnn.PackedSequence"; NULL: it is none. */
static const char *library_class(program *p, const char *path) {
    const char *dot = strrchr(path, '.'), *qualified = mem_printf("__torch__.%s", path);
    code_file *file;
    bool is_there = dot && builtin_library_load(p, mem_strndup(path, (size_t)(dot - path)));
    const ast_node *n = is_there ? program_find_definition(p, qualified, &file) : NULL;
    return n && n->kind == AST_CLASS ? qualified : NULL;
}

const char *source_program_type_name(program *p, const char *dotted) {
    const char *dot = strchr(dotted, '.');
    const char *first = dot ? mem_strndup(dotted, (size_t)(dot - dotted)) : dotted;
    const char *rest = dot ? dot : "";
    const char *qualified = mem_printf("%s.%s", p->main_file->qualifier, first);
    code_file *file;
    ast_node *n = program_find_definition(p, qualified, &file);
    const char *alias = n && n->kind == AST_ASSIGN && n->assign.value ? ast_dotted_name(n->assign.value) : NULL;
    if (alias)
        return source_program_type_name(p, mem_printf("%s%s", alias, rest));
    if (n)
        return mem_printf("%s%s", qualified, rest);
    const ast_import_name *import = find_import(&p->main_file->tree->sequence, first);
    const char *path = import ? mem_printf("%s%s", imported_path(import), rest) : dotted;
    const char *in_library = library_class(p, path);
    return in_library ? in_library : strip_package(path);
}

/* ---- Loading ---- */

/* "dir/model.py" -> "model" */
static const char *module_name(const char *path) {
    const char *slash = strrchr(path, '/');
    const char *base = slash ? slash + 1 : path;
    const char *dot = strrchr(base, '.');
    return mem_strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/* The name of a TorchScript class, not a module's: compiles all its methods, so that what is wrong with them is said.
 */
static void check_plain_class(program *p, const char *path, const char *entry) {
    class_def *c = program_find_class(p, mem_printf("__torch__.%s.%s", module_name(path), entry));
    if (!c || c->kind != TYPE_CLASS || c->is_module)
        return;
    source_class_refuse_bases(p, c->syntax);
    for (size_t i = 0; i < arrlenu(c->methods); i++)
        function_graph(c->methods[i]);
    diag_fail("%s: '%s' is a class; name a function or a module that uses it", path, entry);
}

/* "Net(10, hidden=20)" evaluated where the file's names are known: a module. */
static py_value *construct(py_machine *m, program *p, const char *path, const char *entry) {
    const ast_node *e = parse_expression(source_new(path, entry, strlen(entry), 1), DIALECT_PYTHON);
    py_scope *scope = py_file_scope(m, p->main_file);
    m->range = e->range;
    py_value *v = py_eval(m, scope, e);
    m->range = e->range;
    if (v->kind == PY_CLASS && !v->class_def->is_module)
        check_plain_class(p, path, entry);
    if (v->kind == PY_CLASS)
        v = py_construct(m, v->class_def, &(py_arguments){0});
    if (v->kind != PY_OBJECT || !v->object->class_def->is_module)
        diag_fail("%s: '%s' is neither a function nor a module", path, entry);
    return v;
}

static void load_module(program *p, const char *path, const char *entry, const source_options *options) {
    py_machine *m = py_machine_new(p);
    py_value *module = construct(m, p, path, entry);
    if (options->weights)
        module_load_weights(module, options->weights);
    module_require_values(module, options->weights);
    p->module = module_constant(m, module);
    if (!arrlen(program_entries(p)))
        diag_fail("%s: class '%s' has no method forward", path, module->object->class_def->name);
}

program *program_load_source(const char *path, const char *text, size_t length, const char *entry,
                             const source_options *options) {
    program *p = MEM_NEW(program);
    p->version = PT_MAX_VERSION;
    p->evaluate = options->evaluate;
    const char *qualifier = mem_printf("__torch__.%s", module_name(path));
    p->main_file = program_add_file(p, qualifier, source_new(path, text, length, 1), true);
    p->entry = program_find_function(p, mem_printf("%s.%s", qualifier, entry));
    const char *name = intern_n(entry, strcspn(entry, "(."));
    if (!p->entry && !shget(((code_file *)p->main_file)->definitions, name))
        diag_fail("%s defines no function or class '%s'", path, name);
    if (!p->entry)
        load_module(p, path, entry, options);
    else if (options->weights)
        diag_fail("--weights are for module classes, and '%s' is a function", entry);
    return p;
}
