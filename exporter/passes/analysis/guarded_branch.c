/* Branches on guards. */
#include "exporter/passes/analysis/guarded_branch.h"

bool is_guarded_branch(const ir_node *n) {
    return n->kind == IR_IF && ir_in(n, 0)->node->kind == IR_TYPE_CHECK;
}
