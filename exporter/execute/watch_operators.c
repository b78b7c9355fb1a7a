/* Runs an image node by node: a function is called with what every operator gives. */
#include "exporter/execute/watch_operators.h"

#include "runtime/interpreter/machine.h"
#include "runtime/interpreter/operators.h"

/* A row of the instance's operator table: the operator, with a kernel that calls the watcher too. It is the first
 * member, so x->op points to the row. */
typedef struct {
    tsm_operator row;
    const tsm_operator *own;
    const ir_node *node;
    operator_watcher watcher;
    void *data;
} watched_operator;

static tsm_status watch(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    const watched_operator *w = (const watched_operator *)(const void *)x->op;
    tsm_tensor *dest = x->dest;
    x->op = w->own; /* kernels may run their operator on parts of their work, which nobody is told of */
    tsm_status status = w->own->kernel(x, in, out);
    x->op = &w->row;
    if (status == TSM_OK && dest) /* what is watched is what the program gets, in the destination's dtype */
        status = tsm_machine_deliver(x, dest, in, out);
    if (status == TSM_OK)
        w->watcher(w->data, tsm_instance_of(x), w->node, out);
    return status;
}

void watch_operators(tsm_instance *inst, const ir_node *const *nodes, operator_watcher watcher, void *data) {
    watched_operator *rows = MEM_ARRAY(watched_operator, arrlenu(nodes) + 1);
    for (size_t i = 0; i < arrlenu(nodes); i++) {
        const tsm_operator *own = inst->operators[i];
        rows[i] = (watched_operator){*own, own, nodes[i], watcher, data};
        rows[i].row.kernel = watch;
        rows[i].row.on_registers = NULL;
        inst->operators[i] = &rows[i].row;
    }
}
