#include "runtime/kernels/pointwise.h"

#include "runtime/kernels/quantized.h"

double tsm_number_double(tsm_value number) { return tsm_lane_item_of(TSM_LANE_F64, number).f64; }

static tsm_dtype result_dtype(tsm_dtype common, tsm_result_kind kind) {
    return kind == TSM_RESULT_BOOL ? TSM_BOOL : kind == TSM_RESULT_REAL ? tsm_real_dtype(common) : common;
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

tsm_status tsm_nary(tsm_exec *x, const tsm_value *const *in, int n, const tsm_value *operands, const tsm_loops *loops,
                    tsm_dtype dtype, tsm_dtype result, const void *context, tsm_value *out) {
    tsm_loop loop;
    TSM_TRY(tsm_loops_find(x, loops, dtype, &loop));
    int dims = 0;
    tsm_dim sizes[TSM_MAX_DIMS];
    for (int i = 0; i < n; i++)
        if (operands[i].tag == TSM_TAG_TENSOR) {
            const tsm_tensor *t = tsm_as_tensor(operands[i]);
            TSM_TRY(tsm_broadcast_shapes(x, dims, sizes, t->dims, t->sizes, &dims, sizes));
        }
    tsm_tensor *y;
    TSM_TRY(tsm_out_pointwise(x, in, result, dims, sizes, &y));
    tsm_lane lane = tsm_lane_of(dtype);
    tsm_lane result_lane = result == dtype ? lane : result == TSM_BOOL ? TSM_LANE_MASK : TSM_LANE_F64;
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, result_lane, y);
    for (int i = 0; i < n; i++)
        tsm_map_value(&m, lane, narrowed(operands[i], dtype));
    tsm_status status = tsm_map_run(x, &m, loop, context);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

tsm_status tsm_unary(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *a, const tsm_loops *loops, tsm_result_kind kind,
                     const void *context, tsm_value *out) {
    tsm_dtype common = (tsm_dtype)a->dtype;
    if (a->quantizer)
        return quantized_map_same(x, in, out);
    if (kind == TSM_RESULT_FLOATING)
        common = tsm_floating_dtype(common);
    tsm_value operand = tsm_of(TSM_TAG_TENSOR, (void *)(uintptr_t)a);
    return tsm_nary(x, in, 1, &operand, loops, common, result_dtype(common, kind), context, out);
}

tsm_dtype tsm_common_dtype(tsm_value a, tsm_value b) {
    tsm_promotion p;
    tsm_promote_start(&p);
    tsm_promote_value(&p, a);
    tsm_promote_value(&p, b);
    return tsm_promote_end(&p);
}

tsm_status tsm_common_shape(tsm_exec *x, tsm_value a, tsm_value b, int *dims, tsm_dim *sizes) {
    const tsm_tensor *p = a.tag == TSM_TAG_TENSOR ? tsm_as_tensor(a) : NULL, *q = b.tag == TSM_TAG_TENSOR ? tsm_as_tensor(b) : NULL;
    return tsm_broadcast_shapes(x, p ? p->dims : 0, p ? p->sizes : NULL, q ? q->dims : 0, q ? q->sizes : NULL, dims, sizes);
}

tsm_status tsm_binary(tsm_exec *x, const tsm_value *const *in, tsm_value a, tsm_value b, const tsm_loops *loops,
                      tsm_result_kind kind, const void *context, tsm_value *out) {
    tsm_dtype common = tsm_common_dtype(a, b);
    if (kind == TSM_RESULT_FLOATING)
        common = tsm_floating_dtype(common);
    tsm_value operands[2] = {a, b};
    return tsm_nary(x, in, 2, operands, loops, common, result_dtype(common, kind), context, out);
}
