/* Operators element by element: dtype and shape of the result, operands that need no conversion, the loop. */
#include "runtime/kernels/pointwise/pointwise.h"

#include "runtime/kernels/quantizer/quantized_tensor.h"

double tsm_number_double(tsm_value number) {
    return tsm_lane_item_of(TSM_LANE_F64, number).f64;
}

static tsm_dtype result_dtype(tsm_dtype common, tsm_result_kind kind) {
    return kind == TSM_RESULT_BOOL ? TSM_BOOL : kind == TSM_RESULT_REAL ? tsm_real_dtype(common) : common;
}

/* The dtype to calculate in. Loops that write masks would be taken for loops that write bools as numbers if they
 * calculated in bool. */
static tsm_dtype calculation_dtype(tsm_dtype common, tsm_result_kind kind, const tsm_loops *loops) {
    if (kind == TSM_RESULT_FLOATING)
        return tsm_floating_dtype(common);
    return kind == TSM_RESULT_BOOL && common == TSM_BOOL && !loops->loop[TSM_LANE_MASK] ? TSM_UINT8 : common;
}

/* The lane of results of type `result` that are calculated in `lane`, which belongs to `dtype`. */
static tsm_lane result_lane(tsm_lane lane, tsm_dtype dtype, tsm_dtype result) {
    return result == dtype         ? lane
           : result == TSM_BOOL    ? TSM_LANE_MASK
           : lane == TSM_LANE_C128 ? TSM_LANE_F64
                                   : TSM_LANE_F32;
}

/* A number as an element of a narrow integer type keeps only that type's bits. */
static tsm_value narrowed(tsm_value v, tsm_dtype dtype) {
    if (v.tag == TSM_TAG_TENSOR || v.tag == TSM_TAG_BOOL || !tsm_dtype_is_integral(dtype) || dtype == TSM_INT64)
        return v;
    tsm_lane_item item = tsm_lane_item_of(TSM_LANE_I64, v), element;
    tsm_lane_store(dtype, &element, 0, TSM_LANE_I64, &item, 1);
    tsm_lane_load(TSM_LANE_I64, &item, dtype, &element, 0, 1);
    return tsm_int(item.i);
}

/* ---- Operands that the loop can read as they lie ---- */

/* Numbers are spread over a block of so many bytes on the stack. */
enum { SPREAD_BYTES = 512 };

/* The tensor whose shape all others have, when nothing is to be converted, broadcast or gathered and numbers, of
 * number_bytes each, fit into their blocks; NULL: tsm_map does it. Small tensors, for which
 * walking costs more than calculating, come this way as well as large ones. */
static const tsm_tensor *straight_shape(const tsm_exec *x, int n, const tsm_value *operands, tsm_dtype dtype,
                                        tsm_dim number_bytes) {
    const tsm_tensor *shape = NULL;
    bool has_number = false;
    for (int i = 0; i < n; i++) {
        if (operands[i].tag != TSM_TAG_TENSOR) {
            has_number = true;
            continue;
        }
        const tsm_tensor *t = tsm_as_tensor(operands[i]);
        if (t->dtype != dtype || !(shape ? tsm_lies_alike(t, shape) : tsm_tensor_is_contiguous(t)))
            return NULL;
        shape = shape ? shape : t;
    }
    if (!shape || (x->dest && !tsm_tensor_is_contiguous(x->dest)) ||
        (has_number && shape->elements > SPREAD_BYTES / number_bytes))
        return NULL;
    return shape;
}

static bool is_operand(int n, const tsm_value *operands, tsm_value v) {
    for (int i = 0; i < n; i++)
        if (operands[i].tag == TSM_TAG_TENSOR && v.tag == TSM_TAG_TENSOR && operands[i].as.o == v.as.o)
            return true;
    return false;
}

/* The result: an operand that dies here and that nobody shares, or what tsm_out_pointwise gives. */
static tsm_status straight_result(tsm_exec *x, const tsm_value *const *in, int n, const tsm_value *operands,
                                  const tsm_tensor *shape, tsm_tensor **out) {
    if (!x->dest)
        for (uint64_t dying = x->dying; dying; dying &= dying - 1) {
            tsm_value v = *in[__builtin_ctzll(dying)];
            if (is_operand(n, operands, v) && tsm_tensor_is_free(tsm_as_tensor(v))) {
                *out = tsm_as_tensor(tsm_hold(v));
                return TSM_OK;
            }
        }
    return tsm_out_pointwise(x, in, (tsm_dtype)shape->dtype, shape->dims, shape->sizes, out);
}

static void pointwise_run_straight(int n, const tsm_value *operands, tsm_lane lane, tsm_loop loop, const void *context,
                                   tsm_tensor *y) {
    tsm_lane_item spread[TSM_MAP_OPERANDS - 1][SPREAD_BYTES / sizeof(tsm_lane_item)];
    void *p[TSM_MAP_OPERANDS] = {y->data};
    for (int i = 0; i < n; i++) {
        p[1 + i] = operands[i].tag == TSM_TAG_TENSOR ? tsm_as_tensor(operands[i])->data : (void *)spread[i];
        if (operands[i].tag != TSM_TAG_TENSOR)
            tsm_lane_fill(lane, spread[i], operands[i], y->elements);
    }
    loop(context, p, y->elements);
}

/* ---- The operators ---- */

