/* Classes of containers of a graph, and what is done with them. */
#include "exporter/passes/analysis/container_classes.h"

#include "exporter/base/limits.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/value_classes.h"
#include "exporter/schema/schema.h"

struct container_classes {
    value_classes *classes;
    ir_value **all; /* every container, in the order of the program */
    struct {
        const ir_value *key;
        bool value;
    } * open; /* containers with a use or an origin that nothing is known of */
};

/* ---- Types ---- */

bool type_has_tensors(const type *t) {
    stack_check();
    if (t->kind == TYPE_TENSOR)
        return true;
    for (uint32_t i = 0; i < t->count && t->kind != TYPE_CLASS; i++)
        if (type_has_tensors(t->items[i]))
            return true;
    return false;
}

static bool is_container(const type *t) {
    t = type_without_none(t);
    return t->kind == TYPE_LIST || t->kind == TYPE_DICT || t->kind == TYPE_TUPLE;
}

/* Whether v is a list, dict or tuple, or None in the place of one, with tensors in it. */
static bool holds_tensors(const ir_value *v) {
    return is_container(v->type) && type_has_tensors(v->type);
}

/* Whether it is None or a tensor, or may be either. */
static bool is_tensor_item(const type *t) {
    return type_without_none(t)->kind == TYPE_TENSOR;
}

/* Types all of whose tensors can be given numbers. */
static bool is_simple(const type *t) {
    stack_check();
    switch (t->kind) {
    case TYPE_TENSOR:
        return true;
    case TYPE_DICT:
        return t->items[0]->kind != TYPE_TENSOR && is_simple(t->items[1]);
    case TYPE_LIST:
    case TYPE_TUPLE:
    case TYPE_OPTIONAL:
        for (uint32_t i = 0; i < t->count; i++)
            if (!is_simple(t->items[i]))
                return false;
        return true;
    default:
        return type_is_immutable(t);
    }
}

static bool is_construction(ir_kind k) {
    return k == IR_LIST_CONSTRUCT || k == IR_TUPLE_CONSTRUCT || k == IR_DICT_CONSTRUCT;
}

static bool takes_apart(ir_kind k) {
    return k == IR_LIST_UNPACK || k == IR_TUPLE_UNPACK || k == IR_TUPLE_INDEX;
}

bool container_item_input(const ir_node *n, uint32_t input) {
    if (!is_tensor_item(ir_in(n, input)->type))
        return false;
    if (is_construction(n->kind))
        return n->kind != IR_DICT_CONSTRUCT || input % 2 == 1;
    return n->schema && input < n->schema->argument_count && type_has_variables(n->schema->arguments[input].type);
}

bool container_item_output(const ir_node *n, uint32_t output) {
    if (!is_tensor_item(ir_out(n, output)->type))
        return false;
    return takes_apart(n->kind) ||
           (n->schema && output < n->schema->return_count && type_has_variables(n->schema->returns[output].type));
}

/* ---- Classes ---- */

static void open_all(container_classes *c, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n) + ir_output_count(n); i++) {
        const ir_value *v = i < ir_input_count(n) ? ir_in(n, i) : ir_out(n, i - ir_input_count(n));
        if (holds_tensors(v))
            hmput(c->open, v, true);
    }
}

static bool is_list_of_tensors(const type *t) {
    return t->kind == TYPE_LIST && type_element(t)->kind == TYPE_TENSOR;
}

/* Operators whose lists are lists of tensors: they read them, or give new ones. */
static void visit_operator(container_classes *c, const ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++) {
        const ir_value *v = ir_in(n, i);
        const bool is_read = n->kind == IR_IS || n->kind == IR_IS_NOT || n->kind == IR_LEN ||
                             (is_list_of_tensors(v->type) && !operator_writes(n, i) && !operator_stores(n, i));
        if (holds_tensors(v) && !is_read)
            hmput(c->open, v, true);
    }
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (holds_tensors(ir_out(n, i)) && !is_list_of_tensors(ir_out(n, i)->type))
            hmput(c->open, ir_out(n, i), true);
}

static void visit_block(container_classes *c, const ir_block *b);

static void visit_node(container_classes *c, const ir_node *n) {
    for (size_t k = 0; k < arrlenu(n->blocks); k++)
        visit_block(c, n->blocks[k]);
    if (n->kind == IR_IF || n->kind == IR_LOOP) {
        value_classes_join_blocks(c->classes, n);
    } else if (is_construction(n->kind) || takes_apart(n->kind) || n->kind == IR_UNCHECKED_CAST ||
               n->kind == IR_UNWRAP_OPTIONAL || n->kind == IR_TUPLE_SLICE || flow_is_container_operator(n->schema)) {
        value_classes_join_all(c->classes, n);
    } else if (n->schema) {
        visit_operator(c, n);
    } else if (n->kind == IR_CONSTANT ? ir_constant_of(ir_out(n, 0))->kind != CONST_NONE
                                      : n->kind != IR_UNINITIALIZED) {
        open_all(c, n);
    }
}

static void add_values(container_classes *c, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (holds_tensors(ir_out(n, i)))
            arrput(c->all, ir_out(n, i));
}

static void visit_block(container_classes *c, const ir_block *b) {
    stack_check();
    add_values(c, b->param);
    for (const ir_node *n = ir_first(b); n != b->result; n = n->next) {
        add_values(c, n);
        visit_node(c, n);
    }
}

container_classes *container_classes_new(ir_graph *g) {
    container_classes *c = MEM_NEW(container_classes);
    c->classes = value_classes_new(holds_tensors);
    visit_block(c, g->block);
    open_all(c, g->block->param);
    for (uint32_t i = 0; i < ir_input_count(g->block->result); i++)
        if (holds_tensors(ir_in(g->block->result, i)) && !is_list_of_tensors(ir_in(g->block->result, i)->type))
            hmput(c->open, ir_in(g->block->result, i), true);
    return c;
}

