/* Attention that is spelled out: matched backwards from its last product, and put behind a test. */
#include "exporter/passes/optimize/fuse_attention.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/optimize/attention_heads.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/sink_scores.h"
#include "exporter/schema/operator_node.h"

enum { MOST_NODES = 16, MOST_FACTORS = 8 };

/* A number: a constant, or a value known at run time. */
typedef struct {
    ir_value *value; /* NULL: the constant */
    double constant;
    bool divides; /* of a factor: what is divided by */
} number;

/* Factors and nodes are in the order in which they are found, from the end. The first `factors` of those factors apply
 * to a mask too. */
typedef struct {
    ir_node *nodes[MOST_NODES];
    size_t count;
    number factors[MOST_FACTORS];
    size_t factor_count;
    ir_value *query, *keys, *value, *dim; /* dim: of the softmax */
    bool is_batch;                        /* products of matrices of one batch size */
    ir_value *added;
    double added_times;
    size_t added_factors;
    ir_value *filled;
    bool is_kept; /* `filled` says which scores stay */
    number fill;
    size_t fill_factors;
    bool fills_last;
    attention_heads heads;
} attention;

/* ---- Matching ---- */

static bool is_number(const ir_value *v) {
    switch (v->type->kind) {
    case TYPE_INT:
    case TYPE_FLOAT:
    case TYPE_NUMBER:
        return true;
    default:
        return false;
    }
}

static bool read_number(ir_value *v, number *n) {
    *n = (number){0};
    if (constant_number(v, &n->constant))
        return true;
    n->value = v;
    return !ir_is_constant(v) && is_number(v);
}

static bool add_factor(attention *a, ir_value *v, bool divides) {
    number n;
    if (a->factor_count == MOST_FACTORS || !read_number(v, &n))
        return false;
    n.divides = divides;
    a->factors[a->factor_count++] = n;
    return true;
}

static bool is_none(const ir_value *v) {
    const ir_constant *c = ir_constant_of(v);
    return c && c->kind == CONST_NONE;
}

static bool is_float32(const ir_value *v) {
    int64_t dtype;
    return ir_constant_int(v, &dtype) && dtype == PT_FLOAT32;
}

/* A conversion to float32, which leaves what the test lets in as it is. */
static bool converts_to_float(const ir_node *n) {
    return ir_is_operator(n, "aten::to.dtype") && is_float32(ir_in(n, 1));
}

/* Whether n is that operator, or the one in place. */
static bool is_step(const ir_node *n, const char *name, const char *overload) {
    const size_t length = strlen(name);
    if (strncmp(n->schema->name, name, length) || strcmp(n->schema->overload, overload))
        return false;
    const char *rest = n->schema->name + length;
    return !*rest || !strcmp(rest, "_");
}

static bool is_in_place(const ir_node *n) {
    return n->schema && ir_input_count(n) > 0 && operator_writes(n, 0);
}

/* Takes the node that gives v what it is before `before` runs, and those before it up to the product of queries and
 * keys. */
static bool find_scores(attention *a, ir_value *v, const ir_node *before);

static bool set_added(attention *a, ir_value *mask, double times) {
    if (a->added || mask->type->kind != TYPE_TENSOR)
        return false;
    a->added = mask;
    a->added_times = times;
    a->added_factors = a->factor_count;
    heads_take_mask(&a->heads);
    return true;
}

static bool set_filled(attention *a, ir_value *mask, bool is_kept, ir_value *fill) {
    if (a->filled || !read_number(fill, &a->fill))
        return false;
    if (!isinf(a->fill.constant) && fabs(a->fill.constant) > FLT_MAX) /* it raises */
        return false;
    a->filled = mask;
    a->is_kept = is_kept;
    a->fill_factors = a->factor_count;
    a->fills_last = !a->added;
    heads_take_mask(&a->heads);
    return true;
}

/* Scores and a mask, in either order; times: what alpha means, 1 or -1. */
static bool find_sum(attention *a, const ir_node *n, double times) {
    double alpha;
    if (!constant_number(ir_in(n, 2), &alpha))
        return false;
    attention before = *a;
    if (set_added(a, ir_in(n, 1), times * alpha) && find_scores(a, ir_in(n, 0), n))
        return true;
    *a = before;
    return times * alpha == 1 && !is_in_place(n) && set_added(a, ir_in(n, 0), 1) && find_scores(a, ir_in(n, 1), n);
}

