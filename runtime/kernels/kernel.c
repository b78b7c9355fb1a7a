/* Reading arguments of kernels, and choosing the tensors that their results go to. */
#include "runtime/kernels/kernel.h"

#include "runtime/tensor/overlap.h"

double tsm_arg_real_part(tsm_value v) {
    const tsm_complex_object *c = tsm_as_complex(v);
    return c->im == 0 ? c->re : NAN;
}

int tsm_arg_ints(tsm_exec *x, const tsm_value *const *in, int i, tsm_dim *v, int max) {
    const bool is_list = in[i]->tag == TSM_TAG_LIST;
    const tsm_value *items = is_list ? tsm_as_list(*in[i])->items : in[i];
    const uint32_t n = is_list ? tsm_as_list(*in[i])->length : 1;
    if (n > (uint32_t)max) {
        (void)TSM_RAISE(x, "%s: argument %d has %u items, at most %d are possible", tsm_op_name(x), i, (unsigned)n,
                        max);
        return -1;
    }
    for (uint32_t k = 0; k < n; k++) {
        if (items[k].tag != TSM_TAG_INT) {
            (void)TSM_RAISE(x, "%s: argument %d is not a list of ints", tsm_op_name(x), i);
            return -1;
        }
        v[k] = tsm_saturate_dim(items[k].as.i);
#if PTRDIFF_MAX < INT64_MAX
        if (v[k] != items[k].as.i) {
            (void)TSM_RAISE(x, "%s: %ld is out of range", tsm_op_name(x), items[k].as.i);
            return -1;
        }
#endif
    }
    return (int)n;
}

tsm_dtype tsm_kernel_dtype_asked(const tsm_exec *x, const tsm_value *const *in, int i, tsm_dtype when_none) {
    const bool has_destination = x->op && x->op->kind != TSM_OP_FUNCTIONAL && x->dest;
    return arg_dtype(in, i, has_destination ? (tsm_dtype)x->dest->dtype : when_none);
}

tsm_status tsm_kernel_check_real(tsm_exec *x, const tsm_value *const *in) {
    for (uint32_t i = 0; i < x->inputs; i++)
        if (in[i]->tag == TSM_TAG_COMPLEX && tsm_as_complex(*in[i])->im != 0)
            return TSM_RAISE(x, "value cannot be converted to type double without overflow");
    return TSM_OK;
}

number_text tsm_kernel_number(double number) {
    number_text t;
    t.text[tsm_format_number(t.text, number, 'g', 6)] = 0;
    return t;
}

/* ---- Results ---- */

/* The number of inputs of the kernel that runs, which another kernel may have called. */
static int input_count(const tsm_exec *x) {
    return x->op ? (int)x->inputs : 0;
}

static bool is_read(const tsm_exec *x, const tsm_value *const *in, const tsm_tensor *dest) {
    bool found = false;
    for (int i = 0; i < input_count(x) - 1; i++)
        found |= in[i]->tag == TSM_TAG_TENSOR && tsm_as_tensor(*in[i]) == dest;
    return found;
}

tsm_status tsm_kernel_check_dest(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims,
                                 const tsm_dim *sizes) {
    const tsm_tensor *d = x->dest;
    TSM_TRY(tsm_check_destination_dtype(x, d, dtype));
    const bool is_out = x->op && x->op->kind == TSM_OP_OUT;
    if (is_out && !is_read(x, in, d))
        return TSM_OK;
    if (!tsm_same_shape(d, dims, sizes)) {
        char a[128], b[128];
        tsm_shape_text(a, sizeof a, d->dims, d->sizes);
        tsm_shape_text(b, sizeof b, dims, sizes);
        return TSM_RAISE(x, "output with shape %s doesn't match the broadcast shape %s", a, b);
    }
    return is_out ? TSM_OK : tsm_check_written_once(x, d->dims, d->sizes, d->strides);
}

