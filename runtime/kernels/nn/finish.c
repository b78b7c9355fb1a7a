/* Bias, residual and activation of fused operators. */
#include "runtime/kernels/nn/finish.h"

#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/value/parts.h"

TSM_PART tsm_status tsm_fused_check_activation(tsm_exec *x) {
    (void)x;
    return TSM_OK;
}

tsm_status tsm_fused_read(tsm_exec *x, const tsm_value *const *in, int bias, int activation, tsm_dim outputs,
                          fused_finish *f) {
    memset(f, 0, sizeof *f);
    const tsm_tensor *b = arg_tensor_or_null(in, bias);
    if (b && (b->dtype != TSM_FLOAT32 || b->dims != 1 || b->sizes[0] != outputs || !tsm_tensor_is_contiguous(b)))
        return tsm_fail(x, TSM_BAD_FILE, "%s: the bias does not fit the outputs", x->op->name);
    f->finish.column_bias = b ? b->data : NULL;
    f->residual = arg_tensor_or_null(in, bias + 1);
    int64_t number = arg_int(in, activation);
    if (number < 0 || number >= TSM_ACT_COUNT)
        return tsm_fail(x, TSM_BAD_FILE, "%s: there is no activation %ld", x->op->name, number);
    if (number > TSM_ACT_CLAMP)
        TSM_TRY(tsm_fused_check_activation(x));
    f->finish.activation = (tsm_activation)number;
    f->finish.low = (float)arg_float(in, activation + 1);
    f->finish.high = (float)arg_float(in, activation + 2);
    return TSM_OK;
}

bool tsm_fused_residual_fits(const fused_finish *f, const tsm_tensor *y) {
    const tsm_tensor *r = f->residual;
    if (!r)
        return true;
    for (int d = 0; d < y->dims && r->dims == y->dims; d++)
        if (r->sizes[d] != y->sizes[d])
            return false;
    return r->dims == y->dims && r->dtype == TSM_FLOAT32;
}

TSM_PART tsm_status tsm_fused_add_residual(tsm_exec *x, const fused_finish *f, tsm_tensor *y, tsm_value *out) {
    tsm_value sum, arguments[] = {tsm_of_tensor(y), tsm_of_tensor(f->residual), tsm_int(1)};
    TSM_TRY(tsm_kernel_call(x, tsm_k_aten_add_Tensor, 3, arguments, &sum));
    tsm_tensor *t = tsm_as_tensor(sum);
    if (f->finish.activation != TSM_ACT_NONE && t->dtype != TSM_FLOAT32) {
        tsm_tensor_drop(x, t);
        return TSM_RAISE(x, "%s: a residual of type %s is not supported", x->op->name,
                         tsm_dtype_name((tsm_dtype)f->residual->dtype));
    }
    if (f->finish.activation != TSM_ACT_NONE)
        TSM_F32(loops_f32(x), activate, t->data, t->data, (size_t)t->elements, f->finish.activation, f->finish.low,
                f->finish.high);
    return ret_tensor(out, t);
}

tsm_status tsm_fused_deliver(tsm_exec *x, tsm_status status, const fused_finish *f, bool done, tsm_tensor *y,
                             tsm_value *out) {
    if (status == TSM_OK && done)
        return ret_tensor(out, y);
    if (status == TSM_OK)
        status = tsm_fused_add_residual(x, f, y, out);
    tsm_tensor_drop(x, y);
    return status;
}
