/* Promotion of dtypes as programs ask for it. */
#include "runtime/kernels/language/lang.h"

static tsm_status dtype_argument(tsm_exec *x, const tsm_value *const *in, int i, tsm_dtype *dtype) {
    int64_t v = arg_int(in, i);
    if (!tsm_dtype_exists(v))
        return TSM_RAISE(x, "%s: %ld is not a dtype", tsm_op_name(x), v);
    *dtype = kernel_dtype(v);
    return TSM_OK;
}

TSM_KERNEL(aten_promote_types) {
    tsm_dtype a = TSM_UINT8, b = TSM_UINT8;
    TSM_TRY(dtype_argument(x, in, 0, &a));
    TSM_TRY(dtype_argument(x, in, 1, &b));
    a = tsm_promote_dtypes(a, b);
    TSM_TRY(tsm_check_promoted(x, a));
    return ret_int(out, a);
}

TSM_KERNEL(aten_can_cast) {
    tsm_dtype from = TSM_UINT8, to = TSM_UINT8;
    TSM_TRY(dtype_argument(x, in, 0, &from));
    TSM_TRY(dtype_argument(x, in, 1, &to));
    return ret_bool(out, tsm_dtype_can_cast(from, to));
}

TSM_KERNEL(aten_result_type_Scalar_Scalar) {
    TSM_UNUSED_IO();
    tsm_promotion p;
    tsm_promote_start(&p);
    tsm_promote_value(&p, *in[0]);
    tsm_promote_value(&p, *in[1]);
    return ret_int(out, tsm_promote_end(&p));
}
