/* Products and depthwise convolutions of int8 on machines that keep sums in few scalar registers: Cortex-M with its
 * dual multiply-add (SMLAD), with MVE, whose dot product leaves one number (VMLADAV), and plain C. A tile is a few rows
 * times a few outputs of a panel, so that what is loaded and widened once serves several products. Each gives:
 *
 *     Q8_CHUNK             groups that a step takes
 *     q8_x, q8_w           a chunk of a row, and of an output
 *     q8_load_x, q8_load_w at most `groups` of it, the rest as if zero; an output's groups lie a block apart
 *     q8_dot               sum + x * w
 */
#ifndef TSM_SIMD_Q8_DOTS_H
#define TSM_SIMD_Q8_DOTS_H

#include "runtime/kernels/simd/q8_vec.h"

enum { Q8_MOST_OUTPUTS = 4 }; /* of a tile */

#if defined(VEC_MVE)

/* VMLADAV multiplies numbers of the same sign only, so the loops compute with x - 128. */
enum { Q8_CHUNK = 4, Q8_X_BIAS = 128 };
typedef int8x16_t q8_x;
typedef int8x16_t q8_w;

VEC_INLINE q8_x q8_load_x(const uint8_t *x, size_t groups) {
    const uint8x16_t flip = vdupq_n_u8(128);
    if (groups >= Q8_CHUNK)
        return vreinterpretq_s8_u8(veorq_u8(vldrbq_u8(x), flip));
    return vreinterpretq_s8_u8(veorq_u8(vldrbq_z_u8(x, vctp8q(TSM_Q8_GROUP * groups)), flip));
}
VEC_INLINE q8_w q8_load_w(const int8_t *w, size_t block, size_t groups) {
    const uint32x4_t blocks = vmulq_n_u32(vidupq_n_u32(0, 1), (uint32_t)block);
    if (groups >= Q8_CHUNK)
        return vreinterpretq_s8_s32(vldrwq_gather_offset_s32((const int32_t *)(const void *)w, blocks));
    return vreinterpretq_s8_s32(
        vldrwq_gather_offset_z_s32((const int32_t *)(const void *)w, blocks, vctp32q((uint32_t)groups)));
}
VEC_INLINE int32_t q8_dot(int32_t sum, q8_x x, q8_w w) {
    return vmladavaq_s8(sum, x, w);
}

#elif defined(__ARM_FEATURE_SIMD32)

enum { Q8_CHUNK = 1, Q8_X_BIAS = 0 };
typedef struct {
    uint32_t even, odd;
} q8_x;
typedef q8_x q8_w;

VEC_INLINE q8_x q8_load_x(const uint8_t *x, size_t groups) {
    (void)groups;
    uint32_t word = q8_word(x);
    q8_x r;
    __asm__("uxtb16 %0, %1" : "=r"(r.even) : "r"(word));
    __asm__("uxtb16 %0, %1, ror #8" : "=r"(r.odd) : "r"(word));
    return r;
}
VEC_INLINE q8_w q8_load_w(const int8_t *w, size_t block, size_t groups) {
    (void)block;
    (void)groups;
    uint32_t word = q8_word((const uint8_t *)w);
    q8_w r;
    __asm__("sxtb16 %0, %1" : "=r"(r.even) : "r"(word));
    __asm__("sxtb16 %0, %1, ror #8" : "=r"(r.odd) : "r"(word));
    return r;
}
VEC_INLINE int32_t q8_dot(int32_t sum, q8_x x, q8_w w) {
    __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(x.even), "r"(w.even));
    __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(x.odd), "r"(w.odd));
    return sum;
}

#else

enum { Q8_CHUNK = 1, Q8_X_BIAS = 0 };
typedef struct {
    int32_t v[TSM_Q8_GROUP];
} q8_x;
typedef q8_x q8_w;

VEC_INLINE q8_x q8_load_x(const uint8_t *x, size_t groups) {
    (void)groups;
    return (q8_x){{x[0], x[1], x[2], x[3]}};
}
VEC_INLINE q8_w q8_load_w(const int8_t *w, size_t block, size_t groups) {
    (void)block;
    (void)groups;
    return (q8_w){{w[0], w[1], w[2], w[3]}};
}
VEC_INLINE int32_t q8_dot(int32_t sum, q8_x x, q8_w w) {
    return sum + x.v[0] * w.v[0] + x.v[1] * w.v[1] + x.v[2] * w.v[2] + x.v[3] * w.v[3];
}

#endif

/* ---- Finishing ---- */

/* n <= 16 sums of columns from `column` on, to c. */
#if VEC_LANES == 1

