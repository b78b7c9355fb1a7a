/* The operators of scaled dot product attention: arguments, shapes and layouts. The loops are in
 * scaled_dot_product_f32.c and scaled_dot_product_f64.c. */
#include "runtime/kernels/nn/scaled_dot_product.h"

const char *tsm_attention_matrix(const attention *a, const attention_operand *o, size_t batch, size_t head) {
    tsm_dim offset = (tsm_dim)(head / o->heads_each) * o->head;
    for (int d = a->batch_dims - 1; d >= 0; d--) {
        const size_t size = (size_t)a->batch_sizes[d];
        offset += (tsm_dim)(batch % size) * o->batch[d];
        batch /= size;
    }
    return o->data + offset * o->size;
}

/* Arguments of an operator. */
typedef struct {
    tsm_tensor *query, *key, *value, *mask; /* mask: or NULL */
    bool is_causal, is_grouped;
    double scale;
    tsm_tensor *filled; /* or NULL */
    double fill;
    bool fills_last, is_softmax; /* is_softmax: what softmax and a product give, in their layout */
} inputs;

/* Sizes of the result and of the scores without their last two. Heads are the last of them. */
typedef struct {
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
} batch_shape;

/* ---- Checks ---- */

static tsm_status check_dtypes(tsm_exec *x, const inputs *i) {
    const tsm_dtype dtype = (tsm_dtype)i->query->dtype;
    if (i->key->dtype != i->query->dtype || i->value->dtype != i->query->dtype)
        return TSM_RAISE(x,
                         "Expected query, key, and value to have the same dtype, but got query.dtype: %s key.dtype: %s "
                         "and value.dtype: %s instead.",
                         tsm_dtype_name(dtype), tsm_dtype_name((tsm_dtype)i->key->dtype),
                         tsm_dtype_name((tsm_dtype)i->value->dtype));
    if (!tsm_dtype_is_floating(dtype))
        return TSM_RAISE(x, "scaled_dot_product_attention is not implemented for '%s'", tsm_dtype_name(dtype));
    if (i->mask && i->mask->dtype != TSM_BOOL && i->mask->dtype != TSM_FLOAT32 && i->mask->dtype != dtype)
        return TSM_RAISE(x,
                         "Expected attn_mask dtype to be bool or float or to match query dtype, but got "
                         "attn_mask.dtype: %s and  query.dtype: %s instead.",
                         tsm_dtype_name((tsm_dtype)i->mask->dtype), tsm_dtype_name(dtype));
    return TSM_OK;
}

static tsm_status check_dims(tsm_exec *x, const inputs *i) {
    int d;
    if (i->query->dims < 2 || i->key->dims < 2 || i->value->dims < 2)
        return TSM_RAISE(x,
                         "Expected query, key, and value to all be  at least 2 dimensional, but got query.dim: %d "
                         "key.dim: %d and value.dim: %d instead.",
                         i->query->dims, i->key->dims, i->value->dims);
    if (i->is_grouped) {
        TSM_TRY(tsm_wrap_dim(x, -3, i->query->dims, &d));
        TSM_TRY(tsm_wrap_dim(x, -3, i->key->dims, &d));
        TSM_TRY(tsm_wrap_dim(x, -3, i->value->dims, &d));
    }
    /* PyTorch's fused kernel alone asks for a matrix. */
    return i->mask && i->query->dims == 4 && !i->is_softmax ? tsm_wrap_dim(x, -2, i->mask->dims, &d) : TSM_OK;
}

static tsm_dim size_from_end(const tsm_tensor *t, int back) {
    return t->sizes[t->dims - back];
}

static tsm_status check_matrices(tsm_exec *x, const tsm_tensor *a, tsm_dim a_size, const tsm_tensor *b,
                                 tsm_dim b_size) {
    if (a_size == b_size)
        return TSM_OK;
    return TSM_RAISE(x, "scaled_dot_product_attention: sizes of [%zd, %zd] and [%zd, %zd] do not fit",
                     (ptrdiff_t)size_from_end(a, 2), (ptrdiff_t)size_from_end(a, 1), (ptrdiff_t)size_from_end(b, 2),
                     (ptrdiff_t)size_from_end(b, 1));
}

/* ---- Shapes ---- */

