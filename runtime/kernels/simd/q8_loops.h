/* The int8 inner loops (simd/q8.h) on the layer of q8_vec.h. Each q8_*.c includes this once, after naming its table:
 *
 *     Q8_TABLE    the table
 *     Q8_NAME     its name
 *     Q8_ROWS     rows of a tile of gemm; Q8_PANELS its panels
 *     Q8_GEMM     the function for products, where it is not the one of this file
 *     Q8_PIXELS   neighbouring pixels of a depthwise convolution that share loads; 1: the code for that is left out
 */
#include "runtime/kernels/simd/q8_vec.h"

#if defined(Q8_GEMM)
static void Q8_GEMM(const tsm_q8_gemm_block *g);
#else
#define Q8_GEMM q8_gemm
#endif

#if defined(Q8_DOTS)
#include "runtime/kernels/simd/q8_dots.h"
#else

/* ---- Finishing ---- */

/* The first n of 16 results to c. */
VEC_INLINE void store_quantized(uint8_t *c, q16_f32 y, size_t n, const tsm_q8_finish *f) {
    if (n >= 16) {
        q16_store_u8(c, y, f->zero_point, f->low);
    } else {
        uint8_t bytes[16];
        q16_store_u8(bytes, y, f->zero_point, f->low);
        memcpy(c, bytes, n);
    }
}

VEC_INLINE void store_floats(float *c, q16_f32 y, size_t n, const tsm_q8_finish *f, size_t column) {
    float lanes[16];
    for (int i = 0; i < Q16_VECTORS; i++) {
        vec_f32 v = y.v[i] + vec_load(f->bias + column + (size_t)i * VEC_LANES);
        vec_store(lanes + i * VEC_LANES, f->relu ? vec_at_least(v, vec_set(0.0f)) : v);
    }
    memcpy(c, lanes, (n < 16 ? n : 16) * sizeof *c);
}

/* ---- Products ---- */

typedef struct {
    q16_sums v[Q8_ROWS][Q8_PANELS];
} q8_tile;

/* What bytes [k, k + 4) of each row add; the last panel's block is at `last`. */
VEC_INLINE void add_words(q8_tile *t, const uint8_t *const *a, size_t k, const int8_t *b, size_t b_panel,
                          const int8_t *last, const size_t rows, const size_t panels) {
    q16_weights w[Q8_PANELS];
    _Pragma("GCC unroll 4") for (size_t p = 0; p < panels; p++) w[p] =
        q16_load_weights(p + 1 < panels ? b + p * b_panel : last);
    _Pragma("GCC unroll 16") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 4") for (size_t p = 0; p < panels; p++) q16_add_word(&t->v[r][p], a[r] + k, w[p]);
}

/* A tile of `rows` x 16 * `panels` columns from `column` on; both are constants where this is inlined. */
VEC_INLINE void gemm_tile(const tsm_q8_gemm_block *g, size_t column, const size_t rows, const size_t panels) {
    const int8_t *b = g->b + column / 16 * g->b_panel, *last = b + (panels - 1) * g->b_panel;
    const tsm_q8_finish *f = g->finish;
    const size_t bytes = 4 * g->groups, step = g->columns - column > 16 * panels ? (size_t)TSM_Q8_BLOCK : g->b_last;
    q8_tile tile;
    _Pragma("GCC unroll 16") for (size_t r = 0; r < rows; r++)
        _Pragma("GCC unroll 4") for (size_t p = 0; p < panels; p++)
            tile.v[r][p] = q16_sums_from(f->offset + column + 16 * p);
    for (size_t t = 0; t < g->taps; t++) {
        const uint8_t *a[Q8_ROWS];
        size_t k = 0;
        _Pragma("GCC unroll 16") for (size_t r = 0; r < rows; r++) a[r] = g->a[t * g->a_step + r];
        for (; k < bytes; k += 4, b += TSM_Q8_BLOCK, last += step)
            add_words(&tile, a, k, b, g->b_panel, last, rows, panels);
    }
    _Pragma("GCC unroll 4") for (size_t p = 0; p < panels; p++) {
        size_t at = column + 16 * p;
        q16_f32 scale = q16_load_f32(f->scale + at);
        if (f->bias) {
            _Pragma("GCC unroll 16") for (size_t r = 0; r < rows; r++)
                store_floats((float *)g->c + (ptrdiff_t)r * g->c_stride + at,
                             q16_mul(q16_to_f32(q16_sums_total(tile.v[r][p])), scale), g->columns - at, f, at);
        } else {
            q16_f32 rest = q16_load_f32(f->rest + at);
            _Pragma("GCC unroll 16") for (size_t r = 0; r < rows; r++)
                store_quantized((uint8_t *)g->c + (ptrdiff_t)r * g->c_stride + at,
                                q16_muladd(q16_to_f32(q16_sums_total(tile.v[r][p])), scale, rest), g->columns - at, f);
        }
    }
}

