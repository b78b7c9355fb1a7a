/* Functions: AST -> IR. */
#include "exporter/emit/emit.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/emit/exit_transform.h"
#include "exporter/program/type_parser.h"

static bool exits(const ir_block *b, bool from_function) {
    stack_check();
    const ir_node *last = b->result->previous;
    switch (last->kind) {
    case IR_RETURN_STMT:
    case IR_RAISE_EXCEPTION:
        return true;
    case IR_BREAK_STMT:
    case IR_CONTINUE_STMT:
        return !from_function;
    case IR_IF:
        return exits(last->blocks[0], from_function) && exits(last->blocks[1], from_function);
    case IR_WITH:
        return exits(last->blocks[0], from_function);
    default:
        return false;
    }
}

bool emit_block_exits(const ir_block *b) {
    return exits(b, false);
}
bool emit_block_leaves_function(const ir_block *b) {
    return exits(b, true);
}

/* Appends `return None` to a body whose end can be reached, or raises an error when the declared return type forbids
 * it. */
static void emit_implicit_return(emitter *e, source_range range) {
    if (emit_block_exits(e->graph->block)) {
        if (!e->merged_return) /* it always raises */
            e->merged_return = e->declared_return ? e->declared_return : type_basic(TYPE_NONE);
        return;
    }
    if (e->declared_return && e->declared_return->kind != TYPE_NONE)
        source_fail(range, "Function was not annotated as having type None, but does not return along all paths");
    const type *t =
        e->merged_return ? type_unify(e->merged_return, type_basic(TYPE_NONE), false) : type_basic(TYPE_NONE);
    e->merged_return = t;
    ir_node *exit = ir_node_new(e->graph, IR_RETURN_STMT, 0);
    exit->range = range;
    ir_node_add_input(exit, emit_constant(e, const_none(), range));
    ir_insert_before(e->at, exit);
}

static void emit_body(emitter *e, const ast_def *def) {
    emit_statements(e, &def->body);
    emit_implicit_return(e, ast_def_range(def));
    exit_transform(e->graph);
    if (!ir_input_count(e->graph->block->result))
        ir_block_add_result(e->graph->block,
                            ir_out(emit_node(e, IR_UNINITIALIZED, def->name_range, e->merged_return), 0));
}

static emitter new_emitter(program *p, function *f, const char *graph_name) {
    emitter e = {0};
    e.program = p;
    e.function = f;
    e.is_python = f->is_python;
    e.graph = ir_graph_new(graph_name);
    e.at = e.graph->block->result;
    e.root = env_push(&e);
    return e;
}

void emit_function(program *p, function *f) {
    if (f->syntax->error)
        source_fail(f->syntax->error->range, "%s", f->syntax->error->unsupported.message);
    emitter e = new_emitter(p, f, f->name);
    e.declared_return = f->schema->returns[0].type;
    for (uint32_t i = 0; i < f->schema->argument_count; i++) {
        const schema_argument *a = &f->schema->arguments[i];
        ir_value *parameter = ir_graph_add_input(e.graph, a->name, a->type);
        parameter->is_inferred = a->is_inferred;
        env_bind(&e, a->name, sugar_value(parameter));
    }
    if (f->owner && ast_has_decorator(&f->syntax->decorators, "classmethod")) {
        sugared class = sugar_named(SUGAR_CLASS, f->owner->name);
        class.class_def = f->owner;
        env_bind(&e, f->schema->arguments[0].name, class);
    }
    emit_body(&e, f->syntax);
    if (e.python_call)
        diag_fail("%s", e.python_call);
    f->schema->returns[0].type = e.merged_return;
    f->graph = e.graph;
}

/* The function of a graph whose result is of the type. */
static function *function_of_graph(program *p, const char *name, ir_graph *g, const type *returned) {
    op_schema *s = MEM_NEW(op_schema);
    schema_argument *arguments = NULL, *returns = NULL, result = {.name = "", .type = returned};
    for (uint32_t i = 0; i < ir_output_count(g->block->param); i++) {
        const ir_value *input = g->block->param->outputs[i];
        schema_argument a = {.name = input->name, .type = input->type};
        arrput(arguments, a);
    }
    arrput(returns, result);
    s->name = s->full_name = name;
    s->overload = "";
    s->arguments = arguments;
    s->argument_count = (uint32_t)arrlenu(arguments);
    s->returns = returns;
    s->return_count = 1;
    return program_new_function(p, name, g, s);
}

function *emit_closure(emitter *e, const ast_def *def, ir_value ***captured) {
    const char *name = mem_printf("%s.%s", e->function->name, def->name);
    emitter inner = new_emitter(e->program, e->function, name);
    inner.enclosing = e;
    emit_body(&inner, def);
    *captured = inner.captured;
    return function_of_graph(e->program, name, inner.graph, inner.merged_return);
}

ir_value *emit_future(emitter *e, function *body, ir_value **inputs, source_range range) {
    const type *t = type_future(function_return_type(body));
    ir_node *fork = emit_node_with(e, IR_FORK, range, t, inputs, (uint32_t)arrlenu(inputs));
    fork->callee = body;
    return ir_out(fork, 0);
}

function *emit_identity(emitter *e, const type *t) {
    ir_graph *g = ir_graph_new("identity");
    ir_node_add_input(g->block->result, ir_node_add_output(g->block->param, t));
    return function_of_graph(e->program, "identity", g, t);
}

/* ---- Calls with known arguments ---- */

ir_node *emit_constant_call(program *p, const char *callee, const constant_argument *arguments, uint32_t count,
                            source_range range) {
    emitter e = {.program = p, .graph = ir_graph_new("__init__"), .is_python = true};
    e.at = e.graph->block->result;
    env_push(&e);
    call_argument *items = NULL;
    for (uint32_t i = 0; i < count; i++) {
        call_argument a = {arguments[i].name, emit_constant(&e, arguments[i].value, range), range};
        arrput(items, a);
    }
    function *f = strncmp(callee, "__torch__.", 10) ? NULL : program_find_function(p, callee);
    if (!f)
        return emit_schema_call(&e, callee, range, items, count);
    argument_list list = {items, count};
    sugared called = emit_function_call(&e, f, &list, range);
    return sugar_to_value(&e, &called, range)->node;
}

const program_front_end emit_front_end = {emit_function, emit_constant_call, NULL};
