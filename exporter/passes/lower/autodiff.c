/* Reverse-mode differentiation: requests are found, the operators before them differentiated last first; what blocks
 * compute is kept on a tape. */
#include "exporter/passes/lower/autodiff.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/passes/lower/collect_appends.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/tape.h"
#include "exporter/passes/lower/unite_attributes.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

/* The gradient of one item of a list or tuple. */
typedef struct {
    int64_t index;
    ir_value *gradient;
} item_gradient;

/* What formulas read of the values of the program. */
typedef struct {
    memory_classes *classes;
    struct {
        const ir_value *value;
        const ir_node *node; /* that made or read it, and whose formula reads it */
    } * list;
} formula_uses;

/* One request under way, or the part of it in a branch or a loop. */
typedef struct {
    program *program;
    gradient_flow *flow;
    const ir_node *request;
    ir_node *at;            /* new nodes stand before it */
    ir_value_map gradients; /* of tensors, by flow_origin */
    struct {
        const ir_value *key;
        item_gradient *value;
    } * items; /* of lists and tuples */
    formula_uses *uses;
} derivation;

/* Where the user asked for it: of code of PyTorch's own (torch.nn.functional, layers), the call that led there. */
static source_range users_range(const ir_node *n) {
    static const char torch[] = "__torch__.torch.";
    source_range range = n->range;
    for (const ir_scope *s = n->scope; s && s->caller; s = s->caller) {
        bool is_torch = s->function && !strncmp(s->function, torch, sizeof torch - 1);
        if (!is_torch && !(range.file && range.file->is_library))
            break;
        range = s->range;
    }
    return range;
}

_Noreturn static void refuse(const ir_node *n, const char *why) {
    source_fail(
        users_range(n), "%s",
        mem_printf("%s cannot be differentiated: %s", n->schema ? n->schema->full_name : ir_kind_name(n->kind), why));
}

/* ---- Building ---- */

static ir_value *insert_call(derivation *d, function *f, ir_value *const *inputs, uint32_t count) {
    ir_node *call = ir_node_new(d->at->graph, IR_CALL_FUNCTION, 1);
    call->callee = f;
    call->range = d->request->range;
    call->scope = d->request->scope;
    function_graph(f);
    call->outputs[0]->type = f->schema->returns[0].type;
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(call, inputs[i]);
    ir_insert_before(d->at, call);
    return ir_out(call, 0);
}

static ir_value *insert_helper(derivation *d, const char *name, ir_value *const *inputs, uint32_t count) {
    return insert_call(d, builtin_derivative(d->program, name, NULL), inputs, count);
}

static ir_value *insert_list(derivation *d, const type *element, ir_value *const *items, uint32_t count) {
    ir_node *list = ir_node_new(d->at->graph, IR_LIST_CONSTRUCT, 1);
    list->range = d->request->range;
    list->scope = d->request->scope;
    list->outputs[0]->type = type_list(element);
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(list, items[i]);
    ir_insert_before(d->at, list);
    return ir_out(list, 0);
}

/* ---- Gradients so far ---- */

static ir_value *gradient_of(const derivation *d, const ir_value *v) {
    ir_value_map gradients = d->gradients;
    return hmget(gradients, flow_origin(v));
}

static void accumulate(derivation *d, const ir_value *v, ir_value *gradient) {
    const ir_value *origin = flow_origin(v);
    if (!flow_depends(d->flow, origin))
        return;
    ir_value *known = gradient_of(d, origin);
    if (known)
        gradient = insert_helper(d, "sum_of", (ir_value *[]){known, gradient}, 2);
    hmput(d->gradients, origin, gradient);
}

static void accumulate_item(derivation *d, const ir_value *container, int64_t index, ir_value *gradient) {
    const ir_value *origin = flow_origin(container);
    if (!flow_depends(d->flow, origin))
        return;
    item_gradient *items = hmget(d->items, origin);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index == index) {
            items[i].gradient = insert_helper(d, "sum_of", (ir_value *[]){items[i].gradient, gradient}, 2);
            return;
        }
    item_gradient item = {index, gradient};
    arrput(items, item);
    hmput(d->items, origin, items);
}

static item_gradient *items_of(derivation *d, const ir_value *container) {
    return hmget(d->items, flow_origin(container));
}

static bool has_gradient(derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (gradient_of(d, ir_out(n, i)) || items_of(d, ir_out(n, i)))
            return true;
    return false;
}

/* ---- Lists and tuples ---- */

static bool changes_or_hides(const ir_use *u) {
    bool is_formula = u->user->kind == IR_CALL_FUNCTION && u->user->callee && u->user->callee->is_builtin;
    if (is_formula || u->user->kind == IR_LIST_UNPACK || u->user == u->user->graph->block->result)
        return false;
    return !u->user->schema || operator_writes(u->user, u->index);
}

