/* The call graph: a work list of functions, from the entries on. */
#include "exporter/passes/analysis/call_graph.h"

#include "exporter/base/diag.h"

typedef struct {
    program *program;
    function **found;
    struct {
        const function *key;
        int value;
    } * seen;
} reach;

static void add(reach *r, function *f) {
    if (!f || hmgeti(r->seen, f) >= 0)
        return;
    hmput(r->seen, f, 1);
    arrput(r->found, f);
}

function **call_graph_interface_targets(program *p, const ir_node *call) {
    function **targets = NULL;
    class_def **classes = program_classes(p);
    for (size_t i = 0; i < arrlenu(classes); i++)
        if (classes[i]->kind == TYPE_CLASS && type_is_subtype(classes[i]->type, ir_in(call, 0)->type, NULL))
            arrput(targets, class_find_method(classes[i], call->attribute));
    return targets;
}

static void add_calls(reach *r, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            add_calls(r, n->blocks[i]);
        if (n->kind == IR_ENTER)
            add(r, class_find_method(ir_in(n, 0)->type->definition, "__enter__"));
        else if (n->kind == IR_EXIT)
            add(r, class_find_method(ir_in(n, 0)->type->definition, "__exit__"));
        else if (n->kind == IR_INTERFACE_CALL) {
            function **targets = call_graph_interface_targets(r->program, n);
            for (size_t i = 0; i < arrlenu(targets); i++)
                add(r, targets[i]);
        } else
            add(r, n->callee);
    }
}

function **call_graph_reachable(program *p, function *const *entries) {
    reach r = {p, NULL, NULL};
    for (size_t i = 0; i < arrlenu(entries); i++)
        add(&r, entries[i]);
    for (size_t i = 0; i < arrlenu(r.found); i++)
        add_calls(&r, function_graph(r.found[i])->block);
    return r.found;
}