/* The worst sharing of x->dest with the Tensor, or the Tensors of the list, that v is. */
static tsm_sharing sharing_of_value(const tsm_exec *x, tsm_value v) {
    tsm_sharing worst = TSM_SHARE_NOTHING;
    if (v.tag == TSM_TAG_TENSOR)
        return tsm_sharing_of(x->dest, tsm_as_tensor(v));
    if (v.tag == TSM_TAG_LIST)
        for (uint32_t i = 0; i < tsm_as_list(v)->length; i++) {
            tsm_value item = tsm_as_list(v)->items[i];
            if (item.tag != TSM_TAG_TENSOR)
                break;
            tsm_sharing s = tsm_sharing_of(x->dest, tsm_as_tensor(item));
            worst = s > worst ? s : worst;
        }
    return worst;
}

static tsm_sharing dest_sharing(const tsm_exec *x, const tsm_value *const *in) {
    tsm_sharing worst = TSM_SHARE_NOTHING;
    int n = input_count(x);
    if (x->op && x->op->kind == TSM_OP_OUT)
        n--;
    for (int i = 0; i < n; i++) {
        tsm_sharing s = sharing_of_value(x, *in[i]);
        worst = s > worst ? s : worst;
    }
    return worst;
}

static bool writable(const tsm_tensor *t) {
    return !(t->storage->flags & TSM_STORAGE_CONSTANT) && !t->quantizer;
}

/* The first input of the result's shape decides the order of dimensions in memory. */
static const tsm_tensor *layout_input(const tsm_exec *x, const tsm_value *const *in, int dims, const tsm_dim *sizes) {
    for (int i = 0; i < input_count(x); i++)
        if (in[i]->tag == TSM_TAG_TENSOR) {
            const tsm_tensor *t = tsm_as_tensor(*in[i]);
            if (tsm_same_shape(t, dims, sizes) && tsm_tensor_is_dense(t))
                return t;
        }
    return NULL;
}

/* Whether tensors of one shape have the same strides, where these matter. */
static bool has_strides_of(const tsm_tensor *a, const tsm_tensor *b) {
    for (int d = 0; d < a->dims; d++)
        if (a->sizes[d] > 1 && a->strides[d] != b->strides[d])
            return false;
    return true;
}

/* An input whose memory becomes the result's: last used here, of the right type and shape, and laid out as the result
 * is to be. */
static tsm_tensor *reusable_input(const tsm_exec *x, const tsm_value *const *in, const tsm_tensor *like,
                                  tsm_dtype dtype) {
    if (!x->dying || !like)
        return NULL;
    for (int i = 0; i < input_count(x) && i < 64; i++) {
        if (!(x->dying >> i & 1) || in[i]->tag != TSM_TAG_TENSOR)
            continue;
        tsm_tensor *t = tsm_as_tensor(*in[i]);
        if (t->dtype == dtype && tsm_tensor_is_free(t) && tsm_same_shape(t, like->dims, like->sizes) &&
            has_strides_of(t, like))
            return t;
    }
    return NULL;
}

static tsm_status make_result(tsm_exec *x, const tsm_tensor *like, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                              tsm_tensor **out) {
    if (like && !tsm_tensor_is_contiguous(like))
        return tsm_tensor_make_strided(x, dtype, dims, sizes, like->strides, out);
    return tsm_tensor_make(x, dtype, dims, sizes, out);
}

static tsm_status use_dest(tsm_exec *x, tsm_tensor **out) {
    x->dest->header.references++;
    *out = x->dest;
    return TSM_OK;
}

tsm_status tsm_out_pointwise(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                             tsm_tensor **out) {
    const tsm_tensor *like = layout_input(x, in, dims, sizes);
    if (x->dest) {
        TSM_TRY(tsm_kernel_check_dest(x, in, dtype, dims, sizes));
        if (x->dest->dtype == dtype && tsm_same_shape(x->dest, dims, sizes) && writable(x->dest) &&
            dest_sharing(x, in) <= TSM_SHARE_ALL) {
            if (x->op)
                TSM_TRY(tsm_check_destination(x, x->dest, in));
            return use_dest(x, out);
        }
    } else {
        tsm_tensor *t = reusable_input(x, in, like, dtype);
        if (t) {
            t->header.references++;
            *out = t;
            return TSM_OK;
        }
    }
    return make_result(x, like, dtype, dims, sizes, out);
}

