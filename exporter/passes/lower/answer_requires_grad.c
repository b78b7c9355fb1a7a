/* Each question becomes an expression of bools behind the operators that made the tensor; branches and loops hand
 * theirs on. */
#include "exporter/passes/lower/answer_requires_grad.h"

#include <string.h>

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/gradient_flow.h"
#include "exporter/passes/analysis/memory_classes.h"
#include "exporter/passes/lower/autodiff.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"
#include "exporter/schema/operator_node.h"

typedef struct {
    ir_graph *graph;
    gradient_flow *flow; /* modes; what depends on tensors that may require gradients */
    memory_classes *classes;
    ir_node **writes; /* recorded operators that write to tensors, in the order of the program */
    struct {
        const ir_node *key;
        ir_value *value;
    } * results;          /* of operators: whether an input required a gradient */
    ir_value_map made[2]; /* the bool for a value: by operators alone, or also by flags of what it may be */
    const ir_node *question;
    bool uses_gradients; /* the program gives tensors the flag, or asks for gradients */
    ir_value **sources;  /* of requests, if they count as requiring gradients */
    bool is_unknown;     /* an answer could not be found; what is kept in `results` and `made` may lack a part */
} asking;

static bool is_question(const ir_node *n) {
    return n->schema && (ir_is_operator(n, "prim::requires_grad") || ir_is_operator(n, "aten::is_leaf"));
}

/* requires_grad_(False) of what an operator gives: PyTorch raises when that is no leaf. The mode may be a number that
 * is found when the program runs. */
static bool takes_flag(const ir_node *n) {
    bool on;
    if (!n->schema || !ir_is_operator(n, "aten::requires_grad_") || (ir_constant_bool(ir_in(n, 1), &on) && on))
        return false;
    const op_schema *made_by = flow_origin(ir_in(n, 0))->node->schema;
    return made_by && !flow_is_container_operator(made_by);
}

static bool is_grad_of_list(const ir_node *n) {
    return ir_is_operator(n, "aten::grad");
}

static bool is_grad(const ir_node *n) {
    return n->schema && (is_grad_of_list(n) || ir_is_operator(n, "prim::grad"));
}

static bool asks(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (is_question(n) || takes_flag(n))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (asks(n->blocks[i]))
                return true;
    }
    return false;
}

bool requires_grad_is_asked(function *f) {
    static const char torch[] = "__torch__.torch.";
    return !f->is_builtin && strncmp(f->name, torch, sizeof torch - 1) != 0 && asks(function_graph(f)->block);
}

/* The answer cannot be found. Programs that neither give a tensor the flag nor ask for gradients run as under
 * no_grad(): there the flag that the tensor has when the program comes to the question is the answer. */
static ir_value *no_answer(asking *a) {
    if (a->uses_gradients)
        source_fail(ir_authors_range(a->question), "what %s answers here is decided at run time",
                    a->question->schema->full_name);
    a->is_unknown = true;
    return NULL;
}

/* ---- What may require gradients ---- */

/* Gradients that further ones may be asked of. */
static bool keeps_graph(const ir_node *n) {
    enum { CREATE_GRAPH = 4 };
    bool on;
    return n->schema && ir_is_operator(n, "aten::grad") && !(ir_constant_bool(ir_in(n, CREATE_GRAPH), &on) && !on);
}

static bool gives_flags(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (node_makes_with_flag(n) || (n->schema && ir_is_operator(n, "aten::requires_grad_")))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (gives_flags(n->blocks[i]))
                return true;
    }
    return false;
}

bool requires_grad_is_used(const ir_graph *g) {
    return autodiff_is_requested(g) || gives_flags(g->block);
}

static void find_sources(asking *a, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        const bool is_held = n->kind == IR_GET_ATTR || n->kind == IR_CONSTANT;
        const bool is_marked = n->schema && ir_is_operator(n, "aten::requires_grad_");
        if (is_held || is_marked)
            flow_mark(a->flow, ir_out(n, 0));
        if (keeps_graph(n))
            flow_mark(a->flow, ir_out(n, 0));
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_sources(a, n->blocks[i]);
    }
}

static void find_writes(asking *a, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (n->schema && schema_is_mutating(n->schema) && !schema_has_trait(n->schema, TRAIT_WRITES_NO_ELEMENTS) &&
            ir_input_count(n) && ir_in(n, 0)->type->kind == TYPE_TENSOR && flow_mode(a->flow, n) != GRADIENTS_OFF)
            arrput(a->writes, n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_writes(a, n->blocks[i]);
    }
}

/* ---- Bools ---- */

static ir_value *either(ir_node *at, ir_value *x, ir_value *y) {
    return !x ? y : !y ? x : operator_insert(at, "aten::__or__.bool", x, y);
}