/* The node that makes a list whose items stay what they were then. */
static const ir_node *list_display(const ir_node *user, const ir_value *list) {
    const ir_node *n = flow_origin(list)->node;
    if (n->kind != IR_LIST_CONSTRUCT)
        refuse(user, "its list is not written as a display [a, b, ...]");
    for (size_t i = 0; i < arrlenu(ir_out(n, 0)->uses); i++)
        if (changes_or_hides(&ir_out(n, 0)->uses[i]))
            refuse(ir_out(n, 0)->uses[i].user, "it changes or keeps a list that gradients pass through");
    return n;
}

/* a[i]: of a list that some operator made, or of a display. */
static void reverse_item(derivation *d, const ir_node *n, bool counts_from_end) {
    int64_t index;
    const ir_value *container = flow_origin(ir_in(n, 0));
    if (!ir_constant_int(ir_in(n, 1), &index))
        refuse(n, "the index is not a constant");
    bool is_display = container->node->kind == IR_LIST_CONSTRUCT;
    if (is_display)
        list_display(n, container);
    if (index < 0 && is_display)
        index += ir_input_count(container->node);
    if (index < 0 && counts_from_end)
        refuse(n, "the index counts from the end");
    accumulate_item(d, container, index, gradient_of(d, ir_out(n, 0)));
}

static void reverse_unpack(derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (gradient_of(d, ir_out(n, i)))
            accumulate_item(d, ir_in(n, 0), i, gradient_of(d, ir_out(n, i)));
}

static void reverse_display(derivation *d, const ir_node *n) {
    item_gradient *items = items_of(d, ir_out(n, 0));
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index >= 0 && items[i].index < ir_input_count(n))
            accumulate(d, ir_in(n, (uint32_t)items[i].index), items[i].gradient);
}

/* ---- Operators ---- */

static void note_use(derivation *d, const ir_node *n, const ir_value *v) {
    if (v->type->kind != TYPE_TENSOR)
        return;
    arraddnptr(d->uses->list, 1);
    arrlast(d->uses->list).value = v;
    arrlast(d->uses->list).node = n;
}

/* Gradients of all items of a list of tensors that n made: zeros where none came. */
static ir_value *gradients_of_items(derivation *d, ir_value *list) {
    item_gradient *items = items_of(d, list);
    ir_value **indices = NULL, **given = NULL;
    for (size_t i = 0; i < arrlenu(items); i++) {
        arrput(indices, ir_insert_constant(d->at, const_int(items[i].index)));
        arrput(given, items[i].gradient);
    }
    uint32_t count = (uint32_t)arrlenu(items);
    ir_value *inputs[] = {list, insert_list(d, type_basic(TYPE_INT), indices, count),
                          insert_list(d, type_basic(TYPE_TENSOR), given, count)};
    return insert_helper(d, "item_gradients", inputs, 3);
}

/* What a formula's parameter stands for: "grad", "grad1", ...: the gradient of a result; "grads": those of the items of
 * a list that is the result; "result", "result1", ...: a result; others: the operator's argument of this name. */
static ir_value *formula_argument(derivation *d, const ir_node *n, const char *name) {
    static const char grad[] = "grad", result[] = "result";
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    if (!strcmp(name, "grads"))
        return gradients_of_items(d, ir_out(n, 0));
    bool is_result = !strncmp(name, result, sizeof result - 1);
    const char *number = name + (is_result ? sizeof result - 1 : sizeof grad - 1);
    uint32_t k = *number ? (uint32_t)(*number - '0') : 0;
    if (is_result)
        return ir_out(n, k);
    ir_value *g = gradient_of(d, ir_out(n, k));
    return g ? g : insert_helper(d, "no_gradient", (ir_value *[]){ir_out(n, k)}, 1);
}

static ir_value *apply_formula(derivation *d, const ir_node *n, function *formula) {
    ir_value **inputs = NULL;
    for (uint32_t i = 0; i < formula->schema->argument_count; i++) {
        ir_value *v = formula_argument(d, n, formula->schema->arguments[i].name);
        note_use(d, n, v);
        arrput(inputs, v);
    }
    return insert_call(d, formula, inputs, (uint32_t)arrlenu(inputs));
}

static void reverse_list_argument(derivation *d, const ir_node *n, const ir_value *list, ir_value *gradients) {
    const ir_node *display = list_display(n, list);
    ir_node *unpack = ir_node_new(d->at->graph, IR_LIST_UNPACK, ir_input_count(display));
    unpack->range = d->request->range;
    unpack->scope = d->request->scope;
    ir_node_add_input(unpack, gradients);
    ir_insert_before(d->at, unpack);
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        accumulate(d, ir_in(display, i), ir_out(unpack, i));
}

