/* Comparisons and logic: results are bool tensors. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"

#define COMPARE_LOOPS(name, text, E)                                                                                   \
    TSM_LOOP2(name##_mask, uint8_t, uint8_t, TSM_NO_PREPARE, E)                                                        \
    TSM_LOOP2(name##_i64, uint8_t, int64_t, TSM_NO_PREPARE, E)                                                         \
    TSM_NARROW_MASKS2(name, E)                                                                                         \
    TSM_LOOP2(name##_f32, uint8_t, float, TSM_NO_PREPARE, E)                                                           \
    TSM_LOOP2(name##_f64, uint8_t, double, TSM_NO_PREPARE, E)
#define COMPARE_TABLE(name, text, ...) COMPARE_TABLE_OF(name, text, false, __VA_ARGS__)
#define COMPARE_TABLE_OF(name, text, is_general, ...)                                                                  \
    TSM_LOOPS_OF(name, text, is_general,                                                                               \
                 {[TSM_LANE_MASK] = name##_mask,                                                                       \
                  [TSM_LANE_I64] = name##_i64,                                                                         \
                  [TSM_LANE_F32] = name##_f32,                                                                         \
                  [TSM_LANE_F64] = name##_f64,                                                                         \
                  TSM_NARROW_ROWS(name) __VA_ARGS__})

COMPARE_LOOPS(eq, "eq_cpu", a == b)
TSM_LOOP2(eq_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, a.re == b.re && a.im == b.im)
CX_MASK_LOOP2(eq_c64, (int)(a.re == b.re) & (int)(a.im == b.im))
COMPARE_TABLE_OF(eq, "eq_cpu", true, [TSM_LANE_C128] = eq_c128, TSM_COMPLEX64_ROW(eq))
COMPARE_LOOPS(ne, "ne_cpu", a != b)
TSM_LOOP2(ne_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, a.re != b.re || a.im != b.im)
CX_MASK_LOOP2(ne_c64, (int)(a.re != b.re) | (int)(a.im != b.im))
COMPARE_TABLE_OF(ne, "ne_cpu", true, [TSM_LANE_C128] = ne_c128, TSM_COMPLEX64_ROW(ne))
COMPARE_LOOPS(lt, "lt_cpu", a < b)
COMPARE_TABLE(lt, "lt_cpu", [TSM_LANE_C128] = NULL)
COMPARE_LOOPS(le, "le_cpu", a <= b)
COMPARE_TABLE(le, "le_cpu", [TSM_LANE_C128] = NULL)
COMPARE_LOOPS(gt, "gt_cpu", a > b)
COMPARE_TABLE(gt, "gt_cpu", [TSM_LANE_C128] = NULL)
COMPARE_LOOPS(ge, "ge_cpu", a >= b)
COMPARE_TABLE(ge, "ge_cpu", [TSM_LANE_C128] = NULL)
COMPARE_LOOPS(logical_and, "logical_and_cpu", a &&b)
TSM_LOOP2(logical_and_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, (a.re != 0 || a.im != 0) && (b.re != 0 || b.im != 0))
COMPARE_TABLE(logical_and, "logical_and_cpu", [TSM_LANE_C128] = logical_and_c128)
COMPARE_LOOPS(logical_or, "logical_or_cpu", a || b)
TSM_LOOP2(logical_or_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, a.re != 0 || a.im != 0 || b.re != 0 || b.im != 0)
COMPARE_TABLE(logical_or, "logical_or_cpu", [TSM_LANE_C128] = logical_or_c128)
COMPARE_LOOPS(logical_xor, "logical_xor_cpu", !a != !b)
TSM_LOOP2(logical_xor_c128, uint8_t, tsm_complex, TSM_NO_PREPARE, cx_nonzero(a) != cx_nonzero(b))
COMPARE_TABLE(logical_xor, "logical_xor_cpu", [TSM_LANE_C128] = logical_xor_c128)

/* What stands for an operand: floats in the place of a tensor. */
static tsm_status compared_value(tsm_exec *x, const tsm_value *v, tsm_value *out) {
    if (v->tag == TSM_TAG_TENSOR)
        return tsm_kernel_call(x, tsm_k_aten_dequantize_self, 1, v, out);
    *out = tsm_hold(*v);
    return TSM_OK;
}

