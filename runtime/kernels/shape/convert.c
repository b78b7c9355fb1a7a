/* Conversions and copies of tensors, and operators that return their properties. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/shape/shape.h"
#include "runtime/tensor/iter.h"

static tsm_status hold_input(const tsm_value *const *in, int i, tsm_value *out) {
    *out = tsm_hold(*in[i]);
    return TSM_OK;
}

/* ---- Copies ---- */

static tsm_status copy_as(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, int64_t format, tsm_value *out) {
    if (t->quantizer && dtype != t->dtype)
        return TSM_RAISE(x, "Copying from quantized Tensor to non-quantized Tensor is not allowed, please use "
                            "dequantize to get a float Tensor from a quantized Tensor");
    tsm_tensor *made;
    if (format == PRESERVE_FORMAT)
        TSM_TRY(tsm_tensor_make_like(x, t, dtype, &made));
    else if (format == CHANNELS_LAST_FORMAT || format == CHANNELS_LAST_3D_FORMAT) {
        if (t->dims != (format == CHANNELS_LAST_FORMAT ? 4 : 5))
            return TSM_RAISE(x, "required rank %d tensor to use channels_last%s format",
                             format == CHANNELS_LAST_FORMAT ? 4 : 5, format == CHANNELS_LAST_FORMAT ? "" : "_3d");
        tsm_dim strides[TSM_MAX_DIMS];
        strides[1] = 1;
        tsm_dim at = t->sizes[1];
        for (int d = t->dims - 1; d > 1; d--) {
            strides[d] = at;
            at *= t->sizes[d];
        }
        strides[0] = at;
        TSM_TRY(tsm_tensor_make_strided(x, dtype, t->dims, t->sizes, strides, &made));
    } else
        TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &made));
    tsm_status status = tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    if (t->quantizer) {
        made->quantizer = t->quantizer;
        t->quantizer->references++;
    }
    return ret_tensor(out, made);
}

TSM_KERNEL(aten_clone) {
    return copy_as(x, arg_tensor(in, 0), (tsm_dtype)arg_tensor(in, 0)->dtype, arg_int_or(in, 1, PRESERVE_FORMAT), out);
}

TSM_KERNEL_LIGHT(aten_contiguous) {
    tsm_tensor *t = arg_tensor(in, 0);
    int64_t format = arg_int(in, 1);
    bool is_so = format == CONTIGUOUS_FORMAT ? tsm_tensor_is_contiguous(t)
                 : format == PRESERVE_FORMAT ? true
                                             : tsm_tensor_is_channels_last(t);
    if (is_so)
        return hold_input(in, 0, out);
    return copy_as(x, t, (tsm_dtype)t->dtype, format, out);
}

TSM_KERNEL(aten_copy_) {
    if (arg_tensor(in, 0)->quantizer || arg_tensor(in, 1)->quantizer) {
        TSM_TRY(tsm_quantized_copy(x, arg_tensor(in, 0), arg_tensor(in, 1)));
        return hold_input(in, 0, out);
    }
    TSM_TRY(tsm_tensor_copy(x, arg_tensor(in, 0), arg_tensor(in, 1)));
    return hold_input(in, 0, out);
}

TSM_KERNEL_LIGHT(aten_detach) {
    tsm_tensor *t = arg_tensor(in, 0), *view;
    TSM_TRY(tsm_tensor_view_of(x, t, t->dims, t->sizes, t->strides, 0, &view));
    return ret_tensor(out, view);
}
TSM_KERNEL_ALIAS(prim_data, aten_detach);
TSM_KERNEL_ALIAS(aten_alias, aten_detach);

/* ---- to ---- */

static tsm_status to(tsm_exec *x, tsm_tensor *t, int64_t dtype, bool copy, int64_t format, tsm_value *out) {
    if (!tsm_dtype_exists(dtype))
        return TSM_RAISE(x, "unknown dtype %ld", dtype);
    bool fits = format == PRESERVE_FORMAT ||
                (format == CONTIGUOUS_FORMAT ? tsm_tensor_is_contiguous(t) : tsm_tensor_is_channels_last(t));
    if (!copy && dtype == t->dtype && fits) {
        *out = tsm_hold(tsm_of_tensor(t));
        return TSM_OK;
    }
    return copy_as(x, t, kernel_dtype(dtype), format, out);
}

