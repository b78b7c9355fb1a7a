/* In-place operators and the variants that return a new tensor. */
#include "exporter/passes/optimize/functionalize.h"

#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* The variant that returns a new tensor; NULL: none. */
static const op_schema *functional_of(const op_schema *s) {
    const char *name = mem_strndup(s->name, strlen(s->name) - 1);
    const op_schema *f = schema_find(s->overload[0] ? mem_printf("%s.%s", name, s->overload) : name);
    return f && schema_is_implemented(f) ? f : NULL;
}

/* x is new, and every other use of it either is over when n runs, or comes later in the program's text and so may take
 * the result. */
static bool may_forget_input(const ir_node *n, const ir_value *x) {
    if (!is_new_tensor_of_operator(x) || x->node->block != n->block)
        return false;
    for (size_t i = 0; i < arrlenu(x->uses); i++) {
        const ir_use *u = &x->uses[i];
        if (u->user != n && !ir_is_before(n, u->user) && !use_only_reads(u))
            return false;
    }
    return true;
}

/* ---- Dtypes ----
 *
 * An operator in place keeps the dtype of its first operand, the functional one may not. add gives the dtype that both
 * operands promote to: they are the same when both come from one tensor through operators that keep the dtype. sigmoid
 * gives floats of ints, where sigmoid_ raises. */

typedef struct {
    const ir_value *origin; /* a tensor of the same dtype, the first that is known */
    bool is_of_floats;
} dtype_fact;

typedef struct {
    const ir_value *key;
    dtype_fact value;
} dtype_facts;

static dtype_fact fact_of(dtype_facts *facts, const ir_value *v) {
    const ptrdiff_t at = hmgeti(facts, v);
    if (at >= 0)
        return facts[at].value;
    const ir_constant *c = ir_constant_of(v);
    return (dtype_fact){v, c && c->kind == CONST_TENSOR && pt_dtype_is_floating(c->tensor->dtype)};
}

/* Whether the result has the dtype to which two tensors promote. */
static bool is_sum_or_product(const op_schema *s) {
    static const char *const names[] = {"aten::add.Tensor", "aten::add_.Tensor", "aten::mul.Tensor", NULL};
    return text_is_among(s->full_name, names);
}

static bool keeps_dtype(dtype_facts *facts, const ir_node *n) {
    const op_schema *s = n->schema;
    return schema_has_trait(s, TRAIT_SAME_DTYPE) || schema_has_trait(s, TRAIT_FUNCTIONAL) ||
           schema_has_trait(s, TRAIT_FUNCTIONAL_OF_FLOATS) ||
           (is_sum_or_product(s) && fact_of(facts, ir_in(n, 0)).origin == fact_of(facts, ir_in(n, 1)).origin);
}

/* Whether the first tensor of n is of floats where n did not raise: it is known, or another tensor is and both have one
 * dtype. */
static bool takes_floats(dtype_facts *facts, const ir_node *n) {
    const uint32_t count = schema_has_trait(n->schema, TRAIT_NOT_MIXED) ? ir_input_count(n) : 1;
    for (uint32_t i = 0; i < count; i++)
        if (fact_of(facts, ir_in(n, i)).is_of_floats)
            return true;
    return false;
}

/* Of n's first result. */
static dtype_fact find_fact(dtype_facts *facts, const ir_node *n) {
    if (!keeps_dtype(facts, n))
        return (dtype_fact){ir_out(n, 0), false};
    return (dtype_fact){fact_of(facts, ir_in(n, 0)).origin, takes_floats(facts, n)};
}

/* masked_fill gives the size to which tensor and mask broadcast: that of the tensor where it was made like the mask. */
static bool is_as_large_as_mask(const ir_node *n) {
    static const char suffix[] = "_like";
    const ir_node *made = ir_in(n, 0)->node;
    const size_t length = made->schema ? strlen(made->schema->name) : 0, ending = strlen(suffix);
    return length > ending && !strcmp(made->schema->name + length - ending, suffix) && ir_in(made, 0) == ir_in(n, 1);
}

