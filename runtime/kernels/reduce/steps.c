/* Steps of reductions over items that lie side by side: four chains of vectors, joined at the end. */
#include "runtime/kernels/reduce/steps.h"

#include "runtime/kernels/simd/vec.h"
#include "runtime/kernels/simd/vmath.h"
#include "runtime/kernels/simd/vmath64.h"

#define FOLD_STEPS(name, ...) TSM_TABLE(, fold_steps, tsm_##name, tsm_wide_##name, __VA_ARGS__)

/* Vectors of 32 bytes, of which the compiler makes what the machine has. Helium counts as a machine without: gcc 12
 * takes comparisons of vector types apart there. The order of additions is the same with and without. */
enum { VECTOR_BYTES = 32, CHAINS = 4 };
#if VEC_LANES > 1 && !defined(VEC_MVE)
#define HAVE_VECTORS
#define VECTOR_OF(T, mask_type)                                                                                        \
    typedef T T##_vector __attribute__((vector_size(VECTOR_BYTES)));                                                   \
    typedef T T##_vector_anywhere __attribute__((vector_size(VECTOR_BYTES), aligned(sizeof(T)), may_alias));           \
    typedef mask_type T##_mask __attribute__((vector_size(VECTOR_BYTES)));
VECTOR_OF(float, int32_t)
VECTOR_OF(double, int64_t)
VECTOR_OF(int64_t, int64_t)
VECTOR_OF(uint64_t, int64_t)
TSM_NARROW(VECTOR_OF(int32_t, int32_t) VECTOR_OF(int8_t, int8_t) VECTOR_OF(uint8_t, int8_t))
#define LOAD(T, p) (*(const T##_vector_anywhere *)(p))
typedef float four_floats __attribute__((vector_size(16), aligned(4), may_alias));
#define LOAD_AS_double(T, p) LOAD_##T##_AS_double(p)
#define LOAD_double_AS_double(p) LOAD(double, p)
#define LOAD_float_AS_double(p) __builtin_convertvector(*(const four_floats *)(p), double_vector)
#endif

/* ---- Sums and products ---- */

/* Items of ITEM are joined with OP as ACC, CHAINS vectors of LANES at a time. EACH(v): what is done to an item first
 * (EACH_VECTOR: to a vector of them); AS loads items as ACC. */
#if defined(HAVE_VECTORS)
#define JOIN_CHAINS(ACC, ITEM, AS, START, OP, EACH)                                                                    \
    ACC##_vector c0 = START - (ACC##_vector){0}, c1 = c0, c2 = c0, c3 = c0;                                            \
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) {                                                             \
        const ACC##_vector v0 = AS(ITEM, a + i), v1 = AS(ITEM, a + i + LANES), v2 = AS(ITEM, a + i + 2 * LANES),       \
                           v3 = AS(ITEM, a + i + 3 * LANES);                                                           \
        c0 = c0 OP EACH##_VECTOR(ACC, v0);                                                                             \
        c1 = c1 OP EACH##_VECTOR(ACC, v1);                                                                             \
        c2 = c2 OP EACH##_VECTOR(ACC, v2);                                                                             \
        c3 = c3 OP EACH##_VECTOR(ACC, v3);                                                                             \
    }                                                                                                                  \
    for (; i + LANES <= n; i += LANES) {                                                                               \
        const ACC##_vector v = AS(ITEM, a + i);                                                                        \
        c0 = c0 OP EACH##_VECTOR(ACC, v);                                                                              \
    }                                                                                                                  \
    const ACC##_vector joined = (c0 OP c1)OP(c2 OP c3);                                                                \
    ACC part[LANES];                                                                                                   \
    memcpy(part, &joined, sizeof part);
#else
#define JOIN_CHAINS(ACC, ITEM, AS, START, OP, EACH)                                                                    \
    ACC chain[CHAINS * LANES], part[LANES];                                                                            \
    for (int k = 0; k < CHAINS * LANES; k++)                                                                           \
        chain[k] = START;                                                                                              \
    for (; i + CHAINS * LANES <= n; i += CHAINS * LANES)                                                               \
        for (int k = 0; k < CHAINS * LANES; k++) {                                                                     \
            const ACC v = (ACC)a[i + k];                                                                               \
            chain[k] = chain[k] OP EACH(v);                                                                            \
        }                                                                                                              \
    for (; i + LANES <= n; i += LANES)                                                                                 \
        for (int k = 0; k < LANES; k++) {                                                                              \
            const ACC v = (ACC)a[i + k];                                                                               \
            chain[k] = chain[k] OP EACH(v);                                                                            \
        }                                                                                                              \
    for (int k = 0; k < LANES; k++)                                                                                    \
        part[k] = (chain[k] OP chain[k + LANES]) OP(chain[k + 2 * LANES] OP chain[k + 3 * LANES]);
