/* Writes into tensors that gradients pass through become new tensors. */
#include "exporter/passes/lower/functional_writes.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

/* ---- What gradients are asked of ---- */

static void mark_asked(gradient_flow *f, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            mark_asked(f, n->blocks[i]);
        if (ir_is_operator(n, "prim::grad")) {
            flow_mark(f, ir_in(n, 0));
        } else if (ir_is_operator(n, "aten::grad")) {
            const ir_node *inputs = ir_in(n, 1)->node;
            for (uint32_t i = 0; inputs->kind == IR_LIST_CONSTRUCT && i < ir_input_count(inputs); i++)
                flow_mark(f, ir_in(inputs, i));
        }
    }
}

/* ---- Views ---- */

/* The operator that writes a part of a tensor as this one reads it; NULL: there is none. */
static const char *scatter_of(const ir_node *view) {
    return ir_is_operator(view, "aten::slice.Tensor") ? "aten::slice_scatter"
           : ir_is_operator(view, "aten::select.int") ? "aten::select_scatter"
                                                      : NULL;
}

/* The views from the written tensor up to the one that was made, which is *base. */
static ir_node **views_of(const ir_node *n, ir_value **base) {
    ir_node **views = NULL;
    ir_value *v = ir_in(n, 0);
    for (; v->node->block == n->block && scatter_of(v->node); v = ir_in(v->node, 0))
        arrput(views, v->node);
    *base = v;
    return views;
}

static bool is_among(ir_node *const *nodes, const ir_node *n) {
    for (size_t i = 0; i < arrlenu(nodes); i++)
        if (nodes[i] == n)
            return true;
    return false;
}

/* Whether no name of v but those of `views` is used behind n. */
static bool has_no_other_name(const ir_node *n, const ir_value *v, ir_node *const *views) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        if (u->user == n || ir_is_before(n, u->user) || use_only_reads(u))
            continue;
        if (!scatter_of(u->user) || u->index || u->user->block != n->block)
            return false;
        const ir_value *view = ir_out(u->user, 0);
        if (!has_no_other_name(n, view, views))
            return false;
        for (size_t k = 0; k < arrlenu(view->uses) && !is_among(views, u->user); k++)
            if (ir_is_before(n, view->uses[k].user))
                return false;
    }
    return true;
}

/* ---- Building ---- */

static ir_value *insert_call(program *p, ir_node *at, const char *name, ir_value *a, ir_value *b) {
    function *f = builtin_derivative(p, name, NULL);
    function_graph(f);
    ir_node *call = ir_node_new(at->graph, IR_CALL_FUNCTION, 1);
    call->callee = f;
    call->range = at->range;
    call->scope = at->scope;
    call->outputs[0]->type = f->schema->returns[0].type;
    ir_node_add_input(call, a);
    ir_node_add_input(call, b);
    ir_insert_before(at, call);
    return ir_out(call, 0);
}

/* An operator with n's inputs, but `first` (and `second`, unless NULL, in between) in the place of the first one. */
static ir_value *insert_like(ir_node *at, const ir_node *n, const op_schema *s, ir_value *first, ir_value *second) {
    ir_node *made = ir_node_new(at->graph, s->kind, 1);
    made->schema = s;
    made->range = n->range;
    made->scope = n->scope;
    made->outputs[0]->type = type_basic(TYPE_TENSOR);
    ir_node_add_input(made, first);
    if (second)
        ir_node_add_input(made, second);
    for (uint32_t i = 1; i < ir_input_count(n); i++)
        ir_node_add_input(made, ir_in(n, i));
    ir_insert_before(at, made);
    return ir_out(made, 0);
}

/* The operator that gives what n writes; NULL: there is none. */
static const op_schema *functional_of(const op_schema *s) {
    const char *name = mem_strndup(s->name, strlen(s->name) - 1);
    const op_schema *f = schema_find(s->overload[0] ? mem_printf("%s.%s", name, s->overload) : name);
    const bool is_there = f && (schema_is_implemented(f) || builtin_keeps_derivative(f->full_name));
    return is_there && f->argument_count == s->argument_count ? f : NULL;
}

static bool is_named(const ir_node *n, const char *name) {
    return !strcmp(n->schema->name, name);
}

