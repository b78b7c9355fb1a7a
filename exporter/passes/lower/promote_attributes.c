/* Attributes of objects that stay in a function, as values. */
#include "exporter/passes/lower/promote_attributes.h"

#include "exporter/ir/class.h"

typedef struct {
    ir_value *object;
    const class_def *type;
    size_t count; /* of attributes */
} promotion;

static size_t slot_of(const promotion *p, const ir_node *n) {
    return (size_t)class_find_attribute(p->type, n->attribute);
}

static bool is_access(const promotion *p, const ir_node *n) {
    return (n->kind == IR_GET_ATTR || n->kind == IR_SET_ATTR) && ir_in(n, 0) == p->object;
}

/* Whether n stands in the block or in one nested in it. */
static bool is_within(const ir_node *n, const ir_block *b) {
    while (n && n->block != b)
        n = n->block->owner;
    return n;
}

/* Whether a node nested in n accesses the object; `slot` (may be NULL): whether one stores to this attribute. */
static bool has_access(const promotion *p, const ir_node *n, const size_t *slot) {
    for (size_t i = 0; i < arrlenu(p->object->uses); i++) {
        const ir_node *user = p->object->uses[i].user;
        if (slot && (user->kind != IR_SET_ATTR || slot_of(p, user) != *slot))
            continue;
        for (size_t k = 0; k < arrlenu(n->blocks); k++)
            if (is_within(user, n->blocks[k]))
                return true;
    }
    return false;
}

/* ---- Which objects ---- */

/* Only ifs and loops stand between the node and the block in which the object is made. */
static bool is_reached(const ir_node *n, const ir_block *made) {
    for (; n->block != made; n = n->block->owner)
        if (!n->block->owner || (n->block->owner->kind != IR_IF && n->block->owner->kind != IR_LOOP))
            return false;
    return true;
}

static bool is_only_accessed(const promotion *p) {
    for (size_t i = 0; i < arrlenu(p->object->uses); i++) {
        const ir_use *u = &p->object->uses[i];
        if (u->index != 0 || !is_access(p, u->user) || !is_reached(u->user, p->object->node->block))
            return false;
    }
    return true;
}

static bool *copy_flags(const promotion *p, const bool *flags) {
    bool *copy = MEM_ARRAY(bool, p->count + 1);
    for (size_t i = 0; i < p->count; i++)
        copy[i] = flags[i];
    return copy;
}

/* Whether an attribute is set wherever it is read, from `n` to the end of its block. is_set: by attribute. */
static bool is_set_before_reads(const promotion *p, const ir_node *n, bool *is_set) {
    stack_check();
    for (; n->next; n = n->next) {
        if (is_access(p, n)) {
            if (n->kind == IR_GET_ATTR && !is_set[slot_of(p, n)])
                return false;
            is_set[slot_of(p, n)] = true;
            continue;
        }
        if (!has_access(p, n, NULL))
            continue;
        bool *inside[2] = {copy_flags(p, is_set), copy_flags(p, is_set)};
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            if (!is_set_before_reads(p, ir_first(n->blocks[i]), inside[i]))
                return false;
        for (size_t i = 0; n->kind == IR_IF && i < p->count; i++)
            is_set[i] = inside[0][i] && inside[1][i];
    }
    return true;
}

/* ---- Values in the place of attributes ---- */

/* v as a value of the attribute's type. */
static ir_value *viewed(ir_node *at, ir_value *v, const type *t) {
    if (v->type != t && ir_is_constant(v) && !v->node->constant) {
        ir_value *none = ir_insert_constant(at, const_none());
        none->type = t;
        return none;
    }
    return ir_insert_cast(at, v, t);
}

static ir_value **copy_values(const promotion *p, ir_value *const *values) {
    ir_value **copy = MEM_ARRAY(ir_value *, p->count + 1);
    for (size_t i = 0; i < p->count; i++)
        copy[i] = values[i];
    return copy;
}

