/* Quantized tensors: making them, reading them, asking for their quantizer.
 *
 *     q = clamp(round_to_even(x / scale) + zero_point),  x = (q - zero_point) * scale
 *
 * per tensor, or with a scale and zero point for each index along an axis. Zero points that are floats (along an axis
 * only) are added before the rounding: q = clamp(round_to_even(x / scale + zero_point)), as PyTorch does it. */
#include "runtime/kernels/quantizer/quantized_tensor.h"

#include "runtime/tensor/lanes.h"

static bool is_quantized(const tsm_tensor *t) {
    return tsm_dtype_is_quantized((tsm_dtype)t->dtype) && t->quantizer;
}

static tsm_dtype integer_of(tsm_dtype quantized) {
    return quantized == TSM_QINT8 ? TSM_INT8 : quantized == TSM_QUINT8 ? TSM_UINT8 : TSM_INT32;
}

static int64_t read_stored(tsm_dtype dtype, const void *data, tsm_dim i) {
    return dtype == TSM_QINT8    ? ((const int8_t *)data)[i]
           : dtype == TSM_QUINT8 ? ((const uint8_t *)data)[i]
                                 : ((const int32_t *)data)[i];
}

static void write_stored(tsm_dtype dtype, void *data, tsm_dim i, double v) {
    double low = dtype == TSM_QINT8    ? -128
                 : dtype == TSM_QUINT8 ? 0
                                       : INT32_MIN,
           high = dtype == TSM_QINT8    ? 127
                  : dtype == TSM_QUINT8 ? 255
                                        : INT32_MAX;
    v = !(v >= low) ? low : v > high ? high : v; /* NaN becomes the least number */
    if (dtype == TSM_QINT8)
        ((int8_t *)data)[i] = (int8_t)v;
    else if (dtype == TSM_QUINT8)
        ((uint8_t *)data)[i] = (uint8_t)v;
    else
        ((int32_t *)data)[i] = (int32_t)v;
}

/* Which scale holds for the element at place i of the memory of a tensor without gaps. */
static tsm_dim channel_of(const tsm_tensor *t, const tsm_quantizer *q, tsm_dim i) {
    return q->axis < 0 ? 0 : i / t->strides[q->axis] % t->sizes[q->axis];
}

/* A tensor of t's shape without gaps, in the order that t's strides suggest. */
static tsm_status make_closed(tsm_exec *x, const tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    tsm_dim strides[TSM_MAX_DIMS];
    tsm_strides_suggested(t, strides);
    return tsm_tensor_make_strided(x, dtype, t->dims, t->sizes, strides, out);
}

TSM_KERNEL(aten_dequantize_self) {
    tsm_tensor *t = arg_tensor(in, 0), *stored, *y;
    if (!is_quantized(t)) { /* PyTorch: as float */
        TSM_TRY(tsm_tensor_to(x, t, TSM_FLOAT32, &y));
        return ret_tensor(out, y);
    }
    TSM_TRY(tsm_tensor_closed(x, t, &stored));
    tsm_status status = make_closed(x, t, TSM_FLOAT32, &y);
    if (status == TSM_OK && t->dtype == TSM_QUINT8 && t->quantizer->axis < 0) {
        loops_q8(x)->dequantize(y->data, stored->data, (size_t)y->elements, (float)quantized_scale(t),
                                (int32_t)quantized_zero_point(t));
        tsm_tensor_drop(x, stored);
        return ret_tensor(out, y);
    }
    for (tsm_dim i = 0; status == TSM_OK && i < y->elements; i++) {
        tsm_dim c = channel_of(y, t->quantizer, i);
        ((float *)y->data)[i] = (float)((double)read_stored((tsm_dtype)t->dtype, stored->data, i) -
                                        tsm_quantizer_zero_point(t->quantizer, c)) *
                                (float)t->quantizer->scales[c];
    }
    tsm_tensor_drop(x, stored);
    return status == TSM_OK ? ret_tensor(out, y) : status;
}
TSM_KERNEL_ALIAS(aten_dequantize_tensor, aten_dequantize_self);

