/* Higher-order operators: nodes that hold graphs (torch/_higher_order_ops).
 *
 *     cond(condition, then, otherwise, operands)
 *     while_loop(condition, body, carried, others)
 *     scan(step, carried, sequences, dim, reverse, others); since PyTorch 2.7 without dim and reverse
 *     map_impl(step, sequences, others)
 *     associative_scan(step, sequences, dim); since PyTorch 2.7 others in the place of dim
 *     with_effects(token, operator, arguments...)
 *     auto_functionalized(operator, arguments by name)
 *     out_dtype(operator, dtype, arguments...)
 *     others that run one graph on operands: wrap_with_set_grad_enabled(enabled, graph, operands...)
 *
 * Arguments are by position. A graph is one of the schema's Graphs; its inputs stand for the operands, and it sees
 * nothing else. */
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/export/codes.h"
#include "exporter/export/translate.h"

/* ---- Arguments ---- */

static json *positional(json node) {
    json *arguments = NULL;
    JSON_EACH(input, json_array(json_need(node, "inputs")))
    arrput(arguments, json_need(input, "arg"));
    return arguments;
}

static json argument_at(json node, const json *arguments, size_t i) {
    if (i >= arrlenu(arguments))
        json_fail(node, "%s has too few arguments", json_string(json_need(node, "target")));
    return arguments[i];
}

static bool is_kind(json argument, const char *wanted, json *value) {
    return !strcmp(argument_kind(argument, value), wanted);
}

static json graph_argument(json argument) {
    json value;
    if (!is_kind(argument, "as_graph", &value))
        json_fail(argument, "a graph is missing");
    return json_need(value, "graph");
}

/* The values of a list, or one value; an stb_ds array. */
static ir_value **operands(translation *t, json argument) {
    json list;
    argument_kind(argument, &list);
    ir_value **values = NULL;
    ir_value *v = argument_value(t, argument, NULL);
    if (!json_is_array(list)) {
        arrput(values, v);
        return values;
    }
    /* argument_value made a list of the values: they are what is wanted. */
    for (uint32_t i = 0; i < ir_input_count(v->node); i++)
        arrput(values, ir_in(v->node, i));
    ir_destroy(v->node);
    return values;
}

static ir_value **joined(ir_value *const *a, ir_value *const *b) {
    ir_value **all = NULL;
    for (size_t i = 0; i < arrlenu(a); i++)
        arrput(all, a[i]);
    for (size_t i = 0; i < arrlenu(b); i++)
        arrput(all, b[i]);
    return all;
}

/* The operands from the first of a node's arguments on. */
static ir_value **operands_from(translation *t, const json *arguments, size_t first) {
    ir_value **all = NULL;
    for (size_t i = first; i < arrlenu(arguments); i++)
        all = joined(all, operands(t, arguments[i]));
    return all;
}

/* ---- Graphs ---- */

/* Translates a graph where t->at is; returns its results, an stb_ds array. */
static ir_value **run_graph(const translation *outer, json graph, ir_value *const *inputs) {
    stack_check();
    translation t = *outer;
    t.values = NULL;
    json names = json_array(json_need(graph, "inputs"));
    if (json_count(names) != arrlenu(inputs))
        json_fail(graph, "the graph has %u inputs; it gets %zu", json_count(names), arrlenu(inputs));
    size_t i = 0;
    JSON_EACH(input, names) {
        json name = argument_name(input);
        if (name.text)
            value_define(&t, name, inputs[i]);
        i++;
    }
    translate_nodes(&t, graph);
    t.place = outer->place;
    ir_value **results = NULL;
    JSON_EACH(output, json_array(json_need(graph, "outputs")))
    arrput(results, argument_value(&t, output, NULL));
    return results;
}

/* Translates a graph as a block of a node and returns its results. */
static ir_value **run_graph_in(translation *t, ir_block *b, json graph, ir_value *const *inputs) {
    ir_node *outer = t->at;
    t->at = b->result;
    ir_value **results = run_graph(t, graph, inputs);
    t->at = outer;
    return results;
}

