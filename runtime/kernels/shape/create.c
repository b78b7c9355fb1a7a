/* New tensors. */
#include "runtime/kernels/complex_math.h"
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/quantizer/quantized_tensor.h"
#include "runtime/kernels/simd/casts.h"
#include "runtime/kernels/simd/vmath64.h"
#include "runtime/tensor/iter.h"

#define DEFAULT_DTYPE TSM_FLOAT32

/* Numbers that are made before they are stored. */
enum { CREATE_BLOCK = 32 };

/* n elements `step` bytes apart. */
static void fill_run(tsm_exec *x, char *to, tsm_dim step, tsm_dim n, const char *element, size_t size) {
    const size_t all = (size_t)n * size;
    const tsm_cast repeat = tsm_cast_repeat(x, size);
    if (step != (tsm_dim)size || n == 1) {
        tsm_copy_run(to, step, element, 0, n, size);
        return;
    }
    bool is_zero = true;
    for (size_t i = 0; i < size; i++)
        is_zero &= !element[i];
    if (is_zero) {
        memset(to, 0, all);
        return;
    }
    if (repeat) {
        repeat(to, element, n);
        return;
    }
    /* What is filled already is copied behind itself, in parts that stay in the cache. */
    enum { MOST = 2048 };
    memcpy(to, element, size);
    for (size_t done = size, part; done < all; done += part) {
        part = done < MOST ? done : MOST - MOST % size;
        part = part < all - done ? part : all - done;
        memcpy(to + done, to, part);
    }
}

/* The number as floats of the tensor's sizes, quantized as it is copied. */
static tsm_status fill_quantized(tsm_exec *x, tsm_tensor *t, tsm_value number) {
    static const tsm_dim no_strides[TSM_MAX_DIMS];
    tsm_tensor *scalar, *wide;
    TSM_TRY(tsm_tensor_scalar(x, TSM_FLOAT32, number, &scalar));
    tsm_status status = tsm_tensor_view_of(x, scalar, t->dims, t->sizes, no_strides, 0, &wide);
    tsm_tensor_drop(x, scalar);
    TSM_TRY(status);
    status = tsm_quantized_copy(x, t, wide);
    tsm_tensor_drop(x, wide);
    return status;
}

static tsm_status create_fill(tsm_exec *x, tsm_tensor *t, tsm_value number) {
    if (t->quantizer)
        return fill_quantized(x, t, number);
    const bool is_bool = t->dtype == TSM_BOOL; /* 0.5 is true, though as an int it is 0 */
    tsm_lane lane = is_bool ? TSM_LANE_MASK : tsm_lane_of((tsm_dtype)t->dtype);
    tsm_lane_item item = tsm_lane_item_of(lane, number);
    char element[sizeof(tsm_lane_item)];
    size_t size = tsm_dtype_size((tsm_dtype)t->dtype);
    TSM_TRY(tsm_check_number(x, (tsm_dtype)t->dtype, number));
    tsm_lane_store((tsm_dtype)t->dtype, element, 0, lane, &item, 1);
    tsm_iter it;
    tsm_iter_start(&it, t->dims, t->sizes);
    tsm_iter_add(&it, t);
    tsm_iter_ready(&it);
    while (tsm_iter_next(&it))
        fill_run(x, it.data[0], it.strides[0][0], it.sizes[0], element, size);
    return TSM_OK;
}

static tsm_status create_check_sizes(tsm_exec *x, int dims, const tsm_dim *sizes) {
    size_t total = 16;
    for (int d = 0; d < dims; d++) {
        if (sizes[d] < 0)
            return TSM_RAISE(x, "Trying to create tensor with negative dimension %zd", (ptrdiff_t)sizes[d]);
        if (sizes[d] && total > (size_t)PTRDIFF_MAX / (size_t)sizes[d])
            return TSM_RAISE(x, "Storage size calculation overflowed");
        total *= sizes[d] ? (size_t)sizes[d] : 1;
    }
    return TSM_OK;
}

/* A new tensor, filled unless `number` is None. */
static tsm_status ret_filled(tsm_exec *x, tsm_tensor *t, tsm_value number, tsm_value *out) {
    tsm_status status = number.tag != TSM_TAG_NONE ? create_fill(x, t, number) : TSM_OK;
    if (status != TSM_OK) {
        tsm_tensor_drop(x, t);
        return status;
    }
    return ret_tensor(out, t);
}