ir_value **container_class_all(const container_classes *c) {
    return c->all;
}

const ir_value *container_class(container_classes *c, const ir_value *v) {
    return value_class(c->classes, v);
}

ir_value **container_class_members(container_classes *c, const ir_value *class) {
    ir_value **members = NULL;
    for (size_t i = 0; i < arrlenu(c->all); i++)
        if (value_class(c->classes, c->all[i]) == class)
            arrput(members, c->all[i]);
    return members;
}

bool container_class_is_closed(container_classes *c, const ir_value *class) {
    for (size_t i = 0; i < arrlenu(c->all); i++)
        if (value_class(c->classes, c->all[i]) == class &&
            (hmgeti(c->open, c->all[i]) >= 0 || !is_simple(c->all[i]->type)))
            return false;
    return true;
}

/* ---- What can be followed item by item ---- */

typedef struct {
    const ir_node *request;
    ir_value *const *outputs; /* that it derives, an stb_ds array */
    const gradient_flow *flow;
} asker;

/* Whether what the request derives depends on v. */
static bool reaches(const asker *a, ir_value *v) {
    gradient_flow *f = flow_like(a->flow);
    flow_mark(f, v);
    for (size_t i = 0; i < arrlenu(a->outputs); i++)
        if (flow_depends(f, a->outputs[i]))
            return true;
    return false;
}

static bool is_append(const ir_use *u) {
    return ir_is_operator(u->user, "aten::append.t") && u->index == 0;
}

/* Whether no gradient comes by this use: it is over after the request, or gives what the request does not derive. */
static bool gives_nothing(const asker *a, const ir_use *u) {
    const ir_node *n = u->user;
    if (n != n->block->result && ir_is_before(a->request, n))
        return true;
    if (!n->schema || n == a->request || operator_writes_any(n))
        return false;
    for (uint32_t i = 0; i < ir_output_count(n); i++) {
        ir_value *v = ir_out(n, i);
        if (flow_depends(a->flow, v) && (holds_tensors(v) || reaches(a, v)))
            return false;
    }
    return true;
}

/* A display whose appends all stand before what reads it, in whatever branches and loops. */
static bool only_grows(const asker *a, const ir_value *list) {
    const ir_node *display = list->node;
    const ir_node **appends = NULL;
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (is_append(&list->uses[i]))
            arrput(appends, list->uses[i].user);
    for (size_t i = 0; i < arrlenu(appends); i++)
        if (ir_use_count(ir_out(appends[i], 0)))
            return false;
    for (size_t i = 0; i < arrlenu(list->uses); i++) {
        const ir_use *u = &list->uses[i];
        if (is_append(u) || gives_nothing(a, u))
            continue;
        if (u->user->block != display->block || !use_leaves_list(u))
            return false;
        for (size_t k = 0; k < arrlenu(appends); k++)
            if (ir_is_before(u->user, appends[k]))
                return false;
    }
    return arrlenu(appends) > 0;
}

/* Lists that operators read have to be displays. */
static bool is_plain_use(const ir_use *u) {
    const ir_node *n = u->user;
    const ir_value *v = ir_in(n, u->index);
    const bool is_display = v->node->kind == IR_LIST_CONSTRUCT;
    int64_t index;
    if (n == n->block->result)
        return !n->block->owner || n->block->owner->kind == IR_IF;
    if (n->kind == IR_LIST_UNPACK)
        return true;
    if (n->kind == IR_GETITEM)
        return ir_constant_int(ir_in(n, 1), &index) && (index >= 0 || is_display);
    return is_display && use_leaves_list(u);
}

static bool is_plain_list(const asker *a, const ir_value *v) {
    const ir_node *n = v->node;
    const bool is_result = n->schema && !flow_is_container_operator(n->schema);
    if (v->type->kind != TYPE_LIST || !is_tensor_item(type_element(v->type)))
        return false;
    if (n->kind == IR_LIST_CONSTRUCT && only_grows(a, v))
        return true;
    if (ir_is_operator(n, "aten::append.t"))
        return ir_use_count(v) == 0 && ir_in(n, 0)->node->kind == IR_LIST_CONSTRUCT && only_grows(a, ir_in(n, 0));
    if (n->kind != IR_LIST_CONSTRUCT && n->kind != IR_IF && !is_result && !ir_is_operator(n, "aten::add.t"))
        return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        if (!is_plain_use(&v->uses[i]) && !gives_nothing(a, &v->uses[i]))
            return false;
    return true;
}

static bool is_plain_tuple(const ir_value *v) {
    for (uint32_t i = 0; i < v->type->count; i++)
        if (is_container(v->type->items[i]) && type_has_tensors(v->type->items[i]))
            return false;
    const ir_node *n = v->node;
    return n->kind == IR_TUPLE_CONSTRUCT || n->kind == IR_IF || n->kind == IR_UNCHECKED_CAST ||
           n->kind == IR_TUPLE_SLICE;
}

bool container_class_is_plain(container_classes *c, const ir_value *class, const ir_node *request,
                              ir_value *const *outputs, const gradient_flow *f) {
    const asker a = {request, outputs, f};
    for (size_t i = 0; i < arrlenu(c->all); i++) {
        const ir_value *v = c->all[i];
        if (value_class(c->classes, v) != class || ir_is_before(request, v->node))
            continue;
        if (v->type->kind == TYPE_TUPLE ? !is_plain_tuple(v) : !is_plain_list(&a, v))
            return false;
    }
    return true;
}