/* Names the results of a node: one by one, or, where there is one, as a list of it. */
static void define_results(translation *t, json node, ir_value *const *values) {
    json outputs = json_array(json_need(node, "outputs")), list;
    bool is_list = json_count(outputs) == 1 && is_kind(json_first(outputs), "as_tensors", &list);
    uint32_t count = json_count(is_list ? list : outputs);
    if (count > arrlenu(values))
        json_fail(node, "the node has %u results; there are %zu", count, arrlenu(values));
    if (!is_list) {
        define_outputs(t, outputs, values, count);
        return;
    }
    size_t i = 0;
    JSON_EACH(item, json_array(list))
    value_define(t, json_need(item, "name"), values[i++]);
}

static void place_node(const translation *t, ir_node *n) {
    n->range = t->place.range;
    n->scope = t->place.scope;
    ir_insert_before(t->at, n);
}

/* ---- cond ---- */

static const type *common_type(json node, const ir_value *a, const ir_value *b) {
    const type *both = type_unify(a->type, b->type, false);
    if (!both)
        json_fail(node, "the branches give a %s and a %s", type_annotation(a->type), type_annotation(b->type));
    return both;
}

static void translate_cond(translation *t, json node, const json *arguments) {
    ir_node *n = ir_node_new(t->at->graph, IR_IF, 0);
    ir_node_add_input(n, convert_number(t, argument_value(t, argument_at(node, arguments, 0), NULL), TYPE_BOOL));
    ir_value **inputs = operands(t, argument_at(node, arguments, 3)), **results[2];
    place_node(t, n);
    for (int i = 0; i < 2; i++) {
        ir_block *b = ir_node_add_block(n);
        results[i] = run_graph_in(t, b, graph_argument(arguments[i + 1]), inputs);
        for (size_t k = 0; k < arrlenu(results[i]); k++)
            ir_block_add_result(b, results[i][k]);
    }
    if (arrlenu(results[0]) != arrlenu(results[1]))
        json_fail(node, "the branches give %zu and %zu results", arrlenu(results[0]), arrlenu(results[1]));
    for (size_t k = 0; k < arrlenu(results[0]); k++)
        ir_node_add_output(n, common_type(node, results[0][k], results[1][k]));
    define_results(t, node, n->outputs);
}

/* ---- Loops ---- */

/* A loop of at most `turns` that carries values; n->blocks[0] has a parameter for the turn and for each. */
static ir_node *insert_loop(translation *t, ir_value *turns, ir_value *condition, ir_value *const *carried) {
    ir_node *n = ir_node_new(t->at->graph, IR_LOOP, 0);
    ir_node_add_input(n, turns);
    ir_node_add_input(n, condition);
    ir_block *body = ir_node_add_block(n);
    ir_block_add_param(body, NULL, type_basic(TYPE_INT));
    for (size_t i = 0; i < arrlenu(carried); i++) {
        ir_node_add_input(n, carried[i]);
        ir_block_add_param(body, NULL, carried[i]->type);
        ir_node_add_output(n, carried[i]->type);
    }
    place_node(t, n);
    return n;
}

/* The parameters of a loop's body for the carried values, an stb_ds array. */
static ir_value **carried_in(const ir_node *loop) {
    const ir_block *body = loop->blocks[0];
    ir_value **values = NULL;
    for (uint32_t i = 1; i < ir_output_count(body->param); i++)
        arrput(values, body->param->outputs[i]);
    return values;
}

/* Ends a turn with the values that the next one gets. */
static void end_turn(json node, ir_node *loop, ir_value *condition, ir_value *const *values, size_t count) {
    if (count != ir_output_count(loop))
        json_fail(node, "the loop carries %u values; its body gives %zu", ir_output_count(loop), count);
    ir_block *body = loop->blocks[0];
    ir_block_add_result(body, condition);
    for (size_t i = 0; i < count; i++) {
        if (!type_is_subtype(values[i]->type, ir_out(loop, (uint32_t)i)->type, NULL))
            json_fail(node, "the loop carries a %s; its body gives a %s",
                      type_annotation(ir_out(loop, (uint32_t)i)->type), type_annotation(values[i]->type));
        ir_block_add_result(body, values[i]);
    }
}

static ir_value *condition_of(translation *t, json graph, ir_value *const *inputs) {
    ir_value **results = run_graph(t, graph, inputs);
    if (arrlenu(results) != 1)
        json_fail(graph, "a condition has not one result");
    return convert_number(t, results[0], TYPE_BOOL);
}

