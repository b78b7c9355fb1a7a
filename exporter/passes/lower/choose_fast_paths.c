/* Branches on torch.is_grad_enabled() in programs with TransformerEncoder. */
#include "exporter/passes/lower/choose_fast_paths.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/schema/schema.h"

static bool is_operator(const ir_node *n, const char *name) {
    return n->schema && !strcmp(n->schema->name, name);
}

static bool contains(const ir_block *b, const char *name) {
    stack_check();
    IR_EACH(n, b) {
        if (is_operator(n, name))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (contains(n->blocks[i], name))
                return true;
    }
    return false;
}

static bool only_decides_branches(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (v->uses[i].user->kind != IR_IF)
            return false;
    return true;
}

static void decide(ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            decide(n->blocks[i]);
        if (is_operator(n, "aten::is_grad_enabled") && only_decides_branches(ir_out(n, 0))) {
            ir_replace_uses(ir_out(n, 0), ir_insert_constant(n, const_bool(false)));
            ir_destroy(n);
        }
    }
}

void choose_fast_paths(function *const *functions) {
    bool has_encoder = false;
    for (size_t i = 0; i < arrlenu(functions); i++) {
        if (autodiff_is_requested(function_graph(functions[i])))
            return;
        const ir_block *b = function_graph(functions[i])->block;
        has_encoder |=
            contains(b, "aten::_nested_tensor_from_mask") || contains(b, "aten::_nested_tensor_from_mask_left_aligned");
    }
    for (size_t i = 0; has_encoder && i < arrlenu(functions); i++)
        decide(function_graph(functions[i])->block);
}