static void replace_accesses(const promotion *p, ir_block *b, ir_node *n, ir_value **values);

static void replace_in_if(const promotion *p, ir_node *n, ir_value **values, const size_t *stored) {
    ir_value **inside[2];
    for (int k = 0; k < 2; k++) {
        inside[k] = copy_values(p, values);
        replace_accesses(p, n->blocks[k], ir_first(n->blocks[k]), inside[k]);
    }
    for (size_t i = 0; i < arrlenu(stored); i++) {
        const size_t slot = stored[i];
        values[slot] = NULL;
        if (!inside[0][slot] || !inside[1][slot])
            continue;
        for (int k = 0; k < 2; k++)
            ir_block_add_result(n->blocks[k], inside[k][slot]);
        values[slot] = ir_node_add_output(n, p->type->attributes[slot].type);
    }
}

/* An attribute that is not set before the loop is not read in the body before it is set there. */
static void replace_in_loop(const promotion *p, ir_node *n, ir_value **values, const size_t *stored) {
    ir_block *body = n->blocks[0];
    ir_value **inside = copy_values(p, values);
    for (size_t i = 0; i < arrlenu(stored); i++)
        if (values[stored[i]]) {
            ir_node_add_input(n, values[stored[i]]);
            inside[stored[i]] = ir_block_add_param(body, NULL, p->type->attributes[stored[i]].type);
        }
    replace_accesses(p, body, ir_first(body), inside);
    for (size_t i = 0; i < arrlenu(stored); i++)
        if (values[stored[i]]) {
            ir_block_add_result(body, inside[stored[i]]);
            values[stored[i]] = ir_node_add_output(n, p->type->attributes[stored[i]].type);
        }
}

static void replace_inside(const promotion *p, ir_node *n, ir_value **values) {
    size_t *stored = NULL;
    for (size_t i = 0; i < p->count; i++)
        if (has_access(p, n, &i))
            arrput(stored, i);
    if (n->kind == IR_IF)
        replace_in_if(p, n, values, stored);
    else
        replace_in_loop(p, n, values, stored);
}

/* From n to the end of the block. values: what the attributes are, which is changed on the way. */
static void replace_accesses(const promotion *p, ir_block *b, ir_node *n, ir_value **values) {
    stack_check();
    for (ir_node *next; n != b->result; n = next) {
        next = n->next;
        if (!is_access(p, n)) {
            if (has_access(p, n, NULL))
                replace_inside(p, n, values);
            continue;
        }
        const size_t slot = slot_of(p, n);
        if (n->kind == IR_SET_ATTR)
            values[slot] = viewed(n, ir_in(n, 1), p->type->attributes[slot].type);
        else
            ir_replace_uses(ir_out(n, 0), viewed(n, values[slot], ir_out(n, 0)->type));
        ir_destroy(n);
    }
}

/* ---- The pass ---- */

static bool promote(ir_node *maker) {
    promotion p = {ir_out(maker, 0), ir_out(maker, 0)->type->definition, 0};
    p.count = arrlenu(p.type->attributes);
    bool *is_set = MEM_ARRAY(bool, p.count + 1);
    ir_value **values = MEM_ARRAY(ir_value *, p.count + 1);
    for (size_t i = 0; i < p.count; i++) {
        is_set[i] = false;
        values[i] = NULL;
    }
    if (!is_only_accessed(&p) || !is_set_before_reads(&p, maker->next, is_set))
        return false;
    replace_accesses(&p, maker->block, maker->next, values);
    ir_destroy(maker);
    return true;
}

/* An object that was an attribute of one that went may go too. */
void promote_attributes(ir_graph *g) {
    ir_node **makers = NULL;
    ir_collect_nodes(g->block, IR_CREATE_OBJECT, &makers);
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = arrlenu(makers); i-- > 0;)
            if (promote(makers[i])) {
                arrdel(makers, i);
                changed = true;
            }
    }
}
