/* Generators made of constants become constants. */
#include "exporter/passes/lower/lower_generators.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/evaluate_operator.h"
#include "exporter/schema/schema.h"

/* A constant input; devices, of which only the CPU has generators, become None. NULL: it is not known, or the operator
 * raises. */
static const ir_constant *known_input(const ir_value *v) {
    const ir_node *made = v->node;
    if (made->schema && !strcmp(made->schema->full_name, "aten::device"))
        v = ir_in(made, 0);
    if (!ir_is_constant(v))
        return NULL;
    const ir_constant *c = ir_constant_of(v);
    if (c->kind != CONST_DEVICE && c->kind != CONST_STR)
        return c;
    return strcmp(c->string.bytes, "cpu") ? NULL : const_none();
}

/* The operator's result; NULL when it is not known before the program runs. */
static ir_constant *evaluated(const ir_node *n) {
    const ir_constant *inputs[2];
    ir_constant *result;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!(inputs[i] = known_input(ir_in(n, i))))
            return NULL;
    if (!evaluate_operator(n, inputs, &result))
        return NULL;
    result->type = ir_out(n, 0)->type;
    return result;
}

static bool is_lowered(const ir_node *n) {
    return n->schema &&
           (!strcmp(n->schema->full_name, "aten::Generator") || !strcmp(n->schema->full_name, "aten::initial_seed"));
}

static void lower_block(ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            lower_block(n->blocks[i]);
        ir_constant *result = is_lowered(n) ? evaluated(n) : NULL;
        if (result) {
            ir_replace_uses(ir_out(n, 0), ir_insert_constant(n, result));
            ir_destroy(n);
        }
    }
}

void lower_generators(ir_graph *g) {
    lower_block(g->block);
}
