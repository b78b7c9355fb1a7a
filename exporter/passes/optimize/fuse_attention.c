/* Attention that is spelled out: matched backwards from its last product, and put behind a test. */
#include "exporter/passes/optimize/fuse_attention.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "exporter/archive/pt_tensor.h"
#include "exporter/passes/analysis/effects.h"
#include "exporter/passes/analysis/tensor_constant.h"
#include "exporter/passes/optimize/attention_einsum.h"
#include "exporter/passes/optimize/attention_heads.h"
#include "exporter/passes/optimize/dce.h"
#include "exporter/passes/optimize/sink_scores.h"
#include "exporter/schema/operator_node.h"

enum { MOST_NODES = 20, MOST_FACTORS = 8, MOST_MASKS = 2 };

/* A number: a constant, or a value known at run time. */
typedef struct {
    ir_value *value; /* NULL: the constant */
    double constant;
    bool divides; /* of a factor: what is divided by */
} number;

/* What is added to the scores. The first `factors` of the factors apply to it too. */
typedef struct {
    ir_value *mask;
    double times;
    size_t factors;
} addend;

/* Which scores are filled. */
typedef struct {
    ir_value *mask;
    bool is_kept; /* the mask says which scores stay */
} choice;

/* Factors, masks and nodes are in the order in which they are found, from the end. */
typedef struct {
    mutation *m;
    ir_node *nodes[MOST_NODES];
    size_t count;
    number factors[MOST_FACTORS];
    size_t factor_count;
    ir_value *query, *keys, *value, *dim; /* dim: of the softmax */
    bool is_batch;                        /* products of matrices of one batch size */
    addend added[MOST_MASKS];
    size_t added_count;
    choice filled[MOST_MASKS]; /* by one number, with no addend and no factor between */
    size_t filled_count;
    number fill;
    size_t fill_factors, fill_added; /* factors and addends that apply to what is filled */
    int64_t dtype;                   /* which the program asks for; -1: any */
    bool is_clamped;                 /* scores are at least `least`, which is about the least of all floats */
    double least;
    attention_heads heads;
    arrangement of_query, of_keys, of_value, of_result;
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
    return (ir_is_operator(n, "aten::to.dtype") || ir_is_operator(n, "aten::_to_copy")) && is_float32(ir_in(n, 1));
}

/* The dtype that a conversion of weights names; false when n is no such. */
static bool converts_to(const ir_node *n, int64_t *dtype) {
    return (ir_is_operator(n, "aten::to.dtype") || ir_is_operator(n, "aten::_to_copy")) &&
           ir_constant_int(ir_in(n, 1), dtype);
}

/* False when the program asks for another dtype too. */
static bool ask_for_dtype(attention *a, int64_t dtype) {
    if (a->dtype != -1 && a->dtype != dtype)
        return false;
    a->dtype = dtype;
    return true;
}

/* Whether n gives the tensor that it takes, or a copy with the same numbers as float32. */
static bool keeps_element(const ir_node *n) {
    static const char *const names[] = {"aten::detach", "aten::clone", "aten::lift_fresh", "aten::lift_fresh_copy",
                                        "aten::alias"};
    if (!n->schema)
        return false;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(n->schema->name, names[i]))
            return true;
    if (strcmp(n->schema->name, "aten::to") && strcmp(n->schema->name, "aten::_to_copy"))
        return false;
    for (uint32_t i = 0; i < n->schema->argument_count; i++)
        if (!strcmp(n->schema->arguments[i].name, "dtype") && !is_none(ir_in(n, i)) && !is_float32(ir_in(n, i)))
            return false;
    return ir_in(n, 0)->type->kind == TYPE_TENSOR;
}

