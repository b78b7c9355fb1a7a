#include "runtime/kernels/kernel.h"

double arg_real_part(tsm_value v) {
    const tsm_complex_object *c = tsm_as_complex(v);
    return c->im == 0 ? c->re : NAN;
}

int arg_ints(tsm_exec *x, const tsm_value *const *in, int i, tsm_dim *v, int max) {
    if (in[i]->tag == TSM_TAG_INT) {
        v[0] = (tsm_dim)in[i]->as.i;
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
        v[k] = (tsm_dim)l->items[k].as.i;
    }
    return (int)l->length;
}

const char *tsm_op_name(const tsm_exec *x) {
    return x->op ? x->op->name : "operator";
}

const char *tsm_dtype_class_name(tsm_dtype dtype) {
    static const char *const names[TSM_DTYPE_COUNT] = {
        "Byte",        "Char",         "Short",         "Int",  "Long",  "Half",   "Float",  "Double",
        "ComplexHalf", "ComplexFloat", "ComplexDouble", "Bool", "QInt8", "QUInt8", "QInt32", "BFloat16",
    };
    return (unsigned)dtype < TSM_DTYPE_COUNT ? names[dtype] : "Undefined";
}

void tsm_shape_text(char *text, size_t n, int dims, const tsm_dim *sizes) {
    size_t at = 0;
    text[at++] = '[';
    for (int d = 0; d < dims; d++) {
        char digits[24];
        int k = 0;
        uint64_t v = (uint64_t)(sizes[d] < 0 ? -sizes[d] : sizes[d]);
        do {
            digits[k++] = (char)('0' + v % 10);
            v /= 10;
        } while (v);
        if (sizes[d] < 0)
            digits[k++] = '-';
        if (at + (size_t)k + 4 > n)
            break;
        if (d) {
            text[at++] = ',';
            text[at++] = ' ';
        }
        while (k)
            text[at++] = digits[--k];
    }
    text[at++] = ']';
    text[at] = 0;
}

/* ---- Results ---- */

/* Of the kernel that runs, which may have been called by another one. */
static int input_count(const tsm_exec *x) {
    return x->op ? (int)x->inputs : 0;
}

bool tsm_same_shape(const tsm_tensor *t, int dims, const tsm_dim *sizes) {
    if (t->dims != dims)
        return false;
    for (int d = 0; d < dims; d++)
        if (t->sizes[d] != sizes[d])
            return false;
    return true;
}

bool tsm_dtype_can_cast(tsm_dtype from, tsm_dtype to) {
    if (tsm_dtype_is_complex(from) && !tsm_dtype_is_complex(to))
        return false;
    if (tsm_dtype_is_floating(from) && tsm_dtype_is_integral(to))
        return false;
    return from == TSM_BOOL || to != TSM_BOOL;
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
    for (int i = 0; i < d->dims; i++)
        if (d->sizes[i] > 1 && d->strides[i] == 0)
            return TSM_RAISE(
                x, "unsupported operation: more than one element of the written-to tensor refers to a single memory "
                   "location. Please clone() the tensor before performing the operation.");
    return TSM_OK;
}

enum overlap { OVERLAP_NONE, OVERLAP_FULL, OVERLAP_OTHER };

static enum overlap overlap_of(const tsm_tensor *dest, const tsm_tensor *t) {
    if (dest == t)
        return OVERLAP_FULL;
    if (dest->storage != t->storage)
        return OVERLAP_NONE;
    bool full = dest->data == t->data && dest->dims == t->dims && dest->dtype == t->dtype;
    for (int i = 0; full && i < dest->dims; i++)
        full = dest->sizes[i] == t->sizes[i] && (dest->strides[i] == t->strides[i] || dest->sizes[i] == 1);
    return full ? OVERLAP_FULL : OVERLAP_OTHER;
}

/* The worst overlap of x->dest with what value v holds. The destination argument itself does not count when it is only
 * that. */
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
        if (x->dest->dtype == dtype && tsm_same_shape(x->dest, dims, sizes) && writable(x->dest) &&
            dest_overlap(x, in) != OVERLAP_OTHER)
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

tsm_status tsm_out_fresh(tsm_exec *x, const tsm_value *const *in, tsm_dtype dtype, int dims, const tsm_dim *sizes,
                         tsm_tensor **out) {
    if (x->dest) {
        TSM_TRY(check_dest(x, dtype, dims, sizes));
        if (x->dest->dtype == dtype && tsm_same_shape(x->dest, dims, sizes) && writable(x->dest) &&
            dest_overlap(x, in) == OVERLAP_NONE)
            return use_dest(x, out);
    }
    return tsm_tensor_make(x, dtype, dims, sizes, out);
}

/* ---- Shapes ---- */

tsm_status tsm_wrap_dim(tsm_exec *x, int64_t dim, int dims, int *out) {
    int64_t n = dims ? dims : 1;
    if (dim < -n || dim >= n)
        return TSM_RAISE(x, "Dimension out of range (expected to be in range of [%ld, %ld], but got %ld)", -n, n - 1,
                         dim);
    *out = (int)(dim < 0 ? dim + n : dim);
    return TSM_OK;
}