TSM_KERNEL_LIGHT(aten_to_device) {
    return to(x, arg_tensor(in, 0), arg_int(in, 2), arg_bool(in, 4), arg_int_or(in, 5, PRESERVE_FORMAT), out);
}
TSM_KERNEL_LIGHT(aten_to_dtype) {
    return to(x, arg_tensor(in, 0), arg_int(in, 1), arg_bool(in, 3), arg_int_or(in, 4, PRESERVE_FORMAT), out);
}
TSM_KERNEL_LIGHT(aten_to_other) {
    return to(x, arg_tensor(in, 0), arg_tensor(in, 1)->dtype, arg_bool(in, 3), arg_int_or(in, 4, PRESERVE_FORMAT), out);
}
TSM_KERNEL_LIGHT(aten_to_dtype_layout) {
    return to(x, arg_tensor(in, 0), arg_int_or(in, 1, arg_tensor(in, 0)->dtype), arg_bool(in, 6),
              arg_int_or(in, 7, PRESERVE_FORMAT), out);
}
TSM_KERNEL_LIGHT(aten_to_prim_Device) {
    return to(x, arg_tensor(in, 0), arg_int_or(in, 2, arg_tensor(in, 0)->dtype), arg_bool(in, 4), PRESERVE_FORMAT, out);
}
TSM_KERNEL_LIGHT(aten_to_prim_dtype) {
    return to(x, arg_tensor(in, 0), arg_int_or(in, 1, arg_tensor(in, 0)->dtype), arg_bool(in, 3), PRESERVE_FORMAT, out);
}
TSM_KERNEL_LIGHT(aten_to_prim_other) {
    return to(x, arg_tensor(in, 0), arg_tensor(in, 0)->dtype, arg_bool(in, 2), PRESERVE_FORMAT, out);
}
TSM_KERNEL(aten__to_copy) {
    return to(x, arg_tensor(in, 0), arg_int_or(in, 1, arg_tensor(in, 0)->dtype), true,
              arg_int_or(in, 6, PRESERVE_FORMAT), out);
}
TSM_KERNEL_LIGHT(aten_type_as) {
    return to(x, arg_tensor(in, 0), arg_tensor(in, 1)->dtype, false, PRESERVE_FORMAT, out);
}
TSM_KERNEL_LIGHT(aten_cpu) {
    return TSM_UNUSED_IO(), hold_input(in, 0, out);
}

/* ---- Numbers ---- */

static tsm_status only_item(tsm_exec *x, const tsm_tensor *t, tsm_value *out) {
    if (t->elements != 1)
        return TSM_RAISE(x, "a Tensor with %zd elements cannot be converted to Scalar", (ptrdiff_t)t->elements);
    tsm_status status = TSM_OK;
    *out = tsm_tensor_item(x, t, 0, &status);
    return status;
}

TSM_KERNEL_LIGHT(aten_item) {
    return only_item(x, arg_tensor(in, 0), out);
}

/* A complex number converts only when it is real. */
static tsm_status real_item(tsm_exec *x, const tsm_tensor *t, const char *type, tsm_value *out) {
    tsm_value v;
    TSM_TRY(only_item(x, t, &v));
    if (v.tag == TSM_TAG_COMPLEX) {
        const tsm_complex c = {tsm_as_complex(v)->re, tsm_as_complex(v)->im};
        tsm_drop(x, v);
        if (c.im != 0)
            return TSM_RAISE(x, "value cannot be converted to type %s without overflow", type);
        v = tsm_float(c.re);
    }
    *out = v;
    return TSM_OK;
}

