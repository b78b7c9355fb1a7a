/* Statements and functions: AST -> IR. */
#include "exporter/frontend/emit.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/frontend/type_parser.h"

/* ---- Environments ---- */

sugared sugar_value(ir_value *v) {
    sugared s = {0};
    s.kind = SUGAR_VALUE;
    s.value = v;
    s.type = v->type;
    return s;
}

const sugared *env_find(const emitter *e, const char *name) {
    for (environment *env = e->env; env; env = env->outer) {
        ptrdiff_t at = shgeti(env->names, name);
        if (at >= 0)
            return &env->names[at].value;
    }
    return NULL;
}

static bool is_temporary(const char *name) { return name[0] == '_' && name[1] >= '0' && name[1] <= '9'; }

void env_set(emitter *e, const char *name, sugared s) {
    if (s.kind == SUGAR_VALUE && !s.value->name && !ir_is_constant(s.value) && !is_temporary(name))
        s.value->name = name;
    shput(e->env->names, (char *)name, s);
}

static environment *push_environment(emitter *e) {
    environment *env = MEM_NEW(environment);
    env->outer = e->env;
    e->env = env;
    return env;
}

static void pop_environment(emitter *e) { e->env = e->env->outer; }

/* ---- Assignment ---- */

static void assign(emitter *e, const ast_node *target, sugared s, const type *annotated);

static void assign_items(emitter *e, const ast_node *target, const sugared *items) {
    for (uint32_t i = 0; i < target->sequence.count; i++)
        assign(e, target->sequence.items[i], items[i], NULL);
}

static void assign_attribute(emitter *e, const ast_node *target, ir_value *v) {
    ir_value *object = emit_value(e, target->select.value, NULL);
    const class_def *c = object->type->kind == TYPE_CLASS ? object->type->definition : NULL;
    int slot = class_find_attribute(c, target->select.name);
    if (slot < 0)
        source_fail(target->range, "Tried to set nonexistent attribute: %s. Did you forget to initialize it in __init__()?",
                    target->select.name);
    const type *wanted = c->attributes[slot].type;
    if (!type_is_subtype(v->type, wanted, NULL))
        source_fail(target->range, "Wrong type for attribute assignment. Expected %s but got %s", type_annotation(wanted),
                    type_annotation(v->type));
    ir_node *n = ir_node_new(e->graph, IR_SET_ATTR, 0);
    n->attribute = target->select.name;
    n->range = target->range;
    ir_node_add_input(n, object);
    ir_node_add_input(n, v);
    ir_insert_before(e->at, n);
}

static void assign(emitter *e, const ast_node *target, sugared s, const type *annotated) {
    switch (target->kind) {
    case AST_VAR:
        if (annotated && s.kind == SUGAR_VALUE) {
            if (!type_is_subtype(s.value->type, annotated, NULL))
                source_fail(target->range, "Variable '%s' is annotated with type %s but is being assigned to a value of type %s",
                            target->name, type_annotation(annotated), type_annotation(s.value->type));
            s.type = annotated;
        }
        env_set(e, target->name, s);
        return;
    case AST_TUPLE:
        if (s.kind == SUGAR_TUPLE) {
            if (arrlenu(s.items) != target->sequence.count)
                source_fail(target->range, arrlenu(s.items) < target->sequence.count
                                               ? "need %u values to unpack but found only %zu"
                                               : "too many values to unpack: need %u but found %zu",
                            target->sequence.count, arrlenu(s.items));
            assign_items(e, target, s.items);
        } else
            assign_items(e, target, emit_unpack(e, sugar_to_value(e, &s, target->range), target->sequence.count, target->range));
        return;
    case AST_SELECT:
        assign_attribute(e, target, sugar_to_value(e, &s, target->range));
        return;
    case AST_SUBSCRIPT: {
        ir_value *container = emit_value(e, target->subscript.value, NULL);
        if (container->type->kind != TYPE_LIST && container->type->kind != TYPE_DICT)
            source_fail(target->range, "stores into a subscript of %s are not supported", type_annotation(container->type));
        ir_value *arguments[] = {container, emit_value(e, target->subscript.indices.items[0], NULL),
                                 sugar_to_value(e, &s, target->range)};
        emit_operator(e, "aten::_set_item", target->range, arguments, 3);
        return;
    }
    default:
        source_fail(target->range, "unexpected expression on left-hand side of assignment");
    }
}