/* A tensor of the sizes in input `i`, filled unless `number` is None. */
static tsm_status filled(tsm_exec *x, const tsm_value *const *in, int i, tsm_dtype dtype, tsm_value number,
                         tsm_value *out) {
    tsm_dim sizes[TSM_MAX_DIMS];
    int dims = tsm_arg_ints(x, in, i, sizes, TSM_MAX_DIMS);
    if (dims < 0)
        return TSM_RAISED;
    TSM_TRY(create_check_sizes(x, dims, sizes));
    if (!tsm_dtype_exists(dtype) || tsm_dtype_is_quantized(dtype))
        return TSM_RAISE(x, "cannot make a tensor of dtype %d", (int)dtype);
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make(x, dtype, dims, sizes, &t));
    return ret_filled(x, t, number, out);
}

static tsm_status filled_like(tsm_exec *x, const tsm_tensor *like, tsm_dtype dtype, tsm_value number, tsm_value *out) {
    tsm_tensor *t;
    if (tsm_dtype_is_quantized(dtype) && dtype != like->dtype)
        return TSM_RAISE(x, "cannot make a tensor of dtype %d", (int)dtype);
    TSM_TRY(tsm_tensor_make_like(x, like, dtype, &t));
    if (dtype == like->dtype)
        quantized_chosen(t, like);
    return ret_filled(x, t, number, out);
}

/* Memory of empty tensors is zeroed too: the same program gives the same bits. */
TSM_KERNEL(aten_empty_memory_format) {
    return filled(x, in, 0, arg_dtype(in, 1, DEFAULT_DTYPE), tsm_int(0), out);
}
TSM_KERNEL_ALIAS(aten_zeros, aten_empty_memory_format);
TSM_KERNEL(aten_ones) {
    return filled(x, in, 0, arg_dtype(in, 1, DEFAULT_DTYPE), tsm_int(1), out);
}

TSM_KERNEL(aten_empty_strided) {
    tsm_dim sizes[TSM_MAX_DIMS], strides[TSM_MAX_DIMS];
    int dims = tsm_arg_ints(x, in, 0, sizes, TSM_MAX_DIMS), given = tsm_arg_ints(x, in, 1, strides, TSM_MAX_DIMS);
    if (dims < 0 || given < 0)
        return TSM_RAISED;
    if (dims != given)
        return TSM_RAISE(x, "mismatch in length of strides and shape");
    for (int d = 0; d < dims; d++)
        if (strides[d] < 0)
            return TSM_RAISE(x, "as_strided: Negative strides are not supported at the moment");
    TSM_TRY(create_check_sizes(x, dims, sizes));
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make_strided(x, arg_dtype(in, 2, DEFAULT_DTYPE), dims, sizes, strides, &t));
    memset(t->storage->data, 0, t->storage->bytes);
    return ret_tensor(out, t);
}

