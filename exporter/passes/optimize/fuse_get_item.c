/* Numbers read from parts of tensors, matched from conversions of aten::select. */
#include "exporter/passes/optimize/fuse_get_item.h"

#include "exporter/passes/analysis/own_select.h"
#include "exporter/schema/operator_node.h"

/* The operator that converts an item; NULL: n converts none. */
static const char *reading_operator(const ir_node *n) {
    static const struct {
        const char *conversion, *reading;
    } table[] = {{"aten::Float.Tensor", "tsm::float_item"},
                 {"aten::Int.Tensor", "tsm::int_item"},
                 {"aten::Bool.Tensor", "tsm::bool_item"}};
    for (size_t i = 0; n->schema && i < sizeof table / sizeof *table; i++)
        if (ir_is_operator(n, table[i].conversion))
            return table[i].reading;
    return NULL;
}

static void visit_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(n->blocks[i]);
        const char *reading = reading_operator(n);
        ir_node *select = reading ? own_select(n) : NULL;
        if (!select)
            continue;
        n->range = select->range; /* an index out of range is told where it stands */
        n->scope = select->scope;
        operator_replace(n, reading, select->inputs, 3);
        ir_destroy(select);
    }
}

void fuse_get_item(ir_graph *g) {
    visit_block(g->block);
}
