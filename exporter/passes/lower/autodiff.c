/* Requests are found, answered in the order of the program, and what they ask for handed out. */
#include "exporter/passes/lower/autodiff.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/lower/collect_appends.h"
#include "exporter/passes/lower/functional_writes.h"
#include "exporter/passes/lower/inline_calls.h"
#include "exporter/passes/lower/leaf_flags.h"
#include "exporter/passes/lower/reverse.h"
#include "exporter/passes/lower/saved_values.h"
#include "exporter/passes/lower/tensor_table.h"
#include "exporter/passes/lower/unite_attributes.h"
#include "exporter/passes/lower/unroll_loops.h"
#include "exporter/passes/optimize/fold_constants.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

/* ---- Requests ---- */

static bool is_request(const ir_node *n) {
    return n->schema && (!strcmp(n->schema->name, "aten::backward") || !strcmp(n->schema->name, "aten::grad"));
}

static ir_value *input_named(const ir_node *n, const char *name) {
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, name))
            return ir_in(n, i);
    return NULL;
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

static uint32_t count_requests(const ir_block *b) {
    stack_check();
    uint32_t count = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        count += is_request(n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += count_requests(n->blocks[i]);
    }
    return count;
}

static bool has_keeping_request(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        bool on;
        if (is_request(n) && !(ir_constant_bool(input_named(n, "create_graph"), &on) && !on))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (has_keeping_request(n->blocks[i]))
                return true;
    }
    return false;
}

bool autodiff_keeps_graph(const ir_graph *g) {
    return has_keeping_request(g->block);
}

static bool is_argument(const ir_value *v) {
    return v->node == v->node->graph->block->param;
}

static bool holds_argument(const ir_value *list) {
    if (is_argument(list))
        return true;
    for (uint32_t i = 0; list->node->kind == IR_LIST_CONSTRUCT && i < ir_input_count(list->node); i++)
        if (is_argument(ir_in(list->node, i)))
            return true;
    return false;
}

static void mark_attributes(gradient_flow *f, const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            mark_attributes(f, n->blocks[i]);
        if (n->kind == IR_GET_ATTR)
            flow_mark(f, ir_out(n, 0));
    }
}

/* Whether gradients of attributes are asked by what is computed of tensors of the caller's, and of no attributes. */
static bool asks_by_arguments(const ir_node *request) {
    if (!ir_is_operator(request, "aten::grad"))
        return false;
    ir_graph *g = request->graph;
    const ir_node *param = g->block->param;
    gradient_flow *of_arguments = flow_new(g), *of_attributes = flow_new(g);
    mark_attributes(of_attributes, g->block);
    for (uint32_t i = 0; i < ir_output_count(param); i++)
        flow_mark(ir_out(param, i)->type->kind == TYPE_CLASS ? of_attributes : of_arguments, ir_out(param, i));
    return flow_depends(of_arguments, ir_in(request, 0)) && !flow_depends(of_arguments, ir_in(request, 1)) &&
           !flow_depends(of_attributes, ir_in(request, 0));
}

static bool asks_of_caller(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        if (is_request(n) && (holds_argument(ir_in(n, 0)) ||
                              (ir_is_operator(n, "aten::grad") && is_argument(ir_in(n, 1))) || asks_by_arguments(n)))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (asks_of_caller(n->blocks[i]))
                return true;
    }
    return false;
}

bool autodiff_needs_caller(const ir_graph *g) {
    return asks_of_caller(g->block);
}

static bool asks_once(const ir_block *b) {
    stack_check();
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        bool on;
        if (is_request(n) && !(ir_constant_bool(input_named(n, "create_graph"), &on) && on))
            return true;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (asks_once(n->blocks[i]))
                return true;
    }
    return false;
}

/* Gradients pass from turn to turn only of loops whose requests keep the graph. */
static bool holds_request(const ir_node *loop) {
    return asks_once(loop->blocks[0]);
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
    const ir_node *display = reverse_list_display(request, v);
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        arrput(tensors, ir_in(display, i));
    return tensors;
}

/* What a request asks of is a display of its own: the author's may be read at any index, and grow, behind it. */
static void separate_list(ir_node *request, uint32_t input) {
    ir_value *list = ir_in(request, input);
    const ir_node *display = list->node;
    if (display->kind != IR_LIST_CONSTRUCT || ir_use_count(list) < 2)
        return;
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (!use_leaves_list(&list->uses[i]) && !ir_is_before(request, list->uses[i].user))
            return;
    ir_node *copy = ir_node_new(request->graph, IR_LIST_CONSTRUCT, 1);
    copy->range = display->range;
    copy->scope = display->scope;
    ir_out(copy, 0)->type = list->type;
    for (uint32_t i = 0; i < ir_input_count(display); i++)
        ir_node_add_input(copy, ir_in(display, i));
    ir_insert_before(request, copy);
    ir_node_set_input(request, input, ir_out(copy, 0));
}

