/* Numbers for items: types of containers are rewritten, tensors wrapped where they go in and unwrapped where they come
 * out. */
#include "exporter/passes/lower/number_items.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/container_classes.h"
#include "exporter/passes/lower/pairs.h"
#include "exporter/program/builtins.h"
#include "exporter/program/program_internal.h"

typedef struct {
    const ir_value *key;
    ir_value *value;
} * value_map;

struct numbered_items {
    program *program;
    const gradient_flow *flow;
    ir_value *gradients;
    value_map reads, names;
    struct {
        const ir_node *key;
        ir_value *value;
    } * stores;
    struct {
        const ir_value *key;
        bool value;
    } * containers;
};

/* ---- Questions ---- */

ir_value *numbered_gradients(const numbered_items *n) {
    return n->gradients;
}

ir_value *numbered_read(const numbered_items *n, const ir_value *v) {
    value_map reads = n ? n->reads : NULL; /* stb_ds's lookups write to the map's head */
    return hmget(reads, v);
}

ir_value *numbered_store(const numbered_items *n, const ir_node *node) {
    numbered_items *all = (numbered_items *)(uintptr_t)n;
    return all ? hmget(all->stores, node) : NULL;
}

bool numbered_holds(const numbered_items *n, const ir_value *v) {
    numbered_items *all = (numbered_items *)(uintptr_t)n;
    return all && hmgeti(all->containers, v) >= 0;
}

ir_value *numbered_name(const numbered_items *n, ir_value *v) {
    value_map names = n ? n->names : NULL;
    ir_value *other = hmget(names, v);
    return other ? other : v;
}

/* ---- Building ---- */

static ir_value *insert_call(const numbered_items *n, ir_node *at, const char *name, ir_value *const *inputs,
                             uint32_t count) {
    return function_insert_call(at, builtin_derivative(n->program, name, NULL), inputs, count);
}

enum { NO_NUMBER = -1 };

/* The next number, for v; of what has no gradient -1. */
static ir_value *insert_number(numbered_items *n, ir_node *at, const char *maker, ir_value *v) {
    if (!flow_depends(n->flow, v) && !numbered_read(n, v)) /* the flow was found before reads had names */
        return ir_insert_constant(at, const_int(NO_NUMBER));
    ir_value *number = insert_call(n, at, maker, (ir_value *[]){n->gradients, v}, v->type->kind == TYPE_LIST ? 2 : 1);
    hmput(n->stores, number->node, v);
    return number;
}

/* Input i of a node that stores tensors. */
static void wrap(numbered_items *n, ir_node *node, uint32_t i) {
    ir_value *v = ir_in(node, i);
    if (v->type->kind == TYPE_NONE)
        return;
    ir_value *number = insert_number(n, node, "next_number", v);
    if (v->type->kind == TYPE_OPTIONAL) {
        ir_node_set_input(node, i, insert_call(n, node, "numbered", (ir_value *[]){v, number}, 2));
        return;
    }
    ir_node_set_input(node, i, pair_insert(node, v, number));
}

/* Output i of a node that takes tensors out: what used it uses the tensor. */
static void unwrap(numbered_items *n, ir_node *node, uint32_t i) {
    ir_value *v = ir_out(node, i), *pair = v;
    const bool may_be_none = v->type->kind == TYPE_OPTIONAL;
    ir_node *at = node->next;
    v->type = pair_type(v->type);
    if (may_be_none)
        pair = insert_call(n, at, "unnumbered", &v, 1);
    const ir_node *unpack = pair_insert_unpack(at, pair);
    pair_replace_uses(v, ir_out(unpack, 0), may_be_none ? pair->node : unpack);
    hmput(n->reads, ir_out(unpack, 0), ir_out(unpack, 1));
    hmput(n->names, v, ir_out(unpack, 0));
}

/* A list that an operator made. */
static void wrap_list(numbered_items *n, ir_value *list) {
    ir_node *at = list->node->next;
    ir_value *first = insert_number(n, at, "next_numbers", list);
    ir_value *wrapped = insert_call(n, at, "numbered_list", (ir_value *[]){list, first}, 2);
    for (size_t i = arrlenu(list->uses); i-- > 0;) {
        const ir_use u = list->uses[i];
        if (u.user != first->node && u.user != wrapped->node)
            ir_node_set_input(u.user, u.index, wrapped);
    }
    hmput(n->containers, wrapped, true);
}

/* A list that an operator reads, or that the function returns. */
static void unwrap_list(numbered_items *n, ir_node *node, uint32_t i) {
    ir_value *list = ir_in(node, i);
    ir_node *unpack = pair_insert_unpack(node, insert_call(n, node, "unnumbered_list", &list, 1));
    ir_node_set_input(node, i, ir_out(unpack, 0));
    hmput(n->reads, ir_out(unpack, 0), ir_out(unpack, 1));
}

/* ---- Rewriting ---- */

static bool is_own_operator(const ir_node *n) {
    return n->schema && n->kind != IR_LEN && n->kind != IR_IS && n->kind != IR_IS_NOT && n->kind != IR_UNWRAP_OPTIONAL;
}

static bool is_generic_operator(const ir_node *n) {
    for (uint32_t i = 0; n->schema && i < n->schema->argument_count; i++)
        for (const type *t = n->schema->arguments[i].type; t; t = t->count ? t->items[t->count - 1] : NULL)
            if (t->kind == TYPE_VAR)
                return true;
    return false;
}

static bool touches(const numbered_items *n, const ir_node *node) {
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        if (numbered_holds(n, ir_in(node, i)))
            return true;
    for (uint32_t i = 0; i < ir_output_count(node); i++)
        if (numbered_holds(n, ir_out(node, i)))
            return true;
    return false;
}