/* *shape broadcast with the batches of t; groups of heads count as repeated. */
static tsm_status join_batches(tsm_exec *x, const inputs *i, const tsm_tensor *t, batch_shape *shape) {
    tsm_dim sizes[TSM_MAX_DIMS];
    batch_shape joined;
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    if (i->is_grouped) {
        const tsm_dim heads = size_from_end(i->query, 3);
        if (!sizes[t->dims - 3] || heads % sizes[t->dims - 3])
            return TSM_RAISE(x, "Number of heads in key and value must divide the number of heads in ");
        sizes[t->dims - 3] = heads;
    }
    TSM_TRY(tsm_broadcast_shapes(x, shape->dims, shape->sizes, t->dims - 2, sizes, &joined.dims, joined.sizes));
    *shape = joined;
    return TSM_OK;
}

/* A mask (may be NULL) must broadcast to the scores, which it cannot make larger. */
static tsm_status sdp_check_mask(tsm_exec *x, const inputs *i, const tsm_tensor *mask, const batch_shape *shape) {
    batch_shape scores = *shape, joined;
    if (shape->dims + 2 > TSM_MAX_DIMS)
        return TSM_RAISE(x, "scaled_dot_product_attention: too many dimensions");
    scores.sizes[scores.dims++] = size_from_end(i->query, 2);
    scores.sizes[scores.dims++] = size_from_end(i->key, 2);
    if (!mask)
        return TSM_OK;
    TSM_TRY(tsm_broadcast_shapes(x, scores.dims, scores.sizes, mask->dims, mask->sizes, &joined.dims, joined.sizes));
    if (joined.dims != scores.dims || memcmp(joined.sizes, scores.sizes, (size_t)joined.dims * sizeof *joined.sizes))
        return TSM_RAISE(x, "scaled_dot_product_attention: the mask is larger than the scores");
    return TSM_OK;
}

/* Whether PyTorch takes its fused kernel, whose result lies as the query does. */
static bool is_fused(const inputs *i) {
    const tsm_tensor *const t[] = {i->query, i->key, i->value};
    for (int n = 0; n < 3; n++)
        if (t[n]->dims != 4 || t[n]->strides[3] != 1 || t[n]->sizes[0] != i->query->sizes[0] ||
            t[n]->sizes[3] != i->query->sizes[3] || !t[n]->elements ||
            (!i->is_grouped && t[n]->sizes[1] != i->query->sizes[1]))
            return false;
    return !i->mask || i->mask->dims == 2 || i->mask->dims == 4;
}

static attention_operand operand_of(const attention *a, const tsm_tensor *t, bool is_grouped) {
    attention_operand o = {.data = t->data, .dtype = (tsm_dtype)t->dtype, .heads_each = 1};
    const int missing = a->batch_dims + 1 - (t->dims - 2);
    o.size = (tsm_dim)tsm_dtype_size(o.dtype);
    for (int d = 0; d < a->batch_dims; d++) /* missing: dimensions that t does not have, up to the heads */
        o.batch[d] = d < missing || t->sizes[d - missing] == 1 ? 0 : t->strides[d - missing];
    if (t->dims > 2) {
        const tsm_dim heads = size_from_end(t, 3);
        o.heads_each = is_grouped && heads ? a->heads / (size_t)heads : 1;
        o.head = heads == 1 ? 0 : t->strides[t->dims - 3];
    }
    o.row = t->dims > 1 ? t->strides[t->dims - 2] : 0;
    o.column = t->dims > 0 ? t->strides[t->dims - 1] : 0;
    return o;
}

static attention_operand mask_operand(const attention *a, const tsm_tensor *mask) {
    if (!mask)
        return (attention_operand){.heads_each = 1};
    attention_operand o = operand_of(a, mask, false);
    o.row = mask->dims > 1 && size_from_end(mask, 2) == 1 ? 0 : o.row;
    o.column = mask->dims > 0 && size_from_end(mask, 1) == 1 ? 0 : o.column;
    return o;
}

/* Treats heads of one query each that share keys and values as the queries of one head: one product serves them all. */
static void heads_as_queries(attention *a) {
    attention_operand *const each[] = {&a->q, &a->mask, &a->filled, &a->out, &a->log_sums};
    if (a->queries != 1 || a->group == 1)
        return;
    for (size_t i = 0; i < sizeof each / sizeof *each; i++) {
        each[i]->row = each[i]->head;
        each[i]->head *= (tsm_dim)a->group;
    }
    a->k.heads_each = a->v.heads_each = 1;
    a->queries = a->group;
    a->heads /= a->group;
    a->group = 1;
}