/* The functional operator whose result has the dtype and the sizes that n leaves its first operand; NULL: none. */
static const op_schema *variant_of(dtype_facts *facts, const ir_node *n) {
    const op_schema *s = n->schema;
    const ir_value *x = ir_in(n, 0);
    bool is_same = schema_has_trait(s, TRAIT_FUNCTIONAL);
    if (schema_has_trait(s, TRAIT_FUNCTIONAL_OF_FLOATS))
        is_same = fact_of(facts, x).is_of_floats;
    else if (!strcmp(s->full_name, "aten::add_.Tensor"))
        is_same = schema_has_trait(x->node->schema, TRAIT_SAME_DTYPE) &&
                  fact_of(facts, x).origin == fact_of(facts, ir_in(n, 1)).origin;
    else if (!strcmp(s->name, "aten::masked_fill_"))
        is_same = is_as_large_as_mask(n);
    return is_same ? functional_of(s) : NULL;
}

static void replace_later_uses(ir_node *n, ir_value *x, ir_value *y) {
    for (size_t i = 0; i < arrlenu(x->uses);) {
        ir_use u = x->uses[i];
        if (u.user != n && ir_is_before(n, u.user))
            ir_node_set_input(u.user, u.index, y); /* takes the use out of the array */
        else
            i++;
    }
}

/* ---- Filling ---- */

/* Operators that make a tensor, and those that make it full of a number, which is argument `at` of them. */
static const struct {
    const char *empty, *full;
    uint32_t at;
} makers[] = {
    {"aten::empty_like", "aten::full_like", 1}, {"aten::zeros_like", "aten::full_like", 1},
    {"aten::ones_like", "aten::full_like", 1},  {"aten::new_empty", "aten::new_full", 2},
    {"aten::new_zeros", "aten::new_full", 2},   {"aten::new_ones", "aten::new_full", 2},
};

/* What makes a tensor full as n leaves it; NULL: none. */
static const op_schema *full_maker(const ir_node *made, uint32_t *at) {
    for (size_t i = 0; made->schema && i < sizeof makers / sizeof *makers; i++)
        if (!strcmp(made->schema->full_name, makers[i].empty)) {
            *at = makers[i].at;
            return schema_find(makers[i].full);
        }
    return NULL;
}

/* A tensor that nobody saw before it is filled is made full. */
static bool fill_where_made(ir_node *n) {
    ir_value *x = ir_in(n, 0);
    uint32_t at;
    const bool is_zero = !strcmp(n->schema->full_name, "aten::zero_");
    if (!is_zero && strcmp(n->schema->full_name, "aten::fill_.Scalar"))
        return false;
    const op_schema *full = full_maker(x->node, &at);
    if (!full || x->node->block != n->block)
        return false;
    for (size_t i = 0; i < arrlenu(x->uses); i++)
        if (x->uses[i].user != n && !ir_is_before(n, x->uses[i].user))
            return false;
    ir_value *number = is_zero ? ir_insert_constant(x->node, const_int(0)) : ir_in(n, 1);
    if (ir_is_constant(number))
        ir_move_before(x->node, number->node);
    if (!ir_is_before(number->node, x->node))
        return false;
    ir_node_insert_input(x->node, at, number);
    ir_node_set_operator(x->node, full);
    ir_replace_uses(ir_out(n, 0), x);
    ir_destroy(n);
    return true;
}

static void functionalize_block(ir_block *b, dtype_facts **facts) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            functionalize_block(n->blocks[i], facts);
        if (!n->schema || !ir_input_count(n) || !ir_output_count(n) || fill_where_made(n))
            continue;
        const dtype_fact fact = find_fact(*facts, n);
        hmput(*facts, ir_out(n, 0), fact);
        if (!may_forget_input(n, ir_in(n, 0)))
            continue;
        const op_schema *f = variant_of(*facts, n);
        if (!f)
            continue;
        replace_later_uses(n, ir_in(n, 0), ir_out(n, 0));
        ir_node_set_operator(n, f);
    }
}

void functionalize(ir_graph *g) {
    dtype_facts *facts = NULL;
    functionalize_block(g->block, &facts);
}