/* The number that a tensor holds in its only element; else the tensor itself. */
static ir_value *only_element(ir_value *v) {
    const ir_node *n = v->node;
    if (ir_is_operator(n, "aten::scalar_tensor"))
        return is_none(ir_in(n, 1)) || is_float32(ir_in(n, 1)) ? ir_in(n, 0) : v;
    if (!ir_is_operator(n, "aten::full"))
        return v;
    const ir_constant *sizes = ir_constant_of(ir_in(n, 0));
    bool is_one = sizes ? sizes->kind == CONST_LIST && !sizes->list.count
                        : ir_in(n, 0)->node->kind == IR_LIST_CONSTRUCT && !ir_input_count(ir_in(n, 0)->node);
    return is_one && (is_none(ir_in(n, 2)) || is_float32(ir_in(n, 2))) ? ir_in(n, 1) : v;
}

/* A number, or a tensor that holds one. */
static bool read_element(const attention *a, ir_value *v, number *n) {
    const pt_tensor *tensor;
    while (keeps_element(v->node) && !mutation_is_written(a->m, v))
        v = ir_in(v->node, 0);
    const float *element = tensor_constant_floats(a->m, v, 0, &tensor);
    if (!element)
        return read_number(only_element(v), n);
    *n = (number){.constant = *element};
    return true;
}

static bool add_factor(attention *a, ir_value *v, bool divides) {
    number n;
    if (a->factor_count == MOST_FACTORS || !read_element(a, v, &n))
        return false;
    n.divides = divides;
    a->factors[a->factor_count++] = n;
    return true;
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
    const bool fills_between = a->filled_count && a->added_count;
    if (a->added_count == MOST_MASKS || fills_between || mask->type->kind != TYPE_TENSOR)
        return false;
    a->added[a->added_count++] = (addend){mask, times, a->factor_count};
    heads_take_mask(&a->heads);
    return true;
}

static bool set_filled(attention *a, ir_value *mask, bool is_kept, ir_value *fill) {
    number n;
    if (a->filled_count == MOST_MASKS || !read_element(a, fill, &n))
        return false;
    if (!isinf(n.constant) && fabs(n.constant) > FLT_MAX) /* it raises */
        return false;
    if (a->filled_count && (n.value || a->fill.value || n.constant != a->fill.constant ||
                            a->fill_factors != a->factor_count || a->fill_added != a->added_count))
        return false;
    a->filled[a->filled_count++] = (choice){mask, is_kept};
    a->fill = n;
    a->fill_factors = a->factor_count;
    a->fill_added = a->added_count;
    heads_take_mask(&a->heads);
    return true;
}

/* max(scores, least), after which nothing but softmax comes. Where `least` is the least of all floats it changes masks
 * alone: no score is large enough to be seen beside it. */
static bool set_least(attention *a, ir_value *least) {
    number n;
    if (a->is_clamped || a->factor_count || a->added_count || a->filled_count || !read_element(a, least, &n) ||
        n.value || !(n.constant <= -1e38) || !ask_for_dtype(a, PT_FLOAT32))
        return false;
    a->is_clamped = true;
    a->least = n.constant;
    return true;
}

/* Whether that can be done with the masks: the number that fills is known, and nothing is added to it. */
static bool clamps_masks(const attention *a) {
    if (!a->added_count && !a->filled_count)
        return false;
    return !a->filled_count || (!a->fill.value && !a->fill_factors && !a->fill_added);
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
    a->of_keys = a->of_query;
    return true;
}

static bool find_product(attention *a, const ir_node *n) {
    a->is_batch |= ir_is_operator(n, "aten::bmm");
    a->query = ir_in(n, 0);
    a->keys = ir_in(n, 1);
    a->of_keys = a->of_query; /* both have as many dimensions as einsum asks of the weights */
    return true;
}

/* Scores whose dimensions einsum puts in order. */
static bool find_einsum(attention *a, const ir_node *n) {
    einsum_product p;
    if (a->count == MOST_NODES || !einsum_gives_scores(n, &p))
        return false;
    a->nodes[a->count++] = p.list;
    a->query = p.a;
    a->keys = p.b;
    const arrangement weights = a->of_query; /* what the product with the values asks for */
    a->of_query = p.of_a;
    a->of_keys = p.of_b;
    return !weights.is_there || (weights.has_more == p.of_a.has_more && weights.dims == p.of_a.dims);
}

