/* The loops of f32.h in vector C. Included once by each f32_*.c, which names the table by TSM_F32_TABLE and is compiled
 * for its instruction set. */
#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/vec_math.h"
#include "runtime/value/parts.h"

#include <math.h>

/* Fully unrolls the loop that follows. */
#if defined(TSM_PLAIN)
#define UNROLL
#elif defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#elif defined(__OPTIMIZE__)
#define UNROLL _Pragma("GCC unroll 16")
#else /* gcc warns of the pragma where it does not optimize */
#define UNROLL
#endif

/* ---- Activations ---- */

VEC_INLINE vec_f32 activate_vec(vec_f32 v, tsm_activation a, float low, float high) {
    switch (a) {
    case TSM_ACT_RELU:
        return vec_at_least(v, vec_set(0.0f));
    case TSM_ACT_CLAMP:
        return vec_at_most(vec_at_least(v, vec_set(low)), vec_set(high));
    case TSM_ACT_HARDSIGMOID:
        return vec_at_most(vec_at_least(v + 3.0f, vec_set(0.0f)), vec_set(6.0f)) * (1.0f / 6.0f);
    case TSM_ACT_HARDSWISH:
        return v * vec_at_most(vec_at_least(v + 3.0f, vec_set(0.0f)), vec_set(6.0f)) * (1.0f / 6.0f);
    case TSM_ACT_SILU:
        return vec_silu(v);
    case TSM_ACT_SIGMOID:
        return vec_sigmoid(v);
    case TSM_ACT_TANH:
        return vec_tanh(v);
    case TSM_ACT_GELU:
        return v * 0.5f * (vec_erf(v * 0.70710678f) + 1.0f);
    case TSM_ACT_GELU_TANH:
        return v * 0.5f * (vec_tanh((v * v * v * 0.044715f + v) * 0.79788456f) + 1.0f);
    case TSM_ACT_LEAKY_RELU:
        return vec_select(vec_less(vec_set(0.0f), v), v, v * low);
    default:
        return v;
    }
}

/* The loop over n elements for one activation: `a` is a constant where this is inlined, so the switch of activate_vec
 * is resolved. */
VEC_INLINE void activate_run(float *y, const float *x, size_t n, tsm_activation a, float low, float high) {
    size_t i = 0;
    for (; i + 2 * VEC_LANES <= n; i += 2 * VEC_LANES) { /* two do not wait for each other */
        vec_f32 first = vec_load(x + i), second = vec_load(x + i + VEC_LANES);
        vec_store(y + i, activate_vec(first, a, low, high));
        vec_store(y + i + VEC_LANES, activate_vec(second, a, low, high));
    }
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        vec_store(y + i, activate_vec(vec_load(x + i), a, low, high));
    if (i < n)
        vec_store_part(y + i, activate_vec(vec_load_part(x + i, n - i), a, low, high), n - i);
}

#define FINISH_CASE(A)                                                                                                 \
    case A:                                                                                                            \
        activate_run(y, x, n, A, low, high);                                                                           \
        break;

