/* Objects that stay in a function and do not change, as tuples. */
#include "exporter/passes/lower/lower_objects.h"

#include "exporter/ir/class.h"

/* Values of one class that are one another's through variables of loops and results of ifs. */
typedef struct {
    const class_def *type;
    ir_value **values; /* stb_ds arrays */
    ir_node **makers;  /* prim::CreateObject */
} web;

/* ---- Which objects ---- */

static bool is_member(const web *w, const ir_value *v) {
    for (size_t i = 0; i < arrlenu(w->values); i++)
        if (w->values[i] == v)
            return true;
    return false;
}

/* Adds v by its definition; false: it may be any object. */
static bool add_value(web *w, ir_value *v) {
    const ir_node *n = v->node;
    if (is_member(w, v))
        return true;
    if (v->type != w->type->type)
        return false;
    if (n->kind == IR_CREATE_OBJECT)
        arrput(w->makers, v->node);
    else if (n->kind != IR_UNINITIALIZED && n->kind != IR_LOOP && n->kind != IR_IF &&
             !(n->kind == IR_PARAM && n->block->owner && n->block->owner->kind == IR_LOOP && v->offset > 0))
        return false;
    arrput(w->values, v);
    return true;
}

/* Variable i of a loop: what it starts with, what the body has and gives, and what comes out. */
static bool add_loop_variable(web *w, ir_node *loop, uint32_t i) {
    const ir_block *body = loop->blocks[0];
    return add_value(w, ir_in(loop, i + 2)) && add_value(w, body->param->outputs[i + 1]) &&
           add_value(w, ir_in(body->result, i + 1)) && add_value(w, ir_out(loop, i));
}

static bool add_if_result(web *w, ir_node *n, uint32_t i) {
    return add_value(w, ir_in(n->blocks[0]->result, i)) && add_value(w, ir_in(n->blocks[1]->result, i)) &&
           add_value(w, ir_out(n, i));
}

/* What the value comes from, where it is no new object. */
static bool follow_definition(web *w, const ir_value *v) {
    ir_node *n = v->node;
    if (n->kind == IR_LOOP)
        return add_loop_variable(w, n, v->offset);
    if (n->kind == IR_IF)
        return add_if_result(w, n, v->offset);
    return n->kind != IR_PARAM || add_loop_variable(w, n->block->owner, v->offset - 1);
}

/* Whether the use reads or sets an attribute, or passes the object on. Attributes are set where the object is made. */
static bool follow_use(web *w, const ir_value *v, const ir_use *u) {
    ir_node *n = u->user, *owner = n->block ? n->block->owner : NULL;
    switch (n->kind) {
    case IR_GET_ATTR:
        return true;
    case IR_SET_ATTR:
        return u->index == 0 && v->node->kind == IR_CREATE_OBJECT && n->block == v->node->block;
    case IR_LOOP:
        return u->index >= 2 && add_loop_variable(w, n, u->index - 2);
    case IR_RETURN:
        if (owner && owner->kind == IR_IF)
            return add_if_result(w, owner, u->index);
        return owner && owner->kind == IR_LOOP && u->index >= 1 && add_loop_variable(w, owner, u->index - 1);
    default:
        return false;
    }
}

static bool collect(web *w, ir_node *maker) {
    if (!add_value(w, ir_out(maker, 0)))
        return false;
    for (size_t i = 0; i < arrlenu(w->values); i++) {
        const ir_value *v = w->values[i];
        if (!follow_definition(w, v))
            return false;
        for (size_t k = 0; k < arrlenu(v->uses); k++)
            if (!follow_use(w, v, &v->uses[k]))
                return false;
    }
    return true;
}

/* ---- How an object is put together ---- */

/* What each attribute is set to; NULL: it is not. `before`: only nodes before this one; NULL: all. */
static ir_value **attributes_at(const web *w, const ir_node *maker, const ir_node *before, ir_node **last) {
    const size_t count = arrlenu(w->type->attributes);
    ir_value **values = MEM_ARRAY(ir_value *, count + 1);
    for (size_t i = 0; i < count; i++)
        values[i] = NULL;
    for (ir_node *n = maker->next; n && n != before; n = n->next)
        if (n->kind == IR_SET_ATTR && ir_in(n, 0) == ir_out(maker, 0)) {
            values[class_find_attribute(w->type, n->attribute)] = ir_in(n, 1);
            *last = n;
        }
    return values;
}