static tsm_dtype dtype_of_number(tsm_value v) {
    return v.tag == TSM_TAG_BOOL      ? TSM_BOOL
           : v.tag == TSM_TAG_INT     ? TSM_INT64
           : v.tag == TSM_TAG_COMPLEX ? TSM_COMPLEX64
                                      : DEFAULT_DTYPE;
}
TSM_KERNEL(aten_full) {
    return filled(x, in, 0, arg_dtype(in, 2, dtype_of_number(*in[1])), *in[1], out);
}
TSM_KERNEL_LIGHT(aten_new_full) {
    return filled(x, in, 1, arg_dtype(in, 3, (tsm_dtype)arg_tensor(in, 0)->dtype), *in[2], out);
}
TSM_KERNEL_LIGHT(aten_new_zeros) {
    return filled(x, in, 1, arg_dtype(in, 2, (tsm_dtype)arg_tensor(in, 0)->dtype), tsm_int(0), out);
}
TSM_KERNEL_ALIAS(aten_new_empty, aten_new_zeros);
TSM_KERNEL_LIGHT(aten_new_ones) {
    return filled(x, in, 1, arg_dtype(in, 2, (tsm_dtype)arg_tensor(in, 0)->dtype), tsm_int(1), out);
}
TSM_KERNEL(aten_zeros_like) {
    return filled_like(x, arg_tensor(in, 0), arg_dtype(in, 1, (tsm_dtype)arg_tensor(in, 0)->dtype), tsm_int(0), out);
}
TSM_KERNEL_ALIAS(aten_empty_like, aten_zeros_like);
TSM_KERNEL(aten_ones_like) {
    return filled_like(x, arg_tensor(in, 0), arg_dtype(in, 1, (tsm_dtype)arg_tensor(in, 0)->dtype), tsm_int(1), out);
}
TSM_KERNEL(aten_full_like) {
    return filled_like(x, arg_tensor(in, 0), arg_dtype(in, 2, (tsm_dtype)arg_tensor(in, 0)->dtype), *in[1], out);
}
TSM_KERNEL(aten_scalar_tensor) {
    tsm_tensor *t;
    TSM_TRY(tsm_check_number(x, arg_dtype(in, 1, DEFAULT_DTYPE), *in[0]));
    TSM_TRY(tsm_tensor_scalar(x, arg_dtype(in, 1, DEFAULT_DTYPE), *in[0], &t));
    return ret_tensor(out, t);
}
TSM_KERNEL(aten_fill__Scalar) {
    TSM_TRY(create_fill(x, arg_tensor(in, 0), *in[1]));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL(aten_fill__Tensor) {
    tsm_status status = TSM_OK;
    const tsm_tensor *v = arg_tensor(in, 1);
    if (v->dims)
        return TSM_RAISE(x, "fill_ only supports 0-dimension value tensor but got tensor with %d dimensions.", v->dims);
    tsm_value number = tsm_tensor_item(x, v, 0, &status);
    TSM_TRY(status);
    status = create_fill(x, arg_tensor(in, 0), number);
    tsm_drop(x, number);
    TSM_TRY(status);
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}
TSM_KERNEL(aten_zero_) {
    TSM_TRY(create_fill(x, arg_tensor(in, 0), tsm_int(0)));
    *out = tsm_hold(*in[0]);
    return TSM_OK;
}

/* ---- Sequences ---- */

static double number(tsm_value v) {
    return tsm_lane_item_of(TSM_LANE_F64, v).f64;
}

static tsm_value without_fraction(tsm_value v) {
    return tsm_int(tsm_lane_item_of(TSM_LANE_I64, v).i);
}

/* A line of n. A destination of as many elements keeps its sizes. */
static tsm_status create_line(tsm_exec *x, tsm_dtype dtype, tsm_dim n, tsm_tensor **t) {
    const tsm_tensor *dest = x->dest;
    const bool keeps = dest && dest->elements == n;
    return tsm_tensor_make(x, dtype, keeps ? dest->dims : 1, keeps ? dest->sizes : &n, t);
}

/* Integers step by whole numbers; only int64 ones are also counted by them. */
static tsm_status arange(tsm_exec *x, tsm_value start, tsm_value end, tsm_value step, const tsm_value *const *in,
                         int dtype_at, tsm_value *out) {
    bool whole = start.tag != TSM_TAG_FLOAT && end.tag != TSM_TAG_FLOAT && step.tag != TSM_TAG_FLOAT;
    tsm_dtype dtype = arg_dtype(in, dtype_at, whole ? TSM_INT64 : DEFAULT_DTYPE);
    if (dtype == TSM_INT64) {
        start = without_fraction(start);
        end = without_fraction(end);
        step = without_fraction(step);
    }
    double from = number(start), to = number(end), by = number(step);
    if (by == 0)
        return TSM_RAISE(x, "step must be nonzero");
    if ((by > 0) != (to >= from) && to != from)
        return TSM_RAISE(x, "upper bound and larger bound inconsistent with step sign");
    double count = ceil((to - from) / by);
    if (!(count >= 0 && count < 0x1p31))
        return TSM_RAISE(x, "invalid size, possible overflow?");
    tsm_dim n = (tsm_dim)count;
    if (tsm_dtype_is_integral(dtype)) {
        start = without_fraction(start);
        step = without_fraction(step);
        whole = true;
        if (!step.as.i)
            return TSM_RAISE(x, "step must be nonzero");
    }
    tsm_tensor *t;
    TSM_TRY(create_line(x, dtype, n, &t));
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    const bool is_direct = dtype == TSM_INT64 || (dtype == TSM_FLOAT32 && !whole);
    for (tsm_dim i = 0; i < n && dtype == TSM_INT64; i++)
        ((int64_t *)t->data)[i] = (int64_t)((uint64_t)start.as.i + (uint64_t)i * (uint64_t)step.as.i);
    for (int32_t i = 0; i < n && dtype == TSM_FLOAT32 && !whole; i++) /* vectors convert ints of 32 bits */
        ((float *)t->data)[i] = (float)(from + (double)i * by);
    for (tsm_dim i = 0, m; i < n && !is_direct; i += m) {
        union {
            int64_t whole[CREATE_BLOCK];
            double real[CREATE_BLOCK];
        } items;
        m = tsm_dim_min(n - i, CREATE_BLOCK);
        for (tsm_dim k = 0; k < m && whole; k++)
            items.whole[k] = (int64_t)((uint64_t)start.as.i + (uint64_t)(i + k) * (uint64_t)step.as.i);
        for (tsm_dim k = 0; k < m && !whole; k++)
            items.real[k] = from + (double)(i + k) * by;
        tsm_lane_store(dtype, (char *)t->data + i * size, size, whole ? TSM_LANE_I64 : TSM_LANE_F64, &items, m);
    }
    return ret_tensor(out, t);
}
TSM_KERNEL(aten_arange) {
    return arange(x, tsm_int(0), *in[0], tsm_int(1), in, 1, out);
}
TSM_KERNEL(aten_arange_start) {
    return arange(x, *in[0], *in[1], tsm_int(1), in, 2, out);
}
TSM_KERNEL(aten_arange_start_step) {
    return arange(x, *in[0], *in[1], *in[2], in, 3, out);
}

/* start, end and their n numbers. */
typedef struct {
    tsm_complex start, end, step;
    tsm_dim n;
} progression;

/* Number i, counted from the nearer end; rounded once, which integers show. */
static tsm_complex progression_at(const progression *p, tsm_dim i, bool is_complex) {
    bool near = i < p->n / 2 || p->n == 1;
    double steps = near ? (double)i : -(double)(p->n - 1 - i);
    if (is_complex)
        return cx_add(near ? p->start : p->end, cx_scale(p->step, steps));
    return cx(fma(p->step.re, steps, near ? p->start.re : p->end.re), 0);
}

/* Bytes of PyTorch's vectors. */
enum { COUNTED_VECTOR = 32 };

/* PyTorch 1 makes integers by vectors of 32 bytes, two at a time, and the first of a vector loses its fraction before
 * the others are counted from it. */
static double counted_integer(const progression *p, tsm_dim i, tsm_dtype dtype) {
    const tsm_dim lanes = COUNTED_VECTOR / (tsm_dim)tsm_dtype_size(dtype),
                  first = i < p->n - p->n % (2 * lanes) ? i - i % lanes : i;
    return trunc(progression_at(p, first, false).re) + (double)(i - first) * p->step.re;
}

static inline double rounded_to(tsm_dtype dtype, double v) {
    if (dtype == TSM_FLOAT64)
        return v;
    if (dtype == TSM_FLOAT16)
        return (double)tsm_float_of_half(tsm_half_of_float((float)v));
    return dtype == TSM_FLOAT32 ? (double)(float)v : (double)tsm_float_of_bfloat16(tsm_bfloat16_of_float((float)v));
}

/* Number i of floats, counted from the nearer end; the product of those of 16 bits is rounded, too. */
static inline double counted_float(const progression *p, tsm_dim i, tsm_dtype dtype) {
    const bool near = i < p->n / 2;
    const double from = near ? p->start.re : p->end.re, step = near ? p->step.re : -p->step.re,
                 steps = rounded_to(dtype, (double)(near ? i : p->n - 1 - i));
    if (dtype == TSM_FLOAT64)
        return fma(step, steps, from);
    return rounded_to(dtype, from + (dtype == TSM_FLOAT32 ? step * steps : rounded_to(dtype, step * steps)));
}

/* The first of each vector is counted from the nearer end, the others from it. */
#define COUNT_VECTORS(name, T, DTYPE)                                                                                  \
    static void name(const progression *p, T *to, tsm_dim vectors) {                                                   \
        enum { LANES = COUNTED_VECTOR / (int)sizeof(T) };                                                              \
        T steps[LANES];                                                                                                \
        for (int k = 0; k < LANES; k++)                                                                                \
            steps[k] = (T)p->step.re * (T)k;                                                                           \
        for (tsm_dim i = 0; i < vectors; i += LANES) {                                                                 \
            const T first = (T)counted_float(p, i, DTYPE);                                                             \
            for (int k = 0; k < LANES; k++)                                                                            \
                to[i + k] = first + steps[k];                                                                          \
        }                                                                                                              \
    }
COUNT_VECTORS(count_f32, float, TSM_FLOAT32)
COUNT_VECTORS(count_f64, double, TSM_FLOAT64)

/* PyTorch makes floats in the arithmetic of their dtype, by vectors of 32 bytes, two at a time; those behind the last
 * two vectors are counted like the first of a vector. */
static void count_floats(progression p, tsm_tensor *t) {
    const tsm_dtype dtype = t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype), lanes = COUNTED_VECTOR / size,
                  vectors = p.n - p.n % (2 * lanes);
    const bool is_direct = size > 2;
    p.start.re = rounded_to(dtype, p.start.re);
    p.end.re = rounded_to(dtype, p.end.re);
    p.step.re = rounded_to(dtype, rounded_to(dtype, p.end.re - p.start.re) / rounded_to(dtype, (double)(p.n - 1)));
    if (dtype == TSM_FLOAT32)
        count_f32(&p, t->data, vectors);
    if (dtype == TSM_FLOAT64)
        count_f64(&p, t->data, vectors);
    for (tsm_dim i = is_direct ? vectors : 0, m; i < p.n; i += m) {
        double items[COUNTED_VECTOR / 2] = {counted_float(&p, i, dtype)};
        m = i < vectors ? lanes : 1;
        for (int k = 1; k < m; k++)
            items[k] = items[0] + rounded_to(dtype, p.step.re * k);
        tsm_lane_store(dtype, (char *)t->data + i * size, size, TSM_LANE_F64, items, m);
    }
}