/* The condition says which scores stay, or, when they are the last argument, which do not. */
static bool find_choice(attention *a, const ir_node *n) {
    attention before = *a;
    if (!ir_is_operator(n, "aten::where.ScalarSelf") && set_filled(a, ir_in(n, 0), true, ir_in(n, 2)) &&
        find_scores(a, ir_in(n, 1), n))
        return true;
    *a = before;
    return !ir_is_operator(n, "aten::where.ScalarOther") && set_filled(a, ir_in(n, 0), false, ir_in(n, 1)) &&
           find_scores(a, ir_in(n, 2), n);
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
    if (ir_is_operator(n, "aten::einsum"))
        return find_einsum(a, n);
    if (ir_is_operator(n, "aten::max.other") || ir_is_operator(n, "aten::maximum") ||
        ir_is_operator(n, "aten::clamp_min") || (ir_is_operator(n, "aten::clamp") && is_none(ir_in(n, 2))))
        return set_least(a, ir_in(n, 1)) && find_scores(a, ir_in(n, 0), n);
    if (is_step(n, "aten::div", "Tensor") || is_step(n, "aten::div", "Scalar"))
        return add_factor(a, ir_in(n, 1), true) && find_scores(a, ir_in(n, 0), n);
    if (is_step(n, "aten::mul", "Tensor") || is_step(n, "aten::mul", "Scalar"))
        return find_product_with_number(a, n);
    if (is_step(n, "aten::add", "Tensor"))
        return find_sum(a, n, 1);
    if (is_step(n, "aten::sub", "Tensor"))
        return find_sum(a, n, -1);
    if (is_step(n, "aten::masked_fill", "Scalar") || is_step(n, "aten::masked_fill", "Tensor"))
        return set_filled(a, ir_in(n, 1), false, ir_in(n, 2)) && find_scores(a, ir_in(n, 0), n);
    if (!strcmp(n->schema->name, "aten::where") && ir_input_count(n) == 3)
        return find_choice(a, n);
    if (converts_to_float(n))
        return ask_for_dtype(a, PT_FLOAT32) && find_scores(a, ir_in(n, 0), n);
    return heads_take_view(&a->heads, n) && find_scores(a, ir_in(n, 0), n);
}

/* (x, dim, dtype) or, of core ATen, (x, dim, half_to_float) */
static bool is_softmax(const ir_node *n) {
    bool converts;
    if (ir_is_operator(n, "aten::softmax.int"))
        return is_none(ir_in(n, 2)) || is_float32(ir_in(n, 2));
    return ir_is_operator(n, "aten::_softmax") && ir_constant_bool(ir_in(n, 2), &converts) && !converts;
}

