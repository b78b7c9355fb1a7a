/* The fused operator of torch.nn's MultiheadAttention. It is composed of other operators, as its definition
 * (aten/src/ATen/native/transformers) is. */
#include "runtime/kernels/linalg/matmul.h"
#include "runtime/kernels/nn/nn.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/reduce/reduce.h"

/* Runs an operator and puts its result in the place of *value, which is dropped. Does nothing after a failure. */
static void replace(tsm_exec *x, tsm_status *status, tsm_kernel kernel, int n, tsm_value *arguments, tsm_value *value) {
    if (*status != TSM_OK)
        return;
    tsm_value made = tsm_none();
    *status = tsm_kernel_call(x, kernel, n, arguments, &made);
    tsm_drop(x, *value);
    *value = made;
}

/* Sizes of batch, sequence, heads and features of a head. */
typedef struct {
    tsm_dim batch, heads, head;
} heads_shape;

/* Rows of the projection [batch, length, 3 * embed] that start at `first` as [batch, heads, length, head]; a view. */
static tsm_status head_view(tsm_exec *x, tsm_tensor *projected, const heads_shape *s, tsm_dim first, tsm_tensor **out) {
    tsm_dim sizes[4] = {s->batch, s->heads, projected->sizes[1], s->head};
    tsm_dim strides[4] = {projected->strides[0], s->head * projected->strides[2], projected->strides[1],
                          projected->strides[2]};
    return tsm_tensor_view_of(x, projected, 4, sizes, strides, first * projected->strides[2], out);
}

static tsm_status rows_of(tsm_exec *x, tsm_tensor *w, tsm_dim first, tsm_dim count, tsm_value *out) {
    tsm_tensor *part;
    tsm_dim sizes[2] = {count, w->dims > 1 ? w->sizes[1] : 1};
    TSM_TRY(tsm_tensor_view_of(x, w, w->dims, sizes, w->strides, first * w->strides[0], &part));
    *out = tsm_of_tensor(part);
    return TSM_OK;
}

/* Projects t with rows [first, first + count) of the packed weight and bias. */
static tsm_status project(tsm_exec *x, tsm_value t, tsm_tensor *w, tsm_tensor *b, tsm_dim first, tsm_dim count,
                          tsm_value *out) {
    tsm_value weight = tsm_none(), bias = tsm_none();
    tsm_status status = rows_of(x, w, first, count, &weight);
    if (status == TSM_OK)
        status = rows_of(x, b, first, count, &bias);
    tsm_value arguments[] = {t, weight, bias};
    if (status == TSM_OK)
        status = tsm_kernel_call(x, tsm_k_aten_linear, 3, arguments, out);
    tsm_drop(x, weight);
    tsm_drop(x, bias);
    return status;
}

/* The mask as [batch, heads, length, keys], which are `sizes`. mask_type 1: padding of keys [batch, keys], else of
 * scores.
 */
static tsm_status wide_mask(tsm_exec *x, const tsm_dim *sizes, tsm_tensor *mask, int64_t mask_type, tsm_tensor **wide) {
    tsm_dim strides[4] = {0, 0, 0, mask->dims ? mask->strides[mask->dims - 1] : 0};
    bool by_key = mask_type == 1 && mask->dims == 2;
    if (mask->dims < 2 || mask->sizes[mask->dims - 1] != sizes[3] ||
        (mask->dims == 2 && mask->sizes[0] != (by_key ? sizes[0] : sizes[2])))
        return TSM_RAISE(x, "the attention mask has another shape than the scores");
    if (by_key)
        strides[0] = mask->strides[0];
    else
        strides[2] = mask->strides[mask->dims - 2];
    if (mask->dims == 4) {
        strides[0] = mask->sizes[0] == 1 ? 0 : mask->strides[0];
        strides[1] = mask->sizes[1] == 1 ? 0 : mask->strides[1];
    }
    return tsm_tensor_view_of(x, mask, 4, sizes, strides, 0, wide);
}

/* Puts the scores of masked places at -inf, or adds the mask. */
static tsm_status mask_scores(tsm_exec *x, tsm_value *scores, tsm_tensor *mask) {
    tsm_status status = TSM_OK;
    if (mask->dtype == TSM_BOOL) {
        tsm_value arguments[] = {*scores, tsm_of_tensor(mask), tsm_float(-(double)INFINITY)};
        replace(x, &status, tsm_k_aten_masked_fill_Scalar, 3, arguments, scores);
    } else {
        tsm_value arguments[] = {*scores, tsm_of_tensor(mask), tsm_int(1)};
        replace(x, &status, tsm_k_aten_add_Tensor, 3, arguments, scores);
    }
    return status;
}

