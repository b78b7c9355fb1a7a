/* What holds in every graph, between any two passes. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/ir/function_schema.h"
#include "exporter/ir/ir.h"

/* A value that may be used here: defined above, in this block or one around it. */
typedef struct {
    const ir_value *value; /* NULL: the value of this number may not be used */
    uint32_t uses;         /* inputs that were seen to be it */
} visible_value;

typedef struct {
    const ir_graph *graph;
    visible_value *visible; /* by the value's id */
    const char *fault;
} linter;

static bool found(linter *l, const ir_node *n, const char *what) {
    if (!l->fault) {
        strbuf b = {0};
        strbuf_printf(&b, "%s, at ", what);
        ir_print_node(n, &b);
        l->fault = strbuf_text(&b);
    }
    return false;
}

static bool is_listed(const ir_value *v, const ir_node *user, uint32_t index) {
    uint32_t times = 0;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        times += v->uses[i].user == user && v->uses[i].index == index;
    return times == 1;
}

/* NULL: it may not be used here. */
static visible_value *find_visible(linter *l, const ir_value *v) {
    visible_value *found_at = v->id < l->graph->next_id ? &l->visible[v->id] : NULL;
    return found_at && found_at->value == v ? found_at : NULL;
}

static bool make_visible(linter *l, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const ir_value *v = n->outputs[i];
        if (v->id >= l->graph->next_id || l->visible[v->id].value)
            return found(l, n, mem_printf("%%%u is not the only value of that number", v->id));
        l->visible[v->id] = (visible_value){v, 0};
    }
    return true;
}

/* At the end of a block all uses of its values must have been seen; nothing behind it may use them. */
static bool hide(linter *l, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        const ir_value *v = n->outputs[i];
        visible_value *at = &l->visible[v->id];
        if (at->uses != ir_use_count(v))
            return found(
                l, n,
                mem_printf("%%%u has %u uses on its list, and the graph has %u", v->id, ir_use_count(v), at->uses));
        at->value = NULL;
    }
    return true;
}

static bool lint_inputs(linter *l, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_value *v = n->inputs[i];
        visible_value *at = find_visible(l, v);
        if (!at)
            return found(l, n, mem_printf("%%%u is used where its definition does not reach", v->id));
        if (!is_listed(v, n, i))
            return found(l, n, mem_printf("input %u is not on the list of uses of %%%u", i, v->id));
        at->uses++;
    }
    return true;
}

static bool lint_outputs(linter *l, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (n->outputs[i]->node != n || n->outputs[i]->offset != i || !n->outputs[i]->type)
            return found(l, n, mem_printf("output %u does not know where it comes from", i));
    return true;
}

/* ---- Kinds ---- */

static bool fits(const ir_value *from, const ir_value *to) {
    return type_is_subtype(from->type, to->type, NULL);
}

static bool lint_results(linter *l, const ir_node *n, const ir_block *b, uint32_t first) {
    if (ir_input_count(b->result) != ir_output_count(n) + first)
        return found(l, n, "a block has another number of results than the node has outputs");
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!fits(ir_in(b->result, i + first), n->outputs[i]))
            return found(l, n,
                         mem_printf("result %u of a block is of type %s", i, ir_in(b->result, i + first)->type->text));
    return true;
}

static bool lint_if(linter *l, const ir_node *n) {
    if (arrlenu(n->blocks) != 2 || ir_input_count(n) != 1 || ir_in(n, 0)->type->kind != TYPE_BOOL)
        return found(l, n, "prim::If has a bool and two blocks");
    return lint_results(l, n, n->blocks[0], 0) && lint_results(l, n, n->blocks[1], 0);
}

static bool lint_loop(linter *l, const ir_node *n) {
    if (arrlenu(n->blocks) != 1 || ir_input_count(n) != ir_output_count(n) + 2 || ir_in(n, 0)->type->kind != TYPE_INT ||
        ir_in(n, 1)->type->kind != TYPE_BOOL)
        return found(l, n, "prim::Loop has a trip count, a condition, an input for each output, and one block");
    const ir_block *b = n->blocks[0];
    if (ir_output_count(b->param) != ir_output_count(n) + 1)
        return found(l, n, "the block of prim::Loop has a parameter for the turn and one for each output");
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (!fits(ir_in(n, i + 2), b->param->outputs[i + 1]))
            return found(l, n, mem_printf("loop variable %u begins with type %s", i, ir_in(n, i + 2)->type->text));
    return lint_results(l, n, b, 1);
}

static bool lint_operator(linter *l, const ir_node *n) {
    const op_schema *s = n->schema;
    if (s->kind != n->kind)
        return found(l, n, mem_printf("the schema is that of %s", s->full_name));
    if (!s->variable_arguments && s->argument_count != ir_input_count(n))
        return found(l, n, mem_printf("%s takes %u inputs", s->full_name, s->argument_count));
    if (!s->variable_returns && s->return_count != ir_output_count(n))
        return found(l, n, mem_printf("%s has %u outputs", s->full_name, s->return_count));
    for (uint32_t i = 0; i < ir_input_count(n) && i < s->argument_count; i++) {
        const type *wanted = s->arguments[i].type;
        if (!type_has_variables(wanted) && !type_is_subtype(ir_in(n, i)->type, wanted, NULL))
            return found(l, n,
                         mem_printf("input %u is of type %s, and %s takes %s", i, ir_in(n, i)->type->text, s->full_name,
                                    wanted->text));
    }
    return true;
}

static bool lint_kind(linter *l, const ir_node *n) {
    switch (n->kind) {
    case IR_IF:
        return lint_if(l, n);
    case IR_LOOP:
        return lint_loop(l, n);
    case IR_CONSTANT:
        return (ir_input_count(n) == 0 && ir_output_count(n) == 1) ||
               found(l, n, "a constant has one output and no input");
    default:
        if (arrlenu(n->blocks) && n->kind != IR_WITH && n->kind != IR_CLOSURE)
            return found(l, n, "this kind of node has no blocks");
        return !n->schema || lint_operator(l, n);
    }
}

/* ---- The walk ---- */

static bool lint_block(linter *l, const ir_block *b);

static bool lint_node(linter *l, const ir_node *n, const ir_block *b) {
    if (n->block != b || n->graph != l->graph || n->next->previous != n || n->previous->next != n)
        return found(l, n, "the node is not linked into the block it stands in");
    if (!lint_inputs(l, n) || !lint_outputs(l, n))
        return false;
    for (size_t i = 0; i < arrlenu(n->blocks); i++)
        if (n->blocks[i]->owner != n || !lint_block(l, n->blocks[i]))
            return found(l, n, "a block does not know whose it is");
    return lint_kind(l, n) && make_visible(l, n);
}

static bool lint_block(linter *l, const ir_block *b) {
    stack_check();
    if (!make_visible(l, b->param))
        return false;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (!lint_node(l, n, b))
            return false;
    if (!lint_inputs(l, b->result))
        return false;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (!hide(l, n))
            return false;
    return hide(l, b->param);
}

const char *ir_fault(const ir_graph *g) {
    linter l = {.graph = g, .visible = mem_alloc(g->next_id * sizeof *l.visible)};
    lint_block(&l, g->block);
    return l.fault;
}

void ir_lint(const ir_graph *g, const char *pass) {
    const char *fault = ir_fault(g);
    if (fault)
        diag_internal("the graph of %s is malformed after %s: %s", g->name, pass, fault);
}