/* The columns in panels, for a constant number of rows. */
VEC_INLINE void q8_gemm_rows(const tsm_q8_gemm_block *g, const size_t rows) {
    size_t column = 0;
    for (; g->columns - column > 16 * (Q8_PANELS - 1); column += 16 * Q8_PANELS) {
        gemm_tile(g, column, rows, Q8_PANELS);
        if (g->columns - column <= 16 * Q8_PANELS)
            return;
    }
    for (; column < g->columns; column += 16)
        gemm_tile(g, column, rows, 1);
}

static void q8_gemm(const tsm_q8_gemm_block *g) {
    switch (g->rows) {
    case 1:
        q8_gemm_rows(g, 1);
        return;
#if Q8_ROWS >= 2
    case 2:
        q8_gemm_rows(g, 2);
        return;
#endif
#if Q8_ROWS >= 3
    case 3:
        q8_gemm_rows(g, 3);
        return;
#endif
#if Q8_ROWS >= 4
    case 4:
        q8_gemm_rows(g, 4);
        return;
#endif
#if Q8_ROWS >= 5
    case 5:
        q8_gemm_rows(g, 5);
        return;
#endif
#if Q8_ROWS >= 6
    case 6:
        q8_gemm_rows(g, 6);
        return;
#endif
#if Q8_ROWS >= 7
    case 7:
        q8_gemm_rows(g, 7);
        return;
#endif
#if Q8_ROWS >= 8
    case 8:
        q8_gemm_rows(g, 8);
        return;
#endif
#if Q8_ROWS >= 9
    case 9:
        q8_gemm_rows(g, 9);
        return;
#endif
#if Q8_ROWS >= 10
    case 10:
        q8_gemm_rows(g, 10);
        return;
#endif
#if Q8_ROWS >= 11
    case 11:
        q8_gemm_rows(g, 11);
        return;
#endif
#if Q8_ROWS >= 12
    case 12:
        q8_gemm_rows(g, 12);
        return;
#endif
    default:
        return;
    }
}

/* ---- Depthwise ---- */

typedef struct {
    const tsm_q8_depthwise_run *d;
    size_t channel, lanes; /* of a panel; fewer lanes than 16 in the last one */
    const int8_t *w;
} q8_panel;

/* A column of up to four rows; of the last channels only those that exist are read. */
VEC_INLINE q16_column load_column(const q8_panel *p, size_t column, size_t first, size_t rows) {
    const uint8_t *const *at = p->d->columns + column * p->d->rows + first;
    if (p->lanes == 16)
        return q16_load_column(at, rows, p->channel);
    uint8_t bytes[4][16] = {{0}};
    const uint8_t *copies[4] = {bytes[0], bytes[1], bytes[2], bytes[3]};
    for (size_t r = 0; r < rows; r++)
        memcpy(bytes[r], at[r] + p->channel, p->lanes);
    return q16_load_column(copies, rows, 0);
}

VEC_INLINE void finish_pixel(const q8_panel *p, size_t pixel, q16_sums sums) {
    const tsm_q8_finish *f = p->d->finish;
    q16_f32 y = q16_muladd(q16_to_f32(q16_sums_total(sums)), q16_load_f32(f->scale + p->channel),
                           q16_load_f32(f->rest + p->channel));
    store_quantized(p->d->out + (ptrdiff_t)pixel * p->d->out_stride + p->channel, y, p->lanes, f);
}

