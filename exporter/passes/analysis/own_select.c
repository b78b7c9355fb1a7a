/* aten::select for one use. */
#include "exporter/passes/analysis/own_select.h"

ir_node *own_select(const ir_node *n) {
    ir_node *select = ir_in(n, 0)->node;
    if (!ir_is_operator(select, "aten::select.int") || select->block != n->block ||
        ir_use_count(ir_out(select, 0)) != 1)
        return NULL;
    for (const ir_node *between = select->next; between != n; between = between->next)
        if (between->kind != IR_CONSTANT)
            return NULL;
    return select;
}