tsm_status tsm_broadcast_shapes(tsm_exec *x, int a_dims, const tsm_dim *a, int b_dims, const tsm_dim *b, int *dims,
                                tsm_dim *sizes) {
    int n = a_dims > b_dims ? a_dims : b_dims;
    for (int d = n - 1; d >= 0; d--) {
        int i = d - (n - a_dims), j = d - (n - b_dims);
        tsm_dim p = i >= 0 ? a[i] : 1, q = j >= 0 ? b[j] : 1;
        if (p != q && p != 1 && q != 1)
            return TSM_RAISE(
                x, "The size of tensor a (%ld) must match the size of tensor b (%ld) at non-singleton dimension %d",
                (int64_t)p, (int64_t)q, d);
        sizes[d] = p == 1 ? q : p;
    }
    *dims = n;
    return TSM_OK;
}

/* ---- Promotion (torch.result_type; c10/core/ScalarType.h and ATen/native/TypeProperties.cpp describe it) ---- */

static int float_rank(tsm_dtype d) {
    return d == TSM_FLOAT64 ? 3 : d == TSM_FLOAT32 ? 2 : 1;
}

static tsm_dtype promote_floats(tsm_dtype a, tsm_dtype b) {
    if (float_rank(a) != float_rank(b))
        return float_rank(a) > float_rank(b) ? a : b;
    return a == b ? a : TSM_FLOAT32;
}

static tsm_dtype value_dtype(tsm_dtype complex) {
    return complex == TSM_COMPLEX128 ? TSM_FLOAT64 : complex == TSM_COMPLEX64 ? TSM_FLOAT32 : TSM_FLOAT16;
}

static tsm_dtype complex_of(tsm_dtype floating) {
    return floating == TSM_FLOAT64 ? TSM_COMPLEX128 : floating == TSM_FLOAT16 ? TSM_COMPLEX32 : TSM_COMPLEX64;
}

static tsm_dtype promote_integers(tsm_dtype a, tsm_dtype b) {
    if (a == TSM_BOOL || b == TSM_BOOL)
        return a == TSM_BOOL ? b : a;
    if ((a == TSM_UINT8 && b == TSM_INT8) || (a == TSM_INT8 && b == TSM_UINT8))
        return TSM_INT16;
    return a > b ? a : b;
}

tsm_dtype tsm_promote_dtypes(tsm_dtype a, tsm_dtype b) {
    if (a == b)
        return a;
    bool ac = tsm_dtype_is_complex(a), bc = tsm_dtype_is_complex(b);
    bool af = tsm_dtype_is_floating(a), bf = tsm_dtype_is_floating(b);
    if (ac || bc) {
        if (!(ac || af) || !(bc || bf))
            return ac ? a : b;
        return complex_of(promote_floats(ac ? value_dtype(a) : a, bc ? value_dtype(b) : b));
    }
    if (af && bf)
        return promote_floats(a, b);
    if (af || bf)
        return af ? a : b;
    return promote_integers(a, b);
}

void tsm_promote_start(tsm_promotion *p) {
    p->dim_dtype = p->zero_dtype = p->number_dtype = -1;
}

static int promote_or(int a, tsm_dtype b) {
    return a < 0 ? (int)b : (int)tsm_promote_dtypes((tsm_dtype)a, b);
}

void tsm_promote_value(tsm_promotion *p, tsm_value v) {
    switch (v.tag) {
    case TSM_TAG_TENSOR: {
        const tsm_tensor *t = tsm_as_tensor(v);
        int *slot = t->dims ? &p->dim_dtype : &p->zero_dtype;
        *slot = promote_or(*slot, (tsm_dtype)t->dtype);
        break;
    }
    case TSM_TAG_BOOL:
        p->number_dtype = promote_or(p->number_dtype, TSM_BOOL);
        break;
    case TSM_TAG_INT:
        p->number_dtype = promote_or(p->number_dtype, TSM_INT64);
        break;
    case TSM_TAG_FLOAT:
        p->number_dtype = promote_or(p->number_dtype, TSM_FLOAT32);
        break;
    case TSM_TAG_COMPLEX:
        p->number_dtype = promote_or(p->number_dtype, TSM_COMPLEX64);
        break;
    default:
        break;
    }
}

/* A lower class of operands only changes the kind of number (bool, int, float, complex), never its width. */
static int combine_classes(int higher, int lower) {
    if (higher < 0 || lower < 0)
        return higher < 0 ? lower : higher;
    tsm_dtype h = (tsm_dtype)higher, l = (tsm_dtype)lower;
    if (tsm_dtype_is_complex(h))
        return h;
    if (tsm_dtype_is_floating(h))
        return tsm_dtype_is_complex(l) ? (int)complex_of(h) : higher;
    if (h == TSM_BOOL || tsm_dtype_is_floating(l) || tsm_dtype_is_complex(l))
        return (int)tsm_promote_dtypes(h, l);
    return higher;
}

tsm_dtype tsm_promote_end(const tsm_promotion *p) {
    int d = combine_classes(p->dim_dtype, combine_classes(p->zero_dtype, p->number_dtype));
    return d < 0 ? TSM_FLOAT32 : (tsm_dtype)d;
}