static void separate_lists(const ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b); n != b->result; n = n->next) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            separate_lists(n->blocks[i]);
        for (uint32_t i = 0; is_request(n) && i < ir_input_count(n); i++)
            separate_list(n, i);
    }
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
        reverse_accumulate(d, outputs[i],
                           g ? reverse_insert_helper(d, "given_gradient", &g, 1)
                             : reverse_insert_helper(d, "first_gradient", &outputs[i], 1));
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

/* The values that a result of a branch or loop, or a variable of a loop before its first turn, is one of; itself for
 * others. */
static void add_what_it_may_be(const ir_value ***all, const ir_value *v) {
    enum { BEFORE_VARIABLES = 2 }; /* count and condition */
    stack_check();
    v = flow_origin(v);
    const ir_node *n = v->node, *owner = n->block ? n->block->owner : NULL;
    for (size_t i = 0; i < arrlenu(*all); i++)
        if ((*all)[i] == v)
            return;
    arrput(*all, v);
    if (n->kind == IR_IF) {
        for (size_t k = 0; k < arrlenu(n->blocks); k++)
            add_what_it_may_be(all, ir_in(n->blocks[k]->result, v->offset));
    } else if (n->kind == IR_LOOP) {
        add_what_it_may_be(all, ir_in(n, v->offset + BEFORE_VARIABLES));
        add_what_it_may_be(all, ir_in(n->blocks[0]->result, v->offset + 1));
    } else if (owner && owner->kind == IR_LOOP && n == n->block->param && v->offset) {
        add_what_it_may_be(all, ir_in(owner, v->offset - 1 + BEFORE_VARIABLES));
    }
}

/* Whether the outputs depend on v by a use that does not only give it another name. */
static bool is_used_for(const derivation *d, const ir_value *v, ir_value *const *outputs) {
    stack_check();
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        const bool is_plain = !arrlenu(user->blocks) && user != user->block->result && user != d->request;
        for (uint32_t k = 0; is_plain && k < ir_output_count(user); k++) {
            ir_value *made = ir_out(user, k);
            const bool is_name = flow_origin(made) == flow_origin(v);
            if (is_name ? is_used_for(d, made, outputs) : type_can_alias(made->type) && reaches(made, outputs))
                return true;
        }
    }
    return false;
}

/* A source that is one of several tensors would lack what passes through the names that those have themselves. */
static void check_other_names(const derivation *d, ir_value *const *outputs, const ir_value *source) {
    const ir_value **all = NULL;
    add_what_it_may_be(&all, source);
    for (size_t i = 1; i < arrlenu(all); i++)
        if (is_used_for(d, all[i], outputs))
            source_fail(d->request->range,
                        "which of several tensors it is that gradients are asked of is decided at run time");
}

/* Gives items of containers numbers where they need them, before anything is derived. */
static void number(derivation *d, ir_value *const *sources) {
    gradient_flow *f = flow_new(d->request->graph);
    for (size_t i = 0; i < arrlenu(sources); i++)
        flow_mark(f, sources[i]);
    d->numbers = number_items(d->program, d->request, tensors_of(d->request, ir_in(d->request, 0)), f);
}

/* Runs everything between the outputs and the sources backward. */
static void derive(derivation *d, ir_value *const *outputs, ir_value *const *given, ir_value *const *sources) {
    d->uses = MEM_NEW(formula_uses);
    d->uses->classes = memory_classes_new(d->request->graph, ALL_NAMES);
    d->uses->recorded = memory_classes_new(d->request->graph, RECORDED_NAMES);
    d->uses->flag_changes = leaf_flag_changes(d->request->graph);
    saved_find_entries(d->uses, d->request->graph);
    d->flow = flow_new(d->request->graph);
    d->keeps_graph = option(d->request, "create_graph");
    d->is_last = !d->keeps_graph && count_requests(d->request->graph->block) == 1;
    for (size_t i = 0; i < arrlenu(sources); i++) {
        check_other_names(d, outputs, sources[i]);
        flow_mark(d->flow, sources[i]);
    }
    seed(d, outputs, given);
    reverse_from_request(d, sources);
}

/* Without create_graph a gradient is a constant to later requests. */
static ir_value *finished(derivation *d, ir_value *gradient) {
    return reverse_insert_helper(d, option(d->request, "create_graph") ? "answer" : "constant", &gradient, 1);
}

/* ---- torch.autograd.grad ---- */

