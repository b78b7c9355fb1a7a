/* The loops of f32.h in vector C. Included once by each f32_*.c, which names the table by TSM_F32_TABLE and is compiled for its
 * instruction set.
 *
 * The product is computed in tiles of up to GEMM_ROWS rows by TILE_VECTORS vectors of columns, held in registers over the whole
 * depth. The sizes are those that fill the register file without spilling:
 *   lanes 16 (32 registers): 12 x 2 vectors = two panels at once, so that an element of A is loaded once for two multiplications
 *   lanes 8 (16 registers): 6 x 2
 *   lanes 4: AArch64 (32 registers) 5 x 4, by hand 6 x 4; SSE2, ARMv7 (16 registers) 4 x 2; MVE (8 registers) 2 x 2
 *   lanes 1: 4 x 4 scalars (32 single registers of the Cortex-M FPU) */
#include "runtime/kernels/simd/f32.h"
#include "runtime/kernels/simd/vec_math.h"

#include <math.h>

#if VEC_LANES == 16
#define GEMM_ROWS 12
#define TILE_VECTORS 2
#elif VEC_LANES == 8
#define GEMM_ROWS 6
#define TILE_VECTORS 2
#elif defined(TSM_GEMM_AARCH64)
#include "runtime/kernels/simd/gemm_aarch64.h"
#define GEMM_ROWS 6
#define TILE_VECTORS 4
#elif VEC_LANES == 4 && defined(__aarch64__)
#define GEMM_ROWS 5
#define TILE_VECTORS 4
#elif VEC_LANES == 4 && !defined(__ARM_FEATURE_MVE)
#define GEMM_ROWS 4
#define TILE_VECTORS 2
#elif VEC_LANES == 4
#define GEMM_ROWS 2
#define TILE_VECTORS 2
#else
#define GEMM_ROWS 4
#define TILE_VECTORS 4
#endif

/* Fully unrolls the loop that follows. */
#if defined(__clang__)
#define UNROLL _Pragma("clang loop unroll(full)")
#else
#define UNROLL _Pragma("GCC unroll 16")
#endif

/* ---- Activations ---- */

VEC_INLINE vec_f32 activate_vec(vec_f32 v, tsm_activation a, float low, float high) {
    switch (a) {
    case TSM_ACT_RELU: return vec_at_least(v, vec_set(0.0f));
    case TSM_ACT_CLAMP: return vec_at_most(vec_at_least(v, vec_set(low)), vec_set(high));
    case TSM_ACT_HARDSIGMOID:
        return vec_at_most(vec_at_least(v + 3.0f, vec_set(0.0f)), vec_set(6.0f)) * (1.0f / 6.0f);
    case TSM_ACT_HARDSWISH:
        return v * vec_at_most(vec_at_least(v + 3.0f, vec_set(0.0f)), vec_set(6.0f)) * (1.0f / 6.0f);
    case TSM_ACT_SILU: return v * vec_sigmoid(v);
    case TSM_ACT_SIGMOID: return vec_sigmoid(v);
    case TSM_ACT_TANH: return vec_tanh(v);
    case TSM_ACT_GELU: return v * 0.5f * (vec_erf(v * 0.70710678f) + 1.0f);
    case TSM_ACT_GELU_TANH: return v * 0.5f * (vec_tanh((v * v * v * 0.044715f + v) * 0.79788456f) + 1.0f);
    case TSM_ACT_LEAKY_RELU: return vec_select(vec_less(vec_set(0.0f), v), v, v * low);
    default: return v;
    }
}

/* The loop over n elements for one activation; the switch above folds away. */
VEC_INLINE void activate_run(float *y, const float *x, size_t n, tsm_activation a, float low, float high) {
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        vec_store(y + i, activate_vec(vec_load(x + i), a, low, high));
    if (i < n)
        vec_store_part(y + i, activate_vec(vec_load_part(x + i, n - i), a, low, high), n - i);
}

static void loop_activate(float *y, const float *x, size_t n, tsm_activation a, float low, float high) {
    switch (a) {
#define CASE(A)                                                                                                              \
    case A: activate_run(y, x, n, A, low, high); break;
        CASE(TSM_ACT_RELU)
        CASE(TSM_ACT_CLAMP)
        CASE(TSM_ACT_HARDSIGMOID)
        CASE(TSM_ACT_HARDSWISH)
        CASE(TSM_ACT_SILU)
        CASE(TSM_ACT_SIGMOID)
        CASE(TSM_ACT_TANH)
        CASE(TSM_ACT_GELU)
        CASE(TSM_ACT_GELU_TANH)
        CASE(TSM_ACT_LEAKY_RELU)
#undef CASE
    default:
        if (y != x)
            memmove(y, x, n * sizeof *y);
    }
}

/* Clamps are done in registers; -inf and inf stand for "no bound". */
VEC_INLINE bool is_clamp(tsm_activation a) { return a <= TSM_ACT_CLAMP; }

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

/* ---- Matrix product ---- */

/* What a tile needs besides the block. Rows of C, of the residual and of the first values of the sums are there for all columns that the
 * tile computes. */