/* What aten::select of the first three inputs would show, as far as its only element is concerned. */
static tsm_status selected_item(tsm_exec *x, const tsm_value *const *in, tsm_tensor *item) {
    const tsm_tensor *t = arg_tensor(in, 0);
    int d;
    tsm_dim offset;
    TSM_TRY(tsm_select_offset(x, t, arg_int(in, 1), arg_int(in, 2), &d, &offset));
    *item = *t;
    item->data = (char *)t->data + offset * (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
    item->elements = t->elements / t->sizes[d];
    item->dims = 0;
    return TSM_OK;
}

static tsm_status item_to_int(tsm_exec *x, const tsm_tensor *t, tsm_value *out) {
    tsm_value v;
    TSM_TRY(real_item(x, t, "int64_t", &v));
    if (v.tag == TSM_TAG_FLOAT && !(v.as.f >= -0x1p63 && v.as.f < 0x1p63))
        return TSM_RAISE(x, "value cannot be converted to type int64_t without overflow");
    return ret_int(out, v.tag == TSM_TAG_FLOAT ? (int64_t)v.as.f : v.tag == TSM_TAG_BOOL ? v.as.b : v.as.i);
}

TSM_KERNEL_LIGHT(aten_Int_Tensor) {
    return item_to_int(x, arg_tensor(in, 0), out);
}
TSM_KERNEL_LIGHT(tsm_int_item) {
    tsm_tensor item;
    TSM_TRY(selected_item(x, in, &item));
    return item_to_int(x, &item, out);
}

static tsm_status as_double(tsm_exec *x, const tsm_tensor *t, double *d) {
    tsm_value v;
    TSM_TRY(real_item(x, t, "double", &v));
    *d = tsm_lane_item_of(TSM_LANE_F64, v).f64;
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_Float_Tensor) {
    double d;
    TSM_TRY(as_double(x, arg_tensor(in, 0), &d));
    return ret_float(out, d);
}

TSM_KERNEL_LIGHT(tsm_float_item) {
    tsm_tensor item;
    double d;
    TSM_TRY(selected_item(x, in, &item));
    if (item.dtype == TSM_FLOAT32 && item.elements == 1)
        return ret_float(out, (double)*(const float *)item.data);
    TSM_TRY(as_double(x, &item, &d));
    return ret_float(out, d);
}

/* A number given as a tensor where Python expects one: no gradient, no dimensions. */
static tsm_status check_implicit(tsm_exec *x, const tsm_tensor *t, const char *wanted) {
    if (t->flags & TSM_TENSOR_REQUIRES_GRAD)
        return TSM_RAISE(x, "Cannot input a tensor that requires grad as a scalar argument");
    if (t->dims)
        return TSM_RAISE(x, "Cannot input a tensor of dimension other than 0 as a scalar argument");
    if (wanted[0] == 'i' && !(tsm_dtype_is_integral((tsm_dtype)t->dtype) && t->dtype != TSM_BOOL))
        return TSM_RAISE(x, "Cannot input a tensor of type %s as an integral argument",
                         tsm_dtype_class_name((tsm_dtype)t->dtype));
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_IntImplicit) {
    TSM_TRY(check_implicit(x, arg_tensor(in, 0), "int"));
    return only_item(x, arg_tensor(in, 0), out);
}
TSM_KERNEL_LIGHT(aten_ComplexImplicit) {
    tsm_value v;
    TSM_TRY(check_implicit(x, arg_tensor(in, 0), "complex"));
    TSM_TRY(only_item(x, arg_tensor(in, 0), &v));
    tsm_complex c = cx_of(v);
    tsm_status status = tsm_make_complex(x, c.re, c.im, out);
    tsm_drop(x, v);
    return status;
}
TSM_KERNEL_LIGHT(aten_FloatImplicit) {
    double d;
    TSM_TRY(check_implicit(x, arg_tensor(in, 0), "float"));
    TSM_TRY(as_double(x, arg_tensor(in, 0), &d));
    return ret_float(out, d);
}
TSM_KERNEL_LIGHT(aten_ScalarImplicit) {
    TSM_TRY(check_implicit(x, arg_tensor(in, 0), "Scalar"));
    return only_item(x, arg_tensor(in, 0), out);
}

static tsm_status item_to_bool(tsm_exec *x, const tsm_tensor *t, tsm_value *out) {
    if (t->elements != 1)
        return TSM_RAISE(x, t->elements ? "Boolean value of Tensor with more than one value is ambiguous"
                                        : "Boolean value of Tensor with no values is ambiguous");
    tsm_value v;
    TSM_TRY(only_item(x, t, &v));
    const bool truth = cx_nonzero(cx_of(v));
    tsm_drop(x, v);
    return ret_bool(out, truth);
}
TSM_KERNEL_LIGHT(aten_Bool_Tensor) {
    return item_to_bool(x, arg_tensor(in, 0), out);
}
TSM_KERNEL_LIGHT(tsm_bool_item) {
    tsm_tensor item;
    TSM_TRY(selected_item(x, in, &item));
    return item_to_bool(x, &item, out);
}
TSM_KERNEL_ALIAS(aten_is_nonzero, aten_Bool_Tensor);

TSM_KERNEL(prim_NumToTensor_Scalar) {
    tsm_dtype dtype = in[0]->tag == TSM_TAG_FLOAT  ? TSM_FLOAT64
                      : in[0]->tag == TSM_TAG_INT  ? TSM_INT64
                      : in[0]->tag == TSM_TAG_BOOL ? TSM_BOOL
                                                   : TSM_COMPLEX128;
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_scalar(x, dtype, *in[0], &t));
    return ret_tensor(out, t);
}
TSM_KERNEL_ALIAS(prim_NumToTensor_bool, prim_NumToTensor_Scalar);