/* The factor may stand on the left. */
static bool find_product_with_number(attention *a, const ir_node *n) {
    for (uint32_t i = 0; i < (is_in_place(n) ? 1 : 2); i++)
        if (ir_in(n, i)->type->kind == TYPE_TENSOR && !ir_is_constant(ir_in(n, i)))
            return add_factor(a, ir_in(n, 1 - i), false) && find_scores(a, ir_in(n, i), n);
    return false;
}

/* (mask, beta and alpha as in aten::baddbmm) */
static bool find_sum_and_product(attention *a, const ir_node *n) {
    double beta;
    if (!constant_number(ir_in(n, 3), &beta) || beta == 0 || !set_added(a, ir_in(n, 0), beta) ||
        !add_factor(a, ir_in(n, 4), false))
        return false;
    a->is_batch = true;
    a->query = ir_in(n, 1);
    a->keys = ir_in(n, 2);
    return true;
}

static bool find_product(attention *a, const ir_node *n) {
    a->is_batch |= ir_is_operator(n, "aten::bmm");
    a->query = ir_in(n, 0);
    a->keys = ir_in(n, 1);
    return true;
}

/* The number that a tensor holds in its only element; else the tensor itself. */
static ir_value *only_element(ir_value *v) {
    const ir_node *n = v->node;
    const ir_constant *sizes = ir_is_operator(n, "aten::full") ? ir_constant_of(ir_in(n, 0)) : NULL;
    if (!ir_is_operator(n, "aten::full"))
        return v;
    bool is_one = sizes ? sizes->kind == CONST_LIST && !sizes->list.count
                        : ir_in(n, 0)->node->kind == IR_LIST_CONSTRUCT && !ir_input_count(ir_in(n, 0)->node);
    return is_one && (is_none(ir_in(n, 2)) || is_float32(ir_in(n, 2))) ? ir_in(n, 1) : v;
}

/* The condition says which scores stay, or, when they are the last argument, which do not. */
static bool find_choice(attention *a, const ir_node *n) {
    attention before = *a;
    if (!ir_is_operator(n, "aten::where.ScalarSelf") && set_filled(a, ir_in(n, 0), true, only_element(ir_in(n, 2))) &&
        find_scores(a, ir_in(n, 1), n))
        return true;
    *a = before;
    return !ir_is_operator(n, "aten::where.ScalarOther") &&
           set_filled(a, ir_in(n, 0), false, only_element(ir_in(n, 1))) && find_scores(a, ir_in(n, 2), n);
}

/* The last node before `before` that changes v in place; else the one that makes it. */
static ir_node *last_change(const ir_value *v, const ir_node *before) {
    ir_node *last = v->node;
    for (size_t i = 0; i < arrlenu(v->uses); i++) {
        ir_node *user = v->uses[i].user;
        if (v->uses[i].index == 0 && user != before && is_in_place(user) && user->block == before->block &&
            ir_is_before(user, before) && (last == v->node || ir_is_before(last, user)))
            last = user;
    }
    return last;
}

static bool find_scores(attention *a, ir_value *v, const ir_node *before) {
    stack_check();
    ir_node *n = last_change(v, before);
    if (!n->schema || a->count == MOST_NODES)
        return false;
    a->nodes[a->count++] = n;
    if (ir_is_operator(n, "aten::matmul") || ir_is_operator(n, "aten::bmm"))
        return find_product(a, n);
    if (ir_is_operator(n, "aten::baddbmm"))
        return find_sum_and_product(a, n);
    if (is_step(n, "aten::div", "Tensor") || is_step(n, "aten::div", "Scalar"))
        return add_factor(a, ir_in(n, 1), true) && find_scores(a, ir_in(n, 0), n);
    if (is_step(n, "aten::mul", "Tensor") || is_step(n, "aten::mul", "Scalar"))
        return find_product_with_number(a, n);
    if (is_step(n, "aten::add", "Tensor"))
        return find_sum(a, n, 1);
    if (is_step(n, "aten::sub", "Tensor"))
        return find_sum(a, n, -1);
    if (is_step(n, "aten::masked_fill", "Scalar") || is_step(n, "aten::masked_fill", "Tensor"))
        return set_filled(a, ir_in(n, 1), false, only_element(ir_in(n, 2))) && find_scores(a, ir_in(n, 0), n);
    if (!strcmp(n->schema->name, "aten::where") && ir_input_count(n) == 3)
        return find_choice(a, n);
    return (converts_to_float(n) || heads_take_view(&a->heads, n)) && find_scores(a, ir_in(n, 0), n);
}

