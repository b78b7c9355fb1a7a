/* Images sampled at points of a grid: the loops (sample_points.h is their template). On x86-64 compiled once more for
 * AVX2 (loops.h). */
#include "runtime/kernels/nn/sample.h"

#include <math.h>

#include "runtime/kernels/simd/vec.h"
#include "runtime/tensor/lanes.h"

enum {
    SAMPLE_TAPS = 4,                         /* most of a dimension */
    SAMPLE_ROWS = SAMPLE_TAPS * SAMPLE_TAPS, /* most of a point */
    SAMPLE_POINTS = VEC_LANES > 1 ? 32 : 8,  /* of a block, and whole groups of them */
    SAMPLE_GROUP = VEC_LANES >= 8 ? 8 : 4,
};

/* Functions of constants: made once for all where code is to be small. */
#if VEC_LANES > 1
#define SAMPLE_INLINE VEC_INLINE
#else
#define SAMPLE_INLINE static
#endif

/* ---- Sums by vectors ---- */

#if VEC_LANES == 4 || VEC_LANES == 8
enum { SAMPLE_LANES = VEC_LANES };
typedef double sample_pairs __attribute__((vector_size(4 * VEC_LANES)));

/* Numbers side by side from plane + at[0], plane + at[1], ...: so many windows as fill a vector. */
VEC_INLINE vec_f32 sample_windows_at(const float *plane, const int32_t *at, const int window) {
    if (window == 2) {
        double pairs[SAMPLE_LANES / 2];
        for (int i = 0; i < SAMPLE_LANES / 2; i++)
            memcpy(&pairs[i], plane + at[i], sizeof pairs[i]);
#if VEC_LANES == 8
        return (vec_f32)(sample_pairs){pairs[0], pairs[1], pairs[2], pairs[3]};
#else
        return (vec_f32)(sample_pairs){pairs[0], pairs[1]};
#endif
    }
#if VEC_LANES == 8
    typedef float four __attribute__((vector_size(16), aligned(4), may_alias));
    const four a = *(const four *)(plane + at[0]), b = *(const four *)(plane + at[1]);
    return __builtin_shufflevector(a, b, 0, 1, 2, 3, 4, 5, 6, 7);
#else
    return vec_load(plane + at[0]);
#endif
}

/* Sums of neighbours; on AVX in the halves of 128 bits by themselves. */
VEC_INLINE vec_f32 sample_pair_sums(vec_f32 a, vec_f32 b) {
#if VEC_LANES == 8
    return __builtin_shufflevector(a, b, 0, 2, 8, 10, 4, 6, 12, 14) +
           __builtin_shufflevector(a, b, 1, 3, 9, 11, 5, 7, 13, 15);
#else
    return __builtin_shufflevector(a, b, 0, 2, 4, 6) + __builtin_shufflevector(a, b, 1, 3, 5, 7);
#endif
}
VEC_INLINE vec_f32 sample_window_sums(const vec_f32 *v, const int window) {
    const vec_f32 first = sample_pair_sums(v[0], v[1]);
    if (window == 2) {
#if VEC_LANES == 8
        return __builtin_shufflevector(first, first, 0, 1, 4, 5, 2, 3, 6, 7);
#else
        return first;
#endif
    }
    const vec_f32 sums = sample_pair_sums(first, sample_pair_sums(v[2], v[3]));
#if VEC_LANES == 8
    return __builtin_shufflevector(sums, sums, 0, 4, 1, 5, 2, 6, 3, 7);
#else
    return sums;
#endif
}
VEC_INLINE vec_f32 sample_kept(vec_f32 v, const int32_t *mask) {
    vec_f32 of_mask;
    memcpy(&of_mask, mask, sizeof of_mask);
    return vec_of_bits(vec_bits(v) & vec_bits(of_mask));
}
#endif

#define ELEMENT float
#define WORD int32_t
#define NAME(f) f##_f32
#define FLOOR floorf
#define NEAREST_OF rintf
#if VEC_LANES == 4 || VEC_LANES == 8
#define WINDOWS
#endif
#include "runtime/kernels/nn/sample_points.h"
#define ELEMENT double
#define WORD int64_t
#define NAME(f) f##_f64
#define FLOOR floor
#define NEAREST_OF rint
#include "runtime/kernels/nn/sample_points.h"

TSM_TABLE_CHOSEN(sample_loops, sample_table,
                 {SAMPLE_POINTS, sizeof(sample_block_f32), sizeof(sample_block_f64), sample_range_f32,
                  sample_range_f64})

#if !defined(TSM_WIDE_LOOPS)
const sample_loops *tsm_nn_sample_loops(tsm_exec *x) {
    return sample_table_for(x);
}
#endif