static void translate_while(translation *t, json node, const json *arguments) {
    json condition = graph_argument(argument_at(node, arguments, 0)),
         body = graph_argument(argument_at(node, arguments, 1));
    ir_value **carried = operands(t, argument_at(node, arguments, 2)),
             **others = arrlenu(arguments) > 3 ? operands(t, arguments[3]) : NULL;
    ir_value *turns = insert_constant(t, const_int(INT64_MAX));
    ir_node *loop = insert_loop(t, turns, condition_of(t, condition, joined(carried, others)), carried);
    ir_node *outer = t->at;
    t->at = loop->blocks[0]->result;
    ir_value **next = run_graph(t, body, joined(carried_in(loop), others));
    end_turn(node, loop, condition_of(t, condition, joined(next, others)), next, arrlenu(next));
    t->at = outer;
    define_results(t, node, loop->outputs);
}

/* A loop over slices of sequences: step(carried..., slices..., others...) gives new carried values and items, which are
 * stacked along a new first dimension. */
typedef struct {
    json step;
    ir_value **carried, **sequences, **others; /* stb_ds arrays */
    ir_value *dim;
    ir_value *reverse; /* NULL: no */
} sequence_loop;

static ir_value *binary(translation *t, const char *name, ir_value *a, ir_value *b) {
    ir_value *arguments[] = {a, b};
    return insert_call(t, name, arguments, 2);
}

static ir_value *select_slice(translation *t, ir_value *sequence, ir_value *dim, ir_value *index) {
    ir_value *arguments[] = {sequence, dim, index};
    return insert_call(t, "aten::select", arguments, 3);
}

/* The index of a turn: counted from the end when the sequences are walked backward. */
static ir_value *turn_index(translation *t, const sequence_loop *s, ir_value *turns, ir_value *turn) {
    bool backward = false;
    if (!s->reverse || (ir_constant_bool(s->reverse, &backward) && !backward))
        return turn;
    return binary(t, "aten::sub", binary(t, "aten::sub", turns, insert_constant(t, const_int(1))), turn);
}

static ir_value *stack_items(translation *t, ir_value *list, bool backward) {
    if (backward)
        insert_call(t, "aten::reverse", &list, 1);
    return binary(t, "aten::stack", list, insert_constant(t, const_int(0)));
}

/* The carried values at the end and the stacked items. */
static ir_value **run_sequence_loop(translation *t, json node, const sequence_loop *s) {
    if (!s->sequences)
        json_fail(node, "there is nothing to walk over");
    ir_value *turns = binary(t, "aten::size", s->sequences[0], s->dim), **lists = NULL, **results = NULL;
    json outputs = json_array(json_need(s->step, "outputs"));
    size_t carried = arrlenu(s->carried), count = json_count(outputs);
    for (size_t i = carried; i < count; i++)
        arrput(lists, insert_single(t, IR_LIST_CONSTRUCT, type_list(type_basic(TYPE_TENSOR)), NULL));
    ir_node *loop = insert_loop(t, turns, insert_constant(t, const_bool(true)), s->carried), *outer = t->at;
    t->at = loop->blocks[0]->result;
    ir_value *index = turn_index(t, s, turns, loop->blocks[0]->param->outputs[0]), **slices = NULL;
    for (size_t i = 0; i < arrlenu(s->sequences); i++)
        arrput(slices, select_slice(t, s->sequences[i], s->dim, index));
    ir_value **given = run_graph(t, s->step, joined(joined(carried_in(loop), slices), s->others));
    for (size_t i = carried; i < count; i++)
        binary(t, "aten::append", lists[i - carried], given[i]);
    end_turn(node, loop, insert_constant(t, const_bool(true)), given, carried < count ? carried : count);
    t->at = outer;
    bool backward = false;
    if (s->reverse)
        ir_constant_bool(s->reverse, &backward);
    for (size_t i = 0; i < count; i++)
        arrput(results, i < carried ? ir_out(loop, (uint32_t)i) : stack_items(t, lists[i - carried], backward));
    return results;
}

