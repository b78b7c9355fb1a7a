/* The loops for AArch64, with the hand-written loops of gemm_aarch64.S and depthwise_aarch64.S; f32_base.c has the same
 * in vector C, to compare with. */
#if defined(__aarch64__)
#define TSM_F32_TABLE tsm_f32_neon
#define TSM_F32_NAME "neon"
#define TSM_BY_HAND_AARCH64
#include "runtime/kernels/simd/f32_loops.h"
#else
typedef int tsm_f32_neon_is_for_aarch64;
#endif
