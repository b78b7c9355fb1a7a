/* Ranks of elements in short lines: each is compared with each of its line, as many lines at once as vectors have
 * lanes. n * n comparisons without a branch take less time than n * log n with branches that nobody can predict. */
#include "runtime/kernels/reduce/ranks.h"

#include "runtime/kernels/simd/vec.h"
#include "runtime/kernels/simd/wide.h"
#include "runtime/tensor/tensor.h"

#if TSM_NARROW_LANES
enum { RANKS_VECTOR = 32, RANKS_VECTOR_LINES = RANKS_VECTOR / sizeof(int32_t) };
typedef void (*ranks_of_keys)(ranks_block *b, const void *keys);

/* Vectors of 32 bytes, of which the compiler makes what the machine has. */
#define RANKS_OF(KEY, MARK, SUFFIX)                                                                                    \
    typedef KEY KEY##_keys __attribute__((vector_size(RANKS_VECTOR), may_alias));                                      \
    typedef uint8_t KEY##_marks __attribute__((vector_size(RANKS_VECTOR / sizeof(KEY))));                              \
    enum { KEY##_LANES = RANKS_VECTOR / sizeof(KEY) };                                                                 \
    static void put_##SUFFIX(uint8_t *to, const KEY##_keys *v) {                                                       \
        const KEY##_marks marks = __builtin_convertvector(*v, KEY##_marks);                                            \
        memcpy(to, &marks, sizeof marks);                                                                              \
    }                                                                                                                  \
    static void find_ranks_##SUFFIX(ranks_block *b, const void *keys) {                                                \
        const tsm_dim n = b->first.n, width = b->width / KEY##_LANES;                                                  \
        for (tsm_dim line = 0; line < width; line++) {                                                                 \
            const KEY##_keys *key = (const KEY##_keys *)keys + line;                                                   \
            KEY##_keys equal = {0}, missing = {0};                                                                     \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                const KEY##_keys own = key[i * width];                                                                 \
                KEY##_keys rank = {0};                                                                                 \
                for (tsm_dim k = 0; k < i; k++) {                                                                      \
                    rank -= key[k * width] <= own;                                                                     \
                    equal |= key[k * width] == own;                                                                    \
                }                                                                                                      \
                for (tsm_dim k = i + 1; k < n; k++)                                                                    \
                    rank -= key[k * width] < own;                                                                      \
                missing -= own == MARK;                                                                                \
                put_##SUFFIX(b->rank + i * b->width + line * KEY##_LANES, &rank);                                      \
            }                                                                                                          \
            equal &= 1;                                                                                                \
            put_##SUFFIX(b->equal + line * KEY##_LANES, &equal);                                                       \
            put_##SUFFIX(b->missing + line * KEY##_LANES, &missing);                                                   \
        }                                                                                                              \
    }                                                                                                                  \
    /* A number comes instead of the best one so far if it is as frequent, and not greater. */                         \
    static void find_modes_##SUFFIX(ranks_block *b, const void *keys) {                                                \
        const tsm_dim n = b->first.n, width = b->width / KEY##_LANES;                                                  \
        for (tsm_dim line = 0; line < width; line++) {                                                                 \
            const KEY##_keys *key = (const KEY##_keys *)keys + line;                                                   \
            KEY##_keys best = {0}, most = {0}, at = {0};                                                               \
            for (tsm_dim i = 0; i < n; i++) {                                                                          \
                const KEY##_keys own = key[i * width];                                                                 \
                KEY##_keys count = {0};                                                                                \
                for (tsm_dim k = 0; k < n; k++)                                                                        \
                    count -= key[k * width] == own;                                                                    \
                if (tsm_dtype_is_floating(b->first.dtype))                                                             \
                    count &= own != MARK;                                                                              \
                const KEY##_keys better = (count > most) | ((count == most) & (count > 0) & (own <= best));            \
                best = (own & better) | (best & ~better);                                                              \
                most = (count & better) | (most & ~better);                                                            \
                at = (((KEY##_keys){0} + (KEY)i) & better) | (at & ~better);                                           \
            }                                                                                                          \
            put_##SUFFIX(b->mode + line * KEY##_LANES, &at);                                                           \
        }                                                                                                              \
    }
RANKS_OF(int32_t, INT32_MAX, i32)
RANKS_OF(int64_t, INT64_MAX, i64)

typedef struct {
    ranks_of_keys ranks[2], modes[2]; /* of keys of 32 bits, of 64 */
} ranks_loops;
TSM_TABLE_CHOSEN(ranks_loops, ranks_loops, {{find_ranks_i32, find_ranks_i64}, {find_modes_i32, find_modes_i64}})

#if !defined(TSM_WIDE_LOOPS)
tsm_dim tsm_ranks_lines(tsm_dtype dtype, tsm_dim n) {
    const tsm_dim most = RANKS_KEY_BYTES / (n * tsm_order_key_size(dtype));
    return tsm_dim_min(most, RANKS_LINES) / RANKS_VECTOR_LINES * RANKS_VECTOR_LINES;
}

void tsm_ranks_find(tsm_exec *x, ranks_block *b) {
    const tsm_dim n = b->first.n, size = tsm_order_key_size(b->first.dtype), lanes = RANKS_VECTOR / size;
    const bool is_wide = size == sizeof(int64_t);
    _Alignas(RANKS_VECTOR) char keys[RANKS_KEY_BYTES];
    order_line across = b->first;
    b->width = (b->lines + lanes - 1) / lanes * lanes;
    across.stride = b->apart;
    across.n = b->lines;
    for (tsm_dim i = 0; i < n; i++) {
        char *to = keys + i * b->width * size;
        tsm_order_keys(&across, to);
        memset(to + b->lines * size, 0, (size_t)((b->width - b->lines) * size));
        across.from += b->first.stride;
    }
    const ranks_loops *loops = ranks_loops_for(x);
    (b->wants_mode ? loops->modes : loops->ranks)[is_wide](b, keys);
}
#endif
#endif