/* Of two operands of which one is quantized. */
static tsm_status compare_quantized(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    tsm_tensor *dest = x->dest;
    const uint64_t dying = x->dying;
    const uint32_t inputs = x->inputs;
    tsm_value a, b = tsm_none();
    const tsm_value *given[] = {&a, &b};
    if (dest && dest->dtype != TSM_BOOL)
        return TSM_RAISE(x, "The 'out' tensor must have dtype 'torch.bool'");
    TSM_TRY(compared_value(x, in[0], &a));
    tsm_status status = compared_value(x, in[1], &b);
    x->dest = NULL;
    x->dying = 0;
    x->inputs = 2;
    if (status == TSM_OK)
        status = tsm_binary(x, given, a, b, loops, TSM_RESULT_BOOL, NULL, out);
    x->dest = dest;
    x->dying = dying;
    x->inputs = inputs;
    tsm_drop(x, a);
    tsm_drop(x, b);
    return status;
}

static bool compare_is_quantized(const tsm_value *v) {
    return v->tag == TSM_TAG_TENSOR && quantized_is(tsm_as_tensor(*v));
}

static tsm_status compare(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    if (compare_is_quantized(in[0]) || compare_is_quantized(in[1]))
        return compare_quantized(x, in, out, loops);
    return tsm_binary(x, in, *in[0], *in[1], loops, TSM_RESULT_BOOL, NULL, out);
}

TSM_KERNEL(aten_eq_Tensor) {
    return compare(x, in, out, &eq_loops);
}
TSM_KERNEL_ALIAS(aten_eq_Scalar, aten_eq_Tensor);
TSM_KERNEL(aten_ne_Tensor) {
    return compare(x, in, out, &ne_loops);
}
TSM_KERNEL_ALIAS(aten_ne_Scalar, aten_ne_Tensor);
TSM_KERNEL_ALIAS(aten_not_equal_Tensor, aten_ne_Tensor);
TSM_KERNEL(aten_lt_Tensor) {
    return compare(x, in, out, &lt_loops);
}
TSM_KERNEL_ALIAS(aten_lt_Scalar, aten_lt_Tensor);
TSM_KERNEL_ALIAS(aten_less_Tensor, aten_lt_Tensor);
TSM_KERNEL(aten_le_Tensor) {
    return compare(x, in, out, &le_loops);
}
TSM_KERNEL_ALIAS(aten_le_Scalar, aten_le_Tensor);
TSM_KERNEL(aten_gt_Tensor) {
    return compare(x, in, out, &gt_loops);
}
TSM_KERNEL_ALIAS(aten_gt_Scalar, aten_gt_Tensor);
TSM_KERNEL_ALIAS(aten_greater_Tensor, aten_gt_Tensor);
TSM_KERNEL(aten_ge_Tensor) {
    return compare(x, in, out, &ge_loops);
}
TSM_KERNEL_ALIAS(aten_ge_Scalar, aten_ge_Tensor);
TSM_KERNEL(aten_logical_and) {
    return compare(x, in, out, &logical_and_loops);
}
TSM_KERNEL(aten_logical_or) {
    return compare(x, in, out, &logical_or_loops);
}
TSM_KERNEL(aten_logical_xor) {
    return compare(x, in, out, &logical_xor_loops);
}

/* ---- Whole tensors ---- */

static tsm_status all_true(tsm_exec *x, tsm_value mask, bool *all) {
    const tsm_tensor *t = tsm_as_tensor(mask);
    if (tsm_tensor_is_contiguous(t)) {
        *all = !t->elements || !memchr(t->data, 0, (size_t)t->elements);
        return TSM_OK;
    }
    *all = true;
    for (tsm_dim i = 0; i < t->elements && *all; i++) {
        tsm_status status = TSM_OK;
        tsm_value v = tsm_tensor_item(x, t, i, &status);
        TSM_TRY(status);
        *all = v.as.b;
    }
    return TSM_OK;
}

