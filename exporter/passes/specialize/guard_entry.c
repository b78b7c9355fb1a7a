/* The guard: comparisons of arguments, a copy of the code behind it, and the general code beside it. */
#include "exporter/passes/specialize/guard_entry.h"

#include "exporter/passes/analysis/guarded_branch.h"
#include "exporter/program/program.h"

typedef struct {
    ir_node *check;
    ir_node *at;        /* new nodes of the entry stand before this one */
    ir_block *inside;   /* the specialized block */
    ir_value_map stand; /* what stands inside for a value of the general code */
    shape_map *given;
    int refused; /* flags that decide in the code: tensors do not have them inside */
} guard;

static void add_check(guard *g, ir_value *v, ir_constant *expected) {
    ir_node_add_input(g->check, v);
    ir_node_add_input(g->check, ir_insert_constant(g->at, expected));
}

static void stands_for(guard *g, const ir_value *v, ir_value *inside) {
    hmput(g->stand, v, inside);
}

/* A tensor's type, flags and sizes as prim::TypeCheck takes them; NULL when they cannot be written so. */
static ir_constant *tensor_type(const shape *s) {
    ir_constant *c = const_new(CONST_LIST, type_list(type_basic(TYPE_INT)));
    c->list.items = MEM_ARRAY(ir_constant *, s->dims + TYPE_CHECK_SIZES);
    c->list.items[c->list.count++] = const_int(s->dtype);
    c->list.items[c->list.count++] = const_int(s->without);
    for (int d = 0; d < s->dims; d++) {
        if (s->sizes[d] > UINT32_MAX)
            return NULL;
        c->list.items[c->list.count++] = const_int(s->sizes[d]);
    }
    return c;
}

/* What the guard compares a tensor with; NULL: it does not compare it. */
static ir_constant *guarded_type(const ir_constant *example, int refused) {
    const shape *s = shape_of_similar(example, refused);
    return s ? tensor_type(s) : NULL;
}

static void guard_tensor(guard *g, ir_value *v, const ir_constant *example) {
    ir_constant *expected = guarded_type(example, g->refused);
    if (!expected)
        return;
    add_check(g, v, expected);
    ir_value *inside = v;
    if (v->type->kind != TYPE_TENSOR) { /* an Optional one is a tensor in there */
        ir_node *cast = ir_node_new(g->check->graph, IR_UNCHECKED_CAST, 1);
        ir_node_add_input(cast, v);
        ir_append(g->inside, cast);
        inside = ir_out(cast, 0);
        stands_for(g, v, inside);
    }
    hmput(*g->given, inside, shape_of_similar(example, g->refused));
}

static void guard_value(guard *g, ir_value *v, ir_constant *example);

static void guard_tuple(guard *g, ir_value *v, const ir_constant *example) {
    ir_node *unpacking = ir_node_new(g->check->graph, IR_TUPLE_UNPACK, v->type->count);
    ir_node_add_input(unpacking, v);
    ir_insert_before(g->at, unpacking);
    for (uint32_t i = 0; i < v->type->count; i++) {
        ir_out(unpacking, i)->type = v->type->items[i];
        guard_value(g, ir_out(unpacking, i), example->list.items[i]);
    }
    shape *s = MEM_NEW(shape);
    s->kind = SHAPE_SEQUENCE;
    for (uint32_t i = 0; i < v->type->count; i++)
        arrput(s->items, hmget(*g->given, ir_out(unpacking, i)));
    hmput(*g->given, v, s);
}

static void guard_value(guard *g, ir_value *v, ir_constant *example) {
    stack_check();
    bool is_optional = v->type->kind == TYPE_OPTIONAL;
    const type *t = is_optional ? v->type->items[0] : v->type;
    if (example->kind == CONST_TENSOR && t->kind == TYPE_TENSOR) {
        guard_tensor(g, v, example);
    } else if ((example->kind == CONST_NONE && is_optional) ||
               (example->kind == CONST_BOOL && v->type->kind == TYPE_BOOL)) {
        add_check(g, v, example);
        ir_node *constant = ir_constant_node(g->check->graph, example);
        ir_append(g->inside, constant);
        stands_for(g, v, ir_out(constant, 0));
    } else if (example->kind == CONST_TUPLE && v->type->kind == TYPE_TUPLE && example->list.count == v->type->count) {
        guard_tuple(g, v, example);
    }
}

/* What is known of the originals is known of the copies. */
static void see_copies(example *e, ir_value_map map) {
    for (size_t i = 0; i < hmlenu(map); i++)
        shape_copy(&e->seen, map[i].key, map[i].value);
}

/* Block results that are not there yet. */
static void add_placeholders(ir_block *b, const ir_block *like) {
    for (uint32_t i = 0; i < ir_input_count(like->result); i++) {
        ir_node *n = ir_node_new(b->graph, IR_UNINITIALIZED, 1);
        ir_out(n, 0)->type = ir_in(like->result, i)->type;
        ir_append(b, n);
        ir_block_add_result(b, ir_out(n, 0));
    }
}

/* Whether what is compared with `wanted` may be `got`, which has at most the flags that it is not said to be without.
 */
static bool admits_type(const ir_constant *wanted, const ir_constant *got) {
    if (!got || wanted->list.count != got->list.count)
        return false;
    for (uint32_t i = 0; i < wanted->list.count; i++) {
        const int64_t w = wanted->list.items[i]->integer, have = got->list.items[i]->integer;
        if (i == TYPE_CHECK_FLAGS ? (w & ~have) != 0 : w != have)
            return false;
    }
    return true;
}