static bool is_known(derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (builtin_derivative(d->program, n->schema->full_name, n->schema->arguments[i].name))
            return true;
    return false;
}

static bool has_dependent_input(const derivation *d, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (flow_depends(d->flow, ir_in(n, i)))
            return true;
    return false;
}

static void reverse_operator(derivation *d, const ir_node *n) {
    bool is_recorded = flow_mode(d->flow, n) != GRADIENTS_OFF &&
                       !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS) &&
                       !schema_has_trait(n->schema, TRAIT_NO_GRADIENT);
    if (!is_recorded || !has_dependent_input(d, n))
        return;
    if (schema_is_mutating(n->schema))
        refuse(n, ir_in(n, 0)->type->kind == TYPE_LIST ? "it changes a list that gradients pass through"
                                                       : "it works in place");
    if (flow_mode(d->flow, n) == GRADIENTS_UNKNOWN)
        refuse(n, "whether gradients are enabled here is decided at run time");
    if (!is_known(d, n))
        refuse(n, "there is no formula for its derivative");
    for (uint32_t i = 0; i < n->schema->argument_count; i++) {
        function *formula = flow_depends(d->flow, ir_in(n, i))
                                ? builtin_derivative(d->program, n->schema->full_name, n->schema->arguments[i].name)
                                : NULL;
        if (!formula)
            continue;
        ir_value *gradient = apply_formula(d, n, formula);
        if (ir_in(n, i)->type->kind == TYPE_LIST)
            reverse_list_argument(d, n, ir_in(n, i), gradient);
        else
            accumulate(d, ir_in(n, i), gradient);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        note_use(d, n, ir_out(n, i));
}

/* ---- Nodes ---- */

static void reverse_if(derivation *d, ir_node *n);
static void reverse_loop(derivation *d, ir_node *n);

static void reverse_node(derivation *d, ir_node *n) {
    stack_check();
    if (!has_gradient(d, n))
        return;
    switch (n->kind) {
    case IR_IF:
        reverse_if(d, n);
        break;
    case IR_LOOP:
        reverse_loop(d, n);
        break;
    case IR_LIST_CONSTRUCT:
        list_display(n, ir_out(n, 0));
        reverse_display(d, n);
        break;
    case IR_TUPLE_CONSTRUCT:
        reverse_display(d, n);
        break;
    case IR_LIST_UNPACK:
    case IR_TUPLE_UNPACK:
        reverse_unpack(d, n);
        break;
    case IR_GETITEM:
    case IR_TUPLE_INDEX:
        if (ir_in(n, 0)->type->kind == TYPE_DICT)
            refuse(n, "gradients do not pass through dicts");
        reverse_item(d, n, true);
        break;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
    case IR_CONSTANT:
        break;
    case IR_GET_ATTR:
        if (flow_depends(d->flow, ir_in(n, 0)))
            refuse(n, "gradients do not pass through attributes of objects");
        break;
    default:
        if (!n->schema)
            refuse(n, "gradients do not pass through it");
        reverse_operator(d, n);
    }
}

/* From `last` back to the block's beginning. */
static void reverse_block(derivation *d, ir_node *last) {
    for (ir_node *n = last; n != n->block->param; n = n->previous)
        reverse_node(d, n);
}

/* ---- What inner blocks use of outer ones ---- */

/* A tensor outside of a block whose gradient comes from inside: a value, or an item of a list or tuple. */
typedef struct {
    ir_value *value;
    int64_t index; /* of the item; NO_ITEM: the value itself */
} outer_tensor;

enum { NO_ITEM = -1 };

static void add_outer(outer_tensor **all, const ir_value *v, int64_t index, const ir_block *block) {
    if (ir_is_inside(v, block))
        return;
    for (size_t i = 0; i < arrlenu(*all); i++)
        if ((*all)[i].value == v && (*all)[i].index == index)
            return;
    outer_tensor t = {(ir_value *)(uintptr_t)v, index};
    arrput(*all, t);
}

/* Adds those that have gradients in `inner`, which reverses `block`. */
static void find_outer(outer_tensor **all, const derivation *inner, const ir_block *block) {
    for (ptrdiff_t i = 0; i < hmlen(inner->gradients); i++)
        add_outer(all, inner->gradients[i].key, NO_ITEM, block);
    for (ptrdiff_t i = 0; i < hmlen(inner->items); i++)
        for (size_t k = 0; k < arrlenu(inner->items[i].value); k++)
            add_outer(all, inner->items[i].key, inner->items[i].value[k].index, block);
}