static void translate_scan(translation *t, json node, const json *arguments) {
    json number;
    sequence_loop s = {.step = graph_argument(argument_at(node, arguments, 0))};
    s.carried = operands(t, argument_at(node, arguments, 1));
    s.sequences = operands(t, argument_at(node, arguments, 2));
    bool has_dim = is_kind(argument_at(node, arguments, 3), "as_int", &number);
    s.dim = insert_constant(t, const_int(has_dim ? json_integer(number) : 0));
    if (has_dim)
        s.reverse = argument_value(t, argument_at(node, arguments, 4), NULL);
    s.others = operands(t, argument_at(node, arguments, has_dim ? 5 : 3));
    define_results(t, node, run_sequence_loop(t, node, &s));
}

static void translate_map(translation *t, json node, const json *arguments) {
    sequence_loop s = {.step = graph_argument(argument_at(node, arguments, 0))};
    s.sequences = operands(t, argument_at(node, arguments, 1));
    s.dim = insert_constant(t, const_int(0));
    s.others = operands_from(t, arguments, 2);
    define_results(t, node, run_sequence_loop(t, node, &s));
}

/* step(a..., b...) of the result so far and the next slice. The results so far are stacked along the dimension. */
static void translate_associative_scan(translation *t, json node, const json *arguments) {
    json graph = graph_argument(argument_at(node, arguments, 0)), number;
    ir_value **sequences = operands(t, argument_at(node, arguments, 1)), **carried = NULL, **lists = NULL,
             **slices = NULL;
    const bool has_dim = is_kind(argument_at(node, arguments, 2), "as_int", &number);
    ir_value *dim = insert_constant(t, const_int(has_dim ? json_integer(number) : 0)),
             *first = insert_constant(t, const_int(0)), *one = insert_constant(t, const_int(1)),
             **others = has_dim ? NULL : operands(t, arguments[2]);
    if (!sequences)
        json_fail(node, "there is nothing to walk over");
    for (size_t i = 0; i < arrlenu(sequences); i++) {
        ir_value **items = NULL;
        arrput(carried, select_slice(t, sequences[i], dim, first));
        arrput(items, carried[i]);
        arrput(lists, insert_single(t, IR_LIST_CONSTRUCT, type_list(type_basic(TYPE_TENSOR)), items));
    }
    ir_value *turns = binary(t, "aten::sub", binary(t, "aten::size", sequences[0], dim), one);
    ir_node *loop = insert_loop(t, turns, insert_constant(t, const_bool(true)), carried), *outer = t->at;
    t->at = loop->blocks[0]->result;
    ir_value *index = binary(t, "aten::add", loop->blocks[0]->param->outputs[0], one);
    for (size_t i = 0; i < arrlenu(sequences); i++)
        arrput(slices, select_slice(t, sequences[i], dim, index));
    ir_value **given = run_graph(t, graph, joined(joined(carried_in(loop), slices), others)), **results = NULL;
    end_turn(node, loop, insert_constant(t, const_bool(true)), given, arrlenu(given));
    for (size_t i = 0; i < arrlenu(given); i++)
        binary(t, "aten::append", lists[i], given[i]);
    t->at = outer;
    for (size_t i = 0; i < arrlenu(lists); i++)
        arrput(results, binary(t, "aten::stack", lists[i], dim));
    define_results(t, node, results);
}

/* ---- Operators as arguments ---- */

static const char *operator_argument(json argument) {
    json value;
    if (!is_kind(argument, "as_operator", &value))
        json_fail(argument, "an operator is missing");
    return json_string(value);
}

/* The token orders effects; nodes are in order anyway. The first result is the next token. */
static void translate_effects(translation *t, json node, const json *arguments) {
    ir_value **inputs = NULL, **values = NULL;
    const char *target = operator_argument(argument_at(node, arguments, 1));
    for (size_t i = 2; i < arrlenu(arguments); i++)
        arrput(inputs, argument_value(t, arguments[i], NULL));
    const ir_node *n = insert_target(t, target, inputs);
    arrput(values, insert_constant(t, const_none()));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(values, ir_out(n, i));
    define_results(t, node, values);
}

