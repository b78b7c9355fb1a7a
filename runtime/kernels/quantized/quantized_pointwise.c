/* Sums, products and concatenations of quantized tensors. Tensors of one shape and one order of dimensions are computed
 * on the stored bytes. Of others products are computed on copies that lie alike, and sums through floats, as PyTorch
 * does: so both are rounded as there. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/shape.h"

typedef struct {
    double scale;
    int64_t zero_point;
    bool relu;
} qpointwise_result_form;

/* Every byte of the storage between the first and the last element is an element. */
static bool qpointwise_is_dense(const tsm_tensor *t) {
    tsm_dim reach = 1;
    for (int d = 0; d < t->dims; d++)
        reach += (t->sizes[d] - 1) * t->strides[d];
    return t->elements > 0 && reach == t->elements;
}

/* Elements lie in the same order in both. */
static bool qpointwise_lie_alike(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != b->dims || !qpointwise_is_dense(a) || !qpointwise_is_dense(b))
        return false;
    for (int d = 0; d < a->dims; d++)
        if (a->sizes[d] != b->sizes[d] || (a->sizes[d] != 1 && a->strides[d] != b->strides[d]))
            return false;
    return true;
}

/* b has one number for each channel of each image of a, which is channels-last: the gate of squeeze and excitation. */
static bool is_gate(const tsm_tensor *a, const tsm_tensor *b) {
    if (a->dims != 4 || b->dims != 4 || !tsm_tensor_is_channels_last(a) || !tsm_tensor_is_contiguous(b) ||
        a->elements == 0)
        return false;
    return b->sizes[0] == a->sizes[0] && b->sizes[1] == a->sizes[1] && b->sizes[2] == 1 && b->sizes[3] == 1;
}

/* ---- Through floats ---- */

static tsm_status through_floats(tsm_exec *x, tsm_kernel kernel, const tsm_value *const *in,
                                 const qpointwise_result_form *r, tsm_value *out) {
    tsm_value a = tsm_none(), b = tsm_none(), y = tsm_none();
    tsm_status status = tsm_kernel_replace(x, tsm_k_aten_dequantize_self, 1, in[0], &a);
    if (status == TSM_OK)
        status = tsm_kernel_replace(x, tsm_k_aten_dequantize_self, 1, in[1], &b);
    if (status == TSM_OK) {
        tsm_value arguments[] = {a, b, tsm_int(1)};
        status = tsm_kernel_replace(x, kernel, 3, arguments, &y);
    }
    if (status == TSM_OK && r->relu)
        status = tsm_kernel_replace(x, tsm_k_aten_relu, 1, &y, &y);
    if (status == TSM_OK) {
        tsm_value arguments[] = {y, tsm_float(r->scale), tsm_int(r->zero_point), tsm_int(arg_tensor(in, 0)->dtype)};
        status = tsm_kernel_call(x, tsm_k_aten_quantize_per_tensor, 4, arguments, out);
    }
    tsm_drop(x, a);
    tsm_drop(x, b);
    tsm_drop(x, y);
    return status;
}

/* ---- On bytes ---- */

/* A part of the result, in the order of memory. */
typedef struct {
    const tsm_q8_loops *q8;
    const uint8_t *a, *b;
    uint8_t *y;
    const tsm_q8_sum *sum; /* or */
    const tsm_q8_product *product;
    size_t gate; /* numbers of b, which serve every pixel; 0: b is as long as a */
} pair_job;

static void add_range(void *argument, void *scratch, size_t begin, size_t end) {
    const pair_job *j = argument;
    (void)scratch;
    j->q8->add(j->y + begin, j->a + begin, j->b + begin, end - begin, j->sum);
}

static void qpointwise_multiply_range(void *argument, void *scratch, size_t begin, size_t end) {
    const pair_job *j = argument;
    (void)scratch;
    if (!j->gate)
        j->q8->multiply(j->y + begin, j->a + begin, j->b + begin, end - begin, j->product);
    else
        for (size_t at = begin; at < end; at += j->gate)
            j->q8->multiply(j->y + at, j->a + at, j->b, j->gate, j->product);
}

enum { GRAIN = 1 << 16 };

/* The greater of the two scales gets 22 bits: with 8 bits of the element and the sum of two that is 31. QNNPACK
 * computes with the same numbers, so results agree to the bit. */
static tsm_q8_sum fixed_point(const quantized_input *a, const quantized_input *b, float scale) {
    enum { BITS = 22 };
    float a_scale = a->scale / scale, b_scale = b->scale / scale, greater = a_scale > b_scale ? a_scale : b_scale;
    int exponent;
    frexpf(greater, &exponent); /* greater = fraction * 2^exponent, 0.5 <= fraction < 1 */
    tsm_q8_sum s = {.shift = BITS - exponent};
    s.shift = s.shift < 1 ? 1 : s.shift > 30 ? 30 : s.shift;
    s.a_factor = (int32_t)rintf(ldexpf(a_scale, s.shift));
    s.b_factor = (int32_t)rintf(ldexpf(b_scale, s.shift));
    s.offset = -(a->zero_point * s.a_factor + b->zero_point * s.b_factor);
    return s;
}

