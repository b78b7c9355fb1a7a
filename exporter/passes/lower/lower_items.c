/* A dict's items as two lists. */
#include "exporter/passes/lower/lower_items.h"

#include <string.h>

#include "exporter/schema/operator_node.h"

enum { KEY, VALUE, PARTS };

typedef struct {
    ir_node *items;
    ir_value *lists[PARTS]; /* made when somebody asks for them */
} split;

static bool is_items(const ir_node *n) {
    return n->schema && !strcmp(n->schema->name, "aten::items") && ir_input_count(n) == 1;
}

/* ---- Uses ---- */

/* Whether a use of a tuple takes parts out of it, which are known. */
static bool takes_apart(const ir_use *u) {
    int64_t at;
    if (u->user->kind == IR_TUPLE_UNPACK)
        return true;
    return u->user->kind == IR_TUPLE_INDEX && u->index == 0 && ir_constant_int(ir_in(u->user, 1), &at) &&
           at >= -PARTS && at < PARTS;
}

static bool is_length(const ir_use *u) {
    return ir_is_operator(u->user, "aten::len.t");
}

static bool is_taken_apart(const ir_use *list) {
    if (!ir_is_operator(list->user, "aten::__getitem__.t") || list->index != 0)
        return false;
    const ir_value *item = ir_out(list->user, 0);
    for (size_t i = 0; i < arrlenu(item->uses); i++)
        if (!takes_apart(&item->uses[i]))
            return false;
    return true;
}

static bool can_be_split(const ir_value *list) {
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (!is_length(&list->uses[i]) && !is_taken_apart(&list->uses[i]))
            return false;
    return true;
}

/* ---- Two lists ---- */

static ir_value *list_of(split *s, int part) {
    if (!s->lists[part]) {
        const char *name = mem_printf("aten::%s.%s", part == KEY ? "keys" : "values", s->items->schema->overload);
        s->lists[part] = operator_insert(s->items, name, ir_in(s->items, 0));
        s->lists[part]->type = type_list(ir_in(s->items, 0)->type->items[part]);
    }
    return s->lists[part];
}

/* The part stands where the tuple stood, so an index outside raises there. */
static void take_part(split *s, const ir_value *part, ir_node *fetch, int which) {
    if (!arrlenu(part->uses))
        return;
    ir_value *v = operator_insert(fetch, "aten::__getitem__.t", list_of(s, which), ir_in(fetch, 1));
    v->type = part->type;
    v->name = part->name;
    ir_replace_uses((ir_value *)part, v);
}

static void take_apart(split *s, ir_node *fetch) {
    ir_value *item = ir_out(fetch, 0);
    while (arrlenu(item->uses)) {
        ir_node *user = item->uses[0].user;
        int64_t at = KEY;
        if (user->kind == IR_TUPLE_INDEX && ir_constant_int(ir_in(user, 1), &at))
            take_part(s, ir_out(user, 0), fetch, (int)((at + PARTS) % PARTS));
        for (int part = 0; user->kind == IR_TUPLE_UNPACK && part < PARTS; part++)
            take_part(s, ir_out(user, (uint32_t)part), fetch, part);
        ir_destroy(user);
    }
    ir_destroy(fetch);
}

static void split_items(ir_node *n) {
    split s = {.items = n};
    ir_value *list = ir_out(n, 0);
    while (arrlenu(list->uses)) {
        ir_node *user = list->uses[0].user;
        if (is_length(&list->uses[0]))
            ir_node_set_input(user, 0, list_of(&s, KEY));
        else
            take_apart(&s, user);
    }
    ir_destroy(n);
}

/* ---- The pass ---- */

static void visit_block(ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(n->blocks[i]);
        if (is_items(n) && can_be_split(ir_out(n, 0)))
            split_items(n);
    }
}

void lower_items(ir_graph *g) {
    visit_block(g->block);
}