/* Activations that are more than a clamp. */
#if defined(TSM_DIRECT_LOOPS)
#define activate_smooth tsm_f32_activate_smooth
TSM_PART void tsm_f32_activate_smooth(float *y, const float *x, size_t n, int a, float low, float high) {
#else
static void activate_smooth(float *y, const float *x, size_t n, int a, float low, float high) {
#endif
    switch (a) {
        FINISH_CASE(TSM_ACT_HARDSIGMOID)
        FINISH_CASE(TSM_ACT_HARDSWISH)
        FINISH_CASE(TSM_ACT_SILU)
        FINISH_CASE(TSM_ACT_SIGMOID)
        FINISH_CASE(TSM_ACT_TANH)
        FINISH_CASE(TSM_ACT_GELU)
        FINISH_CASE(TSM_ACT_GELU_TANH)
        FINISH_CASE(TSM_ACT_LEAKY_RELU)
    default:
        break;
    }
}

static void loop_activate(float *y, const float *x, size_t n, tsm_activation a, float low, float high) {
    switch (a) {
        FINISH_CASE(TSM_ACT_RELU)
        FINISH_CASE(TSM_ACT_CLAMP)
    case TSM_ACT_NONE:
        if (y != x)
            memmove(y, x, n * sizeof *y);
        break;
    default:
        activate_smooth(y, x, n, (int)a, low, high);
    }
}
#undef FINISH_CASE

/* The finish's activation, which is more than a clamp, on rows in place. */
static void activate_rows(float *c, ptrdiff_t stride, size_t rows, size_t columns, const tsm_finish *f) {
    if (stride == (ptrdiff_t)columns) { /* one run */
        columns *= rows;
        rows = 1;
    }
    for (size_t r = 0; r < rows; r++, c += stride)
        activate_smooth(c, c, columns, (int)f->activation, f->low, f->high);
}

/* Clamps are done in registers; -inf and inf stand for "no bound". */
VEC_INLINE bool is_clamp(tsm_activation a) {
    return a <= TSM_ACT_CLAMP;
}

static void clamp_bounds(const tsm_finish *f, bool more, float *low, float *high) {
    *low = -INFINITY;
    *high = INFINITY;
    if (more || !f)
        return;
    if (f->activation == TSM_ACT_RELU)
        *low = 0.0f;
    if (f->activation == TSM_ACT_CLAMP) {
        *low = f->low;
        *high = f->high;
    }
}

#if defined(TSM_BY_HAND_AARCH64)
#include "runtime/kernels/simd/f32_depthwise_aarch64.h"
#include "runtime/kernels/simd/f32_gemm_aarch64.h"
#else
#define depthwise_by_hand(d, low, high) false
#define DEPTHWISE_PART 2048 /* floats of a line between its activations */
#include "runtime/kernels/simd/f32_gemm.h"
#endif
#include "runtime/kernels/simd/f32_depthwise.h"
#include "runtime/kernels/simd/f32_winograd.h"

/* ---- Dot products ---- */

/* N rows of w at once: one pass over x for all of them. */
VEC_INLINE void dots_run(const size_t N, size_t k, const float *x, const float *w, ptrdiff_t w_stride, float *y,
                         ptrdiff_t y_stride) {
    enum { WAYS = 2 }; /* independent sums for each row, so that the adder's latency is hidden */
    vec_f32 sum[4][WAYS];
    UNROLL for (size_t i = 0; i < N; i++) {
        UNROLL for (size_t u = 0; u < WAYS; u++) sum[i][u] = vec_set(0.0f);
    }
    size_t at = 0;
    for (; at + WAYS * VEC_LANES <= k; at += WAYS * VEC_LANES) {
        UNROLL for (size_t u = 0; u < WAYS; u++) {
            vec_f32 xv = vec_load(x + at + u * VEC_LANES);
            UNROLL for (size_t i = 0; i < N; i++) sum[i][u] +=
                xv * vec_load(w + (ptrdiff_t)i * w_stride + at + u * VEC_LANES);
        }
    }
    for (; at < k; at += VEC_LANES) {
        size_t part = k - at < VEC_LANES ? k - at : VEC_LANES;
        vec_f32 xv = vec_load_part(x + at, part);
        UNROLL for (size_t i = 0; i < N; i++) sum[i][0] += xv * vec_load_part(w + (ptrdiff_t)i * w_stride + at, part);
    }
    UNROLL for (size_t i = 0; i < N; i++) y[(ptrdiff_t)i * y_stride] += vec_sum(sum[i][0] + sum[i][1]);
}

static void loop_dots(size_t n, size_t k, const float *x, const float *w, ptrdiff_t w_stride, float *y,
                      ptrdiff_t y_stride) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        dots_run(4, k, x, w + (ptrdiff_t)i * w_stride, w_stride, y + (ptrdiff_t)i * y_stride, y_stride);
    for (; i < n; i++)
        dots_run(1, k, x, w + (ptrdiff_t)i * w_stride, w_stride, y + (ptrdiff_t)i * y_stride, y_stride);
}

/* ---- Narrow weights ---- */

/* ELEMENTS is a constant where these are used. */
VEC_INLINE vec_f32 narrow_load(const void *rows, size_t at, const tsm_narrow_elements ELEMENTS) {
    return ELEMENTS == TSM_NARROW_INT8   ? vec_load_bytes((const int8_t *)rows + at)
           : ELEMENTS == TSM_NARROW_BF16 ? vec_load_bfloat16s((const uint16_t *)rows + at)
                                         : vec_load_halves((const uint16_t *)rows + at);
}

