/* Graphs, blocks, nodes and values: making, moving, copying and removing them. */
#include "exporter/ir/ir.h"

#include <string.h>

#include "exporter/base/diag.h"
#include "exporter/base/registry.h"
#include "exporter/ir/function_schema.h"

/* ---- Kinds ---- */

static const char *const known_kind_names[] = {
#define IR_KIND(NAME, text) text,
#include "exporter/ir/kinds.def"
#undef IR_KIND
};

/* A kind is a number here; those of kinds.def come first. */
static const registry kinds = {"kinds of nodes"};

static void register_known_kinds(void) {
    for (size_t i = registry_count(&kinds); i < IR_KNOWN_KINDS; i++)
        registry_enter(&kinds, intern(known_kind_names[i]), NULL);
}

ir_kind ir_kind_of(const char *name) {
    register_known_kinds();
    ptrdiff_t at = registry_find(&kinds, name);
    return (ir_kind)(at >= 0 ? (size_t)at : registry_enter(&kinds, intern(name), NULL));
}

const char *ir_kind_name(ir_kind kind) {
    register_known_kinds();
    return registry_key(&kinds, kind);
}

/* ---- Making ---- */

static ir_value *new_value(ir_node *n, uint32_t offset, const type *t) {
    ir_value *v = MEM_NEW(ir_value);
    v->node = n;
    v->offset = offset;
    v->id = n->graph->next_id++;
    v->type = t;
    return v;
}

/* Positions tell the order of a block's nodes without walking its list. A node that is inserted takes one between those
 * of its neighbours; where there is none, the block is numbered anew when the order is asked for next. */
enum { POSITION_GAP_BITS = 32 };

static void number_nodes(ir_block *b) {
    uint64_t position = 0;
    for (ir_node *n = b->param; n; n = n->next)
        n->position = position++ << POSITION_GAP_BITS;
    b->is_numbered = true;
}

static void take_position(ir_node *n) {
    uint64_t gap = n->next->position - n->previous->position;
    /* Nodes mostly come one behind the other, so more of the gap is left behind a node than before it. */
    n->position = n->previous->position + (gap >> 3 ? gap >> 3 : gap >> 1);
    n->block->is_numbered &= n->position != n->previous->position;
}

static ir_block *new_block(ir_graph *g, ir_node *owner) {
    ir_block *b = MEM_NEW(ir_block);
    b->graph = g;
    b->owner = owner;
    b->param = ir_node_new(g, IR_PARAM, 0);
    b->result = ir_node_new(g, IR_RETURN, 0);
    b->param->block = b->result->block = b;
    b->param->next = b->result;
    b->result->previous = b->param;
    number_nodes(b);
    return b;
}

ir_graph *ir_graph_new(const char *name) {
    ir_graph *g = MEM_NEW(ir_graph);
    g->name = name;
    g->block = new_block(g, NULL);
    return g;
}

const char *ir_value_annotation(const ir_value *v) {
    return v->is_inferred && v->type->kind == TYPE_TENSOR ? "Tensor (inferred)" : type_annotation(v->type);
}

ir_value *ir_graph_add_input(ir_graph *g, const char *name, const type *t) {
    return ir_block_add_param(g->block, name, t);
}

ir_node *ir_node_new(ir_graph *g, ir_kind kind, uint32_t outputs) {
    ir_node *n = MEM_NEW(ir_node);
    n->kind = kind;
    n->graph = g;
    for (uint32_t i = 0; i < outputs; i++)
        ir_node_add_output(n, type_basic(TYPE_TENSOR));
    return n;
}

ir_value *ir_node_add_output(ir_node *n, const type *t) {
    ir_value *v = new_value(n, ir_output_count(n), t);
    arrput(n->outputs, v);
    return v;
}

void ir_node_remove_output(ir_node *n, uint32_t i) {
    n->graph->edits++;
    if (ir_use_count(n->outputs[i]))
        diag_internal("output %u of %s is removed while it is used", i, ir_kind_name(n->kind));
    arrdel(n->outputs, i);
    for (uint32_t k = i; k < ir_output_count(n); k++)
        n->outputs[k]->offset = k;
}