/* An operator that changes arguments runs on copies of them, which become further results, in the schema's order. */
static void translate_functionalized(translation *t, json node, const json *arguments) {
    const char *target = operator_argument(argument_at(node, arguments, 0));
    ir_value **values = NULL, **copies = NULL;
    const ir_node *n = insert_target_on_copies(t, target, json_need(node, "inputs"), &copies);
    if (!ir_output_count(n))
        arrput(values, insert_constant(t, const_none()));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        arrput(values, ir_out(n, i));
    define_results(t, node, joined(values, copies));
}

/* The operator computes on its arguments as they are in the wider dtype. */
static void translate_out_dtype(translation *t, json node, const json *arguments) {
    const char *target = operator_argument(argument_at(node, arguments, 0));
    ir_value *dtype = argument_value(t, argument_at(node, arguments, 1), NULL), **inputs = NULL, **values = NULL;
    for (size_t i = 2; i < arrlenu(arguments); i++) {
        ir_value *v = argument_value(t, arguments[i], NULL);
        arrput(inputs, v->type->kind == TYPE_TENSOR ? binary(t, "aten::to", v, dtype) : v);
    }
    arrput(values, ir_out(insert_target(t, target, inputs), 0));
    define_results(t, node, values);
}

/* ---- One graph on operands ---- */

static bool is_true(translation *t, json argument) {
    bool value = false;
    const ir_value *v = argument_value(t, argument, NULL);
    return v->type->kind == TYPE_BOOL && ir_constant_bool(v, &value) && value;
}

/* Runs the graph among the arguments on those behind it. */
static void translate_wrapped(translation *t, json node, const json *arguments) {
    for (size_t i = 0; i < arrlenu(arguments); i++) {
        json value;
        if (!is_kind(arguments[i], "as_graph", &value))
            continue;
        size_t first = i + 1;
        if (first < arrlenu(arguments) && is_kind(arguments[first], "as_string", &value))
            first++; /* invoke_subgraph has a name */
        define_results(t, node, run_graph(t, graph_argument(arguments[i]), operands_from(t, arguments, first)));
        return;
    }
    json_fail(node, "a graph is missing");
}

/* The dtype of a region of autocast: bfloat16 where none is given. */
static int64_t region_dtype(json argument) {
    json number;
    if (is_kind(argument, "as_scalar_type", &number))
        return code_dtype(number);
    return PT_BFLOAT16;
}

/* wrap_with_autocast(device, dtype, enabled, whether conversions are cached, graph, operands...): a region for another
 * device changes nothing on CPUs. */
static void translate_autocast(translation *t, json node, const json *arguments) {
    json device;
    const int64_t outer = t->autocast_dtype;
    if (is_kind(argument_at(node, arguments, 0), "as_string", &device) && json_is(device, "cpu"))
        t->autocast_dtype =
            is_true(t, argument_at(node, arguments, 2)) ? region_dtype(argument_at(node, arguments, 1)) : 0;
    translate_wrapped(t, node, arguments);
    t->autocast_dtype = outer;
}

bool translate_higher_order(translation *t, const char *target, json node) {
    static const struct {
        const char *name;
        void (*translate)(translation *t, json node, const json *arguments);
    } operators[] = {
        {"cond", translate_cond},
        {"while_loop", translate_while},
        {"scan", translate_scan},
        {"map_impl", translate_map},
        {"associative_scan", translate_associative_scan},
        {"with_effects", translate_effects},
        {"out_dtype", translate_out_dtype},
        {"auto_functionalized", translate_functionalized},
        {"wrap_with_set_grad_enabled", translate_wrapped},
        {"wrap_with_autocast", translate_autocast},
        {"wrap_activation_checkpoint", translate_wrapped},
        {"tag_activation_checkpoint", translate_wrapped},
        {"wrap", translate_wrapped},
        {"strict_mode", translate_wrapped},
        {"hints_wrapper", translate_wrapped},
        {"invoke_subgraph", translate_wrapped},
    };
    static const char prefix[] = "torch.ops.higher_order.";
    if (strncmp(target, prefix, strlen(prefix)))
        return false;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++)
        if (!strcmp(operators[i].name, target + strlen(prefix))) {
            operators[i].translate(t, node, positional(node));
            return true;
        }
    source_fail(t->place.range, "Higher-order operator %s is not supported", target + strlen(prefix));
}