VEC_INLINE void widen_rows(float *y, const void *rows, const tsm_narrow_elements ELEMENTS, const float *scales,
                           size_t count) {
    for (size_t j = 0; j < TSM_PANEL; j += VEC_LANES) {
        const vec_f32 scale = ELEMENTS == TSM_NARROW_INT8 ? vec_load(scales + j) : vec_set(1.0f);
        for (size_t at = j; at < count * TSM_PANEL; at += TSM_PANEL) {
            const vec_f32 v = narrow_load(rows, at, ELEMENTS);
            vec_store(y + at, ELEMENTS == TSM_NARROW_INT8 ? v * scale : v);
        }
    }
}

static void loop_widen(float *y, const void *rows, tsm_narrow_elements elements, const float *scales, size_t count) {
    if (elements == TSM_NARROW_INT8)
        widen_rows(y, rows, TSM_NARROW_INT8, scales, count);
    else if (elements == TSM_NARROW_BF16)
        widen_rows(y, rows, TSM_NARROW_BF16, NULL, count);
    else
        widen_rows(y, rows, TSM_NARROW_F16, NULL, count);
}

/* Columns are taken as many at once as there are registers for, with sums enough that they need not wait for each
 * other. */
#if VEC_LANES >= 4
enum { NARROW_VECTORS = TSM_PANEL / VEC_LANES, NARROW_WAYS = 8 / NARROW_VECTORS };
#else
enum { NARROW_VECTORS = 8, NARROW_WAYS = 1 };
#endif

VEC_INLINE void narrow_columns(float *y, const float *x, const void *rows, size_t column, const float *scales,
                               size_t depth, const tsm_narrow_elements ELEMENTS) {
    vec_f32 sum[NARROW_WAYS][NARROW_VECTORS];
    UNROLL for (size_t w = 0; w < NARROW_WAYS; w++) {
        UNROLL for (size_t v = 0; v < NARROW_VECTORS; v++) sum[w][v] = vec_set(0.0f);
    }
#define NARROW_STEP(W, K)                                                                                              \
    UNROLL for (size_t v = 0; v < NARROW_VECTORS; v++) sum[W][v] +=                                                    \
        narrow_load(rows, (K)*TSM_PANEL + column + v * VEC_LANES, ELEMENTS) * x[K]
    size_t k = 0;
    for (; k + NARROW_WAYS <= depth; k += NARROW_WAYS) {
        UNROLL for (size_t w = 0; w < NARROW_WAYS; w++) NARROW_STEP(w, k + w);
    }
    for (; k < depth; k++)
        NARROW_STEP(0, k);
#undef NARROW_STEP
    UNROLL for (size_t v = 0; v < NARROW_VECTORS; v++) {
        UNROLL for (size_t n = NARROW_WAYS / 2; n > 0; n /= 2) {
            UNROLL for (size_t w = 0; w < n; w++) sum[w][v] += sum[w + n][v];
        }
        const vec_f32 all =
            ELEMENTS == TSM_NARROW_INT8 ? sum[0][v] * vec_load(scales + column + v * VEC_LANES) : sum[0][v];
        vec_store(y + column + v * VEC_LANES, vec_load(y + column + v * VEC_LANES) + all);
    }
}

static void loop_narrow_row(float *y, const float *x, const void *rows, tsm_narrow_elements elements,
                            const float *scales, size_t depth) {
    for (size_t column = 0; column < TSM_PANEL; column += NARROW_VECTORS * VEC_LANES)
        if (elements == TSM_NARROW_INT8)
            narrow_columns(y, x, rows, column, scales, depth, TSM_NARROW_INT8);
        else if (elements == TSM_NARROW_BF16)
            narrow_columns(y, x, rows, column, NULL, depth, TSM_NARROW_BF16);
        else
            narrow_columns(y, x, rows, column, NULL, depth, TSM_NARROW_F16);
}

/* ---- Recurrent cells ---- */

/* `part` units from unit i on: all of a vector (a constant), or the last ones. */
VEC_INLINE void lstm_units(size_t n, const float *gates, const float *c_in, float *c_out, float *h_out, size_t i,
                           const size_t part) {
    vec_f32 in = vec_sigmoid(vec_load_part(gates + i, part)), forget = vec_sigmoid(vec_load_part(gates + n + i, part));
    vec_f32 cell = vec_tanh_absolute(vec_load_part(gates + 2 * n + i, part));
    vec_f32 out = vec_sigmoid(vec_load_part(gates + 3 * n + i, part));
    vec_f32 c = forget * vec_load_part(c_in + i, part) + in * cell;
    vec_store_part(c_out + i, c, part);
    vec_store_part(h_out + i, out * vec_tanh_absolute(c), part);
}

