/* Numbers lie in registers; messages have a place of their own. */
#include "exporter/passes/analysis/no_memory.h"

#include "exporter/base/limits.h"

bool type_takes_no_memory(const type *t) {
    switch (t->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_BOOL:
    case TYPE_NUMBER:
    case TYPE_NONE:
    case TYPE_DEVICE:
        return true;
    default:
        return false;
    }
}

bool node_only_hands_on(const ir_node *n) {
    switch (n->kind) {
    case IR_CONSTANT:
    case IR_UNINITIALIZED:
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
    case IR_GET_ATTR:
    case IR_TUPLE_INDEX:
    case IR_TUPLE_UNPACK:
    case IR_LIST_UNPACK:
        return true;
    default:
        return false;
    }
}

bool node_has_constant_keys(const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i += 2)
        if (!ir_is_constant(ir_in(n, i)))
            return false;
    return n->kind == IR_DICT_CONSTRUCT;
}

static bool has_constant_inputs(const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!ir_is_constant(ir_in(n, i)))
            return false;
    return true;
}

/* The one element of a tensor, as it lies. */
static bool reads_number(const ir_node *n) {
    return ir_is_operator(n, "aten::Int.Tensor") || ir_is_operator(n, "aten::Float.Tensor") ||
           ir_is_operator(n, "aten::Bool.Tensor") || ir_is_operator(n, "aten::item");
}

static bool takes_and_gives_numbers(const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (!ir_is_constant(ir_in(n, i)) && !type_takes_no_memory(ir_in(n, i)->type) &&
            !(ir_in(n, i)->type->kind == TYPE_TENSOR && n->schema && reads_number(n)))
            return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!type_takes_no_memory(ir_out(n, i)->type))
            return false;
    return n->schema;
}

bool block_takes_nothing(const ir_block *b, bool *raises) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        bool fits, ignored = false;
        if (n->kind == IR_RAISE_EXCEPTION)
            return *raises = has_constant_inputs(n); /* what follows never runs */
        if (n->kind == IR_IF)
            fits = block_takes_nothing(n->blocks[0], &ignored) && block_takes_nothing(n->blocks[1], &ignored);
        else
            fits = node_only_hands_on(n) || takes_and_gives_numbers(n);
        if (!fits)
            return false;
    }
    return true;
}