typedef struct {
    const tsm_gemm_block *g;
    const float *b;     /* first vector of the tile's columns in row 0 of B */
    size_t vector_step; /* floats from one vector of the tile to the next in a row of B */
    const float *start; /* first values of the sums; rows are start_stride apart, 0: all rows begin alike */
    ptrdiff_t start_stride;
    float *c;
    ptrdiff_t c_stride;
    const float *residual; /* of the tile, or NULL */
    ptrdiff_t residual_stride;
    float low, high; /* infinite: no bound */
} tile;

#if defined(TSM_GEMM_AARCH64)

static void tile_wide(const tile *t) {
    static const tsm_gemm_tile_a64_function tiles[] = {tsm_gemm_tile_a64_1, tsm_gemm_tile_a64_2, tsm_gemm_tile_a64_3,
                                                       tsm_gemm_tile_a64_4, tsm_gemm_tile_a64_5, tsm_gemm_tile_a64_6};
    const tsm_gemm_block *g = t->g;
    const ptrdiff_t size = sizeof(float);
    tsm_gemm_tile_a64 s = {
        .a = g->a,
        .a_step = g->a_step * sizeof *g->a,
        .taps = g->depth ? g->taps : 0,
        .depth = g->depth,
        .b = t->b,
        .b_skip = (ptrdiff_t)g->b_stride * size - TSM_PANEL / 2 * size,
        .start = t->start,
        .start_stride = t->start_stride * size,
        .c = t->c,
        .c_stride = t->c_stride * size,
        .residual = t->residual,
        .residual_stride = t->residual_stride * size,
        .low = t->low,
        .high = t->high,
        .clamps = (uint32_t)(t->low > -INFINITY) | (uint32_t)(t->high < INFINITY) << 1,
    };
    tiles[g->rows - 1](&s);
}

#else

/* Rows of a tile from memory. */
VEC_INLINE void tile_load(const float *from, ptrdiff_t stride, vec_f32 (*sum)[TILE_VECTORS], vec_half *half, const size_t R, const size_t V,
                          const bool HALF) {
    UNROLL for (size_t r = 0; r < R; r++, from += stride) {
        UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_load(from + v * VEC_LANES);
        if (HALF)
            half[r] = vec_half_load(from + V * VEC_LANES);
    }
}

/* The sums of a tile: V vectors of R rows, and with HALF a vector of half the length more. All three are constants where this is used, so
 * that the sums stay in registers. */
VEC_INLINE void tile_run(const tile *t, const size_t R, const size_t V, const bool HALF) {
    const tsm_gemm_block *g = t->g;
    vec_f32 sum[GEMM_ROWS][TILE_VECTORS];
    vec_half half[GEMM_ROWS];
    const float *start = t->start;
    const ptrdiff_t start_stride = t->start_stride;
    if (start_stride)
        tile_load(start, start_stride, sum, half, R, V, HALF);
    else
        tile_load(start, 0, sum, half, R, V, HALF);
    const float *b = t->b;
    const size_t b_stride = g->b_stride, vector_step = t->vector_step, a_step = g->a_step;
    const ptrdiff_t depth = (ptrdiff_t)g->depth;
    const float *const *pointers = g->a;
    for (size_t taps = g->taps; taps; taps--, pointers += a_step) {
        const float *a[GEMM_ROWS];
        UNROLL for (size_t r = 0; r < R; r++) a[r] = pointers[r] + depth;
        for (ptrdiff_t k = -depth; k; k++) { /* up to 0: the end needs no register */
            vec_f32 bv[TILE_VECTORS];
            vec_half bh;
            UNROLL for (size_t v = 0; v < V; v++) bv[v] = vec_load(b + v * vector_step);
            if (HALF)
                bh = vec_half_load(b + V * vector_step);
            UNROLL for (size_t r = 0; r < R; r++) {
                float s = a[r][k];
                UNROLL for (size_t v = 0; v < V; v++) sum[r][v] += bv[v] * s;
                if (HALF)
                    half[r] += bh * s;
            }
            b += b_stride;
        }
    }
    /* What t says is read before anything is stored: stores may alias it, for all the compiler knows. */
    const float *residual = t->residual;
    const ptrdiff_t residual_stride = t->residual_stride, c_stride = t->c_stride;
    float *to = t->c;
    if (residual) {
        UNROLL for (size_t r = 0; r < R; r++, residual += residual_stride) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] += vec_load(residual + v * VEC_LANES);
            if (HALF)
                half[r] += vec_half_load(residual + V * VEC_LANES);
        }
    }
    if (t->low > -INFINITY) {
        vec_f32 low = vec_set(t->low);
        UNROLL for (size_t r = 0; r < R; r++) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_at_least(sum[r][v], low);
            if (HALF)
                half[r] = vec_half_at_least(half[r], low);
        }
    }
    if (t->high < INFINITY) {
        vec_f32 high = vec_set(t->high);
        UNROLL for (size_t r = 0; r < R; r++) {
            UNROLL for (size_t v = 0; v < V; v++) sum[r][v] = vec_at_most(sum[r][v], high);
            if (HALF)
                half[r] = vec_half_at_most(half[r], high);
        }
    }
    UNROLL for (size_t r = 0; r < R; r++, to += c_stride) {
        UNROLL for (size_t v = 0; v < V; v++) vec_store(to + v * VEC_LANES, sum[r][v]);
        if (HALF)
            vec_half_store(to + V * VEC_LANES, half[r]);
    }
}

