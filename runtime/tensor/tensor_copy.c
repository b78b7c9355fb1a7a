/* Tensors laid out anew, copied and converted: what operators do with tensors besides computing. */
#include <string.h>

#include "runtime/kernels/simd/casts.h"
#include "runtime/tensor/iter.h"
#include "runtime/tensor/tensor.h"

tsm_status tsm_tensor_scalar(tsm_exec *x, tsm_dtype dtype, tsm_value number, tsm_tensor **out) {
    TSM_TRY(tsm_tensor_make(x, dtype, 0, NULL, out));
    tsm_lane lane = number.tag == TSM_TAG_COMPLEX ? TSM_LANE_C128
                    : number.tag == TSM_TAG_FLOAT ? TSM_LANE_F64
                                                  : TSM_LANE_I64;
    tsm_lane_item item = tsm_lane_item_of(lane, number);
    tsm_lane_store(dtype, (*out)->data, 0, lane, &item, 1);
    return TSM_OK;
}

/* ---- Layout ---- */

void tsm_strides_contiguous(int dims, const tsm_dim *sizes, tsm_dim *strides) {
    tsm_dim next = 1;
    for (int d = dims - 1; d >= 0; d--) {
        strides[d] = next;
        if (__builtin_mul_overflow(next, sizes[d] > 1 ? sizes[d] : 1, &next))
            next = PTRDIFF_MAX; /* refused where the storage is made */
    }
}

bool tsm_tensor_is_contiguous(const tsm_tensor *t) {
    if (t->elements == 0)
        return true;
    tsm_dim expected = 1;
    for (int d = t->dims - 1; d >= 0; d--)
        if (t->strides[d] == expected)
            expected *= t->sizes[d];
        else if (t->sizes[d] != 1)
            return false;
    return true;
}

bool tsm_tensor_is_channels_last(const tsm_tensor *t) {
    if (t->dims != 4 && t->dims != 5)
        return false;
    tsm_dim expected = 1;
    for (int k = 0; k < t->dims; k++) { /* channels, then the spatial dimensions from the last, then the batch */
        int d = k == 0 ? 1 : k == t->dims - 1 ? 0 : t->dims - k;
        if (t->sizes[d] != 1 && t->strides[d] != expected)
            return false;
        expected = tsm_dim_mul(expected, t->sizes[d]);
    }
    return true;
}

void tsm_strides_channels_last(int dims, const tsm_dim *sizes, tsm_dim *strides) {
    tsm_dim stride = sizes[1];
    strides[1] = 1;
    for (int d = dims - 1; d > 1; d--) { /* sizes may be too large for any tensor, which is found out later */
        strides[d] = stride;
        stride = tsm_dim_mul(stride, sizes[d]);
    }
    strides[0] = stride;
}

bool tsm_tensor_suggests_channels_last(const tsm_tensor *t) {
    tsm_dim least = 0;
    if ((t->dims != 4 && t->dims != 5) || t->strides[1] == 0)
        return false;
    for (int k = 0; k < t->dims; k++) { /* from the channels outwards, as above */
        const int d = k == 0 ? 1 : k == t->dims - 1 ? 0 : t->dims - k;
        /* The batch as far apart as channels are: every other dimension is 1, which is called row-major. */
        if (t->sizes[d] == 0 || t->strides[d] < least || (d == 0 && least == t->strides[1]))
            return false;
        least = tsm_dim_mul(t->strides[d], t->sizes[d]);
    }
    return true;
}

void tsm_strides_suggested(const tsm_tensor *t, tsm_dim *strides) {
    (tsm_tensor_suggests_channels_last(t) ? tsm_strides_channels_last : tsm_strides_contiguous)(t->dims, t->sizes,
                                                                                                strides);
}

/* A copy of t with these strides. */
static tsm_status laid_out(tsm_exec *x, tsm_tensor *t, const tsm_dim *strides, tsm_tensor **out) {
    tsm_tensor *made;
    *out = NULL;
    TSM_TRY(tsm_tensor_make_strided(x, (tsm_dtype)t->dtype, t->dims, t->sizes, strides, &made));
    made->quantizer = t->quantizer;
    if (t->quantizer)
        t->quantizer->references++;
    tsm_tensor_fill(made, t);
    *out = made;
    return TSM_OK;
}

