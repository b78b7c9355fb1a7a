/* Values whose strides may differ from PyTorch's, and conversions before the uses that can see it. */
#include "exporter/passes/optimize/insert_layout_conversions.h"

#include "exporter/schema/operator_node.h"

typedef struct {
    mutation *mutation;
    struct {
        const ir_value *key;
        bool value;
    } * other; /* values whose strides may be others than PyTorch's; lists: those of their items */
    struct {
        const ir_value *key;
        ir_value *value;
    } * copies; /* of values that several nodes hand on: "a is b" compares what came of one value */
} layouts;

/* How operators treat strides. What has no such trait may depend on them. */
typedef enum {
    STRICT,  /* sees them */
    FOLLOWS, /* same values for any strides; those of the result may follow the input's */
    ENDS,    /* same values for any strides; the result's are as in PyTorch, or it has none */
} treatment;

/* Convolutions return channels-last tensors whatever the layout of their input. */
static bool makes_channels_last(const ir_node *n) {
    return schema_has_trait(n->schema, TRAIT_STRIDES_CHANNELS_LAST);
}

static treatment treatment_of(const ir_node *n) {
    if (n->kind == IR_LIST_UNPACK || makes_channels_last(n) || schema_has_trait(n->schema, TRAIT_STRIDES_FOLLOW))
        return FOLLOWS;
    return schema_has_trait(n->schema, TRAIT_STRIDES_OWN) ? ENDS : STRICT;
}

static bool is_other(const layouts *l, const ir_value *v) {
    layouts *table = (layouts *)l;
    return hmgeti(table->other, v) >= 0;
}

static void set_other(layouts *l, const ir_value *v) {
    hmput(l->other, v, true);
}

static bool is_tensor_list(const type *t) {
    return t->kind == TYPE_LIST && t->items[0]->kind == TYPE_TENSOR;
}

/* Whether only operators that do not depend on strides read the list: its items may then have any layout. */
static bool is_free_list(const layouts *l, const ir_value *list) {
    if (!is_tensor_list(list->type) || mutation_is_written(l->mutation, list))
        return false;
    for (size_t i = 0; i < arrlenu(list->uses); i++)
        if (treatment_of(list->uses[i].user) == STRICT)
            return false;
    return true;
}

/* aten::contiguous(v, memory_format=contiguous) before `at`. */
static ir_value *insert_contiguous(ir_node *at, ir_value *v) {
    return operator_insert(at, "aten::contiguous", v, ir_insert_constant(at, const_int(0)));
}

/* Whether the node hands on which tensor an input is, or asks it. Operators that see strides make others of it. */
static bool keeps_identity(const ir_node *n) {
    return !n->schema || n->kind == IR_IS || n->kind == IR_IS_NOT;
}

static ir_value *converted(layouts *l, ir_node *n, ir_value *v) {
    const ptrdiff_t known = hmgeti(l->copies, v);
    uint32_t times = 0;
    for (size_t i = 0; i < arrlenu(v->uses); i++)
        times += keeps_identity(v->uses[i].user);
    if (!keeps_identity(n) || (known < 0 && times < 2))
        return insert_contiguous(n, v);
    if (known >= 0)
        return l->copies[known].value;
    ir_value *copy = insert_contiguous(v->node->next, v);
    hmput(l->copies, v, copy);
    return copy;
}

static void convert_inputs(layouts *l, ir_node *n) {
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        if (is_other(l, ir_in(n, i)) && ir_in(n, i)->type->kind == TYPE_TENSOR)
            ir_node_set_input(n, i, converted(l, n, ir_in(n, i)));
}

/* Notes that result v has another layout than PyTorch's. Where the program may write to its memory, the result is
 * made contiguous at once instead. */
static void mark_output(layouts *l, ir_node *n, ir_value *v) {
    if (v->type->kind == TYPE_TENSOR && mutation_is_written(l->mutation, v)) {
        ir_value *copy = insert_contiguous(n->next, v);
        for (size_t i = 0; i < arrlenu(v->uses);) {
            ir_use u = v->uses[i];
            if (u.user == copy->node)
                i++;
            else
                ir_node_set_input(u.user, u.index, copy);
        }
        return;
    }
    if (v->type->kind == TYPE_TENSOR || is_free_list(l, v))
        set_other(l, v);
}

static bool follows_into_lists(const layouts *l, const ir_node *n) {
    for (uint32_t i = 0; i < ir_output_count(n); i++)
        if (n->outputs[i]->type->kind != TYPE_TENSOR && !is_free_list(l, n->outputs[i]))
            return false;
    return true;
}

static void visit_block(layouts *l, ir_block *b);

static void visit(layouts *l, ir_node *n) {
    bool has_other = makes_channels_last(n);
    for (uint32_t i = 0; i < ir_input_count(n); i++)
        has_other |= is_other(l, ir_in(n, i));
    if (!has_other)
        return;
    treatment t = n->kind == IR_LIST_CONSTRUCT && is_free_list(l, ir_out(n, 0)) ? FOLLOWS : treatment_of(n);
    if (t == FOLLOWS && !follows_into_lists(l, n))
        t = STRICT;
    if (t == STRICT)
        convert_inputs(l, n);
    if (t == FOLLOWS)
        for (uint32_t i = 0; i < ir_output_count(n); i++)
            mark_output(l, n, n->outputs[i]);
}

static void visit_block(layouts *l, ir_block *b) {
    stack_check();
    IR_EACH(n, b) {
        visit(l, n);
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            visit_block(l, n->blocks[i]);
    }
    convert_inputs(l, b->result);
}

void insert_layout_conversions(ir_graph *g, mutation *m) {
    layouts l = {m, NULL, NULL};
    visit_block(&l, g->block);
}
