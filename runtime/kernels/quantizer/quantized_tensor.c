/* Reading and making quantized tensors, and operators for other tensors run on them. */
#include "runtime/kernels/quantizer/quantized_tensor.h"

#include <limits.h>

#include "runtime/value/parts.h"

enum { MOVE = 128, BYTES = 256 };

tsm_status tsm_quantized_set(tsm_exec *x, tsm_tensor *y, double scale, int64_t zero_point) {
    TSM_TRY(tsm_check_zero_points(x, (tsm_dtype)y->dtype, 1, &zero_point));
    return tsm_tensor_quantize_by(x, y, -1, 1, &scale, &zero_point);
}

static void quantized_flip(uint8_t *bytes, size_t n) {
    for (size_t i = 0; i < n; i++)
        bytes[i] ^= MOVE;
}

/* Bytes of the elements of a dense tensor, whatever the order of its dimensions. */
static size_t dense_bytes(const tsm_tensor *t) {
    return (size_t)t->elements * tsm_dtype_size((tsm_dtype)t->dtype);
}

/* ---- Inputs and results ---- */

tsm_status tsm_quantized_open(tsm_exec *x, tsm_tensor *t, const char *what, quantized_input *input) {
    if (!quantized_is(t) || (t->dtype != TSM_QUINT8 && t->dtype != TSM_QINT8))
        return TSM_RAISE(x, "%s(): expected a tensor of quint8 or qint8, got %s", what,
                         tsm_dtype_name((tsm_dtype)t->dtype));
    if (t->quantizer->axis >= 0)
        return TSM_RAISE(x, "%s(): expected a tensor quantized per tensor", what);
    input->scale = (float)quantized_scale(t);
    input->zero_point = (int32_t)quantized_zero_point(t) + (t->dtype == TSM_QINT8 ? MOVE : 0);
    if (t->dtype == TSM_QUINT8) {
        tsm_hold(tsm_of_tensor(t));
        input->tensor = t;
        return TSM_OK;
    }
    TSM_TRY(tsm_tensor_make_like(x, t, TSM_UINT8, &input->tensor));
    tsm_tensor *stored;
    tsm_status status = tsm_tensor_view_of(x, t, t->dims, t->sizes, t->strides, 0, &stored);
    if (status == TSM_OK) {
        tsm_quantizer_drop(x, stored->quantizer);
        stored->quantizer = NULL;
        stored->dtype = TSM_UINT8;
        status = tsm_tensor_copy(x, input->tensor, stored);
        tsm_tensor_drop(x, stored);
    }
    if (status == TSM_OK)
        quantized_flip(input->tensor->data, dense_bytes(input->tensor));
    else
        tsm_tensor_drop(x, input->tensor);
    return status;
}

tsm_status tsm_quantized_result_zero(tsm_exec *x, tsm_dtype dtype, int64_t zero_point, int32_t *of_bytes) {
    int64_t least = dtype == TSM_QINT8 ? -MOVE : 0;
    if (zero_point < least || zero_point > least + UCHAR_MAX)
        return TSM_RAISE(x, "zero_point %ld is outside of %s", zero_point, tsm_dtype_name(dtype));
    *of_bytes = (int32_t)(zero_point - least);
    return TSM_OK;
}

tsm_status tsm_quantized_close(tsm_exec *x, tsm_status status, tsm_tensor *y, tsm_dtype dtype, double scale,
                               int64_t zero_point, tsm_value *out) {
    if (status == TSM_OK) {
        y->dtype = (uint8_t)dtype;
        status = tsm_quantized_set(x, y, scale, zero_point);
    }
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    if (dtype == TSM_QINT8)
        quantized_flip(y->data, dense_bytes(y));
    return ret_tensor(out, y);
}

/* ---- Choosing parameters ---- */

/* A range narrower than the smallest step grows to it: to the other side of 0, or to both in proportion. */
static void widen(double width, double smallest, double steps, double *low, double *high) {
    if (*low == 0)
        *high = smallest * steps;
    else if (*high == 0)
        *low = -smallest * steps;
    else {
        *low *= smallest / width;
        *high *= smallest / width;
    }
}

