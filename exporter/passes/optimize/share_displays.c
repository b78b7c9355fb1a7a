/* Lists and dicts that are written out as constants. */
#include "exporter/passes/optimize/share_displays.h"

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* ---- Which displays ---- */

/* Whether items of the type are themselves, and nothing else's other name: numbers, strings, and tuples of such. */
static bool is_plain(const type *t) {
    stack_check();
    if (t->kind != TYPE_TUPLE)
        return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL || t->kind == TYPE_STR;
    for (uint32_t i = 0; i < t->count; i++)
        if (!is_plain(t->items[i]))
            return false;
    return !t->name;
}

/* Whether an operator takes the list or dict as such, and neither changes it nor keeps it. What takes any value
 * (aten::__is__) may ask which object it is. */
static bool only_reads(const ir_use *u) {
    return use_only_reads(u) &&
           type_without_none(u->user->schema->arguments[u->index].type)->kind == ir_in(u->user, u->index)->type->kind;
}

/* 0.0 and -0.0 are one key, but not one constant. */
static bool has_plain_items(const type *t) {
    if (t->kind == TYPE_LIST)
        return is_plain(type_element(t));
    return is_plain(t->items[0]) && t->items[0]->kind != TYPE_FLOAT && is_plain(t->items[1]);
}

/* A key that is written twice has the last of its items. */
static bool has_equal_keys(const ir_constant *dict) {
    for (uint32_t i = 0; i < dict->list.count; i += 2)
        for (uint32_t k = i + 2; k < dict->list.count; k += 2)
            if (const_equal(dict->list.items[i], dict->list.items[k]))
                return true;
    return false;
}

/* The constant that v is, or the tuple of constants; NULL: it is none. */
static ir_constant *constant_item(const ir_value *v) {
    stack_check();
    if (ir_is_constant(v) || v->node->kind != IR_TUPLE_CONSTRUCT)
        return (ir_constant *)ir_constant_of(v);
    ir_constant *c = const_new(CONST_TUPLE, v->type);
    c->list.count = ir_input_count(v->node);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++)
        if (!(c->list.items[i] = constant_item(ir_in(v->node, i))))
            return NULL;
    return c;
}

/* The constant that the display is; NULL: it is none, or somebody may do more than read it. */
static ir_constant *constant_display(const ir_node *n) {
    const ir_value *made = ir_out(n, 0);
    if (!has_plain_items(made->type))
        return NULL;
    for (size_t i = 0; i < arrlenu(made->uses); i++)
        if (!only_reads(&made->uses[i]))
            return NULL;
    ir_constant *c = const_new(n->kind == IR_LIST_CONSTRUCT ? CONST_LIST : CONST_DICT, made->type);
    c->list.count = ir_input_count(n);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        if (!(c->list.items[i] = constant_item(ir_in(n, i))))
            return NULL;
    }
    return c->kind == CONST_DICT && has_equal_keys(c) ? NULL : c;
}

/* Takes out what nobody uses, and the tuples that were made for it only. */
static void remove_display(ir_node *n) {
    stack_check();
    ir_node **tuples = NULL;
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (ir_in(n, i)->node->kind == IR_TUPLE_CONSTRUCT)
            arrput(tuples, ir_in(n, i)->node);
    ir_destroy(n);
    for (size_t i = 0; i < arrlenu(tuples); i++)
        if (tuples[i]->block && !arrlenu(ir_out(tuples[i], 0)->uses)) /* it may stand there twice */
            remove_display(tuples[i]);
}

/* ---- The pass ---- */

static void share_in_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            share_in_block(n->blocks[i]);
        const bool is_display = n->kind == IR_LIST_CONSTRUCT || n->kind == IR_DICT_CONSTRUCT;
        ir_constant *c = is_display ? constant_display(n) : NULL;
        if (!c)
            continue;
        ir_value *v = ir_insert_constant(n, c);
        v->type = ir_out(n, 0)->type;
        ir_replace_uses(ir_out(n, 0), v);
        remove_display(n);
    }
}

void share_displays(ir_graph *g) {
    share_in_block(g->block);
}