static ir_value *outer_gradient(derivation *d, outer_tensor t) {
    if (t.index == NO_ITEM)
        return gradient_of(d, t.value);
    item_gradient *items = items_of(d, t.value);
    for (size_t i = 0; i < arrlenu(items); i++)
        if (items[i].index == t.index)
            return items[i].gradient;
    return NULL;
}

static ir_node *insert_node(derivation *d, ir_kind kind, ir_value *input) {
    ir_node *n = ir_node_new(d->at->graph, kind, 1);
    n->range = d->request->range;
    n->scope = d->request->scope;
    ir_node_add_input(n, input);
    ir_insert_before(d->at, n);
    return n;
}

static ir_value *insert_item(derivation *d, ir_value *container, int64_t index) {
    ir_value *at = ir_insert_constant(d->at, const_int(index));
    if (container->type->kind == TYPE_LIST) {
        call_argument arguments[] = {{NULL, container, d->request->range}, {NULL, at, d->request->range}};
        return ir_out(schema_call("aten::__getitem__", d->at, d->request->range, arguments, 2), 0);
    }
    ir_node *item = insert_node(d, IR_TUPLE_INDEX, container);
    ir_node_add_input(item, at);
    ir_out(item, 0)->type = container->type->items[index];
    return ir_out(item, 0);
}

/* Zeros for a value that may be known as Optional only: that it has a gradient elsewhere says that it is a tensor. */
static ir_value *insert_zeros(derivation *d, outer_tensor t) {
    ir_value *v = t.index == NO_ITEM ? t.value : insert_item(d, t.value, t.index);
    if (v->type->kind != TYPE_TENSOR)
        v = ir_out(insert_node(d, IR_UNCHECKED_CAST, v), 0);
    return insert_helper(d, "no_gradient", &v, 1);
}

static ir_value *gradient_or_zeros(derivation *d, outer_tensor t) {
    ir_value *g = outer_gradient(d, t);
    return g ? g : insert_zeros(d, t);
}

/* Adds to the gradient of t. */
static void accumulate_outer(derivation *d, outer_tensor t, ir_value *gradient) {
    if (t.index == NO_ITEM)
        accumulate(d, t.value, gradient);
    else
        accumulate_item(d, t.value, t.index, gradient);
}

static derivation derivation_within(const derivation *d, const ir_block *block) {
    return (derivation){
        .program = d->program, .flow = d->flow, .request = d->request, .at = block->result, .uses = d->uses};
}

/* ---- Branches ---- */

static bool raises(const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        if (n->kind == IR_RAISE_EXCEPTION)
            return true;
    return false;
}

/* Reverses a branch into `to`; returns the gradients of what lies outside. */
static derivation reverse_branch(derivation *d, const ir_node *n, const ir_block *branch, const ir_block *to) {
    derivation inner = derivation_within(d, to);
    if (raises(branch)) /* a run that takes this branch never reaches the request */
        return inner;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *result = ir_in(branch->result, i);
        item_gradient *items = items_of(d, ir_out(n, i));
        if (gradient_of(d, ir_out(n, i)))
            accumulate(&inner, result, gradient_of(d, ir_out(n, i)));
        for (size_t k = 0; k < arrlenu(items); k++)
            accumulate_item(&inner, result, items[k].index, items[k].gradient);
    }
    reverse_block(&inner, branch->result->previous);
    return inner;
}

static void reverse_if(derivation *d, ir_node *n) {
    ir_node *branches = ir_node_new(n->graph, IR_IF, 0);
    branches->range = d->request->range;
    branches->scope = d->request->scope;
    ir_node_add_input(branches, ir_in(n, 0));
    ir_insert_before(d->at, branches);
    derivation inner[2];
    outer_tensor *outer = NULL;
    for (int k = 0; k < 2; k++) {
        inner[k] = reverse_branch(d, n, n->blocks[k], ir_node_add_block(branches));
        find_outer(&outer, &inner[k], n->blocks[k]);
    }
    for (size_t i = 0; i < arrlenu(outer); i++) {
        for (int k = 0; k < 2; k++)
            ir_block_add_result(branches->blocks[k], gradient_or_zeros(&inner[k], outer[i]));
        accumulate_outer(d, outer[i], ir_node_add_output(branches, type_basic(TYPE_TENSOR)));
    }
    for (int k = 0; k < 2; k++)
        tape_keep_branch(n, k, branches->blocks[k]);
}

/* ---- Loops ----
 *
 * A loop is reversed by a loop that runs as often and carries the gradients of the variables, and those of what lies
 * outside. */

enum { BEFORE_VARIABLES = 2 }; /* inputs of a prim::Loop: count and condition */