tsm_status tsm_tensor_contiguous(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    tsm_dim strides[TSM_MAX_DIMS];
    if (tsm_tensor_is_contiguous(t)) {
        t->header.references++;
        *out = t;
        return TSM_OK;
    }
    tsm_strides_contiguous(t->dims, t->sizes, strides);
    return laid_out(x, t, strides, out);
}

tsm_status tsm_tensor_closed(tsm_exec *x, tsm_tensor *t, tsm_tensor **out) {
    tsm_dim strides[TSM_MAX_DIMS];
    if (!tsm_tensor_suggests_channels_last(t))
        return tsm_tensor_contiguous(x, t, out);
    if (tsm_tensor_is_channels_last(t)) {
        t->header.references++;
        *out = t;
        return TSM_OK;
    }
    tsm_strides_channels_last(t->dims, t->sizes, strides);
    return laid_out(x, t, strides, out);
}

/* ---- Copying ---- */

/* One element that is written many times is written by vectors; without that the code is smaller. */
#if defined(__OPTIMIZE_SIZE__)
#define IS_ONE(T) false
#else
#define IS_ONE(T) (to_stride == (tsm_dim)sizeof(T) && from_stride == 0 && n > 0)
#endif

/* Every second element, put side by side: two vectors are read for one. */
#if TSM_NARROW_LANES
#define IS_EVERY_SECOND(T) (to_stride == (tsm_dim)sizeof(T) && from_stride == 2 * (tsm_dim)sizeof(T))
#else
#define IS_EVERY_SECOND(T) false
#endif

void tsm_copy_run(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride, tsm_dim n, size_t size) {
#define COPY_CASE(T)                                                                                                   \
    case sizeof(T):                                                                                                    \
        if (IS_ONE(T)) {                                                                                               \
            const T one = *(const T *)(const void *)from;                                                              \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                ((T *)(void *)to)[i] = one;                                                                            \
            break;                                                                                                     \
        }                                                                                                              \
        if (IS_EVERY_SECOND(T)) {                                                                                      \
            T *restrict y = (void *)to;                                                                                \
            const T *restrict v = (const void *)from;                                                                  \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                y[i] = v[2 * i];                                                                                       \
            break;                                                                                                     \
        }                                                                                                              \
        for (tsm_dim i = 0; i < n; i++)                                                                                \
            *(T *)(void *)(to + i * to_stride) = *(const T *)(const void *)(from + i * from_stride);                   \
        break
    if (to_stride == (tsm_dim)size && from_stride == (tsm_dim)size) {
        memmove(to, from, (size_t)n * size);
        return;
    }
    switch (size) {
        COPY_CASE(uint8_t);
        COPY_CASE(uint16_t);
        COPY_CASE(uint32_t);
        COPY_CASE(uint64_t);
        COPY_CASE(tsm_complex);
    default:
        break;
    }
}

/* The two innermost dimensions of an iteration over a destination and a source. */
typedef struct {
    tsm_dim sizes[2], to[2], from[2]; /* strides in bytes; [0] is the innermost */
    size_t size;                      /* of an element */
} plane;

/* Columns of what a transpose copies at once, so that both sides stay in the cache; and as many rows. */
enum { COPY_TILE = 16 };

/* Processors with vectors turn 2 x 2 elements of 8 bytes, 4 x 4 of 4, 8 x 8 of 2 and 16 x 16 of 1 in registers, and
 * read and write words at any address. */
