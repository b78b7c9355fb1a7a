/* Writes into tensors that gradients pass through become new tensors. */
#include "exporter/passes/lower/functional_writes.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/schema/operator_node.h"

typedef struct {
    program *program;
    gradient_flow *flow;
    ir_value **carried; /* names of carry_through */
} writer;

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

/* The views from the written tensor up to the one that was made, which is *base. PyTorch raises at writes to a view
 * that was made where nothing is recorded. */
static ir_node **views_of(const writer *w, const ir_node *n, ir_value **base) {
    ir_node **views = NULL;
    ir_value *v = ir_in(n, 0);
    for (; v->node->block == n->block && scatter_of(v->node) && flow_mode(w->flow, v->node) == GRADIENTS_ON;
         v = ir_in(v->node, 0))
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

static bool stands_in(const ir_node *n, const ir_node *owner) {
    for (const ir_block *b = n->block; b->owner; b = b->owner->block)
        if (b->owner == owner)
            return true;
    return false;
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

/* Whether v becomes an item of a list that operators only read: torch.stack([r[i], r[i + 1]]). */
static bool use_only_reads_item(const ir_use *u) {
    if (u->user->kind != IR_LIST_CONSTRUCT)
        return false;
    const ir_value *list = ir_out(u->user, 0);
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (!use_only_reads(&list->uses[i]))
            return false;
    return true;
}

/* Whether v is used in n or behind it. */
static bool is_used_from(const ir_node *n, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (ir_is_before(n, v->uses[i].user) || stands_in(v->uses[i].user, n))
            return true;
    return false;
}

/* Whether all that is read through the use is read before n. */
static bool is_read_before(const ir_use *u, const ir_node *n) {
    if (use_only_reads(u))
        return true; /* those behind n read what n made */
    return use_only_reads_item(u) && !is_used_from(n, ir_out(u->user, 0));
}

/* Whether what stands in `owner` reads v, views it and writes to it, and keeps it nowhere but in result `index` of its
 * blocks. */
enum { ANY_RESULT = -1, NO_RESULT = -2 };
static bool is_kept_within(const ir_value *v, const ir_node *owner, int64_t index) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        const ir_block *b = u->user->block;
        const bool is_result = u->user == b->result && b->owner == owner;
        if (is_result ? index == ANY_RESULT || index == u->index
                      : !stands_in(u->user, owner) || use_only_reads(u) || use_only_reads_item(u))
            continue;
        const bool goes_on = u->index == 0 && (scatter_of(u->user) || writes_first(u->user));
        if (!goes_on || !is_kept_within(ir_out(u->user, 0), owner, index))
            return false;
    }
    return true;
}

/* Whether no name of v but those of `views` is used behind n. Names that are made in n are its own; those of before n
 * are not carried into it, and may not be used there either. */
static bool has_no_other_name(const ir_node *n, const ir_value *v, ir_node *const *views) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        if (u->user == n || stands_in(u->user, n) || ir_is_before(n, u->user) || is_read_before(u, n))
            continue;
        if (!scatter_of(u->user) || u->index || u->user->block != n->block)
            return false;
        const ir_value *view = ir_out(u->user, 0);
        if (!has_no_other_name(n, view, views) || (!is_among(views, u->user) && is_used_from(n, view)))
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
    ir_node *made = operator_node(n, s, &first, 1);
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

/* The view that an operator makes of its first input in the place of it (x.unsqueeze_(0), x.t_()); NULL: it does not.
 */
