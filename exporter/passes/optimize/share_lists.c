/* Lists that are written out as constants. */
#include "exporter/passes/optimize/share_lists.h"

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* ---- Which lists ---- */

static bool is_number(const type *t) {
    return t->kind == TYPE_INT || t->kind == TYPE_FLOAT || t->kind == TYPE_BOOL;
}

/* Whether an operator takes the list as such, and neither changes it nor keeps it. What takes any value (aten::__is__)
 * may ask which object it is. */
static bool only_reads(const ir_use *u) {
    return use_only_reads(u) && type_without_none(u->user->schema->arguments[u->index].type)->kind == TYPE_LIST;
}

/* The constant that the list is; NULL: it is none, or somebody may do more than read it. */
static ir_constant *constant_list(const ir_node *n) {
    const ir_value *list = ir_out(n, 0);
    if (!is_number(type_element(list->type)))
        return NULL;
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (!only_reads(&list->uses[i]))
            return NULL;
    ir_constant *c = const_new(CONST_LIST, list->type);
    c->list.count = ir_input_count(n);
    c->list.items = MEM_ARRAY(ir_constant *, c->list.count + 1);
    for (uint32_t i = 0; i < c->list.count; i++) {
        if (!ir_is_constant(ir_in(n, i)))
            return NULL;
        c->list.items[i] = ir_in(n, i)->node->constant;
    }
    return c;
}

/* ---- The pass ---- */

static void share_in_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            share_in_block(n->blocks[i]);
        ir_constant *c = n->kind == IR_LIST_CONSTRUCT ? constant_list(n) : NULL;
        if (!c)
            continue;
        ir_value *v = ir_insert_constant(n, c);
        v->type = ir_out(n, 0)->type;
        ir_replace_uses(ir_out(n, 0), v);
        ir_destroy(n);
    }
}

void share_lists(ir_graph *g) {
    share_in_block(g->block);
}