#define TILE_CASE(R)                                                                                                         \
    case R: tile_run(t, R, V, HALF); break;
#if GEMM_ROWS == 12
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4) TILE_CASE(5) TILE_CASE(6) TILE_CASE(7) TILE_CASE(8)   \
    TILE_CASE(9) TILE_CASE(10) TILE_CASE(11) TILE_CASE(12)
#elif GEMM_ROWS == 6
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4) TILE_CASE(5) TILE_CASE(6)
#elif GEMM_ROWS == 5
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4) TILE_CASE(5)
#elif GEMM_ROWS == 4
#define TILE_CASES TILE_CASE(1) TILE_CASE(2) TILE_CASE(3) TILE_CASE(4)
#else
#define TILE_CASES TILE_CASE(1) TILE_CASE(2)
#endif

VEC_INLINE void tile_rows(const tile *t, const size_t V, const bool HALF) {
    switch (t->g->rows) { TILE_CASES }
}

static void tile_wide(const tile *t) { tile_rows(t, TILE_VECTORS, false); }

#endif

/* Tiles narrower than the widest, for what is left of the columns; the greatest first. */
typedef struct {
    size_t columns;
    void (*run)(const tile *t);
} tile_form;

#if VEC_LANES == 16
static void tile_half(const tile *t) { tile_rows(t, 0, true); }
static void tile_one(const tile *t) { tile_rows(t, 1, false); }
static void tile_one_and_half(const tile *t) { tile_rows(t, 1, true); }
static const tile_form tile_forms[] = {{32, tile_wide}, {24, tile_one_and_half}, {16, tile_one}, {8, tile_half}};
#elif VEC_LANES == 8
static void tile_one(const tile *t) { tile_rows(t, 1, false); }
static const tile_form tile_forms[] = {{16, tile_wide}, {8, tile_one}};
#else
static const tile_form tile_forms[] = {{TILE_VECTORS * VEC_LANES, tile_wide}};
#endif
enum { TILE_FORMS = sizeof tile_forms / sizeof *tile_forms };
#define TILE_COLUMNS (TILE_VECTORS * VEC_LANES)

/* One row uses every vector of B once, so what counts is to read B as it lies, in few streams, and to have enough sums that they need not
 * wait for each other: THIN_WAYS for each vector of columns, k by turns. */
#if VEC_LANES == 16
enum { THIN_VECTORS = 2, THIN_WAYS = 4 };
#elif VEC_LANES >= 4
enum { THIN_VECTORS = TSM_PANEL / VEC_LANES, THIN_WAYS = 8 / THIN_VECTORS };
#else
enum { THIN_VECTORS = 8, THIN_WAYS = 1 };
#endif
#define THIN_COLUMNS (THIN_VECTORS * VEC_LANES)
#if defined(TSM_GEMM_AARCH64)
#define THIN_PAYS false
#else
#define THIN_PAYS true
#endif

static void tile_thin(const tile *t) {
    const tsm_gemm_block *g = t->g;
    vec_f32 sum[THIN_WAYS][THIN_VECTORS];
    const size_t stride = g->b_stride, panel = g->b_panel;
    UNROLL for (size_t v = 0; v < THIN_VECTORS; v++) {
        UNROLL for (size_t w = 1; w < THIN_WAYS; w++) sum[w][v] = vec_set(0.0f);
        sum[0][v] = vec_load(t->start + v * VEC_LANES);
    }
#define THIN_STEP(W, A)                                                                                                      \
    UNROLL for (size_t v = 0; v < THIN_VECTORS; v++) sum[W][v] +=                                                            \
        vec_load(b + v * VEC_LANES / TSM_PANEL * panel + v * VEC_LANES % TSM_PANEL) * (A)
    const float *b = t->b;
    for (size_t tap = 0; tap < g->taps; tap++) {
        const float *a = g->a[tap * g->a_step];
        size_t k = 0;
        for (; k + THIN_WAYS <= g->depth; k += THIN_WAYS) {
            UNROLL for (size_t w = 0; w < THIN_WAYS; w++, b += stride) THIN_STEP(w, a[k + w]);
        }
        for (; k < g->depth; k++, b += stride)
            THIN_STEP(0, a[k]);
    }
#undef THIN_STEP
    vec_f32 low = vec_set(t->low), high = vec_set(t->high);
    UNROLL for (size_t v = 0; v < THIN_VECTORS; v++) {
        UNROLL for (size_t n = THIN_WAYS / 2; n > 0; n /= 2) {
            UNROLL for (size_t w = 0; w < n; w++) sum[w][v] += sum[w + n][v];
        }
        if (t->residual)
            sum[0][v] += vec_load(t->residual + v * VEC_LANES);
        vec_store(t->c + v * VEC_LANES, vec_at_most(vec_at_least(sum[0][v], low), high));
    }
}

