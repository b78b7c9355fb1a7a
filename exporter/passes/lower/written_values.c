/* What writes into tensors give. */
#include "exporter/passes/lower/written_values.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/program/builtins.h"
#include "exporter/schema/operator_node.h"

/* ---- What gradients are asked of ---- */

void write_mark_asked(gradient_flow *f, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            write_mark_asked(f, n->blocks[i]);
        if (ir_is_operator(n, "prim::grad")) {
            flow_mark(f, ir_in(n, 0));
        } else if (ir_is_operator(n, "aten::grad")) {
            const ir_node *inputs = ir_in(n, 1)->node;
            for (uint32_t i = 0; inputs->kind == IR_LIST_CONSTRUCT && i < ir_input_count(inputs); i++)
                flow_mark(f, ir_in(inputs, i));
        }
    }
}

/* ---- Operators ---- */

/* Whether n writes to its first input and to no other, and gives it back. */
bool write_is_first(const ir_node *n) {
    const op_schema *s = n->schema;
    if (!s || !s->argument_count || !s->arguments[0].is_write || ir_output_count(n) != 1 ||
        ir_in(n, 0)->type->kind != TYPE_TENSOR || schema_has_trait(s, TRAIT_WRITES_NO_ELEMENTS))
        return false;
    for (uint32_t i = 1; i < s->argument_count; i++)
        if (s->arguments[i].is_write)
            return false;
    return s->name[strlen(s->name) - 1] == '_';
}

/* The operator that gives what n writes; NULL: there is none. */
const op_schema *write_functional(const op_schema *s) {
    const char *name = mem_strndup(s->name, strlen(s->name) - 1);
    const op_schema *f = schema_find(s->overload[0] ? mem_printf("%s.%s", name, s->overload) : name);
    const bool is_there = f && (schema_is_implemented(f) || builtin_keeps_derivative(f->full_name));
    return is_there && f->argument_count == s->argument_count ? f : NULL;
}

/* The view that an operator makes of its first input in the place of it (x.unsqueeze_(0), x.t_()); NULL: it does not.
 */
const op_schema *write_view_in_place(const ir_node *n) {
    const op_schema *f = ir_is_operator(n, "aten::transpose_") ? schema_find("aten::transpose.int")
                         : n->schema                           ? write_functional(n->schema)
                                                               : NULL;
    const bool is_view = f && f->argument_count && f->return_count == 1 && !f->arguments[0].is_write &&
                         f->arguments[0].alias_set & f->returns[0].alias_set &&
                         !schema_has_trait(f, TRAIT_RETURNS_INPUT) && !schema_has_trait(f, TRAIT_NO_GRADIENT);
    return is_view ? f : NULL;
}

static bool is_named(const ir_node *n, const char *name) {
    return !strcmp(n->schema->name, name);
}

bool write_is_given(const ir_node *n) {
    return is_named(n, "aten::copy_") || is_named(n, "aten::fill_") || is_named(n, "aten::zero_");
}

/* ---- Building ---- */

void write_insert_overlap_check(ir_node *n, uint32_t i) {
    const bool all = schema_has_trait(n->schema, TRAIT_OVERLAP_ALL);
    if (schema_has_trait(n->schema, TRAIT_OVERLAP_PUT)) {
        const bool may_be_none = type_admits_none(type_element(ir_in(n, 1)->type));
        const op_schema *check = schema_find(may_be_none ? "tsm::check_put" : "tsm::check_put.list");
        ir_insert_before(n, operator_node(n, check, n->inputs, ir_input_count(n)));
        return;
    }
    if (!all && !schema_has_trait(n->schema, TRAIT_OVERLAP_NONE))
        return;
    ir_value *inputs[] = {ir_in(n, 0), ir_in(n, i), ir_insert_constant(n, const_bool(all))};
    ir_insert_before(n, operator_node(n, schema_find("tsm::check_overlap"), inputs, 3));
}

static ir_value *insert_helper(program *p, ir_node *at, const char *name, ir_value *a, ir_value *b) {
    return function_insert_call(at, builtin_derivative(p, name, NULL), (ir_value *[]){a, b}, 2);
}

ir_value *write_insert_display(ir_node *at, const ir_node *display, ir_value *const *items) {
    ir_node *made = ir_node_new(at->graph, display->kind, 1);
    made->range = display->range;
    made->scope = display->scope;
    made->type_operand = display->type_operand;
    ir_out(made, 0)->type = ir_out(display, 0)->type;
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        ir_node_add_input(made, items[i]);
    ir_insert_before(at, made);
    return ir_out(made, 0);
}

/* An operator with n's inputs, but `first` in the place of the first one. */
ir_value *write_insert_like(ir_node *at, const ir_node *n, const op_schema *s, ir_value *first) {
    ir_node *made = operator_node(n, s, &first, 1);
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        ir_node_add_input(made, ir_in(n, i));
    ir_insert_before(at, made);
    return ir_out(made, 0);
}

/* What the written tensor, which is n's first input, holds afterwards, of its dtype and sizes; before n. */
ir_value *write_insert_result(program *p, ir_node *n) {
    ir_value *before = ir_in(n, 0);
    if (is_named(n, "aten::copy_") || ir_is_operator(n, "aten::fill_.Tensor"))
        return insert_helper(p, n, "copied", before, ir_in(n, 1));
    if (is_named(n, "aten::zero_"))
        return insert_helper(p, n, "filled", before, ir_insert_constant(n, const_int(0)));
    if (is_named(n, "aten::fill_"))
        return insert_helper(p, n, "filled", before, ir_in(n, 1));
    ir_value *result = write_insert_like(n, n, write_functional(n->schema), before);
    saved_mark_name(n, before, result);
    return insert_helper(p, n, "written", before, result);
}