static bool same_shape(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != b->dims)
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->sizes[d] != b->sizes[d])
            return false;
    return true;
}

static bool agree_in_quantizer(const tsm_quantizer *a, const tsm_quantizer *b) {
    bool same =
        (a && b) ? tsm_quantizer_axis_word(a) == tsm_quantizer_axis_word(b) && a->channels == b->channels : a == b;
    for (tsm_dim i = 0; same && a && i < a->channels; i++)
        same = a->scales[i] == b->scales[i] && tsm_quantizer_zero_point(a, i) == tsm_quantizer_zero_point(b, i);
    return same;
}

TSM_KERNEL(aten_equal) {
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    if (!same_shape(a, b) || (quantized_is(a) && a->dtype != b->dtype) ||
        !agree_in_quantizer(a->quantizer, b->quantizer))
        return ret_bool(out, false);
    tsm_value mask;
    bool all;
    TSM_TRY(compare(x, in, &mask, &eq_loops));
    tsm_status status = all_true(x, mask, &all);
    tsm_drop(x, mask);
    return status == TSM_OK ? ret_bool(out, all) : status;
}

typedef struct {
    double rtol, atol;
    bool equal_nan;
} tolerance;
#define CLOSE(T)                                                                                                       \
    a == b || (t.equal_nan && a != a && b != b) ||                                                                     \
        (a - a == 0 && b - b == 0 && fabs((double)a - (double)b) <= t.atol + t.rtol * fabs((double)b))
TSM_LOOP2(isclose_i64, uint8_t, int64_t, const tolerance t = *(const tolerance *)k, CLOSE(int64_t))
TSM_LOOP2(isclose_f32, uint8_t, float, const tolerance t = *(const tolerance *)k, CLOSE(float))
TSM_LOOP2(isclose_f64, uint8_t, double, const tolerance t = *(const tolerance *)k, CLOSE(double))
static bool close_complex(tsm_complex a, tsm_complex b, tolerance t) {
    bool a_nan = a.re != a.re || a.im != a.im, b_nan = b.re != b.re || b.im != b.im;
    double away = cx_abs(cx_sub(a, b)), allowed = t.atol + t.rtol * cx_abs(b);
    return cx_equal(a, b) || (t.equal_nan && a_nan && b_nan) ||
           (isfinite(away) && isfinite(allowed) && away <= allowed);
}
TSM_LOOP2(isclose_c128, uint8_t, tsm_complex, const tolerance t = *(const tolerance *)k, close_complex(a, b, t))
TSM_LOOPS(isclose, "isclose",
          {[TSM_LANE_I64] = isclose_i64,
           [TSM_LANE_F32] = isclose_f32,
           [TSM_LANE_F64] = isclose_f64,
           [TSM_LANE_C128] = isclose_c128})

static tsm_status read_tolerance(tsm_exec *x, const tsm_value *const *in, tolerance *t) {
    *t = (tolerance){arg_float(in, 2), arg_float(in, 3), arg_bool(in, 4)};
    for (int i = 2; i < 4; i++)
        if (!(arg_float(in, i) >= 0))
            return TSM_RAISE(x, "%s must be greater than or equal to zero, but got %s", i == 2 ? "rtol" : "atol",
                             tsm_kernel_number(arg_float(in, i)).text);
    return TSM_OK;
}

TSM_KERNEL(aten_isclose) {
    tolerance t;
    TSM_TRY(read_tolerance(x, in, &t));
    return tsm_binary(x, in, *in[0], *in[1], &isclose_loops, TSM_RESULT_BOOL, &t, out);
}
TSM_KERNEL(aten_allclose) {
    tolerance t;
    TSM_TRY(read_tolerance(x, in, &t));
    tsm_value mask;
    bool all;
    TSM_TRY(tsm_binary(x, in, *in[0], *in[1], &isclose_loops, TSM_RESULT_BOOL, &t, &mask));
    tsm_status status = all_true(x, mask, &all);
    tsm_drop(x, mask);
    return status == TSM_OK ? ret_bool(out, all) : status;
}
