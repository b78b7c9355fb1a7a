/* What names mean in a file of Python: its imports, and the types that annotations name. */
#include "exporter/program/python_names.h"

#include <string.h>

#include "exporter/program/builtins.h"

/* ---- Imports ---- */

/* The import that binds a name; NULL when none does. */
static const ast_import_name *find_import(const ast_list *statements, const char *name) {
    stack_check();
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
static const char *path_of_import(const ast_import_name *import) {
    if (import->name)
        return mem_printf("%s.%s", import->module, import->name);
    return strncmp(import->module, import->bound, strlen(import->bound)) ? import->module : import->bound;
}

const char *python_imported_path(const code_file *file, const char *name) {
    const ast_import_name *import = find_import(&file->tree->sequence, name);
    return import ? path_of_import(import) : NULL;
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

/* Whether `use` stands in an assignment of the file itself that is the definition n, or comes before it. */
static bool is_defined_later(const program *p, const ast_node *n, const ast_node *use) {
    const ast_list *statements = &p->main_file->tree->sequence;
    uint32_t low = 0, high = statements->count; /* of the statements that begin behind `use` the first is sought */
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (statements->items[middle]->range.start <= use->range.start)
            low = middle + 1;
        else
            high = middle;
    }
    const ast_node *around = low ? statements->items[low - 1] : NULL;
    return around && around->kind == AST_ASSIGN && around->range.file == use->range.file &&
           n->range.start >= around->range.start;
}

const char *python_type_name(program *p, const char *dotted, const ast_node *use) {
    stack_check();
    const char *dot = strchr(dotted, '.');
    const char *first = dot ? mem_strndup(dotted, (size_t)(dot - dotted)) : dotted;
    const char *rest = dot ? dot : "";
    const char *qualified = mem_printf("%s.%s", p->main_file->qualifier, first);
    code_file *file;
    ast_node *n = program_find_definition(p, qualified, &file);
    if (n && is_defined_later(p, n, use))
        n = NULL;
    const char *alias = n && n->kind == AST_ASSIGN && n->assign.value ? ast_dotted_name(n->assign.value) : NULL;
    if (alias)
        return python_type_name(p, mem_printf("%s%s", alias, rest), n->assign.value);
    if (n)
        return mem_printf("%s%s", qualified, rest);
    const ast_import_name *import = find_import(&p->main_file->tree->sequence, first);
    const char *path = import ? mem_printf("%s%s", path_of_import(import), rest) : dotted;
    const char *in_library = library_class(p, path);
    return in_library ? in_library : strip_package(path);
}
