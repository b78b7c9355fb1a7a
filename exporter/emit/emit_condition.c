/* Conditions: truth of values, type refinements, `and`, `or`, `not`, the conditional expression. */
#include <string.h>

#include "exporter/emit/emit_module.h"
#include "exporter/program/type_parser.h"

/* ---- Truth ---- */

ir_value *emit_bool(emitter *e, ir_value *v, source_range range) {
    switch (v->type->kind) {
    case TYPE_BOOL:
        return v;
    case TYPE_LIST:
    case TYPE_STR:
    case TYPE_DICT: {
        ir_value *length = emit_operator1(e, "aten::len", range, v);
        return emit_operator2(e, "aten::gt", range, length, emit_int(e, 0, range));
    }
    case TYPE_CLASS:
        if (class_find_method(v->type->definition, "__bool__"))
            return emit_method(e, v, intern("__bool__"), range, NULL, 0);
        break;
    case TYPE_TENSOR:
    case TYPE_INT:
    case TYPE_FLOAT:
        return emit_operator1(e, "aten::Bool", range, v);
    default:
        break;
    }
    source_fail(range, "Could not cast value of type %s to bool", type_annotation(v->type));
}

/* ---- Refinements ---- */

static const refinement *find_refinement(const refinement *list, const char *name) {
    for (size_t i = 0; i < arrlenu(list); i++)
        if (list[i].name == name)
            return &list[i];
    return NULL;
}

/* Refinements where both conditions hold. As in PyTorch, a variable that they refine to different types is left out. */
static refinement *both(const refinement *a, const refinement *b) {
    refinement *all = NULL;
    for (size_t i = 0; i < arrlenu(a); i++) {
        const refinement *other = find_refinement(b, a[i].name);
        if (!other || other->type == a[i].type)
            arrput(all, a[i]);
    }
    for (size_t i = 0; i < arrlenu(b); i++)
        if (!find_refinement(a, b[i].name))
            arrput(all, b[i]);
    return all;
}

/* Refinements where at least one of the conditions holds: those that both lists contain. */
static refinement *either(const refinement *a, const refinement *b) {
    refinement *all = NULL;
    for (size_t i = 0; i < arrlenu(a); i++) {
        const refinement *other = find_refinement(b, a[i].name);
        if (other && other->type == a[i].type)
            arrput(all, a[i]);
    }
    return all;
}

void emit_refinements(emitter *e, const refinement *list, source_range range) {
    for (size_t i = 0; i < arrlenu(list); i++) {
        const sugared *s = env_find(e, list[i].name);
        if (!s || s->kind != SUGAR_VALUE || s->type == list[i].type)
            continue;
        ir_value *v = env_view(e, s, range);
        ir_node *cast = emit_node_with(e, IR_UNCHECKED_CAST, range, list[i].type, &v, 1);
        sugared refined = sugar_value(ir_out(cast, 0));
        refined.value->name = v->name;
        env_refine(e, list[i].name, refined);
    }
}

/* ---- Tests ---- */

static condition plain_condition(ir_value *v) {
    condition c = {v, -1, NULL, NULL};
    bool known;
    if (v && ir_constant_bool(v, &known))
        c.known = known;
    return c;
}

static condition known_condition(emitter *e, bool truth, source_range range) {
    return plain_condition(emit_constant(e, const_bool(truth), range));
}

typedef enum { NEVER_NONE, MAYBE_NONE, ALWAYS_NONE } none_state;

/* PyTorch treats a value of type Any as never None. */
static none_state none_state_of(const type *t) {
    bool may_be = type_admits_none(t) && t->kind != TYPE_ANY;
    return t->kind == TYPE_NONE ? ALWAYS_NONE : may_be ? MAYBE_NONE : NEVER_NONE;
}

/* In TorchScript each mention of an enum's member makes a new object, so `is` is false for it. */
static bool is_new_member(const ir_value *v) {
    return v->type->kind == TYPE_ENUM && v->node->kind == IR_CONSTANT;
}

/* `x is None`, `x is not None`, `a is b` */
static condition emit_is(emitter *e, const ast_node *n) {
    ir_value *left = emit_value(e, n->binary.left, NULL), *right = emit_value(e, n->binary.right, NULL);
    none_state a = none_state_of(left->type), b = none_state_of(right->type);
    bool wants_same = n->kind == AST_IS;
    if (a == ALWAYS_NONE && b == ALWAYS_NONE)
        return known_condition(e, wants_same, n->range);
    if ((a == ALWAYS_NONE && b == NEVER_NONE) || (a == NEVER_NONE && b == ALWAYS_NONE))
        return known_condition(e, !wants_same, n->range);
    if (left != right && (is_new_member(left) || is_new_member(right)))
        return known_condition(e, !wants_same, n->range);
    condition c =
        plain_condition(emit_operator2(e, wants_same ? "aten::__is__" : "aten::__isnot__", n->range, left, right));
    const ast_node *variable = b == ALWAYS_NONE ? n->binary.left : a == ALWAYS_NONE ? n->binary.right : NULL;
    if (!variable || variable->kind != AST_VAR)
        return c;
    const type *t = (b == ALWAYS_NONE ? left : right)->type;
    refinement is_some = {variable->name, type_without_none(t)};
    if (wants_same)
        arrput(c.when_false, is_some);
    else
        arrput(c.when_true, is_some);
    return c;
}