/* clamp(round_to_even(y) + zero_point, low, 255), for any y. */
VEC_INLINE uint8_t q8_byte_of(float y, int32_t zero_point, int32_t low) {
#if defined(__arm__) && defined(__ARM_FP) && (__ARM_FP & 4) && defined(__ARM_FEATURE_SAT)
    int32_t r; // the conversion saturates, and rounds as the processor is told: to even; sums of 24 bits have room
    __asm__("vcvtr.s32.f32 %1, %1\n\tvmov %0, %1\n\tssat %0, #24, %0" : "=r"(r), "+t"(y));
#else
    const float limit = 1 << 20, magic = 3 << 22; // as in q16_round
    int32_t r = vec_bits(vec_at_most(vec_at_least(y, -limit), limit) + magic) - 0x4b400000;
#endif
    r += zero_point;
    r = r < low ? low : r;
    return (uint8_t)(r > 255 ? 255 : r);
}

/* What `f` points to is copied: stored bytes could be any of it. */
static void q8_finish_sums(void *c, const int32_t *sums, size_t n, const tsm_q8_finish *f, size_t column) {
    const float *scale = f->scale + column;
    if (f->bias) {
        const float *bias = f->bias + column, low = f->relu ? 0.0f : -INFINITY;
        for (size_t i = 0; i < n; i++)
            ((float *)c)[i] = vec_at_least((float)sums[i] * scale[i] + bias[i], low);
        return;
    }
    const float *rest = f->rest + column;
    const int32_t zero_point = f->zero_point, low = f->low;
    for (size_t i = 0; i < n; i++)
        ((uint8_t *)c)[i] = q8_byte_of((float)sums[i] * scale[i] + rest[i], zero_point, low);
}

#else
static void q8_finish_sums(void *c, const int32_t *sums, size_t n, const tsm_q8_finish *f, size_t column) {
    const float *scale = f->scale + column;
    if (f->bias) {
        const float *bias = f->bias + column, low = f->relu ? 0.0f : -INFINITY;
        for (size_t i = 0; i < n; i += VEC_LANES) {
            const vec_f32 v = (vec_f32)vcvtq_f32_s32(vldrwq_s32(sums + i)) * vec_load(scale + i) + vec_load(bias + i);
            vec_store_part((float *)c + i, vec_at_least(v, vec_set(low)), n - i < VEC_LANES ? n - i : VEC_LANES);
        }
        return;
    }
    const float *rest = f->rest + column;
    const int32_t zero_point = f->zero_point;
    const int32x4_t low = vdupq_n_s32(f->low), high = vdupq_n_s32(255);
    for (size_t i = 0; i < n; i += VEC_LANES) {
        const vec_f32 y = (vec_f32)vcvtq_f32_s32(vldrwq_s32(sums + i)) * vec_load(scale + i) + vec_load(rest + i);
        const int32x4_t r = vqaddq_n_s32(vcvtnq_s32_f32((float32x4_t)y), zero_point);
        const uint32x4_t kept = vreinterpretq_u32_s32(vminq_s32(vmaxq_s32(r, low), high));
        if (n - i >= VEC_LANES)
            vstrbq_u32((uint8_t *)c + i, kept);
        else
            vstrbq_p_u32((uint8_t *)c + i, kept, vctp32q((uint32_t)(n - i)));
    }
}
#endif

/* ---- Products ---- */

/* What a chunk of each row adds to sums of a few outputs. */
VEC_INLINE void q8_add_chunk(int32_t (*sums)[Q8_MOST_OUTPUTS], const uint8_t *const *a, const int8_t *b, size_t block,
                             size_t groups, const size_t rows, const size_t outputs) {
    q8_x x[Q8_ROWS];
    _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) x[r] = q8_load_x(a[r], groups);
    _Pragma("GCC unroll 4") for (size_t o = 0; o < outputs; o++) {
        const q8_w w = q8_load_w(b + o * TSM_Q8_GROUP, block, groups);
        _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) sums[r][o] = q8_dot(sums[r][o], x[r], w);
    }
}

/* What one tap of constant numbers of rows adds to a panel's sums, a tile of outputs after the other. They begin with
 * what lies at `first`, from a row to the next `step` apart. Called and not inlined, so that what goes on around it
 * takes no registers from the sums. */