static void loop_lstm(size_t n, const float *gates, const float *c_in, float *c_out, float *h_out) {
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        lstm_units(n, gates, c_in, c_out, h_out, i, VEC_LANES);
    if (i < n)
        lstm_units(n, gates, c_in, c_out, h_out, i, n - i);
}

VEC_INLINE void gru_units(size_t n, const float *input_gates, const float *hidden_gates, const float *h_in,
                          float *h_out, size_t i, const size_t part) {
    vec_f32 reset = vec_sigmoid(vec_load_part(input_gates + i, part) + vec_load_part(hidden_gates + i, part));
    vec_f32 keep = vec_sigmoid(vec_load_part(input_gates + n + i, part) + vec_load_part(hidden_gates + n + i, part));
    vec_f32 fresh = vec_tanh_absolute(vec_load_part(input_gates + 2 * n + i, part) +
                                      reset * vec_load_part(hidden_gates + 2 * n + i, part));
    vec_store_part(h_out + i, keep * (vec_load_part(h_in + i, part) - fresh) + fresh, part);
}

static void loop_gru(size_t n, const float *input_gates, const float *hidden_gates, const float *h_in, float *h_out) {
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        gru_units(n, input_gates, hidden_gates, h_in, h_out, i, VEC_LANES);
    if (i < n)
        gru_units(n, input_gates, hidden_gates, h_in, h_out, i, n - i);
}

/* ---- Rows ---- */

#if VEC_LANES >= 8
/* Masks are cheap: what is left of a row is a vector like the others, whose other lanes count as nothing. */
static void loop_softmax(float *y, const float *x, size_t n) {
    const size_t whole = n - n % VEC_LANES, rest = n - whole;
    const vec_f32 least = vec_set(-INFINITY), part = rest ? vec_load_part_over(x + whole, rest, least) : least;
    vec_f32 top = part, sum = vec_set(0.0f);
    for (size_t i = 0; i < whole; i += VEC_LANES)
        top = vec_at_least(vec_load(x + i), top); /* a NaN that is lost here still makes the sum NaN */
    const float max = vec_greatest(top);
    for (size_t i = 0; i < whole; i += VEC_LANES) {
        const vec_f32 e = vec_exp_negative(vec_load(x + i) - max);
        sum += e;
        vec_store(y + i, e);
    }
    const vec_f32 last = rest ? vec_exp_negative(part - max) : vec_set(0.0f);
    const float scale = 1.0f / vec_sum(sum + last);
    for (size_t i = 0; i < whole; i += VEC_LANES)
        vec_store(y + i, vec_load(y + i) * scale);
    if (rest)
        vec_store_part(y + whole, last * scale, rest);
}
#else
static void loop_softmax(float *y, const float *x, size_t n) {
    vec_f32 top = vec_set(-INFINITY);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        top = vec_at_least(vec_load(x + i), top);
    float max = vec_greatest(top); /* a NaN that is lost here still makes the sum NaN */
    for (; i < n; i++)
        max = x[i] < max ? max : x[i];
    vec_f32 sum = vec_set(0.0f);
    for (i = 0; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 e = vec_exp_negative(vec_load(x + i) - max);
        sum += e;
        vec_store(y + i, e);
    }
    float total = vec_sum(sum);
    if (i < n) {
        vec_store_part(y + i, vec_exp_negative(vec_load_part(x + i, n - i) - max), n - i);
        for (; i < n; i++)
            total += y[i];
    }
    float scale = 1.0f / total;
    for (i = 0; i + VEC_LANES <= n; i += VEC_LANES)
        vec_store(y + i, vec_load(y + i) * scale);
    for (; i < n; i++)
        y[i] *= scale;
}
#endif

/* x[i] = x[i] * scale + mask[i]; returns the greatest, NaN left aside. The sums are rounded as a program's own are,
 * which can be seen where all masks of a row are large numbers. */
