/* Statements. */
#include <string.h>

#include "exporter/emit/emit.h"
#include "exporter/program/type_parser.h"

/* ---- Assignment ---- */

/* Whether `object` is the self of the __init__ that is being compiled, whose assignments define the attributes. */
static bool is_being_made(const emitter *e, const ir_value *object) {
    return e->is_python && e->function->owner && e->function->owner->type == object->type &&
           !strcmp(e->function->base_name, "__init__") && object == e->graph->block->param->outputs[0];
}

/* Whether a value of type t is, or holds, an object of the class. */
static bool contains_class(const type *t, const class_def *c, uint32_t depth) {
    stack_check();
    enum { DEEPEST = 64 };
    if (t == c->type)
        return true;
    const class_def *other = t->kind == TYPE_CLASS ? t->definition : NULL;
    for (size_t i = 0; depth < DEEPEST && other && i < arrlenu(other->attributes); i++)
        if (contains_class(other->attributes[i].type, c, depth + 1))
            return true;
    for (uint32_t i = 0; depth < DEEPEST && !other && i < t->count; i++)
        if (contains_class(t->items[i], c, depth + 1))
            return true;
    return false;
}

static int make_attribute(emitter *e, class_def *c, const char *name, const type *t, source_range range) {
    if (contains_class(t, c, 0))
        source_fail(range,
                    "Assignment to attribute '%s' cannot be of a type that contains class '%s'.\nClasses that "
                    "recursively contain instances of themselves are not yet supported",
                    name, type_annotation(c->type));
    if (e->at->block != e->graph->block)
        source_fail(range,
                    "First assignment cannot be in a control-flow block. Initialize the field at the top level first");
    class_attribute a = {.name = name, .type = t};
    arrput(c->attributes, a);
    return (int)arrlen(c->attributes) - 1;
}

static void assign_attribute(emitter *e, const ast_node *target, ir_value *v, source_range range) {
    ir_value *object = emit_value(e, target->select.value, NULL);
    const char *name = target->select.name;
    if (object->type->kind != TYPE_CLASS || !object->type->definition)
        source_fail(range, "Tried to set an attribute: %s on a non-class: %s", name, ir_value_annotation(object));
    class_def *c = object->type->definition;
    function *setter = class_find_method(c, mem_printf("__%s_setter", name));
    int slot = class_find_attribute(c, name);
    if (slot < 0 && is_being_made(e, object))
        slot = make_attribute(e, c, name, v->type, range);
    if (slot < 0 && setter && e->is_python) {
        emit_method(e, object, setter->base_name, range, &v, 1);
        return;
    }
    if (slot < 0 && class_find_method(c, mem_printf("__%s_getter", name)))
        source_fail(range, "Tried to set read-only attribute: %s", name);
    if (slot < 0)
        source_fail(range, "Tried to set nonexistent attribute: %s. Did you forget to initialize it in __init__()?",
                    name);
    const type *wanted = c->attributes[slot].type;
    v = emit_convert(e, v, wanted, range);
    if (!type_is_subtype(v->type, wanted, NULL))
        source_fail(range, "Wrong type for attribute assignment. Expected %s but got %s", type_annotation(wanted),
                    type_annotation(v->type));
    ir_node *n = ir_node_new(e->graph, IR_SET_ATTR, 0);
    n->attribute = name;
    n->range = range;
    ir_node_add_input(n, object);
    ir_node_add_input(n, v);
    ir_insert_before(e->at, n);
}

/* The position of the one starred target, -1 when there is none. */
static int starred_target(const ast_node *target) {
    int starred = -1;
    for (uint32_t i = 0; i < target->sequence.count; i++) {
        const ast_node *part = target->sequence.items[i];
        if (part->kind == AST_STARRED) {
            if (starred >= 0)
                source_fail(target->range, "Only one starred expression is allowed on the lhs");
            starred = (int)i;
        } else if (part->kind != AST_VAR && part->kind != AST_SUBSCRIPT && part->kind != AST_TUPLE &&
                   part->kind != AST_SELECT)
            source_fail(part->range, "lhs of assignment must be a variable, subscript, or starred expression");
    }
    if (starred >= 0 && target->sequence.count == 1)
        source_fail(target->range, "A Starred expression may only appear on the lhs within the presence of another "
                                   "non-starred expression");
    return starred;
}