VEC_INLINE void q8_add_tap(const uint8_t *const *rows_at, const int8_t *b, size_t block, size_t groups, size_t columns,
                           const int32_t *first, size_t step, int32_t (*sums)[TSM_Q8_PANEL], const size_t rows,
                           const size_t outputs) {
    for (size_t column = 0; column < columns; column += outputs, b += outputs * TSM_Q8_GROUP) {
        int32_t own[Q8_ROWS][Q8_MOST_OUTPUTS];
        const uint8_t *a[Q8_ROWS];
        const int8_t *at = b;
        size_t left = groups;
        _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) {
            a[r] = rows_at[r];
            _Pragma("GCC unroll 4") for (size_t o = 0; o < outputs; o++) own[r][o] = first[r * step + column + o];
        }
        for (; left >= Q8_CHUNK; left -= Q8_CHUNK, at += Q8_CHUNK * block) {
            q8_add_chunk(own, a, at, block, Q8_CHUNK, rows, outputs);
            _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++) a[r] += Q8_CHUNK * TSM_Q8_GROUP;
        }
        if (Q8_CHUNK > 1 && left)
            q8_add_chunk(own, a, at, block, left, rows, outputs);
        _Pragma("GCC unroll 4") for (size_t r = 0; r < rows; r++)
            _Pragma("GCC unroll 4") for (size_t o = 0; o < outputs; o++) sums[r][column + o] = own[r][o];
    }
}

typedef void q8_tap(const uint8_t *const *rows_at, const int8_t *b, size_t block, size_t groups, size_t columns,
                    const int32_t *first, size_t step, int32_t (*sums)[TSM_Q8_PANEL]);

static __attribute__((noinline)) void q8_add_tap_of_row(const uint8_t *const *rows_at, const int8_t *b, size_t block,
                                                        size_t groups, size_t columns, const int32_t *first,
                                                        size_t step, int32_t (*sums)[TSM_Q8_PANEL]) {
    q8_add_tap(rows_at, b, block, groups, columns, first, step, sums, 1, Q8_MOST_OUTPUTS);
}
static __attribute__((noinline)) void q8_add_tap_of_rows(const uint8_t *const *rows_at, const int8_t *b, size_t block,
                                                         size_t groups, size_t columns, const int32_t *first,
                                                         size_t step, int32_t (*sums)[TSM_Q8_PANEL]) {
    q8_add_tap(rows_at, b, block, groups, columns, first, step, sums, Q8_ROWS, 2);
}

/* What a row shares among outputs, two rows share among themselves. */
static void q8_gemm(const tsm_q8_gemm_block *g) {
    q8_tap *add_tap = g->rows == 1 ? q8_add_tap_of_row : q8_add_tap_of_rows;
    const ptrdiff_t bytes = g->finish->bias ? sizeof(float) : 1;
    const int8_t *panel = g->b;
    for (size_t column = 0; column < g->columns; column += TSM_Q8_PANEL, panel += g->b_panel) {
        int32_t sums[Q8_ROWS][TSM_Q8_PANEL];
        const bool is_last = g->columns - column <= TSM_Q8_PANEL;
        const size_t n = is_last ? g->columns - column : TSM_Q8_PANEL, block = is_last ? g->b_last : TSM_Q8_BLOCK;
        const uint8_t *const *a = g->a;
        const int8_t *b = panel;
        add_tap(a, b, block, g->groups, n, g->finish->offset + column, 0, sums);
        for (size_t t = 1; t < g->taps; t++) {
            a += g->a_step;
            b += g->groups * block;
            add_tap(a, b, block, g->groups, n, sums[0], TSM_Q8_PANEL, sums);
        }
        for (size_t r = 0; r < g->rows; r++)
            q8_finish_sums((char *)g->c + ((ptrdiff_t)r * g->c_stride + (ptrdiff_t)column) * bytes, sums[r], n,
                           g->finish, column);
    }
}

/* ---- Depthwise ---- */

/* Sums of a tile of neighbouring channels of neighbouring pixels, whose columns begin at `columns`. Of the channels
 * `lanes` exist, of the last ones fewer than Q8_CHANNELS. */
#if defined(VEC_MVE)

enum { Q8_NEIGHBOURS = 2, Q8_CHANNELS = 8 };

VEC_INLINE int16x8_t q8_load_channels(const uint8_t *x, size_t lanes) {
    return vreinterpretq_s16_u16(lanes >= Q8_CHANNELS ? vldrbq_u16(x) : vldrbq_z_u16(x, vctp16q((uint32_t)lanes)));
}