/* Powers are counted from the nearer end in double, the distance of the ends in their dtype. Doubles leave floats and
 * narrower ones their last bits. */
static void raise_floats(progression p, double base, tsm_tensor *t) {
    const double most = 0x1p60;
    const tsm_dtype dtype = t->dtype;
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    p.start.re = rounded_to(dtype, p.start.re);
    p.end.re = rounded_to(dtype, p.end.re);
    p.step.re = rounded_to(dtype, p.end.re - p.start.re) / (double)(p.n - 1);
    const bool is_near =
        dtype != TSM_FLOAT64 && base > 0 && base < (double)INFINITY && fabs(p.start.re) < most && fabs(p.end.re) < most;
    const double logarithm = is_near ? vd_log(base) : 0;
    for (tsm_dim i = 0, m; i < p.n; i += m) {
        double items[CREATE_BLOCK];
        m = tsm_dim_min(p.n - i, CREATE_BLOCK);
        for (tsm_dim k = 0; k < m; k++) {
            const tsm_dim at = i + k;
            items[k] =
                at < p.n / 2 ? p.start.re + p.step.re * (double)at : p.end.re - p.step.re * (double)(p.n - 1 - at);
        }
        for (tsm_dim k = 0; k < m && is_near; k++)
            items[k] = vd_exp(items[k] * logarithm);
        for (tsm_dim k = 0; k < m && !is_near; k++)
            items[k] = pow(base, items[k]);
        tsm_lane_store(dtype, (char *)t->data + i * size, size, TSM_LANE_F64, items, m);
    }
}

