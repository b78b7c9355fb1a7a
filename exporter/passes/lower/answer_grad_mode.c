/* torch.is_grad_enabled() where the answer is known before the program runs. */
#include "exporter/passes/lower/answer_grad_mode.h"

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

static bool any_contains(function *const *functions, const char *name) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (contains(function_graph(functions[i])->block, name))
            return true;
    return false;
}

static bool only_decides_branches(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (v->uses[i].user->kind != IR_IF)
            return false;
    return true;
}

/* Questions become the constant: all, or those that only decide branches. */
static void answer(ir_block *b, bool enabled, bool all) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            answer(n->blocks[i], enabled, all);
        if (is_operator(n, "aten::is_grad_enabled") && (all || only_decides_branches(ir_out(n, 0)))) {
            ir_replace_uses(ir_out(n, 0), ir_insert_constant(n, const_bool(enabled)));
            ir_destroy(n);
        }
    }
}

static void answer_in(function *const *functions, bool enabled, bool all) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        answer(function_graph(functions[i])->block, enabled, all);
}

void answer_grad_mode(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (autodiff_is_requested(function_graph(functions[i])))
            return;
    if (any_contains(functions, "aten::_nested_tensor_from_mask") ||
        any_contains(functions, "aten::_nested_tensor_from_mask_left_aligned"))
        answer_in(functions, false, false);
    if (!any_contains(functions, "aten::set_grad_enabled"))
        answer_in(functions, true, true);
}