static ir_value *or_false(ir_node *at, ir_value *v) {
    return v ? v : ir_insert_constant(at, const_bool(false));
}

/* A result or a variable of a branch or a loop is what something else was. */
static bool is_handed_on(const ir_value *v) {
    const ir_node *owner = v->node->block ? v->node->block->owner : NULL;
    return v->node->kind == IR_IF || v->node->kind == IR_LOOP || (owner && v->node == v->node->block->param);
}

/* The flag that the tensor itself has when the program comes there; NULL: it is a result that nobody gives one. */
static ir_value *flag_of(asking *a, ir_value *v, ir_node *at) {
    const ir_value *origin = flow_origin(v);
    bool changes = false;
    bool is_marked =
        !is_handed_on(origin) && (!origin->node->schema || flow_is_container_operator(origin->node->schema));
    for (size_t i = 0; i < arrlenu(origin->uses); i++)
        changes |= origin->uses[i].user->schema && ir_is_operator(origin->uses[i].user, "aten::requires_grad_");
    for (size_t i = 0; i < arrlenu(a->sources) && !changes; i++)
        if (a->sources[i] == origin && !origin->node->schema)
            return ir_insert_constant(at, const_bool(true));
    is_marked |= changes;
    for (uint32_t i = 0; origin->node->schema && i < origin->node->schema->argument_count; i++)
        is_marked |= !strcmp(origin->node->schema->arguments[i].name, "requires_grad"); /* torch.tensor(1.5, ...) */
    const ir_constant *c = ir_constant_of(v);
    if (!is_marked || (c && c->kind == CONST_NONE) || origin->node->kind == IR_UNINITIALIZED)
        return NULL; /* what is not initialized is None when the program runs, and nobody uses it */
    if (v->type->kind != TYPE_TENSOR)
        return no_answer(a);
    return operator_insert(at, "prim::requires_grad", v);
}

/* ---- Tensors ---- */

enum { BY_OPERATORS, BY_FLAGS_TOO };

/* Whether v requires a gradient by how it was computed, as a bool before `at`; NULL: it does not. */
static ir_value *computed(asking *a, ir_value *v, ir_node *at, int how);

static ir_value *required(asking *a, ir_value *v, ir_node *at) {
    return either(at, flag_of(a, v, at), computed(a, v, at, BY_FLAGS_TOO));
}

static ir_value *handed(asking *a, ir_value *v, ir_node *at, int how) {
    return how == BY_FLAGS_TOO ? required(a, v, at) : computed(a, v, at, how);
}

/* Of an input of an operator: a tensor, or a list of tensors that is written out. */
static ir_value *of_input(asking *a, ir_value *v, ir_node *at) {
    stack_check();
    ir_value *any = NULL;
    if (v->type->kind == TYPE_TENSOR)
        return required(a, v, at);
    if (type_is_immutable(v->type) || !flow_depends(a->flow, v) || v->node->kind == IR_CONSTANT)
        return NULL;
    if (type_without_none(v->type)->kind != TYPE_LIST || v->node->kind != IR_LIST_CONSTRUCT)
        return no_answer(a);
    for (uint32_t i = 0; i < ir_input_count(v->node); i++)
        any = either(at, any, of_input(a, ir_in(v->node, i), at));
    return any;
}

/* Operators that ask their inputs for type and sizes, and those that cut gradients off. Others without a derivative
 * have gradients of zeros, if their results are no integers. */
static bool cuts(const op_schema *s) {
    static const char like[] = "_like", made[] = "aten::new_";
    const size_t length = strlen(s->name), suffix = sizeof like - 1;
    if (!schema_has_trait(s, TRAIT_NO_GRADIENT))
        return false;
    return !strncmp(s->name, made, sizeof made - 1) || (length > suffix && !strcmp(s->name + length - suffix, like)) ||
           !strcmp(s->name, "aten::detach") || !strcmp(s->name, "prim::data") || !strcmp(s->name, "aten::data");
}

/* Whether an input of a recorded operator requires a gradient, before the operator. */
static ir_value *of_operator(asking *a, ir_node *n) {
    stack_check();
    ptrdiff_t known = hmgeti(a->results, n);
    if (known >= 0)
        return a->results[known].value;
    ir_value *any = NULL;
    const gradient_mode mode = flow_mode(a->flow, n);
    if (mode != GRADIENTS_OFF && !cuts(n->schema)) {
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            any = either(n, any, of_input(a, ir_in(n, i), n));
        if (any && mode == GRADIENTS_UNKNOWN)
            any = no_answer(a);
    }
    hmput(a->results, n, any);
    return any;
}

