/* Views between the products of attention: the lists of their sizes, compared and used. */
#include "exporter/passes/optimize/attention_heads.h"

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/operator_node.h"

/* ---- Matching ---- */

/* How many ints a list holds that is made of ints where it stands or is constant; -1 otherwise. */
static int list_length(const ir_value *list) {
    const ir_constant *c = ir_constant_of(list);
    if (c)
        return c->kind == CONST_LIST ? (int)c->list.count : -1;
    return list->node->kind == IR_LIST_CONSTRUCT ? (int)ir_input_count(list->node) : -1;
}

static bool item_is(const ir_value *list, int i, int64_t number) {
    const ir_constant *c = ir_constant_of(list);
    int64_t item;
    if (c)
        return c->list.items[i]->kind == CONST_INT && c->list.items[i]->integer == number;
    return ir_constant_int(ir_in(list->node, (uint32_t)i), &item) && item == number;
}

bool heads_take_view(attention_heads *h, const ir_node *n) {
    const bool is_view = ir_is_operator(n, "aten::view") || ir_is_operator(n, "aten::reshape") ||
                         ir_is_operator(n, "aten::_unsafe_view");
    if (!is_view && !ir_is_operator(n, "aten::expand"))
        return false;
    if (h->count == MOST_VIEWS || list_length(ir_in(n, 1)) != (h->are_apart ? 4 : 3))
        return false;
    h->lists[h->count++] = ir_in(n, 1);
    h->are_apart ^= is_view;
    return true;
}

void heads_take_mask(attention_heads *h) {
    if (h->are_apart)
        h->has_masks = true;
    else
        h->has_others = true;
}

bool heads_take_dim(const attention_heads *h, const ir_value *dim) {
    int64_t d;
    return !h->count || (ir_constant_int(dim, &d) && (d == -1 || d == (h->are_apart ? 3 : 2)));
}

bool heads_are_whole(const attention_heads *h, bool is_batch, mutation *m) {
    if (!h->count)
        return true;
    for (size_t i = 0; i < h->count; i++)
        if (mutation_is_written(m, h->lists[i]))
            return false;
    return is_batch && !h->are_apart && !(h->has_masks && h->has_others);
}

/* ---- Writing ---- */

static ir_value *append(const char *name, const ir_node *like, ir_block *into, ir_value *a, ir_value *b) {
    ir_value *inputs[] = {a, b};
    ir_node *n = operator_node(like, schema_find(name), inputs, 2);
    ir_append(into, n);
    return ir_out(n, 0);
}

static ir_value *size_of(ir_value *tensor, int dim, const ir_node *like, ir_block *into) {
    return append("aten::size.int", like, into, tensor, ir_insert_constant(into->result, const_int(dim)));
}

static ir_value *item(const ir_value *list, int i, ir_block *into) {
    const ir_constant *c = ir_constant_of(list);
    return c ? ir_insert_constant(into->result, c->list.items[i]) : ir_in(list->node, (uint32_t)i);
}

static ir_value *make_list(ir_value *const *items, uint32_t count, const ir_node *like, ir_block *into) {
    ir_node *n = ir_node_new(like->graph, IR_LIST_CONSTRUCT, 1);
    for (uint32_t i = 0; i < count; i++)
        ir_node_add_input(n, items[i]);
    ir_out(n, 0)->type = type_list(type_basic(TYPE_INT));
    ir_append(into, n);
    return ir_out(n, 0);
}

/* The first list of four ints; there is one where any view is. */
static const ir_value *list_of_four(const attention_heads *h) {
    for (size_t i = 0; i < h->count; i++)
        if (list_length(h->lists[i]) == 4)
            return h->lists[i];
    return NULL;
}

typedef struct {
    const ir_node *like;
    ir_block *into;
    ir_value *all; /* that all are equal; NULL: none was compared */
} comparison;

static void compare(comparison *c, ir_value *a, ir_value *b) {
    ir_value *equal = append("aten::eq.int", c->like, c->into, a, b);
    c->all = c->all ? append("aten::__and__.bool", c->like, c->into, c->all, equal) : equal;
}

/* The size that comes first follows from the others where it is -1. */
ir_value *heads_write_test(const attention_heads *h, ir_value *query, ir_value *keys, const ir_node *like,
                           ir_block *into) {
    comparison c = {like, into, NULL};
    const ir_value *four = list_of_four(h);
    ir_value *const sizes[] = {size_of(query, 0, like, into), size_of(query, 1, like, into),
                               size_of(keys, 2, like, into)};
    for (size_t i = 0; i < h->count; i++) {
        const ir_value *list = h->lists[i];
        const int extra = list_length(list) - 3;
        for (int k = 0; k < 3; k++) {
            ir_value *size = item(list, k + extra, into);
            if (!k && extra)
                size = append("aten::mul.int", like, into, item(list, 0, into), size);
            if (k || extra || !item_is(list, 0, -1))
                compare(&c, size, sizes[k]);
        }
        if (extra && list != four)
            compare(&c, item(list, 0, into), item(four, 0, into));
    }
    return c.all;
}

ir_value *heads_write_view(const attention_heads *h, ir_value *tensor, const ir_node *like, ir_block *into) {
    const ir_value *four = list_of_four(h);
    ir_value *const sizes[] = {item(four, 0, into), item(four, 1, into), size_of(tensor, 1, like, into),
                               size_of(tensor, 2, like, into)};
    return append("aten::view", like, into, tensor, make_list(sizes, 4, like, into));
}

ir_value *heads_write_result(ir_value *result, ir_value *query, ir_value *value, const ir_node *like, ir_block *into) {
    ir_value *const sizes[] = {size_of(query, 0, like, into), size_of(query, 1, like, into),
                               size_of(value, 2, like, into)};
    return append("aten::reshape", like, into, result, make_list(sizes, 3, like, into));
}