static tsm_status dequantize_items(tsm_exec *x, const tsm_value *items, uint32_t n, tsm_value *out) {
    for (uint32_t i = 0; i < n; i++) {
        const tsm_value *in[] = {&items[i]};
        if (items[i].tag != TSM_TAG_TENSOR)
            out[i] = tsm_hold(items[i]);
        else
            TSM_TRY(tsm_k_aten_dequantize_self(x, in, &out[i]));
    }
    return TSM_OK;
}

TSM_KERNEL(aten_dequantize_tensors) {
    const tsm_list *l = arg_list(in, 0);
    tsm_list *made;
    TSM_TRY(tsm_make_list(x, l->length, &made));
    for (uint32_t i = 0; i < l->length; i++)
        made->items[i] = tsm_none();
    made->length = l->length;
    tsm_status status = dequantize_items(x, l->items, l->length, made->items);
    if (status != TSM_OK) {
        tsm_drop(x, tsm_of(TSM_TAG_LIST, made));
        return status;
    }
    *out = tsm_of(TSM_TAG_LIST, made);
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_dequantize_list, aten_dequantize_tensors);

/* A list of Tensors, or a tuple, whose other items stay. */
TSM_KERNEL(aten_dequantize_any) {
    if (in[0]->tag == TSM_TAG_LIST && (!arg_list(in, 0)->length || arg_list(in, 0)->items[0].tag == TSM_TAG_TENSOR))
        return tsm_k_aten_dequantize_tensors(x, in, out);
    if (in[0]->tag != TSM_TAG_TUPLE)
        return TSM_RAISE(x,
                         "Unsupported type in dequantize, only List[Tensor] and  Tuple[Tensor or other types] are "
                         "supported, got type:%s",
                         tsm_tag_name(in[0]->tag));
    const tsm_tuple *t = tsm_as_tuple(*in[0]);
    tsm_tuple *made;
    TSM_TRY(tsm_make_tuple(x, t->length, 0, &made));
    tsm_status status = dequantize_items(x, t->items, t->length, made->items);
    if (status != TSM_OK) {
        tsm_drop(x, tsm_of(TSM_TAG_TUPLE, made));
        return status;
    }
    *out = tsm_of(TSM_TAG_TUPLE, made);
    return TSM_OK;
}

TSM_KERNEL(aten_int_repr) {
    tsm_tensor *t = arg_tensor(in, 0), *stored, *y;
    if (!is_quantized(t))
        return TSM_RAISE(x, "int_repr is only for quantized tensors");
    TSM_TRY(tsm_tensor_closed(x, t, &stored));
    tsm_status status = make_closed(x, t, integer_of((tsm_dtype)t->dtype), &y);
    if (status == TSM_OK && y->elements)
        memcpy(y->data, stored->data, (size_t)y->elements * tsm_dtype_size((tsm_dtype)t->dtype));
    tsm_tensor_drop(x, stored);
    return status == TSM_OK ? ret_tensor(out, y) : status;
}

/* ---- The quantizer ---- */

static tsm_status want_quantizer(tsm_exec *x, const tsm_tensor *t, bool per_tensor, const char *what) {
    if (!is_quantized(t) || (t->quantizer->axis < 0) != per_tensor)
        return TSM_RAISE(x, "Expected quantizer->qscheme() to be %s for %s",
                         per_tensor ? "per tensor affine" : "per channel affine", what);
    return TSM_OK;
}

TSM_KERNEL(aten_q_scale) {
    TSM_TRY(want_quantizer(x, arg_tensor(in, 0), true, "q_scale"));
    return ret_float(out, arg_tensor(in, 0)->quantizer->scales[0]);
}
TSM_KERNEL(aten_q_zero_point) {
    TSM_TRY(want_quantizer(x, arg_tensor(in, 0), true, "q_zero_point"));
    return ret_int(out, arg_tensor(in, 0)->quantizer->zero_points[0]);
}
TSM_KERNEL(aten_q_per_channel_axis) {
    TSM_TRY(want_quantizer(x, arg_tensor(in, 0), false, "q_per_channel_axis"));
    return ret_int(out, arg_tensor(in, 0)->quantizer->axis);
}

