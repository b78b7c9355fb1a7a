/* Arithmetic of two operands. */
#include "runtime/kernels/pointwise/pointwise.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"
#include "runtime/value/chars.h"
#if defined(__AVX2__)
#include <immintrin.h>
#endif

/* LOOP and ROWS: the loops of narrow ints, where they gain, and their rows in the table. */
#define WITHOUT_NARROW(name, EI)
#define WITHOUT_ROWS(name)
#define LOOPS2(TABLE, LOOP, ROWS, name, text, EI, E32, E64, EC, C64)                                                   \
    TSM_LOOP2(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, EI)                                                        \
    LOOP(name, EI)                                                                                                     \
    TSM_BFLOAT16_LOOP2(name, E32)                                                                                      \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, E32)                                                           \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, E64)                                                         \
    TSM_LOOP2(name##_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, EC)                                               \
    C64 TABLE(name, text,                                                                                              \
              {[TSM_LANE_I64] = name##_i64,                                                                            \
               [TSM_LANE_F32] = name##_f32,                                                                            \
               [TSM_LANE_F64] = name##_f64,                                                                            \
               [TSM_LANE_C128] = name##_c128,                                                                          \
               ROWS(name) TSM_COMPLEX64_ROW(name) TSM_BFLOAT16_ROW(name)})
/* IS_NAN, BITS: of the patterns of bfloat16. */
#define REAL_LOOPS2(name, text, EI, E32, E64, IS_NAN, BITS)                                                            \
    TSM_LOOP2(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, EI)                                                        \
    TSM_NARROW_LOOP2(name, EI)                                                                                         \
    TSM_BFLOAT16_BITS2(name, IS_NAN, BITS)                                                                             \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, E32)                                                           \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, E64)                                                         \
    TSM_LOOPS(name, text,                                                                                              \
              {[TSM_LANE_I64] = name##_i64,                                                                            \
               [TSM_LANE_F32] = name##_f32,                                                                            \
               [TSM_LANE_F64] = name##_f64,                                                                            \
               TSM_NARROW_ROWS(name) TSM_BFLOAT16_ROW(name)})