static void collect_types(emitter *e, const ast_node *n, const type ***types) {
    stack_check();
    if (n->kind == AST_TUPLE)
        for (uint32_t i = 0; i < n->sequence.count; i++)
            collect_types(e, n->sequence.items[i], types);
    else
        arrput(*types, type_of_expression(e->program, n));
}

static bool fits_any(const type *t, const type *const *types) {
    for (size_t i = 0; i < arrlenu(types); i++)
        if (type_is_subtype(t, types[i], NULL))
            return true;
    return false;
}

/* The members of a type: of a union or optional its members, else itself. */
static const type **members_of(const type *t) {
    const type **members = NULL;
    if (t->kind == TYPE_OPTIONAL) {
        arrput(members, t->items[0]);
        arrput(members, type_basic(TYPE_NONE));
    } else if (t->kind == TYPE_UNION) {
        for (uint32_t i = 0; i < t->count; i++)
            arrput(members, t->items[i]);
    } else
        arrput(members, t);
    return members;
}

/* Splits the members of type t for an isinstance test: those that it selects (inside), and those that remain when it
 * fails (outside). *dynamic is set when a member is in both. */
static void split_type(const type *t, const type *const *types, const type ***inside, const type ***outside,
                       bool *dynamic) {
    const type **members = members_of(t);
    for (size_t i = 0; i < arrlenu(members); i++) {
        if (fits_any(members[i], types)) {
            arrput(*inside, members[i]);
            continue;
        }
        for (size_t k = 0; k < arrlenu(types); k++)
            if (type_is_subtype(types[k], members[i], NULL)) {
                arrput(*inside, types[k]);
                *dynamic = true;
            }
        arrput(*outside, members[i]);
    }
}

static condition emit_isinstance(emitter *e, const ast_node *n) {
    expect_inputs(n, "isinstance", 2);
    const ast_node *object = n->apply.inputs.items[0];
    ir_value *v = emit_value(e, object, NULL);
    const type **types = NULL, **inside = NULL, **outside = NULL;
    collect_types(e, n->apply.inputs.items[1], &types);
    bool dynamic = false;
    split_type(v->type, types, &inside, &outside, &dynamic);
    if (!arrlenu(inside))
        return known_condition(e, false, n->range);
    if (!arrlenu(outside) && !dynamic)
        return known_condition(e, true, n->range);
    ir_node *test = emit_node_with(e, IR_ISINSTANCE, n->range, type_basic(TYPE_BOOL), &v, 1);
    for (size_t i = 0; i < arrlenu(types); i++)
        arrput(test->types, types[i]);
    condition c = plain_condition(ir_out(test, 0));
    if (object->kind == AST_VAR) {
        refinement is = {object->name, type_union(inside, (uint32_t)arrlenu(inside))};
        arrput(c.when_true, is);
        if (v->type->kind != TYPE_ANY && arrlenu(outside)) {
            refinement is_not = {object->name, type_union(outside, (uint32_t)arrlenu(outside))};
            arrput(c.when_false, is_not);
        }
    }
    return c;
}

static condition emit_hasattr(emitter *e, const ast_node *n) {
    expect_inputs(n, "hasattr", 2);
    sugared s = emit_sugared(e, n->apply.inputs.items[0], NULL);
    const ast_node *name = n->apply.inputs.items[1];
    if (name->kind != AST_STRING)
        source_fail(name->range, "hasattr's second argument must be a string literal");
    bool is_object = s.kind == SUGAR_CLASS || (s.kind == SUGAR_VALUE && s.value->type->kind == TYPE_CLASS);
    if (!is_object)
        source_fail(n->apply.inputs.items[0]->range,
                    "hasattr's first argument must be an object or NamedTuple, got %s instead:\n"
                    "hasattr's first argument must be an object, got %s instead",
                    s.kind == SUGAR_VALUE ? ir_value_annotation(s.value) : "something else",
                    s.kind == SUGAR_VALUE ? ir_value_annotation(s.value) : "something else");
    return known_condition(e, sugar_has(e, &s, name->string.bytes), n->range);
}

static condition emit_not(emitter *e, const ast_node *n) {
    condition inner = emit_condition(e, n->operand);
    if (inner.known >= 0) {
        condition c = known_condition(e, !inner.known, n->range);
        c.when_true = inner.when_false;
        c.when_false = inner.when_true;
        return c;
    }
    return (condition){emit_operator1(e, "aten::__not__", n->range, inner.value), -1, inner.when_false,
                       inner.when_true};
}