/* False when the scales differ too much from that of the result for the fixed-point factors. */
static bool scales_fit(const tsm_tensor *a, const tsm_tensor *b, double scale) {
    const double most = 256, least = 1.0 / 1024;
    double greater = quantized_scale(a) > quantized_scale(b) ? quantized_scale(a) : quantized_scale(b);
    return greater / scale < most && greater / scale > least;
}

static tsm_status add_bytes(tsm_exec *x, const quantized_input *a, const quantized_input *b,
                            const qpointwise_result_form *r, int32_t zero_point, tsm_tensor *y) {
    tsm_q8_sum sum = fixed_point(a, b, (float)r->scale);
    sum.zero_point = zero_point;
    sum.low = r->relu ? zero_point : 0;
    pair_job j = {.q8 = loops_q8(x), .a = a->tensor->data, .b = b->tensor->data, .y = y->data, .sum = &sum};
    return tsm_loops_parallel(x, (size_t)y->elements, GRAIN, 0, add_range, &j);
}

/* Products of steps are multiplied by this, made in this order: so results agree with PyTorch's to the bit. */
static float steps_factor(float a_scale, float b_scale, double scale) {
    return a_scale * b_scale * (1.0f / (float)scale);
}

static tsm_status multiply_bytes(tsm_exec *x, const quantized_input *a, const quantized_input *b,
                                 const qpointwise_result_form *r, int32_t zero_point, tsm_tensor *y) {
    tsm_q8_product product = {a->zero_point, b->zero_point, steps_factor(a->scale, b->scale, r->scale), zero_point,
                              r->relu ? zero_point : 0};
    pair_job j = {.q8 = loops_q8(x), .a = a->tensor->data, .b = b->tensor->data, .y = y->data, .product = &product};
    if (a->tensor->elements == b->tensor->elements)
        return tsm_loops_parallel(x, (size_t)y->elements, GRAIN, 0, qpointwise_multiply_range, &j);
    size_t image = (size_t)(y->elements / y->sizes[0]);
    tsm_status status = TSM_OK;
    j.gate = (size_t)y->sizes[1];
    for (tsm_dim n = 0; n < y->sizes[0] && status == TSM_OK; n++) {
        status = tsm_loops_parallel(x, image, (GRAIN / j.gate + 1) * j.gate, 0, qpointwise_multiply_range, &j);
        j.a += image;
        j.y += image;
        j.b += j.gate;
    }
    return status;
}

static tsm_status check_quantized_pair(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b) {
    if (!quantized_is(a) || !quantized_is(b))
        return TSM_RAISE(x, "%s: expected quantized tensors", tsm_op_name(x));
    if (a->quantizer->axis >= 0 || b->quantizer->axis >= 0)
        return TSM_RAISE(x, "%s: only per tensor quantization is supported", tsm_op_name(x));
    if (a->dtype != b->dtype)
        return TSM_RAISE(x, "%s: operands should have the same data type", tsm_op_name(x));
    return TSM_OK;
}

/* The result of a product or sum of these, its bytes still to be set: channels-last where the operand that has its
 * sizes is, or contiguous. */
static tsm_status qpointwise_make_result(tsm_exec *x, const tsm_tensor *a, const tsm_tensor *b, tsm_tensor **y) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int dims;
    TSM_TRY(tsm_broadcast_shapes(x, a->dims, a->sizes, b->dims, b->sizes, &dims, sizes));
    tsm_strides_contiguous(dims, sizes, strides);
    if (tsm_same_shape(a, dims, sizes) || tsm_same_shape(b, dims, sizes))
        tsm_strides_suggested(tsm_same_shape(a, dims, sizes) ? a : b, strides);
    return tsm_tensor_make_strided(x, TSM_UINT8, dims, sizes, strides, y);
}

/* Makes the input lie as the result does: a copy, where it does not. */
static tsm_status qpointwise_spread(tsm_exec *x, quantized_input *input, const tsm_tensor *y) {
    tsm_tensor *copy;
    if (qpointwise_lie_alike(input->tensor, y))
        return TSM_OK;
    TSM_TRY(tsm_tensor_make_like(x, y, (tsm_dtype)input->tensor->dtype, &copy));
    tsm_tensor_fill(copy, input->tensor);
    tsm_tensor_drop(x, input->tensor);
    input->tensor = copy;
    return TSM_OK;
}

static tsm_status qpointwise_combine(tsm_exec *x, quantized_input *a, quantized_input *b, bool product, bool is_gated,
                                     const qpointwise_result_form *r, int32_t zero_point, tsm_tensor **y) {
    TSM_TRY(qpointwise_make_result(x, a->tensor, b->tensor, y));
    if ((*y)->elements == 0)
        return TSM_OK;
    tsm_status status = TSM_OK;
    if (!is_gated) {
        status = qpointwise_spread(x, a, *y);
        if (status == TSM_OK)
            status = qpointwise_spread(x, b, *y);
    }
    return status == TSM_OK ? (product ? multiply_bytes : add_bytes)(x, a, b, r, zero_point, *y) : status;
}

