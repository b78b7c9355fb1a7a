/* Tensors of random numbers. Each element takes its words from the generator in the order of memory; how many words,
 * and what becomes of them, is PyTorch's choice, said at each function. */
#include "runtime/kernels/kernel.h"
#include "runtime/kernels/loops.h"
#include "runtime/kernels/random/random.h"
#include "runtime/kernels/simd/normal.h"

/* ---- Shared ---- */

static bool is_float(const tsm_tensor *t) {
    return tsm_dtype_is_floating((tsm_dtype)t->dtype);
}

/* Bits of the significand. */
static int significand_bits(tsm_dtype dtype) {
    return dtype == TSM_FLOAT64 ? 53 : dtype == TSM_FLOAT32 ? 24 : dtype == TSM_FLOAT16 ? 11 : 8;
}

/* A float as an element of this type keeps it. */
static float distribution_rounded(tsm_dtype dtype, float f) {
    return dtype == TSM_FLOAT16    ? tsm_float_of_half(tsm_half_of_float(f))
           : dtype == TSM_BFLOAT16 ? tsm_float_of_bfloat16(tsm_bfloat16_of_float(f))
                                   : f;
}

/* The result of a functional operator: a tensor like its first input, with each element drawn. For in-place and out=
 * variants it is the destination. */
static tsm_status drawn(tsm_exec *x, const tsm_value *const *in, int generator, tsm_lane lane, random_draw draw,
                        const void *how, tsm_value *out) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, *in[generator], &r));
    const tsm_tensor *self = arg_tensor(in, 0);
    tsm_tensor *t;
    TSM_TRY(tsm_out_pointwise(x, in, (tsm_dtype)self->dtype, self->dims, self->sizes, &t));
    tsm_random_fill(r, t, lane, draw, how);
    return ret_tensor(out, t);
}

/* ---- Uniform numbers ---- */

typedef struct {
    double from, to;
    tsm_dtype dtype;
} interval;

enum { GROUP = TSM_NORMAL_GROUP, PAIRS = GROUP / 2 };

/* From [0, 1): the low bits of words, as many as a significand has. */
static void draw_units(tsm_random *r, tsm_dtype dtype, float *restrict y, tsm_dim n) {
    const uint32_t mask = (UINT32_C(1) << significand_bits(dtype)) - 1;
    const float step = 1 / (float)(mask + 1);
    uint32_t words[GROUP];
    for (tsm_dim done = 0, m; done < n; done += m) {
        m = tsm_dim_min(n - done, GROUP);
        tsm_random_words(r, words, m);
        for (tsm_dim i = 0; i < m; i++)
            y[done + i] = (float)(int32_t)(words[i] & mask) * step;
    }
}

static void draw_uniform_f32(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const interval *v = how;
    const float from = distribution_rounded(v->dtype, (float)v->from), width = (float)v->to - from;
    float *y = items;
    draw_units(r, v->dtype, y, n);
    for (tsm_dim i = 0; i < n && (from != 0 || width != 1); i++)
        y[i] = tsm_fused(y[i], width, from);
}

static void draw_uniform_f64(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const interval *v = how;
    double *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = fma(random_double(r), v->to - v->from, v->from);
}

/* A complex tensor as a real one of one dimension, whose elements are the real and imaginary parts. */
typedef struct {
    tsm_tensor tensor;
    tsm_dim size, stride;
} real_view;

static tsm_status view_real(tsm_exec *x, tsm_tensor *t, real_view *v) {
    if (t->dtype == TSM_COMPLEX32 || !tsm_tensor_is_contiguous(t))
        return tsm_fail(x, TSM_UNSUPPORTED,
                        "%s of a complex tensor that is not contiguous or complex32 is not supported", tsm_op_name(x));
    v->tensor = *t;
    v->tensor.dtype = t->dtype == TSM_COMPLEX64 ? TSM_FLOAT32 : TSM_FLOAT64;
    v->tensor.dims = 1;
    v->tensor.elements = v->size = 2 * t->elements;
    v->stride = 1;
    v->tensor.sizes = &v->size;
    v->tensor.strides = &v->stride;
    return TSM_OK;
}