static const op_schema *view_in_place(const ir_node *n) {
    const op_schema *f = ir_is_operator(n, "aten::transpose_") ? schema_find("aten::transpose.int")
                         : n->schema                           ? functional_of(n->schema)
                                                               : NULL;
    const bool is_view = f && f->argument_count && f->return_count == 1 && !f->arguments[0].is_write &&
                         f->arguments[0].alias_set & f->returns[0].alias_set &&
                         !schema_has_trait(f, TRAIT_RETURNS_INPUT) && !schema_has_trait(f, TRAIT_NO_GRADIENT);
    return is_view ? f : NULL;
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
    ir_value *result = insert_like(n, n, functional_of(n->schema), before, NULL);
    saved_mark_name(n, before, result);
    return insert_call(p, n, "written", before, result);
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
    saved_mark_write(n, base);
    ir_value *made = insert_written(p, n);
    for (size_t i = 0; i < arrlenu(views); i++)
        made = insert_like(n, views[i], schema_find(scatter_of(views[i])), ir_in(views[i], 0), made);
    renew_views(n, views, made);
    saved_mark_name(n, base, made);
    replace_later_uses(n, base, made);
    ir_destroy(n);
    return made;
}

/* ---- Views in the place of tensors ---- */

/* Whether the tensor, made by an operator, is in no container and no variable of a branch or a loop. */
static bool has_one_name(const ir_value *v) {
    if (!v->node->schema || schema_has_trait(v->node->schema, TRAIT_RETURNS_INPUT))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_use *u = &v->uses[i];
        if (!u->user->schema || operator_stores(u->user, u->index) ||
            schema_has_trait(u->user->schema, TRAIT_RETURNS_INPUT))
            return false;
    }
    return true;
}

