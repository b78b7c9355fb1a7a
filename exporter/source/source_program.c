/* Programs from .py sources: loads a file and takes one of its functions or module classes as the entry. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/file.h"
#include "exporter/emit/emit.h"
#include "exporter/program/python_class.h"
#include "exporter/source/load.h"
#include "exporter/source/source_module.h"
#include "exporter/source/state_dict.h"

/* ---- Names ---- */

/* "(it defines f, Net)", of the file itself: what it imports is not listed. */
static const char *names_of(const code_file *file) {
    enum { SHOWN = 12 };
    strbuf text = {0};
    for (size_t i = 0; i < shlenu(file->definitions); i++)
        if (i < SHOWN)
            strbuf_printf(&text, "%s%s", i ? ", " : "(it defines ", file->definitions[i].key);
    if (shlenu(file->definitions) > SHOWN)
        strbuf_add(&text, ", ...");
    return text.length ? mem_printf("%s)", text.text) : "(it defines none)";
}

/* ---- Loading ---- */

/* "dir/model.py" -> "model" */
static const char *module_name(const char *path) {
    const char *base = file_base_name(path);
    const char *dot = strrchr(base, '.');
    return mem_strndup(base, dot ? (size_t)(dot - base) : strlen(base));
}

/* Refuses a TorchScript class that is not a module. Its methods are compiled first, so that errors in them are reported
 * rather than this one. */
static void check_plain_class(program *p, const char *path, const char *entry) {
    class_def *c = program_find_class(p, mem_printf("__torch__.%s.%s", module_name(path), entry));
    if (!c || c->kind != TYPE_CLASS || c->is_module)
        return;
    python_class_refuse_bases(p, c->syntax);
    for (size_t i = 0; i < arrlenu(c->methods); i++)
        function_graph(c->methods[i]);
    diag_fail("%s: '%s' is a class; name a function or a module that uses it", path, entry);
}

/* "Net", without arguments: when it wants some, the error says where they stand. */
static py_value *construct_plainly(py_machine *m, py_class *c, const char *path) {
    diag_handler h;
    if (!DIAG_TRY(&h)) {
        py_value *v = py_construct(m, c, &(py_arguments){0});
        diag_end(&h);
        return v;
    }
    const char *wants = mem_printf("%s.__init__() missing", c->name);
    if (h.internal || strncmp(h.message, wants, strlen(wants)))
        diag_rethrow(&h);
    diag_fail("%s\nArguments stand behind the name: '%s:%s(...)'", h.message, path, c->name);
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
        v = construct_plainly(m, v->class_def, path);
    if (v->kind != PY_OBJECT || !v->object->class_def->is_module)
        diag_fail("%s: '%s' is neither a function nor a module", path, entry);
    return v;
}

static void load_module(program *p, const char *path, const char *entry, const source_options *options) {
    py_machine *m = py_machine_new(p);
    py_value *module = construct(m, p, path, entry);
    if (options->weights)
        state_dict_load(module, options->weights);
    state_dict_require(module, options->weights);
    p->module = module_constant(m, module);
    if (!arrlen(program_entries(p)))
        diag_fail("%s: class '%s' has no method forward", path, module->object->class_def->name);
}

program *program_open_source(const char *path, const char *text, size_t length, operator_evaluator *evaluate) {
    static const program_front_end front_end = {emit_function, emit_constant_call, module_default_value};
    program *p = program_new(&front_end, evaluate);
    p->version = PT_MAX_VERSION;
    p->main_file =
        program_add_file(p, mem_printf("__torch__.%s", module_name(path)), source_new(path, text, length, 1), true);
    return p;
}

program *program_load_source(const char *path, const char *text, size_t length, const char *entry,
                             const source_options *options) {
    program *p = program_open_source(path, text, length, options->evaluate);
    if (!entry)
        diag_fail("%s: name the function or module class to export: %s:NAME %s", path, path, names_of(p->main_file));
    p->entry = program_find_function(p, mem_printf("%s.%s", p->main_file->qualifier, entry));
    const char *name = intern_n(entry, strcspn(entry, "(."));
    if (!p->entry && !shget(((code_file *)p->main_file)->definitions, name))
        diag_fail("%s defines no function or class '%s' %s", path, name, names_of(p->main_file));
    if (!p->entry)
        load_module(p, path, entry, options);
    else if (options->weights)
        diag_fail("--weights are for module classes, and '%s' is a function", entry);
    return p;
}