static ir_value *of_branches(asking *a, ir_value *v, int how) {
    ir_node *n = v->node;
    ir_value *both[2];
    for (int k = 0; k < 2; k++) {
        ir_node *end = n->blocks[k]->result;
        both[k] = or_false(end, handed(a, ir_in(end, v->offset), end, how));
        ir_block_add_result(n->blocks[k], both[k]);
    }
    return ir_node_add_output(n, type_basic(TYPE_BOOL));
}

/* The variable of the loop beside variable `which`. */
static ir_value *of_loop(asking *a, ir_node *loop, uint32_t which, bool is_inside, int how) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    ir_block *body = loop->blocks[0];
    ir_value *before = or_false(loop, handed(a, ir_in(loop, which + BEFORE_VARIABLES), loop, how));
    ir_node_add_input(loop, before);
    ir_value *inside = ir_block_add_param(body, NULL, type_basic(TYPE_BOOL));
    ir_value *after = ir_node_add_output(loop, type_basic(TYPE_BOOL));
    hmput(a->made[how], ir_out(body->param, which + 1), inside);
    hmput(a->made[how], ir_out(loop, which), after);
    ir_block_add_result(body, or_false(body->result, handed(a, ir_in(body->result, which + 1), body->result, how)));
    return is_inside ? inside : after;
}

/* No gradient passes through integers. */
static ir_value *if_continuous(ir_value *v, ir_value *any) {
    ir_node *at = v->node->next;
    ir_value *is_float = operator_insert(at, "aten::is_floating_point", v);
    ir_value *is_number = either(at, is_float, operator_insert(at, "aten::is_complex", v));
    return operator_insert(at, "aten::__and__.bool", any, is_number);
}

/* The item of a list or tuple that is written out and stays so; NULL: it is taken otherwise. */
static ir_value *item_of(const ir_value *v) {
    const ir_node *n = v->node;
    int64_t index = v->offset;
    const bool is_unpacked = n->kind == IR_LIST_UNPACK || n->kind == IR_TUPLE_UNPACK;
    const bool is_taken = n->kind == IR_GETITEM || n->kind == IR_TUPLE_INDEX;
    if ((!is_unpacked && !is_taken) || (is_taken && !ir_constant_int(ir_in(n, 1), &index)))
        return NULL;
    const ir_node *display = ir_in(n, 0)->node;
    if (display->kind != IR_TUPLE_CONSTRUCT && display->kind != IR_LIST_CONSTRUCT)
        return NULL;
    const ir_use *uses = ir_out(display, 0)->uses;
    for (size_t i = 0; display->kind == IR_LIST_CONSTRUCT && i < arrlenu(uses); i++)
        if (uses[i].user->kind != IR_GETITEM && !use_leaves_list(&uses[i]))
            return NULL;
    if (index < 0)
        index += ir_input_count(display);
    return index >= 0 && index < ir_input_count(display) ? ir_in(display, (uint32_t)index) : NULL;
}

/* The operator that made the list that v is an item of; NULL: another. */
static ir_node *maker_of_items(const ir_value *v) {
    ir_node *n = v->node, *maker = ir_input_count(n) ? ir_in(n, 0)->node : NULL;
    if ((n->kind != IR_LIST_UNPACK && n->kind != IR_GETITEM) || !maker->schema ||
        flow_is_container_operator(maker->schema) || ir_is_operator(maker, "aten::grad"))
        return NULL;
    for (size_t i = 0; i < arrlenu(ir_in(n, 0)->uses); i++)
        if (ir_in(n, 0)->uses[i].user->kind != IR_GETITEM && !use_leaves_list(&ir_in(n, 0)->uses[i]))
            return NULL;
    return maker;
}

static ir_value *of_definition(asking *a, ir_value *v, int how) {
    ir_node *n = v->node;
    ptrdiff_t known = hmgeti(a->made[how], v);
    if (known >= 0)
        return a->made[how][known].value;
    ir_value *item = item_of(v), *made = NULL;
    if (item)
        return handed(a, item, n, how);
    const ir_node *owner = n->block ? n->block->owner : NULL;
    if (maker_of_items(v))
        made = of_operator(a, maker_of_items(v));
    else if (n->kind == IR_IF)
        made = of_branches(a, v, how);
    else if (n->kind == IR_LOOP)
        return of_loop(a, n, v->offset, false, how);
    else if (owner && owner->kind == IR_LOOP && n == n->block->param && v->offset)
        return of_loop(a, n->block->owner, v->offset - 1, true, how);
    else if (n->schema && v->type->kind == TYPE_TENSOR && !flow_is_container_operator(n->schema))
        made = of_operator(a, n);
    else if (n->kind != IR_GET_ATTR && n->kind != IR_CONSTANT && n != a->graph->block->param &&
             n->kind != IR_UNINITIALIZED)
        made = no_answer(a);
    if (made && n->kind != IR_IF)
        made = if_continuous(v, made);
    hmput(a->made[how], v, made);
    return made;
}

