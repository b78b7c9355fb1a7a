/* Marks for autodiff. */
#include "exporter/passes/lower/gradient_marks.h"

#include "exporter/base/limits.h"
#include "exporter/schema/schema.h"

bool gradient_mark_is(const ir_node *n) {
    static const char *const marks[] = {"tsm::checkpoint_begins", "tsm::checkpoint_ends", "tsm::overwritten",
                                        "tsm::same_memory",       "tsm::saved",           "tsm::entry_read"};
    for (size_t i = 0; n->schema && i < sizeof marks / sizeof *marks; i++)
        if (ir_is_operator(n, marks[i]))
            return true;
    return false;
}

static void drop_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            drop_block(n->blocks[i]);
        if (gradient_mark_is(n))
            ir_destroy(n);
    }
}

void gradient_marks_drop(ir_graph *g) {
    drop_block(g->block);
}