static void assign_tuple(emitter *e, const ast_node *target, const sugared *s, source_range range) {
    int starred = starred_target(target);
    uint32_t wanted = target->sequence.count - (starred >= 0);
    sugared *items = sugar_unpack(e, s, starred >= 0 ? UINT32_MAX : wanted, range);
    uint32_t found = (uint32_t)arrlenu(items);
    if (found < wanted)
        source_fail(target->range, "need %s%u values to unpack but found only %u", starred >= 0 ? "at least " : "",
                    wanted, found);
    if (found > wanted && starred < 0)
        source_fail(target->range, "too many values to unpack: need %u but found %u", wanted, found);
    uint32_t next = 0;
    for (uint32_t i = 0; i < target->sequence.count; i++) {
        const ast_node *part = target->sequence.items[i];
        if ((int)i != starred) {
            emit_assign_target(e, part, items[next++], NULL, range, range);
            continue;
        }
        sugared rest = sugar_named(SUGAR_TUPLE, NULL);
        for (uint32_t k = 0; k < found - wanted; k++)
            arrput(rest.items, items[next++]);
        if (part->operand->kind != AST_VAR)
            source_fail(part->operand->range, "Cannot pack a tuple into a non-variable");
        emit_assign_target(e, part->operand, rest, NULL, range, range);
    }
}

void emit_assign_target(emitter *e, const ast_node *target, sugared s, const type *annotated, source_range value_range,
                        source_range range) {
    stack_check();
    switch (target->kind) {
    case AST_VAR:
        env_assign(e, target->name, s, annotated, target->range);
        return;
    case AST_TUPLE:
        assign_tuple(e, target, &s, value_range);
        return;
    case AST_SELECT:
        assign_attribute(e, target, sugar_to_value(e, &s, value_range), range);
        return;
    case AST_SUBSCRIPT:
        emit_subscript_store(e, target, sugar_to_value(e, &s, value_range), range);
        return;
    default:
        source_fail(target->range, "unexpected expression on left-hand side of assignment");
    }
}

/* The type that a variable keeps when a nested block assigns it, as a hint for the value; NULL when none is needed. */
static const type *target_type(emitter *e, const ast_node *target) {
    if (target->kind == AST_VAR) {
        const sugared *s = env_find(e, target->name);
        bool keeps = s && s->kind == SUGAR_VALUE && e->env->outer && s->type->kind != TYPE_LIST;
        return keeps && (s->type->kind == TYPE_OPTIONAL || s->type->kind == TYPE_UNION) ? s->type : NULL;
    }
    return NULL;
}

static void emit_assign(emitter *e, const ast_node *n) {
    if (!n->assign.value)
        source_fail(n->range, "annotated assignments without assigned value aren't supported");
    const type *annotated = n->assign.type ? type_of_expression(e->program, n->assign.type) : NULL;
    const ast_node *target = n->assign.targets.items[0];
    sugared s = emit_sugared(e, n->assign.value, annotated || e->is_python ? annotated : target_type(e, target));
    if (annotated && s.kind == SUGAR_VALUE)
        s = sugar_value(e->is_python ? s.value : emit_convert(e, s.value, annotated, n->range));
    if (n->assign.targets.count > 1 && s.kind == SUGAR_TUPLE)
        s = sugar_value(sugar_to_value(e, &s, n->range));
    for (uint32_t i = 0; i < n->assign.targets.count; i++)
        emit_assign_target(e, n->assign.targets.items[i], s, annotated, n->assign.value->range, n->range);
}

/* Calls the object's method for the operator: __iadd__ if its class has it, else __add__. */
static ir_value *augmented_object(emitter *e, const ast_node *n, ir_value *object, ir_value *value) {
    ast_kind op = n->aug_assign.op;
    const char *in_place = emit_augmented_method(op, true), *method = in_place,
               *plain = emit_augmented_method(op, false);
    if (!in_place)
        source_fail(n->range, "Unknown augmented assignment: %s", ast_kind_name(op));
    if (!class_find_method(object->type->definition, method))
        method = plain;
    if (!class_find_method(object->type->definition, method))
        source_fail(n->range, "Cannot emit inplace op on %s since it does not define an %s or %s method",
                    type_annotation(object->type), in_place, plain);
    return emit_method(e, object, intern(method), n->range, &value, 1);
}

/* The new value of something that `op=` updates. Tensors and lists change in place. */
static ir_value *augmented_value(emitter *e, const ast_node *n, ir_value *left) {
    ast_kind op = n->aug_assign.op;
    ir_value *right = emit_value(e, n->aug_assign.value, NULL);
    const char *in_place = emit_augmented_operator(op, true);
    if (!in_place)
        source_fail(n->range, AST_BAD_AUG_ASSIGN, op == AST_FLOOR_DIV ? "FloorDiv" : "MatMult",
                    op == AST_FLOOR_DIV ? "FloorDiv" : "MatMult");
    if (left->type->kind == TYPE_CLASS && left->type->definition)
        return augmented_object(e, n, left, right);
    return emit_operator2(e, emit_augmented_operator(op, emit_is_updated(left->type)), n->range, left, right);
}

