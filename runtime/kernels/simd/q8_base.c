/* The int8 loops for the instruction set that the library is compiled for. */
#define Q8_TABLE tsm_q8_base
#define Q8_NAME "base"
#if defined(__ARM_NEON)
#define Q8_ROWS 2
#define Q8_PIXELS 2
#else
#define Q8_ROWS 1
#define Q8_PIXELS 1
#endif
#define Q8_PANELS 1
#include "runtime/kernels/simd/q8_loops.h"
