/* Calls of functions of other workers. As in PyTorch, positional arguments are matched with the schema here, those by
 * keyword when the program runs. */
#include "exporter/emit/emit_remote.h"

#include <string.h>

#include "exporter/base/diag.h"

enum { WORKER, CALLEE, ARGUMENTS, FEWEST_INPUTS = 2, MOST_INPUTS = 5 };

static void check_form(const ast_node *n, const char *name) {
    const uint32_t count = n->apply.inputs.count;
    if (count < FEWEST_INPUTS || count > MOST_INPUTS)
        source_fail(n->range,
                    "Possible forms of call to %s(..) are\n%s(dst_worker_name, user_callable, args, kwargs, timeout)\n"
                    "%s(dst_worker_name, user_callable, args, kwargs)\n%s(dst_worker_name, user_callable, args)\n"
                    "%s(dst_worker_name, user_callable)\nNow the number of arguments is %u",
                    name, name, name, name, name, count);
    if (n->apply.attributes.count)
        source_fail(n->range, "%s(dst_worker_name, user_callable, args, kwargs)does not support kwargs yet", name);
}

static const char *kind_text(const sugared *s) {
    switch (s->kind) {
    case SUGAR_VALUE:
        return mem_printf("value of type '%s'", type_annotation(s->value->type));
    case SUGAR_OPERATOR:
    case SUGAR_SPECIAL:
        return "builtin";
    case SUGAR_METHOD:
        return "method";
    case SUGAR_CLASS:
        return "Python type";
    default:
        return mem_printf("python value of type '%s'", s->name ? s->name : "object");
    }
}

/* Decorated by async_execution, which is for what script makes, not the other way round. */
static bool is_async(const function *f) {
    const ast_list *decorators = f->syntax ? &f->syntax->decorators : NULL;
    if (!decorators || !ast_has_decorator(decorators, "async_execution"))
        return false;
    const ast_list outermost = {decorators->items, 1};
    if (!ast_has_decorator(&outermost, "async_execution"))
        source_fail(decorators->items[0]->range,
                    "'%s': @torch.distributed.rpc.functions.async_execution has to stand above @torch.jit.script",
                    f->base_name);
    return true;
}

static function *callee_of(emitter *e, const ast_node *n) {
    const ast_node *named = n->apply.inputs.items[CALLEE];
    sugared s = emit_sugared(e, named, NULL);
    if (s.kind != SUGAR_FUNCTION)
        diag_fail("user_callable should be a FunctionValue, it's now a %s", kind_text(&s));
    if (s.function->state == FUNCTION_EMITTING)
        source_fail(named->range, "function '%s' is called recursively. Recursive calls are not supported",
                    s.function->base_name);
    source_call_at(n->range);
    function_return_type(s.function);
    s.function->is_async = is_async(s.function);
    return s.function;
}

/* What the worker answers with: of a function that is async_execution, what its future gets. */
static const type *answer_type(function *callee) {
    const type *t = function_return_type(callee);
    return callee->is_async && t->kind == TYPE_FUTURE ? t->items[0] : t;
}

/* What matching makes of the arguments (conversions, defaults) is of no use: it is done again where they are known. */
static void check_arguments(emitter *e, const ast_node *n, const function *callee) {
    call_argument *arguments = NULL;
    if (n->apply.inputs.count > ARGUMENTS) {
        const ast_node *tuple = n->apply.inputs.items[ARGUMENTS];
        const sugared all = emit_sugared(e, tuple, NULL);
        sugared *items = sugar_unpack(e, &all, UINT32_MAX, tuple->range);
        for (size_t i = 0; i < arrlenu(items); i++) {
            call_argument a = {NULL, sugar_to_value(e, &items[i], tuple->range), tuple->range};
            arrput(arguments, a);
        }
    }
    strbuf why = {0};
    if (!schema_try(callee->schema, e->at, n->range, NULL, arguments, (uint32_t)arrlenu(arguments), true, &why))
        source_fail(n->range, "\n%s:\n%s", emit_short_schema(callee->schema), strbuf_text(&why));
}

static sugared emit_call(emitter *e, const ast_node *n, const char *name, ir_kind kind) {
    check_form(n, name);
    ir_value **inputs = NULL;
    arrput(inputs, emit_value(e, n->apply.inputs.items[WORKER], NULL));
    function *callee = callee_of(e, n);
    check_arguments(e, n, callee);
    arrput(inputs, emit_constant(e, const_str(callee->name, strlen(callee->name)), n->range));
    for (uint32_t i = ARGUMENTS; i < n->apply.inputs.count; i++)
        arrput(inputs, emit_value(e, n->apply.inputs.items[i], NULL));
    const type *t = answer_type(callee);
    t = kind == IR_RPC_SYNC ? t : kind == IR_RPC_ASYNC ? type_future(t) : type_rref(t);
    ir_node *call = emit_node_with(e, kind, n->range, t, inputs, (uint32_t)arrlenu(inputs));
    call->callee = callee;
    callee->is_remote = true;
    return sugar_value(ir_out(call, 0));
}

sugared emit_rpc_sync(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_call(e, n, "rpc_sync", IR_RPC_SYNC);
}

sugared emit_rpc_async(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_call(e, n, "rpc_async", IR_RPC_ASYNC);
}

sugared emit_rpc_remote(emitter *e, const ast_node *n, const type *hint) {
    (void)hint;
    return emit_call(e, n, "rpc_remote", IR_RPC_REMOTE);
}