#if (defined(__SSE2__) || defined(__aarch64__) || defined(__wasm_simd128__)) && !defined(TSM_PLAIN)
typedef uint32_t four_words __attribute__((vector_size(16)));
typedef uint32_t four_words_anywhere __attribute__((vector_size(16), aligned(4), may_alias));
static void turn_words(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride) {
#define WORDS_OF(i) (*(const four_words_anywhere *)(const void *)(from + (i)*from_stride))
#define PUT_WORDS(i, v) (*(four_words_anywhere *)(void *)(to + (i)*to_stride) = (v))
    const four_words a = WORDS_OF(0), b = WORDS_OF(1), c = WORDS_OF(2), d = WORDS_OF(3);
    const four_words ac_low = __builtin_shufflevector(a, c, 0, 4, 1, 5),
                     bd_low = __builtin_shufflevector(b, d, 0, 4, 1, 5);
    const four_words ac_high = __builtin_shufflevector(a, c, 2, 6, 3, 7),
                     bd_high = __builtin_shufflevector(b, d, 2, 6, 3, 7);
    PUT_WORDS(0, __builtin_shufflevector(ac_low, bd_low, 0, 4, 1, 5));
    PUT_WORDS(1, __builtin_shufflevector(ac_low, bd_low, 2, 6, 3, 7));
    PUT_WORDS(2, __builtin_shufflevector(ac_high, bd_high, 0, 4, 1, 5));
    PUT_WORDS(3, __builtin_shufflevector(ac_high, bd_high, 2, 6, 3, 7));
#undef WORDS_OF
#undef PUT_WORDS
}
typedef uint16_t eight_halves __attribute__((vector_size(16)));
typedef uint16_t eight_halves_anywhere __attribute__((vector_size(16), aligned(2), may_alias));
static void turn_halves(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride) {
    eight_halves rows[8], mixed[8];
    for (int i = 0; i < 8; i++)
        rows[i] = *(const eight_halves_anywhere *)(const void *)(from + i * from_stride);
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < 4; i++) {
            mixed[2 * i] = __builtin_shufflevector(rows[i], rows[i + 4], 0, 8, 1, 9, 2, 10, 3, 11);
            mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 4], 4, 12, 5, 13, 6, 14, 7, 15);
        }
        memcpy(rows, mixed, sizeof rows);
    }
    for (int i = 0; i < 8; i++)
        *(eight_halves_anywhere *)(void *)(to + i * to_stride) = rows[i];
}
typedef uint64_t two_longs __attribute__((vector_size(16)));
typedef uint64_t two_longs_anywhere __attribute__((vector_size(16), aligned(8), may_alias));
static void turn_longs(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride) {
    const two_longs a = *(const two_longs_anywhere *)(const void *)from,
                    b = *(const two_longs_anywhere *)(const void *)(from + from_stride);
    *(two_longs_anywhere *)(void *)to = __builtin_shufflevector(a, b, 0, 2);
    *(two_longs_anywhere *)(void *)(to + to_stride) = __builtin_shufflevector(a, b, 1, 3);
}
typedef uint8_t bytes_of_vector __attribute__((vector_size(16)));
typedef uint8_t bytes_anywhere __attribute__((vector_size(16), aligned(1), may_alias));
static void turn_bytes(char *to, tsm_dim to_stride, const char *from, tsm_dim from_stride) {
    bytes_of_vector rows[16], mixed[16];
    for (int i = 0; i < 16; i++)
        rows[i] = *(const bytes_anywhere *)(const void *)(from + i * from_stride);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++) {
            mixed[2 * i] =
                __builtin_shufflevector(rows[i], rows[i + 8], 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
            mixed[2 * i + 1] = __builtin_shufflevector(rows[i], rows[i + 8], 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13,
                                                       29, 14, 30, 15, 31);
        }
        memcpy(rows, mixed, sizeof rows);
    }
    for (int i = 0; i < 16; i++)
        *(bytes_anywhere *)(void *)(to + i * to_stride) = rows[i];
}
/* Rows that lie a multiple of so many bytes apart have places in one set of the first cache, which holds few of them.
 */
enum { SET_BYTES = 4096 };
static bool shares_sets(const plane *p) {
    return p->to[1] % SET_BYTES == 0 || p->from[0] % SET_BYTES == 0;
}
/* As many of `rows` rows of a tile as are turned SIDE at a time; where rows share sets, by way of a buffer, so that
 * each is read, and then written, as a whole. */
