/* The check for tensors of MKL-DNN's layout in programs that ask for layouts. */
#include "exporter/passes/lower/check_opaque_layouts.h"

#include <string.h>

#include "exporter/program/program_internal.h"

static const ir_node *find_in_block(const ir_block *b, const char *const *names) {
    stack_check();
    IR_EACH(n, b) {
        if (n->schema && text_is_among(n->schema->name, names))
            return n;
        for (size_t i = 0; i < arrlenu(n->blocks); i++) {
            const ir_node *found = find_in_block(n->blocks[i], names);
            if (found)
                return found;
        }
    }
    return NULL;
}

/* The first operator of these names; NULL when there is none. */
static const ir_node *find(function *const *functions, const char *const *names) {
    for (size_t i = 0; i < arrlenu(functions); i++) {
        const ir_node *found = find_in_block(function_graph(functions[i])->block, names);
        if (found)
            return found;
    }
    return NULL;
}

void check_opaque_layouts(function *const *functions) {
    static const char *const makers[] = {"aten::to_mkldnn", NULL};
    static const char *const questions[] = {"prim::is_mkldnn", "prim::layout", NULL};
    const ir_node *question = find(functions, makers) ? find(functions, questions) : NULL;
    if (question)
        source_fail(question->range, "%s is not supported in a program that makes tensors of MKL-DNN's layout",
                    question->schema->name);
}