/* The variables of the loop that may have gradients. */
static uint32_t *dependent_variables(const derivation *d, const ir_node *n) {
    uint32_t *which = NULL;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        if (!flow_depends(d->flow, ir_out(n, i)))
            continue;
        if (ir_out(n, i)->type->kind != TYPE_TENSOR)
            refuse(n, "a variable that it changes is no tensor");
        arrput(which, i);
    }
    return which;
}

static ir_node *insert_reverse_loop(derivation *d, ir_value *turns) {
    ir_node *loop = ir_node_new(d->at->graph, IR_LOOP, 0);
    loop->range = d->request->range;
    loop->scope = d->request->scope;
    ir_node_add_input(loop, turns);
    ir_node_add_input(loop, ir_insert_constant(d->at, const_bool(true)));
    ir_insert_before(d->at, loop);
    ir_block *body = ir_node_add_block(loop);
    ir_block_add_param(body, NULL, type_basic(TYPE_INT));
    ir_block_add_result(body, ir_insert_constant(body->result, const_bool(true)));
    return loop;
}

/* A gradient that the loop carries: its value in the body. */
static ir_value *carry_gradient(ir_node *loop, ir_value *first) {
    ir_node_add_input(loop, first);
    ir_node_add_output(loop, type_basic(TYPE_TENSOR));
    return ir_block_add_param(loop->blocks[0], NULL, type_basic(TYPE_TENSOR));
}

/* Gradients of what lies outside are summed turn by turn. */
static void carry_outer(derivation *d, derivation *inner, ir_node *loop, const ir_block *body) {
    outer_tensor *outer = NULL;
    find_outer(&outer, inner, body);
    derivation before = *d;
    before.at = loop;
    for (size_t i = 0; i < arrlenu(outer); i++) {
        ir_value *sum = carry_gradient(loop, insert_zeros(&before, outer[i]));
        ir_value *both[] = {sum, outer_gradient(inner, outer[i])};
        ir_block_add_result(loop->blocks[0], insert_helper(inner, "sum_of", both, 2));
        accumulate_outer(d, outer[i], ir_out(loop, ir_output_count(loop) - 1));
    }
}

static void reverse_loop(derivation *d, ir_node *n) {
    const ir_block *body = n->blocks[0];
    uint32_t *variables = dependent_variables(d, n);
    uint32_t count = (uint32_t)arrlenu(variables);
    ir_node *loop = insert_reverse_loop(d, tape_turns(n));
    derivation before = *d, inner = derivation_within(d, loop->blocks[0]);
    before.at = loop;
    for (uint32_t i = 0; i < count; i++) {
        outer_tensor result = {ir_out(n, variables[i]), NO_ITEM};
        ir_value *g = carry_gradient(loop, gradient_or_zeros(&before, result));
        accumulate(&inner, ir_in(body->result, variables[i] + 1), g);
    }
    reverse_block(&inner, body->result->previous);
    for (uint32_t i = 0; i < count; i++) {
        outer_tensor variable = {ir_out(body->param, variables[i] + 1), NO_ITEM};
        ir_block_add_result(loop->blocks[0], gradient_or_zeros(&inner, variable));
        accumulate(d, ir_in(n, variables[i] + BEFORE_VARIABLES), ir_out(loop, i));
    }
    carry_outer(d, &inner, loop, body);
    tape_keep_turns(n, loop->blocks[0]);
}

/* ---- Through the blocks around a request ---- */

static const ir_node *loop_around(const ir_node *n) {
    for (const ir_block *b = n->block; b->owner; b = b->owner->block)
        if (b->owner->kind == IR_LOOP)
            return b->owner;
    return NULL;
}

static bool is_among(ir_value *const *values, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(values); i++)
        if (flow_origin(values[i]) == flow_origin(v))
            return true;
    return false;
}

static void check_loop_variables(derivation *d, const ir_block *b, ir_value *const *sources) {
    for (uint32_t i = 0; i < ir_output_count(b->param); i++) {
        const ir_value *v = ir_out(b->param, i);
        if ((gradient_of(d, v) || items_of(d, v)) && !is_among(sources, v))
            refuse(b->owner, "gradients do not pass through loops");
    }
}

static void reverse_from_request(derivation *d, ir_value *const *sources) {
    const ir_node *last = d->request;
    for (const ir_block *b = d->request->block;; b = last->block) {
        reverse_block(d, last->previous);
        if (!b->owner)
            return;
        check_loop_variables(d, b, sources);
        last = b->owner;
    }
}

/* ---- Memory that changes before formulas read it ---- */

