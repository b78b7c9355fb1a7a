/* Loops over positions that index containers of modules: `for i in range(len(self.layers)): x = self.layers[i](x)`.
 * The compiler must know which module is indexed, so such loops are unrolled, like loops over the container itself. */
#include <string.h>

#include "exporter/emit/emit_module.h"

typedef struct {
    const class_def *module;
    const char *self, *variable;
} search;

static bool finds(const search *s, const ast_node *n);

static bool finds_in(const search *s, const ast_list *list) {
    for (uint32_t i = 0; i < list->count; i++)
        if (finds(s, list->items[i]))
            return true;
    return false;
}

/* Whether the loop's variable occurs in an expression. */
static bool has_variable(const search *s, const ast_node *n) {
    stack_check();
    switch (n->kind) {
    case AST_VAR:
        return !strcmp(n->name, s->variable);
    case AST_NEG:
        return has_variable(s, n->operand);
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_FLOOR_DIV:
    case AST_MOD:
        return has_variable(s, n->binary.left) || has_variable(s, n->binary.right);
    default:
        return false;
    }
}

/* self.NAME of a container */
static bool is_container(const search *s, const ast_node *n) {
    const ast_node *base = n->kind == AST_SELECT ? n->select.value : NULL;
    if (!base || base->kind != AST_VAR || strcmp(base->name, s->self))
        return false;
    int slot = class_find_attribute(s->module, n->select.name);
    const type *t = slot < 0 ? NULL : s->module->attributes[slot].type;
    return t && t->kind == TYPE_CLASS && t->definition->module && t->definition->module->container;
}

static bool finds_in_expression(const search *s, const ast_node *n) {
    switch (n->kind) {
    case AST_SUBSCRIPT:
        return (is_container(s, n->subscript.value) && has_variable(s, n->subscript.indices.items[0])) ||
               finds(s, n->subscript.value) || finds_in(s, &n->subscript.indices);
    case AST_SELECT:
        return finds(s, n->select.value);
    case AST_APPLY:
        return finds(s, n->apply.callee) || finds_in(s, &n->apply.inputs) || finds_in(s, &n->apply.attributes);
    case AST_ATTRIBUTE:
        return finds(s, n->attribute.value);
    case AST_TERNARY:
        return finds(s, n->ternary.condition) || finds(s, n->ternary.if_true) || finds(s, n->ternary.if_false);
    case AST_TUPLE:
    case AST_LIST:
        return finds_in(s, &n->sequence);
    case AST_NEG:
    case AST_NOT:
        return finds(s, n->operand);
    default:
        return n->kind >= AST_ADD && n->kind <= AST_OR && (finds(s, n->binary.left) || finds(s, n->binary.right));
    }
}

/* Whether a container is indexed by the loop's variable somewhere in n. */
static bool finds(const search *s, const ast_node *n) {
    stack_check();
    switch (n->kind) {
    case AST_EXPR_STMT:
    case AST_RETURN:
        return finds(s, n->operand);
    case AST_ASSIGN:
        return n->assign.value && finds(s, n->assign.value);
    case AST_AUG_ASSIGN:
        return finds(s, n->aug_assign.value);
    case AST_IF:
        return finds(s, n->branch.condition) || finds_in(s, &n->branch.if_true) || finds_in(s, &n->branch.if_false);
    case AST_FOR:
        return finds(s, n->loop.iterable) || finds_in(s, &n->loop.body);
    case AST_WHILE:
        return finds(s, n->loop.condition) || finds_in(s, &n->loop.body);
    default:
        return finds_in_expression(s, n);
    }
}

static bool known_bounds(const sugared *range, int64_t bounds[3]) {
    for (size_t i = 0; i < arrlenu(range->items); i++)
        if (!module_known_integer(range->items[i].value, &bounds[i]))
            return false;
    if (range->counts)
        bounds[1] = bounds[0];
    bounds[0] = range->counts ? 0 : bounds[0];
    bounds[2] = range->counts ? 1 : bounds[2];
    return bounds[2] != 0;
}

void module_unroll(emitter *e, const ast_node *loop, sugared *iterable) {
    const class_def *c = e->is_python && e->function ? e->function->owner : NULL;
    int64_t bounds[3] = {0};
    bool is_candidate = c && c->module && iterable->kind == SUGAR_RANGE && loop->loop.target->kind == AST_VAR;
    if (!is_candidate || !known_bounds(iterable, bounds))
        return;
    search s = {c, e->function->schema->arguments[0].name, loop->loop.target->name};
    if (!finds_in(&s, &loop->loop.body))
        return;
    sugared tuple = sugar_named(SUGAR_TUPLE, NULL);
    for (int64_t i = bounds[0]; bounds[2] > 0 ? i < bounds[1] : i > bounds[1]; i += bounds[2])
        arrput(tuple.items, sugar_value(emit_int(e, i, loop->loop.iterable->range)));
    *iterable = tuple;
}