/* Rows of a tile beside the matrices, for what does not lie there as whole rows. */
typedef float tile_aside[GEMM_ROWS][TILE_COLUMNS];

static void copy_aside(tile_aside to, const float *from, ptrdiff_t stride, size_t rows, size_t columns) {
    for (size_t r = 0; r < rows; r++) {
        memcpy(to[r], from + (ptrdiff_t)r * stride, columns * sizeof **to);
        memset(to[r] + columns, 0, (TILE_COLUMNS - columns) * sizeof **to);
    }
}

/* A tile of which only the first columns exist. */
static void tile_at_edge(const tile *t, const tile_form *form, size_t columns) {
    size_t rows = t->g->rows;
    tile_aside start, residual, c;
    tile edge = *t;
    copy_aside(start, t->start, t->start_stride, t->start_stride ? rows : 1, columns);
    edge.start = start[0];
    edge.start_stride = t->start_stride ? TILE_COLUMNS : 0;
    edge.c = c[0];
    edge.c_stride = TILE_COLUMNS;
    if (t->residual) {
        copy_aside(residual, t->residual, t->residual_stride, rows, columns);
        edge.residual = residual[0];
        edge.residual_stride = TILE_COLUMNS;
    }
    form->run(&edge);
    for (size_t r = 0; r < rows; r++)
        memcpy(t->c + (ptrdiff_t)r * t->c_stride, c[r], columns * sizeof **c);
}

/* The first values of a block's sums; `zeros` are as many as a tile has columns. Row biases are written into `rows`. */
static void block_start(const tsm_gemm_block *g, tile *t, tile_aside rows, const float *zeros) {
    const tsm_finish *f = g->finish;
    t->start = zeros;
    t->start_stride = 0;
    if (g->accumulate) {
        t->start = g->c;
        t->start_stride = g->c_stride;
    } else if (f && f->column_bias) {
        t->start = f->column_bias;
    } else if (f && f->row_bias) {
        for (size_t r = 0; r < g->rows; r++)
            for (size_t j = 0; j < TILE_COLUMNS; j++)
                rows[r][j] = f->row_bias[r];
        t->start = rows[0];
        t->start_stride = TILE_COLUMNS;
    }
}

static void loop_gemm(const tsm_gemm_block *g) {
    static const float zeros[TILE_COLUMNS > THIN_COLUMNS ? TILE_COLUMNS : THIN_COLUMNS] = {0};
    const tsm_finish *f = g->finish;
    tile_aside row_biases;
    tile t = {.g = g, .c = g->c, .c_stride = g->c_stride, .residual_stride = f ? f->residual_stride : 0};
    clamp_bounds(f, g->more, &t.low, &t.high);
    t.residual = f && !g->more ? f->residual : NULL;
    block_start(g, &t, row_biases, zeros);
    bool start_moves = g->accumulate || (f && f->column_bias), may_be_thin = THIN_PAYS && g->rows == 1 && (start_moves || t.start == zeros);
    for (size_t j = 0, done; j < g->columns; j += done) {
        size_t left = g->columns - j;
        const tile_form *form = tile_forms;
        while (form < tile_forms + TILE_FORMS - 1 && form[1].columns >= left)
            form++;
        done = left < form->columns ? left : form->columns;
        t.b = g->b + j / TSM_PANEL * g->b_panel + j % TSM_PANEL;
        t.vector_step = TILE_COLUMNS > (size_t)TSM_PANEL ? g->b_panel : VEC_LANES; /* such a tile spans two panels */
        if (may_be_thin && left >= THIN_COLUMNS && j % TSM_PANEL == 0) {
            done = THIN_COLUMNS;
            tile_thin(&t);
        } else if (done < form->columns) {
            tile_at_edge(&t, form, done);
        } else {
            form->run(&t);
        }
        t.c += done;
        t.start += start_moves ? done : 0;
        t.residual += t.residual ? done : 0;
    }
    if (f && !g->more && !is_clamp(f->activation))
        for (size_t r = 0; r < g->rows; r++) {
            float *c = g->c + (ptrdiff_t)r * g->c_stride;
            loop_activate(c, c, g->columns, f->activation, f->low, f->high);
        }
}

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
            UNROLL for (size_t i = 0; i < N; i++)
                sum[i][u] += xv * vec_load(w + (ptrdiff_t)i * w_stride + at + u * VEC_LANES);
        }
    }
    for (; at < k; at += VEC_LANES) {
        size_t part = k - at < VEC_LANES ? k - at : VEC_LANES;
        vec_f32 xv = vec_load_part(x + at, part);
        UNROLL for (size_t i = 0; i < N; i++) sum[i][0] += xv * vec_load_part(w + (ptrdiff_t)i * w_stride + at, part);
    }
    UNROLL for (size_t i = 0; i < N; i++) y[(ptrdiff_t)i * y_stride] += vec_sum(sum[i][0] + sum[i][1]);
}