/* None where the gradient is not there at run time. */
static ir_value *handed_out(derivation *d, ir_value *gradient) {
    ir_value *given[] = {finished(d, gradient), reverse_presence_of(d, gradient).is_there};
    const char *helper = option(d->request, "allow_unused") ? "if_used" : "used";
    return given[1] ? reverse_insert_helper(d, helper, given, 2) : given[0];
}

static void answer_grad(program *p, ir_node *n) {
    derivation d = {.program = p, .request = n, .at = n};
    number(&d, tensors_of(n, input_named(n, "inputs")));
    ir_value **sources = tensors_of(n, input_named(n, "inputs")), **answers = NULL;
    ir_value **outputs = tensors_of(n, input_named(n, "outputs"));
    for (size_t i = 0; i < arrlenu(sources); i++)
        check_separate_reads(&d, outputs, sources[i]);
    derive(&d, outputs, tensors_of(n, input_named(n, "grad_outputs")), sources);
    for (size_t i = 0; i < arrlenu(sources); i++) {
        ir_value *g = reverse_gradient_of(&d, sources[i]);
        if (!g && !option(n, "allow_unused"))
            source_fail(n->range, "One of the differentiated Tensors appears to not have been used in the graph. Set "
                                  "allow_unused=True if this is the desired behavior.");
        arrput(answers, g ? handed_out(&d, g) : ir_insert_constant(n, const_none()));
    }
    ir_value *list =
        reverse_insert_list(&d, type_optional(type_basic(TYPE_TENSOR)), answers, (uint32_t)arrlenu(answers));
    ir_replace_uses(ir_out(n, 0), list);
    ir_destroy(n);
}

/* ---- backward() ---- */