/* Numbers of 8 bytes as a tensor, of float32 where the quantizer's zero points are floats. */
static tsm_status quantize_line_of(tsm_exec *x, tsm_dtype dtype, const tsm_quantizer *q, const void *numbers,
                                   tsm_value *out) {
    tsm_tensor *y;
    TSM_TRY(tsm_tensor_make(x, q->has_float_zero_points ? TSM_FLOAT32 : dtype, 1, &q->channels, &y));
    for (tsm_dim i = 0; q->has_float_zero_points && i < y->elements; i++)
        ((float *)y->data)[i] = (float)((const double *)numbers)[i];
    if (!q->has_float_zero_points)
        memcpy(y->data, numbers, (size_t)q->channels * sizeof(double));
    return ret_tensor(out, y);
}
TSM_KERNEL(aten_q_per_channel_scales) {
    TSM_TRY(want_quantizer(x, arg_tensor(in, 0), false, "q_per_channel_scales"));
    return quantize_line_of(x, TSM_FLOAT64, arg_tensor(in, 0)->quantizer, arg_tensor(in, 0)->quantizer->scales, out);
}
TSM_KERNEL(aten_q_per_channel_zero_points) {
    TSM_TRY(want_quantizer(x, arg_tensor(in, 0), false, "q_per_channel_zero_points"));
    return quantize_line_of(x, TSM_INT64, arg_tensor(in, 0)->quantizer, arg_tensor(in, 0)->quantizer->zero_points, out);
}

/* ---- Quantizing ---- */

static tsm_quantizer *make_quantizer(tsm_exec *x, int axis, tsm_dim channels) {
    tsm_quantizer *q = tsm_allocate(x, sizeof *q + (size_t)channels * (sizeof(double) + sizeof(int64_t)));
    if (q) {
        q->references = 1;
        q->axis = (int16_t)axis;
        q->has_float_zero_points = false;
        q->channels = channels;
        q->scales = (double *)(void *)(q + 1);
        q->zero_points = (int64_t *)(void *)(q->scales + channels);
    }
    return q;
}

/* One quantizer for all bytes: by the vector loops, which know uint8. */
static void quantize_bytes(tsm_exec *x, const float *from, tsm_tensor *y) {
    size_t n = (size_t)y->elements;
    int32_t move = y->dtype == TSM_QINT8 ? 128 : 0;
    uint8_t *bytes = y->data;
    loops_q8(x)->quantize(bytes, from, n, 1.0f / (float)quantized_scale(y), (int32_t)quantized_zero_point(y) + move);
    for (size_t i = 0; move && i < n; i++)
        bytes[i] ^= 128;
}

/* Takes the count of q (NULL: the buffer was full). */
static tsm_status quantize(tsm_exec *x, tsm_tensor *t, tsm_quantizer *q, int64_t dtype, tsm_value *out) {
    tsm_tensor *plain = NULL, *y = NULL;
    tsm_status status = q ? TSM_OK : TSM_OUT_OF_MEMORY;
    if (status == TSM_OK &&
        (t->dtype != TSM_FLOAT32 || !tsm_dtype_exists(dtype) || !tsm_dtype_is_quantized(kernel_dtype(dtype))))
        status = TSM_RAISE(x, "Quantize only works on Float Tensor, got %s", tsm_dtype_class_name((tsm_dtype)t->dtype));
    if (status == TSM_OK && !q->has_float_zero_points)
        status = tsm_check_zero_points(x, kernel_dtype(dtype), q->channels, q->zero_points);
    if (status == TSM_OK && !tsm_quantizer_fits(q, t->dims, t->sizes))
        status = TSM_RAISE(x, "length of scales must equal to channel");
    if (status == TSM_OK)
        status = tsm_tensor_closed(x, t, &plain);
    if (status == TSM_OK)
        status = make_closed(x, t, kernel_dtype(dtype), &y);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, plain);
        tsm_quantizer_drop(x, q);
        return status;
    }
    y->quantizer = q;
    if (q->axis < 0 && dtype != TSM_QINT32) {
        quantize_bytes(x, plain->data, y);
        tsm_tensor_drop(x, plain);
        return ret_tensor(out, y);
    }
    for (tsm_dim i = 0; i < y->elements; i++) {
        tsm_dim c = channel_of(y, q, i);
        float inverse = 1.0f / (float)q->scales[c];
        float steps = ((const float *)plain->data)[i] * inverse;
        write_stored(kernel_dtype(dtype), y->data, i,
                     q->has_float_zero_points ? rint((double)(steps + (float)q->float_zero_points[c]))
                                              : rint((double)steps) + (double)q->zero_points[c]);
    }
    tsm_tensor_drop(x, plain);
    return ret_tensor(out, y);
}

