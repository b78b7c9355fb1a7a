/* The int8 loops for AArch64 with the dot product instructions of ARMv8.2. */
#if defined(__aarch64__)
#define Q8_TABLE tsm_q8_dot
#define Q8_NAME "dot"
#define Q8_ROWS 4
#define Q8_PANELS 1
#define Q8_PIXELS 2
#include "runtime/kernels/simd/q8_loops.h"
#else
typedef int q8_dot_has_no_code_here;
#endif
