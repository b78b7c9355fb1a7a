/* The largest elements of cells of planes: the loops (pool_cells_plane.h is their template). On x86-64 compiled once
 * more for AVX2 (loops.h). */
#include "runtime/kernels/nn/pool_cells.h"

#include <string.h>

#include "runtime/kernels/simd/vec.h"
#include "runtime/tensor/lanes.h"

#if VEC_LANES > 1
enum { LARGEST_LEAST = VEC_LANES };
VEC_INLINE vec_f32 cells_larger(vec_f32 best, vec_f32 v) {
    return vec_select(vec_less(best, v) | vec_is_nan(v), v, best);
}
/* The last vector overlaps the one before. */
static float cells_vectors(const float *v, tsm_dim n) {
    vec_f32 best = vec_load(v + n - VEC_LANES);
    for (tsm_dim i = 0; i + VEC_LANES < n; i += VEC_LANES)
        best = cells_larger(best, vec_load(v + i));
    float lanes[VEC_LANES];
    vec_store(lanes, best);
    for (int half = VEC_LANES / 2; half; half /= 2)
        for (int k = 0; k < half; k++) {
            const float a = lanes[k], b = lanes[k + half];
            lanes[k] = b > a || b != b ? b : a;
        }
    return lanes[0];
}
#endif

#define ELEMENT float
#define WORD int32_t
#define NAME(f) f##_f32
#if VEC_LANES > 1
#define LARGEST cells_vectors
#endif
#include "runtime/kernels/nn/pool_cells_plane.h"
#define ELEMENT double
#define WORD int64_t
#define NAME(f) f##_f64
#include "runtime/kernels/nn/pool_cells_plane.h"

TSM_TABLE_CHOSEN(cells_loops, cells_table,
                 {sizeof(float) + sizeof(int32_t), sizeof(double) + sizeof(int64_t), cells_range_f32, cells_range_f64})

#if !defined(TSM_WIDE_LOOPS)
const cells_loops *tsm_nn_cells_loops(tsm_exec *x) {
    return cells_table_for(x);
}
#endif