/* Whether all attributes are set in the maker's block, before anything but these lines has the object. */
static bool is_put_together(const web *w, const ir_node *maker) {
    ir_node *last = NULL, *ignored;
    const ir_value *v = ir_out(maker, 0);
    ir_value *const *values = attributes_at(w, maker, NULL, &last);
    for (size_t i = 0; i < arrlenu(w->type->attributes); i++)
        if (!values[i])
            return false;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        const ir_node *user = v->uses[i].user;
        if (user->kind == IR_SET_ATTR || (last && ir_is_before(last, user)))
            continue;
        if (user->kind != IR_GET_ATTR || user->block != maker->block ||
            !attributes_at(w, maker, user, &ignored)[class_find_attribute(w->type, user->attribute)])
            return false;
    }
    return arrlenu(w->type->attributes) > 0;
}

/* ---- Tuples in their place ---- */

static ir_node *new_node(const ir_node *like, ir_kind kind, const type *t) {
    ir_node *n = ir_node_new(like->graph, kind, 1);
    n->range = like->range;
    n->scope = like->scope;
    ir_out(n, 0)->type = t;
    return n;
}

static void replace_read(ir_node *read, ir_value *value) {
    ir_replace_uses(ir_out(read, 0), value);
    ir_destroy(read);
}

/* The reads of an object on its way, and the lines that set it, go; the tuple stands behind the last of them. */
static ir_value *replace_maker(const web *w, ir_node *maker, const type *t) {
    ir_value *object = ir_out(maker, 0);
    ir_node *last = NULL, *ignored;
    ir_value *const *values = attributes_at(w, maker, NULL, &last);
    ir_node *tuple = new_node(maker, IR_TUPLE_CONSTRUCT, t);
    for (size_t i = 0; i < arrlenu(w->type->attributes); i++)
        ir_node_add_input(tuple, values[i]);
    ir_insert_after(last, tuple);
    for (ir_node *n = maker->next, *next; n != tuple; n = next) {
        next = n->next;
        if (n->kind == IR_GET_ATTR && ir_in(n, 0) == object) {
            const int slot = class_find_attribute(w->type, n->attribute);
            replace_read(n, attributes_at(w, maker, n, &ignored)[slot]);
        }
    }
    for (ir_node *n = maker->next, *next; n != tuple; n = next) {
        next = n->next;
        if (n->kind == IR_SET_ATTR && ir_in(n, 0) == object)
            ir_destroy(n);
    }
    ir_replace_uses(object, ir_out(tuple, 0));
    ir_destroy(maker);
    return ir_out(tuple, 0);
}

static void replace_reads(const web *w, const ir_value *v, const type *t) {
    for (size_t i = arrlenu(v->uses); i-- > 0;) {
        ir_node *read = v->uses[i].user;
        if (read->kind != IR_GET_ATTR)
            continue;
        const int slot = class_find_attribute(w->type, read->attribute);
        ir_node *item = new_node(read, IR_TUPLE_INDEX, t->items[slot]);
        ir_node_add_input(item, ir_in(read, 0));
        ir_node_add_input(item, ir_insert_constant(read, const_int(slot)));
        ir_insert_before(read, item);
        replace_read(read, ir_out(item, 0));
    }
}

static void replace_web(const web *w) {
    const type **items = NULL;
    for (size_t i = 0; i < arrlenu(w->type->attributes); i++)
        arrput(items, w->type->attributes[i].type);
    const type *t = type_tuple(items, (uint32_t)arrlenu(items));
    ir_value **tuples = NULL;
    for (size_t i = 0; i < arrlenu(w->values); i++)
        if (w->values[i]->node->kind != IR_CREATE_OBJECT) {
            w->values[i]->type = t;
            arrput(tuples, w->values[i]);
        }
    for (size_t i = 0; i < arrlenu(w->makers); i++)
        arrput(tuples, replace_maker(w, w->makers[i], t));
    for (size_t i = 0; i < arrlenu(tuples); i++)
        replace_reads(w, tuples[i], t);
}

/* ---- The pass ---- */

static void lower_web(ir_node *maker) {
    web w = {.type = ir_out(maker, 0)->type->definition};
    if (!collect(&w, maker))
        return;
    for (size_t i = 0; i < arrlenu(w.makers); i++)
        if (!is_put_together(&w, w.makers[i]))
            return;
    replace_web(&w);
}

void lower_objects(ir_graph *g) {
    ir_node **makers = NULL;
    ir_collect_nodes(g->block, IR_CREATE_OBJECT, &makers);
    for (size_t i = 0; i < arrlenu(makers); i++)
        if (makers[i]->block) /* not gone with another's web */
            lower_web(makers[i]);
}
