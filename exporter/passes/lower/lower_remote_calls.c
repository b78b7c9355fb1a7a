/* Calls of functions of other workers as operators of a fixed number of inputs. */
#include "exporter/passes/lower/lower_remote_calls.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/schema/operator_node.h"

enum { CALL_INPUTS = 5 };

static bool block_makes_futures(const ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        if (n->kind == IR_RPC_ASYNC)
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (block_makes_futures(n->blocks[i]))
                return true;
    }
    return false;
}

bool remote_futures_are_made(function *const *functions) {
    for (size_t i = 0; i < arrlenu(functions); i++)
        if (block_makes_futures(function_graph(functions[i])->block))
            return true;
    return false;
}

/* The operator that a node becomes; NULL: it stays. */
static const char *operator_for(const ir_node *n, bool waits) {
    static const char *const questions[][2] = {
        {"aten::to_here", "tsm::rref_to_here"},
        {"aten::local_value", "tsm::rref_local_value"},
        {"aten::is_owner", "tsm::rref_is_owner"},
        {"aten::owner", "tsm::rref_owner_name"}, /* WorkerInfo is known by its name */
        {"aten::owner_name", "tsm::rref_owner_name"},
        {"aten::confirmed_by_owner", "tsm::rref_confirmed_by_owner"},
    };
    switch (n->kind) {
    case IR_RPC_SYNC:
        return "tsm::rpc_sync";
    case IR_RPC_ASYNC:
        return "tsm::rpc_async";
    case IR_RPC_REMOTE:
        return "tsm::rpc_remote";
    case IR_WAIT:
        return waits ? "tsm::rpc_wait" : NULL;
    default:
        for (size_t i = 0; n->schema && i < sizeof questions / sizeof *questions; i++)
            if (!strcmp(n->schema->full_name, questions[i][0]))
                return questions[i][1];
        return NULL;
    }
}

static void replace(ir_node *n, const char *name) {
    ir_value *inputs[CALL_INPUTS];
    const bool is_call = n->callee != NULL;
    const uint32_t given = ir_input_count(n), count = is_call ? CALL_INPUTS : given;
    for (uint32_t i = 0; i < count; i++)
        inputs[i] = i < given ? ir_in(n, i) : ir_insert_constant(n, const_none());
    const type *t = ir_out(n, 0)->type;
    ir_out(operator_replace(n, name, inputs, count), 0)->type = t;
}

static void lower_block(ir_block *b, bool waits) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lower_block(n->blocks[i], waits);
        const char *name = operator_for(n, waits);
        if (name)
            replace(n, name);
    }
}

void lower_remote_calls(ir_graph *g, bool waits) {
    lower_block(g->block, waits);
}