void tsm_quantized_choose(float least, float greatest, int32_t most, float *scale, int32_t *zero_point) {
    const double steps = most, smallest = 6.1e-5f; /* the inverse of a finer step would lose precision */
    double low = least < 0 ? least : 0, high = greatest > 0 ? greatest : 0, width = (high - low) / steps;
    if ((float)width == 0.0f || isinf(1.0f / (float)width))
        width = 0.1;
    if (width < smallest) {
        widen(width, smallest, steps, &low, &high);
        width = smallest;
    }
    /* 0 must be a number of the result exactly: from the end that is nearer to it. */
    bool from_low = -fabs(low / width) < steps - fabs(high / width);
    double zero = from_low ? -low / width : steps - high / width;
    *scale = (float)width;
    /* Steps of infinite width have no zero point: PyTorch's conversion gives the least int, which nothing takes. */
    *zero_point = isnan(zero) ? INT32_MIN : zero < 0 ? 0 : zero > steps ? most : (int32_t)nearbyint(zero);
}

/* ---- Other operators ---- */

/* The running operator with its own arguments; raises when there are too many. */
static tsm_status running_call(tsm_exec *x, const tsm_value *const *in, quantized_call *call) {
    *call = (quantized_call){.kernel = x->op->kernel, .n = x->op->inputs};
    if (call->n > QUANTIZED_ARGUMENTS || x->inputs != x->op->inputs) /* too many, or of a kernel within another */
        return TSM_RAISE(x, "%s does not take quantized tensors", tsm_op_name(x));
    for (int i = 0; i < call->n; i++)
        call->arguments[i] = *in[i];
    return TSM_OK;
}

/* The running operator's arguments, all that running_call takes, with another one in place of the one at `at`. */
static void replace_argument(const tsm_exec *x, const tsm_value *const *in, uint32_t at, const tsm_value *v,
                             const tsm_value **given) {
    for (uint32_t i = 0; i < x->inputs && i < QUANTIZED_ARGUMENTS; i++)
        given[i] = i == at ? v : in[i];
}

static tsm_status refuse_channels(tsm_exec *x) {
    return TSM_RAISE(x, "%s does not take tensors quantized per channel", tsm_op_name(x));
}

static tsm_status run_with(tsm_exec *x, const quantized_call *call, tsm_tensor *first, tsm_value *out) {
    quantized_call other = *call;
    other.arguments[0] = tsm_of_tensor(first);
    return tsm_kernel_call(x, other.kernel, other.n, other.arguments, out);
}

static tsm_status quantized_dequantized(tsm_exec *x, tsm_tensor *t, tsm_value *out) {
    tsm_value argument = tsm_of_tensor(t);
    return tsm_kernel_call(x, tsm_k_aten_dequantize_self, 1, &argument, out);
}

static tsm_status quantized_as(tsm_exec *x, tsm_value floats, tsm_dtype dtype, double scale, int64_t zero_point,
                               tsm_value *out) {
    tsm_value arguments[] = {floats, tsm_float(scale), tsm_int(zero_point), tsm_int(dtype)};
    return tsm_kernel_call(x, tsm_k_aten_quantize_per_tensor, 4, arguments, out);
}

TSM_PART tsm_status tsm_quantized_through_floats(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0);
    tsm_value floats, result;
    quantized_call call;
    if (t->quantizer->axis >= 0)
        return refuse_channels(x);
    TSM_TRY(running_call(x, in, &call));
    TSM_TRY(quantized_dequantized(x, t, &floats));
    tsm_status status = run_with(x, &call, tsm_as_tensor(floats), &result);
    tsm_drop(x, floats);
    TSM_TRY(status);
    status = quantized_as(x, result, (tsm_dtype)t->dtype, quantized_scale(t), quantized_zero_point(t), out);
    tsm_drop(x, result);
    return status;
}

