/* Objects that restore themselves: __setstate__ is run when the archive is read.
 *
 * Such methods mostly unpack their state and store its parts, so a small evaluator of graphs on constants is enough.
 * Operators are run by the caller's operator_evaluator; what cannot be run is an error that names it. */
#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

typedef struct {
    program *program;
    const function *method;
    struct {
        const ir_value *key;
        ir_constant *value;
    } * values;
} evaluation;

static void run_block(evaluation *v, const ir_block *b);

static ir_constant *value_of(const evaluation *v, const ir_value *value) {
    ir_constant *c = hmget(((evaluation *)v)->values, value);
    if (!c)
        diag_internal("%s uses a value that was not computed", v->method->name);
    return c;
}

static void set(evaluation *v, const ir_node *n, uint32_t output, ir_constant *c) {
    hmput(v->values, n->outputs[output], c);
}

_Noreturn static void refuse(const evaluation *v, const ir_node *n) {
    source_fail(n->range, "%s runs when the archive is read, and %s cannot be run then", v->method->name,
                ir_kind_name(n->kind));
}

/* The item at an index, which may count from the end. */
static ir_constant *item_at(const evaluation *v, const ir_node *n, const ir_constant *container,
                            const ir_constant *index) {
    bool is_sequence = container->kind == CONST_TUPLE || container->kind == CONST_LIST;
    if (container->kind == CONST_DICT)
        for (uint32_t i = 0; i < container->list.count; i += 2)
            if (const_equal(container->list.items[i], index))
                return container->list.items[i + 1];
    if (!is_sequence || index->kind != CONST_INT)
        refuse(v, n);
    int64_t count = container->list.count, at = index->integer < 0 ? index->integer + count : index->integer;
    if (at < 0 || at >= count)
        source_fail(n->range, "%s: index %lld of %lld items", v->method->name, (long long)index->integer,
                    (long long)count);
    return container->list.items[at];
}

static void construct(evaluation *v, const ir_node *n, ir_constant_kind kind) {
    ir_constant *c = const_new(kind, n->outputs[0]->type);
    c->list.count = ir_input_count(n);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++)
        c->list.items[i] = value_of(v, ir_in(n, i));
    set(v, n, 0, c);
}

static void unpack(evaluation *v, const ir_node *n) {
    const ir_constant *c = value_of(v, ir_in(n, 0));
    if ((c->kind != CONST_TUPLE && c->kind != CONST_LIST) || c->list.count != ir_output_count(n))
        refuse(v, n);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set(v, n, i, c->list.items[i]);
}

static uint32_t slot_of(const ir_node *n) {
    return (uint32_t)class_find_attribute(ir_in(n, 0)->type->definition, n->attribute);
}

static void get_attribute(evaluation *v, const ir_node *n) {
    ir_constant *c = value_of(v, ir_in(n, 0))->list.items[slot_of(n)];
    if (!c)
        source_fail(n->range, "%s reads attribute '%s' before it is set", v->method->name, n->attribute);
    set(v, n, 0, c);
}

static void branch(evaluation *v, const ir_node *n) {
    const ir_constant *condition = value_of(v, ir_in(n, 0));
    const ir_block *b = n->blocks[!condition->boolean];
    run_block(v, b);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set(v, n, i, value_of(v, ir_in(b->result, i)));
}

/* A new object; its slots have no values yet. */
static void create_object(evaluation *v, const ir_node *n) {
    ir_constant *c = const_new(CONST_OBJECT, n->outputs[0]->type);
    c->list.count = (uint32_t)arrlenu(c->type->definition->attributes);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    set(v, n, 0, c);
}

static ir_constant *run_function(evaluation *v, const ir_node *n, function *callee) {
    evaluation inner = {v->program, callee, NULL};
    const ir_graph *g = function_graph(callee);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        hmput(inner.values, g->block->param->outputs[i], value_of(v, ir_in(n, i)));
    run_block(&inner, g->block);
    return value_of(&inner, ir_in(g->block->result, 0));
}