static tsm_status quantize_per_tensor(tsm_exec *x, tsm_tensor *t, double scale, int64_t zero_point, int64_t dtype,
                                      tsm_value *out) {
    tsm_quantizer *q = make_quantizer(x, -1, 1);
    if (q) {
        q->scales[0] = scale;
        q->zero_points[0] = zero_point;
    }
    return quantize(x, t, q, dtype, out);
}

TSM_KERNEL(aten_quantize_per_tensor) {
    return quantize_per_tensor(x, arg_tensor(in, 0), arg_float(in, 1), arg_int(in, 2), arg_int(in, 3), out);
}

/* ---- Copying ---- */

static tsm_status copy_stored(tsm_exec *x, tsm_tensor *to, tsm_tensor *from) {
    if (to->dtype != from->dtype)
        return TSM_RAISE(x, "Quantized Copy only works with the same dtype, got %s and %s",
                         tsm_dtype_name((tsm_dtype)to->dtype), tsm_dtype_name((tsm_dtype)from->dtype));
    if (!tsm_quantizer_fits(from->quantizer, to->dims, to->sizes))
        return TSM_RAISE(x, "Quantized Copy only works with the same channels");
    TSM_TRY(tsm_tensor_copy(x, to, from));
    from->quantizer->references++;
    tsm_quantizer_drop(x, to->quantizer);
    to->quantizer = from->quantizer;
    return TSM_OK;
}

tsm_status tsm_quantized_copy(tsm_exec *x, tsm_tensor *to, tsm_tensor *from) {
    tsm_value source = tsm_of_tensor(from), converted;
    if (is_quantized(to) && is_quantized(from))
        return copy_stored(x, to, from);
    if (!is_quantized(to)) {
        TSM_TRY(tsm_kernel_call(x, tsm_k_aten_dequantize_self, 1, &source, &converted));
    } else if (!tsm_tensor_is_contiguous(to) && !tsm_tensor_is_channels_last(to)) {
        return TSM_RAISE(x, "Quantized copy only works with contiguous and NHWC Tensors");
    } else {
        to->quantizer->references++;
        TSM_TRY(quantize(x, from, to->quantizer, to->dtype, &converted));
    }
    tsm_status status = tsm_tensor_copy(x, to, tsm_as_tensor(converted));
    tsm_drop(x, converted);
    return status;
}

/* ---- Operators ---- */

static tsm_status read_number(tsm_exec *x, const tsm_tensor *t, tsm_dim i, tsm_lane lane, tsm_lane_item *number) {
    tsm_status status = TSM_OK;
    if (i >= t->elements || tsm_dtype_is_complex((tsm_dtype)t->dtype))
        return TSM_RAISE(x, "number of elements of scales and zero points does not fit");
    *number = tsm_lane_item_of(lane, tsm_tensor_item(x, t, i, &status));
    return status;
}