static void loop_dots(size_t n, size_t k, const float *x, const float *w, ptrdiff_t w_stride, float *y, ptrdiff_t y_stride) {
    size_t i = 0;
    for (; i + 4 <= n; i += 4)
        dots_run(4, k, x, w + (ptrdiff_t)i * w_stride, w_stride, y + (ptrdiff_t)i * y_stride, y_stride);
    for (; i < n; i++)
        dots_run(1, k, x, w + (ptrdiff_t)i * w_stride, w_stride, y + (ptrdiff_t)i * y_stride, y_stride);
}

/* ---- Depthwise convolution ---- */

/* P pixels, one vector of channels. T > 0: exactly T taps, pixels S taps apart, so that neighbouring pixels share what is loaded;
 * T = 0: any. Constants where this is used. */
VEC_INLINE void depthwise_pixels(const tsm_depthwise_run *d, size_t pixel, size_t channel, const size_t P, const size_t T, const size_t S,
                                 float low, float high) {
    const tsm_finish *f = d->finish;
    const float *w = d->w + channel / TSM_PANEL * d->w_panel + channel % TSM_PANEL;
    vec_f32 sum[4];
    UNROLL for (size_t p = 0; p < P; p++) sum[p] = f && f->column_bias ? vec_load(f->column_bias + channel) : vec_set(0.0f);
    for (size_t r = 0; r < d->row_count; r++) {
        const float *row = d->rows[r] + (ptrdiff_t)pixel * d->pixel_step + channel, *wr = w + d->w_rows[r];
        if (T) {
            vec_f32 in[3 * 2 + 5], wt[5];
            UNROLL for (size_t t = 0; t < T; t++) wt[t] = vec_load(wr + t * TSM_PANEL);
            UNROLL for (size_t i = 0; i < (P - 1) * S + T; i++) in[i] = vec_load(row + (ptrdiff_t)i * d->tap_step);
            UNROLL for (size_t p = 0; p < P; p++) {
                UNROLL for (size_t t = 0; t < T; t++) sum[p] += wt[t] * in[p * S + t];
            }
        } else {
            for (size_t t = 0; t < d->taps; t++) {
                vec_f32 wt = vec_load(wr + t * TSM_PANEL);
                UNROLL for (size_t p = 0; p < P; p++)
                    sum[p] += wt * vec_load(row + (ptrdiff_t)p * d->pixel_step + (ptrdiff_t)t * d->tap_step);
            }
        }
    }
    UNROLL for (size_t p = 0; p < P; p++) {
        vec_f32 s = sum[p];
        if (f && f->residual)
            s += vec_load(f->residual + (ptrdiff_t)(pixel + p) * f->residual_stride + channel);
        vec_store(d->out + (ptrdiff_t)(pixel + p) * d->out_stride + channel, vec_at_most(vec_at_least(s, vec_set(low)), vec_set(high)));
    }
}

/* The last channels of a pixel, fewer than a vector: n of them. */
static void depthwise_rest(const tsm_depthwise_run *d, size_t pixel, size_t channel, size_t n, float low, float high) {
    const tsm_finish *f = d->finish;
    const float *w = d->w + channel / TSM_PANEL * d->w_panel + channel % TSM_PANEL;
    vec_f32 sum = f && f->column_bias ? vec_load_part(f->column_bias + channel, n) : vec_set(0.0f);
    for (size_t r = 0; r < d->row_count; r++) {
        const float *row = d->rows[r] + (ptrdiff_t)pixel * d->pixel_step + channel, *wr = w + d->w_rows[r];
        for (size_t t = 0; t < d->taps; t++) /* panels are full: the weights of channels that do not exist are zeros */
            sum += vec_load(wr + t * TSM_PANEL) * vec_load_part(row + (ptrdiff_t)t * d->tap_step, n);
    }
    if (f && f->residual)
        sum += vec_load_part(f->residual + (ptrdiff_t)pixel * f->residual_stride + channel, n);
    vec_store_part(d->out + (ptrdiff_t)pixel * d->out_stride + channel, vec_at_most(vec_at_least(sum, vec_set(low)), vec_set(high)), n);
}

VEC_INLINE void depthwise_channels(const tsm_depthwise_run *d, size_t pixel, const size_t P, const size_t T, const size_t S, float low,
                                   float high) {
    size_t c = 0;
    for (; c + VEC_LANES <= d->channels; c += VEC_LANES)
        depthwise_pixels(d, pixel, c, P, T, S, low, high);
    if (c < d->channels)
        for (size_t p = 0; p < P; p++)
            depthwise_rest(d, pixel + p, c, d->channels - c, low, high);
}

/* Kernels of up to 5 rows and taps; up to 3x3 the weights stay in registers, larger ones are loaded again for each group of pixels. */
enum { SMALL_KERNEL = 5 };

typedef struct {
    const float *rows[SMALL_KERNEL], *weights[SMALL_KERNEL];
    vec_f32 w[3][3];
} depthwise_column; /* one vector of channels */