static void collect_touching(const numbered_items *n, const ir_block *b, ir_node ***nodes) {
    stack_check();
    for (ir_node *node = ir_first(b);; node = node->next) {
        if (touches(n, node))
            arrput(*nodes, node);
        for (size_t i = 0; i < arrlenu(node->blocks); i++)
            collect_touching(n, node->blocks[i], nodes);
        if (node == b->result)
            return;
    }
}

/* What an operator of its own reads and makes stays a list of tensors. */
static void rewrite_plain(numbered_items *n, ir_node *node) {
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        if (numbered_holds(n, ir_in(node, i)))
            unwrap_list(n, node, i);
    for (uint32_t i = 0; i < ir_output_count(node); i++)
        if (numbered_holds(n, ir_out(node, i))) {
            hmdel(n->containers, ir_out(node, i));
            wrap_list(n, ir_out(node, i));
        }
}

static void rewrite(numbered_items *n, ir_node *node) {
    const bool is_return = node == node->graph->block->result;
    if (is_return || (is_own_operator(node) && !is_generic_operator(node))) {
        rewrite_plain(n, node);
        return;
    }
    for (uint32_t i = 0; i < ir_input_count(node); i++)
        if (container_item_input(node, i))
            wrap(n, node, i);
    for (uint32_t i = 0; i < ir_output_count(node); i++) {
        ir_value *v = ir_out(node, i);
        if (container_item_output(node, i)) {
            unwrap(n, node, i);
        } else if (numbered_holds(n, v)) {
            v->type = pair_type(v->type);
            if (node->kind == IR_LIST_CONSTRUCT && node->type_operand)
                node->type_operand = v->type;
        }
    }
}

/* ---- Which ---- */

static bool depends(const gradient_flow *f, ir_value *const *members) {
    for (size_t i = 0; i < arrlenu(members); i++)
        if (flow_depends(f, members[i]))
            return true;
    return false;
}

/* Whether what the request derives depends on anything in the containers. */
static bool reaches(const gradient_flow *flow, ir_value *const *members, ir_value *const *outputs) {
    gradient_flow *f = flow_like(flow);
    for (size_t i = 0; i < arrlenu(members); i++)
        flow_mark(f, members[i]);
    return depends(f, outputs);
}

static void add_containers(numbered_items *n, ir_graph *g, const ir_node *request, ir_value *const *outputs) {
    container_classes *c = container_classes_new(g);
    struct {
        const ir_value *key;
        bool value;
    } *seen = NULL;
    ir_value **all = container_class_all(c);
    for (size_t i = 0; i < arrlenu(all); i++) {
        const ir_value *class = container_class(c, all[i]);
        if (hmgeti(seen, class) >= 0)
            continue;
        hmput(seen, class, true);
        ir_value **members = container_class_members(c, class);
        if (!depends(n->flow, members) || container_class_is_plain(c, class, request, outputs, n->flow) ||
            !container_class_is_closed(c, class) || !reaches(n->flow, members, outputs))
            continue;
        for (size_t k = 0; k < arrlenu(members); k++)
            hmput(n->containers, members[k], true);
    }
}

static bool is_within(const ir_node *n, const ir_block *block) {
    for (const ir_block *b = n->block; b; b = b->owner ? b->owner->block : NULL)
        if (b == block)
            return true;
    return false;
}

/* The innermost block that has the request and all of the nodes in it. */
static ir_block *common_block(const ir_node *request, ir_node *const *nodes) {
    ir_block *b = request->block;
    for (size_t i = 0; i < arrlenu(nodes); i++)
        while (!is_within(nodes[i], b))
            b = b->owner->block;
    return b;
}

/* A container from outside of a loop that the request stands in, with something in it from an earlier turn. */
static void check_turns(const numbered_items *n, const ir_node *request, const ir_block *common) {
    for (const ir_block *b = request->block; b->owner; b = b->owner->block) {
        if (b->owner->kind != IR_LOOP)
            continue;
        bool outlives = b != common && !is_within(common->param, b);
        for (ptrdiff_t i = 0; i < hmlen(n->containers); i++)
            outlives |= n->containers[i].key->node == b->param && flow_depends(n->flow, n->containers[i].key);
        for (ptrdiff_t i = 0; outlives && i < hmlen(n->stores); i++)
            if (is_within(n->stores[i].key, b))
                source_fail(ir_authors_range(n->stores[i].key),
                            "gradients do not pass through containers from one turn to the next of a loop that "
                            "asks for gradients");
    }
}

static ir_value *insert_gradients(ir_block *b, const ir_node *like) {
    ir_node *list = ir_node_new(b->graph, IR_LIST_CONSTRUCT, 1);
    list->range = like->range;
    list->scope = like->scope;
    ir_out(list, 0)->type = type_list(type_basic(TYPE_TENSOR));
    ir_insert_before(ir_first(b), list);
    return ir_out(list, 0);
}

numbered_items *number_items(program *p, const ir_node *request, ir_value *const *outputs, const gradient_flow *f) {
    numbered_items *n = MEM_NEW(numbered_items);
    n->program = p;
    n->flow = f;
    add_containers(n, request->graph, request, outputs);
    if (!hmlen(n->containers))
        return NULL;
    ir_node **nodes = NULL;
    collect_touching(n, request->graph->block, &nodes);
    ir_block *common = common_block(request, nodes);
    n->gradients = insert_gradients(common, request);
    for (size_t i = 0; i < arrlenu(nodes); i++)
        rewrite(n, nodes[i]);
    for (ptrdiff_t i = 0; i < hmlen(n->containers); i++) {
        ir_value *v = (ir_value *)(uintptr_t)n->containers[i].key;
        if (v->node == v->node->block->param)
            v->type = pair_type(v->type);
    }
    check_turns(n, request, common);
    return n;
}