/* From both ends towards the middle; with a base the numbers are exponents. Complex ends need (and give, unless a dtype
 * is asked for) a complex dtype. */
static tsm_status linspace(tsm_exec *x, const tsm_value *const *in, const double *base, int dtype_at, bool by_vectors,
                           tsm_value *out) {
    bool is_complex = in[0]->tag == TSM_TAG_COMPLEX || in[1]->tag == TSM_TAG_COMPLEX;
    progression p = {tsm_lane_item_of(TSM_LANE_C128, *in[0]).c, tsm_lane_item_of(TSM_LANE_C128, *in[1]).c, cx(0, 0), 0};
    tsm_dtype dtype = arg_dtype(in, dtype_at, is_complex ? TSM_COMPLEX64 : DEFAULT_DTYPE);
    if (arg_int(in, 2) < 0)
        return TSM_RAISE(x, "number of steps must be non-negative");
    if (is_complex && !tsm_dtype_is_complex(dtype))
        return TSM_RAISE(x, "%s: complex start or end needs a complex dtype, not %s", tsm_op_name(x),
                         tsm_dtype_name(dtype));
    p.n = arg_dim(in, 2);
    if (dtype == TSM_BOOL && p.n > 1)
        return TSM_RAISE(x, "\"%s_cpu\" not implemented for 'Bool'", base ? "logspace" : "linspace");
    tsm_tensor *t;
    TSM_TRY(create_line(x, dtype, p.n, &t));
    if (tsm_dtype_is_integral(dtype)) {
        p.start.re = trunc(p.start.re);
        p.end.re = trunc(p.end.re);
    }
    if (p.n > 1)
        p.step = is_complex ? cx_scale(cx_sub(p.end, p.start), 1 / (double)(p.n - 1))
                            : cx((p.end.re - p.start.re) / (double)(p.n - 1), 0);
    const bool is_float = tsm_dtype_is_floating(dtype) && !tsm_dtype_is_float8(dtype) && p.n > 1;
    if (is_float && base)
        raise_floats(p, *base, t);
    else if (is_float)
        count_floats(p, t);
    const tsm_dim size = (tsm_dim)tsm_dtype_size(dtype);
    for (tsm_dim i = 0; i < p.n && !is_float; i++) {
        tsm_complex v = by_vectors && tsm_dtype_is_integral(dtype) ? cx(counted_integer(&p, i, dtype), 0)
                                                                   : progression_at(&p, i, is_complex);
        if (base)
            v = is_complex ? tsm_cx_pow(cx(*base, 0), v) : cx(pow(*base, v.re), 0);
        tsm_lane_store(dtype, (char *)t->data + i * size, 0, is_complex ? TSM_LANE_C128 : TSM_LANE_F64, &v, 1);
    }
    return ret_tensor(out, t);
}
TSM_KERNEL(aten_linspace) {
    return linspace(x, in, NULL, 3, false, out);
}
TSM_KERNEL(tsm_linspace_integers) {
    return linspace(x, in, NULL, 3, true, out);
}
TSM_KERNEL(aten_logspace) {
    double base = arg_float(in, 3);
    return linspace(x, in, &base, 4, false, out);
}