typedef struct {
    ir_value *tensor;      /* whose .grad is read */
    ir_value *gradient;    /* what .grad is since the last request; NULL: None */
    ir_node **readers;     /* prim::grad of it, in the order of the program */
    ir_node **choices;     /* for the readers, where .grad may be None at run time: prim::If of whether it is there */
    bool is_retained;      /* by retain_grad() */
    const kept_leaf *kept; /* its gradient is an attribute; NULL: it is not */
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
    leaf l = {.tensor = flow_origin(tensor)};
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
        if (flow_has_dependent_input(f, made_by) && !s->leaves[i].is_retained)
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

static void check_loop(const derivation *d, const leaf *l) {
    const ir_node *loop = reverse_loop_around(d->request);
    if (loop && !ir_is_before(loop->blocks[0]->param, l->tensor->node) && l->tensor->node != loop->blocks[0]->param)
        source_fail(d->request->range,
                    "backward() in a loop adds to .grad of a tensor from outside of it; use torch.autograd.grad");
}

/* is_there: NULL: the gradient always is. */
static void add_to_kept(derivation *d, const kept_leaf *kept, ir_value *gradient, ir_value *is_there) {
    ir_value *before = ir_insert_read(d->at, kept->module, kept->attribute, type_optional(type_basic(TYPE_TENSOR)));
    ir_value *given[] = {kept->tensor, before, gradient,
                         is_there ? is_there : ir_insert_constant(d->at, const_bool(true))};
    ir_value *after = reverse_insert_helper(d, d->keeps_graph ? "kept_graph" : "kept_gradient", given, 4);
    ir_node *store = ir_node_new(d->at->graph, IR_SET_ATTR, 0);
    store->range = d->request->range;
    store->scope = d->request->scope;
    store->attribute = kept->attribute;
    ir_node_add_input(store, kept->module);
    ir_node_add_input(store, after);
    ir_insert_before(d->at, store);
}

/* What a reader gets of l's gradient: None where it is not there. */
static ir_value *insert_choice(leaf *l, ir_node *reader, ir_value *is_there) {
    ir_node *choice = ir_node_new(reader->graph, IR_IF, 0);
    choice->range = reader->range;
    choice->scope = reader->scope;
    ir_node_add_input(choice, is_there);
    ir_insert_before(reader, choice);
    ir_block_add_result(ir_node_add_block(choice), l->gradient);
    ir_block *other = ir_node_add_block(choice);
    ir_block_add_result(other, ir_insert_constant(other->result, const_none()));
    arrput(l->choices, choice);
    ir_value *given = ir_node_add_output(choice, type_optional(type_basic(TYPE_TENSOR)));
    return ir_insert_cast(reader, given, ir_out(reader, 0)->type);
}

/* Readers behind the request see that it has added to what may not have been there. */
static void add_presence(derivation *d, const leaf *l, ir_value *is_there) {
    ir_value *either = NULL;
    for (size_t i = 0; i < arrlenu(l->choices); i++) {
        if (!ir_is_before(d->request, l->choices[i]))
            continue;
        if (!either)
            either = is_there ? reverse_insert_helper(d, "either", (ir_value *[]){ir_in(l->choices[i], 0), is_there}, 2)
                              : ir_insert_constant(d->at, const_bool(true));
        ir_node_set_input(l->choices[i], 0, either);
    }
}

/* Adds to .grad in place, as PyTorch does. is_there: NULL: the gradient always is. */
static void add_to_leaf(backward_state *s, derivation *d, leaf *l, ir_value *gradient, ir_value *is_there) {
    if (l->kept) {
        add_to_kept(d, l->kept, gradient, is_there);
        return;
    }
    check_loop(d, l);
    if (l->gradient) {
        if (!ir_is_before(l->gradient->node, d->request))
            source_fail(d->request->range, "what backward() adds to is decided at run time");
        reverse_insert_helper(d, "add_gradient", (ir_value *[]){l->gradient, gradient}, 2);
        add_presence(d, l, is_there);
        return;
    }
    l->gradient = insert_copy(d, gradient);
    for (size_t i = 0; i < arrlenu(l->readers); i++) {
        ir_node *reader = l->readers[i];
        check_reader(s, d->request, reader);
        if (ir_is_before(d->request, reader))
            ir_replace_uses(ir_out(reader, 0), is_there ? insert_choice(l, reader, is_there) : l->gradient);
    }
}

/* A tensor whose .grad is read may have been taken out of a container. */
static void rename_leaves(backward_state *s, const numbered_items *numbers) {
    for (size_t i = 0; i < arrlenu(s->leaves); i++)
        s->leaves[i].tensor = flow_origin(numbered_name(numbers, s->leaves[i].tensor));
}

static void answer_backward(backward_state *s, ir_node *n) {
    derivation d = {.program = s->program, .request = n, .at = n};
    bool is_list = n->schema->overload[0];
    number(&d, sources_of(s, n->graph));
    rename_leaves(s, d.numbers);
    ir_value **outputs = tensors_of(n, ir_in(n, 0)), **sources = sources_of(s, n->graph);
    for (size_t i = 0; i < arrlenu(s->leaves); i++)
        if (!s->leaves[i].kept && reverse_is_among(sources, s->leaves[i].tensor)) /* else each read is a leaf */
            check_separate_reads(&d, outputs, s->leaves[i].tensor);
    derive(&d, outputs, tensors_of(n, input_named(n, is_list ? "grad_tensors" : "gradient")), sources);
    bool has_reached = false;
    for (size_t i = 0; i < arrlenu(s->leaves); i++) {
        ir_value *g =
            reverse_is_among(sources, s->leaves[i].tensor) ? reverse_gradient_of(&d, s->leaves[i].tensor) : NULL;
        if (g)
            add_to_leaf(s, &d, &s->leaves[i], finished(&d, g), reverse_presence_of(&d, g).is_there);
        has_reached |= g != NULL;
    }
    if (!has_reached)
        source_fail(n->range, "backward() reaches no tensor whose .grad is read");
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

/* What stands for variables without a value becomes a tensor: loops carry it, and zeros are asked of its size. */
static void fill_uninitialized(program *p, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fill_uninitialized(p, n->blocks[i]);
        if (n->kind != IR_UNINITIALIZED || ir_out(n, 0)->type->kind != TYPE_TENSOR)
            continue;
        derivation at = {.program = p, .request = n, .at = n};
        ir_replace_uses(ir_out(n, 0), reverse_insert_helper(&at, "no_value", NULL, 0));
        ir_destroy(n);
    }
}

bool autodiff_straighten(ir_graph *g) {
    static const unroll_limits straight = {1000, 5000, holds_request};
    bool changed = unroll_loops(g->block, &straight, NULL);
    collect_appends(g);
    return changed;
}

void autodiff(program *p, ir_graph *g, const kept_leaf *kept, const ir_constant *self, function *const *functions) {
    backward_state s = {.program = p};
    for (size_t i = 0; i < arrlenu(kept); i++)
        leaf_of(&s, kept[i].tensor)->kept = &kept[i];
    fill_uninitialized(p, g->block);
    separate_lists(g->block);
    for (ir_node *n; (n = find_request(g->block));) {
        const bool keeps_graph = option(n, "create_graph");
        collect_again(&s, g);
        if (!strcmp(n->schema->name, "aten::grad"))
            answer_grad(p, n);
        else
            answer_backward(&s, n);
        inline_calls(g); /* later requests may pass through the formulas */
        if (keeps_graph) {
            functional_writes(p, g);
            inline_calls(g);
            tensor_table(p, g);
            if (arrlenu(kept)) /* what was added to .grad is what later requests read there */
                unite_attributes(g, self, functions);
        }
        fold_constants(g, NULL);
    }
    destroy_retain_grad(g->block);
}