/* A loop that comes from one to the other again, before the request. */
static const ir_node *common_loop(const derivation *d, const ir_node *a, const ir_node *b) {
    for (const ir_block *at = a->block; at->owner; at = at->owner->block) {
        bool is_common = at->owner->kind == IR_LOOP && ir_is_before(at->param, b);
        if (is_common && !ir_is_before(at->param, d->request))
            return at->owner;
    }
    return NULL;
}

/* Whether n may run after a value was used and before the request reads it. */
static bool comes_between(const derivation *d, const ir_node *n, const ir_value *value, const ir_node *user) {
    const ir_node *turning = common_loop(d, n, user);
    if (turning && memory_classes_outlives(d->uses->classes, value, turning))
        return true;
    if (ir_is_before(n, user))
        return false;
    const ir_node *loop = loop_around(d->request);
    bool comes_again = loop && loop_around(n) && !ir_is_before(loop->blocks[0]->param, user);
    return !ir_is_before(d->request, n) || comes_again;
}

static void check_write(derivation *d, const ir_node *n, const ir_value *written) {
    for (size_t i = 0; i < arrlenu(d->uses->list); i++)
        if (memory_classes_share(d->uses->classes, d->uses->list[i].value, written) &&
            comes_between(d, n, d->uses->list[i].value, d->uses->list[i].node))
            source_fail(users_range(n), "%s changes a tensor that a gradient is computed from", n->schema->full_name);
}

static void check_writes(derivation *d, const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            check_writes(d, n->blocks[i]);
        for (uint32_t i = 0; n->schema && i < n->schema->argument_count; i++)
            if (n->schema->arguments[i].is_write && ir_in(n, i)->type->kind == TYPE_TENSOR &&
                !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS))
                check_write(d, n, ir_in(n, i));
    }
}

/* ---- Requests ---- */

static bool is_request(const ir_node *n) {
    return n->schema && (!strcmp(n->schema->name, "aten::backward") || !strcmp(n->schema->name, "aten::grad"));
}

/* The first one in the order of the program; NULL: there is none. */
static ir_node *find_request(const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (is_request(n))
            return n;
        for (size_t i = 0; i < arrlenu(n->blocks); i++) {
            ir_node *inner = find_request(n->blocks[i]);
            if (inner)
                return inner;
        }
    }
    return NULL;
}

static bool holds_request(const ir_node *loop) {
    return find_request(loop->blocks[0]) != NULL;
}

bool autodiff_is_requested(const ir_graph *g) {
    return find_request(g->block) != NULL;
}

/* Tensors of an argument that is a tensor or a list display; items may be None. An empty array for None. */
static ir_value **tensors_of(const ir_node *request, ir_value *v) {
    ir_value **tensors = NULL;
    const ir_constant *c = ir_constant_of(v);
    if (c && c->kind == CONST_NONE)
        return NULL;
    if (v->type->kind == TYPE_TENSOR) {
        arrput(tensors, v);
        return tensors;
    }
    const ir_node *display = list_display(request, v);
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        arrput(tensors, ir_in(display, i));
    return tensors;
}

static ir_value *input_named(const ir_node *n, const char *name) {
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    return NULL;
}

static bool option(const ir_node *n, const char *name) {
    bool on;
    if (!ir_constant_bool(input_named(n, name), &on))
        source_fail(n->range, "%s wants a constant for %s", n->schema->name, name);
    return on;
}

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

/* Gives the outputs their gradients: those given, or 1 for a tensor of one element. */
static void seed(derivation *d, ir_value *const *outputs, ir_value *const *given) {
    for (size_t i = 0; i < arrlenu(outputs); i++) {
        ir_value *g = i < arrlenu(given) && !is_none(given[i]) ? given[i] : NULL;
        if (g && g->type->kind != TYPE_TENSOR)
            source_fail(d->request->range, "%s wants gradients that cannot be None", d->request->schema->name);
        accumulate(d, outputs[i], g ? g : insert_helper(d, "first_gradient", &outputs[i], 1));
    }
}

static bool reaches(ir_value *read, ir_value *const *outputs) {
    gradient_flow *f = flow_new(read->node->graph);
    flow_mark(f, read);
    for (size_t i = 0; i < arrlenu(outputs); i++)
        if (flow_depends(f, outputs[i]))
            return true;
    return false;
}

/* Gradients of a source that is read from an attribute would lack what passes through another read of it. */
static void check_separate_reads(const derivation *d, ir_value *const *outputs, const ir_value *source) {
    const ir_node *read = flow_origin(source)->node;
    if (read->kind != IR_GET_ATTR)
        return;
    for (ir_node *n = NULL; (n = next_separate_read(read, n));)
        if (reaches(ir_out(n, 0), outputs))
            source_fail(d->request->range,
                        "whether '%s' is still the tensor that was read before is decided at run time",
                        read->attribute);
}