static void call(evaluation *v, const ir_node *n) {
    if (!n->callee)
        refuse(v, n);
    set(v, n, 0, run_function(v, n, n->callee));
}

/* An operator that is made of others; several results come as one tuple. */
static bool run_decomposition(evaluation *v, const ir_node *n) {
    function *f = schema_is_implemented(n->schema) ? NULL : builtin_decomposition(v->program, n->schema->full_name);
    if (!f || f->schema->argument_count != ir_input_count(n))
        return false;
    ir_constant *result = run_function(v, n, f);
    if (ir_output_count(n) == 1)
        set(v, n, 0, result);
    else
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            set(v, n, i, result->list.items[i]);
    return true;
}

/* Anything else is an operator, which only the runtime can run. */
static void evaluate(evaluation *v, const ir_node *n) {
    const ir_constant **inputs = MEM_ARRAY(const ir_constant *, ir_input_count(n) + 1);
    ir_constant **outputs = MEM_ARRAY(ir_constant *, ir_output_count(n) + 1);
    if (n->schema && run_decomposition(v, n))
        return;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        inputs[i] = value_of(v, ir_in(n, i));
    if (!n->schema || !v->program->evaluate || !v->program->evaluate(n, inputs, outputs))
        refuse(v, n);
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        set(v, n, i, outputs[i]);
}

static void run_node(evaluation *v, const ir_node *n) {
    stack_check();
    switch (n->kind) {
    case IR_CONSTANT:
        set(v, n, 0, n->constant ? n->constant : const_none());
        return;
    case IR_TUPLE_CONSTRUCT:
        construct(v, n, CONST_TUPLE);
        return;
    case IR_LIST_CONSTRUCT:
        construct(v, n, CONST_LIST);
        return;
    case IR_DICT_CONSTRUCT:
        construct(v, n, CONST_DICT);
        return;
    case IR_TUPLE_UNPACK:
    case IR_LIST_UNPACK:
        unpack(v, n);
        return;
    case IR_TUPLE_INDEX:
    case IR_GETITEM:
        set(v, n, 0, item_at(v, n, value_of(v, ir_in(n, 0)), value_of(v, ir_in(n, 1))));
        return;
    case IR_UNCHECKED_CAST:
    case IR_UNWRAP_OPTIONAL:
        set(v, n, 0, value_of(v, ir_in(n, 0)));
        return;
    case IR_IS:
    case IR_IS_NOT: {
        bool same = value_of(v, ir_in(n, 0))->kind == CONST_NONE && value_of(v, ir_in(n, 1))->kind == CONST_NONE;
        set(v, n, 0, const_bool(same == (n->kind == IR_IS)));
        return;
    }
    case IR_NOT:
        set(v, n, 0, const_bool(!value_of(v, ir_in(n, 0))->boolean));
        return;
    case IR_GET_ATTR:
        get_attribute(v, n);
        return;
    case IR_SET_ATTR:
        value_of(v, ir_in(n, 0))->list.items[slot_of(n)] = value_of(v, ir_in(n, 1));
        return;
    case IR_IF:
        branch(v, n);
        return;
    case IR_CREATE_OBJECT:
        create_object(v, n);
        return;
    case IR_CALL_FUNCTION:
    case IR_CALL_METHOD:
        call(v, n);
        return;
    default:
        evaluate(v, n);
    }
}

static void run_block(evaluation *v, const ir_block *b) {
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next)
        run_node(v, n);
}

void object_restore(program *p, ir_constant *object, function *setstate, ir_constant *state) {
    const ir_graph *g = function_graph(setstate);
    evaluation v = {p, setstate, NULL};
    hmput(v.values, g->block->param->outputs[0], object);
    hmput(v.values, g->block->param->outputs[1], state);
    run_block(&v, g->block);
    const class_def *c = object->type->definition;
    for (uint32_t i = 0; i < object->list.count; i++) {
        if (!object->list.items[i] && !type_admits_none(c->attributes[i].type))
            diag_fail("%s leaves attribute '%s' without a value", setstate->name, c->attributes[i].name);
        if (!object->list.items[i])
            object->list.items[i] = const_none();
    }
}
