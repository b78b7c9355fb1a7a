/* The int8 loops for the instruction set that the library is compiled for. */
#define Q8_TABLE tsm_q8_base
#define Q8_NAME "base"
#if defined(__ARM_NEON) && !defined(__aarch64__) // 16 registers hold the sums of one row
#define Q8_ROWS 1
#define Q8_PIXELS 2
#elif defined(__ARM_NEON)
#define Q8_ROWS 2
#define Q8_PIXELS 2
#elif (defined(__SSE2__) || defined(__wasm_simd128__)) && !defined(TSM_PLAIN)
#define Q8_ROWS 1
#define Q8_PIXELS 1
#else // q8_dots.h
#define Q8_ROWS 2
#endif
#define Q8_PANELS 1
#include "runtime/kernels/simd/q8_loops.h"