typedef struct {
    tsm_value query, key, value;
    tsm_tensor *qkv_weight, *qkv_bias, *proj_weight, *proj_bias, *mask;
    int64_t embed, heads, mask_type;
} attention_inputs;

/* softmax(hq hk^T + mask) hv by its parts: *scores receives the weights. */
static tsm_status weigh(tsm_exec *x, tsm_tensor *hq, tsm_tensor *keys, tsm_tensor *hv, tsm_tensor *mask,
                        tsm_value *scores, tsm_value *result) {
    tsm_value factors[] = {tsm_of_tensor(hq), tsm_of_tensor(keys)};
    tsm_status status = tsm_kernel_call(x, tsm_k_aten_matmul, 2, factors, scores);
    if (status == TSM_OK && mask)
        status = mask_scores(x, scores, mask);
    tsm_value soft[] = {*scores, tsm_int(-1), tsm_none()};
    replace(x, &status, tsm_k_aten_softmax_int, 3, soft, scores);
    tsm_value weighed[] = {*scores, tsm_of_tensor(hv)};
    return status == TSM_OK ? tsm_kernel_call(x, tsm_k_aten_matmul, 2, weighed, result) : status;
}

/* The same without the matrix of weights; of float32. */
static tsm_status fuse(tsm_exec *x, tsm_tensor *hq, tsm_tensor *keys, tsm_tensor *hv, tsm_tensor *mask,
                       tsm_value *result) {
    const bool fills = mask && mask->dtype == TSM_BOOL;
    tsm_value arguments[] = {tsm_of_tensor(hq),
                             tsm_of_tensor(keys),
                             tsm_of_tensor(hv),
                             tsm_float(1),
                             mask && !fills ? tsm_of_tensor(mask) : tsm_none(),
                             fills ? tsm_of_tensor(mask) : tsm_none(),
                             tsm_float(-(double)INFINITY),
                             tsm_bool(true)};
    return tsm_kernel_call(x, tsm_k_tsm_softmax_attention, 8, arguments, result);
}

/* *scores receives the weights if they are wanted. */
static tsm_status attend_to_heads(tsm_exec *x, const attention_inputs *a, tsm_tensor *hq, tsm_tensor *hk,
                                  tsm_tensor *hv, bool wanted, tsm_value *scores, tsm_value *result) {
    tsm_tensor *keys, *mask = NULL;
    const tsm_dim sizes[4] = {hk->sizes[0], hk->sizes[1], hk->sizes[3], hk->sizes[2]};
    const tsm_dim strides[4] = {hk->strides[0], hk->strides[1], hk->strides[3], hk->strides[2]};
    const tsm_dim scores_sizes[4] = {hq->sizes[0], hq->sizes[1], hq->sizes[2], hk->sizes[2]};
    TSM_TRY(tsm_tensor_view_of(x, hk, 4, sizes, strides, 0, &keys));
    tsm_status status = a->mask ? wide_mask(x, scores_sizes, a->mask, a->mask_type, &mask) : TSM_OK;
    const bool takes_mask = !mask || mask->dtype == TSM_BOOL || mask->dtype == TSM_FLOAT32;
    if (status == TSM_OK)
        status = wanted || hq->dtype != TSM_FLOAT32 || !takes_mask ? weigh(x, hq, keys, hv, mask, scores, result)
                                                                   : fuse(x, hq, keys, hv, mask, result);
    tsm_tensor_drop(x, keys);
    tsm_tensor_drop(x, mask);
    return status;
}

