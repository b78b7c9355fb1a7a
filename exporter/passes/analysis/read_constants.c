/* Uses of constant tensors by operators of which neither result nor strides depend on how arguments lie. */
#include "exporter/passes/analysis/read_constants.h"

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* Whether the user gives new tensors whose elements do not depend on how those of its input lie. */
static bool use_reads_elements(const ir_use *u) {
    const ir_node *n = u->user;
    const bool sees_no_strides = schema_has_trait(n->schema, TRAIT_STRIDES_FOLLOW) ||
                                 schema_has_trait(n->schema, TRAIT_STRIDES_OWN) ||
                                 schema_has_trait(n->schema, TRAIT_STRIDES_CHANNELS_LAST);
    for (uint32_t i = 0; sees_no_strides && i < ir_output_count(n); i++)
        if (!is_new_tensor_of_operator(ir_out(n, i)))
            return false;
    return sees_no_strides && use_only_reads(u);
}

static bool is_only_read(const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!use_reads_elements(&v->uses[i]))
            return false;
    return true;
}

/* Sets all first, and takes back those with other uses then: nodes may be the same constant. */
static void mark_in_block(const ir_block *b, bool takes_back) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            mark_in_block(n->blocks[i], takes_back);
        if (n->kind == IR_CONSTANT && n->constant && n->constant->kind == CONST_TENSOR &&
            !(takes_back && is_only_read(ir_out(n, 0))))
            n->constant->is_only_read = !takes_back;
    }
}

void read_constants_mark(function *const *functions) {
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < arrlenu(functions); i++)
            mark_in_block(function_graph(functions[i])->block, pass);
}