/* Runs everything between the outputs and the sources backward. */
static void derive(derivation *d, ir_value *const *outputs, ir_value *const *given, ir_value *const *sources) {
    d->uses = MEM_NEW(formula_uses);
    d->uses->classes = memory_classes_new(d->request->graph);
    d->flow = flow_new(d->request->graph);
    for (size_t i = 0; i < arrlenu(sources); i++) {
        check_separate_reads(d, outputs, sources[i]);
        flow_mark(d->flow, sources[i]);
    }
    seed(d, outputs, given);
    reverse_from_request(d, sources);
    check_writes(d, d->request->graph->block);
}

/* Without create_graph a gradient is a constant to later requests. */
static ir_value *finished(derivation *d, ir_value *gradient) {
    return option(d->request, "create_graph") ? gradient : insert_helper(d, "constant", &gradient, 1);
}

/* ---- torch.autograd.grad ---- */

static void answer_grad(program *p, ir_node *n) {
    derivation d = {.program = p, .request = n, .at = n};
    ir_value **sources = tensors_of(n, input_named(n, "inputs")), **answers = NULL;
    derive(&d, tensors_of(n, input_named(n, "outputs")), tensors_of(n, input_named(n, "grad_outputs")), sources);
    for (size_t i = 0; i < arrlenu(sources); i++) {
        ir_value *g = gradient_of(&d, sources[i]);
        if (!g && !option(n, "allow_unused"))
            source_fail(n->range, "One of the differentiated Tensors appears to not have been used in the graph. Set "
                                  "allow_unused=True if this is the desired behavior.");
        arrput(answers, g ? finished(&d, g) : ir_insert_constant(n, const_none()));
    }
    ir_value *list = insert_list(&d, type_optional(type_basic(TYPE_TENSOR)), answers, (uint32_t)arrlenu(answers));
    ir_replace_uses(ir_out(n, 0), list);
    ir_destroy(n);
}

/* ---- backward() ---- */

typedef struct {
    ir_value *tensor;   /* whose .grad is read */
    ir_value *gradient; /* what .grad is since the last request; NULL: None */
    ir_node **readers;  /* prim::grad of it, in the order of the program */
    bool is_retained;   /* by retain_grad() */
} leaf;

typedef struct {
    program *program;
    leaf *leaves;
    struct {
        const ir_node *key;
        size_t value;
    } * order; /* places in the program's text */
} backward_state;

static leaf *leaf_of(backward_state *s, ir_value *tensor) {
    for (size_t i = 0; i < arrlenu(s->leaves); i++)
        if (s->leaves[i].tensor == flow_origin(tensor))
            return &s->leaves[i];
    leaf l = {flow_origin(tensor), NULL, NULL, false};
    arrput(s->leaves, l);
    return &arrlast(s->leaves);
}

static void collect(backward_state *s, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        size_t place = hmlenu(s->order);
        hmput(s->order, n, place);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect(s, n->blocks[i]);
        if (n->schema && !strcmp(n->schema->name, "prim::grad"))
            arrput(leaf_of(s, ir_in(n, 0))->readers, n);
        else if (n->schema && !strcmp(n->schema->name, "aten::retain_grad"))
            leaf_of(s, ir_in(n, 0))->is_retained = true;
    }
}

/* Places and readers change with every request that is answered; what .grad is stays known. */
static void collect_again(backward_state *s, const ir_graph *g) {
    s->order = NULL;
    for (size_t i = 0; i < arrlenu(s->leaves); i++)
        s->leaves[i].readers = NULL;
    collect(s, g->block);
}

/* Leaves, and results that are told to keep their gradients; of other results .grad is None. */
static ir_value **sources_of(const backward_state *s, ir_graph *g) {
    ir_value **sources = NULL;
    gradient_flow *f = flow_new(g);
    for (size_t i = 0; i < arrlenu(s->leaves); i++) {
        const ir_node *made_by = s->leaves[i].tensor->node;
        bool is_result = false;
        for (uint32_t k = 0; k < ir_input_count(made_by); k++)
            is_result |= flow_depends(f, ir_in(made_by, k));
        if (is_result && !s->leaves[i].is_retained)
            continue;
        flow_mark(f, s->leaves[i].tensor);
        arrput(sources, s->leaves[i].tensor);
    }
    return sources;
}

static void check_reader(backward_state *s, const ir_node *request, const ir_node *reader) {
    if (hmget(s->order, reader) > hmget(s->order, request) && !ir_is_before(request, reader))
        source_fail(reader->range, "whether backward() has run before .grad is read here is decided at run time");
}

