/* Inlining: copies of the callee's nodes, which note the call in their scopes. */
#include "exporter/passes/lower/inline_calls.h"

#include "exporter/program/program.h"

/* The object of a method's call, as attributes of the caller's own; NULL: it is something else. */
static const char *module_of(const ir_node *call) {
    const char *path = NULL;
    if (call->kind != IR_CALL_METHOD)
        return NULL;
    const ir_value *v = ir_in(call, 0);
    for (; v->node->kind == IR_GET_ATTR; v = ir_in(v->node, 0))
        path = path ? mem_printf("%s.%s", v->node->attribute, path) : v->node->attribute;
    return v->node == call->graph->block->param && v->offset == 0 ? path : NULL;
}

/* The chain of calls of a node of the body: the body's own chain, ending in the call. */
static const ir_scope *extend(const ir_scope *inner, const char *body, const ir_node *call, const char *caller) {
    stack_check();
    ir_scope *s = MEM_NEW(ir_scope);
    if (inner && inner->caller) {
        s->function = inner->function;
        s->module = inner->module;
        s->range = inner->range;
        s->caller = extend(inner->caller, body, call, caller);
        return s;
    }
    s->function = inner ? inner->function : body;
    s->module = module_of(call);
    s->range = call->range;
    if (call->scope)
        s->caller = call->scope;
    else {
        ir_scope *outermost = MEM_NEW(ir_scope);
        outermost->function = caller;
        s->caller = outermost;
    }
    return s;
}

/* What a copied body's nodes say of where they are from. */
static void set_scopes(ir_node *from, const ir_node *end, const ir_node *call) {
    stack_check();
    const function *body = call->callee;
    for (ir_node *n = from; n != end; n = n->next) {
        if (body->is_operator) {
            n->scope = call->scope;
            n->range = call->range;
        } else
            n->scope = extend(n->scope, body->name, call, call->graph->name);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            set_scopes(ir_first(n->blocks[i]), n->blocks[i]->result, call);
    }
}

/* The graphs that have been inlined into, and how many nodes they have now. */
typedef struct {
    ir_graph *key;
    uint32_t value;
} * inlined_graphs;

static uint32_t inline_into(ir_graph *g, inlined_graphs *done);

static void inline_call(ir_node *call, inlined_graphs *done) {
    ir_graph *body = function_graph(call->callee);
    if (!limit_spend(OVER_INLINED_NODES, inline_into(body, done)))
        return; /* the call stays */
    uint32_t parameters = ir_output_count(body->block->param);
    uint32_t first = ir_input_count(call) - parameters; /* a function value may stand first */
    ir_value_map map = NULL;
    for (uint32_t i = 0; i < parameters; i++)
        hmput(map, body->block->param->outputs[i], ir_in(call, first + i));
    ir_node *before = call->previous;
    ir_copy_nodes(body->block, call, &map);
    set_scopes(before->next, call, call);
    const ir_value *result = ir_in(body->block->result, 0);
    ir_value *mapped = hmget(map, result);
    ir_value *out = ir_out(call, 0);
    if (out->name && !mapped->name && !ir_is_constant(mapped))
        mapped->name = out->name;
    ir_replace_uses(out, mapped);
    ir_destroy(call);
    hmfree(map);
}

static void inline_block(ir_block *b, inlined_graphs *done) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            inline_block(n->blocks[i], done);
        if ((n->kind == IR_CALL_FUNCTION || n->kind == IR_CALL_METHOD) && n->callee)
            inline_call(n, done);
    }
}

static uint32_t inline_into(ir_graph *g, inlined_graphs *done) {
    stack_check();
    ptrdiff_t at = hmgeti(*done, g);
    if (at >= 0)
        return (*done)[at].value;
    inline_block(g->block, done);
    const uint32_t nodes = ir_count_nodes(g->block);
    hmput(*done, g, nodes);
    return nodes;
}

void inline_calls(ir_graph *g) {
    inlined_graphs done = NULL;
    inline_into(g, &done);
    hmfree(done);
}