static inline __attribute__((always_inline)) tsm_dim turn_rows(const plane *p, char *to, const char *from, tsm_dim rows,
                                                               const tsm_dim SIDE, const tsm_dim SIZE,
                                                               const tsm_dim TILE,
                                                               void (*turn)(char *, tsm_dim, const char *, tsm_dim)) {
    uint64_t turned[COPY_TILE * COPY_TILE / 2];
    const tsm_dim bytes = TILE * SIZE, whole = rows - rows % SIDE;
    if (!shares_sets(p)) {
        for (tsm_dim i = 0; i < whole; i += SIDE)
            for (tsm_dim k = 0; k < TILE; k += SIDE)
                turn(to + i * p->to[1] + k * SIZE, p->to[1], from + i * SIZE + k * p->from[0], p->from[0]);
        return whole;
    }
    for (tsm_dim k = 0; k < TILE; k += SIDE)
        for (tsm_dim i = 0; i < whole; i += SIDE)
            turn((char *)turned + i * bytes + k * SIZE, bytes, from + i * SIZE + k * p->from[0], p->from[0]);
    for (tsm_dim i = 0; i < whole; i++)
        memcpy(to + i * p->to[1], (const char *)turned + i * bytes, (size_t)bytes);
    return whole;
}
static tsm_dim turn_tile(const plane *p, char *to, const char *from, tsm_dim rows) {
    return p->size == sizeof(uint64_t)   ? turn_rows(p, to, from, rows, 2, sizeof(uint64_t), COPY_TILE / 2, turn_longs)
           : p->size == sizeof(uint32_t) ? turn_rows(p, to, from, rows, 4, sizeof(uint32_t), COPY_TILE, turn_words)
           : p->size == sizeof(uint16_t) ? turn_rows(p, to, from, rows, 8, sizeof(uint16_t), COPY_TILE, turn_halves)
           : p->size == sizeof(uint8_t)  ? turn_rows(p, to, from, rows, 16, sizeof(uint8_t), COPY_TILE, turn_bytes)
                                         : 0;
}
/* The same of a tile of few columns; those behind whole squares go one by one. */
static inline __attribute__((always_inline)) tsm_dim
turn_columns(const plane *p, char *to, const char *from, tsm_dim rows, tsm_dim columns, const tsm_dim SIDE,
             const tsm_dim SIZE, void (*turn)(char *, tsm_dim, const char *, tsm_dim)) {
    const tsm_dim whole = rows - rows % SIDE, squares = columns - columns % SIDE;
    if (!squares)
        return 0;
    for (tsm_dim i = 0; i < whole; i += SIDE)
        for (tsm_dim k = 0; k < squares; k += SIDE)
            turn(to + i * p->to[1] + k * SIZE, p->to[1], from + i * SIZE + k * p->from[0], p->from[0]);
    for (tsm_dim k = squares; k < columns; k++)
        tsm_copy_run(to + k * SIZE, p->to[1], from + k * p->from[0], SIZE, whole, (size_t)SIZE);
    return whole;
}
static tsm_dim turn_part(const plane *p, char *to, const char *from, tsm_dim rows, tsm_dim columns) {
    return p->size == sizeof(uint64_t)   ? turn_columns(p, to, from, rows, columns, 2, sizeof(uint64_t), turn_longs)
           : p->size == sizeof(uint32_t) ? turn_columns(p, to, from, rows, columns, 4, sizeof(uint32_t), turn_words)
           : p->size == sizeof(uint16_t) ? turn_columns(p, to, from, rows, columns, 8, sizeof(uint16_t), turn_halves)
                                         : 0;
}
/* The side of a tile: words of eight bytes fill a line of the cache with half as many. */
#define TILE_SIDE(p) ((p)->size == sizeof(uint64_t) ? COPY_TILE / 2 : COPY_TILE)
enum { TILES_OF_BAND = 4 };
#define FOR_TILES(p, side, r, c)                                                                                       \
    for (tsm_dim band = shares_sets(p) ? (side)*TILES_OF_BAND : (side), first = 0; first < (p)->sizes[1];              \
         first += band)                                                                                                \
        for (tsm_dim c = 0; c < (p)->sizes[0]; c += (side))                                                            \
            for (tsm_dim r = first; r < (p)->sizes[1] && r < first + band; r += (side))
/* Short rows that lie side by side go by words of ROW_WORD bytes, which may reach into the row behind: what they write
 * there is overwritten by that row. The last rows, behind which nothing may lie, go by their own bytes. */
enum { ROW_WORD = 16 };
typedef uint8_t row_word __attribute__((vector_size(ROW_WORD), aligned(1), may_alias));
static bool are_short_rows(const plane *p) {
    const tsm_dim step = (tsm_dim)p->size, bytes = p->sizes[0] * step;
    return p->to[0] == step && p->from[0] == step && p->from[1] > 0 && p->to[1] == bytes && bytes <= ROW_WORD;
}
static void copy_short_rows(const plane *p, char *to, const char *from) {
    const tsm_dim bytes = p->to[1], step = p->from[1] < bytes ? p->from[1] : bytes;
    const tsm_dim last = (ROW_WORD - bytes + step - 1) / step, whole = p->sizes[1] > last ? p->sizes[1] - last : 0;
    for (tsm_dim r = 0; r < whole; r++)
        *(row_word *)(void *)(to + r * bytes) = *(const row_word *)(const void *)(from + r * p->from[1]);
    for (tsm_dim r = whole; r < p->sizes[1]; r++)
        memcpy(to + r * bytes, from + r * p->from[1], (size_t)bytes);
}
#else
#define turn_tile(p, to, from, rows) ((void)(to), (void)(from), 0) /* nothing is turned */
#define turn_part(p, to, from, rows, columns) ((void)(to), (void)(from), 0)
#define TILE_SIDE(p) COPY_TILE
#define FOR_TILES(p, side, r, c)                                                                                       \
    for (tsm_dim r = 0; r < (p)->sizes[1]; r += (side))                                                                \
        for (tsm_dim c = 0; c < (p)->sizes[0]; c += (side))