#define FLOAT_LOOPS2(name, text, E32, E64)                                                                             \
    TSM_LOOP2(name##_f32, float, float, TSM_NO_PREPARE, E32)                                                           \
    TSM_LOOP2(name##_f64, double, double, TSM_NO_PREPARE, E64)                                                         \
    TSM_LOOPS(name, text, {[TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64})
/* The same on bools, whose elements are 0 and 1. */
#define MASK_LOOPS2(name, text, EI)                                                                                    \
    TSM_LOOP2(name##_mask, uint8_t, uint8_t, TSM_NO_PREPARE, (uint8_t)(EI))                                            \
    TSM_LOOP2(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, EI)                                                        \
    TSM_NARROW_LOOP2(name, EI)                                                                                         \
    TSM_LOOPS_GENERAL(name, text, {[TSM_LANE_MASK] = name##_mask, [TSM_LANE_I64] = name##_i64, TSM_NARROW_ROWS(name)})
#define INT_LOOPS2(name, text, EI)                                                                                     \
    TSM_LOOP2(name##_i64, int64_t, int64_t, TSM_NO_PREPARE, EI)                                                        \
    TSM_LOOPS(name, text, {[TSM_LANE_I64] = name##_i64})

/* 64-bit arithmetic that wraps around. */
#define WRAP(a, op, b) ((int64_t)((uint64_t)(a)op(uint64_t)(b)))

static tsm_status binary(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops,
                         tsm_result_kind kind) {
    return tsm_binary(x, in, *in[0], *in[1], loops, kind, NULL, out);
}

/* ---- Sums and products ---- */

/* a + alpha * b */
typedef struct {
    int64_t i;
    double f;
    float f32;
    tsm_complex c;
} scale;
#define SCALE const scale s = *(const scale *)k
TSM_LOOP2(axpy_i64, int64_t, int64_t, SCALE, (int64_t)((uint64_t)a + (uint64_t)s.i * (uint64_t)b))
TSM_LOOP2(axpy_f32, float, float, SCALE, a + s.f32 * b)
TSM_LOOP2(axpy_f64, double, double, SCALE, a + s.f * b)
TSM_LOOP2(axpy_c128, tsm_complex, tsm_complex, SCALE, cx_add(a, cx_mul(s.c, b)))
TSM_LOOPS(
    axpy, "add_stub",
    {[TSM_LANE_I64] = axpy_i64, [TSM_LANE_F32] = axpy_f32, [TSM_LANE_F64] = axpy_f64, [TSM_LANE_C128] = axpy_c128})
/* Those of complex64 round as PyTorch's do: vectors hold twice as many floats as doubles. */
LOOPS2(TSM_LOOPS, TSM_NARROW_LOOP2, TSM_NARROW_ROWS, add, "add_stub", WRAP(a, +, b), a + b, a + b, cx_add(a, b),
       CX_FLOAT_LOOP2(add_c64, ((cx_floats){a.re + b.re, a.im + b.im})))
LOOPS2(TSM_LOOPS, TSM_NARROW_LOOP2, TSM_NARROW_ROWS, sub, "sub_stub", WRAP(a, -, b), a - b, a - b, cx_sub(a, b),
       CX_FLOAT_LOOP2(sub_c64, ((cx_floats){a.re - b.re, a.im - b.im})))
LOOPS2(TSM_LOOPS_GENERAL, TSM_NARROW_LOOP2, TSM_NARROW_ROWS, mul, "mul_cpu", WRAP(a, *, b), a *b, a *b, cx_mul(a, b),
       CX_FLOAT_LOOP2(mul_c64, ((cx_floats){a.re * b.re - a.im * b.im, a.re *b.im + a.im *b.re})))
MASK_LOOPS2(or_bool, "add_stub", (a | b) != 0)

static bool is_one(tsm_value v) {
    return (v.tag == TSM_TAG_INT && v.as.i == 1) || (v.tag == TSM_TAG_FLOAT && v.as.f == 1);
}

static bool is_bool(tsm_value v) {
    return v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v)->dtype == TSM_BOOL : v.tag == TSM_TAG_BOOL;
}

static bool is_floating(tsm_value v) {
    return v.tag == TSM_TAG_TENSOR && tsm_dtype_is_floating((tsm_dtype)tsm_as_tensor(v)->dtype);
}

/* a + sign * alpha * b */
static TSM_OUT_OF_LINE tsm_status add_scaled(tsm_exec *x, const tsm_value *const *in, tsm_value a, tsm_value b,
                                             tsm_value alpha, int sign, tsm_value *out) {
    tsm_dtype common = tsm_common_dtype(a, b);
    if (alpha.tag == TSM_TAG_FLOAT && tsm_dtype_is_integral(common))
        return TSM_RAISE(x, "For integral input tensors, argument alpha must not be a floating point number.");
    TSM_TRY(tsm_check_number(x, common, alpha));
    if (is_one(alpha) || (alpha.tag == TSM_TAG_BOOL && alpha.as.b))
        return tsm_binary(x, in, a, b,
                          common == TSM_BOOL ? &or_bool_loops
                          : sign > 0         ? &add_loops
                                             : &sub_loops,
                          TSM_RESULT_SAME, NULL, out);
    const uint64_t factor = (uint64_t)tsm_lane_item_of(TSM_LANE_I64, alpha).i;
    scale s = {(int64_t)(sign > 0 ? factor : 0 - factor), sign * tsm_number_double(alpha),
               (float)(sign * tsm_number_double(alpha)), cx_scale(tsm_lane_item_of(TSM_LANE_C128, alpha).c, sign)};
    return tsm_binary(x, in, a, b, &axpy_loops, TSM_RESULT_SAME, &s, out);
}

TSM_KERNEL(aten_add_Tensor) {
    return is_one(*in[2]) && is_floating(*in[0]) ? tsm_arithmetic(x, in, &add_loops, out)
                                                 : add_scaled(x, in, *in[0], *in[1], *in[2], 1, out);
}
TSM_KERNEL_ALIAS(aten_add_Scalar, aten_add_Tensor);
/* Bools are not subtracted, nor subtracted from. */
static tsm_status refuse_bools(tsm_exec *x, tsm_value a, tsm_value b) {
    const bool a_is = is_bool(a), b_is = is_bool(b);
    if (a_is && b_is)
        return TSM_RAISE(
            x, "Subtraction, the `-` operator, with two bool tensors is not supported. Use the `^` or `logical_xor()` "
               "operator instead.");
    if (a_is || b_is)
        return TSM_RAISE(x, "Subtraction, the `-` operator, with a bool tensor is not supported. If you are trying to "
                            "invert a mask, use the `~` or `logical_not()` operator instead.");
    return TSM_OK;
}

TSM_KERNEL(aten_sub_Tensor) {
    TSM_TRY(refuse_bools(x, *in[0], *in[1]));
    return is_one(*in[2]) && is_floating(*in[0]) ? tsm_arithmetic(x, in, &sub_loops, out)
                                                 : add_scaled(x, in, *in[0], *in[1], *in[2], -1, out);
}
TSM_KERNEL_ALIAS(aten_sub_Scalar, aten_sub_Tensor);
TSM_KERNEL_ALIAS(aten_subtract_Tensor, aten_sub_Tensor);
TSM_KERNEL_ALIAS(aten_subtract_Scalar, aten_sub_Tensor);
TSM_KERNEL(aten_rsub_Tensor) {
    if (in[1]->tag == TSM_TAG_TENSOR || is_bool(*in[0])) /* a number may be True here */
        TSM_TRY(refuse_bools(x, *in[0], in[1]->tag == TSM_TAG_TENSOR ? *in[1] : tsm_int(0)));
    return add_scaled(x, in, *in[1], *in[0], *in[2], -1, out);
}
TSM_KERNEL_ALIAS(aten_rsub_Scalar, aten_rsub_Tensor);
TSM_KERNEL(aten_mul_Tensor) {
    return tsm_arithmetic(x, in, &mul_loops, out);
}
TSM_KERNEL_ALIAS(aten_mul_Scalar, aten_mul_Tensor);
TSM_KERNEL_ALIAS(aten_multiply_Tensor, aten_mul_Tensor);
TSM_KERNEL_ALIAS(aten_multiply_Scalar, aten_mul_Tensor);

/* ---- Division ---- */

/* Divisors of integers are looked at before (refuse_zero_divisor), but those that share memory with the result may
 * become 0 on the way. */
static int64_t trunc_div_int(int64_t a, int64_t b) {
    return b == -1 ? WRAP(0, -, a) : b ? a / b : 0;
}
static int64_t trunc_mod_int(int64_t a, int64_t b) {
    return b == -1 || b == 0 ? 0 : a % b;
}

static int64_t floor_div_int(int64_t a, int64_t b) {
    if (b == -1 || b == 0)
        return trunc_div_int(a, b);
    int64_t q = a / b;
    return q - (a % b && (a < 0) != (b < 0));
}

static int64_t remainder_int(int64_t a, int64_t b) {
    int64_t r = trunc_mod_int(a, b);
    return r + (r && (r < 0) != (b < 0) ? b : 0);
}

/* Ints below 2^50 are divided as doubles where processors have vectors of these: of two such numbers a quotient that is
 * not whole is further from the next whole number than rounding goes, and products with whole quotients are exact. */
#if defined(__x86_64__) || defined(__aarch64__) || defined(__wasm_simd128__)
#define INT_BITS 50
/* Adding 1.5 * 2^52 leaves an int in the low bits of the sum's pattern. */
#define INT_SHIFTER 0x1.8p52
#define INT_SHIFTER_BITS INT64_C(0x4338000000000000)
static inline int is_near_int(int64_t v) { /* 1 or 0: conditions are joined without branches */
    return !(((uint64_t)v + (UINT64_C(1) << INT_BITS)) >> (INT_BITS + 1));
}
static inline double double_of_near(int64_t v) {
    double d;
    v = (int64_t)((uint64_t)v + (uint64_t)INT_SHIFTER_BITS);
    memcpy(&d, &v, sizeof d);
    return d - INT_SHIFTER;
}
static inline int64_t near_of_double(double d) {
    int64_t v;
    d += INT_SHIFTER;
    memcpy(&v, &d, sizeof v);
    return (int64_t)((uint64_t)v - (uint64_t)INT_SHIFTER_BITS);
}
static inline int64_t near_floor_div(int64_t a, int64_t b) {
    return near_of_double(floor(double_of_near(a) / double_of_near(b)));
}
static inline int64_t near_trunc_div(int64_t a, int64_t b) {
    return near_of_double(trunc(double_of_near(a) / double_of_near(b)));
}
static inline int64_t near_remainder(int64_t a, int64_t b) {
    const double p = double_of_near(a), q = double_of_near(b);
    return near_of_double(p - floor(p / q) * q);
}
static inline int64_t near_fmod(int64_t a, int64_t b) {
    const double p = double_of_near(a), q = double_of_near(b);
    return near_of_double(p - trunc(p / q) * q);
}
#define INT_DIVISION(name, NEAR, ANY)                                                                                  \
    TSM_NEAR_LOOP(name, int64_t, 2, is_near_int(a) & is_near_int(b) & (b != 0), NEAR, ANY)
#else
#define INT_DIVISION(name, NEAR, ANY) TSM_LOOP2(name, int64_t, int64_t, TSM_NO_PREPARE, ANY)
#endif
INT_DIVISION(div_floor_i64, near_floor_div(a, b), floor_div_int(a, b))
INT_DIVISION(div_trunc_i64, near_trunc_div(a, b), trunc_div_int(a, b))
INT_DIVISION(remainder_i64, near_remainder(a, b), remainder_int(a, b))
INT_DIVISION(fmod_i64, near_fmod(a, b), trunc_mod_int(a, b))

/* Quotients that are near enough take the remainder without a division's loop. */
#define FMOD_LOOP(name, NEAR, ANY) TSM_NEAR_LOOP(name, float, 2, vm_fmod_is_near(a, b), NEAR, ANY)
#define FMOD_LOOP64(name, NEAR, ANY) TSM_NEAR_LOOP(name, double, 2, vd_fmod_is_near(a, b), NEAR, ANY)

/* Python's float floor division, as c10::div_floor_floating does it, in the operands' type; `mod` is C's fmod. The sign
 * of a zero is that of a / b. */
#define FLOOR_DIVISION(T, floor_div_by, floor_div_real, FLOOR, COPYSIGN, FMOD)                                         \
    static inline T floor_div_by(T a, T b, T mod) {                                                                    \
        T div = (a - mod) / b;                                                                                         \
        div -= mod != 0 && (b < 0) != (mod < 0) ? 1 : 0;                                                               \
        T floored = FLOOR(div);                                                                                        \
        floored += div - floored > (T)0.5 ? 1 : 0;                                                                     \
        return div == 0 ? COPYSIGN(0, a) * COPYSIGN(1, b) : floored;                                                   \
    }                                                                                                                  \
    static T floor_div_real(T a, T b) {                                                                                \
        return b == 0 ? a / b : floor_div_by(a, b, FMOD(a, b));                                                        \
    }
FLOOR_DIVISION(float, floor_div_by_f32, floor_div_f32, floorf, copysignf, fmodf)
FLOOR_DIVISION(double, floor_div_by_f64, floor_div_f64, floor, copysign, fmod)

#if defined(__AVX2__)
/* Quotients of complex64, eight at a time where all of them are near (cx_divides_near): with the parts as they lie,
 * which compilers take apart and put together again. */
static void true_div_c64(const void *k, void *const *p, tsm_dim n) {
    enum { LANES = 8, HALF = LANES / 2 };
    cx_floats *y = p[0];
    const cx_floats *pa = p[1], *pb = p[2];
    const __m256 least = _mm256_set1_ps(0x1p-60f), most = _mm256_set1_ps(0x1p60f), sign = _mm256_set1_ps(-0.0f);
    (void)k;
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = n - i < LANES ? n - i : LANES;
        if (m == LANES) {
            const __m256 a[] = {_mm256_loadu_ps(&pa[i].re), _mm256_loadu_ps(&pa[i + HALF].re)};
            const __m256 b[] = {_mm256_loadu_ps(&pb[i].re), _mm256_loadu_ps(&pb[i + HALF].re)};
            const __m256 squares[] = {_mm256_mul_ps(b[0], b[0]), _mm256_mul_ps(b[1], b[1])};
            const __m256 size = _mm256_add_ps(_mm256_shuffle_ps(squares[0], squares[1], 0x88),
                                              _mm256_shuffle_ps(squares[0], squares[1], 0xdd));
            const __m256 is_size =
                _mm256_and_ps(_mm256_cmp_ps(size, least, _CMP_GT_OQ), _mm256_cmp_ps(size, most, _CMP_LT_OQ));
            const __m256 is_part = _mm256_and_ps(_mm256_cmp_ps(_mm256_andnot_ps(sign, a[0]), most, _CMP_LT_OQ),
                                                 _mm256_cmp_ps(_mm256_andnot_ps(sign, a[1]), most, _CMP_LT_OQ));
            if (_mm256_movemask_ps(_mm256_and_ps(is_size, is_part)) == (1 << LANES) - 1) {
                const __m256 by = _mm256_div_ps(_mm256_set1_ps(1.0f), size);
                for (int h = 0; h < 2; h++) {
                    const __m256 re = _mm256_mul_ps(a[h], _mm256_moveldup_ps(b[h]));
                    const __m256 im = _mm256_mul_ps(_mm256_permute_ps(a[h], 0xb1), _mm256_movehdup_ps(b[h]));
                    const __m256 product = _mm256_addsub_ps(re, _mm256_xor_ps(im, sign));
                    const __m256 each = h ? _mm256_unpackhi_ps(by, by) : _mm256_unpacklo_ps(by, by);
                    _mm256_storeu_ps(&y[i + h * HALF].re, _mm256_mul_ps(product, each));
                }
                continue;
            }
        }
        for (tsm_dim j = i; j < i + m; j++)
            y[j] = cx_divides_near(pa[j], pb[j]) ? cx_div_near(pa[j], pb[j])
                                                 : cx_narrow(cx_div_straight(cx_widen(pa[j]), cx_widen(pb[j])));
    }
}
#define DIVISION_C64
#else
#define DIVISION_C64                                                                                                   \
    CX_NEAR_LOOP(true_div_c64, 2, cx_divides_near(a, b), cx_div_near(a, b),                                            \
                 cx_narrow(cx_div_straight(cx_widen(a), cx_widen(b))))
#endif
LOOPS2(TSM_LOOPS, WITHOUT_NARROW, WITHOUT_ROWS, true_div, "div_cpu", a / b, a / b, a / b, cx_div_straight(a, b),
       DIVISION_C64)
FMOD_LOOP(div_floor_f32, floor_div_by_f32(a, b, vm_fmod(a, b)), floor_div_f32(a, b))
FMOD_LOOP64(div_floor_f64, floor_div_by_f64(a, b, vd_fmod(a, b)), floor_div_f64(a, b))
TSM_LOOPS(div_floor, "div_floor_cpu",
          {[TSM_LANE_I64] = div_floor_i64, [TSM_LANE_F32] = div_floor_f32, [TSM_LANE_F64] = div_floor_f64})
TSM_LOOP2(div_trunc_f32, float, float, TSM_NO_PREPARE, truncf(a / b))
TSM_LOOP2(div_trunc_f64, double, double, TSM_NO_PREPARE, trunc(a / b))
TSM_LOOPS(div_trunc, "div_trunc_cpu",
          {[TSM_LANE_I64] = div_trunc_i64, [TSM_LANE_F32] = div_trunc_f32, [TSM_LANE_F64] = div_trunc_f64})

/* The bits of an int that an element of the type has: 256 is 0 once it is an int8. */
static uint64_t bits_of_elements(tsm_dtype dtype) {
    const size_t bits = 8 * tsm_dtype_size(dtype);
    return dtype == TSM_BOOL || bits >= 64 ? UINT64_MAX : (UINT64_C(1) << bits) - 1;
}

/* Raises when a divisor of integers of the type `common` holds a zero: integer loops must not see one. */
static tsm_status refuse_zero_divisor(tsm_exec *x, tsm_value b, tsm_dtype common) {
    const uint64_t bits = bits_of_elements(common);
    if (b.tag != TSM_TAG_TENSOR)
        return (uint64_t)tsm_lane_item_of(TSM_LANE_I64, b).i & bits ? TSM_OK : TSM_RAISE(x, "ZeroDivisionError");
    const tsm_tensor *t = tsm_as_tensor(b);
    const bool straight = tsm_tensor_is_contiguous(t);
    for (tsm_dim i = 0, n; i < t->elements; i += n) {
        bool zero = false;
        n = straight ? tsm_dim_min(t->elements - i, TSM_NEAR_BLOCK) : 1;
        if (straight) {
            const tsm_dim size = (tsm_dim)tsm_dtype_size((tsm_dtype)t->dtype);
            int64_t items[TSM_NEAR_BLOCK];
            tsm_lane_load(TSM_LANE_I64, items, (tsm_dtype)t->dtype, (const char *)t->data + i * size, size, n);
            for (tsm_dim k = 0; k < n; k++)
                zero |= !((uint64_t)items[k] & bits);
        } else {
            tsm_status status = TSM_OK;
            tsm_value v = tsm_tensor_item(x, t, i, &status);
            TSM_TRY(status);
            zero = !((uint64_t)(v.tag == TSM_TAG_BOOL ? v.as.b : v.as.i) & bits);
        }
        if (zero)
            return TSM_RAISE(x, "ZeroDivisionError");
    }
    return TSM_OK;
}

static tsm_status divide_whole(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    tsm_dtype common = tsm_common_dtype(*in[0], *in[1]);
    if (tsm_dtype_is_integral(common))
        TSM_TRY(refuse_zero_divisor(x, *in[1], common));
    return binary(x, in, out, loops, TSM_RESULT_SAME);
}

TSM_KERNEL(aten_div_Tensor) {
    return binary(x, in, out, &true_div_loops, TSM_RESULT_FLOATING);
}
TSM_KERNEL_ALIAS(aten_div_Scalar, aten_div_Tensor);
TSM_KERNEL_ALIAS(aten_divide_Tensor, aten_div_Tensor);
TSM_KERNEL_ALIAS(aten_divide_Scalar, aten_div_Tensor);
TSM_KERNEL_ALIAS(aten_true_divide_Tensor, aten_div_Tensor);
TSM_KERNEL_ALIAS(aten_true_divide_Scalar, aten_div_Tensor);

static bool is_text(const tsm_str *s, const char *text) {
    return s->length == tsm_chars_length(text) && !memcmp(s->text, text, s->length);
}

TSM_KERNEL(aten_div_Tensor_mode) {
    if (arg_is_none(in, 2))
        return binary(x, in, out, &true_div_loops, TSM_RESULT_FLOATING);
    const tsm_str *mode = arg_str(in, 2);
    if (is_text(mode, "floor"))
        return divide_whole(x, in, &div_floor_loops, out);
    if (is_text(mode, "trunc"))
        return divide_whole(x, in, &div_trunc_loops, out);
    return TSM_RAISE(x, "div expected rounding_mode to be one of None, 'trunc', or 'floor' but found '%.*s'",
                     (int)mode->length, mode->text);
}
TSM_KERNEL_ALIAS(aten_div_Scalar_mode, aten_div_Tensor_mode);
TSM_KERNEL_ALIAS(aten_divide_Tensor_mode, aten_div_Tensor_mode);
TSM_KERNEL_ALIAS(aten_divide_Scalar_mode, aten_div_Tensor_mode);
TSM_KERNEL(aten_floor_divide) {
    return divide_whole(x, in, &div_floor_loops, out);
}
TSM_KERNEL_ALIAS(aten_floor_divide_Scalar, aten_floor_divide);

#define REMAINDER(mod, b) ((mod) != 0 && ((mod) < 0) != ((b) < 0) ? (mod) + (b) : (mod))
static inline float remainder_by_f32(float b, float mod) {
    return REMAINDER(mod, b);
}
static inline double remainder_by_f64(double b, double mod) {
    return REMAINDER(mod, b);
}
FMOD_LOOP(remainder_f32, remainder_by_f32(b, vm_fmod(a, b)), remainder_by_f32(b, fmodf(a, b)))
FMOD_LOOP64(remainder_f64, remainder_by_f64(b, vd_fmod(a, b)), remainder_by_f64(b, fmod(a, b)))
TSM_LOOPS(remainder, "remainder_cpu",
          {[TSM_LANE_I64] = remainder_i64, [TSM_LANE_F32] = remainder_f32, [TSM_LANE_F64] = remainder_f64})
FMOD_LOOP(fmod_f32, vm_fmod(a, b), fmodf(a, b))
FMOD_LOOP64(fmod_f64, vd_fmod(a, b), fmod(a, b))
TSM_LOOPS(fmod, "fmod_cpu", {[TSM_LANE_I64] = fmod_i64, [TSM_LANE_F32] = fmod_f32, [TSM_LANE_F64] = fmod_f64})

/* A number, or a tensor without dimensions, among tensors of half precision, as an element of theirs. */
static tsm_value as_half(tsm_value v, tsm_dtype dtype) {
    const tsm_tensor *t = v.tag == TSM_TAG_TENSOR ? tsm_as_tensor(v) : NULL;
    if (t && (t->dims || t->dtype == dtype))
        return v;
    tsm_lane_item number = tsm_lane_item_of(TSM_LANE_F32, t ? tsm_int(0) : v);
    if (t)
        tsm_lane_load(TSM_LANE_F32, &number, (tsm_dtype)t->dtype, t->data, 0, 1);
    uint16_t element;
    tsm_lane_store(dtype, &element, 0, TSM_LANE_F32, &number, 1);
    tsm_lane_load(TSM_LANE_F32, &number, dtype, &element, 0, 1);
    return tsm_float((double)number.f32);
}

/* Unlike sums and products, which take numbers as floats, remainders take them as elements. */
static tsm_status remainder_of(tsm_exec *x, const tsm_value *const *in, const tsm_loops *loops, tsm_value *out) {
    const tsm_dtype common = tsm_common_dtype(*in[0], *in[1]);
    if (common != TSM_FLOAT16 && common != TSM_BFLOAT16)
        return divide_whole(x, in, loops, out);
    const tsm_value operands[] = {as_half(*in[0], common), as_half(*in[1], common)};
    /* The last one is the destination, where there is one. */
    const tsm_value *const rounded[] = {&operands[0], &operands[1], in[x->inputs - 1]};
    return divide_whole(x, rounded, loops, out);
}

TSM_KERNEL(aten_remainder_Tensor) {
    return remainder_of(x, in, &remainder_loops, out);
}
TSM_KERNEL_ALIAS(aten_remainder_Scalar, aten_remainder_Tensor);
TSM_KERNEL_ALIAS(aten_remainder_Scalar_Tensor, aten_remainder_Tensor);
TSM_KERNEL(aten_fmod_Tensor) {
    return remainder_of(x, in, &fmod_loops, out);
}
TSM_KERNEL_ALIAS(aten_fmod_Scalar, aten_fmod_Tensor);

/* ---- Losses ---- */

/* d^2 / 2 up to the bound, (d - bound / 2) * bound above, and that through the divisor, where d = |a - b|. */
typedef struct {
    double bound, divisor;
} loss_bounds;
#define LOSS_OF(T, ABS)                                                                                                \
    static inline T loss_of_##T(T d, T bound, T divisor) {                                                             \
        const T low = d > bound ? bound : d;                                                                           \
        return (d - low * (T)0.5) * low / divisor;                                                                     \
    }                                                                                                                  \
    TSM_LOOP2(loss_##T, T, T, const T bound = (T)((const loss_bounds *)k)->bound;                                      \
              const T divisor = (T)((const loss_bounds *)k)->divisor, loss_of_##T(ABS(a - b), bound, divisor))
LOSS_OF(float, fabsf)
LOSS_OF(double, fabs)
TSM_LOOPS(smooth_l1, "smooth_l1_cpu", {[TSM_LANE_F32] = loss_float, [TSM_LANE_F64] = loss_double})
TSM_LOOPS(huber, "huber_cpu", {[TSM_LANE_F32] = loss_float, [TSM_LANE_F64] = loss_double})

TSM_KERNEL(tsm_smooth_l1) {
    const loss_bounds bounds = {arg_float(in, 2), arg_float(in, 2)};
    if (!(bounds.bound >= 0))
        return TSM_RAISE(x, "smooth_l1_loss does not support negative values for beta.");
    return tsm_binary(x, in, *in[0], *in[1], &smooth_l1_loops, TSM_RESULT_SAME, &bounds, out);
}
TSM_KERNEL(tsm_huber) {
    const loss_bounds bounds = {arg_float(in, 2), 1};
    if (!(bounds.bound > 0))
        return TSM_RAISE(x, "huber_loss does not support non-positive values for delta.");
    return tsm_binary(x, in, *in[0], *in[1], &huber_loops, TSM_RESULT_SAME, &bounds, out);
}

/* ---- Powers ---- */

static int64_t pow_int(int64_t a, int64_t b) {
    if (b < 0)
        return a == 1 ? 1 : a == -1 ? (b % 2 ? -1 : 1) : 0;
    uint64_t result = 1, base = (uint64_t)a;
    for (; b; b >>= 1) {
        if (b & 1)
            result *= base;
        base *= base;
    }
    return (int64_t)result;
}
/* Powers of floats but -0, and positive ones of 0, by their logarithms in double, which leave each its last bit; of
 * negative ones those that are whole. Far below 2^22 a number lost its fraction, and shows whether it is odd, once
 * POW_WHOLE was added. */
#define POW_WHOLE 0x1.8p23f
static inline int pow_is_near(float a, float b) {
    const int32_t bits = (int32_t)vm_bits(a), size = bits & 0x7fffffff;
    const int is_whole = (fabsf(b) < 0x1p20f) & (b + POW_WHOLE - POW_WHOLE == b);
    return ((bits >= (b > 0 ? 0 : 1)) | ((size > 0) & is_whole)) & (size < 0x7f800000) & (fabsf(b) < 0x1p60f);
}
static inline float pow_near(float a, float b) {
    const float power = (float)vd_exp((double)b * vd_log((double)fabsf(a)));
    const uint32_t is_odd = vm_bits(b + POW_WHOLE) & 1;
    return vm_float(vm_bits(power) ^ ((vm_bits(a) >> 31 & is_odd) << 31));
}
TSM_LOOP2(pow_i64, int64_t, int64_t, TSM_NO_PREPARE, pow_int(a, b))
TSM_NEAR_LOOP(pow_f32, float, 2, pow_is_near(a, b), pow_near(a, b), powf(a, b))
TSM_LOOP2(pow_f64, double, double, TSM_NO_PREPARE, pow(a, b))
TSM_LOOP2(pow_c128, tsm_complex, tsm_complex, TSM_NO_PREPARE, tsm_cx_pow(a, b))
CX_LOOP2(pow_c64, tsm_cx_pow(a, b))
TSM_LOOPS(pow, "pow",
          {[TSM_LANE_I64] = pow_i64,
           [TSM_LANE_F32] = pow_f32,
           [TSM_LANE_F64] = pow_f64,
           [TSM_LANE_C128] = pow_c128,
           TSM_COMPLEX64_ROW(pow)})

/* Powers that need no logarithm, as PyTorch computes them. */
FLOAT_LOOPS2(pow_square, "pow", ((void)b, a *a), ((void)b, a *a))
FLOAT_LOOPS2(pow_cube, "pow", ((void)b, a *a *a), ((void)b, a *a *a))
FLOAT_LOOPS2(pow_root, "pow", ((void)b, sqrtf(a)), ((void)b, sqrt(a)))
FLOAT_LOOPS2(pow_inverse_root, "pow", ((void)b, 1.0f / sqrtf(a)), ((void)b, 1 / sqrt(a)))
FLOAT_LOOPS2(pow_inverse, "pow", ((void)b, 1.0f / a), ((void)b, 1 / a))
FLOAT_LOOPS2(pow_inverse_square, "pow", ((void)b, 1.0f / (a * a)), ((void)b, 1 / (a * a)))
static const struct {
    double exponent;
    const tsm_loops *loops;
} easy_powers[] = {{2, &pow_square_loops},          {3, &pow_cube_loops},     {0.5, &pow_root_loops},
                   {-0.5, &pow_inverse_root_loops}, {-1, &pow_inverse_loops}, {-2, &pow_inverse_square_loops}};

TSM_KERNEL(aten_pow_Tensor_Tensor) {
    return binary(x, in, out, &pow_loops, TSM_RESULT_SAME);
}
TSM_KERNEL_ALIAS(aten_pow_Scalar, aten_pow_Tensor_Tensor);
TSM_KERNEL(aten_pow_Tensor_Scalar) {
    tsm_dtype common = tsm_common_dtype(*in[0], *in[1]);
    double e = tsm_number_double(*in[1]);
    if (tsm_dtype_is_integral(common) && e < 0)
        return TSM_RAISE(x, "Integers to negative integer powers are not allowed.");
    if (tsm_dtype_is_complex(common) && in[1]->tag != TSM_TAG_COMPLEX && e == 2)
        return tsm_binary(x, in, *in[0], *in[0], &mul_loops, TSM_RESULT_SAME, NULL, out);
    for (size_t i = 0; i < sizeof easy_powers / sizeof *easy_powers; i++)
        if (tsm_dtype_is_floating(common) && e == easy_powers[i].exponent)
            return binary(x, in, out, easy_powers[i].loops, TSM_RESULT_SAME);
    return binary(x, in, out, &pow_loops, TSM_RESULT_SAME);
}

/* ---- The greatest common divisor ---- */

static int64_t gcd_any(int64_t first, int64_t second) {
    uint64_t a = first < 0 ? 0 - (uint64_t)first : (uint64_t)first,
             b = second < 0 ? 0 - (uint64_t)second : (uint64_t)second;
    while (b) {
        const uint64_t rest = (a | b) >> 32 ? a % b : (uint64_t)((uint32_t)a % (uint32_t)b);
        a = b;
        b = rest;
    }
    return (int64_t)a;
}

/* Below GCD_NEAR in size, as floats: a quotient may round up to a whole number, and then the rest is below 0. */
enum { GCD_NEAR = 1 << 22, GCD_BLOCK = 64 };
static bool gcd_step(float *restrict a, float *restrict b, tsm_dim n) {
    int more = 0;
    for (tsm_dim i = 0; i < n; i++) {
        const float divisor = b[i] > 0 ? b[i] : 1, quotient = (float)(int32_t)(a[i] / divisor);
        const float rest = a[i] - quotient * divisor, positive = rest < 0 ? rest + divisor : rest;
        a[i] = b[i] > 0 ? b[i] : a[i];
        b[i] = b[i] > 0 ? positive : 0;
        more |= b[i] > 0;
    }
    return more;
}
static void gcd_i64(const void *k, void *const *p, tsm_dim n) {
    float a[GCD_BLOCK], b[GCD_BLOCK];
    (void)k;
    for (tsm_dim done = 0, m; done < n; done += m) {
        int64_t *y = (int64_t *)p[0] + done;
        const int64_t *pa = (const int64_t *)p[1] + done, *pb = (const int64_t *)p[2] + done;
        int far = 0;
        m = n - done < GCD_BLOCK ? n - done : GCD_BLOCK;
        for (tsm_dim i = 0; i < m; i++)
            far |= (uint64_t)pa[i] + GCD_NEAR > 2 * GCD_NEAR || (uint64_t)pb[i] + GCD_NEAR > 2 * GCD_NEAR;
        for (tsm_dim i = 0; i < m && far; i++)
            y[i] = gcd_any(pa[i], pb[i]);
        if (far)
            continue;
        for (tsm_dim i = 0; i < m; i++) {
            a[i] = fabsf((float)(int32_t)pa[i]);
            b[i] = fabsf((float)(int32_t)pb[i]);
        }
        while (gcd_step(a, b, m))
            ;
        for (tsm_dim i = 0; i < m; i++)
            y[i] = (int64_t)(int32_t)a[i];
    }
}
TSM_LOOPS(gcd, "gcd_cpu", {[TSM_LANE_I64] = gcd_i64})
TSM_KERNEL(aten_gcd) {
    const tsm_dtype common = tsm_common_dtype(*in[0], *in[1]);
    if (common == TSM_BOOL)
        return tsm_loops_missing(x, "gcd_cpu", common);
    return binary(x, in, out, &gcd_loops, TSM_RESULT_SAME);
}

/* ---- Extremes and angles ---- */

/* A NaN, the first of two; b where it is one, since no comparison with it holds. */
#define NAN_MAX(a, b) ((a) != (a) || (a) > (b) ? (a) : (b))
#define NAN_MIN(a, b) ((a) != (a) || (a) < (b) ? (a) : (b))
REAL_LOOPS2(maximum, "maximum_cpu", a > b ? a : b, NAN_MAX(a, b), NAN_MAX(a, b),
            bfloat16_is_nan(a) | bfloat16_is_nan(b), bfloat16_order(a) > bfloat16_order(b) ? a : b)
REAL_LOOPS2(minimum, "minimum_cpu", a < b ? a : b, NAN_MIN(a, b), NAN_MIN(a, b),
            bfloat16_is_nan(a) | bfloat16_is_nan(b), bfloat16_order(a) < bfloat16_order(b) ? a : b)
/* Of equal numbers, 0. and -0. among them, the first; of a number and NaN the number. */
#define MORE(a, b) ((a) < (b) || (a) != (a) ? (b) : (a))
#define LESS(a, b) ((a) > (b) || (a) != (a) ? (b) : (a))
#define BITS_MORE(a, b) bfloat16_is_nan(a) ? b : bfloat16_is_nan(b) ? a : bfloat16_order(a) < bfloat16_order(b) ? b : a
#define BITS_LESS(a, b) bfloat16_is_nan(a) ? b : bfloat16_is_nan(b) ? a : bfloat16_order(a) > bfloat16_order(b) ? b : a
REAL_LOOPS2(fmax, "fmax_cpu", a > b ? a : b, MORE(a, b), MORE(a, b), bfloat16_is_nan(a) & bfloat16_is_nan(b),
            BITS_MORE(a, b))
REAL_LOOPS2(fmin, "fmin_cpu", a < b ? a : b, LESS(a, b), LESS(a, b), bfloat16_is_nan(a) & bfloat16_is_nan(b),
            BITS_LESS(a, b))
TSM_LOOP2(atan2_f32, float, float, TSM_NO_PREPARE, vm_atan2(a, b))
TSM_NEAR_LOOP(atan2_f64, double, 2, vd_atan2_is_near(a, b), vd_atan2(a, b), atan2(a, b))
TSM_LOOPS(atan2, "atan2", {[TSM_LANE_F32] = atan2_f32, [TSM_LANE_F64] = atan2_f64})
FLOAT_LOOPS2(hypot, "hypot_cpu", cx_abs_floats((cx_floats){a, b}), hypot(a, b))
FLOAT_LOOPS2(copysign, "copysign", copysignf(a, b), copysign(a, b))
/* A float's neighbour has the next pattern of bits, counted from that of zero. */
static inline float next_float(float a, float b) {
    const uint32_t bits = vm_bits(a), next = (a < b) == (a > 0) ? bits + 1 : bits - 1;
    const float moved = a == 0 ? copysignf(0x1p-149f, b) : vm_float(next);
    return a != a || b != b ? a + b : a == b ? b : moved;
}
FLOAT_LOOPS2(nextafter, "nextafter", next_float(a, b), nextafter(a, b))
TSM_KERNEL(aten_nextafter) {
    return binary(x, in, out, &nextafter_loops, TSM_RESULT_SAME);
}
TSM_KERNEL(aten_maximum) {
    return binary(x, in, out, &maximum_loops, TSM_RESULT_SAME);
}
TSM_KERNEL_ALIAS(aten_max_other, aten_maximum);
TSM_KERNEL(aten_minimum) {
    return binary(x, in, out, &minimum_loops, TSM_RESULT_SAME);
}
TSM_KERNEL_ALIAS(aten_min_other, aten_minimum);
TSM_KERNEL(aten_fmax) {
    return binary(x, in, out, &fmax_loops, TSM_RESULT_SAME);
}
TSM_KERNEL(aten_fmin) {
    return binary(x, in, out, &fmin_loops, TSM_RESULT_SAME);
}
TSM_KERNEL(aten_atan2) {
    return binary(x, in, out, &atan2_loops, TSM_RESULT_FLOATING);
}
TSM_KERNEL_ALIAS(aten_arctan2, aten_atan2);
TSM_KERNEL(aten_hypot) {
    return binary(x, in, out, &hypot_loops, TSM_RESULT_SAME);
}
TSM_KERNEL(aten_copysign_Tensor) {
    return binary(x, in, out, &copysign_loops, TSM_RESULT_FLOATING);
}
TSM_KERNEL_ALIAS(aten_copysign_Scalar, aten_copysign_Tensor);

/* ---- Bits ---- */

MASK_LOOPS2(bitwise_and, "bitwise_and_cpu", a &b)
MASK_LOOPS2(bitwise_or, "bitwise_or_cpu", a | b)
MASK_LOOPS2(bitwise_xor, "bitwise_xor_cpu", a ^ b)
INT_LOOPS2(lshift, "lshift_cpu", b<0 || b> 63 ? 0 : (int64_t)((uint64_t)a << b))
INT_LOOPS2(rshift, "rshift_cpu", b<0 || b> 63 ? (a < 0 ? -1 : 0) : a >> b)

/* Shifts of bools calculate as numbers of which only 0 and 1 occur. */
static tsm_status shift_bools(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    tsm_loop loop;
    TSM_TRY(tsm_loops_find(x, loops, TSM_INT64, &loop));
    int dims;
    tsm_dim sizes[TSM_MAX_DIMS];
    TSM_TRY(tsm_common_shape(x, *in[0], *in[1], &dims, sizes));
    tsm_tensor *y;
    TSM_TRY(tsm_out_pointwise(x, in, TSM_BOOL, dims, sizes, &y));
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, TSM_LANE_I64, y);
    tsm_map_value(&m, TSM_LANE_I64, *in[0]);
    tsm_map_value(&m, TSM_LANE_I64, *in[1]);
    tsm_status status = tsm_map_run(x, &m, loop, NULL);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, y);
        return status;
    }
    return ret_tensor(out, y);
}

static tsm_status bits(tsm_exec *x, const tsm_value *const *in, tsm_value *out, const tsm_loops *loops) {
    if (tsm_common_dtype(*in[0], *in[1]) == TSM_BOOL && !loops->loop[TSM_LANE_MASK])
        return shift_bools(x, in, out, loops);
    return tsm_binary(x, in, *in[0], *in[1], loops, TSM_RESULT_SAME, NULL, out);
}

TSM_KERNEL(aten_bitwise_and_Tensor) {
    return bits(x, in, out, &bitwise_and_loops);
}
TSM_KERNEL_ALIAS(aten_bitwise_and_Scalar, aten_bitwise_and_Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_and_Scalar_Tensor, aten_bitwise_and_Tensor);
TSM_KERNEL_ALIAS(aten___and___Tensor, aten_bitwise_and_Tensor);
TSM_KERNEL_ALIAS(aten___and___Scalar, aten_bitwise_and_Tensor);
TSM_KERNEL(aten_bitwise_or_Tensor) {
    return bits(x, in, out, &bitwise_or_loops);
}
TSM_KERNEL_ALIAS(aten_bitwise_or_Scalar, aten_bitwise_or_Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_or_Scalar_Tensor, aten_bitwise_or_Tensor);
TSM_KERNEL_ALIAS(aten___or___Tensor, aten_bitwise_or_Tensor);
TSM_KERNEL_ALIAS(aten___or___Scalar, aten_bitwise_or_Tensor);
TSM_KERNEL(aten_bitwise_xor_Tensor) {
    return bits(x, in, out, &bitwise_xor_loops);
}
TSM_KERNEL_ALIAS(aten_bitwise_xor_Scalar, aten_bitwise_xor_Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_xor_Scalar_Tensor, aten_bitwise_xor_Tensor);
TSM_KERNEL_ALIAS(aten___xor___Tensor, aten_bitwise_xor_Tensor);
TSM_KERNEL_ALIAS(aten___xor___Scalar, aten_bitwise_xor_Tensor);
TSM_KERNEL(aten___lshift___Tensor) {
    return bits(x, in, out, &lshift_loops);
}
TSM_KERNEL_ALIAS(aten___lshift___Scalar, aten___lshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_left_shift_Tensor, aten___lshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_left_shift_Tensor_Scalar, aten___lshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_left_shift_Scalar_Tensor, aten___lshift___Tensor);
TSM_KERNEL(aten___rshift___Tensor) {
    return bits(x, in, out, &rshift_loops);
}
TSM_KERNEL_ALIAS(aten___rshift___Scalar, aten___rshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_right_shift_Tensor, aten___rshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_right_shift_Tensor_Scalar, aten___rshift___Tensor);
TSM_KERNEL_ALIAS(aten_bitwise_right_shift_Scalar_Tensor, aten___rshift___Tensor);