static void emit_assign(emitter *e, const ast_node *n) {
    const type *annotated = n->assign.type ? type_of_expression(e->program, n->assign.type) : NULL;
    const ast_node *first = n->assign.targets.items[0];
    sugared s;
    if (first->kind == AST_TUPLE && n->assign.value->kind == AST_TUPLE && n->assign.targets.count == 1) {
        s = (sugared){0};
        s.kind = SUGAR_TUPLE;
        for (uint32_t i = 0; i < n->assign.value->sequence.count; i++)
            arrput(s.items, emit_sugared(e, n->assign.value->sequence.items[i], NULL));
    } else
        s = emit_sugared(e, n->assign.value, annotated);
    for (uint32_t i = 0; i < n->assign.targets.count; i++)
        assign(e, n->assign.targets.items[i], s, annotated);
}

static const char *augmented_operator(ast_kind op, bool in_place) {
    static const struct {
        ast_kind kind;
        const char *name, *in_place;
    } names[] = {{AST_ADD, "aten::add", "aten::add_"}, {AST_SUB, "aten::sub", "aten::sub_"}, {AST_MUL, "aten::mul", "aten::mul_"},
                 {AST_DIV, "aten::div", "aten::div_"}, {AST_MOD, "aten::fmod", "aten::fmod_"}, {AST_POW, "aten::pow", "aten::pow_"},
                 {AST_BIT_AND, "aten::__and__", "aten::__iand__"}, {AST_BIT_OR, "aten::__or__", "aten::__ior__"},
                 {AST_BIT_XOR, "aten::__xor__", "aten::__ixor__"}, {AST_LSHIFT, "aten::__lshift__", "aten::__ilshift__"},
                 {AST_RSHIFT, "aten::__rshift__", "aten::__irshift__"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].kind == op)
            return in_place ? names[i].in_place : names[i].name;
    return NULL;
}

static void emit_augmented(emitter *e, const ast_node *n) {
    ir_value *left = emit_value(e, n->aug_assign.target, NULL);
    ir_value *right = emit_value(e, n->aug_assign.value, NULL);
    bool in_place = left->type->kind == TYPE_TENSOR || left->type->kind == TYPE_LIST;
    const char *name = augmented_operator(n->aug_assign.op, in_place);
    if (!name)
        source_fail(n->range, "unsupported kind of augumented assignment: %s", ast_kind_name(n->aug_assign.op));
    ir_value *arguments[] = {left, right};
    ir_node *result = emit_operator(e, name, n->range, arguments, 2);
    assign(e, n->aug_assign.target, sugar_value(ir_out(result, 0)), NULL);
}

/* ---- Names that statements assign ---- */

typedef struct {
    char *key;
    int value;
} *name_set;

static void add_targets(const ast_node *target, name_set *names) {
    if (target->kind == AST_VAR)
        shput(*names, (char *)target->name, 1);
    else if (target->kind == AST_TUPLE || target->kind == AST_LIST)
        for (uint32_t i = 0; i < target->sequence.count; i++)
            add_targets(target->sequence.items[i], names);
    else if (target->kind == AST_STARRED)
        add_targets(target->operand, names);
}