/* (x, dim, dtype) or, of core ATen, (x, dim, half_to_float) */
static bool is_softmax(const ir_node *n) {
    bool converts;
    if (ir_is_operator(n, "aten::softmax.int"))
        return is_none(ir_in(n, 2)) || is_float32(ir_in(n, 2));
    return ir_is_operator(n, "aten::_softmax") && ir_constant_bool(ir_in(n, 2), &converts) && !converts;
}

/* Whether x is converted to the dtype of a tensor that the test knows to be of float32. */
static bool converts_like(const attention *a, const ir_node *n) {
    if (!ir_is_operator(n, "aten::type_as"))
        return false;
    const ir_value *like = ir_in(n, 1);
    bool known = like == a->query || like == a->keys || like == a->value;
    for (size_t i = 0; i < a->count; i++)
        known |= like->node == a->nodes[i];
    return known;
}

/* Takes what changes the sizes of the weights, from v back; gives what stands before. */
static ir_node *skip_views(attention *a, ir_node *n) {
    while (n->schema && a->count < MOST_NODES && heads_take_view(&a->heads, n)) {
        a->nodes[a->count++] = n;
        n = ir_in(n, 0)->node;
    }
    return n;
}

/* From the last product on. */
static bool find_attention(attention *a, ir_node *last) {
    if (!last->schema || (!ir_is_operator(last, "aten::matmul") && !ir_is_operator(last, "aten::bmm")))
        return false;
    a->is_batch = ir_is_operator(last, "aten::bmm");
    a->value = ir_in(last, 1);
    a->nodes[a->count++] = last;
    const ir_node *like = NULL;
    ir_node *n = skip_views(a, ir_in(last, 0)->node);
    if (ir_is_operator(n, "aten::type_as"))
        like = n;
    if (like || converts_to_float(n)) {
        a->nodes[a->count++] = n;
        n = skip_views(a, ir_in(n, 0)->node);
    }
    if (!n->schema || a->count == MOST_NODES || !is_softmax(n) || !heads_take_dim(&a->heads, ir_in(n, 1)))
        return false;
    a->nodes[a->count++] = n;
    a->dim = ir_in(n, 1);
    return find_scores(a, ir_in(n, 0), n) && (!like || converts_like(a, like));
}

/* ---- Safety ---- */

static bool has_node(const attention *a, const ir_node *n) {
    for (size_t i = 0; i < a->count; i++)
        if (a->nodes[i] == n)
            return true;
    return false;
}

/* Whether what lies between is used by the nodes alone, and nothing that they read is written to. */
static bool is_apart(const attention *a, mutation *m) {
    const ir_value *const inputs[] = {a->query, a->keys, a->value, a->added, a->filled};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && mutation_is_written(m, inputs[i]))
            return false;
    if (!heads_are_whole(&a->heads, a->is_batch, m))
        return false;
    for (size_t i = 1; i < a->count; i++) { /* 0 gives the result, which is new */
        const ir_value *v = ir_out(a->nodes[i], 0);
        if (a->nodes[i]->block != a->nodes[0]->block)
            return false;
        for (size_t k = 0; k < arrlenu(v->uses); k++)
            if (!has_node(a, v->uses[k].user))
                return false;
    }
    return true;
}

/* Whether the nodes may run where the last one stands. */
static bool may_move_down(const attention *a) {
    for (const ir_node *n = a->nodes[a->count - 1]; n != a->nodes[0]; n = n->next)
        if (!has_node(a, n) && !node_is_quiet(n))
            return false;
    return true;
}