#endif
/* TOTAL is what parts and the items that are left are joined as. */
#define JOIN(name, TOTAL, ACC, ITEM, AS, START, OP, EACH)                                                              \
    static TOTAL name(const ITEM *a, tsm_dim n) {                                                                      \
        enum { LANES = VECTOR_BYTES / sizeof(ACC) };                                                                   \
        tsm_dim i = 0;                                                                                                 \
        TOTAL all = START;                                                                                             \
        if (n >= 2 * LANES) {                                                                                          \
            JOIN_CHAINS(ACC, ITEM, AS, START, OP, EACH)                                                                \
            TOTAL halves[LANES];                                                                                       \
            for (int k = 0; k < LANES; k++)                                                                            \
                halves[k] = part[k];                                                                                   \
            for (int half = LANES / 2; half; half /= 2)                                                                \
                for (int k = 0; k < half; k++)                                                                         \
                    halves[k] = halves[k] OP halves[k + half];                                                         \
            all = halves[0];                                                                                           \
        }                                                                                                              \
        for (; i < n; i++) {                                                                                           \
            const TOTAL v = (TOTAL)a[i];                                                                               \
            all = all OP EACH(v);                                                                                      \
        }                                                                                                              \
        return all;                                                                                                    \
    }
#define ITSELF(v) (v)
#define ITSELF_VECTOR(T, v) (v)
#define SQUARE(v) ((v) * (v))
#define SQUARE_VECTOR(T, v) ((v) * (v))
#define NUMBER_OR_0(v) ((v) == (v) ? (v) : 0)
#define NUMBER_OR_0_VECTOR(T, v) ((T##_vector)((T##_mask)(v) & ((v) == (v))))
#define STEP(name, T, FIELD, OP, join)                                                                                 \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        (void)context;                                                                                                 \
        s->FIELD = (T)s->FIELD OP join(items, n);                                                                      \
    }

JOIN(fold_add_f32, double, float, float, LOAD, 0, +, ITSELF)
JOIN(fold_add_f64, double, double, double, LOAD, 0, +, ITSELF)
JOIN(fold_add_i64, uint64_t, uint64_t, uint64_t, LOAD, 0, +, ITSELF)
#define SUM_STEP_F32(name, add)                                                                                        \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        (void)context;                                                                                                 \
        for (tsm_dim i = 0; i < n; i += FOLD_BLOCK)                                                                    \
            s->f += add((const float *)items + i, tsm_dim_min(n - i, FOLD_BLOCK));                                     \
    }
SUM_STEP_F32(fold_sum_f32, fold_add_f32)
STEP(fold_sum_f64, double, f, +, fold_add_f64)
STEP(fold_sum_i64, uint64_t, i, +, fold_add_i64)
#if TSM_NARROW_LANES
/* Both parts side by side, as floats are added: in float for FOLD_BLOCK of them. */
static void fold_sum_c64(fold_state *s, const void *context, const void *items, tsm_dim count) {
    enum { PARTS = 2, LANES = VECTOR_BYTES / sizeof(float) };
    (void)context;
    for (tsm_dim done = 0, n; done < PARTS * count; done += n) {
        const float *a = (const float *)items + done;
        tsm_dim i = 0;
        n = tsm_dim_min(PARTS * count - done, FOLD_BLOCK);
        JOIN_CHAINS(float, float, LOAD, 0, +, ITSELF)
        for (int k = 0; k < LANES; k += PARTS) {
            s->c.re += part[k];
            s->c.im += part[k + 1];
        }
        for (; i < n; i += PARTS) {
            s->c.re += a[i];
            s->c.im += a[i + 1];
        }
    }
}
#endif
FOLD_STEPS(fold_sum, {[TSM_LANE_F32] = fold_sum_f32,
                      [TSM_LANE_F64] = fold_sum_f64,
                      [TSM_LANE_I64] = fold_sum_i64,
                      TSM_NARROW([TSM_LANE_C64] = fold_sum_c64)})

