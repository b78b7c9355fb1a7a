#include "exporter/passes/decompose.h"

#include <string.h>

#include "exporter/frontend/builtins.h"
#include "exporter/frontend/program_internal.h"

#define LIBRARY "torch.decompositions"

/* The function for an operator without a kernel: "aten::mse_loss" is aten_mse_loss. NULL: there is none. */
static function *decomposition(program *p, const op_schema *s) {
    if (!s || schema_is_implemented(s) || !builtin_library_load(p, LIBRARY))
        return NULL;
    char *name = mem_printf("__torch__." LIBRARY ".%s", s->full_name), *from = name + strlen("__torch__." LIBRARY "."),
         *to = from;
    for (; *from; from++)
        if (*from != ':' || from[1] != ':') /* of "::" one character stays */
            *to++ = *from == '.' || *from == ':' ? '_' : *from;
    *to = 0;
    function *f = program_find_function(p, name);
    return f && f->schema->argument_count == s->argument_count ? f : NULL;
}

/* Several results come as one tuple. */
static void take_results(ir_node *n, ir_node *call) {
    uint32_t count = ir_output_count(n);
    if (count == 1) {
        ir_replace_uses(ir_out(n, 0), ir_out(call, 0));
        return;
    }
    ir_node *unpack = ir_node_new(n->graph, IR_TUPLE_UNPACK, count);
    unpack->range = n->range;
    unpack->scope = n->scope;
    ir_node_add_input(unpack, ir_out(call, 0));
    for (uint32_t i = 0; i < count; i++) {
        unpack->outputs[i]->type = n->outputs[i]->type;
        ir_replace_uses(n->outputs[i], unpack->outputs[i]);
    }
    ir_insert_before(n, unpack);
}

static bool rewrite_block(program *p, ir_block *b) {
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= rewrite_block(p, n->blocks[i]);
        function *f = decomposition(p, n->schema);
        if (!f)
            continue;
        ir_node *call = ir_node_new(n->graph, IR_CALL_FUNCTION, 1);
        call->callee = f;
        call->range = n->range;
        call->scope = n->scope;
        function_graph(f);
        call->outputs[0]->type = f->schema->returns[0].type;
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            ir_node_add_input(call, ir_in(n, i));
        ir_insert_before(n, call);
        take_results(n, call);
        ir_destroy(n);
        changed = true;
    }
    return changed;
}

bool decompose_operators(program *p, ir_graph *g) {
    return rewrite_block(p, g->block);
}