/* P pixels of R rows and T taps each; moves the rows on. */
VEC_INLINE void depthwise_group(depthwise_column *c, vec_f32 *sum, ptrdiff_t tap, const size_t P, const size_t R, const size_t T,
                                const size_t S) {
    UNROLL for (size_t r = 0; r < R; r++) {
        vec_f32 in[3 * 2 + SMALL_KERNEL];
        UNROLL for (size_t i = 0; i < (P - 1) * S + T; i++) in[i] = vec_load(c->rows[r] + (ptrdiff_t)i * tap);
        UNROLL for (size_t t = 0; t < T; t++) {
            vec_f32 w = T <= 3 ? c->w[r < 3 ? r : 0][t < 3 ? t : 0] : vec_load(c->weights[r] + t * TSM_PANEL);
            UNROLL for (size_t p = 0; p < P; p++) sum[p] += w * in[p * S + t];
        }
        c->rows[r] += (ptrdiff_t)P * (ptrdiff_t)S * tap;
    }
}

/* One vector of channels along all pixels. */
VEC_INLINE void depthwise_small(const tsm_depthwise_run *d, const size_t R, const size_t T, const size_t S, float low_bound,
                                float high_bound) {
    const tsm_finish *f = d->finish;
    vec_f32 low = vec_set(low_bound), high = vec_set(high_bound);
    const ptrdiff_t tap = d->tap_step, out_stride = d->out_stride; /* stores may alias *d, for all the compiler knows */
    const size_t pixels = d->pixels;
    for (size_t at = 0; at + VEC_LANES <= d->channels; at += VEC_LANES) {
        float *to = d->out + at;
        depthwise_column c;
        vec_f32 bias = f && f->column_bias ? vec_load(f->column_bias + at) : vec_set(0.0f);
        UNROLL for (size_t r = 0; r < R; r++) {
            c.rows[r] = d->rows[r] + at;
            c.weights[r] = d->w + at / TSM_PANEL * d->w_panel + at % TSM_PANEL + d->w_rows[r];
            if (T <= 3) {
                UNROLL for (size_t t = 0; t < T; t++) c.w[r < 3 ? r : 0][t < 3 ? t : 0] = vec_load(c.weights[r] + t * TSM_PANEL);
            }
        }
        size_t left = pixels;
        for (; T >= 3 && left >= 4; left -= 4) {
            vec_f32 sum[4] = {bias, bias, bias, bias};
            depthwise_group(&c, sum, tap, 4, R, T, S);
            UNROLL for (size_t p = 0; p < 4; p++) {
                vec_store(to, vec_at_most(vec_at_least(sum[p], low), high));
                to += out_stride;
            }
        }
        for (; left; left--) {
            vec_f32 sum = bias;
            depthwise_group(&c, &sum, tap, 1, R, T, S);
            vec_store(to, vec_at_most(vec_at_least(sum, low), high));
            to += out_stride;
        }
    }
    size_t rest = d->channels % VEC_LANES;
    for (size_t p = 0; p < d->pixels && rest; p++)
        depthwise_rest(d, p, d->channels - rest, rest, low_bound, high_bound);
}

/* Runs depthwise_small where it has a form for this kernel. */
static bool depthwise_try_small(const tsm_depthwise_run *d, float low, float high) {
    bool adjacent = d->pixel_step == d->tap_step, alternate = d->pixel_step == 2 * d->tap_step;
    if (d->finish && d->finish->residual)
        return false;
#define FORM(R, T, S) depthwise_small(d, R, T, S, low, high)
    if (d->row_count == 5 && d->taps == 5 && (adjacent || alternate)) {
        if (adjacent)
            FORM(5, 5, 1);
        else
            FORM(5, 5, 2);
        return true;
    }
    if (d->row_count < 2 || d->row_count > 3)
        return false;
    if (d->taps == 2 && d->pixels == 1) { /* at the sides of the image */
        if (d->row_count == 3)
            FORM(3, 2, 1);
        else
            FORM(2, 2, 1);
        return true;
    }
    if (d->taps != 3 || !(adjacent || alternate))
        return false;
    if (d->row_count == 3 && adjacent)
        FORM(3, 3, 1);
    else if (d->row_count == 3)
        FORM(3, 3, 2);
    else if (adjacent)
        FORM(2, 3, 1);
    else
        FORM(2, 3, 2);
#undef FORM
    return true;
}

VEC_INLINE void depthwise_all(const tsm_depthwise_run *d, const size_t T, const size_t S, float low, float high) {
    size_t p = 0;
    for (; p + 4 <= d->pixels; p += 4)
        depthwise_channels(d, p, 4, T, S, low, high);
    for (; p < d->pixels; p++)
        depthwise_channels(d, p, 1, T, S, low, high);
}

static void loop_depthwise(const tsm_depthwise_run *d) {
    float low, high;
    clamp_bounds(d->finish, false, &low, &high);
    bool adjacent = d->pixel_step == d->tap_step, alternate = d->pixel_step == 2 * d->tap_step;
    if (!depthwise_try_small(d, low, high)) {
        if (d->taps == 5 && adjacent)
            depthwise_all(d, 5, 1, low, high);
        else if (d->taps == 5 && alternate)
            depthwise_all(d, 5, 2, low, high);
        else
            depthwise_all(d, 0, 1, low, high);
    }
    if (d->finish && !is_clamp(d->finish->activation))
        for (size_t p = 0; p < d->pixels; p++) {
            float *y = d->out + (ptrdiff_t)p * d->out_stride;
            loop_activate(y, y, d->channels, d->finish->activation, d->finish->low, d->finish->high);
        }
}

