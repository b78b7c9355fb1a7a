/* Reading arguments of kernels, and choosing the tensors that their results go to. */
#include "runtime/kernels/kernel.h"

double arg_real_part(tsm_value v) {
    const tsm_complex_object *c = tsm_as_complex(v);
    return c->im == 0 ? c->re : NAN;
}

int arg_ints(tsm_exec *x, const tsm_value *const *in, int i, tsm_dim *v, int max) {
    if (in[i]->tag == TSM_TAG_INT) {
        v[0] = tsm_saturate_dim(in[i]->as.i);
        return 1;
    }
    if (in[i]->tag != TSM_TAG_LIST) {
        (void)TSM_RAISE(x, "%s: argument %d is not a list of ints", tsm_op_name(x), i);
        return -1;
    }
    const tsm_list *l = tsm_as_list(*in[i]);
    if (l->length > (uint32_t)max) {
        (void)TSM_RAISE(x, "%s: argument %d has %u items, at most %d are possible", tsm_op_name(x), i,
                        (unsigned)l->length, max);
        return -1;
    }
    for (uint32_t k = 0; k < l->length; k++) {
        if (l->items[k].tag != TSM_TAG_INT) {
            (void)TSM_RAISE(x, "%s: argument %d is not a list of ints", tsm_op_name(x), i);
            return -1;
        }
        v[k] = tsm_saturate_dim(l->items[k].as.i);
    }
    return (int)l->length;
}

tsm_status kernel_check_real(tsm_exec *x, const tsm_value *const *in) {
    for (uint32_t i = 0; i < x->inputs; i++)
        if (in[i]->tag == TSM_TAG_COMPLEX && tsm_as_complex(*in[i])->im != 0)
            return TSM_RAISE(x, "value cannot be converted to type double without overflow");
    return TSM_OK;
}

/* ---- Results ---- */

/* The number of inputs of the kernel that runs, which another kernel may have called. */
static int input_count(const tsm_exec *x) {
    return x->op ? (int)x->inputs : 0;
}

/* Dense without overlap: its elements fill a block of memory, in whatever order of dimensions. */
static bool is_dense(const tsm_tensor *t) {
    if (tsm_tensor_is_contiguous(t))
        return true;
    tsm_dim expected = 1;
    uint32_t done = 0;
    for (int k = 0; k < t->dims; k++) {
        int best = -1;
        for (int d = 0; d < t->dims; d++)
            if (!(done >> d & 1) && (t->sizes[d] <= 1 || t->strides[d] == expected)) {
                best = d;
                break;
            }
        if (best < 0)
            return false;
        done |= 1u << best;
        expected *= t->sizes[best] > 0 ? t->sizes[best] : 1;
    }
    return true;
}

/* ---- Overlaps, as TensorIterator sees them ---- */

enum overlap { OVERLAP_NONE, OVERLAP_FULL, OVERLAP_OTHER, OVERLAP_PARTIAL };

static tsm_status refuse_overlap(tsm_exec *x) {
    return TSM_RAISE(x, "unsupported operation: some elements of the input tensor and the written-to tensor refer to a "
                        "single memory location. Please clone() the tensor before performing the operation.");
}