static tsm_status fill_uniform(tsm_exec *x, tsm_random *r, tsm_tensor *t, double from, double to) {
    real_view v;
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype)) {
        TSM_TRY(view_real(x, t, &v));
        t = &v.tensor;
    }
    if (!is_float(t))
        return tsm_loops_missing(x, "check_uniform_bounds", (tsm_dtype)t->dtype);
    if (!(from <= to))
        return TSM_RAISE(x, "uniform_ expects to return a [from, to) range, but found from=%s > to=%s",
                         tsm_kernel_number(from).text, tsm_kernel_number(to).text);
    interval how = {from, to, (tsm_dtype)t->dtype};
    bool wide = t->dtype == TSM_FLOAT64;
    tsm_random_fill(r, t, wide ? TSM_LANE_F64 : TSM_LANE_F32, wide ? draw_uniform_f64 : draw_uniform_f32, &how);
    return TSM_OK;
}

/* ---- Normal numbers ---- */

typedef struct {
    double mean, deviation;
} bell;

static void draw_normal(tsm_random *r, const void *how, void *items, tsm_dim n) {
    const bell *b = how;
    double *y = items;
    for (tsm_dim i = 0; i < n; i++)
        y[i] = fma(tsm_random_normal(r), b->deviation, b->mean);
}

/* As tsm_normal_group_base, in double and by libm, as PyTorch does. */
static void group_f64(double *y, const bell *b) {
    for (int i = 0; i < PAIRS; i++) {
        double radius = sqrt(-2 * log(1 - y[i])), angle = 6.283185307179586477 * y[i + PAIRS];
        y[i] = fma(radius * cos(angle), b->deviation, b->mean);
        y[i + PAIRS] = fma(radius * sin(angle), b->deviation, b->mean);
    }
}

/* Rounds an intermediate result: PyTorch keeps it in bfloat16 for bfloat16, but in float for half. */
static float distribution_step(tsm_dtype dtype, float f) {
    return dtype == TSM_BFLOAT16 ? distribution_rounded(dtype, f) : f;
}

/* Half and bfloat16: radius and angle are rounded to the dtype. */
static void group_narrow(float *y, const bell *b, tsm_dtype d) {
    float mean = distribution_rounded(d, (float)b->mean), deviation = distribution_rounded(d, (float)b->deviation);
    for (int i = 0; i < PAIRS; i++) {
        float logarithm = distribution_step(d, logf(distribution_rounded(d, 1 - y[i])));
        float radius = distribution_rounded(d, sqrtf(distribution_step(d, -2 * logarithm)));
        float angle = distribution_rounded(d, (float)(6.283185307179586477 * (double)y[i + PAIRS]));
        float cosine = distribution_step(d, cosf(angle)), sine = distribution_step(d, sinf(angle));
        y[i] = distribution_step(d, distribution_step(d, radius * cosine) * deviation) + mean;
        y[i + PAIRS] = distribution_step(d, distribution_step(d, radius * sine) * deviation) + mean;
    }
}

/* x86-64 has vectors and fused steps when the float loops that were chosen have them. */
static void group_f32(tsm_exec *x, float *y, const bell *b) {
#if defined(TSM_TABLES_X86_64)
    if (loops_f32(x) != &tsm_f32_base) {
        tsm_normal_group_avx2(y, (float)b->mean, (float)b->deviation);
        return;
    }
#endif
    (void)x;
    tsm_normal_group_base(y, (float)b->mean, (float)b->deviation);
}