static void set_up(attention *a, const inputs *i, const batch_shape *shape, const tsm_tensor *out,
                   const tsm_tensor *log_sums) {
    a->batch_dims = shape->dims > 0 ? shape->dims - 1 : 0;
    a->heads = shape->dims > 0 ? (size_t)shape->sizes[shape->dims - 1] : 1;
    a->batch = 1;
    for (int d = 0; d < a->batch_dims; d++) {
        a->batch_sizes[d] = shape->sizes[d];
        a->batch *= (size_t)shape->sizes[d];
    }
    a->q = operand_of(a, i->query, false);
    a->k = operand_of(a, i->key, i->is_grouped);
    a->v = operand_of(a, i->value, i->is_grouped);
    a->out = operand_of(a, out, false);
    a->mask = mask_operand(a, i->mask);
    a->filled = mask_operand(a, i->filled);
    a->fill = i->fill;
    a->fills_last = i->fills_last;
    a->masked_are_nan = i->is_softmax;
    a->rounds = i->is_softmax && i->query->dtype != TSM_FLOAT32 && i->query->dtype != TSM_FLOAT64;
    if (log_sums) {
        const tsm_dim *strides = log_sums->strides;
        a->log_sums = (attention_operand){log_sums->data,
                                          (tsm_dtype)log_sums->dtype,
                                          (tsm_dim)tsm_dtype_size((tsm_dtype)log_sums->dtype),
                                          {strides[0]},
                                          1,
                                          strides[1],
                                          strides[2],
                                          1};
    } else {
        a->log_sums.heads_each = 1;
    }
    a->group = a->k.heads_each == a->v.heads_each ? a->k.heads_each : 1;
    a->queries = (size_t)size_from_end(i->query, 2);
    a->keys = (size_t)size_from_end(i->key, 2);
    a->features = (size_t)size_from_end(i->query, 1);
    a->value_features = (size_t)size_from_end(i->value, 1);
    a->scale = a->features ? i->scale : 1;
    a->is_causal = i->is_causal && a->queries > 1;
    if (i->is_causal && !a->is_causal)
        a->keys = a->keys < 1 ? 0 : 1;
    heads_as_queries(a);
}

static tsm_status sdp_make_result(tsm_exec *x, const inputs *i, const batch_shape *shape, tsm_tensor **out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    if (!i->is_softmax && is_fused(i))
        return tsm_tensor_make_like(x, i->query, (tsm_dtype)i->query->dtype, out);
    memcpy(sizes, shape->sizes, (size_t)shape->dims * sizeof *sizes);
    sizes[shape->dims] = size_from_end(i->query, 2);
    sizes[shape->dims + 1] = size_from_end(i->value, 1);
    return tsm_tensor_make(x, (tsm_dtype)i->query->dtype, shape->dims + 2, sizes, out);
}

/* [batch, heads, queries], the heads of a query side by side. */
static tsm_status make_log_sums(tsm_exec *x, const tsm_tensor *query, tsm_tensor **out) {
    const tsm_dim *s = query->sizes, sizes[] = {s[0], s[1], s[2]}, strides[] = {s[1] * s[2], 1, s[1]};
    return tsm_tensor_make_strided(x, query->dtype == TSM_FLOAT64 ? TSM_FLOAT64 : TSM_FLOAT32, 3, sizes, strides, out);
}

/* *log_sums is made unless log_sums is NULL; then tensors have 4 dimensions. */
static tsm_status sdp_attend(tsm_exec *x, const inputs *i, tsm_tensor **out, tsm_tensor **log_sums) {
    batch_shape shape = {0};
    TSM_TRY(check_dtypes(x, i));
    TSM_TRY(check_dims(x, i));
    TSM_TRY(check_matrices(x, i->query, size_from_end(i->query, 1), i->key, size_from_end(i->key, 1)));
    TSM_TRY(check_matrices(x, i->key, size_from_end(i->key, 2), i->value, size_from_end(i->value, 2)));
    shape.dims = i->query->dims - 2;
    memcpy(shape.sizes, i->query->sizes, (size_t)shape.dims * sizeof *shape.sizes);
    TSM_TRY(join_batches(x, i, i->key, &shape));
    TSM_TRY(sdp_check_mask(x, i, i->mask, &shape));
    TSM_TRY(sdp_check_mask(x, i, i->filled, &shape));
    TSM_TRY(join_batches(x, i, i->value, &shape));
    TSM_TRY(sdp_make_result(x, i, &shape, out));
    if (log_sums) {
        tsm_status status = make_log_sums(x, i->query, log_sums);
        if (status != TSM_OK) {
            tsm_tensor_drop(x, *out);
            return status;
        }
    }
    if (!(*out)->elements)
        return TSM_OK;
    attention a = {0};
    set_up(&a, i, &shape, *out, log_sums ? *log_sums : NULL);
    tsm_status status =
        tsm_charge_product(x, tsm_work(a.batch, a.heads), tsm_work(a.queries, a.keys), a.features + a.value_features);
    if (status == TSM_OK)
        status = i->query->dtype == TSM_FLOAT64 ? tsm_attention_f64(x, &a) : tsm_attention_f32(x, &a);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, *out);
        if (log_sums)
            tsm_tensor_drop(x, *log_sums);
    }
    return status;
}