/* ---- Writing ---- */

static ir_node *new_operator(const ir_node *like, const char *name, ir_block *into) {
    ir_node *n = operator_node(like, schema_find(name), NULL, 0);
    ir_append(into, n);
    return n;
}

static ir_value *new_number(const ir_node *like, const char *name, ir_block *into, ir_value *a, ir_value *b) {
    ir_node *n = new_operator(like, name, into);
    ir_node_add_input(n, a);
    if (b)
        ir_node_add_input(n, b);
    return ir_out(n, 0);
}

static ir_value *new_float(double number, ir_block *into) {
    return ir_insert_constant(into->result, const_float(number));
}

static ir_value *as_float(const ir_node *like, ir_value *v, ir_block *into) {
    if (v->type->kind == TYPE_FLOAT)
        return v;
    return new_number(like, v->type->kind == TYPE_INT ? "aten::Float.int" : "aten::Float.Scalar", into, v, NULL);
}

/* The product of `times` and the first `count` factors; NULL for 1. */
static ir_value *product_of_factors(const attention *a, size_t count, double times, ir_block *into) {
    ir_value *made = NULL;
    for (size_t i = 0; i < count; i++)
        if (!a->factors[i].value)
            times = a->factors[i].divides ? times / a->factors[i].constant : times * a->factors[i].constant;
    if (times != 1)
        made = new_float(times, into);
    for (size_t i = 0; i < count; i++) {
        const number *f = &a->factors[i];
        if (!f->value)
            continue;
        ir_value *v = as_float(a->nodes[0], f->value, into);
        if (!made && !f->divides)
            made = v;
        else
            made = new_number(a->nodes[0], f->divides ? "aten::div.float" : "aten::mul.float", into,
                              made ? made : new_float(1, into), v);
    }
    return made;
}

static ir_value *scaled_mask(const attention *a, ir_block *into) {
    ir_value *by = a->added ? product_of_factors(a, a->added_factors, a->added_times, into) : NULL;
    if (!by)
        return a->added ? a->added : ir_insert_constant(into->result, const_none());
    ir_node *n = new_operator(a->nodes[0], "aten::mul.Scalar", into);
    ir_node_add_input(n, a->added);
    ir_node_add_input(n, by);
    return ir_out(n, 0);
}

static ir_value *filled_scores(const attention *a, ir_block *into) {
    if (!a->filled)
        return ir_insert_constant(into->result, const_none());
    if (!a->is_kept)
        return a->filled;
    ir_node *n = new_operator(a->nodes[0], "aten::logical_not", into);
    ir_node_add_input(n, a->filled);
    return ir_out(n, 0);
}

static ir_value *scaled_fill(const attention *a, ir_block *into) {
    ir_value *by = product_of_factors(a, a->fill_factors, 1, into);
    ir_value *fill = a->fill.value ? as_float(a->nodes[0], a->fill.value, into) : new_float(a->fill.constant, into);
    return by ? new_number(a->nodes[0], "aten::mul.float", into, fill, by) : fill;
}

/* The tensor as the fused operator takes it. */
static ir_value *with_heads(const attention *a, ir_value *v, ir_block *into) {
    return heads_are_viewed(&a->heads) ? heads_write_view(&a->heads, v, a->nodes[0], into) : v;
}

static void write_fused(const attention *a, ir_block *into) {
    ir_value *scale = product_of_factors(a, a->factor_count, 1, into);
    ir_value *const inputs[] = {
        with_heads(a, a->query, into), with_heads(a, a->keys, into),
        with_heads(a, a->value, into), scale ? scale : new_float(1, into),
        scaled_mask(a, into),          filled_scores(a, into),
        scaled_fill(a, into),          ir_insert_constant(into->result, const_bool(a->fills_last))};
    ir_node *made = new_operator(a->nodes[0], "tsm::softmax_attention", into);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        ir_node_add_input(made, inputs[i]);
    ir_block_add_result(into, heads_are_viewed(&a->heads)
                                  ? heads_write_result(ir_out(made, 0), a->query, a->value, a->nodes[0], into)
                                  : ir_out(made, 0));
}

