/* Where a tensor comes from, back to what gives bools. */
#include "exporter/passes/analysis/bool_tensor.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/base/mem.h"
#include "exporter/ir/function_schema.h"

enum { MOST_STEPS = 32 };

static bool converts_to_bool(const ir_node *n) {
    int64_t dtype;
    return (ir_is_operator(n, "aten::to.dtype") || ir_is_operator(n, "aten::_to_copy")) &&
           ir_constant_int(ir_in(n, 1), &dtype) && dtype == PT_BOOL;
}

static bool gives_bools(const ir_node *n) {
    static const char *const names[] = {"aten::eq",          "aten::ne",
                                        "aten::lt",          "aten::le",
                                        "aten::gt",          "aten::ge",
                                        "aten::isnan",       "aten::isinf",
                                        "aten::isposinf",    "aten::isneginf",
                                        "aten::isfinite",    "aten::isreal",
                                        "aten::isin",        "aten::isclose",
                                        "aten::logical_not", "aten::logical_and",
                                        "aten::logical_or",  "aten::logical_xor",
                                        "aten::signbit",     "aten::not_equal",
                                        "aten::less",        "aten::less_equal",
                                        "aten::greater",     "aten::greater_equal",
                                        "tsm::bool_mask",    NULL};
    return n->schema && ir_out(n, 0)->type->kind == TYPE_TENSOR &&
           (text_is_among(n->schema->name, names) || converts_to_bool(n));
}

/* Whether the node gives a view of its first argument. */
static bool gives_view(const ir_node *n) {
    const op_schema *s = n->schema;
    return s && s->argument_count && s->return_count == 1 && s->returns[0].may_alias && !s->arguments[0].is_write &&
           s->returns[0].alias_set == s->arguments[0].alias_set && ir_in(n, 0)->type->kind == TYPE_TENSOR;
}

bool is_bool_tensor(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    if (c)
        return c->kind == CONST_TENSOR && c->tensor->dtype == PT_BOOL;
    for (int step = 0; step < MOST_STEPS && v->node; step++) {
        if (gives_bools(v->node))
            return true;
        const bool keeps_dtype = gives_view(v->node) || ir_is_operator(v->node, "aten::bitwise_not");
        if (!keeps_dtype || ir_is_operator(v->node, "aten::to.dtype"))
            return false;
        v = ir_in(v->node, 0);
    }
    return false;
}
