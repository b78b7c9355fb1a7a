/* The int8 loops for x86-64 with AVX2: products of 16-bit numbers. (Those of bytes saturate.) */
#if defined(__x86_64__)
#define Q8_TABLE tsm_q8_avx2
#define Q8_NAME "avx2"
#define Q8_ROWS 2
#define Q8_PANELS 1
#define Q8_PIXELS 2
#include "runtime/kernels/simd/q8_loops.h"
#else
typedef int q8_avx2_has_no_code_here;
#endif