VEC_INLINE float scaled_and_masked(float *x, size_t n, float scale, const float *mask) {
    vec_f32 top = vec_set(-INFINITY);
    float lanes[VEC_LANES];
    for (size_t i = 0; i < n; i += VEC_LANES) {
        const size_t part = n - i < VEC_LANES ? n - i : VEC_LANES;
        vec_f32 u;
        if (part == VEC_LANES) {
            u = vec_load(x + i) * scale;
            if (mask)
                u += vec_load(mask + i);
            vec_store(x + i, u);
        } else {
            u = vec_load_part(x + i, part) * scale;
            if (mask)
                u += vec_load_part(mask + i, part);
            vec_store_part(x + i, u, part);
            vec_store(lanes, vec_set(-INFINITY));
            memcpy(lanes, x + i, part * sizeof *x);
            u = vec_load(lanes);
        }
        top = vec_greater(u, top);
    }
    return vec_greatest(top);
}

VEC_INLINE float greatest_of(const float *x, size_t n) {
    vec_f32 top = vec_set(-INFINITY);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        top = vec_greater(vec_load(x + i), top);
    float max = vec_greatest(top);
    for (; i < n; i++)
        max = x[i] > max ? x[i] : max;
    return max;
}

static float loop_softmax_block(float *x, size_t n, float scale, const float *mask, tsm_softmax_row *row) {
    float top;
    if (mask || !(scale > 0.0f)) {
        top = scaled_and_masked(x, n, scale, mask);
        scale = 1.0f;
    } else {
        top = greatest_of(x, n) * scale;
    }
    if (!(top > row->top))
        top = row->top;
    /* Where all is masked so far, differences are taken from 0. */
    const float from = top > -INFINITY ? top : 0.0f;
    vec_f32 sum = vec_set(0.0f);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 e = vec_exp2_negative((vec_load(x + i) * scale - from) * LOG2_E);
        sum += e;
        vec_store(x + i, e);
    }
    float total = vec_sum(sum), factor[VEC_LANES];
    if (i < n) {
        vec_store_part(x + i, vec_exp2_negative((vec_load_part(x + i, n - i) * scale - from) * LOG2_E), n - i);
        for (; i < n; i++)
            total += x[i];
    }
    vec_store(factor, vec_exp2_negative(vec_set(row->top - from) * LOG2_E));
    row->sum = row->sum * factor[0] + total;
    row->top = top;
    return factor[0];
}

/* Sums over blocks short enough for float lanes; several at once, so that they do not wait for each other. */
enum { ROW_SUMS = 4 };

VEC_INLINE float block_sum(const float *x, size_t n) {
    vec_f32 sum[ROW_SUMS] = {vec_set(0.0f), vec_set(0.0f), vec_set(0.0f), vec_set(0.0f)};
    size_t i = 0;
    for (; i + ROW_SUMS * VEC_LANES <= n; i += ROW_SUMS * VEC_LANES) {
        UNROLL for (size_t k = 0; k < ROW_SUMS; k++) sum[k] += vec_load(x + i + k * VEC_LANES);
    }
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        sum[0] += vec_load(x + i);
    if (i < n)
        sum[0] += vec_load_part(x + i, n - i);
    return vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
}

VEC_INLINE float block_squares(const float *x, size_t n, float mean) {
    vec_f32 sum[ROW_SUMS] = {vec_set(0.0f), vec_set(0.0f), vec_set(0.0f), vec_set(0.0f)};
    size_t i = 0;
    for (; i + ROW_SUMS * VEC_LANES <= n; i += ROW_SUMS * VEC_LANES) {
        UNROLL for (size_t k = 0; k < ROW_SUMS; k++) {
            vec_f32 d = vec_load(x + i + k * VEC_LANES) - mean;
            sum[k] += d * d;
        }
    }
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 d = vec_load(x + i) - mean;
        sum[0] += d * d;
    }
    float total = vec_sum((sum[0] + sum[1]) + (sum[2] + sum[3]));
    for (; i < n; i++)
        total += (x[i] - mean) * (x[i] - mean);
    return total;
}