/* ---- Kernels within kernels ---- */

tsm_status tsm_kernel_call(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *out) {
    enum { MAX = 24 };
    const tsm_value *in[MAX];
    if (n > MAX)
        return tsm_fail(x, TSM_INTERNAL, "%s: too many arguments of an inner call", tsm_op_name(x));
    for (int i = 0; i < n; i++)
        in[i] = &arguments[i];
    tsm_tensor *dest = x->dest;
    uint64_t dying = x->dying;
    uint32_t inputs = x->inputs;
    x->inputs = (uint32_t)n;
    x->dest = NULL;
    x->dying = 0;
    tsm_status status = kernel(x, in, out);
    x->inputs = inputs;
    x->dest = dest;
    x->dying = dying;
    return status;
}

tsm_status tsm_kernel_replace(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *v) {
    tsm_value made;
    TSM_TRY(tsm_kernel_call(x, kernel, n, arguments, &made));
    tsm_drop(x, *v);
    *v = made;
    return TSM_OK;
}

tsm_dtype tsm_kernel_compute_dtype(tsm_dtype dtype) {
    switch (dtype) {
    case TSM_FLOAT16:
    case TSM_BFLOAT16:
    case TSM_FLOAT8_E5M2:
    case TSM_FLOAT8_E4M3FN:
    case TSM_FLOAT8_E5M2FNUZ:
    case TSM_FLOAT8_E4M3FNUZ:
    case TSM_FLOAT32:
        return TSM_FLOAT32;
    case TSM_FLOAT64:
        return TSM_FLOAT64;
    case TSM_COMPLEX32:
    case TSM_COMPLEX64:
    case TSM_COMPLEX128:
        return TSM_COMPLEX128;
    default:
        return TSM_INT64;
    }
}

tsm_status tsm_kernel_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    if (t->dtype == dtype)
        return tsm_tensor_contiguous(x, t, out);
    tsm_tensor *made;
    *out = NULL;
    TSM_TRY(tsm_tensor_make(x, dtype, t->dims, t->sizes, &made));
    tsm_status status = tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        return status;
    }
    *out = made;
    return TSM_OK;
}

tsm_status tsm_kernel_contiguous_or_null(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    *out = NULL;
    return t ? tsm_kernel_contiguous(x, t, dtype, out) : TSM_OK;
}

tsm_status tsm_kernel_check_mask(tsm_exec *x, tsm_tensor *mask) {
    tsm_tensor *bytes;
    if (mask->dtype != TSM_UINT8)
        return TSM_OK;
    TSM_TRY(tsm_kernel_contiguous(x, mask, TSM_UINT8, &bytes));
    const uint8_t *at = bytes->data;
    tsm_dim i = 0;
    while (i < bytes->elements && at[i] <= 1)
        i++;
    const bool fits = i == bytes->elements;
    tsm_tensor_drop(x, bytes);
    return fits ? TSM_OK : TSM_RAISE(x, "Mask tensor can take 0 and 1 values only");
}

tsm_status tsm_kernel_finish(tsm_exec *x, tsm_status status, tsm_tensor *t, tsm_dtype dtype, tsm_value *out) {
    if (status == TSM_OK && t->dtype != dtype) {
        tsm_tensor *converted;
        status = tsm_tensor_to(x, t, dtype, &converted);
        if (status == TSM_OK) {
            tsm_tensor_drop(x, t);
            t = converted;
        }
    }
    if (status != TSM_OK) {
        tsm_tensor_drop(x, t);
        return status;
    }
    return ret_tensor(out, t);
}