/* ---- tolist ---- */

/* Nested lists of dimensions d.. of t, beginning at element `linear`; at most TSM_MAX_DIMS levels of recursion. */
static tsm_status to_nested(tsm_exec *x, const tsm_tensor *t, int d, tsm_dim *linear, bool as_float, tsm_value *out) {
    tsm_status status = TSM_OK;
    if (d == t->dims) {
        tsm_value item = tsm_tensor_item(x, t, (*linear)++, &status);
        *out = as_float ? tsm_float(tsm_lane_item_of(TSM_LANE_F64, item).f64) : tsm_hold(item);
        tsm_drop(x, item);
        return status;
    }
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, (size_t)t->sizes[d], &l));
    for (tsm_dim i = 0; i < t->sizes[d] && status == TSM_OK; i++) {
        status = to_nested(x, t, d + 1, linear, as_float, &l->items[i]);
        l->length += status == TSM_OK;
    }
    *out = tsm_of(TSM_TAG_LIST, l);
    if (status != TSM_OK)
        tsm_drop(x, *out);
    return status;
}

TSM_KERNEL(prim_tolist) {
    const tsm_tensor *t = arg_tensor(in, 0);
    if (in[0]->tag != TSM_TAG_TENSOR || x->inputs != 3 || in[1]->tag != TSM_TAG_INT || in[2]->tag != TSM_TAG_INT)
        return TSM_RAISE(x, "tolist() wants a tensor");
    int64_t kind = arg_int(in, 2);
    tsm_dtype d = (tsm_dtype)t->dtype;
    bool fits = kind == 0   ? d == TSM_INT64
                : kind == 1 ? d == TSM_FLOAT64 || d == TSM_FLOAT32
                : kind == 2 ? d == TSM_BOOL
                            : tsm_dtype_is_complex(d);
    if (!fits)
        return TSM_RAISE(
            x, "Output annotation element type and runtime tensor element type must match for tolist(): %s vs %s",
            kind == 0   ? "Long"
            : kind == 1 ? "Double"
            : kind == 2 ? "Bool"
                        : "ComplexDouble",
            tsm_dtype_class_name(d));
    if (arg_int(in, 1) != t->dims)
        return TSM_RAISE(x, "Output annotation list dimension and runtime tensor dimension must match for tolist()");
    tsm_dim linear = 0;
    return to_nested(x, t, 0, &linear, false, out);
}

/* ---- Properties ---- */

