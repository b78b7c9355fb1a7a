/* In-place operators and the variants that return a new tensor. */
#include "exporter/passes/optimize/functionalize.h"

#include <string.h>

#include "exporter/passes/analysis/effects.h"
#include "exporter/schema/schema.h"

/* The functional operator whose result has the dtype and shape of its first input, as in-place operators have; NULL:
 * none. */
static const op_schema *functional_variant(const op_schema *s) {
    if (!schema_has_trait(s, TRAIT_FUNCTIONAL))
        return NULL;
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

/* ---- Sums ----
 *
 * add_ keeps the dtype of its first operand, add may give that of the second. They are the same when both come from one
 * tensor through operators that keep the dtype. */

typedef struct {
    const ir_value *key;
    const ir_value *value;
} dtype_origin;

static const ir_value *origin_of(dtype_origin *origins, const ir_value *v) {
    ptrdiff_t at = hmgeti(origins, v);
    return at < 0 ? v : origins[at].value;
}

/* Whether the result has the dtype to which two tensors promote. */
static bool is_sum_or_product(const op_schema *s) {
    static const char *const names[] = {"aten::add.Tensor", "aten::add_.Tensor", "aten::mul.Tensor", NULL};
    return text_is_among(s->full_name, names);
}

/* The tensor that has the dtype of n's result. */
static const ir_value *find_origin(dtype_origin *origins, const ir_node *n) {
    const op_schema *s = n->schema;
    const ir_value *first = origin_of(origins, ir_in(n, 0));
    bool keeps = schema_has_trait(s, TRAIT_SAME_DTYPE) || schema_has_trait(s, TRAIT_FUNCTIONAL) ||
                 (is_sum_or_product(s) && first == origin_of(origins, ir_in(n, 1)));
    return keeps ? first : ir_out(n, 0);
}

/* masked_fill gives the size to which tensor and mask broadcast: that of the tensor where it was made like the mask. */
static bool is_as_large_as_mask(const ir_node *n) {
    static const char suffix[] = "_like";
    const ir_node *made = ir_in(n, 0)->node;
    const size_t length = made->schema ? strlen(made->schema->name) : 0, ending = strlen(suffix);
    return length > ending && !strcmp(made->schema->name + length - ending, suffix) && ir_in(made, 0) == ir_in(n, 1);
}

static const op_schema *variant_of(dtype_origin *origins, const ir_node *n) {
    if (!strcmp(n->schema->full_name, "aten::add_.Tensor"))
        return schema_has_trait(ir_in(n, 0)->node->schema, TRAIT_SAME_DTYPE) &&
                       origin_of(origins, ir_in(n, 0)) == origin_of(origins, ir_in(n, 1))
                   ? schema_find("aten::add.Tensor")
                   : NULL;
    if (!strcmp(n->schema->name, "aten::masked_fill_"))
        return is_as_large_as_mask(n) ? schema_find(mem_printf("aten::masked_fill.%s", n->schema->overload)) : NULL;
    return functional_variant(n->schema);
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

static void functionalize_block(ir_block *b, dtype_origin **origins) {
    stack_check();
    IR_EACH(n, b) {
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            functionalize_block(n->blocks[i], origins);
        if (!n->schema || !ir_input_count(n) || !ir_output_count(n))
            continue;
        const ir_value *origin = find_origin(*origins, n);
        hmput(*origins, ir_out(n, 0), origin);
        const op_schema *f = variant_of(*origins, n);
        if (!f || !may_forget_input(n, ir_in(n, 0)))
            continue;
        replace_later_uses(n, ir_in(n, 0), ir_out(n, 0));
        ir_node_set_operator(n, f);
    }
}

void functionalize(ir_graph *g) {
    dtype_origin *origins = NULL;
    functionalize_block(g->block, &origins);
}