ir_block *ir_node_add_block(ir_node *n) {
    ir_block *b = new_block(n->graph, n);
    arrput(n->blocks, b);
    return b;
}

ir_value *ir_block_add_param(ir_block *b, const char *name, const type *t) {
    ir_value *v = ir_node_add_output(b->param, t);
    v->name = name;
    return v;
}

void ir_block_remove_param(ir_block *b, uint32_t i) {
    ir_node_remove_output(b->param, i);
}

void ir_block_add_result(ir_block *b, ir_value *v) {
    ir_node_add_input(b->result, v);
}

void ir_node_set_operator(ir_node *n, const op_schema *s) {
    n->graph->edits++;
    n->schema = s;
    n->kind = s->kind;
}

/* ---- Uses ---- */

static void add_use(ir_value *v, ir_node *user, uint32_t index) {
    ir_use u = {user, index};
    user->graph->edits++;
    arrput(v->uses, u);
}

static void drop_use(ir_value *v, const ir_node *user, uint32_t index) {
    user->graph->edits++;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (v->uses[i].user == user && v->uses[i].index == index) {
            arrdel(v->uses, i); /* keeps the order: passes and printers walk uses in program order of their making */
            return;
        }
    diag_internal("a use of %%%u by %s is not on its list", v->id, ir_kind_name(user->kind));
}

static void renumber_uses(ir_node *n, uint32_t from, int by) {
    for (uint32_t i = from; i < ir_input_count(n); i++) {
        ir_value *v = n->inputs[i];
        for (size_t k = 0; k < arrlenu(v->uses); k++)
            if (v->uses[k].user == n && v->uses[k].index == (uint32_t)((int)i - by)) {
                v->uses[k].index = i;
                break;
            }
    }
}

void ir_node_add_input(ir_node *n, ir_value *v) {
    add_use(v, n, ir_input_count(n));
    arrput(n->inputs, v);
}

void ir_node_insert_input(ir_node *n, uint32_t i, ir_value *v) {
    arrins(n->inputs, i, v);
    /* From the end, so that no two uses of one value get the same index on the way. */
    for (uint32_t k = ir_input_count(n) - 1; k > i; k--) {
        ir_value *moved = n->inputs[k];
        for (size_t u = 0; u < arrlenu(moved->uses); u++)
            if (moved->uses[u].user == n && moved->uses[u].index == k - 1) {
                moved->uses[u].index = k;
                break;
            }
    }
    add_use(v, n, i);
}

void ir_node_set_input(ir_node *n, uint32_t i, ir_value *v) {
    if (n->inputs[i] == v)
        return;
    drop_use(n->inputs[i], n, i);
    n->inputs[i] = v;
    add_use(v, n, i);
}

void ir_node_remove_input(ir_node *n, uint32_t i) {
    drop_use(n->inputs[i], n, i);
    arrdel(n->inputs, i);
    renumber_uses(n, i, -1);
}

void ir_replace_uses(ir_value *from, ir_value *to) {
    if (from == to || !ir_use_count(from))
        return;
    from->node->graph->edits++;
    for (size_t i = 0; i < arrlenu(from->uses); i++) {
        ir_use u = from->uses[i];
        u.user->inputs[u.index] = to;
        arrput(to->uses, u);
    }
    arrsetlen(from->uses, 0);
}

/* ---- Placing ---- */

void ir_insert_before(ir_node *at, ir_node *n) {
    n->graph->edits++;
    n->block = at->block;
    n->previous = at->previous;
    n->next = at;
    at->previous->next = n;
    at->previous = n;
    take_position(n);
}

void ir_insert_after(ir_node *at, ir_node *n) {
    ir_insert_before(at->next, n);
}
void ir_append(ir_block *b, ir_node *n) {
    ir_insert_before(b->result, n);
}

void ir_unlink(ir_node *n) {
    n->graph->edits++;
    n->previous->next = n->next;
    n->next->previous = n->previous;
    n->previous = n->next = NULL;
    n->block = NULL;
}

void ir_move_before(ir_node *at, ir_node *n) {
    if (at == n || at->previous == n)
        return;
    ir_unlink(n);
    ir_insert_before(at, n);
}