/* ---- Branching expressions ---- */

/* What one branch of a conditional expression is: an expression, or a constant when it is NULL. */
typedef struct {
    const ast_node *node;
    bool as_condition, constant;
} branch_source;

static ir_value *emit_branch(emitter *e, ir_block *b, const branch_source *source, const refinement *known,
                             const type *hint, condition *rhs, source_range range) {
    ir_node *outer = e->at;
    e->at = b->result;
    env_push(e);
    emit_refinements(e, known, range);
    ir_value *v;
    if (!source->node)
        v = emit_constant(e, const_bool(source->constant), range);
    else if (source->as_condition) {
        *rhs = emit_condition(e, source->node);
        v = rhs->value;
    } else
        v = emit_value(e, source->node, hint);
    env_pop(e);
    e->at = outer;
    return v;
}

static ir_value *emit_branches(emitter *e, const condition *c, const branch_source sources[2], const type *hint,
                               condition *rhs, source_range range) {
    ir_node *n = ir_node_new(e->graph, IR_IF, 0);
    n->range = range;
    ir_node_add_input(n, c->value);
    ir_insert_before(e->at, n);
    ir_value *values[2];
    for (int i = 0; i < 2; i++)
        values[i] =
            emit_branch(e, ir_node_add_block(n), &sources[i], i ? c->when_false : c->when_true, hint, rhs, range);
    const type *t = type_unify(values[0]->type, values[1]->type, false);
    if (!t)
        source_fail(range, "if-expression's true branch has type %s but false branch has type %s",
                    ir_value_annotation(values[0]), ir_value_annotation(values[1]));
    for (int i = 0; i < 2; i++)
        ir_block_add_result(n->blocks[i], values[i]);
    ir_value *joined = ir_node_add_output(n, t);
    joined->is_inferred = values[1]->is_inferred && values[0]->type == t; /* of equal types PyTorch keeps the second */
    return joined;
}

/* The second operand is evaluated in the branch where the first one does not decide. */
static condition emit_short_circuit(emitter *e, const ast_node *n) {
    bool is_or = n->kind == AST_OR;
    condition left = emit_condition(e, n->binary.left), right = {0};
    branch_source decided = {NULL, false, is_or}, goes_on = {n->binary.right, true, false};
    branch_source sources[] = {is_or ? decided : goes_on, is_or ? goes_on : decided};
    condition c = {emit_branches(e, &left, sources, NULL, &right, n->range), -1, NULL, NULL};
    if (left.known == is_or || right.known == is_or)
        c.known = is_or;
    else if (left.known >= 0 && right.known >= 0)
        c.known = !is_or;
    c.when_true = is_or ? either(left.when_true, right.when_true) : both(left.when_true, right.when_true);
    c.when_false = is_or ? both(left.when_false, right.when_false) : either(left.when_false, right.when_false);
    return c;
}

ir_value *emit_ternary(emitter *e, const ast_node *n, const type *hint) {
    condition c = emit_condition(e, n->ternary.condition), unused;
    if (c.known >= 0) {
        env_push(e);
        emit_refinements(e, c.known ? c.when_true : c.when_false, n->range);
        ir_value *v = emit_value(e, c.known ? n->ternary.if_true : n->ternary.if_false, hint);
        env_pop(e);
        return v;
    }
    branch_source sources[] = {{n->ternary.if_true, false, false}, {n->ternary.if_false, false, false}};
    return emit_branches(e, &c, sources, hint, &unused, n->range);
}

/* Whether n is a call of the special form `name`, which no variable shadows. */
static bool is_call_of(emitter *e, const ast_node *n, const char *name) {
    if (n->kind != AST_APPLY)
        return false;
    const ast_node *callee = n->apply.callee;
    if (callee->kind == AST_VAR)
        return !strcmp(callee->name, name) && !env_find(e, callee->name);
    const char *dotted = ast_dotted_name(callee);
    return dotted && !strncmp(dotted, "torch.jit.", 10) && !strcmp(dotted + 10, name) && e->is_python;
}

condition emit_condition(emitter *e, const ast_node *n) {
    stack_check();
    switch (n->kind) {
    case AST_NOT:
        return emit_not(e, n);
    case AST_AND:
    case AST_OR:
        return emit_short_circuit(e, n);
    case AST_IS:
    case AST_IS_NOT:
        return emit_is(e, n);
    default:
        break;
    }
    int known = module_known_truth(e, n);
    if (known >= 0)
        return known_condition(e, known, n->range);
    if (is_call_of(e, n, "isinstance"))
        return emit_isinstance(e, n);
    if (is_call_of(e, n, "hasattr"))
        return emit_hasattr(e, n);
    return plain_condition(emit_bool(e, emit_value(e, n, NULL), n->range));
}