static void emit_augmented(emitter *e, const ast_node *n) {
    const ast_node *target = n->aug_assign.target;
    if (!emit_augmented_operator(n->aug_assign.op, true))
        augmented_value(e, n, emit_value(e, target, NULL));
    if (target->kind == AST_SUBSCRIPT) {
        emit_subscript_augmented(e, target, n->aug_assign.op, n->aug_assign.value, n->range);
        return;
    }
    ir_value *v = augmented_value(e, n, emit_value(e, target, NULL));
    emit_assign_target(e, target, sugar_value(v), NULL, n->range, n->range);
}

static void emit_delete(emitter *e, const ast_node *n) {
    for (uint32_t i = 0; i < n->sequence.count; i++) {
        const ast_node *target = n->sequence.items[i];
        if (target->kind == AST_VAR)
            env_remove(e, target->name, target->range);
        else if (target->kind == AST_SUBSCRIPT)
            emit_subscript_delete(e, target);
        else
            source_fail(target->range,
                        "del statements are only supported for deleting list and dict items and variables");
    }
}

/* ---- Blocks ---- */

/* Statements in a block of their own; returns the environment that they leave. */
static environment *emit_block(emitter *e, ir_block *b, const ast_list *statements, const refinement *known) {
    ir_node *outer = e->at;
    e->at = b->result;
    environment *env = env_push(e);
    emit_refinements(e, known, statements->count ? statements->items[0]->range : (source_range){0});
    emit_statements(e, statements);
    env_pop(e);
    e->at = outer;
    return env;
}

static void emit_branches(emitter *e, const condition *c, const ast_list *if_true, const ast_list *if_false,
                          source_range range) {
    if (c->known >= 0) {
        emit_refinements(e, c->known ? c->when_true : c->when_false, range);
        emit_statements(e, c->known ? if_true : if_false);
        return;
    }
    ir_node *n = ir_node_new(e->graph, IR_IF, 0);
    n->range = range;
    ir_node_add_input(n, c->value);
    ir_insert_before(e->at, n);
    environment *branches[2];
    bool exits[2];
    for (int i = 0; i < 2; i++) {
        ir_block *b = ir_node_add_block(n);
        branches[i] = emit_block(e, b, i ? if_false : if_true, i ? c->when_false : c->when_true);
        exits[i] = emit_block_leaves_function(b);
    }
    env_join(e, n, branches, exits, range);
}

static void emit_if(emitter *e, const ast_node *n) {
    condition c = emit_condition(e, n->branch.condition);
    emit_branches(e, &c, &n->branch.if_true, &n->branch.if_false, n->range);
}

/* Variables that the body of a `with` leaves behind become the node's outputs. */
static void export_variables(emitter *e, ir_node *n, const environment *body) {
    ir_block *b = n->blocks[0];
    if (emit_block_exits(b))
        return;
    for (ptrdiff_t i = 0; i < hmlen(body->names); i++) {
        sugared s = body->names[i].value;
        if (s.kind == SUGAR_VALUE) {
            const type *t = s.type;
            ir_node *outer = e->at;
            e->at = b->result;
            ir_block_add_result(b, env_view(e, &s, n->range));
            e->at = outer;
            s = sugar_value(ir_node_add_output(n, t));
        }
        if (body->names[i].value.is_refined)
            env_refine(e, body->names[i].key, s);
        else
            env_bind(e, body->names[i].key, s);
    }
}

/* __enter__(self) and __exit__(self, type: Any, value: Any, traceback: Any) */
static void check_manager(const function *enter, const function *leave, source_range range) {
    if (enter->schema->argument_count != 1)
        source_fail(range, "__enter__ must have only one argument and one return value");
    if (leave->schema->argument_count != 4)
        source_fail(range, "__exit__ must have four arguments");
    for (uint32_t i = 1; i < 4; i++)
        if (leave->schema->arguments[i].type->kind != TYPE_ANY)
            source_fail(range,
                        "argument %u of __exit__ must have Any type; TorchScript does not currently support passing "
                        "exception type, value, or traceback to the __exit__ function.",
                        i);
}