/* ---- Winograd's transforms ---- */

/* B^T d for one column: six numbers at distance `step`. */
VEC_INLINE void winograd_bt(vec_f32 *to, const vec_f32 *d, const size_t step) {
    vec_f32 d0 = d[0], d1 = d[step], d2 = d[2 * step], d3 = d[3 * step], d4 = d[4 * step], d5 = d[5 * step];
    vec_f32 a = d4 - 4.0f * d2, b = d3 - 4.0f * d1, c = d4 - d2, e = 2.0f * (d3 - d1);
    to[0] = 4.0f * d0 - 5.0f * d2 + d4;
    to[step] = a + b;
    to[2 * step] = a - b;
    to[3 * step] = c + e;
    to[4 * step] = c - e;
    to[5 * step] = 4.0f * d1 - 5.0f * d3 + d5;
}

static void loop_winograd_input(float *v, size_t v_position, const float *const *pixels, size_t channels) {
    for (size_t c = 0; c < channels; c += VEC_LANES) {
        vec_f32 d[36], t[36];
        UNROLL for (size_t i = 0; i < 6; i++) {
            UNROLL for (size_t k = 0; k < 6; k++) d[i * 6 + k] = vec_load(pixels[i * 6 + k] + c);
        }
        UNROLL for (size_t k = 0; k < 6; k++) winograd_bt(t + k, d + k, 6);
        UNROLL for (size_t i = 0; i < 6; i++) {
            winograd_bt(d + i * 6, t + i * 6, 1);
            UNROLL for (size_t k = 0; k < 6; k++) vec_store(v + (i * 6 + k) * v_position + c, d[i * 6 + k]);
        }
    }
}

/* G g for one column: three numbers become six. */
VEC_INLINE void winograd_g(vec_f32 *to, const vec_f32 *g, const size_t to_step, const size_t step) {
    vec_f32 g0 = g[0], g1 = g[step], g2 = g[2 * step];
    vec_f32 even = (g0 + g2) * (-1.0f / 6), odd = g1 * (1.0f / 6);
    vec_f32 far = g0 * (1.0f / 24) + g2 * (1.0f / 6), middle = g1 * (1.0f / 12);
    to[0] = g0 * 0.25f;
    to[to_step] = even - odd;
    to[2 * to_step] = even + odd;
    to[3 * to_step] = far + middle;
    to[4 * to_step] = far - middle;
    to[5 * to_step] = g2;
}

static void loop_winograd_weight(float *u, const float *w, size_t depth) {
    for (size_t k = 0; k < depth; k++)
        for (size_t lane = 0; lane < TSM_PANEL; lane += VEC_LANES) {
            vec_f32 g[9], t[18], row[6];
            UNROLL for (size_t i = 0; i < 9; i++) g[i] = vec_load(w + (i * depth + k) * TSM_PANEL + lane);
            UNROLL for (size_t i = 0; i < 3; i++) winograd_g(t + i, g + i, 3, 3);
            UNROLL for (size_t i = 0; i < 6; i++) {
                winograd_g(row, t + i * 3, 1, 1);
                UNROLL for (size_t p = 0; p < 6; p++) vec_store(u + k * TSM_WINOGRAD_ROW + (i * 6 + p) * TSM_PANEL + lane, row[p]);
            }
        }
}

/* A^T m for one column: six numbers become four. */
VEC_INLINE void winograd_at(vec_f32 *to, const vec_f32 *m, const size_t to_step, const size_t step) {
    vec_f32 m1 = m[step], m2 = m[2 * step], m3 = m[3 * step], m4 = m[4 * step];
    vec_f32 near_sum = m1 + m2, near_difference = m1 - m2, far_sum = m3 + m4, far_difference = m3 - m4;
    to[0] = m[0] + near_sum + far_sum;
    to[to_step] = near_difference + 2.0f * far_difference;
    to[2 * to_step] = near_sum + 4.0f * far_sum;
    to[3 * to_step] = near_difference + 8.0f * far_difference + m[5 * step];
}