/* What stays the same along a line of a kernel three wide and at most four high, for 16 channels: copies, since
 * compilers must take every stored byte for a change of anything that pointers lead to. */
typedef struct {
    q16_weights w[3];
    q16_sums first;
    q16_f32 scale, rest;
    int32_t zero_point, low;
    const uint8_t *const *columns;
    size_t channel;
    uint8_t *out;
    ptrdiff_t out_stride;
} q8_line;

/* `pixels` neighbours, with a constant step. */
VEC_INLINE void narrow_pixels(const q8_line *l, size_t pixel, const size_t pixels, const size_t rows,
                              const size_t step) {
    q16_sums sums[Q8_PIXELS];
    _Pragma("GCC unroll 8") for (size_t i = 0; i < pixels; i++) sums[i] = l->first;
    _Pragma("GCC unroll 16") for (size_t c = 0; c < (pixels - 1) * step + 3; c++) {
        q16_column x = q16_load_column(l->columns + (pixel * step + c) * rows, rows, l->channel);
        _Pragma("GCC unroll 8") for (size_t i = 0; i < pixels; i++) if (c >= i * step && c < i * step + 3)
            q16_add_column(&sums[i], x, l->w[c - i * step]);
    }
    _Pragma("GCC unroll 8") for (size_t i = 0; i < pixels; i++)
        q16_store_u8(l->out + (ptrdiff_t)(pixel + i) * l->out_stride,
                     q16_muladd(q16_to_f32(q16_sums_total(sums[i])), l->scale, l->rest), l->zero_point, l->low);
}

VEC_INLINE void narrow_line(const q8_panel *p, const size_t rows, const size_t step) {
    const tsm_q8_finish *f = p->d->finish;
    const size_t pixels = p->d->pixels;
    q8_line l = {
        .first = q16_sums_from(f->offset + p->channel),
        .scale = q16_load_f32(f->scale + p->channel),
        .rest = q16_load_f32(f->rest + p->channel),
        .zero_point = f->zero_point,
        .low = f->low,
        .columns = p->d->columns,
        .channel = p->channel,
        .out = p->d->out + p->channel,
        .out_stride = p->d->out_stride,
    };
    size_t pixel = 0;
    _Pragma("GCC unroll 3") for (size_t k = 0; k < 3; k++) l.w[k] = q16_load_weights(p->w + k * TSM_Q8_BLOCK);
    for (; pixel + Q8_PIXELS <= pixels; pixel += Q8_PIXELS)
        narrow_pixels(&l, pixel, Q8_PIXELS, rows, step);
    for (; pixel < pixels; pixel++)
        narrow_pixels(&l, pixel, 1, rows, step);
}

/* Any kernel, pixel by pixel. */
static void wide_line(const q8_panel *p) {
    const tsm_q8_depthwise_run *d = p->d;
    for (size_t pixel = 0; pixel < d->pixels; pixel++) {
        const int8_t *w = p->w;
        q16_sums sums = q16_sums_from(d->finish->offset + p->channel);
        for (size_t k = 0; k < d->width; k++) {
            size_t column = pixel * d->step + k * d->column_step, first = 0;
            for (; d->rows - first > 4; first += 4, w += TSM_Q8_BLOCK)
                q16_add_column(&sums, load_column(p, column, first, 4), q16_load_weights(w));
            q16_add_column(&sums, load_column(p, column, first, d->rows - first), q16_load_weights(w));
            w += TSM_Q8_BLOCK;
        }
        finish_pixel(p, pixel, sums);
    }
}

static void q8_depthwise(const tsm_q8_depthwise_run *d) {
    q8_panel p = {d, 0, 16, d->w};
    for (; p.channel < d->channels; p.channel += 16, p.w += d->w_panel) {
        p.lanes = d->channels - p.channel < 16 ? d->channels - p.channel : 16;
        bool is_narrow = Q8_PIXELS > 1 && d->width == 3 && d->rows == 3 && d->column_step == 1 && p.lanes == 16;
        if (is_narrow && d->step == 1)
            narrow_line(&p, 3, 1);
        else if (is_narrow && d->step == 2)
            narrow_line(&p, 3, 2);
        else
            wide_line(&p);
    }
}