/* Whether a softmax gives float32 whatever it takes. */
static bool softmax_converts(const ir_node *n) {
    return ir_is_operator(n, "aten::softmax.int") && !is_none(ir_in(n, 2));
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

/* The product of weights and values, which is the last node; gives the weights, or NULL. */
static ir_value *find_last_product(attention *a, ir_node *last) {
    einsum_product p;
    a->nodes[a->count++] = last;
    a->is_batch = ir_is_operator(last, "aten::bmm");
    if (a->is_batch || ir_is_operator(last, "aten::matmul")) {
        a->value = ir_in(last, 1);
        return ir_in(last, 0);
    }
    if (!einsum_takes_weights(last, &p))
        return NULL;
    a->nodes[a->count++] = p.list;
    a->value = p.b;
    a->of_query = p.of_a;
    a->of_value = p.of_b;
    a->of_result = p.of_result;
    return p.a;
}

/* From the last product on. */
static bool find_attention(attention *a, ir_node *last) {
    ir_value *weights = last->schema ? find_last_product(a, last) : NULL;
    if (!weights)
        return false;
    const ir_node *like = NULL;
    int64_t back;
    ir_node *n = skip_views(a, weights->node);
    const bool converts = converts_to(n, &back);
    if (ir_is_operator(n, "aten::type_as"))
        like = n;
    if (like || converts) {
        a->nodes[a->count++] = n;
        n = skip_views(a, ir_in(n, 0)->node);
    }
    if (!n->schema || a->count == MOST_NODES || !is_softmax(n) || !heads_take_dim(&a->heads, ir_in(n, 1)))
        return false;
    if (converts ? !ask_for_dtype(a, back) : !like && softmax_converts(n) && !ask_for_dtype(a, PT_FLOAT32))
        return false;
    a->nodes[a->count++] = n;
    a->dim = ir_in(n, 1);
    return find_scores(a, ir_in(n, 0), n) && (!like || converts_like(a, like)) && (!a->is_clamped || clamps_masks(a));
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
    const ir_value *const inputs[] = {a->query,         a->keys,           a->value,         a->added[0].mask,
                                      a->added[1].mask, a->filled[0].mask, a->filled[1].mask};
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        if (inputs[i] && mutation_is_written(m, inputs[i]))
            return false;
    if (a->heads.count && (a->of_query.is_there || a->of_keys.is_there || a->of_value.is_there))
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

static ir_value *new_tensor(const attention *a, const char *name, ir_block *into, ir_value *x, ir_value *y,
                            ir_value *z) {
    ir_node *n = new_operator(a->nodes[0], name, into);
    ir_node_add_input(n, x);
    if (y)
        ir_node_add_input(n, y);
    if (z)
        ir_node_add_input(n, z);
    return ir_out(n, 0);
}

/* The masks that are added, as one. */
static ir_value *scaled_mask(const attention *a, ir_block *into) {
    ir_value *sum = NULL;
    for (size_t i = a->added_count; i-- > 0;) {
        const addend *m = &a->added[i];
        ir_value *by = product_of_factors(a, m->factors, m->times, into);
        ir_value *one = by ? new_tensor(a, "aten::mul.Scalar", into, m->mask, by, NULL) : m->mask;
        sum = !sum ? one
                   : new_tensor(a, "aten::add.Tensor", into, sum, one, ir_insert_constant(into->result, const_int(1)));
    }
    if (!sum)
        return ir_insert_constant(into->result, const_none());
    return a->is_clamped ? new_tensor(a, "aten::clamp_min", into, sum, new_float(a->least, into), NULL) : sum;
}

static ir_value *filled_scores(const attention *a, ir_block *into) {
    ir_value *all = NULL;
    for (size_t i = 0; i < a->filled_count; i++) {
        const choice *c = &a->filled[i];
        ir_value *one = c->is_kept ? new_tensor(a, "aten::logical_not", into, c->mask, NULL, NULL) : c->mask;
        all = all ? new_tensor(a, "aten::logical_or", into, all, one, NULL) : one;
    }
    return all ? all : ir_insert_constant(into->result, const_none());
}

static ir_value *scaled_fill(const attention *a, ir_block *into) {
    if (a->is_clamped && a->fill.constant < a->least)
        return new_float(a->least, into);
    ir_value *by = product_of_factors(a, a->fill_factors, 1, into);
    ir_value *fill = a->fill.value ? as_float(a->nodes[0], a->fill.value, into) : new_float(a->fill.constant, into);
    return by ? new_number(a->nodes[0], "aten::mul.float", into, fill, by) : fill;
}

/* The tensor as the fused operator takes it, by nodes before `at`. */
static ir_value *in_order(const attention *a, const arrangement *how, ir_value *v, ir_node *at) {
    return heads_are_viewed(&a->heads) ? heads_write_view(&a->heads, v, a->nodes[0], at->block)
                                       : arrangement_apply(how, v, at, a->nodes[0]->range);
}

static void write_fused(const attention *a, ir_block *into) {
    ir_node *end = into->result;
    ir_value *scale = product_of_factors(a, a->factor_count, 1, into);
    ir_value *const inputs[] = {in_order(a, &a->of_query, a->query, end),
                                in_order(a, &a->of_keys, a->keys, end),
                                in_order(a, &a->of_value, a->value, end),
                                scale ? scale : new_float(1, into),
                                scaled_mask(a, into),
                                filled_scores(a, into),
                                scaled_fill(a, into),
                                ir_insert_constant(end, const_bool(a->filled_count && !a->fill_added))};
    ir_node *made = new_operator(a->nodes[0], "tsm::softmax_attention", into);
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++)
        ir_node_add_input(made, inputs[i]);
    ir_block_add_result(into, heads_are_viewed(&a->heads)
                                  ? heads_write_result(ir_out(made, 0), a->query, a->value, a->nodes[0], into)
                                  : arrangement_apply(&a->of_result, ir_out(made, 0), end, a->nodes[0]->range));
}

/* Whether the fused operator takes the tensors, with heads and the masks at `mask`, or as they stand without masks. */
static ir_value *write_fits(const attention *a, ir_node *at, bool is_last, size_t mask) {
    const bool viewed = is_last && heads_are_viewed(&a->heads);
    const bool ordered = viewed || !a->heads.count;
    ir_value *none = ir_insert_constant(at, const_none());
    ir_value *const inputs[] = {ordered ? in_order(a, &a->of_query, a->query, at) : a->query,
                                ordered ? in_order(a, &a->of_keys, a->keys, at) : a->keys,
                                ordered ? in_order(a, &a->of_value, a->value, at) : a->value,
                                mask < a->added_count && is_last ? a->added[mask].mask : none,
                                mask < a->filled_count && is_last ? a->filled[mask].mask : none,
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

/* Conditions each of which is asked where those before it hold. */
typedef struct {
    const attention *a;
    ir_value *all; /* NULL: none yet */
    ir_node *at;   /* what asks the next one stands before this node */
} conditions;

/* The next condition is asked where `condition` holds. */
static void ask_behind(conditions *c, ir_value *condition) {
    ir_node *branch = new_branch(c->a, c->at, condition);
    ir_out(branch, 0)->type = type_basic(TYPE_BOOL);
    ir_block_add_result(branch->blocks[1], ir_insert_constant(branch->blocks[1]->result, const_bool(false)));
    if (c->all)
        ir_block_add_result(c->at->block, ir_out(branch, 0));
    else
        c->all = ir_out(branch, 0);
    c->at = branch->blocks[0]->result;
}

static ir_value *ask_last(conditions *c, ir_value *condition) {
    if (!c->all)
        return condition;
    ir_block_add_result(c->at->block, condition);
    return c->all;
}

static ir_value *write_dtype_test(const attention *a, ir_node *at) {
    call_argument query = {.value = a->query};
    ir_value *dtype = ir_out(schema_call("prim::dtype", at, a->nodes[0]->range, &query, 1), 0);
    call_argument both[] = {{.value = dtype}, {.value = ir_insert_constant(at, const_int(a->dtype))}};
    return ir_out(schema_call("aten::eq", at, a->nodes[0]->range, both, 2), 0);
}

/* With views, their sizes are compared when the tensors have three dimensions, and the masks then. With einsum, numbers
 * of dimensions are compared first. */
static ir_value *write_test(const attention *a) {
    conditions c = {a, NULL, a->nodes[0]};
    if (a->dtype != -1)
        ask_behind(&c, write_dtype_test(a, c.at));
    const arrangement *const how[] = {&a->of_query, &a->of_keys, &a->of_value};
    ir_value *const of[] = {a->query, a->keys, a->value};
    for (size_t i = 0; i < 3; i++)
        if (how[i]->is_there)
            ask_behind(&c, arrangement_fits(how[i], of[i], c.at, a->nodes[0]->range));
    if (a->heads.count) {
        ask_behind(&c, write_fits(a, c.at, false, 0));
        ask_behind(&c, heads_write_test(&a->heads, a->query, a->keys, a->nodes[0], c.at->block));
    }
    if (a->added_count > 1 || a->filled_count > 1)
        ask_behind(&c, write_fits(a, c.at, true, 1));
    return ask_last(&c, write_fits(a, c.at, true, 0));
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
        attention a = {.m = m, .dtype = -1};
        if (find_attention(&a, n) && is_apart(&a, m) && may_move_down(&a))
            replace(&a);
    }
}

void fuse_attention(ir_graph *g, mutation *m) {
    dce(g); /* what nobody wants uses nothing: weights that are returned and dropped */
    fuse_block(g->block, m);
}
