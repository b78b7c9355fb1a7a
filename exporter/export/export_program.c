/* The module and forward of an exported program. */
#include "exporter/export/export_program.h"

#include <ctype.h>
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/emit/emit.h"
#include "exporter/export/quantize_layers.h"
#include "exporter/export/signature.h"

static json graph_of(const export_file *f) {
    return json_need(json_need(f->program, "graph_module"), "graph");
}

/* The qualified name of the module's class: the Python class when the nodes tell it. */
static const char *class_name(const export_file *f) {
    const char *found = NULL;
    JSON_EACH(node, json_array(json_need(graph_of(f), "nodes"))) {
        found = location_root_class(json_find(node, "metadata"));
        if (found)
            break;
    }
    char *name = mem_printf("__torch__.%s", found ? found : "ExportedProgram");
    for (char *c = name; *c; c++)
        if (!isalnum((unsigned char)*c) && *c != '.')
            *c = '_';
    return intern(name);
}

static function *declare_method(program *p, class_def *owner, const char *base_name) {
    const char *name = intern(mem_printf("%s.%s", owner->name, base_name));
    op_schema *s = MEM_NEW(op_schema);
    s->name = s->full_name = name;
    s->overload = "";
    schema_argument self = {.name = "self", .type = owner->type};
    arrput(s->arguments, self);
    s->argument_count = 1;
    function *f = program_new_function(p, name, ir_graph_new(name), s);
    f->owner = owner;
    arrput(owner->methods, f);
    ir_graph_add_input(f->graph, "self", owner->type);
    return f;
}

static void make_method(program *p, export_file *f, module_tree *m) {
    class_def *owner = p->module->type->definition;
    if (class_find_method(owner, f->method))
        diag_fail("%s: there are two methods '%s'", f->name, f->method);
    function *made = declare_method(p, owner, f->method);
    translation t = {.program = p, .locations = locations_new(), .at = made->graph->block->result};
    module_tree_begin_graph(m);
    signature_inputs(f, m, &t, made->schema);
    translate_nodes(&t, graph_of(f));
    signature_outputs(f, m, &t, made->schema);
    quantize_layers(&t, made->graph, json_need(graph_of(f), "tensor_values"));
}

program *program_load_export(export_file *const *files, operator_evaluator *evaluate) {
    program *p = program_new(&emit_front_end, evaluate);
    p->version = files[0]->operator_version;
    module_tree *m = module_tree_new(p, class_name(files[0]));
    for (size_t i = 0; i < arrlenu(files); i++) {
        if (arrlenu(files) > 1)
            files[i]->prefix = mem_printf("%s_program.", files[i]->method);
        signature_add_tensors(files[i], m);
    }
    p->module = module_tree_root(m);
    for (size_t i = 0; i < arrlenu(files); i++)
        make_method(p, files[i], m);
    return p;
}