#endif

/* ---- Element by element ---- */

/* Sixteen at a time; what is left over goes through copies. */

VEC_INLINE void quantize_sixteen(uint8_t *y, const float *x, float inverse, int32_t zero_point) {
    q16_store_u8(y, q16_mul(q16_load_f32(x), q16_set(inverse)), zero_point, 0);
}

static void q8_quantize(uint8_t *y, const float *x, size_t n, float inverse, int32_t zero_point) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        quantize_sixteen(y + i, x + i, inverse, zero_point);
    if (i < n) {
        float floats[16] = {0};
        uint8_t result[16];
        memcpy(floats, x + i, (n - i) * sizeof *floats);
        quantize_sixteen(result, floats, inverse, zero_point);
        memcpy(y + i, result, n - i);
    }
}

static void q8_dequantize(float *y, const uint8_t *x, size_t n, float scale, int32_t zero_point) {
    for (size_t i = 0; i < n; i++)
        y[i] = (float)(x[i] - zero_point) * scale;
}

/* One is subtracted from negative sums before the shift, so that their halves are rounded down, which is away from
 * zero. */
VEC_INLINE void add_sixteen(uint8_t *y, const uint8_t *a, const uint8_t *b, const tsm_q8_sum *s) {
    q16_i32 va = q16_from_u8(a), vb = q16_from_u8(b);
    int32_t offset = s->offset + (1 << (s->shift - 1));
    Q16_EACH(i) {
        vec_i32 sum = va.v[i] * s->a_factor + vb.v[i] * s->b_factor;
        va.v[i] = (sum + offset + ((sum + s->offset) >> 31)) >> s->shift;
    }
    q16_store_ints(y, va, s->zero_point, s->low);
}

static void q8_add(uint8_t *y, const uint8_t *a, const uint8_t *b, size_t n, const tsm_q8_sum *s) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        add_sixteen(y + i, a + i, b + i, s);
    if (i < n) {
        uint8_t bytes[3][16] = {{0}};
        memcpy(bytes[0], a + i, n - i);
        memcpy(bytes[1], b + i, n - i);
        add_sixteen(bytes[2], bytes[0], bytes[1], s);
        memcpy(y + i, bytes[2], n - i);
    }
}

VEC_INLINE void multiply_sixteen(uint8_t *y, const uint8_t *a, const uint8_t *b, const tsm_q8_product *p) {
    q16_f32 from_a = q16_set(-(float)p->a_zero), from_b = q16_set(-(float)p->b_zero), one = q16_set(1.0f);
    q16_f32 va = q16_muladd(q16_to_f32(q16_from_u8(a)), one, from_a),
            vb = q16_muladd(q16_to_f32(q16_from_u8(b)), one, from_b);
    q16_store_u8(y, q16_mul(q16_mul(va, vb), q16_set(p->scale)), p->zero_point, p->low);
}

static void q8_multiply(uint8_t *y, const uint8_t *a, const uint8_t *b, size_t n, const tsm_q8_product *p) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16)
        multiply_sixteen(y + i, a + i, b + i, p);
    if (i < n) {
        uint8_t bytes[3][16] = {{0}};
        memcpy(bytes[0], a + i, n - i);
        memcpy(bytes[1], b + i, n - i);
        multiply_sixteen(bytes[2], bytes[0], bytes[1], p);
        memcpy(y + i, bytes[2], n - i);
    }
}