/* ---- Matrices ---- */

/* The places of a triangle: those up to a diagonal, or those from it on. */
typedef struct {
    tsm_dim columns, diagonal; /* the diagonal's column in row 0 */
    tsm_dim begin, end;        /* rows that have places */
    bool is_lower;
} triangle_part;

#define TRIANGLE_PLACES(name, T)                                                                                       \
    static void name(const triangle_part *a, T *rows, T *columns) {                                                    \
        for (tsm_dim r = a->begin; r < a->end; r++) {                                                                  \
            const tsm_dim edge = tsm_dim_clamp(r + a->diagonal + a->is_lower, 0, a->columns),                          \
                          first = a->is_lower ? 0 : edge, n = a->is_lower ? edge : a->columns - edge;                  \
            for (tsm_dim k = 0; k < n; k++) {                                                                          \
                rows[k] = (T)r;                                                                                        \
                columns[k] = (T)(first + k);                                                                           \
            }                                                                                                          \
            rows += n;                                                                                                 \
            columns += n;                                                                                              \
        }                                                                                                              \
    }
TRIANGLE_PLACES(triangle_places_i64, int64_t)
TRIANGLE_PLACES(triangle_places_i32, int32_t)

/* From the row with the fewest places to the one with the most, each has one more, as long as there are columns. */
static tsm_dim triangle_count(const triangle_part *a) {
    const tsm_dim rows = a->end - a->begin,
                  fewest = a->is_lower ? a->begin + a->diagonal + 1 : a->columns - (a->end - 1 + a->diagonal),
                  rising = tsm_dim_clamp(a->columns - fewest, 0, rows),
                  triangular = tsm_dim_mul(rising, 2 * fewest + rising - 1),
                  rectangular = tsm_dim_mul(rows - rising, a->columns), most = PTRDIFF_MAX;
    return !rows ? 0 : triangular == most || rectangular > most / 2 ? most : triangular / 2 + rectangular;
}