/* Recorded writes to the tensor, under whatever name, that come before `at`. */
static ir_value *of_writes(asking *a, const ir_value *v, ir_node *at) {
    ir_value *any = NULL;
    for (size_t i = 0; i < arrlenu(a->writes); i++) {
        ir_node *w = a->writes[i];
        const bool is_itself = flow_origin(ir_in(w, 0)) == v || is_new_tensor_of_operator(v);
        if (w == at || !memory_classes_share(a->classes, ir_in(w, 0), v))
            continue;
        bool is_repeated = false;
        for (const ir_block *b = at->block; b->owner; b = b->owner->block)
            is_repeated |= b->owner->kind == IR_LOOP && ir_is_before(b->param, w);
        if (!is_itself && ir_is_operator(a->question, "aten::is_leaf"))
            return no_answer(a); /* PyTorch's answer depends on who asks first */
        if (ir_is_before(w, at))
            any = either(at, any, of_operator(a, w));
        else if (!ir_is_before(at, w) || is_repeated)
            return no_answer(a);
    }
    return any;
}

static ir_value *computed(asking *a, ir_value *v, ir_node *at, int how) {
    stack_check();
    ir_value *origin = flow_origin(v);
    const bool is_result = origin->node->schema && !flow_is_container_operator(origin->node->schema);
    if (!is_result && !flow_depends(a->flow, origin))
        return NULL;
    return either(at, of_definition(a, origin, how), of_writes(a, origin, at));
}

/* ---- Questions ---- */

static void answer(asking *a, ir_node *n) {
    a->question = n;
    ir_value *v = ir_in(n, 0), *said;
    if (ir_is_operator(n, "aten::is_leaf"))
        said = operator_insert(n, "aten::__not__", or_false(n, computed(a, v, n, BY_OPERATORS)));
    else
        said = or_false(n, required(a, v, n));
    if (a->is_unknown)
        return;
    ir_replace_uses(ir_out(n, 0), said);
    ir_destroy(n);
}

static void find_nodes(ir_node ***found, const ir_block *b, bool (*is_wanted)(const ir_node *)) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (is_wanted(n))
            arrput(*found, n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            find_nodes(found, n->blocks[i], is_wanted);
    }
}

static asking asking_of(ir_graph *g, bool uses_gradients) {
    asking a = {.graph = g,
                .flow = flow_new(g),
                .classes = memory_classes_new(g, RECORDED_NAMES),
                .uses_gradients = uses_gradients};
    find_sources(&a, g->block);
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++)
        flow_mark(a.flow, ir_out(g->block->param, i));
    find_writes(&a, g->block);
    return a;
}

/* ---- Results whose flag is taken away ---- */

/* What the program asks gradients of, as PyTorch gives them only of tensors with the flag. */
static ir_value **asked_tensors(const ir_graph *g) {
    ir_node **requests = NULL;
    ir_value **tensors = NULL;
    find_nodes(&requests, g->block, is_grad);
    for (size_t i = 0; i < arrlenu(requests); i++) {
        const ir_value *v = ir_in(requests[i], is_grad_of_list(requests[i]));
        for (uint32_t k = 0; v->node->kind == IR_LIST_CONSTRUCT && k < ir_input_count(v->node); k++)
            arrput(tensors, flow_origin(ir_in(v->node, k)));
        if (v->type->kind == TYPE_TENSOR)
            arrput(tensors, flow_origin(v));
    }
    return tensors;
}

/* Where it cannot be told whether the tensor is a leaf, it is taken for one. */
static void check_leaf(program *p, ir_node *n) {
    asking a = asking_of(n->graph, false);
    a.question = n;
    a.sources = asked_tensors(n->graph);
    for (size_t i = 0; i < arrlenu(a.sources); i++)
        flow_mark(a.flow, a.sources[i]);
    ir_value *is_result = computed(&a, ir_in(n, 0), n, BY_OPERATORS);
    if (a.is_unknown || !is_result)
        return;
    function_insert_call(n, builtin_derivative(p, "check_leaf", NULL), (ir_value *[]){is_result, ir_in(n, 1)}, 2);
}

void answer_requires_grad(program *p, ir_graph *g, bool uses_gradients) {
    ir_node **questions = NULL, **taken = NULL;
    find_nodes(&taken, g->block, takes_flag);
    for (size_t i = 0; uses_gradients && i < arrlenu(taken); i++)
        check_leaf(p, taken[i]);
    find_nodes(&questions, g->block, is_question);
    if (!arrlenu(questions))
        return;
    asking a = asking_of(g, uses_gradients);
    for (size_t i = 0; i < arrlenu(questions); i++)
        answer(&a, questions[i]);
}