/* ---- Operators ---- */

static double scale_or_default(const tsm_value *const *in, int i, const tsm_tensor *query) {
    return arg_is_none(in, i) ? 1 / sqrt((double)size_from_end(query, 1)) : arg_float(in, i);
}

TSM_KERNEL(tsm_attention) {
    tsm_tensor *made;
    inputs i = {.query = arg_tensor(in, 0),
                .key = arg_tensor(in, 1),
                .value = arg_tensor(in, 2),
                .mask = arg_tensor_or_null(in, 3),
                .is_causal = arg_bool(in, 4),
                .is_grouped = arg_bool(in, 6)};
    if (i.query->dims)
        i.scale = scale_or_default(in, 5, i.query);
    if (i.is_causal && i.mask && !is_fused(&i))
        return TSM_RAISE(x, "_scaled_dot_product_attention: Explicit attn_mask should not be set when is_causal=True");
    TSM_TRY(sdp_attend(x, &i, &made, NULL));
    return ret_tensor(out, made);
}

/* ---- softmax and products that were spelled out ---- */

/* Whether t, which is a mask or NULL, broadcasts to scores of these sizes without making them larger. */
static bool mask_fits(const tsm_tensor *t, int dims, const tsm_dim *sizes) {
    if (t && t->dims > dims)
        return false;
    for (int d = 1; t && d <= t->dims; d++)
        if (size_from_end(t, d) != 1 && size_from_end(t, d) != sizes[dims - d])
            return false;
    return true;
}

/* Sizes of the product of a and b, from the right ones on; false when there is none. */
static bool product_sizes(const tsm_tensor *a, const tsm_tensor *b, int *dims, tsm_dim *sizes) {
    *dims = a->dims > b->dims ? a->dims : b->dims;
    for (int d = 3; d <= *dims; d++) {
        const tsm_dim m = d <= a->dims ? size_from_end(a, d) : 1, n = d <= b->dims ? size_from_end(b, d) : 1;
        if (m != n && m != 1 && n != 1)
            return false;
        sizes[*dims - d] = m == 1 ? n : m;
    }
    sizes[*dims - 2] = size_from_end(a, 2);
    sizes[*dims - 1] = size_from_end(b, 1);
    return size_from_end(a, 1) == size_from_end(b, 2);
}

static bool has_loops(const tsm_tensor *t) {
    return t->dtype == TSM_FLOAT32 || t->dtype == TSM_FLOAT64 || t->dtype == TSM_FLOAT16 || t->dtype == TSM_BFLOAT16;
}

/* Whether a tensor, or none, has the queries' dtype. */
static bool is_like(const tsm_tensor *t, const tsm_tensor *query) {
    return !t || t->dtype == query->dtype;
}

/* Keys from which on the fused operator is faster, unless queries are few or scores are filled, which takes time. In
 * double it is as fast from MANY_KEYS_F64 on, and needs less memory where queries are many. */
enum { MANY_KEYS = 128, MANY_KEYS_F64 = 512, FEW_QUERIES = 4 };

static bool is_worth_it(const tsm_tensor *q, tsm_dim queries, tsm_dim keys, bool is_filled) {
    if (q->dtype == TSM_FLOAT64)
        return keys >= MANY_KEYS_F64 && queries > FEW_QUERIES;
    return keys >= MANY_KEYS || queries <= FEW_QUERIES || is_filled;
}

/* Whether the products and the softmax along `dim` can be calculated for these tensors, and are faster so. */
static bool are_attention(const tsm_tensor *q, const tsm_tensor *k, const tsm_tensor *v, const tsm_tensor *added,
                          const tsm_tensor *filled, int64_t dim) {
    int dims, result_dims;
    tsm_dim sizes[TSM_MAX_DIMS], result_sizes[TSM_MAX_DIMS];
    tsm_tensor scores = {.dtype = TSM_FLOAT32};
    if (q->dims < 2 || k->dims < 2 || v->dims < 2 || !size_from_end(q, 1) || !product_sizes(q, k, &dims, sizes) ||
        (dim != -1 && dim != dims - 1) || !mask_fits(added, dims, sizes) || !mask_fits(filled, dims, sizes) ||
        !is_worth_it(q, sizes[dims - 2], sizes[dims - 1], filled))
        return false;
    scores.dims = (uint8_t)dims;
    scores.sizes = sizes;
    return product_sizes(&scores, v, &result_dims, result_sizes);
}