/* Blocks of 1024 in float, their sums in double. */
static void loop_moments(const float *x, size_t n, double *mean, double *squares) {
    enum { BLOCK = 1024 };
    double sum = 0, around = 0;
    for (size_t i = 0; i < n; i += BLOCK)
        sum += (double)block_sum(x + i, n - i < BLOCK ? n - i : BLOCK);
    *mean = sum / (double)n;
    for (size_t i = 0; i < n; i += BLOCK)
        around += (double)block_squares(x + i, n - i < BLOCK ? n - i : BLOCK, (float)*mean);
    *squares = around;
}

#define ROW_LOOP(name, parameters, expression, rest)                                                                   \
    static void name parameters {                                                                                      \
        size_t i = 0;                                                                                                  \
        for (; i + VEC_LANES <= n; i += VEC_LANES)                                                                     \
            vec_store(y + i, expression);                                                                              \
        for (; i < n; i++)                                                                                             \
            y[i] = rest;                                                                                               \
    }

ROW_LOOP(loop_affine, (float *y, const float *x, size_t n, float scale, float shift), vec_load(x + i) * scale + shift,
         x[i] * scale + shift)
ROW_LOOP(loop_normalize,
         (float *y, const float *x, size_t n, float mean, float scale, const float *weight, const float *bias),
         (vec_load(x + i) - mean) * scale * vec_load(weight + i) + vec_load(bias + i),
         (x[i] - mean) * scale * weight[i] + bias[i])

/* One vector of columns through all rows; V vectors at once hide the latency. */
VEC_INLINE void max_columns(float *y, const float *const *rows, size_t count, size_t at, const size_t V) {
    vec_f32 best[4];
    UNROLL for (size_t v = 0; v < V; v++) best[v] = vec_load(rows[0] + at + v * VEC_LANES);
    for (size_t i = 1; i < count; i++) {
        UNROLL for (size_t v = 0; v < V; v++) best[v] = vec_max(best[v], vec_load(rows[i] + at + v * VEC_LANES));
    }
    UNROLL for (size_t v = 0; v < V; v++) vec_store(y + at + v * VEC_LANES, best[v]);
}

static void loop_max_rows(float *y, const float *const *rows, size_t count, size_t n) {
    size_t c = 0;
    for (; c + 4 * VEC_LANES <= n; c += 4 * VEC_LANES)
        max_columns(y, rows, count, c, 4);
    for (; c + VEC_LANES <= n; c += VEC_LANES)
        max_columns(y, rows, count, c, 1);
    if (c < n) {
        vec_f32 best = vec_load_part(rows[0] + c, n - c);
        for (size_t i = 1; i < count; i++)
            best = vec_max(best, vec_load_part(rows[i] + c, n - c));
        vec_store_part(y + c, best, n - c);
    }
}

VEC_INLINE void add_columns(float *y, const float *const *rows, size_t count, size_t at, const size_t V) {
    vec_f32 sum[4];
    UNROLL for (size_t v = 0; v < V; v++) sum[v] = vec_load(y + at + v * VEC_LANES);
    for (size_t i = 0; i < count; i++) {
        UNROLL for (size_t v = 0; v < V; v++) sum[v] += vec_load(rows[i] + at + v * VEC_LANES);
    }
    UNROLL for (size_t v = 0; v < V; v++) vec_store(y + at + v * VEC_LANES, sum[v]);
}

static void loop_add_rows(float *y, const float *const *rows, size_t count, size_t n) {
    size_t c = 0;
    for (; c + 4 * VEC_LANES <= n; c += 4 * VEC_LANES)
        add_columns(y, rows, count, c, 4);
    for (; c + VEC_LANES <= n; c += VEC_LANES)
        add_columns(y, rows, count, c, 1);
    if (c < n) {
        vec_f32 sum = vec_load_part(y + c, n - c);
        for (size_t i = 0; i < count; i++)
            sum += vec_load_part(rows[i] + c, n - c);
        vec_store_part(y + c, sum, n - c);
    }
}

VEC_INLINE void weigh_columns(float *y, float start, const float *const *rows, const float *weights, size_t count,
                              size_t at, const size_t V) {
    vec_f32 sum[4];
    UNROLL for (size_t v = 0; v < V; v++) sum[v] = vec_set(start);
    for (size_t i = 0; i < count; i++) {
        UNROLL for (size_t v = 0; v < V; v++) sum[v] += weights[i] * vec_load(rows[i] + at + v * VEC_LANES);
    }
    UNROLL for (size_t v = 0; v < V; v++) vec_store(y + at + v * VEC_LANES, sum[v]);
}