static void loop_winograd_output(float *const *pixels, const float *const *residuals, const float *m, size_t m_position,
                                 const tsm_finish *finish) {
    float low, high;
    clamp_bounds(finish, false, &low, &high);
    for (size_t lane = 0; lane < TSM_PANEL; lane += VEC_LANES) {
        vec_f32 t[24], column[6], row[4], bias = finish->column_bias ? vec_load(finish->column_bias + lane) : vec_set(0.0f);
        UNROLL for (size_t k = 0; k < 6; k++) {
            UNROLL for (size_t i = 0; i < 6; i++) column[i] = vec_load(m + (i * 6 + k) * m_position + lane);
            winograd_at(t + k, column, 6, 1);
        }
        UNROLL for (size_t i = 0; i < 4; i++) {
            winograd_at(row, t + i * 6, 1, 1);
            UNROLL for (size_t k = 0; k < 4; k++) {
                vec_f32 s = row[k] + bias;
                if (!pixels[i * 4 + k])
                    continue;
                if (residuals[i * 4 + k])
                    s += vec_load(residuals[i * 4 + k] + lane);
                vec_store(pixels[i * 4 + k] + lane, vec_at_most(vec_at_least(s, vec_set(low)), vec_set(high)));
            }
        }
    }
    if (!is_clamp(finish->activation))
        for (size_t p = 0; p < 16; p++)
            if (pixels[p])
                loop_activate(pixels[p], pixels[p], TSM_PANEL, finish->activation, finish->low, finish->high);
}

/* ---- Recurrent cells ---- */

static void loop_lstm(size_t n, const float *gates, const float *c_in, float *c_out, float *h_out) {
    for (size_t i = 0; i < n; i += VEC_LANES) {
        size_t part = n - i < VEC_LANES ? n - i : VEC_LANES;
        vec_f32 in = vec_sigmoid(vec_load_part(gates + i, part)), forget = vec_sigmoid(vec_load_part(gates + n + i, part));
        vec_f32 cell = vec_tanh(vec_load_part(gates + 2 * n + i, part));
        vec_f32 out = vec_sigmoid(vec_load_part(gates + 3 * n + i, part));
        vec_f32 c = forget * vec_load_part(c_in + i, part) + in * cell;
        vec_store_part(c_out + i, c, part);
        vec_store_part(h_out + i, out * vec_tanh(c), part);
    }
}

static void loop_gru(size_t n, const float *input_gates, const float *hidden_gates, const float *h_in, float *h_out) {
    for (size_t i = 0; i < n; i += VEC_LANES) {
        size_t part = n - i < VEC_LANES ? n - i : VEC_LANES;
        vec_f32 reset = vec_sigmoid(vec_load_part(input_gates + i, part) + vec_load_part(hidden_gates + i, part));
        vec_f32 keep = vec_sigmoid(vec_load_part(input_gates + n + i, part) + vec_load_part(hidden_gates + n + i, part));
        vec_f32 fresh = vec_tanh(vec_load_part(input_gates + 2 * n + i, part) +
                                 reset * vec_load_part(hidden_gates + 2 * n + i, part));
        vec_store_part(h_out + i, keep * (vec_load_part(h_in + i, part) - fresh) + fresh, part);
    }
}

/* ---- Rows ---- */

static void loop_softmax(float *y, const float *x, size_t n) {
    vec_f32 top = vec_set(-INFINITY);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        top = vec_at_least(vec_load(x + i), top);
    float lanes[VEC_LANES];
    vec_store(lanes, top);
    float max = lanes[0];
    for (size_t l = 1; l < VEC_LANES; l++)
        max = lanes[l] < max ? max : lanes[l];
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

/* Sum of x - shift over a block short enough for float lanes. */
VEC_INLINE float block_sum(const float *x, size_t n) {
    vec_f32 sum = vec_set(0.0f);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES)
        sum += vec_load(x + i);
    if (i < n)
        sum += vec_load_part(x + i, n - i);
    return vec_sum(sum);
}

VEC_INLINE float block_squares(const float *x, size_t n, float mean) {
    vec_f32 sum = vec_set(0.0f);
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 d = vec_load(x + i) - mean;
        sum += d * d;
    }
    float total = vec_sum(sum);
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

#define ROW_LOOP(name, parameters, expression, rest)                                                                        \
    static void name parameters {                                                                                            \
        size_t i = 0;                                                                                                        \
        for (; i + VEC_LANES <= n; i += VEC_LANES)                                                                           \
            vec_store(y + i, expression);                                                                                    \
        for (; i < n; i++)                                                                                                   \
            y[i] = rest;                                                                                                     \
    }

ROW_LOOP(loop_affine, (float *y, const float *x, size_t n, float scale, float shift), vec_load(x + i) * scale + shift,
         x[i] * scale + shift)
ROW_LOOP(loop_normalize, (float *y, const float *x, size_t n, float mean, float scale, const float *weight, const float *bias),
         (vec_load(x + i) - mean) * scale * vec_load(weight + i) + vec_load(bias + i), (x[i] - mean) * scale * weight[i] + bias[i])

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

const tsm_f32_loops TSM_F32_TABLE = {
    .name = TSM_F32_NAME,
    .lanes = VEC_LANES,
    .gemm_rows = GEMM_ROWS,
    .gemm = loop_gemm,
    .depthwise = loop_depthwise,
    .winograd_input = loop_winograd_input,
    .winograd_weight = loop_winograd_weight,
    .winograd_output = loop_winograd_output,
    .dots = loop_dots,
    .activate = loop_activate,
    .lstm = loop_lstm,
    .gru = loop_gru,
    .softmax = loop_softmax,
    .moments = loop_moments,
    .affine = loop_affine,
    .normalize = loop_normalize,
    .max_rows = loop_max_rows,
    .add_rows = loop_add_rows,
};
