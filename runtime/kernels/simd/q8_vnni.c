/* The int8 loops for x86-64 with AVX-512 VNNI and VBMI. */
#if defined(__x86_64__)
#define Q8_TABLE tsm_q8_vnni
#define Q8_NAME "vnni"
#define Q8_ROWS 12
#define Q8_PANELS 2
#define Q8_PIXELS 4
#include "runtime/kernels/simd/q8_loops.h"
#else
typedef int q8_vnni_has_no_code_here;
#endif