/* Products of 16 bits, of even channels and of odd ones; x is taken as it is (q8_first). */
VEC_INLINE void q8_depthwise_tile(const tsm_q8_depthwise_run *d, const uint8_t *const *columns, size_t channel,
                                  const int8_t *w, int32_t (*sums)[TSM_Q8_PANEL], size_t lanes, const size_t pixels) {
    const uint16x8_t apart = vmulq_n_u16(vidupq_n_u16(0, 1), TSM_Q8_GROUP);
    const size_t next = d->step * d->rows, last = pixels - 1;
    int32x4x2_t first = vld2q_s32(sums[0]), second = vld2q_s32(sums[last]);
    int32x4_t even0 = first.val[0], odd0 = first.val[1], even1 = second.val[0], odd1 = second.val[1];
    for (size_t k = 0; k < d->width; k++, columns += d->column_step * d->rows)
        for (size_t row = 0; row < d->rows; w += TSM_Q8_BLOCK)
            for (size_t i = 0; i < TSM_Q8_GROUP && row < d->rows; i++, row++) {
                const int16x8_t v = vldrbq_gather_offset_s16(w + i, apart);
                const int16x8_t x0 = q8_load_channels(columns[row] + channel, lanes);
                even0 = vaddq_s32(even0, vmullbq_int_s16(x0, v));
                odd0 = vaddq_s32(odd0, vmulltq_int_s16(x0, v));
                if (last) {
                    const int16x8_t x1 = q8_load_channels(columns[next + row] + channel, lanes);
                    even1 = vaddq_s32(even1, vmullbq_int_s16(x1, v));
                    odd1 = vaddq_s32(odd1, vmulltq_int_s16(x1, v));
                }
            }
    if (last)
        vst2q_s32(sums[last], ((int32x4x2_t){{even1, odd1}}));
    vst2q_s32(sums[0], ((int32x4x2_t){{even0, odd0}}));
}

#else

enum { Q8_NEIGHBOURS = 1, Q8_CHANNELS = 4 };

/* Four channels of a pixel times a weight each; weights lie a group apart. */
VEC_INLINE void q8_add_channels(int32_t *sums, const uint8_t *x, const int8_t *w) {
#if defined(__ARM_FEATURE_SIMD32)
    const q8_x v = q8_load_x(x, 1);
    __asm__("smlabb %0, %1, %2, %0" : "+r"(sums[0]) : "r"(v.even), "r"((int32_t)w[0]));
    __asm__("smlabb %0, %1, %2, %0" : "+r"(sums[1]) : "r"(v.odd), "r"((int32_t)w[TSM_Q8_GROUP]));
    __asm__("smlatb %0, %1, %2, %0" : "+r"(sums[2]) : "r"(v.even), "r"((int32_t)w[2 * TSM_Q8_GROUP]));
    __asm__("smlatb %0, %1, %2, %0" : "+r"(sums[3]) : "r"(v.odd), "r"((int32_t)w[3 * TSM_Q8_GROUP]));
#else
    _Pragma("GCC unroll 4") for (size_t i = 0; i < Q8_CHANNELS; i++) sums[i] += x[i] * w[i * TSM_Q8_GROUP];
#endif
}

VEC_INLINE void q8_depthwise_tile(const tsm_q8_depthwise_run *d, const uint8_t *const *columns, size_t channel,
                                  const int8_t *w, int32_t (*sums)[TSM_Q8_PANEL], size_t lanes, const size_t pixels) {
    int32_t own[Q8_CHANNELS];
    (void)pixels;
    memcpy(own, sums[0], sizeof own);
    for (size_t k = 0; k < d->width; k++, columns += d->column_step * d->rows)
        for (size_t row = 0; row < d->rows; w += TSM_Q8_BLOCK)
            for (size_t i = 0; i < TSM_Q8_GROUP && row < d->rows; i++, row++) {
                const uint8_t *x = columns[row] + channel;
                if (lanes >= Q8_CHANNELS)
                    q8_add_channels(own, x, w + i);
                else
                    for (size_t c = 0; c < lanes; c++)
                        own[c] += x[c] * w[i + c * TSM_Q8_GROUP];
            }
    memcpy(sums[0], own, sizeof own);
}

#endif

/* What the sums of a panel begin with. Where a table's loops compute with x - 128 but these with x, `offset` has 128
 * times the weights too much. */
static void q8_first(const tsm_q8_depthwise_run *d, const int8_t *w, size_t channel, int32_t *first) {
    memcpy(first, d->finish->offset + channel, TSM_Q8_PANEL * sizeof *first);
    for (size_t block = 0; Q8_X_BIAS && block < d->w_panel; block += TSM_Q8_BLOCK)
        for (size_t i = 0; i < TSM_Q8_BLOCK; i++)
            first[i / TSM_Q8_GROUP] -= Q8_X_BIAS * w[block + i];
}

