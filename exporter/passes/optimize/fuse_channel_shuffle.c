/* The spelled-out channel shuffle, matched backwards from its last view; shuffles of joined tensors. */
#include "exporter/passes/optimize/fuse_channel_shuffle.h"

#include "exporter/schema/operator_node.h"

static bool is_int(const ir_value *v, int64_t wanted) {
    int64_t i;
    return ir_constant_int(v, &i) && i == wanted;
}

/* v is x.size(dim), asked for alone or with all sizes. */
static bool is_size_of(const ir_value *v, const ir_value *x, uint32_t dim) {
    const ir_node *n = v->node;
    if (ir_is_operator(n, "aten::size.int"))
        return ir_in(n, 0) == x && is_int(ir_in(n, 1), dim);
    return n->kind == IR_LIST_UNPACK && v->offset == dim && ir_output_count(n) == 4 &&
           ir_is_operator(ir_in(n, 0)->node, "aten::size") && ir_in(ir_in(n, 0)->node, 0) == x;
}

static bool same_int(const ir_value *a, const ir_value *b) {
    int64_t i;
    return a == b || (ir_constant_int(a, &i) && is_int(b, i));
}

/* [b, groups, c // groups, h, w] of x; returns groups. */
static ir_value *split_sizes(const ir_value *list, const ir_value *x) {
    const ir_node *n = list->node;
    if (n->kind != IR_LIST_CONSTRUCT || ir_input_count(n) != 5 || ir_use_count(list) != 1)
        return NULL;
    const ir_node *quotient = ir_in(n, 2)->node;
    bool fits = is_size_of(ir_in(n, 0), x, 0) && is_size_of(ir_in(n, 3), x, 2) && is_size_of(ir_in(n, 4), x, 3) &&
                ir_is_operator(quotient, "aten::floordiv.int") && is_size_of(ir_in(quotient, 0), x, 1) &&
                same_int(ir_in(quotient, 1), ir_in(n, 1));
    return fits ? ir_in(n, 1) : NULL;
}

/* [b, c, h, w] of x; c may be -1. */
static bool are_sizes_of(const ir_value *list, const ir_value *x) {
    const ir_node *n = list->node;
    return n->kind == IR_LIST_CONSTRUCT && ir_input_count(n) == 4 && ir_use_count(list) == 1 &&
           is_size_of(ir_in(n, 0), x, 0) && (is_int(ir_in(n, 1), -1) || is_size_of(ir_in(n, 1), x, 1)) &&
           is_size_of(ir_in(n, 2), x, 2) && is_size_of(ir_in(n, 3), x, 3);
}

static bool is_reshape(const ir_node *n) {
    return ir_is_operator(n, "aten::view") || ir_is_operator(n, "aten::reshape");
}

/* The node before on a chain: what made n's first input, when nobody else uses that. */
static const ir_node *sole_producer(const ir_node *n) {
    return ir_use_count(ir_in(n, 0)) == 1 ? ir_in(n, 0)->node : NULL;
}

/* `last` is the last view of a shuffle: returns the shuffled tensor. */
static ir_value *shuffled_tensor(const ir_node *last, ir_value **groups) {
    const ir_node *n = is_reshape(last) ? sole_producer(last) : NULL;
    if (n && ir_is_operator(n, "aten::contiguous"))
        n = sole_producer(n);
    if (!n || !ir_is_operator(n, "aten::transpose.int") || !is_int(ir_in(n, 1), 1) || !is_int(ir_in(n, 2), 2))
        return NULL;
    const ir_node *split = sole_producer(n);
    if (!split || !is_reshape(split))
        return NULL;
    ir_value *x = ir_in(split, 0);
    *groups = split_sizes(ir_in(split, 1), x);
    return *groups && are_sizes_of(ir_in(last, 1), x) ? x : NULL;
}

/* Takes out the views of a chain that led from x to `last`. */
static void destroy_chain(ir_node *last, const ir_value *x) {
    for (ir_node *n = last, *before; n; n = before) {
        before = ir_in(n, 0) == x ? NULL : ir_in(n, 0)->node;
        ir_destroy(n);
    }
}

/* ---- Shuffles of what was just put together ---- */

/* The result of a cat along the channels of `count` tensors that is only shuffled, and asked for its sizes. */
static bool is_only_shuffled(const ir_node *cat, int64_t count, mutation *m) {
    const ir_node *list = ir_in(cat, 0)->node;
    bool fits = ir_is_operator(cat, "aten::cat") && is_int(ir_in(cat, 1), 1) && list->kind == IR_LIST_CONSTRUCT &&
                ir_input_count(list) == count && !mutation_is_written(m, ir_in(cat, 0)) &&
                !mutation_is_written(m, ir_out(cat, 0));
    uint32_t shuffles = 0;
    for (size_t i = 0; fits && i < arrlenu(ir_out(cat, 0)->uses); i++) {
        const ir_node *user = ir_out(cat, 0)->uses[i].user;
        bool shuffle = ir_is_operator(user, "aten::channel_shuffle");
        shuffles += shuffle;
        fits = shuffle || ir_is_operator(user, "aten::size") || ir_is_operator(user, "aten::size.int") ||
               ir_is_operator(user, "aten::dim");
    }
    return fits && shuffles == 1;
}

/* One copy instead of two; the shuffled tensor has the sizes of the other. */
static bool join_with_cat(ir_node *shuffle, mutation *m) {
    int64_t groups;
    ir_node *cat = ir_in(shuffle, 0)->node;
    if (!ir_constant_int(ir_in(shuffle, 1), &groups) || cat->kind == IR_PARAM || !is_only_shuffled(cat, groups, m))
        return false;
    ir_value *made = operator_insert(cat, "tsm::cat_shuffled", ir_in(cat, 0));
    made->name = ir_out(shuffle, 0)->name;
    ir_replace_uses(ir_out(shuffle, 0), made);
    ir_destroy(shuffle);
    ir_replace_uses(ir_out(cat, 0), made);
    ir_destroy(cat);
    return true;
}

static void join_in_block(ir_block *b, mutation *m) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            join_in_block(n->blocks[i], m);
        if (ir_is_operator(n, "aten::channel_shuffle"))
            join_with_cat(n, m);
    }
}

static void recognize_in_block(ir_block *b, mutation *m) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            recognize_in_block(n->blocks[i], m);
        ir_value *groups, *x = shuffled_tensor(n, &groups);
        if (!x || mutation_is_written(m, x))
            continue;
        ir_value *shuffled = operator_insert(n, "aten::channel_shuffle", x, groups);
        shuffled->name = ir_out(n, 0)->name;
        ir_replace_uses(ir_out(n, 0), shuffled);
        destroy_chain(n, x);
    }
}

void fuse_channel_shuffle(ir_graph *g, mutation *m) {
    recognize_in_block(g->block, m);
    join_in_block(g->block, m);
}