static void drop_inputs(ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        drop_use(n->inputs[i], n, i);
    arrsetlen(n->inputs, 0);
}

void ir_destroy(ir_node *n) {
    stack_check();
    for (size_t i = 0; i < arrlenu(n->blocks); i++) {
        ir_block *b = n->blocks[i];
        drop_inputs(b->result);
        while (b->result->previous != b->param)
            ir_destroy(b->result->previous);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (ir_use_count(n->outputs[i]))
            diag_internal("%s is destroyed while its output %u is used", ir_kind_name(n->kind), i);
    drop_inputs(n);
    if (n->block)
        ir_unlink(n);
}

ir_node *ir_inline_branch(ir_node *n, bool condition) {
    ir_block *taken = n->blocks[condition ? 0 : 1];
    ir_node *before = n->previous;
    while (ir_first(taken) != taken->result)
        ir_move_before(n, ir_first(taken));
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        ir_replace_uses(ir_out(n, i), ir_in(taken->result, i));
    ir_destroy(n);
    return before->next;
}

static uint32_t block_depth(const ir_block *b) {
    uint32_t depth = 0;
    for (; b->owner; b = b->owner->block)
        depth++;
    return depth;
}

bool ir_is_before(const ir_node *a, const ir_node *b) {
    /* Lift b to a's block; then order within one list. */
    uint32_t da = block_depth(a->block), db = block_depth(b->block);
    if (db < da)
        return false;
    for (; db > da; db--)
        b = b->block->owner;
    if (a->block != b->block)
        return false;
    if (!a->block->is_numbered)
        number_nodes(a->block);
    return a->position < b->position;
}

/* ---- Constants in graphs ---- */

const ir_constant *ir_constant_of(const ir_value *v) {
    if (v->node->kind != IR_CONSTANT)
        return NULL;
    return v->node->constant ? v->node->constant : const_none();
}

bool ir_constant_int(const ir_value *v, int64_t *out) {
    const ir_constant *c = ir_constant_of(v);
    if (!c || c->kind != CONST_INT)
        return false;
    *out = c->integer;
    return true;
}

bool ir_constant_bool(const ir_value *v, bool *out) {
    const ir_constant *c = ir_constant_of(v);
    if (!c || c->kind != CONST_BOOL)
        return false;
    *out = c->boolean;
    return true;
}

ir_node *ir_constant_node(ir_graph *g, ir_constant *c) {
    ir_node *n = ir_node_new(g, IR_CONSTANT, 1);
    n->constant = c->kind == CONST_NONE ? NULL : c;
    n->outputs[0]->type = c->type;
    return n;
}

ir_value *ir_insert_constant(ir_node *at, ir_constant *c) {
    ir_node *n = ir_constant_node(at->graph, c);
    n->range = at->range;
    n->scope = at->scope;
    ir_insert_before(at, n);
    return n->outputs[0];
}

ir_value *ir_insert_cast(ir_node *at, ir_value *v, const type *t) {
    if (v->type == t)
        return v;
    ir_node *cast = ir_node_new(at->graph, IR_UNCHECKED_CAST, 1);
    cast->range = at->range;
    cast->scope = at->scope;
    ir_node_add_input(cast, v);
    ir_out(cast, 0)->type = t;
    ir_insert_before(at, cast);
    return ir_out(cast, 0);
}

ir_value *ir_insert_read(ir_node *at, ir_value *object, const char *attribute, const type *t) {
    ir_node *read = ir_node_new(at->graph, IR_GET_ATTR, 1);
    read->range = at->range;
    read->scope = at->scope;
    read->attribute = attribute;
    ir_node_add_input(read, object);
    ir_out(read, 0)->type = t;
    ir_insert_before(at, read);
    return ir_out(read, 0);
}

void ir_collect_nodes(const ir_block *b, ir_kind kind, ir_node ***nodes) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            ir_collect_nodes(n->blocks[i], kind, nodes);
        if (n->kind == kind)
            arrput(*nodes, n);
    }
}

/* ---- Copying ---- */