/* Whether the fused operator takes the tensors, with heads and masks or as they stand without masks. */
static ir_value *write_fits(const attention *a, ir_node *at, bool is_last) {
    const bool viewed = is_last && heads_are_viewed(&a->heads);
    ir_block *into = at->block;
    ir_value *none = ir_insert_constant(at, const_none());
    ir_value *const inputs[] = {viewed ? with_heads(a, a->query, into) : a->query,
                                viewed ? with_heads(a, a->keys, into) : a->keys,
                                viewed ? with_heads(a, a->value, into) : a->value,
                                a->added && is_last ? a->added : none,
                                a->filled && is_last ? a->filled : none,
                                a->heads.count ? ir_insert_constant(at, const_int(-1)) : a->dim,
                                ir_insert_constant(at, const_bool(a->is_batch && !viewed))};
    ir_node *n = operator_node(a->nodes[0], schema_find("tsm::attention_fits"), inputs, sizeof inputs / sizeof *inputs);
    ir_insert_before(at, n);
    return ir_out(n, 0);
}

/* prim::If(condition) before `at`; without a result yet. */
static ir_node *new_branch(const attention *a, ir_node *at, ir_value *condition) {
    ir_node *branch = ir_node_new(at->graph, IR_IF, 1);
    branch->range = a->nodes[0]->range;
    branch->scope = a->nodes[0]->scope;
    ir_node_add_input(branch, condition);
    ir_insert_before(at, branch);
    ir_node_add_block(branch);
    ir_node_add_block(branch);
    return branch;
}

/* A branch that gives false where the condition does not hold. */
static ir_node *new_condition(const attention *a, ir_node *at, ir_value *condition) {
    ir_node *branch = new_branch(a, at, condition);
    ir_out(branch, 0)->type = type_basic(TYPE_BOOL);
    ir_block_add_result(branch->blocks[1], ir_insert_constant(branch->blocks[1]->result, const_bool(false)));
    return branch;
}

/* With views: their sizes are compared when the tensors have three dimensions, and the masks then. */
static ir_value *write_test(const attention *a) {
    ir_node *last = a->nodes[0];
    if (!a->heads.count)
        return write_fits(a, last, true);
    ir_node *sized = new_condition(a, last, write_fits(a, last, false));
    ir_block *b = sized->blocks[0];
    ir_value *same = heads_write_test(&a->heads, a->query, a->keys, last, b);
    ir_node *masked = new_condition(a, b->result, same);
    ir_block *inner = masked->blocks[0];
    ir_block_add_result(inner, write_fits(a, inner->result, true));
    ir_block_add_result(b, ir_out(masked, 0));
    return ir_out(sized, 0);
}

static void replace(attention *a) {
    ir_node *last = a->nodes[0];
    ir_node *branch = new_branch(a, last, write_test(a));
    ir_out(branch, 0)->name = ir_out(last, 0)->name;
    ir_block *fused = branch->blocks[0], *singly = branch->blocks[1];
    ir_replace_uses(ir_out(last, 0), ir_out(branch, 0));
    write_fused(a, fused);
    for (size_t i = a->count; i-- > 0;) {
        ir_unlink(a->nodes[i]);
        ir_append(singly, a->nodes[i]);
    }
    ir_block_add_result(singly, ir_out(last, 0));
}

static void fuse_block(ir_block *b, mutation *m) {
    stack_check();
    for (ir_node *n = ir_first(b), *next; n != b->result; n = next) {
        next = n->next;
        for (size_t i = 0; i < arrlenu(n->blocks); i++)
            fuse_block(n->blocks[i], m);
        ir_node *branch = sink_scores(n, m);
        for (size_t i = 0; branch && i < arrlenu(branch->blocks); i++)
            fuse_block(branch->blocks[i], m);
        if (branch)
            continue;
        attention a = {0};
        if (find_attention(&a, n) && is_apart(&a, m) && may_move_down(&a))
            replace(&a);
    }
}

void fuse_attention(ir_graph *g, mutation *m) {
    dce(g); /* what nobody wants uses nothing: weights that are returned and dropped */
    fuse_block(g->block, m);
}