#define are_short_rows(p) false
#define copy_short_rows copy_columns
#endif

/* Both dimensions are swapped: tile by tile; where rows lie far apart in bands, so that their pages are soon read
 * again.
 */
static void copy_tiles(const plane *p, char *to, const char *from) {
    const tsm_dim side = TILE_SIDE(p);
    FOR_TILES(p, side, r, c) {
        const tsm_dim end = r + side < p->sizes[1] ? r + side : p->sizes[1];
        const tsm_dim m = c + side < p->sizes[0] ? side : p->sizes[0] - c;
        char *tile = to + r * p->to[1] + c * p->to[0];
        const char *turned = from + r * p->from[1] + c * p->from[0];
        tsm_dim i = r;
        i += m == side ? turn_tile(p, tile, turned, end - r) : turn_part(p, tile, turned, end - r, m);
        for (; i < end; i++)
            tsm_copy_run(to + i * p->to[1] + c * p->to[0], p->to[0], from + i * p->from[1] + c * p->from[0], p->from[0],
                         m, p->size);
    }
}

#if TSM_NARROW_LANES
void tsm_copy_turned(char *to, tsm_dim to_step, const char *from, tsm_dim from_step, tsm_dim rows, tsm_dim columns,
                     size_t size) {
    const plane p = {{columns, rows}, {(tsm_dim)size, to_step}, {from_step, (tsm_dim)size}, size};
    copy_tiles(&p, to, from);
}
#endif

/* Short rows (windows, pairs) go column by column, a band of rows at a time. */
static void copy_columns(const plane *p, char *to, const char *from) {
    enum { BAND = 128 };
    for (tsm_dim r = 0; r < p->sizes[1]; r += BAND) {
        const tsm_dim m = r + BAND < p->sizes[1] ? BAND : p->sizes[1] - r;
        for (tsm_dim c = 0; c < p->sizes[0]; c++)
            tsm_copy_run(to + r * p->to[1] + c * p->to[0], p->to[1], from + r * p->from[1] + c * p->from[0], p->from[1],
                         m, p->size);
    }
}

/* Leaves the iteration without its second dimension. */
static plane take_plane(tsm_iter *it, size_t size) {
    const plane p = {{it->sizes[0], it->sizes[1]},
                     {it->strides[0][0], it->strides[0][1]},
                     {it->strides[1][0], it->strides[1][1]},
                     size};
    it->dims--;
    for (int d = 1; d < it->dims; d++) {
        it->sizes[d] = it->sizes[d + 1];
        for (int o = 0; o < it->operands; o++)
            it->strides[o][d] = it->strides[o][d + 1];
    }
    return p;
}

#if TSM_NARROW_LANES
/* Rows of one element each, which lie side by side on both sides: pairs, the most frequent ones, by vectors. */
static void copy_repeated(const plane *p, char *to, const char *from) {
#define REPEATED(T, N)                                                                                                 \
    for (tsm_dim r = 0; r < p->sizes[1]; r++) {                                                                        \
        const T one = ((const T *)(const void *)from)[r];                                                              \
        for (tsm_dim k = 0; k < (N); k++)                                                                              \
            ((T *)(void *)to)[r * (N) + k] = one;                                                                      \
    }
#define PAIRS_CASE(T)                                                                                                  \
    case sizeof(T):                                                                                                    \
        if (p->sizes[0] == 2)                                                                                          \
            REPEATED(T, 2)                                                                                             \
        else                                                                                                           \
            REPEATED(T, p->sizes[0])                                                                                   \
        break
    switch (p->size) {
        PAIRS_CASE(uint8_t);
        PAIRS_CASE(uint16_t);
        PAIRS_CASE(uint32_t);
        PAIRS_CASE(uint64_t);
        PAIRS_CASE(tsm_complex);
    default:
        break;
    }
#undef PAIRS_CASE
#undef REPEATED
}
static bool are_repeated(const plane *p) {
    const tsm_dim step = (tsm_dim)p->size;
    return p->to[0] == step && p->from[0] == 0 && p->from[1] == step && p->to[1] == p->sizes[0] * step;
}