/* Blocks may overlap: the last one ends where the row does. */
#if defined(VEC_MVE)
static void q8_max_rows(uint8_t *y, const uint8_t *const *rows, size_t count, size_t n) {
    for (size_t i = 0; i < n; i += 16) {
        const mve_pred16_t active = vctp8q((uint32_t)(n - i));
        uint8x16_t most = vldrbq_z_u8(rows[0] + i, active);
        for (size_t r = 1; r < count; r++)
            most = vmaxq_u8(most, vldrbq_z_u8(rows[r] + i, active));
        vstrbq_p_u8(y + i, most, active);
    }
}
#else
#if VEC_LANES > 1
typedef uint8_t q8_bytes __attribute__((vector_size(32), aligned(1), may_alias));
typedef uint8_t q8_half_bytes __attribute__((vector_size(16), aligned(1), may_alias));
#define Q8_MAX_ROWS(T, y, rows, count, i)                                                                              \
    do {                                                                                                               \
        T most = *(const T *)((rows)[0] + (i));                                                                        \
        for (size_t r = 1; r < (count); r++) {                                                                         \
            const T v = *(const T *)((rows)[r] + (i)), greater = (T)(v > most);                                        \
            most = (v & greater) | (most & ~greater);                                                                  \
        }                                                                                                              \
        *(T *)((y) + (i)) = most;                                                                                      \
    } while (0)
static void q8_max_rows(uint8_t *y, const uint8_t *const *rows, size_t count, size_t n) {
    size_t i = 0;
    for (; i + sizeof(q8_bytes) <= n; i += sizeof(q8_bytes))
        Q8_MAX_ROWS(q8_bytes, y, rows, count, i);
    if (i == n)
        return;
    if (n >= sizeof(q8_bytes)) {
        i = n - sizeof(q8_bytes);
        Q8_MAX_ROWS(q8_bytes, y, rows, count, i);
        return;
    }
    if (n >= sizeof(q8_half_bytes)) {
        Q8_MAX_ROWS(q8_half_bytes, y, rows, count, 0);
        i = n - sizeof(q8_half_bytes);
        Q8_MAX_ROWS(q8_half_bytes, y, rows, count, i);
        return;
    }
#else
static void q8_max_rows(uint8_t *y, const uint8_t *const *rows, size_t count, size_t n) {
    size_t i = 0;
#endif
    for (; i < n; i++) {
        y[i] = rows[0][i];
        for (size_t r = 1; r < count; r++)
            y[i] = rows[r][i] > y[i] ? rows[r][i] : y[i];
    }
}
#endif

static void q8_add_rows(int32_t *sums, const uint8_t *const *rows, size_t count, size_t n) {
    size_t i = 0;
    for (; i + 16 <= n; i += 16) {
        q16_i32 s = q16_load_i32(sums + i);
        for (size_t r = 0; r < count; r++) {
            q16_i32 v = q16_from_u8(rows[r] + i);
            Q16_EACH(k) s.v[k] += v.v[k];
        }
        memcpy(sums + i, &s, sizeof s);
    }
    for (; i < n; i++)
        for (size_t r = 0; r < count; r++)
            sums[i] += rows[r][i];
}

static void q8_range(const float *x, size_t n, float *least, float *greatest) {
    vec_f32 low = vec_set(n ? x[0] : 0.0f), high = low;
    size_t i = 0;
    for (; i + VEC_LANES <= n; i += VEC_LANES) {
        vec_f32 v = vec_load(x + i);
        low = vec_at_most(low, v);
        high = vec_at_least(high, v);
    }
    float lows[VEC_LANES], highs[VEC_LANES];
    vec_store(lows, low);
    vec_store(highs, high);
    for (size_t k = 0; k < VEC_LANES; k++) {
        lows[0] = lows[k] < lows[0] ? lows[k] : lows[0];
        highs[0] = highs[k] > highs[0] ? highs[k] : highs[0];
    }
    for (; i < n; i++) {
        lows[0] = x[i] < lows[0] ? x[i] : lows[0];
        highs[0] = x[i] > highs[0] ? x[i] : highs[0];
    }
    *least = lows[0];
    *greatest = highs[0];
}

const tsm_q8_loops Q8_TABLE = {
    .name = Q8_NAME,
    .gemm_rows = Q8_ROWS,
    .x_bias = Q8_X_BIAS,
    .gemm = Q8_GEMM,
    .depthwise = q8_depthwise,
    .quantize = q8_quantize,
    .dequantize = q8_dequantize,
    .add = q8_add,
    .multiply = q8_multiply,
    .max_rows = q8_max_rows,
    .add_rows = q8_add_rows,
    .range = q8_range,
};