static tsm_status combine(tsm_exec *x, const tsm_value *const *in, bool product, bool relu, tsm_value *out) {
    tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1), *y = NULL;
    qpointwise_result_form r = {arg_float(in, 2), arg_int(in, 3), relu};
    quantized_input qa, qb;
    int32_t zero_point;
    TSM_TRY(check_quantized_pair(x, a, b));
    if (product && is_gate(b, a)) {
        tsm_tensor *gate = a;
        a = b;
        b = gate;
    }
    const bool fits = product || (qpointwise_lie_alike(a, b) && scales_fit(a, b, r.scale));
    if (a->dtype == TSM_QINT32 || !fits)
        return through_floats(x, product ? tsm_k_aten_mul_Tensor : tsm_k_aten_add_Tensor, in, &r, out);
    TSM_TRY(tsm_quantized_result_zero(x, (tsm_dtype)a->dtype, r.zero_point, &zero_point));
    TSM_TRY(tsm_quantized_open(x, a, tsm_op_name(x), &qa));
    tsm_status status = tsm_quantized_open(x, b, tsm_op_name(x), &qb);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, qa.tensor);
        return status;
    }
    status = qpointwise_combine(x, &qa, &qb, product, product && is_gate(a, b), &r, zero_point, &y);
    tsm_tensor_drop(x, qa.tensor);
    tsm_tensor_drop(x, qb.tensor);
    return tsm_quantized_close(x, status, y, (tsm_dtype)a->dtype, r.scale, r.zero_point, out);
}

TSM_KERNEL(quantized_add) {
    return combine(x, in, false, false, out);
}
TSM_KERNEL(quantized_add_relu) {
    return combine(x, in, false, true, out);
}
TSM_KERNEL(quantized_mul) {
    return combine(x, in, true, false, out);
}
TSM_KERNEL(quantized_mul_relu) {
    return combine(x, in, true, true, out);
}

/* ---- Concatenation ---- */

static tsm_status cat_arguments(tsm_exec *x, const tsm_value *const *in, bool relu, tsm_value *out) {
    double scale = arg_is_none(in, 2) ? 0 : arg_float(in, 2);
    int64_t zero_point = arg_int_or(in, 3, 0);
    return tsm_cat_quantized(x, arg_list(in, 0), arg_int(in, 1), arg_is_none(in, 2) ? NULL : &scale,
                             arg_is_none(in, 3) ? NULL : &zero_point, relu ? tsm_k_aten_relu : NULL, out);
}

TSM_KERNEL(quantized_cat) {
    return cat_arguments(x, in, false, out);
}
TSM_KERNEL(quantized_cat_relu) {
    return cat_arguments(x, in, true, out);
}

/* ---- Functions of one tensor whose result's parameters are given ---- */

TSM_KERNEL(quantized_hardswish) {
    quantized_call call = {tsm_k_aten_hardswish, 1, {*in[0]}};
    return tsm_quantized_map(x, &call, arg_float(in, 1), arg_int(in, 2), out);
}

TSM_KERNEL(quantized_sigmoid) {
    quantized_call call = {tsm_k_aten_sigmoid, 1, {*in[0]}};
    return tsm_quantized_map(x, &call, arg_float(in, 1), arg_int(in, 2), out);
}

TSM_KERNEL(quantized_leaky_relu) {
    quantized_call call = {tsm_k_aten_leaky_relu, 2, {*in[0], *in[1]}};
    return tsm_quantized_map(x, &call, arg_float(in, 3), arg_int(in, 4), out);
}

/* The result is contiguous, however the input lies. */
TSM_KERNEL(quantized_elu) {
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_contiguous(x, arg_tensor(in, 0), &t));
    quantized_call call = {tsm_k_aten_elu, 4, {tsm_of_tensor(t), *in[3], *in[4], *in[5]}};
    const tsm_status status = tsm_quantized_map(x, &call, arg_float(in, 1), arg_int(in, 2), out);
    tsm_tensor_drop(x, t);
    return status;
}

TSM_KERNEL(tsm_quantized_lookup) {
    tsm_tensor *t = arg_tensor(in, 0);
    const tsm_tensor *table = arg_tensor(in, 1);
    int32_t zero_point;
    if (!quantized_is(t) || t->quantizer->axis >= 0 || (t->dtype != TSM_QUINT8 && t->dtype != TSM_QINT8))
        return TSM_RAISE(x, "%s takes bytes that are quantized per tensor", tsm_op_name(x));
    if (table->dtype != TSM_UINT8 || table->dims != 1 || table->elements != 256 || !tsm_tensor_is_contiguous(table))
        return TSM_RAISE(x, "%s: a table has 256 bytes", tsm_op_name(x));
    TSM_TRY(tsm_quantized_result_zero(x, (tsm_dtype)t->dtype, arg_int(in, 3), &zero_point));
    return tsm_quantized_look_up(x, t, table->data, arg_float(in, 2), arg_int(in, 3), out);
}
