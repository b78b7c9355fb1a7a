/* Roots and views of tensors. */
#include "exporter/passes/analysis/tensor_places.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

enum { BEFORE_VARIABLES = 2 }; /* count and condition of a loop */

struct tensor_places {
    const gradient_flow *flow;
    struct {
        const ir_value *key;
        tensor_place value;
    } * known;
    struct {
        const ir_value *key;
        bool value;
    } * asked; /* roots that tensor_root_is_new is about, while it is */
};

tensor_places *tensor_places_new(const gradient_flow *flow) {
    tensor_places *p = MEM_NEW(tensor_places);
    p->flow = flow;
    return p;
}

/* ---- Views ---- */

bool tensor_may_copy(const ir_node *n) {
    static const char *const names[] = {
        "aten::reshape", "aten::reshape_as", "aten::flatten",      "aten::ravel",       "aten::contiguous",
        "aten::to",      "aten::conj",       "aten::resolve_conj", "aten::resolve_neg", NULL};
    return text_is_among(n->schema->name, names) || schema_has_trait(n->schema, TRAIT_RETURNS_INPUT);
}

/* Whether n gives a tensor of its own, or its first input or a view of that, as is decided at run time. */
static bool is_perhaps_copy(const tensor_places *p, const ir_node *n) {
    return n->schema && n->schema->argument_count && n->schema->return_count == 1 && tensor_may_copy(n) &&
           !n->schema->arguments[0].is_write && ir_in(n, 0)->type->kind == TYPE_TENSOR &&
           ir_out(n, 0)->type->kind == TYPE_TENSOR && flow_mode(p->flow, n) == GRADIENTS_ON;
}

/* Whether n gives one view of its first input, that is recorded as such. */
static bool is_view(const tensor_places *p, const ir_node *n) {
    const op_schema *s = n->schema;
    if (!s || !s->argument_count || s->return_count != 1 || tensor_may_copy(n) ||
        ir_in(n, 0)->type->kind != TYPE_TENSOR || ir_out(n, 0)->type->kind != TYPE_TENSOR ||
        flow_mode(p->flow, n) != GRADIENTS_ON)
        return false;
    for (uint32_t i = 1; i < s->argument_count; i++)
        if (type_can_alias(ir_in(n, i)->type) && operator_hands_on(n, i, 0))
            return false;
    return !s->arguments[0].is_write && s->arguments[0].alias_set & s->returns[0].alias_set;
}

/* ---- Variables ---- */

const ir_node *tensor_root_loop(const ir_value *root) {
    const ir_node *n = root->node, *owner = n->block ? n->block->owner : NULL;
    return owner && owner->kind == IR_LOOP && n == n->block->param && root->offset ? owner : NULL;
}

static const ir_value *first_value(const ir_node *loop, const ir_value *variable) {
    return ir_in(loop, variable->offset - 1 + BEFORE_VARIABLES);
}

static const ir_value *last_value(const ir_node *loop, const ir_value *variable) {
    return ir_in(loop->blocks[0]->result, variable->offset);
}

/* Whether v is the other value, whatever way the program takes. */
static bool is_one(const ir_value *v, const ir_value *other) {
    stack_check();
    v = flow_origin(v);
    if (v == other)
        return true;
    const ir_node *n = v->node;
    if (n->kind == IR_IF)
        return is_one(ir_in(n->blocks[0]->result, v->offset), other) &&
               is_one(ir_in(n->blocks[1]->result, v->offset), other);
    if (n->kind != IR_LOOP)
        return false;
    const ir_value *variable = ir_out(n->blocks[0]->param, v->offset + 1);
    return is_one(last_value(n, variable), variable) && is_one(first_value(n, variable), other);
}

/* ---- Places ---- */

static tensor_place itself(const ir_value *v) {
    return (tensor_place){v, NULL};
}

static bool is_same(tensor_place a, tensor_place b) {
    if (!a.root || a.root != b.root || arrlenu(a.views) != arrlenu(b.views))
        return false;
    for (size_t i = 0; i < arrlenu(a.views); i++)
        if (a.views[i] != b.views[i])
            return false;
    return true;
}

static tensor_place place_of_branches(tensor_places *p, const ir_value *v) {
    const tensor_place yes = tensor_place_of(p, ir_in(v->node->blocks[0]->result, v->offset));
    const tensor_place no = tensor_place_of(p, ir_in(v->node->blocks[1]->result, v->offset));
    return is_same(yes, no) ? yes : itself(v);
}

static tensor_place place_of_variable(tensor_places *p, const ir_node *loop, const ir_value *variable,
                                      const ir_value *v) {
    return is_one(last_value(loop, variable), variable) ? tensor_place_of(p, first_value(loop, variable)) : itself(v);
}

static tensor_place find_place(tensor_places *p, const ir_value *v) {
    const ir_node *n = v->node, *loop = tensor_root_loop(v);
    if (v->type->kind != TYPE_TENSOR)
        return (tensor_place){0};
    if (loop)
        return place_of_variable(p, loop, v, v);
    if (n->kind == IR_LOOP)
        return place_of_variable(p, n, ir_out(n->blocks[0]->param, v->offset + 1), v);
    if (n->kind == IR_IF)
        return place_of_branches(p, v);
    if (!is_view(p, n))
        return is_new_tensor_of_operator(v) || is_perhaps_copy(p, n) ? itself(v) : (tensor_place){0};
    const tensor_place of = tensor_place_of(p, ir_in(n, 0));
    tensor_place place = itself(of.root);
    for (size_t i = 0; i < arrlenu(of.views); i++)
        arrput(place.views, of.views[i]);
    arrput(place.views, (ir_node *)(uintptr_t)n);
    return place;
}

tensor_place tensor_place_of(tensor_places *p, const ir_value *v) {
    stack_check();
    const ptrdiff_t at = hmgeti(p->known, v);
    if (at >= 0)
        return p->known[at].value;
    const ir_value *origin = flow_origin(v);
    const tensor_place place = origin == v ? find_place(p, v) : tensor_place_of(p, origin);
    hmput(p->known, v, place);
    return place;
}

/* ---- What roots are made of ---- */

static bool is_new(tensor_places *p, const ir_value *root);

static bool comes_from_new(tensor_places *p, const ir_value *v) {
    const ir_value *root = tensor_place_of(p, v).root;
    return root && is_new(p, root);
}

static bool is_new(tensor_places *p, const ir_value *root) {
    stack_check();
    const ir_node *n = root->node, *loop = tensor_root_loop(root);
    if (hmgeti(p->asked, root) >= 0)
        return true; /* if all else that it comes from is new */
    hmput(p->asked, root, true);
    if (n->kind == IR_IF)
        return comes_from_new(p, ir_in(n->blocks[0]->result, root->offset)) &&
               comes_from_new(p, ir_in(n->blocks[1]->result, root->offset));
    if (is_perhaps_copy(p, n))
        return comes_from_new(p, ir_in(n, 0));
    if (n->kind == IR_LOOP) {
        loop = n;
        root = ir_out(n->blocks[0]->param, root->offset + 1);
    }
    return !loop || (comes_from_new(p, first_value(loop, root)) && comes_from_new(p, last_value(loop, root)));
}

bool tensor_root_is_new(tensor_places *p, const ir_value *root) {
    hmfree(p->asked);
    return is_new(p, root);
}
