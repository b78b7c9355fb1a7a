/* Calls of library functions in the place of operators that have no formula of their own. */
#include "exporter/passes/lower/spell_out.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/lower/decompose_operators.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/program/builtins.h"

static bool visit_block(program *p, const gradient_flow *modes, ir_block *b) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= visit_block(p, modes, n->blocks[i]);
        if (!n->schema || flow_mode(modes, n) == GRADIENTS_OFF)
            continue;
        function *f = builtin_derivative(p, n->schema->full_name, "by_operators");
        if (f) {
            saved_mark_reads(p, n);
            replace_by_call(n, f);
            changed = true;
        }
    }
    return changed;
}

bool spell_out(program *p, ir_graph *g) {
    return visit_block(p, flow_new(g), g->block);
}