TSM_PART tsm_status tsm_quantized_through_steps(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0), *steps;
    const tsm_value *given[QUANTIZED_ARGUMENTS];
    if (t->quantizer->axis >= 0)
        return refuse_channels(x);
    TSM_TRY(tsm_tensor_view_of(x, t, t->dims, t->sizes, t->strides, 0, &steps));
    const tsm_value v = tsm_of_tensor(steps);
    replace_argument(x, in, 0, &v, given);
    tsm_status status = tsm_quantized_set(x, steps, 1, quantized_zero_point(t));
    if (status == TSM_OK)
        status = tsm_quantized_through_floats(x, given, out);
    tsm_tensor_drop(x, steps);
    TSM_TRY(status);
    status = tsm_quantized_set(x, tsm_as_tensor(*out), quantized_scale(t), quantized_zero_point(t));
    if (status != TSM_OK)
        tsm_drop(x, *out);
    return status;
}

tsm_status tsm_quantized_check_chosen(tsm_exec *x, const tsm_tensor *t) {
    return t->quantizer && t->quantizer->axis >= 0
               ? TSM_RAISE(x, "%s is only supported on per-tensor quantization", tsm_op_name(x))
               : TSM_OK;
}

TSM_PART tsm_status tsm_quantized_as_stored(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    tsm_tensor *t = arg_tensor(in, 0), *stored;
    quantized_call call;
    if (t->quantizer->axis >= 0)
        return refuse_channels(x);
    TSM_TRY(running_call(x, in, &call));
    TSM_TRY(tsm_tensor_view_of(x, t, t->dims, t->sizes, t->strides, 0, &stored));
    tsm_quantizer *q = stored->quantizer; /* the view's count of it goes to the result */
    stored->quantizer = NULL;
    stored->dtype = (uint8_t)(t->dtype == TSM_QINT8 ? TSM_INT8 : t->dtype == TSM_QUINT8 ? TSM_UINT8 : TSM_INT32);
    tsm_value result;
    tsm_status status = run_with(x, &call, stored, &result);
    tsm_tensor_drop(x, stored);
    if (status != TSM_OK) {
        tsm_quantizer_drop(x, q);
        return status;
    }
    tsm_as_tensor(result)->quantizer = q;
    tsm_as_tensor(result)->dtype = t->dtype;
    *out = result;
    return TSM_OK;
}

/* The number by which t stores v; what is beyond int64 becomes the least one, as PyTorch's conversion has it. */
static tsm_status number_stored_for(tsm_exec *x, const tsm_tensor *t, tsm_value v, int64_t *stored) {
    const tsm_complex c = tsm_lane_item_of(TSM_LANE_C128, v).c;
    if (c.im != 0)
        return TSM_RAISE(x, "value cannot be converted to type float without overflow");
    const int bits = t->dtype == TSM_QINT32 ? 32 : 8;
    const int64_t least = t->dtype == TSM_QUINT8 ? 0 : -(INT64_C(1) << (bits - 1)),
                  most = least + (INT64_C(1) << bits) - 1;
    const double steps = nearbyint((float)c.re * (1.0f / (float)quantized_scale(t))),
                 number = steps + (double)quantized_zero_point(t);
    *stored = !(fabs(steps) < 0x1p63) || number < (double)least ? least
              : number > (double)most                           ? most
                                                                : (int64_t)number;
    return TSM_OK;
}

TSM_PART tsm_status tsm_quantized_masked_fill(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_status status = TSM_OK;
    int64_t stored = 0;
    if (t->quantizer->axis >= 0)
        return TSM_RAISE(x,
                         "masked_fill__quantized_cpu for quantized tensors is currently only supported for per tensor "
                         "quantized tensors");
    if (x->dest) {
        const tsm_tensor *mask = arg_tensor(in, 1);
        tsm_dim sizes[TSM_MAX_DIMS];
        int dims;
        TSM_TRY(tsm_broadcast_shapes(x, t->dims, t->sizes, mask->dims, mask->sizes, &dims, sizes));
        TSM_TRY(tsm_kernel_check_dest(x, in, (tsm_dtype)t->dtype, dims, sizes));
    }
    const bool is_tensor = in[2]->tag == TSM_TAG_TENSOR;
    const tsm_value v = is_tensor ? tsm_tensor_item(x, arg_tensor(in, 2), 0, &status) : *in[2];
    TSM_TRY(status);
    status = number_stored_for(x, t, v, &stored);
    if (is_tensor)
        tsm_drop(x, v);
    TSM_TRY(status);
    const tsm_value number = tsm_int(stored);
    const tsm_value *given[QUANTIZED_ARGUMENTS];
    replace_argument(x, in, 2, &number, given);
    return tsm_quantized_as_stored(x, given, out);
}

