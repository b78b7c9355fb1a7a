/* Transforms of lines in both precisions. On x86-64 compiled once more for AVX2 (loops.h, TSM_LOOPS). */
#include "runtime/kernels/linalg/fft_lines.h"

#include <string.h>

#include "runtime/kernels/simd/vmath64.h"

#define FFT_PI 3.14159265358979323846

enum { FFT_MAX_FACTORS = 40, FFT_MAX_RADIX = 199, FFT_MAX_RADIX_ALONE = 97, FFT_NEIGHBOURS = 4 };

/* Prime factors, pairs of 2 as 4; returns how many, or 0 when n has one that is too large for a pass: above
 * FFT_MAX_RADIX, or above FFT_MAX_RADIX_ALONE where few neighbours lie side by side. */
static int fft_factors(tsm_dim n, int *factors) {
    int count = 0;
    tsm_dim stride = 1;
    for (int p = 4; p <= (stride < FFT_NEIGHBOURS ? FFT_MAX_RADIX_ALONE : FFT_MAX_RADIX) && n > 1; p = p == 4   ? 2
                                                                                                       : p == 2 ? 3
                                                                                                                : p + 2)
        for (; n % p == 0; n /= p) {
            factors[count++] = p;
            stride *= p;
        }
    return n == 1 ? count : 0;
}

/* The length of the convolution that stands for a transform of n points; 0 when none is needed. */
static tsm_dim fft_convolution_length(tsm_dim n) {
    int factors[FFT_MAX_FACTORS];
    if (n == 1 || fft_factors(n, factors))
        return 0;
    tsm_dim m = 1;
    while (m < 2 * n - 1)
        m *= 2;
    return m;
}

/* Lines that are transformed at once, and the most points of one: they stay in the cache. */
enum { FFT_LINES = 8, FFT_SHORT = 512 };
/* Bytes of a vector. */
#if defined(TSM_WIDE_LOOPS)
enum { FFT_VECTOR = 32 };
#else
enum { FFT_VECTOR = 16 };
#endif

#define FFT_REAL float
#define FFT_NAME(name) fft32_##name
#include "runtime/kernels/linalg/fft_lines_plain.h"
#define FFT_REAL double
#define FFT_NAME(name) fft64_##name
#include "runtime/kernels/linalg/fft_lines_plain.h"
#undef FFT_PI

typedef struct {
    fft_lines f32, f64;
} fft_loops;
TSM_TABLE_CHOSEN(fft_loops, fft_loops, {fft32_run_lines, fft64_run_lines})

#if !defined(TSM_WIDE_LOOPS)
fft_lines tsm_fft_lines_choose(tsm_exec *x, bool is_double) {
    const fft_loops *loops = fft_loops_for(x);
    return is_double ? loops->f64 : loops->f32;
}

bool tsm_fft_goes_together(tsm_exec *x, const fft_job *j) {
    return loops_are_narrow(x) && j->n <= FFT_SHORT && !fft_convolution_length(j->n);
}

tsm_dim tsm_fft_scratch_items(const fft_job *j) {
    const tsm_dim n = j->n, m = fft_convolution_length(n);
    if (j->is_together)
        return 2 * (n + 2 * FFT_LINES * n); /* roots, lines, works */
    return 2 * (m ? 3 * m + n + m : 3 * n); /* roots, line, work; chirp, filter */
}
#endif