static void emit_with_items(emitter *e, const ast_node *n, uint32_t index) {
    stack_check();
    if (index == n->with.items.count) {
        emit_statements(e, &n->with.body);
        return;
    }
    const ast_node *item = n->with.items.items[index];
    sugared manager = emit_sugared(e, item->with_item.value, NULL);
    if (manager.kind != SUGAR_VALUE || manager.value->type->kind != TYPE_CLASS)
        source_fail(item->with_item.value->range, "With item expression must return an object");
    ir_value *object = manager.value;
    source_range range = item->with_item.value->range;
    function *enter = class_find_method(object->type->definition, "__enter__");
    function *leave = class_find_method(object->type->definition, "__exit__");
    if (!enter || !leave)
        source_fail(item->with_item.value->range,
                    "Object returned by with item expression does not define __enter__ and __exit__ methods");
    check_manager(enter, leave, range);
    ir_node *with = ir_node_new(e->graph, IR_WITH, 0);
    with->range = item->range;
    ir_node_add_input(with, object);
    ir_insert_before(e->at, with);
    ir_block *b = ir_node_add_block(with);
    ir_value *entered = ir_block_add_param(b, NULL, function_return_type(enter));
    function_return_type(leave);
    ir_node *outer = e->at;
    e->at = b->result;
    environment *env = env_push(e);
    if (item->with_item.target)
        emit_assign_target(e, item->with_item.target, sugar_value(entered), NULL, item->range, item->range);
    emit_with_items(e, n, index + 1);
    env_pop(e);
    e->at = outer;
    export_variables(e, with, env);
}

/* ---- Errors ---- */

static void emit_raise_node(emitter *e, ir_value *message, ir_value *class_name, source_range range) {
    ir_node *n = ir_node_new(e->graph, IR_RAISE_EXCEPTION, 0);
    n->range = range;
    ir_node_add_input(n, message);
    ir_node_add_input(n, class_name);
    ir_insert_before(e->at, n);
}

static ir_value *as_text(emitter *e, ir_value *v, source_range range) {
    return v->type->kind == TYPE_STR ? v : emit_operator1(e, "aten::str", range, v);
}

/* In TorchScript the name AssertionError is a part of the message; the exception has no class name. */
static ir_value *assertion_text(emitter *e, ir_value *text, source_range range) {
    static const char prefix[] = "AssertionError: ";
    ir_value *message = emit_constant(e, const_str(prefix, sizeof prefix - 1), range);
    return text ? emit_operator2(e, "aten::add", range, message, text) : message;
}

sugared emit_exception(emitter *e, const char *class_name, const ast_node *n) {
    sugared s = sugar_named(SUGAR_RAISED, class_name);
    sugared all = sugar_named(SUGAR_TUPLE, NULL);
    argument_list a = emit_arguments(e, n, NULL);
    for (uint32_t i = 0; i < a.count && !a.items[i].name; i++)
        arrput(all.items, sugar_value(a.items[i].value));
    size_t count = arrlenu(all.items);
    s.value = !count       ? emit_constant(e, const_str("", 0), n->range)
              : count == 1 ? as_text(e, all.items[0].value, n->range)
                           : as_text(e, sugar_to_value(e, &all, n->range), n->range);
    if (!strcmp(class_name, "AssertionError")) {
        s.value = assertion_text(e, s.value, n->range);
        s.name = NULL;
    }
    return s;
}

/* raise E, raise E(message), raise variable. As in PyTorch, `raise E` does not record the name of the class. */
static void emit_raise(emitter *e, const ast_node *n) {
    sugared s = emit_sugared(e, n->operand, NULL);
    if (s.kind != SUGAR_EXCEPTION && s.kind != SUGAR_RAISED)
        source_fail(n->range, "exceptions must derive from BaseException");
    if (s.kind == SUGAR_EXCEPTION || !s.name) {
        ir_value *message = s.value ? s.value : emit_constant(e, const_str("", 0), n->range);
        emit_raise_node(e, message, emit_constant(e, const_none(), n->range), n->range);
        return;
    }
    const char *name = strncmp(s.name, "__torch__", 9) ? mem_printf("builtins.%s", s.name) : s.name + 10;
    emit_raise_node(e, s.value, emit_constant(e, const_str(name, strlen(name)), n->range), n->range);
}

static void emit_assertion_error(emitter *e, const ast_node *n) {
    const ast_node *given = n->assertion.message;
    ir_value *text = given ? as_text(e, emit_value(e, given, NULL), n->range) : NULL,
             *message = assertion_text(e, text, n->range);
    emit_raise_node(e, message, emit_constant(e, const_none(), n->range), n->range);
}