TSM_KERNEL_LIGHT(aten_size) {
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, t->dims, &l));
    for (int d = 0; d < t->dims; d++)
        l->items[l->length++] = tsm_int(t->sizes[d]);
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_stride) {
    const tsm_tensor *t = arg_tensor(in, 0);
    tsm_list *l;
    TSM_TRY(tsm_make_list(x, t->dims, &l));
    for (int d = 0; d < t->dims; d++)
        l->items[l->length++] = tsm_int(t->strides[d]);
    *out = tsm_of(TSM_TAG_LIST, l);
    return TSM_OK;
}
TSM_KERNEL_LIGHT(aten_size_int) {
    int d;
    const tsm_tensor *t = arg_tensor(in, 0);
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), t->dims, &d));
    return ret_int(out, t->sizes[d]);
}
TSM_KERNEL_LIGHT(aten_stride_int) {
    int d;
    TSM_TRY(tsm_wrap_dim(x, arg_int(in, 1), arg_tensor(in, 0)->dims, &d));
    return ret_int(out, arg_tensor(in, 0)->strides[d]);
}
TSM_KERNEL_LIGHT(aten_dim) {
    return TSM_UNUSED_IO(), ret_int(out, arg_tensor(in, 0)->dims);
}
TSM_KERNEL_LIGHT(aten_numel) {
    return TSM_UNUSED_IO(), ret_int(out, arg_tensor(in, 0)->elements);
}
TSM_KERNEL_LIGHT(aten_storage_offset) {
    TSM_UNUSED_IO();
    const tsm_tensor *t = arg_tensor(in, 0);
    return ret_int(out, ((const uint8_t *)t->data - t->storage->data) / (ptrdiff_t)tsm_dtype_size((tsm_dtype)t->dtype));
}
TSM_KERNEL_LIGHT(aten_element_size) {
    return TSM_UNUSED_IO(), ret_int(out, (int64_t)tsm_dtype_size((tsm_dtype)arg_tensor(in, 0)->dtype));
}
TSM_KERNEL_LIGHT(aten_len_Tensor) {
    const tsm_tensor *t = arg_tensor(in, 0);
    return t->dims ? ret_int(out, t->sizes[0]) : TSM_RAISE(x, "len() of a 0-d tensor");
}
TSM_KERNEL_LIGHT(aten_is_contiguous) {
    return TSM_UNUSED_IO(), ret_bool(out, tsm_tensor_is_contiguous(arg_tensor(in, 0)));
}
TSM_KERNEL_LIGHT(aten_is_floating_point) {
    return TSM_UNUSED_IO(), ret_bool(out, tsm_dtype_is_floating((tsm_dtype)arg_tensor(in, 0)->dtype));
}
TSM_KERNEL_LIGHT(aten_is_complex) {
    return TSM_UNUSED_IO(), ret_bool(out, tsm_dtype_is_complex((tsm_dtype)arg_tensor(in, 0)->dtype));
}
TSM_KERNEL_LIGHT(aten_is_signed) {
    TSM_UNUSED_IO();
    tsm_dtype d = (tsm_dtype)arg_tensor(in, 0)->dtype;
    return ret_bool(out, d != TSM_UINT8 && d != TSM_BOOL && d != TSM_QUINT8 && d < TSM_UINT16);
}
TSM_KERNEL_LIGHT(aten_is_same_size) {
    TSM_UNUSED_IO();
    const tsm_tensor *a = arg_tensor(in, 0), *b = arg_tensor(in, 1);
    return ret_bool(out, a->dims == b->dims && !memcmp(a->sizes, b->sizes, (size_t)a->dims * sizeof *a->sizes));
}
TSM_KERNEL_LIGHT(prim_dtype) {
    return TSM_UNUSED_IO(), ret_int(out, arg_tensor(in, 0)->dtype);
}
TSM_KERNEL_LIGHT(prim_layout) {
    return TSM_UNUSED_IO(), ret_int(out, 0);
}
TSM_KERNEL_LIGHT(prim_device) {
    TSM_UNUSED_IO();
    *out = tsm_none();
    out->tag = TSM_TAG_DEVICE; /* number 0, no index: cpu */
    return TSM_OK;
}
TSM_KERNEL_LIGHT(prim_requires_grad) {
    TSM_UNUSED_IO();
    return ret_bool(out, arg_tensor(in, 0)->flags & TSM_TENSOR_REQUIRES_GRAD);
}
TSM_KERNEL_LIGHT(aten_requires_grad_) {
    TSM_UNUSED_IO();
    tsm_tensor *t = arg_tensor(in, 0);
    const tsm_dtype dtype = (tsm_dtype)t->dtype;
    if (arg_bool(in, 1) && !tsm_dtype_is_floating(dtype) && !tsm_dtype_is_complex(dtype))
        return TSM_RAISE(x, "only Tensors of floating point and complex dtype can require gradients");
    t->flags = (uint8_t)(arg_bool(in, 1) ? t->flags | TSM_TENSOR_REQUIRES_GRAD : t->flags & ~TSM_TENSOR_REQUIRES_GRAD);
    return hold_input(in, 0, out);
}
TSM_KERNEL_LIGHT(prim_is_quantized) {
    return TSM_UNUSED_IO(), ret_bool(out, tsm_dtype_is_quantized((tsm_dtype)arg_tensor(in, 0)->dtype));
}
TSM_KERNEL_LIGHT(prim_is_cpu) {
    return TSM_UNUSED_IO(), ret_bool(out, true);
}
TSM_KERNEL_LIGHT(prim_is_cuda) {
    return TSM_UNUSED_IO(), ret_bool(out, false);
}
TSM_KERNEL_ALIAS(prim_is_sparse, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_sparse_csr, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_mkldnn, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_xpu, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_mps, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_ort, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_xla, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_mtia, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_maia, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_vulkan, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_meta, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_nested, prim_is_cuda);
TSM_KERNEL_ALIAS(prim_is_ipu, prim_is_cuda);
TSM_KERNEL_LIGHT(prim_grad) {
    TSM_UNUSED_IO();
    *out = tsm_none();
    return TSM_OK;
}