#if defined(HAVE_VECTORS)
JOIN(add_numbers_f32, double, float, float, LOAD, 0, +, NUMBER_OR_0)
JOIN(add_numbers_f64, double, double, double, LOAD, 0, +, NUMBER_OR_0)
#else
/* The same additions by the loops that are there. */
#define ADD_NUMBERS(T, lane)                                                                                           \
    static double add_numbers_##lane(const T *a, tsm_dim n) {                                                          \
        T numbers[FOLD_BLOCK];                                                                                         \
        double all = 0;                                                                                                \
        for (tsm_dim i = 0, m; i < n; i += m) {                                                                        \
            m = tsm_dim_min(n - i, FOLD_BLOCK);                                                                        \
            for (tsm_dim k = 0; k < m; k++)                                                                            \
                numbers[k] = NUMBER_OR_0(a[i + k]);                                                                    \
            all += fold_add_##lane(numbers, m);                                                                        \
        }                                                                                                              \
        return all;                                                                                                    \
    }
ADD_NUMBERS(float, f32)
ADD_NUMBERS(double, f64)
#endif
SUM_STEP_F32(sum_numbers_f32, add_numbers_f32)
STEP(sum_numbers_f64, double, f, +, add_numbers_f64)
FOLD_STEPS(fold_sum_of_numbers, {[TSM_LANE_F32] = sum_numbers_f32, [TSM_LANE_F64] = sum_numbers_f64})

JOIN(fold_multiply_f32, double, float, float, LOAD, 1, *, ITSELF)
JOIN(fold_multiply_f64, double, double, double, LOAD, 1, *, ITSELF)
JOIN(fold_multiply_i64, uint64_t, uint64_t, uint64_t, LOAD, 1, *, ITSELF)
STEP(fold_product_f32, double, f, *, fold_multiply_f32)
STEP(fold_product_f64, double, f, *, fold_multiply_f64)
STEP(fold_product_i64, uint64_t, i, *, fold_multiply_i64)
FOLD_STEPS(fold_product,
           {[TSM_LANE_F32] = fold_product_f32, [TSM_LANE_F64] = fold_product_f64, [TSM_LANE_I64] = fold_product_i64})

JOIN(squares_f32, double, double, float, LOAD_AS_double, 0, +, SQUARE)
JOIN(squares_f64, double, double, double, LOAD, 0, +, SQUARE)
JOIN(float_squares, double, float, float, LOAD, 0, +, SQUARE)
/* In float, unless a block's sum says that squares may have got too large or too small for that. */
static void sum_squares_f32(fold_state *s, const void *context, const void *items, tsm_dim n) {
    (void)context;
    for (tsm_dim i = 0, m; i < n; i += m) {
        const float *a = (const float *)items + i;
        m = tsm_dim_min(n - i, FOLD_BLOCK);
        const double sum = float_squares(a, m);
        s->f += sum > 1e-25 && sum < 1e37 ? sum : squares_f32(a, m);
    }
}
STEP(sum_squares_f64, double, f, +, squares_f64)
FOLD_STEPS(fold_squares, {[TSM_LANE_F32] = sum_squares_f32, [TSM_LANE_F64] = sum_squares_f64})

/* ---- Extremes ---- */