#if TSM_NARROW_LANES
/* Operands are not rounded before bfloat16 is calculated: numbers, and tensors of other types, stay floats. */
static bool keeps_operands(int n, const tsm_value *operands, tsm_dtype dtype) {
    for (int i = 0; i < n && dtype == TSM_BFLOAT16; i++)
        if (operands[i].tag != TSM_TAG_TENSOR || tsm_as_tensor(operands[i])->dtype != dtype)
            return false;
    return true;
}
#else
#define keeps_operands(n, operands, dtype) true
#endif

tsm_status tsm_nary(tsm_exec *x, const tsm_value *const *in, int n, const tsm_value *operands, const tsm_loops *loops,
                    tsm_dtype dtype, tsm_dtype result, const void *context, tsm_value *out) {
    const tsm_lane natural = tsm_loops_lane(x, loops, dtype),
                   lane = keeps_operands(n, operands, dtype) ? natural : tsm_lane_of(dtype),
                   results = result_lane(lane, dtype, result);
    tsm_loop loop = tsm_loops_choose(x, loops, lane);
    const tsm_tensor *shape = NULL;
    if (loop && tsm_lane_is_native(lane, dtype) && tsm_lane_is_native(results, result))
        shape = straight_shape(x, n, operands, dtype, (tsm_dim)tsm_lane_size(lane));
    if (shape) {
        tsm_tensor *y;
        TSM_TRY(result == dtype ? straight_result(x, in, n, operands, shape, &y)
                                : tsm_out_pointwise(x, in, result, shape->dims, shape->sizes, &y));
        pointwise_run_straight(n, operands, lane, loop, context, y);
        return ret_tensor(out, y);
    }
    if (lane == tsm_lane_of(dtype))
        TSM_TRY(tsm_loops_find(x, loops, dtype, &loop));
    int dims = 0;
    tsm_dim sizes[TSM_MAX_DIMS] = {0}; /* for gcc, which does not see that the first are written */
    for (int i = 0; i < n; i++)
        if (operands[i].tag == TSM_TAG_TENSOR) {
            const tsm_tensor *t = tsm_as_tensor(operands[i]);
            TSM_TRY(tsm_broadcast_shapes(x, dims, sizes, t->dims, t->sizes, &dims, sizes));
        }
    tsm_tensor *y;
    TSM_TRY(tsm_out_pointwise(x, in, result, dims, sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, results, y);
    for (int i = 0; i < n; i++)
        tsm_map_value(&m, lane, narrowed(operands[i], dtype));
    tsm_status status = tsm_map_run(x, &m, loop, context);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

tsm_status tsm_unary(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *a, const tsm_loops *loops,
                     tsm_result_kind kind, const void *context, tsm_value *out) {
    if (a->quantizer)
        return tsm_quantized_map_same(x, in, out);
    tsm_dtype common = calculation_dtype((tsm_dtype)a->dtype, kind, loops);
    tsm_value operand = tsm_of(TSM_TAG_TENSOR, (void *)(uintptr_t)a);
    return tsm_nary(x, in, 1, &operand, loops, common, result_dtype(common, kind), context, out);
}

tsm_status tsm_arithmetic(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    tsm_dtype dtype = in[0]->tag == TSM_TAG_TENSOR ? (tsm_dtype)arg_tensor(in, 0)->dtype : TSM_BOOL;
    tsm_lane lane = tsm_loops_lane(x, loops, dtype);
    tsm_loop loop = tsm_lane_is_native(lane, dtype) ? tsm_loops_choose(x, loops, lane) : NULL;
    tsm_tensor *y = loop ? tsm_straight_result(x, in, 2) : NULL;
    if (!y)
        return tsm_binary(x, in, *in[0], *in[1], loops, TSM_RESULT_SAME, NULL, out);
    void *p[] = {y->data, arg_tensor(in, 0)->data, arg_tensor(in, 1)->data};
    loop(NULL, p, y->elements);
    return ret_tensor(out, y);
}

tsm_dtype tsm_common_dtype(tsm_value a, tsm_value b) {
    if (a.tag == TSM_TAG_TENSOR) {
        tsm_dtype dtype = (tsm_dtype)tsm_as_tensor(a)->dtype;
        bool is_number = b.tag == TSM_TAG_FLOAT || b.tag == TSM_TAG_INT || b.tag == TSM_TAG_BOOL;
        if (b.tag == TSM_TAG_TENSOR ? tsm_as_tensor(b)->dtype == dtype : is_number && tsm_dtype_is_floating(dtype))
            return dtype;
    }
    tsm_promotion p;
    tsm_promote_start(&p);
    tsm_promote_value(&p, a);
    tsm_promote_value(&p, b);
    return tsm_promote_end(&p);
}

tsm_status tsm_common_shape(tsm_exec *x, tsm_value a, tsm_value b, int *dims, tsm_dim *sizes) {
    const tsm_tensor *p = a.tag == TSM_TAG_TENSOR ? tsm_as_tensor(a) : NULL,
                     *q = b.tag == TSM_TAG_TENSOR ? tsm_as_tensor(b) : NULL;
    return tsm_broadcast_shapes(x, p ? p->dims : 0, p ? p->sizes : NULL, q ? q->dims : 0, q ? q->sizes : NULL, dims,
                                sizes);
}

tsm_status tsm_binary(tsm_exec *x, const tsm_value *const *in, tsm_value a, tsm_value b, const tsm_loops *loops,
                      tsm_result_kind kind, const void *context, tsm_value *out) {
    tsm_dtype common = calculation_dtype(tsm_common_dtype(a, b), kind, loops);
    tsm_value operands[2] = {a, b};
    return tsm_nary(x, in, 2, operands, loops, common, result_dtype(common, kind), context, out);
}