static void assigned_names(const ast_list *statements, name_set *names) {
    for (uint32_t i = 0; i < statements->count; i++) {
        const ast_node *n = statements->items[i];
        switch (n->kind) {
        case AST_ASSIGN:
            for (uint32_t k = 0; k < n->assign.targets.count; k++)
                add_targets(n->assign.targets.items[k], names);
            break;
        case AST_AUG_ASSIGN:
            add_targets(n->aug_assign.target, names);
            break;
        case AST_IF:
            assigned_names(&n->branch.if_true, names);
            assigned_names(&n->branch.if_false, names);
            break;
        case AST_FOR:
            add_targets(n->loop.target, names);
            assigned_names(&n->loop.body, names);
            break;
        case AST_WHILE:
            assigned_names(&n->loop.body, names);
            break;
        case AST_WITH:
            for (uint32_t k = 0; k < n->with.items.count; k++)
                if (n->with.items.items[k]->with_item.target)
                    add_targets(n->with.items.items[k]->with_item.target, names);
            assigned_names(&n->with.body, names);
            break;
        default:
            break;
        }
    }
}

/* ---- If ---- */

/* Lowers statements into a block with an environment of its own, which is returned. */
static environment *emit_block(emitter *e, ir_block *b, const ast_list *statements) {
    ir_node *outer = e->at;
    e->at = b->result;
    environment *env = push_environment(e);
    emit_statements(e, statements);
    pop_environment(e);
    e->at = outer;
    return env;
}

static const sugared *find_from(emitter *e, environment *env, const char *name) {
    environment *saved = e->env;
    e->env = env;
    const sugared *s = env_find(e, name);
    e->env = saved;
    return s;
}

static void join_variable(emitter *e, ir_node *n, environment *envs[2], const char *name) {
    const sugared *values[2];
    for (int i = 0; i < 2; i++) {
        values[i] = find_from(e, envs[i], name);
        if (!values[i])
            return; /* not defined on one way: using it later is an error */
    }
    if (values[0]->kind != SUGAR_VALUE || values[1]->kind != SUGAR_VALUE) {
        if (values[0]->kind == values[1]->kind)
            env_set(e, name, *values[0]);
        return;
    }
    const type *t = type_unify(values[0]->type, values[1]->type, false);
    if (!t)
        source_fail(n->range, "Type mismatch: %s is set to type %s in the true branch and type %s in the false branch", name,
                    type_annotation(values[0]->type), type_annotation(values[1]->type));
    for (int i = 0; i < 2; i++)
        ir_block_add_result(n->blocks[i], values[i]->value);
    env_set(e, name, sugar_value(ir_node_add_output(n, t)));
}

static void emit_if(emitter *e, const ast_node *s) {
    ir_value *condition = emit_condition(e, s->branch.condition);
    ir_node *n = ir_node_new(e->graph, IR_IF, 0);
    n->range = s->range;
    ir_node_add_input(n, condition);
    ir_insert_before(e->at, n);
    environment *envs[2];
    envs[0] = emit_block(e, ir_node_add_block(n), &s->branch.if_true);
    envs[1] = emit_block(e, ir_node_add_block(n), &s->branch.if_false);
    name_set names = NULL;
    assigned_names(&s->branch.if_true, &names);
    assigned_names(&s->branch.if_false, &names);
    for (size_t i = 0; i < shlenu(names); i++)
        join_variable(e, n, envs, names[i].key);
}

/* ---- Loops ---- */

/* Emits a prim::Loop around the body. `count` NULL: without limit; `condition` NULL: always true. The index is assigned to
 * `target` when there is one. */
