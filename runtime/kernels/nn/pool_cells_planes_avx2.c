/* The loops of pool_cells_planes.c for x86-64 with AVX2 (runtime/kernels/simd/wide.h, TSM_TABLE_CHOSEN). */
#if defined(__AVX2__)
#define TSM_WIDE_LOOPS
#include "runtime/kernels/nn/pool_cells_planes.c" // NOLINT(bugprone-suspicious-include): compiled once more
#else
typedef int tsm_pool_cells_planes_avx2_is_for_x86_64;
#endif