/* Scale and zero point c. */
static tsm_status quantize_read_parameters(tsm_exec *x, const tsm_value *const *in, tsm_dim c, double *scale,
                                           int64_t *zero_point) {
    tsm_lane_item s, z;
    TSM_TRY(read_number(x, arg_tensor(in, 1), c, TSM_LANE_F64, &s));
    TSM_TRY(read_number(x, arg_tensor(in, 2), c, TSM_LANE_I64, &z));
    *scale = s.f64;
    *zero_point = z.i;
    return TSM_OK;
}

TSM_KERNEL(aten_quantize_per_tensor_tensor_qparams) {
    double scale;
    int64_t zero_point;
    if (arg_tensor(in, 1)->elements != 1 || arg_tensor(in, 2)->elements != 1)
        return TSM_RAISE(x, "%s: the scale and the zero point must be tensors of one element", tsm_op_name(x));
    TSM_TRY(quantize_read_parameters(x, in, 0, &scale, &zero_point));
    return quantize_per_tensor(x, arg_tensor(in, 0), scale, zero_point, arg_int(in, 3), out);
}

/* Those of a channel. With zero points that are floats both have PyTorch's precision of these, 32 bits. */
static tsm_status read_channel(tsm_exec *x, const tsm_value *const *in, tsm_dim c, tsm_quantizer *q) {
    tsm_lane_item z;
    if (!q->has_float_zero_points)
        return quantize_read_parameters(x, in, c, &q->scales[c], &q->zero_points[c]);
    TSM_TRY(read_number(x, arg_tensor(in, 1), c, TSM_LANE_F64, &z));
    q->scales[c] = (double)(float)z.f64;
    TSM_TRY(read_number(x, arg_tensor(in, 2), c, TSM_LANE_F64, &z));
    q->float_zero_points[c] = (double)(float)z.f64;
    return TSM_OK;
}

/* The quantizer of arguments 1 to 3, for each index along a dimension of t. */
static tsm_status read_channels(tsm_exec *x, const tsm_value *const *in, const tsm_tensor *t, tsm_quantizer **out) {
    int axis;
    if (!tsm_dtype_is_floating((tsm_dtype)arg_tensor(in, 1)->dtype))
        return TSM_RAISE(x, "scale tensor must be floating point");
    for (int i = 1; i < 3; i++)
        if (arg_tensor(in, i)->dims != 1)
            return TSM_RAISE(x, "%s tensor must have dimension 1", i == 1 ? "scale" : "zero_points");
    TSM_TRY(tsm_wrap_dim_or_scalar(x, arg_int(in, 3), t->dims, &axis));
    if (t->dims == 0 || arg_tensor(in, 1)->elements != t->sizes[axis] || arg_tensor(in, 2)->elements != t->sizes[axis])
        return TSM_RAISE(x, "length of scales must equal to channel, expected %zd got, %zd",
                         (ptrdiff_t)(t->dims ? t->sizes[axis] : 1), (ptrdiff_t)arg_tensor(in, 1)->elements);
    tsm_quantizer *q = make_quantizer(x, axis, t->sizes[axis]);
    tsm_status status = q ? TSM_OK : TSM_OUT_OF_MEMORY;
    if (q)
        q->has_float_zero_points = tsm_dtype_is_floating((tsm_dtype)arg_tensor(in, 2)->dtype);
    for (tsm_dim c = 0; status == TSM_OK && c < q->channels; c++)
        status = read_channel(x, in, c, q);
    if (status != TSM_OK)
        tsm_quantizer_drop(x, q);
    *out = q;
    return status;
}

TSM_KERNEL(aten_quantize_per_channel) {
    tsm_quantizer *q;
    TSM_TRY(read_channels(x, in, arg_tensor(in, 0), &q));
    return quantize(x, arg_tensor(in, 0), q, arg_int(in, 4), out);
}

