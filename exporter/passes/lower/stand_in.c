/* Finds out what formulas ask, and hands them stand-ins. */
#include "exporter/passes/lower/stand_in.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/shape.h"
#include "exporter/program/builtins.h"

/* ---- What is asked ---- */

static bool asks_only(const ir_value *v);

/* A tensor has an answer to every question. */
static bool is_question(const ir_node *n) {
    static const shape any = {.kind = SHAPE_TENSOR, .dims = SHAPE_MAX_DIMS};
    return n->schema && shape_answer(n, &any);
}

static bool use_asks_only(const ir_use *u) {
    const ir_node *n = u->user;
    if (n->kind == IR_CALL_FUNCTION)
        return n->callee->is_builtin && stand_in_suffices(n->callee, u->index);
    if (n->kind == IR_UNCHECKED_CAST || n->kind == IR_GETITEM)
        return u->index == 0 && asks_only(ir_out(n, 0));
    if (n->kind == IR_LEN)
        return true;
    if (ir_is_operator(n, "aten::type_as"))
        return u->index == 1;
    return u->index == 0 &&
           (ir_is_operator(n, "aten::zeros_like") || ir_is_operator(n, "aten::ones_like") || is_question(n));
}

static bool asks_only(const ir_value *v) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!use_asks_only(&v->uses[i]))
            return false;
    return true;
}

bool stand_in_suffices(function *f, uint32_t parameter) {
    const ir_node *params = function_graph(f)->block->param;
    return parameter < ir_output_count(params) && asks_only(ir_out(params, parameter));
}

/* ---- Building ---- */

static bool is_tensor(const ir_value *v) {
    return v->type->kind == TYPE_TENSOR;
}

static bool is_formula(const ir_node *n) {
    return n->kind == IR_CALL_FUNCTION && n->callee && n->callee->is_builtin;
}

/* A list of tensors that stays as it is made. */
static bool is_display(const ir_value *v) {
    if (v->node->kind != IR_LIST_CONSTRUCT || !ir_input_count(v->node) || !is_tensor(ir_in(v->node, 0)))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!is_formula(v->uses[i].user) && !use_leaves_list(&v->uses[i]))
            return false;
    return true;
}

/* What the caller or the module holds stays where it is. */
static bool stays(const ir_value *v) {
    const ir_node *n = v->node;
    return n->kind == IR_CONSTANT || n->kind == IR_GET_ATTR || (n == n->block->param && !n->block->owner);
}

static ir_node *first_behind(const ir_value *v) {
    return v->node == v->node->block->param ? ir_first(v->node->block) : v->node->next;
}

static ir_value *insert_stand_in(program *p, ir_node *at, ir_value *v) {
    ir_value *made = function_insert_call(at, builtin_derivative(p, "stand_in", NULL), &v, 1);
    made->type = v->type;
    return made;
}

static ir_value *insert_display(program *p, ir_node *at, const ir_value *display) {
    ir_node *list = ir_node_new(at->graph, IR_LIST_CONSTRUCT, 1);
    list->range = at->range;
    list->scope = at->scope;
    list->outputs[0]->type = display->type;
    for (uint32_t i = 0; i < ir_input_count(display->node); i++)
        ir_node_add_input(list, insert_stand_in(p, at, ir_in(display->node, i)));
    ir_insert_before(at, list);
    return ir_out(list, 0);
}

static bool is_within(const ir_node *n, const ir_block *block) {
    for (const ir_block *b = n->block; b; b = b->owner ? b->owner->block : NULL)
        if (b == block)
            return true;
    return false;
}

void stand_in_for(program *p, ir_value *v, const ir_block *block) {
    const function *stand_in = builtin_derivative(p, "stand_in", NULL);
    ir_use *asking = NULL;
    if (stays(v) || (!is_tensor(v) && !is_display(v)))
        return;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use u = v->uses[i];
        if ((block ? !is_within(u.user, block) : !is_formula(u.user)) || u.user->callee == stand_in)
            continue;
        if (!is_formula(u.user) || !stand_in_suffices(u.user->callee, u.index))
            return;
        arrput(asking, u);
    }
    if (!arrlenu(asking))
        return;
    ir_node *at = first_behind(v);
    ir_value *other = is_tensor(v) ? insert_stand_in(p, at, v) : insert_display(p, at, v);
    for (size_t i = 0; i < arrlenu(asking); i++)
        ir_node_set_input(asking[i].user, asking[i].index, other);
}