/* if condition: pass; else: raise AssertionError */
static void emit_assert(emitter *e, const ast_node *n) {
    static const ast_list nothing;
    condition c = emit_condition(e, n->assertion.condition);
    if (c.known >= 0) {
        emit_refinements(e, c.known ? c.when_true : c.when_false, n->range);
        if (!c.known)
            emit_assertion_error(e, n);
        return;
    }
    ir_node *test = ir_node_new(e->graph, IR_IF, 0);
    test->range = n->range;
    ir_node_add_input(test, c.value);
    ir_insert_before(e->at, test);
    environment *branches[2];
    branches[0] = emit_block(e, ir_node_add_block(test), &nothing, c.when_true);
    ir_node *outer = e->at;
    e->at = ir_node_add_block(test)->result;
    branches[1] = env_push(e);
    emit_refinements(e, c.when_false, n->range);
    emit_assertion_error(e, n);
    env_pop(e);
    e->at = outer;
    env_join(e, test, branches, (bool[]){false, true}, n->range);
}

/* ---- Return ---- */

static void check_return_type(emitter *e, ir_value *v, source_range range) {
    if (e->declared_return) {
        if (!type_is_subtype(v->type, e->declared_return, NULL))
            source_fail(range, "Return value was annotated as having type %s but is actually of type %s",
                        type_annotation(e->declared_return), ir_value_annotation(v));
        e->merged_return = e->declared_return;
        return;
    }
    const type *t = e->merged_return ? type_unify(e->merged_return, v->type, false) : v->type;
    if (!t)
        source_fail(range,
                    "Previous return statement returned a value of type %s but this return statement returns a value "
                    "of type %s",
                    e->first_return && e->first_return->type == e->merged_return ? ir_value_annotation(e->first_return)
                                                                                 : type_annotation(e->merged_return),
                    ir_value_annotation(v));
    if (!e->merged_return)
        e->first_return = v;
    e->merged_return = t;
}

static void emit_return(emitter *e, const ast_node *n) {
    ir_value *v = emit_value(e, n->operand, e->declared_return);
    if (e->declared_return)
        v = emit_convert(e, v, e->declared_return, n->range);
    check_return_type(e, v, n->range);
    ir_node *exit = ir_node_new(e->graph, IR_RETURN_STMT, 0);
    exit->range = n->range;
    ir_node_add_input(exit, v);
    ir_insert_before(e->at, exit);
}

/* ---- Dispatch ---- */

static void emit_expression(emitter *e, const ast_node *n) {
    emit_sugared(e, n->operand, NULL);
}

static void emit_nested_def(emitter *e, const ast_node *n) {
    if (e->is_python)
        source_fail(n->range, "function definitions aren't supported");
    sugared closure = sugar_named(SUGAR_CLOSURE, n->def->name);
    closure.closure = n->def;
    env_bind(e, n->def->name, closure);
}

static void emit_statement(emitter *e, const ast_node *n) {
    source_call_at(n->range);
    switch (n->kind) {
    case AST_ASSIGN:
        emit_assign(e, n);
        return;
    case AST_AUG_ASSIGN:
        emit_augmented(e, n);
        return;
    case AST_EXPR_STMT:
        emit_expression(e, n);
        return;
    case AST_IF:
        emit_if(e, n);
        return;
    case AST_FOR:
        emit_for(e, n);
        return;
    case AST_WHILE:
        emit_while(e, n);
        return;
    case AST_BREAK:
    case AST_CONTINUE:
        emit_break(e, n);
        return;
    case AST_WITH:
        emit_with_items(e, n, 0);
        return;
    case AST_RETURN:
        emit_return(e, n);
        return;
    case AST_RAISE:
        emit_raise(e, n);
        return;
    case AST_ASSERT:
        emit_assert(e, n);
        return;
    case AST_DELETE:
        emit_delete(e, n);
        return;
    case AST_DEF:
        emit_nested_def(e, n);
        return;
    case AST_PASS:
        return;
    case AST_UNSUPPORTED:
        source_fail(n->range, "%s", n->unsupported.message);
    case AST_GLOBAL:
        source_fail(n->range, "global variables aren't supported");
    case AST_IMPORT:
        source_fail(n->range, "import statements aren't supported");
    case AST_CLASS:
        source_fail(n->range, "class definitions aren't supported");
    default:
        source_fail(n->range, "the statement '%s' is not supported", ast_kind_name(n->kind));
    }
}

/* Statements after one that always leaves the block are never run, so they are not compiled. */
void emit_statements(emitter *e, const ast_list *statements) {
    stack_check();
    for (uint32_t i = 0; i < statements->count && !emit_block_exits(e->at->block); i++)
        emit_statement(e, statements->items[i]);
}