/* A copy of integers, which become the stored numbers as they are. */
static tsm_status make_stored(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    tsm_dtype dtype = t->dtype == TSM_UINT8 ? TSM_QUINT8 : t->dtype == TSM_INT8 ? TSM_QINT8 : TSM_QINT32;
    if (t->dtype != TSM_UINT8 && t->dtype != TSM_INT8 && t->dtype != TSM_INT32)
        return TSM_RAISE(x, "%s: expected integers of 8 or 32 bits, got %s", tsm_op_name(x),
                         tsm_dtype_name((tsm_dtype)t->dtype));
    TSM_TRY(tsm_tensor_make_like(x, t, (tsm_dtype)t->dtype, out));
    tsm_status status = tsm_tensor_copy(x, *out, t);
    if (status != TSM_OK)
        tsm_tensor_drop(x, *out);
    else
        (*out)->dtype = (uint8_t)dtype;
    return status;
}

TSM_KERNEL(aten__make_per_tensor_quantized_tensor) {
    tsm_tensor *y;
    TSM_TRY(make_stored(x, arg_tensor(in, 0), &y));
    tsm_status status = tsm_quantized_set(x, y, arg_float(in, 1), arg_int(in, 2));
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

TSM_KERNEL(aten__make_per_channel_quantized_tensor) {
    tsm_tensor *t = arg_tensor(in, 0), *y;
    tsm_quantizer *q;
    TSM_TRY(read_channels(x, in, t, &q));
    tsm_status status = make_stored(x, t, &y);
    if (status != TSM_OK) {
        tsm_quantizer_drop(x, q);
        return status;
    }
    y->quantizer = q;
    status =
        q->has_float_zero_points ? TSM_OK : tsm_check_zero_points(x, (tsm_dtype)y->dtype, q->channels, q->zero_points);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

/* The parameters for a tensor's own range; with `reduce_range` stored numbers have seven bits. */
static tsm_status quantize_choose(tsm_exec *x, tsm_tensor *t, bool reduce_range, float *scale, int32_t *zero_point) {
    tsm_tensor *plain;
    float least, greatest;
    if (t->elements == 0 || t->quantizer)
        return TSM_RAISE(x, "%s: expected a tensor with elements that is not quantized", tsm_op_name(x));
    TSM_TRY(tsm_kernel_contiguous(x, t, TSM_FLOAT32, &plain));
    loops_q8(x)->range(plain->data, (size_t)plain->elements, &least, &greatest);
    tsm_tensor_drop(x, plain);
    if (!(least <= greatest))
        return TSM_RAISE(x, "In ChooseQuantizationParams, min should be less than or equal to max");
    tsm_quantized_choose(least, greatest, reduce_range ? INT8_MAX : UINT8_MAX, scale, zero_point);
    return TSM_OK;
}

TSM_KERNEL(aten__choose_qparams_per_tensor) {
    float scale;
    int32_t zero_point;
    TSM_TRY(quantize_choose(x, arg_tensor(in, 0), arg_bool(in, 1), &scale, &zero_point));
    out[0] = tsm_float(scale);
    out[1] = tsm_int(zero_point);
    return TSM_OK;
}

TSM_KERNEL(aten_quantize_per_tensor_dynamic) {
    float scale;
    int32_t zero_point;
    if (arg_tensor(in, 0)->dtype != TSM_FLOAT32)
        return TSM_RAISE(x, "Quantize only works on Float Tensor, got %s",
                         tsm_dtype_class_name((tsm_dtype)arg_tensor(in, 0)->dtype));
    TSM_TRY(quantize_choose(x, arg_tensor(in, 0), arg_bool(in, 2), &scale, &zero_point));
    if (arg_int(in, 1) == TSM_QINT8) /* the same steps, counted from the least number */
        zero_point -= arg_bool(in, 2) ? 64 : 128;
    return quantize_per_tensor(x, arg_tensor(in, 0), scale, zero_point, arg_int(in, 1), out);
}

/* There are no sparse tensors at run time, so only the dtype can change. */
TSM_KERNEL(aten_to_dense) {
    tsm_tensor *y;
    tsm_dtype dtype = arg_dtype(in, 1, (tsm_dtype)arg_tensor(in, 0)->dtype);
    TSM_TRY(tsm_tensor_to(x, arg_tensor(in, 0), dtype, &y));
    return ret_tensor(out, y);
}