static ir_value *mapped(ir_value_map map, const ir_value *v) {
    ptrdiff_t at = hmgeti(map, v);
    if (at < 0)
        diag_internal("%%%u is not mapped while nodes are copied", v->id);
    return map[at].value;
}

static void copy_values(ir_value_map *map, ir_value *const *from, ir_value *const *to) {
    for (size_t i = 0; i < arrlenu(from); i++) {
        to[i]->type = from[i]->type;
        to[i]->name = from[i]->name;
        hmput(*map, from[i], to[i]);
    }
}

static ir_node *copy_node(const ir_node *n, ir_graph *g, ir_value_map *map) {
    ir_node *c = ir_node_new(g, n->kind, ir_output_count(n));
    c->schema = n->schema;
    c->constant = n->constant;
    c->attribute = n->attribute;
    c->type_operand = n->type_operand;
    c->begin = n->begin;
    c->end = n->end;
    c->callee = n->callee;
    c->range = n->range;
    c->scope = n->scope;
    for (size_t i = 0; i < arrlenu(n->types); i++)
        arrput(c->types, n->types[i]);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        ir_node_add_input(c, mapped(*map, n->inputs[i]));
    copy_values(map, n->outputs, c->outputs);
    for (size_t i = 0; i < arrlenu(n->blocks); i++) {
        const ir_block *from = n->blocks[i];
        ir_block *to = ir_node_add_block(c);
        for (uint32_t k = 0; k < ir_output_count(from->param); k++)
            ir_block_add_param(to, NULL, type_basic(TYPE_TENSOR));
        copy_values(map, from->param->outputs, to->param->outputs);
        ir_copy_nodes(from, to->result, map);
        for (uint32_t k = 0; k < ir_input_count(from->result); k++)
            ir_block_add_result(to, mapped(*map, from->result->inputs[k]));
    }
    return c;
}

source_range ir_authors_range(const ir_node *n) {
    source_range range = n->range;
    for (const ir_scope *s = n->scope; s && s->caller && range.file && range.file->is_library; s = s->caller)
        range = s->range;
    return range;
}

const char *ir_place_text(const ir_node *n) {
    const char *name = n->schema ? n->schema->full_name : ir_kind_name(n->kind);
    const source_range at = ir_authors_range(n);
    return at.file ? mem_printf("%s (%s, line %u)", name, at.file->name, source_line(at.file, at.start)) : name;
}

uint32_t ir_block_depth(const ir_block *b) {
    uint32_t depth = 0;
    for (; b->owner; b = b->owner->block)
        depth++;
    return depth;
}

uint32_t ir_count_nodes(const ir_block *b) {
    stack_check();
    uint32_t count = 0;
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        count++;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            count += ir_count_nodes(n->blocks[i]);
    }
    return count;
}

ir_node *ir_copy_node(const ir_node *n, ir_node *at, ir_value_map *map) {
    ir_node *c = copy_node(n, at->graph, map);
    ir_insert_before(at, c);
    return c;
}

void ir_copy_nodes(const ir_block *from, ir_node *at, ir_value_map *map) {
    stack_check();
    for (const ir_node *n = ir_first(from); n != from->result; n = n->next)
        ir_copy_node(n, at, map);
}

bool ir_is_inside(const ir_value *v, const ir_block *b) {
    for (const ir_block *at = v->node->block; at; at = at->owner ? at->owner->block : NULL)
        if (at == b)
            return true;
    return false;
}

static void map_outer_values(const ir_block *outermost, const ir_block *b, ir_value_map *map) {
    stack_check();
    for (const ir_node *n = ir_first(b);; n = n->next) {
        for (uint32_t i = 0; i < ir_input_count(n); i++)
            if (!ir_is_inside(ir_in(n, i), outermost))
                hmput(*map, ir_in(n, i), ir_in(n, i));
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            map_outer_values(outermost, n->blocks[i], map);
        if (n == b->result)
            return;
    }
}

void ir_copy_block_nodes(const ir_block *from, ir_node *at, ir_value_map *map) {
    map_outer_values(from, from, map);
    ir_copy_nodes(from, at, map);
}

bool ir_is_operator(const ir_node *n, const char *full_name) {
    return n->schema && !strcmp(n->schema->full_name, full_name);
}