/* Two to four lines, as of the planes of an image, put together element by element, and taken apart again. */
enum { JOINED_LINES = 4 };
#define WITH_LINES(T, STATEMENT)                                                                                       \
    case sizeof(T):                                                                                                    \
        if (lines == 2)                                                                                                \
            LINES_LOOP(T, 2, STATEMENT)                                                                                \
        else if (lines == 3)                                                                                           \
            LINES_LOOP(T, 3, STATEMENT)                                                                                \
        else                                                                                                           \
            LINES_LOOP(T, JOINED_LINES, STATEMENT)                                                                     \
        break;
#define LINES_LOOP(T, N, STATEMENT)                                                                                    \
    TSM_INDEPENDENT                                                                                                    \
    for (tsm_dim i = 0; i < n; i++)                                                                                    \
        for (int c = 0; c < (N); c++)                                                                                  \
            STATEMENT(T, N);
#define SWITCH_LINES(STATEMENT)                                                                                        \
    switch (p->size) {                                                                                                 \
        WITH_LINES(uint8_t, STATEMENT)                                                                                 \
        WITH_LINES(uint16_t, STATEMENT)                                                                                \
        WITH_LINES(uint32_t, STATEMENT)                                                                                \
        WITH_LINES(uint64_t, STATEMENT)                                                                                \
    default:                                                                                                           \
        break;                                                                                                         \
    }
static void join_lines(const plane *p, char *to, const char *from) {
#define JOIN_LINES(T, N) ((T *)(void *)to)[i * (N) + c] = ((const T *)(const void *)(from + c * step))[i]
    const tsm_dim lines = p->sizes[0], n = p->sizes[1], step = p->from[0];
    SWITCH_LINES(JOIN_LINES)
#undef JOIN_LINES
}
static void part_lines(const plane *p, char *to, const char *from) {
#define PART_LINES(T, N) ((T *)(void *)(to + c * step))[i] = ((const T *)(const void *)from)[i * (N) + c]
    const tsm_dim lines = p->sizes[1], n = p->sizes[0], step = p->to[1];
    SWITCH_LINES(PART_LINES)
#undef PART_LINES
}
#undef WITH_LINES
#undef LINES_LOOP
#undef SWITCH_LINES
/* Of planes whose two dimensions are swapped. */
static bool are_joined_lines(const plane *p) {
    return p->sizes[0] > 1 && p->sizes[0] <= JOINED_LINES && p->size <= sizeof(uint64_t) &&
           p->to[1] == p->sizes[0] * (tsm_dim)p->size;
}
static bool are_parted_lines(const plane *p) {
    return p->sizes[1] > 1 && p->sizes[1] <= JOINED_LINES && p->size <= sizeof(uint64_t) &&
           p->from[0] == p->sizes[1] * (tsm_dim)p->size;
}

/* Rows of `bytes` bytes by N words of W bytes each, the last of which may repeat bytes of those before it. */
#define ROWS_BY_WORDS(W, N)                                                                                            \
    for (tsm_dim r = 0; r < rows; r++, to += to_step, from += from_step) {                                             \
        for (int k = 0; k < (N)-1; k++)                                                                                \
            memcpy(to + k * (W), from + k * (W), W);                                                                   \
        memcpy(to + (bytes - (W)), from + (bytes - (W)), W);                                                           \
    }                                                                                                                  \
    return