static void draw_group(tsm_exec *x, tsm_random *r, tsm_tensor *t, tsm_dim at, const bell *b) {
    tsm_dtype dtype = (tsm_dtype)t->dtype;
    if (dtype == TSM_FLOAT64) {
        const interval unit = {0, 1, dtype};
        double *y = (double *)t->data + at;
        draw_uniform_f64(r, &unit, y, GROUP);
        group_f64(y, b);
        return;
    }
    float narrow[GROUP], *y = dtype == TSM_FLOAT32 ? (float *)t->data + at : narrow;
    draw_units(r, dtype, y, GROUP);
    if (dtype == TSM_FLOAT32) {
        group_f32(x, y, b);
        return;
    }
    group_narrow(y, b, dtype);
    size_t size = tsm_dtype_size(dtype);
    tsm_lane_store(dtype, (char *)t->data + (size_t)at * size, (tsm_dim)size, TSM_LANE_F32, y, GROUP);
}

/* Contiguous tensors of 16 elements and more are made in groups. What does not fill a group draws its words too; then
 * the last 16 elements are drawn anew. */
static void fill_groups(tsm_exec *x, tsm_random *r, tsm_tensor *t, const bell *b) {
    tsm_dim at = 0;
    for (; at + GROUP <= t->elements; at += GROUP)
        draw_group(x, r, t, at, b);
    if (at == t->elements)
        return;
    for (; at < t->elements; at++) {
        if (t->dtype == TSM_FLOAT64)
            (void)random_64(r);
        else
            (void)random_32(r);
    }
    draw_group(x, r, t, t->elements - GROUP, b);
}

static tsm_status fill_normal(tsm_exec *x, tsm_random *r, tsm_tensor *t, double mean, double deviation) {
    real_view v;
    if (!(deviation >= 0))
        return TSM_RAISE(x, "normal expects std >= 0.0, but found std %s", tsm_kernel_number(deviation).text);
    if (tsm_dtype_is_complex((tsm_dtype)t->dtype)) {
        TSM_TRY(view_real(x, t, &v));
        t = &v.tensor;
        deviation /= 1.4142135623730950488;
    }
    if (!is_float(t))
        return tsm_loops_missing(x, "normal_kernel_cpu", (tsm_dtype)t->dtype);
    bell b = {mean, deviation};
    if (t->elements >= GROUP && tsm_tensor_is_contiguous(t))
        fill_groups(x, r, t, &b);
    else
        tsm_random_fill(r, t, TSM_LANE_F64, draw_normal, &b);
    return TSM_OK;
}

/* ---- Operators on an existing tensor ---- */

TSM_KERNEL(aten_uniform_) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, *in[3], &r));
    TSM_TRY(fill_uniform(x, r, arg_tensor(in, 0), arg_float(in, 1), arg_float(in, 2)));
    return tsm_random_ret_self(in, out);
}

TSM_KERNEL(aten_normal_) {
    tsm_random *r;
    TSM_TRY(tsm_random_get(x, *in[3], &r));
    TSM_TRY(fill_normal(x, r, arg_tensor(in, 0), arg_float(in, 1), arg_float(in, 2)));
    return tsm_random_ret_self(in, out);
}

typedef struct {
    double a, b;
} distribution_parameters;

/* The distributions whose elements are doubles that a formula makes of u, a uniform double, or of a normal one. */
#define DRAW_DOUBLES(name, PREPARE, FORMULA)                                                                           \
    static void name(tsm_random *r, const void *how, void *items, tsm_dim n) {                                         \
        const distribution_parameters *p = how;                                                                        \
        double *y = items;                                                                                             \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            double u = PREPARE;                                                                                        \
            y[i] = FORMULA;                                                                                            \
        }                                                                                                              \
    }
DRAW_DOUBLES(draw_exponential, random_double(r), -1 / p->a * log(1 - u))
DRAW_DOUBLES(draw_cauchy, random_double(r), p->a + p->b * tan(3.14159265358979323846 * (u - 0.5)))
DRAW_DOUBLES(draw_log_normal, tsm_random_normal(r), exp(fma(u, p->b, p->a)))
DRAW_DOUBLES(draw_geometric, random_double(r), ceil(log(u) / log(1 - p->a)))

