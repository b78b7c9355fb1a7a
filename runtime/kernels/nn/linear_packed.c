/* tsm::linear: float32 rows times a packed weight, finished in registers. No scratch. tsm::narrow_linear: the same with
 * a narrow weight; scratch as tsm_gemm_f32_narrow. tsm::half_linear: the same where rows and result are of the weight's
 * dtype, too. */
#include "runtime/kernels/linalg/gemm.h"
#include "runtime/kernels/nn/finish.h"
#include "runtime/kernels/nn/narrow.h"

/* A way to multiply with the operator's weight. */
typedef struct {
    tsm_status (*run)(tsm_exec *x, const gemm_product *p, const void *weight);
    const void *weight;
} packed_product;

NARROW_INLINE tsm_status linear_multiply(tsm_exec *x, const tsm_tensor *a, const packed_product *by,
                                         const fused_finish *f, tsm_tensor *y, tsm_value *out) {
    tsm_finish finish = f->finish;
    tsm_tensor *residual = NULL;
    tsm_status status = TSM_OK;
    bool fused = tsm_fused_residual_fits(f, y);
    size_t n = (size_t)y->sizes[y->dims - 1], k = (size_t)a->sizes[a->dims - 1];
    if (fused && f->residual) {
        status = tsm_tensor_contiguous(x, f->residual, &residual);
        finish.residual = residual ? residual->data : NULL;
        finish.residual_stride = (ptrdiff_t)n;
    }
    if (!fused)
        finish.activation = TSM_ACT_NONE;
    if (status == TSM_OK && y->elements) {
        gemm_product p = {.batch = 1,
                          .m = (size_t)y->elements / n,
                          .n = n,
                          .k = k,
                          .a = a->data,
                          .a_row = (ptrdiff_t)k,
                          .a_col = 1,
                          .c = y->data,
                          .c_row = (ptrdiff_t)n,
                          .finish = &finish};
        status = by->run(x, &p, by->weight);
    }
    tsm_tensor_drop(x, residual);
    return tsm_fused_deliver(x, status, f, fused, y, out);
}

/* `bias`: the place of the argument; the arguments behind it are in the same order. */
NARROW_INLINE tsm_status linear_run(tsm_exec *x, const tsm_value *const *in, int bias, const packed_product *by,
                                    tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *rows, *y;
    const tsm_tensor *w = arg_tensor(in, 1);
    tsm_dim outputs = arg_dim(in, bias + 2), sizes[TSM_MAX_DIMS];
    fused_finish f;
    if (w->dims != 3 || !tsm_tensor_is_contiguous(w) || w->sizes[2] != TSM_PANEL || outputs < 0 ||
        w->sizes[0] != (tsm_dim)tsm_pack_panels((size_t)outputs))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    TSM_TRY(tsm_fused_read(x, in, bias, bias + 3, outputs, &f));
    if (a->dims == 0 || a->sizes[a->dims - 1] != w->sizes[1]) {
        ptrdiff_t columns = a->dims ? a->sizes[a->dims - 1] : 1, depth = w->sizes[1];
        return TSM_RAISE(x, "mat1 and mat2 shapes cannot be multiplied (%zdx%zd and %zdx%zd)",
                         (ptrdiff_t)(columns ? a->elements / columns : 0), columns, depth, (ptrdiff_t)outputs);
    }
    if (a->dtype != TSM_FLOAT32 && !arg_is_none(in, bias))
        return TSM_RAISE(x, "mat1 and mat2 must have the same dtype");
    if (a->dtype != TSM_FLOAT32)
        return TSM_RAISE(x, "expected scalar type %s but found Float", tsm_dtype_class_name((tsm_dtype)a->dtype));
    memcpy(sizes, a->sizes, (size_t)a->dims * sizeof *sizes);
    sizes[a->dims - 1] = outputs;
    TSM_TRY(tsm_charge_product(x, (uint64_t)a->elements, (uint64_t)outputs, 1));
    TSM_TRY(tsm_tensor_contiguous(x, a, &rows));
    tsm_status status = tsm_tensor_make(x, TSM_FLOAT32, a->dims, sizes, &y);
    if (status == TSM_OK)
        status = linear_multiply(x, rows, by, &f, y, out);
    tsm_tensor_drop(x, rows);
    return status;
}

static tsm_status linear_on_packed(tsm_exec *x, const gemm_product *p, const void *weight) {
    return tsm_gemm_f32_packed(x, p, weight);
}
TSM_KERNEL(tsm_linear) {
    const tsm_tensor *w = arg_tensor(in, 1);
    const packed_product by = {linear_on_packed, w->data};
    if (w->dtype != TSM_FLOAT32)
        return tsm_fail(x, TSM_BAD_FILE, "%s: the weight is not packed for these outputs", x->op->name);
    return linear_run(x, in, 2, &by, out);
}

static tsm_status linear_on_narrow(tsm_exec *x, const gemm_product *p, const void *weight) {
    return tsm_gemm_f32_narrow(x, p, weight);
}
TSM_KERNEL(tsm_narrow_linear) {
    narrow_weight w;
    const packed_product by = {linear_on_narrow, &w};
    TSM_TRY(tsm_narrow_read(x, arg_tensor(in, 1), arg_tensor_or_null(in, 2), &w));
    return linear_run(x, in, 3, &by, out);
}

TSM_KERNEL(tsm_half_linear) {
    narrow_weight w;
    half_layer l;
    const packed_product by = {linear_on_narrow, &w};
    const tsm_tensor *a = arg_tensor(in, 0), *weight = arg_tensor(in, 1);
    TSM_TRY(tsm_narrow_read(x, weight, NULL, &w));
    if (a->dtype != weight->dtype)
        return TSM_RAISE(x, "expected scalar type %s but found %s", tsm_dtype_class_name((tsm_dtype)a->dtype),
                         tsm_dtype_class_name((tsm_dtype)weight->dtype));
    TSM_TRY(tsm_half_begin(x, in, 8, &l));
    return tsm_half_end(x, linear_run(x, l.in, 2, &by, out), &l, out);
}