/* Fills `map` with the result for each of the 256 bytes. */
static tsm_status make_map(tsm_exec *x, const quantized_call *call, double scale, int64_t zero_point, uint8_t *map) {
    const tsm_tensor *t = tsm_as_tensor(call->arguments[0]);
    const tsm_dim sizes[] = {BYTES};
    tsm_tensor *floats;
    tsm_value mapped, stored;
    TSM_TRY(tsm_tensor_make(x, TSM_FLOAT32, 1, sizes, &floats));
    for (int b = 0; b < BYTES; b++) {
        int64_t v = t->dtype == TSM_QINT8 ? (int8_t)b : b;
        ((float *)floats->data)[b] = (float)(v - quantized_zero_point(t)) * (float)quantized_scale(t);
    }
    tsm_status status = run_with(x, call, floats, &mapped);
    tsm_tensor_drop(x, floats);
    TSM_TRY(status);
    status = quantized_as(x, mapped, (tsm_dtype)t->dtype, scale, zero_point, &stored);
    tsm_drop(x, mapped);
    TSM_TRY(status);
    memcpy(map, tsm_as_tensor(stored)->data, BYTES);
    tsm_drop(x, stored);
    return TSM_OK;
}

/* Of 32 bits there is no table. */
static tsm_status map_ints(tsm_exec *x, const quantized_call *call, double scale, int64_t zero_point, tsm_value *out) {
    tsm_value floats, mapped;
    TSM_TRY(quantized_dequantized(x, tsm_as_tensor(call->arguments[0]), &floats));
    tsm_status status = run_with(x, call, tsm_as_tensor(floats), &mapped);
    tsm_drop(x, floats);
    TSM_TRY(status);
    status = quantized_as(x, mapped, TSM_QINT32, scale, zero_point, out);
    tsm_drop(x, mapped);
    return status;
}

tsm_status tsm_quantized_map(tsm_exec *x, const quantized_call *call, double scale, int64_t zero_point,
                             tsm_value *out) {
    tsm_tensor *t = tsm_as_tensor(call->arguments[0]);
    uint8_t map[BYTES];
    if (!quantized_is(t) || t->quantizer->axis >= 0)
        return TSM_RAISE(x, "%s takes tensors that are quantized per tensor only", tsm_op_name(x));
    if (t->dtype == TSM_QINT32)
        return map_ints(x, call, scale, zero_point, out);
    TSM_TRY(make_map(x, call, scale, zero_point, map));
    return tsm_quantized_look_up(x, t, map, scale, zero_point, out);
}

tsm_status tsm_quantized_look_up(tsm_exec *x, tsm_tensor *t, const uint8_t *map, double scale, int64_t zero_point,
                                 tsm_value *out) {
    tsm_tensor *y;
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_suggested(t, strides);
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, t->sizes, strides, &y));
    tsm_status status = tsm_quantized_set(x, y, scale, zero_point);
    if (status == TSM_OK)
        status = tsm_tensor_copy(x, y, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    uint8_t *bytes = y->data;
    for (tsm_dim i = 0; i < y->elements; i++)
        bytes[i] = map[bytes[i]];
    return ret_tensor(out, y);
}

tsm_status tsm_quantized_map_same(tsm_exec *x, const tsm_value *const *in, tsm_value *out) {
    const tsm_tensor *t = arg_tensor(in, 0);
    quantized_call call;
    TSM_TRY(running_call(x, in, &call));
    if (t->quantizer->axis >= 0)
        return refuse_channels(x);
    return tsm_quantized_map(x, &call, quantized_scale(t), quantized_zero_point(t), out);
}