static bool writes_given(const ir_node *n) {
    return is_named(n, "aten::copy_") || is_named(n, "aten::fill_") || is_named(n, "aten::zero_");
}

/* What the written tensor holds afterwards, of its dtype and sizes; before n. */
static ir_value *insert_written(program *p, ir_node *n) {
    ir_value *before = ir_in(n, 0);
    if (is_named(n, "aten::copy_") || ir_is_operator(n, "aten::fill_.Tensor"))
        return insert_call(p, n, "copied", before, ir_in(n, 1));
    if (is_named(n, "aten::zero_"))
        return insert_call(p, n, "filled", before, ir_insert_constant(n, const_int(0)));
    if (is_named(n, "aten::fill_"))
        return insert_call(p, n, "filled", before, ir_in(n, 1));
    return insert_call(p, n, "written", before, insert_like(n, n, functional_of(n->schema), before, NULL));
}

static void replace_later_uses(ir_node *n, ir_value *from, ir_value *to) {
    for (size_t i = 0; i < arrlenu(from->uses);) {
        ir_use u = from->uses[i];
        if (u.user != n && u.user != to->node && ir_is_before(n, u.user))
            ir_node_set_input(u.user, u.index, to); /* takes the use out of the array */
        else
            i++;
    }
}

/* Views of the new tensor take the places of those of the old one, and the last of them that of n's result. */
static void renew_views(ir_node *n, ir_node *const *views, ir_value *base) {
    ir_value *renewed = base;
    for (size_t i = arrlenu(views); i-- > 0;) {
        renewed = insert_like(n, views[i], views[i]->schema, renewed, NULL);
        replace_later_uses(n, ir_out(views[i], 0), renewed);
    }
    ir_replace_uses(ir_out(n, 0), renewed);
}

static ir_value *rewrite(program *p, ir_node *n, ir_node *const *views, ir_value *base) {
    ir_value *made = insert_written(p, n);
    for (size_t i = 0; i < arrlenu(views); i++)
        made = insert_like(n, views[i], schema_find(scatter_of(views[i])), ir_in(views[i], 0), made);
    renew_views(n, views, made);
    replace_later_uses(n, base, made);
    ir_destroy(n);
    return made;
}

/* ---- Which writes ---- */

/* A call that an earlier write became. */
static bool is_rewritten(program *p, const ir_node *n) {
    static const char *const names[] = {"written", "copied", "filled"};
    for (size_t i = 0; n->kind == IR_CALL_FUNCTION && i < sizeof names / sizeof *names; i++)
        if (n->callee == builtin_derivative(p, names[i], NULL))
            return true;
    return false;
}

static bool is_new_tensor(program *p, const ir_value *v) {
    const ir_node *n = v->node;
    if (is_rewritten(p, n))
        return true;
    if (!n->schema || v->type->kind != TYPE_TENSOR || v->offset >= n->schema->return_count)
        return false;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (type_can_alias(ir_in(n, i)->type) && operator_hands_on(n, i, v->offset))
            return false;
    return true;
}

/* Whether n writes to its first input and to no other, and gives it back. */
static bool writes_first(const ir_node *n) {
    const op_schema *s = n->schema;
    if (!s || !s->argument_count || !s->arguments[0].is_write || ir_output_count(n) != 1 ||
        ir_in(n, 0)->type->kind != TYPE_TENSOR || schema_has_trait(s, TRAIT_WRITES_NO_ELEMENTS))
        return false;
    for (uint32_t i = 1; i < s->argument_count; i++)
        if (s->arguments[i].is_write)
            return false;
    return s->name[strlen(s->name) - 1] == '_';
}

static void visit_block(program *p, gradient_flow *f, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(p, f, n->blocks[i]);
        if (!writes_first(n) || flow_mode(f, n) == GRADIENTS_OFF || !flow_depends(f, ir_in(n, 0)) ||
            !(writes_given(n) || functional_of(n->schema)))
            continue;
        ir_value *base;
        ir_node **views = views_of(n, &base);
        if (base->node->block == b && is_new_tensor(p, base) && has_no_other_name(n, base, views))
            flow_mark(f, rewrite(p, n, views, base));
    }
}

void functional_writes(program *p, ir_graph *g) {
    gradient_flow *f = flow_new(g);
    mark_asked(f, g->block);
    visit_block(p, f, g->block);
}