void tsm_copy_rows(char *to, tsm_dim to_step, const char *from, tsm_dim from_step, tsm_dim rows, size_t bytes) {
    enum { WORD = 16, LONG_ROW = 256 /* beside which the call that copies it is nothing */ };
    switch (bytes <= 4 * WORD ? (bytes + WORD - 1) / WORD : 0) {
    case 1:
        if (bytes == WORD) {
            ROWS_BY_WORDS(16, 1);
        } else if (bytes > 8) {
            ROWS_BY_WORDS(8, 2);
        } else if (bytes == 8) {
            ROWS_BY_WORDS(8, 1);
        } else if (bytes > 4) {
            ROWS_BY_WORDS(4, 2);
        } else if (bytes == 4) {
            ROWS_BY_WORDS(4, 1);
        } else if (bytes > 1) {
            ROWS_BY_WORDS(2, 2);
        } else {
            ROWS_BY_WORDS(1, 1);
        }
    case 2:
        ROWS_BY_WORDS(16, 2);
    case 3:
        ROWS_BY_WORDS(16, 3);
    case 4:
        ROWS_BY_WORDS(16, 4);
    default:
        break;
    }
    for (tsm_dim r = 0; r < rows; r++, to += to_step, from += from_step) {
        if (bytes > LONG_ROW || !bytes) {
            memcpy(to, from, bytes);
            continue;
        }
        for (size_t k = 0; k + WORD < bytes; k += WORD)
            memcpy(to + k, from + k, WORD);
        memcpy(to + (bytes - WORD), from + (bytes - WORD), WORD);
    }
}
#undef ROWS_BY_WORDS
static void copy_plane_rows(const plane *p, char *to, const char *from) {
    tsm_copy_rows(to, p->to[1], from, p->from[1], p->sizes[1], (size_t)p->sizes[0] * p->size);
}
static bool are_rows(const plane *p) {
    return p->to[0] == (tsm_dim)p->size && p->from[0] == (tsm_dim)p->size;
}
#else
#define are_repeated(p) false
#define copy_repeated copy_columns
#define are_joined_lines(p) false
#define join_lines copy_columns
#define are_parted_lines(p) false
#define part_lines copy_columns
#define are_rows(p) false
#define copy_plane_rows copy_columns
#endif

void tsm_iter_copy(tsm_iter *it, size_t size) {
    enum { SHORT_ROW = 8 };
    const tsm_dim step = (tsm_dim)size;
    const bool many = !it->empty && it->dims >= 2 && it->sizes[1] > 1;
    const bool tiles = many && it->strides[0][0] == step && it->strides[1][1] == step;
    if (tiles || (many && it->sizes[0] <= SHORT_ROW && it->sizes[0] < it->sizes[1])) {
        const plane p = take_plane(it, size);
        void (*const copy)(const plane *, char *, const char *) = are_repeated(&p)                ? copy_repeated
                                                                  : are_short_rows(&p)            ? copy_short_rows
                                                                  : are_rows(&p)                  ? copy_plane_rows
                                                                  : tiles && are_joined_lines(&p) ? join_lines
                                                                  : tiles && are_parted_lines(&p) ? part_lines
                                                                  : tiles                         ? copy_tiles
                                                                                                  : copy_columns;
        while (tsm_iter_next(it))
            copy(&p, it->data[0], it->data[1]);
        return;
    }
#if TSM_NARROW_LANES
    if (many && it->strides[0][0] == step && it->strides[1][0] == step) {
        const plane p = take_plane(it, size);
        while (tsm_iter_next(it))
            copy_plane_rows(&p, it->data[0], it->data[1]);
        return;
    }
#endif
    while (tsm_iter_next(it))
        tsm_copy_run(it->data[0], it->strides[0][0], it->data[1], it->strides[1][0], it->sizes[0], size);
}

void tsm_tensor_fill(tsm_tensor *dst, const tsm_tensor *src) {
    if (dst->elements == 0)
        return;
    tsm_iter it;
    tsm_iter_start(&it, dst->dims, dst->sizes);
    tsm_iter_add(&it, dst);
    tsm_iter_add(&it, src);
    tsm_iter_ready(&it);
    tsm_iter_copy(&it, tsm_dtype_size((tsm_dtype)dst->dtype));
}

static void identity_loop(const void *size, void *const *p, tsm_dim n) {
    if (p[0] != p[1])
        memcpy(p[0], p[1], (size_t)n * *(const size_t *)size);
}

static tsm_status check_copy(tsm_exec *x, const tsm_tensor *dst, const tsm_tensor *src) {
    bool fits = src->dims <= dst->dims;
    for (int d = 0; fits && d < src->dims; d++) {
        tsm_dim s = src->sizes[src->dims - 1 - d], t = dst->sizes[dst->dims - 1 - d];
        fits = s == t || s == 1;
    }
    if (fits)
        return TSM_OK;
    /* PyTorch names the sizes of the destination as tensor a and those of the source as tensor b. */
    for (int d = 0; d < src->dims && d < dst->dims; d++) {
        tsm_dim s = src->sizes[src->dims - 1 - d], t = dst->sizes[dst->dims - 1 - d];
        if (s != t && s != 1 && t != 1)
            return TSM_RAISE(
                x, "The size of tensor a (%ld) must match the size of tensor b (%ld) at non-singleton dimension %d",
                (int64_t)t, (int64_t)s, (src->dims > dst->dims ? src->dims : dst->dims) - 1 - d);
    }
    return TSM_RAISE(x, "output with shape of %d dimensions doesn't match the broadcast shape of %d dimensions",
                     (int)dst->dims, (int)src->dims);
}