static tsm_status fill_doubles(tsm_exec *x, const tsm_value *const *in, int generator, const char *name,
                               bool takes_ints, random_draw draw, const distribution_parameters *p, tsm_value *out) {
    tsm_dtype dtype = (tsm_dtype)arg_tensor(in, 0)->dtype;
    if (!tsm_dtype_is_floating(dtype) && !(takes_ints && tsm_dtype_is_integral(dtype) && dtype != TSM_BOOL))
        return tsm_loops_missing(x, name, dtype);
    return drawn(x, in, generator, TSM_LANE_F64, draw, p, out);
}

TSM_KERNEL(aten_exponential) {
    distribution_parameters p = {arg_float(in, 1), 0};
    if (!(p.a >= 0))
        return TSM_RAISE(x, "exponential_ expects lambda >= 0.0, but found lambda=%s", tsm_kernel_number(p.a).text);
    return fill_doubles(x, in, 2, "exponential_cpu", false, draw_exponential, &p, out);
}

TSM_KERNEL(aten_cauchy) {
    distribution_parameters p = {arg_float(in, 1), arg_float(in, 2)};
    return fill_doubles(x, in, 3, "cauchy_cpu", false, draw_cauchy, &p, out);
}

TSM_KERNEL(aten_log_normal) {
    distribution_parameters p = {arg_float(in, 1), arg_float(in, 2)};
    if (!(p.b > 0))
        return TSM_RAISE(x, "log_normal_ expects std > 0.0, but found std=%s", tsm_kernel_number(p.b).text);
    return fill_doubles(x, in, 3, "log_normal_cpu", false, draw_log_normal, &p, out);
}

TSM_KERNEL(aten_geometric) {
    distribution_parameters p = {arg_float(in, 1), 0};
    if (!(p.a > 0 && p.a < 1))
        return TSM_RAISE(x, "geometric_ expects p to be in (0, 1), but got p=%s", tsm_kernel_number(p.a).text);
    return fill_doubles(x, in, 2, "geometric_cpu", true, draw_geometric, &p, out);
}

/* ---- New tensors ---- */

typedef tsm_status (*filler)(tsm_exec *x, tsm_random *r, tsm_tensor *t, double a, double b);

static tsm_status distribution_sized(tsm_exec *x, const tsm_value *const *in, tsm_value generator, int dtype,
                                     filler fill, double b, tsm_value *out) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, generator, &r));
    TSM_TRY(tsm_random_make(x, in, 0, arg_int_or(in, dtype, TSM_FLOAT32), &t));
    return tsm_random_ret(x, fill(x, r, t, 0, b), t, out);
}

TSM_KERNEL(aten_rand) {
    return distribution_sized(x, in, tsm_none(), 1, fill_uniform, 1, out);
}
TSM_KERNEL(aten_rand_generator) {
    return distribution_sized(x, in, *in[1], 2, fill_uniform, 1, out);
}
TSM_KERNEL(aten_randn) {
    return distribution_sized(x, in, tsm_none(), 1, fill_normal, 1, out);
}
TSM_KERNEL(aten_randn_generator) {
    return distribution_sized(x, in, *in[1], 2, fill_normal, 1, out);
}

TSM_KERNEL(aten_normal_float_float) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, *in[3], &r));
    TSM_TRY(tsm_random_make(x, in, 2, arg_int_or(in, 4, TSM_FLOAT32), &t));
    return tsm_random_ret(x, fill_normal(x, r, t, arg_float(in, 0), arg_float(in, 1)), t, out);
}

static tsm_status like(tsm_exec *x, const tsm_value *const *in, filler fill, tsm_value *out) {
    tsm_random *r;
    tsm_tensor *t;
    TSM_TRY(tsm_random_get(x, tsm_none(), &r));
    TSM_TRY(tsm_random_make_like(x, in, arg_int_or(in, 1, arg_tensor(in, 0)->dtype), &t));
    return tsm_random_ret(x, fill(x, r, t, 0, 1), t, out);
}

TSM_KERNEL(aten_rand_like) {
    return like(x, in, fill_uniform, out);
}
TSM_KERNEL(aten_randn_like) {
    return like(x, in, fill_normal, out);
}