TSM_KERNEL_LIGHT(tsm_attention_fits) {
    const tsm_tensor *q = arg_tensor(in, 0), *k = arg_tensor(in, 1), *v = arg_tensor(in, 2);
    const tsm_tensor *added = arg_tensor_or_null(in, 3), *filled = arg_tensor_or_null(in, 4);
    const bool is_batch = arg_bool(in, 6);
    bool fits =
        has_loops(q) && is_like(k, q) && is_like(v, q) && is_like(added, q) && (!filled || filled->dtype == TSM_BOOL);
    fits = fits && are_attention(q, k, v, added, filled, arg_int(in, 5));
    if (is_batch)
        fits = fits && q->dims == 3 && k->dims == 3 && v->dims == 3 && k->sizes[0] == q->sizes[0] &&
               v->sizes[0] == q->sizes[0];
    (void)x;
    return ret_bool(out, fits);
}

/* The keys' last two dimensions change places. */
static tsm_status transposed_view(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    const int last = t->dims - 1;
    memcpy(sizes, t->sizes, (size_t)t->dims * sizeof *sizes);
    memcpy(strides, t->strides, (size_t)t->dims * sizeof *strides);
    sizes[last - 1] = t->sizes[last];
    sizes[last] = t->sizes[last - 1];
    strides[last - 1] = t->strides[last];
    strides[last] = t->strides[last - 1];
    return tsm_tensor_view_of(x, t, t->dims, sizes, strides, 0, out);
}

TSM_KERNEL(tsm_softmax_attention) {
    tsm_tensor *made, *keys, *k = arg_tensor(in, 1);
    inputs i = {.query = arg_tensor(in, 0),
                .value = arg_tensor(in, 2),
                .scale = arg_float(in, 3),
                .mask = arg_tensor_or_null(in, 4),
                .filled = arg_tensor_or_null(in, 5),
                .fill = arg_float(in, 6),
                .fills_last = arg_bool(in, 7),
                .is_softmax = true};
    if (!has_loops(i.query) || k->dims < 2 || !is_like(i.mask, i.query) || (i.filled && i.filled->dtype != TSM_BOOL))
        return TSM_RAISE(x, "softmax_attention: tensors that attention_fits does not take");
    if (i.filled)
        TSM_TRY(tsm_check_number(x, (tsm_dtype)i.query->dtype, tsm_float(i.fill)));
    TSM_TRY(transposed_view(x, k, &keys));
    i.key = keys;
    tsm_status status = sdp_attend(x, &i, &made, NULL);
    tsm_tensor_drop(x, keys);
    return status == TSM_OK ? ret_tensor(out, made) : status;
}

TSM_KERNEL(aten__scaled_dot_product_flash_attention_for_cpu) {
    tsm_tensor *made, *log_sums;
    inputs i = {.query = arg_tensor(in, 0),
                .key = arg_tensor(in, 1),
                .value = arg_tensor(in, 2),
                .mask = arg_tensor_or_null(in, 5),
                .is_causal = arg_bool(in, 4),
                .is_grouped = true};
    const char *const who = "scaled_dot_product_attention_flash_attention";
    if (i.query->dims != 4 || i.key->dims != 4 || i.value->dims != 4)
        return TSM_RAISE(x, "%s: Accept only 4 dims inputs shape of {B, H, T, K}", who);
    if (arg_float(in, 3) != 0)
        return TSM_RAISE(x, "%s: Currently do not support dropout > 0", who);
    if (i.query->sizes[3] != i.value->sizes[3] || i.query->sizes[3] != i.key->sizes[3])
        return TSM_RAISE(x, "%s: Q/K/V should have the same head size", who);
    if (i.mask && i.mask->dtype != i.query->dtype)
        return TSM_RAISE(x, "%s: Attention mask is the same data type as query", who);
    if (i.mask && i.mask->dims != 2 && i.mask->dims != 4)
        return TSM_RAISE(x, "%s: Attention mask dim in {2, 4}", who);
    i.scale = scale_or_default(in, 6, i.query);
    TSM_TRY(sdp_attend(x, &i, &made, &log_sums));
    out[1] = tsm_of_tensor(log_sums);
    return ret_tensor(out, made);
}