static void emit_loop(emitter *e, const ast_node *s, ir_value *count, const ast_node *target, const ast_node *condition) {
    ir_value *limit = count ? count : emit_constant(e, const_int(INT64_MAX), s->range);
    ir_value *first = condition ? emit_condition(e, condition) : emit_constant(e, const_bool(true), s->range);
    ir_node *n = ir_node_new(e->graph, IR_LOOP, 0);
    n->range = s->range;
    ir_node_add_input(n, limit);
    ir_node_add_input(n, first);
    ir_block *body = ir_node_add_block(n);
    ir_value *index = ir_block_add_param(body, NULL, type_basic(TYPE_INT));

    /* Variables of the surroundings that the body assigns are carried from turn to turn. */
    name_set names = NULL;
    assigned_names(&s->loop.body, &names);
    environment *env = push_environment(e);
    const char **carried = NULL;
    for (size_t i = 0; i < shlenu(names); i++) {
        const sugared *before = env_find(e, names[i].key);
        if (!before || before->kind != SUGAR_VALUE)
            continue;
        arrput(carried, names[i].key);
        ir_node_add_input(n, before->value);
        env_set(e, names[i].key, sugar_value(ir_block_add_param(body, names[i].key, before->type)));
    }
    ir_insert_before(e->at, n);
    ir_node *outer = e->at;
    e->at = body->result;
    if (target)
        assign(e, target, sugar_value(index), NULL);
    emit_statements(e, &s->loop.body);
    ir_block_add_result(body, condition ? emit_condition(e, condition) : emit_constant(e, const_bool(true), s->range));
    e->env = env->outer;
    for (size_t i = 0; i < arrlenu(carried); i++) {
        const sugared *after = find_from(e, env, carried[i]);
        const type *t = body->param->outputs[i + 1]->type;
        if (after->kind != SUGAR_VALUE || !type_is_subtype(after->value->type, t, NULL))
            source_fail(s->range, "Variable '%s' previously had type %s but is now being assigned to a value of type %s", carried[i],
                        type_annotation(t), after->kind == SUGAR_VALUE ? type_annotation(after->value->type) : "function");
        ir_block_add_result(body, after->value);
        env_set(e, carried[i], sugar_value(ir_node_add_output(n, t)));
    }
    e->at = outer;
}

static void emit_for(emitter *e, const ast_node *s) {
    const ast_node *it = s->loop.iterable;
    bool is_range = it->kind == AST_APPLY && it->apply.callee->kind == AST_VAR && !strcmp(it->apply.callee->name, "range") &&
                    !env_find(e, "range");
    if (!is_range || it->apply.inputs.count != 1)
        source_fail(s->range, "for loops over anything but range(n) are not supported");
    emit_loop(e, s, emit_value(e, it->apply.inputs.items[0], type_basic(TYPE_INT)), s->loop.target, NULL);
}

/* ---- Others ---- */

static void emit_with(emitter *e, const ast_node *s) {
    ir_value **objects = NULL;
    for (uint32_t i = 0; i < s->with.items.count; i++) {
        const ast_node *item = s->with.items.items[i];
        ir_value *object = emit_value(e, item->with_item.value, NULL);
        const function *enter = object->type->kind == TYPE_CLASS ? class_find_method(object->type->definition, "__enter__") : NULL;
        const function *leave = enter ? class_find_method(object->type->definition, "__exit__") : NULL;
        if (object->type->kind != TYPE_CLASS)
            source_fail(item->range, "With item expression must return an object");
        if (!leave)
            source_fail(item->range, "Object returned by with item expression does not define __enter__ and __exit__ methods");
        ir_node *n = emit_node(e, IR_ENTER, item->range, enter->schema->returns[0].type);
        ir_node_add_input(n, object);
        if (item->with_item.target)
            assign(e, item->with_item.target, sugar_value(ir_out(n, 0)), NULL);
        arrput(objects, object);
    }
    emit_statements(e, &s->with.body);
    while (arrlenu(objects)) {
        ir_node *n = emit_node(e, IR_EXIT, s->range, type_basic(TYPE_NONE));
        ir_node_add_input(n, arrpop(objects));
    }
}