#define BEST(T, best, v, COMPARE) ((v)COMPARE(best) || (v) != (v) ? (v) : (best))
#if defined(HAVE_VECTORS)
#define KEEP(T, best, items, COMPARE)                                                                                  \
    do {                                                                                                               \
        const T##_vector v = items;                                                                                    \
        const T##_mask better = (v COMPARE best) | (v != v);                                                           \
        best = (T##_vector)((better & (T##_mask)v) | (~better & (T##_mask)best));                                      \
    } while (0)
#define BEST_OF_CHAINS(T, COMPARE)                                                                                     \
    T##_vector b[CHAINS];                                                                                              \
    for (int k = 0; k < CHAINS; k++)                                                                                   \
        b[k] = LOAD(T, a + k * LANES);                                                                                 \
    for (i = CHAINS * LANES; i + CHAINS * LANES <= n; i += CHAINS * LANES) {                                           \
        KEEP(T, b[0], LOAD(T, a + i), COMPARE);                                                                        \
        KEEP(T, b[1], LOAD(T, a + i + LANES), COMPARE);                                                                \
        KEEP(T, b[2], LOAD(T, a + i + 2 * LANES), COMPARE);                                                            \
        KEEP(T, b[3], LOAD(T, a + i + 3 * LANES), COMPARE);                                                            \
    }                                                                                                                  \
    for (int k = 1; k < CHAINS; k++)                                                                                   \
        KEEP(T, b[0], b[k], COMPARE);                                                                                  \
    T part[LANES];                                                                                                     \
    memcpy(part, b, sizeof part);                                                                                      \
    for (int k = 0; k < LANES; k++)                                                                                    \
        best = BEST(T, best, part[k], COMPARE);
#else
#define BEST_OF_CHAINS(T, COMPARE)
#endif
/* AVX has a > b ? a : b of floats in one instruction. NaN, of which that knows nothing, are looked for aside: with one
 * among them, or fewer items than a vector has, nothing is done, and 0 is returned, else how many were compared. */
#if defined(HAVE_VECTORS) && defined(__AVX__)
#define QUICK_EXTREME(T, name, VECTOR, PREFIX, SUFFIX, BETTER, COMPARE)                                                \
    static inline tsm_dim name(const T *a, tsm_dim n, T *best) {                                                       \
        enum { LANES = VECTOR_BYTES / sizeof(T) };                                                                     \
        if (*best != *best || n < LANES)                                                                               \
            return 0;                                                                                                  \
        VECTOR b[CHAINS], nan = PREFIX##setzero_##SUFFIX();                                                            \
        tsm_dim i = 0;                                                                                                 \
        for (int k = 0; k < CHAINS; k++)                                                                               \
            b[k] = PREFIX##set1_##SUFFIX(*best);                                                                       \
        for (; i + CHAINS * LANES <= n; i += CHAINS * LANES) {                                                         \
            VECTOR v[CHAINS];                                                                                          \
            for (int k = 0; k < CHAINS; k++) {                                                                         \
                v[k] = PREFIX##loadu_##SUFFIX(a + i + k * LANES);                                                      \
                b[k] = PREFIX##BETTER##SUFFIX(v[k], b[k]);                                                             \
            }                                                                                                          \
            for (int k = 0; k < CHAINS; k += 2)                                                                        \
                nan = PREFIX##or_##SUFFIX(nan, PREFIX##cmp_##SUFFIX(v[k], v[k + 1], _CMP_UNORD_Q));                    \
        }                                                                                                              \
        for (; i < n; i += LANES) { /* the last vector may have items of the one before, too */                        \
            const VECTOR v = PREFIX##loadu_##SUFFIX(a + tsm_dim_min(i, n - LANES));                                    \
            b[0] = PREFIX##BETTER##SUFFIX(v, b[0]);                                                                    \
            nan = PREFIX##or_##SUFFIX(nan, PREFIX##cmp_##SUFFIX(v, v, _CMP_UNORD_Q));                                  \
        }                                                                                                              \
        if (PREFIX##movemask_##SUFFIX(nan))                                                                            \
            return 0;                                                                                                  \
        for (int k = 1; k < CHAINS; k++)                                                                               \
            b[0] = PREFIX##BETTER##SUFFIX(b[k], b[0]);                                                                 \
        T part[LANES];                                                                                                 \
        memcpy(part, b, sizeof part);                                                                                  \
        for (int half = LANES / 2; half; half /= 2)                                                                    \
            for (int k = 0; k < half; k++)                                                                             \
                part[k] = part[k + half] COMPARE part[k] ? part[k + half] : part[k];                                   \
        *best = part[0];                                                                                               \
        return n;                                                                                                      \
    }
QUICK_EXTREME(float, quick_greatest_f32, __m256, _mm256_, ps, max_, >)
QUICK_EXTREME(double, quick_greatest_f64, __m256d, _mm256_, pd, max_, >)
QUICK_EXTREME(float, quick_least_f32, __m256, _mm256_, ps, min_, <)
QUICK_EXTREME(double, quick_least_f64, __m256d, _mm256_, pd, min_, <)
#else
#define quick_greatest_f32 no_quick_extreme
#define quick_greatest_f64 no_quick_extreme
#define quick_least_f32 no_quick_extreme
#define quick_least_f64 no_quick_extreme
#endif
#define no_quick_extreme(a, n, best) 0
#define EXTREME_STEP(T, name, quick, FIELD, COMPARE)                                                                   \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        enum { LANES = VECTOR_BYTES / sizeof(T) };                                                                     \
        (void)context;                                                                                                 \
        const T *a = items;                                                                                            \
        T best = s->seen ? (T)s->FIELD : a[0];                                                                         \
        tsm_dim i = quick(a, n, &best);                                                                                \
        if (!i && n >= CHAINS * LANES) {                                                                               \
            BEST_OF_CHAINS(T, COMPARE)                                                                                 \
        }                                                                                                              \
        for (; i < n; i++)                                                                                             \
            best = BEST(T, best, a[i], COMPARE);                                                                       \
        s->FIELD = best;                                                                                               \
        s->seen += n;                                                                                                  \
    }
EXTREME_STEP(float, fold_greatest_f32, quick_greatest_f32, f, >)
EXTREME_STEP(double, fold_greatest_f64, quick_greatest_f64, f, >)
EXTREME_STEP(int64_t, fold_greatest_i64, no_quick_extreme, i, >)
EXTREME_STEP(float, fold_least_f32, quick_least_f32, f, <)
EXTREME_STEP(double, fold_least_f64, quick_least_f64, f, <)
EXTREME_STEP(int64_t, fold_least_i64, no_quick_extreme, i, <)
#define NARROW_STEPS(MAKE)                                                                                             \
    MAKE(int32_t, i32)                                                                                                 \
    MAKE(int8_t, i8)                                                                                                   \
    MAKE(uint8_t, u8)
#define NARROW_EXTREMES(T, lane)                                                                                       \
    EXTREME_STEP(T, fold_greatest_##lane, no_quick_extreme, i, >)                                                      \
    EXTREME_STEP(T, fold_least_##lane, no_quick_extreme, i, <)
TSM_NARROW(NARROW_STEPS(NARROW_EXTREMES))
#define STEPS_OF_LANES(name)                                                                                           \
    {                                                                                                                  \
        [TSM_LANE_F32] = name##_f32, [TSM_LANE_F64] = name##_f64, [TSM_LANE_I64] = name##_i64,                         \
        TSM_NARROW([TSM_LANE_I32] = name##_i32, [TSM_LANE_I8] = name##_i8, [TSM_LANE_U8] = name##_u8)                  \
    }
FOLD_STEPS(fold_greatest, STEPS_OF_LANES(fold_greatest))
FOLD_STEPS(fold_least, STEPS_OF_LANES(fold_least))

/* The position of the first item that is as good as the best: in blocks, one of which has it. */
enum { FIND_BLOCK = 32 };
#define FIND_STEP(T, name, FIELD)                                                                                      \
    static void name(fold_state *s, const void *context, const void *items, tsm_dim n) {                               \
        const T *a = items, best = (T)((const fold_state *)context)->FIELD;                                            \
        tsm_dim i = 0;                                                                                                 \
        for (int found = 0; s->at < 0 && i + FIND_BLOCK <= n; i += FIND_BLOCK) {                                       \
            for (int k = 0; k < FIND_BLOCK; k++)                                                                       \
                found |= (a[i + k] == best) | (a[i + k] != a[i + k]);                                                  \
            if (found)                                                                                                 \
                break;                                                                                                 \
        }                                                                                                              \
        for (; i < n && s->at < 0; i++)                                                                                \
            if (a[i] == best || a[i] != a[i])                                                                          \
                s->at = s->seen + i;                                                                                   \
        s->seen += n;                                                                                                  \
    }
FIND_STEP(float, fold_find_f32, f)
FIND_STEP(double, fold_find_f64, f)
FIND_STEP(int64_t, fold_find_i64, i)
#define NARROW_FIND(T, lane) FIND_STEP(T, fold_find_##lane, i)
TSM_NARROW(NARROW_STEPS(NARROW_FIND))
FOLD_STEPS(fold_find, STEPS_OF_LANES(fold_find))

/* Of rows: which are the best so far, and which row they are from. */
#define EXTREME_ROW(T, name, COMPARE)                                                                                  \
    static void name(void *best_items, int32_t *restrict at, const void *row_items, int32_t row, tsm_dim n) {          \
        T *restrict best = best_items;                                                                                 \
        const T *items = row_items;                                                                                    \
        for (tsm_dim i = 0; i < n; i++) {                                                                              \
            const T v = items[i], b = best[i];                                                                         \
            const bool better = (v COMPARE b) | ((v != v) & (b == b));                                                 \
            best[i] = better ? v : b;                                                                                  \
            at[i] = better ? row : at[i];                                                                              \
        }                                                                                                              \
    }
#define EXTREME_ROWS(T, lane)                                                                                          \
    EXTREME_ROW(T, greatest_row_##lane, >)                                                                             \
    EXTREME_ROW(T, least_row_##lane, <)
EXTREME_ROWS(float, f32)
TSM_NARROW(EXTREME_ROWS(double, f64) EXTREME_ROWS(int64_t, i64) EXTREME_ROWS(int32_t, i32) EXTREME_ROWS(int8_t, i8)
               EXTREME_ROWS(uint8_t, u8))

/* Four rows at a time, so that totals are seldom read and written. EACH(v): what is done to an item first. Short rows
 * without anything between them are joined as parts of rows as long as JOIN_BYTES, whose parts are joined at the end.
 */
enum { JOIN_BYTES = 256, JOIN_LEAST_PARTS = 2 };
#define JOIN_ROWS(T, name, EACH, JOIN, JOIN_FOUR)                                                                      \
    static inline void name##_apart(T *restrict total, const T *a, tsm_dim stride, tsm_dim rows, tsm_dim n) {          \
        tsm_dim k = 0;                                                                                                 \
        for (; k + 4 <= rows; k += 4, a += 4 * stride) {                                                               \
            const T *b = a + stride, *c = b + stride, *d = c + stride;                                                 \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                total[i] = JOIN_FOUR(total[i], EACH(a[i]), EACH(b[i]), EACH(c[i]), EACH(d[i]));                        \
        }                                                                                                              \
        for (; k < rows; k++, a += stride)                                                                             \
            for (tsm_dim i = 0; i < n; i++)                                                                            \
                total[i] = JOIN(total[i], EACH(a[i]));                                                                 \
    }                                                                                                                  \
    static void name(void *totals, const void *row_items, tsm_dim stride, tsm_dim rows, tsm_dim n) {                   \
        enum { WIDTH = JOIN_BYTES / sizeof(T) };                                                                       \
        T *restrict total = totals;                                                                                    \
        const T *a = row_items;                                                                                        \
        if (TSM_NARROW_LANES && stride == n && n <= WIDTH / JOIN_LEAST_PARTS && rows * n >= 4 * WIDTH) {               \
            T wide[WIDTH];                                                                                             \
            const tsm_dim parts = WIDTH / n, wide_rows = rows / parts, items = parts * n;                              \
            for (tsm_dim i = 0; i < items; i++)                                                                        \
                wide[i] = EACH(a[i]);                                                                                  \
            name##_apart(wide, a + items, items, wide_rows - 1, items);                                                \
            for (tsm_dim part = 0; part < items; part += n)                                                            \
                for (tsm_dim i = 0; i < n; i++)                                                                        \
                    total[i] = JOIN(total[i], wide[part + i]);                                                         \
            a += wide_rows * items;                                                                                    \
            rows -= wide_rows * parts;                                                                                 \
        }                                                                                                              \
        name##_apart(total, a, stride, rows, n);                                                                       \
    }
#define SUM_OF_ROW(s, a) ((s) + (a))
#define SUM_OF_ROWS(s, a, b, c, d) ((s) + (((a) + (b)) + ((c) + (d))))
#define PRODUCT_OF_ROW(s, a) ((s) * (a))
#define PRODUCT_OF_ROWS(s, a, b, c, d) ((s) * (((a) * (b)) * ((c) * (d))))
#define ANY_OF_ROW(s, a) ((s) | (a))
#define ANY_OF_ROWS(s, a, b, c, d) ((s) | (((a) | (b)) | ((c) | (d))))
#define ALL_OF_ROW(s, a) ((s) & (a))
#define ALL_OF_ROWS(s, a, b, c, d) ((s) & (((a) & (b)) & ((c) & (d))))
JOIN_ROWS(double, sum_rows_f64, ITSELF, SUM_OF_ROW, SUM_OF_ROWS)
#if TSM_NARROW_LANES
JOIN_ROWS(float, sum_rows_f32, ITSELF, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(float, sum_numbers_rows_f32, NUMBER_OR_0, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(double, sum_numbers_rows_f64, NUMBER_OR_0, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(float, sum_squares_rows_f32, SQUARE, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(double, sum_squares_rows_f64, SQUARE, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(uint64_t, sum_rows_i64, ITSELF, SUM_OF_ROW, SUM_OF_ROWS)
JOIN_ROWS(float, product_rows_f32, ITSELF, PRODUCT_OF_ROW, PRODUCT_OF_ROWS)
JOIN_ROWS(double, product_rows_f64, ITSELF, PRODUCT_OF_ROW, PRODUCT_OF_ROWS)
JOIN_ROWS(uint64_t, product_rows_i64, ITSELF, PRODUCT_OF_ROW, PRODUCT_OF_ROWS)
JOIN_ROWS(uint8_t, any_rows, ITSELF, ANY_OF_ROW, ANY_OF_ROWS)
JOIN_ROWS(uint8_t, all_rows, ITSELF, ALL_OF_ROW, ALL_OF_ROWS)
#endif

/* One after the other and without branches, which compilers turn into vectors. */
#define BETTER_OF(T, name, COMPARE)                                                                                    \
    static inline T name(T best, T v) {                                                                                \
        return ((v COMPARE best) | (v != v)) ? v : best;                                                               \
    }                                                                                                                  \
    static inline T name##_four(T best, T a, T b, T c, T d) {                                                          \
        return name(name(name(name(best, a), b), c), d);                                                               \
    }
#define JOIN_EXTREMES(T, lane)                                                                                         \
    BETTER_OF(T, greater_item_##lane, >)                                                                               \
    BETTER_OF(T, less_item_##lane, <)                                                                                  \
    JOIN_ROWS(T, greatest_rows_##lane, ITSELF, greater_item_##lane, greater_item_##lane##_four)                        \
    JOIN_ROWS(T, least_rows_##lane, ITSELF, less_item_##lane, less_item_##lane##_four)
JOIN_EXTREMES(float, f32)
TSM_NARROW(JOIN_EXTREMES(double, f64) JOIN_EXTREMES(int64_t, i64) JOIN_EXTREMES(int32_t, i32) JOIN_EXTREMES(int8_t, i8)
               JOIN_EXTREMES(uint8_t, u8))

/* Sums of short rows, four rows at a time: vectors along each, whose items are added across the four. What is left of a
 * row is its last vector, without the items that were in the one before. At least a vector of items. */
#if TSM_NARROW_LANES && defined(HAVE_VECTORS)
#define ACROSS_OF_8(a, b, c, d)                                                                                        \
    ADDED_8(__builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14) +                                                 \
                __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15),                                              \
            __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14) +                                                 \
                __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15))
#define ADDED_8(ab, cd)                                                                                                \
    (__builtin_shufflevector(ab, cd, 0, 1, 8, 9, 4, 5, 12, 13) +                                                       \
     __builtin_shufflevector(ab, cd, 2, 3, 10, 11, 6, 7, 14, 15))
#define ACROSS_OF_4(a, b, c, d)                                                                                        \
    ADDED_4(__builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7),                     \
            __builtin_shufflevector(c, d, 0, 4, 2, 6) + __builtin_shufflevector(c, d, 1, 5, 3, 7))
#define ADDED_4(ab, cd) (__builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7))
#define SUMS_ALONG(T, name, EACH, N)                                                                                   \
    static void name(void *totals, const void *items, tsm_dim stride, tsm_dim rows, tsm_dim n) {                       \
        enum { ROWS = 4, LANES = N };                                                                                  \
        T *total = totals;                                                                                             \
        const tsm_dim rest = n % LANES;                                                                                \
        T##_mask keep;                                                                                                 \
        for (int k = 0; k < LANES; k++)                                                                                \
            keep[k] = k < LANES - rest ? 0 : -1;                                                                       \
        for (tsm_dim i = 0; i < rows; i += ROWS) {                                                                     \
            const T *a[ROWS];                                                                                          \
            T##_vector sum[ROWS];                                                                                      \
            for (tsm_dim k = 0; k < ROWS; k++) {                                                                       \
                a[k] = (const T *)items + tsm_dim_min(i + k, rows - 1) * stride;                                       \
                sum[k] = EACH(LOAD(T, a[k]));                                                                          \
            }                                                                                                          \
            for (tsm_dim at = LANES; at + LANES <= n; at += LANES)                                                     \
                for (int k = 0; k < ROWS; k++)                                                                         \
                    sum[k] += EACH(LOAD(T, a[k] + at));                                                                \
            for (int k = 0; k < ROWS && rest; k++) {                                                                   \
                const T##_vector v = (T##_vector)((T##_mask)LOAD(T, a[k] + n - LANES) & keep);                         \
                sum[k] += EACH(v);                                                                                     \
            }                                                                                                          \
            const T##_vector across = ACROSS_OF_##N(sum[0], sum[1], sum[2], sum[3]);                                   \
            T part[LANES];                                                                                             \
            memcpy(part, &across, sizeof part);                                                                        \
            for (tsm_dim k = 0; k < ROWS && i + k < rows; k++)                                                         \
                total[i + k] += LANES == ROWS ? part[k] : part[k] + part[k + LANES - ROWS];                            \
        }                                                                                                              \
    }
SUMS_ALONG(float, sums_along_f32, ITSELF, 8)
SUMS_ALONG(double, sums_along_f64, ITSELF, 4)
SUMS_ALONG(uint64_t, sums_along_i64, ITSELF, 4)
SUMS_ALONG(float, squares_along_f32, SQUARE, 8)
SUMS_ALONG(double, squares_along_f64, SQUARE, 4)
#define LOOPS_ALONG                                                                                                    \
    {                                                                                                                  \
        [JOIN_SUMS] =                                                                                                  \
            {[TSM_LANE_F32] = sums_along_f32, [TSM_LANE_F64] = sums_along_f64, [TSM_LANE_I64] = sums_along_i64},       \
        [JOIN_SUMS_OF_SQUARES] = {[TSM_LANE_F32] = squares_along_f32, [TSM_LANE_F64] = squares_along_f64},             \
    }
#else
#define LOOPS_ALONG                                                                                                    \
    {                                                                                                                  \
        { NULL }                                                                                                       \
    }
#endif

static void add_exponentials_row(float *restrict sum, const float *restrict v, const float *restrict top, tsm_dim n) {
    for (tsm_dim i = 0; i < n; i++)
        sum[i] += vm_exp(v[i] - top[i]);
}

typedef struct {
    fold_row greatest[TSM_LANE_COUNT], least[TSM_LANE_COUNT];
    fold_join_rows of[FOLD_JOINS][TSM_LANE_COUNT];
    fold_exponentials_row exponentials;
    fold_join_rows along[FOLD_JOINS][TSM_LANE_COUNT];
} fold_rows;
#define ROWS_OF_LANES(name)                                                                                            \
    {                                                                                                                  \
        [TSM_LANE_F32] = name##_f32,                                                                                   \
        TSM_NARROW([TSM_LANE_F64] = name##_f64, [TSM_LANE_I64] = name##_i64, [TSM_LANE_I32] = name##_i32,              \
                   [TSM_LANE_I8] = name##_i8, [TSM_LANE_U8] = name##_u8)                                               \
    }
TSM_TABLE_CHOSEN(
    fold_rows, fold_rows,
    {ROWS_OF_LANES(greatest_row),
     ROWS_OF_LANES(least_row),
     {{[TSM_LANE_F64] = sum_rows_f64,
       TSM_NARROW([TSM_LANE_F32] = sum_rows_f32, [TSM_LANE_I64] = sum_rows_i64, [TSM_LANE_MASK] = any_rows)},
      {[TSM_LANE_C128] = NULL, /* no initializer is empty */
       TSM_NARROW([TSM_LANE_F32] = sum_numbers_rows_f32, [TSM_LANE_F64] = sum_numbers_rows_f64)},
      {[TSM_LANE_C128] = NULL,
       TSM_NARROW([TSM_LANE_F32] = product_rows_f32, [TSM_LANE_F64] = product_rows_f64,
                  [TSM_LANE_I64] = product_rows_i64, [TSM_LANE_MASK] = all_rows)},
      {[TSM_LANE_C128] = NULL,
       TSM_NARROW([TSM_LANE_F32] = sum_squares_rows_f32, [TSM_LANE_F64] = sum_squares_rows_f64)},
      ROWS_OF_LANES(greatest_rows),
      ROWS_OF_LANES(least_rows)},
     add_exponentials_row,
     LOOPS_ALONG})
#if !defined(TSM_WIDE_LOOPS)
fold_row tsm_fold_choose_row(tsm_exec *x, bool largest, tsm_lane lane) {
    const fold_rows *rows = fold_rows_for(x);
    return (largest ? rows->greatest : rows->least)[lane];
}
fold_join_rows tsm_fold_choose_join_rows(tsm_exec *x, fold_join join, tsm_lane lane) {
    return fold_rows_for(x)->of[join][lane];
}
fold_join_rows tsm_fold_choose_join_along(tsm_exec *x, fold_join join, tsm_lane lane) {
    return fold_rows_for(x)->along[join][lane];
}
fold_exponentials_row tsm_fold_choose_exponentials_row(tsm_exec *x) {
    return fold_rows_for(x)->exponentials;
}
#endif

/* ---- Sums of exponentials ---- */

static void exponentials_f32(fold_state *s, const void *context, const void *items, tsm_dim n) {
    const float *v = items, top = (float)*(const double *)context;
    float e[FOLD_BLOCK];
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = tsm_dim_min(n - i, FOLD_BLOCK);
        for (tsm_dim k = 0; k < m; k++)
            e[k] = vm_exp(v[i + k] - top);
        s->f += fold_add_f32(e, m);
    }
}
static void exponentials_f64(fold_state *s, const void *context, const void *items, tsm_dim n) {
    const double *v = items, top = *(const double *)context;
    double e[FOLD_BLOCK];
    for (tsm_dim i = 0, m; i < n; i += m) {
        m = tsm_dim_min(n - i, FOLD_BLOCK);
        for (tsm_dim k = 0; k < m; k++)
            e[k] = vd_exp(v[i + k] - top);
        for (tsm_dim k = 0; k < m; k++)
            s->f += e[k];
    }
}
FOLD_STEPS(fold_exponentials, {[TSM_LANE_F32] = exponentials_f32, [TSM_LANE_F64] = exponentials_f64})

#if !defined(TSM_WIDE_LOOPS)
fold_step tsm_fold_choose(tsm_exec *x, const fold_steps *steps, tsm_lane lane) {
    return (steps->wide && loops_are_wide(x) ? steps->wide : steps)->step[lane];
}
#endif