/* Whether the guard of an argument like `a` admits b, of the same type: what it does not compare it admits. */
static bool guard_admits(const type *t, const ir_constant *a, const ir_constant *b, int refused) {
    stack_check();
    if (a->kind == CONST_TENSOR && type_without_none(t)->kind == TYPE_TENSOR) {
        const ir_constant *wanted = guarded_type(a, refused);
        return !wanted || (b->kind == CONST_TENSOR && admits_type(wanted, guarded_type(b, refused)));
    }
    if (a->kind == CONST_NONE && t->kind == TYPE_OPTIONAL)
        return b->kind == CONST_NONE;
    if (a->kind == CONST_BOOL && t->kind == TYPE_BOOL)
        return a->boolean == b->boolean;
    if (a->kind != CONST_TUPLE || t->kind != TYPE_TUPLE)
        return true;
    for (uint32_t i = 0; i < t->count; i++)
        if (!guard_admits(t->items[i], a->list.items[i], b->list.items[i], refused))
            return false;
    return true;
}

bool example_admits(const example *earlier, const example *later) {
    const ir_block *body = function_graph(earlier->entry)->block;
    const uint32_t self = earlier->entry->owner ? 1 : 0;
    const int refused = shapes_asked_flags(body);
    bool admits = earlier->entry == later->entry;
    for (uint32_t i = self; admits && i < ir_output_count(body->param); i++)
        if (i - self < arrlenu(earlier->arguments) && i - self < arrlenu(later->arguments))
            admits = guard_admits(body->param->outputs[i]->type, earlier->arguments[i - self],
                                  later->arguments[i - self], refused);
    return admits;
}

static void guard_arguments(guard *g, const example *e) {
    const ir_block *body = g->check->graph->block;
    uint32_t self = e->entry->owner ? 1 : 0;
    for (uint32_t i = self; i < ir_output_count(body->param); i++)
        if (i - self < arrlenu(e->arguments))
            guard_value(g, body->param->outputs[i], e->arguments[i - self]);
}

/* The block of the general code: behind the guards of other examples. */
static ir_block *general_block(const ir_graph *graph) {
    ir_block *b = graph->block;
    while (is_guarded_branch(b->result->previous))
        b = b->result->previous->blocks[1];
    return b;
}

guarded_entry guard_entry(example *e, shape_map *given) {
    ir_graph *graph = function_graph(e->entry);
    const ir_node *entry = graph->block->param;
    ir_block *body = general_block(graph);
    ir_node *check = ir_node_new(graph, IR_TYPE_CHECK, 1), *branch = ir_node_new(graph, IR_IF, 0);
    guarded_entry made = {.inside = ir_node_add_block(branch), .outside = ir_node_add_block(branch)};
    made.holder = ir_node_new(graph, IR_IF, 0);
    ir_block *general = ir_node_add_block(made.holder);
    guard g = {check, body->result, made.inside, NULL, given, shapes_asked_flags(body)};
    ir_out(check, 0)->type = type_basic(TYPE_BOOL);
    check->range = branch->range = ir_first(body)->range;
    while (ir_first(body) != body->result)
        ir_move_before(general->result, ir_first(body));
    guard_arguments(&g, e);
    ir_append(body, check);
    ir_node_add_input(branch, ir_out(check, 0));
    ir_append(body, branch);

    for (uint32_t i = 0; i < ir_output_count(entry); i++)
        if (hmgeti(g.stand, entry->outputs[i]) < 0)
            hmput(g.stand, entry->outputs[i], entry->outputs[i]);
    ir_copy_nodes(general, made.inside->result, &g.stand);
    for (uint32_t i = 0; i < ir_input_count(body->result); i++) {
        ir_value *result = ir_in(body->result, i);
        ir_block_add_result(general, result);
        ir_block_add_result(made.inside, hmget(g.stand, result));
        ir_node_set_input(body->result, i, ir_node_add_output(branch, result->type));
    }
    add_placeholders(made.outside, general);
    see_copies(e, g.stand);
    return made;
}

void guard_entry_finish(guarded_entry g) {
    ir_block *general = g.holder->blocks[0];
    ir_node *first = ir_first(g.outside); /* the placeholders */
    while (ir_first(general) != general->result)
        ir_move_before(first, ir_first(general));
    for (uint32_t i = 0; i < ir_input_count(general->result); i++)
        ir_node_set_input(g.outside->result, i, ir_in(general->result, i));
    while (ir_input_count(general->result))
        ir_node_remove_input(general->result, ir_input_count(general->result) - 1);
    while (first != g.outside->result) {
        ir_node *next = first->next;
        ir_destroy(first);
        first = next;
    }
}

void guard_entry_hide(guarded_entry g) {
    ir_block *general = g.holder->blocks[0];
    while (ir_first(g.outside) != g.outside->result)
        ir_move_before(general->result, ir_first(g.outside));
    for (uint32_t i = 0; i < ir_input_count(g.outside->result); i++)
        ir_block_add_result(general, ir_in(g.outside->result, i));
    while (ir_input_count(g.outside->result))
        ir_node_remove_input(g.outside->result, ir_input_count(g.outside->result) - 1);
    add_placeholders(g.outside, general);
}
