/* The loops for the instruction set that the library is compiled for. */
#define TSM_F32_TABLE tsm_f32_base
#define TSM_F32_NAME "base"
#include "runtime/kernels/simd/f32_loops.h"