/* *weights (may be NULL) receives the attention weights [batch, heads, length, keys]. */
static tsm_status attend(tsm_exec *x, const attention_inputs *a, tsm_value *out, tsm_value *weights) {
    tsm_value q = tsm_none(), k = tsm_none(), v = tsm_none(), scores = tsm_none(), result = tsm_none();
    tsm_tensor *hq = NULL, *hk = NULL, *hv = NULL;
    tsm_dim embed = (tsm_dim)a->embed;
    const tsm_tensor *query = tsm_as_tensor(a->query);
    if (query->dims != 3 || a->heads < 1 || embed % a->heads || query->sizes[2] != embed ||
        a->qkv_weight->sizes[0] != 3 * embed)
        return TSM_RAISE(x, "expected 3-D query of %ld features divisible by %ld heads", a->embed, a->heads);
    heads_shape s = {query->sizes[0], (tsm_dim)a->heads, embed / (tsm_dim)a->heads};
    tsm_status status = project(x, a->query, a->qkv_weight, a->qkv_bias, 0, embed, &q);
    if (status == TSM_OK)
        status = project(x, a->key, a->qkv_weight, a->qkv_bias, embed, embed, &k);
    if (status == TSM_OK)
        status = project(x, a->value, a->qkv_weight, a->qkv_bias, 2 * embed, embed, &v);
    tsm_value scale[] = {q, tsm_float(1 / sqrt((double)s.head))};
    replace(x, &status, tsm_k_aten_mul_Tensor, 2, scale, &q);
    if (status == TSM_OK)
        status = head_view(x, tsm_as_tensor(q), &s, 0, &hq);
    if (status == TSM_OK)
        status = head_view(x, tsm_as_tensor(k), &s, 0, &hk);
    if (status == TSM_OK)
        status = head_view(x, tsm_as_tensor(v), &s, 0, &hv);
    if (status == TSM_OK)
        status = attend_to_heads(x, a, hq, hk, hv, weights != NULL, &scores, &result);
    if (status == TSM_OK) { /* [batch, heads, length, head] -> [batch, length, embed] */
        tsm_tensor *t = tsm_as_tensor(result), *order, *flat, *rows;
        tsm_dim sizes[4] = {t->sizes[0], t->sizes[2], t->sizes[1], t->sizes[3]};
        tsm_dim strides[4] = {t->strides[0], t->strides[2], t->strides[1], t->strides[3]};
        tsm_dim together[3] = {sizes[0], sizes[1], embed}, row_major[3];
        tsm_strides_contiguous(3, together, row_major);
        status = tsm_tensor_view_of(x, t, 4, sizes, strides, 0, &order);
        if (status == TSM_OK) {
            status = tsm_tensor_contiguous(x, order, &rows);
            tsm_tensor_drop(x, order);
        }
        if (status == TSM_OK) {
            status = tsm_tensor_view_of(x, rows, 3, together, row_major, 0, &flat);
            tsm_tensor_drop(x, rows);
        }
        if (status == TSM_OK) {
            tsm_value arguments[] = {tsm_of_tensor(flat), tsm_of_tensor(a->proj_weight), tsm_of_tensor(a->proj_bias)};
            status = tsm_kernel_call(x, tsm_k_aten_linear, 3, arguments, out);
            tsm_tensor_drop(x, flat);
        }
    }
    tsm_tensor *const views[] = {hq, hk, hv};
    for (int i = 0; i < 3; i++)
        tsm_tensor_drop(x, views[i]);
    tsm_drop(x, q);
    tsm_drop(x, k);
    tsm_drop(x, v);
    tsm_drop(x, result);
    if (status == TSM_OK && weights)
        *weights = scores;
    else
        tsm_drop(x, scores);
    return status;
}

TSM_KERNEL(aten__native_multi_head_attention) {
    attention_inputs a = {*in[0],
                          *in[1],
                          *in[2],
                          arg_tensor(in, 5),
                          arg_tensor(in, 6),
                          arg_tensor(in, 7),
                          arg_tensor(in, 8),
                          arg_tensor_or_null(in, 9),
                          arg_int(in, 3),
                          arg_int(in, 4),
                          arg_int_or(in, 12, 0)};
    bool wanted = arg_bool(in, 10);
    tsm_value weights = tsm_none();
    TSM_TRY(attend(x, &a, out, wanted ? &weights : NULL));
    tsm_status status = TSM_OK;
    if (!wanted) {
        tsm_dim none = 0;
        tsm_tensor *empty;
        status = tsm_tensor_make(x, TSM_FLOAT32, 1, &none, &empty);
        if (status == TSM_OK)
            weights = tsm_of_tensor(empty);
    } else if (arg_bool(in, 11)) {
        tsm_list *dims;
        status = tsm_make_list(x, 1, &dims);
        if (status == TSM_OK) {
            dims->items[dims->length++] = tsm_int(1);
            tsm_value arguments[] = {weights, tsm_of(TSM_TAG_LIST, dims), tsm_bool(false), tsm_none()};
            replace(x, &status, tsm_k_aten_mean_dim, 4, arguments, &weights);
            tsm_drop(x, tsm_of(TSM_TAG_LIST, dims));
        }
    }
    if (status != TSM_OK) {
        tsm_drop(x, weights);
        tsm_drop(x, out[0]);
        return status;
    }
    out[1] = weights;
    return TSM_OK;
}