tsm_status tsm_quantized_map_fixed(tsm_exec *x, const tsm_value *const *in, double scale, int64_t zero_point,
                                   tsm_value *out) {
    quantized_call call;
    TSM_TRY(running_call(x, in, &call));
    const tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    if (dtype == TSM_QINT32) /* the same range in 2^24 times as many steps */
        return tsm_quantized_map(x, &call, scale / 16777216, 0, out);
    return tsm_quantized_map(x, &call, scale, zero_point - (dtype == TSM_QINT8 ? MOVE : 0), out);
}

/* ---- Views ---- */

TSM_PART tsm_status tsm_quantized_view(tsm_exec *x, const tsm_tensor *t, int dims, const tsm_dim *sizes,
                                       const tsm_dim *strides, tsm_dim offset, int axis, tsm_dim first, tsm_dim step,
                                       tsm_value *out) {
    const tsm_quantizer *from = t->quantizer;
    const tsm_dim channels = axis < 0 ? 1 : sizes[axis];
    tsm_tensor bare = *t, *made;
    bare.quantizer = NULL;
    TSM_TRY(tsm_tensor_view_of(x, &bare, dims, sizes, strides, offset, &made));
    tsm_status status =
        tsm_tensor_quantize_by(x, made, axis, channels, from->scales + first, from->zero_points + first);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    for (tsm_dim c = 0; c < channels; c++) {
        made->quantizer->scales[c] = from->scales[first + c * step];
        made->quantizer->zero_points[c] = from->zero_points[first + c * step];
    }
    return ret_tensor(out, made);
}

/* ---- Layout ---- */

/* Planes of `pixels` bytes become `channels` bytes for each pixel. */
static inline void interleave_bytes(uint8_t *restrict to, const uint8_t *restrict from, const size_t channels,
                                    size_t pixels) {
    for (size_t p = 0; p < pixels; p++)
        for (size_t c = 0; c < channels; c++)
            to[p * channels + c] = from[c * pixels + p];
}

/* Images of three channels are the usual input of a model. */
static bool quantized_interleave_images(const tsm_tensor *t, tsm_tensor *made) {
    if (t->sizes[1] != 3 || tsm_dtype_size((tsm_dtype)t->dtype) != 1 || !tsm_tensor_is_contiguous(t) ||
        t->elements == 0)
        return false;
    size_t image = (size_t)(t->elements / t->sizes[0]);
    for (tsm_dim n = 0; n < t->sizes[0]; n++)
        interleave_bytes((uint8_t *)made->data + (size_t)n * image, (const uint8_t *)t->data + (size_t)n * image, 3,
                         image / 3);
    return true;
}

static tsm_status channels_last(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_channels_last(t->dims, t->sizes, strides);
    tsm_tensor *made;
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, t->sizes, strides, &made));
    tsm_status status = quantized_interleave_images(t, made) ? TSM_OK : tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    *out = made;
    return TSM_OK;
}

tsm_status tsm_quantized_interleave(tsm_exec *x, quantized_input *input) {
    tsm_tensor *interleaved = NULL;
    tsm_status status = channels_last(x, input->tensor, &interleaved);
    tsm_tensor_drop(x, input->tensor);
    TSM_TRY(status);
    input->tensor = interleaved;
    return TSM_OK;
}

tsm_status tsm_quantized_open_image(tsm_exec *x, tsm_tensor *t, quantized_input *input) {
    TSM_TRY(tsm_quantized_open(x, t, tsm_op_name(x), input));
    return t->sizes[1] == 1 || t->strides[1] == 1 ? TSM_OK : tsm_quantized_interleave(x, input);
}

quantized_image tsm_quantized_image_of(const tsm_tensor *t) {
    quantized_image image = {.bytes = t->data, .channels = (size_t)t->sizes[1], .batch_step = t->strides[0]};
    for (int d = 2; d < t->dims; d++)
        image.step[3 - t->dims + d] = t->strides[d];
    return image;
}
