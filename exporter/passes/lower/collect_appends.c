/* Lists that are only appended to before they are used, made complete where they are constructed. */
#include "exporter/passes/lower/collect_appends.h"

#include <string.h>

#include "exporter/schema/schema.h"

static bool is_append(const ir_use *u) {
    return u->user->schema && !strcmp(u->user->schema->full_name, "aten::append.t") && u->index == 0;
}

/* The last append to a display, when all of them are done before anybody else sees the list; NULL: they are not, or
 * there is none. */
static ir_node *last_append(const ir_node *display) {
    const ir_value *list = ir_out(display, 0);
    ir_node *last = NULL;
    for (size_t i = 0; i < arrlenu(list->uses); i++) {
        ir_node *n = list->uses[i].user;
        if (!is_append(&list->uses[i]))
            continue;
        if (n->block != display->block || (ir_output_count(n) && ir_use_count(ir_out(n, 0))))
            return NULL;
        if (!last || ir_is_before(last, n))
            last = n;
    }
    for (size_t i = 0; last && i < arrlenu(list->uses); i++)
        if (!is_append(&list->uses[i]) && !ir_is_before(last, list->uses[i].user))
            return NULL;
    return last;
}

/* The display takes the place of its last append. */
static void put_together(ir_node *display, ir_node *last) {
    for (ir_node *n = display->next, *next;; n = next) {
        next = n->next;
        bool appends = ir_is_operator(n, "aten::append.t") && ir_in(n, 0) == ir_out(display, 0);
        if (appends)
            ir_node_add_input(display, ir_in(n, 1));
        if (n == last) {
            ir_move_before(next, display);
            ir_destroy(n);
            return;
        }
        if (appends)
            ir_destroy(n);
    }
}

/* ---- Dicts ---- */

static bool is_entry(const ir_node *n, const ir_value *dict) {
    return n->kind == IR_SET_ITEM && ir_in(n, 0) == dict && dict->type->kind == TYPE_DICT &&
           ir_is_constant(ir_in(n, 1)) && ir_in(n, 2) != dict && !ir_output_count(n);
}

/* Entries that are set right behind the display, before anybody else sees the dict, are entries of it. A display may
 * have a key twice: the last one counts. */
static void collect_entries(ir_node *display) {
    const ir_value *dict = ir_out(display, 0);
    for (;;) {
        ir_node *first = NULL;
        for (size_t i = 0; i < arrlenu(dict->uses); i++) {
            ir_node *n = dict->uses[i].user;
            while (n->block != display->block)
                n = n->block->owner;
            if (!first || ir_is_before(n, first))
                first = n;
        }
        if (!first || !is_entry(first, dict))
            return;
        ir_move_before(first, display);
        ir_node_add_input(display, ir_in(first, 1));
        ir_node_add_input(display, ir_in(first, 2));
        ir_destroy(first);
    }
}

static void collect_block(ir_block *b) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        if (n->kind == IR_DICT_CONSTRUCT && ir_out(n, 0)->type->items[0]->kind != TYPE_FLOAT) {
            const ir_node *before = n->previous;
            collect_entries(n);
            next = before->next == n ? n->next : before->next; /* the display went behind what came next */
            continue;
        }
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            collect_block(n->blocks[i]);
        ir_node *last = n->kind == IR_LIST_CONSTRUCT ? last_append(n) : NULL;
        if (!last)
            continue;
        const ir_node *before = n->previous;
        put_together(n, last);
        next = before->next; /* appends are gone, and perhaps the node that came next */
    }
}

/* `list += [a, b]` and `list.extend([a, b])` are two appends. */
static void split_joins(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            split_joins(n->blocks[i]);
        const bool joins = ir_is_operator(n, "aten::add_.t") || ir_is_operator(n, "aten::extend.t");
        if (!joins || ir_in(n, 1)->node->kind != IR_LIST_CONSTRUCT || ir_use_count(ir_in(n, 1)) != 1)
            continue;
        const ir_node *joined = ir_in(n, 1)->node;
        for (uint32_t i = 0; i < ir_input_count(joined); i++) {
            call_argument arguments[] = {{NULL, ir_in(n, 0), n->range}, {NULL, ir_in(joined, i), n->range}};
            schema_call("aten::append", n, n->range, arguments, 2)->scope = n->scope;
        }
        if (ir_output_count(n))
            ir_replace_uses(ir_out(n, 0), ir_in(n, 0));
        ir_destroy(n);
    }
}

void collect_appends(ir_graph *g) {
    split_joins(g->block);
    collect_block(g->block);
}