static bool may_overlap(const tsm_tensor *a, const tsm_tensor *b) {
    return a->storage == b->storage && (a->data != b->data || a->dtype != b->dtype);
}

/* Whether there is a direct conversion, and both lie so that it can run. */
static bool cast_directly(tsm_exec *x, tsm_tensor *dst, const tsm_tensor *src) {
    const tsm_cast cast = tsm_cast_find(x, (tsm_dtype)src->dtype, (tsm_dtype)dst->dtype);
    if (!cast)
        return false;
    tsm_iter it;
    tsm_iter_start(&it, dst->dims, dst->sizes);
    tsm_iter_add(&it, dst);
    tsm_iter_add(&it, src);
    tsm_iter_ready(&it);
    if (it.strides[0][0] != (tsm_dim)tsm_dtype_size((tsm_dtype)dst->dtype) ||
        it.strides[1][0] != (tsm_dim)tsm_dtype_size((tsm_dtype)src->dtype))
        return false;
    while (tsm_iter_next(&it))
        cast(it.data[0], it.data[1], it.sizes[0]);
    return true;
}

tsm_status tsm_tensor_copy(tsm_exec *x, tsm_tensor *dst, const tsm_tensor *src) {
    TSM_TRY(check_copy(x, dst, src));
    if (dst->elements == 0)
        return TSM_OK;
    if (dst->storage->flags & TSM_STORAGE_CONSTANT)
        return TSM_RAISE(x, "%s: a constant tensor of the program cannot be written", x->op ? x->op->name : "copy_");
    if (may_overlap(dst,
                    src)) { /* parts of one storage: through a copy, so that nothing is read after it was overwritten */
        tsm_tensor *copy;
        TSM_TRY(tsm_tensor_make(x, (tsm_dtype)src->dtype, src->dims, src->sizes, &copy));
        tsm_tensor_fill(copy, src);
        tsm_status status = tsm_tensor_copy(x, dst, copy);
        tsm_tensor_drop(x, copy);
        return status;
    }
    if (dst->dtype == src->dtype) {
        tsm_tensor_fill(dst, src);
        return TSM_OK;
    }
    if (cast_directly(x, dst, src))
        return TSM_OK;
    bool to_mask = dst->dtype == TSM_BOOL, to_real = !tsm_dtype_is_complex((tsm_dtype)dst->dtype);
    tsm_lane lane = to_mask ? TSM_LANE_MASK : tsm_lane_of((tsm_dtype)(to_real ? dst->dtype : TSM_COMPLEX128));
    if (lane == TSM_LANE_I64 && tsm_dtype_is_floating((tsm_dtype)src->dtype))
        lane = tsm_lane_of((tsm_dtype)src->dtype); /* so that storing knows that it was a float */
    size_t size = tsm_lane_size(lane);
    tsm_map m;
    tsm_map_start(&m);
    tsm_map_out(&m, lane, dst);
    tsm_map_in(&m, lane, src);
    return tsm_map_run(x, &m, identity_loop, &size);
}

/* Fills `made` and gives it as the result; NULL after a failure. */
static tsm_status copied(tsm_exec *x, tsm_tensor *made, const tsm_tensor *t, tsm_tensor **out) {
    tsm_status status = tsm_tensor_copy(x, made, t);
    if (status != TSM_OK) {
        tsm_tensor_drop(x, made);
        made = NULL;
    }
    *out = made;
    return status;
}

tsm_status tsm_tensor_to(tsm_exec *x, tsm_tensor *t, tsm_dtype dtype, tsm_tensor **out) {
    if (t->dtype == dtype) {
        t->header.references++;
        *out = t;
        return TSM_OK;
    }
    tsm_tensor *made;
    *out = NULL;
    TSM_TRY(tsm_tensor_make_like(x, t, dtype, &made));
    return copied(x, made, t, out);
}