/* A tensor of its own, contiguous. The node stays when calls are inlined. */
static ir_value *insert_copy(derivation *d, ir_value *v) {
    enum { CONTIGUOUS = 0 };
    call_argument arguments[] = {
        {NULL, v, d->request->range},
        {"memory_format", ir_insert_constant(d->at, const_int(CONTIGUOUS)), d->request->range}};
    return ir_out(schema_call("aten::clone", d->at, d->request->range, arguments, 2), 0);
}

/* Adds to .grad in place, as PyTorch does. */
static void add_to_leaf(backward_state *s, derivation *d, leaf *l, ir_value *gradient) {
    const ir_node *loop = loop_around(d->request);
    if (loop && !ir_is_before(loop->blocks[0]->param, l->tensor->node) && l->tensor->node != loop->blocks[0]->param)
        source_fail(d->request->range,
                    "backward() in a loop adds to .grad of a tensor from outside of it; use torch.autograd.grad");
    if (l->gradient) {
        if (!ir_is_before(l->gradient->node, d->request))
            source_fail(d->request->range, "what backward() adds to is decided at run time");
        insert_helper(d, "add_gradient", (ir_value *[]){l->gradient, gradient}, 2);
        return;
    }
    l->gradient = insert_copy(d, gradient);
    for (size_t i = 0; i < arrlenu(l->readers); i++) {
        check_reader(s, d->request, l->readers[i]);
        if (ir_is_before(d->request, l->readers[i]))
            ir_replace_uses(ir_out(l->readers[i], 0), l->gradient);
    }
}

static void answer_backward(backward_state *s, ir_node *n) {
    derivation d = {.program = s->program, .request = n, .at = n};
    bool is_list = n->schema->overload[0];
    ir_value **outputs = tensors_of(n, ir_in(n, 0)), **sources = sources_of(s, n->graph);
    derive(&d, outputs, tensors_of(n, input_named(n, is_list ? "grad_tensors" : "gradient")), sources);
    bool has_reached = false;
    for (size_t i = 0; i < arrlenu(s->leaves); i++) {
        ir_value *g = is_among(sources, s->leaves[i].tensor) ? gradient_of(&d, s->leaves[i].tensor) : NULL;
        if (g)
            add_to_leaf(s, &d, &s->leaves[i], finished(&d, g));
        has_reached |= g != NULL;
    }
    if (!has_reached)
        source_fail(
            n->range,
            "backward() reaches no tensor whose .grad is read in this function; gradients do not outlive a call");
    ir_destroy(n);
}

/* ---- All of them ---- */

static void destroy_retain_grad(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            destroy_retain_grad(n->blocks[i]);
        if (n->schema && !strcmp(n->schema->name, "aten::retain_grad"))
            ir_destroy(n);
    }
}

/* Dropout that trains becomes the operator that gives its mask too, and draws the same numbers. */
static void keep_masks(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            keep_masks(n->blocks[i]);
        bool trains;
        const ir_constant *p = ir_is_operator(n, "aten::dropout") ? ir_constant_of(ir_in(n, 1)) : NULL;
        if (!p || p->kind != CONST_FLOAT || p->real <= 0 || p->real >= 1 || !ir_constant_bool(ir_in(n, 2), &trains) ||
            !trains)
            continue;
        n->schema = schema_find("aten::native_dropout");
        n->kind = n->schema->kind;
        ir_node_add_output(n, type_basic(TYPE_TENSOR));
    }
}

/* What stands for variables without a value becomes a tensor: loops carry it, and zeros are asked of its size. */
static void fill_uninitialized(program *p, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fill_uninitialized(p, n->blocks[i]);
        if (n->kind != IR_UNINITIALIZED || ir_out(n, 0)->type->kind != TYPE_TENSOR)
            continue;
        derivation at = {.program = p, .request = n, .at = n};
        ir_replace_uses(ir_out(n, 0), insert_helper(&at, "no_value", NULL, 0));
        ir_destroy(n);
    }
}

bool autodiff_straighten(ir_graph *g) {
    static const unroll_limits straight = {1000, 5000, holds_request};
    bool changed = unroll_loops(g->block, &straight, NULL);
    collect_appends(g);
    return changed;
}

void autodiff(program *p, ir_graph *g) {
    backward_state s = {.program = p};
    keep_masks(g->block);
    fill_uninitialized(p, g->block);
    for (ir_node *n; (n = find_request(g->block));) {
        collect_again(&s, g);
        if (!strcmp(n->schema->name, "aten::grad"))
            answer_grad(p, n);
        else
            answer_backward(&s, n);
        inline_calls(g); /* later requests may pass through the formulas */
        fold_constants(g);
    }
    destroy_retain_grad(g->block);
}
