/* Calls of library functions in the place of operators that have no formula of their own. */
#include "exporter/passes/lower/spell_out.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/passes/lower/decompose_operators.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/program/builtins.h"

typedef struct {
    program *program;
    const gradient_flow *modes;
    bool keeps_graph; /* gradients of gradients are asked for */
} speller;

static function *spelled(const speller *s, const op_schema *operator) {
    function *f = s->keeps_graph ? NULL : builtin_derivative(s->program, operator->full_name, "by_turns");
    return f ? f : builtin_derivative(s->program, operator->full_name, "by_operators");
}

static bool visit_block(const speller *s, ir_block *b) {
    stack_check();
    bool changed = false;
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            changed |= visit_block(s, n->blocks[i]);
        if (!n->schema || flow_mode(s->modes, n) == GRADIENTS_OFF)
            continue;
        function *f = spelled(s, n->schema);
        if (f) {
            saved_mark_reads(s->program, n);
            replace_by_call(n, f);
            changed = true;
        }
    }
    return changed;
}

bool spell_out(program *p, ir_graph *g) {
    const speller s = {p, flow_new(g), autodiff_keeps_graph(g)};
    return visit_block(&s, g->block);
}