/* The view has the place of the tensor from n on. */
static ir_value *replace_by_view(ir_node *n, const op_schema *view) {
    ir_value *v = ir_in(n, 0);
    saved_mark_write(n, v);
    ir_value *made = insert_like(n, n, view, v, NULL);
    saved_mark_name(n, v, made);
    ir_replace_uses(ir_out(n, 0), made);
    replace_later_uses(n, v, made);
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

static bool is_new_tensor(const writer *w, const ir_value *v);

/* A variable of a loop is a new tensor in each turn when it begins with one and each turn ends with one or with
 * itself, and nobody else has these. */
static bool is_new_variable(const writer *w, const ir_value *v) {
    stack_check();
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    const ir_block *body = v->node->block;
    const ir_node *loop = body ? body->owner : NULL;
    if (!loop || loop->kind != IR_LOOP || v->node != body->param || !v->offset || v->type->kind != TYPE_TENSOR)
        return false;
    const ir_value *first = ir_in(loop, v->offset - 1 + BEFORE_VARIABLES), *last = ir_in(body->result, v->offset);
    for (size_t i = 0; i < arrlenu(first->uses); i++)
        if (first->uses[i].user != loop &&
            !(use_only_reads(&first->uses[i]) && ir_is_before(first->uses[i].user, loop)))
            return false;
    const bool is_itself = flow_origin(last) == v;
    if (is_itself && !is_kept_within(v, loop, v->offset))
        return false;
    for (size_t i = 0; i < arrlenu(last->uses) && !is_itself; i++)
        if (last->uses[i].user != body->result && !use_only_reads(&last->uses[i]))
            return false;
    return is_new_tensor(w, first) && (is_itself || is_new_tensor(w, last));
}

static bool is_new_tensor(const writer *w, const ir_value *v) {
    const ir_node *n = v->node;
    if (is_rewritten(w->program, n) || is_new_variable(w, v))
        return true;
    for (size_t i = 0; i < arrlenu(w->carried); i++)
        if (w->carried[i] == v)
            return true;
    return is_new_tensor_of_operator(v);
}

/* ---- Writes in branches and loops to what was made outside ---- */

static void replace_inside(const ir_block *b, ir_value *from, const ir_value *to) {
    for (size_t i = 0; i < arrlenu(from->uses);) {
        const ir_use u = from->uses[i];
        const ir_block *at = u.user->block;
        while (at != b && at->owner)
            at = at->owner->block;
        if (at == b && u.user != to->node)
            ir_node_set_input(u.user, u.index, (ir_value *)(uintptr_t)to);
        else
            i++;
    }
}

/* A name of v for each block of the node; the node gives what v is afterwards. Returns the name in `block`. */
static ir_value *carry_through(writer *w, ir_node *owner, const ir_block *block, ir_value *v) {
    const type *tensor = type_basic(TYPE_TENSOR);
    ir_value *inside = NULL, *after;
    for (size_t i = 0; i < arrlenu(owner->blocks); i++) {
        ir_block *b = owner->blocks[i];
        ir_value *name;
        if (owner->kind == IR_LOOP) {
            name = ir_block_add_param(b, NULL, tensor);
            arrput(w->carried, name);
        } else {
            name = insert_call(w->program, ir_first(b), "copied", v, v);
        }
        replace_inside(b, v, name);
        if (owner->kind == IR_IF)
            saved_mark_name(name->node->next, v, name);
        ir_block_add_result(b, name);
        inside = b == block ? name : inside;
    }
    after = ir_node_add_output(owner, tensor);
    arrput(w->carried, after);
    replace_later_uses(owner, v, after);
    if (owner->kind == IR_LOOP)
        ir_node_add_input(owner, v);
    flow_mark(w->flow, after);
    return inside;
}

/* A branch may give v back under another name when nobody uses the old one any more. */
static int64_t may_be_result(const ir_value *v, const ir_node *owner) {
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (ir_is_before(owner, v->uses[i].user))
            return NO_RESULT;
    return owner->kind == IR_IF ? ANY_RESULT : NO_RESULT;
}

/* Whether n now writes to a tensor that is made in its block, or is a variable of the loop around. */
static bool carry_into(writer *w, const ir_node *n, ir_value *base) {
    const ir_block **blocks = NULL;
    for (const ir_block *b = n->block; b != base->node->block; b = b->owner->block) {
        if (!b->owner || (b->owner->kind != IR_LOOP && b->owner->kind != IR_IF))
            return false;
        arrput(blocks, b);
    }
    if (!arrlenu(blocks) || !is_new_tensor(w, base) || !has_no_other_name(arrlast(blocks)->owner, base, NULL) ||
        !is_kept_within(base, arrlast(blocks)->owner, may_be_result(base, arrlast(blocks)->owner)))
        return false;
    for (size_t i = arrlenu(blocks); i-- > 0;) {
        base = carry_through(w, blocks[i]->owner, blocks[i], base);
        flow_mark(w->flow, base);
    }
    return true;
}

/* Whether n made a view in the place of a tensor, and now is one. */
static bool is_made_view(writer *w, ir_node *n) {
    const op_schema *view = view_in_place(n);
    ir_value *v = view ? ir_in(n, 0) : NULL;
    if (!v || v->node->block != n->block)
        return false;
    const bool is_alone = is_new_tensor(w, v) && has_no_other_name(n, v, NULL);
    if (!is_alone && !has_one_name(v))
        return false;
    ir_value *made = replace_by_view(n, view);
    if (is_alone)
        arrput(w->carried, made);
    flow_mark(w->flow, made);
    return true;
}

static void visit_block(writer *w, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(w, n->blocks[i]);
        if (!writes_first(n) || flow_mode(w->flow, n) == GRADIENTS_OFF || !flow_depends(w->flow, ir_in(n, 0)) ||
            is_made_view(w, n) || !(writes_given(n) || (functional_of(n->schema) && !view_in_place(n))))
            continue;
        ir_value *base;
        ir_node **views = views_of(w, n, &base);
        if (base->node->block != b) {
            if (!carry_into(w, n, base))
                continue;
            views = views_of(w, n, &base);
        }
        if (base->node->block == b && is_new_tensor(w, base) && has_no_other_name(n, base, views))
            flow_mark(w->flow, rewrite(w->program, n, views, base));
    }
}

void functional_writes(program *p, ir_graph *g) {
    writer w = {p, flow_new(g), NULL};
    mark_asked(w.flow, g->block);
    visit_block(&w, g->block);
}