static tsm_status triangle_indices(tsm_exec *x, const tsm_value *const *in, bool is_lower, tsm_value *out) {
    const tsm_dtype dtype = arg_dtype(in, 3, TSM_INT64);
    const tsm_dim rows = arg_dim(in, 0), columns = arg_dim(in, 1), most = PTRDIFF_MAX / 8;
    const char *name = is_lower ? "tril_indices" : "triu_indices";
    if (rows < 0 || columns < 0)
        return TSM_RAISE(x, "%s must be non-negative, got%zd", rows < 0 ? "row" : "col",
                         (ptrdiff_t)(rows < 0 ? rows : columns));
    if (dtype != TSM_INT64 && dtype != TSM_INT32)
        return TSM_RAISE(x, "\"%s\" not implemented for '%s'", name, tsm_dtype_class_name(dtype));
    triangle_part a = {.columns = tsm_dim_min(columns, most), .is_lower = is_lower};
    tsm_dim sizes[] = {2, 0};
    if (rows && columns) {
        const tsm_dim all = tsm_dim_min(rows, most);
        a.diagonal = tsm_dim_clamp(tsm_saturate_dim(arg_int(in, 2)), -all, a.columns);
        a.begin = is_lower ? tsm_dim_clamp(-a.diagonal, 0, all) : 0;
        a.end = is_lower ? all : tsm_dim_clamp(a.columns - a.diagonal, 0, all);
        sizes[1] = triangle_count(&a);
    }
    TSM_TRY(create_check_sizes(x, 2, sizes));
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make(x, dtype, 2, sizes, &t));
    if (dtype == TSM_INT64)
        triangle_places_i64(&a, t->data, (int64_t *)t->data + sizes[1]);
    else
        triangle_places_i32(&a, t->data, (int32_t *)t->data + sizes[1]);
    return ret_tensor(out, t);
}
TSM_KERNEL(aten_tril_indices) {
    return triangle_indices(x, in, true, out);
}
TSM_KERNEL(aten_triu_indices) {
    return triangle_indices(x, in, false, out);
}

static tsm_status eye(tsm_exec *x, int64_t n, int64_t m, tsm_dtype dtype, tsm_value *out) {
    tsm_dim sizes[] = {tsm_saturate_dim(n), tsm_saturate_dim(m)};
    TSM_TRY(create_check_sizes(x, 2, sizes));
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make(x, dtype, 2, sizes, &t));
    memset(t->data, 0, (size_t)t->elements * tsm_dtype_size(dtype));
    tsm_lane_item one = tsm_lane_item_of(TSM_LANE_I64, tsm_int(1));
    for (tsm_dim i = 0; i < sizes[0] && i < sizes[1]; i++)
        tsm_lane_store(dtype, (char *)t->data + (size_t)(i * sizes[1] + i) * tsm_dtype_size(dtype), 0, TSM_LANE_I64,
                       &one, 1);
    return ret_tensor(out, t);
}
TSM_KERNEL(aten_eye) {
    return eye(x, arg_int(in, 0), arg_int(in, 0), arg_dtype(in, 1, DEFAULT_DTYPE), out);
}
TSM_KERNEL(aten_eye_m) {
    return eye(x, arg_int(in, 0), arg_int(in, 1), arg_dtype(in, 2, DEFAULT_DTYPE), out);
}

/* ---- From Python values ---- */

/* The shape of nested lists, from their first items. */
static tsm_status nested_shape(tsm_exec *x, tsm_value v, int *dims, tsm_dim *sizes, tsm_value *first) {
    *dims = 0;
    while (v.tag == TSM_TAG_LIST) {
        if (*dims == TSM_MAX_DIMS)
            return TSM_RAISE(x, "tensors have at most %d dimensions", TSM_MAX_DIMS);
        const tsm_list *l = tsm_as_list(v);
        sizes[(*dims)++] = l->length;
        if (!l->length)
            break;
        v = l->items[0];
    }
    *first = v;
    return TSM_OK;
}