VEC_INLINE void q8_depthwise_pixels(const tsm_q8_depthwise_run *d, size_t pixel, size_t channel, const int8_t *w,
                                    const int32_t *first, const size_t pixels) {
    const size_t lanes = d->channels - channel < TSM_Q8_PANEL ? d->channels - channel : TSM_Q8_PANEL;
    int32_t sums[Q8_NEIGHBOURS][TSM_Q8_PANEL];
    for (size_t p = 0; p < Q8_NEIGHBOURS; p++)
        memcpy(sums[p], first, sizeof sums[p]);
    for (size_t i = 0; i < lanes; i += Q8_CHANNELS) {
        int32_t(*tile)[TSM_Q8_PANEL] = (int32_t(*)[TSM_Q8_PANEL])(void *)&sums[0][i];
        const uint8_t *const *columns = d->columns + pixel * d->step * d->rows;
        const int8_t *at = w + i * TSM_Q8_GROUP;
        if (lanes - i >= Q8_CHANNELS)
            q8_depthwise_tile(d, columns, channel + i, at, tile, Q8_CHANNELS, pixels);
        else
            q8_depthwise_tile(d, columns, channel + i, at, tile, lanes - i, pixels);
    }
    for (size_t p = 0; p < pixels; p++)
        q8_finish_sums(d->out + (ptrdiff_t)(pixel + p) * d->out_stride + channel, sums[p], lanes, d->finish, channel);
}

#if defined(__ARM_FEATURE_SIMD32) && !defined(VEC_MVE)
#define Q8_NARROW

/* A column of three rows and its weights: rows 0 and 2 as halves of a register, row 1 as half of another one. */
VEC_INLINE int32_t q8_dot_column(int32_t sum, const uint8_t *const *column, size_t channel, uint32_t outer,
                                 uint32_t middle) {
    const uint32_t x = column[0][channel] | (uint32_t)column[2][channel] << 16, y = column[1][channel];
    __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(x), "r"(outer));
    __asm__("smlabb %0, %1, %2, %0" : "+r"(sum) : "r"(y), "r"(middle));
    return sum;
}

/* A line of a kernel three wide and three high, channel by channel, so that the weights stay in registers. */
static void q8_narrow_channel(const tsm_q8_depthwise_run *d, size_t channel, const int8_t *w) {
    const tsm_q8_finish *f = d->finish;
    const size_t column = d->rows, step = d->step * column;
    const int32_t first = f->offset[channel], zero_point = f->zero_point, low = f->low;
    const float scale = f->scale[channel], rest = f->rest[channel];
    const uint8_t *const *columns = d->columns;
    uint8_t *out = d->out + channel;
    enum { BLOCK = TSM_Q8_BLOCK };
    const q8_w w0 = q8_load_w(w, BLOCK, 1), w1 = q8_load_w(w + BLOCK, BLOCK, 1),
               w2 = q8_load_w(w + 2 * BLOCK, BLOCK, 1);
    for (size_t pixel = 0; pixel < d->pixels; pixel++, columns += step, out += d->out_stride) {
        int32_t sum = q8_dot_column(first, columns, channel, w0.even, w0.odd);
        sum = q8_dot_column(sum, columns + 3, channel, w1.even, w1.odd);
        sum = q8_dot_column(sum, columns + 6, channel, w2.even, w2.odd);
        *out = q8_byte_of((float)sum * scale + rest, zero_point, low);
    }
}
#endif

static void q8_depthwise(const tsm_q8_depthwise_run *d) {
    const int8_t *w = d->w;
#if defined(Q8_NARROW)
    if (d->width == 3 && d->rows == 3 && d->column_step == 1) {
        for (size_t channel = 0; channel < d->channels; channel++)
            q8_narrow_channel(d, channel,
                              w + channel / TSM_Q8_PANEL * d->w_panel + channel % TSM_Q8_PANEL * TSM_Q8_GROUP);
        return;
    }
#endif
    for (size_t channel = 0; channel < d->channels; channel += TSM_Q8_PANEL, w += d->w_panel) {
        int32_t first[TSM_Q8_PANEL];
        size_t pixel = 0;
        q8_first(d, w, channel, first);
        for (; pixel + Q8_NEIGHBOURS <= d->pixels; pixel += Q8_NEIGHBOURS)
            q8_depthwise_pixels(d, pixel, channel, w, first, Q8_NEIGHBOURS);
        for (; Q8_NEIGHBOURS > 1 && pixel < d->pixels; pixel++)
            q8_depthwise_pixels(d, pixel, channel, w, first, 1);
    }
}

#endif