static tsm_status check_written_once(tsm_exec *x, const tsm_tensor *d) {
    for (int i = 0; i < d->dims && d->elements; i++)
        if (d->sizes[i] > 1 && d->strides[i] == 0)
            return TSM_RAISE(
                x, "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                   "location. Please clone() the tensor before performing the operation.");
    return TSM_OK;
}

/* What can be said before anything is calculated about a result of this type and shape that will go to x->dest. */
static tsm_status check_dest(tsm_exec *x, tsm_dtype dtype, int dims, const tsm_dim *sizes) {
    const tsm_tensor *d = x->dest;
    if (!tsm_dtype_can_cast(dtype, (tsm_dtype)d->dtype))
        return TSM_RAISE(x, "result type %s can't be cast to the desired output type %s", tsm_dtype_class_name(dtype),
                         tsm_dtype_class_name((tsm_dtype)d->dtype));
    if (x->op && x->op->kind == TSM_OP_OUT)
        return TSM_OK;
    if (!tsm_same_shape(d, dims, sizes)) {
        char a[128], b[128];
        tsm_shape_text(a, sizeof a, d->dims, d->sizes);
        tsm_shape_text(b, sizeof b, dims, sizes);
        return TSM_RAISE(x, "output with shape %s doesn't match the broadcast shape %s", a, b);
    }
    return check_written_once(x, d);
}

/* As TensorIterator's get_overlap_status, which does not decide this for tensors that are not dense. */
static bool shares_elements(const tsm_tensor *a, const tsm_tensor *b) {
    if (!a->elements || !b->elements || !is_dense(a) || !is_dense(b))
        return false;
    const char *from = a->data, *other = b->data;
    const size_t bytes = (size_t)a->elements * tsm_dtype_size((tsm_dtype)a->dtype),
                 other_bytes = (size_t)b->elements * tsm_dtype_size((tsm_dtype)b->dtype);
    if (from != other || bytes != other_bytes)
        return from < other + other_bytes && other < from + bytes;
    return a->dims != b->dims || memcmp(a->strides, b->strides, (size_t)a->dims * sizeof *a->strides) != 0;
}

static enum overlap overlap_of(const tsm_tensor *dest, const tsm_tensor *t) {
    if (dest == t)
        return OVERLAP_FULL;
    if (dest->storage != t->storage)
        return OVERLAP_NONE;
    if (shares_elements(dest, t))
        return OVERLAP_PARTIAL;
    bool full = dest->data == t->data && dest->dims == t->dims && dest->dtype == t->dtype;
    for (int i = 0; full && i < dest->dims; i++)
        full = dest->sizes[i] == t->sizes[i] && (dest->strides[i] == t->strides[i] || dest->sizes[i] == 1);
    return full ? OVERLAP_FULL : OVERLAP_OTHER;
}

/* The worst overlap of x->dest with the Tensor, or the Tensors of the list, that v is. */
static enum overlap overlap_of_value(const tsm_exec *x, tsm_value v) {
    enum overlap worst = OVERLAP_NONE;
    if (v.tag == TSM_TAG_TENSOR)
        return overlap_of(x->dest, tsm_as_tensor(v));
    if (v.tag == TSM_TAG_LIST)
        for (uint32_t i = 0; i < tsm_as_list(v)->length; i++) {
            tsm_value item = tsm_as_list(v)->items[i];
            if (item.tag != TSM_TAG_TENSOR)
                break;
            enum overlap o = overlap_of(x->dest, tsm_as_tensor(item));
            worst = o > worst ? o : worst;
        }
    return worst;
}

static enum overlap dest_overlap(const tsm_exec *x, const tsm_value *const *in) {
    enum overlap worst = OVERLAP_NONE;
    int n = input_count(x);
    if (x->op && x->op->kind == TSM_OP_OUT)
        n--;
    for (int i = 0; i < n; i++) {
        enum overlap o = overlap_of_value(x, *in[i]);
        worst = o > worst ? o : worst;
    }
    return worst;
}

static bool writable(const tsm_tensor *t) {
    return !(t->storage->flags & TSM_STORAGE_CONSTANT) && !t->quantizer;
}

/* An input whose memory becomes the result's: last used here, of the right type and shape. */
static tsm_tensor *reusable_input(const tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims,
                                  const tsm_dim *sizes) {
    if (!x->dying)
        return NULL;
    for (int i = 0; i < input_count(x) && i < 64; i++) {
        if (!(x->dying >> i & 1) || in[i]->tag != TSM_TAG_TENSOR)
            continue;
        tsm_tensor *t = tsm_as_tensor(*in[i]);
        if (t->dtype == dtype && tsm_tensor_is_free(t) && tsm_same_shape(t, dims, sizes) && is_dense(t))
            return t;
    }
    return NULL;
}

/* The first input of the result's shape decides the order of dimensions in memory. */
static const tsm_tensor *layout_input(const tsm_exec *x, const tsm_value *const *in, int dims, const tsm_dim *sizes) {
    for (int i = 0; i < input_count(x); i++)
        if (in[i]->tag == TSM_TAG_TENSOR) {
            const tsm_tensor *t = tsm_as_tensor(*in[i]);
            if (tsm_same_shape(t, dims, sizes) && is_dense(t))
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
    if (x->dest) {
        TSM_TRY(check_dest(x, dtype, dims, sizes));
        const enum overlap overlap = dest_overlap(x, in);
        if (overlap == OVERLAP_PARTIAL)
            return refuse_overlap(x);
        if (x->dest->dtype == dtype && tsm_same_shape(x->dest, dims, sizes) && writable(x->dest) &&
            overlap != OVERLAP_OTHER)
            return use_dest(x, out);
    } else {
        tsm_tensor *t = reusable_input(x, in, dtype, dims, sizes);
        if (t) {
            t->header.references++;
            *out = t;
            return TSM_OK;
        }
    }
    return make_result(x, layout_input(x, in, dims, sizes), dtype, dims, sizes, out);
}

tsm_status kernel_check_overlap(tsm_exec *x, const tsm_tensor *dest, const tsm_tensor *source) {
    TSM_TRY(check_written_once(x, dest));
    return overlap_of(dest, source) == OVERLAP_PARTIAL ? refuse_overlap(x) : TSM_OK;
}

/* ---- Kernels within kernels ---- */

tsm_status kernel_call(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *out) {
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

tsm_status kernel_replace(tsm_exec *x, tsm_kernel kernel, int n, const tsm_value *arguments, tsm_value *v) {
    tsm_value made;
    TSM_TRY(kernel_call(x, kernel, n, arguments, &made));
    tsm_drop(x, *v);
    *v = made;
    return TSM_OK;
}

tsm_dtype kernel_compute_dtype(tsm_dtype dtype) {
    switch (dtype) {
    case TSM_FLOAT16:
    case TSM_BFLOAT16:
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

tsm_status kernel_contiguous(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
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

tsm_status kernel_contiguous_or_null(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    *out = NULL;
    return t ? kernel_contiguous(x, t, dtype, out) : TSM_OK;
}

tsm_status kernel_finish(tsm_exec *x, tsm_status status, tsm_tensor *t, tsm_dtype dtype, tsm_value *out) {
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