/* Copies nested lists, the one at hand being that of dimension `depth`; at most TSM_MAX_DIMS levels of recursion. */
static tsm_status copy_nested(tsm_exec *x, tsm_value v, int depth, int dims, const tsm_dim *sizes, tsm_dtype dtype,
                              char **to) {
    if (depth == dims) {
        tsm_status status = TSM_OK;
        if (v.tag == TSM_TAG_TENSOR) {
            if (tsm_as_tensor(v)->elements != 1)
                return TSM_RAISE(x, "only one element tensors can be converted to Python scalars");
            tsm_lane lane = tsm_lane_of(dtype);
            const tsm_value item = tsm_tensor_item(x, tsm_as_tensor(v), 0, &status);
            const tsm_lane_item number = tsm_lane_item_of(lane, item);
            tsm_drop(x, item);
            tsm_lane_store(dtype, *to, 0, lane, &number, 1);
        } else {
            tsm_number_store(dtype, *to, v);
        }
        *to += tsm_dtype_size(dtype);
        return status;
    }
    if (v.tag != TSM_TAG_LIST || tsm_as_list(v)->length != (uint32_t)sizes[depth])
        return TSM_RAISE(x, "Expected sequence of length %zd at dim %d (got %u)", (ptrdiff_t)sizes[depth], depth,
                         v.tag == TSM_TAG_LIST ? tsm_as_list(v)->length : 0);
    for (uint32_t i = 0; i < tsm_as_list(v)->length; i++)
        TSM_TRY(copy_nested(x, tsm_as_list(v)->items[i], depth + 1, dims, sizes, dtype, to));
    return TSM_OK;
}

static tsm_status from_value(tsm_exec *x, tsm_value v, const tsm_value *const *in, int dtype_at, tsm_value *out) {
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    tsm_value first = tsm_none();
    TSM_TRY(nested_shape(x, v, &dims, sizes, &first));
    tsm_dtype natural = first.tag == TSM_TAG_TENSOR ? (tsm_dtype)tsm_as_tensor(first)->dtype : dtype_of_number(first);
    tsm_dtype dtype = arg_dtype(in, dtype_at, natural);
    if (v.tag != TSM_TAG_LIST)
        TSM_TRY(tsm_check_number(x, natural, v));
    tsm_tensor *t;
    TSM_TRY(tsm_tensor_make(x, dtype, dims, sizes, &t));
    char *to = t->data;
    tsm_status status = t->elements ? copy_nested(x, v, 0, dims, sizes, dtype, &to) : TSM_OK;
    if (status != TSM_OK) {
        tsm_tensor_drop(x, t);
        return status;
    }
    return ret_tensor(out, t);
}

TSM_KERNEL(aten_as_tensor_list) {
    return from_value(x, *in[0], in, 1, out);
}
TSM_KERNEL_ALIAS(aten_as_tensor_float, aten_as_tensor_list);
TSM_KERNEL_ALIAS(aten_as_tensor_int, aten_as_tensor_list);
TSM_KERNEL_ALIAS(aten_as_tensor_bool, aten_as_tensor_list);

TSM_KERNEL(aten_tensor) {
    TSM_TRY(from_value(x, *in[0], in, 1, out));
    tsm_tensor *t = tsm_as_tensor(*out);
    if (!arg_bool(in, 3))
        return TSM_OK;
    if (!tsm_dtype_is_floating((tsm_dtype)t->dtype) && !tsm_dtype_is_complex((tsm_dtype)t->dtype)) {
        tsm_tensor_drop(x, t);
        return TSM_RAISE(x, "Only Tensors of floating point and complex dtype can require gradients");
    }
    t->flags |= TSM_TENSOR_REQUIRES_GRAD;
    return TSM_OK;
}
TSM_KERNEL_ALIAS(aten_tensor_float, aten_tensor);
TSM_KERNEL_ALIAS(aten_tensor_int, aten_tensor);
TSM_KERNEL_ALIAS(aten_tensor_bool, aten_tensor);
TSM_KERNEL_ALIAS(aten_tensor_complex, aten_tensor);

TSM_KERNEL(aten_as_tensor) {
    tsm_tensor *t = arg_tensor(in, 0), *made;
    TSM_TRY(tsm_tensor_to(x, t, arg_dtype(in, 1, (tsm_dtype)t->dtype), &made));
    return ret_tensor(out, made);
}