static void emit_raise(emitter *e, const ast_node *s) {
    const char *name = ast_dotted_name(s->operand->kind == AST_APPLY ? s->operand->apply.callee : s->operand);
    ir_value *message = s->operand->kind == AST_APPLY && s->operand->apply.inputs.count
                            ? emit_value(e, s->operand->apply.inputs.items[0], NULL)
                            : emit_constant(e, const_str("", 0), s->range);
    if (message->type->kind != TYPE_STR)
        message = ir_out(emit_operator(e, "aten::str", s->range, &message, 1), 0);
    const char *qualified = name ? mem_printf("builtins.%s", name) : "builtins.Exception";
    ir_node *n = ir_node_new(e->graph, IR_RAISE_EXCEPTION, 0);
    n->range = s->range;
    ir_node_add_input(n, message);
    ir_node_add_input(n, emit_constant(e, const_str(qualified, strlen(qualified)), s->range));
    ir_insert_before(e->at, n);
}

static void emit_return(emitter *e, const ast_node *s) {
    if (e->at != e->graph->block->result)
        source_fail(s->range, "return inside of if, for, while and with is not supported");
    ir_value *v = emit_value(e, s->operand, e->return_type);
    if (!type_is_subtype(v->type, e->return_type, NULL)) {
        int64_t number;
        if (e->return_type->kind == TYPE_FLOAT && ir_constant_int(v, &number)) /* archives print 1e10 as 10000000000 */
            v = emit_constant(e, const_float((double)number), s->range);
        else
            source_fail(s->range, "Return value was annotated as having type %s but is actually of type %s",
                        type_annotation(e->return_type), type_annotation(v->type));
    }
    ir_block_add_result(e->graph->block, v);
    e->returned = true;
}

static void emit_statement(emitter *e, const ast_node *s) {
    source_call_at(s->range);
    switch (s->kind) {
    case AST_ASSIGN:
        emit_assign(e, s);
        break;
    case AST_AUG_ASSIGN:
        emit_augmented(e, s);
        break;
    case AST_EXPR_STMT:
        emit_sugared(e, s->operand, NULL);
        break;
    case AST_IF:
        emit_if(e, s);
        break;
    case AST_FOR:
        emit_for(e, s);
        break;
    case AST_WHILE:
        emit_loop(e, s, NULL, NULL, s->loop.condition);
        break;
    case AST_WITH:
        emit_with(e, s);
        break;
    case AST_RETURN:
        emit_return(e, s);
        break;
    case AST_RAISE:
        emit_raise(e, s);
        break;
    case AST_PASS:
        break;
    case AST_DEF: {
        sugared closure = {0};
        closure.kind = SUGAR_CLOSURE;
        closure.closure = s->def;
        env_set(e, s->def->name, closure);
        break;
    }
    case AST_UNSUPPORTED:
        source_fail(s->range, "%s", s->unsupported.message);
    default:
        source_fail(s->range, "the statement '%s' is not supported", ast_kind_name(s->kind));
    }
}

void emit_statements(emitter *e, const ast_list *statements) {
    for (uint32_t i = 0; i < statements->count; i++)
        emit_statement(e, statements->items[i]);
}

/* ---- Functions ---- */

void emit_function(program *p, function *f) {
    if (f->syntax->error)
        source_fail(f->syntax->error->range, "%s", f->syntax->error->unsupported.message);
    emitter e = {0};
    e.program = p;
    e.function = f;
    e.graph = ir_graph_new(f->name);
    e.at = e.graph->block->result;
    e.return_type = f->schema->returns[0].type;
    push_environment(&e);
    for (uint32_t i = 0; i < f->schema->argument_count; i++) {
        const schema_argument *a = &f->schema->arguments[i];
        env_set(&e, a->name, sugar_value(ir_graph_add_input(e.graph, a->name, a->type)));
    }
    emit_statements(&e, &f->syntax->body);
    if (!e.returned) {
        if (e.return_type->kind != TYPE_NONE)
            source_fail(f->syntax->name_range, "Function was not annotated as having type None, but does not return along all paths");
        ir_block_add_result(e.graph->block, emit_constant(&e, const_none(), f->syntax->name_range));
    }
    f->graph = e.graph;
}