static void loop_weigh_rows(float *y, float start, const float *const *rows, const float *weights, size_t count,
                            size_t n) {
    size_t c = 0;
    for (; c + 4 * VEC_LANES <= n; c += 4 * VEC_LANES)
        weigh_columns(y, start, rows, weights, count, c, 4);
    if (VEC_LANES > 1 && c + 2 * VEC_LANES <= n) {
        weigh_columns(y, start, rows, weights, count, c, 2);
        c += 2 * VEC_LANES;
    }
    for (; c + VEC_LANES <= n; c += VEC_LANES)
        weigh_columns(y, start, rows, weights, count, c, 1);
    if (c < n) {
        vec_f32 sum = vec_set(start);
        for (size_t i = 0; i < count; i++)
            sum += weights[i] * vec_load_part(rows[i] + c, n - c);
        vec_store_part(y + c, sum, n - c);
    }
}

/* A vector of pairs of the first half of a and b, and one of the second. */
#if VEC_LANES == 16
#define VEC_PAIRS_LOW 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define VEC_PAIRS_HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif VEC_LANES == 8
#define VEC_PAIRS_LOW 0, 8, 1, 9, 2, 10, 3, 11
#define VEC_PAIRS_HIGH 4, 12, 5, 13, 6, 14, 7, 15
#elif VEC_LANES == 4
#define VEC_PAIRS_LOW 0, 4, 1, 5
#define VEC_PAIRS_HIGH 2, 6, 3, 7
#endif

static void loop_interleave(float *y, const float *a, const float *b, size_t n) {
    size_t i = 0;
#if VEC_LANES > 1
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 p = vec_load(a + i), q = vec_load(b + i);
        vec_store(y + 2 * i, __builtin_shufflevector(p, q, VEC_PAIRS_LOW));
        vec_store(y + 2 * i + VEC_LANES, __builtin_shufflevector(p, q, VEC_PAIRS_HIGH));
    }
#endif
    for (; i < n; i++) {
        y[2 * i] = a[i];
        y[2 * i + 1] = b[i];
    }
}

static void loop_interleave_three(float *y, const float *a, const float *b, const float *c, size_t n) {
    size_t i = 0;
#if VEC_LANES == 16
    /* Lane l of vector v holds number k = 16 v + l of the result: element k / 3 of plane k % 3. First a and b, then c.
     */
    int32_t first[3][VEC_LANES], second[3][VEC_LANES];
    for (int k = 0; k < 3 * VEC_LANES; k++) {
        first[k / VEC_LANES][k % VEC_LANES] = k % 3 == 1 ? VEC_LANES + k / 3 : k / 3;
        second[k / VEC_LANES][k % VEC_LANES] = k % 3 == 2 ? VEC_LANES + k / 3 : k % VEC_LANES;
    }
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        __m512 p = (__m512)vec_load(a + i), q = (__m512)vec_load(b + i), r = (__m512)vec_load(c + i);
        UNROLL for (int v = 0; v < 3; v++) {
            __m512 both = _mm512_permutex2var_ps(p, _mm512_loadu_si512(first[v]), q);
            vec_store(y + 3 * i + (size_t)v * VEC_LANES,
                      (vec_f32)_mm512_permutex2var_ps(both, _mm512_loadu_si512(second[v]), r));
        }
    }
#endif
    for (; i < n; i++) {
        y[3 * i] = a[i];
        y[3 * i + 1] = b[i];
        y[3 * i + 2] = c[i];
    }
}

#if defined(TSM_DIRECT_LOOPS)
#define DEFINE_LOOP(loop) const __typeof__(((tsm_f32_loops *)NULL)->loop) tsm_f32_base_##loop = loop_##loop;
TSM_F32_LOOPS(DEFINE_LOOP)
#define TABLE_LOOP(loop)
#else
#define TABLE_LOOP(loop) .loop = loop_##loop,
#endif
/* clang-format off */
const tsm_f32_loops TSM_F32_TABLE = {
    .name = TSM_F32_NAME,
    .lanes = VEC_LANES,
    .gemm_rows = GEMM_ROWS,
    .scratch_limit = LOOPS_SCRATCH_LIMIT,
    .is_narrow = TSM_NARROW_LANES,
    TSM_F32_LOOPS(TABLE_LOOP)
};
/* clang-format on */
